"""Evaluation for the report: predictions for held-out rows, scores compared with a baseline, and learning curves.

In: a model, data and targets; or scores and predictions that exist already. Out: `ScoreSheet`, what a page shows of a
`Judged` (evaluate/judging.py). Large data is sampled, so that a report takes seconds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney.evaluate.cross_validation import cross_validate
from spinney.evaluate.judging import HIGHER_IS_BETTER, NotJudged, measure, measure_baseline, split_rows
from spinney.evaluate.judging import judge as cross_validated
from spinney.reporting.sample import Sample, some_rows

_WORK = {True: 50_000_000, False: 20_000_000}  # rows x trees that all folds may fit: boosting, others
_CURVES = {"classification": ("log loss", "accuracy"), "regression": ("RMSE", "R2")}  # learning curves are of these
_SIZES = (0.1, 0.25, 0.5, 0.75, 1.0)  # of a learning curve
_FEW_SIZES = (0.2, 0.5, 1.0)  # where there are many trees
_CURVE_TREES = 6000  # that it may grow: each costs time, however few its rows are
_MOST_WARNINGS = 3  # that are told
_CURVE_FITS = 5  # that it takes, counted in fits to all rows


@dataclass
class ScoreSheet:
    """What is known of a model on rows it has not seen."""

    how: str
    table: list[dict[str, Any]]  # score by score: name, mean, spread, baseline, whether higher is better
    truth: np.ndarray
    predicted: np.ndarray
    shares: np.ndarray | None  # (rows, classes)
    classes: np.ndarray | None
    weight: np.ndarray | None = None
    unseen: bool = True  # whether these rows are known to be new to the models that predicted them
    learning: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)  # scores of training, test rows
    sizes: np.ndarray = field(default_factory=lambda: np.zeros(0))  # of the learning curves
    learning_note: str = ""
    notes: list[str] = field(default_factory=list)


def judge(model: Any, sample: Sample, cv: int, seed: int, given: Any = None) -> ScoreSheet:
    """Cross-validate, score the model itself if it cannot be fitted again, or use the scores given: then nothing is
    fitted."""
    if given is not None:
        return _shown(given, sample)
    if cv == 0 or not _can_fit(model):
        return _as_it_is(model, sample, cv)
    most = max(2000, _WORK[hasattr(model, "n_trees_per_iteration_")] // (cv * n_trees(model)))
    part = some_rows(sample, most, seed)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = cross_validated(
            clone(model),
            part.X,
            part.y,
            part.task,
            cv,
            weights=part.weight,
            groups=part.groups,
            times=part.times,
            seed=seed,
        )
        if isinstance(found, NotJudged):
            raise ValueError(f"cv={cv} is not possible: {found.why}. Use cv=0 to score the model itself.")
        judged = _shown(found, sample)
        judged.how = judged.how.replace("cross-validation", f"cross-validation of {len(part.y):,} rows")
        if len(part.y) >= 2 * cv:
            _learn(judged, clone(model), part, cv, n_trees(model), seed)
    if len(part.y) < sample.n_all:
        judged.notes.append(f"{len(part.y):,} rows, sampled from {sample.n_all:,}, were cross-validated to save time.")
    told = list(dict.fromkeys((str(one.message).splitlines() or [""])[0] for one in warned))
    judged.notes += [f"Warning of a fit for this page: {one}" for one in told[:_MOST_WARNINGS]]
    return judged


def _shown(given: Any, sample: Sample) -> ScoreSheet:
    """Scores and predictions that exist already: a `Judged`, or the user's."""
    truth, predictions = np.asarray(given.truth), np.asarray(given.predictions)
    if len(truth) != len(predictions):
        raise ValueError(
            f"judged has {len(truth)} rows in truth and {len(predictions)} in predictions. "
            "Both must hold the same rows."
        )
    n_classes = len(sample.class_names)
    if predictions.ndim == 2 and predictions.shape[1] != n_classes:
        raise ValueError(
            f"judged.predictions must have {n_classes} columns, one per class, got {predictions.shape[1]}."
        )
    part = replace(sample, y=truth, weight=None if given.weights is None else np.asarray(given.weights, np.float64))
    judged = _judged(part, predictions, given.how)
    judged.table = [
        {
            "name": name,
            "mean": value,
            "spread": given.spread.get(name),
            "baseline": given.baseline.get(name),
            "higher": HIGHER_IS_BETTER[name],
        }
        for name, value in given.scores.items()
    ]
    return judged


def n_trees(model: Any) -> int:
    """How many trees a fit grows; 1 for what is no ensemble."""
    if hasattr(model, "n_trees_per_iteration_") or "forest_" in vars(model):
        return max(1, int(model.forest_.n_trees))
    members = getattr(model, "estimators_", [])
    if isinstance(members, np.ndarray):  # of scikit-learn's boosting
        return max(1, members.size)
    return max(1, sum(n_trees(one) for one in members if hasattr(one, "get_params")))


def _can_fit(model: Any) -> bool:
    return hasattr(model, "fit") and not type(model).__name__.startswith("Imported")


def _as_it_is(model: Any, sample: Sample, cv: int) -> ScoreSheet:
    judged = _judged(sample, getattr(model, _method(model, sample))(sample.X), f"the {len(sample.y):,} rows given")
    judged.unseen = False
    found = measure(model, sample.X, sample.y, sample.weight)
    base = measure_baseline(sample.y, sample.weight, sample.y, sample.weight, sample.task)
    judged.table = [
        {"name": name, "mean": value, "spread": None, "baseline": base.get(name), "higher": HIGHER_IS_BETTER[name]}
        for name, value in found.items()
    ]
    why = "cv=0" if cv == 0 else f"{type(model).__name__} cannot be fitted again"
    judged.notes.append(f"Scored on the rows given ({why}). If the model was fitted on them, scores are optimistic.")
    return judged


def _method(model: Any, sample: Sample) -> str:
    return "predict_proba" if sample.task == "classification" and hasattr(model, "predict_proba") else "predict"


def _judged(part: Sample, predictions: np.ndarray, how: str) -> ScoreSheet:
    if predictions.ndim == 1:
        return ScoreSheet(how, [], part.y, np.asarray(predictions), None, part.classes, part.weight)
    shares = np.asarray(predictions, np.float64)
    predicted = part.classes[shares.argmax(axis=1)]  # type: ignore[index]
    return ScoreSheet(how, [], part.y, predicted, shares, part.classes, part.weight)


def _learn(judged: ScoreSheet, fresh: Any, part: Sample, cv: int, n_trees_of: int, seed: int) -> None:
    """Learning curves, on fewer rows if the model is slow to fit, and of fewer points if it has many trees."""
    fits = _CURVE_TREES // n_trees_of
    if fits < len(_FEW_SIZES):
        judged.notes.append("There is no learning curve: the model has too many trees to be fitted in a few seconds.")
        return
    if part.groups is not None and len(np.unique(part.groups)) < min(3, cv):
        judged.notes.append("There is no learning curve: there are too few groups to hold any out.")
        return
    folds, shares = (3, _SIZES) if fits >= 3 * len(_SIZES) else (1, _FEW_SIZES)
    smaller = some_rows(part, max(1000, len(part.y) * cv // (3 * _CURVE_FITS)), seed) if len(part.y) > 5000 else part
    splits = split_rows(smaller.y, smaller.task, min(3, cv), smaller.groups, seed, times=smaller.times)[:folds]
    random = np.random.RandomState(seed)
    orders = [random.permutation(train) for train, _ in splits]
    sizes = [int(share * len(orders[0])) for share in shares if share * len(orders[0]) >= 10]
    parts = [(order[:size], test) for order, (_, test) in zip(orders, splits) for size in sizes]
    result = cross_validate(
        fresh, smaller.X, smaller.y, scoring=_learning_scores(smaller), cv=parts, sample_weight=smaller.weight,
        return_train_score=True, error_score="raise",
    )  # fmt: skip
    judged.sizes = np.array(sizes)
    for name in (name for name in _CURVES[part.task] if name in result.metrics):
        train, test = (result[f"{kind}_{name}"].reshape(len(splits), len(sizes)).T for kind in ("train", "test"))
        judged.learning[name] = train, test
    held = f"{len(splits[0][1]) / len(smaller.y):.0%} of them held out".replace("%", " %")
    if len(smaller.y) < part.n_all:
        judged.learning_note = (
            f"These curves use {len(smaller.y):,} of the {part.n_all:,} rows, {held}: they need {len(parts)} more "
            "fits, which would be slow on all rows."
        )
    else:
        judged.learning_note = f"These curves use all {part.n_all:,} rows, {held}."


def _learning_scores(part: Sample) -> Callable[..., dict[str, float]]:
    """The scores of a point of the curves; NaN for the log loss of a model that has not seen every class."""

    def score(fitted: Any, X: Any, truth: Any, sample_weight: Any = None) -> dict[str, float]:
        found = measure(fitted, X, truth, sample_weight)
        if part.classes is not None and len(fitted.classes_) < len(part.classes) and "log loss" in found:
            found["log loss"] = np.nan
        return {name: found.get(name, np.nan) for name in _CURVES[part.task] if name in found or name == "R2"}

    return score

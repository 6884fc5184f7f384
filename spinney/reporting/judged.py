"""How good a model is: predictions for rows that it has not seen, scores beside a baseline, and curves.

In: a model, a table and its target. Out: `Judged`, all of it from cross-validation of copies of the model with the same
parameters. Of a large table some rows are judged by, so that a report takes seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from spinney.evaluate.cross_validation import cross_validate
from spinney.evaluate.curves import learning_curve
from spinney.evaluate.measures import HIGHER_IS_BETTER, measure, measure_baseline
from spinney.reporting.sample import Sample, some_rows

_WORK = {True: 50_000_000, False: 20_000_000}  # rows x trees that all folds may fit: boosting, others
_SIZES = (0.1, 0.25, 0.5, 0.75, 1.0)  # of a learning curve
_FEW_SIZES = (0.2, 0.5, 1.0)  # where there are many trees
_CURVE_TREES = 6000  # that it may grow: each costs time, however few its rows are
_CURVE_FITS = 5  # that it takes, counted in fits to all rows


@dataclass
class Judged:
    """What is known of a model on rows it has not seen."""

    how: str
    table: list[dict[str, Any]]  # score by score: name, mean, spread, baseline, whether higher is better
    truth: np.ndarray
    predicted: np.ndarray
    shares: np.ndarray | None  # (rows, classes)
    classes: np.ndarray | None
    learning: Any = None  # (sizes, training scores, test scores)
    learning_score: str = ""
    notes: list[str] = field(default_factory=list)


def judge(model: Any, sample: Sample, cv: int, seed: int) -> Judged:
    """Cross-validate, or ask the model as it is where it cannot be fitted again."""
    if cv == 0 or not _can_fit(model):
        return _as_it_is(model, sample, cv)
    most = max(2000, _WORK[hasattr(model, "_booster")] // (cv * n_trees(model)))
    part = some_rows(sample, most, seed)
    splits = _splits(part, cv, seed)
    fresh = clone(model)
    done = 0

    def score(fitted: Any, held_out: Any, truth: Any, sample_weight: Any = None) -> dict[str, float]:
        nonlocal done
        train = splits[done][0]
        known = None if part.weight is None else part.weight[train]
        base = measure_baseline(truth, sample_weight, part.y[train], known, part.task)
        done += 1
        found = measure(fitted, held_out, truth, sample_weight)
        if part.classes is not None and len(part.classes) > 2:  # of three classes a fold may have two
            found.pop("AUC", None)
        return found | {f"baseline {name}": value for name, value in base.items()}

    method = "predict_proba" if sample.task == "classification" and hasattr(model, "predict_proba") else "predict"
    result = cross_validate(
        fresh,
        part.X,
        part.y,
        scoring=score,
        cv=splits,
        sample_weight=part.weight,
        return_predictions=method,
        error_score="raise",
    )
    together = "" if part.groups is None else ", groups kept together"
    how = f"{cv}-fold cross-validation of {len(part.y):,} rows{together}"
    judged = _judged(part, result.predictions, method, how)
    judged.table = [_row(name, result) for name in result.metrics if not name.startswith("baseline ")]
    if len(part.y) < sample.n_all:
        judged.notes.append(f"{len(part.y):,} rows, drawn from {sample.n_all:,}, were cross-validated to save time.")
    _learn(judged, fresh, part, cv, n_trees(model), seed)
    return judged


def n_trees(model: Any) -> int:
    """How many trees a fit grows; 1 for what is no ensemble."""
    booster = getattr(model, "_booster", None)
    if booster is not None:
        return max(1, int(booster.forest.n_trees))
    forest = vars(model).get("forest_")
    if forest is not None:
        return max(1, int(forest.n_trees))
    members = getattr(model, "estimators_", [])
    if isinstance(members, np.ndarray):  # of scikit-learn's boosting
        return max(1, members.size)
    return max(1, sum(n_trees(one) for one in members if hasattr(one, "get_params")))


def _can_fit(model: Any) -> bool:
    return hasattr(model, "fit") and not type(model).__name__.startswith("Imported")


def _as_it_is(model: Any, sample: Sample, cv: int) -> Judged:
    method = "predict_proba" if sample.task == "classification" and hasattr(model, "predict_proba") else "predict"
    judged = _judged(sample, getattr(model, method)(sample.X), method, f"the {len(sample.y):,} rows given")
    found = measure(model, sample.X, sample.y, sample.weight)
    base = measure_baseline(sample.y, sample.weight, sample.y, sample.weight, sample.task)
    judged.table = [
        {"name": name, "mean": value, "spread": None, "baseline": base.get(name), "higher": HIGHER_IS_BETTER[name]}
        for name, value in found.items()
    ]
    why = "cv=0" if cv == 0 else f"{type(model).__name__} cannot be fitted again"
    judged.notes.append(f"Judged on the rows given ({why}): if the model was fitted to them, it looks too good.")
    return judged


def _judged(part: Sample, predictions: np.ndarray, method: str, how: str) -> Judged:
    if method == "predict":
        return Judged(how, [], part.y, np.asarray(predictions), None, part.classes)
    shares = np.asarray(predictions, np.float64)
    return Judged(how, [], part.y, part.classes[shares.argmax(axis=1)], shares, part.classes)  # type: ignore[index]


def _row(name: str, result: Any) -> dict[str, Any]:
    values = result[f"test_{name}"]
    base = result.get(f"test_baseline {name}")
    return {
        "name": name,
        "mean": float(np.nanmean(values)),
        "spread": float(np.nanstd(values)),
        "baseline": None if base is None else float(np.nanmean(base)),
        "higher": HIGHER_IS_BETTER[name],
    }


def _splits(part: Sample, cv: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

    if len(part.y) < 2 * cv:
        raise ValueError(
            f"cv={cv} needs at least {2 * cv} rows, got {len(part.y)}. With cv=0 the model is judged as it is."
        )
    if part.groups is not None:
        n_groups = len(np.unique(part.groups))
        if n_groups < cv:
            raise ValueError(f"cv={cv} needs at least {cv} groups, got {n_groups}.")
        return list(GroupKFold(cv, shuffle=True, random_state=seed).split(part.y, part.y, part.groups))
    rare = int(np.unique(part.y, return_counts=True)[1].min()) if part.task == "classification" else 0
    kind = StratifiedKFold if rare >= cv else KFold
    return list(kind(cv, shuffle=True, random_state=seed).split(part.y, part.y))


def _learn(judged: Judged, fresh: Any, part: Sample, cv: int, n_trees_of: int, seed: int) -> None:
    """A learning curve, on fewer rows if the model is slow to fit, and of fewer points if it has many trees."""
    fits = _CURVE_TREES // n_trees_of
    if fits < len(_FEW_SIZES):
        judged.notes.append("There is no learning curve: the model has too many trees for a report of seconds.")
        return
    folds, shares = (3, _SIZES) if fits >= 3 * len(_SIZES) else (1, _FEW_SIZES)
    smaller = some_rows(part, max(1000, len(part.y) * cv // (3 * _CURVE_FITS)), seed) if len(part.y) > 5000 else part
    scoring = "accuracy" if part.task == "classification" else "neg_root_mean_squared_error"
    splits = _splits(smaller, min(3, cv), seed)[:folds]
    sizes = [share for share in shares if share * len(splits[0][0]) >= 10]
    curve = learning_curve(
        fresh, smaller.X, smaller.y, train_sizes=sizes, cv=splits, scoring=scoring, sample_weight=smaller.weight,
        shuffle=True, random_state=seed,
    )  # fmt: skip
    sign = 1.0 if part.task == "classification" else -1.0
    judged.learning = curve.train_sizes, sign * curve.train_scores, sign * curve.test_scores
    judged.learning_score = "accuracy" if part.task == "classification" else "RMSE"

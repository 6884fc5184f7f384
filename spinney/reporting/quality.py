"""The quality section of the report: scores of held-out rows, charts of them, and what the threshold's slider needs.

In: a model and a `Sample`. Out: `ScoreSheet`; figures, and tables of counts for every hundredth of a threshold.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from sklearn.base import clone
from sklearn.metrics import precision_recall_curve, roc_curve

from spinney.evaluate.cross_validation import cross_validate
from spinney.evaluate.judging import HIGHER_IS_BETTER, NotJudged, measure, measure_baseline, split_rows
from spinney.evaluate.judging import judge as cross_validated
from spinney.reporting.charts import Line, columns_chart, line_chart, scatter
from spinney.reporting.sample import Sample, some_rows, text_of

# ----------------------------------------------------------------------------------------------------------------------
# Evaluation for the report: predictions for held-out rows, scores compared with a baseline, and learning curves.
#
# In: a model, data and targets; or scores and predictions that exist already. Out: `ScoreSheet`, what a page shows of a
# `Judged` (evaluate/judging.py). Large data is sampled, so that a report takes seconds.


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
    judged.table = _rows(given.scores, given.spread, given.baseline)
    return judged


def _rows(scores: dict[str, float], spread: dict[str, float], baseline: dict[str, float]) -> list[dict[str, Any]]:
    """The rows of the table of scores."""
    return [
        {"name": name, "mean": value, "higher": HIGHER_IS_BETTER[name]}
        | {"spread": spread.get(name), "baseline": baseline.get(name)}
        for name, value in scores.items()
    ]


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
    judged.table = _rows(found, {}, base)
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


# ----------------------------------------------------------------------------------------------------------------------


_MOST_CLASSES, _MOST_POINTS, _PARTS = 8, 700, 10
_STEPS = np.arange(101) / 100.0


def learning_charts(judged: ScoreSheet) -> list[Markup]:
    """Scores by number of training rows."""
    charts = []
    for name, both in judged.learning.items():
        known = np.isfinite(both[0]).all(axis=1) & np.isfinite(both[1]).all(axis=1)
        if known.sum() < 2:
            continue
        lines = [
            Line(title, judged.sizes[known], scores[known].mean(axis=1), style, *_band(scores[known]))
            for title, scores, style in zip(("training rows", "held-out rows"), both, ("s1", "s0"))
        ]
        way = "Higher" if HIGHER_IS_BETTER[name] else "Lower"
        note = (
            f"{way} is better. As long as the score on held-out rows still improves, more rows help. "
            f"{judged.learning_note}"
        )
        charts.append(line_chart(f"Learning curve: {name}", lines, "training rows", name, dots=True, note=note))
    return charts


def _band(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return scores.mean(axis=1) - scores.std(axis=1), scores.mean(axis=1) + scores.std(axis=1)


def quality_charts(judged: ScoreSheet) -> list[Markup]:
    """ROC, precision and recall, calibration; or predictions and residuals."""
    if judged.classes is None:
        return _number_charts(judged)
    if judged.shares is None:
        return []
    names = [text_of(one) for one in judged.classes.tolist()]
    chosen = [1] if len(names) == 2 else range(min(len(names), _MOST_CLASSES))
    roc, recall = [], []
    for place, k in enumerate(chosen):
        rates = class_rates(judged, k)
        if rates is None:
            continue
        name = "" if len(names) == 2 else names[k]
        roc.append(Line(name, rates.false, rates.true, f"s{place % 8}"))
        recall.append(Line(name, rates.recall, rates.precision, f"s{place % 8}"))
    charts = []
    unit = (0.0, 1.0)
    some = f" The first {_MOST_CLASSES} of {len(names)} classes are drawn." if len(names) > _MOST_CLASSES else ""
    if roc:
        which = f" of {names[1]}" if len(names) == 2 else ""
        charts.append(
            line_chart(
                f"ROC curve{which}", roc, "false positive rate", "true positive rate", x_range=unit, y_range=unit,
                diagonal=True, marker="roc-point",
                note="The upper left corner is best. The diagonal is random guessing." + some,
            )
        )  # fmt: skip
        charts.append(
            line_chart(
                f"Precision and recall{which}", recall, "recall", "precision", x_range=unit, y_range=unit,
                marker="recall-point",
                note="Precision: fraction of the rows predicted as the class that belong to it. Recall: fraction of "
                "the rows of the class that are found." + some,
            )
        )  # fmt: skip
    return [*charts, _calibration_chart(judged, names)]


class Rates(NamedTuple):
    """A ROC curve, and one of precision and recall."""

    false: np.ndarray
    true: np.ndarray
    recall: np.ndarray
    precision: np.ndarray


def class_rates(judged: ScoreSheet, k: int) -> Rates | None:
    """The curves of a class against all others; None where the rows held out have it always or never."""
    is_it, scores = judged.truth == judged.classes[k], judged.shares[:, k]  # type: ignore[index]
    weight = np.ones(len(is_it)) if judged.weight is None else judged.weight
    if not weight[is_it].sum() > 0 or not weight[~is_it].sum() > 0:
        return None
    false, true, _ = roc_curve(is_it, scores, sample_weight=judged.weight)
    precision, recall, _ = precision_recall_curve(is_it, scores, sample_weight=judged.weight)
    return Rates(false, true, recall[::-1], precision[::-1])


class Calibration(NamedTuple):
    """Parts of the rows, by prediction: the mean prediction, the mean of the truth, and their fraction of all rows."""

    predicted: np.ndarray
    true: np.ndarray
    share: np.ndarray


def calibration(predicted: np.ndarray, true: np.ndarray, parts: np.ndarray, weight: np.ndarray | None) -> Calibration:
    """Means over the rows of each part; parts without weight are left out."""
    heavy = np.bincount(parts, weight, _PARTS).astype(float)
    own = np.ones(len(parts)) if weight is None else weight
    kept = heavy > 0
    said, came = (np.bincount(parts, own * values, _PARTS)[kept] / heavy[kept] for values in (predicted, true))
    return Calibration(said, came, heavy[kept] / heavy.sum())


def class_calibration(judged: ScoreSheet) -> Calibration:
    """In tenths of the probability: of the second of two classes, or of the class predicted."""
    shares: Any = judged.shares
    if shares.shape[1] == 2:
        chance, came = shares[:, 1], judged.truth == judged.classes[1]  # type: ignore[index]
    else:
        chance, came = shares.max(axis=1), judged.truth == judged.predicted
    edges = np.linspace(0.0, 1.0, _PARTS + 1)  # as scikit-learn's calibration_curve has them
    return calibration(chance, came.astype(float), np.searchsorted(edges[1:-1], chance), judged.weight)


def _calibration_chart(judged: ScoreSheet, names: list[str]) -> Markup:
    x, y, share = class_calibration(judged)
    title = f"Calibration of {names[1]}" if len(names) == 2 else "Calibration of the predicted class"
    note = "A calibrated model follows the diagonal. Each point is a tenth of the scale; its size shows its rows."
    return line_chart(
        title, [Line("", x, y)], "predicted probability", "observed fraction", x_range=(0.0, 1.0),
        y_range=(0.0, 1.0), diagonal=True, dots=True, sizes=share, note=note,
    )  # fmt: skip


def number_calibration(judged: ScoreSheet) -> Calibration:
    """In tenths of the rows, by what is predicted."""
    predicted = np.asarray(judged.predicted, float)
    order = np.argsort(predicted, kind="stable")
    weight = np.ones(len(order)) if judged.weight is None else judged.weight
    middle = np.cumsum(weight[order]) - weight[order] / 2
    parts = np.empty(len(order), np.int64)
    parts[order] = np.minimum(_PARTS * middle / weight.sum(), _PARTS - 1).astype(np.int64)
    return calibration(predicted, judged.truth, parts, judged.weight)


def _number_charts(judged: ScoreSheet) -> list[Markup]:
    truth, predicted = judged.truth, np.asarray(judged.predicted, float)
    keep = np.random.RandomState(0).permutation(len(truth))[:_MOST_POINTS]
    residuals = truth - predicted
    inner = np.quantile(residuals, [0.002, 0.998])
    counts, edges = np.histogram(np.clip(residuals, *inner), bins=30, weights=judged.weight)
    x, y, _ = number_calibration(judged)
    bounds = (float(min(x.min(), y.min())), float(max(x.max(), y.max())))
    rows = "rows" if judged.weight is None else "weight of the rows"
    return [
        scatter("Predicted and true values", predicted[keep], truth[keep], "predicted", "true", diagonal=True),
        scatter("Residuals", predicted[keep], residuals[keep], "predicted", "true - predicted"),
        columns_chart("Distribution of residuals", counts, edges, "true - predicted", rows),
        line_chart(
            "Calibration", [Line("", x, y)], "mean predicted", "mean true", x_range=bounds, y_range=bounds,
            diagonal=True, dots=True, note="Each point is a tenth of the rows, ordered by prediction.",
        ),
    ]  # fmt: skip


def threshold_counts(judged: ScoreSheet) -> dict[str, Any] | None:
    """For each hundredth: the confusion matrix of those called positive from there on; or, of several classes, of the
    rows whose most probable class is at least so probable."""
    if judged.classes is None or judged.shares is None or len(judged.classes) > _MOST_CLASSES * 2:
        return None
    names = [text_of(one) for one in judged.classes.tolist()]
    binary = len(names) == 2
    return {
        "kind": "threshold" if binary else "confidence",
        "names": names,
        "tables": [confusion(judged, at).ravel().tolist() for at in range(len(_STEPS))],
        "start": 50 if binary else 0,
        "of": names[1] if binary else "",
        "weighted": judged.weight is not None,
    }


def confusion(judged: ScoreSheet, at: int) -> np.ndarray:
    """The confusion matrix at a hundredth of the threshold, or of rows at least this certain; weights are summed.

    scikit-learn's takes too long for a hundred of them; a test holds the two equal.
    """
    shares: Any = judged.shares
    k = shares.shape[1]
    if k == 2:
        kept, called = np.ones(len(shares), bool), (shares[:, 1] >= _STEPS[at]).astype(np.int64)
    else:
        kept, called = shares.max(axis=1) >= _STEPS[at], shares.argmax(axis=1)
    cells = k * np.searchsorted(judged.classes, judged.truth) + called  # type: ignore[arg-type]
    weight = None if judged.weight is None else judged.weight[kept]
    return np.bincount(cells[kept], weight, k * k).reshape(k, k)

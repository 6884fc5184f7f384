"""Charts of how good a model is, and what the threshold's slider needs.

In: `ScoreSheet`. Out: figures, and tables of counts for every hundredth of a threshold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from sklearn.metrics import precision_recall_curve, roc_curve

from spinney.evaluate.judging import HIGHER_IS_BETTER
from spinney.reporting.charts import Line, columns_chart, line_chart, scatter
from spinney.reporting.judged import ScoreSheet
from spinney.reporting.sample import text_of

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

"""Charts of how good a model is, and what the threshold's slider needs.

In: `Judged`. Out: figures, and tables of counts for every hundredth of a threshold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from spinney.reporting.charts import Line, columns_chart, line_chart, scatter
from spinney.reporting.judged import Judged

_MOST_CLASSES, _MOST_POINTS, _PARTS = 8, 700, 10
_STEPS = np.arange(101) / 100.0


def learning_chart(judged: Judged) -> list[Markup]:
    """Scores by the number of rows learnt from."""
    if judged.learning is None:
        return []
    sizes, train, test = judged.learning
    lines = [
        Line(name, sizes, scores.mean(axis=1), style, *_band(scores))
        for name, scores, style in (("rows learnt from", train, "s1"), ("rows held out", test, "s0"))
    ]
    note = "Do the two meet? More rows will help little. Is there a gap? More rows, or a simpler model, may help."
    return [line_chart("Learning curve", lines, "rows learnt from", judged.learning_score, note=note)]


def _band(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return scores.mean(axis=1) - scores.std(axis=1), scores.mean(axis=1) + scores.std(axis=1)


def quality_charts(judged: Judged) -> list[Markup]:
    """ROC, precision and recall, calibration; or predictions and residuals."""
    if judged.classes is None:
        return _number_charts(judged)
    if judged.shares is None:
        return []
    numbers = np.searchsorted(judged.classes, judged.truth)
    chosen = [1] if len(judged.classes) == 2 else range(min(len(judged.classes), _MOST_CLASSES))
    roc, recall = [], []
    for place, k in enumerate(chosen):
        is_it = numbers == k
        if not 0 < is_it.sum() < len(is_it):
            continue
        name = "" if len(judged.classes) == 2 else str(judged.classes[k])
        false, true, precision = _rates(judged.shares[:, k], is_it)
        roc.append(Line(name, false, true, f"s{place % 8}"))
        recall.append(Line(name, true[1:], precision[1:], f"s{place % 8}"))
    charts = []
    unit = (0.0, 1.0)
    more = len(judged.classes) - _MOST_CLASSES
    some = f" The first {_MOST_CLASSES} of {len(judged.classes)} classes are drawn." if more > 0 else ""
    if roc:
        which = f" of {judged.classes[1]}" if len(judged.classes) == 2 else ""
        charts.append(
            line_chart(
                f"ROC curve{which}", roc, "false positive rate", "true positive rate", x_range=unit, y_range=unit,
                diagonal=True, marker="roc-point",
                note="Up and to the left is good; the diagonal is guessing." + some,
            )
        )  # fmt: skip
        charts.append(
            line_chart(
                f"Precision and recall{which}", recall, "recall", "precision", x_range=unit, y_range=unit,
                marker="recall-point",
                note="Of those called so: how many are. Of those who are: how many are called so." + some,
            )
        )  # fmt: skip
    return [*charts, _calibration(judged, numbers)]


def _rates(scores: np.ndarray, is_it: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(false positive rate, true positive rate, precision) as the threshold falls; the first is above all scores."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    true = np.concatenate([[0], np.cumsum(is_it[order])[last]])
    false = np.concatenate([[0], np.cumsum(~is_it[order])[last]])
    return false / false[-1], true / true[-1], true / np.maximum(true + false, 1)


def _calibration(judged: Judged, numbers: np.ndarray) -> Markup:
    shares: Any = judged.shares
    binary = shares.shape[1] == 2
    said = shares[:, 1] if binary else shares.max(axis=1)
    came = (numbers == 1) if binary else (shares.argmax(axis=1) == numbers)
    parts = [part for part in np.array_split(np.argsort(said, kind="stable"), min(_PARTS, len(said))) if len(part)]
    x, y = (np.array([values[part].mean() for part in parts]) for values in (said, came))
    title = "Calibration" if binary else "Calibration of the class predicted"
    return line_chart(
        title, [Line("", x, y)], "probability said", "share that came true", x_range=(0.0, 1.0), y_range=(0.0, 1.0),
        diagonal=True, dots=True, note="On the diagonal, 70 % means 70 %. A point is a tenth of the rows.",
    )  # fmt: skip


def _number_charts(judged: Judged) -> list[Markup]:
    truth, predicted = judged.truth, np.asarray(judged.predicted, float)
    keep = np.random.RandomState(0).permutation(len(truth))[:_MOST_POINTS]
    residuals = truth - predicted
    inner = np.quantile(residuals, [0.002, 0.998])
    counts, edges = np.histogram(np.clip(residuals, *inner), bins=30)
    parts = [
        part for part in np.array_split(np.argsort(predicted, kind="stable"), min(_PARTS, len(truth))) if len(part)
    ]
    x, y = (np.array([values[part].mean() for part in parts]) for values in (predicted, truth))
    bounds = (float(min(x.min(), y.min())), float(max(x.max(), y.max())))
    return [
        scatter("Predicted and true", predicted[keep], truth[keep], "predicted", "true", diagonal=True),
        scatter("Residuals", predicted[keep], residuals[keep], "predicted", "true - predicted"),
        columns_chart("How far off", counts, edges, "true - predicted"),
        line_chart(
            "Calibration", [Line("", x, y)], "mean predicted", "mean true", x_range=bounds, y_range=bounds,
            diagonal=True, dots=True, note="A point is a tenth of the rows, by what was predicted.",
        ),
    ]  # fmt: skip


def threshold_counts(judged: Judged) -> dict[str, Any] | None:
    """For each hundredth: the confusion matrix of those called positive from there on; or, of several classes, of the
    rows whose most probable class is at least so probable."""
    if judged.classes is None or judged.shares is None or len(judged.classes) > _MOST_CLASSES * 2:
        return None
    numbers, k = np.searchsorted(judged.classes, judged.truth), len(judged.classes)
    names = [str(name) for name in judged.classes]
    tables = []
    if k == 2:
        for step in _STEPS:
            called = (judged.shares[:, 1] >= step).astype(int)
            tables.append(np.bincount(2 * numbers + called, minlength=4).tolist())
        return {"kind": "threshold", "names": names, "tables": tables, "start": 50, "of": names[1]}
    winner, sure = judged.shares.argmax(axis=1), judged.shares.max(axis=1)
    for step in _STEPS:
        kept = sure >= step
        tables.append(np.bincount(k * numbers[kept] + winner[kept], minlength=k * k).tolist())
    return {"kind": "confidence", "names": names, "tables": tables, "start": 0, "of": ""}

"""The classification report: precision, recall, specificity and F1 of every class. scikit-learn does the counting."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import metrics

from spinney.evaluate.confusion import average_specificity

_COLUMNS = ("precision", "recall", "specificity", "f1-score", "support")


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> Any:
    """Report precision, recall, specificity, F1 and support of every class, and the accuracy.

    Recall is also called sensitivity. Specificity is the fraction of the rows of other classes that are not predicted
    as the class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or indicators (n_samples, n_classes)
        True classes.
    y_pred : array-like of shape (n_samples,), or indicators (n_samples, n_classes)
        Predicted classes.
    labels : array-like, default=None
        Classes to show, in this order. None: all classes, sorted.
    target_names : list of str, default=None
        Names of the classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    digits : int, default=2
        Number of decimals of the text.
    output_dict : bool, default=False
        Return a dict of dicts instead of text.
    zero_division : "warn", 0, 1 or NaN, default="warn"
        Value where the denominator is 0; "warn" is 0 with a warning.

    Returns
    -------
    str, or dict: class or average -> measure -> value
        The report of scikit-learn, with one column more.

    Examples
    --------
    >>> from spinney.evaluate import classification_report
    >>> print(classification_report([0, 0, 0, 1], [0, 0, 1, 1]))
                  precision    recall specificity  f1-score   support
    <BLANKLINE>
               0       1.00      0.67        1.00      0.80         3
               1       0.50      1.00        0.67      0.67         1
    <BLANKLINE>
        accuracy                                       0.75         4
       macro avg       0.75      0.83        0.83      0.73         4
    weighted avg       0.88      0.75        0.92      0.77         4
    <BLANKLINE>
    """
    report: dict[str, Any] = metrics.classification_report(
        y_true,
        y_pred,
        labels=labels,
        target_names=target_names,
        sample_weight=sample_weight,
        output_dict=True,
        zero_division=zero_division,
    )
    tables = metrics.multilabel_confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    by_row = None
    if "samples avg" in report:
        by_row = metrics.multilabel_confusion_matrix(
            y_true, y_pred, labels=labels, sample_weight=sample_weight, samplewise=True
        )
    rows = _with_specificity(report, tables, by_row, 0.0 if zero_division == "warn" else float(zero_division))
    return rows if output_dict else _as_text(rows, len(tables), digits)


def _with_specificity(
    report: dict[str, Any], tables: np.ndarray, by_row: np.ndarray | None, zero_division: float
) -> dict[str, Any]:
    """The report with the column put in."""
    each = average_specificity(tables, None, zero_division)
    found = dict(zip(report, each))
    for name in list(report)[len(each) :]:
        if name == "samples avg" and by_row is not None:
            found[name] = average_specificity(by_row, "macro", zero_division)
        elif name != "accuracy":
            found[name] = average_specificity(tables, name.split()[0], zero_division)
    return {
        name: {key: float(found[name]) if key == "specificity" else row[key] for key in _COLUMNS}
        if name in found
        else row
        for name, row in report.items()
    }


def _as_text(rows: dict[str, Any], n_classes: int, digits: int) -> str:
    names = list(rows)
    width = max(len("weighted avg"), digits, *map(len, names))
    widths = [max(9, len(column)) for column in _COLUMNS]
    lines = [" ".join([f"{'':>{width}} ", *(f"{column:>{w}}" for column, w in zip(_COLUMNS, widths))]), ""]
    for number, name in enumerate(names):
        if number == n_classes:
            lines.append("")
        row = rows[name]
        if name == "accuracy" and not isinstance(row, dict):
            total = rows["macro avg"]["support"]
            values: list[Any] = ["", "", "", row, total]
        else:
            values = [row[column] for column in _COLUMNS]
        cells = [value if value == "" else f"{value:.{digits}f}" for value in values[:-1]]
        cells.append(f"{values[-1]:.10g}")
        lines.append(" ".join([f"{name:>{width}} ", *(f"{cell:>{w}}" for cell, w in zip(cells, widths))]))
    return "\n".join([*lines, ""])

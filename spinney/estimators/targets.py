"""What y may hold: labels of classes, or finite numbers; errors say what is wrong with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets


def check_labels(y: np.ndarray, n_rows: int) -> None:
    """Raise unless y, of one or two dimensions, holds one label a row (or one a row and output)."""
    _check_length(y, n_rows)
    if y.dtype == object and any(map(_is_missing, y.ravel())):
        raise ValueError("Input y contains missing labels (None or NaN): drop those rows or fill them in.")
    if y.dtype.kind == "f":
        _check_finite(y)
    for column in [y] if y.ndim == 1 else y.T:
        if not _are_few_whole_numbers(column):  # those are classes for sure
            check_classification_targets(column)


def check_numbers(y: np.ndarray, n_rows: int) -> None:
    """Raise unless y holds finite numbers, one a row (or one a row and output)."""
    _check_length(y, n_rows)
    _check_finite(y)


def _check_finite(y: np.ndarray) -> None:
    if not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity: drop those rows or fill them in.")


def _check_length(y: np.ndarray, n_rows: int) -> None:
    if len(y) != n_rows:
        raise ValueError(f"X and y must have the same number of rows: X has {n_rows}, y has {len(y)}.")


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True


def _are_few_whole_numbers(y: np.ndarray) -> bool:
    """Whether y holds integers from a range much shorter than y itself."""
    return y.dtype.kind in "iu" and len(y) > 0 and int(y.max()) - int(y.min()) < len(y) // 4


def find_classes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels in order, and each row's place among them; `np.unique`, without sorting where it can be avoided."""
    if not _are_few_whole_numbers(y):
        return np.unique(y, return_inverse=True)
    least = y.min()
    from_least = y.astype(np.int64, copy=False)
    if least != 0:
        from_least = from_least - least.astype(np.int64)
    present = np.bincount(from_least) > 0
    place = np.cumsum(present) - 1.0
    return np.flatnonzero(present).astype(y.dtype) + least, place[from_least]

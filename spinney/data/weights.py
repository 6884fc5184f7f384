"""Sample weights: as repetitions or as importances.

Integer weights up to 127 are repetitions: a row of weight 3 counts as three rows, in gradients, in `min_samples_leaf`
and in the bins, bit for bit. Other weights are importances: they scale the row's gradient (in boosting relative to
their mean, see criteria/fixed_point.py), and the row counts once. Rows of weight 0 are left out in both cases.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight

from spinney.data.on_gpu import here

MOST_REPEATS = 127
_LEAST = 1e-300  # near the end of float64 digits get lost
_SQRT_HALF = 0.7071067811865476


class Weights(NamedTuple):
    """Either may be absent: None stands for ones everywhere."""

    counts: np.ndarray | None  # int64, 0 for rows that are left out
    importance: np.ndarray | None  # float64

    def take(self, rows: np.ndarray) -> Weights:
        """The weights of some of the rows."""
        return Weights(*(None if part is None else part[rows] for part in self))

    def only(self, rows: np.ndarray, n_rows: int) -> Weights:
        """The weights of a table of n_rows, with 0 for all but some of the rows."""
        counts = np.zeros(n_rows, np.int64)
        counts[rows] = 1 if self.counts is None else self.counts[rows]
        return Weights(counts, None if self.importance is None else np.where(counts > 0, self.importance, 0.0))

    def n_samples(self, n_rows: int) -> int:
        """How many samples n_rows rows are: each counts as often as it is repeated."""
        return n_rows if self.counts is None else int(self.counts.sum())

    def rows(self) -> np.ndarray | None:
        """The rows of positive weight, ascending; None if all are."""
        total = self.total()
        return None if total is None or total.all() else np.flatnonzero(total)

    def total(self) -> np.ndarray | None:
        """One float a row, or None for ones."""
        if self.importance is not None:
            return self.importance if self.counts is None else np.where(self.counts > 0, self.importance, 0.0)
        return None if self.counts is None else self.counts.astype(np.float64)

    def relative(self) -> np.ndarray | None:
        """`total`, importances over the power of two next to their mean: the same bits for all of them times 2**k.

        For models in which only the proportions of importances matter: sums of them keep clear of the ends of float64.
        """
        if self.importance is None:
            return self.total()
        digits, exponent = math.frexp(float(self.importance.mean()))
        return np.ldexp(self.importance, -(exponent if digits > _SQRT_HALF else exponent - 1))


def read_weights(sample_weight: Any, n_rows: int, may_repeat: bool = True) -> Weights:
    """Sort checked, non-negative weights into repetitions, if these may be, or importances."""
    if sample_weight is None:
        return Weights(None, None)
    weight = np.asarray(here(sample_weight), np.float64)
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight must have one value per row: got {len(weight)} for {n_rows} rows.")
    if not np.isfinite(weight).all():
        raise ValueError("sample_weight must be finite, got NaN or infinity.")
    if (weight < 0).any():
        raise ValueError("sample_weight must not be negative.")
    if not weight.any():
        raise ValueError("sample_weight must hold at least one positive value: all are zero.")
    if weight.max() > np.finfo(np.float64).max / n_rows:
        raise ValueError("sample_weight must have a finite sum: scale the weights down.")
    if weight.max() < _LEAST:
        raise ValueError(f"sample_weight must hold a value of at least {_LEAST}: scale the weights up.")
    if (weight == 1).all():
        return Weights(None, None)
    if may_repeat and are_repeats(weight):
        return Weights(weight.astype(np.int64), None)
    return Weights(None if weight.all() else (weight > 0).astype(np.int64), weight)


def check_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """One number per row, checked, or None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        raise TypeError(f"sample_weight must be one number per row, got {sample_weight!r}. Pass the column itself.")
    return _check_sample_weight(here(sample_weight), np.empty((n_rows, 0)), dtype=np.float64)


def read_sample_weight(
    sample_weight: Any, n_rows: int, class_weight: Any = None, y: Any = None, classes_repeat: bool = True
) -> Weights:
    """The rows' weights; those of their classes in y, if there are any, are factors.

    Whole ones stand for so many rows; with `classes_repeat=False` not if they are weights of classes.
    """
    weight = check_weights(sample_weight, n_rows)
    if class_weight is not None:
        by_class = compute_sample_weight(class_weight, np.asarray(y))
        if (by_class < 0).any():
            raise ValueError(f"class_weight must not be negative, got {class_weight!r:.200}.")
        weight = by_class if weight is None else by_class * weight
    return read_weights(weight, n_rows, class_weight is None or classes_repeat)


def are_repeats(weights: np.ndarray) -> bool:
    """Whether weights are small whole numbers, that is, stand for so many rows."""
    return bool(weights.max() <= MOST_REPEATS and (weights == np.floor(weights)).all())


def share_of_rows(value: Any, n_rows: int) -> int:
    """A number of rows, which is given as such or as a share of all."""
    return int(value) if isinstance(value, Integral) else int(np.ceil(value * n_rows))

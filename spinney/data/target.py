"""The target and the sample weights.

In: what an estimator has read from `y` and `sample_weight`. Out: `Target`, for every engine and ensemble. It has either
`labels` or `y`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.data.weights import Weights


class Target(NamedTuple):
    """What is to be predicted, for the rows that count."""

    labels: np.ndarray | None  # int32 (outputs, rows), for classes
    n_classes: tuple[int, ...] | None  # of each output; None for numbers
    y: np.ndarray | None  # float64 (outputs, rows), for numbers
    weights: Weights

    @property
    def n_outputs(self) -> int:
        both = self.labels if self.y is None else self.y
        return 0 if both is None else len(both)

    @property
    def numbers(self) -> np.ndarray:
        """float64 (rows,): the first output, classes by their numbers."""
        both = self.labels if self.y is None else self.y
        assert both is not None
        return np.asarray(both[0], np.float64)

    def take(self, rows: np.ndarray | None, weights: Weights | None = None) -> Target:
        """That of some rows (None: all), with their weights or others."""
        if rows is None:
            return self if weights is None else self._replace(weights=weights)
        labels, y = (None if one is None else np.ascontiguousarray(one[:, rows]) for one in (self.labels, self.y))
        return Target(labels, self.n_classes, y, self.weights.take(rows) if weights is None else weights)


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN or NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither equal nor unequal
        return True

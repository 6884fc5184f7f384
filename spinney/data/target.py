"""The target: what is to be predicted, and what each row of it weighs.

In: what an estimator has read from `y` and `sample_weight`. Out: `Target`, for every engine and ensemble.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney.data.weights import Weights


class Target(NamedTuple):
    """What is to be predicted, for the rows that count."""

    labels: np.ndarray | None  # int32 (outputs, rows), for classes
    n_classes: tuple[int, ...] | None
    y: np.ndarray | None  # float64 (outputs, rows), for numbers
    weights: Weights

    @property
    def n_outputs(self) -> int:
        both = self.labels if self.y is None else self.y
        return 0 if both is None else len(both)

"""What boosting learns: a target, and the loss that says how far scores are from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.data.target import Target
from spinney.data.weights import Weights


class Task(NamedTuple):
    """A target of one output, and a loss (criteria/losses.py)."""

    target: Target
    loss: Any

    @property
    def y(self) -> np.ndarray:
        """float64: numbers, or the numbers of classes."""
        return self.target.numbers

    @property
    def weights(self) -> Weights:
        return self.target.weights

    @property
    def is_classes(self) -> bool:
        return self.target.n_classes is not None

    @property
    def n_outputs(self) -> int:
        """Raw scores of a row: one for each class if there are more than two, else one."""
        n_classes = 1 if self.target.n_classes is None else self.target.n_classes[0]
        return n_classes if n_classes > 2 else 1

    @property
    def has_value(self) -> bool:
        """Whether the loss itself is known, not its derivatives only."""
        return getattr(self.loss, "value", True) is not None

    def take(self, rows: np.ndarray) -> Task:
        """That of some rows."""
        return self._replace(target=self.target.take(rows))

    def with_weights(self, weights: Weights) -> Task:
        """The same with other weights."""
        return self._replace(target=self.target._replace(weights=weights))

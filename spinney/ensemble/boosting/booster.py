"""What boosting learns (`Task`), how (`BoostingSettings`), and what it leaves behind and predicts by (`Booster`)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spinney.data.encode import Bins
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.grow import NO_LIMIT
from spinney.tree.forest import Forest

# ----------------------------------------------------------------------------------------------------------------------
# `BoostingSettings`: the estimators' parameters, as the loop takes them.


@dataclass(frozen=True)
class BoostingSettings:
    """How to boost; the estimators' parameters, checked and resolved."""

    n_rounds: int = 100
    learning_rate: float = 0.1
    best_first: bool = True
    max_leaves: int = 31
    max_depth: int = NO_LIMIT
    min_count: int = 20
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    min_split: int = 2
    min_decrease: float = 0.0
    ccp_alpha: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    category_l2: float = 10.0
    category_smoothing: float = 10.0
    category_count: int = 10
    subsample: float = 1.0
    tree_features: float = 1.0
    node_features: float = 1.0
    monotone: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))
    groups: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.uint8))
    seed: int = 0
    linear: bool = False  # leaves
    extrapolate: bool = False  # these, beyond the values of their rows
    members: tuple[BoostingSettings, ...] = ()  # models whose mean this is; `n_rounds` are those of all
    rounds: Any = field(default=None, compare=False)  # who boosts, in place of this machine's cores; see `open_rounds`


# ----------------------------------------------------------------------------------------------------------------------
# `Task`: a target, weights, and the loss that measures how far scores are from the target.


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


@dataclass
class Booster:
    """A boosted model: raw score = start + sum of its trees' values, tree t adding to output t % n_outputs."""

    start: np.ndarray
    forest: Forest
    loss: Any = field(default=None, compare=False, repr=False)  # which knows the link; not kept in files

    @classmethod
    def of_no_rounds(cls, start: np.ndarray, bins: Bins | None, n_columns: int = 0) -> Booster:
        """What boosting begins with; without bins, trees will ask about values."""
        first, size, feature = np.zeros(1, np.int64), np.empty(0, np.uint16), np.empty(0, np.uint16)
        flags, answers, n_samples = np.empty(0, np.uint8), np.empty((0, 1, 1)), np.empty(0, np.uint32)
        parts = first, size, feature, flags, answers, n_samples
        n_columns = n_columns if bins is None else bins.n_columns
        return cls(start, Forest(n_columns, None, None, bins, *parts, weight=np.empty(0, np.int64)))

    @property
    def bins(self) -> Bins | None:
        """The bins that trees ask about; None: they ask about values."""
        return self.forest.bins

    @property
    def n_outputs(self) -> int:
        return len(self.start)

    @property
    def n_rounds(self) -> int:
        return self.forest.n_trees // self.n_outputs

    def cut(self, n_rounds: int) -> Booster:
        """The model after its first rounds."""
        if n_rounds == self.n_rounds:
            return self
        return Booster(self.start, self.forest.part(range(n_rounds * self.n_outputs)), self.loss)

    def __getstate__(self) -> dict[str, Any]:
        return {"start": self.start, "forest": self.forest, "loss": None}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that predicts."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(self.start.tobytes())
        self.forest.update_hash(digest)
        return digest.hexdigest()

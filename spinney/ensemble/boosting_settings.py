"""How to boost: what the estimators' parameters come to, for the loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class BoostingSettings:
    """How to boost; the estimators' parameters, checked and resolved."""

    n_rounds: int = 100
    learning_rate: float = 0.1
    best_first: bool = True
    max_leaves: int = 31
    max_depth: int = 1 << 30
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
    rounds: Any = field(default=None, compare=False)  # who boosts, in place of this machine's cores; see `open_rounds`

"""Settings of an exact tree, or of a tree of a forest: parameters in, the rules of one tree out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._random import NODE_FEATURES, stream_key
from spinney.criteria.significance import critical_values
from spinney.data.target import Target
from spinney.grow.rules import TreeRules
from spinney.grow.targets import Medians, Pairs

_NO_LIMIT = 1 << 40


class TreeSettings(NamedTuple):
    """The settings of one tree; weights and counts are those of rows with positive weight."""

    criterion: int
    own: Callable[..., Any] | None = None  # the user's function, if criterion is OWN
    max_depth: int = _NO_LIMIT
    max_leaves: int | None = None  # a number grows the tree best-first
    min_split: int = 2
    min_leaf: int = 1
    min_weight: float = 0.0
    min_decrease: float = 0.0
    by_ratio: bool = False
    random: bool = False
    n_features: int = _NO_LIMIT
    per_tree: bool = False  # all nodes choose from the same columns
    monotone: np.ndarray = np.empty(0, np.int8)
    significance: float | None = None
    seed: int = 0


def make_rules(settings: TreeSettings, n_rows: int, n_columns: int, statistics: Any, target: Target) -> TreeRules:
    """The rules of a tree on this many rows and columns; `statistics` are those of its target."""
    units = statistics.units if hasattr(statistics, "units") else [statistics.unit]
    total = n_rows if statistics.weight is None else int(statistics.weight.sum())
    sizes = target.n_classes or ()
    degrees = sum(sizes) if target.labels is not None else target.n_outputs
    n_leans = 1 if isinstance(statistics, Pairs) else degrees
    best_first = settings.max_leaves is not None
    return TreeRules(
        best_first=best_first,
        max_leaves=min(n_rows, settings.max_leaves or n_rows),
        max_depth=settings.max_depth,
        min_split=max(2, settings.min_split),
        min_leaf=max(1, settings.min_leaf),
        min_weight=max(1, int(np.ceil(settings.min_weight / units[0] * (1.0 - 1e-12)))),
        min_decrease=settings.min_decrease,
        total_weight=float(total) * float(units[0]),
        by_ratio=settings.by_ratio,
        random=settings.random,
        n_features=min(settings.n_features, n_columns),
        per_tree=settings.per_tree,
        n_leans=n_leans,
        is_monotone=bool(settings.monotone.any()) and isinstance(statistics, Pairs | Medians),  # else: one class
        monotone=settings.monotone,
        critical=np.empty(0) if settings.significance is None else critical_values(settings.significance, degrees),
        seed=np.uint64(stream_key(settings.seed, NODE_FEATURES, 0)),
    )

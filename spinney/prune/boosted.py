"""Cost-complexity pruning of the trees of a boosted model, each by itself.

The cost of a tree is minus the sum of its splits' gains. Values need no data: growing gives every node, leaf or not,
the value it would have as a leaf.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from spinney.prune.cost_complexity import cut_links
from spinney.tree.decision import BoostedTree

_BY_QUANTILE = ("absolute_error", "quantile")  # losses whose leaves' values are quantiles of the residuals


def prune_boosted(model: Any, alpha: float) -> Any:
    """A copy of a boosted model with pruned trees."""
    loss = getattr(model, "loss", None)
    if isinstance(loss, str) and loss in _BY_QUANTILE:
        raise TypeError(
            f"a boosted model with loss={loss!r} cannot be pruned: the values of nodes that would become leaves are "
            "quantiles of training residuals, which the model does not keep. Fit it with a larger min_split_gain."
        )
    other, booster = copy(model), model._booster
    if alpha > 0.0 and booster.forest.n_trees:
        marks = [cuts(booster.forest.tree(k), alpha) for k in range(booster.forest.n_trees)]
        other._booster = replace(booster, forest=booster.forest.collapse(np.concatenate(marks)))
    return other


def cuts(tree: BoostedTree, alpha: float) -> np.ndarray:
    """Where to cut for the least (alpha * leaves - gains): Booleans; of equal subtrees the smallest is left."""
    if tree.n_nodes == 1:
        return np.zeros(1, bool)
    path = cut_links(tree.parent, tree.child_start, tree.children, _gains_below(tree))
    return path.cut_at <= alpha


def _gains_below(tree: BoostedTree) -> np.ndarray:
    """The gains of each node's split and of those below it: what it costs to make it a leaf."""
    gains = tree.gain.copy()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        gains[tree.parent[node]] += gains[node]
    return gains

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
from spinney.tree.tree import Tree

_BY_QUANTILE = ("absolute_error", "quantile")  # losses whose leaves' values are quantiles of the residuals


def prune_boosted(model: Any, alpha: float) -> Any:
    """A copy of a boosted model with pruned trees."""
    loss = getattr(model, "loss", None)
    if isinstance(loss, str) and loss in _BY_QUANTILE:
        raise TypeError(
            f"a boosted model with loss={loss!r} cannot be pruned: the values of nodes that would become leaves are "
            "quantiles of training residuals, which the model does not keep. Fit it with a larger min_split_gain."
        )
    other = copy(model)
    other._booster = replace(model._booster, trees=[prune_tree(tree, alpha) for tree in model._booster.trees])
    return other


def prune_tree(tree: Tree, alpha: float) -> Tree:
    """The subtree with the least (alpha * leaves - gains); of equals the smaller, but the whole tree at alpha 0."""
    if alpha == 0.0 or tree.n_nodes == 1:
        return tree
    inner = np.flatnonzero(~tree.is_leaf)
    children = np.stack([tree.left[inner], tree.left[inner] + 1], axis=1).ravel()
    child_start = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.where(tree.is_leaf, 0, 2))])
    path = cut_links(tree.parent, child_start, children, _gains_below(tree))
    return tree.collapse(path.cut_at <= alpha)


def _gains_below(tree: Tree) -> np.ndarray:
    """The gains of each node's split and of those below it: what it costs to make it a leaf."""
    gains, parent = tree.gain.copy(), tree.parent
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        gains[parent[node]] += gains[node]
    return gains

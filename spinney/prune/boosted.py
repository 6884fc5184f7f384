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
    parent = np.full(tree.n_nodes, -1, np.int32)
    parent[children] = np.repeat(inner, 2)
    path = cut_links(parent, child_start, children, _gains_below(tree, parent))
    return collapse(tree, parent, path.cut_at <= alpha)


def _gains_below(tree: Tree, parent: np.ndarray) -> np.ndarray:
    """The gains of each node's split and of those below it: what it costs to make it a leaf."""
    gains = tree.gain.copy()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        gains[parent[node]] += gains[node]
    return gains


def collapse(tree: Tree, parent: np.ndarray, at: np.ndarray) -> Tree:
    """The tree with the marked nodes turned into leaves and all below them gone."""
    gone = np.zeros(tree.n_nodes, bool)
    for node in range(1, tree.n_nodes):
        gone[node] = gone[parent[node]] or at[parent[node]]
    kept, number = ~gone, np.cumsum(~gone) - 1
    leaf = (at | tree.is_leaf)[kept]
    return Tree(
        left=np.where(leaf, -1, number[tree.left[kept]]).astype(np.int32),
        feature=np.where(leaf, np.int32(-1), tree.feature[kept]),
        code=np.where(leaf, np.int32(0), tree.code[kept]),
        threshold=np.where(leaf, np.nan, tree.threshold[kept]),
        missing_left=np.where(leaf, np.uint8(0), tree.missing_left[kept]),
        bits=np.where(leaf[:, None], np.uint64(0), tree.bits[kept]),
        is_category=np.where(leaf, np.uint8(0), tree.is_category[kept]),
        value=tree.value[kept],
        gain=np.where(leaf, 0.0, tree.gain[kept]),
        count=tree.count[kept],
        cover=tree.cover[kept],
    )

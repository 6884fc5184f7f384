"""Feature importances of the trees of a model.

In: a `Forest`. Out: one number per question, or per column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spinney.tree.forest import Forest


def decreases(forest: Forest) -> np.ndarray:
    """The gain of each question, or its impurity decrease times its fraction of the tree's weight."""
    if forest.criterion is None:
        return forest.gain
    weight, parent = forest.weights(), forest.shape.parent
    mass = weight * forest.impurities()
    inside = parent >= 0
    below = np.bincount(parent[inside], mass[inside], minlength=forest.n_nodes)
    fall = (mass - below) / np.repeat(weight[forest.first[:-1]], np.diff(forest.first))
    return fall[~forest.is_leaf]


def importances(forest: Forest, kind: str = "gain") -> np.ndarray:
    """Sum by column of the questions' gains (or impurity decreases), covers (weights) or numbers ("split")."""
    return np.bincount(forest.feature, amounts(forest, kind), minlength=forest.n_columns).astype(np.float64)


def amounts(forest: Forest, kind: str) -> np.ndarray | None:
    """The contribution of each question; None: one each."""
    if kind == "split":
        return None
    return decreases(forest) if kind == "gain" else forest.weights()[~forest.is_leaf]


def shares_of_trees(forest: Forest, kind: str = "gain") -> np.ndarray:
    """Each column's fraction of a tree's gain, cover or splits, (trees, columns)."""
    n_columns, tree = forest.n_columns, np.repeat(np.arange(forest.n_trees), np.diff(forest.starts.question))
    place = tree * n_columns + forest.feature
    each = np.bincount(place, amounts(forest, kind), forest.n_trees * n_columns)
    each = each.reshape(-1, n_columns).astype(np.float64)
    total = each.sum(axis=1, keepdims=True)
    return np.divide(each, total, out=np.zeros_like(each), where=total > 0)


def mean_shares(forest: Forest) -> np.ndarray:
    """Each column's fraction of the impurity decrease, averaged over the trees; they add up to 1, or are 0."""
    shares = shares_of_trees(forest).sum(axis=0)
    return shares / shares.sum() if shares.sum() > 0 else shares

"""How much each column matters to boosted trees.

In:  trees. Out: shares of the columns in the gain, the number or the cover of their splits; they add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from spinney.tree.tree import Tree


def feature_importances(trees: Iterable[Tree], n_columns: int, kind: str) -> np.ndarray:
    """`kind` is "gain", "split" (how many) or "cover" (the hessian that the splits decided on)."""
    total = np.zeros(n_columns)
    for tree in trees:
        inner = ~tree.is_leaf
        amount = {"gain": tree.gain, "cover": tree.cover, "split": np.ones(tree.n_nodes)}[kind]
        total += np.bincount(tree.feature[inner], amount[inner], minlength=n_columns)
    return total / total.sum() if total.any() else total

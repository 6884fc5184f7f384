"""From the growing tree to a `Forest` of one tree: nodes in preorder, without what pruning took back."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.data.binning import Bins
from spinney.grow.histogram.statistics import Fields
from spinney.tree.arrays import small
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest

_SET_WORDS = 4  # of 64 codes each


def freeze(nodes: Any, n_nodes: int, bins: Bins, fields: Fields) -> Forest:
    """The finished tree."""
    order, size = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    grown = nodes.view(np.ndarray)  # parts and fields of a record array are slow
    n = lay_out(grown[:n_nodes], np.empty(n_nodes + 1, np.int64), order, size)
    order, size = order[:n], size[:n]
    is_leaf = size == 1
    leaves, asks = order[is_leaf], order[~is_leaf]
    feature = grown["feature"][asks]
    is_set = bins.is_categorical[feature]
    return Forest(
        n_columns=bins.n_columns,
        n_classes=None,
        criterion=None,
        bins=bins,
        first=np.array([0, n]),
        size=small(size),
        feature=small(feature),
        turn=grown["missing_left"][asks] * np.uint8(MISSING_LEFT) | is_set * np.uint8(ASKS_SET),
        answers=grown["value"][order].reshape(n, 1, 1),
        n_samples=small(grown["count"][leaves], np.uint32),
        code=grown["code"][asks].astype(np.uint8),
        set_start=np.arange(0, _SET_WORDS * (int(is_set.sum()) + 1), _SET_WORDS),
        sets=grown["bits"][asks[is_set]].ravel(),
        weight=grown["fine_hessian"][leaves],
        weight_unit=np.array([fields.fine_hessian_unit]),
        gain=grown["gain"][asks],
    )


def no_trees(bins: Bins | None, n_columns: int = 0) -> Forest:
    """What boosting begins with; without bins, trees will ask about values."""
    first, size, feature = np.zeros(1, np.int64), np.empty(0, np.uint16), np.empty(0, np.uint16)
    turn, answers, n_samples = np.empty(0, np.uint8), np.empty((0, 1, 1)), np.empty(0, np.uint32)
    parts = first, size, feature, turn, answers, n_samples
    return Forest(n_columns if bins is None else bins.n_columns, None, None, bins, *parts, weight=np.empty(0, np.int64))


@kernel
def lay_out(nodes, waiting, order, size):
    """order[k] = the grown node that is number k in preorder, size[k] = nodes of its subtree; returns how many stay."""
    n, top = 0, 1
    waiting[0] = 0
    while top > 0:
        top -= 1
        at = waiting[top]
        order[n] = at
        n += 1
        if nodes[at].left >= 0 and not nodes[at].is_leaf:
            waiting[top], waiting[top + 1] = nodes[at].left + 1, nodes[at].left
            top += 2
    for k in range(n - 1, -1, -1):  # children come after their parents
        node = nodes[order[k]]
        size[k] = 1
        if node.left >= 0 and not node.is_leaf:
            size[k] += size[k + 1] + size[k + 1 + size[k + 1]]
    return n

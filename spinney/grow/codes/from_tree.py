"""A tree that grow/lists has grown from bins, in the form of those that are grown from codes.

In: a `DecisionTree` whose thresholds are edges of bins. Out: a `Grove` of one tree, bit for bit the one that this room
would have made of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spinney._compile import kernel
from spinney.data.binning import Bins
from spinney.data.target import Target
from spinney.tree.decision import DecisionTree
from spinney.tree.grove import Grove, pack
from spinney.tree.questions import question


def code_tree(tree: DecisionTree, edges: np.ndarray, bins: Bins, target: Target, criterion: int) -> Grove:
    """The same tree with questions of eight bytes; `edges` as in `grow_coded_tree`, `target` that of its rows."""
    codes = np.zeros(tree.n_nodes, np.int64)
    inner = np.flatnonzero(~tree.is_leaf)
    all_edges, first = bins.edge_list
    column = tree.feature[inner].astype(np.int64)
    _find_codes(all_edges, first, column, tree.threshold[inner], inner, codes)
    steps = np.empty(tree.n_nodes, np.uint64)
    right = np.arange(tree.n_nodes)
    right[inner] = tree.children[1::2]
    _ask(right, tree.feature.astype(np.int64), codes, (tree.missing == 0).astype(np.int64), steps)
    grove = pack(tree, criterion)
    if target.n_classes == (2,) and target.weights.importance is not None:
        grove = replace(grove, answers=tree.answers, weight=tree.weight)
    return replace(grove, steps=steps, edges=edges)


@kernel
def _find_codes(edges, first, column, threshold, inner, codes):
    """The bin that each threshold is the upper edge of; infinite: the last one."""
    for k in range(inner.size):
        low, high = first[column[k]], first[column[k] + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if edges[middle] < threshold[k]:
                low = middle + 1
            else:
                high = middle
        codes[inner[k]] = low - first[column[k]]


@kernel
def _ask(right, feature, codes, missing_left, steps):
    for k in range(steps.size):
        if right[k] == k:
            steps[k] = question(k, 0, 0, 0)
        else:
            steps[k] = question(right[k], feature[k], codes[k] + 1, missing_left[k])

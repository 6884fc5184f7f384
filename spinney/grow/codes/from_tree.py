"""A tree that grow/lists has grown from bins, in the form of those that are grown from codes.

In: a tree whose thresholds are edges of bins. Out: a `Forest` of one tree, bit for bit the one that this room would
have made of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spinney._compile import kernel
from spinney.data.binning import Bins
from spinney.data.target import Target
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import Forest


def code_tree(tree: DecisionTree, bins: Bins, target: Target) -> Forest:
    """The same tree with codes for thresholds; `target` is that of its rows."""
    forest = tree.forest.compact()
    codes = np.empty(len(forest.feature), np.uint8)
    _find_codes(*bins.edge_list, forest.feature.astype(np.int64), forest.threshold, codes)
    if target.n_classes == (2,) and target.weights.importance is not None:
        forest = replace(forest, answers=tree.answers, weight=tree.weight)
    return replace(forest, bins=bins, code=codes, threshold=np.empty(0))


@kernel
def _find_codes(edges, first, column, threshold, codes):
    """The bin that each threshold is the upper edge of; infinite: the last one."""
    for k in range(codes.size):
        low, high = first[column[k]], first[column[k] + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if edges[middle] < threshold[k]:
                low = middle + 1
            else:
                high = middle
        codes[k] = low - first[column[k]]

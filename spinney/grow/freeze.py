"""From the growing tree to the frozen one: keep what pruning left, number it anew, and write thresholds as values."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.binning import Bins
from spinney.grow.statistics import Fields
from spinney.tree.tree import Tree


def freeze(nodes: Any, n_nodes: int, bins: Bins, fields: Fields) -> Tree:
    """The finished tree, nodes in the order in which they were opened."""
    kept, left = _renumber(nodes, n_nodes)
    inner = left >= 0
    feature = np.where(inner, nodes.feature[kept], -1).astype(np.int32)
    is_category = inner & bins.is_categorical[feature]
    code = np.where(inner & ~is_category, nodes.code[kept], 0).astype(np.int32)
    threshold = np.full(len(kept), np.nan)
    for at in np.flatnonzero(inner & ~is_category):
        threshold[at] = bins.threshold(feature[at], code[at])
    return Tree(
        left=left,
        feature=feature,
        code=code,
        threshold=threshold,
        missing_left=np.where(inner, nodes.missing_left[kept], 0).astype(np.uint8),
        bits=np.where(is_category[:, None], nodes.bits[kept], np.uint64(0)),
        is_category=is_category.astype(np.uint8),
        value=nodes.value[kept],
        gain=np.where(inner, nodes.gain[kept], 0.0),
        count=nodes.count[kept],
        cover=nodes.fine_hessian[kept] * fields.fine_hessian_unit,
    )


def _renumber(nodes: Any, n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Old numbers of the nodes that stay, and each one's left child in the new numbering."""
    stays = np.zeros(n_nodes, bool)
    stays[0] = True
    inner = nodes.is_leaf[:n_nodes] == 0
    for node in np.flatnonzero(inner):
        stays[nodes.left[node]] = stays[nodes.left[node] + 1] = True
    kept = np.flatnonzero(stays)
    number = np.cumsum(stays) - 1
    left = np.where(inner[kept], number[np.where(inner[kept], nodes.left[kept], 0)], -1)
    return kept, left.astype(np.int32)

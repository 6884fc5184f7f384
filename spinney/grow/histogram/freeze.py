"""From the growing tree to the one that is handed over: keep what pruning left, and number it anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.binning import Bins
from spinney.grow.histogram.statistics import Fields
from spinney.tree.boosted import GrownTree
from spinney.tree.collapse import drop_below


def freeze(nodes: Any, n_nodes: int, bins: Bins, fields: Fields) -> GrownTree:
    """The finished tree, nodes in the order in which they were opened."""
    grown = nodes[:n_nodes].view(np.ndarray)  # fields of a record array by attribute are slow
    left = grown["left"].astype(np.int32)
    inner = left >= 0
    pruned = inner & (grown["is_leaf"] > 0)
    if pruned.any():
        grown, left = _without_pruned(grown, pruned)
        inner = left >= 0
    feature = grown["feature"].astype(np.int32)
    is_category = inner & bins.is_categorical[feature]
    return GrownTree(
        left=left,
        feature=feature,
        code=grown["code"].astype(np.uint8),
        missing_left=grown["missing_left"].copy(),
        is_category=is_category,
        bits=grown["bits"][is_category],
        value=grown["value"].copy(),
        gain=grown["gain"].copy(),
        count=grown["count"].copy(),
        hessian=grown["fine_hessian"].copy(),
        hessian_unit=fields.fine_hessian_unit,
    )


def _without_pruned(grown: np.ndarray, pruned: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nodes that stay, pruned ones as leaves, and each one's left child in the new numbering."""
    grown = grown.copy()
    for name, nothing in (("feature", -1), ("code", 0), ("missing_left", 0), ("gain", 0.0), ("bits", 0)):
        grown[name][pruned] = nothing
    left, splits = grown["left"], np.flatnonzero(grown["left"] >= 0)
    parent = np.full(len(grown), -1, np.int64)
    parent[left[splits]] = parent[left[splits] + 1] = splits
    stays, number = drop_below(parent, pruned)
    asks = (left >= 0) & ~pruned
    return grown[stays], np.where(asks, number[left], -1)[stays].astype(np.int32)

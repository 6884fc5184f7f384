"""From the growing tree to the frozen one: keep what pruning left, number it anew, and write thresholds as values."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.binning import Bins
from spinney.grow.histogram.statistics import Fields
from spinney.tree.tree import Tree


def freeze(nodes: Any, n_nodes: int, bins: Bins, fields: Fields) -> Tree:
    """The finished tree, nodes in the order in which they were opened."""
    grown = nodes[:n_nodes].view(np.ndarray)  # fields of a record array by attribute are slow
    left = grown["left"].astype(np.int32)
    inner = left >= 0
    feature, code = grown["feature"].astype(np.int32), grown["code"].astype(np.int32)
    is_category = inner & bins.is_categorical[feature]
    threshold = np.where(inner & ~is_category, bins.thresholds(feature, code), np.nan)
    tree = Tree(
        left=left,
        feature=feature,
        code=code,
        threshold=threshold,
        missing_left=grown["missing_left"].copy(),
        bits=grown["bits"].copy(),
        is_category=is_category.view(np.uint8),
        value=grown["value"].copy(),
        gain=grown["gain"].copy(),
        count=grown["count"].copy(),
        cover=grown["fine_hessian"] * fields.fine_hessian_unit,
    )
    pruned = inner & (grown["is_leaf"] > 0)
    return tree.collapse(pruned) if pruned.any() else tree

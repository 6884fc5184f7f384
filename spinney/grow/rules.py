"""What a tree may do: stopping rules, constraints, feature sampling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney._random import choose, mix
from spinney.criteria.gains import Link, Penalty


class Limits(NamedTuple):
    """The rules of one tree."""

    best_first: bool
    max_leaves: int
    max_depth: int
    min_count: int  # samples in a leaf
    min_hessian: float  # hessian sum in a leaf
    min_gain: float  # a split below it is pruned, from the leaves up, once the tree is grown
    penalty: Penalty
    category_penalty: Penalty  # for splits by category
    category_smoothing: float  # added to the hessian when categories are put in order
    category_count: int  # categories with fewer samples in a node are pooled there; at least 1
    learning_rate: float
    link: Link  # how leaf values are held back
    has_monotone: bool  # whether some columns are monotone, and leaf values have bounds
    groups: np.ndarray  # uint8 (groups, columns): which columns may meet on a path; no rows: all may
    features: np.ndarray  # int32, ascending: the columns this tree may use
    node_features: int  # how many of them each node may use
    node_key: np.uint64  # random key of the per-node draws


class Kinds(NamedTuple):
    """What the table's columns call for. None: no column does, and code for it is not even compiled."""

    categories: bool | None
    monotone: bool | None


@inner_kernel
def may_split(count, hessian, depth, limits):
    """Whether two legal leaves could come out of such a node at all."""
    return depth < limits.max_depth and count >= 2 * limits.min_count and hessian >= 2.0 * limits.min_hessian


@inner_kernel
def allow_features(limits, node, live_groups, allowed, order):
    """allowed[j] = 1 if the column may split this node: the tree's, drawn for it, and in a live interaction group."""
    features, n_drawn = limits.features, limits.node_features
    for j in range(allowed.size):
        allowed[j] = 0
    if n_drawn < features.size:
        choose(mix(limits.node_key, node), n_drawn, order[: features.size])
    for k in range(n_drawn):
        j = features[order[k] if n_drawn < features.size else k]
        allowed[j] = 1
        if limits.groups.shape[0] > 0:
            meets = np.uint8(0)
            for g in range(limits.groups.shape[0]):
                meets |= live_groups[g] & limits.groups[g, j]
            allowed[j] = meets


@inner_kernel
def narrow_groups(limits, parent_live, feature, live):
    """A child's live groups: the parent's that hold the feature just used."""
    for g in range(limits.groups.shape[0]):
        live[g] = parent_live[g] & limits.groups[g, feature]


@inner_kernel
def child_bounds(direction, left_value, right_value, lower, upper):
    """Bounds (left lower, left upper, right lower, right upper) that keep leaf values monotone."""
    if direction == 0:
        return lower, upper, lower, upper
    middle = left_value / 2 + right_value / 2
    if direction > 0:
        return lower, middle, middle, upper
    return middle, upper, lower, middle

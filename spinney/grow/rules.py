"""The rule book: what a tree may do, and what all engines decide alike.

In: numbers of one node (rows, weight, depth, sums). Out: whether it may be split, whether a split is worth it, where
missing values go that a node has not seen, the random key of a choice, the bounds of children; the next node.

    BoostingRules   grow/boosting         may_split, allow_features, narrow_groups
    TreeRules       grow/exact, binned    is_large, is_worth
    BranchRules     grow/multiway

A formula that only one engine needs stands with that engine; what two of them decide stands here, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney._random import NODE_FEATURES, choose, mix, stream_key
from spinney.criteria.gains import Link, Penalty
from spinney.criteria.significance import critical_values
from spinney.data.target import Target
from spinney.grow import NO_LIMIT
from spinney.grow.targets import Medians, Pairs

NO_NODE = -1  # no child, or no parent
NO_SPLIT = -1  # the column of a node that is not split; frozen, it is tree.decision.NO_FEATURE, scikit-learn's -2
NO_ROW = -1
_COLUMNS, _ORDERS = 1000, 2_000_000  # keep the draws of a node's columns and orders apart from those of its children
_ROUNDING = 1e-16  # of the whole weight: what rounding may take off a decrease


class BoostingRules(NamedTuple):
    """Of one boosted tree."""

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
    min_split: int = 2  # samples of a node that is split
    least_gain: float = 0.0  # a split below it is not made at all


class TreeRules(NamedTuple):
    """Of one exact tree, or tree of a forest."""

    best_first: bool
    max_leaves: int
    max_depth: int
    min_split: int  # rows of a node that is split
    min_leaf: int  # rows of a leaf
    min_weight: int  # weight of a leaf, in units of the statistics
    min_decrease: float  # of impurity, times the node's share of all weight
    total_weight: float  # of the root, in the units of the statistics
    by_ratio: bool  # compare columns by gain ratio
    random: bool  # one random threshold per column
    n_features: int  # columns that a node may choose from
    per_tree: bool  # all nodes from the same ones
    n_responses: int  # sums that categories can be ordered by
    is_monotone: bool  # some columns are,
    monotone: np.ndarray  # int8, by column: 1 rising, -1 falling, 0 free
    critical: np.ndarray  # float64: chi-squared that a split must exceed, by degrees of freedom; empty: any
    seed: np.uint64


class BranchRules(NamedTuple):
    """Of one ID3 or C4.5 tree; weights in units (criteria/information.py)."""

    ratio: bool  # C4.5's gain ratio; else ID3's gain
    spreads: bool  # missing values go down all branches; else they stay
    mdl: bool  # choosing a cut costs bits
    min_leaf: int  # two branches at least must weigh this much
    min_split: int
    min_gain: float
    min_decrease: float  # gain times weight that a split must have, as a share of `total`
    total: int  # weight of the root
    critical: np.ndarray  # float64: chi-squared that a split must exceed, by degrees of freedom; empty: any
    max_depth: int
    n_classes: int  # that have any weight
    in_average: np.ndarray  # uint8, by column: whether its gain counts in C4.5's average
    subset: bool = False  # branches are groups of categories


class Kinds(NamedTuple):
    """What the table's columns call for. None: no column does, and code for it is not even compiled."""

    categories: bool | None
    monotone: bool | None


# --- may it be split, and is it worth it ---------------------------------------------------------------------------


@inner_kernel
def may_split(count, hessian, depth, rules):
    """Boosting: whether two legal leaves could come out of such a node at all."""
    enough = count >= 2 * rules.min_count and count >= rules.min_split
    return depth < rules.max_depth and enough and hessian >= 2.0 * rules.min_hessian


@inner_kernel
def is_large(rules, n_rows, depth):
    """Other trees: whether a node has enough rows to be split, and may."""
    return depth < rules.max_depth and n_rows >= rules.min_split and n_rows >= 2 * rules.min_leaf


@inner_kernel
def is_worth(rules, fall):
    """Whether a split takes enough off the impurity; splits that take off nothing are made, or exclusive-or could not
    be learnt."""
    return takes_enough(fall, rules.min_decrease, rules.total_weight)


@inner_kernel
def takes_enough(fall, min_decrease, total_weight):
    """The same from numbers."""
    return fall >= 0.0 and fall + _ROUNDING * total_weight >= min_decrease * total_weight


@inner_kernel
def larger_side(left, whole):
    """Where missing values go that a node has not seen: 1 (left) if more than half of the node is there; ties go right,
    as in scikit-learn. Weight is compared, so that integer weights are repetitions; boosting compares its counts."""
    return np.uint8(1) if left > whole - left else np.uint8(0)


# --- random choices ------------------------------------------------------------------------------------------------


@inner_kernel
def child_key(key, side):
    """The key of a child's random choices, from its path alone; `side` is 0 or 1."""
    return mix(key, side)


@inner_kernel
def column_key(key, j):
    """The key of what a node draws for column j."""
    return mix(key, np.uint64(_COLUMNS + j))


@inner_kernel
def order_key(key, j):
    """The key of a random order of the categories of column j; never 0."""
    return mix(key, np.uint64(_ORDERS + j)) | np.uint64(1)


# --- constraints ---------------------------------------------------------------------------------------------------


@inner_kernel
def allow_features(rules, node, live_groups, allowed, order):
    """allowed[j] = 1 if the column may split this node: the tree's, drawn for it, and in a live interaction group."""
    features, n_drawn = rules.features, rules.node_features
    for j in range(allowed.size):
        allowed[j] = 0
    if n_drawn < features.size:
        choose(mix(rules.node_key, node), n_drawn, order[: features.size])
    for k in range(n_drawn):
        j = features[order[k] if n_drawn < features.size else k]
        allowed[j] = 1
        if rules.groups.shape[0] > 0:
            meets = np.uint8(0)
            for g in range(rules.groups.shape[0]):
                meets |= live_groups[g] & rules.groups[g, j]
            allowed[j] = meets


@inner_kernel
def narrow_groups(rules, parent_live, feature, live):
    """A child's live groups: the parent's that hold the feature just used."""
    for g in range(rules.groups.shape[0]):
        live[g] = parent_live[g] & rules.groups[g, feature]


@inner_kernel
def child_bounds(direction, left_value, right_value, lower, upper):
    """Bounds (left lower, left upper, right lower, right upper) that keep leaf values monotone."""
    if direction == 0:
        return lower, upper, lower, upper
    middle = left_value / 2 + right_value / 2
    if direction > 0:
        return lower, middle, middle, upper
    return middle, upper, lower, middle


# ----------------------------------------------------------------------------------------------------------------------
# Settings of an exact tree, or of a tree of a forest: parameters in, the rules of one tree out.


class TreeSettings(NamedTuple):
    """The settings of one tree; weights and counts are those of rows with positive weight."""

    criterion: int
    own: Callable[..., Any] | None = None  # the user's function, if criterion is OWN
    max_depth: int = NO_LIMIT
    max_leaves: int | None = None  # a number grows the tree best-first
    min_split: int = 2
    min_leaf: int = 1
    min_weight: float = 0.0
    min_decrease: float = 0.0
    by_ratio: bool = False
    random: bool = False
    n_features: int = NO_LIMIT
    per_tree: bool = False  # all nodes choose from the same columns
    monotone: np.ndarray = np.empty(0, np.int8)
    significance: float | None = None
    seed: int = 0


def make_rules(settings: TreeSettings, n_rows: int, n_columns: int, statistics: Any, target: Target) -> TreeRules:
    """The rules of a tree on this many rows and columns; `statistics` are those of its target."""
    units = statistics.units if hasattr(statistics, "units") else [statistics.unit]
    total = n_rows if statistics.weight is None else int(statistics.weight.sum())
    sizes = target.n_classes or ()
    degrees = sum(sizes) if target.labels is not None else target.n_outputs
    n_responses = 1 if isinstance(statistics, Pairs) else degrees
    best_first = settings.max_leaves is not None
    return TreeRules(
        best_first=best_first,
        max_leaves=min(n_rows, settings.max_leaves or n_rows),
        max_depth=settings.max_depth,
        min_split=max(2, settings.min_split),
        min_leaf=max(1, settings.min_leaf),
        min_weight=max(1, int(np.ceil(settings.min_weight / units[0] * (1.0 - 1e-12)))),
        min_decrease=settings.min_decrease,
        total_weight=float(total) * float(units[0]),
        by_ratio=settings.by_ratio,
        random=settings.random,
        n_features=min(settings.n_features, n_columns),
        per_tree=settings.per_tree,
        n_responses=n_responses,
        is_monotone=bool(settings.monotone.any()) and isinstance(statistics, Pairs | Medians),  # else: one class
        monotone=settings.monotone,
        critical=np.empty(0) if settings.significance is None else critical_values(settings.significance, degrees),
        seed=np.uint64(stream_key(settings.seed, NODE_FEATURES, 0)),
    )


# --- the open nodes: a queue with a policy ---------------------------------------------------------------------------
#
# Best-first takes the node with the largest gain, level-wise the oldest one; ties go to the smaller node number.
# A binary heap of node numbers, ordered by a key that the policy chooses.
#
#     heap     0             the children of place k are 2 k + 1 and 2 k + 2; no node comes before the one above it
#             1  2
#           3 4  5 6
#
# Node numbers differ, so (key, number) is a strict order: what is popped does not depend on how the heap was filled.


@inner_kernel
def priority(best_first, node, gain):
    """The smaller, the sooner."""
    return -gain if best_first else float(node)


@inner_kernel
def _before(nodes, a, b):
    return nodes[a].key < nodes[b].key or (nodes[a].key == nodes[b].key and a < b)


@inner_kernel
def push(heap, size, nodes, node):
    """Add a node whose key is nodes[node].key; returns the new size."""
    at = size  # a hole, which moves up until the node fits into it
    while at > 0:
        above = (at - 1) // 2
        if not _before(nodes, node, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = node
    return size + 1


@inner_kernel
def pop(heap, size, nodes):
    """Take the first node; returns (node, new size)."""
    first = heap[0]
    size -= 1
    node = heap[size]
    at = 0  # a hole at the top, which moves down until the last node fits into it
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _before(nodes, heap[below + 1], heap[below]):
            below += 1
        if not _before(nodes, heap[below], node):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = node
    return first, size

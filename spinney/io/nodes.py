"""Trees of other libraries -> the store.

In: `Nodes`, all trees' nodes end to end, in whatever order each library keeps them, and with each node's children.
Out: a `Forest`, whose trees stand in preorder. Every tree is followed from its root, level by level and all trees
together, so that a child that does not exist, or that two nodes share, is found before anybody walks down the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney.io.errors import ModelFormatError
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, small

NO_CHILD = -1
_MOST_WORDS = 1 << 26  # of all sets: 512 MiB
_WORD = 64


@dataclass
class Nodes:
    """One entry per node; children are numbered through all trees, and a tree's first node is its root."""

    first: np.ndarray  # where each tree begins, and where the last one ends
    left: np.ndarray  # the child where the answer is yes; NO_CHILD in leaves
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray  # float64: numbers up to it go left
    missing_left: np.ndarray  # bool
    answers: np.ndarray  # (nodes, outputs, classes or 1)
    n_samples: np.ndarray
    weight: np.ndarray
    gain: np.ndarray | None = None
    impurity: np.ndarray | None = None
    set_of: np.ndarray | None = None  # which set of categories goes left; -1: a question about a number


@dataclass
class Sets:
    """Sets of categories, by the categories' places in the schema."""

    set: np.ndarray  # int64: a set
    member: np.ndarray  # int64: and a category in it


def empty_sets() -> Sets:
    """No sets."""
    return Sets(np.empty(0, np.int64), np.empty(0, np.int64))


def make_forest(
    nodes: Nodes,
    n_columns: int,
    n_categories: Sequence[int] = (),
    sets: Sets | None = None,
    criterion: int | None = None,
    n_classes: tuple[int, ...] | None = None,
) -> Forest:
    """The store of these trees; `n_categories` of each column (0: numbers)."""
    order, first, size = put_in_preorder(nodes.first, nodes.left, nodes.right)
    asks = order[size > 1]
    feature = np.asarray(nodes.feature)[asks].astype(np.int64)
    if len(feature) and not 0 <= feature.min() <= feature.max() < n_columns:
        raise ModelFormatError(f"a split is on column {feature.max()}, but there are {n_columns} columns.")
    is_set = np.zeros(len(asks), bool) if nodes.set_of is None else nodes.set_of[asks] >= 0
    threshold = np.where(is_set, np.nan, np.asarray(nodes.threshold, np.float64)[asks])
    if np.isnan(threshold[~is_set]).any():
        raise ModelFormatError("a threshold is not a number.")
    if both := set(feature[is_set].tolist()).intersection(feature[~is_set].tolist()):
        raise ModelFormatError(f"column {min(both)} is split both as a number and as a category.")
    if not np.isfinite(nodes.answers[order]).all() or not np.isfinite(np.asarray(nodes.weight)[order]).all():
        raise ModelFormatError("the value of a node, or its weight, is not a finite number.")
    set_start, words = np.zeros(1, np.int64), np.empty(0, np.uint64)
    if is_set.any():
        assert nodes.set_of is not None
        assert sets is not None
        set_start, words = _pack(nodes.set_of[asks[is_set]], feature[is_set], np.asarray(n_categories), sets)
    turn = np.where(np.asarray(nodes.missing_left)[asks], MISSING_LEFT, 0) | np.where(is_set, ASKS_SET, 0)
    return Forest(
        n_columns=n_columns,
        n_classes=n_classes,
        criterion=criterion,
        bins=None,
        first=first,
        size=small(size),
        feature=small(feature),
        turn=turn.astype(np.uint8),
        answers=np.ascontiguousarray(nodes.answers[order]),
        n_samples=small(np.asarray(nodes.n_samples)[order], np.uint32),
        threshold=threshold,
        set_start=set_start,
        sets=words,
        weight=np.asarray(nodes.weight, np.float64)[order],
        impurity=np.empty(0) if nodes.impurity is None else np.asarray(nodes.impurity, np.float64)[order],
        gain=np.empty(0) if nodes.gain is None else np.asarray(nodes.gain, np.float64)[asks],
    )


def put_in_preorder(first: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, Any, np.ndarray]:
    """(the nodes that roots lead to, tree by tree and each tree in preorder; where trees begin; sizes of subtrees)."""
    n, tree = len(left), np.repeat(np.arange(len(first) - 1), np.diff(first))
    if (np.diff(first) < 1).any():
        raise ModelFormatError("a tree has no nodes.")
    seen, size = np.zeros(n, bool), np.zeros(n, np.int64)
    levels, level = [], first[:-1].astype(np.int64)
    while len(level):
        if seen[level].any() or len(np.unique(level)) < len(level):
            raise ModelFormatError("a tree is malformed: two paths lead to one of its nodes.")
        seen[level] = True
        levels.append(level)
        asks = level[left[level] != NO_CHILD]
        children = np.concatenate([left[asks], right[asks]])
        parents = np.concatenate([asks, asks])
        inside = (children >= 0) & (children < n)
        if not inside.all() or (tree[children] != tree[parents]).any():
            raise ModelFormatError("a node leads out of its tree.")
        level = children
    for level in reversed(levels):
        asks = level[left[level] != NO_CHILD]
        size[level] = 1
        size[asks] += size[left[asks]] + size[right[asks]]
    begin = ends_of(size[first[:-1]])
    place = np.zeros(n, np.int64)
    place[first[:-1]] = begin[:-1]
    for level in levels:
        asks = level[left[level] != NO_CHILD]
        place[left[asks]] = place[asks] + 1
        place[right[asks]] = place[asks] + 1 + size[left[asks]]
    order = np.empty(begin[-1], np.int64)
    order[place[seen]] = np.flatnonzero(seen)
    return order, begin, size[order]


def _pack(own: np.ndarray, feature: np.ndarray, n_categories: np.ndarray, sets: Sets) -> tuple[np.ndarray, np.ndarray]:
    """(where each question's words begin, all words), a bit per category."""
    n_words = -(-n_categories[feature] // _WORD)
    start = ends_of(n_words)
    if start[-1] > _MOST_WORDS:
        raise ModelFormatError(f"the sets of categories would take {start[-1] >> 17:,} MiB: too many categories.")
    words = np.zeros(start[-1], np.uint64)
    begin = np.full(max(int(own.max()), int(sets.set.max(initial=-1))) + 1, -1, np.int64)
    begin[own] = start[:-1]
    asked = begin[sets.set] >= 0
    place, member = begin[sets.set[asked]], sets.member[asked]
    np.bitwise_or.at(words, place + member // _WORD, np.uint64(1) << (member % _WORD).astype(np.uint64))
    return start, words


def with_means(forest: Forest) -> Forest:
    """The same trees; a node that asks says the mean of the leaves below it, by their weight. Nobody adds it up."""
    is_leaf, end, begin = forest.is_leaf, forest.shape.end, np.arange(forest.n_nodes)
    weight = np.where(is_leaf, forest.weight, 0.0)
    says = running_sums(weight * forest.answers[:, 0, 0])
    total = running_sums(weight)
    below = total[end] - total[begin]
    mean = np.divide(says[end] - says[begin], below, out=np.zeros(len(below)), where=below > 0)
    answers = np.where(is_leaf, forest.answers[:, 0, 0], mean).astype(forest.answers.dtype)
    return replace(forest, answers=answers[:, None, None])


def running_sums(values: np.ndarray) -> np.ndarray:
    """Running sums, from 0."""
    return np.concatenate([np.zeros(1), np.cumsum(values)])


def last_left(values: np.ndarray) -> np.ndarray:
    """Thresholds for float64 from the largest float32 that goes left: x goes left if, rounded to float32, it does.

    >>> t = last_left(np.array([1.0], np.float32))
    >>> np.float32(t[0]) == 1.0, np.float32(np.nextafter(t[0], 2.0)) > 1.0
    (array([ True]), array([ True]))
    """
    low = np.asarray(values, np.float32)
    with np.errstate(over="ignore"):
        high = np.nextafter(low, np.float32(np.inf)).astype(np.float64)
    high[low == np.finfo(np.float32).max] = 2.0**128  # where float32 would go on
    with np.errstate(invalid="ignore"):
        middle = low.astype(np.float64) + (high - low) / 2
    is_even = (low.view(np.uint32) & 1) == 0  # of two that are as near, the even one is taken
    found = np.where(is_even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isinf(low), low.astype(np.float64), found)

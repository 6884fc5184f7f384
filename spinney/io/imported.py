"""What is known of a model of another library once it is read, and its trees in the store.

`Imported` has the trees in our store, the columns, and two things in which libraries differ: how a value becomes what
trees compare (`Reading`) and how sums of the trees' answers become predictions (`Answering`). Plain data only: arrays,
strings, numbers and our own classes.

`make_forest` takes `Nodes`, all trees' nodes end to end, in whatever order each library keeps them, and with each
node's children, and makes a `Forest`, whose trees stand in preorder. Every tree is followed from its root, level by
level and all trees together, so that a child that does not exist, or that two nodes share, is found before anybody
walks down the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from spinney.data.schema import Schema, SchemaColumn
from spinney.io.checks import ModelFormatError
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, small
from spinney.tree.formula import Reading

LINK_NAMES = {  # of `Answering` -> of tree/formula.py
    "identity": "identity",
    "sigmoid": "logistic",
    "sigmoid each": "logistic",
    "softmax": "softmax",
    "exp": "exp",
    "log1p exp": "softplus",
    "signed square": "signed_square",
    "hinge": "hinge",
}
_MOST_COLUMNS = 1 << 22
_MOST_EMPTY = 1 << 16  # outputs of a model without trees
_MOST_CATEGORY = 1 << 24  # XGBoost: numbers from here on are no categories


@dataclass(frozen=True)
class Answering:
    """From the trees' answers to predictions: response(start + sum of the trees), or response(mean of the trees)."""

    link: str = "identity"  # see responses.py
    scale: float = 1.0  # of raw scores before the link: LightGBM's parameter sigmoid
    start: np.ndarray = field(default_factory=lambda: np.zeros(1))  # (outputs,), of the type that sums are made in
    averages: bool = False  # sums are divided by the number of rounds
    # two classes: when it is the second one. Its probability is above 1/2; its score is "above zero", or from "zero" on
    second_from: str = "probability"

    @property
    def n_outputs(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Imported:
    """A model, read."""

    source: str  # library and version
    objective: str  # as that library calls it
    forest: Forest
    schema: Schema
    answering: Answering
    reading: Reading = field(default_factory=Reading)
    classes: Any = None  # None: regression. Labels; several outputs of a forest: a list of them
    criterion: str = "gain"
    n_outputs: int = 1  # numbers that are predicted per row


def make_schema(names: Sequence[str] | None, categories: dict[int, tuple], n_columns: int) -> Schema:
    """Columns by name, if they have names that differ, and with these categories."""
    if not 0 < n_columns <= _MOST_COLUMNS:
        raise ModelFormatError(f"a model can have 1 to {_MOST_COLUMNS:,} columns, this one has {n_columns:,}.")
    if names is not None and (len(names) != n_columns or len(set(names)) < n_columns):
        raise ModelFormatError(f"there are {n_columns} columns, but these are their names: {list(names)!r:.200}.")
    if categories and not 0 <= min(categories) <= max(categories) < n_columns:
        raise ModelFormatError(f"a split is on column {max(categories)}, but there are {n_columns} columns.")
    columns = [SchemaColumn(None)] * n_columns if names is None else [SchemaColumn(name) for name in names]
    for j, own in categories.items():
        columns[j] = SchemaColumn(columns[j].name, own)
    return Schema(tuple(columns))


def ascending(values: Sequence[Any]) -> tuple[tuple, np.ndarray]:
    """(categories in the schema's order, the place there of each one given)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values), np.int64)
    place[order] = np.arange(len(values))
    return tuple(values[k] for k in order), place


def number_categories(feature: np.ndarray, sets: Sets, has_others: bool) -> tuple[dict[int, tuple], Sets]:
    """Categories of columns that are only known by number: those in some set, and perhaps one for all others.

    `feature[k]` is the column of set k. Returns (categories of each column, the sets by place among these).
    """
    categories, member = {}, sets.member.copy()
    column = feature[sets.set]
    for j in np.unique(feature).tolist():
        own = column == j
        known, member[own] = np.unique(sets.member[own], return_inverse=True)
        named = known.tolist()
        categories[j] = (*named, named[-1] + 1 if named else 0) if has_others else tuple(named)
    return categories, Sets(sets.set, member)


def check_outputs(n_outputs: int, n_trees: int) -> None:
    """Raise if no model can have so many outputs."""
    if not 1 <= n_outputs <= max(n_trees, _MOST_EMPTY):
        raise ModelFormatError(f"{n_trees} trees cannot be those of {n_outputs:,} outputs.")


def check_category(member: np.ndarray) -> None:
    """Raise if there is something that cannot be a category."""
    if len(member) and not 0 <= member.min() <= member.max() < _MOST_CATEGORY:
        raise ModelFormatError(f"categories must be numbers from 0 to {_MOST_CATEGORY - 1:,}.")


def read_bytes(given: Any, what: str) -> bytes:
    """A file's bytes; bytes as they are."""
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given)
    if hasattr(given, "__fspath__") or isinstance(given, str):
        return Path(given).read_bytes()
    raise TypeError(f"{what}, got {type(given).__name__}.")


# --- trees ------------------------------------------------------------------------------------------------------------


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

"""Checks that trees from a file can be used: no walk may loop, leave its tree, or read what does not exist.

In: a `Forest` or `Bins` whose fields have the right types. Out: nothing, or `ModelFormatError` with the place.
Nodes are in preorder and subtrees are contiguous, so one pass over the sizes proves the shape of all trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.encode import MAX_BINS, Bins
from spinney.data.schema import Schema
from spinney.io.checks import demand
from spinney.tree.forest import ASKS_BRANCHES, ASKS_SET, MISSING_LEFT, MISSING_SPREADS, MISSING_STOPS, Forest

_WORD = 64
_SET_WORDS = 4  # of a set of a boosted model with bins
_BITS = MISSING_LEFT | ASKS_SET | ASKS_BRANCHES | MISSING_STOPS | MISSING_SPREADS
_OWN_CRITERION = 6  # the last one of criteria/impurity.py
_MOST_COLUMNS = 1 << 24
_MOST_NODES = 1 << 28  # of a tree


def audit_bins(bins: Bins, place: str) -> None:
    """Edges ascend, codes are those of bins."""
    n = len(bins.n_bins)
    same = len(bins.edges) == len(bins.category_codes) == len(bins.is_categorical) == n
    demand(same, "Every column needs edges or codes", place)
    for j in range(n):
        at = f"{place}.column {j}"
        edges, codes, n_bins = bins.edges[j], bins.category_codes[j], int(bins.n_bins[j])
        demand(0 <= n_bins <= MAX_BINS, f"A column has 0 to {MAX_BINS} bins, not {n_bins}", at)
        if bins.is_categorical[j]:
            demand(len(edges) == 0 and codes.max(initial=0) < max(1, n_bins), "Codes must be those of bins", at)
        else:
            demand(len(codes) == 0 and len(edges) <= max(0, n_bins - 1), "There are more edges than bins", at)
            demand((edges[1:] > edges[:-1]).all() and not np.isnan(edges).any(), "Edges must ascend", at)


def audit_forest(forest: Forest, place: str) -> None:
    """All that can be said without the columns' categories."""
    demand(0 < forest.n_columns < _MOST_COLUMNS, f"{forest.n_columns} columns are too many or too few", place)
    _audit_shape(forest, place)
    _audit_questions(forest, place)
    _audit_sets(forest, place)
    _audit_answers(forest, place)
    _audit_counts(forest, place)


def _audit_shape(forest: Forest, place: str) -> None:
    first, size = forest.first, forest.size.astype(np.int64)
    n = len(size)
    demand(
        len(first) and first[0] == 0 and first[-1] == n,
        "Trees must begin at 0 and end at the last node",
        f"{place}.first",
    )
    good = (first[1:] > first[:-1]).all()  # differences of huge numbers may wrap around: they come after this
    lengths = np.diff(first) if good else np.zeros(1, np.int64)
    good = good and lengths.max(initial=0) < _MOST_NODES
    demand(good, "Every tree needs at least one node", f"{place}.first")
    if not n:
        return
    place = f"{place}.size"
    roots = first[:-1]
    demand((size[roots] == lengths).all() and (size > 0).all(), "A root's subtree must be its tree", place)
    end_of_tree = np.repeat(first[1:], lengths)
    asks = np.flatnonzero(size > 1)
    end = np.arange(n) + size
    demand((end <= end_of_tree).all(), "A subtree must end within its tree", place)
    n_asks = len(asks)
    demand(len(forest.feature) == n_asks, f"There are {n_asks} splits and {len(forest.feature)} columns", place)
    demand(len(forest.turn) == n_asks, f"There are {n_asks} splits and {len(forest.turn)} turns", place)
    if (forest.turn & ASKS_BRANCHES).any():
        _audit_branches(forest, size, end, asks, place)
        return
    left = asks + 1
    right = left + size[left]
    demand((right < end[asks]).all(), "A split needs a second branch", place)
    demand((end[right] == end[asks]).all(), "The branches of a split must fill its subtree", place)


def _audit_branches(forest: Forest, size: np.ndarray, end: np.ndarray, asks: np.ndarray, place: str) -> None:
    """Trees with nodes of any number of branches: an open subtree holds all that begin before its end."""
    ends, n_children = end.tolist(), [0] * len(size)
    open_nodes: list[int] = []
    for node, node_end in enumerate(ends):
        while open_nodes and ends[open_nodes[-1]] == node:
            open_nodes.pop()
        if open_nodes:
            demand(
                node_end <= ends[open_nodes[-1]], f"The subtree of node {node} does not end within its parent's", place
            )
            n_children[open_nodes[-1]] += 1
        open_nodes.append(node)
    found = np.array(n_children)[asks]
    many = (forest.turn & ASKS_BRANCHES) != 0
    demand((found >= 2).all() and (found[~many] == 2).all(), "A split needs two branches", place)


def _audit_questions(forest: Forest, place: str) -> None:
    turn, feature, n_asks = forest.turn, forest.feature, len(forest.feature)
    demand(feature.max(initial=0) < forest.n_columns, "A split uses a column that does not exist", f"{place}.feature")
    is_set, many = (turn & ASKS_SET) != 0, (turn & ASKS_BRANCHES) != 0
    demand(not (turn & ~np.uint8(_BITS)).any(), "The kind of a split is unknown", f"{place}.turn")
    demand(
        not (is_set & many).any(), "A split must test a set or have a branch per category, not both", f"{place}.turn"
    )
    if forest.bins is None:
        demand(
            len(forest.threshold) == n_asks and not len(forest.code),
            "Every split needs a threshold",
            f"{place}.threshold",
        )
        known = ~np.isnan(forest.threshold) | is_set | many
        demand(known.all(), "A threshold is missing", f"{place}.threshold")
        return
    place = f"{place}.code"
    demand(forest.bins.n_columns == forest.n_columns, "There must be bins for every column", place)
    demand(len(forest.code) == n_asks and not len(forest.threshold), "Every split needs a code", place)
    plain = not (turn & ~np.uint8(MISSING_LEFT | ASKS_SET)).any()
    demand(plain, "Trees from bins have two branches, and missing values take one", f"{place[:-5]}.turn")
    by_number = ~forest.bins.is_categorical[feature]
    demand((is_set != by_number).all(), "Splits on categories need sets, and splits on numbers need codes", place)
    demand(
        (forest.code < np.maximum(forest.bins.n_bins[feature], 1))[~is_set].all(),
        "A code does not belong to a bin",
        place,
    )


def _audit_sets(forest: Forest, place: str) -> None:
    start, is_set = forest.set_start, forest.is_set
    n_sets = int(np.count_nonzero(is_set))
    place = f"{place}.sets"
    demand(len(start) == n_sets + 1 and start[0] == 0, f"There must be a set for each of {n_sets} splits", place)
    ascend = (start[1:] >= start[:-1]).all()
    demand(ascend and start[-1] == len(forest.sets), "Sets must fill their array", place)
    lengths = np.diff(start)
    if forest.bins is not None and n_sets:
        codes = forest.bins.n_bins[forest.feature[is_set]].astype(np.int64)  # that of missing values included
        needed = np.where(forest.criterion is None, _SET_WORDS, codes // _WORD + 1)
        demand((lengths == needed).all(), "A set must have a bit for every code", place)


def _audit_answers(forest: Forest, place: str) -> None:
    answers, classes = forest.answers, forest.n_classes
    place = f"{place}.answers"
    demand(len(answers) == forest.n_nodes, "Every node needs a value", place)
    demand(forest.criterion is None or 0 <= forest.criterion <= _OWN_CRITERION, "The criterion is unknown", place)
    demand(np.isfinite(answers).all(), "Node values must be finite", place)
    if classes is None:
        demand(answers.shape[1] >= 1 and answers.shape[2] == 1, "A node must have one number per output", place)
        demand(forest.criterion is not None or answers.shape[1] == 1, "A boosted tree has one output", place)
        return
    demand(forest.criterion is not None, "The nodes of a boosted tree must hold numbers", place)
    good = (
        len(classes) == answers.shape[1]
        and all(c >= 1 for c in classes)
        and max(classes, default=0) == answers.shape[2]
    )
    demand(good, "A node must have a weight for every class", place)
    demand(
        (answers >= 0).all() and (answers.sum(axis=2, dtype=np.float64) > 0).all(), "Weights must be positive", place
    )
    for k, n_classes in enumerate(classes):
        demand(not answers[:, k, n_classes:].any(), "A class that does not exist has a weight", place)


def _audit_counts(forest: Forest, place: str) -> None:
    n, n_asks, n_trees = forest.n_nodes, len(forest.feature), forest.n_trees
    is_classes = forest.n_classes is not None
    demand(
        len(forest.n_samples) in (n - n_asks, n), "Samples are counted for leaves or for nodes", f"{place}.n_samples"
    )
    integers = forest.weight.dtype.kind == "i"
    wanted = n - n_asks if integers else n
    needs = integers or not is_classes
    known = forest.weight.dtype.kind != "u"  # else they are of other leaves: see tree/forest.py
    good = known and len(forest.weight) in ((wanted,) if needs else (0, wanted))
    demand(good, "Weights are missing", f"{place}.weight")
    demand(
        len(forest.weight_unit) == (n_trees if integers else 0), "Weights need a unit per tree", f"{place}.weight_unit"
    )
    own = forest.criterion == _OWN_CRITERION
    lengths = (0,) if forest.criterion is None else (n,) if not is_classes or own else (0, n)
    demand(len(forest.impurity) in lengths, "Impurities are missing or too many", f"{place}.impurity")
    demand(
        len(forest.gain) == (n_asks if forest.criterion is None else 0),
        "Gains are missing or too many",
        f"{place}.gain",
    )
    for name in ("weight", "weight_unit", "impurity", "gain"):
        demand(not np.isnan(getattr(forest, name)).any(), "A number is missing", f"{place}.{name}")


def audit_with_schema(forest: Forest, schema: Schema, place: str) -> None:
    """The rest: trees must ask about the columns as these are."""
    n_categories = np.array([-1 if one.categories is None else len(one.categories) for one in schema.columns])
    demand(len(n_categories) == forest.n_columns, "Trees and schema have other columns", place)
    bins: Any = forest.bins
    if bins is not None:
        same = all(len(codes) == max(n, 0) for codes, n in zip(bins.category_codes, n_categories.tolist()))
        demand(
            same and (bins.is_categorical == (n_categories >= 0)).all(), "Bins and schema have other categories", place
        )
        return
    of = n_categories[forest.feature]
    by_category = (forest.turn & (ASKS_SET | ASKS_BRANCHES)) != 0
    demand((by_category == (of >= 0)).all(), "Trees and schema have other categories", place)
    words = -(-of[forest.is_set] // _WORD)
    demand((np.diff(forest.set_start) >= words).all(), "A set must have a bit for every category", place)

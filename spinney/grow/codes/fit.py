"""One tree from codes: an encoded table and a target in, a `DecisionTree` out. The room's front door."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._jit import kernel
from spinney.criteria.impurity import ABSOLUTE, OWN, class_impurity
from spinney.grow.codes.grower import grow_from_codes
from spinney.grow.codes.memory import Cells, Memory, make_memory
from spinney.grow.codes.statistics import MOST_PACKED, Statistics, make_packed, make_wide
from spinney.grow.exact.fit import Settings, make_rules, make_statistics
from spinney.grow.exact.freeze import Shape, Target, describe
from spinney.grow.exact.statistics import Pairs
from spinney.tree.decision import LEAF, NO_FEATURE, NUMBER, STOPS, DecisionTree


def grows_from_codes(settings: Settings, target: Target, is_categorical: np.ndarray) -> bool:
    """Whether this room can grow such trees; grow/exact can grow them all."""
    pairs = target.n_outputs == 1 and target.n_classes in (None, (2,))
    plain = settings.max_leaves is None and not settings.by_ratio and settings.significance is None
    known = settings.criterion not in (OWN, ABSOLUTE)
    return pairs and plain and known and not settings.monotone.any() and not is_categorical.any()


class Desk(NamedTuple):
    """What a thread needs to grow one tree after the other."""

    codes: np.ndarray  # uint8 (rows, columns): the cells of the rows that count
    memory: Memory
    packed: Statistics
    wide: list[Statistics]  # made at first need


def make_desk(cells: Cells, n_columns: int) -> Desk:
    """For trees on up to all rows of a table."""
    n_rows = len(cells.codes)
    return Desk(np.empty_like(cells.codes), make_memory(n_rows, n_columns, 2 * n_rows), make_packed(n_rows), [])


def grow_coded_tree(
    cells: Cells, edges: np.ndarray, target: Target, settings: Settings, desk: Desk, rows: np.ndarray | None = None
) -> DecisionTree:
    """Grow a tree.

    edges     (columns, codes): the upper edge of every bin
    target    of the rows that count
    rows      int64: the rows of the table that count, ascending; None: all
    """
    pairs, _, criterion = make_statistics(target, settings)
    assert isinstance(pairs, Pairs)
    n_columns = len(cells.missing)
    if rows is not None:
        some = desk.codes[: len(rows)]
        _copy_rows(cells.codes.view(np.uint64), rows, some.view(np.uint64))
        cells = cells._replace(codes=some)
    rules = make_rules(settings, len(cells.codes), n_columns, pairs, target)
    statistics = _statistics(pairs, target, rules, desk)
    n_nodes = grow_from_codes(cells, statistics, pairs, target.labels is not None, criterion, rules, desk.memory)
    return _freeze(desk.memory, int(n_nodes), len(cells.codes), edges, target, settings.criterion, pairs.units[0])


def _statistics(pairs: Pairs, target: Target, rules: Any, desk: Desk) -> Statistics:
    total = rules.total_weight / pairs.units[0]
    if target.labels is not None and rules.min_leaf == 1 and total < MOST_PACKED:
        return desk.packed
    if not desk.wide:
        desk.wide.append(make_wide(len(desk.memory.rows)))
    return desk.wide[0]


@kernel
def _copy_rows(codes, rows, out):
    """Eight codes at a time."""
    for i in range(rows.size):
        for word in range(codes.shape[1]):
            out[i, word] = codes[rows[i], word]


def _freeze(
    memory: Memory, n_nodes: int, n_rows: int, edges: np.ndarray, target: Target, criterion: int, unit: float
) -> DecisionTree:
    begin, end, parent = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    feature, missing, children = (np.empty(n, np.int32) for n in (n_nodes, n_nodes, n_nodes - 1))
    threshold, kind, child_start = np.empty(n_nodes), np.empty(n_nodes, np.uint8), np.zeros(n_nodes + 1, np.int64)
    nodes = memory.nodes[:n_nodes]
    _lay_out(nodes, edges, begin, end, parent, feature, missing, threshold, kind, children, child_start)
    if target.labels is not None:
        answers, weight = np.empty((n_nodes, 1, 2)), np.empty(n_nodes)
        _answer(nodes, unit, answers, weight)
        impurity = class_impurity(criterion, answers)
    else:
        shape = Shape(begin, end, kind == LEAF, parent, memory.rows[:n_rows].astype(np.int64))
        answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
    return DecisionTree(
        n_classes=target.n_classes,
        kind=kind,
        child_start=child_start,
        children=children,
        feature=feature,
        threshold=threshold,
        missing=missing,
        set_start=np.zeros(n_nodes + 1, np.int64),
        sets=np.empty(0, np.uint64),
        answers=answers,
        impurity=impurity,
        n_samples=end - begin,
        weight=weight,
    )


@kernel
def _lay_out(nodes, edges, begin, end, parent, feature, missing, threshold, kind, children, child_start):
    """The grown nodes as arrays."""
    n_children = 0
    for k in range(nodes.size):
        node = nodes[k]
        begin[k], end[k], parent[k] = node.begin, node.end, node.parent
        feature[k], missing[k], threshold[k], kind[k] = NO_FEATURE, STOPS, np.nan, LEAF
        if node.right >= 0:
            feature[k], missing[k] = node.feature, 1 - np.int64(node.missing_left)
            threshold[k], kind[k] = edges[node.feature, node.code], NUMBER
            children[n_children], children[n_children + 1] = k + 1, node.right
            n_children += 2
        child_start[k + 1] = n_children


@kernel
def _answer(nodes, unit, answers, weight):
    """The weights of both classes."""
    for k in range(nodes.size):
        node = nodes[k]
        answers[k, 0, 0], answers[k, 0, 1] = float(node.weight - node.amount) * unit, float(node.amount) * unit
        weight[k] = float(node.weight) * unit

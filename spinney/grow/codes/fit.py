"""One tree from codes: an encoded table and a target in, a `Grove` of one tree out. The room's front door."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney.criteria.impurity import ABSOLUTE, ERROR, OWN
from spinney.grow.codes.grower import grow_from_codes
from spinney.grow.codes.memory import Cells, Memory, make_memory
from spinney.grow.codes.statistics import (
    MOST_CLASSES,
    MOST_IN_BYTES,
    MOST_PACKED,
    ClassStatistics,
    Statistics,
    make_classes,
    make_packed,
    make_wide,
)
from spinney.grow.lists.fit import Settings, make_rules, make_statistics
from spinney.grow.lists.freeze import Shape, Target, describe
from spinney.grow.lists.statistics import Classes, Pairs
from spinney.tree.grove import MOST_EXACT, Grove, narrow
from spinney.tree.questions import MOST_COLUMNS, question


def grows_from_codes(settings: Settings, target: Target, is_categorical: np.ndarray, whole_weights: bool) -> bool:
    """Whether this room can grow such trees; grow/exact can grow them all. Weights may be whole numbers or any."""
    if target.n_outputs > 1 or settings.criterion in (OWN, ABSOLUTE):
        return False
    if target.n_classes is not None and target.n_classes != (2,):
        if target.n_classes[0] > MOST_CLASSES or settings.criterion == ERROR or not whole_weights:
            return False
    plain = settings.max_leaves is None and not settings.by_ratio and settings.significance is None
    simple = not settings.monotone.any() and not is_categorical.any() and len(is_categorical) < MOST_COLUMNS
    return plain and simple


class Desk(NamedTuple):
    """What a thread needs to grow one tree after the other."""

    codes: np.ndarray  # uint8 (rows, columns): the cells of the rows that count
    memory: Memory
    made: dict[str, Any]  # memory for statistics, made at first need


def make_desk(cells: Cells, n_columns: int) -> Desk:
    """For trees on up to all rows of a table."""
    n_rows = len(cells.codes)
    return Desk(np.empty_like(cells.codes), make_memory(n_rows, n_columns, 2 * n_rows), {})


def grow_coded_tree(
    cells: Cells, edges: np.ndarray, target: Target, settings: Settings, desk: Desk, rows: np.ndarray | None = None
) -> Grove:
    """Grow a tree.

    edges     (columns, codes): the upper edge of every bin
    target    of the rows that count
    rows      int64: the rows of the table that count, ascending; None: all
    """
    kinds, _, criterion = make_statistics(target, settings)
    n_columns = len(cells.missing)
    if rows is not None:
        some = desk.codes[: len(rows)]
        _copy_rows(cells.codes.view(np.uint64), rows, some.view(np.uint64))
        cells = cells._replace(codes=some)
    rules = make_rules(settings, len(cells.codes), n_columns, kinds, target)
    statistics = _statistics(kinds, target, rules, desk)
    if isinstance(kinds, Pairs) and target.labels is not None:
        kinds = kinds._replace(y=np.empty(0))  # the sums say whether a node is pure
    n_nodes = grow_from_codes(cells, statistics, kinds, criterion, rules, desk.memory)
    return _freeze(desk.memory, int(n_nodes), len(cells.codes), edges, target, settings.criterion, kinds)


def _statistics(kinds: Pairs | Classes, target: Target, rules: Any, desk: Desk) -> Statistics | ClassStatistics:
    n_rows, made = len(desk.memory.rows), desk.made
    if isinstance(kinds, Classes):
        assert kinds.by_terms
        n_classes = int(kinds.first[-1]) - 1
        if "classes" not in made:
            made["classes"] = make_classes(n_rows, n_classes)
        classes: ClassStatistics = made["classes"]
        return classes
    name = "wide"
    if target.labels is not None and rules.min_leaf == 1 and rules.total_weight / kinds.units[0] < MOST_PACKED:
        name = "packed"
    if name not in made:
        made[name] = (make_packed if name == "packed" else make_wide)(n_rows)
    statistics: Statistics = made[name]
    if name == "packed":
        most = 1 if kinds.weight is None else int(kinds.weight.max())
        statistics = statistics._replace(most=most if most <= MOST_IN_BYTES else 0)
    return statistics


@kernel
def _copy_rows(codes, rows, out):
    """Eight codes at a time."""
    for i in range(rows.size):
        for word in range(codes.shape[1]):
            out[i, word] = codes[rows[i], word]


def _freeze(
    memory: Memory, n_nodes: int, n_rows: int, edges: np.ndarray, target: Target, criterion: int, kinds: Any
) -> Grove:
    nodes = memory.nodes[:n_nodes]
    steps, n_samples = np.empty(n_nodes, np.uint64), np.empty(n_nodes, np.uint32)
    _lay_out(nodes, steps, n_samples)
    weight, impurity = np.empty(0, np.float32), np.empty(0)
    if isinstance(kinds, Pairs) and target.labels is not None:
        unit = float(kinds.units[0])
        whole = unit == 1.0 and int(nodes[0].weight) < MOST_EXACT
        answers = np.empty((n_nodes, 1, 2), np.float32 if whole else np.float64)
        weight = np.empty(0 if whole else n_nodes, np.float32 if whole else np.float64)
        _answer(nodes, unit, answers, weight)
    else:
        begin, end, parent, is_leaf = (np.empty(n_nodes, kind) for kind in (np.int64, np.int64, np.int64, np.bool_))
        _shape(nodes, begin, end, parent, is_leaf)
        shape = Shape(begin, end, is_leaf, parent, memory.rows[:n_rows].astype(np.int64))
        answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
        if target.labels is None:
            weight = narrow(weight)
        else:  # whole weights: they are the sums of the answers
            answers, weight, impurity = narrow(answers), np.empty(0, np.float32), np.empty(0)
    return Grove(
        n_classes=target.n_classes,
        criterion=criterion,
        first=np.array([0, n_nodes]),
        first_set=np.zeros(2, np.int64),
        steps=steps,
        edges=edges,
        n_samples=n_samples,
        answers=answers,
        weight=weight,
        impurity=impurity,
        set_at=np.empty(0, np.int64),
        sets=np.empty(0, np.uint64),
    )


@kernel
def _lay_out(nodes, steps, n_samples):
    """The grown nodes as questions."""
    for k in range(nodes.size):
        node = nodes[k]
        n_samples[k] = node.end - node.begin
        if node.right >= 0:
            steps[k] = question(node.right, node.feature, np.int64(node.code) + 1, node.missing_left)
        else:
            steps[k] = question(k, 0, 0, 0)


@kernel
def _shape(nodes, begin, end, parent, is_leaf):
    for k in range(nodes.size):
        node = nodes[k]
        begin[k], end[k], parent[k], is_leaf[k] = node.begin, node.end, node.parent, node.right < 0


@kernel
def _answer(nodes, unit, answers, weight):
    """The weights of both classes."""
    for k in range(nodes.size):
        node = nodes[k]
        answers[k, 0, 0], answers[k, 0, 1] = float(node.weight - node.amount) * unit, float(node.amount) * unit
        if weight.size:
            weight[k] = float(node.weight) * unit

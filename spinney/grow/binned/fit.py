"""One tree from codes: an encoded table and a target in, a `Forest` of one tree out. The room's front door."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.criteria.impurity import ABSOLUTE, OWN
from spinney.data.encode import Bins
from spinney.data.target import Target
from spinney.grow.binned.category_order import Orders, fill_sets, make_orders, one_row
from spinney.grow.binned.grower import grow_from_codes, grow_own_from_codes
from spinney.grow.binned.memory import (
    MOST_CLASSES,
    MOST_PACKED,
    NEEDS_ROOM,
    CodedTable,
    Memory,
    SumStatistics,
    make_classes,
    make_memory,
    make_packed,
    make_sums,
    make_wide,
    with_room,
)
from spinney.grow.node_values import NodeRows, describe
from spinney.grow.rules import TreeSettings, make_rules
from spinney.grow.targets import Classes, Pairs, Values, make_statistics
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, MOST_EXACT, Forest, ends_of, small
from spinney.tree.packed import MOST_COLUMNS

# ----------------------------------------------------------------------------------------------------------------------
# `code_tree`: a tree that grow/exact has grown from bins, in the form of those that are grown from codes.
#
# In: a tree whose thresholds are edges of bins. Out: a `Forest` of one tree, bit for bit the one that this room would
# have made of it.


def code_tree(tree: DecisionTree, bins: Bins, target: Target) -> Forest:
    """The same tree with codes for thresholds; `target` is that of its rows."""
    forest = tree.forest.compact()
    codes = np.empty(len(forest.feature), np.uint8)
    _find_codes(*bins.edge_list, forest.feature.astype(np.int64), forest.threshold, codes)
    if target.n_classes == (2,) and target.weights.importance is not None:
        forest = replace(forest, answers=tree.answers, weight=tree.weight)
    return replace(forest, bins=bins, code=codes, threshold=np.empty(0))


@kernel
def _find_codes(edges, first, column, threshold, codes):
    """The bin that each threshold is the upper edge of; infinite: the last one."""
    for k in range(codes.size):
        low, high = first[column[k]], first[column[k] + 1] - 1
        while low < high:
            middle = (low + high) // 2
            if edges[middle] < threshold[k]:
                low = middle + 1
            else:
                high = middle
        codes[k] = low - first[column[k]]


def grows_from_codes(settings: TreeSettings, target: Target, n_columns: int) -> bool:
    """Whether this room can grow such trees; grow/exact can grow them all."""
    n_sums = target.n_outputs if target.n_classes is None else sum(target.n_classes)
    if settings.criterion == ABSOLUTE or n_sums > MOST_CLASSES:
        return False
    plain = settings.max_leaves is None and not settings.by_ratio and settings.significance is None
    simple = not settings.monotone.any() and n_columns < MOST_COLUMNS
    return plain and simple


@dataclass
class TreeWorkspace:
    """What a thread needs to grow one tree after the other."""

    codes: np.ndarray  # uint8 (rows, columns): the cells of the rows that count
    memory: Memory
    made: dict[str, Any]  # memory for statistics, made at first need


def make_desk(cells: CodedTable, bins: Bins) -> TreeWorkspace:
    """For trees on up to all rows of a table."""
    memory = make_memory(len(cells.codes), bins.n_columns, make_orders(bins))
    return TreeWorkspace(np.empty_like(cells.codes), memory, {})


def grow_coded_tree(
    cells: CodedTable,
    bins: Bins,
    target: Target,
    settings: TreeSettings,
    desk: TreeWorkspace,
    rows: np.ndarray | None = None,
) -> Forest:
    """Grow a tree.

    bins      those that the cells are codes of
    target    of the rows that count
    rows      int64: the rows of the table that count, ascending; None: all
    """
    kinds, _, criterion = make_statistics(target, settings.criterion, settings.own)
    n_columns, has_categories = len(cells.missing), isinstance(desk.memory.orders, Orders)
    if rows is None and has_categories:  # this tree's order of them is its own
        rows = np.arange(len(cells.codes))
    if rows is not None:
        some = desk.codes[: len(rows)]
        _copy_rows(cells.codes.view(np.uint64), rows, some.view(np.uint64))
        cells = cells._replace(codes=some)
    rules = make_rules(settings, len(cells.codes), n_columns, kinds, target)
    if isinstance(desk.memory.orders, Orders):
        weight = one_row(kinds, len(cells.codes))
        desk.memory = desk.memory._replace(orders=desk.memory.orders._replace(one_row=weight))
    statistics = _statistics(kinds, target, rules, settings.own is not None, desk)
    if isinstance(statistics, SumStatistics):
        kinds = statistics.kinds
    elif isinstance(kinds, Pairs) and target.labels is not None:
        kinds = kinds._replace(y=np.empty(0))  # the sums say whether a node is pure
    run = grow_from_codes if settings.own is None else grow_own_from_codes(criterion)
    desk.memory.progress[:] = 0
    while (n_nodes := run(cells, statistics, kinds, criterion, rules, desk.memory)) == NEEDS_ROOM:
        desk.memory = with_room(desk.memory)
    frozen = desk.memory, int(n_nodes), len(cells.codes), bins, target, settings.criterion, kinds
    return freeze(*frozen, statistics.rows)


def _statistics(kinds: Any, target: Target, rules: Any, own: bool, desk: TreeWorkspace) -> Any:
    """What suits the target best: two sums in a word, two, a weight for each class, or any sums."""
    n_rows, made = len(desk.memory.rows), desk.made
    by_terms = isinstance(kinds, Classes) and kinds.by_terms and len(kinds.place) == 1
    if own or not (by_terms or isinstance(kinds, Pairs)):
        return _sums(kinds, own, desk)
    if isinstance(kinds, Classes):
        n_classes = int(kinds.first[-1]) - 1
        if "classes" not in made:
            made["classes"] = make_classes(n_rows, n_classes)
        return made["classes"]
    name = "wide"
    if target.labels is not None and rules.min_leaf == 1 and rules.total_weight / kinds.units[0] < MOST_PACKED:
        name = "packed"
    if name not in made:
        made[name] = (make_packed if name == "packed" else make_wide)(n_rows)
    return made[name]


def _sums(kinds: Pairs | Classes | Values, own: bool, desk: TreeWorkspace) -> SumStatistics:
    """A table of what each row adds; the kinds, which kernels are compiled for, need not know it too."""
    parts: np.ndarray | tuple[np.ndarray, ...]
    if isinstance(kinds, Classes):
        first, parts = kinds.first, kinds.place
    else:
        parts = kinds.amounts if isinstance(kinds, Values) else (kinds.amount, kinds.square)
        if isinstance(kinds, Pairs) and kinds.square is None:
            parts = (kinds.amount, np.zeros_like(kinds.amount))
        first = np.arange(1, len(parts) + 2)
    if "sums" not in desk.made:
        desk.made["sums"] = make_sums(len(desk.memory.rows), len(parts), first)
    statistics: SumStatistics = desk.made["sums"]
    table = statistics.table[: len(parts[0])]
    table[:, 0] = 1 if kinds.weight is None else kinds.weight
    for part, numbers in enumerate(parts, start=1):
        table[:, part] = numbers
    if isinstance(kinds, Classes):
        return statistics._replace(kinds=kinds._replace(weight=None), only_some=not own)
    if isinstance(kinds, Pairs):
        return statistics._replace(kinds=kinds._replace(amount=np.empty(0, np.int64), weight=None, square=None))
    return statistics._replace(kinds=kinds._replace(weight=None))


@kernel
def _copy_rows(codes, rows, out):
    """Eight codes at a time."""
    for i in range(rows.size):
        for word in range(codes.shape[1]):
            out[i, word] = codes[rows[i], word]


# ----------------------------------------------------------------------------------------------------------------------
# From the grown nodes, which stand in preorder, to a `Forest` of one tree.


_WORD = 64  # codes of a set in a word
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


def freeze(
    memory: Memory,
    n_nodes: int,
    n_rows: int,
    bins: Bins,
    target: Target,
    criterion: int,
    kinds: Any,
    stats: np.ndarray,
) -> Forest:
    """The finished tree; `kinds` are the statistics of its target, `stats` what the rows add, node by node."""
    nodes = memory.nodes[:n_nodes]
    n_asks = (n_nodes - 1) // 2
    size, n_samples = np.empty(n_nodes, np.uint32), np.empty(n_nodes - n_asks, np.uint32)
    feature, code, turn = np.empty(n_asks, np.uint32), np.empty(n_asks, np.uint8), np.empty(n_asks, np.uint8)
    _lay_out(nodes, size, feature, code, turn, n_samples)
    sets, set_start = np.empty(0, np.uint64), np.zeros(1, np.int64)
    if isinstance(memory.orders, Orders):
        is_set = bins.is_categorical[feature]
        n_words = bins.n_bins.astype(np.int64) // _WORD + 1  # missing has its code, too
        set_start = ends_of(n_words[feature[is_set]])
        sets = np.zeros(int(set_start[-1]), np.uint64)
        fill_sets(nodes, memory.orders, set_start, sets)
        turn[is_set] |= ASKS_SET
        code[is_set] = 0
    weight, impurity = np.empty(0, np.float32), np.empty(0)
    if isinstance(kinds, Pairs) and target.labels is not None and criterion != OWN:
        unit = float(kinds.units[0])
        whole = unit == 1.0 and int(nodes[0]["weight"]) < MOST_EXACT
        answers = np.empty((n_nodes, 1, 2), np.float32 if whole else np.float64)
        weight = np.empty(0 if whole else n_nodes, np.float32 if whole else np.float64)
        _answer(nodes, unit, answers, weight)
    elif stats.ndim == 1 and isinstance(kinds, Classes) and int(nodes[0]["weight"]) < MOST_EXACT:  # whole weights
        answers = np.zeros((n_nodes, 1, int(kinds.first[-1]) - 1), np.float32)
        _count_classes(nodes, stats, answers)
    else:
        begin, end, parent, is_leaf = (np.empty(n_nodes, kind) for kind in (np.int64, np.int64, np.int64, np.bool_))
        _shape(nodes, begin, end, parent, is_leaf)
        shape = NodeRows(begin, end, is_leaf, parent, memory.rows[:n_rows].astype(np.int64))
        answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
    forest = Forest(
        n_columns=bins.n_columns,
        n_classes=target.n_classes,
        criterion=criterion,
        bins=bins,
        first=np.array([0, n_nodes]),
        size=small(size),
        feature=small(feature),
        turn=turn,
        answers=answers,
        n_samples=n_samples,
        code=code,
        weight=weight,
        impurity=impurity,
        set_start=set_start,
        sets=sets,
    )
    return forest.compact() if len(impurity) else forest


@kernel
def _lay_out(nodes, size, feature, code, turn, n_samples):
    """The grown nodes as sizes of subtrees, questions and leaves; from behind, since children come after parents."""
    asks, leaves = feature.size, n_samples.size
    for k in range(nodes.size - 1, -1, -1):
        node = nodes[k]
        size[k] = 1
        if node.right >= 0:
            asks -= 1
            size[k] += size[k + 1] + size[node.right]
            feature[asks], code[asks], turn[asks] = node.feature, node.code, node.missing_left * MISSING_LEFT
        else:
            leaves -= 1
            n_samples[leaves] = node.end - node.begin


@kernel
def _shape(nodes, begin, end, parent, is_leaf):
    for k in range(nodes.size):
        node = nodes[k]
        begin[k], end[k], parent[k], is_leaf[k] = node.begin, node.end, node.parent, node.right < 0


@kernel
def _count_classes(nodes, stats, answers):
    """The weight of every class: in leaves that of their rows, [ weight : 32 bits | class : 32 bits ], sums above."""
    for k in range(nodes.size - 1, -1, -1):
        node, own = nodes[k], answers[k, 0]
        if node.right < 0:
            for i in range(node.begin, node.end):
                own[stats[i] & _LOW] += np.float32(stats[i] >> _HALF)
        if node.parent >= 0:
            above = answers[node.parent, 0]
            for c in range(own.size):
                above[c] += own[c]


@kernel
def _answer(nodes, unit, answers, weight):
    """The weights of both classes."""
    for k in range(nodes.size):
        node = nodes[k]
        answers[k, 0, 0], answers[k, 0, 1] = float(node.weight - node.amount) * unit, float(node.amount) * unit
        if weight.size:
            weight[k] = float(node.weight) * unit

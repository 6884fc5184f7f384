"""One tree from codes: an encoded table and a target in, a `Forest` of one tree out. The room's front door."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.criteria.impurity import ABSOLUTE
from spinney.data.encode import Bins
from spinney.data.target import Target
from spinney.grow.binned.category_order import order_categories
from spinney.grow.binned.freeze import freeze
from spinney.grow.binned.grower import grow_from_codes, grow_own_from_codes
from spinney.grow.binned.memory import NEEDS_ROOM, CodedTable, Memory, make_memory, with_room
from spinney.grow.binned.statistics import (
    MOST_CLASSES,
    MOST_IN_BYTES,
    MOST_PACKED,
    Statistics,
    SumStatistics,
    make_classes,
    make_packed,
    make_sums,
    make_wide,
)
from spinney.grow.rules import TreeSettings, make_rules
from spinney.grow.targets import Classes, Pairs, Values, make_statistics
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import Forest
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


def make_desk(cells: CodedTable, n_columns: int) -> TreeWorkspace:
    """For trees on up to all rows of a table."""
    n_rows = len(cells.codes)
    return TreeWorkspace(np.empty_like(cells.codes), make_memory(n_rows, n_columns), {})


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
    n_columns, has_categories = len(cells.missing), bool(bins.is_categorical.any())
    if rows is None and has_categories:  # this tree's order of them is its own
        rows = np.arange(len(cells.codes))
    if rows is not None:
        some = desk.codes[: len(rows)]
        _copy_rows(cells.codes.view(np.uint64), rows, some.view(np.uint64))
        cells = cells._replace(codes=some)
    rules = make_rules(settings, len(cells.codes), n_columns, kinds, target)
    places = order_categories(cells.codes, bins, kinds) if has_categories else None
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
    return freeze(*frozen, statistics.rows, places)


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
    statistics: Statistics = made[name]
    if name == "packed":
        most = 1 if kinds.weight is None else int(kinds.weight.max())
        statistics = statistics._replace(most=most if most <= MOST_IN_BYTES else 0)
    return statistics


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

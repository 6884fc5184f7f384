"""One tree from codes: an encoded table and a target in, a `Forest` of one tree out. The room's front door."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney.criteria.impurity import ABSOLUTE, ERROR, OWN
from spinney.data.binning import Bins
from spinney.data.target import Target
from spinney.grow.codes.freeze import freeze
from spinney.grow.codes.grower import grow_from_codes
from spinney.grow.codes.memory import Cells, Memory, make_memory
from spinney.grow.codes.order import order_categories
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
from spinney.grow.settings import TreeSettings, make_rules
from spinney.grow.targets import Classes, Pairs, make_statistics
from spinney.tree.forest import Forest
from spinney.tree.packed import MOST_COLUMNS


def grows_from_codes(settings: TreeSettings, target: Target, n_columns: int, whole_weights: bool) -> bool:
    """Whether this room can grow such trees; grow/lists can grow them all. Weights may be whole numbers or any."""
    if target.n_outputs > 1 or settings.criterion in (OWN, ABSOLUTE):
        return False
    if target.n_classes is not None and target.n_classes != (2,):
        if target.n_classes[0] > MOST_CLASSES or settings.criterion == ERROR or not whole_weights:
            return False
    plain = settings.max_leaves is None and not settings.by_ratio and settings.significance is None
    simple = not settings.monotone.any() and n_columns < MOST_COLUMNS
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
    cells: Cells, bins: Bins, target: Target, settings: TreeSettings, desk: Desk, rows: np.ndarray | None = None
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
    statistics = _statistics(kinds, target, rules, desk)
    if isinstance(kinds, Pairs) and target.labels is not None:
        kinds = kinds._replace(y=np.empty(0))  # the sums say whether a node is pure
    n_nodes = grow_from_codes(cells, statistics, kinds, criterion, rules, desk.memory)
    return freeze(
        desk.memory, int(n_nodes), len(cells.codes), bins, target, settings.criterion, kinds, statistics.rows, places
    )


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

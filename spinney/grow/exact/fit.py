"""One exact tree: a presorted table and a target in, a `DecisionTree` out. The room's front door."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._team import Team
from spinney.criteria.impurity import ABSOLUTE, ENTROPY, ERROR, GINI
from spinney.data.encode import Bins
from spinney.data.presort import RANK
from spinney.data.tables import Sorting, Table
from spinney.data.target import Target
from spinney.data.thresholds import NO_MIDDLES, Middles, find_middles
from spinney.grow.exact.freeze import Cuts, GrownTree, between, freeze, midway, with_sets
from spinney.grow.exact.grower import grow, grow_own
from spinney.grow.exact.memory import PresortedColumns, Sorted, make_work
from spinney.grow.exact.sparse import grow_sparse, grow_sparse_own, make_cells, make_sparse_work
from spinney.grow.exact.stumps import StumpRounds, Stumps
from spinney.grow.rules import NO_ROW, TreeSettings, make_rules
from spinney.grow.targets import Medians, make_statistics


def grow_exact_tree(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    settings: TreeSettings,
    team: Team,
    rows: np.ndarray | None = None,
    bins: Bins | None = None,
) -> GrownTree:
    """Grow a tree; see `Sorted` for what comes in. `target` is that of the rows that count."""
    return grow_sorted(sort_for_trees(table, n_categories, settings, target, team, rows, bins), target, settings, team)


def sort_for_trees(
    table: Table,
    n_categories: np.ndarray,
    settings: TreeSettings,
    target: Target,
    team: Team,
    rows: np.ndarray | None = None,
    bins: Bins | None = None,
) -> Sorted:
    """Sort the columns for trees of this kind: of this criterion and so many outputs."""
    n_others = (target.n_outputs if settings.criterion == ABSOLUTE else 0) + 1
    presorted = table.sorted(n_categories > 0, team, Sorting(rows, bins, n_others, with_values=settings.random))
    middles = find_middles(bins, table, rows) if bins is not None and settings.random else NO_MIDDLES
    return Sorted(table, n_categories, rows, bins, presorted, middles)


def grow_sorted(given: Sorted, target: Target, settings: TreeSettings, team: Team) -> GrownTree:
    """Grow a tree from sorted columns. Their lists are cut up in doing so, unless the tree is a stump."""
    table, n_categories, rows, bins, lists, middles = given
    statistics, n_sums, criterion = make_statistics(target, settings.criterion, settings.own)
    by_target = target.n_outputs if isinstance(statistics, Medians) else 0
    rules = make_rules(settings, lists.n_rows, lists.n_columns, statistics, target)
    columns: Any
    if table.is_sparse:
        work = make_sparse_work(lists.n_rows, n_sums, by_target, rules)
        is_drawn = rules.n_features < lists.n_columns and not rules.best_first
        columns = make_cells(lists, middles, len(work.nodes), is_drawn)
        run = grow_sparse if settings.own is None else grow_sparse_own(criterion)
    else:
        work = make_work(lists, n_sums, by_target, rules, team.size)
        columns = PresortedColumns(lists.values, lists.is_categorical, lists.is_binned, middles)
        run = grow if settings.own is None else grow_own(criterion)
    for o in range(by_target):
        work.lists[o - by_target - 1] = _sorted_by(target, o)

    def thresholds(cuts: Cuts) -> np.ndarray:
        is_cut = cuts.above != NO_ROW
        if settings.random:
            return cuts.threshold
        if bins is not None:
            return np.where(is_cut, cuts.threshold, np.inf)
        if not table.is_sparse:
            return midway(cuts, table, rows, team)
        low, high = lists.values[cuts.below], lists.values[np.where(is_cut, cuts.above, 0)]
        return np.where(is_cut, between(low, high), np.inf)

    nodes = work.nodes[: int(team.run(run, columns, statistics, criterion, rules, work))]
    how = target, settings.criterion, thresholds, rules.is_monotone
    return with_sets(freeze(nodes, work.lists, lists.n_columns, *how), table, rows, n_categories)


def _sorted_by(target: Target, output: int) -> np.ndarray:
    """Entries in order of the target; ranks are all different, so that the list is always cut."""
    assert target.y is not None
    order = np.argsort(target.y[output], kind="stable").astype(np.uint64)
    return (np.arange(len(order), dtype=np.uint64) << RANK) | order


# ----------------------------------------------------------------------------------------------------------------------
# `Series`: trees from one table, one after the other, with weights that change. The columns are sorted once.
#
# Used by ensembles whose members see rows of one table (AdaBoost, bagging). A stump only looks at the lists. Any other
# tree cuts them up and gets a copy, and so does a tree that leaves out rows or columns. A tree of very few of the rows
# sorts these itself, which is quicker than to look for them in the lists. Stumps of two classes have a shorter way
# (stumps.py).


_MANY_ROWS = 8192  # from which on blocks are worth their while
_FEW = 16  # rows that are less than one in so many are sorted anew


class Series:
    """Grows trees from sorted columns and leaves these as they are. All trees have the same target, but for weights."""

    def __init__(self, given: Sorted, team: Team) -> None:
        self._given, self._team = given, team
        self._room = np.empty(0, np.uint64)  # of a copy of the lists; this and the next are made when there is need
        self._stumps: Stumps | None = None

    def grow(
        self, target: Target, settings: TreeSettings, rows: np.ndarray | None = None, columns: np.ndarray | None = None
    ) -> GrownTree:
        """Grow a tree from some of the rows (int64, ascending; None: all); `target` is theirs.

        If `columns` are given, the tree is that of a table of these; `settings` are for it.
        """
        given = self._given
        if given.table.is_sparse:
            middles = given.middles if columns is None else _take_middles(given.middles, columns)
            some = given._replace(presorted=given.presorted.take(rows, columns), rows=rows, middles=middles)
            return grow_sorted(some, target, settings, self._team)
        if rows is not None and given.bins is None and _FEW * len(rows) < given.presorted.n_rows:
            table, n_categories = given.table, given.n_categories
            if columns is not None:
                table, n_categories = table.take_columns(columns), n_categories[columns]
            few = sort_for_trees(table, n_categories, settings, target, self._team, rows)
            return grow_sorted(few, target, settings, self._team)
        if columns is not None:
            return grow_sorted(self._take(rows, columns), target, settings, self._team)
        if rows is None and self._is_for_blocks(target, settings):
            return self._make_stumps(target).grow(target, settings)
        if rows is not None or settings.max_depth > 1:
            given = self._take(rows, None)
        return grow_sorted(given, target, settings, self._team)

    def rounds(
        self, target: Target, settings: TreeSettings, share: float, weights: np.ndarray, repeats: np.ndarray
    ) -> StumpRounds | None:
        """Stumps of the whole table whose weights change by leaf and class, or None where there is no such way.

        See `StumpRounds` for the last three.
        """
        if not self._is_for_blocks(target, settings):
            return None
        return StumpRounds(self._make_stumps(target), settings, share, weights, repeats)

    def _make_stumps(self, target: Target) -> Stumps:
        if self._stumps is None:
            assert target.labels is not None
            self._stumps = Stumps(self._given, target.labels[0], self._team)
        return self._stumps

    def _take(self, rows: np.ndarray | None, columns: np.ndarray | None) -> Sorted:
        """A copy of some of the lists."""
        given = self._given
        if not self._room.size:
            self._room = np.empty(given.presorted.lists.size, np.uint64)
        some = given.presorted.take(rows, self._team, given.presorted.n_others, self._room, columns)
        if columns is None:
            return given._replace(presorted=some, rows=rows)
        middles = _take_middles(given.middles, columns)
        table, n_categories = given.table.take_columns(columns), given.n_categories[columns]
        return Sorted(table, n_categories, rows, given.bins, some, middles)

    def _is_for_blocks(self, target: Target, settings: TreeSettings) -> bool:
        """Whether trees are stumps that stumps.py can grow."""
        presorted, weights = self._given.presorted, target.weights
        return (
            not self._given.table.is_sparse
            and settings.max_depth == 1
            and settings.max_leaves is None
            and presorted.n_rows >= _MANY_ROWS
            and target.n_classes == (2,)
            and settings.criterion in (GINI, ENTROPY, ERROR)
            and not (weights.counts is None and weights.importance is None)
            and settings.significance is None
            and not (settings.by_ratio or settings.random or settings.n_features < presorted.n_columns)
            and not (presorted.is_categorical.any() or settings.monotone.any())
        )


def _take_middles(middles: Middles, columns: np.ndarray) -> Middles:
    return middles if middles is NO_MIDDLES else Middles(*(part[columns] for part in middles))

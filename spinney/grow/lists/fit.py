"""One exact tree: a presorted table and a target in, a `DecisionTree` out. The room's front door."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._team import Team
from spinney.criteria.impurity import ABSOLUTE
from spinney.data.bin_values import NO_MIDDLES, Middles, find_middles
from spinney.data.binning import Bins
from spinney.data.presort import RANK, Presorted, presort
from spinney.data.sparse import SparseTable
from spinney.data.sparse_presort import SparseLists, presort_sparse
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.lists.freeze import Cuts, between, freeze, midway, with_sets
from spinney.grow.lists.grower import grow, grow_own
from spinney.grow.lists.memory import Columns, make_work
from spinney.grow.lists.sparse_grower import grow_sparse, grow_sparse_own
from spinney.grow.lists.sparse_memory import make_cells, make_sparse_work
from spinney.grow.rules import NO_ROW
from spinney.grow.settings import TreeSettings, make_rules
from spinney.grow.targets import Medians, make_statistics
from spinney.tree.decision import DecisionTree


class Grown(NamedTuple):
    tree: DecisionTree
    turn: np.ndarray  # int64: when best-first growth split each node; -1: never
    rows: np.ndarray  # int64: the rows that counted, numbered from 0, in the order of the leaves

    def leaf_of_rows(self) -> np.ndarray:
        """The leaf in which each of these rows ends."""
        leaves, leaf = np.flatnonzero(self.tree.is_leaf), np.empty(len(self.rows), np.int64)
        leaf[self.rows] = np.repeat(leaves, self.tree.n_samples[leaves])
        return leaf


class Sorted(NamedTuple):
    """A table with its columns sorted."""

    table: Table
    n_categories: np.ndarray  # per column; 0 for numbers
    rows: np.ndarray | None  # the rows of the table that count, ascending; None: all
    bins: Bins | None  # if given, thresholds are their edges only
    presorted: Presorted | SparseLists  # of the rows that count; the last lists are room for the grower's own
    middles: Middles  # of the bins, for random thresholds


def grow_exact_tree(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    settings: TreeSettings,
    team: Team,
    rows: np.ndarray | None = None,
    bins: Bins | None = None,
) -> Grown:
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
    if isinstance(table, SparseTable):
        lists = presort_sparse(table, team, bins)
        middles = find_middles(bins, table, rows) if bins is not None and settings.random else NO_MIDDLES
        return Sorted(table, n_categories, rows, bins, lists if rows is None else lists.take(rows), middles)
    presorted = presort(table, n_categories > 0, team, rows, bins, n_others, with_values=settings.random)
    middles = find_middles(bins, table, rows) if bins is not None and settings.random else NO_MIDDLES
    return Sorted(table, n_categories, rows, bins, presorted, middles)


def grow_sorted(given: Sorted, target: Target, settings: TreeSettings, team: Team) -> Grown:
    """Grow a tree from sorted columns. Their lists are cut up in doing so, unless the tree is a stump."""
    table, n_categories, rows, bins, presorted, middles = given
    if isinstance(presorted, SparseLists):
        return _grow_sparse(presorted, middles, target, settings, team)
    statistics, n_sums, criterion = make_statistics(target, settings.criterion, settings.own)
    by_target = target.n_outputs if isinstance(statistics, Medians) else 0
    for o in range(by_target):
        presorted.lists[presorted.n_columns + o] = _sorted_by(target, o)
    rules = make_rules(settings, presorted.n_rows, presorted.n_columns, statistics, target)
    work = make_work(presorted, n_sums, by_target, rules, team.size)
    columns = Columns(presorted.values, presorted.is_categorical, presorted.is_binned, middles)

    def thresholds(cuts: Cuts) -> np.ndarray:
        if settings.random:
            return cuts.threshold
        if bins is not None:
            return np.where(cuts.above == NO_ROW, np.inf, cuts.threshold)
        return midway(cuts, table, rows, team)

    run = grow if settings.own is None else grow_own(criterion)
    n_nodes = team.run(run, columns, statistics, criterion, rules, work)
    tree, turn, order = freeze(
        work, int(n_nodes), presorted.n_columns, target, settings.criterion, thresholds, rules.is_monotone
    )
    return Grown(with_sets(tree, work, table, rows, n_categories), turn, order)


def _grow_sparse(lists: SparseLists, middles: Middles, target: Target, settings: TreeSettings, team: Team) -> Grown:
    """The same from the sorted cells of a sparse table, which are always cut up."""
    statistics, n_sums, criterion = make_statistics(target, settings.criterion, settings.own)
    by_target = target.n_outputs if isinstance(statistics, Medians) else 0
    rules = make_rules(settings, lists.n_rows, lists.n_columns, statistics, target)
    work = make_sparse_work(lists.n_rows, n_sums, by_target, rules)
    for o in range(by_target):
        work.lists[o] = _sorted_by(target, o)
    is_drawn = rules.n_features < lists.n_columns and not rules.best_first
    cells = make_cells(lists, middles, len(work.nodes), is_drawn)
    run = grow_sparse if settings.own is None else grow_sparse_own(criterion)
    n_nodes = team.run(run, cells, statistics, criterion, rules, work)

    def thresholds(cuts: Cuts) -> np.ndarray:
        if settings.random:
            return cuts.threshold
        is_cut = cuts.above != NO_ROW
        if lists.is_binned:
            return np.where(is_cut, cuts.threshold, np.inf)
        low, high = lists.values[cuts.below], lists.values[np.where(is_cut, cuts.above, 0)]
        return np.where(is_cut, between(low, high), np.inf)

    tree, turn, order = freeze(
        work, int(n_nodes), lists.n_columns, target, settings.criterion, thresholds, rules.is_monotone
    )
    return Grown(tree, turn, order)


def _sorted_by(target: Target, output: int) -> np.ndarray:
    """Entries in order of the target; ranks are all different, so that the list is always cut."""
    assert target.y is not None
    order = np.argsort(target.y[output], kind="stable").astype(np.uint64)
    return (np.arange(len(order), dtype=np.uint64) << RANK) | order

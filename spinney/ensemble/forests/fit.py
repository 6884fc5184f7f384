"""Grows many random trees on one table, each from its own bootstrap sample and columns, with one thread per tree.

In: a `ForestTable` (read, and encoded or sorted, once), a target and a `Plan`. Out: a `Forest`.

There are two ways to grow a tree. From the same bins they give the same tree, except for categories:

    codes    grow/binned: from bins. The fast one. Large nodes order categories again
    lists    grow/exact: everything else, and sparse tables. The table is sorted once; a tree gets the entries of its
             rows. Every node orders categories. If the tree could have been grown from codes, it is converted to codes

The random choices of a tree are determined by the seed and its number alone. Bootstraps sample from the rows in an
order that is determined by row contents. So a forest does not depend on threads or on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.dataset import check_rows
from spinney.data.encode import Bins
from spinney.data.row_hash import order_by_content, order_of_codes
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.data.thresholds import NO_MIDDLES, find_middles
from spinney.data.weights import Weights
from spinney.ensemble.forests.bootstrap import Bags
from spinney.ensemble.forests.random_structure import grow_random_structure
from spinney.grow.binned.fit import TreeWorkspace, code_tree, grow_coded_tree, grows_from_codes, make_desk
from spinney.grow.binned.memory import CodedTable, lay_out_cells
from spinney.grow.exact.fit import Series, sort_for_trees
from spinney.grow.exact.memory import Sorted
from spinney.grow.exact.random_cuts import RandomCuts
from spinney.grow.rules import TreeSettings
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import Forest, join, small

_TREE_STRIDE = 1_000_003  # between the seeds of neighbouring trees


class Plan(NamedTuple):
    """How a forest's trees are made."""

    settings: TreeSettings  # of each tree, except its seed
    bootstrap: bool
    n_draws: int  # rows drawn for a tree
    replace: bool  # with replacement; False: each row at most once
    weights: Weights  # of all rows: chances of being drawn, or, without draws, weights in the trees
    class_weight: Callable[[np.ndarray], np.ndarray] | None  # of rows drawn (their counts, 0 for others): a factor each
    seed: int
    prune: Callable[[DecisionTree], DecisionTree] | None = None  # done to every grown tree
    structure: int | None = None  # depth of random-structure trees; None: trees are grown
    columns: Callable[[int], np.ndarray] | None = None  # of the table, for each tree; None: all. Trees from lists only
    by_node: bool = False  # every node orders the categories again, as in single trees. Trees from lists only
    tailor: Callable[[int, Target], TreeSettings] | None = None  # the settings of a tree, from its number and target


class ForestTable(NamedTuple):
    """A table ready for many trees."""

    table: Table
    n_categories: np.ndarray  # per column; 0 for numbers
    bins: Bins | None  # for cells and random structures
    cells: CodedTable | None  # codes; or else
    sorted: Sorted | RandomCuts | None  # lists, or values for random thresholds, except for random structures
    bags: Bags | None  # the rows of each tree; None: every tree gets all


def open_table(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    plan: Plan,
    max_bins: int | None,
    team: Team,
) -> ForestTable:
    """Encode or sort the table, as its trees need it."""
    check_rows(table.n_rows, "a forest")
    is_categorical = n_categories > 0
    bins = None
    if max_bins is not None:
        bins = table.bins(is_categorical, plan.weights.counts, max_bins, team)
    answers = target.labels if target.y is None else target.y
    assert answers is not None
    if plan.structure is not None:
        bags = _bags(plan, lambda: order_by_content(table, answers[0], weights=plan.weights.total()))
        return ForestTable(table, n_categories, bins, None, None, bags)
    middles = NO_MIDDLES
    if bins is not None and plan.settings.random:
        middles = find_middles(bins, table, plan.weights.rows())
    from_codes = bins is not None and grows_from_codes(plan.settings, target, table.n_columns)
    if bins is not None and from_codes and not (plan.by_node and is_categorical.any()):
        if table.is_sparse:
            given = sort_for_trees(table, n_categories, plan.settings, target, team, None, bins)
            bags = _bags(plan, lambda: table.encode(bins, team).order(answers[0], plan.weights.total()))
            given = given._replace(middles=middles)
            return ForestTable(table, n_categories, bins, None, given, bags)
        codes = table.codes(bins, team)
        cells = lay_out_cells(codes, bins, middles)
        bags = _bags(plan, lambda: order_of_codes(codes, answers[0], plan.weights.total()))
        return ForestTable(table, n_categories, bins, cells, None, bags)
    if not table.has_values:
        raise TypeError(
            "A forest on an out-of-core table is grown from binned codes, and these settings need the values. Leave "
            "out criterion='absolute_error', 'gain_ratio', max_leaf_nodes, monotonic_cst and max_bins=None, or pass "
            "X.collect() if the table fits into memory."
        )
    bags = _bags(plan, lambda: order_by_content(table, answers[0], weights=plan.weights.total()))
    random = RandomCuts.of(table, n_categories, plan.settings, target) if bins is None else None
    if random is not None:
        return ForestTable(table, n_categories, None, None, random, bags)
    given = sort_for_trees(table, n_categories, plan.settings, target, team, None, bins)._replace(middles=middles)
    return ForestTable(table, n_categories, None, None, given, bags)


def _bags(plan: Plan, find_order: Callable[[], np.ndarray]) -> Bags | None:
    if not plan.bootstrap:
        return None
    return Bags(find_order(), plan.weights.total(), plan.n_draws, plan.replace, plan.seed)


def grow_trees(
    opened: ForestTable,
    target: Target,
    plan: Plan,
    numbers: range,
    team: Team,
    report: Callable[[], object] = lambda: None,
) -> Forest:
    """Grow the trees of these numbers; `target` is that of all rows. `report` is called after each."""
    alone = Team(1, inline=True)
    desks: SimpleQueue[Any] = SimpleQueue()
    for _ in range(team.size):
        desks.put(_make_desk(opened, alone))

    def grow(number: int) -> Forest:
        desk = desks.get()
        try:
            rows, weights = draw(opened, plan, number)
            some = target.take(rows, weights)
            if plan.tailor is None:
                settings = plan.settings._replace(seed=tree_seed(plan.seed, number))
            else:
                settings = plan.tailor(number, some)
            columns = None if plan.columns is None else plan.columns(number)
            forest = _grow_one(opened, some, plan, settings, desk, rows, columns)
            if plan.prune is not None:
                forest = plan.prune(forest.tree(0)).forest
            report()
            return forest
        finally:
            desks.put(desk)

    return join(team.map(grow, numbers), team)


def tree_seed(seed: int, number: int) -> int:
    """The seed of one tree."""
    return seed + _TREE_STRIDE * number


def _make_desk(opened: ForestTable, alone: Team) -> TreeWorkspace | Series | RandomCuts | Team:
    if isinstance(opened.sorted, RandomCuts):
        return opened.sorted
    if opened.cells is not None:
        assert opened.bins is not None
        return make_desk(opened.cells, opened.bins)
    return alone if opened.sorted is None else Series(opened.sorted, alone)


def _grow_one(
    opened: ForestTable,
    target: Target,
    plan: Plan,
    settings: TreeSettings,
    desk: Any,
    rows: np.ndarray | None,
    columns: np.ndarray | None,
) -> Forest:
    if opened.cells is not None:
        assert opened.bins is not None
        return grow_coded_tree(opened.cells, opened.bins, target, settings, desk, rows)
    if plan.structure is not None:
        assert opened.bins is not None
        shape = opened.table, opened.bins, opened.n_categories, target, plan.structure
        drawn = settings.seed, settings.criterion, desk, rows, settings.n_features
        return grow_random_structure(*shape, *drawn).compact()
    if rows is None:  # several threads share the lists: each tree gets a copy
        rows = np.arange(opened.table.n_rows)
    tree = desk.grow(target, settings, rows, columns).tree
    if opened.bins is not None:
        return code_tree(tree, opened.bins, target)
    forest: Forest = tree.forest.compact()
    return forest if columns is None else renumber(forest, columns, opened.table.n_columns)


def renumber(forest: Forest, columns: np.ndarray, n_columns: int) -> Forest:
    """The trees with column j renumbered to columns[j], of a table of n_columns columns."""
    return replace(forest.with_thresholds(), n_columns=n_columns, feature=small(columns[forest.feature]))


def draw(opened: ForestTable, plan: Plan, number: int) -> tuple[np.ndarray | None, Weights]:
    """The rows of a tree (ascending; None: all) and their weights."""
    if opened.bags is None:
        rows, weights = plan.weights.rows(), plan.weights
        return rows, weights if rows is None else weights.take(rows)
    counts = opened.bags.counts(number)
    rows = np.flatnonzero(counts)
    some = counts[rows]
    if plan.class_weight is None:
        return rows, Weights(None if (some == 1).all() else some, None)
    return rows, Weights(None, plan.class_weight(counts)[rows] * some)

"""Many random trees of one table: each from its own bootstrap and its own columns, one thread a tree.

In: an `Opened` table (read, and encoded or sorted, once), a target and a `Plan`. Out: a `Grove`.

Two ways to grow a tree, which give the same tree from the same bins:

    codes    grow/codes: two classes or one number, columns of numbers, bins. The quick one
    lists    grow/exact: everything else. The table is sorted once; a tree gets the entries of its rows

What is random about a tree follows from (seed, its number) alone; bootstraps draw from the rows in an order that
follows from what they hold. So a forest does not depend on threads, on the order of the rows or on whether a row comes
twice or weighs 2.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.binning import learn_bins
from spinney.data.middles import NO_MIDDLES, find_middles
from spinney.data.presort import bin_edges
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.ensemble.resampling import Bags, order_by_content, order_of_codes
from spinney.grow.codes.fit import Desk, grow_coded_tree, grows_from_codes, make_desk
from spinney.grow.codes.memory import Cells, lay_out_cells
from spinney.grow.exact.fit import Settings, Sorted, sort_for_trees
from spinney.grow.exact.freeze import Target
from spinney.grow.exact.series import Series
from spinney.tree.decision import DecisionTree
from spinney.tree.grove import Grove, join, pack

_TREE_STRIDE = 1_000_003  # between the seeds of neighbouring trees


class Plan(NamedTuple):
    """How a forest's trees are made."""

    settings: Settings  # of each tree, but for its seed
    bootstrap: bool
    n_draws: int  # rows drawn for a tree
    replace: bool  # with replacement; False: each row at most once
    weights: Weights  # of all rows: chances of being drawn, or, without draws, weights in the trees
    class_weight: Callable[[np.ndarray], np.ndarray] | None  # of rows drawn (their counts, 0 for others): a factor each
    seed: int
    prune: Callable[[DecisionTree], DecisionTree] | None = None  # done to every grown tree


class Opened(NamedTuple):
    """A table ready for many trees."""

    table: Table
    n_categories: np.ndarray  # per column; 0 for numbers
    edges: np.ndarray | None  # float64 (columns, codes): the upper edge of every bin
    cells: Cells | None  # one of these two is there
    sorted: Sorted | None
    bags: Bags | None  # who draws which rows; None: every tree gets all


def open_table(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    plan: Plan,
    max_bins: int | None,
    team: Team,
) -> Opened:
    """Encode or sort the table, whichever its trees need."""
    is_categorical = n_categories > 0
    bins = None
    if max_bins is not None:
        bins = learn_bins(table, is_categorical, plan.weights.counts, max_bins, team)
    answers = target.labels if target.y is None else target.y
    assert answers is not None
    middles = NO_MIDDLES
    if bins is not None and plan.settings.random:
        middles = find_middles(bins, table, _rows_that_count(plan.weights))
    if bins is not None and grows_from_codes(plan.settings, target, is_categorical):
        codes = bins.encode(table, team)
        bags = _bags(plan, lambda: order_of_codes(codes, answers[0]))
        return Opened(table, n_categories, bin_edges(bins), lay_out_cells(codes, bins, middles), None, bags)
    given = sort_for_trees(table, n_categories, plan.settings, target, team, None, bins)._replace(middles=middles)
    bags = _bags(plan, lambda: order_by_content(table, answers[0]))
    return Opened(table, n_categories, None, None, given, bags)


def _bags(plan: Plan, find_order: Callable[[], np.ndarray]) -> Bags | None:
    if not plan.bootstrap:
        return None
    return Bags(find_order(), plan.weights.total(), plan.n_draws, plan.replace, plan.seed)


def _rows_that_count(weights: Weights) -> np.ndarray | None:
    """Rows of positive weight; None if all are."""
    total = weights.total()
    return None if total is None or total.all() else np.flatnonzero(total)


def grow_trees(
    opened: Opened,
    target: Target,
    plan: Plan,
    numbers: range,
    team: Team,
    report: Callable[[], object] = lambda: None,
) -> Grove:
    """Grow the trees of these numbers; `target` is that of all rows. `report` is called after each."""
    alone = Team(1, inline=True)
    desks: SimpleQueue[Any] = SimpleQueue()
    for _ in range(team.size):
        desks.put(_make_desk(opened, alone))

    def grow(number: int) -> Grove:
        desk = desks.get()
        try:
            rows, weights = draw(opened, plan, number)
            some = _take(target, rows, weights)
            settings = plan.settings._replace(seed=tree_seed(plan.seed, number))
            grove = _grow_one(opened, some, settings, desk, rows)
            if plan.prune is not None:
                grove = pack(plan.prune(grove.tree(0)), settings.criterion)
            report()
            return grove
        finally:
            desks.put(desk)

    return join(team.map(grow, numbers))


def tree_seed(seed: int, number: int) -> int:
    """The seed of one tree."""
    return seed + _TREE_STRIDE * number


def _make_desk(opened: Opened, alone: Team) -> Desk | Series:
    if opened.cells is not None:
        return make_desk(opened.cells, len(opened.n_categories))
    assert opened.sorted is not None
    return Series(opened.sorted, alone)


def _grow_one(opened: Opened, target: Target, settings: Settings, desk: Any, rows: np.ndarray | None) -> Grove:
    if opened.cells is not None:
        assert opened.edges is not None
        return grow_coded_tree(opened.cells, opened.edges, target, settings, desk, rows)
    if rows is None:  # several threads share the lists: each tree gets a copy
        rows = np.arange(opened.table.n_rows)
    return pack(desk.grow(target, settings, rows).tree, settings.criterion)


def draw(opened: Opened, plan: Plan, number: int) -> tuple[np.ndarray | None, Weights]:
    """The rows of a tree (ascending; None: all) and their weights."""
    if opened.bags is None:
        rows, weights = _rows_that_count(plan.weights), plan.weights
        return rows, weights if rows is None else weights.take(rows)
    counts = opened.bags.counts(number)
    rows = np.flatnonzero(counts)
    some = counts[rows]
    if plan.class_weight is None:
        return rows, Weights(None if (some == 1).all() else some, None)
    return rows, Weights(None, plan.class_weight(counts)[rows] * some)


def _take(target: Target, rows: np.ndarray | None, weights: Weights) -> Target:
    if rows is None:
        return target._replace(weights=weights)
    labels = None if target.labels is None else np.ascontiguousarray(target.labels[:, rows])
    y = None if target.y is None else np.ascontiguousarray(target.y[:, rows])
    return Target(labels, target.n_classes, y, weights)

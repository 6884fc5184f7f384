"""One exact tree: a presorted table and a target in, a `DecisionTree` out. The room's front door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._random import NODE_FEATURES, stream_key
from spinney._team import Team
from spinney.criteria.impurity import ABSOLUTE, OWN, POISSON
from spinney.criteria.significance import critical_values
from spinney.criteria.user_criterion import compile_criterion
from spinney.data.bin_values import NO_MIDDLES, Middles, find_middles
from spinney.data.binning import Bins
from spinney.data.presort import RANK, Presorted, presort
from spinney.data.tables import Table
from spinney.grow.lists.freeze import Cuts, Target, freeze, midway, with_sets
from spinney.grow.lists.grower import grow, grow_own
from spinney.grow.lists.memory import NO_ROW, Columns, Rules, make_work
from spinney.grow.lists.statistics import (
    Medians,
    Pairs,
    classes,
    medians,
    pair_of_classes,
    pair_of_number,
    several_numbers,
)
from spinney.grow.lists.stumps import CODES, LANES, Blocks, grow_stump
from spinney.tree.decision import DecisionTree

_NO_LIMIT = 1 << 40


class Settings(NamedTuple):
    """How to grow a tree; weights and counts are of the rows that count."""

    criterion: int
    own: Callable[..., Any] | None = None  # the user's function, if criterion is OWN
    max_depth: int = _NO_LIMIT
    max_leaves: int | None = None  # a number grows the tree best-first
    min_split: int = 2
    min_leaf: int = 1
    min_weight: float = 0.0
    min_decrease: float = 0.0
    by_ratio: bool = False
    random: bool = False
    n_features: int = _NO_LIMIT
    per_tree: bool = False  # all nodes choose from the same columns
    monotone: np.ndarray = np.empty(0, np.int8)
    significance: float | None = None
    seed: int = 0


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
    presorted: Presorted  # of the rows that count; the last lists are room for the grower's own
    middles: Middles  # of the bins, for random thresholds


def grow_exact_tree(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    settings: Settings,
    team: Team,
    rows: np.ndarray | None = None,
    bins: Bins | None = None,
) -> Grown:
    """Grow a tree; see `Sorted` for what comes in. `target` is that of the rows that count."""
    return grow_sorted(sort_for_trees(table, n_categories, settings, target, team, rows, bins), target, settings, team)


def sort_for_trees(
    table: Table,
    n_categories: np.ndarray,
    settings: Settings,
    target: Target,
    team: Team,
    rows: np.ndarray | None = None,
    bins: Bins | None = None,
) -> Sorted:
    """Sort the columns for trees of this kind: of this criterion and so many outputs."""
    n_others = (target.n_outputs if settings.criterion == ABSOLUTE else 0) + 1
    presorted = presort(table, n_categories > 0, team, rows, bins, n_others, with_values=settings.random)
    middles = find_middles(bins, table, rows) if bins is not None and settings.random else NO_MIDDLES
    return Sorted(table, n_categories, rows, bins, presorted, middles)


def grow_sorted(given: Sorted, target: Target, settings: Settings, team: Team, blocks: Blocks | None = None) -> Grown:
    """Grow a tree from sorted columns. Their lists are cut up in doing so, unless the tree is a stump.

    `blocks` help with stumps that they are of use for: see `stumps.py`.
    """
    table, n_categories, rows, bins, presorted, middles = given
    statistics, n_sums, criterion = make_statistics(target, settings)
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
        return midway(cuts, table, rows)

    if blocks is not None:
        sums = np.zeros((team.size, LANES * len(blocks.codes), CODES), np.int64)
        n_nodes = team.run(grow_stump, columns, statistics, criterion, rules, work, blocks, sums)
    else:
        run = grow if settings.own is None else grow_own(criterion)
        n_nodes = team.run(run, columns, statistics, criterion, rules, work)
    tree, turn, order = freeze(work, int(n_nodes), target, settings.criterion, thresholds, rules.is_monotone)
    return Grown(with_sets(tree, work, table, rows, n_categories), turn, order)


def make_statistics(target: Target, settings: Settings) -> tuple[Any, int, Any]:
    """(statistics, how many sums they have, criterion for the kernel)."""
    code, own = settings.criterion, settings.own
    if target.labels is not None and target.n_classes is not None:
        if target.n_classes == (2,):
            criterion = code if own is None else compile_criterion(own, "two classes")
            return pair_of_classes(target.labels[0], target.weights, code), 3, criterion
        many = classes(target.labels, target.n_classes, target.weights, code)
        return many, int(many.first[-1]) + 1, code if own is None else compile_criterion(own, "classes")
    y = target.y
    assert y is not None
    if code == ABSOLUTE:
        return medians(y, target.weights), len(y) + 1, code
    centred = code not in (POISSON, OWN)
    if len(y) > 1:
        return several_numbers(y, target.weights, centred)[0], len(y) + 1, code
    criterion = code if own is None else compile_criterion(own, "numbers")
    return pair_of_number(y[0], target.weights, centred, own is not None)[0], 3, criterion


def _sorted_by(target: Target, output: int) -> np.ndarray:
    """Entries in order of the target; ranks are all different, so that the list is always cut."""
    assert target.y is not None
    order = np.argsort(target.y[output], kind="stable").astype(np.uint64)
    return (np.arange(len(order), dtype=np.uint64) << RANK) | order


def make_rules(settings: Settings, n_rows: int, n_columns: int, statistics: Any, target: Target) -> Rules:
    units = statistics.units if hasattr(statistics, "units") else [statistics.unit]
    total = n_rows if statistics.weight is None else int(statistics.weight.sum())
    sizes = target.n_classes or ()
    degrees = sum(sizes) if target.labels is not None else target.n_outputs
    n_leans = 1 if isinstance(statistics, Pairs) else degrees
    best_first = settings.max_leaves is not None
    return Rules(
        best_first=best_first,
        max_leaves=min(n_rows, settings.max_leaves or n_rows),
        max_depth=settings.max_depth,
        min_split=max(2, settings.min_split),
        min_leaf=max(1, settings.min_leaf),
        min_weight=max(1, int(np.ceil(settings.min_weight / units[0] * (1.0 - 1e-12)))),
        min_decrease=settings.min_decrease,
        total_weight=float(total) * float(units[0]),
        by_ratio=settings.by_ratio,
        random=settings.random,
        n_features=min(settings.n_features, n_columns),
        per_tree=settings.per_tree,
        n_leans=n_leans,
        is_monotone=bool(settings.monotone.any()) and isinstance(statistics, Pairs),  # else: one class
        monotone=settings.monotone,
        critical=np.empty(0) if settings.significance is None else critical_values(settings.significance, degrees),
        seed=np.uint64(stream_key(settings.seed, NODE_FEATURES, 0)),
    )

"""The optimal tree: a table and a target in, a `DecisionTree` and what is proved of it out. The room's front door."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._random import mix
from spinney._team import Team
from spinney.criteria.impurity import GINI
from spinney.data.encode import Bins, learn_bins
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.exact.fit import grow_sorted, sort_for_trees
from spinney.grow.optimal.freeze import freeze
from spinney.grow.optimal.look_ahead import look_ahead
from spinney.grow.optimal.memory import NO_TEST, OptimalWork, Problem, make_kept, make_work
from spinney.grow.optimal.ordered_columns import Ordered, order_columns
from spinney.grow.optimal.search import (
    BEST,
    LAST,
    PLACE,
    TIME,
    Root,
    lower_bound,
    make_root,
    open_root,
    search_root,
)
from spinney.grow.optimal.statistics import Costs, Objective, leaf_cost, make_objective
from spinney.grow.rules import TreeSettings
from spinney.tree.decision import NUMBER, SET, DecisionTree


class OptimalSettings(NamedTuple):
    criterion: int
    max_depth: int
    min_leaf: int
    min_weight: float  # as a share of all
    leaf_penalty: float
    max_bins: int
    time_budget: float | None  # seconds


class OptimalResult(NamedTuple):
    tree: DecisionTree
    objective: float
    bound: float  # no tree has a lower objective


def fit_optimal_tree(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    settings: OptimalSettings,
    team: Team,
    rows: np.ndarray | None,
    counts: np.ndarray | None,
) -> OptimalResult:
    """Find the best tree. `target` is that of the rows that count; `counts` are repetitions, for the bins."""
    bins = learn_bins(table, n_categories > 0, counts, settings.max_bins, team)
    codes = bins.encode(table, team)
    codes = codes if rows is None else np.ascontiguousarray(codes[:, rows])
    greedy = _greedy_trees(table, n_categories, target, settings, team, rows, bins)
    sets = [one for tree in greedy for one in _sets_of(tree, bins, n_categories)]
    ordered = order_columns(codes, bins, target, sets)
    limits = settings.min_leaf, settings.min_weight
    objective = make_objective(target, settings.criterion, settings.leaf_penalty, *limits, settings.max_depth)
    problem = make_problem(codes, ordered, objective)
    depth = settings.max_depth if len(ordered.codes) else 0
    heaps = [_heap_of(tree, ordered, bins, problem.first, n_categories, depth) for tree in greedy]
    root = search(problem, objective.costs, heaps, depth, settings.time_budget, team)
    tree = freeze(root.heap, problem.first, ordered, bins, target, settings.criterion, n_categories)
    return OptimalResult(tree, int(root.state[BEST]) * objective.unit, lower_bound(root) * objective.unit)


# --- greedy trees to begin with --------------------------------------------------------------------------------------


def _greedy_trees(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    settings: OptimalSettings,
    team: Team,
    rows: np.ndarray | None,
    bins: Bins,
) -> list[DecisionTree]:
    """CART's trees under the same rules: by the criterion itself, and for classes by Gini impurity."""
    weights = target.weights.total()
    total = float(len(target.numbers) if weights is None else weights.sum())
    rules = TreeSettings(
        criterion=settings.criterion,
        max_depth=settings.max_depth,
        min_leaf=settings.min_leaf,
        min_weight=settings.min_weight * total,
    )
    given = sort_for_trees(table, n_categories, rules, target, team, rows, bins)
    lists, others = given.presorted, [GINI] if target.labels is not None and settings.criterion != GINI else []
    first = given._replace(presorted=_copy(lists, table, team)) if others else given
    found = [grow_sorted(first, target, rules, team).tree]
    for criterion in others:
        found.append(grow_sorted(given, target, rules._replace(criterion=criterion), team).tree)
    return found


def _copy(lists: Any, table: Table, team: Team) -> Any:
    """Growing a tree cuts up its lists."""
    return lists.take(None) if table.is_sparse else lists.take(None, team, lists.n_others)


def _sets_of(tree: DecisionTree, bins: Bins, n_categories: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """(column, which codes go left) of each split by categories."""
    nodes = np.flatnonzero(tree.kind == SET).tolist()
    return [(int(tree.feature[node]), _codes_in(tree, node, bins, n_categories)) for node in nodes]


def _codes_in(tree: DecisionTree, node: int, bins: Bins, n_categories: np.ndarray) -> np.ndarray:
    j = int(tree.feature[node])
    inside = np.zeros(int(bins.n_bins[j]), bool)
    names = tree.categories_in(node, int(n_categories[j]))
    codes = bins.category_codes[j]
    inside[codes[names[names < len(codes)]]] = True
    return inside


def _heap_of(
    tree: DecisionTree, ordered: Ordered, bins: Bins, first: np.ndarray, n_categories: np.ndarray, depth: int
) -> np.ndarray:
    """A greedy tree as tests; what is no test of ours becomes a leaf."""
    heap = np.full(2 << depth, NO_TEST, np.int32)
    waiting = [(0, 1)]
    while waiting:
        node, at = waiting.pop()
        if tree.is_leaf[node] or at >= 1 << depth:
            continue
        cell = _cell_of(tree, node, ordered, bins, first, n_categories)
        heap[at] = cell
        if cell != NO_TEST:
            waiting += zip(tree.children_of(node).tolist(), (2 * at, 2 * at + 1))
    return heap


def _cell_of(
    tree: DecisionTree, node: int, ordered: Ordered, bins: Bins, first: np.ndarray, n_categories: np.ndarray
) -> int:
    """The test that divides the rows as a node of a greedy tree does; NO_TEST: there is none."""
    j, missing_left = int(tree.feature[node]), int(tree.missing[node]) == 0
    own = np.flatnonzero(ordered.column == j)
    by_side = [v for v in own.tolist() if ordered.missing_left[v] == missing_left] or own.tolist()
    if tree.kind[node] == NUMBER:
        code = int(np.searchsorted(bins.edges[j], tree.threshold[node]))
        return int(first[by_side[0]] + code) if by_side else NO_TEST
    inside = _codes_in(tree, node, bins, n_categories)
    for v in by_side:
        place = ordered.places[v]
        assert place is not None
        there = place >= 0
        most = int(place[there & inside].max(initial=-1))
        if most >= 0 and np.array_equal(place[there] <= most, inside[there]):
            return int(first[v] + most)
    return NO_TEST


# --- the problem -----------------------------------------------------------------------------------------------------


def make_problem(codes: np.ndarray, ordered: Ordered, objective: Objective) -> Problem:
    """Rows with the same codes and class become one entry."""
    label, weight, amounts = objective.parts
    group = _same_codes(codes)
    n_labels = int(label.max(initial=0)) + 1
    name = group * n_labels + label if len(label) else group
    _, place, entry = np.unique(name, return_index=True, return_inverse=True)
    n, kept = len(place), np.ascontiguousarray(ordered.codes[:, place])
    first = np.concatenate([[0], np.cumsum(ordered.n_codes)]).astype(np.int64)
    cells = kept + first[:-1, None]
    default = np.array([begin + np.bincount(one).argmax() for begin, one in zip(first, kept)], np.int64)
    listed = cells != default[:, None]
    whole = np.zeros(n, np.int64)
    np.add.at(whole, entry, weight)
    sums = np.zeros((len(amounts), n), np.int64)
    for total, one in zip(sums, amounts):
        np.add.at(total, entry, one)
    counter = np.arange(n, dtype=np.uint64)
    problem = Problem(
        codes=kept,
        first=first,
        default=default,
        row_first=np.concatenate([[0], np.cumsum(listed.sum(axis=0))]).astype(np.int64),
        row_cells=cells.T[listed.T].astype(np.int32),
        label=label[place] if len(label) else label,
        weight=whole,
        amounts=sums,
        least=np.zeros(n, np.int64),
        keys=np.empty((2, n), np.uint64),
    )
    n_sums = objective.costs.n_parts + (objective.costs.count_at >= 0)
    _fill_least(problem, objective.costs, group[place], counter, np.empty(n_sums, np.int64))
    return problem


def _same_codes(codes: np.ndarray) -> np.ndarray:
    """A number for each row, the same for rows with the same codes."""
    if not len(codes):
        return np.zeros(codes.shape[1], np.int64)
    lines = np.ascontiguousarray(codes.T)
    return np.unique(lines.view(np.dtype((np.void, lines.shape[1]))).ravel(), return_inverse=True)[1]


@kernel
def _fill_least(problem, costs, group, counter, sums):
    """What each group of entries with the same codes costs by itself, in its first entry; and the entries' keys."""
    i, n = 0, group.size
    while i < n:
        begin = i
        for k in range(sums.size):
            sums[k] = 0
        while i < n and group[i] == group[begin]:
            if problem.label.size:
                sums[problem.label[i]] += problem.weight[i]
            else:
                for k in range(problem.amounts.shape[0]):
                    sums[k] += problem.amounts[k, i]
            i += 1
        problem.least[begin] = leaf_cost(costs, sums) - costs.penalty
    for e in range(n):
        problem.keys[0, e], problem.keys[1, e] = mix(np.uint64(1), counter[e]), mix(np.uint64(2), counter[e])


# --- the search ------------------------------------------------------------------------------------------------------


def search(
    problem: Problem, costs: Costs, heaps: list[np.ndarray], depth: int, seconds: float | None, team: Team
) -> Root:
    """The best tree, or the best that was found in time."""
    works = [make_work(problem, costs, depth) for _ in range(team.size)]
    root = make_root(int(problem.first[-1]), depth, make_kept(works[0].pairs, depth))
    with _Clock(root, seconds):
        _begin(problem, costs, works[0], root, heaps, depth, team)
        team.run(open_root, problem, costs, works[0], root, depth)
        if depth > 2:

            def enter(rank: int, size: int, sync: np.ndarray) -> Any:
                return search_root(rank, size, sync, problem, costs, works[rank], root, depth)

            team.run(enter)
    return root


def _begin(
    problem: Problem, costs: Costs, work: OptimalWork, root: Root, heaps: list[np.ndarray], depth: int, team: Team
) -> None:
    """The best of the trees to begin with: a leaf, greedy ones, one that looks two levels ahead."""
    if depth > 2:
        heaps = [*heaps, look_ahead(problem, costs, work, depth, root, team)]
    found = [np.full(2 << depth, NO_TEST, np.int32), *heaps]
    values = [cost_of_tree(problem, costs, one) for one in found]
    best = int(np.argmin(values))
    root.state[BEST], root.state[PLACE] = values[best], LAST
    root.heap[:] = found[best]


def cost_of_tree(problem: Problem, costs: Costs, heap: np.ndarray) -> int:
    """The cost of a tree, from its leaves' sums."""
    at = np.ones(problem.codes.shape[1], np.int64)
    width = 1
    while width < len(heap) // 2:
        cell = heap[at]
        asks = (cell != NO_TEST) & (at >= width)
        v = np.searchsorted(problem.first, np.where(asks, cell, 0), side="right") - 1
        rows = np.flatnonzero(asks)
        right = problem.codes[v[rows], rows] > cell[rows] - problem.first[v[rows]]
        at[rows] = 2 * at[rows] + right
        width *= 2
    n_sums = costs.n_parts + (costs.count_at >= 0)
    leaves, place = np.unique(at, return_inverse=True)
    sums = np.zeros((len(leaves), n_sums), np.int64)
    if len(problem.label):
        np.add.at(sums, (place, problem.label), problem.weight)
    for p, amounts in enumerate(problem.amounts):
        np.add.at(sums[:, n_sums - len(problem.amounts) + p], place, amounts)
    values = np.empty(len(leaves), np.int64)
    _fill_costs(costs, sums, values)
    return int(values.sum())


@kernel
def _fill_costs(costs, sums, values):
    for k in range(values.size):
        values[k] = leaf_cost(costs, sums[k])


class _Clock:
    """Raises the flag at which the search ends."""

    def __init__(self, root: Root, seconds: float | None) -> None:
        self._timer = None if seconds is None else threading.Timer(seconds, self._ring, (root,))

    @staticmethod
    def _ring(root: Root) -> None:
        root.state[TIME] = 1

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *exception: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

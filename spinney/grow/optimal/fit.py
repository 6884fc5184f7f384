"""The optimal tree: a table and a target in, a `DecisionTree` and what is proved of it out. The room's front door."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel, python_of, seconds_spent
from spinney._random import mix
from spinney._team import Team
from spinney.criteria.impurity import GINI
from spinney.data.encode import Bins, learn_bins
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.exact.fit import grow_sorted, sort_for_trees
from spinney.grow.node_values import NodeRows, describe
from spinney.grow.optimal.memory import NO_TEST, OptimalWork, Problem, make_work, n_sums_of
from spinney.grow.optimal.search import (
    BEST,
    LAST,
    PLACE,
    TIME,
    Root,
    look_ahead,
    lower_bound,
    make_root,
    open_root,
    search_root,
)
from spinney.grow.optimal.statistics import Costs, Objective, leaf_cost, make_objective
from spinney.grow.rules import TreeSettings, larger_side
from spinney.tree.decision import NUMBER, SET, DecisionTree
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, pack_sets, small


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
    _fill_least(problem, objective.costs, group[place], counter, np.empty(n_sums_of(objective.costs), np.int64))
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
    if depth == 3:  # only the root has counts to keep
        works = [one._replace(kept=works[0].kept) for one in works]
    root = make_root(works[0], depth)
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
    n_sums = n_sums_of(costs)
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
    """Raises the flag at which the search ends. Time for compiling does not count."""

    def __init__(self, root: Root, seconds: float | None) -> None:
        self._root, self._seconds, self._is_over = root, seconds, threading.Event()

    def __enter__(self) -> None:
        if self._seconds is not None:
            end = self._seconds + time.monotonic() - seconds_spent()
            threading.Thread(target=self._wait, args=(end,), daemon=True).start()

    def _wait(self, end: float) -> None:
        while (left := end - time.monotonic() + seconds_spent()) > 0:
            if self._is_over.wait(min(max(left, 0.01), 60.0)):
                return
        self._root.state[TIME] = 1

    def __exit__(self, *exception: object) -> None:
        self._is_over.set()


# ----------------------------------------------------------------------------------------------------------------------
# Every split that is tried, as a threshold on an ordered column.
#
# In: the codes of a table and a target. Out: `Ordered` columns, whose codes up to a threshold go left. A column of the
# table becomes one or more of them:
#
#     numbers            one, in the order of its bins
#     categories         in the order of the mean target or the rate of the second class; with more classes, one order
#                        per class; one against the rest, if there are few; and any set that a greedy tree has used
#     missing values     each of these twice: missing values with the last code and with the first
#
# So missing values are tried on both sides of every threshold, and on a side of their own.


FEW = 16  # categories of which each is tried against the rest


class Ordered(NamedTuple):
    codes: np.ndarray  # uint8 (ordered columns, rows)
    n_codes: np.ndarray  # int64
    column: np.ndarray  # int64: of the table
    missing_left: np.ndarray  # bool: missing values have the first code
    places: list[np.ndarray | None]  # categories: where each code stands; -1: no row has it. None: numbers


def order_columns(codes: np.ndarray, bins: Bins, target: Target, sets: list[tuple[int, np.ndarray]]) -> Ordered:
    """Order the columns; `sets` are (column, which codes go left) of greedy trees."""
    found: list[tuple[int, bool, np.ndarray | None, np.ndarray, int]] = []
    for j in range(bins.n_columns):
        own, n_bins = codes[j], int(bins.n_bins[j])
        is_missing = own == n_bins
        some_missing = bool(is_missing.any())
        orders = _orders(own, n_bins, target, [one for k, one in sets if k == j]) if bins.is_categorical[j] else [None]
        for order in orders:
            known = own if order is None else np.append(order, 0)[own].astype(np.uint8)
            n = n_bins if order is None else int(order.max()) + 1
            if not some_missing:
                if n > 1:
                    found.append((j, False, order, known, n))
                continue
            found.append((j, False, order, np.where(is_missing, n, known).astype(np.uint8), n + 1))
            if n > 1:
                found.append((j, True, order, np.where(is_missing, 0, known).astype(np.uint8), n))
    return Ordered(
        np.array([one[3] for one in found], np.uint8).reshape(len(found), codes.shape[1]),
        np.array([one[4] for one in found], np.int64),
        np.array([one[0] for one in found], np.int64),
        np.array([one[1] for one in found], bool),
        [one[2] for one in found],
    )


def _orders(codes: np.ndarray, n_bins: int, target: Target, sets: list[np.ndarray]) -> list[np.ndarray]:
    """Orders of a column's categories: the place of each code."""
    rates, weight = _rates(codes, n_bins, target)
    there = np.flatnonzero(weight > 0)
    if len(there) == 0:
        return [np.full(n_bins, -1)]
    orders: list[np.ndarray] = []
    tried: set[bytes] = set()

    def keep(place_of_there: np.ndarray) -> None:
        """Add an order, unless all its thresholds have been tried."""
        thresholds = [place_of_there <= at for at in range(int(place_of_there.max()))]
        names = {(one ^ one[0]).tobytes() for one in thresholds}
        if names - tried:
            tried.update(names)
            place = np.full(n_bins, -1)
            place[there] = place_of_there
            orders.append(place)

    for rate in rates:
        keep(np.argsort(np.argsort(rate[there], kind="stable"), kind="stable"))
    if len(there) <= FEW:
        for k in range(len(there)):
            keep((np.arange(len(there)) != k).astype(np.int64))
    for one in sets:
        inside = one[there]
        if inside.any() and not inside.all():
            keep((~inside).astype(np.int64))
    return orders or [np.where(weight > 0, 0, -1)]


def _rates(codes: np.ndarray, n_bins: int, target: Target) -> tuple[list[np.ndarray], np.ndarray]:
    """(means of the target by code, or the rate of each class, in which to order them; weight of each code)."""
    known = codes < n_bins
    weights = target.weights.total()
    each = np.ones(len(codes)) if weights is None else weights
    weight = np.bincount(codes[known], each[known], n_bins)
    if target.labels is None or target.n_classes is None:
        assert target.y is not None
        amounts = [target.y[0] * each]
    else:
        classes = [1] if target.n_classes[0] <= 2 else range(target.n_classes[0])
        amounts = [(target.labels[0] == k) * each for k in classes]
    safe = np.where(weight > 0, weight, 1.0)
    return [np.bincount(codes[known], one[known], n_bins) / safe for one in amounts], weight


# ----------------------------------------------------------------------------------------------------------------------
# From a heap of tests to a `DecisionTree`, with the values of its nodes.


_WORD = 64  # categories of a set in a word


class _Split(NamedTuple):
    v: int  # ordered column
    code: int  # up to it codes go left
    missing_left: bool


def freeze(
    heap: np.ndarray,
    first: np.ndarray,
    ordered: Ordered,
    bins: Bins,
    target: Target,
    criterion: int,
    n_categories: np.ndarray,
) -> DecisionTree:
    """The tree of a heap of tests, which are cells of ordered columns that begin at `first`."""
    splits: list[_Split] = []
    nodes: list[list[int]] = []  # size of the subtree, parent, and the run of rows in the order of the leaves
    leaves: list[np.ndarray] = []
    weights = target.weights.total()

    def visit(at: int, parent: int, begin: int, rows: np.ndarray) -> None:
        cell, number = int(heap[at]), len(nodes)
        nodes.append([1, parent, begin, begin + len(rows)])
        if cell == NO_TEST:
            leaves.append(rows)
            return
        v = int(np.searchsorted(first, cell, side="right")) - 1
        code = int(cell - first[v])
        goes_left = ordered.codes[v, rows] <= code
        splits.append(_Split(v, code, _missing_left(ordered, bins, v, rows, goes_left, weights)))
        visit(2 * at, number, begin, rows[goes_left])
        visit(2 * at + 1, number, begin + int(goes_left.sum()), rows[~goes_left])
        nodes[number][0] = len(nodes) - number

    visit(1, -1, 0, np.arange(ordered.codes.shape[1]))
    size, parent, begin, end = np.array(nodes, np.int64).T.copy()
    shape = NodeRows(begin, end, size == 1, parent, np.concatenate(leaves))
    answers, impurity, weight = describe(target, criterion, shape, np.empty((0, 0), np.uint64))
    feature = np.array([ordered.column[one.v] for one in splits], np.int64)
    is_set = np.array([ordered.places[one.v] is not None for one in splits], bool)
    code = np.array([one.code for one in splits], np.int64)
    missing_left = np.array([one.missing_left for one in splits], bool)
    sets = [_set(splits[k], ordered, bins, int(n_categories[feature[k]])) for k in np.flatnonzero(is_set).tolist()]
    return DecisionTree(
        Forest(
            n_columns=bins.n_columns,
            n_classes=target.n_classes,
            criterion=criterion,
            bins=None,
            first=np.array([0, len(size)]),
            size=small(size),
            feature=small(feature),
            turn=(missing_left * MISSING_LEFT + is_set * ASKS_SET).astype(np.uint8),
            answers=answers,
            n_samples=small((end - begin)[size == 1], np.uint32),
            threshold=np.where(is_set, np.nan, bins.thresholds(feature, code)) if len(splits) else np.empty(0),
            set_start=ends_of(np.array([len(one) for one in sets], np.int64)),
            sets=np.concatenate([np.empty(0, np.uint64), *sets]),
            weight=weight,
            impurity=impurity,
        )
    )


def _missing_left(
    ordered: Ordered,
    bins: Bins,
    v: int,
    rows: np.ndarray,
    goes_left: np.ndarray,
    weights: np.ndarray | None,
) -> bool:
    """Where missing values go: as in training, or to the larger side if the node has none."""
    last, place = int(ordered.n_codes[v]) - 1, ordered.places[v]
    n_known = int(bins.n_bins[ordered.column[v]]) if place is None else int(place.max()) + 1
    if ordered.missing_left[v]:
        return True
    if last == n_known and (ordered.codes[v, rows] == last).any():
        return False
    each = np.ones(len(rows)) if weights is None else weights[rows]
    return bool(python_of(larger_side)(each[goes_left].sum(), each.sum()))


def _set(split: _Split, ordered: Ordered, bins: Bins, n_categories: int) -> np.ndarray:
    """The categories that go left, as bits. Those that no row has go where missing values go."""
    place = ordered.places[split.v]
    assert place is not None
    goes_left = np.where(place >= 0, place <= split.code, split.missing_left)
    codes = bins.category_codes[ordered.column[split.v]]
    goes = np.full(-(-n_categories // _WORD) * _WORD, split.missing_left)
    goes[: len(codes)] = goes_left[codes]
    return pack_sets(goes)

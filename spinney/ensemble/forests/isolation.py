"""Isolation trees: random splits of a few rows until each is alone. Outliers are alone early.

In: a table, and the rows and columns of each tree. Out: a `Forest` whose values are depths: that of the leaf, plus the
mean depth that its rows would still need to be separated (`average_path_length`).

Every node samples a column that is not constant in its rows, and then

    numbers      a threshold between the smallest and the largest value in the node
    categories   a random half of the categories, sampled again until it splits the node's rows

Missing values go to a random side. If a column is otherwise constant, the split separates them from its one value. If a
node has none, they go to the larger side. Random choices are hashes of a tree's seed and a node's path; nothing depends
on the order of the rows. There are no bins, because extreme values matter here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._random import NODE_FEATURES, mix, stream_key, uniform
from spinney._team import Team
from spinney.criteria.exp_log import LN2, exps_of, logs_of
from spinney.criteria.impurity import SQUARED
from spinney.data.tables import Table
from spinney.ensemble.bagging import Draws
from spinney.ensemble.forests.bootstrap import FewDraws
from spinney.ensemble.forests.random_structure import draw_sets
from spinney.grow.rules import child_key, column_key, larger_side
from spinney.tree.forest import ASKS_SET, MISSING_LEFT, Forest, ends_of, small

# ----------------------------------------------------------------------------------------------------------------------
# How deep rows lie in trees that isolate them: the formulas of isolation forests.
#
# Liu, Ting and Zhou, Isolation Forest (2008): c(n) = 2 H(n - 1) - 2 (n - 1) / n, the mean depth at which a search of a
# binary tree of n values ends without success, with H(k) = ln(k) + 0.5772 (Euler's constant); equation 1. The score of
# a row of mean depth E is 2 ** (-E / c(n)); equation 2.


def average_path_length(n: np.ndarray) -> np.ndarray:
    """c(n): how many more questions would part n rows, on average; 0 for one row, 1 for two.

    >>> average_path_length(np.array([1, 2, 256])).round(4).tolist()
    [0.0, 1.0, 10.2448]
    """
    many = np.maximum(n, 3).astype(np.float64)
    lengths = 2.0 * (logs_of(many - 1.0) + np.euler_gamma) - 2.0 * (many - 1.0) / many
    return np.where(n > 2, lengths, np.where(n == 2, 1.0, 0.0))


def anomaly_scores(mean_depth: np.ndarray, n: int) -> np.ndarray:
    """From 0 to 1: rows that are isolated early have scores near 1. `n` is the number of rows of each tree.

    >>> anomaly_scores(average_path_length(np.array([256, 2])), 256).round(3).tolist()
    [0.5, 0.935]
    """
    scale = float(average_path_length(np.array([n]))[0])
    shares = mean_depth / scale if scale > 0.0 else np.ones_like(mean_depth)
    return exps_of(-LN2 * shares)


_NODE = np.dtype(
    [
        ("n", np.int64),
        ("depth", np.int64),
        ("feature", np.int64),  # -1 in leaves
        ("threshold", np.float64),
        ("draw", np.uint64),  # what a set of categories is made from
        ("missing_left", np.int64),
    ]
)
_WAITING = np.dtype([("begin", np.int64), ("end", np.int64), ("depth", np.int64), ("random", np.uint64)])
_WORD, _ONE = 64, np.uint64(1)
_TRIES = 64  # halves sampled until one splits the rows: each does with a probability of at least 1/2
_GREATEST = np.finfo(np.float64).max


def grow_isolation(
    table: Table,
    n_categories: np.ndarray,
    draws: Draws,
    max_depth: int,
    numbers: range,
    team: Team,
    report: Callable[[], object] = lambda: None,
) -> Forest:
    """Grow the trees of these numbers."""
    seed, few = draws.bags.seed, FewDraws(draws.bags)

    def grow(number: int) -> np.ndarray:
        columns = draws.subspaces.of(number)
        values = _take(table, few.rows(number), columns)
        key = np.uint64(stream_key(np.uint64(seed), NODE_FEATURES, np.uint64(number)))
        n_columns, n_rows = values.shape
        work = np.arange(n_rows), np.empty(n_rows, np.int64), np.arange(n_columns)
        waiting = np.empty(max_depth + 2, _WAITING)
        room = np.empty(2 * n_rows - 1, _NODE)
        n_nodes = _grow(values, n_categories[columns], key, max_depth, *work, waiting, room)
        nodes: Any = room[: int(n_nodes)]
        asks = nodes["feature"] >= 0
        nodes["feature"][asks] = columns[nodes["feature"][asks]]
        report()
        return np.asarray(nodes)

    return _freeze(team.map(grow, numbers), n_categories)


def _take(table: Table, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """float64 (columns, rows)."""
    values = np.empty((table.n_columns, len(rows)))
    for panel in table.panels:
        values[panel.columns, :] = panel.values[rows].T
    return values if len(columns) == table.n_columns else values[columns]


@kernel
def _grow(values, n_categories, key, max_depth, rows, spare, order, waiting, nodes):
    """Grow one tree into `nodes`, in preorder; returns how many there are. Columns are numbered as in `values`."""
    _wait(waiting[0], 0, rows.size, 0, key)
    n_waiting, n_nodes = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        pending, node = waiting[n_waiting], nodes[n_nodes]
        begin, end, depth, random = pending.begin, pending.end, pending.depth, pending.random
        node.n, node.depth, node.feature = end - begin, depth, -1
        node.threshold, node.draw, node.missing_left = np.nan, np.uint64(0), 0
        n_nodes += 1
        if depth == max_depth or end - begin < 2:
            continue
        n_missing = _ask(values, n_categories, rows[begin:end], random, order, node)
        if node.feature < 0:
            continue
        is_set = n_categories[node.feature] > 0
        middle = begin + _part(values[node.feature], is_set, node, rows[begin:end], spare)
        if n_missing == 0:
            node.missing_left = np.int64(larger_side(middle - begin, end - begin))
        _wait(waiting[n_waiting], middle, end, depth + 1, child_key(random, 1))
        _wait(waiting[n_waiting + 1], begin, middle, depth + 1, child_key(random, 0))
        n_waiting += 2
    return n_nodes


@inner_kernel
def _wait(pending, begin, end, depth, random):
    pending.begin, pending.end, pending.depth, pending.random = begin, end, depth, random


@inner_kernel
def _ask(values, n_categories, rows, random, order, node):
    """Sample columns until one is not constant, and a split on it; returns its number of missing values."""
    n_columns, tried, n_missing = order.size, 0, np.int64(0)
    while tried < n_columns and node.feature < 0:
        other = tried + np.int64(mix(random, tried) % np.uint64(n_columns - tried))
        order[tried], order[other] = order[other], order[tried]
        j = order[tried]
        column = values[j]
        low, high, n_missing = _span(column, rows)
        tried += 1
        if n_missing == rows.size or (low == high and n_missing == 0):
            continue
        key = column_key(random, j)
        if n_categories[j] == 0:
            node.feature = j
            node.threshold = _between(low, high, uniform(key, 0)) if low < high else np.inf
            node.missing_left = np.int64(low < high and mix(key, 1) & _ONE != 0)
        elif _halve(column, rows, low, high, key, node):
            node.feature = j
    for k in range(tried - 1, -1, -1):  # the same exchanges, backwards, undo them
        other = k + np.int64(mix(random, k) % np.uint64(n_columns - k))
        order[k], order[other] = order[other], order[k]
    return n_missing


@inner_kernel
def _span(column, rows):
    """(smallest, largest, number of missing values)."""
    low, high, n_missing = np.inf, -np.inf, np.int64(0)
    for i in range(rows.size):
        value = column[rows[i]]
        if value == value:
            low, high = min(low, value), max(high, value)
        else:
            n_missing += 1
    return low, high, n_missing


@inner_kernel
def _between(low, high, chance):
    """A threshold between low and high; infinite values are separated from all others."""
    least, greatest = max(low, -_GREATEST), min(high, _GREATEST)
    threshold = least * (1.0 - chance) + greatest * chance
    return threshold if low <= threshold < high else low


@inner_kernel
def _halve(column, rows, low, high, key, node):
    """Sample a half of the categories that splits the rows; returns whether one was found."""
    for k in range(_TRIES):
        draw = mix(key, 2 + k)
        if low == high:  # some are missing: they go to the other side
            node.draw, node.missing_left = draw, 1 - np.int64(_is_in(draw, low))
            return True
        n_left, n_known = np.int64(0), np.int64(0)
        for i in range(rows.size):
            value = column[rows[i]]
            if value == value:
                n_known += 1
                n_left += np.int64(_is_in(draw, value))
        if 0 < n_left < n_known:
            node.draw, node.missing_left = draw, np.int64(mix(key, 1) & _ONE != 0)
            return True
    return False


@inner_kernel
def _is_in(draw, category):
    """Whether a category is in the half: see `draw_sets`."""
    c = np.int64(category)
    return (mix(draw, np.uint64(c // _WORD)) >> np.uint64(c % _WORD)) & _ONE != 0


@inner_kernel
def _part(column, is_set, node, rows, spare):
    """Bring the rows that go left to the front; returns how many."""
    left, right = 0, 0
    for i in range(rows.size):
        row = rows[i]
        value = column[row]
        if value != value:
            goes_left = node.missing_left == 1
        elif is_set:
            goes_left = _is_in(node.draw, value)
        else:
            goes_left = value <= node.threshold
        if goes_left:
            rows[left] = row
            left += 1
        else:
            spare[right] = row
            right += 1
    for k in range(right):
        rows[left + k] = spare[k]
    return left


def _freeze(trees: list[np.ndarray], n_categories: np.ndarray) -> Forest:
    nodes = np.concatenate(trees)
    size, asks = np.empty(len(nodes), np.int64), nodes["feature"] >= 0
    _find_sizes(nodes["feature"].copy(), size)
    some = nodes[asks]
    is_set = n_categories[some["feature"]] > 0
    set_start = ends_of(-(-n_categories[some["feature"][is_set]] // _WORD))
    sets = np.empty(int(set_start[-1]), np.uint64)
    draw_sets(some["draw"][is_set], set_start, sets)
    return Forest(
        n_columns=len(n_categories),
        n_classes=None,
        criterion=SQUARED,
        bins=None,
        first=ends_of(np.array([len(one) for one in trees])),
        size=small(size),
        feature=small(some["feature"]),
        turn=((some["missing_left"] == 1) * MISSING_LEFT | is_set * ASKS_SET).astype(np.uint8),
        answers=(nodes["depth"] + average_path_length(nodes["n"])).reshape(-1, 1, 1),
        n_samples=small(nodes["n"][~asks], np.uint32),
        threshold=some["threshold"],
        set_start=set_start,
        sets=sets,
        weight=nodes["n"].astype(np.float64),
        impurity=np.zeros(len(nodes)),
    )


@kernel
def _find_sizes(feature, size):
    """Number of nodes below each node, itself included; in preorder, from the end."""
    for k in range(feature.size - 1, -1, -1):
        size[k] = 1
        if feature[k] >= 0:
            first = k + 1
            second = first + size[first]
            size[k] += size[first] + size[second]

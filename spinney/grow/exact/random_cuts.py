"""Trees with random thresholds between values, by one thread: a third of the time that sorted lists take.

In: a table of finite numbers, column by column, and a target of two classes or one number. Out: the very tree that the
loop in grower.py makes of the sorted lists.

A random threshold needs a node's smallest and largest value, not the order of those between. So nothing is sorted: a
node looks only at the columns that it draws, and a split moves only its rows.

    large nodes    one column: [ values of the node's rows ], one beside the other; then the sums of those up to the cut
    up to 64 rows  one column: the same, once for all nodes below; sets of rows are bits of a word (`_compile/sets.py`)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import (
    MEMBERS,
    inner_kernel,
    kernel,
    lowest_bit,
    part_kernel,
    separate_kernel,
    set_at_most,
    set_ends,
    set_size,
    set_sum,
)
from spinney._random import choose
from spinney.criteria.impurity import GINI, SQUARED, variance_score
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow.exact.freeze import Cuts, GrownTree, freeze
from spinney.grow.exact.memory import NODE
from spinney.grow.exact.search import draw_between, make_children, open_node
from spinney.grow.rules import TreeSettings, column_key, is_large, is_worth, larger_side, make_rules
from spinney.grow.targets import decrease_of_pair, make_statistics, weight_at

_NEVER = -math.inf
_NOBODY, _ONE = np.uint64(0), np.uint64(1)
_STACK = 256  # waiting nodes: the larger child waits, so there are at most log2(rows), and as many as rows in a subtree


class RandomCuts:
    """Grows trees from one table, one after the other; each by one thread. Several threads may share it."""

    def __init__(self, numbers: np.ndarray) -> None:
        self._numbers = numbers  # float64 (columns, rows)

    @classmethod
    def of(cls, table: Table, n_categories: np.ndarray, settings: TreeSettings, target: Target) -> RandomCuts | None:
        """Read the table; None if such trees cannot be grown here."""
        plain = settings.random and settings.max_leaves is None and not settings.by_ratio and settings.own is None
        plain = plain and settings.significance is None and not settings.monotone.any()
        one = target.n_classes == (2,) or (target.n_classes is None and target.n_outputs == 1)
        if not (plain and one and settings.criterion in (GINI, SQUARED)) or table.is_sparse or n_categories.any():
            return None
        numbers = np.empty((table.n_columns, table.n_rows))
        for j in range(table.n_columns):
            numbers[j] = table.column(j)
        numbers += 0.0  # -0.0 + 0.0 = 0.0
        return cls(numbers) if np.isfinite(numbers).all() else None

    def grow(
        self, target: Target, settings: TreeSettings, rows: np.ndarray | None = None, columns: np.ndarray | None = None
    ) -> GrownTree:
        """Grow a tree from some rows (int64, ascending; None: all) and columns; `target` and `settings` are theirs."""
        numbers = self._numbers if columns is None else self._numbers[columns]
        if rows is not None and len(rows) < numbers.shape[1]:
            numbers = numbers[:, rows]
        statistics, _, criterion = make_statistics(target, settings.criterion, None)
        n_columns, n_rows = numbers.shape
        rules = make_rules(settings, n_rows, n_columns, statistics, target)
        work = _make_work(n_rows, n_columns, rules.max_depth)
        n_nodes = _grow(numbers, statistics, statistics.weight, target.labels is not None, criterion, rules, work)

        def thresholds(cuts: Cuts) -> np.ndarray:
            return cuts.threshold

        return freeze(work.nodes[:n_nodes], work.lists, n_columns, target, settings.criterion, thresholds)


# One that waits to be looked at.
_WAITING = np.dtype([("node", np.int64), ("rows", np.uint64), ("weight", np.int64), ("amount", np.int64)], align=True)


class RandomWork(NamedTuple):
    """Memory of a fit."""

    nodes: Any  # NODE records
    n_nodes: np.ndarray  # int64 (1)
    lists: np.ndarray  # uint64 (1, rows): the rows, node by node
    spare: np.ndarray  # uint64, by place: room for a partition
    amounts: np.ndarray  # int64 (2, rows): what the rows add, by place; and room
    weights: np.ndarray  # the same
    values: np.ndarray  # float64, by place: a column
    order: np.ndarray  # int64: columns in random order
    stack: Any  # WAITING records
    best: Any  # float64 (2): score and threshold
    sums: np.ndarray  # int64 (4): column, rows, weight and amount on the left
    lines: np.ndarray  # float64 (columns, 64): of a small subtree
    laid: np.ndarray  # int64, by column: the subtree whose values are there
    own: np.ndarray  # uint64 (64): its rows
    small: np.ndarray  # int64 (2, 64): their weights and amounts


def _make_work(n_rows: int, n_columns: int, max_depth: int) -> RandomWork:
    most = 2 * n_rows - 1
    if max_depth < 40:
        most = min(most, 2 ** (max_depth + 1) - 1)
    return RandomWork(
        nodes=np.empty(most, NODE),
        n_nodes=np.ones(1, np.int64),
        lists=np.empty((1, n_rows), np.uint64),
        spare=np.empty(n_rows, np.uint64),
        amounts=np.empty((2, n_rows), np.int64),
        weights=np.empty((2, n_rows), np.int64),
        values=np.empty(n_rows),
        order=np.empty(n_columns, np.int64),
        stack=np.zeros(_STACK, _WAITING),
        best=np.empty(2),
        sums=np.empty(4, np.int64),
        lines=np.zeros((n_columns, MEMBERS)),
        laid=np.full(n_columns, -1),
        own=np.empty(MEMBERS, np.uint64),
        small=np.zeros((2, MEMBERS), np.int64),
    )


@kernel
def _grow(numbers, statistics, weight, is_class, criterion, rules, work):
    """Grow one tree into work.nodes; returns how many."""
    rows, n_rows = work.lists[0], work.lists.shape[1]
    w, s = np.int64(0), np.int64(0)
    for i in range(n_rows):
        rows[i] = np.uint64(i)
        work.amounts[0, i], work.weights[0, i] = statistics.amount[i], weight_at(weight, i)
        w, s = w + work.weights[0, i], s + work.amounts[0, i]
    open_node(work, 0, 0, n_rows, 0, rules.seed)
    waiting = _wait(work.stack, 0, 0, _NOBODY, w, s)
    while waiting > 0:
        waiting -= 1
        pending = work.stack[waiting]
        node = work.nodes[pending.node]
        n, w, s = node.end - node.begin, pending.weight, pending.amount
        if n <= MEMBERS:
            _grow_small(numbers, statistics, weight, is_class, criterion, rules, work, pending.node, w, s)
            continue
        if not (is_large(rules, n, node.depth) and _is_mixed(statistics, is_class, rows, node, w, s)):
            continue
        if not _search(numbers, weight, rules, work, node, w, s):
            continue
        if not _note(statistics, criterion, rules, work, node, w, s):
            continue
        _partition(numbers[node.feature], node.threshold, weight, work, node.begin, node.end)
        w_left, s_left = work.sums[2], work.sums[3]
        make_children(rules, work, pending.node)
        left_first = node.n_left > n - node.n_left  # the larger child waits below
        for which in range(2):
            if (which == 0) == left_first:
                waiting = _wait(work.stack, waiting, node.left, _NOBODY, w_left, s_left)
            else:
                waiting = _wait(work.stack, waiting, node.left + 1, _NOBODY, w - w_left, s - s_left)
    return work.n_nodes[0]


@inner_kernel
def _wait(stack, at, node, rows, weight, amount):
    one = stack[at]
    one.node, one.rows, one.weight, one.amount = node, rows, weight, amount
    return at + 1


@inner_kernel
def _is_mixed(statistics, is_class, rows, node, w, s):
    """Whether a node has more than one target."""
    if is_class:
        return 0 < s < w
    first = statistics.y[np.int64(rows[node.begin])]
    for i in range(node.begin + 1, node.end):
        if statistics.y[np.int64(rows[i])] != first:
            return True
    return False


@inner_kernel
def _note(statistics, criterion, rules, work, node, w, s):
    """Note the split that was found, if it is worth it."""
    fall = decrease_of_pair(statistics, criterion, work.best[0], (w, s), node)
    if not is_worth(rules, fall):
        return False
    node.feature, node.threshold, node.n_left = work.sums[0], work.best[1], work.sums[1]
    node.missing_left, node.decrease = larger_side(work.sums[2], w), fall
    return True


@inner_kernel
def _offer(weight, rules, work, j, threshold, n_total, total, left):
    """Note a cut if it is allowed and beats what is there; `left` is (rows, weight, amount)."""
    n, w, s = left
    if min(n, n_total - n) < rules.min_leaf or min(w, total[0] - w) < rules.min_weight:
        return
    score = variance_score(w, s, total[0] - w, total[1] - s)
    if score > work.best[0]:
        work.best[0], work.best[1] = score, threshold
        work.sums[0], work.sums[1], work.sums[2], work.sums[3] = j, n, w, s


# --- large nodes ------------------------------------------------------------------------------------------------------


@inner_kernel
def _search(numbers, weight, rules, work, node, w, s):
    """Find the best of the random cuts of the columns that a node draws; False if there is none."""
    n_columns, order, values = work.order.size, work.order, work.values
    is_drawn, n, wanted, seen = rules.n_features < work.order.size, node.end - node.begin, rules.n_features, 0
    work.best[0] = _NEVER
    while seen < wanted:
        if is_drawn:
            choose(rules.seed if rules.per_tree else node.random, wanted, order)
        for k in range(seen, wanted):
            j = order[k] if is_drawn else k
            low, high = _bring(numbers[j], work.lists[0], node.begin, node.end, values)
            if low < high:
                threshold = draw_between(low, high, column_key(node.random, j))
                left = _sum_up_to(values, threshold, weight, work, node.begin, node.end)
                _offer(weight, rules, work, j, threshold, n, (w, s), left)
        seen = wanted
        if work.best[0] == _NEVER and wanted < n_columns and not rules.per_tree:
            wanted += 1
    return work.best[0] > _NEVER


@separate_kernel
def _bring(column, rows, begin, end, values):
    """values = those of a node's rows, by place from 0; returns the smallest and the largest."""
    first = column[np.uint64(rows[begin])]
    low, high, other_low, other_high = first, first, first, first  # two chains, so that neither waits for the other
    n = end - begin
    for i in range(0, n - 1, 2):
        x, y = column[np.uint64(rows[begin + i])], column[np.uint64(rows[begin + i + 1])]
        values[i], values[i + 1] = x, y
        low, high = (x if x < low else low), (x if x > high else high)
        other_low, other_high = (y if y < other_low else other_low), (y if y > other_high else other_high)
    if n % 2 == 1:
        x = column[np.uint64(rows[end - 1])]
        values[n - 1] = x
        low, high = min(low, x), max(high, x)
    return min(low, other_low), max(high, other_high)


@separate_kernel
def _sum_up_to(values, threshold, weight, work, begin, end):
    """(rows, weight, amount) of the rows up to a threshold."""
    n, w, s = np.int64(0), np.int64(0), np.int64(0)
    amounts, weights = work.amounts[0, begin:end], work.weights[0, begin:end]
    for i in range(amounts.size):
        is_left = np.int64(values[i] <= threshold)
        n += is_left
        s += -is_left & amounts[i]
        if weight is not None:
            w += -is_left & weights[i]
    return n, n if weight is None else w, s


@part_kernel
def _partition(column, threshold, weight, work, begin, end):
    """Bring a node's rows, and what they add, up to a threshold to the front; each side keeps its order."""
    rows, spare, amounts, weights = work.lists[0], work.spare, work.amounts, work.weights
    left, right = begin, np.int64(0)
    for i in range(begin, end):
        row, amount, heavy = rows[i], amounts[0, i], weights[0, i]
        is_left = np.int64(column[np.uint64(row)] <= threshold)
        rows[left], spare[right] = row, row
        amounts[0, left], amounts[1, right] = amount, amount
        if weight is not None:
            weights[0, left], weights[1, right] = heavy, heavy
        left += is_left
        right += 1 - is_left
    for k in range(right):
        rows[left + k], amounts[0, left + k] = spare[k], amounts[1, k]
        if weight is not None:
            weights[0, left + k] = weights[1, k]


# --- small subtrees ---------------------------------------------------------------------------------------------------


@part_kernel
def _grow_small(numbers, statistics, weight, is_class, criterion, rules, work, top, w_top, s_top):
    """Grow all that is below a node of up to 64 rows. No row is moved before the leaves are known."""
    root = work.nodes[top]
    begin, n_rows = root.begin, root.end - root.begin
    for i in range(n_rows):
        work.own[i] = work.lists[0, begin + i]
        work.small[0, i], work.small[1, i] = work.weights[0, begin + i], work.amounts[0, begin + i]
    stack, first = work.stack, work.stack.size // 2
    waiting = _wait(stack, first, top, ~_NOBODY >> np.uint64(MEMBERS - n_rows), w_top, s_top)
    while waiting > first:
        waiting -= 1
        pending = stack[waiting]
        node, rows, w, s = work.nodes[pending.node], pending.rows, pending.weight, pending.amount
        left = _NOBODY
        if is_large(rules, node.end - node.begin, node.depth) and _is_mixed_set(statistics, is_class, work, rows, w, s):
            left = _search_small(numbers, weight, rules, work, top, n_rows, node, rows, w, s)
            if left != 0 and not _note(statistics, criterion, rules, work, node, w, s):
                left = _NOBODY
        if left == 0:
            _leave(work.lists[0], work.own, node.begin, rows)
            continue
        w_left, s_left = work.sums[2], work.sums[3]
        make_children(rules, work, pending.node)
        waiting = _wait(stack, waiting, node.left, left, w_left, s_left)
        waiting = _wait(stack, waiting, node.left + 1, rows & ~left, w - w_left, s - s_left)


@inner_kernel
def _is_mixed_set(statistics, is_class, work, rows, w, s):
    if is_class:
        return 0 < s < w
    first = statistics.y[np.int64(work.own[lowest_bit(rows)])]
    rows &= rows - _ONE
    while rows != 0:
        if statistics.y[np.int64(work.own[lowest_bit(rows)])] != first:
            return True
        rows &= rows - _ONE
    return False


@inner_kernel
def _search_small(numbers, weight, rules, work, top, n_rows, node, rows, w, s):
    """As `_search`; returns the rows on the left of the best cut, nobody if there is none."""
    n_columns, order, best_left = work.order.size, work.order, _NOBODY
    is_drawn, n, wanted, seen = rules.n_features < work.order.size, node.end - node.begin, rules.n_features, 0
    work.best[0] = _NEVER
    while seen < wanted:
        if is_drawn:
            choose(rules.seed if rules.per_tree else node.random, wanted, order)
        for k in range(seen, wanted):
            j = order[k] if is_drawn else k
            line = work.lines[j]
            if work.laid[j] != top:
                work.laid[j] = top
                for i in range(n_rows):
                    line[i] = numbers[j, np.int64(work.own[i])]
            low, high = set_ends(line, rows)
            if low < high:
                threshold = draw_between(low, high, column_key(node.random, j))
                left, before = set_at_most(line, threshold) & rows, work.best[0]
                n_left = set_size(left)
                w_left = n_left if weight is None else set_sum(work.small[0], left)
                _offer(weight, rules, work, j, threshold, n, (w, s), (n_left, w_left, set_sum(work.small[1], left)))
                best_left = left if work.best[0] > before else best_left
        seen = wanted
        if work.best[0] == _NEVER and wanted < n_columns and not rules.per_tree:
            wanted += 1
    return best_left


@inner_kernel
def _leave(rows, own, begin, members):
    """The rows of a leaf, in their old order."""
    while members != 0:
        rows[begin] = own[lowest_bit(members)]
        members &= members - _ONE
        begin += 1

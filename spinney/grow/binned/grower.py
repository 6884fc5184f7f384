"""Trees from codes: the loop of one thread, from the root to the leaves, depth first.

Glossary
    cells     the encoded table, row by row: all codes of a row share a cache line
    rows      row numbers, node by node; a split brings the rows that go left to the front, each side in its old order
    node      rows[begin:end]
    waiting   nodes whose turn is still to come: the left child is always next, so nodes are numbered in preorder

A node's columns are drawn by a hash of its path. It looks at one column after the other until it has seen as many as it
may choose from, and then on until one can split it. All sums are integers.

The same bins, rows and rules give the same tree as grow/exact, bit for bit. This loop is quicker: it never sorts, and
touches only the columns that a node draws. Categories are numbers by now (category_order.py).
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, kernel_each, merged_kernel, part_kernel, refer
from spinney.criteria.user_criterion import code_of
from spinney.grow.binned.memory import NEEDS_ROOM, NODES_AHEAD, draw_column, open_node, part_node, put_back
from spinney.grow.binned.search import look_at_pairs
from spinney.grow.binned.search_classes import look_at_classes
from spinney.grow.binned.search_sums import look_at_sums
from spinney.grow.binned.small_subtrees import grow_small, most_rows
from spinney.grow.binned.statistics import ClassStatistics, Statistics, SumStatistics, put, read, write
from spinney.grow.rules import NO_NODE, is_large, is_worth
from spinney.grow.targets import (
    Classes,
    Pairs,
    Values,
    decrease_of_classes,
    decrease_of_pair,
    decrease_of_values,
    same_classes,
    same_pair,
    same_values,
    weight_at,
)

# ----------------------------------------------------------------------------------------------------------------------
# Partition: a node's rows, and what they add to sums, go to its two children; each side keeps its old order.


_ONE = np.uint64(1)


@part_kernel(returns="int64")
def partition(codes, j, most, other, rows, spare_rows, stats, spare_stats, begin, end):
    """Bring rows with codes up to `most`, or equal to `other`, to the front; returns where the rest begins."""
    left, right, column = np.uint64(begin), np.uint64(0), np.uint64(j)
    for i in range(begin, end):
        row, one = rows[np.uint64(i)], read(stats, np.uint64(i))
        code = np.int64(codes[np.uint64(row), column])
        goes_left = np.uint64((code <= most) | (code == other))
        rows[left], spare_rows[right] = row, row
        write(stats, left, one)
        write(spare_stats, right, one)
        left += goes_left
        right += _ONE - goes_left
    for k in range(right):
        at = left + np.uint64(k)
        rows[at] = spare_rows[np.uint64(k)]
        write(stats, at, read(spare_stats, np.uint64(k)))
    return np.int64(left)


_NEVER = -math.inf
_LOW = np.uint64(0xFFFFFFFF)


def _grow(cells, statistics, kinds, criterion, rules, memory):
    """Grow one tree into memory.nodes; returns how many nodes, or NEEDS_ROOM, to be called again with more of it."""
    cells, statistics, kinds, rules, memory = refer(cells), refer(statistics), refer(kinds), refer(rules), refer(memory)
    n_waiting, n_nodes = memory.progress[0], memory.progress[1]
    if n_waiting == 0:
        n_waiting = _prepare(kinds, rules, cells.codes.shape[0], statistics, memory)
    most_small = most_rows(statistics, cells, rules)
    while n_waiting > 0:
        if min(memory.nodes.size - n_nodes, memory.waiting.size - n_waiting) < NODES_AHEAD:
            memory.progress[0], memory.progress[1] = n_waiting, n_nodes
            return np.int64(NEEDS_ROOM)
        n_waiting -= 1
        turn, node = memory.waiting[n_waiting], memory.nodes[n_nodes]
        open_node(memory.nodes, turn, n_nodes)
        if is_large(rules, turn.end - turn.begin, turn.depth) and is_mixed(statistics, kinds, turn, memory.rows):
            if turn.end - turn.begin <= most_small:
                n_nodes = grow_small(statistics, cells, kinds, criterion, rules, memory, n_waiting, n_nodes)
                continue
            _search(cells, statistics, criterion, kinds.logs, rules, memory, turn)
            if _may_be_made(kinds, statistics, criterion, rules, memory.split[0], turn):
                _split(cells, statistics, memory, node, n_nodes, n_waiting)
                n_waiting += 2
        n_nodes += 1
    return n_nodes


grow_from_codes = kernel(_grow)
grow_own_from_codes = kernel_each(_grow)


@inner_kernel
def _prepare(kinds, rules, n_rows, statistics, memory):
    """The root waits."""
    w_total, s_total = np.int64(0), np.int64(0)
    for i in range(n_rows):
        weight, amount = adds(statistics, kinds, i)
        memory.rows[i] = i
        put(statistics.rows, i, weight, amount)
        w_total += weight
        s_total += amount
    for j in range(memory.order.size):
        memory.order[j] = j
    root = memory.waiting[0]
    root.begin, root.end, root.weight, root.amount = 0, n_rows, w_total, s_total
    root.random, root.depth, root.parent, root.is_right = rules.seed, 0, NO_NODE, 0
    return np.int64(1)


@inner_kernel
def _pair_adds(statistics, kinds, i):
    """Weight and amount of a row."""
    return weight_at(kinds.weight, i), np.int64(kinds.amount[i])


@inner_kernel
def _class_adds(statistics, kinds, i):
    """Weight and class."""
    return weight_at(kinds.weight, i), np.int64(kinds.place[0, i]) - 1


@inner_kernel
def _sums_add(statistics, kinds, i):
    return statistics.table[i, 0], np.int64(0)


@inner_kernel
def _is_mixed_pair(statistics, kinds, node, rows):
    """Whether a node has more than one target."""
    if kinds.y.size == 0:
        return 0 < node.amount < node.weight
    return _is_mixed_sums(statistics, kinds, node, rows)


@inner_kernel
def _is_mixed_classes(statistics, kinds, node, rows):
    """The class is in the lower half of what a row adds."""
    stats = statistics.rows
    first = stats[node.begin]
    for i in range(node.begin + 1, node.end):
        if (stats[i] ^ first) & _LOW != 0:
            return True
    return False


@inner_kernel
def _is_mixed_sums(statistics, kinds, node, rows):
    first = np.int64(rows[node.begin])
    for i in range(node.begin + 1, node.end):
        if not same(kinds, first, np.int64(rows[i])):
            return True
    return False


@inner_kernel
def _fall_of_pair(statistics, kinds, criterion, split, node):
    """What the split takes off the node's impurity."""
    return decrease_of_pair(kinds, criterion, split.score, (node.weight, node.amount), node)


@inner_kernel
def _fall_of_sums(statistics, kinds, criterion, split, node):
    return decrease(kinds, code_of(criterion), split.score, statistics.total, node)


# What differs between targets
same = by_type({Pairs: same_pair, Classes: same_classes, Values: same_values})
decrease = by_type({Pairs: decrease_of_pair, Classes: decrease_of_classes, Values: decrease_of_values})
# and between layouts: two classes or a number; more classes; anything else
adds = by_type({Statistics: _pair_adds, ClassStatistics: _class_adds, SumStatistics: _sums_add})
is_mixed = by_type({Statistics: _is_mixed_pair, ClassStatistics: _is_mixed_classes, SumStatistics: _is_mixed_sums})
fall_of = by_type({Statistics: _fall_of_pair, ClassStatistics: _fall_of_sums, SumStatistics: _fall_of_sums})
look = by_type({Statistics: look_at_pairs, ClassStatistics: look_at_classes, SumStatistics: look_at_sums})


@merged_kernel
def _search(cells, statistics, criterion, logs, rules, memory, node):
    """Find the node's best split among the columns it draws."""
    split, n_columns, n_features = memory.split[0], memory.order.size, rules.n_features
    split.score, split.feature = _NEVER, n_columns
    key = rules.seed if rules.per_tree else node.random
    seen, wanted, is_drawn = 0, n_features, n_features < n_columns
    while seen < wanted:
        if is_drawn:
            for k in range(seen, wanted):
                draw_column(key, memory.order, memory.drawn, k)
        look(statistics, cells, criterion, logs, rules, memory, node, seen, wanted)
        seen = wanted
        if split.score == _NEVER and wanted < n_columns and not rules.per_tree:
            wanted += 1
    put_back(memory.order, memory.drawn, seen if is_drawn else 0)


@merged_kernel
def _may_be_made(kinds, statistics, criterion, rules, split, node):
    if split.score == _NEVER:
        return False
    return is_worth(rules, fall_of(statistics, kinds, criterion, split, node))


@merged_kernel
def _split(cells, statistics, memory, node, number, n_waiting):
    """Part the node's rows; its children wait."""
    split = memory.split[0]
    j, missing_left = split.feature, split.missing_left == 1
    middle = partition(
        cells.codes,
        j,
        split.code,
        cells.missing[j] if missing_left else split.code,
        memory.rows,
        memory.spare_rows,
        statistics.rows,
        statistics.spare,
        node.begin,
        node.end,
    )
    part_node(memory.waiting, n_waiting, node, number, split, middle)

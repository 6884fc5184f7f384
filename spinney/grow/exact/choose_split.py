"""A node's split: choose the column, mark the sides of its rows, and make two nodes of one.

In: one candidate per column, and the node's sums. Out: the node with its split, the side of every row in `work.side`,
by which partition.py cuts all lists, and `node.keep`: which children are worth searching at all. A child that is pure
or too small is a leaf already: its lists are not even cut.

Best-first trees settle a node before it gets on the frontier, whose key is the decrease of its split, and move its rows
only when it is popped. Until then its marks stay in `work.side`: they are by row, and open nodes share no rows.
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import atomic_add, inner_kernel, part_kernel
from spinney._random import choose
from spinney.criteria.impurity import x_log_x
from spinney.criteria.user_criterion import code_of
from spinney.data.presort import RANK
from spinney.grow.exact.partition import count_known, mark, row_of
from spinney.grow.exact.search import arrange_node, decrease, is_significant, same, side_values
from spinney.grow.rules import NO_NODE, NO_ROW, NO_SPLIT, child_bounds, child_key, is_large, is_worth, larger_side

_NEVER = -math.inf
_NO_LOGS = np.empty(0, np.int64)
_RIGHT, _LEFT = np.uint8(0), np.uint8(1)  # a row's side


@part_kernel(returns="bool")
def settle(rank, columns, statistics, criterion, rules, work, slot, node):
    """Choose the node's column, mark its rows' sides and note which children can be split further (node.keep).

    False if it stays a leaf.
    """
    total, code = work.totals[slot], code_of(criterion)
    j = _choose_column(rank, statistics, code, rules, work, slot, node)
    if j < 0:
        return False
    best = work.candidates[slot, j]
    fall = decrease(statistics, code, best.score, total, node)
    if not is_worth(rules, fall):
        return False
    node.feature, node.threshold, node.position, node.focus = j, best.threshold, best.position, best.focus
    node.missing_left, node.n_left = best.missing_left, best.n_left
    node.decrease = fall
    entries, is_set = work.lists[j, node.begin : node.end], columns.is_categorical[j]
    if not (rules.random or is_set):
        _note_neighbours(node, entries, columns)
    if count_known(entries) == entries.size:
        node.missing_left = larger_side(best.weight_left, total[0])
    if is_set:
        ordered = work.entries[rank, : entries.size]
        arrange_node(rank, statistics, rules, work, node, entries, j, node.focus, ordered)
        entries = ordered
    mark(entries, node.position, node.missing_left, work.side)
    rows = work.lists[-1, node.begin : node.end]
    if rules.critical.size and not is_significant(statistics, rank, work, rules.critical, rows, total):
        node.feature = NO_SPLIT
        return False
    if rules.is_monotone:
        side_values(statistics, work, node)
    node.keep = sides_to_split(statistics, rules, rows, work.side, node)
    return True


@inner_kernel
def _note_neighbours(node, entries, columns):
    """What the threshold is midway between. (Values are not at hand here.)"""
    at = node.position
    node.below, node.above = row_of(entries[at - 1]), np.int64(NO_ROW)
    if at < count_known(entries):
        node.above = row_of(entries[at])
        if columns.is_binned:
            code = (
                np.int64((entries[at - 1] >> RANK) + (entries[at] >> RANK)) // 2
            )  # of the bins between them the middle
            node.threshold = columns.values[node.feature, code]


@inner_kernel
def _choose_column(rank, statistics, code, rules, work, slot, node):
    """The column with the best candidate, -1 if there is none; ties go to the one drawn first, or the leftmost."""
    chosen, best = -1, _NEVER
    n_columns, order = work.candidates.shape[1], work.chosen[rank]
    is_drawn = rules.n_features < n_columns
    if is_drawn:
        choose(rules.seed if rules.per_tree else node.random, n_columns, order)
    if rules.by_ratio:
        for j in range(n_columns):
            one = work.candidates[slot, j]
            if one.score > _NEVER:
                one.ratio = decrease(statistics, code, one.score, work.totals[slot], node)
        find_ratios(work.candidates[slot], work.totals[slot])
    for k in range(n_columns):
        j = order[k] if is_drawn else k
        one = work.candidates[slot, j]
        score = one.ratio if rules.by_ratio and one.score > _NEVER else one.score
        if score > best:
            chosen, best = j, score
    return chosen


@part_kernel
def find_ratios(candidates, total):
    """Candidates' gain ratios, in place of their gains: gain over the information in the split itself; -1 for a gain
    below the average of the columns that can be split (but for rounding)."""
    # split information times weight, in bits: W log W - (w_l log w_l + w_r log w_r). Without the average (Quinlan's
    # rule) a split of one row from all others would win: hardly any gain, over hardly any information.
    count, mass = 0, 0.0
    for j in range(candidates.size):
        if candidates[j].score > _NEVER:
            count += 1
            mass += candidates[j].ratio
    least = mass / float(count) if count > 0 else 0.0
    for j in range(candidates.size):
        one = candidates[j]
        if one.score > _NEVER:
            left, right = one.weight_left, total[0] - one.weight_left
            sides = x_log_x(left, _NO_LOGS) + x_log_x(right, _NO_LOGS)  # the same if they change places
            split = x_log_x(total[0], _NO_LOGS) - sides
            one.ratio = one.ratio / split if one.ratio >= least * (1.0 - 1e-9) else -1.0


@inner_kernel
def sides_to_split(statistics, rules, rows, side, node):
    """Bit 0: the left child can be split, bit 1: the right one."""
    n, depth = node.end - node.begin, node.depth + 1
    left, right = is_large(rules, node.n_left, depth), is_large(rules, n - node.n_left, depth)
    left = left and _is_mixed(statistics, rows, side, _LEFT)
    right = right and _is_mixed(statistics, rows, side, _RIGHT)
    return np.int64(left) + 2 * np.int64(right)


@inner_kernel
def _is_mixed(statistics, rows, side, which):
    """Whether the rows on one side have more than one target."""
    first = np.int64(-1)
    for i in range(rows.size):
        row = row_of(rows[i])
        if side[row] == which:
            if first < 0:
                first = row
            elif not same(statistics, first, row):
                return True
    return False


# --- two nodes of one -----------------------------------------------------------------------------------------------


@part_kernel
def make_children(rules, work, at):
    """Two nodes for the two sides."""
    node = work.nodes[at]
    left = atomic_add(work.n_nodes, 0, 2)
    node.left = left
    middle = node.begin + node.n_left
    open_node(work, left, node.begin, middle, node.depth + 1, child_key(node.random, 0))
    open_node(work, left + 1, middle, node.end, node.depth + 1, child_key(node.random, 1))
    if rules.is_monotone:  # pass the bounds of the node's value on, narrowed if its column is monotone
        one, other, direction = work.nodes[left], work.nodes[left + 1], np.int64(rules.monotone[node.feature])
        one.lower, one.upper, other.lower, other.upper = child_bounds(
            direction, node.left_value, node.right_value, node.lower, node.upper
        )


@inner_kernel
def open_node(work, node, begin, end, depth, random):
    one = work.nodes[node]
    one.left, one.begin, one.end, one.depth, one.random = NO_NODE, begin, end, depth, random
    one.feature, one.turn, one.impurity, one.above = NO_SPLIT, -1, 0.0, NO_ROW

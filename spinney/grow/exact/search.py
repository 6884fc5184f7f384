"""The best splits of a node, column by column."""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import atomic_add, by_type, inner_kernel, merged_kernel, part_kernel
from spinney._random import choose, mix, uniform
from spinney.criteria.impurity import OWN, x_log_x
from spinney.criteria.user_criterion import code_of
from spinney.data.presort import RANK, ROW
from spinney.data.thresholds import draw_code
from spinney.grow.exact import scan_classes as scan_pairs
from spinney.grow.exact import scan_medians, scan_sums
from spinney.grow.exact.partition import count_known, mark, row_of
from spinney.grow.rules import (
    NO_NODE,
    NO_ROW,
    NO_SPLIT,
    child_bounds,
    child_key,
    column_key,
    is_large,
    is_worth,
    larger_side,
    order_key,
)
from spinney.grow.targets import (
    Classes,
    Medians,
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
# By kind of statistics: one name for each thing that the four scans do (scan_classes.py describes these).


totals = by_type(
    {
        Pairs: scan_pairs.totals,
        Classes: scan_sums.totals_of_classes,
        Values: scan_sums.totals_of_values,
        Medians: scan_medians.totals,
    }
)
scan = by_type(
    {
        Pairs: scan_pairs.scan,
        Classes: scan_sums.scan_classes,
        Values: scan_sums.scan_values,
        Medians: scan_medians.scan,
    }
)
decrease = by_type(
    {
        Pairs: decrease_of_pair,
        Classes: decrease_of_classes,
        Values: decrease_of_values,
        Medians: scan_medians.decrease,
    }
)
same = by_type(
    {
        Pairs: same_pair,
        Classes: same_classes,
        Values: same_values,
        Medians: same_values,
    }
)
response = by_type(
    {
        Pairs: scan_pairs.response,
        Classes: scan_sums.response_of_classes,
        Values: scan_sums.response_of_values,
        Medians: scan_medians.response,
    }
)
is_significant = by_type(
    {
        Pairs: scan_pairs.is_significant,
        Classes: scan_sums.is_significant_for_classes,
        Values: scan_sums.is_significant_for_values,
        Medians: scan_sums.is_significant_for_values,
    }
)
side_values = by_type(
    {
        Pairs: scan_pairs.side_values,
        Classes: scan_pairs.no_values,
        Values: scan_pairs.no_values,
        Medians: scan_medians.side_values,
    }
)


# ----------------------------------------------------------------------------------------------------------------------
# What is done to lists before scans: put categories in order, draw a threshold.


MOST_ORDERS = 16  # orders of the categories that a split tries, with more than two classes or several outputs


# --- categories -----------------------------------------------------------------------------------------------------


@inner_kernel
def heaviest(total, n_sums, which):
    """The place of the which-th largest of the sums; ties go to the first."""
    last, last_place = np.int64(0), np.int64(0)
    for taken in range(which + 1):
        best, best_place = np.int64(-1), np.int64(1)
        for k in range(1, n_sums + 1):
            amount = abs(total[k])
            comes_later = taken == 0 or amount < last or (amount == last and k > last_place)
            if comes_later and amount > best:
                best, best_place = amount, np.int64(k)
        last, last_place = best, best_place
    return last_place


@part_kernel
def arrange(statistics, entries, focus, random_key, runs, keys, out):
    """Write the entries of a column of categories to `out` in an order of the categories, ranks being their places.

    The order is that of the mean response, or, with a random key other than 0, a random one. Missing ones stay last.
    """
    known = count_known(entries)
    starts, order, spare = runs[0], runs[1], runs[2]
    n_runs = 0
    i = 0
    while i < known:
        code = entries[i] >> RANK
        starts[n_runs] = i
        weight, amount = np.int64(0), np.int64(0)
        while i < known and entries[i] >> RANK == code:
            row = row_of(entries[i])
            weight += weight_at(statistics.weight, row)
            amount += response(statistics, row, focus)
            i += 1
        keys[n_runs] = uniform(random_key, code) if random_key != np.uint64(0) else float(amount) / float(weight)
        order[n_runs] = n_runs
        n_runs += 1
    sort_by_key(order[:n_runs], spare[:n_runs], keys)
    at = 0
    for k in range(n_runs):
        run = order[k]
        end = starts[run + 1] if run + 1 < n_runs else known
        for i in range(starts[run], end):
            out[at] = (np.uint64(k) << RANK) | (entries[i] & ROW)
            at += 1
    for i in range(known, entries.size):
        out[i] = entries[i]


@inner_kernel
def sort_by_key(order, spare, keys):
    """Merge sort, bottom up: equals stay in their order."""
    width = 1
    while width < order.size:
        for begin in range(0, order.size, 2 * width):
            middle, end = min(begin + width, order.size), min(begin + 2 * width, order.size)
            a, b = begin, middle
            for at in range(begin, end):
                if a < middle and (b >= end or keys[order[a]] <= keys[order[b]]):
                    spare[at] = order[a]
                    a += 1
                else:
                    spare[at] = order[b]
                    b += 1
        for at in range(order.size):
            order[at] = spare[at]
        width *= 2


# --- random thresholds ----------------------------------------------------------------------------------------------


@inner_kernel
def draw(entries, columns, j, random_key, best, out):
    """Draw a threshold for a column of numbers: into best.threshold; `out` are the entries cut in two by it.

    Returns how many lie at or below it.
    """
    if columns.is_binned:
        position, best.threshold = draw_edge(entries, columns.values[j], columns.middles, j, random_key)
    else:
        position, best.threshold = draw_cut(entries, columns.values[j], random_key)
    cut_in_two(entries, position, out)
    return position


@part_kernel
def draw_set(random_key, entries):
    """Cut ordered categories in two at random."""
    cut_in_two(entries, random_place(random_key, entries, count_known(entries)), entries)


@inner_kernel
def draw_cut(entries, values, random_key):
    """(how many entries lie at or below a random threshold, the threshold), between the node's extremes."""
    known = count_known(entries)
    if known == 0 or entries[0] >> RANK == entries[known - 1] >> RANK:  # all but the missing ones
        return known, np.inf
    low, high = values[np.int64(entries[0] >> RANK)], values[np.int64(entries[known - 1] >> RANK)]
    threshold = draw_between(low, high, random_key)
    first, last = 0, known
    while first < last:
        middle = (first + last) // 2
        if values[np.int64(entries[middle] >> RANK)] <= threshold:
            first = middle + 1
        else:
            last = middle
    return first, threshold


@inner_kernel
def draw_between(low, high, random_key):
    """A random threshold from the lower of two values up to, but not including, the higher."""
    threshold = low + uniform(random_key, 0) * (high - low)
    return threshold if low <= threshold < high else low  # rounded up, or one end is infinite


@inner_kernel
def draw_edge(entries, edges, middles, j, random_key):
    """The same for bins, whose ranks are codes; the threshold is the edge of one of them."""
    known = count_known(entries)
    if known == 0 or entries[0] >> RANK == entries[known - 1] >> RANK:
        return known, np.inf
    code = draw_code(middles, j, np.int64(entries[0] >> RANK), np.int64(entries[known - 1] >> RANK), random_key)
    position = known
    while np.int64(entries[position - 1] >> RANK) > code:
        position -= 1
    return position, edges[code]


@inner_kernel
def cut_in_two(entries, position, out):
    """The entries with rank 0 up to a position and 1 after it; missing ones stay last."""
    known = count_known(entries)
    for i in range(known):
        out[i] = (np.uint64(0 if i < position else 1) << RANK) | (entries[i] & ROW)
    for i in range(known, entries.size):
        out[i] = entries[i]


@inner_kernel
def random_place(random_key, entries, known):
    """A random change of rank among known entries in order; `known` if there is none."""
    last = np.int64(entries[known - 1] >> RANK) if known > 0 else np.int64(0)
    if last == 0:
        return known
    wanted = np.uint64(1) + mix(random_key, 1) % np.uint64(last)
    i = 0
    while entries[i] >> RANK < wanted:
        i += 1
    return i


_NEVER = -math.inf
_NO_KEY = np.uint64(0)


@merged_kernel
def search(rank, columns, statistics, criterion, rules, work, slot, node, first, last):
    """Note a node's best splits by some of its columns: the first-th to the last-th that it may use."""
    total, order = work.totals[slot], work.chosen[rank]
    is_drawn = rules.n_features < work.candidates.shape[1]
    if is_drawn:
        choose(rules.seed if rules.per_tree else node.random, last, order)
    # two rows can only be split into one and one: all columns that tell them apart have the same score, the first wins
    two_rows = node.end - node.begin == 2 and code_of(criterion) != OWN
    two_rows &= not (rules.random or is_drawn or rules.is_monotone)
    bar = _NEVER
    for k in range(first, last):
        j = order[k] if is_drawn else k
        entries = work.lists[j, node.begin : node.end]
        if entries[0] >> RANK == entries[-1] >> RANK:
            continue
        best = work.candidates[slot, j]
        best.bar = bar
        direction = np.int64(rules.monotone[j]) if rules.is_monotone else np.int64(0)
        if rules.random or columns.is_categorical[j]:
            _search_otherwise(
                rank, columns, statistics, criterion, rules, work, node, entries, total, direction, best, j
            )
        else:
            scan(statistics, criterion, rank, work, rules, node, entries, total, direction, best)
        if two_rows and best.score > _NEVER:
            return
        if not rules.by_ratio:  # by gain ratio columns are compared by another number than the score
            bar = max(bar, best.score)


@part_kernel
def _search_otherwise(rank, columns, statistics, criterion, rules, work, node, entries, total, direction, best, j):
    """A column of categories, in some orders of them; or one random threshold."""
    out, key = work.entries[rank, : entries.size], column_key(node.random, j)
    best.threshold = np.inf
    if not columns.is_categorical[j]:
        position = draw(entries, columns, j, key, best, out)
        scan(statistics, criterion, rank, work, rules, node, out, total, direction, best)
        if best.position != position:  # between known and missing values
            best.threshold = np.inf
        return
    n_orders = np.int64(1) if rules.random else min(np.int64(MOST_ORDERS), np.int64(rules.n_responses))
    for which in range(n_orders):
        focus = heaviest(total, rules.n_responses, which) if rules.n_responses > 1 else np.int64(1)
        arrange_node(rank, statistics, rules, work, node, entries, j, focus, out)
        if rules.random:
            draw_set(key, out)
        before = best.score
        scan(statistics, criterion, rank, work, rules, node, out, total, direction, best)
        if best.score > before:
            best.focus = focus


@inner_kernel
def arrange_node(rank, statistics, rules, work, node, entries, j, focus, out):
    """Put a node's categories in order."""
    key = _NO_KEY
    if rules.random:
        key = order_key(node.random, j)
    arrange(statistics, entries, focus, key, work.runs[rank], work.run_keys[rank], out)


# ----------------------------------------------------------------------------------------------------------------------
# A node's split: choose the column, mark the sides of its rows, and make two nodes of one.
#
# In: one candidate per column, and the node's sums. Out: the node with its split, the side of every row in `work.side`,
# by which partition.py cuts all lists, and `node.keep`: which children are worth searching at all. A child that is pure
# or too small is a leaf already: its lists are not even cut.
#
# Best-first trees settle a node before it gets on the frontier, whose key is the decrease of its split, and move its
# rows only when it is popped. Until then its marks stay in `work.side`: they are by row, and open nodes share no rows.


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
def open_root(rules, work):
    """All rows are in one node."""
    rows, root = work.lists[-1], np.int64(0)
    for i in range(rows.size):
        rows[i] = (np.uint64(i) << RANK) | np.uint64(i)
    open_node(work, root, np.int64(0), rows.size, np.int64(0), rules.seed)
    work.nodes[root].lower, work.nodes[root].upper = -np.inf, np.inf


@inner_kernel
def open_node(work, node, begin, end, depth, random):
    one = work.nodes[node]
    one.left, one.begin, one.end, one.depth, one.random = NO_NODE, begin, end, depth, random
    one.feature, one.split_number, one.impurity, one.above = NO_SPLIT, -1, 0.0, NO_ROW

"""A node of a sparse table: search its columns, pick one and mark the sides of its rows.

Columns without an entry in the node are the same in all its rows and are never looked at. Random choices are those of
search.py, draw for draw.
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney._random import mix, uniform
from spinney.criteria.impurity import OWN
from spinney.criteria.user_criterion import code_of
from spinney.data.bin_values import draw_code
from spinney.data.presort import RANK
from spinney.grow.lists.entries import row_of
from spinney.grow.lists.settle import find_ratios, sides_to_split
from spinney.grow.lists.sparse_memory import BEGIN, END, OWNER, TOP
from spinney.grow.lists.sparse_scan import ALL_CUTS, scan_stretch
from spinney.grow.lists.statistics import decrease, is_significant, side_values
from spinney.grow.rules import NO_ROW, NO_SPLIT, column_key, is_worth, larger_side

_NEVER = -math.inf
_ROWS_OF_NONE = np.int64(0)


# --- search -----------------------------------------------------------------------------------------------------------


@inner_kernel
def search_node(cells, statistics, criterion, rules, work, at):
    """Note the best splits of a node by the columns that it may use; returns the column of the best one, or -1.

    Of equals that is the column drawn first, or the leftmost.
    """
    node, n_columns = work.nodes[at], cells.candidates.size
    n_found, is_drawn = np.int64(0), rules.n_features < n_columns
    begin, stop = cells.spans[at, BEGIN], cells.spans[at, END]
    drawn, key = np.int64(0), rules.seed if rules.per_tree else node.random
    if is_drawn:
        for k in range(n_columns):
            cells.order[k] = k
    two_rows = node.end - node.begin == 2 and code_of(criterion) != OWN
    two_rows &= not (rules.random or is_drawn or rules.is_monotone)
    any_split = False
    while True:
        if is_drawn:
            if drawn == n_columns or (drawn >= rules.n_features and (rules.per_tree or any_split)):
                break
            j = _draw_column(key, cells.order, drawn)
            drawn += 1
            first, last = _find_entries(cells, at, j)
        else:
            if begin == stop:
                break
            first = begin
            j = np.int64(cells.column[np.int64(cells.entries[first] >> RANK)])
            begin = last = _first_at(cells.entries, first, stop, cells.start[j + 1])
        if first == last or not _measure(cells, j, first, last, node.end - node.begin):
            continue
        cells.found[n_found] = j
        n_found += 1
        best = cells.candidates[j]
        _search_column(cells, statistics, criterion, rules, work, node, j, best)
        any_split |= best.score > _NEVER
        if two_rows and best.score > _NEVER:
            break
    return _choose_column(cells, statistics, code_of(criterion), rules, work.totals[0], node, n_found)


@inner_kernel
def _draw_column(key, order, i):
    """The i-th column that is drawn: one step of `choose` in _random.py."""
    j = i + np.int64(mix(key, i) % np.uint64(order.size - i))
    order[i], order[j] = order[j], order[i]
    return order[i]


@inner_kernel
def _first_at(entries, low, high, place):
    """The first entry from `low` on whose place is not below this one: in growing steps, then by halving."""
    step = np.int64(1)
    while low + step < high and np.int64(entries[low + step] >> RANK) < place:
        low += step
        step *= 2
    high = min(high, low + step)
    while low < high:
        middle = (low + high) // 2
        if np.int64(entries[middle] >> RANK) < place:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def _find_entries(cells, at, j):
    """Where a column's entries in a node begin and end. If there are others' among them, they are copied."""
    entries, begin, stop = cells.entries, cells.spans[at, BEGIN], cells.spans[at, END]
    first = _first_near(entries, begin, stop, cells.start[j], cells.values.size)
    last = _first_at(entries, first, stop, cells.start[j + 1])
    if cells.owner.size == 0:
        return first, last
    owner, top = cells.spans[at, OWNER], cells.spans[at, TOP]
    end = top
    for k in range(first, last):
        entries[end] = entries[k]
        end += np.int64(cells.owner[row_of(entries[k])] == owner)
    return top, end


@inner_kernel
def _first_near(entries, begin, stop, place, n_places):
    """`_first_at`, looking first where the entry would be if places were even."""
    guess = begin + np.int64(float(place) / float(n_places) * float(stop - begin))
    if guess >= stop or np.int64(entries[guess] >> RANK) < place:
        return _first_at(entries, min(guess, stop), stop, place)
    step = np.int64(1)
    while guess - step >= begin and np.int64(entries[guess - step] >> RANK) >= place:
        guess -= step
        step *= 2
    return _first_at(entries, max(begin, guess - step), guess, place)


@inner_kernel
def _measure(cells, j, first, last, n_rows):
    """Write down the stretch of a column; returns whether its values differ."""
    stretch, entries = cells.stretch[0], cells.entries
    known = _first_at(entries, first, last, cells.start[j + 1] - 1)
    stretch.column, stretch.begin, stretch.end, stretch.n_rows = j, first, last, n_rows
    stretch.n_below = _first_at(entries, first, known, cells.zero[j]) - first
    stretch.n_zeros = n_rows - (last - first)
    stretch.n_known = n_rows - (last - known)
    return stretch.n_zeros > 0 or entries[first] >> RANK != entries[last - 1] >> RANK


@inner_kernel
def _search_column(cells, statistics, criterion, rules, work, node, j, best):
    """The best cut, or the better one of a random threshold and that between known and missing values."""
    direction = np.int64(rules.monotone[j]) if rules.is_monotone else np.int64(0)
    cut, best.threshold = ALL_CUTS, np.inf
    if rules.random:
        cut, best.threshold = _draw_cut(cells, j, column_key(node.random, j))
    scan_stretch(statistics, criterion, cells, work, rules, node, work.totals[0], direction, cut, best)
    if rules.random and best.position != _rows_up_to(cells, cut):
        best.threshold = np.inf


@part_kernel(returns="int64")
def _rows_up_to(cells, cut):
    """Rows of the node whose value in the column has at most this place."""
    stretch = cells.stretch[0]
    last = stretch.end - (stretch.n_rows - stretch.n_known)
    listed = _first_at(cells.entries, stretch.begin, last, cut + 1) - stretch.begin
    return listed + (stretch.n_zeros if cells.zero[stretch.column] <= cut else _ROWS_OF_NONE)


@inner_kernel
def _draw_cut(cells, j, key):
    """(place up to which rows go left, threshold), drawn between the node's extremes as in arrange.py."""
    stretch, zero = cells.stretch[0], cells.zero[j]
    last_known = stretch.end - (stretch.n_rows - stretch.n_known) - 1
    if stretch.n_known == 0:
        return cells.start[j + 1] - 2, np.inf
    low = high = zero
    if stretch.n_below > 0 or stretch.n_zeros == 0:
        low = np.int64(cells.entries[stretch.begin] >> RANK)
    if stretch.n_zeros == 0 or last_known - stretch.begin >= stretch.n_below:
        high = np.int64(cells.entries[last_known] >> RANK)
    if low == high:
        return cells.start[j + 1] - 2, np.inf
    if cells.is_binned:
        begin = cells.start[j]
        code = draw_code(cells.middles, j, low - begin, high - begin, key)
        return begin + code, cells.values[begin + code]
    least, most = cells.values[low], cells.values[high]
    threshold = least + uniform(key, 0) * (most - least)
    if not (least <= threshold < most):  # rounded up, or one end is infinite
        threshold = least
    first, last = low, high
    while first < last:  # the first place whose value is above
        middle = (first + last) // 2
        if cells.values[middle] <= threshold:
            first = middle + 1
        else:
            last = middle
    return first - 1, threshold


@inner_kernel
def _choose_column(cells, statistics, code, rules, total, node, n_found):
    if rules.by_ratio:
        for k in range(n_found):
            one = cells.candidates[cells.found[k]]
            if one.score > _NEVER:
                one.ratio = decrease(statistics, code, one.score, total, node)
        find_ratios(cells.candidates, total)
    chosen, best = np.int64(-1), _NEVER
    for k in range(n_found):
        one = cells.candidates[cells.found[k]]
        score = one.ratio if rules.by_ratio and one.score > _NEVER else one.score
        if score > best:
            chosen, best = cells.found[k], score
    if chosen >= 0:
        _write_down(cells, statistics, code, total, node, chosen)
    for k in range(n_found):
        cells.candidates[cells.found[k]].score = _NEVER
    return chosen


@inner_kernel
def _write_down(cells, statistics, code, total, node, j):
    best = cells.candidates[j]
    node.feature, node.threshold, node.position, node.focus = j, best.threshold, best.position, 0
    node.missing_left, node.n_left = best.missing_left, best.n_left
    node.decrease = decrease(statistics, code, best.score, total, node)


# --- settle -----------------------------------------------------------------------------------------------------------


@part_kernel(returns="bool")
def settle_node(cells, statistics, criterion, rules, work, at):
    """Search a node, mark its rows' sides and say which children can be split further. False if it stays a leaf."""
    j, node = search_node(cells, statistics, criterion, rules, work, at), work.nodes[at]
    if j < 0 or not is_worth(rules, node.decrease):
        node.feature = NO_SPLIT
        return False
    _find_column(cells, at, node)
    stretch, rows = cells.stretch[0], work.lists[-1, node.begin : node.end]
    if not rules.random:
        _note_neighbours(cells, node)
    if stretch.n_known == stretch.n_rows:
        node.missing_left = larger_side(cells.candidates[j].weight_left, work.totals[0, 0])
    _mark_sides(cells, node, rows, work.side)
    if rules.critical.size and not is_significant(statistics, np.int64(0), work, rules.critical, rows, work.totals[0]):
        node.feature = NO_SPLIT
        return False
    if rules.is_monotone:
        side_values(statistics, work, node)
    node.keep = sides_to_split(statistics, rules, rows, work.side, node)
    return True


@inner_kernel
def _place_at(cells, position):
    """The place of the row at a position of the column's list."""
    stretch = cells.stretch[0]
    if position < stretch.n_below:
        return np.int64(cells.entries[stretch.begin + position] >> RANK)
    if position < stretch.n_below + stretch.n_zeros:
        return cells.zero[stretch.column]
    return np.int64(cells.entries[stretch.begin + position - stretch.n_zeros] >> RANK)


@inner_kernel
def _note_neighbours(cells, node):
    """The places that the threshold is midway between."""
    node.below, node.above = _place_at(cells, node.position - 1), np.int64(NO_ROW)
    if node.position < cells.stretch[0].n_known:
        node.above = _place_at(cells, node.position)
        if cells.is_binned:
            node.threshold = cells.values[(node.below + node.above) // 2]


@part_kernel
def mark_node(cells, work, at):
    """Mark the sides of a node's rows once more, others having been marked since."""
    node = work.nodes[at]
    _find_column(cells, at, node)
    _mark_sides(cells, node, work.lists[-1, node.begin : node.end], work.side)


@inner_kernel
def _find_column(cells, at, node):
    """The stretch of the column that a node is split by."""
    first, last = _find_entries(cells, at, node.feature)
    _measure(cells, node.feature, first, last, node.end - node.begin)


@part_kernel
def _mark_sides(cells, node, rows, side):
    """side[row] = whether the row goes left; zeros first, then what is listed."""
    stretch = cells.stretch[0]
    n_known = stretch.end - stretch.begin - (stretch.n_rows - stretch.n_known)
    zeros_left = np.uint8(node.position >= stretch.n_below + stretch.n_zeros)
    for i in range(rows.size):
        side[row_of(rows[i])] = zeros_left
    for k in range(stretch.end - stretch.begin):
        position = k if k < stretch.n_below else k + stretch.n_zeros
        goes_left = np.uint8(position < node.position) if k < n_known else np.uint8(node.missing_left)
        side[row_of(cells.entries[stretch.begin + k])] = goes_left

"""Exact trees on a sparse table: the loop of grower.py for one thread, on lists of what is not zero.

In: cells and statistics. Out: the nodes that grower.py would grow on the table laid out, but that `below` and `above`
of a node are places of values and not rows.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, kernel_each, part_kernel, refer
from spinney._random import mix
from spinney._team import stop_wanted
from spinney.criteria.impurity import OWN, class_term, term_score
from spinney.criteria.user_criterion import code_of
from spinney.data.presort import BUCKETS, DIGITS, MISSING, RANK, ROW, Presorted, merge, radix_sort
from spinney.data.sparse_presort import SparseLists, list_by_rows
from spinney.data.thresholds import Middles, draw_code
from spinney.grow.exact.grower import can_split
from spinney.grow.exact.memory import CANDIDATE, ExactWork, make_work
from spinney.grow.exact.partition import BOTH, NEITHER, note, partition, row_of
from spinney.grow.exact.scan_classes import judge_cuts, keeps_direction, square_at
from spinney.grow.exact.search import (
    decrease,
    draw_between,
    find_ratios,
    is_significant,
    make_children,
    open_root,
    scan,
    side_values,
    sides_to_split,
    totals,
)
from spinney.grow.rules import NO_ROW, NO_SPLIT, TreeRules, column_key, is_worth, larger_side, pop, push
from spinney.grow.targets import Classes, Medians, Pairs, Values, weight_at

# ----------------------------------------------------------------------------------------------------------------------
# Memory: a sparse table as the loop sees it, and what a fit needs beyond `memory.py`.
#
# A node has a segment of the rows list, and one of the entries (data/sparse_presort.py): those of its rows in all
# columns. The column at hand is a *stretch* of it. Rows that no entry names are zeros.


# A column's entries in a node, and how many of the node's rows are on which side of zero.
STRETCH = np.dtype(
    [
        ("column", np.int64),
        ("begin", np.int64),  # its entries
        ("end", np.int64),
        ("n_below", np.int64),  # entries below zero,
        ("n_zeros", np.int64),  # rows of zero,
        ("n_known", np.int64),  # and rows that are not missing
        ("n_rows", np.int64),  # of the node
    ],
    align=True,
)


# Of a node: where its entries begin and end; and, where columns are drawn, the `owner` of its rows, since entries of
# other nodes' rows may be among them, and where there is room behind all that is in use.
BEGIN, END, OWNER, TOP = range(4)


class SparseCells(NamedTuple):
    """The table, and a thread's memory."""

    entries: np.ndarray  # uint64, cut up as the tree grows; where columns are drawn, behind them room for more
    spare: np.ndarray
    n_entries: int
    start: np.ndarray  # see SparseLists
    zero: np.ndarray
    values: np.ndarray
    column: np.ndarray
    is_binned: bool
    middles: Middles
    spans: np.ndarray  # int64 (nodes, 4): see above
    owner: np.ndarray  # int64, by row: where columns are drawn, the node that last took its rows for itself
    row_first: np.ndarray  # int64 (rows + 1): there, where each row's places begin in `row_places`
    row_places: np.ndarray  # uint32, ascending in each row
    buckets: np.ndarray  # int64, for sorting
    stretch: Any  # one STRETCH record
    candidates: Any  # CANDIDATE records, by column: none, but while a node is searched
    found: np.ndarray  # int64 (columns): columns that have been searched in this node
    order: np.ndarray  # int64 (columns)
    groups: np.ndarray  # int64 (4, most entries of a column and 2): rows, weight, amount and square of equal values
    is_listed: np.ndarray  # uint8, by row: 0, but while a column is put together


def make_cells(lists: SparseLists, middles: Middles, n_nodes: int, is_drawn: bool) -> SparseCells:
    """Memory for one tree; the lists themselves, unless columns are drawn."""
    most = int(np.diff(lists.first).max(initial=0)) + 2
    n, entries = len(lists.entries), lists.entries
    row_first, row_places = np.zeros(lists.n_rows + 1, np.int64), np.empty(n if is_drawn else 0, np.uint32)
    if is_drawn:
        entries = np.empty(2 * n + most, np.uint64)
        entries[:n] = lists.entries
        list_by_rows(lists.entries, row_first, row_places)
    candidates = np.zeros(lists.n_columns, CANDIDATE)
    candidates["score"] = -np.inf
    return SparseCells(
        entries=entries,
        spare=np.empty(n, np.uint64),
        n_entries=n,
        start=lists.start,
        zero=lists.zero,
        values=lists.values,
        column=lists.column,
        is_binned=lists.is_binned,
        middles=middles,
        spans=np.empty((n_nodes, 4), np.int64),
        owner=np.zeros(lists.n_rows if is_drawn else 0, np.int64),
        row_first=row_first,
        row_places=row_places,
        buckets=np.empty((DIGITS, BUCKETS), np.int64),
        stretch=np.zeros(1, STRETCH),
        candidates=candidates,
        found=np.empty(lists.n_columns, np.int64),
        order=np.empty(lists.n_columns, np.int64),
        groups=np.empty((4, most), np.int64),
        is_listed=np.zeros(lists.n_rows, np.uint8),
    )


def make_sparse_work(n_rows: int, n_sums: int, n_outputs: int, rules: TreeRules) -> ExactWork:
    """What the loop shares with that of other tables: lists are the rows and, for absolute error, those by target."""
    nothing = np.zeros(0, np.int64)
    lists = np.empty((n_outputs + 1, n_rows), np.uint64)
    rows = Presorted(lists, nothing, np.empty((0, 0)), np.zeros(0, bool), False)
    return make_work(rows, n_sums, n_outputs, rules, 1, n_rows)


# ----------------------------------------------------------------------------------------------------------------------
# Partition: entries for the children of a node that looks at few of its columns; only the smaller part is moved.
#
# Where columns are drawn, most entries of a node are never looked at, and to cut them all in two at every node would
# take longer than all else: a column of few cells parts few rows from many. So the child with more entries keeps its
# parent's, those of the other child's rows among them; `owner` tells whose a row is. The smaller child gets entries of
# its own, behind all that is in use: it is grown first, and they are given up when its last leaf is there. A node with
# more entries of others than of its own throws the others out.


_FILTERED = 6  # entries can be passed over in the time that it takes to sort one
_MERGED = 16  # rows up to which sorted rows are merged


@inner_kernel
def part_rows(work, node):
    """Cut the rows list in two, and the lists by target if there are any."""
    for k in range(work.lists.shape[0]):
        partition(work.lists[k, node.begin : node.end], work.side, work.entries[0], BOTH)


@part_kernel(returns="int64")
def share_entries(cells, work, at):
    """Give both children of a node their rows and entries; returns which child has fewer entries: 0 left, 1 right."""
    node = work.nodes[at]
    part_rows(work, node)
    rows, span = work.lists[-1], cells.spans[at]
    middle = node.begin + node.n_left
    n_left, n_right = _count(cells, rows[node.begin : middle]), _count(cells, rows[middle : node.end])
    small = np.int64(0) if n_left <= n_right else np.int64(1)
    little, big = node.left + small, node.left + 1 - small
    own = rows[node.begin : middle] if small == 0 else rows[middle : node.end]
    n_small, top = min(n_left, n_right), span[TOP]
    for i in range(own.size):
        cells.owner[row_of(own[i])] = little
    one, other = cells.spans[little], cells.spans[big]
    if (node.keep >> small) & 1:
        if n_small * _FILTERED > span[END] - span[BEGIN]:
            _filter(cells, span[BEGIN], span[END], little, top)
        else:
            _gather(cells, own, top, n_small, work.entries[0])
    one[BEGIN], one[END], one[OWNER], one[TOP] = top, top + n_small, little, top + n_small
    other[BEGIN], other[END], other[OWNER], other[TOP] = span[BEGIN], span[END], span[OWNER], top
    if (node.keep >> (1 - small)) & 1 and 2 * max(n_left, n_right) < span[END] - span[BEGIN]:
        other[END] = _filter(cells, span[BEGIN], span[END], span[OWNER], span[BEGIN])
    return small


@inner_kernel
def _count(cells, rows):
    """Entries of some rows."""
    n = np.int64(0)
    for i in range(rows.size):
        row = row_of(rows[i])
        n += cells.row_first[row + 1] - cells.row_first[row]
    return n


@part_kernel(returns="int64")
def _filter(cells, begin, end, owner, to):
    """Copy the entries of one owner, in their order; returns where they end."""
    entries = cells.entries
    for k in range(begin, end):
        entry = entries[k]
        entries[to] = entry
        to += np.int64(cells.owner[row_of(entry)] == owner)
    return to


@part_kernel
def _gather(cells, rows, to, n, runs):
    """The entries of some rows, sorted."""
    out, spare, at = cells.entries[to : to + n], cells.spare[:n], np.int64(0)
    for i in range(rows.size):
        row = row_of(rows[i])
        if i < _MERGED:
            runs[i] = at
        for k in range(cells.row_first[row], cells.row_first[row + 1]):
            out[at] = (np.uint64(cells.row_places[k]) << RANK) | np.uint64(row)
            at += 1
    if n < 2:
        return
    if rows.size > _MERGED:
        radix_sort(out, spare, cells.buckets)
        return
    n_runs = rows.size
    while n_runs > 1:
        merged = np.int64(0)
        for r in range(0, n_runs, 2):
            first, middle = np.int64(runs[r]), np.int64(runs[r + 1]) if r + 1 < n_runs else n
            merge(out[first : np.int64(runs[r + 2]) if r + 2 < n_runs else n], middle - first, spare)
            runs[merged] = first
            merged += 1
        n_runs = merged


# ----------------------------------------------------------------------------------------------------------------------
# Search: the columns of a node; pick one and mark the sides of its rows.
#
# Columns without an entry in the node are the same in all its rows and are never looked at. Random choices are those of
# search.py, draw for draw.


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
    """(place up to which rows go left, threshold), drawn between the node's extremes as in search.py."""
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
    threshold = draw_between(cells.values[low], cells.values[high], key)
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
        one = cells.candidates[chosen]
        node.feature, node.threshold, node.position, node.focus = chosen, one.threshold, one.position, 0
        node.missing_left, node.n_left = one.missing_left, one.n_left
        node.decrease = decrease(statistics, code, one.score, total, node)
    for k in range(n_found):
        cells.candidates[cells.found[k]].score = _NEVER
    return chosen


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


_ROOT = np.int64(0)
_ZERO = np.int64(0)


def _grow(rank, size, sync, cells, statistics, criterion, rules, work):
    """Grow one tree into work.nodes; returns how many nodes, 0 if stopped."""
    cells, statistics, rules, work = refer(cells), refer(statistics), refer(rules), refer(work)
    if rank > 0:
        return 0
    open_root(rules, work)
    _set_span(cells, _ROOT, _ZERO, np.int64(cells.n_entries), _ROOT, np.int64(cells.n_entries))
    if not can_split(statistics, rules, work.side.size):
        return work.n_nodes[0]
    if rules.best_first:
        _grow_best_first(sync, cells, statistics, criterion, rules, work)
    else:
        _grow_depth_first(sync, cells, statistics, criterion, rules, work)
    return 0 if stop_wanted(sync) else work.n_nodes[0]


grow_sparse = kernel(_grow)
grow_sparse_own = kernel_each(_grow)


@part_kernel
def _grow_depth_first(sync, cells, statistics, criterion, rules, work):
    """The smaller child of each node first."""
    stack, waiting = work.stacks[0], 1
    stack[0] = _ROOT
    while waiting > 0 and not stop_wanted(sync):
        waiting -= 1
        at = stack[waiting]
        node = work.nodes[at]
        totals(statistics, work, node, work.totals[0])
        if not settle_node(cells, statistics, criterion, rules, work, at):
            continue
        make_children(rules, work, at)
        small = 0 if node.n_left <= node.end - node.begin - node.n_left else 1
        if cells.owner.size > 0:
            small = share_entries(cells, work, at)
        else:
            _part(cells, work, at)
        for child in range(2):
            which = small if child == 1 else 1 - small
            if (node.keep >> which) & 1:
                stack[waiting] = node.left + which
                waiting += 1


@part_kernel
def _grow_best_first(sync, cells, statistics, criterion, rules, work):
    """The open node with the largest decrease first. Its sides are marked anew, since others have been looked at."""
    heap_size, n_leaves, n_splits = np.int64(0), np.int64(1), np.int64(0)
    opened, n_opened = (_ROOT, _ROOT), 1
    while not stop_wanted(sync):
        for k in range(n_opened):
            at = opened[k]
            totals(statistics, work, work.nodes[at], work.totals[0])
            if settle_node(cells, statistics, criterion, rules, work, at):
                work.nodes[at].key = -work.nodes[at].decrease
                heap_size = push(work.heap, heap_size, work.nodes, at)
        if heap_size == 0 or n_leaves >= rules.max_leaves:
            return
        at, heap_size = pop(work.heap, heap_size, work.nodes)
        node = work.nodes[at]
        node.split_number = n_splits
        n_splits += 1
        n_leaves += 1
        mark_node(cells, work, at)
        make_children(rules, work, at)
        _part(cells, work, at)
        n_opened = (node.keep & 1) + (node.keep >> 1)
        opened = (node.left + (0 if node.keep & 1 else 1), node.left + 1)


@part_kernel
def _part(cells, work, at):
    """Send a node's rows and entries to its children."""
    node = work.nodes[at]
    part_rows(work, node)
    begin, stop = cells.spans[at, BEGIN], cells.spans[at, END]
    middle = begin
    if node.keep != NEITHER:
        middle += partition(cells.entries[begin:stop], work.side, cells.spare, node.keep)
    _set_span(cells, node.left, begin, middle, _ZERO, _ZERO)
    _set_span(cells, node.left + 1, middle, stop, _ZERO, _ZERO)


@inner_kernel
def _set_span(cells, at, begin, end, owner, top):
    span = cells.spans[at]
    span[BEGIN], span[END], span[OWNER], span[TOP] = begin, end, owner, top


# ----------------------------------------------------------------------------------------------------------------------
# The best cut of a column of a sparse table: the scans of scan_classes.py and scan_sums.py, all zeros in one step.
#
# In: the node's sums and the column's stretch of entries. Out: the best cut, as if the list named every row: a position
# is how many rows stand before it. What the zeros weigh is what the node weighs less the others, in whole numbers.


ALL_CUTS = np.int64(-1)  # instead of a place: every change of value is a cut


# --- pairs ------------------------------------------------------------------------------------------------------------


@inner_kernel
def _scan_pairs(statistics, criterion, cells, work, rules, node, total, direction, cut, best):
    bounds = node.lower, node.upper
    least = rules.min_leaf, rules.min_weight
    n = _group(statistics, statistics.weight, statistics.square, cells, total, cut)
    desk = work.cuts[0], work.scores[0]
    _judge_groups(statistics, criterion, cells.groups, n, cells.stretch[0], total, least, desk, bounds, direction, best)


@part_kernel(returns="int64")
def _group(statistics, weight, square, cells, total, cut):
    """Sums of the rows of each value, in ascending order, and behind them those of missing values; returns how many
    values there are. With a `cut` there are two: up to that place, and beyond."""
    stretch, groups, amount = cells.stretch[0], cells.groups, statistics.amount
    zero, missing = cells.zero[stretch.column], cells.start[stretch.column + 1] - 1
    n, last = np.int64(-1), np.int64(-1)
    w_zero, s_zero, q_zero = np.int64(total[0]), np.int64(total[1]), np.int64(total[2])
    at_zero = np.int64(-1)
    for k in range(stretch.begin, stretch.end + 1):
        place = np.int64(cells.entries[k] >> RANK) if k < stretch.end else missing + 1
        if at_zero < 0 and place > zero:  # here the zeros come in
            which = np.int64(zero > cut) if cut >= 0 else zero
            if stretch.n_zeros > 0:
                if which != last:
                    n += 1
                    groups[0, n] = groups[1, n] = groups[2, n] = groups[3, n] = 0
                    last = which
                groups[0, n] += stretch.n_zeros
                at_zero = n
            else:
                at_zero = np.int64(0)
        if k == stretch.end:
            break
        which = place
        if cut >= 0:
            which = np.int64(2) if place == missing else np.int64(place > cut)
        if which != last:
            n += 1
            groups[0, n] = groups[1, n] = groups[2, n] = groups[3, n] = 0
            last = which
        row = row_of(cells.entries[k])
        w, s, q = weight_at(weight, row), np.int64(amount[row]), square_at(square, row)
        groups[0, n] += 1
        groups[1, n] += w
        groups[2, n] += s
        groups[3, n] += q
        w_zero, s_zero, q_zero = w_zero - w, s_zero - s, q_zero - q
    if stretch.n_zeros > 0:
        groups[1, at_zero] += w_zero
        groups[2, at_zero] += s_zero
        groups[3, at_zero] += q_zero
    return n + 1 if stretch.n_known == stretch.n_rows else n


@part_kernel
def _judge_groups(statistics, criterion, groups, n_values, stretch, total, least, desk, bounds, direction, best):
    """The cuts between values, and that before missing ones; these are on the right first, then on the left."""
    n, known, (min_leaf, min_weight) = stretch.n_rows, stretch.n_known, least
    cuts, scores = desk
    places, w_cut, s_cut, q_cut = cuts[0], cuts[1], cuts[2], cuts[3]
    w_total = total[0]
    sums = np.int64(total[0]), np.int64(total[1]), np.int64(total[2])
    for missing_left in range(2 if known < n else 1):
        extra = n - known if missing_left else np.int64(0)
        n_left, w, s, q = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        if missing_left:
            w, s, q = groups[1, n_values], groups[2, n_values], groups[3, n_values]
        end = n_values if known < n and not missing_left else n_values - 1
        g = np.int64(0)
        while g < end:
            n_cuts = np.int64(0)
            while g < end and n_cuts < places.size:
                n_left += groups[0, g]
                w += groups[1, g]
                s += groups[2, g]
                q += groups[3, g]
                places[n_cuts], w_cut[n_cuts], s_cut[n_cuts], q_cut[n_cuts] = n_left, w, s, q
                rows = n_left + extra
                n_cuts += np.int64(
                    (rows >= min_leaf) & (n - rows >= min_leaf) & (w >= min_weight) & (w_total - w >= min_weight)
                )
                g += 1
            found = w_cut[:n_cuts], s_cut[:n_cuts], q_cut[:n_cuts]
            judge_cuts(criterion, statistics.units, statistics.logs, found, sums, scores[:n_cuts])
            for k in range(n_cuts):
                if scores[k] > best.score:
                    if direction == 0 or keeps_direction(direction, bounds, w_cut[k], s_cut[k], total):
                        note(best, scores[k], places[k], missing_left, places[k] + extra, w_cut[k])


# --- classes ----------------------------------------------------------------------------------------------------------


@inner_kernel
def _scan_classes(statistics, criterion, cells, work, rules, node, total, direction, cut, best):
    if not statistics.by_terms or cut >= 0:
        _scan_rows(statistics, criterion, cells, work, rules, node, total, direction, cut, best)
        return
    least = rules.min_leaf, rules.min_weight
    _walk_classes(
        statistics.place,
        statistics.weight,
        statistics.logs,
        code_of(criterion),
        cells,
        total,
        least,
        work.left[0],
        best,
    )


@part_kernel
def _walk_classes(place, weight, logs, code, cells, total, least, sides, best):
    """As `_walk_by_terms` in scan_sums.py. `sides[0]` is zero before and after."""
    stretch, left, zeros = cells.stretch[0], sides[0], sides[1]
    n, known, (min_leaf, min_weight) = stretch.n_rows, stretch.n_known, least
    n_outputs = place.shape[0]
    for k in range(zeros.size):
        zeros[k] = total[k]
    for k in range(stretch.begin, stretch.end):
        row = row_of(cells.entries[k])
        zeros[0] -= weight_at(weight, row)
        for o in range(n_outputs):
            zeros[place[o, row]] -= weight_at(weight, row)
    for missing_left in range(2 if known < n else 1):
        for k in range(left.size):
            left[k] = 0
        n_left, w_left, on_left, on_right = np.int64(0), np.int64(0), np.int64(0), np.int64(total[-1])
        extra = n - known if missing_left else np.int64(0)
        # entries in their order, the zeros at n_below; with missing ones on the left these come first
        steps = stretch.end - stretch.begin + 1
        last = np.int64(-1)
        for step in range(-extra, steps - extra if missing_left else steps):
            e = stretch.begin + step
            if step < 0:
                e = stretch.end + step
            elif step == stretch.n_below:
                e = np.int64(-1)
            elif step > stretch.n_below:
                e -= 1
            if e < 0 and stretch.n_zeros == 0:
                continue
            now = cells.zero[stretch.column] if e < 0 else np.int64(cells.entries[e] >> RANK)
            if step >= 0 and last >= 0 and now != last:
                rows = n_left + extra
                if min(rows, n - rows) >= min_leaf and min(w_left, total[0] - w_left) >= min_weight:
                    score = term_score(code, on_left, on_right, w_left, total[0] - w_left, n_outputs, logs)
                    if score > best.score:
                        note(best, score, n_left, missing_left, rows, w_left)
            if step >= 0:
                last = now
            if e >= 0:
                row = row_of(cells.entries[e])
                w = weight_at(weight, row)
                w_left += w
                n_left += np.int64(step >= 0)
                for o in range(n_outputs):
                    c = place[o, row]
                    here, there = left[c], total[c] - left[c]
                    on_left += class_term(code, here + w, logs) - class_term(code, here, logs)
                    on_right += class_term(code, there - w, logs) - class_term(code, there, logs)
                    left[c] = here + w
            else:
                w_left += zeros[0]
                n_left += stretch.n_zeros
                for c in range(1, total.size - 1):
                    here, there, w = left[c], total[c] - left[c], zeros[c]
                    on_left += class_term(code, here + w, logs) - class_term(code, here, logs)
                    on_right += class_term(code, there - w, logs) - class_term(code, there, logs)
                    left[c] = here + w
    for k in range(left.size):
        left[k] = 0


# --- any statistics ---------------------------------------------------------------------------------------------------


@inner_kernel
def _scan_rows(statistics, criterion, cells, work, rules, node, total, direction, cut, best):
    """Name every row, and scan that."""
    entries = work.entries[0, : node.end - node.begin]
    _name_rows(cells, work.lists[-1, node.begin : node.end], cut, entries)
    scan(statistics, criterion, np.int64(0), work, rules, node, entries, total, direction, best)


@part_kernel
def _name_rows(cells, rows, cut, out):
    """The list of a column as data/presort.py would have it for these rows."""
    stretch, at = cells.stretch[0], np.int64(0)
    zero, missing = cells.zero[stretch.column], cells.start[stretch.column + 1] - 1
    for k in range(stretch.begin, stretch.end):
        cells.is_listed[row_of(cells.entries[k])] = 1
    for k in range(stretch.begin, stretch.begin + stretch.n_below):
        out[at] = _named(cells.entries[k], cut, missing)
        at += 1
    for i in range(rows.size):
        row = row_of(rows[i])
        if cells.is_listed[row] == 0:
            out[at] = _named((np.uint64(zero) << RANK) | np.uint64(row), cut, missing)
            at += 1
    for k in range(stretch.begin + stretch.n_below, stretch.end):
        out[at] = _named(cells.entries[k], cut, missing)
        at += 1
    for k in range(stretch.begin, stretch.end):
        cells.is_listed[row_of(cells.entries[k])] = 0


@inner_kernel
def _named(entry, cut, missing):
    place = np.int64(entry >> RANK)
    rank = np.uint64(place)
    if place == missing:
        rank = MISSING
    elif cut >= 0:
        rank = np.uint64(place > cut)
    return (rank << RANK) | (entry & ROW)


scan_stretch = by_type({Pairs: _scan_pairs, Classes: _scan_classes, Values: _scan_rows, Medians: _scan_rows})

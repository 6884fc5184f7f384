"""Boosted trees on a dense table of codes: the steps of the loop in grower.py, with histograms.

In: the state of the loop. Out: the next phase and in how many chunks it is handed out, and what is done in a chunk.

A node on the frontier keeps its histogram, since its children's are made from it. Slots are places for histograms,
packed or wide ones; sparse.py has the same, with packed ones only.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney.data.dataset import LANES, STRIDE
from spinney.grow.boosting.choose_split import keep_split
from spinney.grow.boosting.histograms import (
    begin_histogram,
    drop_digit,
    narrow,
    read_digit,
    reduce_packed,
    reduce_wide,
    subtract,
    subtract_packed_from_wide,
    sum_chunk,
    sum_words,
)
from spinney.grow.boosting.leaves import sum_leaf_chunk
from spinney.grow.boosting.memory import NO_SLOT, PARTITION, ROOT, SEARCH, SUMS
from spinney.grow.boosting.partition import LEFT, RIGHT, n_chunks_of, part_rows
from spinney.grow.boosting.scan_bins import (
    add_up_packed,
    add_up_wide,
    fill_goes_left,
    load_packed,
    load_wide,
    search_categories,
    search_numbers,
)
from spinney.grow.rules import NO_SPLIT

_PACKED, _WIDE = 0, 1


@inner_kernel
def begin_tree(table, rows, rules, work):
    """Empty the sums and the slots; the first phase makes the root's statistics, and its histogram by rows."""
    state, root = work.state[0], work.nodes[ROOT]
    free_slots(work, work.packed_pool.shape[0], work.wide_pool.shape[0])
    root.is_wide = work.wide_pool.shape[0] > 0 and rows.n > rows.fields.block_rows
    root.slot = take_slot(work, root.is_wide != 0)
    state.by_words = rows.n <= work.few_rows
    for i in range(work.totals.size):
        work.totals[i] = 0
    for j in range(work.used.size):
        work.used[j] = 0
    for k in range(rules.features.size):
        work.used[rules.features[k]] = 1
    begin_histogram(work)


@inner_kernel
def do_chunk(table, rank, rows, rules, work, chunk, kinds):
    """A chunk of any phase."""
    phase, desk = work.state[0].phase, work.desks[rank]
    if phase == SUMS:
        sum_chunk(rank, table, rows, work, desk, chunk)
    elif phase == SEARCH:
        search_chunk(rank, table, rows, rules, work, desk, chunk, kinds)
    elif phase == PARTITION:
        part_rows(table, work, desk, chunk)
    else:
        sum_leaf_chunk(rows, work, chunk)


@inner_kernel
def begin_search(table, rows, rules, work):
    """Open the phase that searches columns or groups of words; before it, the one that sums the small child by rows."""
    state, lanes = work.state[0], table.first_member.size - 1
    if not (state.small_wanted or state.big_wanted):
        state.phase = SEARCH
        return
    if state.phase == PARTITION:
        _place_histograms(rows.fields, work)
        if not state.by_words:
            begin_histogram(work)
            return
    at_a_time = work.group * LANES if state.by_words else work.lanes_at_a_time
    state.phase, state.n_chunks = SEARCH, (lanes + at_a_time - 1) // at_a_time


@inner_kernel
def _place_histograms(fields, work):
    """Where the children's histograms go. The big one takes over its parent's."""
    state, nodes = work.state[0], work.nodes
    small, big, parent = nodes[state.small], nodes[state.big], nodes[state.node]
    small.is_wide = small.end - small.begin > fields.block_rows
    big.is_wide = big.end - big.begin > fields.block_rows
    # the small child is summed even if only the big one is searched: big = parent - small costs fewer rows
    small.slot = take_slot(work, small.is_wide != 0)
    if state.big_wanted:
        big.slot = parent.slot if parent.is_wide == big.is_wide else take_slot(work, big.is_wide != 0)
    state.by_words = small.end - small.begin <= work.few_rows


@inner_kernel
def keep_best(table, rows, rules, work, node, found):
    """Write the best split into its node, if it is worth making; returns whether it is."""
    return keep_split(rules, rows.fields, node, found)


@inner_kernel
def end_search(table, work):
    """Give back the histograms that nobody needs."""
    state, nodes = work.state[0], work.nodes
    if state.node >= 0:
        # the parent's histogram is needed no more: subtraction has turned it into the larger child's, in place, unless
        # that one is packed and the parent's wide
        parent, big = nodes[state.node], nodes[state.big]
        if state.big_wanted and parent.is_wide == big.is_wide:
            parent.slot = NO_SLOT
        give_slot(work, parent)
    for turn in range(2):
        child = nodes[state.small if turn == 0 else state.big]
        if child.feature == NO_SPLIT:
            give_slot(work, child)


@inner_kernel
def begin_partition(table, rows, work):
    """Open the phase that sends the chosen node's rows to its children."""
    state = work.state[0]
    node = work.nodes[state.node]
    work.cursor[LEFT], work.cursor[RIGHT] = node.begin, node.end
    fill_goes_left(state.goes_left, node, table.columns[node.feature])
    state.phase, state.n_chunks = PARTITION, n_chunks_of(node.end - node.begin)


# --- the search, column by column: both children's histograms and their best splits ---------------------------------
#
# In: the small child's sums in the threads' scratches, or its rows, where they are few; the parent's histogram. Out:
# the children's histograms, and in work.best each thread's candidate for each of them (scan_bins.py).


@part_kernel
def search_chunk(rank, table, rows, rules, work, desk, chunk, kinds):
    """The columns of some lanes; by words, their sums are made first."""
    lanes, ranks = table.first_member.size - 1, (np.int64(0), np.int64(work.desks.size))
    at_a_time, offset = work.lanes_at_a_time, np.int64(0)
    if work.state[0].by_words:
        at_a_time, ranks = work.group * LANES, (np.int64(rank), np.int64(rank + 1))
        first = chunk * work.group
        offset = first * LANES * STRIDE
        sum_words(rank, table, rows, work, desk, first, min(first + work.group, table.n_words - 1))
    for lane in range(chunk * at_a_time, min((chunk + 1) * at_a_time, lanes)):
        if table.first_member[lane] < table.first_member[lane + 1]:
            _sum_lane(rank, table, rows.fields, work, lane, ranks, lane * STRIDE - offset)
            _search_lane(rank, table, rows.fields, rules, work, lane, kinds)


@part_kernel
def _sum_lane(rank, table, fields, work, lane, ranks, begin):
    """The sums of one lane, which begin at `begin` in some threads' scratches, into this thread's workspace or straight
    into the histogram."""
    small, desk, first = work.nodes[work.state[0].small], work.desks[rank], table.first_member[lane]
    n = table.columns[table.members[first]].lane_slots
    if small.is_wide:
        reduce_wide(work.wide_scratch, work.packed_scratch, work.desks, ranks, begin, fields, desk.lane[:, :n])
    elif n == table.columns[table.members[first]].n_slots:  # no digits to read: straight into the histogram
        place = table.columns[table.members[first]].begin
        reduce_packed(work.packed_scratch, work.desks, ranks, begin, work.packed_pool[small.slot, place : place + n])
    else:
        reduce_packed(work.packed_scratch, work.desks, ranks, begin, desk.lane[0, :n])


@inner_kernel
def _search_lane(rank, table, fields, rules, work, lane, kinds):
    """The columns of one lane, from the highest digit down."""
    state, desk = work.state[0], work.desks[rank]
    first, last = table.first_member[lane], table.first_member[lane + 1]
    for m in range(last - 1, first - 1, -1):
        feature = np.int64(table.members[m])
        column = table.columns[feature]
        if work.used[feature]:
            _fill_column(rank, fields, work, column)
            for turn in range(2):  # one call for both: it is large, and every call is a copy to compile
                if state.small_wanted if turn == 0 else state.big_wanted:
                    child = state.small if turn == 0 else state.big
                    _search(rank, work, fields, rules, child, column, feature, kinds.categories, kinds.monotone)
        if m > first:
            for part in range(3 if work.nodes[state.small].is_wide else 1):
                drop_digit(desk.lane[part], column.divisor, column.n_slots)


@part_kernel
def _fill_column(rank, fields, work, column):
    """The small child's histogram of one column, and the big one's by subtraction."""
    state, nodes, desk = work.state[0], work.nodes, work.desks[rank]
    small, big, parent = nodes[state.small], nodes[state.big], nodes[max(ROOT, state.node)]
    first, last = column.begin, column.begin + column.n_slots
    if small.is_wide:
        for part in range(3):
            read_digit(desk.lane[part], column.divisor, work.wide_pool[small.slot, part, first:last])
    elif column.lane_slots > column.n_slots:
        read_digit(desk.lane[0], column.divisor, work.packed_pool[small.slot, first:last])
    if state.big_wanted:
        _subtract(work, fields, parent, small, first, last)
        if parent.is_wide and not big.is_wide:  # it now fits the packed form
            narrow(work.wide_pool[parent.slot, :, first:last], work.packed_pool[big.slot, first:last], fields)


@inner_kernel
def _subtract(work, fields, parent, small, first, last):
    """Some places of the parent's histogram minus the small child's, in place."""
    # the three cases there are: both packed, both wide, wide minus packed (a packed parent has no wide child)
    if not parent.is_wide:
        subtract(work.packed_pool[parent.slot, first:last], work.packed_pool[small.slot, first:last])
    elif small.is_wide:
        for part in range(3):
            subtract(work.wide_pool[parent.slot, part, first:last], work.wide_pool[small.slot, part, first:last])
    else:
        wide, packed = work.wide_pool[parent.slot, :, first:last], work.packed_pool[small.slot, first:last]
        subtract_packed_from_wide(wide, packed, fields)


@inner_kernel
def _search(rank, work, fields, rules, at, column, feature, categories, monotone):
    """The best split of one node on one column, if it is better than what this thread has found before."""
    side, node = at - work.state[0].first, work.nodes[at]
    if not work.allowed[side, feature]:
        return
    desk, best, first = work.desks[rank], work.best[rank, side], column.begin
    if categories is not None:
        if column.is_categorical:
            if node.is_wide:
                load_wide(work.wide_pool[node.slot, :, first : first + column.n_slots], desk)
            else:
                load_packed(work.packed_pool[node.slot, first : first + column.n_slots], fields, desk)
            search_categories(node, feature, column, fields, rules, desk, best, monotone)
            return
    last = first + column.n_bins
    if node.is_wide:
        n = add_up_wide(work.wide_pool[node.slot, :, first:last], desk)
    else:
        n = add_up_packed(work.packed_pool[node.slot, first:last], fields, desk)
    counts = work.wide_pool[node.slot, 2, first:last] if node.is_wide else work.packed_pool[node.slot, first:last]
    search_numbers(node, feature, column, counts, n, fields, rules, desk, best, monotone)


# --- slots for histograms ------------------------------------------------------------------------------------------


@inner_kernel
def free_slots(work, n_packed, n_wide):
    """Nobody has a histogram yet."""
    state = work.state[0]
    state.n_free_packed, state.n_free_wide = n_packed, n_wide
    for i in range(work.free_slots.shape[1]):
        work.free_slots[_PACKED, i] = work.free_slots[_WIDE, i] = i


@inner_kernel
def take_slot(work, is_wide):
    state = work.state[0]
    if is_wide:
        state.n_free_wide -= 1
        return work.free_slots[_WIDE, state.n_free_wide]
    state.n_free_packed -= 1
    return work.free_slots[_PACKED, state.n_free_packed]


@inner_kernel
def give_slot(work, node):
    state = work.state[0]
    if node.slot == NO_SLOT:
        return
    if node.is_wide:
        work.free_slots[_WIDE, state.n_free_wide] = node.slot
        state.n_free_wide += 1
    else:
        work.free_slots[_PACKED, state.n_free_packed] = node.slot
        state.n_free_packed += 1
    node.slot = NO_SLOT

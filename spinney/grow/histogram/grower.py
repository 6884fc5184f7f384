"""THE loop: one tree, from the root to its leaves, in one compiled call that a team of threads enters together.

Glossary
    row          a line of the table; `rows` holds row numbers in the order of the nodes
    node         a part of the rows; its rows stand side by side in one segment of `rows`
    parity       even depths keep their segments in buffer 0, odd ones in buffer 1
    code         the uint8 that stands for a value; `bins` are codes, `missing` has the last one
    words        a row's codes side by side, and last its gradient and hessian
    packed       gradient, hessian and count, or sums of them, in one int64
    histogram    per bin, the sums over a node's rows; packed or wide (see histogram.py)
    small, big   the child with fewer rows, whose histogram is built, and its sibling, whose is parent minus small
    candidate    the best split that one thread found
    frontier     the open nodes that have a split worth making
    piece        the segment of a grown leaf; pruning may join several pieces into one final leaf

The life of a tree (it begins with the root as the small child of nobody)
    histogram    of the small child, chunk by chunk, each thread into its own scratch
    search       column by column: reduce the scratches, subtract, find both children's candidates; of a node with few
                 rows, the words of several columns are summed here instead, and there is no histogram phase
    settle       one thread picks the best candidates, puts children on the frontier, chooses the next node
    partition    that node's rows go to its two children; and again, until the frontier is empty or the tree is full
    leaves       sum gradients again in finer units; prune; compute the values

Histogram, search, partition and leaves are *phases*: their work is handed out in chunks to the threads. Whoever ends
a phase's last chunk does what comes next alone and opens the next phase. Nothing that decides depends on which thread
did what: all sums are integers.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import atomic_add, inner_kernel, kernel, part_kernel, prefetch, refer
from spinney._team import Team, end_phases, finish_chunk, next_chunk, open_phase, stop_wanted, take_chunk
from spinney.criteria.gains import bounded_score, clip, hold_back, leaf_score, leaf_value
from spinney.data.dataset import LANES, STRIDE
from spinney.grow.frontier import pop, priority, push
from spinney.grow.histogram.histograms import (
    accumulate,
    accumulate_far,
    accumulate_words,
    drop_digit,
    narrow,
    read_digit,
    read_statistics,
    reduce_packed,
    reduce_wide,
    subtract,
    subtract_packed_from_wide,
    widen,
)
from spinney.grow.histogram.memory import NO_CHILD, NO_SLOT, NOT_USED, Rows, Work
from spinney.grow.histogram.partition import CHUNK, LEFT, RIGHT, partition_chunk
from spinney.grow.histogram.search import (
    add_up_packed,
    add_up_wide,
    fill_goes_left,
    is_better,
    load_packed,
    load_wide,
    search_categories,
    search_numbers,
)
from spinney.grow.histogram.statistics import (
    far_gradient,
    far_hessian,
    quantise,
    quantise_far,
    short_gradient,
    short_hessian,
)
from spinney.grow.rules import allow_features, child_bounds, may_split, narrow_groups

HISTOGRAM, SEARCH, PARTITION, LEAVES, DONE = range(5)  # the phases
_PACKED, _WIDE = 0, 1
_STANDS_OUT = 5.0  # the largest of thousands of rounding noises, whose variance is up to a quarter, twenty-fold
_SUMMED = 1020  # rows summed at a time, or up to four times as many; 16 times as many fit the packed form
_AHEAD = 32  # rows between asking for a row's numbers and using them
_GRADIENT, _HESSIAN, _COUNT = 0, 8, 16  # places in work.totals
_ONE = np.uint64(1)
_ROOT = np.int64(0)  # typed, so that callees are compiled once and not again for the literal 0


@kernel
def grow_tree(rank, size, sync, table, rows, limits, work, kinds):
    """Grow one tree; returns its number of nodes, 0 if stopped. Leaves' values and pieces are in `work`."""
    table, rows, limits, work = refer(table), refer(rows), refer(limits), refer(work)
    state, desk = work.state[0], work.desks[rank]
    if rank == 0:
        _prepare(rows, limits, work)
        open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return state.n_nodes if state.phase == DONE else 0
        if state.phase == HISTOGRAM:
            _sum_chunk(rank, table, rows, work, desk, chunk)
        elif state.phase == SEARCH:
            _search_chunk(rank, table, rows, limits, work, desk, chunk, kinds)
        elif state.phase == PARTITION:
            _partition_chunk(table, work, desk, chunk)
        else:
            sum_leaf_chunk(rows, work, chunk)
        if finish_chunk(sync):
            _go_on(table, rows, limits, work)
            if state.phase == DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


@part_kernel
def _go_on(table, rows, limits, work):
    """What one thread does between two phases; sets the next one."""
    state, fields = work.state[0], rows.fields
    if state.phase == HISTOGRAM:
        if state.small == _ROOT:
            _end_root(fields, limits, work)
        if state.small_wanted or state.big_wanted:
            _begin_search(table, limits, work)
            return
    if state.phase == LEAVES:
        finish_tree(fields, limits, work)
        state.phase = DONE
        return
    if state.phase == PARTITION:
        _open_children(table, fields, limits, work)
        if state.small_wanted or state.big_wanted:
            if state.by_words:
                _begin_search(table, limits, work)
            else:
                _begin_histogram(work)
            return
    _settle(limits, fields, work)
    if state.node < 0:
        order_pieces(work)
        state.phase, state.n_chunks = LEAVES, n_chunks_of(rows.n)
    else:
        node = work.nodes[state.node]
        work.cursor[LEFT], work.cursor[RIGHT] = node.start, node.stop
        fill_goes_left(state.goes_left, node, table.columns[node.feature])
        state.phase, state.n_chunks = PARTITION, n_chunks_of(node.stop - node.start)


@inner_kernel
def n_chunks_of(n_rows):
    return (n_rows + CHUNK - 1) // CHUNK


# --- root ----------------------------------------------------------------------------------------------------------


@part_kernel
def _prepare(rows, limits, work):
    """Empty the shared numbers; the root is every chosen row."""
    state, root = work.state[0], work.nodes[_ROOT]
    state.node = -1
    state.n_nodes = state.n_leaves = 1
    state.heap_size = 0
    state.n_free_packed = work.packed_pool.shape[0]
    state.n_free_wide = work.wide_pool.shape[0]
    for i in range(work.free_slots.shape[1]):
        work.free_slots[_PACKED, i] = work.free_slots[_WIDE, i] = i
    root.left = NO_CHILD
    root.start = 0
    root.stop = rows.n
    root.depth = 0
    root.lower = -np.inf
    root.upper = np.inf
    root.gradient = root.hessian = root.count = root.fine_gradient = root.fine_hessian = 0
    root.is_wide = rows.n > rows.fields.block_rows
    root.slot = _take_slot(work, root.is_wide != 0)
    state.first = state.small = state.big = _ROOT
    state.small_wanted = 1
    state.big_wanted = 0
    state.by_words = rows.n <= work.few_rows
    for g in range(work.groups.shape[1]):
        work.groups[_ROOT, g] = 1
    for i in range(work.totals.size):
        work.totals[i] = 0
    for j in range(work.used.size):
        work.used[j] = 0
    for k in range(limits.features.size):
        work.used[limits.features[k]] = 1
    allow_features(limits, _ROOT, work.groups[_ROOT], work.allowed[0], work.order)
    _begin_histogram(work)


@inner_kernel
def _quantise(table, rows, work, desk, begin, end):
    """Some of the root's rows: their numbers, their statistics into their last words, and the sums of those."""
    numbers, shorts, flat = work.rows[0, begin:end], desk.packed, rows.derivatives.reshape(-1)
    if rows.chosen.size:
        chosen = rows.chosen[begin:end]
        for k in range(chosen.size):
            row, key = np.uint64(chosen[k]), rows.keys[chosen[k]]
            numbers[k] = chosen[k]
            if rows.fields.is_far:
                shorts[k] = quantise_far(flat[row + row], flat[row + row + _ONE], rows.noise_key, key, rows.fields)
            else:
                shorts[k] = quantise(flat[row + row], flat[row + row + _ONE], rows.noise_key, key, rows.fields)
    else:  # the same, with places that the compiler sees to be side by side
        derivatives, keys = flat[2 * begin : 2 * end], rows.keys[begin:end]
        for k in range(numbers.size):
            numbers[k] = begin + k
        if rows.fields.is_far:
            for k in range(numbers.size):
                g, h = derivatives[2 * k], derivatives[2 * k + 1]
                shorts[k] = quantise_far(g, h, rows.noise_key, keys[k], rows.fields)
        else:
            for k in range(numbers.size):
                g, h = derivatives[2 * k], derivatives[2 * k + 1]
                shorts[k] = quantise(g, h, rows.noise_key, keys[k], rows.fields)
    _add_to_root(table, rows, work, numbers, shorts)


@inner_kernel
def _add_to_root(table, rows, work, numbers, shorts):
    """Some rows' statistics into their last words and into the root's sums."""
    gradient = hessian = count = np.int64(0)
    step, is_far = np.uint64(table.n_words), rows.fields.is_far
    for k in range(numbers.size):
        row, short = np.uint64(numbers[k]), np.uint64(shorts[k])
        times = rows.counts[row] if rows.counts.size else np.int64(1)
        gradient += times * (far_gradient(short) if is_far else short_gradient(short))
        hessian += times * (far_hessian(short) if is_far else short_hessian(short))
        count += times
        table.words[row * step + step - _ONE] = short
    atomic_add(work.totals, _GRADIENT, gradient)
    atomic_add(work.totals, _HESSIAN, hessian)
    atomic_add(work.totals, _COUNT, count)


@inner_kernel
def _end_root(fields, limits, work):
    """The root's sums; whether it may split at all."""
    state, root = work.state[0], work.nodes[_ROOT]
    root.gradient, root.hessian = work.totals[_GRADIENT], work.totals[_HESSIAN]
    root.count = work.totals[_COUNT]
    state.small_wanted = limits.max_leaves > 1 and may_split(
        root.count, root.hessian * fields.hessian_unit, root.depth, limits
    )


# --- histograms ----------------------------------------------------------------------------------------------------


@inner_kernel
def _take_slot(work, is_wide):
    state = work.state[0]
    if is_wide:
        state.n_free_wide -= 1
        return work.free_slots[_WIDE, state.n_free_wide]
    state.n_free_packed -= 1
    return work.free_slots[_PACKED, state.n_free_packed]


@inner_kernel
def _give_slot(work, node):
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


@inner_kernel
def _begin_histogram(work):
    """Open the phase that sums the small child's rows."""
    state = work.state[0]
    small = work.nodes[state.small]
    for rank in range(work.desks.size):
        work.desks[rank].filled = NOT_USED
    n_rows = small.stop - small.start
    share = n_rows // work.desks.size // _SUMMED  # large chunks, but something for every thread
    state.summed = _SUMMED * (1 if share < 1 else (4 if share > 4 else share))
    state.phase, state.n_chunks = HISTOGRAM, (n_rows + state.summed - 1) // state.summed


@part_kernel
def _sum_chunk(rank, table, rows, work, desk, chunk):
    """Some of the small child's rows into this thread's scratch; the root's are quantised on the way."""
    state = work.state[0]
    small = work.nodes[state.small]
    scratch, wide_scratch = work.packed_scratch[rank], work.wide_scratch[rank]
    begin = small.start + chunk * state.summed
    end = min(small.stop, begin + state.summed)
    if state.small == _ROOT:
        for at in range(begin, end, CHUNK):
            _quantise(table, rows, work, desk, at, min(end, at + CHUNK))
        if state.by_words:
            return
    if desk.filled == NOT_USED:
        _clear(scratch, wide_scratch, small.is_wide, scratch.size)
        desk.filled = 0
    _sum_rows(rank, table, rows, work, desk, begin, end, np.int64(0), table.n_words - 1)


@inner_kernel
def _sum_words(rank, table, rows, work, desk, first, last):
    """All the small child's rows into this thread's scratch, but only the words first .. last."""
    small = work.nodes[work.state[0].small]
    _clear(work.packed_scratch[rank], work.wide_scratch[rank], small.is_wide, (last - first) * LANES * STRIDE)
    desk.filled = 0
    _sum_rows(rank, table, rows, work, desk, small.start, small.stop, first, last)


@part_kernel
def _sum_rows(rank, table, rows, work, desk, begin, end, first, last):
    """Some words of some of the small child's rows into this scratch, in steps that the packed form can hold."""
    fields, parity = rows.fields, work.nodes[work.state[0].small].depth & 1
    scratch, wide_scratch = work.packed_scratch[rank], work.wide_scratch[rank]
    at_once = rows.counts.size == 0 and last - first == table.n_words - 1
    while begin < end:
        step = min(end - begin, fields.block_rows)
        if not at_once:
            step = min(step, CHUNK)
        if desk.filled + step > fields.block_rows:
            widen(scratch[: (last - first) * LANES * STRIDE], wide_scratch, fields)
            desk.filled = 0
        numbers = work.rows[parity, begin : begin + step]
        if at_once and fields.is_far:
            accumulate_far(table.words, table.lanes, table.n_words, numbers, fields, scratch)
        elif at_once:
            accumulate(table.words, table.lanes, table.n_words, numbers, fields, scratch)
        else:
            read_statistics(table.words, table.n_words, numbers, rows.counts, fields, desk.packed)
            accumulate_words(table.lanes, table.n_words, first, last, numbers, desk.packed, scratch)
        desk.filled += step
        begin += step


@inner_kernel
def _clear(scratch, wide_scratch, is_wide, size):
    for i in range(size):
        scratch[i] = 0
    if is_wide:
        for part in range(3):
            for i in range(size):
                wide_scratch[part, i] = 0


# --- partition -----------------------------------------------------------------------------------------------------


@part_kernel
def _partition_chunk(table, work, desk, chunk):
    """Some of the chosen node's rows to its children."""
    state = work.state[0]
    node = work.nodes[state.node]
    begin = node.start + chunk * CHUNK
    end = min(node.stop, begin + CHUNK)
    here, there = node.depth & 1, 1 - (node.depth & 1)
    column, source, target = table.codes[node.feature], work.rows[here, begin:end], work.rows[there]
    partition_chunk(column, state.goes_left, desk, source, target, work.cursor)


@inner_kernel
def _open_children(table, fields, limits, work):
    """Make the two children of a node whose rows have been parted."""
    state, nodes, middle = work.state[0], work.nodes, work.cursor[LEFT]
    node = nodes[state.node]
    node.left = state.n_nodes
    left, right = nodes[node.left], nodes[node.left + 1]
    state.n_nodes += 2
    state.n_leaves += 1
    left.start, left.stop = node.start, middle
    right.start, right.stop = middle, node.stop
    left.gradient, right.gradient = node.left_gradient, node.gradient - node.left_gradient
    left.hessian, right.hessian = node.left_hessian, node.hessian - node.left_hessian
    left.count, right.count = node.left_count, node.count - node.left_count
    for side in range(2):
        child = nodes[node.left + side]
        child.left = NO_CHILD
        child.depth = node.depth + 1
        child.fine_gradient = child.fine_hessian = 0
        child.is_wide = child.stop - child.start > fields.block_rows
        child.slot = NO_SLOT
        narrow_groups(limits, work.groups[state.node], node.feature, work.groups[node.left + side])
    left.lower, left.upper, right.lower, right.upper = child_bounds(
        table.columns[node.feature].monotone,
        clip(coarse_value(fields, limits, left), node.lower, node.upper),
        clip(coarse_value(fields, limits, right), node.lower, node.upper),
        node.lower,
        node.upper,
    )
    left_is_small = 2 * middle <= node.start + node.stop
    state.first = node.left
    state.small = node.left + (0 if left_is_small else 1)
    state.big = node.left + (1 if left_is_small else 0)
    _plan_histograms(fields, limits, work)


@inner_kernel
def coarse_value(fields, limits, node):
    """A node's leaf value from the sums in its histogram."""
    return _value_of(node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit, limits)


@inner_kernel
def _value_of(gradient, hessian, limits):
    value = leaf_value(gradient, hessian, limits.penalty)
    return hold_back(value, limits.link) if limits.link.power > 0.0 else value


@inner_kernel
def _plan_histograms(fields, limits, work):
    """Which children will be searched, and where their histograms go. The big one takes over its parent's."""
    state, nodes = work.state[0], work.nodes
    small, big = nodes[state.small], nodes[state.big]
    room = state.n_leaves < limits.max_leaves
    state.small_wanted = room and may_split(small.count, small.hessian * fields.hessian_unit, small.depth, limits)
    state.big_wanted = room and may_split(big.count, big.hessian * fields.hessian_unit, big.depth, limits)
    if not (state.small_wanted or state.big_wanted):
        return
    small.slot = _take_slot(work, small.is_wide != 0)
    if state.big_wanted:
        parent = nodes[state.node]
        big.slot = parent.slot if parent.is_wide == big.is_wide else _take_slot(work, big.is_wide != 0)
    state.by_words = small.stop - small.start <= work.few_rows
    for side in range(2):
        child = state.first + side
        allow_features(limits, child, work.groups[child], work.allowed[side], work.order)


# --- search --------------------------------------------------------------------------------------------------------


@inner_kernel
def _begin_search(table, limits, work):
    """Open the phase that searches columns, or groups of words."""
    state = work.state[0]
    for rank in range(work.desks.size):
        for side in range(2):
            work.best[rank, side].score = -np.inf
            work.best[rank, side].feature = -1
    lanes = table.first_member.size - 1
    at_a_time = work.group * LANES if state.by_words else work.lanes_at_a_time
    state.phase, state.n_chunks = SEARCH, (lanes + at_a_time - 1) // at_a_time


@part_kernel
def _search_chunk(rank, table, rows, limits, work, desk, chunk, kinds):
    """The columns of some lanes; by words, their sums are made first."""
    lanes, ranks = table.first_member.size - 1, (np.int64(0), np.int64(work.desks.size))
    at_a_time, offset = work.lanes_at_a_time, np.int64(0)
    if work.state[0].by_words:
        at_a_time, ranks = work.group * LANES, (np.int64(rank), np.int64(rank + 1))
        first = chunk * work.group
        offset = first * LANES * STRIDE
        _sum_words(rank, table, rows, work, desk, first, min(first + work.group, table.n_words - 1))
    for lane in range(chunk * at_a_time, min((chunk + 1) * at_a_time, lanes)):
        if table.first_member[lane] < table.first_member[lane + 1]:
            _sum_lane(rank, table, rows.fields, work, lane, ranks, lane * STRIDE - offset)
            _search_lane(rank, table, rows.fields, limits, work, lane, kinds)


@part_kernel
def _sum_lane(rank, table, fields, work, lane, ranks, start):
    """The sums of one lane, which begin at `start` in some threads' scratches, to this thread's desk or straight into
    the histogram."""
    small, desk, first = work.nodes[work.state[0].small], work.desks[rank], table.first_member[lane]
    n = table.columns[table.members[first]].lane_slots
    if small.is_wide:
        reduce_wide(work.wide_scratch, work.packed_scratch, work.desks, ranks, start, fields, desk.lane[:, :n])
    elif n == table.columns[table.members[first]].n_slots:  # no digits to read: straight into the histogram
        place = table.columns[table.members[first]].start
        reduce_packed(work.packed_scratch, work.desks, ranks, start, work.packed_pool[small.slot, place : place + n])
    else:
        reduce_packed(work.packed_scratch, work.desks, ranks, start, desk.lane[0, :n])


@inner_kernel
def _search_lane(rank, table, fields, limits, work, lane, kinds):
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
                    _search(rank, work, fields, limits, child, column, feature, kinds.categories, kinds.monotone)
        if m > first:
            for part in range(3 if work.nodes[state.small].is_wide else 1):
                drop_digit(desk.lane[part], column.divisor, column.n_slots)


@part_kernel
def _fill_column(rank, fields, work, column):
    """The small child's histogram of one column, and the big one's by subtraction."""
    state, nodes, desk = work.state[0], work.nodes, work.desks[rank]
    small, big, parent = nodes[state.small], nodes[state.big], nodes[max(_ROOT, state.node)]
    first, last = column.start, column.start + column.n_slots
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
    if not parent.is_wide:
        subtract(work.packed_pool[parent.slot, first:last], work.packed_pool[small.slot, first:last])
    elif small.is_wide:
        for part in range(3):
            subtract(work.wide_pool[parent.slot, part, first:last], work.wide_pool[small.slot, part, first:last])
    else:
        wide, packed = work.wide_pool[parent.slot, :, first:last], work.packed_pool[small.slot, first:last]
        subtract_packed_from_wide(wide, packed, fields)


@inner_kernel
def _search(rank, work, fields, limits, at, column, feature, categories, monotone):
    """The best split of one node on one column, if it is better than what this thread has found before."""
    side, node = at - work.state[0].first, work.nodes[at]
    if not work.allowed[side, feature]:
        return
    desk, best, first = work.desks[rank], work.best[rank, side], column.start
    if categories is not None:
        if column.is_categorical:
            if node.is_wide:
                load_wide(work.wide_pool[node.slot, :, first : first + column.n_slots], desk)
            else:
                load_packed(work.packed_pool[node.slot, first : first + column.n_slots], fields, desk)
            search_categories(node, feature, column, fields, limits, desk, best, monotone)
            return
    last = first + column.n_bins
    if node.is_wide:
        n = add_up_wide(work.wide_pool[node.slot, :, first:last], desk)
    else:
        n = add_up_packed(work.packed_pool[node.slot, first:last], fields, desk)
    counts = work.wide_pool[node.slot, 2, first:last] if node.is_wide else work.packed_pool[node.slot, first:last]
    search_numbers(node, feature, column, counts, n, fields, limits, desk, best, monotone)


# --- settle --------------------------------------------------------------------------------------------------------


@inner_kernel
def _settle(limits, fields, work):
    """Keep each child's best split, give back histograms that nobody needs, choose the next node."""
    state, nodes = work.state[0], work.nodes
    if state.node >= 0:
        parent, big = nodes[state.node], nodes[state.big]
        if state.big_wanted and parent.is_wide == big.is_wide:  # the big child has it now
            parent.slot = NO_SLOT
        _give_slot(work, parent)
    for turn in range(2):
        wanted = state.small_wanted if turn == 0 else state.big_wanted
        child = state.small if turn == 0 else state.big
        if wanted:
            _choose_split(limits, fields, work, child)
        elif child != _ROOT:
            _give_slot(work, nodes[child])
    _next_node(limits, work)


@inner_kernel
def _choose_split(limits, fields, work, at):
    """The best of the threads' candidates; the node joins the frontier if it gains anything."""
    state, node = work.state[0], work.nodes[at]
    side = at - state.first
    found = work.best[0, side]
    for rank in range(1, work.desks.size):
        other = work.best[rank, side]
        if is_better(other.score, other.feature, found):
            found = other
    gain = found.score - node_score(node, fields, limits)
    if found.score == -np.inf or not worth_splitting(gain, found.score, node, fields, limits):
        _give_slot(work, node)
        return
    node.gain = gain
    node.feature = found.feature
    node.code = found.code
    node.missing_left = found.missing_left
    for w in range(4):
        node.bits[w] = found.bits[w]
    node.left_gradient = found.gradient
    node.left_hessian = found.hessian
    node.left_count = found.count
    node.key = priority(limits.best_first, at, gain)
    state.heap_size = push(work.heap, state.heap_size, work.nodes, at)


@inner_kernel
def node_score(node, fields, limits):
    """What a node scores as a leaf."""
    gradient, hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    if limits.has_monotone:
        return bounded_score(gradient, hessian, node.lower, node.upper, limits.penalty)
    return leaf_score(gradient, hessian, limits.penalty)


@inner_kernel
def worth_splitting(gain, score, node, fields, limits):
    """A gain must stand out from the rounding of the scores it is the difference of, and from that of the statistics.

    Rows that are all alike but for rounding, each off by up to one unit (or by a share of itself, where rows have
    exponents), seem to gain about the second bound at best.
    """
    gradient, hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    weight = hessian + limits.penalty.l2
    value = gradient / weight if weight > 0.0 else 0.0
    share = fields.coarseness / node.count
    gradient_noise = fields.gradient_unit * fields.gradient_unit + share * share * gradient * gradient
    hessian_noise = fields.hessian_unit * fields.hessian_unit + share * share * hessian * hessian
    noise = gradient_noise + value * value * hessian_noise
    return gain > 1e-12 * score and gain * weight > _STANDS_OUT * node.count * noise


@inner_kernel
def _next_node(limits, work):
    """Take the next node off the frontier, or end the growth."""
    state = work.state[0]
    if state.heap_size == 0 or state.n_leaves >= limits.max_leaves:
        state.node = -1
    else:
        state.node, state.heap_size = pop(work.heap, state.heap_size, work.nodes)


# --- leaves --------------------------------------------------------------------------------------------------------


@inner_kernel
def order_pieces(work):
    """The grown leaves from left to right: their segments tile the rows."""
    stack = work.heap  # the frontier is done with it
    stack[0] = 0
    height, found = 1, 0
    while height > 0:
        height -= 1
        at = stack[height]
        left = work.nodes[at].left
        if left == NO_CHILD:
            work.pieces[found] = at
            found += 1
        else:
            stack[height] = left + 1
            stack[height + 1] = left
            height += 2
    for i in range(2 * found):
        work.leaf_sums[i] = 0


@inner_kernel
def _piece_at(nodes, pieces, n_pieces, position):
    """Which piece holds a position: halving over their starts."""
    low, high = 0, n_pieces
    while high - low > 1:
        middle = (low + high) // 2
        if nodes[pieces[middle]].start <= position:
            low = middle
        else:
            high = middle
    return low


@part_kernel
def sum_leaf_chunk(rows, work, chunk):
    """The pieces' gradient and hessian sums once more, in the finer units; and which piece each row is in."""
    fields, nodes, flat = rows.fields, work.nodes, rows.derivatives.reshape(-1)
    gradient_scale, hessian_scale = np.float64(fields.fine_gradient_scale), np.float64(fields.fine_hessian_scale)
    begin = chunk * CHUNK
    chunk_end = min(rows.n, begin + CHUNK)
    piece = _piece_at(nodes, work.pieces, work.state[0].n_leaves, begin)
    while begin < chunk_end:
        node = nodes[work.pieces[piece]]
        end = min(chunk_end, node.stop)
        segment = work.rows[node.depth & 1, begin:end]
        gradient = hessian = np.int64(0)
        for k in range(segment.size):
            if k + _AHEAD < segment.size:
                prefetch(flat, 2 * np.int64(segment[k + _AHEAD]))
            row = np.uint64(segment[k])
            work.leaf_of_row[row] = piece
            count = rows.counts[row] if rows.counts.size else np.int64(1)
            gradient += count * np.int64(np.floor(flat[row + row] * gradient_scale + 0.5))
            hessian += count * np.int64(np.floor(flat[row + row + _ONE] * hessian_scale + 0.5))
        atomic_add(work.leaf_sums, 2 * piece, gradient)
        atomic_add(work.leaf_sums, 2 * piece + 1, hessian)
        begin = end
        piece += 1


@inner_kernel
def finish_tree(fields, limits, work):
    """Hand the pieces' sums to their nodes; prune; set the values."""
    state, nodes = work.state[0], work.nodes
    for piece in range(state.n_leaves):
        nodes[work.pieces[piece]].fine_gradient = work.leaf_sums[2 * piece]
        nodes[work.pieces[piece]].fine_hessian = work.leaf_sums[2 * piece + 1]
    finish_nodes(fields, limits, nodes, state.n_nodes)


@inner_kernel
def finish_nodes(fields, limits, nodes, n_nodes):
    """Add leaf sums up the tree, prune splits that gain too little from the leaves up, and set every value."""
    for at in range(n_nodes - 1, -1, -1):
        node = nodes[at]
        node.is_leaf = node.left == NO_CHILD
        if node.left == NO_CHILD:
            node.feature, node.code, node.missing_left, node.gain = -1, 0, 0, 0.0
            for w in range(4):
                node.bits[w] = 0
        else:
            left, right = nodes[node.left], nodes[node.left + 1]
            node.fine_gradient = left.fine_gradient + right.fine_gradient
            node.fine_hessian = left.fine_hessian + right.fine_hessian
            node.is_leaf = left.is_leaf and right.is_leaf and node.gain < limits.min_gain
    for at in range(n_nodes):
        node = nodes[at]
        gradient = node.fine_gradient * fields.fine_gradient_unit
        hessian = node.fine_hessian * fields.fine_hessian_unit
        value = _value_of(gradient, hessian, limits)
        node.value = limits.learning_rate * clip(value, node.lower, node.upper)
    pass_values_down(nodes, n_nodes)


@inner_kernel
def pass_values_down(nodes, n_nodes):
    """The pieces below a pruned node answer with its value."""
    for at in range(n_nodes):
        node = nodes[at]
        if node.is_leaf and node.left != NO_CHILD:
            for side in range(2):
                nodes[node.left + side].is_leaf = 1
                nodes[node.left + side].value = node.value


@kernel
def share_values(nodes):
    """`pass_values_down` after values were changed from outside."""
    pass_values_down(nodes, nodes.size)


def add_tree(rows: Rows, work: Work, scores: np.ndarray, team: Team) -> None:
    """Add the values of the tree just grown to the scores of its rows."""
    pieces = work.pieces[: work.state[0].n_leaves]
    team.run(_add_tree, rows.chosen, rows.n, work.nodes, pieces, work.leaf_of_row, work.leaf_values, scores)


@kernel
def _add_tree(rank, size, sync, chosen, n_rows, nodes, pieces, leaf_of_row, leaf_values, scores):
    """scores[row] += value of the row's leaf in the tree just grown."""
    values = leaf_values[rank]
    for piece in range(pieces.size):
        values[piece] = nodes[pieces[piece]].value
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= n_rows:
            return
        end = min(n_rows, begin + CHUNK)
        if chosen.size:
            for row in chosen[begin:end]:
                scores[row] += values[np.uint64(leaf_of_row[row])]
        else:
            part, leaves = scores[begin:end], leaf_of_row[begin:end]
            for i in range(part.size):
                part[i] += values[np.uint64(leaves[i])]

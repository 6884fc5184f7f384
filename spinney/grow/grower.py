"""THE loop: one tree, from the root to its leaves, in one compiled call that a team of threads enters together.

Glossary
    row          a line of the table; `rows` holds row numbers in the order of the nodes
    node         a part of the rows; its rows stand side by side in one segment of `rows`
    parity       even depths keep their segments in buffer 0, odd ones in buffer 1
    code         the uint8 that stands for a value; `bins` are codes, `missing` has the last one
    packed       a row's gradient, hessian and count in one int64
    histogram    per bin, the sums over a node's rows; packed or wide (see histogram.py)
    small, big   the child with fewer rows, whose histogram is built, and its sibling, whose is parent minus small
    candidate    the best split of one column
    frontier     the open nodes that have a split worth making
    piece        the segment of a grown leaf; pruning may join several pieces into one final leaf

The life of a tree
    root         quantise the rows' gradients; build and search the root's histogram
    while the frontier has nodes and leaves may be added:
        partition    the chosen node's rows go to its two children
        histogram    of the small child, chunk by chunk, each thread into its own scratch
        search       column by column: reduce the scratches, subtract, find both children's candidates
        settle       one thread picks the best candidates, puts children on the frontier, chooses the next node
    leaves       sum gradients again in finer units; prune; compute the values

Phases are separated by barriers; inside a phase work is handed out in chunks. Nothing that decides depends on which
thread did what: all sums are integers.
"""

from __future__ import annotations

import numpy as np

from spinney._jit import atomic_add, kernel
from spinney._team import barrier, next_chunk
from spinney.criteria.gains import bounded_score, clip, leaf_score, leaf_value
from spinney.grow.frontier import pop, priority, push
from spinney.grow.histogram import (
    accumulate,
    narrow,
    reduce_packed,
    reduce_wide,
    subtract_packed,
    subtract_packed_from_wide,
    subtract_wide,
    widen,
)
from spinney.grow.limits import allow_features, child_bounds, may_split, narrow_groups
from spinney.grow.memory import (
    BIG_WANTED,
    FREE_PACKED,
    FREE_WIDE,
    HEAP_SIZE,
    N_LEAVES,
    N_NODES,
    NO_CHILD,
    NO_SLOT,
    NODE,
    SMALL_WANTED,
)
from spinney.grow.partition import CHUNK, LEFT, RIGHT, partition_rows
from spinney.grow.splits import (
    Prefixes,
    Sums,
    fill_goes_left,
    load_bins,
    search_categories,
    search_numbers,
)
from spinney.grow.statistics import quantise


@kernel
def grow_tree(rank, size, sync, table, rows, limits, nodes, work):
    """Grow one tree; returns its number of nodes (leaves' values and pieces are in `nodes`). 0 if stopped."""
    _prepare(rank, sync, rows, limits, nodes, work)
    if not barrier(sync, size):
        return 0
    _sum_root(rank, sync, table, rows, work)
    if not barrier(sync, size):
        return 0
    if work.control[BIG_WANTED]:
        _search_root(rank, sync, table, rows, limits, nodes, work)
    if not barrier(sync, size):
        return 0
    if rank == 0:
        _settle_root(rows, limits, nodes, work)
    if not barrier(sync, size):
        return 0
    while work.control[NODE] >= 0:
        node = work.control[NODE]
        _partition(rank, sync, table, limits, nodes, work, node)
        if not barrier(sync, size):
            return 0
        middle = work.cursor[LEFT]
        left_is_small = 2 * middle <= nodes.start[node] + nodes.stop[node]
        if rank == 0:
            _open_children(rows, limits, nodes, work, node, middle)
        if not barrier(sync, size):
            return 0
        if work.control[SMALL_WANTED] or work.control[BIG_WANTED]:
            small = nodes.left[node] + (0 if left_is_small else 1)
            _sum_small(rank, sync, table, rows, nodes, work, small)
            if not barrier(sync, size):
                return 0
            _search_children(rank, sync, table, rows, limits, nodes, work, node, left_is_small)
            if not barrier(sync, size):
                return 0
        if rank == 0:
            _settle(limits, rows, nodes, work, node, left_is_small)
        if not barrier(sync, size):
            return 0
    _sum_leaves(sync, rows, nodes, work)
    if not barrier(sync, size):
        return 0
    if rank == 0:
        finish_nodes(rows.fields, limits, nodes, work.control[N_NODES])
    if not barrier(sync, size):
        return 0
    return work.control[N_NODES]


# --- root ----------------------------------------------------------------------------------------------------------


@kernel
def _prepare(rank, sync, rows, limits, nodes, work):
    """Empty the shared numbers; the root is every chosen row."""
    if rank > 0:
        return
    control = work.control
    control[NODE] = -1
    control[N_NODES] = 1
    control[N_LEAVES] = 1
    control[HEAP_SIZE] = 0
    control[FREE_PACKED] = work.free_packed.size
    control[FREE_WIDE] = work.free_wide.size
    for i in range(work.free_packed.size):
        work.free_packed[i] = i
    for i in range(work.free_wide.size):
        work.free_wide[i] = i
    work.used[:] = 0
    nodes.left[0] = NO_CHILD
    nodes.start[0] = 0
    nodes.stop[0] = rows.n
    nodes.depth[0] = 0
    nodes.lower[0] = -np.inf
    nodes.upper[0] = np.inf
    nodes.groups[0] = 1
    nodes.gradient[0] = nodes.hessian[0] = nodes.count[0] = 0
    nodes.fine_gradient[0] = nodes.fine_hessian[0] = 0
    nodes.is_wide[0] = rows.n > rows.fields.block_rows
    nodes.slot[0] = _take_slot(work, nodes.is_wide[0])
    control[BIG_WANTED] = limits.max_leaves > 1 and limits.max_depth > 0
    control[SMALL_WANTED] = 0
    if control[BIG_WANTED]:
        allow_features(limits, 0, nodes.groups[0], work.allowed[0], work.order)


@kernel
def _sum_root(rank, sync, table, rows, work):
    """Quantise every row and add it to the thread's scratch, a chunk at a time while it is in the cache."""
    fields = rows.fields
    wide = rows.n > fields.block_rows
    filled = 0
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= rows.n:
            break
        end = min(rows.n, begin + CHUNK)
        for k in range(begin, end):
            row = rows.chosen[k] if rows.chosen.size else np.int32(k)
            count = rows.counts[row] if rows.counts.size else np.int64(1)
            work.rows[0, k] = row
            work.packed[0, k] = quantise(
                rows.derivatives[row, 0], rows.derivatives[row, 1], count, rows.noise_key, row, fields
            )
        if work.control[BIG_WANTED]:
            filled = _add_chunk(rank, table, work, work.rows[0], work.packed[0], begin, end, filled, wide, fields)
    _close_scratch(rank, work, filled, wide, fields)


@kernel
def _add_chunk(rank, table, work, rows, packed, begin, end, filled, wide, fields):
    """Add rows to this thread's scratch, in steps that the packed form can hold; returns how full it is."""
    scratch = work.packed_scratch[rank]
    if not work.used[rank]:
        scratch[:] = 0
        if wide:
            work.wide_scratch[rank][:] = 0
        work.used[rank] = 1
    while begin < end:
        step = min(end - begin, fields.block_rows)
        if filled + step > fields.block_rows:
            widen(scratch, work.wide_scratch[rank], fields)
            filled = 0
        accumulate(table.words, table.layout, rows, packed, begin, begin + step, scratch)
        filled += step
        begin += step
    return filled


@kernel
def _close_scratch(rank, work, filled, wide, fields):
    if wide and filled > 0:
        widen(work.packed_scratch[rank], work.wide_scratch[rank], fields)


@kernel
def _search_root(rank, sync, table, rows, limits, nodes, work):
    """Reduce the root's histogram column by column, and search it."""
    layout, fields = table.layout, rows.fields
    is_wide = nodes.is_wide[0]
    histogram = _histogram(nodes, work, 0)
    total = _reduced_total(work, layout, is_wide, limits.features[0], fields)
    while True:
        k = next_chunk(sync)
        if k >= limits.features.size:
            break
        feature = limits.features[k]
        _reduce(work, layout, is_wide, feature, histogram)
        if k == 0:
            nodes.gradient[0] = total.gradient
            nodes.hessian[0] = total.hessian
            nodes.count[0] = total.count
        bounds = (nodes.lower[0], nodes.upper[0])
        _search(rank, layout, limits, fields, work, histogram, is_wide, feature, total, bounds, 0, k)


@kernel
def _reduced_total(work, layout, is_wide, feature, fields):
    """The root's sums, from any one column's bins."""
    first = layout.column_start[feature]
    last = first + layout.n_slots[feature]
    gradient = hessian = count = np.int64(0)
    for rank in range(work.used.size):
        if work.used[rank]:
            for i in range(first, last):
                if is_wide:
                    gradient += work.wide_scratch[rank, 3 * i]
                    hessian += work.wide_scratch[rank, 3 * i + 1]
                    count += work.wide_scratch[rank, 3 * i + 2]
                else:
                    value = work.packed_scratch[rank, i]
                    count += value & fields.count_mask
                    hessian += (value >> fields.count_bits) & fields.hessian_mask
                    gradient += value >> fields.gradient_shift
    return Sums(gradient, hessian, count)


@kernel
def _settle_root(rows, limits, nodes, work):
    if work.control[BIG_WANTED]:
        _choose_split(limits, rows.fields, nodes, work, 0, 0)
    _next_node(limits, nodes, work)


# --- histograms ----------------------------------------------------------------------------------------------------


@kernel
def _take_slot(work, is_wide):
    if is_wide:
        work.control[FREE_WIDE] -= 1
        return work.free_wide[work.control[FREE_WIDE]]
    work.control[FREE_PACKED] -= 1
    return work.free_packed[work.control[FREE_PACKED]]


@kernel
def _give_slot(nodes, work, node):
    if nodes.slot[node] == NO_SLOT:
        return
    if nodes.is_wide[node]:
        work.free_wide[work.control[FREE_WIDE]] = nodes.slot[node]
        work.control[FREE_WIDE] += 1
    else:
        work.free_packed[work.control[FREE_PACKED]] = nodes.slot[node]
        work.control[FREE_PACKED] += 1
    nodes.slot[node] = NO_SLOT


@kernel
def _histogram(nodes, work, node):
    return work.wide_pool[nodes.slot[node]] if nodes.is_wide[node] else work.packed_pool[nodes.slot[node]]


@kernel
def _reduce(work, layout, is_wide, feature, out):
    """One column of the threads' scratches, added up."""
    first = layout.column_start[feature]
    last = first + layout.n_slots[feature]
    if is_wide:
        reduce_wide(work.wide_scratch, work.used, first, last, out)
    else:
        reduce_packed(work.packed_scratch, work.used, first, last, out)


@kernel
def _sum_small(rank, sync, table, rows, nodes, work, small):
    """The small child's rows into the threads' scratches."""
    start, stop = nodes.start[small], nodes.stop[small]
    parity = nodes.depth[small] & 1
    wide = nodes.is_wide[small]
    filled = 0
    while True:
        begin = start + next_chunk(sync) * CHUNK
        if begin >= stop:
            break
        end = min(stop, begin + CHUNK)
        filled = _add_chunk(
            rank, table, work, work.rows[parity], work.packed[parity], begin, end, filled, wide, rows.fields
        )
    _close_scratch(rank, work, filled, wide, rows.fields)


# --- partition -----------------------------------------------------------------------------------------------------


@kernel
def _partition(rank, sync, table, limits, nodes, work, node):
    feature = nodes.feature[node]
    goes_left = work.goes_left[rank]
    fill_goes_left(
        goes_left,
        limits.is_categorical[feature],
        nodes.code[node],
        nodes.missing_left[node],
        table.layout.n_bins[feature],
        nodes.bits[node],
    )
    parity = nodes.depth[node] & 1
    partition_rows(
        sync,
        table.codes[feature],
        goes_left,
        (work.rows[parity], work.packed[parity]),
        (work.rows[1 - parity], work.packed[1 - parity]),
        nodes.start[node],
        nodes.stop[node],
        work.cursor,
        (
            work.buffer_rows[rank, 0],
            work.buffer_packed[rank, 0],
            work.buffer_rows[rank, 1],
            work.buffer_packed[rank, 1],
        ),
    )


@kernel
def _open_children(rows, limits, nodes, work, node, middle):
    """Make the two children of a node whose rows have been parted at `middle`."""
    control = work.control
    left = control[N_NODES]
    control[N_NODES] += 2
    control[N_LEAVES] += 1
    nodes.left[node] = left
    fields, feature = rows.fields, nodes.feature[node]
    sums = (nodes.left_gradient[node], nodes.left_hessian[node], nodes.left_count[node])
    totals = (nodes.gradient[node], nodes.hessian[node], nodes.count[node])
    lower, upper = nodes.lower[node], nodes.upper[node]
    value = np.empty(2)
    for side in range(2):
        child = left + side
        nodes.left[child] = NO_CHILD
        nodes.depth[child] = nodes.depth[node] + 1
        nodes.start[child] = nodes.start[node] if side == 0 else middle
        nodes.stop[child] = middle if side == 0 else nodes.stop[node]
        nodes.gradient[child] = sums[0] if side == 0 else totals[0] - sums[0]
        nodes.hessian[child] = sums[1] if side == 0 else totals[1] - sums[1]
        nodes.count[child] = sums[2] if side == 0 else totals[2] - sums[2]
        nodes.fine_gradient[child] = nodes.fine_hessian[child] = 0
        nodes.is_wide[child] = nodes.stop[child] - nodes.start[child] > fields.block_rows
        nodes.slot[child] = NO_SLOT
        narrow_groups(limits, nodes.groups[node], feature, nodes.groups[child])
        value[side] = clip(
            leaf_value(
                nodes.gradient[child] * fields.gradient_unit, nodes.hessian[child] * fields.hessian_unit, limits.penalty
            ),
            lower,
            upper,
        )
    bounds = child_bounds(limits, feature, value[0], value[1], lower, upper)
    nodes.lower[left], nodes.upper[left], nodes.lower[left + 1], nodes.upper[left + 1] = bounds
    _plan_histograms(fields, limits, nodes, work, node, middle)


@kernel
def _plan_histograms(fields, limits, nodes, work, node, middle):
    """Which children will be searched, and where their histograms go. The big one takes over its parent's."""
    left = nodes.left[node]
    left_is_small = 2 * middle <= nodes.start[node] + nodes.stop[node]
    small = left + (0 if left_is_small else 1)
    big = left + (1 if left_is_small else 0)
    room = work.control[N_LEAVES] < limits.max_leaves
    work.control[SMALL_WANTED] = room and may_split(
        nodes.count[small], nodes.hessian[small] * fields.hessian_unit, nodes.depth[small], limits
    )
    work.control[BIG_WANTED] = room and may_split(
        nodes.count[big], nodes.hessian[big] * fields.hessian_unit, nodes.depth[big], limits
    )
    work.used[:] = 0
    if work.control[SMALL_WANTED] or work.control[BIG_WANTED]:
        nodes.slot[small] = _take_slot(work, nodes.is_wide[small])
        if work.control[BIG_WANTED] and nodes.is_wide[node] and not nodes.is_wide[big]:
            nodes.slot[big] = _take_slot(work, False)
        allow_features(limits, left, nodes.groups[left], work.allowed[0], work.order)
        allow_features(limits, left + 1, nodes.groups[left + 1], work.allowed[1], work.order)


# --- search --------------------------------------------------------------------------------------------------------


@kernel
def _search_children(rank, sync, table, rows, limits, nodes, work, node, left_is_small):
    """Column by column: the small child's histogram, the big one's by subtraction, and the best split of each."""
    layout, fields = table.layout, rows.fields
    left = nodes.left[node]
    small = left + (0 if left_is_small else 1)
    big = left + (1 if left_is_small else 0)
    small_histogram = _histogram(nodes, work, small)
    parent_histogram = _histogram(nodes, work, node)
    becomes_narrow = nodes.slot[big] != NO_SLOT
    while True:
        k = next_chunk(sync)
        if k >= limits.features.size:
            return
        feature = limits.features[k]
        _reduce(work, layout, nodes.is_wide[small], feature, small_histogram)
        if work.control[SMALL_WANTED]:
            _search_node(rank, layout, limits, fields, nodes, work, small_histogram, feature, small, left, k)
        if work.control[BIG_WANTED]:
            _subtract(layout, fields, nodes, feature, node, small, parent_histogram, small_histogram)
            if becomes_narrow:
                first = layout.column_start[feature]
                packed = work.packed_pool[nodes.slot[big]]
                narrow(parent_histogram, packed, first, first + layout.n_slots[feature], fields)
                _search_node(rank, layout, limits, fields, nodes, work, packed, feature, big, left, k)
            else:
                _search_node(rank, layout, limits, fields, nodes, work, parent_histogram, feature, big, left, k)


@kernel
def _subtract(layout, fields, nodes, feature, node, small, parent_histogram, small_histogram):
    """The parent's column minus the small child's, in place."""
    first = layout.column_start[feature]
    last = first + layout.n_slots[feature]
    if not nodes.is_wide[node]:
        subtract_packed(parent_histogram, small_histogram, first, last)
    elif nodes.is_wide[small]:
        subtract_wide(parent_histogram, small_histogram, first, last)
    else:
        subtract_packed_from_wide(parent_histogram, small_histogram, first, last, fields)


@kernel
def _search_node(rank, layout, limits, fields, nodes, work, histogram, feature, child, left, k):
    node = Sums(nodes.gradient[child], nodes.hessian[child], nodes.count[child])
    bounds = (nodes.lower[child], nodes.upper[child])
    _search(rank, layout, limits, fields, work, histogram, nodes.is_wide[child], feature, node, bounds, child - left, k)


@kernel
def _search(rank, layout, limits, fields, work, histogram, is_wide, feature, node, bounds, side, k):
    """The best split of one node on one column, into the candidates."""
    if not work.allowed[side, k]:
        work.candidates.gain[side, k] = -np.inf
        return
    prefix, score = work.prefix[rank], work.score[rank]
    prefixes = Prefixes(prefix[0], prefix[1], prefix[2], score[0], score[1], prefix[3])
    n_bins, n_slots = layout.n_bins[feature], layout.n_slots[feature]
    first = layout.column_start[feature]
    if limits.is_categorical[feature]:
        load_bins(histogram, is_wide, first, n_slots, fields, prefixes)
        search_categories(node, n_bins, n_slots, fields, limits, bounds, prefixes, work.candidates, side, k)
    else:
        load_bins(histogram, is_wide, first, n_bins, fields, prefixes)
        direction = limits.monotone[feature]
        search_numbers(node, n_bins, fields, limits, direction, bounds, prefixes, work.candidates, side, k)


# --- settle --------------------------------------------------------------------------------------------------------


@kernel
def _settle(limits, rows, nodes, work, node, left_is_small):
    """Keep each child's best split, give back histograms that nobody needs, choose the next node."""
    left = nodes.left[node]
    small = left + (0 if left_is_small else 1)
    big = left + (1 if left_is_small else 0)
    control = work.control
    if control[BIG_WANTED] and nodes.slot[big] == NO_SLOT:
        nodes.slot[big] = nodes.slot[node]  # subtracted in place
        nodes.slot[node] = NO_SLOT
    _give_slot(nodes, work, node)
    if control[SMALL_WANTED]:
        _choose_split(limits, rows.fields, nodes, work, small, small - left)
    else:
        _give_slot(nodes, work, small)
    if control[BIG_WANTED]:
        _choose_split(limits, rows.fields, nodes, work, big, big - left)
    _next_node(limits, nodes, work)


@kernel
def node_score(gradient, hessian, lower, upper, penalty, has_bounds):
    """What a node scores as a leaf."""
    if has_bounds:
        return bounded_score(gradient, hessian, lower, upper, penalty)
    return leaf_score(gradient, hessian, penalty)


@kernel
def _choose_split(limits, fields, nodes, work, node, side):
    """The best of the columns' candidates; the node joins the frontier if it gains anything."""
    found = work.candidates
    best = -1
    for k in range(limits.features.size):
        if found.gain[side, k] > (found.gain[side, best] if best >= 0 else -np.inf):
            best = k
    own = node_score(
        nodes.gradient[node] * fields.gradient_unit,
        nodes.hessian[node] * fields.hessian_unit,
        nodes.lower[node],
        nodes.upper[node],
        limits.penalty,
        limits.has_monotone,
    )
    gain = found.gain[side, best] - own if best >= 0 else -1.0
    if not gain > 1e-12 * abs(own):
        _give_slot(nodes, work, node)
        return
    nodes.gain[node] = gain
    nodes.feature[node] = limits.features[best]
    nodes.code[node] = found.code[side, best]
    nodes.missing_left[node] = found.missing_left[side, best]
    nodes.bits[node] = found.bits[side, best]
    nodes.left_gradient[node] = found.gradient[side, best]
    nodes.left_hessian[node] = found.hessian[side, best]
    nodes.left_count[node] = found.count[side, best]
    nodes.key[node] = priority(limits.best_first, node, gain)
    work.control[HEAP_SIZE] = push(work.heap, work.control[HEAP_SIZE], nodes.key, node)


@kernel
def _next_node(limits, nodes, work):
    """Take the next node off the frontier, or end the growth."""
    control = work.control
    if control[HEAP_SIZE] == 0 or control[N_LEAVES] >= limits.max_leaves:
        control[NODE] = -1
        _order_pieces(nodes, work)
        return
    node, control[HEAP_SIZE] = pop(work.heap, control[HEAP_SIZE], nodes.key)
    control[NODE] = node
    work.cursor[LEFT] = nodes.start[node]
    work.cursor[RIGHT] = nodes.stop[node]


# --- leaves --------------------------------------------------------------------------------------------------------


@kernel
def _order_pieces(nodes, work):
    """The grown leaves from left to right: their segments tile the rows."""
    stack = work.heap  # the frontier is done with it
    stack[0] = 0
    height, found = 1, 0
    while height > 0:
        height -= 1
        node = stack[height]
        if nodes.left[node] == NO_CHILD:
            nodes.pieces[found] = node
            found += 1
        else:
            stack[height] = nodes.left[node] + 1
            stack[height + 1] = nodes.left[node]
            height += 2


@kernel
def piece_at(nodes, n_pieces, position):
    """Which piece holds a position: halving over their starts."""
    low, high = 0, n_pieces
    while high - low > 1:
        middle = (low + high) // 2
        if nodes.start[nodes.pieces[middle]] <= position:
            low = middle
        else:
            high = middle
    return low


@kernel
def _sum_leaves(sync, rows, nodes, work):
    """Each piece's gradient and hessian sums once more, in the finer units: integers, added atomically."""
    fields = rows.fields
    n_pieces = work.control[N_LEAVES]
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= rows.n:
            return
        chunk_end = min(rows.n, begin + CHUNK)
        piece = piece_at(nodes, n_pieces, begin)
        while begin < chunk_end:
            node = nodes.pieces[piece]
            end = min(chunk_end, nodes.stop[node])
            segment = work.rows[nodes.depth[node] & 1]
            gradient = hessian = np.int64(0)
            for k in range(begin, end):
                row = segment[k]
                count = rows.counts[row] if rows.counts.size else np.int64(1)
                gradient += count * np.int64(np.floor(rows.derivatives[row, 0] * fields.fine_gradient_scale + 0.5))
                hessian += count * np.int64(np.floor(rows.derivatives[row, 1] * fields.fine_hessian_scale + 0.5))
            atomic_add(nodes.fine_gradient, node, gradient)
            atomic_add(nodes.fine_hessian, node, hessian)
            begin = end
            piece += 1


@kernel
def finish_nodes(fields, limits, nodes, n_nodes):
    """Add leaf sums up the tree, prune splits that gain too little from the leaves up, and set every value."""
    for node in range(n_nodes - 1, -1, -1):
        left = nodes.left[node]
        nodes.is_leaf[node] = left == NO_CHILD
        if left != NO_CHILD:
            nodes.fine_gradient[node] = nodes.fine_gradient[left] + nodes.fine_gradient[left + 1]
            nodes.fine_hessian[node] = nodes.fine_hessian[left] + nodes.fine_hessian[left + 1]
            nodes.is_leaf[node] = nodes.is_leaf[left] and nodes.is_leaf[left + 1] and nodes.gain[node] < limits.min_gain
    for node in range(n_nodes):
        gradient = nodes.fine_gradient[node] * fields.fine_gradient_unit
        hessian = nodes.fine_hessian[node] * fields.fine_hessian_unit
        value = leaf_value(gradient, hessian, limits.penalty)
        nodes.value[node] = limits.learning_rate * clip(value, nodes.lower[node], nodes.upper[node])
    for node in range(n_nodes):
        left = nodes.left[node]
        if nodes.is_leaf[node] and left != NO_CHILD:  # pruned: the pieces below answer with its value
            nodes.is_leaf[left] = nodes.is_leaf[left + 1] = 1
            nodes.value[left] = nodes.value[left + 1] = nodes.value[node]


@kernel
def add_to_scores(rank, size, sync, nodes, n_pieces, n_rows, row_buffers, values, scores):
    """scores[row] += values[leaf of the row], by the segments of the tree just grown."""
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= n_rows:
            return
        chunk_end = min(n_rows, begin + CHUNK)
        piece = piece_at(nodes, n_pieces, begin)
        while begin < chunk_end:
            node = nodes.pieces[piece]
            end = min(chunk_end, nodes.stop[node])
            segment = row_buffers[nodes.depth[node] & 1]
            value = values[node]
            for k in range(begin, end):
                scores[segment[k]] += value
            begin = end
            piece += 1

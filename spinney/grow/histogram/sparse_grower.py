"""Boosted trees on a sparse table: the loop of grower.py, with sums from lists of places (sparse_memory.py).

The life of a tree is the same, but that there is no phase for histograms after the root's rows are quantised: whoever
searches a group of columns sums it first. There may be fewer histograms than open nodes; then the least promising open
node gives up its own, and should it be split after all, both its children are summed from their rows. Sums are
integers: a tree cannot tell.
"""

from __future__ import annotations

from spinney._compile import inner_kernel, kernel, part_kernel, refer
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.grow.histogram.leaves import finish_tree, order_pieces, sum_leaf_chunk
from spinney.grow.histogram.memory import DONE, HISTOGRAM, LEAVES, NO_SLOT, PARTITION, ROOT, SEARCH
from spinney.grow.histogram.partition import CHUNK, LEFT, RIGHT, n_chunks_of, partition_chunk
from spinney.grow.histogram.scan_bins import fill_goes_left
from spinney.grow.histogram.settle import free_slots, give_slot, is_promising, make_pair, plant, settle, take_slot
from spinney.grow.histogram.sparse_search import begin_search, search_group
from spinney.grow.histogram.sums import COUNT, GRADIENT, HESSIAN, begin_histogram, quantise_chunk
from spinney.grow.rules import NO_NODE, allow_features, narrow_groups


@kernel
def grow_sparse_tree(rank, size, sync, table, rows, rules, work, kinds):
    """Grow one tree; returns its number of nodes, 0 if stopped. Leaves' values and pieces are in `work`."""
    table, rows, rules, work = refer(table), refer(rows), refer(rules), refer(work)
    state, desk = work.state[0], work.desks[rank]
    if rank == 0:
        _prepare(rows, rules, work)
        open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return state.n_nodes if state.phase == DONE else 0
        if state.phase == HISTOGRAM:
            _quantise(table, rows, work, desk, chunk)
        elif state.phase == SEARCH:
            search_group(rank, table, rows, rules, work, desk, chunk, kinds)
        elif state.phase == PARTITION:
            _part_rows(table, work, desk, chunk)
        else:
            sum_leaf_chunk(rows, work, chunk)
        if finish_chunk(sync):
            _go_on(table, rows, rules, work)
            if state.phase == DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


@part_kernel
def _go_on(table, rows, rules, work):
    """What one thread does between two phases; sets the next one."""
    state, fields = work.state[0], rows.fields
    if state.phase == HISTOGRAM:
        root = work.nodes[ROOT]
        root.gradient, root.hessian = work.totals[GRADIENT], work.totals[HESSIAN]
        root.count = work.totals[COUNT]
        state.small_wanted = rules.max_leaves > 1 and is_promising(fields, rules, root)
        if state.small_wanted:
            begin_search(table, work)
            return
    if state.phase == LEAVES:
        finish_tree(fields, rules, work)
        state.phase = DONE
        return
    if state.phase == PARTITION:
        _mark_column(table, work.nodes[state.node].feature, False)
        _open_children(table, fields, rules, work)
        if state.small_wanted or state.big_wanted:
            begin_search(table, work)
            return
    settle(rules, fields, work)
    if state.node < 0:
        order_pieces(work)
        state.phase, state.n_chunks = LEAVES, n_chunks_of(rows.n)
    else:
        node = work.nodes[state.node]
        work.cursor[LEFT], work.cursor[RIGHT] = node.begin, node.end
        _begin_partition(table, state, node)
        state.phase, state.n_chunks = PARTITION, n_chunks_of(node.end - node.begin)


@inner_kernel
def _prepare(rows, rules, work):
    """Empty the shared numbers; the root is every chosen row."""
    state, root = work.state[0], work.nodes[ROOT]
    plant(rules, work, rows.n)
    free_slots(work, work.packed_pool.shape[0], 0)
    state.node = NO_NODE
    root.is_wide = 0
    root.slot = take_slot(work, False)
    state.first = state.small = state.big = ROOT
    state.small_wanted = 1
    state.big_wanted = 0
    state.by_words = 1
    for i in range(work.totals.size):
        work.totals[i] = 0
    for j in range(work.used.size):
        work.used[j] = 0
    for k in range(rules.features.size):
        work.used[rules.features[k]] = 1
    begin_histogram(work)


@part_kernel
def _quantise(table, rows, work, desk, chunk):
    """Statistics of some of the root's rows."""
    begin, root = chunk * work.state[0].summed, work.nodes[ROOT]
    quantise_chunk(table, rows, work, desk, begin, min(root.end, begin + work.state[0].summed))


# --- partition --------------------------------------------------------------------------------------------------------


@inner_kernel
def _begin_partition(table, state, node):
    """Which codes go left, the code of zeros being 0 in `table.column`."""
    column = table.columns[node.feature]
    fill_goes_left(state.goes_left, node, column)
    for code in range(state.goes_left.size):
        other = code ^ column.zero
        if code < other:
            state.goes_left[code], state.goes_left[other] = state.goes_left[other], state.goes_left[code]
    _mark_column(table, node.feature, True)


@inner_kernel
def _mark_column(table, feature, fill):
    """Write a column's codes, or take them away again."""
    listed = table.listed
    for k in range(listed.first[feature], listed.first[feature + 1]):
        table.column[listed.rows[k]] = listed.codes[k] ^ listed.zeros[feature] if fill else 0


@part_kernel
def _part_rows(table, work, desk, chunk):
    """Some of the chosen node's rows to its children."""
    state = work.state[0]
    node = work.nodes[state.node]
    begin = node.begin + chunk * CHUNK
    end = min(node.end, begin + CHUNK)
    source, target = work.rows[node.depth & 1, begin:end], work.rows[1 - (node.depth & 1)]
    partition_chunk(table.column, state.goes_left, desk, source, target, work.cursor)


# --- children ---------------------------------------------------------------------------------------------------------


@inner_kernel
def _open_children(table, fields, rules, work):
    """Make the two children of a node whose rows have been parted."""
    state, nodes, middle = work.state[0], work.nodes, work.cursor[LEFT]
    node = nodes[state.node]
    node.left = state.n_nodes
    state.n_nodes += 2
    state.n_leaves += 1
    make_pair(table.columns, fields, rules, node, nodes[node.left], nodes[node.left + 1], middle)
    for side in range(2):
        nodes[node.left + side].is_wide = 0
        narrow_groups(rules, work.groups[state.node], node.feature, work.groups[node.left + side])
    left_is_small = 2 * middle <= node.begin + node.end
    state.first = node.left
    state.small = node.left + (0 if left_is_small else 1)
    state.big = node.left + (1 if left_is_small else 0)
    small, big, room = nodes[state.small], nodes[state.big], state.n_leaves < rules.max_leaves
    state.small_wanted = room and is_promising(fields, rules, small)
    state.big_wanted = room and is_promising(fields, rules, big)
    if state.small_wanted:
        small.slot = _find_slot(work)
    if state.big_wanted:
        big.slot = node.slot if node.slot != NO_SLOT else _find_slot(work)
    for side in range(2):
        child = state.first + side
        allow_features(rules, child, work.groups[child], work.allowed[side], work.order)


@inner_kernel
def _find_slot(work):
    """A free place for a histogram; if there is none, that of the open node that gains least."""
    state, nodes = work.state[0], work.nodes
    if state.n_free_packed == 0:
        least = NO_NODE
        for k in range(state.heap_size):
            at = work.heap[k]
            if nodes[at].slot != NO_SLOT and (least < 0 or nodes[at].gain < nodes[least].gain):
                least = at
        give_slot(work, nodes[least])
    return take_slot(work, False)

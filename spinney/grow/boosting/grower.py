"""Boosted trees: one tree, from the root to its leaves, in one compiled call that a team of threads enters together.

Glossary
    row          a line of the table; `rows` holds row numbers in the order of the nodes
    node         a part of the rows; its rows are adjacent, in one segment of `rows`
    parity       even depths keep their segments in buffer 0, odd ones in buffer 1
    code         the uint8 that stands for a value; `bins` are codes, `missing` has the last one
    words        a row's codes side by side, and last its gradient and hessian
    packed       gradient, hessian and count, or sums of them, in one int64
    histogram    per bin, the sums over a node's rows; packed or wide (see histograms.py)
    small, big   the child with fewer rows, whose histogram is built, and its sibling, whose is parent minus small
    candidate    the best split that one thread found
    frontier     the open nodes that have a split worth making
    piece        the segment of a grown leaf; pruning may join several pieces into one final leaf

The life of a tree (it begins with the root as the small child of nobody)
    histogram    of the small child, chunk by chunk, each thread into its own scratch (histograms.py)
    search       column by column: reduce the scratches, subtract, find both children's candidates; of a node with few
                 rows, the words of several columns are summed here instead, and there is no histogram phase (search.py)
    settle       one thread picks the best candidates, puts children on the frontier, chooses the next node
    partition    that node's rows go to its two children; and again, until the frontier is empty or the tree is full
    leaves       sum gradients again in finer units; prune; compute the values

Histogram, search, partition and leaves are *phases*: their work is handed out in chunks to the threads. Whoever ends
a phase's last chunk does what comes next alone and opens the next phase. Nothing that decides depends on which thread
did what: all sums are integers.
"""

from __future__ import annotations

from spinney._compile import inner_kernel, kernel, part_kernel, refer
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.grow.boosting.choose_split import free_slots, is_promising, open_children, plant, settle, take_slot
from spinney.grow.boosting.histograms import COUNT, GRADIENT, HESSIAN, begin_histogram, sum_chunk
from spinney.grow.boosting.leaves import finish_tree, order_pieces, sum_leaf_chunk
from spinney.grow.boosting.memory import DONE, HISTOGRAM, LEAVES, PARTITION, ROOT, SEARCH
from spinney.grow.boosting.partition import LEFT, RIGHT, n_chunks_of, part_rows
from spinney.grow.boosting.scan_bins import fill_goes_left
from spinney.grow.boosting.search import begin_search, search_chunk
from spinney.grow.rules import NO_NODE


@kernel
def grow_tree(rank, size, sync, table, rows, rules, work, kinds):
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
            sum_chunk(rank, table, rows, work, desk, chunk)
        elif state.phase == SEARCH:
            search_chunk(rank, table, rows, rules, work, desk, chunk, kinds)
        elif state.phase == PARTITION:
            part_rows(table, work, desk, chunk)
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
        if state.small == ROOT:
            _end_root(fields, rules, work)
        if state.small_wanted or state.big_wanted:
            begin_search(table, work)
            return
    if state.phase == LEAVES:
        finish_tree(fields, rules, work)
        state.phase = DONE
        return
    if state.phase == PARTITION:
        open_children(table, fields, rules, work)
        if state.small_wanted or state.big_wanted:
            if state.by_words:
                begin_search(table, work)
            else:
                begin_histogram(work)
            return
    settle(rules, fields, work)
    if state.node < 0:
        order_pieces(work)
        state.phase, state.n_chunks = LEAVES, n_chunks_of(rows.n)
    else:
        node = work.nodes[state.node]
        work.cursor[LEFT], work.cursor[RIGHT] = node.begin, node.end
        fill_goes_left(state.goes_left, node, table.columns[node.feature])
        state.phase, state.n_chunks = PARTITION, n_chunks_of(node.end - node.begin)


# --- root ----------------------------------------------------------------------------------------------------------


@part_kernel
def _prepare(rows, rules, work):
    """Empty the shared numbers; the root is every chosen row."""
    state, root = work.state[0], work.nodes[ROOT]
    plant(rules, work, rows.n)
    free_slots(work, work.packed_pool.shape[0], work.wide_pool.shape[0])
    state.node = NO_NODE
    root.is_wide = rows.n > rows.fields.block_rows
    root.slot = take_slot(work, root.is_wide != 0)
    state.first = state.small = state.big = ROOT
    state.small_wanted = 1
    state.big_wanted = 0
    state.by_words = rows.n <= work.few_rows
    for i in range(work.totals.size):
        work.totals[i] = 0
    for j in range(work.used.size):
        work.used[j] = 0
    for k in range(rules.features.size):
        work.used[rules.features[k]] = 1
    begin_histogram(work)


@inner_kernel
def _end_root(fields, rules, work):
    """The root's sums; whether it may split at all."""
    state, root = work.state[0], work.nodes[ROOT]
    root.gradient, root.hessian = work.totals[GRADIENT], work.totals[HESSIAN]
    root.count = work.totals[COUNT]
    state.small_wanted = rules.max_leaves > 1 and is_promising(fields, rules, root)

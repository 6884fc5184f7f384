"""Boosted trees: one tree, from the root to its leaves, in one compiled call that a team of threads enters together.

One loop for three layouts of the table: dense codes (dense.py), the cells of a sparse table (sparse.py), sorted lists
of values (sorted.py). What a layout does in its own way are the hooks below, chosen by the type of the table.

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
    sums         the histogram of the small child, chunk by chunk, each thread into its own scratch (histograms.py)
    search       column by column: reduce the scratches, subtract, find both children's candidates; of a node with few
                 rows, the words of several columns are summed here instead, and the phase of sums is passed over
                 (dense.py)
    settle       one thread picks the best candidates, puts children on the frontier, chooses the next node
    partition    that node's rows go to its two children; and again, until the frontier is empty or the tree is full
    leaves       sum gradients again in finer units; prune; compute the values

Sums, search, partition and leaves are *phases*: their work is handed out in chunks to the threads. Whoever ends a
phase's last chunk does what comes next alone and opens the next phase. Nothing that decides depends on which thread
did what: all sums are integers.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, part_kernel, refer
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.grow.boosting import dense, sparse
from spinney.grow.boosting import sorted as sorted_lists
from spinney.grow.boosting.choose_split import is_promising, make_pair, next_node, open_root, put_on_frontier
from spinney.grow.boosting.histograms import COUNT, GRADIENT, HESSIAN
from spinney.grow.boosting.leaves import finish_tree, order_pieces
from spinney.grow.boosting.memory import DONE, LEAVES, PARTITION, ROOT, SEARCH, BinnedTable
from spinney.grow.boosting.partition import LEFT, n_chunks_of
from spinney.grow.boosting.scan_bins import is_better
from spinney.grow.boosting.sorted import SortedTable
from spinney.grow.boosting.sparse import SparseBinnedTable
from spinney.grow.rules import NO_NODE, NO_SPLIT, allow_features, narrow_groups

# Those that begin something set the next phase and its number of chunks; a phase without chunks is passed over.
begin_tree = by_type({
    BinnedTable: dense.begin_tree, SparseBinnedTable: dense.begin_tree, SortedTable: sorted_lists.begin_tree,
})  # fmt: skip
do_chunk = by_type(
    {BinnedTable: dense.do_chunk, SparseBinnedTable: sparse.do_chunk, SortedTable: sorted_lists.do_chunk}
)
begin_search = by_type({
    BinnedTable: dense.begin_search, SparseBinnedTable: sparse.begin_search, SortedTable: sorted_lists.begin_search,
})  # fmt: skip
keep_best = by_type(
    {BinnedTable: dense.keep_best, SparseBinnedTable: dense.keep_best, SortedTable: sorted_lists.keep_best}
)
end_search = by_type(
    {BinnedTable: dense.end_search, SparseBinnedTable: dense.end_search, SortedTable: sorted_lists.end_search}
)
begin_partition = by_type(
    {
        BinnedTable: dense.begin_partition,
        SparseBinnedTable: sparse.begin_partition,
        SortedTable: sorted_lists.begin_partition,
    }
)


@kernel
def grow_tree(rank, size, sync, table, rows, rules, work, kinds):
    """Grow one tree; returns its number of nodes, 0 if stopped. Leaves' values and pieces are in `work`."""
    table, rows, rules, work = refer(table), refer(rows), refer(rules), refer(work)
    state = work.state[0]
    if rank == 0:
        _prepare(table, rows, rules, work)
        open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return state.n_nodes if state.phase == DONE else 0
        do_chunk(table, rank, rows, rules, work, chunk, kinds)
        if finish_chunk(sync):
            _go_on(table, rows, rules, work)
            if state.phase == DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


@part_kernel
def _prepare(table, rows, rules, work):
    """The root is every chosen row; sets the first phase."""
    state = work.state[0]
    open_root(rules, work, rows.n)
    state.node = NO_NODE
    state.first = state.small = state.big = ROOT
    state.small_wanted = 1
    state.big_wanted = 0
    begin_tree(table, rows, rules, work)


@part_kernel
def _go_on(table, rows, rules, work):
    """What one thread does between two phases; sets the next one."""
    state = work.state[0]
    if state.phase == LEAVES:
        finish_tree(rows.fields, rules, work)
        state.phase = DONE
        return
    state.n_chunks = 0
    while state.n_chunks == 0:
        if state.phase != SEARCH:
            if state.phase == PARTITION:
                _open_children(table, rows.fields, rules, work)
            elif state.node == NO_NODE:
                _end_root(rows.fields, rules, work)
            _forget_candidates(work)
            begin_search(table, rows, rules, work)
        else:
            _settle(table, rows, rules, work)
            if state.node != NO_NODE:
                begin_partition(table, rows, work)
            else:
                order_pieces(work)
                state.phase, state.n_chunks = LEAVES, n_chunks_of(rows.n)


@inner_kernel
def _end_root(fields, rules, work):
    """The root's sums; whether it may split at all."""
    state, root = work.state[0], work.nodes[ROOT]
    root.gradient, root.hessian = work.totals[GRADIENT], work.totals[HESSIAN]
    root.count = work.totals[COUNT]
    state.small_wanted = rules.max_leaves > 1 and is_promising(fields, rules, root)


@inner_kernel
def _open_children(table, fields, rules, work):
    """Make the two children of a node whose rows have been partitioned; whether each will be searched."""
    state, nodes, middle = work.state[0], work.nodes, work.cursor[LEFT]
    node = nodes[state.node]
    node.left = state.first = state.n_nodes
    state.n_nodes += 2
    state.n_leaves += 1
    make_pair(table.columns, fields, rules, node, nodes[node.left], nodes[node.left + 1], middle)
    left_is_small = 2 * middle <= node.begin + node.end
    state.small = node.left + (0 if left_is_small else 1)
    state.big = node.left + (1 if left_is_small else 0)
    room = state.n_leaves < rules.max_leaves
    state.small_wanted = room and is_promising(fields, rules, nodes[state.small])
    state.big_wanted = room and is_promising(fields, rules, nodes[state.big])
    for side in range(2):
        child = node.left + side
        narrow_groups(rules, work.groups[state.node], node.feature, work.groups[child])
        if state.small_wanted or state.big_wanted:
            allow_features(rules, child, work.groups[child], work.allowed[side], work.order)


@inner_kernel
def _forget_candidates(work):
    for rank in range(work.best.shape[0]):
        for side in range(2):
            work.best[rank, side].score, work.best[rank, side].feature = -np.inf, NO_SPLIT


@inner_kernel
def _settle(table, rows, rules, work):
    """Give each child that was searched its best split, and choose the next node."""
    state = work.state[0]
    for turn in range(2):
        if state.small_wanted if turn == 0 else state.big_wanted:
            at = state.small if turn == 0 else state.big
            # each thread has the best of the columns it happened to search; `is_better` is a total order, so that the
            # best of these does not depend on who searched what
            found = work.best[0, at - state.first]
            for rank in range(1, work.best.shape[0]):
                other = work.best[rank, at - state.first]
                if is_better(other.score, other.feature, found):
                    found = other
            if keep_best(table, rows, rules, work, work.nodes[at], found):
                put_on_frontier(rules, work, at)
    end_search(table, work)
    next_node(rules, work)

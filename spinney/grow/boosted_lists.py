"""Boosted trees with exact thresholds: the tree of grow/histogram on the sorted lists of grow/lists.

A node is a segment of every column's list, in which its rows stand in the order of their values (data/presort.py). The
root's lists are those of the table, which all trees of a fit share and nobody writes to; below it they are copies, cut
in two with every split. What a tree is, its rules, leaves and values are those of grow/histogram.

The life of a tree
    take         the root's lists, if only some rows are drawn
    search       column by column: cut the parent's list in two by its rows' sides, and scan both children's parts
    settle       one thread picks the best candidates and chooses the next node
    mark         that node's rows get their sides; and again, until the frontier is empty or the tree is full
    leaves       which piece each row is in; prune; compute the values

A split that gains nothing is made where nothing is penalised, or exclusive-or could not be learnt, and taken back at
the end unless one below it gains. Sums are integers: nothing that decides depends on which thread did what.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import atomic_add, inner_kernel, kernel, part_kernel, refer
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.data.presort import MISSING, RANK, ROW
from spinney.grow.boosted_scan import NOTES, scan_categories, scan_numbers
from spinney.grow.boosted_settle import settle
from spinney.grow.histogram.leaves import finish_nodes, order_pieces, piece_at
from spinney.grow.histogram.memory import DONE, LEAVES, ROOT, SEARCH
from spinney.grow.histogram.settle import is_promising, make_pair, plant
from spinney.grow.lists.partition import BOTH, LEFT_ONLY, RIGHT_ONLY, partition
from spinney.grow.rules import NO_NODE, NO_ROW, NO_SPLIT, allow_features, narrow_groups
from spinney.tree.sweep import in_set

TAKE, MARK = 5, 6  # phases besides those of grow/histogram
CHUNK = 8192  # rows handed out at a time
_FEW_ENTRIES = 4096  # columns are handed out in groups of about so many entries
_ZERO, _ONE = np.uint8(0), np.uint8(1)


@kernel
def grow_from_lists(rank, size, sync, table, rows, rules, work, kinds):
    """Grow one tree; returns its number of nodes, 0 if stopped. Leaves' values and pieces are in `work`."""
    table, rows, rules, work = refer(table), refer(rows), refer(rules), refer(work)
    state = work.state[0]
    if rank == 0:
        _prepare(rows, rules, work)
        open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return state.n_nodes if state.phase == DONE else 0
        if state.phase == SEARCH:
            _search_chunk(rank, table, rows, rules, work, chunk, kinds)
        else:
            _work_chunk(table, rows, rules, work, chunk)
        if finish_chunk(sync):
            _go_on(table, rows, rules, work)
            if state.phase == DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


@part_kernel
def _work_chunk(table, rows, rules, work, chunk):
    """A chunk of any other phase."""
    phase = work.state[0].phase
    if phase == TAKE:
        j = np.int64(rules.features[chunk])
        _take(table.lists[j], work.side, work.lists[j])
    elif phase == MARK:
        _mark(table, rows, work, chunk * CHUNK)
    else:
        _note_pieces(rows, work, chunk * CHUNK)


@part_kernel
def _go_on(table, rows, rules, work):
    """What one thread does between two phases; sets the next one."""
    state = work.state[0]
    if state.phase == LEAVES:
        _finish(rows.fields, rules, work)
        state.phase = DONE
        return
    if state.phase == TAKE:
        _begin_search(rules, work)
        return
    if state.phase == SEARCH:
        settle(rows, rules, work)
        if state.node != NO_NODE:
            _begin_mark(table, rows, work)
            if state.phase == MARK:
                return
    if state.node != NO_NODE:
        _open_children(table, rows.fields, rules, work)
        _begin_search(rules, work)
    else:
        order_pieces(work)
        state.phase, state.n_chunks = LEAVES, _chunks_of(rows.n)


@inner_kernel
def _chunks_of(n_rows):
    return (n_rows + CHUNK - 1) // CHUNK


# --- root ----------------------------------------------------------------------------------------------------------


@part_kernel
def _prepare(rows, rules, work):
    """The root is every chosen row; sets the first phase."""
    state, root = work.state[0], work.nodes[ROOT]
    plant(rules, work, rows.n)
    root.gradient, root.hessian, root.count = rows.gradient, rows.hessian, rows.count
    state.node = NO_NODE
    state.first = state.small = state.big = ROOT
    state.small_wanted = rules.max_leaves > 1 and is_promising(rows.fields, rules, root)
    state.big_wanted = 0
    for i in range(rows.n):
        work.rows[0, i] = rows.chosen[i] if rows.chosen.size else i
    if not state.small_wanted:
        order_pieces(work)
        state.phase, state.n_chunks = LEAVES, _chunks_of(rows.n)
    elif rows.chosen.size:
        for i in range(work.side.size):
            work.side[i] = 0
        for i in range(rows.n):
            work.side[rows.chosen[i]] = 1
        state.phase, state.n_chunks = TAKE, rules.features.size
    else:
        _begin_search(rules, work)


@inner_kernel
def _take(source, is_in, goal):
    """The entries of the rows that are in it. Written whether they stay or not: no branch to guess."""
    k = np.int64(0)
    for i in range(source.size):
        entry = source[i]
        goal[k] = entry
        k += np.int64(is_in[entry & ROW])
        if k == goal.size:
            break


# --- search --------------------------------------------------------------------------------------------------------


@inner_kernel
def _begin_search(rules, work):
    """Open the phase that searches columns. After the columns' chunks, one parts the rows of a node that is split."""
    state, n_features = work.state[0], rules.features.size
    for rank in range(work.best.shape[0]):
        for side in range(2):
            work.best[rank, side].score, work.best[rank, side].feature = -np.inf, NO_SPLIT
    node = work.nodes[max(ROOT, state.node)]
    state.summed = 1 + _FEW_ENTRIES // max(np.int64(1), node.end - node.begin)  # columns of a chunk
    wanted = state.small_wanted or state.big_wanted
    state.n_chunks = (n_features + state.summed - 1) // state.summed if wanted else 0
    state.n_chunks += state.node != NO_NODE
    state.phase = SEARCH


@part_kernel
def _search_chunk(rank, table, rows, rules, work, chunk, kinds):
    """Some columns: cut the parent's lists in two, and search both children. Or the rows of the parent."""
    state, n_features = work.state[0], rules.features.size
    if state.node != NO_NODE and chunk == state.n_chunks - 1:
        _part_rows(work)
        return
    for k in range(chunk * state.summed, min((chunk + 1) * state.summed, n_features)):
        j = np.int64(rules.features[k])
        if state.node != NO_NODE:
            _part_list(rank, table, rows, work, j)
        for turn in range(2):
            if state.small_wanted if turn == 0 else state.big_wanted:
                at = state.small if turn == 0 else state.big
                _search(rank, table, rows, rules, work, at, j, kinds.categories, kinds.monotone)


@inner_kernel
def _is_shared(rows, node):
    """Whether a node's lists are those of the table."""
    return node.depth == 0 and rows.chosen.size == 0


@inner_kernel
def _part_list(rank, table, rows, work, j):
    """One list of a node that is split, cut in two; only for children that are searched."""
    state = work.state[0]
    node = work.nodes[state.node]
    middle = work.nodes[node.left].end
    left_wanted = state.small_wanted if state.small == node.left else state.big_wanted
    right_wanted = state.big_wanted if state.small == node.left else state.small_wanted
    if _is_shared(rows, node):
        _part_copy(table.lists[j], work.side, work.lists[j], middle)
        return
    entries = work.lists[j, node.begin : node.end]
    if entries[0] >> RANK != entries[-1] >> RANK:  # else its children are as constant
        keep = BOTH if left_wanted and right_wanted else (LEFT_ONLY if left_wanted else RIGHT_ONLY)
        partition(entries, work.side, work.spare[rank], np.int64(keep))


@inner_kernel
def _part_copy(source, side, goal, middle):
    """The same from a list that nobody writes to."""
    left, right = np.int64(0), np.int64(middle)
    for i in range(source.size):
        entry = source[i]
        goes_left = np.int64(side[entry & ROW])
        goal[left if goes_left else right] = entry
        left += goes_left
        right += 1 - goes_left


@inner_kernel
def _part_rows(work):
    """The rows of the node that is split, to the buffer of its children."""
    node = work.nodes[work.state[0].node]
    source, goal = work.rows[node.depth & 1], work.rows[1 - (node.depth & 1)]
    left, right = node.begin, work.nodes[node.left].end
    for i in range(node.begin, node.end):
        row = source[i]
        goes_left = np.int64(work.side[row])
        goal[left if goes_left else right] = row
        left += goes_left
        right += 1 - goes_left


@inner_kernel
def _search(rank, table, rows, rules, work, at, j, categories, monotone):
    """The best split of one node on one column, if it is better than what this thread has found before."""
    side, node = at - work.state[0].first, work.nodes[at]
    if not work.allowed[side, j]:
        return
    lists = table.lists if _is_shared(rows, node) else work.lists
    best, entries = work.best[rank, side], lists[j, node.begin : node.end]
    if entries[0] >> RANK == entries[-1] >> RANK:
        return
    if categories is not None:
        if table.columns[j].is_categorical:
            notes = work.best[rank, NOTES]
            scan_categories(table, rows, rules, entries, node, j, work.desks[rank], notes, best, monotone)
            return
    direction = table.columns[j].monotone
    scan_numbers(rows, rules, entries, node, j, direction, work.cuts[rank], work.scores[rank], best, monotone)


# --- mark ----------------------------------------------------------------------------------------------------------


@inner_kernel
def _begin_mark(table, rows, work):
    """The chosen node: what its threshold is between; its rows' sides, if they are few, or a phase that marks them."""
    state = work.state[0]
    node = work.nodes[state.node]
    lists = table.lists if _is_shared(rows, node) else work.lists
    entries = lists[node.feature, node.begin : node.end]
    work.below[state.node] = work.above[state.node] = NO_ROW
    if not table.columns[node.feature].is_categorical:
        work.below[state.node] = np.int64(entries[node.code - 1] & ROW)
        if entries[node.code] >> RANK != MISSING:
            work.above[state.node] = np.int64(entries[node.code] & ROW)
    work.cursor[0] = 0
    if entries.size > CHUNK:
        state.phase, state.n_chunks = MARK, _chunks_of(entries.size)
    else:
        _mark(table, rows, work, np.int64(0))


@part_kernel
def _mark(table, rows, work, begin):
    """side[row] = whether the row goes left, for some entries of the node that is split; counts them, too."""
    node = work.nodes[work.state[0].node]
    lists, column = table.lists if _is_shared(rows, node) else work.lists, table.columns[node.feature]
    entries = lists[node.feature, node.begin : node.end]
    end, n_left = min(begin + CHUNK, entries.size), np.int64(0)
    missing = _ONE if node.missing_left else _ZERO
    for i in range(begin, end):
        rank = entries[i] >> RANK
        if column.is_categorical:
            code = column.n_bins if rank == MISSING else np.int64(table.codes[node.feature, rank])
            goes_left = np.uint8(in_set(node.bits, code))
        else:
            goes_left = missing if rank == MISSING else (_ONE if i < node.code else _ZERO)
        work.side[entries[i] & ROW] = goes_left
        n_left += np.int64(goes_left)
    atomic_add(work.cursor, 0, n_left)


@inner_kernel
def _open_children(table, fields, rules, work):
    """Make the two children of a node whose rows are marked."""
    state, nodes = work.state[0], work.nodes
    node = nodes[state.node]
    node.left = state.n_nodes
    state.n_nodes += 2
    state.n_leaves += 1
    left, right, middle = nodes[node.left], nodes[node.left + 1], node.begin + work.cursor[0]
    make_pair(table.columns, fields, rules, node, left, right, middle)
    state.first = node.left
    left_is_small = 2 * middle <= node.begin + node.end
    state.small = node.left + (0 if left_is_small else 1)
    state.big = node.left + (1 if left_is_small else 0)
    room = state.n_leaves < rules.max_leaves
    state.small_wanted = room and is_promising(fields, rules, nodes[state.small])
    state.big_wanted = room and is_promising(fields, rules, nodes[state.big])
    for side in range(2):
        child = node.left + side
        narrow_groups(rules, work.groups[state.node], node.feature, work.groups[child])
        allow_features(rules, child, work.groups[child], work.allowed[side], work.order)


# --- leaves --------------------------------------------------------------------------------------------------------


@inner_kernel
def _note_pieces(rows, work, begin):
    """Which piece some rows are in, by their places."""
    piece = piece_at(work.nodes, work.pieces, work.state[0].n_leaves, begin)
    chunk_end = min(rows.n, begin + CHUNK)
    while begin < chunk_end:
        node = work.nodes[work.pieces[piece]]
        end = min(chunk_end, node.end)
        segment = work.rows[node.depth & 1, begin:end]
        for k in range(segment.size):
            work.leaf_of_row[segment[k]] = piece
        begin = end
        piece += 1


@inner_kernel
def _finish(fields, rules, work):
    """Leaves' sums are those that splits were found by; prune; set the values."""
    state, nodes = work.state[0], work.nodes
    for piece in range(state.n_leaves):
        leaf = nodes[work.pieces[piece]]
        leaf.fine_gradient, leaf.fine_hessian = leaf.gradient, leaf.hessian
    finish_nodes(fields, rules, nodes, state.n_nodes)

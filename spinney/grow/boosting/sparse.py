"""Boosted trees on a sparse table: the steps of the loop in grower.py, with sums from lists of places.

The life of a tree is the same, but that there is no phase of sums after the root's rows are quantised: whoever
searches a group of columns sums it first. There may be fewer histograms than open nodes; then the least promising open
node gives up its own, and should it be split after all, both its children are summed from their rows. Sums are
integers: a tree cannot tell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, part_kernel, prefetch, separate_kernel
from spinney._team import Team, next_chunk
from spinney.data.dataset import aligned, records
from spinney.data.sparse_encode import SparseCodes, SparseDataset
from spinney.grow.boosting.dense import begin_partition as begin_dense_partition
from spinney.grow.boosting.dense import give_slot, take_slot
from spinney.grow.boosting.histograms import quantise_chunk, read_statistics, subtract
from spinney.grow.boosting.leaves import sum_leaf_chunk
from spinney.grow.boosting.memory import (
    CANDIDATE,
    COLUMN_FIELDS,
    NO_SLOT,
    PARTITION,
    ROOT,
    SEARCH,
    SUMS,
    BoostingWork,
    shared_memory,
)
from spinney.grow.boosting.partition import CHUNK, partition_chunk
from spinney.grow.boosting.scan_bins import search_numbers
from spinney.grow.boosting.statistics import packed_count, packed_gradient, packed_hessian
from spinney.grow.rules import NO_NODE

# ----------------------------------------------------------------------------------------------------------------------
# Sparse tables as the loop sees them, and its memory.
#
# A row is a list of *places*: where its codes stand in the histogram of a node, those of zeros left out. A histogram is
# packed for nodes of any size: no place is shared by more rows than the packed form can hold. A column with more cells
# than that has several *copies* of its bins, each for some of its cells. What the zeros' bin holds is the node's sums
# minus all others, in integers, and so exact.
#
# Columns are cut into *groups*. A thread sums a group's places of all rows of a node and searches its columns at once.


_POOL = 1 << 28  # bytes of all histograms, if a few of them fit
_FEWEST = 5  # histograms there is always room for: a node's, its children's and two more
_GROUP = 1 << 15  # places of a group: what is being summed stays in the second-level cache
_PER_ROW = 4  # entries of a row in a group, or it would take longer to find them than to add them

# What a kernel needs to know of a column. Its places in the histogram of a node are those of all copies.
COLUMN = np.dtype(
    [
        *COLUMN_FIELDS,
        ("n_copies", np.int64),
        ("zero", np.int64),  # the code of zeros, whose place is always empty
    ],
    align=True,
)


class SparseBinnedTable(NamedTuple):
    """The encoded table, as kernels see it."""

    words: np.ndarray  # uint32, by row: its statistics
    n_words: int  # 1, of a row
    first: np.ndarray  # uint32 (groups, rows + 1): where each row's places begin in its group
    places: np.ndarray  # uint32
    group_first: np.ndarray  # int64 (groups + 1): where each group's places begin,
    group_column: np.ndarray  # int64 (groups + 1): and its columns
    columns: Any  # COLUMN records
    listed: SparseCodes  # the same table, column by column
    column: np.ndarray  # uint8, by row: code ^ code of zeros in the column that a node is split by, else 0


def make_sparse_table(dataset: SparseDataset, monotone: np.ndarray, block_rows: int, team: Team) -> SparseBinnedTable:
    """Lay the codes out row by row."""
    listed, n_rows, n_bins = dataset.codes, dataset.n_rows, dataset.bins.n_bins.astype(np.int64)
    sizes = np.diff(listed.first)
    columns = records(dataset.n_columns, COLUMN)
    columns["n_slots"] = n_bins + _has_missing(listed, n_bins)
    columns["n_copies"] = np.maximum(1, -(-sizes // block_rows))
    ends = np.cumsum(columns["n_slots"] * columns["n_copies"])
    columns["begin"], columns["zero"], columns["n_bins"] = (
        ends - columns["n_slots"] * columns["n_copies"],
        listed.zeros,
        n_bins,
    )
    columns["monotone"] = monotone if monotone.size else 0
    n_groups = _count_groups(int(ends[-1]), len(listed.rows), n_rows, team.size, dataset.n_columns)
    group_column = np.searchsorted(np.cumsum(sizes), np.arange(1, n_groups) * (len(listed.rows) / n_groups), "right")
    group_column = np.concatenate([[0], group_column, [dataset.n_columns]]).astype(np.int64)
    group_first = listed.first[group_column]
    first = np.zeros((n_groups, n_rows + 1), np.uint32)
    places = np.empty(len(listed.rows), np.uint32)
    team.run(_fill, listed, columns, group_column, block_rows, first, places)
    words, column = aligned(n_rows, np.uint32), np.zeros(n_rows, np.uint8)
    return SparseBinnedTable(words, 1, first, places, group_first, group_column, columns, listed, column)


def _has_missing(listed: SparseCodes, n_bins: np.ndarray) -> np.ndarray:
    column = np.repeat(np.arange(listed.n_columns), np.diff(listed.first))
    return np.bincount(column[listed.codes == n_bins[column]], minlength=listed.n_columns) > 0


def _count_groups(n_places: int, n_entries: int, n_rows: int, n_threads: int, n_columns: int) -> int:
    by_size = min(n_places // _GROUP, n_entries // (_PER_ROW * n_rows))
    return max(1, min(n_columns, max(by_size, 2 * n_threads if n_threads > 1 else 1)))


@kernel
def _fill(rank, size, sync, listed, columns, group_column, block_rows, first, places):
    """Each group's places, row by row; those of a row by column."""
    while True:
        g = next_chunk(sync)
        if g >= first.shape[0]:
            return
        begin, end = listed.first[group_column[g]], listed.first[group_column[g + 1]]
        starts, out = first[g], places[begin:end]
        for k in range(begin, end):
            starts[listed.rows[k] + 1] += np.uint32(1)
        for i in range(1, starts.size):
            starts[i] += starts[i - 1]
        for j in range(group_column[g], group_column[g + 1]):
            at, slots = columns[j].begin, columns[j].n_slots
            for k in range(listed.first[j], listed.first[j + 1]):
                row, copy = listed.rows[k], (k - listed.first[j]) // block_rows
                out[starts[row]] = at + copy * slots + listed.codes[k]
                starts[row] += np.uint32(1)
        for i in range(starts.size - 1, 0, -1):
            starts[i] = starts[i - 1]
        starts[0] = 0


def make_sparse_work(
    table: SparseBinnedTable, n_rows: int, max_leaves: int, n_threads: int, n_groups: int, pool: int | None = None
) -> BoostingWork:
    """Memory for growing trees of at most `max_leaves` leaves; `pool`: bytes for histograms."""
    last, n_columns = table.columns[-1], len(table.columns)
    size = int(last["begin"] + last["n_slots"] * last["n_copies"])
    n_slots = min(min(max_leaves, n_rows) + 2, max(_FEWEST, (_POOL if pool is None else pool) // (8 * size)))
    return BoostingWork(
        **shared_memory(n_rows, n_rows, n_columns, max_leaves, n_threads, n_groups),
        best=records((n_threads, 2), CANDIDATE),
        packed_pool=aligned((n_slots, size), np.int64),
        wide_pool=aligned((0, 3, 0), np.int64),
        packed_scratch=aligned((n_threads, 0), np.int64),
        wide_scratch=aligned((n_threads, 3, 0), np.int64),
        group=1,
        lanes_at_a_time=1,
        few_rows=n_rows,
        free_slots=np.empty((2, n_slots), np.int64),
        used=np.ones(n_columns, np.uint8),
    )


# ----------------------------------------------------------------------------------------------------------------------
# The search phase on a sparse table: a group of columns at a time, sums and best splits.
#
# In: the children's rows, and their parent's histogram if it is still there. Out: the children's histograms, and in
# work.best each thread's candidate for each of them. A column that lists too few of a node's rows cannot be split: one
# side of every cut is without the zeros.


_AHEAD = 8  # rows between asking for a row's places and using them
_FEW = 4  # places per entry from which on a histogram is not subtracted place by place


@part_kernel
def search_group(rank, table, rows, rules, work, desk, group, kinds):
    """The columns of one group."""
    state = work.state[0]
    _fill_group(table, rows, work, desk, group)
    for j in range(table.group_column[group], table.group_column[group + 1]):
        if not work.used[j]:
            continue
        for turn in range(2):
            if state.small_wanted if turn == 0 else state.big_wanted:
                child = state.small if turn == 0 else state.big
                _search(rank, work, rows.fields, rules, child, table.columns[j], np.int64(j), kinds.monotone)


@part_kernel
def _fill_group(table, rows, work, desk, group):
    """Both children's histograms of one group. The big one's is its parent's minus the small one's, if there is one."""
    state, nodes = work.state[0], work.nodes
    small, big, pool = nodes[state.small], nodes[state.big], work.packed_pool
    first, last = table.group_column[group], table.group_column[group + 1] - 1
    end = table.columns[last]
    begin, stop = table.columns[first].begin, end.begin + end.n_slots * end.n_copies
    if state.small_wanted:
        pool[small.slot, begin:stop] = 0
        _sum_rows(table, rows, work, desk, group, small, pool[small.slot], np.int64(1))
    if not state.big_wanted:
        return
    if big.slot != nodes[state.node].slot:
        pool[big.slot, begin:stop] = 0
        _sum_rows(table, rows, work, desk, group, big, pool[big.slot], np.int64(1))
    elif state.small_wanted and (small.end - small.begin) * _entries_per_row(table, group) * _FEW > stop - begin:
        subtract(pool[big.slot, begin:stop], pool[small.slot, begin:stop])
    else:
        _sum_rows(table, rows, work, desk, group, small, pool[big.slot], np.int64(-1))


@inner_kernel
def _entries_per_row(table, group):
    return 1 + (table.group_first[group + 1] - table.group_first[group]) // table.words.size


@inner_kernel
def _sum_rows(table, rows, work, desk, group, node, histogram, sign):
    """Add (or with sign -1 take away) the statistics of a node's rows in their places."""
    starts, places = table.first[group], table.places[table.group_first[group] : table.group_first[group + 1]]
    for begin in range(node.begin, node.end, CHUNK):
        numbers = work.rows[node.depth & 1, begin : min(node.end, begin + CHUNK)]
        read_statistics(table.words, table.n_words, numbers, rows.counts, rows.fields, desk.packed)
        if sign < 0:
            for k in range(numbers.size):
                desk.packed[k] = -desk.packed[k]
        _add(starts, places, numbers, desk.packed, histogram)


@separate_kernel
def _add(starts, places, numbers, packed, histogram):
    for k in range(numbers.size):
        if k + _AHEAD < numbers.size:
            prefetch(places, np.int64(starts[np.uint64(numbers[k + _AHEAD])]))
        row = np.uint64(numbers[k])
        add = packed[k]
        for e in range(np.int64(starts[row]), np.int64(starts[row + np.uint64(1)])):
            histogram[np.uint64(places[np.uint64(e)])] += add


@inner_kernel
def _search(rank, work, fields, rules, at, column, feature, monotone):
    """The best split of one node on one column, if it is better than what this thread has found before."""
    side, node = at - work.state[0].first, work.nodes[at]
    if not work.allowed[side, feature]:
        return
    desk, best = work.desks[rank], work.best[rank, side]
    bins = work.packed_pool[node.slot, column.begin : column.begin + column.n_slots * column.n_copies]
    if column.n_copies > 1:
        _search_copies(bins, fields, rules, node, column, feature, desk, best, monotone)
        return
    listed = np.int64(0)
    for i in range(bins.size):
        listed += bins[i]
    count = packed_count(listed, fields)
    if count == 0 or count < rules.min_count:
        return
    n = _add_up(bins[: column.n_bins], column.zero, listed, node, fields, desk)
    bins[column.zero] = node.count - count  # so that the bin counts as one that holds rows, or none
    search_numbers(node, feature, column, bins[: column.n_bins], n, fields, rules, desk, best, monotone)
    bins[column.zero] = 0


@inner_kernel
def _add_up(bins, zero, listed, node, fields, desk):
    """Sums up to each bin that holds rows, the zeros' among them; returns how many there are."""
    n, total = np.int64(0), np.int64(0)
    for i in range(zero):
        total += bins[i]
        desk.sums[n] = total
        n += np.int64(bins[i] != 0)
    before = n
    zeros = node.count - packed_count(listed, fields)
    desk.sums[n] = total
    n += np.int64(zeros != 0)
    for i in range(zero + 1, bins.size):
        total += bins[i]
        desk.sums[n] = total
        n += np.int64(bins[i] != 0)
    gradient, hessian = node.gradient - packed_gradient(listed, fields), node.hessian - packed_hessian(listed, fields)
    for i in range(n):
        desk.gradient[i] = packed_gradient(desk.sums[i], fields)
        desk.hessian[i] = packed_hessian(desk.sums[i], fields)
        desk.count[i] = packed_count(desk.sums[i], fields)
    if zeros != 0:
        for i in range(before, n):
            desk.gradient[i] += gradient
            desk.hessian[i] += hessian
            desk.count[i] += zeros
    return n


@part_kernel
def _search_copies(bins, fields, rules, node, column, feature, desk, best, monotone):
    """The same for a column whose bins have several copies."""
    gradient, hessian, count = desk.spare[0], desk.spare[1], desk.spare[2]
    g_listed = h_listed = listed = np.int64(0)
    for i in range(column.n_slots):
        gradient[i] = hessian[i] = count[i] = 0
        for copy in range(column.n_copies):
            value = bins[copy * column.n_slots + i]
            gradient[i] += packed_gradient(value, fields)
            hessian[i] += packed_hessian(value, fields)
            count[i] += packed_count(value, fields)
        g_listed += gradient[i]
        h_listed += hessian[i]
        listed += count[i]
    if listed == 0 or listed < rules.min_count:
        return
    gradient[column.zero] = node.gradient - g_listed
    hessian[column.zero] = node.hessian - h_listed
    count[column.zero] = node.count - listed
    n = np.int64(0)
    g_total = h_total = total = np.int64(0)
    for i in range(column.n_bins):
        g_total += gradient[i]
        h_total += hessian[i]
        total += count[i]
        desk.gradient[n], desk.hessian[n], desk.count[n] = g_total, h_total, total
        n += np.int64(count[i] != 0)
    search_numbers(node, feature, column, count[: column.n_bins], n, fields, rules, desk, best, monotone)


# ----------------------------------------------------------------------------------------------------------------------
# The steps of the loop in grower.py; those that are not here are those of dense.py.


@inner_kernel
def do_chunk(table, rank, rows, rules, work, chunk, kinds):
    """A chunk of any phase."""
    phase, desk = work.state[0].phase, work.desks[rank]
    if phase == SUMS:
        _quantise(table, rows, work, desk, chunk)
    elif phase == SEARCH:
        search_group(rank, table, rows, rules, work, desk, chunk, kinds)
    elif phase == PARTITION:
        _part_rows(table, work, desk, chunk)
    else:
        sum_leaf_chunk(rows, work, chunk)


@inner_kernel
def begin_search(table, rows, rules, work):
    """Open the phase that searches groups of columns."""
    state = work.state[0]
    if state.phase == PARTITION:
        _mark_column(table, work.nodes[state.node].feature, False)
        _place_histograms(work)
    state.phase = SEARCH
    if state.small_wanted or state.big_wanted:
        state.n_chunks = table.first.shape[0]


@part_kernel
def _quantise(table, rows, work, desk, chunk):
    """Statistics of some of the root's rows."""
    begin, root = chunk * work.state[0].summed, work.nodes[ROOT]
    quantise_chunk(table, rows, work, desk, begin, min(root.end, begin + work.state[0].summed))


@inner_kernel
def _place_histograms(work):
    """Where the children's histograms go. The big one takes over its parent's, if that is still there."""
    state, nodes = work.state[0], work.nodes
    inherited = nodes[state.node].slot
    for turn in range(2):  # the search for a place is large, and every call is a copy to compile
        if state.small_wanted if turn == 0 else state.big_wanted:
            child = nodes[state.small if turn == 0 else state.big]
            child.is_wide = 0
            child.slot = inherited if turn == 1 and inherited != NO_SLOT else _find_slot(work)


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


# --- partition --------------------------------------------------------------------------------------------------------


@inner_kernel
def begin_partition(table, rows, work):
    """The same, the code of zeros being 0 in `table.column`."""
    begin_dense_partition(table, rows, work)
    goes_left, feature = work.state[0].goes_left, work.nodes[work.state[0].node].feature
    zero = table.columns[feature].zero
    for code in range(goes_left.size):
        other = code ^ zero
        if code < other:
            goes_left[code], goes_left[other] = goes_left[other], goes_left[code]
    _mark_column(table, feature, True)


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

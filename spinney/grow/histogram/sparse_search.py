"""The search phase on a sparse table: a group of columns at a time, sums and best splits.

In: the children's rows, and their parent's histogram if it is still there. Out: the children's histograms, and in
work.best each thread's candidate for each of them. A column that lists too few of a node's rows cannot be split: one
side of every cut is without the zeros.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel, prefetch, separate_kernel
from spinney.grow.histogram.histograms import read_statistics, subtract
from spinney.grow.histogram.memory import SEARCH
from spinney.grow.histogram.partition import CHUNK
from spinney.grow.histogram.scan_bins import search_numbers
from spinney.grow.histogram.statistics import packed_count, packed_gradient, packed_hessian
from spinney.grow.rules import NO_SPLIT

_AHEAD = 8  # rows between asking for a row's places and using them
_FEW = 4  # places per entry from which on a histogram is not subtracted place by place


@inner_kernel
def begin_search(table, work):
    """Open the phase that searches groups of columns."""
    state = work.state[0]
    for rank in range(work.desks.size):
        for side in range(2):
            work.best[rank, side].score = -np.inf
            work.best[rank, side].feature = NO_SPLIT
    state.phase, state.n_chunks = SEARCH, table.first.shape[0]


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

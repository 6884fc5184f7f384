"""Entries for the children of a node that looks at few of its columns: only the smaller part is moved.

Where columns are drawn, most entries of a node are never looked at, and to cut them all in two at every node would take
longer than all else: a column of few cells parts few rows from many. So the child with more entries keeps its parent's,
those of the other child's rows among them; `owner` tells whose a row is. The smaller child gets entries of its own,
behind all that is in use: it is grown first, and they are given up when its last leaf is there. A node with more
entries of others than of its own throws the others out.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel
from spinney.data.presort import RANK, radix_sort
from spinney.grow.lists.entries import row_of
from spinney.grow.lists.partition import BOTH, partition
from spinney.grow.lists.sparse_memory import BEGIN, END, OWNER, TOP

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
            _merge(out, first, middle, np.int64(runs[r + 2]) if r + 2 < n_runs else n, spare)
            runs[merged] = first
            merged += 1
        n_runs = merged


@inner_kernel
def _merge(entries, first, middle, end, spare):
    """Two neighbouring sorted runs into one."""
    for k in range(first, middle):
        spare[k] = entries[k]
    a, b = first, middle
    for at in range(first, end):
        if a == middle:
            return
        if b < end and entries[b] < spare[a]:
            entries[at] = entries[b]
            b += 1
        else:
            entries[at] = spare[a]
            a += 1

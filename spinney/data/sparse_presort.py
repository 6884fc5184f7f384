"""Sort the stored cells of a sparse table once, so that exact trees never sort again.

In: a `SparseTable`. Out: `SparseLists`: one list of all cells that are not zero, column after column and in each in
ascending order of value. An entry of the list is

    [ place of the value : 32 bits | row : 32 bits ]

Every column has a range of places: one for each of its values in ascending order, zero among them, and the last one
for missing values. With bins, places stand for bins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._team import Team, next_chunk
from spinney.data.encode import Bins
from spinney.data.presort import MISSING, RANK, ROW
from spinney.data.sparse import SparseTable
from spinney.data.sparse_encode import SparseCodes, encode_sparse, make_room, sort_cells

_AT_ONCE = 16  # columns that a thread takes
_MOST_PLACES = 1 << 32


class SparseLists(NamedTuple):
    """A sparse table sorted column by column."""

    n_rows: int
    entries: np.ndarray  # uint64, ascending
    first: np.ndarray  # int64 (columns + 1): where each column's entries begin
    start: np.ndarray  # int64 (columns + 1): where its places begin; the last of them is that of missing values
    zero: np.ndarray  # int64 (columns): the place of zeros
    values: np.ndarray  # float64 (places): the values they stand for, or the upper edges of bins
    column: np.ndarray  # int32 (places): whose they are
    is_binned: bool

    @property
    def n_columns(self) -> int:
        return len(self.zero)

    def take(self, rows: np.ndarray | None, columns: np.ndarray | None = None) -> SparseLists:
        """The same of some of the rows (int64, none twice; None: all) and columns. Always a copy of the entries."""
        lists = self if columns is None else self._take_columns(columns)
        if rows is None:
            return lists._replace(entries=lists.entries.copy())
        place = np.full(self.n_rows, -1, np.int64)
        place[rows] = np.arange(len(rows))
        entries, first = np.empty_like(lists.entries), np.empty_like(lists.first)
        n = _take(lists.entries, lists.first, place, entries, first)
        return lists._replace(n_rows=len(rows), entries=entries[:n], first=first)

    def _take_columns(self, columns: np.ndarray) -> SparseLists:
        sizes, n_places = np.diff(self.first)[columns], np.diff(self.start)[columns]
        first, start = (np.concatenate([np.zeros(1, np.int64), np.cumsum(part)]) for part in (sizes, n_places))
        cells = np.arange(first[-1]) + np.repeat(self.first[:-1][columns] - first[:-1], sizes)
        places = np.arange(start[-1]) + np.repeat(self.start[:-1][columns] - start[:-1], n_places)
        moved = np.repeat((start[:-1] - self.start[:-1][columns]).astype(np.uint64), sizes) << RANK  # wraps around
        return SparseLists(
            n_rows=self.n_rows,
            entries=self.entries[cells] + moved,
            first=first,
            start=start,
            zero=self.zero[columns] - self.start[:-1][columns] + start[:-1],
            values=self.values[places],
            column=np.repeat(np.arange(len(columns), dtype=np.int32), n_places),
            is_binned=self.is_binned,
        )


def presort_sparse(table: SparseTable, team: Team, bins: Bins | None = None) -> SparseLists:
    """Sort all cells of a table, by their values or by their bins."""
    lists = _sort_values(table, team) if bins is None else _sort_bins(encode_sparse(table, bins, team), bins, team)
    if lists.start[-1] >= _MOST_PLACES:
        raise ValueError(f"exact trees support at most {_MOST_PLACES:,} stored cells, got {lists.start[-1]:,}.")
    return lists


def _sort_values(table: SparseTable, team: Team) -> SparseLists:
    n_columns = table.n_columns
    start = table.first + 2 * np.arange(n_columns + 1)
    entries, n_listed = np.empty(len(table.rows), np.uint64), np.zeros(n_columns, np.int64)
    zero, values = np.empty(n_columns, np.int64), np.full(start[-1], np.nan)
    room = make_room(table, team)
    team.run(_sort, table.first, table.rows, table.values, start, room, entries, n_listed, zero, values)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_listed)])
    if first[-1] < len(entries):
        _close_up(entries, table.first, first)
    column = np.repeat(np.arange(n_columns, dtype=np.int32), np.diff(start))
    return SparseLists(table.n_rows, entries[: first[-1]], first, start, zero, values, column, False)


@kernel
def _sort(rank, size, sync, first, rows, cells, start, room, entries, n_listed, zero, values):
    """Each column's entries, at the front of its part of `entries`."""
    while True:
        begin = next_chunk(sync) * _AT_ONCE
        if begin >= zero.size:
            return
        for j in range(begin, min(begin + _AT_ONCE, zero.size)):
            stored = cells[first[j] : first[j + 1]]
            n, n_ranks = sort_cells(rank, stored, 1, room)
            for r in range(n_ranks):
                values[start[j] + r] = room.values[rank, r]
                if room.values[rank, r] == 0.0:
                    zero[j] = start[j] + r
            k = first[j]
            for i in range(n):
                entry = room.entries[rank, i]
                cell, value_rank = np.int64(entry & ROW), np.int64(entry >> RANK)
                place = start[j + 1] - 1 if entry >> RANK == MISSING else start[j] + value_rank
                if cell < stored.size and place != zero[j]:
                    entries[k] = (np.uint64(place) << RANK) | np.uint64(rows[first[j] + cell])
                    k += 1
            n_listed[j] = k - first[j]


@kernel
def _close_up(entries, from_first, to_first):
    for j in range(to_first.size - 1):
        for k in range(to_first[j + 1] - to_first[j]):
            entries[to_first[j] + k] = entries[from_first[j] + k]


def _sort_bins(codes: SparseCodes, bins: Bins, team: Team) -> SparseLists:
    n_bins = bins.n_bins.astype(np.int64)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_bins + 1)])
    edges, first_edge = bins.edge_list
    values = np.full(start[-1], np.nan)
    values[np.arange(first_edge[-1]) + np.repeat(np.arange(len(n_bins)), n_bins)] = edges
    entries = np.empty(len(codes.rows), np.uint64)
    team.run(_sort_codes, codes, start, np.empty((team.size, 257), np.int64), entries)
    column = np.repeat(np.arange(len(n_bins), dtype=np.int32), n_bins + 1)
    return SparseLists(codes.n_rows, entries, codes.first, start, start[:-1] + codes.zeros, values, column, True)


@kernel
def _sort_codes(rank, size, sync, sparse, start, all_buckets, entries):
    """One counting pass per column."""
    buckets = all_buckets[rank]
    while True:
        begin = next_chunk(sync) * _AT_ONCE
        if begin >= sparse.zeros.size:
            return
        for j in range(begin, min(begin + _AT_ONCE, sparse.zeros.size)):
            buckets[:] = 0
            for k in range(sparse.first[j], sparse.first[j + 1]):
                buckets[np.int64(sparse.codes[k]) + 1] += 1
            for b in range(256):
                buckets[b + 1] += buckets[b]
            for k in range(sparse.first[j], sparse.first[j + 1]):
                code = np.int64(sparse.codes[k])
                place = np.uint64(start[j] + code)
                entries[sparse.first[j] + buckets[code]] = (place << RANK) | np.uint64(sparse.rows[k])
                buckets[code] += 1


@kernel
def _take(entries, first, place, out, out_first):
    """The entries of rows that have a place; returns how many."""
    k = 0
    for j in range(first.size - 1):
        out_first[j] = k
        for i in range(first[j], first[j + 1]):
            at = place[np.int64(entries[i] & ROW)]
            out[k] = (entries[i] & ~ROW) | np.uint64(np.uint32(at))
            k += at >= 0
    out_first[first.size - 1] = k
    return k


@kernel
def list_by_rows(entries, first, places):
    """The places of each row's entries, ascending; `first` (rows + 1), zero before, says where they begin after."""
    for i in range(entries.size):
        first[np.int64(entries[i] & ROW) + 1] += 1
    for k in range(1, first.size):
        first[k] += first[k - 1]
    for i in range(entries.size):
        row = np.int64(entries[i] & ROW)
        places[first[row]] = entries[i] >> RANK
        first[row] += 1
    for k in range(first.size - 1, 0, -1):
        first[k] = first[k - 1]
    first[0] = 0

"""Codes of sparse tables: bins from the stored cells and the number of zeros, and the cells whose code is not zero's.

In: a `SparseTable`. Out: `Bins`, the same as of the table laid out, and `SparseCodes`: per column the code of its zeros
and a list of the rows that have another one. Hashes of rows are those of the codes laid out.

Most columns of a sparse table hold few cells, so all columns are handled by one call of a kernel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._random import mix
from spinney._team import Team, next_chunk
from spinney.data.edges import choose_edges
from spinney.data.encode import Bins, sample_rows
from spinney.data.presort import BUCKETS, DIGITS, MISSING, RANK, ROW, sort_column
from spinney.data.row_hash import end_key, in_order, mix_code
from spinney.data.sparse import SparseTable

_AT_ONCE = 16  # columns that a thread takes
_BLOCK = 1024  # rows hashed at a time
_EIGHT = np.uint64(8)


class SparseCodes(NamedTuple):
    """An encoded sparse table."""

    n_rows: int
    zeros: np.ndarray  # uint8 (columns): the code of all rows that are not listed
    first: np.ndarray  # int64 (columns + 1): where each column's list begins
    rows: np.ndarray  # int32, ascending in each column
    codes: np.ndarray  # uint8, never that of the column's zeros

    @property
    def n_columns(self) -> int:
        return len(self.zeros)

    def all(self) -> SparseCodes:
        """All rows, in this process."""
        return self

    def take(self, rows: np.ndarray) -> SparseCodes:
        """Some of the rows, none twice."""
        place = np.full(self.n_rows, -1, np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        stays = place[self.rows] >= 0
        column = np.repeat(np.arange(self.n_columns), np.diff(self.first))[stays]
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(column, minlength=self.n_columns))])
        some, codes = place[self.rows[stays]], self.codes[stays]
        if len(rows) > 1 and (np.diff(rows) < 0).any():
            order = np.lexsort((some, column))
            some, codes = some[order], codes[order]
        return SparseCodes(len(rows), self.zeros, first, some, codes)

    def lay_out(self, columns: np.ndarray, start: int, stop: int) -> np.ndarray:
        """(these columns, rows start .. stop) uint8."""
        codes = np.empty((len(columns), stop - start), np.uint8)
        _lay_out(self, columns.astype(np.int64), start, codes)
        return codes

    def row_keys(self) -> np.ndarray:
        """One hash per row: `Dataset.row_keys` of the codes laid out."""
        keys = np.zeros(self.n_rows, np.uint32)
        _hash_rows(self, self.first.copy(), np.empty(_BLOCK, np.uint8), keys)
        return keys

    def order(self, target: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """`content.order_of_codes` of the codes laid out."""
        hashes = np.zeros(self.n_rows, np.uint64)
        numbers = np.asarray(target, np.float64) + 0.0
        _stir_codes(self, self.first.copy(), numbers.view(np.uint64), np.empty(_BLOCK, np.uint64), hashes)
        return in_order(hashes, weights)


class SparseDataset(NamedTuple):
    """A sparse table that boosted trees grow on: what `Dataset` is of others."""

    n_rows: int
    bins: Bins
    codes: SparseCodes

    @property
    def n_columns(self) -> int:
        return self.codes.n_columns

    def row_keys(self, team: Team) -> np.ndarray:
        """As of a dense table."""
        return self.codes.row_keys()

    def take(self, rows: np.ndarray) -> SparseDataset:
        """The same encoding of some of the rows."""
        return SparseDataset(len(rows), self.bins, self.codes.take(rows))


# --- bins -------------------------------------------------------------------------------------------------------------


def learn_sparse_bins(table: SparseTable, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
    """The bins that `learn_bins` would learn from the table laid out; columns are numbers."""
    rows = sample_rows(table.n_rows, counts)
    mass = np.ones(table.n_rows, np.int64) if counts is None else np.array(counts, np.int64)
    if rows is not None:
        is_left_out = np.ones(table.n_rows, bool)
        is_left_out[rows] = False
        mass[is_left_out] = 0
    n_edges, edges = np.zeros(table.n_columns, np.int64), np.empty((table.n_columns, max_bins))
    room = make_room(table, team)
    team.run(_learn, table.first, table.rows, table.values, mass, int(mass.sum()), room, edges, n_edges)
    return Bins(
        edges=tuple(edges[j, : n_edges[j]].copy() for j in range(table.n_columns)),
        category_codes=(np.empty(0, np.uint8),) * table.n_columns,
        n_bins=(n_edges + 1).astype(np.int32),
        is_categorical=np.zeros(table.n_columns, bool),
    )


class SortScratch(NamedTuple):
    """What threads need to sort a column's cells."""

    cells: np.ndarray  # float64 (threads, most cells of a column and a zero)
    entries: np.ndarray  # uint64, the same: see presort.py
    spare: np.ndarray
    values: np.ndarray  # float64, by rank
    mass: np.ndarray  # int64, by rank
    buckets: np.ndarray


def make_room(table: SparseTable, team: Team) -> SortScratch:
    """For any column of the table."""
    shape = team.size, int(np.diff(table.first).max(initial=0)) + 1
    kinds = np.float64, np.uint64, np.uint64, np.float64, np.int64
    cells, entries, spare, values, mass = (np.empty(shape, kind) for kind in kinds)
    return SortScratch(cells, entries, spare, values, mass, np.empty((team.size, DIGITS, BUCKETS), np.int64))


@inner_kernel
def sort_cells(rank, values, n_zeros, room):
    """Sort a column's stored cells and, last, a zero if there are any that are not stored; returns (entries, ranks)."""
    cells, n = room.cells[rank], values.size
    for i in range(n):
        cells[i] = np.float64(values[i]) + 0.0
    if n_zeros > 0:
        cells[n] = 0.0
        n += 1
    if n == 0:
        return n, np.int64(0)
    entries, spare, by_rank = room.entries[rank, :n], room.spare[rank, :n], room.values[rank, :n]
    return n, sort_column(cells[:n], False, entries, spare, room.buckets[rank], by_rank)


@kernel
def _learn(rank, size, sync, first, rows, values, mass, total, room, edges, n_edges):
    """The edges of every column."""
    while True:
        begin = next_chunk(sync) * _AT_ONCE
        if begin >= n_edges.size:
            return
        for j in range(begin, min(begin + _AT_ONCE, n_edges.size)):
            stored, zeros = np.int64(0), total
            for k in range(first[j], first[j + 1]):
                zeros -= mass[rows[k]]
                stored += 1
            n, n_ranks = sort_cells(rank, values[first[j] : first[j + 1]], zeros, room)
            by_rank, weight = room.values[rank], room.mass[rank]
            for r in range(n_ranks):
                weight[r] = 0
            for i in range(n):
                entry = room.entries[rank, i]
                if entry >> RANK != MISSING:
                    cell = np.int64(entry & ROW)
                    weight[np.int64(entry >> RANK)] += mass[rows[first[j] + cell]] if cell < stored else zeros
            n_distinct = np.int64(0)
            for r in range(n_ranks):
                if weight[r] > 0:
                    by_rank[n_distinct], weight[n_distinct] = by_rank[r], weight[r]
                    n_distinct += 1
            n_edges[j] = choose_edges(by_rank, weight, n_distinct, edges.shape[1], edges[j])


# --- codes ------------------------------------------------------------------------------------------------------------


def encode_sparse(table: SparseTable, bins: Bins, team: Team) -> SparseCodes:
    """The cells whose code is not that of zero."""
    edges, first_edge = bins.edge_list
    zeros, n_listed = np.empty(table.n_columns, np.uint8), np.zeros(table.n_columns, np.int64)
    codes = np.empty(len(table.rows), np.uint8)
    team.run(_encode, table.first, table.values, edges, first_edge, zeros, codes, n_listed)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(n_listed)])
    if first[-1] == len(codes):
        return SparseCodes(table.n_rows, zeros, first, table.rows, codes)
    stays = codes != np.repeat(zeros, np.diff(table.first))
    return SparseCodes(table.n_rows, zeros, first, table.rows[stays], codes[stays])


@kernel
def _encode(rank, size, sync, first, values, edges, first_edge, zeros, codes, n_listed):
    while True:
        begin = next_chunk(sync) * _AT_ONCE
        if begin >= zeros.size:
            return
        for j in range(begin, min(begin + _AT_ONCE, zeros.size)):
            own = edges[first_edge[j] : first_edge[j + 1] - 1]
            zeros[j] = _code_of(own, 0.0)
            for k in range(first[j], first[j + 1]):
                codes[k] = _code_of(own, np.float64(values[k]))
                n_listed[j] += codes[k] != zeros[j]


@inner_kernel
def _code_of(edges, value):
    """How many edges lie below a value; one more than there are for missing."""
    if value != value:
        return np.uint8(edges.size + 1)
    low, high = 0, edges.size
    while low < high:
        middle = (low + high) // 2
        if edges[middle] < value:
            low = middle + 1
        else:
            high = middle
    return np.uint8(low)


@kernel
def _lay_out(sparse, columns, start, codes):
    """Fill in the zeros' code, then what is listed."""
    for k in range(columns.size):
        j, out = columns[k], codes[k]
        out[:] = sparse.zeros[j]
        low, high = sparse.first[j], sparse.first[j + 1]
        while low < high:
            middle = (low + high) // 2
            if sparse.rows[middle] < start:
                low = middle + 1
            else:
                high = middle
        while low < sparse.first[j + 1] and sparse.rows[low] < start + out.size:
            out[sparse.rows[low] - start] = sparse.codes[low]
            low += 1


# --- hashes of rows ---------------------------------------------------------------------------------------------------


@kernel
def _hash_rows(sparse, at, column, keys):
    """Block by block, column by column, as in dataset.py; at[j] is the first cell of column j that is not hashed."""
    for block in range(0, keys.size, _BLOCK):
        part = keys[block : min(keys.size, block + _BLOCK)]
        for j in range(sparse.zeros.size):
            zero = sparse.zeros[j]
            if at[j] == sparse.first[j + 1] or sparse.rows[at[j]] >= block + part.size:
                for i in range(part.size):
                    part[i] = mix_code(part[i], zero)
                continue
            column[:] = zero
            while at[j] < sparse.first[j + 1] and sparse.rows[at[j]] < block + part.size:
                column[sparse.rows[at[j]] - block] = sparse.codes[at[j]]
                at[j] += 1
            for i in range(part.size):
                part[i] = mix_code(part[i], column[i])
        for i in range(part.size):
            part[i] = end_key(part[i])


@kernel
def _stir_codes(sparse, at, target, words, hashes):
    """Eight columns at a time, as in row_hash.py."""
    for i in range(hashes.size):
        hashes[i] = mix(hashes[i] ^ target[i], np.uint64(0))
    for block in range(0, hashes.size, _BLOCK):
        part = hashes[block : min(hashes.size, block + _BLOCK)]
        for begin in range(0, sparse.zeros.size, 8):
            last = min(begin + 8, sparse.zeros.size)
            zeros = np.uint64(0)
            for j in range(begin, last):
                zeros = (zeros << _EIGHT) | np.uint64(sparse.zeros[j])
            words[:] = zeros
            for j in range(begin, last):
                shift = np.uint64(8 * (last - 1 - j))
                while at[j] < sparse.first[j + 1] and sparse.rows[at[j]] < block + part.size:
                    changed = np.uint64(sparse.codes[at[j]] ^ sparse.zeros[j])
                    words[sparse.rows[at[j]] - block] ^= changed << shift
                    at[j] += 1
            for i in range(part.size):
                part[i] = mix(part[i] ^ words[i], np.uint64(0))

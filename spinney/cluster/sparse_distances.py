"""Sparse distances: squared distances of sparse rows to centres, those of `assign.py` and `distances.py` bit for bit.

A distance is added up column by column, as there; rows are laid out sixteen at a time.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel, prefetch, refer
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES, SMALL, squared_distances
from spinney.cluster.plusplus import columns_first
from spinney.cluster.points import CHUNK_ROWS, weight_at
from spinney.cluster.sparse_points import SparsePoints, clear_row, put_row, row_at
from spinney.cluster.sparse_products import add_columns

_BLOCK = 1024  # columns of sixteen rows that stay in the cache


def inertia_sparse(points: SparsePoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> float:
    """The sum of squared distances of rows to their centres, by weight; the same for any number of threads."""
    distances, sums = _own_distances(points, centres, labels, team), np.zeros(points.n_chunks)
    _sum_chunks(distances, points.counts, points.importance, sums)
    return float(np.cumsum(sums)[-1]) * points.unit


def own_distances_sparse(points: SparsePoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> np.ndarray:
    """float64 (rows,), squared, of each row to its centre; rows that count nothing have -1."""
    distances = _own_distances(points, centres, labels, team)
    distances[points.weights() == 0] = -1.0
    return distances


def _own_distances(points: SparsePoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> np.ndarray:
    """Rows go by label after label: so all differ from their centre by the same numbers, but for stored cells."""
    distances = np.empty(points.n_rows)
    places = np.argsort(labels, kind="stable")
    tiles, at = np.empty((team.size, _BLOCK * LANES)), np.empty((team.size, CHUNK_ROWS + _BLOCK * LANES), np.int64)
    sums, cell = np.empty((team.size, CHUNK_ROWS + LANES)), np.empty((team.size, 1), points.dtype)
    team.run(_measure_own, points.rows, centres, labels, places, tiles, at, sums, cell, distances)
    return distances


@kernel
def _measure_own(rank, size, sync, rows, centres, labels, places, tiles, cells, sums, cell, distances):
    rows = refer(rows)
    tile, at, total, x = tiles[rank], cells[rank], sums[rank], cell[rank]
    n_rows, n_columns = labels.size, rows.zeros.size
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        first, stop = chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows)
        while first < stop:
            centre, n = centres[labels[places[first]]], 1
            while first + n < stop and labels[places[first + n]] == labels[places[first]]:
                n += 1
            own = places[first : first + n]
            for i in range(n):
                at[i] = rows.first[row_at(rows, own[i])]
                total[i] = 0.0
            for begin in range(0, n_columns, _BLOCK):
                _add_block(rows, own, centre, begin, min(n_columns, begin + _BLOCK), tile, at, total, x)
            for i in range(n):
                distances[own[i]] = total[i]
            first += n


@inner_kernel
def _add_block(rows, own, centre, begin, end, tile, at, total, x):
    """Add the squares of some columns to the sums of some rows of one centre.

    `at` has the next stored cell of each row, and after these room to note which cells of the tile were written.
    """
    written = at[CHUNK_ROWS:]
    for j in range(begin, end):
        gap = np.float64(rows.zeros[j]) - np.float64(centre[j])
        for lane in range(LANES):
            tile[(j - begin) * LANES + lane] = gap * gap
    for first in range(0, own.size, LANES):
        n_lanes, n_written = min(LANES, own.size - first), 0
        for ahead in range(first + LANES, min(first + 2 * LANES, own.size)):
            prefetch(rows.columns, at[ahead])
            prefetch(rows.values, at[ahead])
        for lane in range(n_lanes):
            i, last = at[first + lane], rows.first[row_at(rows, own[first + lane]) + 1]
            while i < last and rows.columns[i] < end:
                j = rows.columns[i]
                x[0] = rows.values[i] - rows.origin[j]
                gap = np.float64(x[0]) - np.float64(centre[j])
                written[n_written] = (j - begin) * LANES + lane
                tile[written[n_written]] = gap * gap
                n_written += 1
                i += 1
            at[first + lane] = i
        add_columns(tile, end - begin, total, first)
        for k in range(n_written):
            j = begin + written[k] // LANES
            gap = np.float64(rows.zeros[j]) - np.float64(centre[j])
            tile[written[k]] = gap * gap


@kernel
def _sum_chunks(distances, counts, importance, sums):
    for chunk in range(sums.size):
        total = 0.0
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, distances.size)):
            total += weight_at(place, counts, importance) * distances[place]
        sums[chunk] = total


def distances_to_all_sparse(points: SparsePoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """(rows, centres) in the points' dtype, squared; rows are laid out sixteen at a time."""
    out = np.empty((points.n_rows, len(centres)), points.dtype)
    scratch = np.empty((team.size, SMALL * LANES), points.dtype)
    team.run(_measure_all, points.rows, columns_first(centres), out, scratch, points.tiles_of_zeros(team.size))
    return out


@kernel
def _measure_all(rank, size, sync, rows, centres, out, scratch, tiles):
    rows = refer(rows)
    n_rows, n_centres = out.shape
    n_columns, distances, tile = rows.zeros.size, scratch[rank], tiles[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            n_lanes = min(LANES, n_rows - place)
            for lane in range(n_lanes):
                put_row(rows, row_at(rows, place + lane), tile, lane)
            for first in range(0, n_centres, SMALL):
                squared_distances(tile, 0, n_columns, centres, first * n_columns, distances, 0)
                for i in range(min(SMALL, n_centres - first)):
                    for lane in range(n_lanes):
                        out[place + lane, first + i] = distances[i * LANES + lane]
            for lane in range(n_lanes):
                clear_row(rows, row_at(rows, place + lane), tile, lane)

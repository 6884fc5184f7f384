"""Sparse distances: squared distances of sparse rows to centres, those of `assign.py` and `distances.py` bit for bit.

A distance is added up column by column, as there; rows are laid out sixteen at a time.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import kernel, refer
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES, SMALL, squared_distances, squared_norms
from spinney.cluster.plusplus import columns_first
from spinney.cluster.points import CHUNK_ROWS, weight_at
from spinney.cluster.sparse_points import SparsePoints, clear_row, put_row, row_at


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
    """Rows go by label after label: so many differ from their centre by the same numbers, but for stored cells."""
    distances = np.empty(points.n_rows)
    places = np.argsort(labels, kind="stable")
    room = np.empty((team.size, points.n_columns * LANES))
    gaps, lengths = np.empty((team.size, points.n_columns)), np.empty((team.size, LANES))
    cell = np.empty((team.size, 1), points.dtype)
    team.run(_measure_own, points.rows, centres, labels, places, room, gaps, lengths, cell, distances)
    return distances


@kernel
def _measure_own(rank, size, sync, rows, centres, labels, places, room, gaps, lengths, cell, distances):
    rows = refer(rows)
    tile, gap, length, x = room[rank], gaps[rank], lengths[rank], cell[rank]
    n_rows, n_columns, laid_out = labels.size, rows.zeros.size, -1
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        first, stop = chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows)
        while first < stop:
            label, end = labels[places[first]], first + 1
            while end < stop and end < first + LANES and labels[places[end]] == label:
                end += 1
            if label != laid_out:
                for j in range(n_columns):
                    gap[j] = np.float64(rows.zeros[j]) - np.float64(centres[label, j])
                    for lane in range(LANES):
                        tile[j * LANES + lane] = gap[j]
                laid_out = label
            for lane in range(end - first):
                row = row_at(rows, places[first + lane])
                for i in range(rows.first[row], rows.first[row + 1]):
                    j = rows.columns[i]
                    x[0] = rows.values[i] - rows.origin[j]
                    tile[np.int64(j) * LANES + lane] = np.float64(x[0]) - np.float64(centres[label, j])
            squared_norms(tile, 0, n_columns, length)
            for lane in range(end - first):
                distances[places[first + lane]] = length[lane]
                row = row_at(rows, places[first + lane])
                for i in range(rows.first[row], rows.first[row + 1]):
                    tile[np.int64(rows.columns[i]) * LANES + lane] = gap[rows.columns[i]]
            first = end


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

"""Assign: the nearest centre of every row, and what the rows of each centre add up to.

In:  `Points` and centres. Out: labels; integer sums of the rows of each centre; sums of squared distances.

A row's score for a centre is |c|²/2 - x·c, half its squared distance less half its own square. Ties go to the centre
with the lower number. Sums are integers: a row that moves is taken from one sum and added to another, and nothing is
lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES, nearest, pack_points
from spinney.cluster.points import CHUNK, CHUNK_ROWS, Points, PointSet, weight_at


@dataclass
class Assignment:
    """Labels of all rows so far, -1 before the first pass, and the sums that go with them."""

    labels: np.ndarray  # int32 (places,)
    sums: np.ndarray  # int64 (centres, columns + 1): of the rows' values, and of their weights
    scale: np.ndarray  # float64 (columns + 1,): the integers are numbers times this

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """(centres, columns) float64 means, NaN where a centre has no rows; and the centres' weights."""
        totals = self.sums / self.scale
        with np.errstate(invalid="ignore", divide="ignore"):
            return totals[:, :-1] / totals[:, -1:], totals[:, -1]


def no_assignment(points: PointSet, n_centres: int) -> Assignment:
    """Where k-means starts from."""
    largest = np.append(points.reach, 1.0) * points.heaviest
    labels = np.full(points.n_places, -1, np.int32)
    return Assignment(labels, np.zeros((n_centres, points.n_columns + 1), np.int64), points.scale(largest))


class Centres(NamedTuple):
    """Centres as `nearest` wants them."""

    values: np.ndarray
    n_large: int
    n_small: int


class Moves(NamedTuple):
    """What a pass changes. Sums and tallies: each thread's own."""

    labels: np.ndarray  # int32 (places,)
    scale: np.ndarray  # float64 (columns + 1,)
    sums: np.ndarray  # int64 (threads, centres, columns + 1): what is added to the sums
    tallies: np.ndarray  # int64 (threads, 8): rows that have moved, rows that were looked at


class Desks(NamedTuple):
    """Scratch of each thread."""

    scores: np.ndarray  # (threads, 3, lanes): a tile's lowest and second-lowest scores, and squares
    label: np.ndarray  # int32 (threads, lanes)


def packed(centres: np.ndarray) -> Centres:
    """Centres for the kernels."""
    return Centres(*pack_points(centres, half_squares(centres)))


def half_squares(centres: np.ndarray) -> np.ndarray:
    """|c|²/2, in the centres' dtype."""
    halves: np.ndarray = (0.5 * squares(centres.astype(np.float64))).astype(centres.dtype)
    return halves


def no_moves(state: Assignment, team: Team) -> Moves:
    """What a pass begins with."""
    sums = np.zeros((team.size, *state.sums.shape), np.int64)
    return Moves(state.labels, state.scale, sums, np.zeros((team.size, 8), np.int64))


def make_desks(points: Points, team: Team) -> Desks:
    """Room for every thread."""
    return Desks(np.empty((team.size, 3, LANES), points.tiles.dtype), np.empty((team.size, LANES), np.int32))


def squares(rows: np.ndarray) -> np.ndarray:
    """|row|², added up column by column: the same on every machine."""
    total = np.zeros(len(rows))
    _add_squares(np.ascontiguousarray(rows), total)
    return total


@kernel
def _add_squares(rows, total):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            total[i] += rows[i, j] * rows[i, j]


def assign_rows(points: Points, centres: np.ndarray, state: Assignment, team: Team) -> int:
    """Bring labels and sums up to date with the centres; how many rows have moved."""
    moves = no_moves(state, team)
    team.run(_assign, points.rows, packed(centres), moves, make_desks(points, team))
    state.sums += moves.sums.sum(axis=0)
    return int(moves.tallies.sum())


@kernel
def _assign(rank, size, sync, rows, centres, moves, desks):
    rows, centres, moves = refer(rows), refer(centres), refer(moves)
    tiles, labels, n_rows, n_columns = rows.tiles, moves.labels, rows.n_rows, moves.scale.size - 1
    best, second, label = desks.scores[rank, 0], desks.scores[rank, 1], desks.label[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for tile in range(chunk * CHUNK, min((chunk + 1) * CHUNK, labels.size // LANES)):
            start = tile * n_columns * LANES
            nearest(tiles, start, n_columns, centres.values, centres.n_large, centres.n_small, best, second, label, 0)
            if differ(labels, tile * LANES, label):
                for lane in range(min(LANES, n_rows - tile * LANES)):
                    place = tile * LANES + lane
                    if labels[place] != label[lane]:
                        move_row(rows, place, label[lane], moves, rank)


@inner_kernel
def differ(labels, place, label):
    """Whether any row of a tile has another label now."""
    gap = np.int32(0)
    for lane in range(LANES):
        gap |= labels[place + lane] ^ label[lane]
    return gap != 0


@inner_kernel
def whole_value(value, factor, scale):
    """A row's number times its weight as an integer."""
    return np.int64(np.rint(value * factor * scale))


@inner_kernel
def move_row(rows, place, new, moves, rank):
    """Give a row another label: take it from one centre's sums and add it to another's."""
    scale, sums, old = moves.scale, moves.sums[rank], moves.labels[place]
    n_columns = scale.size - 1
    start = (place // LANES) * LANES * n_columns + place % LANES
    count = rows.counts[place] if rows.counts.size > 0 else np.int64(1)
    factor = rows.importance[place] if rows.importance.size > 0 else 1.0
    moves.labels[place] = new
    moves.tallies[rank, 0] += 1
    if count == 0:
        return
    for j in range(n_columns):
        whole = whole_value(np.float64(rows.tiles[start + j * LANES]), factor, scale[j]) * count
        sums[new, j] += whole
        if old >= 0:
            sums[old, j] -= whole
    whole = whole_value(1.0, factor, scale[n_columns]) * count
    sums[new, n_columns] += whole
    if old >= 0:
        sums[old, n_columns] -= whole


def inertia(points: Points, centres: np.ndarray, labels: np.ndarray, team: Team) -> float:
    """The sum of squared distances of rows to their centres, by weight; the same for any number of threads."""
    return float(np.cumsum(distances_by_chunk(points, centres, labels, team))[-1]) * points.unit


def distances_by_chunk(points: Points, centres: np.ndarray, labels: np.ndarray, team: Team) -> np.ndarray:
    """float64 (chunks,): what the rows of each add to the inertia, in units."""
    sums = np.zeros(points.n_chunks)
    team.run(_sum_distances, points.tiles, centres, labels, points.n_rows, points.counts, points.importance, sums)
    return sums


def squared_distances_to_own(points: Points, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """float64 (rows,), of each row to its centre; rows that count nothing have -1."""
    distances = np.empty(points.n_rows)
    _own_distances(points.tiles, centres, labels, distances)
    distances[points.weights() == 0] = -1.0
    return distances


@inner_kernel
def _distance(tiles, place, centres, label):
    n_columns = centres.shape[1]
    start = (place // LANES) * LANES * n_columns + place % LANES
    total = 0.0
    for j in range(n_columns):
        gap = np.float64(tiles[start + j * LANES]) - np.float64(centres[label, j])
        total += gap * gap
    return total


@kernel
def _own_distances(tiles, centres, labels, distances):
    for place in range(distances.size):
        distances[place] = _distance(tiles, place, centres, labels[place])


@kernel
def _sum_distances(rank, size, sync, tiles, centres, labels, n_rows, counts, importance, sums):
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        total = 0.0
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows)):
            total += weight_at(place, counts, importance) * _distance(tiles, place, centres, labels[place])
        sums[chunk] = total

"""Assign: the nearest centre of every row, and what the rows of each centre add up to.

In:  `Points` and centres. Out: labels; integer sums of the rows of each centre; sums of squared distances.

A row's score for a centre is |c|²/2 - x·c, half its squared distance less half its own square. Ties go to the centre
with the lower number. Sums are integers: a row that moves is taken from one sum and added to another, and nothing is
lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES, nearest, pack_points
from spinney.cluster.points import CHUNK, CHUNK_ROWS, Points, weight_at


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


def no_assignment(points: Points, n_centres: int) -> Assignment:
    """Where k-means starts from."""
    largest = np.append(points.reach, 1.0) * points.heaviest
    labels = np.full(points.n_places, -1, np.int32)
    return Assignment(labels, np.zeros((n_centres, points.n_columns + 1), np.int64), points.scale(largest))


def packed(centres: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Centres as `nearest` wants them."""
    wide = centres.astype(np.float64)
    return pack_points(centres, (0.5 * _squares(wide)).astype(centres.dtype))


def _squares(rows: np.ndarray) -> np.ndarray:
    """|row|², added up column by column: the same on every machine."""
    total = np.zeros(len(rows))
    for column in rows.T:
        total += column * column
    return total


def assign_rows(points: Points, centres: np.ndarray, state: Assignment, team: Team) -> int:
    """Bring labels and sums up to date with the centres; how many rows have moved."""
    moves = np.zeros((team.size, *state.sums.shape), np.int64)
    moved = np.zeros((team.size, 8), np.int64)
    scratch = np.empty((team.size, 2, LANES), points.tiles.dtype), np.empty((team.size, LANES), np.int32)
    team.run(
        _assign,
        points.tiles,
        points.n_rows,
        *packed(centres),
        state.labels,
        points.counts,
        points.importance,
        state.scale,
        moves,
        moved,
        *scratch,
    )
    state.sums += moves.sum(axis=0)
    return int(moved.sum())


@kernel
def _assign(
    rank,
    size,
    sync,
    tiles,  # in
    n_rows,
    centres,
    n_large,
    n_small,
    labels,  # in and out
    counts,  # in
    importance,
    scale,
    moves,  # out
    moved,
    scores,  # scratch
    found,
):
    n_columns = scale.size - 1
    best, second, label = scores[rank, 0], scores[rank, 1], found[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for tile in range(chunk * CHUNK, min((chunk + 1) * CHUNK, labels.size // LANES)):
            start = tile * n_columns * LANES
            nearest(tiles, start, n_columns, centres, n_large, n_small, best, second, label, 0)
            if differ(labels, tile * LANES, label):
                for lane in range(min(LANES, n_rows - tile * LANES)):
                    place = tile * LANES + lane
                    if labels[place] != label[lane]:
                        move_row(tiles, place, labels[place], label[lane], counts, importance, scale, moves[rank])
                        labels[place] = label[lane]
                        moved[rank, 0] += 1


@inner_kernel
def differ(labels, place, label):
    """Whether any row of a tile has another label now."""
    gap = np.int32(0)
    for lane in range(LANES):
        gap |= labels[place + lane] ^ label[lane]
    return gap != 0


@inner_kernel
def move_row(tiles, place, old, new, counts, importance, scale, moves):
    """Take a row from one centre's sums and add it to another's."""
    n_columns = scale.size - 1
    start = (place // LANES) * LANES * n_columns + place % LANES
    count = counts[place] if counts.size > 0 else np.int64(1)
    factor = importance[place] if importance.size > 0 else 1.0
    if count == 0:
        return
    for j in range(n_columns):
        whole = np.int64(np.rint(np.float64(tiles[start + j * LANES]) * factor * scale[j])) * count
        moves[new, j] += whole
        if old >= 0:
            moves[old, j] -= whole
    whole = np.int64(np.rint(factor * scale[n_columns])) * count
    moves[new, n_columns] += whole
    if old >= 0:
        moves[old, n_columns] -= whole


def inertia(points: Points, centres: np.ndarray, labels: np.ndarray, team: Team) -> float:
    """The sum of squared distances of rows to their centres, by weight; the same for any number of threads."""
    sums = np.zeros(points.n_chunks)
    team.run(_sum_distances, points.tiles, centres, labels, points.n_rows, points.counts, points.importance, sums)
    return float(np.cumsum(sums)[-1]) * points.unit


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

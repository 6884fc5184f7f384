"""Assign: the nearest centre of every row, and what the rows of each centre add up to.

In:  `TiledPoints` and centres. Out: labels; integer sums of the rows of each centre; sums of squared distances.

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
from spinney.cluster.nearest import (
    LANES,
    SMALL,
    columns_first,
    nearest,
    nearest_two,
    pack_points,
    squared_distances,
    squared_norms,
)
from spinney.cluster.points import CHUNK, CHUNK_ROWS, PointSet, TiledPoints, weight_at


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


class AssignmentScratch(NamedTuple):
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


def make_desks(points: TiledPoints, team: Team) -> AssignmentScratch:
    """Room for every thread."""
    return AssignmentScratch(
        np.empty((team.size, 3, LANES), points.tiles.dtype), np.empty((team.size, LANES), np.int32)
    )


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


def assign_rows(points: TiledPoints, centres: np.ndarray, state: Assignment, team: Team) -> int:
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


def inertia(points: TiledPoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> float:
    """The sum of squared distances of rows to their centres, by weight; the same for any number of threads."""
    return float(np.cumsum(distances_by_chunk(points, centres, labels, team))[-1]) * points.unit


def distances_by_chunk(points: TiledPoints, centres: np.ndarray, labels: np.ndarray, team: Team) -> np.ndarray:
    """float64 (chunks,): what the rows of each add to the inertia, in units."""
    sums = np.zeros(points.n_chunks)
    team.run(_sum_distances, points.tiles, centres, labels, points.n_rows, points.counts, points.importance, sums)
    return sums


def squared_distances_to_own(points: TiledPoints, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
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


# ----------------------------------------------------------------------------------------------------------------------
# Bounds: the assignment without looking at rows that cannot have moved (Hamerly 2010), and with the same labels.
#
# For every row are known: an *upper* bound of the distance to its centre, and a *lower* bound of the distance to any
# other. When centres drift, the triangle inequality says by how much the bounds can be off. While lower stays above
# upper, by more than rounding could make of the scores, the row's label is what `assign.py` would find, and the row is
# not read at all.
#
# Bounds are kept as they would have been at the start: `upper` less all that the row's centre had drifted when it was
# measured, `lower` plus all that the others had. So a row that is passed over is not written either:
#
#     upper now = upper + drift[label]        lower now = lower - others_drift[label]
#
# Rows that must be looked at are gathered, sixteen at a time, into a tile of their own.


_OUTWARD = 1.0 + 2.0**-20  # drifts are rounded up by more than their arithmetic can be off
_LOOSE = 2.0**-22  # share of a bound by which it is moved outward when it is kept as float32
_MOST_LOOKED_AT = 0.3  # share of the rows beyond which bounds cost more than they save
_FEW = 0.2  # share of the rows below which they are tried
_LARGE = 1 << 25  # products of a pass below which it is not worth thinking about
_SAMPLE = 32  # tiles by which the share is guessed


class Known(NamedTuple):
    """What is known of the rows and the centres before a pass."""

    upper: np.ndarray  # float32 (places,)  # in and out
    lower: np.ndarray
    drift: np.ndarray  # float64 (centres,)
    others_drift: np.ndarray
    separation: np.ndarray
    rounding: float
    are_known: bool  # whether there are bounds yet


class WaitingRows(NamedTuple):
    """Rows that must be looked at, until there are enough for a tile. Each thread's own."""

    tile: np.ndarray  # (threads, columns times lanes)
    places: np.ndarray  # int64 (threads, lanes)


class Bounds:
    """Bounds of all rows, for one run of k-means."""

    def __init__(self, points: TiledPoints, n_centres: int) -> None:
        self.upper = np.zeros(points.n_places, np.float32)
        self.lower = np.zeros(points.n_places, np.float32)
        self.drift = np.zeros(n_centres)  # how far each centre has moved, all in all
        self.others_drift = np.zeros(n_centres)  # how far others than this one can have come nearer
        self.epsilon = float(np.finfo(points.tiles.dtype).eps)
        self.farthest = float(np.sqrt(np.sum(points.full_reach**2)))
        self.are_known = False

    def forget(self) -> None:
        """The centres go on without us."""
        self.are_known = False

    def add_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """The centres have moved."""
        gap = after.astype(np.float64) - before.astype(np.float64)
        moved = np.sqrt(np.sum(gap * gap, axis=1)) * _OUTWARD
        self.drift += moved
        largest = int(moved.argmax())
        self.others_drift += moved[largest]
        others = np.delete(moved, largest)
        self.others_drift[largest] += (others.max() if len(others) else 0.0) - moved[largest]

    def known(self, centres: np.ndarray) -> Known:
        """What kernels need to know."""
        separation, rounding = _separation(centres), self.rounding(centres)
        return Known(self.upper, self.lower, self.drift, self.others_drift, separation, rounding, self.are_known)

    def rounding(self, centres: np.ndarray) -> float:
        """How far a score, or half a row's square, can be off."""
        longest = float(np.sqrt(np.sum(centres.astype(np.float64) ** 2, axis=1).max()))
        size = (longest + self.farthest) ** 2
        return (centres.shape[1] + 4) * self.epsilon * size


def assign_with_bounds(
    points: TiledPoints, centres: np.ndarray, state: Assignment, bounds: Bounds, team: Team
) -> tuple[int, int]:
    """As `assign.assign_rows`; returns how many rows have moved and how many were looked at."""
    moves, desks = no_moves(state, team), make_desks(points, team)
    waiting = WaitingRows(
        np.zeros((team.size, points.n_columns * LANES), points.tiles.dtype), np.empty((team.size, LANES), np.int64)
    )
    known = bounds.known(centres)
    team.run(_assign_by_bounds, points.rows, packed(centres), known, moves, desks, waiting)
    bounds.are_known = True
    state.sums += moves.sums.sum(axis=0)
    moved, looked_at = moves.tallies[:, :2].sum(axis=0)
    return int(moved), int(looked_at)


def _separation(centres: np.ndarray) -> np.ndarray:
    """Distance of each centre to the nearest other one, rounded down."""
    nearest = np.empty(len(centres))
    _nearest_other(centres, nearest)
    return nearest / _OUTWARD


@kernel
def _nearest_other(centres, distance):
    for a in range(centres.shape[0]):
        least = np.inf
        for b in range(centres.shape[0]):
            if a != b:
                total = 0.0
                for j in range(centres.shape[1]):
                    gap = np.float64(centres[a, j]) - np.float64(centres[b, j])
                    total += gap * gap
                least = min(least, total)
        distance[a] = np.sqrt(least)


@inner_kernel
def _is_settled(place, labels, upper, lower, drift, others_drift, separation, slack):
    """Whether the row's centre is certain to have the lowest score still."""
    label = labels[place]
    high = np.float64(upper[place]) + drift[label]
    low = max(np.float64(lower[place]) - others_drift[label], separation[label] - high)
    return low > high and (low - high) * (low + high) > slack


@kernel
def _assign_by_bounds(rank, size, sync, rows, centres, known, moves, desks, waiting):
    rows, centres, known, moves, desks = refer(rows), refer(centres), refer(known), refer(moves), refer(desks)
    tiles, labels, n_rows, n_columns = rows.tiles, moves.labels, rows.n_rows, moves.scale.size - 1
    gathered, places, n_waiting = waiting.tile[rank], waiting.places[rank], 0
    upper, lower, drift, others_drift = known.upper, known.lower, known.drift, known.others_drift
    separation, slack = known.separation, 4.0 * known.rounding * 1.001
    while True:
        chunk = next_chunk(sync)
        for first in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            start, n_lanes = first * n_columns, min(LANES, n_rows - first)
            if not known.are_known:
                for i in range(n_lanes):
                    places[i] = first + i
                _look(rank, tiles, start, places[:n_lanes], rows, centres, known, moves, desks)
                continue
            for lane in range(n_lanes):
                if _is_settled(first + lane, labels, upper, lower, drift, others_drift, separation, slack):
                    continue
                for j in range(n_columns):
                    gathered[j * LANES + n_waiting] = tiles[start + j * LANES + lane]
                places[n_waiting] = first + lane
                n_waiting += 1
                if n_waiting == LANES:
                    _look(rank, gathered, 0, places, rows, centres, known, moves, desks)
                    n_waiting = 0
        if chunk * CHUNK_ROWS >= n_rows:
            break
    if n_waiting > 0:  # lanes not filled hold rows of before
        _look(rank, gathered, 0, places[:n_waiting], rows, centres, known, moves, desks)


@inner_kernel
def _look(rank, tile, start, places, rows, centres, known, moves, desks):
    """Find the centres of the rows of one tile, whose places are given, and measure their bounds anew."""
    n_columns, label = moves.scale.size - 1, desks.label[rank]
    best, second, square = desks.scores[rank, 0], desks.scores[rank, 1], desks.scores[rank, 2]
    nearest_two(tile, start, n_columns, centres.values, centres.n_large, centres.n_small, best, second, label, 0)
    squared_norms(tile, start, n_columns, square)
    for lane in range(places.size):
        _measure(places[lane], label[lane], best[lane], second[lane], square[lane], known)
        moves.tallies[rank, 1] += 1
        if moves.labels[places[lane]] != label[lane]:
            move_row(rows, places[lane], label[lane], moves, rank)


@inner_kernel
def _measure(place, label, best, second, square, known):
    """Measure a row's bounds anew, rounded outward."""
    own, rounding = np.float64(square), known.rounding
    high = np.sqrt(max(0.0, 2.0 * np.float64(best) + own + 2.0 * rounding)) - known.drift[label]
    low = np.sqrt(max(0.0, 2.0 * np.float64(second) + own - 2.0 * rounding)) + known.others_drift[label]
    known.upper[place] = np.float32(high * (1.0 + _LOOSE if high > 0.0 else 1.0 - _LOOSE))
    known.lower[place] = np.float32(low * (1.0 - _LOOSE))  # infinite if there is but one centre


class Policy:
    """When bounds pay: in large tables, when the last drift of the centres would have left most rows settled.

    Labels are the same with and without bounds, so this decides about time and nothing else.
    """

    def __init__(self, algorithm: str, points: TiledPoints, n_centres: int) -> None:
        self.is_fixed = algorithm != "auto" or points.tiles.size * n_centres < _LARGE
        self.use_bounds = algorithm == "bounds"
        self.points = points

    def see_pass(self, share_looked_at: float) -> None:
        """What share of the rows a pass with bounds had to look at."""
        if not self.is_fixed:
            self.use_bounds = share_looked_at < _MOST_LOOKED_AT

    def see_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """How the centres have moved in an iteration without bounds."""
        if not self.is_fixed and not self.use_bounds:
            self.use_bounds = self.unsettled(before, after) < _FEW

    def unsettled(self, before: np.ndarray, after: np.ndarray) -> float:
        """The share of rows, of a sample of tiles, that bounds would not have settled."""
        tiles, n_columns, n_rows = self.points.tiles, self.points.n_columns, self.points.n_rows
        gap = after.astype(np.float64) - before.astype(np.float64)
        moved = np.sqrt(np.sum(gap * gap, axis=1))
        step = max(1, n_rows // LANES // _SAMPLE) * LANES
        scores, label = np.empty((3, LANES), tiles.dtype), np.empty(LANES, np.int32)
        return float(_guess(tiles, n_rows, n_columns, step, *packed(before), moved, moved.max(), scores, label))


@kernel
def _guess(tiles, n_rows, n_columns, step, centres, n_large, n_small, moved, farthest, scores, label):
    """The share of rows that have not certainly kept their centre, of one tile every `step` rows."""
    unsettled, n_seen = 0, 0
    for first in range(0, n_rows - LANES + 1, step):
        nearest_two(tiles, first * n_columns, n_columns, centres, n_large, n_small, scores[0], scores[1], label, 0)
        squared_norms(tiles, first * n_columns, n_columns, scores[2])
        for lane in range(LANES):
            square = np.float64(scores[2, lane])
            near = np.sqrt(max(0.0, 2.0 * np.float64(scores[0, lane]) + square))
            next_near = np.sqrt(max(0.0, 2.0 * np.float64(scores[1, lane]) + square))
            unsettled += near + moved[label[lane]] >= next_near - farthest
            n_seen += 1
    return unsettled / max(1, n_seen)


# ----------------------------------------------------------------------------------------------------------------------
# Distances of rows to every centre.


def nearest_centres(points: TiledPoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """int32 (places,), the nearest centre of each row."""
    labels, room = np.empty(points.n_places, np.int32), np.empty((team.size, LANES), np.int32)
    scores = np.empty((team.size, LANES), points.tiles.dtype)
    team.run(_label, points.tiles, points.n_rows, points.n_columns, *packed(centres), labels, scores, room)
    return labels


def squared_distances_to_all(points: TiledPoints, centres: np.ndarray, team: Team) -> np.ndarray:
    """(rows, centres) in the points' dtype."""
    out = np.empty((points.n_rows, len(centres)), points.tiles.dtype)
    scratch = np.empty((team.size, SMALL * LANES), points.tiles.dtype)
    team.run(_measure_all, points.tiles, points.n_columns, columns_first(centres), out, scratch)
    return out


@kernel
def _label(rank, size, sync, tiles, n_rows, n_columns, centres, n_large, n_small, labels, scores, room):
    best, label = scores[rank], room[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            nearest(tiles, place * n_columns, n_columns, centres, n_large, n_small, best, best, label, 0)
            for lane in range(LANES):
                labels[place + lane] = label[lane]


@kernel
def _measure_all(rank, size, sync, tiles, n_columns, centres, out, scratch):
    n_rows, n_centres = out.shape
    distances = scratch[rank]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            for first in range(0, n_centres, SMALL):
                squared_distances(tiles, place * n_columns, n_columns, centres, first * n_columns, distances, 0)
                for i in range(min(SMALL, n_centres - first)):
                    for lane in range(min(LANES, n_rows - place)):
                        out[place + lane, first + i] = distances[i * LANES + lane]

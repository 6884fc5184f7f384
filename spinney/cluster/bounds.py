"""Bounds: the assignment without looking at rows that cannot have moved (Hamerly 2010), and with the same labels.

For every row are known: an *upper* bound of the distance to its centre, and a *lower* bound of the distance to any
other. When centres drift, the triangle inequality says by how much the bounds can be off. While lower stays above
upper, by more than rounding could make of the scores, the row's label is what `assign.py` would find, and the row is
not read at all.

Bounds are kept as they would have been at the start: `upper` less all that the row's centre had drifted when it was
measured, `lower` plus all that the others had. So a row that is passed over is not written either:

    upper now = upper + drift[label]        lower now = lower - others_drift[label]

Rows that must be looked at are gathered, sixteen at a time, into a tile of their own.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.cluster.assign import Assignment, move_row, packed
from spinney.cluster.nearest import LANES, nearest_two, squared_norms
from spinney.cluster.points import CHUNK_ROWS, Points

_OUTWARD = 1.0 + 2.0**-20  # drifts are rounded up by more than their arithmetic can be off
_LOOSE = 2.0**-22  # share of a bound by which it is moved outward when it is kept as float32
_MOST_LOOKED_AT = 0.3  # share of the rows beyond which bounds cost more than they save
_FEW = 0.2  # share of the rows below which they are tried
_LARGE = 1 << 25  # products of a pass below which it is not worth thinking about
_SAMPLE = 32  # tiles by which the share is guessed


class Bounds:
    """Bounds of all rows, for one run of k-means."""

    def __init__(self, points: Points, n_centres: int) -> None:
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

    def rounding(self, centres: np.ndarray) -> float:
        """How far a score, or half a row's square, can be off."""
        longest = float(np.sqrt(np.sum(centres.astype(np.float64) ** 2, axis=1).max()))
        size = (longest + self.farthest) ** 2
        return (centres.shape[1] + 4) * self.epsilon * size


def assign_with_bounds(
    points: Points, centres: np.ndarray, state: Assignment, bounds: Bounds, team: Team
) -> tuple[int, int]:
    """As `assign.assign_rows`; returns how many rows have moved and how many were looked at."""
    n_columns = points.n_columns
    moves = np.zeros((team.size, *state.sums.shape), np.int64)
    tallies = np.zeros((team.size, 8), np.int64)
    dtype = points.tiles.dtype
    team.run(
        _assign,
        points.tiles,
        points.n_rows,
        *packed(centres),
        state.labels,
        bounds.upper,
        bounds.lower,
        bounds.drift,
        bounds.others_drift,
        _separation(centres),
        bounds.rounding(centres),
        bounds.are_known,
        points.counts,
        points.importance,
        state.scale,
        moves,
        tallies,
        np.zeros((team.size, n_columns * LANES), dtype),
        np.empty((team.size, 3, LANES), dtype),
        np.empty((team.size, LANES), np.int32),
        np.empty((team.size, LANES), np.int64),
    )
    bounds.are_known = True
    state.sums += moves.sum(axis=0)
    moved, looked_at = tallies[:, :2].sum(axis=0)
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
    upper,
    lower,
    drift,  # in
    others_drift,
    separation,
    rounding,
    are_known,
    counts,
    importance,
    scale,
    moves,  # out
    tallies,  # out: moved, looked at
    tile_room,  # scratch
    score_room,
    label_room,
    place_room,
):
    n_columns = scale.size - 1
    slack = 4.0 * rounding * 1.001
    gathered, places, n_waiting = tile_room[rank], place_room[rank], 0
    best, second, square, label = score_room[rank, 0], score_room[rank, 1], score_room[rank, 2], label_room[rank]
    while True:
        chunk = next_chunk(sync)
        is_over = chunk * CHUNK_ROWS >= n_rows
        for first in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            start, n_lanes = first * n_columns, min(LANES, n_rows - first)
            if are_known:
                for lane in range(n_lanes):
                    if _is_settled(first + lane, labels, upper, lower, drift, others_drift, separation, slack):
                        continue
                    for j in range(n_columns):
                        gathered[j * LANES + n_waiting] = tiles[start + j * LANES + lane]
                    places[n_waiting] = first + lane
                    n_waiting += 1
                    if n_waiting == LANES:
                        nearest_two(gathered, 0, n_columns, centres, n_large, n_small, best, second, label, 0)
                        squared_norms(gathered, 0, n_columns, square)
                        for i in range(LANES):
                            _measure(
                                i, places[i], best, second, square, label, drift, others_drift, rounding, upper, lower
                            )
                            _move(
                                tiles,
                                places[i],
                                labels,
                                label[i],
                                counts,
                                importance,
                                scale,
                                moves[rank],
                                tallies[rank],
                            )
                        n_waiting = 0
            else:
                nearest_two(tiles, start, n_columns, centres, n_large, n_small, best, second, label, 0)
                squared_norms(tiles, start, n_columns, square)
                for i in range(n_lanes):
                    _measure(i, first + i, best, second, square, label, drift, others_drift, rounding, upper, lower)
                    _move(tiles, first + i, labels, label[i], counts, importance, scale, moves[rank], tallies[rank])
        if is_over:
            break
    if n_waiting > 0:  # lanes not filled hold rows of before
        nearest_two(gathered, 0, n_columns, centres, n_large, n_small, best, second, label, 0)
        squared_norms(gathered, 0, n_columns, square)
        for i in range(n_waiting):
            _measure(i, places[i], best, second, square, label, drift, others_drift, rounding, upper, lower)
            _move(tiles, places[i], labels, label[i], counts, importance, scale, moves[rank], tallies[rank])


@inner_kernel
def _measure(lane, place, best, second, square, label, drift, others_drift, rounding, upper, lower):
    """Measure a row's bounds anew, rounded outward."""
    own = np.float64(square[lane])
    high = np.sqrt(max(0.0, 2.0 * np.float64(best[lane]) + own + 2.0 * rounding)) - drift[label[lane]]
    low = np.sqrt(max(0.0, 2.0 * np.float64(second[lane]) + own - 2.0 * rounding)) + others_drift[label[lane]]
    upper[place] = np.float32(high * (1.0 + _LOOSE if high > 0.0 else 1.0 - _LOOSE))
    lower[place] = np.float32(low * (1.0 - _LOOSE))  # infinite if there is but one centre


@inner_kernel
def _move(tiles, place, labels, label, counts, importance, scale, moves, tallies):
    tallies[1] += 1
    if labels[place] != label:
        move_row(tiles, place, labels[place], label, counts, importance, scale, moves)
        labels[place] = label
        tallies[0] += 1


class Policy:
    """When bounds pay: in large tables, when the last drift of the centres would have left most rows settled.

    Labels are the same with and without bounds, so this decides about time and nothing else.
    """

    def __init__(self, algorithm: str, points: Points, n_centres: int) -> None:
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

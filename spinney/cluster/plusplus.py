"""k-means++: starting centres far from each other, and the plain draw of rows.

In:  `TiledPoints`, a key. Out: the places of the rows that are the first centres.

The first centre is drawn by weight, each further one by weight times squared distance to the nearest centre so far.
The greedy form draws several candidates and keeps the one that leaves the smallest sum of distances. Distances are
rounded to integers before they are summed, and a draw is a hash of (key, centre, candidate): the same rows are drawn
on any number of threads. A hash says which share of the sum is to be reached, so that weights times a factor draw the
same rows.

One pass over the rows a centre: it brings `closest` up to date with the centre chosen last, and finds for every
candidate, chunk by chunk, what the sum would be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._random import choose, mix
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES, SMALL, columns_first, squared_distances
from spinney.cluster.points import CHUNK_ROWS, PointSet, TiledPoints
from spinney.cluster.sparse_points import (
    SparsePoints,
    clear_row,
    lay_abreast,
    put_row,
    row_at,
    squared_lengths,
    subtract_products,
)
from spinney.criteria.exp_log import log
from spinney.criteria.weighted_sampling import draw_times

_WEIGHT_BITS = 40  # of a row's weight where weights alone are drawn by


def plus_plus(points: TiledPoints, n_centres: int, key: int, team: Team, n_candidates: int | None = None) -> np.ndarray:
    """int64 places of the centres: greedy k-means++ with 2 + log(n_centres) candidates, unless a number is given."""
    return run_search(PlusPlusSearch, points, n_centres, key, team, n_candidates)


def run_search(
    kind: Any, points: PointSet, n_centres: int, key: int, team: Team, n_candidates: int | None = None
) -> np.ndarray:
    """The same by a search of some kind."""
    if n_candidates is None:
        n_candidates = 2 + _whole_log(n_centres)
    search = kind(points, np.uint64(key), n_candidates, team)
    for number in range(1, n_centres):
        search.add_centre(number)
    return np.array(search.chosen, np.int64)


class PlusPlusSearch:
    """The centres so far, and the distances to them."""

    points: Any

    def __init__(self, points: PointSet, key: np.uint64, n_candidates: int, team: Team) -> None:
        self.points, self.key, self.n_candidates, self.team = points, key, n_candidates, team
        self.closest = np.full(points.n_places, np.inf, points.dtype)
        farthest = float(np.sum((2.0 * points.reach) ** 2)) * points.heaviest
        self.scale = float(points.scale(np.array(farthest))[0])
        self.by_weight = integer_weights(points)
        self.chosen = [int(self._draw_by_weight(0, 1)[0])]
        self.potential = np.zeros(0, np.int64)  # of each chunk, with all centres chosen so far

    def add_centre(self, number: int) -> None:
        """Draw candidates and keep the best one."""
        candidates = self._draw(number)
        potentials = self._try(candidates)
        best = int(potentials.sum(axis=1).argmin())
        self.chosen.append(int(candidates[best]))
        self.potential = potentials[best]

    def _draw(self, number: int) -> np.ndarray:
        """Candidates for a centre: by distance, or by weight where all rows are centres already."""
        if number == 1:
            self.potential = self._try(np.array(self.chosen))[0]
        reached = np.cumsum(self.potential)
        if reached[-1] == 0:
            return self._draw_by_weight(number, self.n_candidates)
        return np.array(
            [self._find(goal, reached) for goal in self._goals(number, self.n_candidates, int(reached[-1]))]
        )

    def _rows(self, places: np.ndarray) -> np.ndarray:
        """The values at some places, relative to the origin."""
        return self.points.rows_at(places)

    def _goals(self, number: int, n: int, total: int) -> list[int]:
        """n whole numbers from 0 to total - 1."""
        drawn = np.empty(n, np.uint64)
        _draw_numbers(self.key, number, drawn)
        return [int(one) * total >> 64 for one in drawn]

    def _draw_by_weight(self, number: int, n: int) -> np.ndarray:
        reached = np.cumsum(self.by_weight)
        return np.searchsorted(reached, self._goals(number, n, int(reached[-1])), side="right")

    def _find(self, goal: int, reached: np.ndarray) -> int:
        """The row at which the sum of distances passes the goal."""
        chunk = int(np.searchsorted(reached, goal, side="right"))
        goal -= int(reached[chunk - 1]) if chunk else 0
        p = self.points
        last = columns_first(self._rows(np.array(self.chosen[-1:])))
        scratch = np.empty(SMALL * LANES, p.tiles.dtype)
        return int(
            _find_place(
                p.tiles,
                p.n_rows,
                p.n_columns,
                self.closest,
                last,
                p.counts,
                p.importance,
                self.scale,
                chunk,
                goal,
                scratch,
            )
        )

    def _try(self, candidates: np.ndarray) -> np.ndarray:
        """int64 (candidates, chunks): sums of distances with each candidate as a further centre."""
        p, team = self.points, self.team
        rows = self._rows(np.append(self.chosen[-1:], candidates))
        sums = np.zeros((p.n_chunks, len(rows)), np.int64)
        grouped = columns_first(rows)
        scratch = np.empty((team.size, len(grouped) // p.n_columns * LANES), p.tiles.dtype)
        team.run(
            _try_candidates,
            p.tiles,
            p.n_rows,
            p.n_columns,
            self.closest,
            grouped,
            p.counts,
            p.importance,
            self.scale,
            sums,
            scratch,
        )
        return np.ascontiguousarray(sums[:, 1:].T)


def integer_weights(points: PointSet) -> np.ndarray:
    """Weights as integers."""
    bits = min(_WEIGHT_BITS, 61 - points.total_count.bit_length())
    whole = np.ones(points.n_rows, np.int64)
    if len(points.importance):
        whole = np.rint(points.importance * (2.0**bits / points.heaviest)).astype(np.int64)
    return whole * points.counts if len(points.counts) else whole


@kernel
def _whole_log(n):
    return int(log(float(n)))


@kernel
def _draw_numbers(key, number, drawn):
    own = mix(key, number)
    for i in range(drawn.size):
        drawn[i] = mix(own, i)


@inner_kernel
def whole_distance(distance, place, counts, importance, scale):
    """A row's distance times its weight as an integer."""
    factor = importance[place] if importance.size > 0 else 1.0
    count = counts[place] if counts.size > 0 else np.int64(1)
    return np.int64(np.float64(distance) * factor * scale) * count


@kernel
def _try_candidates(
    rank,
    size,
    sync,
    tiles,
    n_rows,
    n_columns,
    closest,  # in and out
    rows,  # in: the last centre, then the candidates
    counts,
    importance,
    scale,
    sums,  # out
    scratch,
):
    distances = scratch[rank]
    n_points = sums.shape[1]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            for group in range((n_points + SMALL - 1) // SMALL):
                first, out = group * SMALL * n_columns, group * SMALL * LANES
                squared_distances(tiles, place * n_columns, n_columns, rows, first, distances, out)
            for lane in range(LANES):
                now = closest[place + lane]
                closest[place + lane] = distances[lane] if distances[lane] < now else now
            n_lanes = min(LANES, n_rows - place)
            for i in range(1, n_points):
                sums[chunk, i] += potential(closest, distances, i * LANES, place, n_lanes, counts, importance, scale)


@inner_kernel
def potential(closest, distances, first, place, n_lanes, counts, importance, scale):
    """The sum over a tile if one candidate were a centre."""
    total = np.int64(0)
    for lane in range(n_lanes):
        now, new = closest[place + lane], distances[first + lane]
        total += whole_distance(new if new < now else now, place + lane, counts, importance, scale)
    return total


@kernel
def _find_place(tiles, n_rows, n_columns, closest, last, counts, importance, scale, chunk, goal, distances):
    """The row of a chunk at which the sum of distances passes the goal."""
    for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
        squared_distances(tiles, place * n_columns, n_columns, last, 0, distances, 0)
        for lane in range(min(LANES, n_rows - place)):
            now, new = closest[place + lane], distances[lane]
            goal -= whole_distance(new if new < now else now, place + lane, counts, importance, scale)
            if goal < 0:
                return place + lane
    return n_rows - 1


def random_units(points: PointSet, n: int, key: int) -> np.ndarray:
    """int64 places of n rows, drawn by weight; a row that counts m times is m rows, each of which is drawn once."""
    if len(points.counts) == 0 or len(points.importance) or points.total_count < n:
        return random_rows(points, n, key)
    units = np.empty(points.total_count, np.int64)
    choose(np.uint64(key), n, units)
    return np.searchsorted(np.cumsum(points.counts), units[:n], side="right")


def random_rows(points: PointSet, n_centres: int, key: int) -> np.ndarray:
    """int64 places of distinct rows, drawn by weight; rows of weight 0 only where there are too few others."""
    rows, weights = np.arange(points.n_rows), np.ones(points.n_rows)
    if len(points.counts) or len(points.importance):
        weights = points.weights()
        some = np.flatnonzero(weights)
        if len(some) >= n_centres:  # the draws are those of the table without the other rows
            rows, weights = some, weights[some]
    if (weights == 1.0).all():
        order = np.empty(len(rows), np.int64)
        choose(np.uint64(key), n_centres, order)
        return rows[order[:n_centres]]
    times = np.empty(len(rows))
    draw_times(np.uint64(key), weights, times)
    return rows[np.argsort(times, kind="stable")[:n_centres]]


# ----------------------------------------------------------------------------------------------------------------------
# Sparse rows: the same draws from stored cells.
#
# In:  `SparsePoints`, a key. Out: the places of the rows that are the first centres.
#
# Up to `MOST_CELLS` cells, zeros included, rows are laid out sixteen at a time, and distances are those of the table
# laid out, bit for bit. In larger tables a distance is |x|² - 2 x·p + |p|² over the stored cells, in float64: the same
# rows on any number of threads, but rounding may draw others than a table laid out would. Rows that are alike are at
# distance 0.


MOST_CELLS = 1 << 26


def first_places(points: PointSet, n_centres: int, key: int, team: Team) -> np.ndarray:
    """int64 places of the centres, of rows in any form; see `plusplus.plus_plus`."""
    if isinstance(points, TiledPoints):
        return plus_plus(points, n_centres, key, team)
    is_small = points.n_rows * points.n_columns <= MOST_CELLS
    return run_search(_LaidOutSearch if is_small else _CellSearch, points, n_centres, key, team)


class _SparseSearch(PlusPlusSearch):
    """What both ways of measuring have in common."""

    points: SparsePoints

    def _measure(self, places: np.ndarray, first_chunk: int, sums: np.ndarray, team: Team) -> None:
        """Bring `closest` up to date with the first of some rows, and find the sums with each of the others."""
        raise NotImplementedError

    def _find(self, goal: int, reached: np.ndarray) -> int:
        chunk = int(np.searchsorted(reached, goal, side="right"))
        goal -= int(reached[chunk - 1]) if chunk else 0
        self._measure(np.array(self.chosen[-1:]), chunk, np.zeros((1, 1), np.int64), Team(1, inline=True))
        part, points = slice(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, self.points.n_rows)), self.points
        factor = points.importance[part] if len(points.importance) else 1.0
        whole = (self.closest[part].astype(np.float64) * factor * self.scale).astype(np.int64)
        if len(points.counts):
            whole *= points.counts[part]
        place = part.start + int(np.searchsorted(np.cumsum(whole), goal, side="right"))
        return min(place, points.n_rows - 1)

    def _try(self, candidates: np.ndarray) -> np.ndarray:
        sums = np.zeros((self.points.n_chunks, 1 + len(candidates)), np.int64)
        self._measure(np.append(self.chosen[-1:], candidates), 0, sums, self.team)
        return np.ascontiguousarray(sums[:, 1:].T)


class _LaidOutSearch(_SparseSearch):
    """Rows are laid out, a tile at a time."""

    def _measure(self, places: np.ndarray, first_chunk: int, sums: np.ndarray, team: Team) -> None:
        points, grouped = self.points, columns_first(self.points.rows_at(places))
        scratch = np.empty((team.size, len(grouped) // points.n_columns * LANES), points.dtype)
        tiles = points.tiles_of_zeros(team.size)
        team.run(_try_laid_out, points.rows, first_chunk, self.closest, grouped, self.scale, sums, scratch, tiles)


class _CellSearch(_SparseSearch):
    """Distances by stored cells."""

    def __init__(self, points: SparsePoints, key: np.uint64, n_candidates: int, team: Team) -> None:
        super().__init__(points, key, n_candidates, team)
        self.closest = np.full(points.n_rows, np.inf)
        self.lengths = squared_lengths(points, team)

    def _measure(self, places: np.ndarray, first_chunk: int, sums: np.ndarray, team: Team) -> None:
        rows, lengths = self._in_table(places), self.lengths[places]
        table = lay_abreast(rows, np.zeros(rows.shape[1]), np.float64)
        scratch = np.empty((team.size, table.shape[1] + len(places) * LANES))
        arguments: tuple[Any, ...] = (first_chunk, self.closest, table.ravel(), self.lengths, lengths, self.scale)
        team.run(_try_cells, self.points.rows, *arguments, sums, scratch)

    def _in_table(self, places: np.ndarray) -> np.ndarray:
        """Some rows as they are in the table."""
        points = self.points
        laid_out = np.zeros((len(places), points.n_columns))
        for line, row in zip(laid_out, places if points.order is None else points.order[places]):
            part = slice(points.first[row], points.first[row + 1])
            line[points.columns[part]] = points.values[part]
        return laid_out


@kernel
def _try_laid_out(rank, size, sync, rows, first_chunk, closest, grouped, scale, sums, scratch, tiles):
    rows = refer(rows)
    distances, tile, n_columns = scratch[rank], tiles[rank], rows.zeros.size
    n_chunks, n_points = sums.shape
    while True:
        chunk = next_chunk(sync)
        if chunk >= n_chunks:
            return
        start = (first_chunk + chunk) * CHUNK_ROWS
        for place in range(start, min(start + CHUNK_ROWS, closest.size), LANES):
            n_lanes = min(LANES, closest.size - place)
            for lane in range(n_lanes):
                put_row(rows, row_at(rows, place + lane), tile, lane)
            for group in range((n_points + SMALL - 1) // SMALL):
                first, out = group * SMALL * n_columns, group * SMALL * LANES
                squared_distances(tile, 0, n_columns, grouped, first, distances, out)
            for lane in range(n_lanes):
                clear_row(rows, row_at(rows, place + lane), tile, lane)
                now = closest[place + lane]
                closest[place + lane] = distances[lane] if distances[lane] < now else now
            for i in range(1, n_points):
                sums[chunk, i] += potential(
                    closest, distances, i * LANES, place, n_lanes, rows.counts, rows.importance, scale
                )


@kernel
def _try_cells(rank, size, sync, rows, first_chunk, closest, table, lengths, of_points, scale, sums, scratch):
    rows = refer(rows)
    n_chunks, n_points = sums.shape
    n_places = table.size // rows.zeros.size
    products, distances = scratch[rank, :n_places], scratch[rank, n_places:]
    while True:
        chunk = next_chunk(sync)
        if chunk >= n_chunks:
            return
        start = (first_chunk + chunk) * CHUNK_ROWS
        for place in range(start, min(start + CHUNK_ROWS, closest.size), LANES):
            n_lanes = min(LANES, closest.size - place)
            for lane in range(n_lanes):
                row = row_at(rows, place + lane)
                products[:] = 0.0
                begin, end = rows.first[row], rows.first[row + 1]
                subtract_products(table, rows.values, rows.columns, begin, end, n_places, products)
                for i in range(n_points):
                    square = (lengths[place + lane] + of_points[i]) + 2.0 * products[i]
                    distances[i * LANES + lane] = square if square > 0.0 else 0.0
                now = closest[place + lane]
                closest[place + lane] = distances[lane] if distances[lane] < now else now
            for i in range(1, n_points):
                sums[chunk, i] += potential(
                    closest, distances, i * LANES, place, n_lanes, rows.counts, rows.importance, scale
                )

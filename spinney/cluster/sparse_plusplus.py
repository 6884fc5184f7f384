"""k-means++ on sparse rows: first centres by `plusplus.py`'s draws.

In:  `SparsePoints`, a key. Out: the places of the rows that are the first centres.

Up to `MOST_CELLS` cells, zeros included, rows are laid out sixteen at a time, and distances are those of the table laid
out, bit for bit. In larger tables a distance is |x|² - 2 x·p + |p|² over the stored cells, in float64: the same rows on
any number of threads, but rounding may draw others than a table laid out would. Rows that are alike are at distance 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import kernel, refer
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES, SMALL, squared_distances
from spinney.cluster.plusplus import Search, columns_first, plus_plus, potential, run_search
from spinney.cluster.points import CHUNK_ROWS, Points, PointSet
from spinney.cluster.sparse_points import SparsePoints, clear_row, put_row, row_at, squared_lengths
from spinney.cluster.sparse_products import lay_abreast, subtract_products

MOST_CELLS = 1 << 26


def first_places(points: PointSet, n_centres: int, key: int, team: Team) -> np.ndarray:
    """int64 places of the centres, of rows in any form; see `plusplus.plus_plus`."""
    if hasattr(points, "there"):
        from spinney.cluster.on_gpu import GpuSearch

        return run_search(GpuSearch, points, n_centres, key, team)
    if isinstance(points, Points):
        return plus_plus(points, n_centres, key, team)
    is_small = points.n_rows * points.n_columns <= MOST_CELLS
    return run_search(_LaidOutSearch if is_small else _CellSearch, points, n_centres, key, team)


class _SparseSearch(Search):
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

"""Points: the rows of a table as k-means reads them.

In:  a matrix of numbers without missing values, and weights.
Out: `TiledPoints`: tiles of 16 rows (see `nearest.py`), relative to an origin amid the rows, so that float32 has digits
     to spare; what a row counts; and how rows become integers, so that sums over rows come out the same in any order.

Up to `FEW_ROWS` rows, tiles are in an order that follows from what rows hold. Then draws do not depend on the order
of the table, and a row of weight 2 is drawn like two rows that are alike. Larger tables stay in their own order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES
from spinney.criteria.fixed_point import exact_mean, scale_exponent
from spinney.data.finite import refuse_not_finite
from spinney.data.row_hash import order_of_columns
from spinney.data.weights import Weights

CHUNK = 64  # tiles that a thread takes at a time
CHUNK_ROWS = CHUNK * LANES
FEW_ROWS = 1 << 16
SAMPLE = 1 << 14  # rows of a large table whose mean is the origin
_SUM_BITS = 61  # of sums over all rows
_ROW_BITS = 52  # of one row's number: float64 counts as far


class TiledRows(NamedTuple):
    """Rows as kernels read them; see `TiledPoints`."""

    tiles: np.ndarray
    n_rows: int
    counts: np.ndarray
    importance: np.ndarray


@dataclass(frozen=True)
class PointSet:
    """Rows, whatever form they lie in. `counts` and `importance` are empty if all rows count once and alike."""

    n_rows: int
    n_columns: int
    origin: np.ndarray  # float64 (columns,), subtracted from every row
    reach: np.ndarray  # float64 (columns,), largest size of a value, of rows that count
    full_reach: np.ndarray  # the same of all rows
    variance: float  # mean of the columns'
    order: np.ndarray | None  # which row of the table is at each place; None: the same
    counts: np.ndarray  # int64 (rows,) or (0,)
    importance: np.ndarray  # float64 (rows,) or (0,), in units that make the largest at most 1
    unit: float  # what an importance of 1 is worth

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        raise NotImplementedError

    @property
    def n_places(self) -> int:
        """Places for a number of each row."""
        raise NotImplementedError

    def rows_at(self, places: np.ndarray) -> np.ndarray:
        """The values at some places, relative to the origin."""
        raise NotImplementedError

    @property
    def n_chunks(self) -> int:
        """Chunks of tiles."""
        return -(-self.n_rows // CHUNK_ROWS)

    @property
    def total_count(self) -> int:
        """Rows, repeated ones as often as they count."""
        return int(self.counts.sum()) if len(self.counts) else self.n_rows

    @property
    def heaviest(self) -> float:
        """The largest importance."""
        return float(self.importance.max()) if len(self.importance) else 1.0

    def scale(self, largest: np.ndarray) -> np.ndarray:
        """Powers of two that make integers of numbers up to `largest`, so that sums over all rows fit into int64."""
        bits = min(_ROW_BITS, _SUM_BITS - self.total_count.bit_length())
        return np.array([math.ldexp(1.0, scale_exponent(float(one), bits)) for one in np.atleast_1d(largest)])

    def as_in_table(self, at_places: np.ndarray) -> np.ndarray:
        """One number a place -> one number a row of the table."""
        if self.order is None:
            return at_places[: self.n_rows]
        in_table = np.empty(self.n_rows, at_places.dtype)
        in_table[self.order] = at_places[: self.n_rows]
        return in_table

    def weights(self) -> np.ndarray:
        """float64, what each place counts, in units."""
        return plain_weights(self.counts, self.importance, self.n_rows)


@dataclass(frozen=True)
class TiledPoints(PointSet):
    """Rows in tiles."""

    tiles: np.ndarray  # float32 or float64, tile after tile; the last one is filled up with zeros

    @property
    def rows(self) -> TiledRows:
        """What kernels read."""
        return TiledRows(self.tiles, self.n_rows, self.counts, self.importance)

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.tiles.dtype

    @property
    def n_places(self) -> int:
        """Rows with those that fill up the last tile."""
        return len(self.tiles) // self.n_columns

    def rows_at(self, places: np.ndarray) -> np.ndarray:
        """The values at some places, relative to the origin."""
        tiles = self.tiles.reshape(-1, self.n_columns, LANES)
        return tiles[places // LANES, :, places % LANES]


def make_points(values: np.ndarray, weights: Weights, team: Team, origin: np.ndarray | None = None) -> TiledPoints:
    """Tiles of a matrix (float32 or float64, any strides). Without an origin, one amid the rows is found."""
    n_rows, n_columns = values.shape
    order = order_of_columns(*values.T) if n_rows <= FEW_ROWS else None
    weights, unit = in_units(weights)
    counts, importance = in_order(weights, order)
    if origin is None:
        origin = _middle(values, weights)
    tiles, sums = room_for_tiles(n_rows, n_columns, values.dtype)
    largest, full = lay_tiles(values, order, origin, counts, importance, team, tiles, sums)
    weight = float(plain_weights(counts, importance, n_rows).sum())
    with np.errstate(invalid="ignore", over="ignore"):
        variance = variance_of(sums.sum(axis=0), weight)
    if not (np.isfinite(full).all() and np.isfinite(variance)):
        refuse_not_finite(values)
        refuse_huge()
    return TiledPoints(n_rows, n_columns, origin, largest, full, variance, order, counts, importance, unit, tiles)


def room_for_tiles(n_rows: int, n_columns: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Tiles, and (chunks, 2, columns times lanes) for the sums of what is in them and of its squares."""
    tiles = np.empty(-(-n_rows // LANES) * n_columns * LANES, dtype)
    return tiles, np.zeros((-(-n_rows // CHUNK_ROWS), 2, n_columns * LANES))


def lay_tiles(
    values: np.ndarray,
    order: np.ndarray | None,
    origin: np.ndarray,
    counts: np.ndarray,
    importance: np.ndarray,
    team: Team,
    tiles: np.ndarray,
    sums: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Fill tiles and sums; the reach of the rows that count, and of all rows."""
    reach = np.zeros((team.size, 2, values.shape[1] * LANES))
    places = np.zeros(0, np.int64) if order is None else order
    team.run(_fill_tiles, values, places, origin, counts, importance, tiles, reach, sums)
    counted, full = reach.reshape(team.size, 2, values.shape[1], LANES).max(axis=(0, 3))
    return counted, full


def refuse_huge() -> NoReturn:
    """Raise: float64 has no room for squares."""
    raise ValueError("X must not hold values larger than 1e150, since their squares overflow. Scale the columns.")


def read_tiles(values: np.ndarray, origin: np.ndarray, team: Team) -> TiledPoints:
    """Tiles in the table's own order, of rows that all count alike: what `predict` needs."""
    n_rows, n_columns = values.shape
    once, alike = np.zeros(0, np.int64), np.zeros(0)
    tiles, sums = room_for_tiles(n_rows, n_columns, values.dtype)
    _, full = lay_tiles(values, None, origin, once, alike, team, tiles, sums)
    if not np.isfinite(sums).all():
        refuse_not_finite(values)
    return TiledPoints(n_rows, n_columns, origin, full, full, 0.0, None, once, alike, 1.0, tiles)


def in_units(weights: Weights) -> tuple[Weights, float]:
    """Importances in units that make the largest at most 1; and the unit, a power of two."""
    if weights.importance is None:
        return weights, 1.0
    unit = math.ldexp(1.0, min(1023, math.frexp(float(weights.importance.max()))[1]))
    return weights._replace(importance=weights.importance / unit), unit


def in_order(weights: Weights, order: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Counts and importances of the rows as they lie in tiles; empty for ones."""
    parts = [np.zeros(0, kind) if part is None else part for part, kind in zip(weights, (np.int64, np.float64))]
    counts, importance = (part[order] if order is not None and len(part) else part for part in parts)
    return counts, importance


def _middle(values: np.ndarray, weights: Weights) -> np.ndarray:
    """The weighted mean of the rows, or of some of them."""
    if len(values) > FEW_ROWS:
        some = values[:: sample_step(len(values))]
        with np.errstate(invalid="ignore", over="ignore"):
            return some.mean(axis=0, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(values).all():
            return np.zeros(values.shape[1])  # an error follows
        return np.array([exact_mean(column.astype(np.float64), weights) for column in values.T])


def sample_step(n_rows: int) -> int:
    """Rows from one that the origin of a large table is found by to the next."""
    return -(-n_rows // SAMPLE)


def plain_weights(counts: np.ndarray, importance: np.ndarray, n_rows: int) -> np.ndarray:
    """What each place counts."""
    weight = np.ones(n_rows)
    for factor in (counts, importance):
        weight *= factor if len(factor) else 1.0
    return weight


def variance_of(sums: np.ndarray, weight: float) -> float:
    """The mean of the columns', from (2, columns times lanes) sums over rows of so much weight."""
    with np.errstate(invalid="ignore", over="ignore"):
        total = sums.reshape(2, -1, LANES).sum(axis=2)
        return float(np.mean(total[1] / weight - (total[0] / weight) ** 2))


def take_points(points: TiledPoints, places: np.ndarray, team: Team) -> TiledPoints:
    """Some of the rows, in the order of `places`, about the same origin; integers are made of them as of all rows."""
    n_rows, n_columns = len(places), points.n_columns
    tiles = np.empty(-(-n_rows // LANES) * n_columns * LANES, points.tiles.dtype)
    reach = np.zeros((team.size, n_columns * LANES))
    sources = np.empty((team.size, LANES), np.int64)
    team.run(_take_tiles, points.tiles, places, n_columns, sources, tiles, reach)
    full = reach.reshape(team.size, n_columns, LANES).max(axis=(0, 2))
    counts, importance = (part[places] if len(part) else part for part in (points.counts, points.importance))
    return replace(
        points,
        tiles=tiles,
        n_rows=n_rows,
        full_reach=full,
        order=None,
        counts=counts,
        importance=importance,
    )


@kernel
def _take_tiles(rank, size, sync, tiles, places, n_columns, sources, out, reach):
    n_rows = places.size
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        for first in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            start, n_lanes = first * n_columns, min(LANES, n_rows - first)
            for lane in range(n_lanes):
                place = places[first + lane]
                sources[rank, lane] = (place // LANES) * LANES * n_columns + place % LANES
            for j in range(n_columns):
                for lane in range(n_lanes):
                    out[start + j * LANES + lane] = tiles[sources[rank, lane] + j * LANES]
                for lane in range(n_lanes, LANES):
                    out[start + j * LANES + lane] = 0.0
            _reach(out, start, reach[rank])


@kernel
def _fill_tiles(rank, size, sync, values, order, origin, counts, importance, tiles, all_reach, all_sums):
    n_rows, n_columns = values.shape
    reach, full_reach = all_reach[rank, 0], all_reach[rank, 1]
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= n_rows:
            return
        sums, squares = all_sums[chunk, 0], all_sums[chunk, 1]
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, n_rows), LANES):
            start = place * n_columns
            _fill(values, order, origin, tiles, start, place)
            _reach(tiles, start, full_reach)
            if counts.size == 0 and importance.size == 0:
                _measure(tiles, start, sums, squares)
                _reach(tiles, start, reach)
            else:
                _measure_weighted(tiles, start, place, counts, importance, reach, sums, squares)


@inner_kernel
def _fill(values, order, origin, tiles, start, place):
    """One tile."""
    n_rows, n_columns = values.shape
    for lane in range(LANES):
        if place + lane < n_rows:
            row = place + lane if order.size == 0 else order[place + lane]
            for j in range(n_columns):
                tiles[start + j * LANES + lane] = values[row, j] - origin[j]
        else:
            for j in range(n_columns):
                tiles[start + j * LANES + lane] = 0.0


@inner_kernel
def _reach(tiles, start, reach):
    for i in range(reach.size):
        far = abs(np.float64(tiles[start + i]))
        reach[i] = reach[i] if far <= reach[i] or reach[i] != reach[i] else far  # NaN stays


@inner_kernel
def _measure(tiles, start, sums, squares):
    for i in range(sums.size):
        value = np.float64(tiles[start + i])
        sums[i] += value
        squares[i] += value * value


@inner_kernel
def _measure_weighted(tiles, start, place, counts, importance, reach, sums, squares):
    for lane in range(LANES):
        weight = weight_at(place + lane, counts, importance)
        if weight > 0.0:
            for i in range(lane, reach.size, LANES):
                value = np.float64(tiles[start + i])
                far = abs(value)
                reach[i] = reach[i] if far <= reach[i] else far
                sums[i] += weight * value
                squares[i] += weight * value * value


@inner_kernel
def weight_at(place, counts, importance):
    """What a place counts; 0 after the last row, where rows have weights of their own."""
    count = np.int64(1)
    if counts.size > 0:
        count = counts[place] if place < counts.size else np.int64(0)
    factor = 1.0
    if importance.size > 0:
        factor = importance[place] if place < importance.size else 0.0
    return count * factor

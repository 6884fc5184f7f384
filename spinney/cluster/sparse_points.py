"""Sparse points: the rows of a sparse table as k-means reads them, from their stored cells.

In:  a sparse table without missing values (SciPy's CSR form), and weights.
Out: `SparsePoints`: what `points.make_points` finds of the same table laid out, bit for bit: origin, order, reach. Only
     the variance, which k-means stops by, is added up in another order.

A cell that is not stored is `zeros[j]` when the origin has been subtracted, in every row. Where a kernel needs a whole
row, it has a tile that holds such rows of zeros, puts the stored cells of some rows into its lanes, and takes them out
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, inner_kernel, kernel, refer, vector_code
from spinney._team import Team, next_chunk
from spinney.cluster.nearest import LANES
from spinney.cluster.points import (
    CHUNK_ROWS,
    FEW_ROWS,
    SAMPLE,
    PointSet,
    in_order,
    in_units,
    plain_weights,
    refuse_huge,
    weight_at,
)
from spinney.criteria.fixed_point import exact_means_of_cells
from spinney.data.finite import refuse_not_finite_cells
from spinney.data.row_hash import order_by_content
from spinney.data.sparse import SparseTable
from spinney.data.weights import Weights


class StoredRows(NamedTuple):
    """Rows as kernels read them; see `SparsePoints`.  # in"""

    values: np.ndarray
    columns: np.ndarray
    first: np.ndarray
    order: np.ndarray  # or empty
    origin: np.ndarray
    zeros: np.ndarray
    counts: np.ndarray
    importance: np.ndarray


@dataclass(frozen=True)
class SparsePoints(PointSet):
    """Rows as lists of stored cells, where they are in the table."""

    values: np.ndarray  # float32 or float64 (cells,), as in the table
    columns: np.ndarray  # int32 (cells,), ascending in each row
    first: np.ndarray  # int64 (rows of the table + 1,): where each row's cells begin
    zeros: np.ndarray  # (columns,): zero less the origin

    @property
    def rows(self) -> StoredRows:
        """What kernels read."""
        order = np.zeros(0, np.int64) if self.order is None else self.order
        return StoredRows(
            self.values, self.columns, self.first, order, self.origin, self.zeros, self.counts, self.importance
        )

    @property
    def dtype(self) -> np.dtype:
        """float32 or float64."""
        return self.values.dtype

    @property
    def n_places(self) -> int:
        """Rows."""
        return self.n_rows

    def rows_at(self, places: np.ndarray) -> np.ndarray:
        """The values at some places, relative to the origin, laid out."""
        rows = places if self.order is None else self.order[places]
        laid_out = np.repeat(self.zeros[None], len(rows), axis=0)
        for line, row in zip(laid_out, rows):
            part = slice(self.first[row], self.first[row + 1])
            line[self.columns[part]] = self.values[part] - self.origin[self.columns[part]]
        return laid_out

    def tiles_of_zeros(self, n: int) -> np.ndarray:
        """(n, columns times lanes): tiles that hold rows without stored cells."""
        return np.tile(np.repeat(self.zeros, LANES), (n, 1))

    @cached_property
    def n_roundings(self) -> int:
        """Of float32 in a score by stored cells, at most."""
        return int(np.diff(self.first).max(initial=0)) + 32

    @cached_property
    def largest(self) -> float:
        """The size of the largest value."""
        return max(float(self.values.max(initial=0.0)), -float(self.values.min(initial=0.0)))

    @cached_property
    def rounding_share(self) -> float:
        """Of the sizes of all that is added up: so much scores by stored cells and by columns may differ."""
        single, own = np.finfo(np.float32).eps / 2, np.finfo(self.dtype).eps / 2
        roundings = float(self.n_roundings * single + 2 * (self.n_columns + 32) * own)
        if self.dtype == np.float32:
            roundings -= float(self.n_columns * own)  # of the two sums over all columns one is in float64
        return 1.05 * roundings / (1.0 - roundings) if roundings < 0.25 else np.inf


def make_sparse_points(matrix: Any, weights: Weights, origin: np.ndarray | None = None) -> SparsePoints:
    """Points of a sparse table in CSR form. Without an origin, one amid the rows is found."""
    n_rows, n_columns = matrix.shape
    refuse_not_finite_cells(matrix)
    order = order_by_content(SparseTable(matrix)) if n_rows <= FEW_ROWS else None
    weights, unit = in_units(weights)
    counts, importance = in_order(weights, order)
    if origin is None:
        origin = _middle(matrix, weights)
    values, columns, first, zeros = _cells(matrix, origin)
    places = np.zeros(0, np.int64) if order is None else order
    rows = StoredRows(values, columns, first, places, origin, zeros, counts, importance)
    by_column, n_stored = np.zeros((n_columns, 6)), np.bincount(columns, minlength=n_columns)
    if len(counts) == 0 and len(importance) == 0:
        _survey_alike(rows, np.empty(1, zeros.dtype), by_column)
        by_column[:, 1], by_column[:, 2], by_column[:, 5] = by_column[:, 0], n_stored, n_stored
    else:
        _survey(rows, np.empty(1, zeros.dtype), by_column)
    found = by_column.T
    weight = plain_weights(counts, importance, n_rows)
    reach, full = found[:2]
    size = np.abs(zeros.astype(np.float64))
    reach = np.where(found[2] < np.count_nonzero(weight), np.maximum(reach, size), reach)
    full = np.where(n_stored < n_rows, np.maximum(full, size), full)
    variance = _variance(found, zeros.astype(np.float64), float(weight.sum()))
    if not (np.isfinite(full).all() and np.isfinite(variance)):
        refuse_huge()
    return SparsePoints(
        n_rows, n_columns, origin, reach, full, variance, order, counts, importance, unit, values, columns, first, zeros
    )


def read_sparse_points(matrix: Any, origin: np.ndarray) -> SparsePoints:
    """Rows in the table's own order that all count alike: what `predict` needs."""
    refuse_not_finite_cells(matrix)
    once, alike, unknown, (n_rows, n_columns) = np.zeros(0, np.int64), np.zeros(0), np.zeros(0), matrix.shape
    cells = _cells(matrix, origin)
    return SparsePoints(n_rows, n_columns, origin, unknown, unknown, 0.0, None, once, alike, 1.0, *cells)


def unit_cells(matrix: Any) -> Any:
    """Rows of length 1, as `kmeans.unit_rows`; a row of zeros stays."""
    n_rows = matrix.shape[0]
    of_row = np.repeat(np.arange(n_rows), np.diff(matrix.indptr))
    length = np.sqrt(np.bincount(of_row, np.square(matrix.data, dtype=np.float64), n_rows))
    values = (matrix.data / np.where(length > 0, length, 1.0)[of_row]).astype(matrix.dtype)
    return type(matrix)((values, matrix.indices, matrix.indptr), matrix.shape)


def _cells(matrix: Any, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, columns, where rows begin, and what zero is."""
    columns, first = matrix.indices.astype(np.int32, copy=False), matrix.indptr.astype(np.int64, copy=False)
    return np.ascontiguousarray(matrix.data), columns, first, (0.0 - origin).astype(matrix.dtype)


def _middle(matrix: Any, weights: Weights) -> np.ndarray:
    """The weighted mean of the rows, or of some of them; as `points` finds it."""
    n_rows, n_columns = matrix.shape
    with np.errstate(invalid="ignore", over="ignore"):
        if n_rows <= FEW_ROWS:
            return exact_means_of_cells(SparseTable(matrix).by_columns, weights)
        some = matrix[:: -(-n_rows // SAMPLE)]
        return np.bincount(some.indices, some.data, n_columns) / some.shape[0]


def _variance(found: np.ndarray, zeros: np.ndarray, weight: float) -> float:
    """The mean of the columns'."""
    with np.errstate(invalid="ignore", over="ignore"):
        of_zeros = weight - found[5]
        mean, square = found[3] + of_zeros * zeros, found[4] + of_zeros * zeros * zeros
        return float(np.mean(square / weight - (mean / weight) ** 2))


@kernel
def _survey(rows, cell, found):
    """Of each column: reach, that of all rows, cells of rows that count, sum, sum of squares, weight of these cells."""
    for place in range(rows.first.size - 1):
        row = row_at(rows, place)
        weight = weight_at(place, rows.counts, rows.importance)
        for i in range(rows.first[row], rows.first[row + 1]):
            j = rows.columns[i]
            cell[0] = rows.values[i] - rows.origin[j]
            value = np.float64(cell[0])
            own = found[j]
            own[1] = max(own[1], abs(value))
            if weight > 0.0:
                own[0] = max(own[0], abs(value))
                own[2] += 1.0
                own[3] += weight * value
                own[4] += weight * value * value
                own[5] += weight


@kernel
def _survey_alike(rows, cell, found):
    """Reach, sum and sum of squares of the same, of rows that all count once."""
    for place in range(rows.first.size - 1):
        row = row_at(rows, place)
        for i in range(rows.first[row], rows.first[row + 1]):
            j = rows.columns[i]
            cell[0] = rows.values[i] - rows.origin[j]
            value = np.float64(cell[0])
            own = found[j]
            own[0] = max(own[0], abs(value))
            own[3] += value
            own[4] += value * value


@inner_kernel
def row_at(rows, place):
    """Which row of the table is at a place."""
    return place if rows.order.size == 0 else rows.order[place]


@inner_kernel
def put_row(rows, row, tile, lane):
    """Put a row's stored cells into a lane of a tile of zeros."""
    for i in range(rows.first[row], rows.first[row + 1]):
        j = np.int64(rows.columns[i])
        tile[j * LANES + lane] = rows.values[i] - rows.origin[j]


@inner_kernel
def clear_row(rows, row, tile, lane):
    """Take them out again."""
    for i in range(rows.first[row], rows.first[row + 1]):
        j = np.int64(rows.columns[i])
        tile[j * LANES + lane] = rows.zeros[j]


def squared_lengths(points: SparsePoints, team: Team) -> np.ndarray:
    """float64 (rows,): |x|² of each place as in the table, added up cell by cell."""
    lengths = np.empty(points.n_rows)
    team.run(_measure_lengths, points.rows, lengths)
    return lengths


@kernel
def _measure_lengths(rank, size, sync, rows, lengths):
    """|x|² of each place, added up cell by cell."""
    rows = refer(rows)
    while True:
        chunk = next_chunk(sync)
        if chunk * CHUNK_ROWS >= lengths.size:
            return
        for place in range(chunk * CHUNK_ROWS, min((chunk + 1) * CHUNK_ROWS, lengths.size)):
            row, total = row_at(rows, place), 0.0
            for i in range(rows.first[row], rows.first[row + 1]):
                value = np.float64(rows.values[i])
                total += value * value
            lengths[place] = total


# ----------------------------------------------------------------------------------------------------------------------
# Products: one row's stored cells against any number of points.
#
# The points lie column by column, so that a stored cell is one multiplication and subtraction for many points at once:
#
#     table       [ x0 of each point, number of column 0 | x1 of each point, number of column 1 | ... ]
#
# A column has a whole number of groups of `ABREAST` places. Places after the last point hold zeros, the last one of all
# a number that belongs to the column.


ABREAST = 8  # points of a group
_LINE = 64  # bytes of a line of the cache
_GROUPS = 4  # groups whose sums are in registers together


def lay_abreast(points: np.ndarray, extra: np.ndarray, dtype: Any) -> np.ndarray:
    """(columns, places): points (n, columns) and one number for each column."""
    n, n_columns = points.shape
    n_places = -(-(n + 1) // ABREAST) * ABREAST
    room = np.zeros(n_columns * n_places + _LINE, dtype)
    start = -room.ctypes.data % _LINE // room.itemsize  # where a line of the cache begins
    table = room[start : start + n_columns * n_places].reshape(n_columns, n_places)
    table[:, :n], table[:, -1] = points.T, extra
    return table


@vector_code(ABREAST)
def _subtract_products(
    write: Writer, table: Any, values: Any, columns: Any, begin: Any, end: Any, n_places: Any, sums: Any
) -> None:
    builder = write.builder
    n_cells = builder.sub(end, begin)
    n_groups = builder.sdiv(n_places, write.size(ABREAST))
    rest = builder.srem(n_groups, write.size(_GROUPS))
    at = write.variable(write.size, write.size(0))
    with write.loop(builder.sdiv(n_groups, write.size(_GROUPS))):
        _write_groups(write, (table, values, columns, begin, n_cells, n_places, sums), at, _GROUPS)
    for n in range(1, _GROUPS):
        is_rest = builder.zext(builder.icmp_signed("==", rest, write.size(n)), write.size)
        with write.loop(is_rest):
            _write_groups(write, (table, values, columns, begin, n_cells, n_places, sums), at, n)


def _write_groups(write: Writer, arguments: tuple[Any, ...], at: Any, n: int) -> None:
    """n groups from `at` on."""
    builder = write.builder
    table, values, columns, begin, n_cells, n_places, sums = arguments
    first = builder.load(at)
    places = [builder.add(first, write.size(i * ABREAST)) for i in range(n)]
    totals = [write.variable(write.vector, write.load(6, sums, place)) for place in places]
    zero, last = write.number(0.0), builder.sub(n_places, write.size(1))
    size = write.variable(write.number, zero)
    with write.loop(n_cells) as loop:
        value, start = _cell(write, values, columns, builder.add(begin, loop.index), n_places)
        factor = write.splat(value)
        for place, total in zip(places, totals):
            product = builder.fmul(factor, write.load(0, table, builder.add(start, place)))
            builder.store(builder.fsub(builder.load(total), product), total)
        positive = builder.select(builder.fcmp_ordered("<", value, zero), builder.fsub(zero, value), value)
        of_column = builder.load(write.pointer(0, table, builder.add(start, last)))
        builder.store(builder.fadd(builder.load(size), builder.fmul(positive, of_column)), size)
    for place, total in zip(places, totals):
        write.store(builder.load(total), 6, sums, place)
    builder.store(builder.load(size), write.pointer(6, sums, last))  # over what the vector left there
    builder.store(builder.add(first, write.size(n * ABREAST)), at)


def _cell(write: Writer, values: Any, columns: Any, index: Any, n_places: Any) -> tuple[Any, Any]:
    """A stored cell's value, and where its column begins in the table."""
    builder = write.builder
    value = builder.load(write.pointer(1, values, index))
    if value.type != write.number:
        is_wider = write.kinds[0].dtype.bitwidth > write.kinds[1].dtype.bitwidth
        value = (builder.fpext if is_wider else builder.fptrunc)(value, write.number)
    column = builder.sext(builder.load(write.pointer(2, columns, index)), write.size)
    return value, builder.mul(column, n_places)


@vector_code(LANES)
def _add_columns(write: Writer, tile: Any, n_columns: Any, sums: Any, place: Any) -> None:
    builder = write.builder
    total = write.variable(write.vector, write.load(2, sums, place))
    with write.loop(n_columns) as loop:
        x = write.load(0, tile, builder.mul(loop.index, write.size(LANES)))
        builder.store(builder.fadd(builder.load(total), x), total)
    write.store(builder.load(total), 2, sums, place)


def _plain_add_columns(tile: Any, n_columns: int, sums: Any, place: int) -> None:
    for column in tile[: n_columns * LANES].reshape(n_columns, LANES):
        sums[place : place + LANES] += column


def _plain_subtract_products(
    table: Any, values: Any, columns: Any, begin: int, end: int, n_places: int, sums: Any
) -> None:
    lines, size = table.reshape(-1, n_places), table.dtype.type(0)
    for i in range(begin, end):
        value, line = table.dtype.type(values[i]), lines[columns[i]]
        sums[: n_places - 1] -= value * line[:-1]
        size += abs(value) * line[-1]
    sums[n_places - 1] = size


# subtract_products(table, values, columns, begin, end, n_places, sums): sums[p] -= x · point p, added up cell by cell
#     from `begin` to `end`, for all places but the last; sums[n_places - 1] = the sum of |x| times the columns' number.
#     Arrays have one dimension; values are rounded to the dtype of table and sums.
# add_columns(tile, n_columns, sums, place): sums[place ..] of LANES rows plus a tile, column after column.
subtract_products: Any = _plain_subtract_products if PLAIN_PYTHON else _subtract_products
add_columns: Any = _plain_add_columns if PLAIN_PYTHON else _add_columns

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

from spinney._compile import inner_kernel, kernel, refer
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
from spinney.data.content import order_by_content
from spinney.data.finite import refuse_not_finite_cells
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

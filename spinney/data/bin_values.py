"""Values that stand for bins: random thresholds are drawn between them.

A bin's middle lies midway between its edges; the outer bins end at the column's least and greatest value. What counts
is only how far the middles lie apart: they are kept as places on a line from 0 to 256, and a table says which bins lie
in which of its 256 cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._random import uniform
from spinney.data.binning import MAX_BINS, Bins
from spinney.data.sparse import SparseTable
from spinney.data.tables import Table

_CELLS = 256
_ONE = np.uint64(1)


class Middles(NamedTuple):
    """Of every column's bins."""

    place: np.ndarray  # float64 (columns, bins), never falling
    start: np.ndarray  # int16 (columns, cells + 1): bins whose middles lie in earlier cells


NO_MIDDLES = Middles(np.empty((0, 0)), np.empty((0, 0), np.int16))


def find_middles(bins: Bins, table: Table, rows: np.ndarray | None = None) -> Middles:
    """The middles of a table's bins; `rows` are those that count, None: all."""
    place = np.zeros((bins.n_columns, MAX_BINS + 1))
    for j in np.flatnonzero(~bins.is_categorical):
        place[j, : bins.n_bins[j]] = _places(bins.edges[j], _ends(_values(table, int(j), rows)))
    start = np.zeros((bins.n_columns, _CELLS + 1), np.int16)
    _fill_cells(place, bins.n_bins.astype(np.int64), start)
    return Middles(place, start)


def _values(table: Table, j: int, rows: np.ndarray | None) -> np.ndarray:
    """The values of a column, or at least all that differ."""
    if not isinstance(table, SparseTable):
        column = table.column(j)
        return column if rows is None else column[rows]
    part, n_rows = slice(table.first[j], table.first[j + 1]), table.n_rows
    values = table.values[part]
    if rows is not None:
        counts = np.zeros(table.n_rows, bool)
        counts[rows] = True
        values, n_rows = values[counts[table.rows[part]]], len(rows)
    return values if len(values) == n_rows else np.append(values, values.dtype.type(0.0))


def _ends(column: np.ndarray) -> np.ndarray:
    """The least and the greatest finite value; zeros if there is none."""
    ends = np.array([np.fmin.reduce(column), np.fmax.reduce(column)], np.float64)
    if not np.isfinite(ends).all():
        finite = column[np.isfinite(column)]
        ends = np.array([finite.min(), finite.max()], np.float64) if len(finite) else np.zeros(2)
    return ends


def _places(edges: np.ndarray, ends: np.ndarray) -> np.ndarray:
    bounds = np.clip(np.concatenate([ends[:1], edges, ends[1:]]), *ends)
    middles = bounds[:-1] / 4.0 + bounds[1:] / 4.0  # half of them: their distances do not overflow
    length = middles[-1] - middles[0]
    return (middles - middles[0]) / length * _CELLS if length > 0.0 else np.zeros(len(middles))


@inner_kernel
def _cell(place):
    return min(np.int64(place), _CELLS - 1)


@kernel
def _fill_cells(place, n_bins, start):
    for j in range(n_bins.size):
        for b in range(n_bins[j]):
            start[j, _cell(place[j, b]) + 1] += 1
        for cell in range(_CELLS):
            start[j, cell + 1] += start[j, cell]


@inner_kernel
def draw_code(middles, j, low, high, key):
    """The bin that a random threshold falls into, drawn between the middles of two bins: low .. high - 1."""
    place, start = middles.place[j], middles.start[j]
    chance, length = uniform(key, 0), place[high] - place[low]
    if length == 0.0:  # next to an end 1e16 times as far away, bins cannot be told apart: each is as likely
        return low + np.int64(chance * (high - low))
    threshold = place[low] + chance * length
    cell = _cell(threshold)
    # bins before start[cell] lie below the threshold, those from start[cell + 1] on above it
    first = max(np.int64(start[cell]) - 1, low)
    n = np.uint64(min(np.int64(start[cell + 1]), high) - first)
    at = np.uint64(first)
    while n > _ONE:
        half = n >> _ONE
        at = at + half if place[at + half] <= threshold else at
        n -= half
    return np.int64(at)

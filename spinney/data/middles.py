"""Values that stand for bins: random thresholds are drawn between them.

A bin's middle lies midway between its edges; the outer bins end at the column's least and greatest value. To find the
bin that a value falls into, each column has a grid of even cells that says where to look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._jit import inner_kernel, kernel
from spinney._random import uniform
from spinney.data.binning import MAX_BINS, Bins
from spinney.data.tables import Table

_CELLS = 256
_ONE = np.uint64(1)


class Middles(NamedTuple):
    """Of every column's bins."""

    value: np.ndarray  # float64 (columns, bins)
    least: np.ndarray  # float64: where the grid begins,
    scale: np.ndarray  # float64: cells of the grid a unit
    start: np.ndarray  # int16 (columns, cells + 1): bins whose middles lie in earlier cells


NO_MIDDLES = Middles(np.empty((0, 0)), np.empty(0), np.empty(0), np.empty((0, 0), np.int16))


def find_middles(bins: Bins, table: Table) -> Middles:
    """The middles of a table's bins."""
    n = bins.n_columns
    value = np.zeros((n, MAX_BINS + 1))
    least, scale = np.zeros(n), np.zeros(n)
    for j in np.flatnonzero(~bins.is_categorical):
        column, edges = table.column(int(j)), bins.edges[j]
        finite = column[np.isfinite(column)]
        ends = np.array([finite.min(), finite.max()], np.float64) if len(finite) else np.zeros(2)
        bounds = np.clip(np.concatenate([ends[:1], edges, ends[1:]]), *ends)
        value[j, : len(edges) + 1] = bounds[:-1] / 2.0 + bounds[1:] / 2.0
        least[j], most = value[j, 0], value[j, len(edges)]
        with np.errstate(over="ignore", divide="ignore"):
            one = _CELLS / (most - least[j])
        scale[j] = one if 0.0 < one < np.inf else 0.0
    start = np.zeros((n, _CELLS + 1), np.int16)
    _fill_grid(value, bins.n_bins.astype(np.int64), least, scale, start)
    return Middles(value, least, scale, start)


@inner_kernel
def _cell(value, least, scale):
    """Never falls as the value rises, whatever the rounding."""
    return min(max(np.int64((value - least) * scale), 0), _CELLS - 1)


@kernel
def _fill_grid(value, n_bins, least, scale, start):
    for j in range(n_bins.size):
        for b in range(n_bins[j]):
            start[j, _cell(value[j, b], least[j], scale[j]) + 1] += 1
        for cell in range(_CELLS):
            start[j, cell + 1] += start[j, cell]


@inner_kernel
def draw_code(middles, j, low, high, key):
    """The bin that a random threshold falls into, drawn between the middles of two bins: low .. high - 1."""
    value = middles.value[j]
    threshold = value[low] + uniform(key, 0) * (value[high] - value[low])
    cell = _cell(threshold, middles.least[j], middles.scale[j])
    # bins before start[cell] have middles below the threshold, those from start[cell + 1] on above it
    first = max(np.int64(middles.start[j, cell]) - 1, low)
    n = np.uint64(min(np.int64(middles.start[j, cell + 1]), high) - first)
    at = np.uint64(first)
    while n > _ONE:
        half = n >> _ONE
        at = at + half if value[at + half] <= threshold else at
        n -= half
    return np.int64(at)

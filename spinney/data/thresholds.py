"""Values that represent bins, for random thresholds between them and for rows that are known only by codes.

The middle of a bin is halfway between its edges. The outer bins end at the column's smallest and largest value. Only
the distances between middles matter: they are kept as places on a line from 0 to 256, and a table lists which bins lie
in which of its 256 cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spinney._compile import count_up_to, inner_kernel, kernel
from spinney._random import uniform
from spinney._team import Team
from spinney.data.encode import MAX_BINS, Bins
from spinney.data.tables import BLOCK_ROWS, Table

_CELLS = 256


class Middles(NamedTuple):
    """Of every column's bins."""

    place: np.ndarray  # float64 (columns, bins), never falling
    start: np.ndarray  # int16 (columns, cells + 1): bins whose middles lie in earlier cells


NO_MIDDLES = Middles(np.empty((0, 0)), np.empty((0, 0), np.int16))


def find_middles(bins: Bins, table: Table, rows: np.ndarray | None = None) -> Middles:
    """The middles of a table's bins; `rows` are those that count, None: all."""
    ends = table.ends(rows)
    place = np.zeros((bins.n_columns, MAX_BINS + 1))
    _fill_places(*bins.edge_list, bins.is_categorical, ends, place)
    start = np.zeros((bins.n_columns, _CELLS + 1), np.int16)
    _fill_cells(place, bins.n_bins.astype(np.int64), start)
    return Middles(place, start)


def stand_ins(bins: Bins) -> np.ndarray:
    """float64 (columns, codes): a value that has this code, by column; NaN where values are missing."""
    values = np.full((bins.n_columns, MAX_BINS + 1), np.nan)
    for j, own in enumerate(values):
        if bins.is_categorical[j]:
            codes = bins.category_codes[j][::-1]  # of several categories that share one, the first
            own[codes] = np.arange(len(codes))[::-1]
        else:
            edges = bins.edges[j]  # each is the greatest value of its bin
            own[: len(edges)], own[len(edges)] = edges, np.inf
    return values


def blocks_of_stand_ins(table: Table, bins: Bins, columns: list[int]) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, values that have the codes of some rows); other columns may hold anything."""
    known, alone = stand_ins(bins), Team(1, inline=True)
    for start in range(0, table.n_rows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, table.n_rows)
        codes = table.codes(bins, alone, start, stop)
        values = np.empty((stop - start, table.n_columns))
        for j in columns:
            values[:, j] = known[j][codes[j]]
        yield start, values


@kernel
def _fill_places(edges, first, is_categorical, ends, place):
    """place[j, b] = where bin b of column j has its middle."""
    for j in range(place.shape[0]):
        low, high, n_bins = ends[0, j], ends[1, j], first[j + 1] - first[j]
        if is_categorical[j]:
            continue
        below = low
        for b in range(n_bins):
            above = high if b == n_bins - 1 else min(max(edges[first[j] + b], low), high)
            place[j, b] = below / 4.0 + above / 4.0  # half of them: their distances do not overflow
            below = above
        least, length = place[j, 0], place[j, n_bins - 1] - place[j, 0]
        for b in range(n_bins):
            place[j, b] = (place[j, b] - least) / length * _CELLS if length > 0.0 else 0.0


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
    return first + count_up_to(place, first + 1, min(np.int64(start[cell + 1]), high), threshold)

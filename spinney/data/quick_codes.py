"""Fast encoding of many numbers: a number's cell gives most of its code.

In: the edges of columns. Out: for each column a division of all numbers into 65,536 cells, and a table: how many edges
are in earlier cells. These are below a number of that cell, and edges of later cells are not; only those of the same
cell are compared with it, one or two in most columns, where bisection takes eight comparisons.

    cells        |      0      |      1      |      2      |      3      |
    edges        |   e0    e1  |             |     e2      |             |
    starts       |   0         |   2         |   2         |   3         |      code: starts + edges of the cell below x

The codes are the very same, since a cell is a function of the number that never falls where numbers rise: numbers in
different cells are in the order of their cells. Rounding cannot change that. Two such functions:

    by bits      the first 16 bits of the number as float32: relative precision, for columns about zero and long tails
    evenly       between the first edge and the last, for columns far from zero

Columns whose edges crowd in few cells either way are left to bisection. It pays for tables of many rows.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel, view_as_int

_CELLS = 1 << 16
_LAST = 65535.0
_MOST_STEPS = 2
_SIGN, _ZERO = np.uint32(0x80000000), np.float32(0.0)
_S16, _S31 = np.uint32(16), np.int32(31)
_TWO_EDGES_SHIFT, _ONE_EDGE_SHIFT = np.uint32(1), np.uint32(0)  # see `_step`: past 1 << shift edges

# What the cells of a column are.
CELLS = np.dtype([("least", np.float64), ("scale", np.float64), ("steps", np.int64)], align=True)


def find_cells(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(starts, cells) of columns whose edges are padded with infinity, (columns, 256).

    `scale` is 0 for cells by bits; `steps` are the comparisons within a cell, -1 where they would be too many.
    """
    starts, cells = np.empty((len(edges), _CELLS), np.uint8), np.zeros(len(edges), CELLS)
    n_edges = (edges < np.inf).sum(axis=1)
    for cell, own, n in zip(cells, edges.astype(np.float64), n_edges.tolist()):
        if n > 1:
            with np.errstate(over="ignore", divide="ignore"):
                cell["least"], cell["scale"] = own[0], _LAST / (own[n - 1] - own[0])
    cells["scale"][~np.isfinite(cells["scale"])] = 0.0
    _fill_starts(edges, n_edges, starts, cells)
    return starts, cells


@inner_kernel
def _by_bits(number):
    """0 .. 65535, never falling where numbers rise; 0 and -0 are one."""
    # As unsigned integers, the bits of positive floats are in order, below those of negative ones, which are in reverse
    # order. So set the sign bit of positive numbers, and flip all bits of negative ones (bits >> 31 is all ones there).
    bits = view_as_int(np.float32(number) + _ZERO)
    turned = np.uint32(bits) ^ (np.uint32(bits >> _S31) | _SIGN)
    return np.uint32(turned >> _S16)


@inner_kernel
def _evenly(number, least, scale):
    """The same; NaN is in the first cell."""
    place = (np.float64(number) - least) * scale
    place = place if place > 0.0 else 0.0
    return np.uint32(place if place < _LAST else _LAST)


@kernel
def _fill_starts(edges, n_edges, starts, cells):
    """starts[k, cell] = edges of column k in earlier cells. Of both ways to cut, the one with fewer steps is taken."""
    for k in range(n_edges.size):
        cell, n = cells[k], n_edges[k]
        evenly, even_steps = cell.scale, np.int64(9)
        if evenly > 0.0:
            even_steps = _steps_of(edges[k], n, cell.least, evenly)
        bit_steps = _steps_of(edges[k], n, cell.least, 0.0)
        cell.scale = evenly if even_steps < bit_steps else 0.0
        cell.steps = min(even_steps, bit_steps)
        if cell.steps > _MOST_STEPS:
            cell.steps = -1
            continue
        at = 0
        for place in range(_CELLS):
            starts[k, place] = at
            while at < n and _cell_of(edges[k, at], cell.least, cell.scale) == place:
                at += 1


@inner_kernel
def _cell_of(number, least, scale):
    return np.int64(_evenly(number, least, scale)) if scale > 0.0 else np.int64(_by_bits(number))


@inner_kernel
def _steps_of(edges, n, least, scale):
    """Comparisons (by bisection) that find a place among the edges of the fullest cell."""
    most = together = np.int64(0)
    before = np.int64(-1)
    for i in range(n):
        own = _cell_of(edges[i], least, scale)
        together = together + 1 if own == before else np.int64(1)
        most, before = max(most, together), own
    steps = np.int64(0)
    while (np.int64(1) << steps) <= most:
        steps += 1
    return steps


@inner_kernel
def encode_by_cells(values, edges, starts, cell, missing, out):
    """out[i] = how many edges lie below values[i]. Loops without a branch or a loop inside."""
    least, scale = cell.least, cell.scale
    if scale > 0.0 and cell.steps <= 1:
        for i in range(values.size):
            place = np.uint32(starts[_evenly(values[i], least, scale)])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)
    elif scale > 0.0:
        for i in range(values.size):
            place = np.uint32(starts[_evenly(values[i], least, scale)])
            place = _step(edges, place, _TWO_EDGES_SHIFT, values[i])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)
    elif cell.steps <= 1:
        for i in range(values.size):
            place = np.uint32(starts[_by_bits(values[i])])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)
    else:
        for i in range(values.size):
            place = np.uint32(starts[_by_bits(values[i])])
            place = _step(edges, place, _TWO_EDGES_SHIFT, values[i])
            out[i] = _code(_step(edges, place, _ONE_EDGE_SHIFT, values[i]), values[i], missing)


@inner_kernel
def _code(place, value, missing):
    return np.uint8(place) if value == value else missing


@inner_kernel
def _step(edges, place, shift, value):
    """Past one or two edges (1 << shift) if the last of them is below the value.

    The comparison is shifted, since a product would become a branch. Edges of later cells and the infinite ones after
    the last are never below the value, so looking past the end of a cell does no harm.
    """
    ahead = np.uint32((np.uint32(1) << shift) - np.uint32(1))
    return np.uint32(place + (np.uint32(edges[np.uint32(place + ahead)] < value) << shift))

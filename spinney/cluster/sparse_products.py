"""Sparse products: one row's stored cells against any number of points.

The points lie column by column, so that a stored cell is one multiplication and subtraction for many points at once:

    table       [ x0 of each point, number of column 0 | x1 of each point, number of column 1 | ... ]

A column has a whole number of groups of `ABREAST` places. Places after the last point hold zeros, the last one of all
a number that belongs to the column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, vector_code
from spinney.cluster.nearest import LANES

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

"""Moments: the inner loops of a Gaussian mixture, many rows or columns at once.

A tile holds `WIDE` rows column by column, as in `nearest.py`; sums of products are computed in squares of `SQUARE` rows
and columns, whose sums stay in registers, one row of the table after the other.

    triangle W, packed     rows 0-3, columns 0 .. 3     [ W00 W10 W20 W30 | 0 W11 W21 W31 | 0 0 W22 W32 | 0 0 0 W33 ]
                           rows 4-7, columns 0 .. 7     [ W40 W50 W60 W70 | ... ]         zeros fill up each group

Four rows of W x are summed at once, so that each x is loaded once for four products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, vector_code

WIDE = 32  # rows of a tile
GROUP = 4  # rows of a triangle that are worked at together
SQUARE = 8  # rows and columns of sums that are


@vector_code(WIDE)
def _squared_lengths(write: Writer, tile: Any, start: Any, n_columns: Any, points: Any, out: Any, place: Any) -> None:
    builder = write.builder
    total, at = write.variable(write.vector, write.zero), write.variable(write.size, write.size(0))
    after = builder.add(n_columns, write.size(GROUP - 1))
    with write.loop(builder.sdiv(after, write.size(GROUP))) as groups:
        reached = builder.mul(builder.add(groups.index, write.size(1)), write.size(GROUP))
        used = builder.select(builder.icmp_signed("<", reached, n_columns), reached, n_columns)
        sums = [write.variable(write.vector, write.zero) for _ in range(GROUP)]
        with write.loop(used) as loop:
            x = write.load(0, tile, builder.add(start, builder.mul(loop.index, write.size(WIDE))))
            first = builder.load(at)
            for i in range(GROUP):
                factor = builder.load(write.pointer(3, points, builder.add(first, write.size(i))))
                product = builder.fmul(x, write.splat(factor))
                builder.store(builder.fadd(builder.load(sums[i]), product), sums[i])
            builder.store(builder.add(first, write.size(GROUP)), at)
        for one in sums:
            length = builder.load(one)
            builder.store(builder.fadd(builder.load(total), builder.fmul(length, length)), total)
    write.store(builder.load(total), 4, out, place)


@vector_code(WIDE)
def _center_tile(write: Writer, tile: Any, start: Any, n_columns: Any, middle: Any, out: Any) -> None:
    builder = write.builder
    with write.loop(n_columns) as loop:
        at = builder.mul(loop.index, write.size(WIDE))
        own = write.splat(builder.load(write.pointer(3, middle, loop.index)))
        write.store(builder.fsub(write.load(0, tile, builder.add(start, at)), own), 4, out, at)


@vector_code(SQUARE)
def _center_row(write: Writer, x: Any, x_start: Any, mean: Any, factor: Any, out: Any, scaled: Any, start: Any) -> None:
    builder = write.builder
    wide = write.splat(factor)
    with write.loop(builder.sdiv(write.length(2, mean), write.size(SQUARE))) as loop:
        at = builder.mul(loop.index, write.size(SQUARE))
        gap = builder.fsub(write.load(0, x, builder.add(x_start, at)), write.load(2, mean, at))
        write.store(gap, 4, out, builder.add(start, at))
        write.store(builder.fmul(wide, gap), 5, scaled, builder.add(start, at))


@vector_code(SQUARE)
def _add_products(
    write: Writer,
    left: Any,
    left_start: Any,
    right: Any,
    right_start: Any,
    step: Any,
    n: Any,
    out: Any,
    out_start: Any,
    out_step: Any,
) -> None:
    builder = write.builder
    places = [builder.add(out_start, builder.mul(out_step, write.size(i))) for i in range(SQUARE)]
    sums = [write.variable(write.vector, write.load(6, out, place)) for place in places]
    with write.loop(n) as loop:
        row = builder.mul(loop.index, step)
        values = write.load(2, right, builder.add(right_start, row))
        for i in range(SQUARE):
            place = builder.add(builder.add(left_start, row), write.size(i))
            factor = write.splat(builder.load(write.pointer(0, left, place)))
            builder.store(builder.fadd(builder.load(sums[i]), builder.fmul(factor, values)), sums[i])
    for place, one in zip(places, sums):
        write.store(builder.load(one), 6, out, place)


def _plain_squared_lengths(tile: Any, start: int, n_columns: int, points: Any, out: Any, place: int) -> None:
    x = tile[start : start + n_columns * WIDE].reshape(n_columns, WIDE)
    total, at = np.zeros(WIDE), 0
    for reached in range(GROUP, n_columns + GROUP, GROUP):
        sums = np.zeros((GROUP, WIDE))
        for j in range(min(reached, n_columns)):
            sums += points[at : at + GROUP][:, None] * x[j]
            at += GROUP
        for one in sums:
            total += one * one
    out[place : place + WIDE] = total


def _plain_center_tile(tile: Any, start: int, n_columns: int, middle: Any, out: Any) -> None:
    x = tile[start : start + n_columns * WIDE].reshape(n_columns, WIDE)
    out[: n_columns * WIDE] = (x - middle[:n_columns, None]).ravel()


def _plain_center_row(x: Any, x_start: int, mean: Any, factor: float, out: Any, scaled: Any, start: int) -> None:
    gap = x[x_start : x_start + len(mean)] - mean
    out[start : start + len(mean)] = gap
    scaled[start : start + len(mean)] = factor * gap


def _plain_add_products(
    left: Any,
    left_start: int,
    right: Any,
    right_start: int,
    step: int,
    n: int,
    out: Any,
    out_start: int,
    out_step: int,
) -> None:
    for i in range(SQUARE):
        place = out_start + i * out_step
        for row in range(n):
            values = right[right_start + row * step : right_start + row * step + SQUARE]
            out[place : place + SQUARE] += left[left_start + row * step + i] * values


# squared_lengths(tile, start, n_columns, points, out, place): |L x|² of the WIDE rows of a tile, for a lower
#     triangle L; `points` has its rows in groups of GROUP, column by column as far as the group's last row reaches.
# center_tile(tile, start, n_columns, middle, out): a tile of WIDE rows less a number for each column.
# center_row(x, x_start, mean, factor, out, scaled, start): out = x - mean and scaled = factor * (x - mean), from
#     `start` on; the mean's length is a multiple of SQUARE.
# add_products(left, left_start, right, right_start, step, n, out, out_start, out_step): n rows of numbers, `step`
#     apart, add left[row, i] * right[row, j] to out[i, j], for i and j below SQUARE, row after row.
squared_lengths: Any = _plain_squared_lengths if PLAIN_PYTHON else _squared_lengths
center_tile: Any = _plain_center_tile if PLAIN_PYTHON else _center_tile
center_row: Any = _plain_center_row if PLAIN_PYTHON else _center_row
add_products: Any = _plain_add_products if PLAIN_PYTHON else _add_products

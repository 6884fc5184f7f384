"""Nearest: sixteen rows against any number of points.

A *tile* holds `LANES` rows column by column, so that one instruction does the same to all of them:

    tile        [ x0 of 16 rows | x1 of 16 rows | ... ]           n_columns * LANES numbers
    points      [ group | group | ... ], large groups of `TOGETHER` points first, then small ones of `SMALL`
    a group     [ one number a point | x0 of each | x1 of each | ... ]

A row's score for a point c is |c|²/2 - x·c: since |x - c|² = |x|² + 2 (|c|²/2 - x·c), and |x|² is the same for all
points, the lowest score is the nearest point. It takes one multiplication and one subtraction per column.

A group's sums, one vector per point, stay in registers while the columns go by: each value of the tile is loaded once
per group, and used for all its points. Columns are added up one after the other: what is found for a row depends
neither on the other rows of its tile nor on the size of the groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, target_has, vector_code

LANES = 16  # rows of a tile
SMALL = 4  # points of a small group


TOGETHER = 12 if target_has("avx512f") else 4  # points of a large group: as many as there are registers for


def pack_points(points: np.ndarray, extra: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Points (n, columns) and one number for each, in groups; also how many large and how many small groups.

    The last group is filled up with points at the origin whose number is infinite.
    """
    n, n_columns = points.shape
    n_large = n // TOGETHER
    n_small = -(-(n - n_large * TOGETHER) // SMALL)
    n_all = n_large * TOGETHER + n_small * SMALL
    rows = np.zeros((n_all, n_columns + 1), points.dtype)
    rows[n:, 0] = np.inf
    rows[:n, 0], rows[:n, 1:] = extra, points
    large = rows[: n_large * TOGETHER].reshape(n_large, TOGETHER, n_columns + 1)
    small = rows[n_large * TOGETHER :].reshape(n_small, SMALL, n_columns + 1)
    return np.concatenate([large.swapaxes(1, 2).ravel(), small.swapaxes(1, 2).ravel()]), n_large, n_small


def _scores(write: Writer, tile: Any, start: Any, n_columns: Any, points: Any, at: Any, n: int) -> list[Any]:
    """Of n points from `at` on: their own number minus their product with each row."""
    builder = write.builder
    first = builder.load(at)
    sums = []
    for i in range(n):
        own = builder.load(write.pointer(3, points, builder.add(first, write.size(i))))
        sums.append(write.variable(write.vector, write.splat(own)))
    builder.store(builder.add(first, write.size(n)), at)
    with write.loop(n_columns) as loop:
        place = builder.load(at)
        x = write.load(0, tile, builder.add(start, builder.mul(loop.index, write.size(LANES))))
        for i in range(n):
            factor = builder.load(write.pointer(3, points, builder.add(place, write.size(i))))
            product = builder.fmul(x, write.splat(factor))
            builder.store(builder.fsub(builder.load(sums[i]), product), sums[i])
        builder.store(builder.add(place, write.size(n)), at)
    return [builder.load(one) for one in sums]


def _write_nearest(write: Writer, arguments: tuple[Any, ...], with_second: bool) -> None:
    builder = write.builder
    tile, start, n_columns, points, n_large, n_small, best, second, label, place = arguments
    infinite = write.splat(write.number(float("inf")))
    first, next_best = write.variable(write.vector, infinite), write.variable(write.vector, infinite)
    who = write.variable(write.integers, write.zeros)
    at, point = write.variable(write.size, write.size(0)), write.variable(write.size, write.size(0))
    for n_groups, n in ((n_large, TOGETHER), (n_small, SMALL)):
        with write.loop(n_groups):
            for i, score in enumerate(_scores(write, tile, start, n_columns, points, at, n)):
                before = builder.load(first)
                is_less = builder.fcmp_ordered("<", score, before)  # strictly: ties stay with the first point
                number = write.as_int32(builder.add(builder.load(point), write.size(i)))
                chosen = builder.select(is_less, write.splat(number, write.integers), builder.load(who))
                builder.store(chosen, who)
                builder.store(builder.select(is_less, score, before), first)
                if with_second:
                    loser = builder.select(is_less, before, score)
                    old = builder.load(next_best)
                    builder.store(builder.select(builder.fcmp_ordered("<", loser, old), loser, old), next_best)
            builder.store(builder.add(builder.load(point), write.size(n)), point)
    write.store(builder.load(first), 6, best, place)
    if with_second:
        write.store(builder.load(next_best), 7, second, place)
    write.store(builder.load(who), 8, label, place)


@vector_code(LANES)
def _nearest(
    write: Writer,
    tile: Any,
    start: Any,
    n_columns: Any,
    points: Any,
    n_large: Any,
    n_small: Any,
    best: Any,
    second: Any,
    label: Any,
    place: Any,
) -> None:
    arguments = (tile, start, n_columns, points, n_large, n_small, best, second, label, place)
    _write_nearest(write, arguments, with_second=False)


@vector_code(LANES)
def _nearest_two(
    write: Writer,
    tile: Any,
    start: Any,
    n_columns: Any,
    points: Any,
    n_large: Any,
    n_small: Any,
    best: Any,
    second: Any,
    label: Any,
    place: Any,
) -> None:
    arguments = (tile, start, n_columns, points, n_large, n_small, best, second, label, place)
    _write_nearest(write, arguments, with_second=True)


@vector_code(LANES)
def _squared_norms(write: Writer, tile: Any, start: Any, n_columns: Any, out: Any) -> None:
    builder = write.builder
    total = write.variable(write.vector, write.zero)
    with write.loop(n_columns) as loop:
        x = write.load(0, tile, builder.add(start, builder.mul(loop.index, write.size(LANES))))
        builder.store(builder.fadd(builder.load(total), builder.fmul(x, x)), total)
    write.store(builder.load(total), 3, out, write.size(0))


@vector_code(LANES)
def _squared_distances(
    write: Writer, tile: Any, start: Any, n_columns: Any, points: Any, first: Any, out: Any, place: Any
) -> None:
    builder = write.builder
    sums = [write.variable(write.vector, write.zero) for _ in range(SMALL)]
    with write.loop(n_columns) as loop:
        x = write.load(0, tile, builder.add(start, builder.mul(loop.index, write.size(LANES))))
        row = builder.add(first, builder.mul(loop.index, write.size(SMALL)))
        for i in range(SMALL):
            other = builder.load(write.pointer(3, points, builder.add(row, write.size(i))))
            gap = builder.fsub(x, write.splat(other))
            builder.store(builder.fadd(builder.load(sums[i]), builder.fmul(gap, gap)), sums[i])
    for i in range(SMALL):
        write.store(builder.load(sums[i]), 5, out, builder.add(place, write.size(i * LANES)))


def _plain_scores(tile: Any, start: int, n_columns: int, points: Any, n_large: int, n_small: int) -> np.ndarray:
    found, at = [], 0
    x = tile[start : start + n_columns * LANES].reshape(n_columns, LANES)
    for n in [TOGETHER] * n_large + [SMALL] * n_small:
        group = points[at : at + n * (n_columns + 1)].reshape(n_columns + 1, n)
        sums = np.repeat(group[0][:, None], LANES, axis=1)
        for j in range(n_columns):
            sums = sums - group[j + 1][:, None] * x[j]
        found.append(sums)
        at += group.size
    return np.concatenate(found)


def _plain_nearest(
    tile: Any,
    start: int,
    n_columns: int,
    points: Any,
    n_large: int,
    n_small: int,
    best: Any,
    second: Any,
    label: Any,
    place: int,
) -> None:
    scores = _plain_scores(tile, start, n_columns, points, n_large, n_small)
    label[place : place + LANES] = scores.argmin(axis=0)
    best[place : place + LANES] = scores.min(axis=0)


def _plain_nearest_two(*arguments: Any) -> None:
    _plain_nearest(*arguments)
    second, place = arguments[7], arguments[9]
    second[place : place + LANES] = np.sort(_plain_scores(*arguments[:6]), axis=0)[1]


def _plain_squared_norms(tile: Any, start: int, n_columns: int, out: Any) -> None:
    total = np.zeros(LANES, tile.dtype)
    for x in tile[start : start + n_columns * LANES].reshape(n_columns, LANES):
        total = total + x * x
    out[:LANES] = total


def _plain_squared_distances(
    tile: Any, start: int, n_columns: int, points: Any, first: int, out: Any, place: int
) -> None:
    x = tile[start : start + n_columns * LANES].reshape(n_columns, LANES)
    group = points[first : first + n_columns * SMALL].reshape(n_columns, SMALL)
    sums = np.zeros((SMALL, LANES), tile.dtype)
    for j in range(n_columns):
        gap = x[j] - group[j][:, None]
        sums = sums + gap * gap
    out[place : place + SMALL * LANES] = sums.ravel()


# nearest(tile, start, n_columns, points, n_large, n_small, best, second, label, place): of the tile that begins at
#     `start`, the point with the lowest score (its number minus its product with the row; ties go to the first) and
#     that score, into label and best from `place` on. All arrays have one dimension; `second` is not touched.
# nearest_two: the same, and the second lowest score into `second`.
# squared_norms(tile, start, n_columns, out): |row|² of each row of a tile.
# squared_distances(tile, start, n_columns, points, first, out, place): to SMALL points, which are at points[first ..]
#     column by column; out[place ..] gets LANES distances a point.
nearest: Any = _plain_nearest if PLAIN_PYTHON else _nearest
nearest_two: Any = _plain_nearest_two if PLAIN_PYTHON else _nearest_two
squared_norms: Any = _plain_squared_norms if PLAIN_PYTHON else _squared_norms
squared_distances: Any = _plain_squared_distances if PLAIN_PYTHON else _squared_distances


def columns_first(rows: np.ndarray) -> np.ndarray:
    """Points in groups of SMALL, each column by column, the last group filled up with copies of its first point."""
    n_groups = -(-len(rows) // SMALL)
    full = np.concatenate([rows, np.repeat(rows[-1:], n_groups * SMALL - len(rows), axis=0)])
    return np.ascontiguousarray(full.reshape(n_groups, SMALL, -1).swapaxes(1, 2)).ravel()

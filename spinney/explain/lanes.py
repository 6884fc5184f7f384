"""Lanes: what a question does to the polynomials of a tile of rows, at all quadrature points.

A polynomial is its values at n points, those of `LANES` rows side by side: n * LANES numbers. All are in one array, the
workspace `desk`; functions get places in it. For a question that a fraction `o` of the row (0 or 1; between them where
missing values take both branches) and a fraction `p` of the training rows reach, per point t (u = 1 - t):

    A = t o + u p                    the factor of the column of this question on the way to a leaf
    rho = A_yes / A_before           what a step down multiplies products by; A_before: after the last question about
                                     the same column above, 1 if there is none
    reach                            product of all factors down to here, times the weight of the point
    lever = reach / A_before * ((o_yes - p_yes) - (o_before - p_before) * rho)

The sums below a question are combined as

    below = no + rho * (yes - no)                        the sum over its leaves
    contribution of the column += sum over points of lever * (yes - no)

One rho and one lever serve both branches. Fractions of yes and no add up to those before the question, o_yes + o_no =
o_before and likewise p, so A_no = A_before - A_yes, rho_no = 1 - rho, and the lever of no is minus that of yes. For a
column that is tested again, the lever has the new (o - p) / A less the one that the question above has counted already:
over a path these differences add up to the value of its last question.

The derivation is in docs/explaining.md, the integral in walk.py. Arithmetic is as written, without fused multiply-add:
a row's numbers depend neither on its lane nor on the other rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, vector_code

LANES = 32  # rows of a tile


def _at(write: Writer, first: Any, k: Any, stride: Any = None) -> Any:
    """first + k * stride."""
    return write.builder.add(first, write.builder.mul(k, write.size(LANES) if stride is None else stride))


def _factor(write: Writer, points: Any, n: Any, k: Any, own: Any, share: Any) -> Any:
    """t o + u p at point k."""
    builder = write.builder
    t = write.splat(builder.load(write.pointer(1, points, k)))
    u = write.splat(builder.load(write.pointer(1, points, builder.add(n, k))))
    return builder.fadd(builder.fmul(t, own), builder.fmul(u, share))


def _inverse(write: Writer, number: Any) -> Any:
    """1 / number; 0 where that is 0, for nothing gets there."""
    quotient = write.builder.fdiv(write.splat(write.number(1.0)), number)
    return write.builder.select(write.builder.fcmp_ordered("==", number, write.zero), write.zero, quotient)


@vector_code(LANES)
def _ask(write: Writer, tile: Any, start: Any, threshold: Any, missing: Any, desk: Any, place: Any) -> None:
    builder = write.builder
    x = write.load(0, tile, start)
    one = write.splat(write.number(1.0))
    up_to = builder.fcmp_ordered("<=", x, write.splat(threshold))
    answer = builder.select(up_to, one, write.zero)
    answer = builder.select(builder.fcmp_unordered("uno", x, x), write.splat(missing), answer)
    write.store(answer, 4, desk, place)


@vector_code(LANES)
def _enter(
    write: Writer, desk: Any, points: Any, n: Any, yes: Any, no: Any, at_own: Any, at_reach: Any, at_out: Any
) -> None:
    builder = write.builder
    own = write.load(0, desk, at_own)
    other = builder.fsub(write.splat(write.number(1.0)), own)
    write.store(other, 0, desk, builder.add(at_own, write.size(LANES)))
    share, rest = write.splat(yes), write.splat(no)
    gap = builder.fsub(own, share)
    size = builder.mul(n, write.size(LANES))
    at_lever, at_yes = builder.add(at_out, size), builder.add(at_out, builder.mul(size, write.size(2)))
    at_no = builder.add(at_yes, size)
    with write.loop(n) as loop:
        k = loop.index
        reach = write.load(0, desk, _at(write, at_reach, k))
        factor = _factor(write, points, n, k, own, share)
        write.store(factor, 0, desk, _at(write, at_out, k))
        write.store(builder.fmul(reach, gap), 0, desk, _at(write, at_lever, k))
        write.store(builder.fmul(reach, factor), 0, desk, _at(write, at_yes, k))
        write.store(builder.fmul(reach, _factor(write, points, n, k, other, rest)), 0, desk, _at(write, at_no, k))


@vector_code(LANES)
def _enter_again(
    write: Writer,
    desk: Any,
    points: Any,
    n: Any,
    yes: Any,
    no: Any,
    before: Any,
    at_own: Any,
    at_before: Any,
    at_reach: Any,
    at_out: Any,
) -> None:
    builder = write.builder
    whole = write.load(0, desk, at_before)
    own = builder.fmul(write.load(0, desk, at_own), whole)
    other = builder.fsub(whole, own)
    write.store(own, 0, desk, at_own)
    write.store(other, 0, desk, builder.add(at_own, write.size(LANES)))
    share, rest, all_of_it = write.splat(yes), write.splat(no), write.splat(before)
    gap, gap_before = builder.fsub(own, share), builder.fsub(whole, all_of_it)
    size = builder.mul(n, write.size(LANES))
    at_lever, at_yes = builder.add(at_out, size), builder.add(at_out, builder.mul(size, write.size(2)))
    at_no = builder.add(at_yes, size)
    with write.loop(n) as loop:
        k = loop.index
        inverse = _inverse(write, _factor(write, points, n, k, whole, all_of_it))
        reach = builder.fmul(write.load(0, desk, _at(write, at_reach, k)), inverse)
        factor = _factor(write, points, n, k, own, share)
        rho = builder.fmul(factor, inverse)
        write.store(rho, 0, desk, _at(write, at_out, k))
        lever = builder.fmul(reach, builder.fsub(gap, builder.fmul(gap_before, rho)))
        write.store(lever, 0, desk, _at(write, at_lever, k))
        write.store(builder.fmul(reach, factor), 0, desk, _at(write, at_yes, k))
        write.store(builder.fmul(reach, _factor(write, points, n, k, other, rest)), 0, desk, _at(write, at_no, k))


@vector_code(LANES)
def _combine(
    write: Writer,
    desk: Any,
    n: Any,
    at_yes: Any,
    yes_stride: Any,
    at_no: Any,
    no_stride: Any,
    at_rho: Any,
    at_out: Any,
    found: Any,
    place: Any,
) -> None:
    builder = write.builder
    total = write.variable(write.vector, write.load(8, found, place))
    at_lever = builder.add(at_rho, builder.mul(n, write.size(LANES)))
    with write.loop(n) as loop:
        k = loop.index
        no = write.load(0, desk, _at(write, at_no, k, no_stride))
        gap = builder.fsub(write.load(0, desk, _at(write, at_yes, k, yes_stride)), no)
        rho, lever = (write.load(0, desk, _at(write, at, k)) for at in (at_rho, at_lever))
        write.store(builder.fadd(no, builder.fmul(rho, gap)), 0, desk, _at(write, at_out, k))
        product = builder.fmul(lever, gap)
        builder.store(builder.fadd(builder.load(total), product), total)
    write.store(builder.load(total), 8, found, place)


@vector_code(LANES)
def _pull(
    write: Writer, desk: Any, n: Any, at_yes: Any, yes_stride: Any, at_no: Any, no_stride: Any, at_rho: Any, at_out: Any
) -> None:
    builder = write.builder
    at_lever = builder.add(at_rho, builder.mul(n, write.size(LANES)))
    with write.loop(n) as loop:
        k = loop.index
        no = write.load(0, desk, _at(write, at_no, k, no_stride))
        gap = builder.fsub(write.load(0, desk, _at(write, at_yes, k, yes_stride)), no)
        product = builder.fmul(write.load(0, desk, _at(write, at_lever, k)), gap)
        write.store(product, 0, desk, _at(write, at_out, k))


@vector_code(LANES)
def _weigh(write: Writer, desk: Any, points: Any, n: Any, share: Any, at_own: Any, at_out: Any) -> None:
    builder = write.builder
    own, part = write.load(0, desk, at_own), write.splat(share)
    gap = builder.fsub(own, part)
    with write.loop(n) as loop:
        factor = _factor(write, points, n, loop.index, own, part)
        write.store(builder.fmul(gap, _inverse(write, factor)), 0, desk, _at(write, at_out, loop.index))


@vector_code(LANES)
def _multiply(write: Writer, desk: Any, n: Any, at_first: Any, at_second: Any, found: Any, place: Any) -> None:
    builder = write.builder
    total = write.variable(write.vector, write.load(4, found, place))
    with write.loop(n) as loop:
        first, second = (write.load(0, desk, _at(write, at, loop.index)) for at in (at_first, at_second))
        builder.store(builder.fadd(builder.load(total), builder.fmul(first, second)), total)
    write.store(builder.load(total), 4, found, place)


# --- the same in NumPy -----------------------------------------------------------------------------------------------


def _part(desk: Any, at: int, n: int, stride: int = LANES) -> Any:
    """A polynomial: (n, LANES); one that is the same everywhere has stride 0."""
    if stride == 0:
        return np.broadcast_to(desk[at : at + LANES], (n, LANES))
    return desk[at : at + n * LANES].reshape(n, LANES)


def _plain_factor(points: Any, n: int, own: Any, share: float) -> Any:
    return points[:n, None] * own + points[n : 2 * n, None] * share


def _plain_inverse(numbers: Any) -> Any:
    return np.divide(1.0, numbers, out=np.zeros_like(numbers), where=numbers != 0)


def _plain_ask(tile: Any, start: int, threshold: float, missing: float, desk: Any, place: int) -> None:
    x = tile[start : start + LANES]
    desk[place : place + LANES] = np.where(np.isnan(x), missing, np.where(x <= threshold, 1.0, 0.0))


def _plain_enter(
    desk: Any, points: Any, n: int, yes: float, no: float, at_own: int, at_reach: int, at_out: int
) -> None:
    _plain_children(desk, points, n, (yes, no, 1.0), at_own, np.ones(LANES), at_reach, at_out)


def _plain_enter_again(
    desk: Any,
    points: Any,
    n: int,
    yes: float,
    no: float,
    before: float,
    at_own: int,
    at_before: int,
    at_reach: int,
    at_out: int,
) -> None:
    whole = desk[at_before : at_before + LANES]
    _plain_children(desk, points, n, (yes, no, before), at_own, whole, at_reach, at_out)


def _plain_children(
    desk: Any, points: Any, n: int, shares: tuple, at_own: int, whole: Any, at_reach: int, at_out: int
) -> None:
    yes, no, before = shares
    own = desk[at_own : at_own + LANES] * whole
    other = whole - own
    desk[at_own : at_own + LANES], desk[at_own + LANES : at_own + 2 * LANES] = own, other
    inverse = _plain_inverse(_plain_factor(points, n, whole, before))
    reach, factor = _part(desk, at_reach, n) * inverse, _plain_factor(points, n, own, yes)
    rho = factor * inverse
    size = n * LANES
    _part(desk, at_out, n)[:] = rho
    _part(desk, at_out + size, n)[:] = reach * ((own - yes) - (whole - before) * rho)
    _part(desk, at_out + 2 * size, n)[:] = reach * factor
    _part(desk, at_out + 3 * size, n)[:] = reach * _plain_factor(points, n, other, no)


def _plain_combine(
    desk: Any,
    n: int,
    at_yes: int,
    yes_stride: int,
    at_no: int,
    no_stride: int,
    at_rho: int,
    at_out: int,
    found: Any,
    place: int,
) -> None:
    no = _part(desk, at_no, n, no_stride)
    gap = _part(desk, at_yes, n, yes_stride) - no
    for k in range(n):
        found[place : place + LANES] += _part(desk, at_rho + n * LANES, n)[k] * gap[k]
    _part(desk, at_out, n)[:] = no + _part(desk, at_rho, n) * gap


def _plain_pull(
    desk: Any, n: int, at_yes: int, yes_stride: int, at_no: int, no_stride: int, at_rho: int, at_out: int
) -> None:
    gap = _part(desk, at_yes, n, yes_stride) - _part(desk, at_no, n, no_stride)
    _part(desk, at_out, n)[:] = _part(desk, at_rho + n * LANES, n) * gap


def _plain_weigh(desk: Any, points: Any, n: int, share: float, at_own: int, at_out: int) -> None:
    own = desk[at_own : at_own + LANES]
    _part(desk, at_out, n)[:] = (own - share) * _plain_inverse(_plain_factor(points, n, own, share))


def _plain_multiply(desk: Any, n: int, at_first: int, at_second: int, found: Any, place: int) -> None:
    for k in range(n):
        found[place : place + LANES] += _part(desk, at_first, n)[k] * _part(desk, at_second, n)[k]


# ask(tile, start, threshold, missing, desk, place): desk[place ..] = 1.0 for values up to the threshold, 0.0 for
#     others, `missing` for missing ones.
# enter(desk, points, n, yes, no, at_own, at_reach, at_out): the first question about a column. At `at_own` are the
#     answers; the o of yes and no come out there. At `at_out`: rho, lever, and reach of both
#     branches. `points` begins with n points and then has 1 minus each.
# enter_again(..., before, at_own, at_before, ...): a further question about a column, whose shares are at `at_before`.
# combine(desk, n, at_yes, yes_stride, at_no, no_stride, at_rho, at_out, found, place): both branches joined; what
#     the column contributes is added to found[place ..]. Stride 0: a leaf.
# pull(...): the terms of that contribution, point by point. weigh(desk, points, n, share, at_own, at_out):
#     (o - p) / A. multiply(desk, n, at_first, at_second, found, place): found += sum of products.
ask: Any = _plain_ask if PLAIN_PYTHON else _ask
enter: Any = _plain_enter if PLAIN_PYTHON else _enter
enter_again: Any = _plain_enter_again if PLAIN_PYTHON else _enter_again
combine: Any = _plain_combine if PLAIN_PYTHON else _combine
pull: Any = _plain_pull if PLAIN_PYTHON else _pull
weigh: Any = _plain_weigh if PLAIN_PYTHON else _weigh
multiply: Any = _plain_multiply if PLAIN_PYTHON else _multiply

"""SHAP values of rows: a tile of them at a time walks through all trees, question by question.

In: a `Program`, what its leaves add to each output, and rows. Out: contributions of columns, or of pairs of columns.

On the path to a leaf of value v, let o_i be 1 if the row passes all tests of column i (else 0), and p_i the fraction
of training rows that pass them (nodes.py). If only the columns in S are known, the leaf adds v * product of o_i over
S * product of p_i over the others. The Shapley values of that game are integrals, since the weight of S is one as well,
|S|! (n - |S| - 1)! / n! = integral of t^|S| u^(n - |S| - 1) dt:

    contribution of column i = sum over leaves of  v * integral from 0 to 1 of
                               (o_i - p_i) * product over j != i of (t o_j + u p_j) dt,      u = 1 - t

The integrand has degree n - 1 in t, so Gauss-Legendre quadrature with n / 2 points (rounded up) is exact. At a point
the product over j != i is that of all columns, divided by one factor.

A walk opens every question on the way down (`enter`) and combines its branches on the way back (`combine`); nothing
is computed twice, and no tree is cut into paths. Each thread owns tiles of `LANES` rows from the first tree to the
last, so that sums are the same on any number of threads.

    desk (workspace)    [ weights of the points | a level | a level | ... | sums below: level, branch, output ]
    a level             [ rho | lever | reach of yes | reach of no | own shares | (o - p) / A of yes | of no ]

The last two are there only for pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import PLAIN_PYTHON, Writer, inner_kernel, kernel, vector_code
from spinney._team import Team, next_chunk, stop_wanted
from spinney.explain.shapley.nodes import Program, answer, entry_no

# ----------------------------------------------------------------------------------------------------------------------
# Lanes: what a question does to the polynomials of a tile of rows, at all quadrature points.
#
# A polynomial is its values at n points, those of `LANES` rows side by side: n * LANES numbers. All are in one array,
# the workspace `desk`; functions get places in it. For a question that a fraction `o` of the row (0 or 1; between them
# where missing values take both branches) and a fraction `p` of the training rows reach, per point t (u = 1 - t):
#
#     A = t o + u p                    the factor of the column of this question on the way to a leaf
#     rho = A_yes / A_before           what a step down multiplies products by; A_before: after the last question about
#                                      the same column above, 1 if there is none
#     reach                            product of all factors down to here, times the weight of the point
#     lever = reach / A_before * ((o_yes - p_yes) - (o_before - p_before) * rho)
#
# The sums below a question are combined as
#
#     below = no + rho * (yes - no)                        the sum over its leaves
#     contribution of the column += sum over points of lever * (yes - no)
#
# One rho and one lever serve both branches. Fractions of yes and no add up to those before the question, o_yes + o_no =
# o_before and likewise p, so A_no = A_before - A_yes, rho_no = 1 - rho, and the lever of no is minus that of yes. For a
# column that is tested again, the lever has the new (o - p) / A less the one that the question above has counted
# already: over a path these differences add up to the value of its last question.
#
# The derivation is in docs/explaining.md, the integral is at the top. Arithmetic is as written, without fused
# multiply-add: a row's numbers depend neither on its lane nor on the other rows.

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


# ----------------------------------------------------------------------------------------------------------------------

# Of a level: branch, its question, whether its column is tested again below, strides of both branches (0: a leaf)
_SIDE, _AT, _HIDDEN, _YES, _NO = range(5)
_STATES = 5


class Points(NamedTuple):
    """Gauss-Legendre points on [0, 1] for every tree."""

    first: np.ndarray  # int64: where those of a tree begin in `points`: n points, 1 minus each, weights
    n: np.ndarray  # int64: enough for polynomials of as many columns as one path has
    points: np.ndarray  # float64


class Layout(NamedTuple):
    """Where things are in a thread's `desk`."""

    slot: int  # numbers of a polynomial
    level: int  # numbers of a level
    below: int  # where `sums below` begins
    n_outputs: int  # that a tree adds to
    n_columns: int  # that are tested


class Bench(NamedTuple):
    """What threads work with; each has a row of it."""

    desks: np.ndarray  # float64
    states: np.ndarray  # int64 (threads, levels, 5)
    found: np.ndarray  # float64: (output, column, lane)
    pairs: np.ndarray  # float64: (output, column, column, lane)


def find_points(n_columns: np.ndarray) -> Points:
    """For trees whose paths test so many columns at most: n points are exact for 2 n columns."""
    n = np.maximum((n_columns + 1) // 2, 1)
    kinds, place = np.unique(n, return_inverse=True)
    parts, first, at = [np.empty(0)], [], 0
    for k in kinds.tolist():
        x, weight = np.polynomial.legendre.leggauss(k)
        t = (1.0 + x) / 2.0
        parts.append(np.concatenate([t, (1.0 - x) / 2.0, weight / 2.0]))
        first.append(at)
        at += 3 * k
    return Points(np.array(first, np.int64)[place], n.astype(np.int64), np.concatenate(parts))


def in_tiles(values: np.ndarray) -> np.ndarray:
    """Rows (n, columns) as tiles: each column of LANES rows side by side; the last row fills up the last tile."""
    n, n_columns = values.shape
    n_tiles = -(-n // LANES)
    padded = np.empty((n_tiles * LANES, n_columns))
    padded[:n], padded[n:] = values, values[-1:] if n else np.nan
    return np.ascontiguousarray(padded.reshape(n_tiles, LANES, n_columns).swapaxes(1, 2)).reshape(n_tiles, -1)


def add_contributions(
    program: Program, points: Points, values: np.ndarray, tiles: np.ndarray, out: np.ndarray, team: Team
) -> None:
    """out[row, column, output] += contributions; columns are those that the trees split on. With one more axis,
    out[row, column, column, output] += interactions above the diagonal, and contributions of columns on it.

    `values` (leaves, outputs) is what leaves add; with one column of it, tree t adds to output t % outputs.
    """
    pairs = out.ndim == 4
    bench, lay = _bench(program, points, values.shape[1], out.shape[-1], team.size, pairs)
    team.run(_add_pairs if pairs else _add_values, program, points, values, tiles, lay, bench, out)


def _bench(
    program: Program, points: Points, width: int, n_outputs: int, n_threads: int, pairs: bool
) -> tuple[Bench, Layout]:
    """Room for all threads; a tree adds to `width` outputs."""
    slot, levels = int(points.n.max(initial=1)) * LANES, int(program.depth.max(initial=0)) + 1
    level, n = (6 if pairs else 4) * slot + 2 * LANES, len(program.columns)
    below = slot + levels * level
    size = below + (2 * (levels + 1) * width + 1) * slot
    return Bench(
        np.empty((n_threads, size)),
        np.empty((n_threads, levels + 1, _STATES), np.int64),
        np.empty((n_threads, n_outputs * n * LANES)),
        np.empty((n_threads, n_outputs * n * n * LANES if pairs else 0)),
    ), Layout(slot, level, below, width, n)


@kernel
def _add_values(rank, size, sync, program, points, values, tiles, lay, bench, out):
    desk, state, found = bench.desks[rank], bench.states[rank], bench.found[rank]
    while True:
        number = next_chunk(sync)
        if number >= tiles.shape[0] or stop_wanted(sync):
            return
        found[:] = 0.0
        for tree in range(program.first.size - 1):
            _walk(program, points, tree, values, tiles[number], lay, desk, state, found, None)
        for lane in range(min(LANES, out.shape[0] - number * LANES)):
            row = out[number * LANES + lane]
            for column in range(row.shape[0]):
                for output in range(row.shape[1]):
                    row[column, output] += found[(output * lay.n_columns + column) * LANES + lane]


@kernel
def _add_pairs(rank, size, sync, program, points, values, tiles, lay, bench, out):
    n = lay.n_columns
    desk, state, found, pairs = bench.desks[rank], bench.states[rank], bench.found[rank], bench.pairs[rank]
    while True:
        number = next_chunk(sync)
        if number >= tiles.shape[0] or stop_wanted(sync):
            return
        found[:] = 0.0
        pairs[:] = 0.0
        for tree in range(program.first.size - 1):
            _walk(program, points, tree, values, tiles[number], lay, desk, state, found, pairs)
        for lane in range(min(LANES, out.shape[0] - number * LANES)):
            row = out[number * LANES + lane]
            for i in range(n):
                for output in range(row.shape[2]):
                    row[i, i, output] += found[(output * n + i) * LANES + lane]
                    for j in range(i + 1, n):
                        row[i, j, output] += pairs[((output * n + i) * n + j) * LANES + lane]


@inner_kernel
def _walk(program, points, tree, values, tile, lay, desk, state, found, pairs):
    """Add a tree's contributions to a tile of rows to found[(output, column)] and pairs[(output, column, column)]."""
    entries, n = program.entries, points.n[tree]
    known = points.points[points.first[tree] : points.first[tree] + 3 * n]
    shift = tree % (found.size // (lay.n_columns * LANES)) if lay.n_outputs == 1 else 0
    for k in range(n):
        for lane in range(LANES):
            desk[k * LANES + lane] = known[2 * n + k]
    at, last = program.first[tree], program.first[tree + 1]
    while at < last:
        entry = entries[at]
        level = np.int64(entry.level)
        if entry.column >= 0:
            _open(program, at, tile, known, n, lay, desk, state, pairs)
            at += 1
            if entry.yes != 0.0 or not _nobody(desk, _own(lay, level)):
                continue
            level, at = level + 1, entry_no(entries, at - 1)  # nothing gets there: the branch is left out
            _fill(lay, desk, state, level, values, np.int64(-1))
        else:
            _fill(lay, desk, state, level, values, entry.place)
            at += 1
        # the branch that leads to `level` is done: close the questions whose `no` it was, then begin the next's `no`
        while True:
            while level > 0 and state[level - 1, _SIDE] == 1:
                level -= 1
                _close(program, level, n, lay, desk, state, found, pairs, shift)
            if level == 0:
                break
            state[level - 1, _SIDE] = 1
            asked = entries[state[level - 1, _AT]]
            if asked.no != 0.0 or not _nobody(desk, _own(lay, level - 1) + LANES):
                break
            _fill(lay, desk, state, level, values, np.int64(-1))
            at = np.int64(asked.end)


@inner_kernel
def _own(lay, level):
    """Where the shares of the rows that answered yes at a level are; those of no follow."""
    return lay.slot + level * lay.level + 4 * lay.slot


@inner_kernel
def _below(lay, level, side, output):
    """Where the sums below a branch are that leads to a level."""
    return lay.below + ((level * 2 + side) * lay.n_outputs + output) * lay.slot


@inner_kernel
def _nobody(desk, place):
    """Whether no row of the tile is there."""
    total = 0.0
    for lane in range(LANES):
        total += desk[place + lane]
    return total == 0.0


@inner_kernel
def _fill(lay, desk, state, level, values, place):
    """A leaf that this branch leads to; nothing, if place is negative."""
    side = np.int64(0)
    if level > 0:
        side = state[level - 1, _SIDE]
        state[level - 1, _YES + side] = 0
    for output in range(lay.n_outputs):
        value = values[place, output] if place >= 0 else 0.0
        start = _below(lay, level, side, output)
        for lane in range(LANES):
            desk[start + lane] = value


@inner_kernel
def _open(program, at, tile, known, n, lay, desk, state, pairs):
    """A question on the way down."""
    entry = program.entries[at]
    level = np.int64(entry.level)
    # All rows test all questions: a row that fails a test has o = 0 from there on, which is a number like any other. So
    # there is no branch per row, and 32 rows are a few vectors.
    own, place = _own(lay, level), np.int64(entry.column) * LANES
    if entry.place < 0:
        ask(tile, place, entry.threshold, entry.missing, desk, own)
    else:
        for lane in range(LANES):
            desk[own + lane] = answer(entry, program.sets, tile[place + lane])
    start = lay.slot + level * lay.level
    reach = np.int64(0)
    if level > 0:
        reach = start - lay.level + (2 + state[level - 1, _SIDE]) * n * LANES
        state[level - 1, _YES + state[level - 1, _SIDE]] = LANES
    state[level, _SIDE], state[level, _AT], state[level, _HIDDEN] = 0, at, 0
    above = np.int64(entry.above)
    if above < 0:
        enter(desk, known, n, entry.yes, entry.no, own, reach, start)
    else:
        whole = _own(lay, above) + state[above, _SIDE] * LANES
        enter_again(desk, known, n, entry.yes, entry.no, entry.before, own, whole, reach, start)
        state[above, _HIDDEN] = 1
    if pairs is not None:
        weigh(desk, known, n, entry.yes, own, own + 2 * LANES)
        weigh(desk, known, n, entry.no, own + LANES, own + 2 * LANES + lay.slot)


@inner_kernel
def _close(program, level, n, lay, desk, state, found, pairs, shift):
    """The question at a level, whose branches are both done."""
    entry = program.entries[state[level, _AT]]
    column, start = np.int64(entry.column), lay.slot + level * lay.level
    side = state[level - 1, _SIDE] if level > 0 else np.int64(0)
    for output in range(lay.n_outputs):
        yes, no = _below(lay, level + 1, 0, output), _below(lay, level + 1, 1, output)
        if pairs is not None:
            _join(program, level, n, lay, desk, state, pairs, shift + output, yes, no)
        combine(
            desk,
            n,
            yes,
            state[level, _YES],
            no,
            state[level, _NO],
            start,
            _below(lay, level, side, output),
            found,
            ((shift + output) * lay.n_columns + column) * LANES,
        )
    if entry.above >= 0:
        state[entry.above, _HIDDEN] = 0


@inner_kernel
def _join(program, level, n, lay, desk, state, pairs, output, yes, no):
    """Interactions of the column tested at a level with all others above it."""
    entries, terms = program.entries, desk.size - lay.slot
    column, start = np.int64(entries[state[level, _AT]].column), lay.slot + level * lay.level
    pull(desk, n, yes, state[level, _YES], no, state[level, _NO], start, terms)
    for above in range(level):
        other = np.int64(entries[state[above, _AT]].column)
        if state[above, _HIDDEN] == 0 and other != column:  # of each column the last question only: it has the whole A
            weighed = _own(lay, above) + 2 * LANES + state[above, _SIDE] * lay.slot
            low, high = min(column, other), max(column, other)
            multiply(desk, n, terms, weighed, pairs, ((output * lay.n_columns + low) * lay.n_columns + high) * LANES)

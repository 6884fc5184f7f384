"""Visit: the kernels of one pass over the rows for a Gaussian mixture; see `expect.py` for the formulas.

    a block of rows of one pattern -> tiles -> log(w_k N) of each component -> shares -> sums of u uᵀ of each component

A block of 64 rows and its shares stay in the cache from the first step to the last: a pass reads the table once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, next_chunk
from spinney.cluster.moments import GROUP, SQUARE, WIDE, add_products, center_row, center_tile, squared_lengths
from spinney.cluster.plans import list_known, make_plan
from spinney.criteria.elementary import exp, log

BLOCK = 64  # rows that are looked at together
TINY = 2.0**-53  # shares that count as none
_LEAST_NORMAL = 2.0**-1022  # smaller numbers are too small for `log`


class OrderedRows(NamedTuple):
    """A table; see `expect.Rows`.  # in"""

    values: np.ndarray
    order: np.ndarray
    pattern: np.ndarray
    patterns: np.ndarray
    weight: np.ndarray
    origin: np.ndarray


class Mixture(NamedTuple):
    """A mixture, relative to the rows' origin.  # in"""

    log_weights: np.ndarray  # (components,)
    means: np.ndarray  # (components, places of u): filled up with zeros
    covariances: np.ndarray  # (components, columns or 1, columns)
    is_full: bool


class Found(NamedTuple):
    """What a pass finds.  # out, but for the cuts and the given shares"""

    cuts: np.ndarray  # int64 (chunks + 1,): where chunks begin, and where the last one ends
    sums: np.ndarray  # (chunks, places of all components), or (chunks, 0)
    likelihoods: np.ndarray  # (chunks,)
    given: np.ndarray  # (rows, components): shares, or empty
    out: np.ndarray  # (rows, components + 1): shares and the logarithm of the density, or empty


class Room(NamedTuple):
    """Scratch of each thread."""

    rows: np.ndarray  # x, u and share times u, row by row
    tiles: np.ndarray  # known columns in tiles, less a mean, and the mean
    shares: np.ndarray  # (threads, components + 2, BLOCK)
    plans: np.ndarray
    squares: np.ndarray
    known: np.ndarray  # int64 (threads, columns): the known columns, then the others


def make_room(n_components: int, n_columns: int, wide: int, team: Team) -> Room:
    """Room for every thread; u has `wide` places."""
    n_packed = (n_columns + GROUP) * (n_columns + GROUP)
    return Room(
        np.zeros((team.size, 3, BLOCK * wide)),
        np.zeros((team.size, 3, BLOCK * n_columns)),
        np.zeros((team.size, n_components + 2, BLOCK)),
        np.zeros((team.size, n_components, 1 + n_packed + 2 * n_columns * n_columns)),
        np.zeros((team.size, 2, n_columns, n_columns)),
        np.zeros((team.size, n_columns), np.int64),
    )


@kernel
def _take_logs(values, out):
    for i in range(values.size):
        out[i] = log(values[i]) if values[i] >= _LEAST_NORMAL else -np.inf


def logarithms(values: np.ndarray) -> np.ndarray:
    """Our own logarithm of each number; minus infinity for 0."""
    out = np.empty(len(values))
    _take_logs(np.ascontiguousarray(values, np.float64), out)
    return out


@kernel
def visit(rank, size, sync, rows, mixture, found, room):
    rows, mixture, found, room = refer(rows), refer(mixture), refer(found), refer(room)
    order, pattern, means, is_full = rows.order, rows.pattern, mixture.means, mixture.is_full
    n_chunks = found.likelihoods.size
    x_rows, u_rows, wu_rows = room.rows[rank, 0], room.rows[rank, 1], room.rows[rank, 2]
    tiles, z_tile, middle = room.tiles[rank, 0], room.tiles[rank, 1], room.tiles[rank, 2]
    shares, plans, known, given, sums = room.shares[rank], room.plans[rank], room.known[rank], found.given, found.sums
    while True:
        chunk = next_chunk(sync)
        if chunk >= n_chunks:
            return
        place, end = found.cuts[chunk], found.cuts[chunk + 1]
        planned, n_known = np.int64(-1), np.int64(0)
        while place < end:
            if pattern[place] != planned:
                planned = np.int64(pattern[place])
                n_known = list_known(rows.patterns[planned], known)
                for k in range(means.shape[0]):
                    log_weight, squares = mixture.log_weights[k], room.squares[rank]
                    make_plan(mixture.covariances[k], is_full, log_weight, known, n_known, squares, plans[k])
            n = 1
            while n < BLOCK and place + n < end and pattern[place + n] == planned:
                n += 1
            _gather(rows.values, order, place, n, rows.origin, known, n_known, x_rows, tiles)
            if given.size > 0:
                for k in range(means.shape[0]):
                    for i in range(n):
                        shares[k, i] = given[order[place + i], k]
            else:
                for k in range(means.shape[0]):
                    for j in range(n_known):
                        middle[j] = means[k, 1 + known[j]]
                    _densities(tiles, n, z_tile, middle, is_full, n_known, known.size, plans[k], shares[k])
                _share(shares, means.shape[0])
            if found.out.size > 0:
                _put_out(shares, order, place, n, found.out)
            if sums.shape[1] > 0:
                found.likelihoods[chunk] += _weigh(shares, means.shape[0], order, place, n, rows.weight)
                for k in range(means.shape[0]):
                    m = _center(x_rows, n, means[k], known, n_known, plans[k], shares[k], u_rows, wu_rows)
                    width = sums.shape[1] // means.shape[0]
                    own = sums[chunk, k * width : (k + 1) * width]
                    _add(u_rows, wu_rows, m, is_full, known, n_known, plans[k], own)
            place += n


@inner_kernel
def _gather(values, order, place, n, origin, known, n_known, x_rows, tiles):
    """The rows of a block twice: row by row, and in tiles of their known columns."""
    n_columns = values.shape[1]
    wide = x_rows.size // BLOCK
    for i in range(n):
        row = order[place + i]
        start = (i // WIDE) * WIDE * n_known + i % WIDE
        x_rows[i * wide] = 1.0
        for j in range(n_known):
            value = np.float64(values[row, known[j]]) - origin[known[j]]
            x_rows[i * wide + 1 + known[j]] = value
            tiles[start + j * WIDE] = value
        for j in range(n_known, n_columns):
            x_rows[i * wide + 1 + known[j]] = 0.0


@inner_kernel
def _densities(tiles, n, z_tile, middle, is_full, n_known, n_columns, plan, logs):
    """logs[i] = log(weight times density) of each row of the block."""
    packed = plan[1 : plan.size - 2 * n_columns * n_columns]
    for first in range(0, n, WIDE):
        center_tile(tiles, first * n_known, n_known, middle, z_tile)
        if is_full:
            squared_lengths(z_tile, 0, n_known, packed, logs, first)
        else:
            for lane in range(WIDE):
                logs[first + lane] = 0.0
            for j in range(n_known):
                factor = packed[j]
                for lane in range(WIDE):
                    scaled = z_tile[j * WIDE + lane] * factor
                    logs[first + lane] += scaled * scaled
        log_factor = plan[0]
        for lane in range(WIDE):
            logs[first + lane] = log_factor - 0.5 * logs[first + lane]


@inner_kernel
def _share(shares, n_components):
    """From logarithms to shares that add up to 1; the logarithm of the sum goes behind the last component."""
    # log f = most + log(sum of exp(own - most)): the largest term is 1, so the sum can neither overflow nor vanish. All
    # 64 places are computed, also those after the last row, which nobody reads: so loops are whole vectors.
    most, total = shares[n_components], shares[n_components + 1]
    for i in range(BLOCK):
        most[i] = shares[0, i]
        total[i] = 0.0
    for k in range(1, n_components):
        own = shares[k]
        for i in range(BLOCK):
            most[i] = own[i] if own[i] > most[i] else most[i]
    for k in range(n_components):
        own = shares[k]
        for i in range(BLOCK):
            own[i] = exp(own[i] - most[i])
            total[i] += own[i]
    for k in range(n_components):
        own = shares[k]
        for i in range(BLOCK):
            own[i] /= total[i]
    for i in range(BLOCK):
        most[i] += log(total[i])


@kernel
def share_all(logs, shares, room):
    """Shares of all rows, and below them the logarithms of their sums, block by block in `room`."""
    n_components, n = logs.shape
    for first in range(0, n, BLOCK):
        m = min(BLOCK, n - first)
        for k in range(n_components):
            for i in range(m):
                room[k, i] = logs[k, first + i]
        _share(room, n_components)
        for k in range(n_components + 1):
            for i in range(m):
                shares[k, first + i] = room[k, i]


@inner_kernel
def _put_out(shares, order, place, n, out):
    for i in range(n):
        for k in range(out.shape[1]):
            out[order[place + i], k] = shares[k, i]


@inner_kernel
def _weigh(shares, n_components, order, place, n, weight):
    """Multiply shares by the rows' weights, tiny ones by 0; the weighted sum of the rows' logarithms."""
    logs, own = shares[n_components], shares[n_components + 1]
    total = 0.0
    for i in range(n):
        own[i] = weight[order[place + i]] if weight.size > 0 else 1.0
        total += own[i] * logs[i] if own[i] > 0.0 else 0.0
    for k in range(n_components):
        share = shares[k]
        for i in range(n):
            share[i] = own[i] * share[i] if share[i] >= TINY else 0.0
    return total


@inner_kernel
def _center(x_rows, n, mean, known, n_known, plan, share, u_rows, wu_rows):
    """u = (1, x - mean), missing values as expected, and share times u, of rows with a share. Returns how many.

    Most rows belong to few components: the others' sums get shorter lists, without a test per row in the products.
    """
    n_columns, wide = known.size, mean.size
    m = 0
    for i in range(n):
        own = share[i]
        if own == 0.0:
            continue
        start = m * wide
        center_row(x_rows, i * wide, mean, own, u_rows, wu_rows, start)
        if n_known < n_columns:
            _fill_in(u_rows, start + 1, known, n_known, plan)
            for j in range(wide):
                wu_rows[start + j] = own * u_rows[start + j]
        m += 1
    return m


@inner_kernel
def _fill_in(u_rows, start, known, n_known, plan):
    n_columns = known.size
    regression = plan.size - 2 * n_columns * n_columns
    for m in range(n_known, n_columns):
        total = 0.0
        for j in range(n_known):
            total += plan[regression + m * n_columns + j] * u_rows[start + known[j]]
        u_rows[start + known[m]] = total


@inner_kernel
def _add(u_rows, wu_rows, n, is_full, known, n_known, plan, sums):
    """Add some rows to one component's sums."""
    n_columns = known.size
    wide = u_rows.size // BLOCK
    before = sums[0]
    if is_full:  # u uᵀ is symmetric: squares on and below the diagonal only
        for i in range(0, wide, SQUARE):
            for j in range(0, i + SQUARE, SQUARE):
                add_products(wu_rows, i, u_rows, j, wide, n, sums, i * wide + j, wide)
    else:
        for i in range(n):
            for j in range(wide):
                sums[j] += wu_rows[i * wide + j]
                sums[wide + j] += wu_rows[i * wide + j] * u_rows[i * wide + j]
    # E[z zᵀ] of a row is that of its expected values, which is in the sums now, and the covariance of the missing ones
    # given the known. That is the same for all rows of a pattern: added once, times their weight.
    rest = plan.size - n_columns * n_columns
    total = sums[0] - before
    for m in range(n_known, n_columns):
        if is_full:
            for other in range(n_known, n_columns):
                sums[(1 + known[m]) * wide + 1 + known[other]] += total * plan[rest + m * n_columns + other]
        else:
            sums[wide + 1 + known[m]] += total * plan[rest + m]

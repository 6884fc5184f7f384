"""The E step of a Gaussian mixture, one pass over the rows: responsibilities, and the sums for the M step.

In:  rows (NaN where missing) and a mixture. Out: the responsibility ("share") of every component for each row, the
     log-likelihood, and the sums from which `m_step.py` makes the next mixture (the M step).

With weights w_k, means m_k and covariances S_k:

    share_k(x) = w_k N(x; m_k, S_k) / f(x)      f(x) = sum over k of w_k N(x; m_k, S_k); log-likelihood = sum of log f
    new m_k    = m_k + first_k / weight_k       weight, first, second: sums of share * (1, z, z zᵀ), z = x - m_k
    new S_k    = second_k / weight_k - d dᵀ     d = first_k / weight_k

Sums about the present mean, instead of about 0, lose no digits where a component is far from the origin. They are those
of u uᵀ with u = (1, z): weight, first and second moments in one product.

Missing values: with o the known and m the missing columns of a row,

    E[z_m | z_o]      = S_mo S_oo⁻¹ z_o                 regression: it takes the place of z_m in u
    cov[z_m | z_o]    = S_mm - S_mo S_oo⁻¹ S_om         what stays uncertain: added to the second moments, times share

Rows so are used for all that they hold, and the likelihood is that of the known values. Both follow from *which* values
are missing, a row's *pattern*. Rows are ordered by pattern, a block of up to 64 rows has one, and for each pattern and
component there is a *plan*:

    plan   [ log of the factor before e^-q/2 | W, packed for `moments.py` | regression | what stays uncertain ]

W is the inverse Cholesky factor of the covariance of the known columns: q = |W z_o|².

A pass goes chunk by chunk. The sums of a chunk are kept apart, and chunks are added in their order: they are cut by the
number of rows, columns and components alone, so the result does not depend on threads. Shares below 2**-53 count as 0,
and a component's sums skip rows for which its share is 0. Only the proportions of weights matter; they should be of the
size of 1 (`Weights.relative`).

Tables of many columns without missing values go another way, at the end of this file: by matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, refer
from spinney._team import Team, next_chunk
from spinney.cluster.cholesky import WIDE_COLUMNS, Triangle, one_blas_thread, strips, triangles
from spinney.cluster.missing_values import LOG_2PI, list_known, make_plan
from spinney.cluster.moments import GROUP, SQUARE, WIDE, add_products, center_row, center_tile, squared_lengths
from spinney.criteria.exp_log import exp, log

# ----------------------------------------------------------------------------------------------------------------------
# The kernels of one pass over the rows; the formulas are above.
#
#     a block of rows of one pattern -> tiles -> log(w_k N) of each component -> shares -> sums of u uᵀ of each
#
# A block of 64 rows and its shares stay in the cache from the first step to the last: a pass reads the table once.


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


class CentredMixture(NamedTuple):
    """A mixture, relative to the rows' origin.  # in"""

    log_weights: np.ndarray  # (components,)
    means: np.ndarray  # (components, places of u): filled up with zeros
    covariances: np.ndarray  # (components, columns or 1, columns)
    is_full: bool


class EStepOutput(NamedTuple):
    """What a pass finds.  # out, but for the cuts and the given shares"""

    cuts: np.ndarray  # int64 (chunks + 1,): where chunks begin, and where the last one ends
    sums: np.ndarray  # (chunks, places of all components), or (chunks, 0)
    likelihoods: np.ndarray  # (chunks,)
    given: np.ndarray  # (rows, components): shares, or empty
    out: np.ndarray  # (rows, components + 1): shares and the logarithm of the density, or empty


class EStepScratch(NamedTuple):
    """Scratch of each thread."""

    rows: np.ndarray  # x, u and share times u, row by row
    tiles: np.ndarray  # known columns in tiles, less a mean, and the mean
    shares: np.ndarray  # (threads, components + 2, BLOCK)
    plans: np.ndarray
    squares: np.ndarray
    known: np.ndarray  # int64 (threads, columns): the known columns, then the others


def make_room(n_components: int, n_columns: int, wide: int, team: Team) -> EStepScratch:
    """Room for every thread; u has `wide` places."""
    n_packed = (n_columns + GROUP) * (n_columns + GROUP)
    return EStepScratch(
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


# ----------------------------------------------------------------------------------------------------------------------
# Many columns: the same pass by products of matrices.
#
# With hundreds of columns nearly all work is in the covariances' triangles and in products with them: here these are
# blocks that BLAS multiplies (`cholesky.py`); each row's shares are computed by Spinney's own loops. Rows are read in
# chunks of one size, which are added in their order. All values must be known, and covariances full.
#
# BLAS adds in an order that depends on its number of threads and on the shape of a block. So it runs on one thread, and
# the team shares out strips whose size does not depend on the team: the bits are the same on any number of threads.


_NUMBERS_OF_A_CHUNK = 1 << 22  # numbers of a chunk
_ROWS = 64  # that one thread solves for


def chunks(n_rows: int, n_columns: int) -> list[slice]:
    """Rows of about as many numbers each time."""
    return strips(n_rows, max(1, _NUMBERS_OF_A_CHUNK // n_columns))


def log_joint(
    x: np.ndarray, means: np.ndarray, triangles: Sequence[Triangle], log_weights: np.ndarray, team: Team
) -> np.ndarray:
    """(components, rows): log(weight times density) of rows about the origin."""
    logs = np.empty((len(means), len(x)))
    factors = [one.log_inverse_determinant() - 0.5 * x.shape[1] * LOG_2PI for one in triangles]

    def work(place: tuple[int, slice]) -> None:
        k, part = place
        z = triangles[k].solve(x[part] - means[k])
        z *= z
        logs[k, part] = (log_weights[k] + factors[k]) - 0.5 * z.sum(axis=1)

    with one_blas_thread():
        team.map(work, [(k, part) for k in range(len(means)) for part in strips(len(x), _ROWS)])
    return logs


def add_moments(
    x: np.ndarray, means: np.ndarray, shares: np.ndarray, first: np.ndarray, second: np.ndarray, team: Team
) -> None:
    """Add weighted rows to the components' sums of z and z zᵀ, z = x - mean; `shares` is (components, rows)."""

    def work(k: int) -> None:
        here = shares[k] > 0
        if here.any():
            own, z = shares[k][here], x[here] - means[k]
            first[k] += (z * own[:, None]).sum(axis=0)
            z *= np.sqrt(own)[:, None]  # sum of own z zᵀ = (sqrt(own) z)ᵀ (sqrt(own) z)
            second[k] += z.T @ z  # of a matrix with itself: symmetric, and half the work

    with one_blas_thread():
        team.map(work, range(len(means)))


_MOST_CHUNKS, _LEAST_CHUNKS = 256, 16
_ROOM = 1 << 23  # numbers for the sums of all chunks


@dataclass(frozen=True)
class EStepRows:
    """A table as a pass reads it."""

    values: np.ndarray  # (rows, columns) float64, NaN where missing
    order: np.ndarray  # int64: the rows, those with the same values missing side by side
    pattern: np.ndarray  # int32: which pattern the row at each place has
    patterns: np.ndarray  # uint8 (patterns, columns): 1 where known
    weight: np.ndarray  # float64 (rows,), or empty: 1 each
    origin: np.ndarray  # float64 (columns,): subtracted from every row

    @property
    def total_weight(self) -> float:
        """What all rows count."""
        return float(self.weight.sum()) if len(self.weight) else float(len(self.values))

    @property
    def n_rows(self) -> int:
        """Of the table."""
        return len(self.values)

    @property
    def variances(self) -> np.ndarray:
        """Of the known values of each column; 1 for a constant one."""
        found = np.nanvar(self.values.astype(np.float64), axis=0)
        return np.where(found > 0, found, 1.0)

    def cuts(self, n_chunks: int) -> np.ndarray:
        """Where the chunks of the rows here begin, and where the last one ends."""
        return chunk_cuts(self.n_rows, n_chunks)

    def add_up(self, sums: np.ndarray, likelihoods: np.ndarray, n_chunks: int) -> tuple[np.ndarray, float]:
        """Those of all chunks of the table, one after the other."""
        total = np.zeros(sums.shape[1])
        for part in sums:
            total += part
        return total, float(np.cumsum(likelihoods)[-1])

    def given_shares(self, start: Any) -> np.ndarray | None:
        """(rows, components): shares to start from that were found elsewhere."""
        return None


class RemoteEStepRows:
    """Rows that are not in this process: what the client of a cluster knows of them."""

    origin: np.ndarray

    def sums_of_all(self, form: str) -> EStepSums:
        """As `mixture.sums_of_all`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Gaussians:
    """A mixture, relative to the rows' origin."""

    weights: np.ndarray  # (components,), adding up to 1
    means: np.ndarray  # (components, columns)
    covariances: np.ndarray  # (components, columns, columns), or variances (components, 1, columns)
    _triangles: list[Triangle | None] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def is_full(self) -> bool:
        """Whether columns may depend on each other."""
        return self.covariances.shape[1] > 1 or self.covariances.shape[2] == 1

    @property
    def is_wide(self) -> bool:
        """Whether covariances are so large that products of blocks are fastest."""
        return self.is_full and self.covariances.shape[1] >= WIDE_COLUMNS

    def log_factors(self) -> np.ndarray:
        """(components,): logarithms of what the components' densities are multiplied by."""
        return logarithms(self.weights)

    def triangles(self, team: Team) -> list[Triangle | None]:
        """Of wide mixtures: the covariances' factors, found once; None for one that is not positive definite."""
        if not self._triangles:
            self._triangles.extend(triangles(self.covariances, team))
        return self._triangles


@dataclass(frozen=True)
class EStepSums:
    """What a pass has found."""

    weight: np.ndarray  # (components,)
    first: np.ndarray  # (components, columns): of z
    second: np.ndarray  # (components, columns, columns), or (components, 1, columns)
    likelihood: float  # weighted sum of the rows' logarithms


def read_rows(values: np.ndarray, weight: np.ndarray | None, origin: np.ndarray) -> EStepRows:
    """Put rows with the same values missing side by side. (Kernels are compiled for one sort of array.)"""
    values = np.require(values, np.float64, ["C", "W"])
    known = ~np.isnan(values)
    weight = np.zeros(0) if weight is None else weight
    n_rows = len(values)
    if known.all():
        one = np.ones((1, values.shape[1]), np.uint8)
        return EStepRows(values, np.arange(n_rows), np.zeros(n_rows, np.int32), one, weight, origin)
    _, first, inverse = np.unique(as_words(known), return_index=True, return_inverse=True)
    pattern = inverse.reshape(-1).astype(np.int32)
    order = np.argsort(pattern, kind="stable")
    return EStepRows(values, order, pattern[order], known[first].astype(np.uint8), weight, origin)


def as_words(known: np.ndarray) -> np.ndarray:
    """One value per row, equal where the same columns are known."""
    n_words = -(-known.shape[1] // 64)
    bits = np.zeros((len(known), 8 * n_words), np.uint8)
    packed = np.packbits(known, axis=1)
    bits[:, : packed.shape[1]] = packed
    return bits.view(np.uint64 if n_words == 1 else np.dtype((np.void, 8 * n_words)))[:, 0]


def collect(rows: EStepRows, mixture: Gaussians, team: Team, given: np.ndarray | None = None) -> EStepSums:
    """The sums over all rows; with `given` shares (rows, components) in place of those that the mixture expects."""
    if _goes_wide(rows, mixture):
        return _collect_wide(rows, mixture, team, given)
    n_components, n_columns = mixture.means.shape
    wide = _padded(n_columns)
    width = wide * (wide if mixture.is_full else 2)
    n_chunks = n_chunks_of(rows.n_rows, n_components, n_columns, mixture.is_full)
    cuts, none = rows.cuts(n_chunks), np.zeros((0, 0))
    sums, likelihoods = np.zeros((len(cuts) - 1, n_components * width)), np.zeros(len(cuts) - 1)
    _run(rows, mixture, team, EStepOutput(cuts, sums, likelihoods, none if given is None else given, none))
    total, likelihood = rows.add_up(sums, likelihoods, n_chunks)
    return _moments(total.reshape(n_components, -1, wide), n_columns, mixture.is_full, likelihood)


def _moments(total: np.ndarray, n_columns: int, is_full: bool, likelihood: float) -> EStepSums:
    """From sums of u uᵀ (its lower triangle), or of u and u²."""
    if not is_full:
        return EStepSums(total[:, 0, 0], total[:, 0, 1 : 1 + n_columns], total[:, 1:, 1 : 1 + n_columns], likelihood)
    lower = np.tril(total[:, 1 : 1 + n_columns, 1 : 1 + n_columns])
    second = lower + np.tril(lower, -1).swapaxes(1, 2)
    return EStepSums(total[:, 0, 0], total[:, 1 : 1 + n_columns, 0], second, likelihood)


def expect(rows: EStepRows, mixture: Gaussians, team: Team) -> np.ndarray:
    """(rows, components + 1): every component's share of each row, and the logarithm of the row's density."""
    out = np.empty((len(rows.values), len(mixture.weights) + 1))
    if _goes_wide(rows, mixture):
        for part in chunks(*rows.values.shape):
            out[part] = _share_wide(rows.values[part] - rows.origin, mixture, team).T
        return out
    cuts = chunk_cuts(len(rows.values), _n_chunks(len(rows.values), 1))
    n_chunks = len(cuts) - 1
    _run(rows, mixture, team, EStepOutput(cuts, np.zeros((n_chunks, 0)), np.zeros(n_chunks), np.zeros((0, 0)), out))
    return out


def _goes_wide(rows: EStepRows, mixture: Gaussians) -> bool:
    return mixture.is_wide and len(rows.patterns) == 1 and bool(rows.patterns.all())


def _share_wide(x: np.ndarray, mixture: Gaussians, team: Team) -> np.ndarray:
    """(components + 1, rows): shares, and the logarithm of the density, of rows about the origin."""
    factors = [one for one in mixture.triangles(team) if one is not None]  # checked when the mixture was made
    logs = log_joint(x, mixture.means, factors, mixture.log_factors(), team)
    shares = np.empty((len(logs) + 1, len(x)))
    share_all(logs, shares, np.zeros((len(logs) + 2, BLOCK)))
    return shares


def _collect_wide(rows: EStepRows, mixture: Gaussians, team: Team, given: np.ndarray | None) -> EStepSums:
    n_components, n_columns = mixture.means.shape
    weight, first = np.zeros(n_components), np.zeros((n_components, n_columns))
    second, likelihood = np.zeros((n_components, n_columns, n_columns)), 0.0
    for part in chunks(*rows.values.shape):
        x = rows.values[part] - rows.origin
        own = rows.weight[part] if len(rows.weight) else np.ones(len(x))
        if given is None:
            *shares, logs = _share_wide(x, mixture, team)
            likelihood += float((own * logs)[own > 0].sum())
        else:
            shares = list(given[part].T)
        weighted = np.array([np.where(share >= TINY, own * share, 0.0) for share in shares])
        weight += weighted.sum(axis=1)
        add_moments(x, mixture.means, weighted, first, second, team)
    return EStepSums(weight, first, second, likelihood)


def _padded(n_columns: int) -> int:
    """How long u is, filled up with zeros."""
    return -(-(n_columns + 1) // SQUARE) * SQUARE


def n_chunks_of(n_rows: int, n_components: int, n_columns: int, is_full: bool) -> int:
    """How many chunks a table is cut into when a mixture is fitted."""
    wide = _padded(n_columns)
    return _n_chunks(n_rows, n_components * wide * (wide if is_full else 2))


def chunk_cuts(n_rows: int, n_chunks: int) -> np.ndarray:
    """int64 (chunks + 1,): where they begin, and where the last one ends."""
    return np.arange(n_chunks + 1, dtype=np.int64) * n_rows // n_chunks


def _n_chunks(n_rows: int, n_numbers: int) -> int:
    """How many chunks: enough for many threads, few enough for their sums."""
    most = max(_LEAST_CHUNKS, min(_MOST_CHUNKS, _ROOM // n_numbers))
    return max(1, min(most, -(-n_rows // (4 * BLOCK))))


def _run(rows: EStepRows, mixture: Gaussians, team: Team, found: EStepOutput) -> None:
    n_components, n_columns = mixture.means.shape
    wide = _padded(n_columns)
    padded_means = np.zeros((n_components, wide))
    padded_means[:, 1 : 1 + n_columns] = mixture.means
    covariances = np.ascontiguousarray(mixture.covariances)
    known = CentredMixture(mixture.log_factors(), padded_means, covariances, mixture.is_full)
    ordered = OrderedRows(rows.values, rows.order, rows.pattern, rows.patterns, rows.weight, rows.origin)
    team.run(visit, ordered, known, found, make_room(n_components, n_columns, wide, team))

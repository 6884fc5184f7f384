"""Expect: the E step of a Gaussian mixture, one pass over the rows: responsibilities, and the sums for the M step.

In:  rows (NaN where missing) and a mixture. Out: the responsibility ("share") of every component for each row, the
     log-likelihood, and the sums from which `gaussians.py` makes the next mixture (the M step).

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

Tables of many columns without missing values are left to `wide.py`, which does the same by matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spinney._team import Team
from spinney.cluster.moments import SQUARE
from spinney.cluster.triangles import WIDE_COLUMNS, Triangle, triangles
from spinney.cluster.visit import BLOCK, TINY, Found, Mixture, OrderedRows, logarithms, make_room, share_all, visit
from spinney.cluster.wide import add_moments, chunks, log_joint

_MOST_CHUNKS, _LEAST_CHUNKS = 256, 16
_ROOM = 1 << 23  # numbers for the sums of all chunks


@dataclass(frozen=True)
class Rows:
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


class RowsElsewhere:
    """Rows that are not in this process: what the client of a cluster knows of them."""

    origin: np.ndarray

    def sums_of_all(self, form: str) -> Sums:
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
class Sums:
    """What a pass has found."""

    weight: np.ndarray  # (components,)
    first: np.ndarray  # (components, columns): of z
    second: np.ndarray  # (components, columns, columns), or (components, 1, columns)
    likelihood: float  # weighted sum of the rows' logarithms


def read_rows(values: np.ndarray, weight: np.ndarray | None, origin: np.ndarray) -> Rows:
    """Put rows with the same values missing side by side. (Kernels are compiled for one sort of array.)"""
    values = np.require(values, np.float64, ["C", "W"])
    known = ~np.isnan(values)
    weight = np.zeros(0) if weight is None else weight
    n_rows = len(values)
    if known.all():
        one = np.ones((1, values.shape[1]), np.uint8)
        return Rows(values, np.arange(n_rows), np.zeros(n_rows, np.int32), one, weight, origin)
    _, first, inverse = np.unique(as_words(known), return_index=True, return_inverse=True)
    pattern = inverse.reshape(-1).astype(np.int32)
    order = np.argsort(pattern, kind="stable")
    return Rows(values, order, pattern[order], known[first].astype(np.uint8), weight, origin)


def as_words(known: np.ndarray) -> np.ndarray:
    """One value per row, equal where the same columns are known."""
    n_words = -(-known.shape[1] // 64)
    bits = np.zeros((len(known), 8 * n_words), np.uint8)
    packed = np.packbits(known, axis=1)
    bits[:, : packed.shape[1]] = packed
    return bits.view(np.uint64 if n_words == 1 else np.dtype((np.void, 8 * n_words)))[:, 0]


def collect(rows: Rows, mixture: Gaussians, team: Team, given: np.ndarray | None = None) -> Sums:
    """The sums over all rows; with `given` shares (rows, components) in place of those that the mixture expects."""
    if _goes_wide(rows, mixture):
        return _collect_wide(rows, mixture, team, given)
    n_components, n_columns = mixture.means.shape
    wide = _padded(n_columns)
    width = wide * (wide if mixture.is_full else 2)
    n_chunks = n_chunks_of(rows.n_rows, n_components, n_columns, mixture.is_full)
    cuts, none = rows.cuts(n_chunks), np.zeros((0, 0))
    sums, likelihoods = np.zeros((len(cuts) - 1, n_components * width)), np.zeros(len(cuts) - 1)
    _run(rows, mixture, team, Found(cuts, sums, likelihoods, none if given is None else given, none))
    total, likelihood = rows.add_up(sums, likelihoods, n_chunks)
    return _moments(total.reshape(n_components, -1, wide), n_columns, mixture.is_full, likelihood)


def _moments(total: np.ndarray, n_columns: int, is_full: bool, likelihood: float) -> Sums:
    """From sums of u uᵀ (its lower triangle), or of u and u²."""
    if not is_full:
        return Sums(total[:, 0, 0], total[:, 0, 1 : 1 + n_columns], total[:, 1:, 1 : 1 + n_columns], likelihood)
    lower = np.tril(total[:, 1 : 1 + n_columns, 1 : 1 + n_columns])
    second = lower + np.tril(lower, -1).swapaxes(1, 2)
    return Sums(total[:, 0, 0], total[:, 1 : 1 + n_columns, 0], second, likelihood)


def expect(rows: Rows, mixture: Gaussians, team: Team) -> np.ndarray:
    """(rows, components + 1): every component's share of each row, and the logarithm of the row's density."""
    out = np.empty((len(rows.values), len(mixture.weights) + 1))
    if _goes_wide(rows, mixture):
        for part in chunks(*rows.values.shape):
            out[part] = _share_wide(rows.values[part] - rows.origin, mixture, team).T
        return out
    cuts = chunk_cuts(len(rows.values), _n_chunks(len(rows.values), 1))
    n_chunks = len(cuts) - 1
    _run(rows, mixture, team, Found(cuts, np.zeros((n_chunks, 0)), np.zeros(n_chunks), np.zeros((0, 0)), out))
    return out


def _goes_wide(rows: Rows, mixture: Gaussians) -> bool:
    return mixture.is_wide and len(rows.patterns) == 1 and bool(rows.patterns.all())


def _share_wide(x: np.ndarray, mixture: Gaussians, team: Team) -> np.ndarray:
    """(components + 1, rows): shares, and the logarithm of the density, of rows about the origin."""
    factors = [one for one in mixture.triangles(team) if one is not None]  # checked when the mixture was made
    logs = log_joint(x, mixture.means, factors, mixture.log_factors(), team)
    shares = np.empty((len(logs) + 1, len(x)))
    share_all(logs, shares, np.zeros((len(logs) + 2, BLOCK)))
    return shares


def _collect_wide(rows: Rows, mixture: Gaussians, team: Team, given: np.ndarray | None) -> Sums:
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
    return Sums(weight, first, second, likelihood)


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


def _run(rows: Rows, mixture: Gaussians, team: Team, found: Found) -> None:
    n_components, n_columns = mixture.means.shape
    wide = _padded(n_columns)
    padded_means = np.zeros((n_components, wide))
    padded_means[:, 1 : 1 + n_columns] = mixture.means
    covariances = np.ascontiguousarray(mixture.covariances)
    known = Mixture(mixture.log_factors(), padded_means, covariances, mixture.is_full)
    ordered = OrderedRows(rows.values, rows.order, rows.pattern, rows.patterns, rows.weight, rows.origin)
    team.run(visit, ordered, known, found, make_room(n_components, n_columns, wide, team))

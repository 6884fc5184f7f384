"""Gaussians: from the sums of a pass to the next mixture (the M step), in four forms of covariance.

    full        a covariance matrix a component          (components, columns, columns)
    tied        one for all                               (columns, columns)
    diag        a variance a component and column         (components, columns)
    spherical   a variance a component                    (components,)

A pass reads matrices (full, tied) or variances (diag, spherical), one for each component; `publish` and `expand` go
between that and the shapes above.

A component to which hardly any row belongs (less than 10 roundings of all weight) keeps its mean and covariance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from spinney._compile import kernel
from spinney._team import Team
from spinney.cluster.e_step import Gaussians, Sums
from spinney.cluster.missing_values import cholesky, invert
from spinney.criteria.exp_log import log

# ----------------------------------------------------------------------------------------------------------------------
# Triangles: Cholesky factors of covariances, and what is solved with them.
#
# In:  a symmetric matrix. Out: its `Triangle`, lower L with L Lᵀ = the matrix, or None if it is not positive definite.
#
# Small matrices are factorised by our own loops (`plans.py`). Large ones are worked at in blocks of up to 128 columns:
#
#     L  =  [ D0            ]     D  on the diagonal: our own loops, factor and inverse
#           [ P   D1        ]     P  all below it: products of matrices, by NumPy's BLAS
#           [ P   P   D2    ]
#
# What BLAS makes of a product depends on how many threads it uses. So it gets one (`one_blas_thread`), and our own team
# shares out strips of rows, which are cut by the size of the matrix alone: the result does not depend on threads.


WIDE_COLUMNS = 160  # from here on products of blocks are quicker than our own loops
_BLOCK, _STRIP = 128, 256
_lock, _users, _limits = Lock(), 0, None


@cache
def _controller() -> Any:
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS uses one thread meanwhile. Fits side by side may nest: the first sets the limit, the last takes it back."""
    global _users, _limits
    with _lock:
        if _users == 0:
            _limits = _controller().limit(limits=1, user_api="blas")
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _limits is not None:
                _limits.restore_original_limits()


@dataclass(frozen=True)
class Triangle:
    """A large lower triangle L, and the inverses of its blocks on the diagonal."""

    lower: np.ndarray  # (columns, columns), zeros above the diagonal
    blocks: list[slice]
    inverses: list[np.ndarray]

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """L⁻¹ x of every row x, in place of the rows; for one thread."""
        for own, inverse in zip(self.blocks, self.inverses):
            if own.start:
                rows[:, own] -= rows[:, : own.start] @ self.lower[own, : own.start].T
            rows[:, own] = rows[:, own] @ inverse.T
        return rows

    def inverse(self, team: Team) -> np.ndarray:
        """L⁻¹, a lower triangle too."""
        found = np.zeros_like(self.lower)

        def work(columns: slice) -> None:
            for own, inverse in zip(self.blocks, self.inverses):
                if own.start > columns.start:
                    done = slice(columns.start, own.start)
                    found[own, columns] -= inverse @ (self.lower[own, done] @ found[done, columns])
                elif own == columns:
                    found[own, own] = inverse

        with one_blas_thread():
            team.map(work, self.blocks)
        return found

    def log_inverse_determinant(self) -> float:
        """The logarithm of the determinant of L⁻¹."""
        return float(_sum_logs(np.concatenate([np.diagonal(one) for one in self.inverses])))


def strips(n: int, size: int) -> list[slice]:
    """0..n in equal parts of at most `size`."""
    n_parts = -(-n // size)
    return [slice(*pair) for pair in pairwise(n * i // n_parts for i in range(n_parts + 1))]


def triangle(matrix: np.ndarray, team: Team) -> Triangle | None:
    """The factor of a large matrix."""
    n = len(matrix)
    blocks, lower, inverses = strips(n, _BLOCK), np.zeros((n, n)), []
    with one_blas_thread():
        for own in blocks:
            rows = [slice(max(part.start, own.start), part.stop) for part in strips(n, _STRIP) if part.stop > own.start]

            def reduce(part: slice, own: slice = own) -> None:
                lower[part, own] = matrix[part, own]
                if own.start:
                    lower[part, own] -= lower[part, : own.start] @ lower[own, : own.start].T

            # The rows of `own` itself are read by all strips, in columns that are done.
            team.map(reduce, rows)
            factors, found = np.zeros((2, 1, own.stop - own.start, own.stop - own.start))
            if first_not_positive(lower[None, own, own], factors) >= 0:
                return None
            _invert_all(factors, found)
            lower[own, own] = factors[0]
            inverses.append(found[0])

            def divide(part: slice, own: slice = own, inverse: np.ndarray = found[0]) -> None:
                lower[part, own] = lower[part, own] @ inverse.T

            team.map(divide, [slice(max(part.start, own.stop), part.stop) for part in rows if part.stop > own.stop])
    return Triangle(lower, blocks, inverses)


def triangles(matrices: np.ndarray, team: Team) -> list[Triangle | None]:
    """The factors of large matrices; one that is equal to the one before it is not worked at again."""
    found: list[Triangle | None] = []
    for k, matrix in enumerate(matrices):
        is_known = k > 0 and np.array_equal(matrix, matrices[k - 1])
        found.append(found[-1] if is_known else triangle(matrix, team))
    return found


def first_not_positive(matrices: np.ndarray, factors: np.ndarray) -> int:
    """Write the factors of (k, columns, columns) by our own loops; the first matrix that has none, or -1."""
    matrices = np.ascontiguousarray(matrices, np.float64)
    return int(_factorize(matrices, np.arange(matrices.shape[1]), factors))


@kernel
def _factorize(matrices, columns, factors):
    for k in range(matrices.shape[0]):
        if not cholesky(matrices[k], columns, columns.size, factors[k]):
            return k
    return -1


@kernel
def _invert_all(factors, inverses):
    for k in range(factors.shape[0]):
        invert(factors[k], factors.shape[1], inverses[k])


@kernel
def _sum_logs(values):
    total = 0.0
    for i in range(values.size):
        total += log(values[i])
    return total


def factors_and_inverses(matrices: np.ndarray, team: Team | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Lower Cholesky factors of matrices (k, columns, columns), and the factors' inverses."""
    if matrices.shape[1] >= WIDE_COLUMNS:
        team = Team(1, inline=True) if team is None else team
        found = triangles(matrices, team)
        _refuse(next((k for k, one in enumerate(found) if one is None), -1))
        return np.stack([one.lower for one in found if one]), inverses_of(found, team)
    factors, inverses = np.zeros(matrices.shape), np.zeros(matrices.shape)
    _refuse(first_not_positive(matrices, factors))
    _invert_all(factors, inverses)
    return factors, inverses


def _refuse(bad: int) -> None:
    if bad >= 0:
        raise ValueError(f"matrix {bad} is not positive definite.")


def inverses_of(found: Sequence[Triangle | None], team: Team) -> np.ndarray:
    """L⁻¹ of each triangle."""
    return np.stack([one.inverse(team) for one in found if one is not None])


def gram(lower: np.ndarray) -> np.ndarray:
    """Wᵀ W of lower triangles W (k, columns, columns): the inverse of L Lᵀ, if W is that of L."""
    if lower.shape[1] < WIDE_COLUMNS:
        return np.einsum("kji,kjl->kil", lower, lower)
    found = np.zeros_like(lower)
    with one_blas_thread():
        for own, one in zip(found, lower):
            for part in strips(len(one), _STRIP):
                rows = one[part, : part.stop]
                own[: part.stop, : part.stop] += rows.T @ rows  # of a matrix with itself: symmetric, half the work
    return found


FORMS = ("full", "tied", "diag", "spherical")
_NEXT_TO_NOTHING = 10 * np.finfo(np.float64).eps


def next_mixture(before: Gaussians, sums: Sums, form: str, reg_covar: float) -> Gaussians:
    """The mixture that makes the expected log-likelihood largest; not yet checked."""
    total = float(sums.weight.sum())
    lives = sums.weight > _NEXT_TO_NOTHING * total
    weight = np.where(lives, sums.weight, 1.0)[:, None]
    shift = sums.first / weight
    spread = sums.second / weight[:, :, None]
    for part, own in zip(spread, shift):  # one by one: they may be large
        part -= own[:, None] * own if before.is_full else own * own
    means = np.where(lives[:, None], before.means + shift, before.means)
    covariances = _in_form(spread, sums.weight * lives, form, reg_covar)
    if form != "tied" and not lives.all():
        covariances = np.where(lives[:, None, None], covariances, before.covariances)
    return Gaussians(sums.weight / total, means, covariances)


def _in_form(spread: np.ndarray, weight: np.ndarray, form: str, reg_covar: float) -> np.ndarray:
    """Covariances of the components, made to be of a form, and a little larger."""
    if form == "tied":
        total = np.zeros(spread.shape[1:])
        for part, own in zip(spread, weight):
            total += own * part
        spread = np.broadcast_to(total / weight.sum(), spread.shape).copy()
    if form in ("full", "tied"):
        spread[:, np.arange(spread.shape[1]), np.arange(spread.shape[1])] += reg_covar
        return spread
    spread = spread + reg_covar
    return np.repeat(spread.mean(axis=2, keepdims=True), spread.shape[2], axis=2) if form == "spherical" else spread


def check_positive(mixture: Gaussians, team: Team) -> None:
    """Refuse a mixture with a component that has collapsed."""
    if mixture.is_wide:
        bad = next((k for k, one in enumerate(mixture.triangles(team)) if one is None), -1)
    elif mixture.is_full:
        bad = first_not_positive(mixture.covariances, np.zeros_like(mixture.covariances))
    else:
        bad = _first_without_width(mixture)
    if bad >= 0:
        raise ValueError(
            f"Fitting the mixture model failed: component {bad} has collapsed, its covariance is not positive definite "
            "(as that of one row, or of a constant column). Use fewer components, a larger reg_covar or scaled columns."
        )


def _first_without_width(mixture: Gaussians) -> int:
    bad = ~(mixture.covariances > 0).all(axis=(1, 2))
    return int(bad.argmax()) if bad.any() else -1


def publish(covariances: np.ndarray, form: str) -> np.ndarray:
    """Covariances in the shape of their form."""
    if form == "full":
        return covariances
    if form == "tied":
        return covariances[0]
    return covariances[:, 0, :] if form == "diag" else covariances[:, 0, 0]


def expand(published: np.ndarray, form: str, n_components: int, n_columns: int) -> np.ndarray:
    """Published covariances as a pass reads them."""
    if form in ("full", "tied"):
        shape = (n_components, n_columns, n_columns)
    else:
        shape = (n_components, 1, n_columns)
        published = published[:, None, None] if form == "spherical" else published[:, None, :]
    return np.ascontiguousarray(np.broadcast_to(published, shape), np.float64)


def as_matrices(covariances: np.ndarray) -> np.ndarray:
    """(components, columns, columns), whatever the form."""
    if covariances.shape[1] == covariances.shape[2]:
        return covariances
    return covariances[:, 0, :, None] * np.eye(covariances.shape[2])


def precisions(mixture: Gaussians, form: str, team: Team) -> tuple[np.ndarray, np.ndarray]:
    """(inverses of the covariances, upper factors U with U Uᵀ = inverse), in scikit-learn's shapes."""
    if form in ("full", "tied"):
        n = len(mixture.weights) if form == "full" else 1
        if mixture.is_wide:
            lower = inverses_of(mixture.triangles(team)[:n], team)
        else:
            _, lower = factors_and_inverses(mixture.covariances[:n])
        upper, inverse = lower.swapaxes(1, 2), gram(lower)
        return (inverse, upper) if form == "full" else (inverse[0], upper[0])
    published = publish(mixture.covariances, form)
    return 1.0 / published, 1.0 / np.sqrt(published)


def n_parameters(form: str, n_components: int, n_columns: int) -> int:
    """Free numbers of a mixture."""
    pairs = n_columns * (n_columns + 1) // 2
    spread = {"full": n_components * pairs, "tied": pairs, "diag": n_components * n_columns, "spherical": n_components}
    return spread[form] + n_components * n_columns + n_components - 1

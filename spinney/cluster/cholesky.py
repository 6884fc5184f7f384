"""Cholesky factors of covariances (`Triangle`), and what is solved with them.

In:  a symmetric matrix. Out: its `Triangle`, lower L with L Lᵀ = the matrix, or None if it is not positive definite.

Small matrices are factorised by our own loops (`missing_values.py`). Large ones are worked at in blocks of up to 128
columns:

    L  =  [ D0            ]     D  on the diagonal: our own loops, factor and inverse
          [ P   D1        ]     P  all below it: products of matrices, by NumPy's BLAS
          [ P   P   D2    ]

What BLAS makes of a product depends on how many threads it uses. So it gets one (`one_blas_thread`), and our own team
shares out strips of rows, which are cut by the size of the matrix alone: the result does not depend on threads.
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
from spinney.cluster.missing_values import cholesky, invert
from spinney.criteria.exp_log import log

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

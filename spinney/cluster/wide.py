"""Wide: the pass of `expect.py` over tables of many columns, by products of matrices.

With hundreds of columns nearly all work is in the covariances' triangles and in products with them: here these are
blocks that BLAS multiplies (`triangles.py`); each row's shares are computed by Spinney's own loops. Rows are read in
chunks of one size, which are added in their order. All values must be known, and covariances full.

BLAS adds in an order that depends on its number of threads and on the shape of a block. So it runs on one thread, and
the team shares out strips whose size does not depend on the team: the bits are the same on any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spinney._team import Team
from spinney.cluster.plans import LOG_2PI
from spinney.cluster.triangles import Triangle, one_blas_thread, strips

_ROOM = 1 << 22  # numbers of a chunk
_ROWS = 64  # that one thread solves for


def chunks(n_rows: int, n_columns: int) -> list[slice]:
    """Rows of about as many numbers each time."""
    return strips(n_rows, max(1, _ROOM // n_columns))


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

"""Missing values in Gaussian mixtures: what a component makes of rows of which some values are known, as a `Plan`."""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney.cluster.moments import GROUP
from spinney.criteria.exp_log import log

LOG_2PI = 1.8378770664093453


@inner_kernel
def list_known(pattern, known):
    """known[:n] = the known columns; behind them the missing ones. Returns n."""
    n = 0
    for j in range(pattern.size):
        if pattern[j]:
            known[n] = j
            n += 1
    last = n
    for j in range(pattern.size):
        if not pattern[j]:
            known[last] = j
            last += 1
    return n


@inner_kernel
def make_plan(covariance, is_full, log_weight, known, n_known, squares, plan):
    """All that depends on which values are known."""
    n_columns = known.size
    packed = plan[1 : plan.size - 2 * n_columns * n_columns]
    packed[:] = 0.0
    log_factor = log_weight - 0.5 * n_known * LOG_2PI
    if is_full:
        factor, inverse = squares[0], squares[1]
        cholesky(covariance, known, n_known, factor)
        invert(factor, n_known, inverse)
        start = 0
        for i in range(n_known):
            log_factor += log(inverse[i, i])
            for j in range(i + 1):
                packed[start + j * GROUP + i % GROUP] = inverse[i, j]
            if i % GROUP == GROUP - 1:
                start += (i + 1) * GROUP
        if n_known < n_columns:
            _plan_missing(covariance, known, n_known, inverse, plan)
    else:
        for i in range(n_known):
            packed[i] = 1.0 / np.sqrt(covariance[0, known[i]])
            log_factor += log(packed[i])
        for i in range(n_known, n_columns):
            plan[plan.size - n_columns * n_columns + i] = covariance[0, known[i]]
    plan[0] = log_factor


@inner_kernel
def cholesky(covariance, columns, n, factor):
    """factor[:n, :n] = lower L with L Lᵀ = the covariance of some columns; False if it is not positive definite."""
    for i in range(n):
        for j in range(i + 1):
            total = covariance[columns[i], columns[j]]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                if not total > 0.0:
                    return False
                factor[i, i] = np.sqrt(total)
            else:
                factor[i, j] = total / factor[j, j]
    return True


@inner_kernel
def invert(factor, n, inverse):
    """The inverse of a lower triangle."""
    for j in range(n):
        inverse[j, j] = 1.0 / factor[j, j]
        for i in range(j + 1, n):
            total = 0.0
            for k in range(j, i):
                total -= factor[i, k] * inverse[k, j]
            inverse[i, j] = total / factor[i, i]


@inner_kernel
def _plan_missing(covariance, known, n_known, inverse, plan):
    """Regression of each missing column m on the known ones o, S_mo S_oo⁻¹, and what stays: S_mm - S_mo S_oo⁻¹ S_om."""
    n_columns = known.size
    regression = plan[plan.size - 2 * n_columns * n_columns : plan.size - n_columns * n_columns]
    rest = plan[plan.size - n_columns * n_columns :]
    for m in range(n_known, n_columns):
        for j in range(n_known):  # (S_mo Wᵀ) W, with S_oo⁻¹ = Wᵀ W
            regression[m * n_columns + j] = 0.0
        for i in range(n_known):
            total = 0.0
            for j in range(i + 1):
                total += covariance[known[m], known[j]] * inverse[i, j]
            for j in range(i + 1):
                regression[m * n_columns + j] += total * inverse[i, j]
    for m in range(n_known, n_columns):
        for other in range(n_known, n_columns):
            total = covariance[known[m], known[other]]
            for j in range(n_known):
                total -= regression[m * n_columns + j] * covariance[known[j], known[other]]
            rest[m * n_columns + other] = total

"""Pessimistic errors: how many more errors than it made in training a leaf must be expected to make (C4.5).

A leaf that answers `errors` of its n training rows wrongly is read as n draws with that many failures. The chance of
failure is then taken at the upper end of its confidence interval: with probability `cf` it is even higher. The excess
over the errors counted is what `extra_errors` returns.

    errors = 0        n (1 - cf^(1/n)), exactly: the p at which n draws without failure have probability cf
    errors >= 1       the normal approximation with half an error added for continuity (the Wilson score bound)
    0 < errors < 1    on the straight line between the two
    errors + 1/2 >= n all rows wrong: n - errors

n and errors need not be whole: rows with missing values count in parts. The normal quantile is computed; C4.5 itself
interpolates it in a table of nine values (0.6925 for the true 0.6745 at cf = 0.25).
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.exp_log import exp, log_of
from spinney.criteria.fixed_point import to_digits

SLACK = 0.1  # errors: C4.5 keeps a branch only if it promises more than this fewer than a leaf


class ConfidenceLevel(NamedTuple):
    """What the bound needs to know of `cf`."""

    log: float  # its natural logarithm
    quantile: float  # the normal deviate that is exceeded with probability cf


def confidence(cf: float) -> ConfidenceLevel:
    """Prepare a confidence level in (0, 0.5]: smaller is more pessimistic, so that more is pruned."""
    if not 0.0 < cf <= 0.5:
        raise ValueError(f"cf must lie above 0 and be at most 0.5, got {cf!r}.")
    return ConfidenceLevel(log_of(cf), to_digits(NormalDist().inv_cdf(1.0 - cf), 12))


def extra_errors(n: Any, errors: Any, cf: float = 0.25) -> Any:
    """Errors to expect beyond those counted, of leaves with n rows of which `errors` are wrong.

    Parameters
    ----------
    n, errors : float or array of floats
        Weight of the rows, and of those that the leaf answers wrongly; arrays of one shape.
    cf : float in (0, 0.5], default=0.25

    Returns
    -------
    float, or an array of the same shape

    Examples
    --------
    >>> from spinney.criteria.pessimism import extra_errors
    >>> round(extra_errors(6, 0), 3)
    1.238
    """
    level = confidence(cf)
    n, errors = np.broadcast_arrays(np.asarray(n, np.float64), np.asarray(errors, np.float64))
    extra = np.empty(n.shape)
    _fill(n.ravel(), errors.ravel(), level, extra.reshape(-1))
    return extra if extra.ndim else float(extra)


@kernel
def _fill(n, errors, level, extra):
    for k in range(n.size):
        extra[k] = errors_to_add(n[k], errors[k], level)


@inner_kernel
def errors_to_add(n, errors, level):
    """The formula for one leaf; `level` is a `ConfidenceLevel`."""
    if n <= 0.0:
        return 0.0
    if errors >= 1.0:
        return _score_bound(n, errors, level.quantile)
    none = n * (1.0 - exp(level.log / n))
    return none if errors <= 0.0 else none + errors * (_score_bound(n, 1.0, level.quantile) - none)


@inner_kernel
def _score_bound(n, errors, quantile):
    """The excess by the normal approximation."""
    counted = errors + 0.5
    if counted >= n:
        return max(n - errors, 0.0)
    square = quantile * quantile
    spread = quantile * np.sqrt(counted * (1.0 - counted / n) + square / 4.0)
    return n * (counted + square / 2.0 + spread) / (n + square) - errors

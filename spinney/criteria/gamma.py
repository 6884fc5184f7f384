"""The gamma function's logarithm and the digamma function, from plain IEEE operations: the same bits on every machine.

In: positive numbers. Out: their values, to about 1e-14 of max(1, |value|). Both are asymptotic series for arguments of
at least 12, to which smaller ones are taken by the recurrence gamma(x + 1) = x gamma(x) (Abramowitz and Stegun 6.1.40
and 6.3.18).
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.elementary import log, of_each

_ENOUGH = 12.0
_HALF_LOG_2PI = 0.9189385332046727


@inner_kernel
def log_gamma(x):
    """ln gamma(x), x > 0."""
    product = 1.0
    while x < _ENOUGH:
        product *= x
        x += 1.0
    y = 1.0 / (x * x)
    series = 691.0 / 360360.0
    series = 1.0 / 1188.0 - series * y
    series = 1.0 / 1680.0 - series * y
    series = 1.0 / 1260.0 - series * y
    series = 1.0 / 360.0 - series * y
    series = 1.0 / 12.0 - series * y
    found = (x - 0.5) * log(x) - x + _HALF_LOG_2PI + series / x
    return found - log(product) if product != 1.0 else found


@inner_kernel
def digamma(x):
    """The derivative of ln gamma(x), x > 0."""
    before = 0.0
    while x < _ENOUGH:
        before -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = 691.0 / 32760.0
    series = 1.0 / 132.0 - series * y
    series = 1.0 / 240.0 - series * y
    series = 1.0 / 252.0 - series * y
    series = 1.0 / 120.0 - series * y
    series = 1.0 / 12.0 - series * y
    return before + (log(x) - 0.5 / x - series * y)


@kernel
def _fill_log_gammas(x, out):
    for i in range(x.size):
        out[i] = log_gamma(x[i])


@kernel
def _fill_digammas(x, out):
    for i in range(x.size):
        out[i] = digamma(x[i])


def log_gammas_of(x: np.ndarray) -> np.ndarray:
    """ln gamma of every number."""
    return of_each(_fill_log_gammas, x)


def digammas_of(x: np.ndarray) -> np.ndarray:
    """The digamma function of every number."""
    return of_each(_fill_digammas, x)

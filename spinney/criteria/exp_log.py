"""exp and log with the same bits on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel, view_as_float, view_as_int

# ----------------------------------------------------------------------------------------------------------------------
# exp and log from plain IEEE operations: the same bits on every machine, and simple enough to vectorise.
#
# Both are accurate to about one unit in the last place over the range that losses use. NaN and infinities are not their
# concern; `exp` saturates beyond +-700.


LN2 = 0.6931471805599453
_LOG2E = 1.4426950408889634
_LN2_HIGH = 6.93145751953125e-1  # few bits, so that k * _LN2_HIGH is exact
_LN2_LOW = 1.42860682030941723212e-6
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds a number to an integer, in its low bits
_SQRT_HALF = 0.7071067811865476


@inner_kernel
def exp(x):
    """e to the x: x = k ln 2 + r, a polynomial for e^r, and k into the exponent bits."""
    x = -700.0 if x < -700.0 else (700.0 if x > 700.0 else x)
    shifted = x * _LOG2E + _ROUND
    k = shifted - _ROUND
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.6059043836821613e-10
    p = p * r + 2.08767569878681e-9
    p = p * r + 2.505210838544172e-8
    p = p * r + 2.755731922398589e-7
    p = p * r + 2.7557319223985893e-6
    p = p * r + 2.48015873015873e-5
    p = p * r + 1.984126984126984e-4
    p = p * r + 1.3888888888888889e-3
    p = p * r + 8.333333333333333e-3
    p = p * r + 4.1666666666666664e-2
    p = p * r + 1.6666666666666666e-1
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    power = view_as_float((view_as_int(shifted) << np.int64(52)) + np.int64(0x3FF0000000000000))
    return p * power


@inner_kernel
def log(x):
    """Natural logarithm of a positive normal number: m 2^k with m near 1, then the odd series of atanh."""
    bits = view_as_int(x)
    k = float((bits >> np.int64(52)) - np.int64(1023))
    m = view_as_float((bits & np.int64(0x000FFFFFFFFFFFFF)) | np.int64(0x3FE0000000000000))  # in [1/2, 1)
    k = k if m < _SQRT_HALF else k + 1.0
    m = 2.0 * m if m < _SQRT_HALF else m  # in [sqrt(1/2), sqrt(2))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 0.05263157894736842  # 1/19
    p = p * z + 0.058823529411764705
    p = p * z + 0.06666666666666667
    p = p * z + 0.07692307692307693
    p = p * z + 0.09090909090909091
    p = p * z + 0.1111111111111111
    p = p * z + 0.14285714285714285
    p = p * z + 0.2
    p = p * z + 0.3333333333333333
    return k * _LN2_HIGH + (2.0 * s + (2.0 * s * z * p + k * _LN2_LOW))


@inner_kernel
def log1p_exp(x):
    """log(1 + e^x) without overflow."""
    return (x if x > 0.0 else 0.0) + log(1.0 + exp(-abs(x)))


@inner_kernel
def sigmoid(x):
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + exp(-x))


# --- for whoever is not a kernel -------------------------------------------------------------------------------------


@kernel
def _log_of(x):
    return log(x)


@kernel
def _exp_of(x):
    return exp(x)


@kernel
def _fill_logs(x, out):
    for i in range(x.size):
        out[i] = log(x[i])


@kernel
def _fill_sigmoids(x, out):
    for i in range(x.size):
        out[i] = sigmoid(x[i])


@kernel
def _fill_exps(x, out):
    for i in range(x.size):
        out[i] = exp(x[i])


def log_of(x: float) -> float:
    """`log` of one number."""
    return float(_log_of(float(x)))


def exp_of(x: float) -> float:
    """`exp` of one number."""
    return float(_exp_of(float(x)))


def logs_of(x: np.ndarray) -> np.ndarray:
    """`log` of every number."""
    return of_each(_fill_logs, x)


def exps_of(x: np.ndarray) -> np.ndarray:
    """`exp` of every number."""
    return of_each(_fill_exps, x)


def sigmoids_of(x: np.ndarray) -> np.ndarray:
    """`sigmoid` of every number."""
    return of_each(_fill_sigmoids, x)


def of_each(fill: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    """A kernel `fill(numbers, out)`, for an array of any shape."""
    flat = np.ascontiguousarray(x, np.float64).ravel()
    out = np.empty(len(flat))
    fill(flat, out)
    return out.reshape(x.shape)

"""Weighted quantiles of numbers that lie on several machines, exactly, for many groups of them at a time.

In:  this machine's numbers in segments, whole weights, the other machines. Out: for every segment the quantile that
`renew_leaves` and `weighted_quantile` find where all numbers are in one place, bit for bit.

Numbers are sorted by their bits as unsigned integers (`order_bits`). Eight times, one byte of the answer is found: each
machine adds up the weights of its numbers that begin with the bytes known so far, by their next byte; the sums of all
machines say in which byte the quantile lies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.criteria.fixed_point import scale_exponent, whole_numbers
from spinney.data.weights import Weights

_SIGN, _ALL = np.uint64(1 << 63), np.uint64(2**64 - 1)
_DIGITS = 8


def order_bits(values: np.ndarray) -> np.ndarray:
    """uint64 that sort like the numbers."""
    bits = (values + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def number_of(keys: np.ndarray) -> np.ndarray:
    """The numbers of such bits."""
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


def renew_leaves_together(
    others: Any,
    leaves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    residuals: np.ndarray,
    weight: np.ndarray,
    quantile: float,
    values: np.ndarray,
) -> None:
    """`renew_leaves` of ensemble/boosting/gradients.py for residuals of which other machines have more."""
    values[leaves] = quantiles(others, order_bits(residuals), weight, start[leaves], stop[leaves], quantile)


def quantile_together(others: Any, values: np.ndarray, weights: Weights, scale: int, q: float) -> float:
    """`weighted_quantile` of criteria/fixed_point.py; importances are made whole by the power of two `scale`."""
    weight = weights.total()
    whole = np.empty(0, np.int64) if weight is None else whole_numbers(weight, scale)
    one = np.zeros(1, np.int64)
    return float(quantiles(others, order_bits(values), whole, one, one + len(values), q)[0])


def total_scale(weights: Weights) -> int:
    """The scale that `weighted_quantile` makes weights whole by; from those of all rows."""
    weight = weights.total()
    return 0 if weight is None else scale_exponent(float(weight[weight > 0].sum()), 60)


def quantiles(
    others: Any, keys: np.ndarray, weight: np.ndarray, start: np.ndarray, stop: np.ndarray, quantile: float
) -> np.ndarray:
    """Of each segment start .. stop of the keys: the least number that reaches the goal, or halfway to the next."""
    n = len(start)
    known, before = np.zeros(n, np.uint64), np.zeros(n, np.int64)
    total = goal = np.empty(0)
    for digit in range(_DIGITS):
        sums = np.zeros((n, 256), np.int64)
        _add_digits(keys, weight, start, stop, known, digit, sums)
        sums = others.sum(sums)
        if digit == 0:
            total = sums.sum(axis=1)
            goal = quantile * total
        reached = (before[:, None] + np.cumsum(sums, axis=1)).astype(np.float64)
        place = np.minimum((reached < goal[:, None]).sum(axis=1), 255)
        before += np.cumsum(sums, axis=1)[np.arange(n), place] - sums[np.arange(n), place]
        known = known << np.uint64(8) | place.astype(np.uint64)
        last = sums[np.arange(n), place]
    reached = before + last
    further = (reached.astype(np.float64) == goal) & (reached < total)
    upper = known
    if further.any():
        above = np.zeros(n, np.uint64)  # the complement: the largest is the next number's
        _find_next(keys, weight, start, stop, known, above)
        upper = np.where(further, ~others.maximum(above), known)
    return number_of(known) / 2 + number_of(upper) / 2


@kernel
def _add_digits(keys, weight, start, stop, known, digit, sums):
    """sums[s, byte] += weights of the keys of segment s that begin with its known bytes, by the next byte."""
    shift = np.uint64(8 * (7 - digit))
    for s in range(start.size):
        wanted, own = known[s], sums[s]
        for i in range(start[s], stop[s]):
            rest = keys[i] >> shift
            if digit == 0 or rest >> np.uint64(8) == wanted:
                own[np.int64(rest & np.uint64(255))] += weight[i] if weight.size else np.int64(1)


@kernel
def _find_next(keys, weight, start, stop, known, above):
    """above[s] = complement of the least key of segment s beyond the known one that has weight."""
    for s in range(start.size):
        for i in range(start[s], stop[s]):
            if keys[i] > known[s] and (weight[i] > 0 if weight.size else True):
                above[s] = max(above[s], ~keys[i])

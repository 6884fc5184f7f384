"""Real numbers as integers, so that sums come out the same in any order.

The scale is always a power of two: scaling is exact, and only the rounding to an integer loses anything.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spinney.data.weights import Weights

_BLOCK = 1 << 16  # values summed at a time


def scale_exponent(largest: float, bits: int, most: int = 1000) -> int:
    """The largest power e, up to `most`, with `largest * 2**e` below `2**bits`; 0 when nothing is to be scaled."""
    if largest == 0.0:
        return 0
    return min(most, bits - math.frexp(largest)[1])


def exponent_of_sum(values: np.ndarray, bits: int, most: int = 1000) -> int:
    """`scale_exponent` of the sum of values, whatever their order.

    >>> exponent_of_sum(np.full(10, 0.1), 60)
    59
    """
    total, exponent = _integer_sum(values, None)
    return min(most, bits - math.frexp(total)[1] - exponent) if total else 0


def whole_numbers(values: np.ndarray, exponent: Any) -> np.ndarray:
    """Values * 2**exponent, rounded to int64."""
    return np.rint(np.ldexp(values, exponent)).astype(np.int64)


def to_digits(number: float, digits: int) -> float:
    """A number that other code computed, to fewer decimal digits than it may get wrong on another machine."""
    return float(f"{number:.{digits - 1}e}")


def exact_sum(values: np.ndarray, weights: Weights) -> tuple[float, float]:
    """(weighted sum of values, sum of weights), each by one integer sum."""
    total, weight = _integer_sums(values, weights)
    return math.ldexp(*total), math.ldexp(*weight)


def _integer_sums(values: np.ndarray, weights: Weights) -> tuple[tuple[float, int], tuple[float, int]]:
    """Weighted sum of values and sum of weights, each as (x, e) for x * 2**e."""
    if weights.importance is not None:
        return _integer_sum(values * weights.importance, None), _integer_sum(weights.importance, None)
    n = float(len(values)) if weights.counts is None else float(weights.counts.sum())
    return _integer_sum(values, weights.counts), (n, 0)


def _integer_sum(values: np.ndarray, counts: np.ndarray | None) -> tuple[float, int]:
    units = max(1, len(values) if counts is None else int(counts.sum()))
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    exponent = scale_exponent(largest, 61 - units.bit_length(), 2000)
    total = 0
    for begin in range(0, len(values), _BLOCK):  # without copies of all the values
        part = slice(begin, begin + _BLOCK)
        whole = whole_numbers(values[part], exponent)
        total += int((whole if counts is None else whole * counts[part]).sum())
    return float(total), -exponent


def exact_mean(values: np.ndarray, weights: Weights) -> float:
    """Weighted mean that does not depend on the order of the rows."""
    (total, exponent), (weight, weight_exponent) = _integer_sums(values, weights)
    return math.ldexp(total / weight, exponent - weight_exponent)


def exact_means_of_cells(columns: Any, weights: Weights) -> np.ndarray:
    """`exact_mean` of each column of a sparse table in SciPy's CSC form, from its stored cells; bit for bit."""
    n_rows, first = columns.shape[0], columns.indptr
    values, factor, units = columns.data.astype(np.float64), weights.importance, n_rows
    total_weight, weight_exponent = (float(n_rows), 0) if factor is None else _integer_sum(factor, None)
    if factor is not None:
        values *= factor[columns.indices]
    elif weights.counts is not None:
        units = int(weights.counts.sum())
        total_weight = float(units)
    of_column = np.repeat(np.arange(len(first) - 1), np.diff(first))
    largest = np.zeros(len(first) - 1)
    np.maximum.at(largest, of_column, np.abs(values))
    exponents = np.minimum(2000, 61 - max(1, units).bit_length() - np.frexp(largest)[1])
    exponents[largest == 0.0] = 0
    whole = whole_numbers(values, exponents[of_column])
    if factor is None and weights.counts is not None:
        whole *= weights.counts[columns.indices]
    reached = np.concatenate([np.zeros(1, np.int64), np.cumsum(whole)])
    totals = (reached[first[1:]] - reached[first[:-1]]).astype(np.float64)
    return np.ldexp(totals / total_weight, -exponents - weight_exponent)


def relative(weights: Weights) -> Weights:
    """Importances as multiples of their mean over the rows that count; repetitions as they are.

    Weights times a power of two so become the same numbers, bit for bit, and times anything else the same but for
    rounding. Penalties and limits on hessians, which are absolute, then mean the same for all of them.
    """
    if weights.importance is None:
        return weights
    rows = weights.rows()
    counted = weights.importance if rows is None else weights.importance[rows]
    return weights._replace(importance=weights.importance / exact_mean(counted, Weights(None, None)))


def weighted_quantile(values: np.ndarray, weights: Weights, q: float) -> float:
    """The smallest value with a share q of the weight at or below it; the mean with the next if it is just q."""
    weight = weights.total()
    if weight is not None and not weight.all():  # rows of no weight are not there
        values, weight = values[weight > 0], weight[weight > 0]
    order = np.argsort(values, kind="stable")
    if weight is None:
        reached = np.arange(1, len(values) + 1, dtype=np.float64)
    else:
        scale = exponent_of_sum(weight, 60)
        reached = np.cumsum(whole_numbers(weight[order], scale)).astype(np.float64)
    goal = q * reached[-1]
    low = min(int(np.searchsorted(reached, goal, side="left")), len(values) - 1)
    high = min(int(np.searchsorted(reached, goal, side="right")), len(values) - 1)
    return float(values[order[low]] / 2 + values[order[high]] / 2)

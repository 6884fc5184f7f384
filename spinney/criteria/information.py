"""Information in bits: entropy, gain, gain ratio; and the same in whole numbers, for the loops of ID3 and C4.5.

For reading, `information_gain` and its kin take counts and return floats. For growing trees, weights are whole
numbers of *units*, 2**24 to a row, and so is what entropy is made of, the *term* x log2(x) of a weight of x rows:

    entropy of a node times its weight = term(weight) - sum over the classes of term(weight of the class)

Sums of whole numbers have no rounding and no order: two ways to the same split are exactly the same gain, and a running
sum over thresholds never drifts. Each term is rounded once, to 2**-36 of a bit or finer for up to a million rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.exp_log import LN2, log, log_of, logs_of

ROW_BITS = 24
ROW = 1 << ROW_BITS  # units of a row of weight 1
_UNIT = 1.0 / ROW
_PART = ROW - 1  # the bits of a weight below one row
_PER_LOG = 1.0 / LN2
_MOST_TABLED = 1 << 20  # whole weights whose terms are looked up
_FINEST = 40  # bits after the point of a term, at most
_TIE = 2.0**-30  # bits times rows: more than rounding adds up to, less than any difference that counts


def entropy(weights: Any) -> Any:
    """Entropy in bits of classes with these weights, along the last axis.

    >>> entropy([9, 5]).round(3), entropy([1, 1, 1, 1])
    (np.float64(0.94), np.float64(2.0))
    """
    weights = np.asarray(weights, np.float64)
    total = weights.sum(axis=-1, keepdims=True)
    share = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    bits = logs_of(np.where(share > 0, share, 1.0)) / LN2
    return np.abs((share * bits).sum(axis=-1))


def decrease(branches: Any, measure: Callable[[np.ndarray], Any]) -> Any:
    """By how much a split lowers an impurity, from the weights (..., branch, class); 0 where there is no weight."""
    branches = np.asarray(branches, np.float64)
    size = branches.sum(axis=-1)
    total = size.sum(axis=-1)
    below = (size * measure(branches)).sum(axis=-1)
    return np.maximum(measure(branches.sum(axis=-2)) - below / np.where(total > 0, total, 1.0), 0.0)


def information_gain(branches: Any) -> Any:
    """Bits that a question saves; `branches` holds the weight of each class in each branch, (..., branch, class)."""
    return decrease(branches, entropy)


def gain_ratio(branches: Any) -> Any:
    """`information_gain` as a share of the bits that it takes to tell the branch; 0 where there is but one."""
    told = entropy(np.asarray(branches, np.float64).sum(axis=-1))
    return np.divide(information_gain(branches), told, out=np.zeros_like(told), where=told > 0.0)


class Terms(NamedTuple):
    """How terms are computed in one fit."""

    table: np.ndarray  # int64: the terms of 0, 1, 2, ... rows
    scale: float  # units of a term in one bit for one row
    tie: int  # sums of terms that differ by no more are equal


def make_terms(total: int) -> Terms:
    """Terms for weights up to `total` units."""
    scale = term_scale(total / ROW)
    table = np.zeros(min(_MOST_TABLED, (total >> ROW_BITS) + 1), np.int64)
    _fill_table(table, scale)
    return Terms(table, scale, int(scale * _TIE))


def term_scale(rows: float) -> float:
    """Units of a term: as fine as the largest one allows in 61 bits."""
    largest = math.frexp(max(2.0, rows * (log_of(max(2.0, rows)) / LN2)))[1]
    return math.ldexp(1.0, min(_FINEST, 61 - largest))


@kernel
def _fill_table(table, scale):
    for whole in range(table.size):
        table[whole] = _computed_term(np.int64(whole) << ROW_BITS, scale)


@inner_kernel
def _computed_term(units, scale):
    if units <= 0:
        return np.int64(0)
    rows = float(units) * _UNIT
    return np.int64(np.floor(rows * (log(rows) * _PER_LOG) * scale + 0.5))


@inner_kernel
def term(units, terms):
    """x log2(x) of a weight of x rows, in units of 1 / terms.scale."""
    whole = units >> ROW_BITS
    if units & _PART == 0 and whole < terms.table.size:
        return terms.table[whole]
    return _computed_term(units, terms.scale)


@inner_kernel
def bits_per_row(terms_sum, units, terms):
    """A sum of terms as bits a row, for `units` of weight."""
    return float(terms_sum) / terms.scale / (float(units) * _UNIT)

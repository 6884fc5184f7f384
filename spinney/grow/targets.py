"""A target as integers: what each row adds to the sums of its node, for exact trees and forests.

In: a `Target` and a criterion. Out: one of four kinds of statistics, each with its own way to score splits.

    Pairs     two classes, or one number            sums: weight, amount
    Classes   classes, of one or more outputs       sums: weight, weight of each class of each output
    Values    several numbers                       sums: weight, amount of each output
    Medians   numbers, scored by absolute error     sums: weight

All sums are integers. Integer weights stay unchanged; others are fixed-point numbers of 52 bits for the whole table.
Numbers are centred on their mean (except for Poisson) and stored as fixed-point numbers as fine as their sum allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.criteria.fixed_point import exact_mean, exponent_of_sum, scale_exponent, whole_numbers
from spinney.criteria.impurity import (
    ABSOLUTE,
    ENTROPY,
    GINI,
    OF_NUMBERS,
    OWN,
    POISSON,
    SQUARED,
    check_branches,
    log_table,
    pair_decrease,
    side_score,
)
from spinney.criteria.user_criterion import compile_criterion
from spinney.data.target import Target
from spinney.data.weights import Weights

_WEIGHT_BITS = 52  # a float64 holds every sum of weights exactly
_SUM_BITS = 61
_BYTE = 127  # the most that an int8 holds
_FINEST = 1074  # 2**-1074 is the least float64
_MOST_LOGS = 1 << 24  # entries of the table of logarithms
_MOST_SQUARES = 1 << 62  # sums of squares up to here fit


class Pairs(NamedTuple):
    amount: np.ndarray  # int64 by row, or int8 if small weights are all there is
    weight: Any  # the same; None: all are 1
    square: Any  # int64, by row: weight times number squared; None where nobody asks for it
    y: np.ndarray  # float64, by row: what a pure node has one value of
    logs: np.ndarray
    units: np.ndarray  # float64: of weight, amount, square


class Classes(NamedTuple):
    place: np.ndarray  # int32 (outputs, rows): where a row's class has its sum
    weight: Any
    logs: np.ndarray
    first: np.ndarray  # int64 (outputs + 1): where each output's classes begin in the sums
    by_terms: bool  # scores are kept up to date row by row, see exact/scan_sums.py
    code: int  # of the criterion
    unit: float  # of weight


class Values(NamedTuple):
    amounts: np.ndarray  # int64 (outputs, rows)
    weight: Any
    ys: np.ndarray  # float64 (outputs, rows)
    logs: np.ndarray  # empty
    units: np.ndarray


class Medians(NamedTuple):
    numbers: np.ndarray  # int64 (outputs, rows), not yet multiplied by the weight
    weight: Any
    ys: np.ndarray
    units: np.ndarray


def fixed_weights(weights: Weights, bits: int = _WEIGHT_BITS) -> tuple[np.ndarray | None, float, int]:
    """(integer weight of each row, its unit, their sum); (None, 1, -1) where every row weighs 1."""
    if weights.importance is not None:
        exponent = exponent_of_sum(weights.importance, bits, _FINEST)
        whole = np.maximum(whole_numbers(weights.importance, exponent), 1)
        return whole, 2.0**-exponent, int(whole.sum())
    if weights.counts is None:
        return None, 1.0, -1
    return weights.counts, 1.0, int(weights.counts.sum())


def pair_of_classes(label: np.ndarray, weights: Weights, criterion: int) -> Pairs:
    """Two classes, 0 and 1."""
    weight, unit, total = fixed_weights(weights)
    total = len(label) if weight is None else total
    if weight is not None and weight.max() <= _BYTE:
        weight = weight.astype(np.int8)  # read in the order of every column: bytes stay in the cache
    amount = label.astype(np.int64) if weight is None else weight * label.astype(weight.dtype)
    logs = log_table(total) if criterion == ENTROPY and unit == 1.0 and total < _MOST_LOGS else np.empty(0, np.int64)
    return Pairs(amount, weight, None, label.astype(np.float64), logs, np.array([unit, unit, unit]))


def classes(labels: np.ndarray, n_classes: tuple[int, ...], weights: Weights, criterion: int) -> Classes:
    """Labels (outputs, rows) of any number of classes."""
    weight, unit, total = fixed_weights(weights)
    total = labels.shape[1] if weight is None else total
    whole = weights.importance is None and total * total * len(n_classes) < _MOST_SQUARES
    has_logs = criterion == ENTROPY and whole and total < _MOST_LOGS
    logs = log_table(total) if has_logs else np.empty(0, np.int64)
    first = np.cumsum([1, *n_classes], dtype=np.int64)
    place = (labels + first[:-1, None]).astype(np.int32)
    by_terms = has_logs or (whole and criterion == GINI)
    return Classes(place, weight, logs, first, by_terms, criterion, unit)


def pair_of_number(y: np.ndarray, weights: Weights, centred: bool, with_squares: bool) -> tuple[Pairs, float]:
    """One number per row; also returns the centre that was subtracted."""
    whole = fixed_numbers(y[None, :], weights, centred)
    square, square_unit = None, 1.0
    if with_squares:
        mass = (y - whole.centre[0]) ** 2 * (1.0 if whole.weight is None else whole.weight * whole.weight_unit)
        square, square_unit = _fixed(mass, len(y))
    units = np.array([whole.weight_unit, whole.unit, square_unit])
    return Pairs(whole.amounts[0], whole.weight, square, y, np.empty(0, np.int64), units), float(whole.centre[0])


def several_numbers(y: np.ndarray, weights: Weights, centred: bool) -> tuple[Values, np.ndarray]:
    """Numbers (outputs, rows); also returns the centre that was subtracted from each output."""
    whole = fixed_numbers(y, weights, centred)
    return Values(
        whole.amounts, whole.weight, y, np.empty(0, np.int64), np.array([whole.weight_unit, whole.unit])
    ), whole.centre


def medians(y: np.ndarray, weights: Weights) -> Medians:
    """Numbers (outputs, rows) for absolute error. A number times the sum of weights must fit: fewer bits for each."""
    weight, weight_unit, total = fixed_weights(weights, 30)
    total = y.shape[1] if weight is None else total
    centre = (y.max(axis=1) / 2 + y.min(axis=1) / 2)[:, None]
    numbers, unit = _fixed(y - centre, total)
    return Medians(numbers, weight, y, np.array([weight_unit, unit]))


def make_statistics(target: Target, code: int, own: Callable[..., Any] | None) -> tuple[Any, int, Any]:
    """(statistics, how many sums they have, criterion for the kernel); `own` is the user's function, if any."""
    if target.labels is not None and target.n_classes is not None:
        if target.n_classes == (2,):
            criterion = code if own is None else compile_criterion(own, "two classes")
            return pair_of_classes(target.labels[0], target.weights, code), 3, criterion
        many = classes(target.labels, target.n_classes, target.weights, code)
        return many, int(many.first[-1]) + 1, code if own is None else compile_criterion(own, "classes")
    y = target.y
    assert y is not None
    if code == ABSOLUTE:
        return medians(y, target.weights), len(y) + 1, code
    centred = code not in (POISSON, OWN)
    if len(y) > 1:
        return several_numbers(y, target.weights, centred)[0], len(y) + 1, code
    criterion = code if own is None else compile_criterion(own, "numbers")
    return pair_of_number(y[0], target.weights, centred, own is not None)[0], 3, criterion


class _Whole(NamedTuple):
    amounts: np.ndarray
    unit: float
    weight: np.ndarray | None
    weight_unit: float
    centre: np.ndarray


def fixed_numbers(y: np.ndarray, weights: Weights, centred: bool) -> _Whole:
    weight, weight_unit, _ = fixed_weights(weights)
    float_weight = None if weight is None else weight * weight_unit
    centre = np.array([exact_mean(one, weights) if centred else 0.0 for one in y])
    apart = y - centre[:, None]
    amounts, unit = _fixed(apart if float_weight is None else apart * float_weight, y.shape[1])
    return _Whole(amounts, unit, weight, weight_unit, centre)


def _fixed(numbers: np.ndarray, n: int) -> tuple[np.ndarray, float]:
    """Numbers as integers of which n can be added up, and the unit of these."""
    exponent = scale_exponent(float(np.abs(numbers).max(initial=0.0)), _SUM_BITS - n.bit_length(), _FINEST)
    return whole_numbers(numbers, exponent), 2.0**-exponent


# --- what kernels ask ------------------------------------------------------------------------------------------------

check_branches("targets.decrease_of_pair and decrease_of_values", OF_NUMBERS, SQUARED, POISSON, ABSOLUTE)


@inner_kernel
def weight_at(weight, row):
    """The weight of a row; None stands for ones."""
    if weight is None:
        return np.int64(1)
    else:  # Numba drops the other branch by the type of `weight`
        return np.int64(weight[row])


@inner_kernel
def decrease_of_pair(statistics, code, score, total, node):
    """The impurity decrease of a split with this score, times the weight of the node."""
    weight = float(total[0]) * statistics.units[0]
    if code == OWN:
        return score * weight
    value = pair_decrease(code, score, total[0], total[1], statistics.logs)
    scale = statistics.units[1] / statistics.units[0]
    if code == SQUARED:
        value *= scale * scale
    elif code == POISSON:
        value *= scale
    return max(0.0, value) * weight


@inner_kernel
def same_pair(statistics, a, b):
    """Whether two rows have the same target."""
    return statistics.y[a] == statistics.y[b]


@inner_kernel
def decrease_of_classes(statistics, code, score, total, node):
    if code == OWN:
        return score * float(total[0]) * statistics.unit
    before = 0.0
    for o in range(statistics.first.size - 1):
        part = total[statistics.first[o] : statistics.first[o + 1]]
        before += side_score(code, part, total[0], statistics.logs)
    return max(0.0, score - before) * statistics.unit / float(statistics.first.size - 1)


@inner_kernel
def same_classes(statistics, a, b):
    for o in range(statistics.place.shape[0]):
        if statistics.place[o, a] != statistics.place[o, b]:
            return False
    return True


@inner_kernel
def decrease_of_values(statistics, code, score, total, node):
    scale, weight = statistics.units[1] / statistics.units[0], float(total[0])
    n_outputs = statistics.amounts.shape[0]
    if code == SQUARED:
        value = score / (weight * weight) * scale * scale
    else:
        value = score / weight * scale
        for o in range(1, n_outputs + 1):  # a score of 0 has the node's own deviance to fall by
            value += pair_decrease(code, 0.0, total[0], total[o], statistics.logs) * scale
    return max(0.0, value) * weight * statistics.units[0] / float(n_outputs)


@inner_kernel
def same_values(statistics, a, b):
    for o in range(statistics.ys.shape[0]):
        if statistics.ys[o, a] != statistics.ys[o, b]:
            return False
    return True

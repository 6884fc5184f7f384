"""The cost of a leaf, as an integer: what the search adds up and compares.

In: a `Target`, a criterion, a penalty per leaf. Out: `Costs`, and what each row adds to the sums of its node.

    classes   sums: weight of each class
    numbers   sums: weight, amount, squares (amounts and squares around the mean of all rows)

A last sum counts rows, where weights do not and leaves have a minimum. Costs are in units of 2**-bits of the weight.
They are concave in the sums, and homogeneous: a set of rows costs at least as much as its parts together, and as any
part alone. All bounds of the search follow from this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.criteria.fixed_point import exact_mean, scale_exponent
from spinney.criteria.impurity import ENTROPY, ERROR, GINI, SQUARED, log_table, x_log_x
from spinney.data.target import Target
from spinney.grow.targets import fixed_weights

NEVER = 1 << 61  # the cost of what is not allowed; two of them can be added
_BITS, _MOST_BITS = 24, 58
_MOST_LOGS = 1 << 24  # entries of the table of logarithms
_AMOUNT_BITS, _SQUARE_BITS = 60, 52


class Costs(NamedTuple):
    """How sums become costs."""

    code: int  # of the criterion
    n_parts: int  # classes, or 3 sums of numbers
    logs: np.ndarray  # int64: of whole weights; empty: computed
    factor: float  # cost per unit of weight; numbers: of amount ** 2 / weight
    whole: int  # the same as an integer, for errors
    penalty: int  # of a leaf
    move: float  # by how much a unit of weight can raise the cost of a tree, at most; 0: not known
    slack: int  # what rounding may take off a bound
    min_leaf: int  # rows of a leaf, at least
    min_weight: int  # its weight, at least
    limited: bool  # whether either rules out a leaf
    count_at: int  # the sum that counts rows; -1: that of the weights


class CostParts(NamedTuple):
    """What each row adds."""

    label: np.ndarray  # int32; empty for numbers
    weight: np.ndarray  # int64
    amounts: np.ndarray  # int64 (sums, rows); classes: (1, rows) what it adds to the count of rows, if one is kept


class Objective(NamedTuple):
    costs: Costs
    parts: CostParts
    unit: float  # of costs, as a share of the objective


def make_objective(
    target: Target, code: int, leaf_penalty: float, min_leaf: int, min_weight: float, max_depth: int
) -> Objective:
    """Costs of this criterion."""
    whole, unit, _ = fixed_weights(target.weights)
    weight = np.ones(_n_rows(target), np.int64) if whole is None else whole
    total = int(weight.sum())
    counted = target.weights.importance is not None and min_leaf > 1
    count = np.ones((1 if counted else 0, len(weight)), np.int64)
    slack = 0 if code == ERROR else 4 << max_depth
    if target.labels is not None and target.n_classes is not None:
        n_parts, n_bits = target.n_classes[0], min(_BITS, _MOST_BITS - total.bit_length())
        has_logs = code == ENTROPY and target.weights.importance is None and total < _MOST_LOGS
        logs = log_table(total) if has_logs else np.empty(0, np.int64)
        factor, move = 2.0**n_bits, {ERROR: 1.0, GINI: 2.0}.get(code, 0.0)
        penalty, unit = leaf_penalty * total * factor, 1.0 / factor / total
        parts = CostParts(target.labels[0], weight, count)
    else:
        amounts, factor, unit = _numbers(target, weight)
        n_parts, logs, move, penalty = 3, np.empty(0, np.int64), 0.0, _ratio(leaf_penalty, unit)
        parts = CostParts(np.empty(0, np.int32), weight, np.concatenate([amounts, count]))
    costs = Costs(
        code=code,
        n_parts=n_parts,
        logs=logs,
        factor=factor,
        whole=int(factor) if code == ERROR else 1,
        penalty=_bounded(penalty),
        move=move * factor,
        slack=slack,
        min_leaf=min_leaf,
        min_weight=(least := max(1, int(np.ceil(min_weight * total * (1.0 - 1e-12))))),
        limited=min_leaf > 1 or least > 1,
        count_at=n_parts if counted else -1,
    )
    return Objective(costs, parts, unit)


def _n_rows(target: Target) -> int:
    both: Any = target.labels if target.y is None else target.y
    return int(both.shape[1])


def _ratio(penalty: float, unit: float) -> float:
    """Squares of numbers near the end of float64 are 0."""
    return penalty / unit if unit > 0.0 else penalty * np.inf if penalty else 0.0


def _bounded(penalty: float) -> int:
    """A larger one changes no tree: a single leaf is best."""
    return int(min(np.rint(penalty), 2.0**_MOST_BITS))


def _numbers(target: Target, weight: np.ndarray) -> tuple[np.ndarray, float, float]:
    """(weight, amount and squares of each row, the factor of amount ** 2 / weight, the unit of costs)."""
    assert target.y is not None
    exponent = int(np.frexp(np.abs(target.y).max())[1])
    y = np.ldexp(target.y[0], -exponent)
    apart, importance = y - exact_mean(y, target.weights), target.weights.importance
    amounts, amount_bits = _whole(apart, weight, importance, _AMOUNT_BITS)
    squares, square_bits = _whole(apart**2, weight, importance, _SQUARE_BITS)
    weight_unit = fixed_weights(target.weights)[1]
    factor = float(np.ldexp(1.0 / weight_unit, square_bits - 2 * amount_bits))
    unit = float(np.ldexp(1.0 / (float(weight.sum()) * weight_unit), 2 * exponent - square_bits))
    return np.stack([weight, amounts, squares]), factor, unit


def _whole(values: np.ndarray, weight: np.ndarray, importance: np.ndarray | None, bits: int) -> tuple[np.ndarray, int]:
    """(weighted values as integers, whose sum has at most so many bits; the bits behind the point).

    Integer weights are repetitions: they give the sums of as many rows.
    """
    each = values if importance is None else values * importance
    n = len(weight) if importance is not None else int(weight.sum())
    most = float(np.abs(each).max(initial=0.0)) or 1.0  # 1: all numbers are the same, and only the penalty counts
    exponent = scale_exponent(most, bits - n.bit_length())
    whole = np.rint(np.ldexp(each, exponent)).astype(np.int64)
    return whole * weight if importance is None else whole, exponent


# --- in kernels ------------------------------------------------------------------------------------------------------


@inner_kernel
def weight_of(costs, sums):
    """The weight of a node."""
    if costs.code == SQUARED:
        return sums[0]
    total = np.int64(0)
    for k in range(costs.n_parts):
        total += sums[k]
    return total


@inner_kernel
def is_allowed(costs, sums, limited):
    """Whether a node has enough rows and weight to be a leaf; always, if leaves are not limited."""
    if not limited:
        return True
    weight = weight_of(costs, sums)
    return weight >= costs.min_weight and (sums[costs.count_at] if costs.count_at >= 0 else weight) >= costs.min_leaf


@inner_kernel
def leaf_cost(costs, sums):
    """The cost of a leaf with these sums; 0 rows cost the penalty."""
    if costs.code == SQUARED:
        if sums[0] == 0:
            return costs.penalty
        s = float(sums[1])
        return max(np.int64(0), sums[2] - np.int64(np.rint(s * s / float(sums[0]) * costs.factor))) + costs.penalty
    total, most, value, logs = np.int64(0), np.int64(0), 0.0, np.int64(0)
    for k in range(costs.n_parts):
        one = sums[k]
        total += one
        if costs.code == ERROR:
            most = max(most, one)
        elif costs.code == GINI:
            value += float(one) * float(one)
        elif costs.logs.size:
            logs += costs.logs[one]
        else:
            value += x_log_x(one, costs.logs)
    if total == 0 or costs.code == ERROR:
        return (total - most) * costs.whole + costs.penalty
    if costs.code == GINI:
        return np.int64(np.rint(max(0.0, float(total) - value / float(total)) * costs.factor)) + costs.penalty
    if costs.logs.size:
        return max(np.int64(0), costs.logs[total] - logs) + costs.penalty
    return np.int64(np.rint(max(0.0, x_log_x(total, costs.logs) - value) * costs.factor)) + costs.penalty


@inner_kernel
def cost_of_two(costs, a, b):
    """The same of two classes with these weights."""
    if costs.code == ERROR:
        return min(a, b) * costs.whole + costs.penalty
    if a == 0 or b == 0:
        return costs.penalty
    if costs.code == GINI:
        total = float(a + b)
        value = float(a) * float(a) + float(b) * float(b)
        return np.int64(np.rint(max(0.0, total - value / total) * costs.factor)) + costs.penalty
    if costs.logs.size:
        return max(np.int64(0), costs.logs[a + b] - costs.logs[a] - costs.logs[b]) + costs.penalty
    value = x_log_x(a, costs.logs) + x_log_x(b, costs.logs)
    return np.int64(np.rint(max(0.0, x_log_x(a + b, costs.logs) - value) * costs.factor)) + costs.penalty

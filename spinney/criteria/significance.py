"""Whether a split could be chance: Pearson's chi-squared test.

Classes: a table with a row a branch and a column a class holds the weight of each class in each branch. If branch and
class had nothing to do with each other, a cell would hold row * column / total; the statistic adds up how far the cells
are from that. Numbers: the weight times the share of the variance that the split explains, n * R^2.
Either is held against the chi-squared distribution: a split is significant if its statistic exceeds the critical value
of its degrees of freedom. Weights count as repeated rows.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney.criteria.fixed_point import to_digits


def critical_values(alpha: float, most_degrees: int) -> np.ndarray:
    """What chance exceeds with probability alpha, for 0 .. most_degrees degrees of freedom; for 0, infinity."""
    from scipy.stats import chi2

    values = chi2.isf(alpha, np.arange(1, most_degrees + 1)).tolist()
    return np.array([np.inf, *(to_digits(value, 9) for value in values)])


@inner_kernel
def cell(observed, row, column, total):
    """What one cell adds to the statistic."""
    expected = row * column / total
    return (observed - expected) * (observed - expected) / expected if expected > 0.0 else 0.0


@inner_kernel
def chi_squared(left, right):
    """(statistic, degrees of freedom) of a split in two; `left` and `right` hold the weight of each class."""
    left_total, right_total, n_classes = 0.0, 0.0, 0
    for c in range(left.size):
        left_total += left[c]
        right_total += right[c]
        n_classes += left[c] + right[c] > 0
    if left_total <= 0.0 or right_total <= 0.0:
        return 0.0, 0
    statistic, total = 0.0, left_total + right_total
    for c in range(left.size):
        column = left[c] + right[c]
        statistic += cell(left[c], left_total, column, total) + cell(right[c], right_total, column, total)
    return statistic, n_classes - 1


@inner_kernel
def table_statistic(counts, rows, columns):
    """(statistic, degrees of freedom) of a split in many; `counts` is (branch, class), `rows`, `columns` are work."""
    rows[:] = 0.0
    columns[:] = 0.0
    for b in range(rows.size):
        for c in range(columns.size):
            rows[b] += counts[b, c]
            columns[c] += counts[b, c]
    statistic, total, n_rows, n_columns = 0.0, 0.0, 0, 0
    for b in range(rows.size):
        total += rows[b]
        n_rows += rows[b] > 0.0
    for c in range(columns.size):
        n_columns += columns[c] > 0.0
        for b in range(rows.size):
            if rows[b] > 0.0:
                statistic += cell(counts[b, c], rows[b], columns[c], total)
    return statistic, max(0, n_rows - 1) * max(0, n_columns - 1)


@inner_kernel
def number_statistic(weight, before, after):
    """n * R^2 of a split that lowers a node's variance from `before` to `after`; branches - 1 degrees of freedom."""
    return weight * (before - after) / before if before > 0.0 else 0.0

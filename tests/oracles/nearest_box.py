"""The least change that turns an answer, by predicting every combination of candidates: the twin of counterfactuals.

Shares nothing with what it judges: it knows thresholds and categories, and asks the model about all of them.
"""

from itertools import product

import numpy as np


def candidates(x, thresholds=(), categories=None, low=-np.inf, high=np.inf, whole=False):
    """Values worth trying in a column: the row's own, and the nearest one beyond each threshold; or all categories."""
    if categories is not None:
        return list(categories)
    found = {x} if low <= x <= high else {low if x < low else high}
    for t in thresholds:
        for value in (t, np.nextafter(t, np.inf)):
            if whole:
                value = np.floor(t) if value == t else np.floor(t) + 1.0
            if low <= value <= high:
                found.add(float(value))
        for end in (low, high):
            if np.isfinite(end):
                found.add(float(end))
    return sorted(found)


def least_change(choices, row, costs, wanted):
    """(cost, row) of the cheapest combination that is wanted; infinity if there is none.

    choices: the candidates of each column. costs: functions (old, new) -> cost, one per column; wanted: rows ->
    Booleans.
    """
    rows = list(product(*choices))
    total = np.array([sum(cost(a, b) for cost, a, b in zip(costs, row, one)) for one in rows])
    good = np.flatnonzero(wanted(rows))
    if not len(good):
        return np.inf, None
    best = good[np.argmin(total[good])]
    return float(total[best]), rows[best]

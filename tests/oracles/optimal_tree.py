"""The slow, obvious twin of grow/optimal: every tree is tried, in plain Python with exact fractions.

A table is a float array, NaN for missing. A split is a column, a threshold between two values, and the side of missing
values; missing values may also be a side of their own. Costs are impurity times weight, plus a penalty for each leaf.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np


def leaf_cost(criterion: str, y: np.ndarray, weight: np.ndarray) -> Fraction | float:
    """Impurity times weight; integers come out without rounding, but for entropy."""
    total = Fraction(weight.sum().item())
    if criterion == "squared_error":
        mean = sum(Fraction(w.item()) * Fraction(v.item()) for w, v in zip(weight, y)) / total
        return sum((Fraction(w.item()) * (Fraction(v.item()) - mean) ** 2 for w, v in zip(weight, y)), Fraction(0))
    counts = [Fraction(weight[y == k].sum().item()) for k in np.unique(y)]
    if criterion == "error":
        return total - max(counts)
    if criterion == "gini":
        return total - sum(c * c for c in counts) / total
    return sum(-float(c) * math.log2(c / total) for c in counts)


def splits(X: np.ndarray) -> Iterator[np.ndarray]:
    """Which rows go left, for every split that leaves no side empty."""
    for column in X.T:
        missing = np.isnan(column)
        for threshold in np.unique(column[~missing]):
            sides = [column <= threshold, (column <= threshold) | missing]
            for goes_left in sides if missing.any() else sides[:1]:
                if 0 < goes_left.sum() < len(column):
                    yield goes_left


def best_cost(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    criterion: str,
    depth: int,
    penalty: Fraction | float = 0,
    min_leaf: int = 1,
) -> Fraction | float:
    """The lowest cost of a tree of at most this depth."""
    best = leaf_cost(criterion, y, weight) + penalty
    if depth == 0 or best == penalty:
        return best
    for left in splits(X):
        if min(left.sum(), (~left).sum()) < min_leaf:
            continue
        sides = (
            best_cost(X[side], y[side], weight[side], criterion, depth - 1, penalty, min_leaf) for side in (left, ~left)
        )
        best = min(best, sum(sides))
    return best

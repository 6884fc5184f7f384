"""Partial dependence, local effects and Friedman's H as their definitions say: by predicting, row by row."""

from itertools import pairwise

import numpy as np


def curve(predict, X, columns, values):
    """(rows, outputs): what is said of every row with its columns set to these values."""
    other = X.copy()
    for column, value in zip(columns, values):
        other[:, column] = value
    found = np.asarray(predict(other), float)
    return found[:, None] if found.ndim == 1 else found


def individual(predict, X, column, grid):
    """(outputs, rows, points)."""
    return np.stack([curve(predict, X, [column], [value]) for value in grid], axis=2).transpose(1, 0, 2)


def average(predict, X, column, grid, weight=None):
    """(outputs, points)."""
    return np.average(individual(predict, X, column, grid), axis=1, weights=weight)


def average_pair(predict, X, columns, grids):
    """(outputs, points, points)."""
    return np.array([[curve(predict, X, columns, (a, b)).mean(axis=0) for b in grids[1]] for a in grids[0]]).transpose(
        2, 0, 1
    )


def local_effect(predict, X, column, edges):
    """Of one column of numbers; edges as given."""
    steps, counts = [], []
    for low, high in pairwise(edges):
        inside = (X[:, column] > low) & (X[:, column] <= high)
        if low == edges[0]:
            inside |= X[:, column] == low
        rows = X[inside]
        change = curve(predict, rows, [column], [high]) - curve(predict, rows, [column], [low]) if len(rows) else 0.0
        steps.append(np.mean(change) if len(rows) else 0.0)
        counts.append(len(rows))
    total = np.concatenate([[0.0], np.cumsum(steps)])
    mean = sum(n * (a + b) / 2 for n, a, b in zip(counts, total, total[1:])) / sum(counts)
    return total - mean


def interaction(predict, X, j, k):
    """H of a pair, of one output."""

    def at_rows(columns):
        found = np.array([curve(predict, X, columns, row[columns]).mean() for row in X])
        return found - found.mean()

    both = at_rows([j, k])
    rest = both - at_rows([j]) - at_rows([k])
    return np.sqrt((rest**2).sum() / (both**2).sum())


def interaction_with_all(predict, X, j):
    """H of a column with all others."""
    others = [c for c in range(X.shape[1]) if c != j]

    def centred(found):
        return found - found.mean()

    whole = centred(np.asarray(predict(X), float))
    alone = centred(np.array([curve(predict, X, [j], [row[j]]).mean() for row in X]))
    rest = centred(np.array([curve(predict, X, others, row[others]).mean() for row in X]))
    return np.sqrt(((whole - alone - rest) ** 2).sum() / (whole**2).sum())


def cover_average(model, column, value):
    """Recursion over one decision tree of numbers without missing values: shares of the training weight."""
    tree = model.tree_

    def go(node):
        if tree.is_leaf[node]:
            return tree.answers[node, 0, 0]
        left, right = tree.children_of(node)
        if tree.feature[node] == column:
            return go(left if value <= tree.threshold[node] else right)
        a, b = tree.weight[left], tree.weight[right]
        return (a * go(left) + b * go(right)) / (a + b)

    return go(0)

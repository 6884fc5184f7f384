"""Linear leaves, one row and one leaf after the other, by NumPy's solver."""

import numpy as np

MOST_TERMS, RIDGE = 4, 5.0


def path_columns(tree, leaf, is_category):
    """Columns of numbers on the way to a leaf, the nearest first."""
    found, node = [], tree.parent[leaf]
    while node >= 0:
        column = int(tree.feature[node])
        if column not in found and not is_category[column]:
            found.append(column)
        node = tree.parent[node]
    return found[:MOST_TERMS]


def terms_of_leaf(X, columns, gradient, hessian, rate):
    """(column, slope, centre, low, high) of the columns that vary; by the formulas of grow/boosting/linear.py."""
    X = np.asarray(X, np.float64)[:, columns]
    known = np.isfinite(X)
    varies = [k for k in range(len(columns)) if len(np.unique(X[known[:, k], k])) > 1]
    columns, X, known = [columns[k] for k in varies], X[:, varies], known[:, varies]
    if not columns:
        return []
    ends = np.array([(x[some].min(), x[some].max()) for x, some in zip(X.T, known.T)])
    width = ends[:, 1] - ends[:, 0]
    Z = np.where(known, (np.where(known, X, 0.0) - ends[:, 0]) / width, 0.0)  # from 0 to 1, for the sake of digits
    mean = (hessian[:, None] * Z).sum(axis=0) / (hessian[:, None] * known).sum(axis=0)
    Z = np.where(known, Z - mean, 0.0)
    S = Z.T @ (hessian[:, None] * Z)
    S += RIDGE / hessian.sum() * np.diag(np.diag(S))
    slopes = -rate * np.linalg.solve(S, Z.T @ gradient) / width
    return [(j, slope, c, *e) for j, slope, c, e in zip(columns, slopes, ends[:, 0] + mean * width, ends)]


def predict(forest, leaves, X):
    """What all trees add to each row; leaves (rows, trees)."""
    sums = np.zeros(len(X))
    for t, first in enumerate(forest.first[:-1]):
        for i, leaf in enumerate(leaves[:, t]):
            sums[i] += forest.answers[first + leaf, 0, 0]
            for column, (slope, centre, low, high) in forest.terms.of(first + leaf):
                x = X[i, column]
                sums[i] += slope * (np.clip(x, low, high) - centre) if np.isfinite(x) else 0.0
    return sums

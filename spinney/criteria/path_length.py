"""How deep rows lie in trees that isolate them: the formulas of isolation forests.

Liu, Ting and Zhou, Isolation Forest (2008): c(n) = 2 H(n - 1) - 2 (n - 1) / n, the mean depth at which a search of a
binary tree of n values ends without success, with H(k) = ln(k) + 0.5772 (Euler's constant); equation 1. The score of
a row of mean depth E is 2 ** (-E / c(n)); equation 2.
"""

from __future__ import annotations

import numpy as np

from spinney.criteria.elementary import LN2, exps_of, logs_of


def average_path_length(n: np.ndarray) -> np.ndarray:
    """c(n): how many more questions would part n rows, on average; 0 for one row, 1 for two.

    >>> average_path_length(np.array([1, 2, 256])).round(4).tolist()
    [0.0, 1.0, 10.2448]
    """
    many = np.maximum(n, 3).astype(np.float64)
    lengths = 2.0 * (logs_of(many - 1.0) + np.euler_gamma) - 2.0 * (many - 1.0) / many
    return np.where(n > 2, lengths, np.where(n == 2, 1.0, 0.0))


def anomaly_scores(mean_depth: np.ndarray, n: int) -> np.ndarray:
    """From 0 to 1: rows that are isolated early have scores near 1. `n` is the number of rows of each tree.

    >>> anomaly_scores(average_path_length(np.array([256, 2])), 256).round(3).tolist()
    [0.5, 0.935]
    """
    scale = float(average_path_length(np.array([n]))[0])
    shares = mean_depth / scale if scale > 0.0 else np.ones_like(mean_depth)
    return exps_of(-LN2 * shares)

"""The elbow: how many clusters a curve of sums of squares suggests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ElbowCurve:
    """The sum of squares for each number of clusters, and the number at the bend of the curve."""

    ks: np.ndarray  # int64, ascending
    inertia: np.ndarray  # float64, the sum of squared distances (SSE)
    suggested_k: int
    silhouette: np.ndarray | None = None  # float64, NaN for one cluster; None if not asked for

    def __repr__(self) -> str:
        return f"ElbowCurve(ks={self.ks.tolist()}, suggested_k={self.suggested_k})"


def bend(ks: np.ndarray, sums: np.ndarray) -> int:
    """The k whose point lies farthest below the line from the first point to the last, both axes scaled to 1.

    >>> bend(np.array([1, 2, 3, 4, 5]), np.array([100.0, 60.0, 20.0, 15.0, 10.0]))
    3
    """
    if len(ks) < 3 or sums[0] <= sums[-1]:
        return int(ks[0]) if sums[0] <= sums[-1] else int(ks[-1])
    across = (ks - ks[0]) / (ks[-1] - ks[0])
    down = (sums[0] - sums) / (sums[0] - sums[-1])
    return int(ks[np.argmax(down - across)])

"""The elbow: the number of clusters that an inertia curve suggests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ElbowCurve:
    """Inertia for each number of clusters, and the number at the elbow of the curve.

    Attributes
    ----------
    ks : ndarray of int
        Numbers of clusters, ascending.
    inertia : ndarray of float
        Inertia (SSE) for each number of clusters.
    suggested_k : int
        The number of clusters at the elbow.
    silhouette : ndarray of float, or None
        Silhouette scores, NaN for one cluster; None if they were not requested.
    """

    ks: np.ndarray
    inertia: np.ndarray
    suggested_k: int
    silhouette: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"ElbowCurve(ks={self.ks.tolist()}, suggested_k={self.suggested_k})"


def bend(ks: np.ndarray, sums: np.ndarray) -> int:
    """Return the k whose point lies farthest below the line from the first point to the last, both axes scaled to 1.

    >>> bend(np.array([1, 2, 3, 4, 5]), np.array([100.0, 60.0, 20.0, 15.0, 10.0]))
    3
    """
    if len(ks) < 3 or sums[0] <= sums[-1]:
        return int(ks[0]) if sums[0] <= sums[-1] else int(ks[-1])
    across = (ks - ks[0]) / (ks[-1] - ks[0])
    down = (sums[0] - sums) / (sums[0] - sums[-1])
    return int(ks[np.argmax(down - across)])

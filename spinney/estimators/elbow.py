"""Choosing the number of clusters: k-means for several K, and the elbow of the curve. No algorithm in here."""

from __future__ import annotations

import time
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from spinney.cluster.elbow import ElbowCurve, bend
from spinney.ensemble.callbacks import Progress, Round
from spinney.estimators.kmeans import KMeans

_SILHOUETTE_ROWS = 10_000


def elbow(
    X: Any,
    ks: Iterable[int] | int = range(1, 11),
    *,
    sample_weight: Any = None,
    silhouette: bool = False,
    verbose: bool = False,
    **parameters: Any,
) -> ElbowCurve:
    """Fit k-means for several numbers of clusters and suggest one.

    The suggested number is the one whose point on the inertia curve lies farthest below the straight line from the
    first point to the last, with both axes scaled to 1.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        Input data: numbers.
    ks : iterable of int, or int, default=range(1, 11)
        Numbers of clusters to try. An int k stands for 1 to k.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.
    silhouette : bool, default=False
        Whether to also compute scikit-learn's `silhouette_score`, from -1 to 1, on up to 10,000 of the rows. It ignores
        weights.
    verbose : bool, default=False
        Whether to show a progress bar.
    **parameters
        Other parameters of `KMeans`, such as `random_state` or `n_init`.

    Returns
    -------
    ElbowCurve
        With the attributes `ks`, `inertia`, `suggested_k` and `silhouette`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import elbow
    >>> X, _ = make_blobs(500, centers=[[0, 0], [6, 0], [0, 6], [6, 6]], random_state=0)
    >>> elbow(X, range(1, 9), random_state=0).suggested_k
    4
    """
    wanted = check_counts(ks)
    progress, begun = Progress(), time.perf_counter()
    sums, shapes = [], []
    for number, k in enumerate(wanted, start=1):
        model = KMeans(k, **parameters).fit(X, sample_weight=sample_weight)
        sums.append(model.inertia_)
        if silhouette:
            shapes.append(_silhouette(model, X))
        if verbose:
            progress(Round(number, len(wanted), {f"k={k}": {"SSE": [sums[-1]]}}, time.perf_counter() - begun))
    curve = np.array(wanted), np.array(sums)
    return ElbowCurve(*curve, bend(*curve), np.array(shapes) if silhouette else None)


def check_counts(ks: Iterable[int] | int) -> list[int]:
    """Distinct integers, ascending; an int k stands for 1 to k."""
    if isinstance(ks, Integral) and not isinstance(ks, bool):
        ks = range(1, int(ks) + 1)
    wanted = list(ks) if isinstance(ks, Iterable) and not isinstance(ks, str) else [ks]
    if not wanted or not all(isinstance(k, Integral) and not isinstance(k, bool) and k >= 1 for k in wanted):
        raise ValueError(f"ks must be integers of at least 1, got {wanted!r}.")
    return sorted({int(k) for k in wanted})


def _silhouette(model: KMeans, X: Any) -> float:
    from sklearn.metrics import silhouette_score

    values, labels = model._read_cells(X), model.labels_
    some = np.unique(np.linspace(0, values.shape[0] - 1, _SILHOUETTE_ROWS).astype(np.int64))
    values, labels = values[some], labels[some]
    if not 1 < len(np.unique(labels)) < len(labels):
        return float("nan")
    return float(silhouette_score(values, labels, metric=model.metric))

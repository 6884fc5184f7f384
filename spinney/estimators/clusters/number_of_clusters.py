"""The number of clusters: the elbow of k-means, and information criteria of Gaussian mixtures."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from spinney.ensemble.callbacks import Progress, Round
from spinney.estimators.clusters.kmeans import KMeans
from spinney.estimators.clusters.mixture import GaussianMixture

# ----------------------------------------------------------------------------------------------------------------------
# `ElbowCurve`: the number of clusters that an inertia curve suggests.


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


# ----------------------------------------------------------------------------------------------------------------------
# `elbow`: k-means for several numbers of clusters, and the elbow of the curve.


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
    given = ks
    if isinstance(ks, Integral) and not isinstance(ks, bool):
        ks = range(1, int(ks) + 1)
    wanted = list(ks) if isinstance(ks, Iterable) and not isinstance(ks, str) else [ks]
    if not wanted or not all(isinstance(k, Integral) and not isinstance(k, bool) and k >= 1 for k in wanted):
        raise ValueError(f"ks must be integers of at least 1, got {given!r:.80}.")
    return sorted({int(k) for k in wanted})


def _silhouette(model: KMeans, X: Any) -> float:
    from sklearn.metrics import silhouette_score

    values, labels = model.read_values(X, True), model.labels_
    some = np.unique(np.linspace(0, values.shape[0] - 1, _SILHOUETTE_ROWS).astype(np.int64))
    values, labels = values[some], labels[some]
    if not 1 < len(np.unique(labels)) < len(labels):
        return float("nan")
    return float(silhouette_score(values, labels, metric=model.metric))


@dataclass(frozen=True)
class ComponentChoice:
    """Information criteria of mixtures of several sizes, and the best mixture.

    Attributes
    ----------
    ks : ndarray of int
        Numbers of components, ascending.
    bic : ndarray of float
        BIC of each mixture; lower is better.
    aic : ndarray of float
        AIC of each mixture; lower is better.
    best_k : int
        The number of components with the lowest criterion.
    model : GaussianMixture
        The fitted mixture with `best_k` components.
    """

    ks: np.ndarray
    bic: np.ndarray
    aic: np.ndarray
    best_k: int
    model: GaussianMixture

    def __repr__(self) -> str:
        return f"ComponentChoice(ks={self.ks.tolist()}, best_k={self.best_k})"


def select_components(
    X: Any,
    ks: Iterable[int] | int = range(1, 11),
    by: str = "bic",
    *,
    sample_weight: Any = None,
    verbose: bool = False,
    **parameters: Any,
) -> ComponentChoice:
    """Fit Gaussian mixtures with several numbers of components and keep the one with the lowest criterion.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Input data: numbers. Missing values are NaN.
    ks : iterable of int, or int, default=range(1, 11)
        Numbers of components to try. An int k stands for 1 to k.
    by : {"bic", "aic"}, default="bic"
        The criterion. Ties go to the smaller mixture.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.
    verbose : bool, default=False
        Whether to show a progress bar.
    **parameters
        Other parameters of `GaussianMixture`, such as `covariance_type` or `random_state`.

    Returns
    -------
    ComponentChoice
        With the attributes `ks`, `bic`, `aic`, `best_k` and `model`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import select_components
    >>> X, _ = make_blobs(500, centers=3, random_state=0, cluster_std=0.6)
    >>> select_components(X, range(1, 6), random_state=0).best_k
    3
    """
    if by not in ("bic", "aic"):
        raise ValueError(f"by must be 'bic' or 'aic', got {by!r}.")
    wanted, models, scores = check_counts(ks), [], []
    progress, begun = Progress(), time.perf_counter()
    for number, k in enumerate(wanted, start=1):
        model = GaussianMixture(k, **parameters).fit(X, sample_weight=sample_weight)
        models.append(model)
        scores.append((model.bic(X, sample_weight), model.aic(X, sample_weight)))
        if verbose:
            shown = {f"k={k}": {"BIC": [scores[-1][0]], "AIC": [scores[-1][1]]}}
            progress(Round(number, len(wanted), shown, time.perf_counter() - begun))
    bic, aic = np.array(scores).T
    best = int(np.argmin(bic if by == "bic" else aic))
    return ComponentChoice(np.array(wanted), bic, aic, wanted[best], models[best])

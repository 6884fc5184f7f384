"""Choosing the number of components of a Gaussian mixture by an information criterion. No algorithm in here."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney.ensemble.callbacks import Progress, Round
from spinney.estimators.elbow import check_counts
from spinney.estimators.mixture import GaussianMixture


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

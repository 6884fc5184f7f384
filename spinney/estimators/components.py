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
    """Mixtures of several sizes, and the best of them."""

    ks: np.ndarray  # int64, ascending
    bic: np.ndarray
    aic: np.ndarray
    best_k: int
    model: GaussianMixture  # the best one, fitted

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
    X : table of numbers, NaN where missing
    ks : iterable of int, or int, default range(1, 11)
        Numbers of components to try; one number k stands for 1 to k.
    by : {"bic", "aic"}, default "bic"
        The criterion; of equals the smaller mixture wins.
    sample_weight : array-like of shape (n_samples,), optional
    verbose : bool, default False
        Show a progress bar.
    **parameters
        What else `GaussianMixture` should be told, such as covariance_type or random_state.

    Returns
    -------
    ComponentChoice with ks, bic, aic, best_k and model

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

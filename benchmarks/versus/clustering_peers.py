"""The libraries with clustering.

All start from the same rows, or from their own greedy k-means++, and make the same number of iterations; no tolerance
ends them early. Mini-batch and bisecting k-means run at their defaults. `score` returns a loss per row: the squared
distance, or minus the log-likelihood.
"""

import importlib
import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from threadpoolctl import threadpool_limits

from benchmarks.data import Features, Task
from benchmarks.versus.peers import Model as Fitted
from benchmarks.versus.peers import Peer, Scores, by_name

Model = Literal["kmeans", "mini_batch", "bisecting", "mixture", "bayesian"]
Start = Literal["rows", "k-means++"]
KINDS: dict[Model, str] = {
    "kmeans": "KMeans",
    "mini_batch": "MiniBatchKMeans",
    "bisecting": "BisectingKMeans",
    "mixture": "GaussianMixture",
    "bayesian": "BayesianGaussianMixture",
}
MIXTURES = ("mixture", "bayesian")


@dataclass(frozen=True)
class Settings:
    """What every peer is asked to fit."""

    task: Task = "multiclass"
    model: Model = "kmeans"
    n_clusters: int = 50
    start: Start = "rows"
    iterations: int = 20
    threads: int = 2
    seed: int = 0

    def short(self) -> "Settings":
        """Two iterations."""
        return replace(self, iterations=2)

    def parameters(self, X: Features) -> dict[str, Any]:
        """What scikit-learn's estimators and ours are both told."""
        if self.model == "kmeans":
            start = {"init": _rows(X, self.n_clusters) if self.start == "rows" else "k-means++", "n_init": 1}
            return {"n_clusters": self.n_clusters, "max_iter": self.iterations, "tol": 0.0, **start, "random_state": 0}
        if self.model in ("mini_batch", "bisecting"):
            return {"n_clusters": self.n_clusters, "random_state": 0}
        if self.model == "bayesian":
            return {"n_components": self.n_clusters, "max_iter": self.iterations, "tol": 0.0, "random_state": 0}
        k, columns = self.n_clusters, X.shape[1]
        return {
            "n_components": k,
            "max_iter": self.iterations,
            "tol": 0.0,
            "means_init": X[:k],
            "weights_init": np.full(k, 1 / k),
            "precisions_init": np.stack([np.eye(columns)] * k),
        }


def _rows(X: Features, n: int) -> NDArray[Any]:
    """The first rows, laid out."""
    return np.asarray(X[:n].todense()) if issparse(X) else X[:n].copy()


class ScikitLearn(Peer):
    """scikit-learn's estimators."""

    name, module = "sklearn", "sklearn"
    homes = ("sklearn.cluster", "sklearn.mixture")

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Fitted:
        """Fit, on as many threads as it is told."""
        with threadpool_limits(settings.threads), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has not converged
            return Fitted(self._estimator(X, settings).fit(X), settings)

    def score(self, model: Fitted, X: Features) -> Scores:
        """A loss a row."""
        if model.settings.model not in MIXTURES:
            return np.asarray(model.fitted.transform(X), np.float64).min(axis=1) ** 2
        return -np.asarray(model.fitted.score_samples(X))

    def describe(self, model: Fitted) -> dict[str, float]:
        """What was made smallest or largest on the training part, and in how many iterations."""
        fitted = model.fitted
        is_mixture = model.settings.model in MIXTURES
        reached = np.ravel(fitted.lower_bound_)[0] if is_mixture else round(fitted.inertia_)
        found = {"likelihood" if is_mixture else "SSE": float(reached)}
        return {**found, "iterations": float(fitted.n_iter_)} if hasattr(fitted, "n_iter_") else found

    def _estimator(self, X: Features, settings: Settings) -> Any:
        home = importlib.import_module(self.homes[int(settings.model in MIXTURES)])
        return getattr(home, KINDS[settings.model])(**settings.parameters(X))


class Intel(ScikitLearn):
    """scikit-learn's k-means in the Intel extension for it."""

    name, module = "sklearnex", "sklearnex"
    homes = ("sklearnex.cluster", "sklearn.mixture")


class Spinney(ScikitLearn):
    """The library under test."""

    name, module = "spinney", "spinney"
    needs = tuple(KINDS.values())
    homes = ("spinney", "spinney")

    def _estimator(self, X: Features, settings: Settings) -> Any:
        return super()._estimator(X, settings).set_params(n_jobs=settings.threads)


class SpinneyLloyd(Spinney):
    """Ours without bounds, as information beside ours with them."""

    name, rival = "spinney_lloyd", False

    def _estimator(self, X: Features, settings: Settings) -> Any:
        return super()._estimator(X, settings).set_params(algorithm="lloyd")


PEERS = by_name(Spinney(), SpinneyLloyd(), ScikitLearn(), Intel())

"""The libraries with random forests, extra-trees (single ones too), bagging, isolation forests and embeddings.

`score` predicts classes, numbers or anomaly scores, or counts the ones of a row in an embedding.
"""

import importlib
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.data import Features, Task
from benchmarks.versus.peers import Model, Peer, Scores, by_name
from benchmarks.versus.tree_peers import words_to_numbers

Kind = Literal["forest", "extra", "bagging", "extra_tree", "isolation", "embedding"]
_NAMES: dict[Kind, str] = {
    "forest": "RandomForest",
    "extra": "ExtraTrees",
    "bagging": "Bagging",
    "extra_tree": "ExtraTree",
    "isolation": "IsolationForest",
    "embedding": "RandomTreesEmbedding",
}
_WITHOUT_TARGET = ("isolation", "embedding")


@dataclass(frozen=True)
class Settings:
    """What every peer is asked to train; otherwise its defaults count."""

    task: Task = "binary"
    model: Kind = "forest"
    trees: int = 20
    exact: bool = False
    threads: int = 2
    seed: int = 0

    def short(self) -> "Settings":
        """The same with two trees, to warm up."""
        return replace(self, trees=2)

    @property
    def estimator(self) -> str:
        """The estimator's name, the same in all of these libraries."""
        if self.model in _WITHOUT_TARGET:
            return _NAMES[self.model]
        return _NAMES[self.model] + ("Regressor" if self.task == "regression" else "Classifier")

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that they share."""
        if self.model == "extra_tree":
            return {"random_state": self.seed}
        return {"n_estimators": self.trees, "random_state": self.seed, "n_jobs": self.threads}


class Forest(Peer):
    """What they have in common."""

    home: str  # the module of the forests

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """The estimator, or a pipeline for tables with words."""
        from sklearn.pipeline import make_pipeline

        home = "sklearn.tree" if settings.model == "extra_tree" and self.name == "sklearn" else self.home
        model = getattr(importlib.import_module(home), settings.estimator)(**self._parameters(settings))
        if isinstance(X, pd.DataFrame) and self.name != "spinney":
            model = make_pipeline(words_to_numbers(X), model)
        return Model(model.fit(X, y), settings)

    def _parameters(self, settings: Settings) -> dict[str, Any]:
        return settings.chosen

    def score(self, model: Model, X: Features) -> Scores:
        """Classes or numbers, anomaly scores, or sums of an embedding."""
        kind = model.settings.model
        if kind == "isolation":
            return -np.asarray(model.fitted.score_samples(X))
        if kind == "embedding":
            return np.asarray(model.fitted.transform(X).sum(axis=1)).ravel()
        return np.asarray(model.fitted.predict(X))


class Spinney(Forest):
    """The library under test."""

    name = module = home = "spinney"
    needs = ("RandomForestClassifier", "ExtraTreesClassifier")

    def _parameters(self, settings: Settings) -> dict[str, Any]:
        threads = {"n_jobs": settings.threads} if settings.model == "extra_tree" else {}
        return settings.chosen | threads | ({"max_bins": None} if settings.exact else {})

    def describe(self, model: Model) -> dict[str, float]:
        """The size of the trees and of their store."""
        forest = model.fitted.forest_
        return {"nodes": float(forest.n_nodes), "bytes a node": forest.n_bytes / forest.n_nodes}


class ScikitLearn(Forest):
    """scikit-learn's; words through OrdinalEncoder."""

    name = module = "sklearn"
    home = "sklearn.ensemble"

    def describe(self, model: Model) -> dict[str, float]:
        """The size of the trees."""
        forest = model.fitted[-1] if hasattr(model.fitted, "steps") else model.fitted
        trees = getattr(forest, "estimators_", [forest])
        return {"nodes": float(sum(tree.tree_.node_count for tree in trees))}


class Intelex(Forest):
    """scikit-learn's interface to Intel's kernels (oneDAL): binned, on all threads."""

    name, module, home = "intelex", "sklearnex", "sklearnex.ensemble"


class LightGBM(Peer):
    """LightGBM in its mode `rf`, with trees of as many leaves as it may have: quick to predict with, slow to grow."""

    name = module = "lightgbm"

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """As many trees, of 4,096 leaves: deeper ones would take it minutes."""
        import lightgbm

        estimator = lightgbm.LGBMRegressor if settings.task == "regression" else lightgbm.LGBMClassifier
        model = estimator(
            boosting_type="rf",
            n_estimators=settings.trees,
            num_leaves=4096,
            min_child_samples=1,
            subsample=0.632,
            subsample_freq=1,
            feature_fraction_bynode=0.2,
            n_jobs=settings.threads,
            random_state=settings.seed,
            verbose=-1,
        )
        return Model(model.fit(X, y), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Classes or numbers."""
        return np.asarray(model.fitted.predict(X))


PEERS = by_name(Spinney(), ScikitLearn(), Intelex(), LightGBM())

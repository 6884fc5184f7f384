"""The libraries with single trees.

All get the same criterion and depth, and otherwise their defaults. `score` predicts classes or numbers.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.data import Features, Task
from benchmarks.versus.peers import Model, Peer, Scores, by_name

Criterion = str | Callable[..., float]
Algorithm = Literal["cart", "c45"]


@dataclass(frozen=True)
class Settings:
    """What every peer is asked to train. No depth: until the leaves are pure."""

    task: Task = "binary"
    classes: int = 2
    algorithm: Algorithm = "cart"
    criterion: Criterion | None = None
    depth: int | None = None
    max_bins: int | None = None
    threads: int = 2
    seed: int = 0

    def short(self) -> "Settings":
        """The same: a tree of few rows is short."""
        return self

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that scikit-learn's trees and ours share."""
        criterion = {} if self.criterion is None else {"criterion": self.criterion}
        return {**criterion, "max_depth": self.depth, "random_state": self.seed}


def gini_by_hand(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """What a split takes off the Gini impurity, as a user would write it."""
    left_weight = right_weight = left_squares = right_squares = squares = 0.0
    for k in range(len(left)):
        left_weight += left[k]
        right_weight += right[k]
        left_squares += left[k] ** 2
        right_squares += right[k] ** 2
        squares += (left[k] + right[k]) ** 2
    weight = left_weight + right_weight
    return (left_squares / left_weight + right_squares / right_weight - squares / weight) / weight


class Spinney(Peer):
    """The library under test."""

    name, module = "spinney", "spinney"
    needs = ("DecisionTreeClassifier", "DecisionTreeRegressor", "C45Classifier")

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """CART, exact unless bins are asked for; or C4.5."""
        return Model(self._estimator(settings).fit(X, y), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Classes or numbers."""
        return np.asarray(model.fitted.predict(X))

    def describe(self, model: Model) -> dict[str, float]:
        """The size of the tree."""
        return {"leaves": float(model.fitted.get_n_leaves())}

    def _estimator(self, settings: Settings) -> Any:
        spinney: Any = importlib.import_module("spinney")
        if settings.algorithm == "c45":
            return spinney.C45Classifier(max_depth=settings.depth)
        estimator = spinney.DecisionTreeRegressor if settings.task == "regression" else spinney.DecisionTreeClassifier
        return estimator(**self._chosen(settings), max_bins=settings.max_bins, n_jobs=settings.threads)

    def _chosen(self, settings: Settings) -> dict[str, Any]:
        return settings.chosen


class SpinneyGini(Spinney):
    """Ours with its own Gini, beside a Gini that was written by the user."""

    name = "spinney_gini"

    def _chosen(self, settings: Settings) -> dict[str, Any]:
        return settings.chosen | {"criterion": "gini"}


class SpinneyExact(Spinney):
    """Ours without bins, as information beside ours with bins."""

    name, rival = "spinney_exact", False

    def _estimator(self, settings: Settings) -> Any:
        return super()._estimator(settings).set_params(max_bins=None)


class ScikitLearn(Peer):
    """scikit-learn's DecisionTree, on one thread and without bins, for it has neither; words through OrdinalEncoder."""

    name, module = "sklearn", "sklearn"

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """The estimator, or a pipeline for tables with words."""
        from sklearn.pipeline import make_pipeline
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        estimator = DecisionTreeRegressor if settings.task == "regression" else DecisionTreeClassifier
        tree = estimator(**settings.chosen)
        model = make_pipeline(words_to_numbers(X), tree) if isinstance(X, pd.DataFrame) else tree
        return Model(model.fit(X, y), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Classes or numbers."""
        return np.asarray(model.fitted.predict(X))

    def describe(self, model: Model) -> dict[str, float]:
        """The size of the tree."""
        tree = model.fitted[-1] if hasattr(model.fitted, "steps") else model.fitted
        return {"leaves": float(tree.get_n_leaves())}


class LightGBM(Peer):
    """One round of LightGBM as a tree, binned and with Newton steps for leaves; it takes minutes for deep trees."""

    name, module, rival = "lightgbm", "lightgbm", False

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """A Dataset, then one round without shrinkage and without limits but the depth."""
        import lightgbm

        objective = {"binary": "binary", "multiclass": "multiclass", "regression": "regression"}[settings.task]
        params = {
            "objective": objective,
            "num_class": settings.classes if settings.task == "multiclass" else 1,
            "learning_rate": 1.0,
            "num_leaves": 2 ** (settings.depth or 12),
            "max_depth": settings.depth or -1,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "force_row_wise": True,
            "num_threads": settings.threads,
            "verbosity": -1,
        }
        return Model(lightgbm.train(params, lightgbm.Dataset(X, y, params=params), 1), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Classes or numbers."""
        scores = np.asarray(model.fitted.predict(X, num_threads=model.settings.threads))
        if model.settings.task == "regression":
            return scores
        return scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.5).astype(np.int64)


PEERS = by_name(Spinney(), SpinneyGini(), SpinneyExact(), ScikitLearn(), LightGBM())


def words_to_numbers(X: pd.DataFrame) -> Any:
    """The step before the tree: every column of words through OrdinalEncoder."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OrdinalEncoder

    words = [column for column in X.columns if not pd.api.types.is_numeric_dtype(X[column])]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_column_transformer((encoder, words), remainder="passthrough")

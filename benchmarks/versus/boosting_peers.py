"""The libraries with gradient boosting.

All get the same number of rounds, leaves, threads and bins and the same learning rate. Otherwise each has the settings
at which it is fastest, and the rest of its defaults. `score` gives the probability of class 1, one column of
probabilities per class, or the prediction of a regressor.
"""

import importlib
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.data import Features, Task
from benchmarks.versus.peers import Model, Peer, Scores, by_name

WARM_UP_ROUNDS = 2


@dataclass(frozen=True)
class Settings:
    """What every peer is asked to train. Either `leaves` (best-first growth) or `depth` (level by level) is given."""

    task: Task = "binary"
    classes: int = 2
    rounds: int = 100
    learning_rate: float = 0.1
    leaves: int | None = 31
    depth: int | None = None
    threads: int = 2
    max_bins: int | None = 255  # None: every threshold
    seed: int = 0

    def short(self) -> "Settings":
        """The same with a few rounds, to warm up."""
        return replace(self, rounds=WARM_UP_ROUNDS)


class Spinney(Peer):
    """The library under test."""

    name, module, can_encode = "spinney", "spinney", True
    needs = ("GradientBoostingClassifier", "GradientBoostingRegressor")

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """Best-first by leaves, or level-wise by depth."""
        return Model(self._estimator(settings).fit(X, y), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Through the estimator, as a user would."""
        return _estimator_scores(model, X)

    def encode(self, X: Features, y: NDArray[Any], settings: Settings) -> Any:
        """The first room alone: read the table, learn the bins, write the codes."""
        from spinney._team import Team
        from spinney.data.encode import learn_bins
        from spinney.data.schema import learn_and_read

        with Team(settings.threads) as team:
            schema, table = learn_and_read(X)
            bins = learn_bins(table, schema.is_categorical, None, settings.max_bins or 255, team)
            return table.encode_dataset(bins, team)

    def _estimator(self, settings: Settings) -> Any:
        spinney: Any = importlib.import_module("spinney")
        regression = settings.task == "regression"
        estimator = spinney.GradientBoostingRegressor if regression else spinney.GradientBoostingClassifier
        return estimator(
            n_estimators=settings.rounds,
            learning_rate=settings.learning_rate,
            max_leaf_nodes=settings.leaves,
            max_depth=settings.depth,
            growth="best_first" if settings.leaves else "level_wise",
            max_bins=settings.max_bins,
            early_stopping=False,
            n_jobs=settings.threads,
            random_state=settings.seed,
        )


class LightGBM(Peer):
    """LightGBM with row-wise histograms."""

    name, module, can_encode = "lightgbm", "lightgbm", True
    extra: ClassVar[dict[str, Any]] = {"force_row_wise": True}

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """A Dataset, then the rounds."""
        import lightgbm

        params = self._params(settings)
        return Model(lightgbm.train(params, lightgbm.Dataset(X, y, params=params), settings.rounds), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Probabilities or numbers, on the given number of threads."""
        return np.asarray(model.fitted.predict(X, num_threads=model.settings.threads))

    def encode(self, X: Features, y: NDArray[Any], settings: Settings) -> Any:
        """The Dataset alone."""
        import lightgbm

        return lightgbm.Dataset(X, y, params=self._params(settings)).construct()

    def _params(self, settings: Settings) -> dict[str, Any]:
        objective = {"binary": "binary", "multiclass": "multiclass", "regression": "regression"}[settings.task]
        return {
            "objective": objective,
            "num_class": settings.classes if settings.task == "multiclass" else 1,
            "learning_rate": settings.learning_rate,
            "num_leaves": settings.leaves or 2 ** (settings.depth or 6),
            "max_depth": settings.depth or -1,
            "max_bin": settings.max_bins,
            "num_threads": settings.threads,
            "seed": settings.seed,
            "verbosity": -1,
            **self.extra,
        }


class LightGBMColumnwise(LightGBM):
    """LightGBM with column-wise histograms, its better side on wide tables."""

    name, can_encode = "lightgbm_columnwise", False
    extra: ClassVar[dict[str, Any]] = {"force_col_wise": True}


class LightGBMQuantised(LightGBM):
    """LightGBM with gradients of a few bits."""

    name, can_encode = "lightgbm_quantised", False
    extra: ClassVar[dict[str, Any]] = {"force_row_wise": True, "use_quantized_grad": True}


class XGBoost(Peer):
    """XGBoost with histograms, level by level."""

    name, module, can_encode = "xgboost", "xgboost", True
    policy = "depthwise"

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """A QuantileDMatrix, then the rounds."""
        import xgboost

        params = {**_xgboost_params(settings, self.policy), "verbosity": 0}
        return Model(xgboost.train(params, self.encode(X, y, settings), settings.rounds), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """From the table in place, without a DMatrix: the quickest way it has."""
        return np.asarray(model.fitted.inplace_predict(X))

    def encode(self, X: Features, y: NDArray[Any], settings: Settings) -> Any:
        """The QuantileDMatrix alone."""
        import xgboost

        return xgboost.QuantileDMatrix(
            X, y, max_bin=settings.max_bins, nthread=settings.threads, enable_categorical=True
        )


class XGBoostLossguide(XGBoost):
    """XGBoost with histograms, best leaf first."""

    name, can_encode, policy = "xgboost_lossguide", False, "lossguide"


class XGBoostExact(XGBoost):
    """XGBoost with every threshold."""

    name, can_encode = "xgboost_exact", False

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """A DMatrix, then the rounds."""
        import xgboost

        params = {**_xgboost_params(settings, self.policy), "verbosity": 0, "tree_method": "exact"}
        train = xgboost.DMatrix(X, y, nthread=settings.threads)
        return Model(xgboost.train(params, train, settings.rounds), settings)


class Hessboost(Peer):
    """hessboost, level by level. It takes XGBoost's names; its predictions use all cores."""

    name, module = "hessboost", "hessboost"
    policy = "depthwise"
    extra: ClassVar[dict[str, Any]] = {}

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """A DMatrix, then the rounds."""
        import hessboost

        params = {**_xgboost_params(settings, self.policy), **self.extra}
        train = hessboost.DMatrix(X, label=y)
        return Model(hessboost.train(params, train, settings.rounds, verbose_eval=False), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Directly from the table."""
        return np.asarray(model.fitted.predict(X))

    def score_row(self, model: Model, row: NDArray[np.float32]) -> Scores:
        """Through its door for single rows."""
        return np.asarray(model.fitted.predict_row(row[0]))


class HessboostLossguide(Hessboost):
    """hessboost, best leaf first."""

    name, policy = "hessboost_lossguide", "lossguide"


class HessboostQuantised(HessboostLossguide):
    """hessboost, best leaf first, with gradients of a few bits."""

    name = "hessboost_quantised"
    extra: ClassVar[dict[str, Any]] = {"use_quantized_grad": True}


class ScikitLearn(Peer):
    """scikit-learn's HistGradientBoosting, which takes its number of threads from OpenMP."""

    name, module = "sklearn", "sklearn"

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """The estimator with early stopping off."""
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        estimator = HistGradientBoostingRegressor if settings.task == "regression" else HistGradientBoostingClassifier
        booster = estimator(
            max_iter=settings.rounds,
            learning_rate=settings.learning_rate,
            max_leaf_nodes=settings.leaves,
            max_depth=settings.depth,
            max_bins=settings.max_bins,
            categorical_features="from_dtype",
            early_stopping=False,
            random_state=settings.seed,
        )
        with _openmp().limit(limits=settings.threads, user_api="openmp"):
            return Model(booster.fit(X, y), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Through the estimator."""
        with _openmp().limit(limits=model.settings.threads, user_api="openmp"):
            return _estimator_scores(model, X)

    def score_row(self, model: Model, row: NDArray[np.float32]) -> Scores:
        """As `score`, without the cost of limiting the threads."""
        return _estimator_scores(model, row)


class ScikitLearnExact(ScikitLearn):
    """scikit-learn's GradientBoosting, with every threshold, on one thread."""

    name = "sklearn_exact"

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """The estimator."""
        from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

        estimator = GradientBoostingRegressor if settings.task == "regression" else GradientBoostingClassifier
        booster = estimator(
            n_estimators=settings.rounds,
            learning_rate=settings.learning_rate,
            max_leaf_nodes=settings.leaves,
            max_depth=settings.depth,
            random_state=settings.seed,
        )
        return Model(booster.fit(X, y), settings)


class CatBoost(Peer):
    """CatBoost with its own symmetric trees; as deep as the number of leaves asks for."""

    name, module, can_encode = "catboost", "catboost", True
    symmetric = True

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """A Pool, then the rounds: no bootstrap, plain boosting, one Newton step per leaf, as the others do."""
        import catboost

        loss = {"binary": "Logloss", "multiclass": "MultiClass", "regression": "RMSE"}[settings.task]
        params = {
            "loss_function": loss,
            "iterations": settings.rounds,
            "learning_rate": settings.learning_rate,
            "border_count": settings.max_bins - 1,
            "boosting_type": "Plain",
            "bootstrap_type": "No",
            "leaf_estimation_iterations": 1,
            "thread_count": settings.threads,
            "random_seed": settings.seed,
            "logging_level": "Silent",
            "allow_writing_files": False,
            **self._shape(settings),
        }
        return Model(catboost.CatBoost(params).fit(_pool(X, y, settings.threads)), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Probabilities or numbers, on the given number of threads."""
        kind = "RawFormulaVal" if model.settings.task == "regression" else "Probability"
        scores = np.asarray(model.fitted.predict(X, prediction_type=kind, thread_count=model.settings.threads))
        return scores[:, 1] if model.settings.task == "binary" else scores

    def encode(self, X: Features, y: NDArray[Any], settings: Settings) -> Any:
        """A quantised Pool."""
        pool = _pool(X, y, settings.threads)
        pool.quantize(border_count=settings.max_bins - 1)
        return pool

    def _shape(self, settings: Settings) -> dict[str, Any]:
        depth = settings.depth or int(np.ceil(np.log2(settings.leaves or 31)))
        return {"grow_policy": "SymmetricTree", "depth": depth}


class CatBoostLossguide(CatBoost):
    """CatBoost with trees like the others': best leaf first, or level by level."""

    name, symmetric, can_encode = "catboost_lossguide", False, False

    def _shape(self, settings: Settings) -> dict[str, Any]:
        if settings.leaves is None:
            return {"grow_policy": "Depthwise", "depth": settings.depth}
        return {"grow_policy": "Lossguide", "max_leaves": settings.leaves, "depth": 16}


PEERS = by_name(
    Spinney(),
    LightGBM(),
    LightGBMQuantised(),
    LightGBMColumnwise(),
    XGBoost(),
    XGBoostLossguide(),
    XGBoostExact(),
    Hessboost(),
    HessboostLossguide(),
    HessboostQuantised(),
    ScikitLearn(),
    ScikitLearnExact(),
    CatBoost(),
    CatBoostLossguide(),
)


@cache
def _openmp() -> Any:
    """The door to OpenMP's number of threads; opened once, since that is slow."""
    import threadpoolctl

    return threadpoolctl.ThreadpoolController()


def _xgboost_params(settings: Settings, policy: str) -> dict[str, Any]:
    objectives = {"binary": "binary:logistic", "multiclass": "multi:softprob", "regression": "reg:squarederror"}
    params: dict[str, Any] = {
        "objective": objectives[settings.task],
        "tree_method": "hist",
        "grow_policy": policy,
        "eta": settings.learning_rate,
        "max_leaves": settings.leaves or 0,
        "max_depth": settings.depth or 0,
        "max_bin": settings.max_bins or 256,
        "nthread": settings.threads,
        "seed": settings.seed,
    }
    return params | ({"num_class": settings.classes} if settings.task == "multiclass" else {})


def _estimator_scores(model: Model, X: Features) -> Scores:
    """What a scikit-learn style model predicts."""
    if model.settings.task == "regression":
        return np.asarray(model.fitted.predict(X))
    probabilities = np.asarray(model.fitted.predict_proba(X))
    return probabilities[:, 1] if model.settings.task == "binary" else probabilities


def _pool(X: Features, y: NDArray[Any], threads: int) -> Any:
    """CatBoost's table; its categorical columns have to be named."""
    import catboost

    is_frame = isinstance(X, pd.DataFrame)
    names = [str(c) for c in X.columns if isinstance(X[c].dtype, pd.CategoricalDtype)] if is_frame else None
    return catboost.Pool(X, y, cat_features=names or None, thread_count=threads)

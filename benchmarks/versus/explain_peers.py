"""The libraries with SHAP values, interaction values and values against background rows.

`fit` trains and is not timed; `score` explains the first rows of a table, the number of which is in the settings.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Features, Task
from benchmarks.versus import boosting_peers, forest_peers
from benchmarks.versus.peers import Model, Peer, Scores, by_name

What = Literal["values", "pairs", "background"]


@dataclass(frozen=True)
class Settings:
    """What is trained (boosting, or with `forest` trees to pure leaves) and what is asked of it."""

    task: Task = "binary"
    what: What = "values"
    explained: int = 20_000  # rows
    forest: bool = False
    trees: int = 100
    leaves: int = 31
    background: int = 100  # rows
    threads: int = 2

    def short(self) -> "Settings":
        """The same with two trees, to warm up."""
        return replace(self, trees=2)

    @property
    def boosting(self) -> boosting_peers.Settings:
        """For those who boost."""
        return boosting_peers.Settings(self.task, 2, self.trees, leaves=self.leaves, threads=self.threads)

    @property
    def forests(self) -> forest_peers.Settings:
        """For those who grow forests."""
        return forest_peers.Settings(self.task, "forest", self.trees, threads=self.threads)


class Explainer(Peer):
    """A peer that trains like another one, and explains."""

    trains: Peer

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """Train; the first rows are the background."""
        model = self.trains.fit(X, y, settings.boosting)
        return Model((model.fitted, X[: settings.background]), settings)

    def score(self, model: Model, X: Features) -> Scores:
        """Contributions of columns, or of pairs."""
        fitted, background = model.fitted
        return np.asarray(self.explain(fitted, X[: model.settings.explained], background, model.settings))

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """By whatever this library has for it."""
        raise NotImplementedError


class Spinney(Explainer):
    """The library under test."""

    name, module, needs = "spinney", "spinney", ("explain",)

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """Boosting or a forest."""
        peers, chosen = (forest_peers, settings.forests) if settings.forest else (boosting_peers, settings.boosting)
        fitted = peers.PEERS["spinney"].fit(X, y, chosen).fitted  # type: ignore[attr-defined]
        return Model((fitted, X[: settings.background]), settings)

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """As a user would."""
        from spinney.explain import shap

        against = background if settings.what == "background" else None
        return shap(fitted, X, against, interactions=settings.what == "pairs", n_jobs=settings.threads).values


class Hessboost(Explainer):
    """hessboost, best leaf first."""

    name, module, trains = "hessboost", "hessboost", boosting_peers.HessboostLossguide()

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """Through XGBoost's names."""
        import hessboost

        pairs = settings.what == "pairs"
        return fitted.predict(hessboost.DMatrix(X), pred_contribs=not pairs, pred_interactions=pairs)


class XGBoost(Explainer):
    """XGBoost, best leaf first."""

    name, module, trains = "xgboost", "xgboost", boosting_peers.XGBoostLossguide()

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """By its own predictor."""
        import xgboost

        data, pairs = xgboost.DMatrix(X, nthread=settings.threads), settings.what == "pairs"
        return fitted.predict(data, pred_contribs=not pairs, pred_interactions=pairs)


class LightGBM(Explainer):
    """LightGBM."""

    name, module, trains = "lightgbm", "lightgbm", boosting_peers.LightGBM()

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """By its own predictor."""
        return fitted.predict(X, pred_contrib=True, num_threads=settings.threads)


class CatBoost(Explainer):
    """CatBoost with symmetric trees."""

    name, module, trains = "catboost", "catboost", boosting_peers.CatBoost()

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """By its own importances."""
        import catboost

        kind = "ShapInteractionValues" if settings.what == "pairs" else "ShapValues"
        return fitted.get_feature_importance(catboost.Pool(X), type=kind, thread_count=settings.threads)


class Shap(Explainer):
    """`shap` on scikit-learn's forests, or on XGBoost's boosting where there is a background; one thread."""

    name, module = "shap", "shap"

    def fit(self, X: Features, y: NDArray[Any], settings: Settings) -> Model:
        """The rival's own model."""
        peer: Peer = boosting_peers.PEERS["xgboost_lossguide"]
        chosen: Any = settings.boosting
        if settings.forest:
            peer, chosen = forest_peers.PEERS["sklearn"], settings.forests
        return Model((peer.fit(X, y, chosen).fitted, X[: settings.background]), settings)

    def explain(self, fitted: Any, X: Features, background: Features, settings: Settings) -> Any:
        """TreeExplainer, without its check of the sums."""
        import shap

        if settings.what == "background":
            explainer = shap.TreeExplainer(fitted, background, feature_perturbation="interventional")
            return explainer.shap_values(X, check_additivity=False)
        explainer = shap.TreeExplainer(fitted)
        if settings.what == "pairs":
            return explainer.shap_interaction_values(X)
        return explainer.shap_values(X, check_additivity=False)


PEERS = by_name(Spinney(), Hessboost(), XGBoost(), LightGBM(), CatBoost(), Shap())

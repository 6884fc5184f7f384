"""Parameters of automatic models, and the families of models that they choose from.

A family is a name, its classifier and its regressor, and the parameters that differ from their defaults. `settled`
returns what the fit on all rows has chosen, so that fits on folds need not search for it again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.utils._param_validation import StrOptions

from spinney.estimators.boosting.gradient_boosting import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)
from spinney.estimators.forests.random_forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.estimators.params import COMMON, POSITIVE, THREADS, Parameter
from spinney.estimators.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor

Choices = dict[str, Any]


def _nothing(model: Any, n_samples: int) -> Choices:
    return {}


def _settled_boosting(model: Any, n_samples: int) -> Choices:
    """What boosting has chosen with held-out rows, and what follows from the data."""
    from spinney.ensemble.boosting.round_search import tree_size

    return {
        "n_estimators": model.n_estimators_,
        "learning_rate": model.learning_rate_,
        "max_leaf_nodes": model.max_leaf_nodes_,
        "min_samples_leaf": model.min_samples_leaf_,
        "max_features": model.max_features_,
        "min_samples_category": tree_size(n_samples, model.n_features_in_, 1).min_category,
    }


class Family(NamedTuple):
    """Models that are tried under one name."""

    classifier: Any
    regressor: Any
    changes: Choices  # parameters that are not at their defaults
    settled: Callable[[Any, int], Choices] = _nothing
    grows: str = ""  # "rounds": has a time budget of its own; "trees": a smaller one takes less time

    def make(self, classifies: bool, parameters: Choices) -> Any:
        """A model to be fitted; of the parameters it gets those that it has."""
        kind = self.classifier if classifies else self.regressor
        model = kind(**self.changes)
        return model.set_params(**{name: value for name, value in parameters.items() if hasattr(model, name)})


_BOOSTING = GradientBoostingClassifier, GradientBoostingRegressor
_FOREST = RandomForestClassifier, RandomForestRegressor
_EXTRA = ExtraTreesClassifier, ExtraTreesRegressor
_TREE = DecisionTreeClassifier, DecisionTreeRegressor

# in order of worth per time
FAMILIES = {
    "boosting": Family(*_BOOSTING, {}, _settled_boosting, "rounds"),
    "boosting_of_large_trees": Family(
        *_BOOSTING, {"max_leaf_nodes": 96, "max_features": 0.3, "subsample": 0.7}, _settled_boosting, "rounds"
    ),
    "boosting_of_small_trees": Family(
        *_BOOSTING, {"max_leaf_nodes": 5, "max_features": 1.0}, _settled_boosting, "rounds"
    ),
    "random_forest": Family(*_FOREST, {}, grows="trees"),
    "extra_trees": Family(*_EXTRA, {}, grows="trees"),
    "tree": Family(*_TREE, {"min_samples_leaf": 0.02}),
}
DEFAULT = tuple(name for name in FAMILIES if name != "tree")
_NAMES = ", ".join(f'"{name}"' for name in FAMILIES)

AUTO = {
    **COMMON,
    "families": Parameter(
        "list of str or None",
        f"Families to try, in this order, from {_NAMES}. None: all except the last.",
        ["array-like", None],
    ),
    "time_budget": Parameter(
        "float or None",
        "Time limit for `fit` in seconds, kept to within a few fits of trees. Families that no longer fit into it are "
        "not tried, which `leaderboard_` notes. With a budget, the model depends on the speed of the machine. None: "
        "all families are tried in full.",
        [POSITIVE, None],
    ),
    "scoring": Parameter(
        "str, function or None",
        "Score that models are compared and combined by, higher is better: a scikit-learn name or a function "
        "(model, X, y) -> float. None: negative log loss for classifiers, negative root mean squared error for "
        "regressors.",
        [str, callable, None],
    ),
    "cv": Parameter(
        "int, str, splitter, iterable or None",
        "Folds, as in `spinney.evaluate.cross_validate`. A number gives that many stratified folds, determined by row "
        "contents, so that the order of the rows does not matter. None: 5 folds up to 50,000 rows, 3 up to 200,000. "
        "Above, or if the time budget is small for the data, one part of the rows is held out.",
        ["cv_object", StrOptions({"kfold", "stratified", "grouped", "repeated", "loo"})],
    ),
    "random_state": Parameter("int, RandomState or None", "Seed for the folds and for all models.", ["random_state"]),
    "n_jobs": Parameter(
        'int, "dask" or None',
        'Number of threads. None and -1 use every core. "dask": families and folds are fitted on the cluster of the '
        "current Dask client, without a time budget. The model does not depend on it.",
        [*THREADS, StrOptions({"dask"})],
    ),
    "verbose": Parameter(
        "int",
        "1 prints a line per family on standard error, with its score and time. 2 also prints the models' messages.",
        ["verbose"],
    ),
}
FITTED = """
    best_ : str
        Name of the family with the best score; without scores, of the first.
    estimators_ : list of estimators
        The models with a weight, fitted on all rows.
    names_ : list of str
        Families of these models.
    weights_ : ndarray of shape (n_models,)
        Weights of these models. They add up to 1.
    score_ : float
        Score of the weighted mean on the held-out rows; NaN with too few rows or too little time. It is slightly
        optimistic, since the weights were chosen on the same rows.
    leaderboard_ : pandas.DataFrame, or a dict of arrays if pandas is not installed
        One row per family: name, parameters, score (mean over the folds), spread (standard deviation over the folds),
        seconds, weight and note. `leaderboard()` returns it as text.
    feature_importances_ : ndarray of shape (n_features,)
        Weighted mean of the models' importances.
    fingerprint_ : str
        Hash of all models and weights, the same on any machine and any number of threads, if there is no time budget.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had names.
"""

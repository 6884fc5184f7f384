"""Parameters of automatic models, and the families of models that they choose from.

A family is a name, its classifier and its regressor, and what differs from their defaults. `settled` says what the fit
on all rows has found out, so that fits on folds need not search for it again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.utils._param_validation import StrOptions

from spinney.estimators.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.estimators.params import COMMON, POSITIVE, THREADS, Parameter
from spinney.estimators.random_forest import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from spinney.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor

Choices = dict[str, Any]


def _nothing(model: Any, n_samples: int) -> Choices:
    return {}


def _settled_boosting(model: Any, n_samples: int) -> Choices:
    """What boosting has chosen by rows held out, and what follows from the table."""
    from spinney.ensemble.auto import tree_size

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
        f"Which families to try, in this order: some of {_NAMES}. None: all but the last.",
        ["array-like", None],
    ),
    "time_budget": Parameter(
        "float or None",
        "Seconds that `fit` may take, kept to within a few fits of trees; what there is no time for is not tried, and "
        "`leaderboard_` says so. With a budget the model depends on the speed of the machine. None: all families are "
        "tried in full.",
        [POSITIVE, None],
    ),
    "scoring": Parameter(
        "str, function or None",
        "What models are judged and combined by, higher is better: a name of scikit-learn's scores or a function "
        "(model, X, y) -> float. None: log loss of classes, root mean squared error of numbers, with a minus sign.",
        [str, callable, None],
    ),
    "cv": Parameter(
        "int, str, splitter, iterable or None",
        "Folds, as in `spinney.evaluate.cross_validate`. A number: so many folds, alike in their classes or numbers; "
        "which rows they hold follows from what the rows hold, so the order of the table does not matter. None: 5 "
        "folds up to 50,000 rows, 3 up to 200,000; above, or where a time budget is short for the table, one part "
        "of the rows is held out.",
        ["cv_object", StrOptions({"kfold", "stratified", "grouped", "repeated", "loo"})],
    ),
    "random_state": Parameter("int, RandomState or None", "Of the folds and of all models.", ["random_state"]),
    "n_jobs": Parameter(
        'int, "dask" or None',
        'Threads; None: every core. "dask": families and folds are fitted by the cluster of Dask\'s current client, '
        "without a time budget. The model does not depend on it.",
        [*THREADS, StrOptions({"dask"})],
    ),
    "verbose": Parameter(
        "int",
        "1: a line on standard error for every family, with its score and time; 2: also what models print.",
        ["verbose"],
    ),
}
FITTED = """
    best_ : str
        The name of the family with the best score; without scores, of the first.
    estimators_ : list of models
        The models that predict, fitted on all rows.
    names_ : list of str
        Their families.
    weights_ : ndarray
        How much each of them counts; they add up to 1.
    score_ : float
        The score of their weighted mean on the rows held out; NaN if there were too few rows, or no time.
    leaderboard_ : pandas.DataFrame, or a dict of arrays if pandas is not installed
        What was tried: name, parameters, score (mean over the folds), spread (standard deviation over the folds),
        seconds, weight, and what became of it (`note`). `leaderboard()` is the same as a text.
    feature_importances_ : ndarray of shape (n_features,)
        The weighted mean of the models' importances.
    fingerprint_ : str
        A hash of all models and weights: equal on any machine and any number of threads, if no time budget is given.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        If X had names.
"""

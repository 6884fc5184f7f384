"""Random-structure forests: full trees of random questions, whose leaves alone are learnt."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from spinney.estimators.forest import ForestClassifier, ForestRegressor

_MOST_LEVELS = 24  # a full tree of this depth has 33 million nodes


# Parameters of other forests, and what stands for them here.
_WITHOUT = {
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "max_features": None,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "monotonic_cst": None,
    "ccp_alpha": 0.0,
    "features_per": "split",
}


class _RandomStructure:
    """What both estimators share."""

    _splitter = "best"
    _criterion: ClassVar[str]
    max_depth: int

    def _setting(self, name: str) -> Any:
        if name == "criterion":
            return self._criterion
        return _WITHOUT[name] if name in _WITHOUT else getattr(self, name)

    def _structure(self) -> int | None:
        return int(self.max_depth)


_DEPTH = [Interval(Integral, 1, _MOST_LEVELS, closed="both")]

_PARAMETERS = """
    n_estimators : int, default 100
        Trees.
    max_depth : int, default 10
        Questions on every path: a tree has 2 ** max_depth leaves.
    bootstrap : bool, default True
        Fill each tree from rows drawn with replacement; False: from all rows.
    oob_score : bool or function, default False
        Judge every row by the trees that have not seen it.
    n_jobs : int or None, default None
        Threads, one tree each; None: every core. The forest does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default 0
    warm_start : bool, default False
        Keep the trees of the fit before and add more."""
_LAST = """
    max_samples : int, float or None, default None
        Rows that a bootstrap draws, or their share of all rows; None: as many as there are.
    max_bins : int, default 255
        Thresholds to draw from, for each column, at most.
    categorical_features : "from_dtype", mask, column numbers or names, or None
        By default strings and categories are categorical.
"""
_ABOUT = """
    The questions of its trees are drawn before any row is seen: each node asks about a random column, a number whether
    it lies below a random quantile, a category whether it is in a random half of the categories. Only the leaves are
    filled from the data; one without rows answers what its parent does. Trees are grown at once, and many weak ones
    make a fair model. Columns that say nothing harm it more than they harm a random forest: leave them out.
"""


class RandomStructureForestClassifier(_RandomStructure, ForestClassifier):
    __doc__ = f"""A forest of full trees with random questions, for classification.
{_ABOUT}
    Parameters
    ----------{_PARAMETERS}
    class_weight : dict, list of dicts, "balanced", "balanced_subsample" or None
        Weights of the classes.{_LAST}
    Attributes
    ----------
    estimators_, grove_, feature_importances_, fingerprint_, classes_, n_features_in_, feature_names_in_, n_outputs_
        As in `RandomForestClassifier`, whose other attributes are there, too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomStructureForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomStructureForestClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    _criterion = "gini"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: one for name, one in ForestClassifier._parameter_constraints.items() if name not in _WITHOUT},
        "max_depth": _DEPTH,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int = 10,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        max_samples: Any = None,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.max_samples = max_samples
        self.max_bins = max_bins
        self.categorical_features = categorical_features


class RandomStructureForestRegressor(_RandomStructure, ForestRegressor):
    __doc__ = f"""A forest of full trees with random questions, for regression.
{_ABOUT}
    Parameters
    ----------{_PARAMETERS}
    keep_targets : bool, default False
        Keep the training rows of every leaf, for `predict_quantiles`.{_LAST}
    Attributes
    ----------
    estimators_, grove_, feature_importances_, fingerprint_, n_features_in_, feature_names_in_, n_outputs_
        As in `RandomForestRegressor`, whose other attributes are there, too.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import RandomStructureForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomStructureForestRegressor(max_depth=5, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.2
    True
    """

    _criterion = "squared_error"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: one for name, one in ForestRegressor._parameter_constraints.items() if name not in _WITHOUT},
        "max_depth": _DEPTH,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int = 10,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        max_samples: Any = None,
        keep_targets: bool = False,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.max_samples = max_samples
        self.keep_targets = keep_targets
        self.max_bins = max_bins
        self.categorical_features = categorical_features

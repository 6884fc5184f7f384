"""Random-structure forests: full trees of random splits, of which only the leaves are fitted."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from spinney.estimators.forests.fit import ForestClassifier, ForestRegressor
from spinney.estimators.params import FOREST, Parameter, described, keep_parameters

_MOST_LEVELS = 24  # a full tree of this depth has 33 million nodes


# Parameters of other forests, and the values that apply here.
_WITHOUT = {
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "monotonic_cst": None,
    "ccp_alpha": 0.0,
    "features_per": "tree",
}


class _RandomStructure:
    """Base class of both estimators."""

    _splitter = "best"
    _criterion: ClassVar[str]
    max_depth: int

    def _setting(self, name: str) -> Any:
        if name == "criterion":
            return self._criterion
        return _WITHOUT[name] if name in _WITHOUT else getattr(self, name)

    def _structure(self) -> int | None:
        return int(self.max_depth)


_TABLE = {
    **FOREST,
    "max_depth": Parameter(
        "int",
        "Depth of the trees, which are full: each has 2 ** max_depth leaves.",
        [Interval(Integral, 1, _MOST_LEVELS, closed="both")],
    ),
    "max_features": FOREST["max_features"]._replace(
        text="Number of columns that each tree may use, sampled without replacement: an integer, a fraction of the "
        'columns, "sqrt" or "log2". The nodes of the tree sample from these with replacement. None: all columns.'
    ),
    "bootstrap": FOREST["bootstrap"]._replace(
        text="Fit the leaves of each tree on rows sampled with replacement. False uses all rows."
    ),
    "max_bins": Parameter(
        "int",
        "Maximum number of thresholds per column to sample from.",
        [Interval(Integral, 2, 255, closed="both")],
    ),
}
_ABOUT = """
    The splits are chosen at random, without looking at the target: each node has a random column, and a random quantile
    as threshold or a random half of the categories. Only the values of the leaves are fitted; a leaf without rows
    predicts like its parent. This is fast, and with many trees the accuracy is fair. Uninformative columns harm it
    more than they harm a random forest: leave them out.
"""


@described(_TABLE, about=_ABOUT)
class RandomStructureForestClassifier(_RandomStructure, ForestClassifier):
    """A random-structure forest for classification: full trees with random splits.

    {about}

    Attributes
    ----------
    estimators_, forest_, feature_importances_, fingerprint_, classes_, n_features_in_, feature_names_in_, n_outputs_
        As in `RandomForestClassifier`, like all other attributes.

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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int = 10,
        max_features: Any = None,
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
        voting: str = "soft",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())


@described(_TABLE, about=_ABOUT)
class RandomStructureForestRegressor(_RandomStructure, ForestRegressor):
    """A random-structure forest for regression: full trees with random splits.

    {about}

    Attributes
    ----------
    estimators_, forest_, feature_importances_, fingerprint_, n_features_in_, feature_names_in_, n_outputs_
        As in `RandomForestRegressor`, like all other attributes.

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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int = 10,
        max_features: Any = None,
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
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

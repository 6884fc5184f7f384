"""Random-structure forests: full trees of random questions, whose leaves alone are learnt."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from spinney.estimators.forest import ForestClassifier, ForestRegressor
from spinney.estimators.params import FOREST, Parameter, described, keep_parameters

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


_TABLE = {
    **FOREST,
    "max_depth": Parameter(
        "int",
        "Questions on every path: a tree has 2 ** max_depth leaves.",
        [Interval(Integral, 1, _MOST_LEVELS, closed="both")],
    ),
    "bootstrap": FOREST["bootstrap"]._replace(
        text="Fill each tree from rows drawn with replacement; False: from all rows."
    ),
    "max_bins": FOREST["max_bins"]._replace(form="int", text="At most this many thresholds to draw from, per column."),
}
_ABOUT = """
    The questions of its trees are drawn before any row is seen: each node asks about a random column, a number whether
    it lies below a random quantile, a category whether it is in a random half of the categories. Only the leaves are
    filled from the data; one without rows answers what its parent does. Trees are grown at once, and many weak ones
    make a fair model. Columns that say nothing harm it more than they harm a random forest: leave them out.
"""


@described(_TABLE, about=_ABOUT)
class RandomStructureForestClassifier(_RandomStructure, ForestClassifier):
    """A forest of full trees with random questions, for classification.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_, forest_, feature_importances_, fingerprint_, classes_, n_features_in_, feature_names_in_, n_outputs_
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
        voting: str = "soft",
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())


@described(_TABLE, about=_ABOUT)
class RandomStructureForestRegressor(_RandomStructure, ForestRegressor):
    """A forest of full trees with random questions, for regression.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    estimators_, forest_, feature_importances_, fingerprint_, n_features_in_, feature_names_in_, n_outputs_
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
        handle_unknown: str = "missing",
    ) -> None:
        keep_parameters(self, locals())

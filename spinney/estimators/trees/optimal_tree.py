"""Optimal trees for classification and regression, with scikit-learn's interface. No algorithm in here: see
grow/optimal."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney._warnings import warn_caller
from spinney.data.target import Training, read_training
from spinney.data.weights import share_of_rows
from spinney.estimators.base import TableRegressor, all_or_nothing
from spinney.estimators.docstrings import NUMBERS, TO_FIT, documented
from spinney.estimators.params import (
    NOT_NEGATIVE,
    POSITIVE,
    TREE,
    Parameter,
    check_parameters,
    described,
    keep_parameters,
    n_categories,
)
from spinney.estimators.streaming import known_arguments, row_by_row
from spinney.estimators.trees.model import ClassTreeModel, TreeModel
from spinney.gpu import model_methods as on_gpu

if TYPE_CHECKING:
    from spinney.grow.optimal.fit import OptimalResult

_MOST_LEVELS = 8
_OPTIMAL = {
    **TREE,
    "max_depth": Parameter(
        "int",
        f"Maximum depth of the tree, from 1 to {_MOST_LEVELS}. Every level multiplies the time of the search by about "
        "the number of thresholds.",
        [Interval(Integral, 1, _MOST_LEVELS, closed="both")],
    ),
    "leaf_penalty": Parameter(
        "float",
        "Penalty per leaf, in units of the mean training loss: a split is made only if it reduces the loss by more. It "
        "has the meaning of `ccp_alpha`. A small penalty also makes the search faster.",
        [NOT_NEGATIVE],
    ),
    "max_bins": Parameter(
        "int",
        "Maximum number of bins per column, up to 255. Thresholds are bin edges. Columns with at most this many values "
        "have an edge between any two of them.",
        [Interval(Integral, 2, 255, closed="both")],
    ),
    "time_budget": Parameter(
        "float or None",
        "Seconds after which the search ends with the best tree found so far and a ConvergenceWarning. Time for "
        "compiling does not count. None sets no limit.",
        [POSITIVE, None],
    ),
    "n_jobs": Parameter(
        "int or None",
        "Number of threads. None and -1 use every core. The tree does not depend on it, unless `time_budget` ends the "
        "search.",
        TREE["n_jobs"].allowed,
    ),
    "class_weight": Parameter(
        'dict, "balanced" or None',
        "Weights of the classes, which multiply `sample_weight`: what misclassifying a row of the class costs. "
        '"balanced" gives all classes the same total weight.',
        [dict, StrOptions({"balanced"}), None],
    ),
}
_CLASS_CRITERION = Parameter(
    '{"error", "gini", "entropy", "log_loss"}',
    'Loss of a leaf, per unit of weight: "error", the fraction of misclassified rows; "gini" impurity; "entropy" or '
    '"log_loss", the entropy in bits.',
    [StrOptions({"error", "gini", "entropy", "log_loss"})],
)
_NUMBER_CRITERION = Parameter(
    '{"squared_error"}', "Loss of a leaf: the mean squared error of its mean.", [StrOptions({"squared_error"})]
)
_FITTED = """
    tree_ : DecisionTree
        The tree as arrays, with scikit-learn's names.
    objective_ : float
        Mean training loss of the tree plus `leaf_penalty` times its leaves: what the search minimises.
    bound_ : float
        Lower bound: no tree under these rules has a lower objective.
    gap_ : float
        `objective_` minus `bound_`; 0 for a tree that is proved optimal.
    is_optimal_ : bool
        Whether the tree is proved optimal. False only if `time_budget` ended the search.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the total impurity decrease.
    fingerprint_ : str
        A hash of the tree, the same on any machine and with any number of threads.
    n_outputs_ : int
        The number of outputs, 1.
"""
_ABOUT = """
    A greedy tree chooses each split for itself, and cannot see that two splits together would be better. This estimator
    searches all trees up to `max_depth` for the lowest training objective, by dynamic programming with bounds, and
    proves that there is no better one. It falls back on the best tree found when `time_budget` ends the search.

    Splits are those of a decision tree with bins. Numeric columns are split at bin edges. Categorical columns are split
    in the order of {order}, by one category against the others if there are at most 16, and by every set
    that a greedy tree has used. Missing values are tried on both sides. Unknown categories are treated as missing.
"""


class _OptimalTree(TreeModel):
    """Fitting, shared by both estimators."""

    criterion: str
    max_depth: int
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    leaf_penalty: float
    max_bins: int
    time_budget: float | None
    categorical_features: Any
    n_jobs: int | None
    objective_: float
    bound_: float

    @known_arguments
    @documented(TO_FIT)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Search for the best tree.

        Examples
        --------
        >>> from spinney import OptimalTreeClassifier
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
        >>> OptimalTreeClassifier(max_depth=2).fit(X, y).predict(X).tolist()
        ['same', 'other', 'other', 'same']
        """
        check_parameters(self)
        with all_or_nothing(self):
            by_class = getattr(self, "class_weight", None)
            data = read_training(self, X, y, sample_weight, class_weight=by_class, one_output=True)
            data.target.keep_classes(self)
            found = self._search(data)
            self._keep(data.schema, found.tree)
            self.objective_, self.bound_ = found.objective, found.bound
        if not self.is_optimal_:
            warn_caller(
                f"The search ended after time_budget={self.time_budget!r} seconds: the tree is the best found, with a "
                f"training objective of {self.objective_:.6g}, and no tree is better than {self.bound_:.6g}. Raise "
                "time_budget or leaf_penalty, or lower max_depth or max_bins.",
                ConvergenceWarning,
            )
        return self

    def _search(self, data: Training) -> OptimalResult:
        from spinney._team import Team, available_threads
        from spinney.criteria.impurity import NAMES
        from spinney.grow.optimal.fit import OptimalSettings, fit_optimal_tree

        table, rows = data.table, data.target.weights.rows()
        target, n_rows = data.target.take(rows), table.n_rows if rows is None else len(rows)
        settings = OptimalSettings(
            criterion=NAMES[self.criterion],
            max_depth=int(self.max_depth),
            min_leaf=share_of_rows(self.min_samples_leaf, target.weights.n_samples(n_rows)),
            min_weight=float(self.min_weight_fraction_leaf),
            leaf_penalty=float(self.leaf_penalty),
            max_bins=int(self.max_bins),
            time_budget=None if self.time_budget is None else float(self.time_budget),
        )
        with Team(available_threads(self.n_jobs)) as team:
            sizes, counts = n_categories(data.schema), data.target.weights.counts
            return fit_optimal_tree(table, sizes, target, settings, team, rows, counts)

    @property
    def gap_(self) -> float:
        """The difference between the objective and its lower bound; 0 for a tree that is proved optimal."""
        check_is_fitted(self)
        return self.objective_ - self.bound_

    @property
    def is_optimal_(self) -> bool:
        """Whether the tree is proved optimal."""
        check_is_fitted(self)
        return self.bound_ >= self.objective_


@described(
    _OPTIMAL,
    {"criterion": _CLASS_CRITERION},
    fitted=_FITTED,
    about=_ABOUT.format(order="the rate of each class"),
)
class OptimalTreeClassifier(ClassTreeModel, _OptimalTree):
    """The decision tree with the lowest training loss up to a depth, for classification.

    {about}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_classes_ : int
        The number of classes.
    {fitted}

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier, OptimalTreeClassifier
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.is_optimal_, round(model.objective_, 4)
    (True, 0.0174)
    >>> round(1 - DecisionTreeClassifier(max_depth=2).fit(X, y).score(X, y), 4)
    0.0378
    """

    def __init__(
        self,
        *,
        criterion: str = "error",
        max_depth: int = 4,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        leaf_penalty: float = 0.0,
        class_weight: Any = None,
        max_bins: int = 255,
        time_budget: float | None = 60.0,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())


@described(_OPTIMAL, {"criterion": _NUMBER_CRITERION}, fitted=_FITTED, about=_ABOUT.format(order="the mean target"))
class OptimalTreeRegressor(TableRegressor, _OptimalTree):
    """The decision tree with the lowest training error up to a depth, for regression.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from spinney import DecisionTreeRegressor, OptimalTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> model.score(X, y) > DecisionTreeRegressor(max_depth=2).fit(X, y).score(X, y)
    True
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int = 4,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        leaf_penalty: float = 0.0,
        max_bins: int = 255,
        time_budget: float | None = 60.0,
        categorical_features: Any = "from_dtype",
        handle_unknown: str = "missing",
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @row_by_row(on_gpu.tree_numbers)
    @documented(returns=NUMBERS)
    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """Predict the mean of each row's leaf.

        Examples
        --------
        >>> from spinney import OptimalTreeRegressor
        >>> OptimalTreeRegressor().fit([[0], [1]], [2.0, 4.0]).predict([[0.2], [9.0]])
        array([2., 4.])
        """
        leaves = self._leaves(self._read(X))
        values: np.ndarray = self.tree_.answers[leaves, 0, 0]
        return values

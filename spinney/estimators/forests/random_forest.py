"""Random forests and extra-trees, for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from spinney.estimators.docstrings import CLASSES_OF_OUTPUTS
from spinney.estimators.forests.fit import ForestClassifier, ForestRegressor
from spinney.estimators.params import CLASS_CRITERIA, FOREST, NUMBER_CRITERIA, Parameter, described, other_defaults
from spinney.estimators.trees.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor

_ABOUT = """
    Columns may hold numbers, Booleans, strings and categories, with missing values. The same data and `random_state`
    give the same forest, bit for bit, with any number of threads and in any order of the rows. A row of weight 2 is
    sampled and counted like two rows.
"""
_FITTED = """
    estimators_ : list of {tree}{kind}
        The trees, created from `forest_` on first access.
    forest_ : Forest
        All trees, stored together; `forest_.n_bytes` is their size.
    feature_importances_ : ndarray of shape (n_features,)
        Each column's fraction of the impurity decrease, averaged over the trees.
    fingerprint_ : str
        A hash of all trees, the same on any machine and with any number of threads.
    oob_score_ : float
        The out-of-bag score; only with `oob_score`.
    {oob} : ndarray
        The out-of-bag predictions, NaN for rows that are in the sample of every tree; only with `oob_score`.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    estimators_features_ : list of ndarray
        The columns that each tree may split; a sample with `features_per="tree"`.
    max_features_ : int
        The number of columns that each split, or tree, may choose from.
    n_outputs_ : int
        The number of outputs.
"""


def _texts(kind: str, tree: str) -> dict[str, str]:
    """The texts that fill in the docstrings."""
    oob = "oob_decision_function_" if kind == "Classifier" else "oob_prediction_"
    classes = CLASSES_OF_OUTPUTS if kind == "Classifier" else ""
    return {"about": _ABOUT, "fitted": classes + _FITTED.format(kind=kind, tree=tree, oob=oob)}


_CLASS_CRITERION = Parameter(
    "str or function",
    'Measure of the quality of a split: "gini", "entropy", "log_loss", "error", "gain_ratio" or a function; see '
    "`DecisionTreeClassifier`.",
    CLASS_CRITERIA,
)
_NUMBER_CRITERION = Parameter(
    "str or function",
    'Measure of the quality of a split: "squared_error", "friedman_mse", "absolute_error", "poisson" or a function; '
    "see `DecisionTreeRegressor`.",
    NUMBER_CRITERIA,
)


@described(FOREST, {"criterion": _CLASS_CRITERION}, **_texts("Classifier", "DecisionTree"))
class RandomForestClassifier(ForestClassifier):
    """A random forest for classification.

    Each tree is grown on rows sampled with replacement, and each split chooses among a few random columns. The mean of
    many such trees is more accurate than a single one.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    _splitter = "best"


@described(FOREST, {"criterion": _NUMBER_CRITERION}, **_texts("Regressor", "DecisionTree"))
@other_defaults(max_features=0.67)
class RandomForestRegressor(ForestRegressor):
    """A random forest for regression.

    Each tree is grown on rows sampled with replacement, and each split chooses among a few random columns. The mean of
    many such trees is more accurate than a single one.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import RandomForestRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = RandomForestRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    _splitter = "best"


@described(FOREST, {"criterion": _CLASS_CRITERION}, **_texts("Classifier", "ExtraTree"))
@other_defaults(bootstrap=False)
class ExtraTreesClassifier(ForestClassifier):
    """Extra-trees for classification: a forest with random thresholds.

    Each split samples one random threshold for each of its columns, between the smallest and the largest value in the
    node, and takes the best of these. Trees are grown on all rows unless `bootstrap=True`. Extra-trees are often as
    accurate as random forests, and on small data faster to grow.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ExtraTreesClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).tolist()
    [0, 0]
    """

    _tree_kind, _splitter = ExtraTreeClassifier, "random"


@described(FOREST, {"criterion": _NUMBER_CRITERION}, **_texts("Regressor", "ExtraTree"))
@other_defaults(bootstrap=False)
class ExtraTreesRegressor(ForestRegressor):
    """Extra-trees for regression: a forest with random thresholds.

    Each split samples one random threshold for each of its columns, between the smallest and the largest value in the
    node, and takes the best of these. Trees are grown on all rows unless `bootstrap=True`. Extra-trees are often as
    accurate as random forests, and on small data faster to grow.

    {about}

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import ExtraTreesRegressor
    >>> X, y = make_regression(random_state=0)
    >>> model = ExtraTreesRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    _tree_kind, _splitter = ExtraTreeRegressor, "random"

"""Random forests and extra-trees, for classification and regression, with scikit-learn's interface."""

from __future__ import annotations

from spinney.estimators.extra_tree import ExtraTreeClassifier, ExtraTreeRegressor
from spinney.estimators.forest import ForestClassifier, ForestRegressor
from spinney.estimators.params import CLASS_CRITERIA, FOREST, NUMBER_CRITERIA, Parameter, described, other_defaults

_ABOUT = """
    Columns may be numbers, Booleans, strings and categories, with missing values. The same data and `random_state` give
    the same forest bit for bit, on any number of threads and in any order of the rows. A row of weight 2 is drawn and
    counted like two rows.
"""
_FITTED = """
    estimators_ : list of {tree}{kind}
        The trees, made from `forest_` when first asked for.
    forest_ : Forest
        All trees in one store; `forest_.n_bytes` is its size.
    feature_importances_ : ndarray
        Mean shares of the columns in the decrease of impurity.
    fingerprint_ : str
        A hash of all trees: equal on any machine and any number of threads.
    oob_score_ : float
        With `oob_score`; also `{oob}`, NaN for rows that every tree has seen.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown on.
    n_features_in_, feature_names_in_, n_outputs_, max_features_
"""


def _texts(kind: str, tree: str) -> dict[str, str]:
    """What docstrings are filled in with."""
    oob = "oob_decision_function_" if kind == "Classifier" else "oob_prediction_"
    others = ", classes_, n_classes_" if kind == "Classifier" else ""
    return {"about": _ABOUT, "fitted": _FITTED.format(kind=kind, tree=tree, oob=oob).rstrip() + others}


_CLASS_CRITERION = Parameter(
    "str or function",
    '"gini", "entropy", "log_loss", "error", "gain_ratio", or a function of your own; see `DecisionTreeClassifier`.',
    CLASS_CRITERIA,
)
_NUMBER_CRITERION = Parameter(
    "str or function",
    '"squared_error", "friedman_mse", "absolute_error", "poisson", or a function of your own; see '
    "`DecisionTreeRegressor`.",
    NUMBER_CRITERIA,
)


@described(FOREST, {"criterion": _CLASS_CRITERION}, **_texts("Classifier", "DecisionTree"))
class RandomForestClassifier(ForestClassifier):
    """A random forest for classification.

    Every tree is grown on rows drawn with replacement, and every split chooses among a few random columns. The mean of
    many such trees is better than any of them.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

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

    Every tree is grown on rows drawn with replacement, and every split chooses among a few random columns. The mean of
    many such trees is better than any of them.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

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
    """Extra-trees for classification: a forest whose trees also draw their thresholds.

    Every split draws one random threshold for each of its columns, between the least and the greatest value in the
    node, and takes the best of these. Trees see all rows unless `bootstrap` is True. Quicker to grow than a random
    forest, and often as good.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

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
    """Extra-trees for regression: a forest whose trees also draw their thresholds.

    Every split draws one random threshold for each of its columns, between the least and the greatest value in the
    node, and takes the best of these. Trees see all rows unless `bootstrap` is True. Quicker to grow than a random
    forest, and often as good.

    {about}

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {fitted}

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

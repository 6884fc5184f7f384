"""A fitted model as scikit-learn's class of the same name, for whatever reads only those.

In: a decision tree, a forest, a boosted model, an isolation forest, or AdaBoost or bagging of decision trees, that asks
about numbers only. Out: scikit-learn's estimator with the same trees. None of its fitting code is run: its trees are
filled with ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.ensemble
import sklearn.tree
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.tree._tree import NODE_DTYPE, Tree
from sklearn.utils.validation import check_is_fitted

from spinney.tree.decision import DecisionTree, OneTree
from spinney.tree.formula import trees_formula

_TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
_OPTIMAL = ("OptimalTreeClassifier", "OptimalTreeRegressor")
_FORESTS = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
_BOOSTED = ("GradientBoostingClassifier", "GradientBoostingRegressor")
_ADABOOST = ("AdaBoostClassifier", "AdaBoostRegressor")
_BAGGING = ("BaggingClassifier", "BaggingRegressor")
_ISOLATION = ("IsolationForest",)
_KINDS = (*_TREES, *_OPTIMAL, *_FORESTS, *_BOOSTED, *_ADABOOST, *_BAGGING, *_ISOLATION)


def to_sklearn(model: Any) -> Any:
    """Convert a fitted model to the scikit-learn estimator of the same name.

    The result works with libraries that accept only scikit-learn's classes, such as shap or dtreeviz. The trees are the
    same. scikit-learn rounds its input to float32, so a value within float32's precision of a threshold can take the
    other branch.

    Parameters
    ----------
    model : fitted DecisionTree*, ExtraTree*, OptimalTree*, RandomForest*, ExtraTrees*, GradientBoosting*, AdaBoost*, \
            Bagging* or IsolationForest
        The model. All its splits must be on numbers. A boosted model must have a loss that scikit-learn also has:
        "squared_error", "absolute_error", "quantile", "log_loss" or "exponential". The base estimators of AdaBoost and
        bagging must be decision trees, and AdaBoost's algorithm must be "SAMME".

    Returns
    -------
    fitted scikit-learn estimator
        It has the parameters that both classes have. A boosted model's learning rate is included in its trees.

    See Also
    --------
    to_onnx, explain.shap

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from spinney import RandomForestClassifier, to_sklearn
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X.astype("float32"), y)
    >>> theirs = to_sklearn(forest)
    >>> type(theirs).__module__
    'sklearn.ensemble._forest'
    >>> bool((theirs.predict(X) == forest.predict(X.astype("float32"))).all())
    True
    """
    name = type(model).__name__
    if name not in _KINDS:
        check_is_fitted(model)
        raise TypeError(f"to_sklearn accepts a fitted model of these classes: {', '.join(_KINDS)}; got {name}.")
    check_is_fitted(model)
    if name in (*_ADABOOST, *_BAGGING):
        _check_members(model)
    trees_formula(model).check_constant()
    if not model.forest_.numbers_only:
        raise ValueError(
            f"this {name} splits on categories, but scikit-learn's trees support only numbers. Encode the categories "
            "before fitting, for example with sklearn.preprocessing.OrdinalEncoder."
        )
    kinds = {
        (*_TREES, *_OPTIMAL): _tree,
        _FORESTS: _forest,
        _BOOSTED: _boosted,
        _ADABOOST: _adaboost,
        _BAGGING: _bagging,
    }
    return next((convert for names, convert in kinds.items() if name in names), _isolation)(model)


def _check_members(model: Any) -> None:
    """Raise unless scikit-learn's class can hold the members of AdaBoost or bagging."""
    name = type(model).__name__
    other = next((type(one).__name__ for one in model.estimators_ if type(one).__name__ not in _TREES), None)
    if other is not None:
        raise TypeError(f"to_sklearn accepts AdaBoost and bagging only of decision trees; this {name} has a {other}.")
    if getattr(model, "algorithm", "SAMME") != "SAMME":
        raise ValueError(
            f"scikit-learn's {name} does not support algorithm={model.algorithm!r}. Fit with algorithm='SAMME'."
        )
    if hasattr(model, "classes_") and getattr(model, "n_outputs_", 1) > 1:
        raise ValueError(f"scikit-learn's {name} supports one output; this model has {model.n_outputs_}.")


def _start(model: Any, home: Any) -> Any:
    """scikit-learn's class of the same name with the parameters that it shares and accepts, and the columns."""
    kind = getattr(home, type(model).__name__.replace("Optimal", "Decision"))
    known = kind().get_params()
    given = {key: value for key, value in model.get_params(deep=False).items() if key in known}
    other = kind()
    for key, value in given.items():
        try:
            kind(**{key: value})._validate_params()
        except (ValueError, TypeError):
            continue
        setattr(other, key, value)
    other.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        other.feature_names_in_ = model.feature_names_in_
    for key in ("classes_", "n_classes_", "n_outputs_"):
        if hasattr(model, key):
            setattr(other, key, getattr(model, key))
    return other


def _tree(model: OneTree) -> Any:
    other = _start(model, sklearn.tree)
    other.tree_ = fill(model.tree_)
    other.max_features_ = getattr(model, "max_features_", model.tree_.n_features)
    return other


def _forest(model: Any) -> Any:
    other = _start(model, sklearn.ensemble)
    other.estimator_ = other.estimator
    other.estimators_ = []
    for number in range(model.forest_.n_trees):
        one = type(other.estimator)(max_depth=other.max_depth, max_features=other.max_features)
        one.tree_ = fill(model.forest_.tree(number))
        one.n_features_in_, one.n_outputs_, one.max_features_ = model.n_features_in_, model.n_outputs_, 1
        if hasattr(model, "classes_"):
            one.n_classes_ = model.n_classes_
            several = model.n_outputs_ > 1
            sizes = model.n_classes_ if several else [model.n_classes_]
            numbers = [np.arange(n) for n in sizes]  # members answer in class numbers, as scikit-learn's do
            one.classes_ = numbers if several else numbers[0]
        other.estimators_.append(one)
    return other


def _members(model: Any, members: list[Any]) -> Any:
    """scikit-learn's class of the same name with these members of scikit-learn's."""
    other = _start(model, sklearn.ensemble)
    other.estimators_, other.n_estimators = members, len(members)
    other.estimator_ = clone(members[0])
    if "estimator" in other.get_params(deep=False):
        other.estimator = clone(members[0])
    return other


def _adaboost(model: Any) -> Any:
    other = _members(model, [_tree(one) for one in model.estimators_])
    other.estimator_weights_, other.estimator_errors_ = model.estimator_weights_, model.estimator_errors_
    return other


def _bagging(model: Any) -> Any:
    other = _members(model, [_tree(one) for one in model.estimators_])
    for one in other.estimators_ if hasattr(model, "classes_") else ():
        one.classes_ = np.searchsorted(model.classes_, one.classes_)  # members answer in class numbers there
    other.estimators_features_ = model.estimators_features_
    return other


def _isolation(model: Any) -> Any:
    members = []
    for k in range(model.forest_.n_trees):
        tree = sklearn.tree.ExtraTreeRegressor(max_features=1, max_depth=model.estimator_.max_depth)
        tree.tree_, tree.n_features_in_ = fill(model.forest_.tree(k)), model.n_features_in_
        tree.n_outputs_, tree.max_features_ = 1, 1
        members.append(tree)
    other = _members(model, members)
    other.estimators_features_ = [np.arange(model.n_features_in_)] * len(members)  # trees ask about the whole table
    other._max_features = model.n_features_in_
    other.max_samples_ = other._max_samples = model.max_samples_
    other.offset_ = model.offset_
    # from a node to the depth that it stands for: there it is one more, and parted in two
    other._decision_path_lengths = [1.0 + one.tree_.value[:, 0, 0] for one in members]
    other._average_path_length_per_tree = [np.zeros(one.tree_.node_count) for one in members]
    return other


def _boosted(model: Any) -> Any:
    from spinney.criteria.losses import kind_of

    if not kind_of(model.loss).in_sklearn:
        raise ValueError(f"scikit-learn's gradient boosting does not support loss={model.loss!r}.")
    other = _start(model, sklearn.ensemble)
    forest, n_rounds, n_outputs = model.forest_, model.n_estimators_, model.n_trees_per_iteration_
    other.loss, other.learning_rate, other.n_estimators = model.loss, 1.0, n_rounds
    other.init_, other.n_estimators_, other.n_trees_per_iteration_ = _init(model), n_rounds, n_outputs
    vars(other)["_loss"] = other._get_loss(sample_weight=None)  # scikit-learn's
    other.max_features_ = model.n_features_in_
    other.estimators_ = np.empty((n_rounds, n_outputs), object)
    for number in range(forest.n_trees):
        one = sklearn.tree.DecisionTreeRegressor(max_depth=model.max_depth)
        one.n_features_in_, one.n_outputs_, one.max_features_ = model.n_features_in_, 1, model.n_features_in_
        one.tree_ = fill(forest.tree(number))
        other.estimators_[number // n_outputs, number % n_outputs] = one
    return other


def _init(model: Any) -> Any:
    """What scikit-learn's boosting begins with: the initial estimator, or a dummy that says the start values."""
    formula = model.formula()
    if formula.initial is not None:
        return model.init_
    start = formula.start
    if not hasattr(model, "classes_"):
        return DummyRegressor(strategy="constant", constant=start[0]).fit(np.zeros((1, model.n_features_in_)), start)
    from spinney.criteria.losses import kind_of

    odds = kind_of(model.loss).link_scale * start[0]
    scores = np.array([0.0, odds]) if len(start) == 1 else start
    other = DummyClassifier(strategy="prior").fit(np.zeros((len(scores), 1)), model.classes_)
    other.class_prior_ = np.exp(scores - np.logaddexp.reduce(scores))
    return other


def fill(tree: DecisionTree) -> Any:
    """scikit-learn's tree with the nodes of ours."""
    nodes = np.zeros(tree.n_nodes, NODE_DTYPE)
    nodes["left_child"], nodes["right_child"] = tree.children_left, tree.children_right
    nodes["feature"], nodes["threshold"] = tree.feature, tree.threshold
    nodes["impurity"] = np.nan_to_num(tree.impurity)
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = tree.n_samples, tree.weight
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    filled = Tree(tree.n_features, tree.n_classes.astype(np.intp), tree.n_outputs)
    values = np.array(tree.value, order="C")
    filled.__setstate__({"max_depth": tree.max_depth, "node_count": tree.n_nodes, "nodes": nodes, "values": values})
    return filled

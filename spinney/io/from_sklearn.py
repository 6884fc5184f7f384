"""scikit-learn's fitted trees, forests and boosting -> `Imported`.

Its trees round values to float32 and compare `x <= threshold` in float64: thresholds are turned into those that decide
alike for float64. HistGradientBoosting compares float64 as we do, and asks about categories by their order in an
encoder, whose categories become those of the schema. Sums are made in the same order as there, in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sklearn
import sklearn.ensemble
import sklearn.tree
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils.validation import check_is_fitted

from spinney.data.encode import round_down
from spinney.io.checks import ModelFormatError
from spinney.io.imported import (
    NO_CHILD,
    Answering,
    Imported,
    Nodes,
    Sets,
    ascending,
    last_left,
    make_forest,
    make_schema,
)
from spinney.tree.forest import ends_of

_TREES = (sklearn.tree.DecisionTreeClassifier, sklearn.tree.DecisionTreeRegressor)  # extra-trees are such, too
_FORESTS = (
    sklearn.ensemble.RandomForestClassifier,
    sklearn.ensemble.RandomForestRegressor,
    sklearn.ensemble.ExtraTreesClassifier,
    sklearn.ensemble.ExtraTreesRegressor,
)
_BAGGING = (sklearn.ensemble.BaggingClassifier, sklearn.ensemble.BaggingRegressor)
_BOOSTED = (sklearn.ensemble.GradientBoostingClassifier, sklearn.ensemble.GradientBoostingRegressor)
_HIST = (sklearn.ensemble.HistGradientBoostingClassifier, sklearn.ensemble.HistGradientBoostingRegressor)
# what questions are made of; more fields may change what these mean
_NODE_FIELDS = {"left_child", "right_child", "feature", "threshold", "impurity", "n_node_samples"}
_NODE_FIELDS |= {"weighted_n_node_samples", "missing_go_to_left"}
_HIST_FIELDS = {"value", "count", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "gain"}
_HIST_FIELDS |= {"depth", "is_leaf", "bin_threshold", "is_categorical", "bitset_idx"}
_KINDS = (
    "DecisionTree*, ExtraTree*, RandomForest*, ExtraTrees*, GradientBoosting*, HistGradientBoosting*, and Bagging* of "
    "decision trees"
)


def read_sklearn(model: Any) -> Imported:
    """A fitted model of scikit-learn."""
    if not isinstance(model, (*_TREES, *_FORESTS, *_BAGGING, *_BOOSTED, *_HIST)):
        raise TypeError(f"from_sklearn accepts scikit-learn's {_KINDS}; got {type(model).__name__}.")
    check_is_fitted(model)
    if isinstance(model, _HIST):
        return _read_hist(model)
    if isinstance(model, _BOOSTED):
        return _read_boosted(model)
    if isinstance(model, _BAGGING):
        return _read_bagging(model)
    trees = [model] if isinstance(model, _TREES) else model.estimators_
    return _read_forest(model, [tree.tree_ for tree in trees], model.criterion, model.n_outputs_)


def _about(model: Any) -> dict[str, Any]:
    """What is said of any model."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "source": f"scikit-learn {sklearn.__version__}",
        "objective": f"{type(model).__name__}",
        "schema": make_schema(None if names is None else list(names), {}, model.n_features_in_),
    }


# --- trees and forests -------------------------------------------------------------------------------------------


def _read_forest(
    model: Any, trees: Sequence[Any], criterion: Any, n_outputs: int, columns: Any = None, values: Any = None
) -> Imported:
    from spinney.criteria.impurity import NAMES, OWN

    classes = getattr(model, "classes_", None)
    n_classes = None
    if classes is not None:
        n_classes = tuple(map(len, classes)) if n_outputs > 1 else (len(classes),)
    if values is None:
        values = [tree.value if classes is None else _class_weights(tree) for tree in trees]
    nodes = _nodes(trees, values, columns)
    forest = make_forest(nodes, model.n_features_in_, criterion=NAMES.get(criterion, OWN), n_classes=n_classes)
    return Imported(
        **_about(model),
        forest=forest.compact(),
        answering=Answering(averages=True),
        classes=classes,
        criterion=str(criterion),
        n_outputs=n_outputs,
    )


def _class_weights(tree: Any) -> np.ndarray:
    """The weight of each class. scikit-learn has shares: where weights were whole, these give back the same shares;
    where they were not, shares are kept."""
    shares = tree.value
    weights = shares * tree.weighted_n_node_samples[:, None, None]
    whole = np.rint(weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        back = whole / whole.sum(axis=2, keepdims=True)
    return whole if np.array_equal(back, shares) else shares


def _nodes(trees: Sequence[Any], values: Sequence[np.ndarray], columns: Any = None) -> Nodes:
    """Trees of scikit-learn's, which may ask about some of the columns."""
    first = ends_of(np.array([tree.node_count for tree in trees], np.int64))
    for tree in trees:
        _check_nodes(tree.__getstate__()["nodes"], _NODE_FIELDS)

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees])

    start = np.repeat(first[:-1], np.diff(first))
    left, right = together("children_left"), together("children_right")
    is_leaf = left == NO_CHILD
    feature = [np.maximum(tree.feature, 0) for tree in trees]
    if columns is not None:
        feature = [np.asarray(own)[asked] for own, asked in zip(columns, feature)]
    return Nodes(
        first=first,
        left=np.where(is_leaf, NO_CHILD, left + start),
        right=np.where(is_leaf, NO_CHILD, right + start),
        feature=np.concatenate(feature),
        threshold=last_left(round_down(together("threshold"), np.float32)),
        missing_left=together("missing_go_to_left") != 0,
        answers=np.concatenate(values),
        n_samples=together("n_node_samples"),
        weight=together("weighted_n_node_samples"),
        impurity=together("impurity"),
    )


def _check_nodes(nodes: np.ndarray, known: set[str]) -> None:
    unknown = set(nodes.dtype.names or ()) - known
    if unknown:
        raise TypeError(
            f"nodes of scikit-learn {sklearn.__version__} have a field {min(unknown)!r} that this release of Spinney "
            "does not know. Update Spinney, or use an older scikit-learn."
        )


def _read_bagging(model: Any) -> Imported:
    members = model.estimators_
    if not all(isinstance(one, _TREES) for one in members):
        raise TypeError(
            f"from_sklearn accepts bagging of decision trees only, got base estimators {type(members[0]).__name__}."
        )
    if any(one.n_outputs_ > 1 for one in members):
        raise TypeError("from_sklearn accepts bagging with one output only.")
    trees, columns, values = [one.tree_ for one in members], model.estimators_features_, None
    if hasattr(model, "classes_"):
        values = [_all_classes(one, len(model.classes_)) for one in members]
    return _read_forest(model, trees, members[0].criterion, 1, columns, values)


def _all_classes(member: Any, n_classes: int) -> np.ndarray:
    """The weight of each class in a member that may not know all of them."""
    known = _class_weights(member.tree_)
    wide = np.zeros((len(known), 1, n_classes))
    wide[:, :, member.classes_.astype(np.int64)] = known
    return wide


# --- boosting ----------------------------------------------------------------------------------------------------


def _read_boosted(model: Any) -> Imported:
    if not (isinstance(model.init_, str) or type(model.init_) in (DummyClassifier, DummyRegressor)):
        raise TypeError(
            f"this {type(model).__name__} starts from the predictions of an initial estimator, "
            f"{type(model.init_).__name__}, which is not supported."
        )
    trees = [one.tree_ for one in model.estimators_.ravel()]
    nodes = _nodes(trees, [model.learning_rate * tree.value for tree in trees])
    assert nodes.impurity is not None
    nodes.gain, nodes.impurity = _gains(nodes), None
    start = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0].astype(np.float64)
    classes = getattr(model, "classes_", None)
    link = "identity" if classes is None else "sigmoid" if len(start) == 1 else "softmax"
    scale = 2.0 if model.loss == "exponential" else 1.0
    return Imported(
        **_about(model),
        forest=make_forest(nodes, model.n_features_in_),
        answering=Answering(link=link, scale=scale, start=start, second_from="zero"),
        classes=classes,
        n_outputs=len(start),
    )


def _gains(nodes: Nodes) -> np.ndarray:
    """By how much each question lowers impurity, times the weight."""
    assert nodes.impurity is not None
    mass = nodes.weight * nodes.impurity
    asks = nodes.left != NO_CHILD
    gain = np.zeros(len(mass))
    gain[asks] = mass[asks] - mass[nodes.left[asks]] - mass[nodes.right[asks]]
    return gain


def _read_hist(model: Any) -> Imported:
    predictors = [one for row in model._predictors for one in row]
    columns, categories, places = _encoded(model)
    nodes, sets = _hist_nodes(predictors, columns, places)
    start = np.array(model._baseline_prediction, np.float64).ravel()
    classes = getattr(model, "classes_", None)
    if classes is not None:
        link = "sigmoid" if len(start) == 1 else "softmax"
    else:
        link = "exp" if model.loss in ("poisson", "gamma") else "identity"
    about = _about(model)
    names = about["schema"].names
    n_columns = model.n_features_in_
    about["schema"] = make_schema(None if names is None else list(names), categories, n_columns)
    forest = make_forest(nodes, n_columns, [len(categories.get(j, ())) for j in range(n_columns)], sets)
    return Imported(
        **about,
        forest=forest,
        answering=Answering(link=link, start=start, second_from="above zero"),
        classes=classes,
        n_outputs=len(start),
    )


def _encoded(model: Any) -> tuple[np.ndarray, dict[int, tuple], dict[int, np.ndarray]]:
    """(the column of the table behind each column of the trees; categories by column; and the place of each code among
    these). Columns of categories come first in the trees."""
    is_category = getattr(model, "is_categorical_", None)
    if is_category is None or model._preprocessor is None:
        return np.arange(model.n_features_in_), {}, {}
    columns = np.concatenate([np.flatnonzero(is_category), np.flatnonzero(~is_category)])
    categories, places = {}, {}
    for j, values in zip(columns.tolist(), model._preprocessor.named_transformers_["encoder"].categories_):
        known = [value for value in values.tolist() if value is not None and value == value]
        if len({isinstance(value, str) for value in known}) > 1:
            raise ModelFormatError(f"column {j} has strings and numbers as categories, which is not supported.")
        categories[j], places[j] = ascending(known)
    return columns, categories, places


def _hist_nodes(predictors: Sequence[Any], columns: np.ndarray, places: dict[int, np.ndarray]) -> tuple[Nodes, Sets]:
    each = [one.nodes for one in predictors]
    for one in each:
        _check_nodes(one, _HIST_FIELDS)
    first = ends_of(np.array([len(one) for one in each], np.int64))
    nodes, start = np.concatenate(each), np.repeat(first[:-1], np.diff(first))
    is_leaf = nodes["is_leaf"].astype(bool)
    feature = columns[np.where(is_leaf, 0, nodes["feature_idx"])]
    asks_set = (nodes["is_categorical"] != 0) & ~is_leaf
    set_of = np.full(len(nodes), -1, np.int64)
    set_of[asks_set] = np.arange(asks_set.sum())
    bits = [one.raw_left_cat_bitsets for one in predictors]
    before = np.repeat(ends_of(np.array([len(one) for one in bits], np.int64))[:-1], np.diff(first))
    rows = (nodes["bitset_idx"].astype(np.int64) + before)[asks_set]
    sets, members = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    words = np.concatenate(bits) if bits else np.empty((0, 8), np.uint32)
    for k, (row, j) in enumerate(zip(rows.tolist(), feature[asks_set].tolist())):
        found = np.flatnonzero(np.unpackbits(words[row].astype("<u4").view(np.uint8), bitorder="little"))
        sets.append(np.full(len(found), k))
        members.append(places[j][found])
    whole = Nodes(
        first=first,
        left=np.where(is_leaf, NO_CHILD, nodes["left"].astype(np.int64) + start),
        right=np.where(is_leaf, NO_CHILD, nodes["right"].astype(np.int64) + start),
        feature=feature,
        threshold=nodes["num_threshold"],
        missing_left=nodes["missing_go_to_left"] != 0,
        answers=nodes["value"].astype(np.float64)[:, None, None],
        n_samples=nodes["count"],
        weight=nodes["count"],
        gain=np.where(is_leaf, 0.0, np.maximum(nodes["gain"], 0.0)),
        set_of=set_of,
    )
    return whole, Sets(np.concatenate(sets), np.concatenate(members))

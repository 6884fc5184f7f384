"""What all pruning functions do with a model: check it, and return a copy with other trees."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.tree.decision import DecisionTree
from spinney.tree.forest import Forest, join

_KINDS = "such as spinney.DecisionTreeClassifier, a forest, or AdaBoost, bagging or gradient boosting of trees"


def tree_of(model: Any) -> DecisionTree:
    """The model's tree, or an error that says what kind of model is wanted."""
    if hasattr(model, "fit"):
        check_is_fitted(model)
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, DecisionTree):
        raise TypeError(
            "model must be a fitted model of one Spinney decision tree, such as spinney.DecisionTreeClassifier, "
            f"got {model!r:.80}."
        )
    return tree


def is_boosted(model: Any) -> bool:
    """Whether the model's trees add to raw scores."""
    forest = getattr(model, "forest_", None)
    return isinstance(forest, Forest) and forest.criterion is None


def with_tree(model: Any, tree: DecisionTree) -> Any:
    """A copy of the model with another tree."""
    other = _uncalibrated(model)
    other.tree_ = tree
    return other


def prune_trees(
    model: Any, prune: Callable[[Any], DecisionTree], *, boosted: bool = False, counts: bool = False
) -> Any:
    """A copy of the model with what `prune` makes of each of its trees; it is given models of one tree.

    `boosted`: it supports trees of boosted models. `counts`: it needs counts of rows.
    """
    if hasattr(model, "fit"):
        check_is_fitted(model)
    if isinstance(getattr(model, "tree_", None), DecisionTree):
        return with_tree(model, prune(model))
    is_stored = is_boosted(model) or "forest_" in getattr(model, "__dict__", {})
    if is_boosted(model) and not boosted:
        raise TypeError(
            "this function does not support boosted models, whose trees add to raw scores. Use prune.cost_complexity."
        )
    members = getattr(model, "estimators_", []) if is_stored or hasattr(model, "estimator_") else []
    members = members.ravel().tolist() if isinstance(members, np.ndarray) else members
    if not members or not all(isinstance(getattr(one, "tree_", None), DecisionTree) for one in members):
        raise TypeError(f"model must be a fitted model of Spinney's decision trees, {_KINDS}; got {model!r:.80}.")
    if counts and hasattr(model, "estimator_weights_"):
        raise TypeError(
            "this function needs counts of rows, but AdaBoost's trees are fitted on weights that add up to 1. Use "
            "prune.cost_complexity or prune.reduced_error."
        )
    trees = [prune(_with_classes(one, model)) for one in members]
    if is_stored:
        return _uncalibrated(model.with_forest(join([tree.forest for tree in trees])))
    other = _uncalibrated(model)
    other.estimators_ = [with_tree(one, tree) for one, tree in zip(members, trees)]
    return other


def _uncalibrated(model: Any) -> Any:
    """A copy that no longer knows how wrong the model was: with other trees, it is as wrong as they are."""
    other = copy(model)
    other.__dict__.pop("_calibration", None)
    return other


def _with_classes(member: Any, model: Any) -> Any:
    """A member that knows the labels: those of forests predict class indices."""
    if not hasattr(member, "classes_"):
        return member
    other = copy(member)
    other.classes_, other.n_classes_ = model.classes_, model.n_classes_
    return other


def read_nonnegative(value: Any, name: str) -> float:
    """The parameter as a float, if it is a number of at least 0."""
    if not isinstance(value, Real) or isinstance(value, bool) or not float(value) >= 0.0:
        raise ValueError(f"{name} must be a number of at least 0, got {value!r}.")
    return float(value)


def read_share(value: Any, name: str, most: float | None = None) -> float:
    """The parameter as a float, if it lies between 0 and 1, both excluded; or above 0 and at most at `most`."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0.0 < float(value) < 1.0 or (most is not None and float(value) > most):
        right = "between 0 and 1, both excluded" if most is None else f"above 0 and at most {most}"
        raise ValueError(f"{name} must be a number {right}, got {value!r}.")
    return float(value)

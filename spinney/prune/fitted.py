"""What every pruning does with the model it is given: check it, and hand back a copy with another tree."""

from __future__ import annotations

from copy import copy
from numbers import Real
from typing import Any

from sklearn.utils.validation import check_is_fitted

from spinney.tree.decision import DecisionTree


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


def with_tree(model: Any, tree: DecisionTree) -> Any:
    """A copy of the model with another tree."""
    other = copy(model)
    other.tree_ = tree
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

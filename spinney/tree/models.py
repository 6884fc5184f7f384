"""The trees of a fitted model, whatever the model is.

In: a fitted model. Out: `Trees`: each of its trees as a `DecisionTree`, with the schema, the criterion and the classes
that are needed to read it. Explaining, exporting, tabulating and plotting the trees of any model starts here.

    decision tree, ID3, C4.5    shape ()                    its tree
    forests, bagging            shape (trees,)              of all trees in `forest_`, with the columns of the table
    AdaBoost                    shape (members,)            of each member
    gradient boosting           shape (rounds,)             of `forest_`; what a tree adds to the raw score
    ... of several outputs      shape (rounds, outputs)     those of a round one after the other
    imported models             as forests or boosting      of `forest_`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from sklearn.exceptions import NotFittedError

from spinney.data.schema import Schema
from spinney.tree.decision import DecisionTree, OneTree

_KINDS = "a decision tree, a forest, gradient boosting, or AdaBoost or bagging of decision trees"


@dataclass(frozen=True)
class ReadTree:
    """What is needed to read one tree of a model."""

    tree_: DecisionTree
    schema: Schema
    criterion: Any
    classes_: Any = None
    answers_are: str = "value"  # "depth" in isolation trees, which measure no impurity


@dataclass(frozen=True)
class Trees:
    """The trees of a model, created on access."""

    shape: tuple[int, ...]
    read: Callable[[int], ReadTree]  # by number

    def __len__(self) -> int:
        return prod(self.shape)

    def __iter__(self) -> Iterator[ReadTree]:
        return map(self.read, range(len(self)))


def trees_of(model: Any) -> Trees:
    """The trees of a fitted model."""
    if isinstance(model, type):
        raise TypeError(f"model must be fitted: {_KINDS}; got the class {model.__name__}.")
    if isinstance(model, OneTree):
        _check_fitted(model, "tree_")
        return Trees((), lambda _: read_tree(model))
    known = getattr(model, "__dict__", {})
    if "forest_" in known or hasattr(model, "n_trees_per_iteration_"):
        n_trees, n_outputs = model.forest_.n_trees, getattr(model, "n_trees_per_iteration_", 1)
        shape = (n_trees,) if n_outputs == 1 else (n_trees // n_outputs, n_outputs)
        return Trees(shape, lambda k: _of_forest(model, k))
    if not hasattr(model, "estimators_") and hasattr(model, "n_estimators"):
        _check_fitted(model, "estimators_")
    members = getattr(model, "estimators_", None)
    if isinstance(members, list) and members and all(isinstance(member, OneTree) for member in members):
        return Trees((len(members),), lambda k: read_tree(members[k]))
    raise TypeError(f"model must be a fitted model of Spinney's trees ({_KINDS}), got {type(model).__name__}.")


def read_tree(model: OneTree) -> ReadTree:
    """A model of one tree."""
    criterion, classes = getattr(model, "criterion", "entropy"), getattr(model, "classes_", None)
    return ReadTree(model.tree_, model.schema_, criterion, classes, model.answers_are)


def _of_forest(model: Any, k: int) -> ReadTree:
    tree, boosted = model.forest_.tree(k), model.forest_.criterion is None
    criterion = getattr(model, "criterion", getattr(getattr(model, "estimator_", None), "criterion", "impurity"))
    classes, answers_are = getattr(model, "classes_", None), getattr(model, "answers_are", "value")
    return ReadTree(tree, model.schema_, "gain" if boosted else criterion, None if boosted else classes, answers_are)


def _check_fitted(model: Any, attribute: str) -> None:
    if not hasattr(model, attribute):
        raise NotFittedError(f"This {type(model).__name__} is not fitted yet: call fit first.")

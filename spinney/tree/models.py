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


class ReadTree(OneTree):
    """What is needed to read one tree of a model."""

    def __init__(
        self, tree: DecisionTree, schema: Schema, criterion: Any, classes: Any = None, answers_are: str = "value"
    ) -> None:
        self.tree_, self._schema, self.criterion, self.classes_ = tree, schema, criterion, classes
        self._answers_are = answers_are


@dataclass(frozen=True)
class Trees:
    """The trees of a model, created on access."""

    shape: tuple[int, ...]
    read: Callable[[int], OneTree]  # by number

    def __len__(self) -> int:
        return prod(self.shape)

    def __iter__(self) -> Iterator[OneTree]:
        return map(self.read, range(len(self)))


def trees_of(model: Any) -> Trees:
    """The trees of a fitted model."""
    if isinstance(model, type):
        raise TypeError(f"model must be fitted: {_KINDS}; got the class {model.__name__}.")
    if isinstance(model, OneTree):
        _check_fitted(model, "tree_")
        return Trees((), lambda _: model)
    if hasattr(model, "_booster"):
        booster = model._booster
        shape = (booster.n_rounds,) if booster.n_outputs == 1 else (booster.n_rounds, booster.n_outputs)
        return Trees(shape, lambda k: ReadTree(booster.forest.tree(k), model._schema, "gain"))
    if "forest_" in getattr(model, "__dict__", {}):
        n_trees, n_outputs = model.forest_.n_trees, getattr(model, "n_trees_per_iteration_", 1)
        shape = (n_trees,) if n_outputs == 1 else (n_trees // n_outputs, n_outputs)
        return Trees(shape, lambda k: _of_forest(model, k))
    if not hasattr(model, "estimators_") and hasattr(model, "n_estimators"):
        _check_fitted(model, "estimators_")
    members = getattr(model, "estimators_", None)
    if isinstance(members, list) and members and all(isinstance(member, OneTree) for member in members):
        return Trees((len(members),), lambda k: members[k])
    raise TypeError(f"model must be a fitted model of Spinney's trees ({_KINDS}), got {type(model).__name__}.")


def _of_forest(model: Any, k: int) -> ReadTree:
    criterion = getattr(model, "criterion", getattr(getattr(model, "estimator_", None), "criterion", "impurity"))
    classes, answers_are = getattr(model, "classes_", None), getattr(model, "_answers_are", "value")
    return ReadTree(model.forest_.tree(k), model._schema, criterion, classes, answers_are)


def _check_fitted(model: Any, attribute: str) -> None:
    if not hasattr(model, attribute):
        raise NotFittedError(f"This {type(model).__name__} is not fitted yet: call fit first.")

"""One tree of a model, whatever the model is made of.

In: a fitted model, and which of its trees is meant. Out: something to be read like a model of that tree alone.

    decision tree, ID3, C4.5             its tree
    forests, bagging                     tree=k          of the store of all trees
    AdaBoost                             tree=k          of member k
    gradient boosting                    tree=k          of round k
    ... of more than two classes         tree=(k, c)     of round k and class number c
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

from sklearn.exceptions import NotFittedError

from spinney.data.schema import Schema
from spinney.tree.decision import DecisionTree, OneTree

_KINDS = "a decision tree, a forest, gradient boosting, or AdaBoost or bagging of decision trees"


class ReadTree(OneTree):
    """What is needed to read one tree of a model."""

    def __init__(self, tree: DecisionTree, schema: Schema, criterion: Any, classes: Any = None) -> None:
        self.tree_, self._schema, self.criterion, self.classes_ = tree, schema, criterion, classes


class Trees(NamedTuple):
    """The trees of a model. `shape` is () for one tree, (trees,), or (rounds, outputs)."""

    shape: tuple[int, ...]
    read: Callable[[int], OneTree]  # number -> tree; in a round, outputs come one after the other

    def __len__(self) -> int:
        n = 1
        for length in self.shape:
            n *= length
        return n


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
    if "grove_" in getattr(model, "__dict__", {}):
        return Trees((model.grove_.n_trees,), lambda k: _of_forest(model, k))
    if not hasattr(model, "estimators_") and hasattr(model, "n_estimators"):
        _check_fitted(model, "estimators_")
    members = getattr(model, "estimators_", None)
    if isinstance(members, list) and members and all(isinstance(member, OneTree) for member in members):
        return Trees((len(members),), lambda k: members[k])
    raise TypeError(f"model must be a fitted model of Spinney's trees ({_KINDS}), got {type(model).__name__}.")


def choose_tree(model: Any, tree: Any = None) -> OneTree:
    """The tree of `model` that `tree` says."""
    trees = trees_of(model)
    if not trees.shape:
        if tree is not None and tree != 0:
            raise ValueError(f"tree must be None or 0 for a {type(model).__name__}, which is one tree, got {tree!r}.")
        return trees.read(0)
    if tree is None:
        raise TypeError(f"got {type(model).__name__}, which is many trees: set tree to {_range(trees.shape)}.")
    if len(trees) == 0:
        raise ValueError(f"tree={tree!r}: this {type(model).__name__} has no trees.")
    place = tuple(tree) if isinstance(tree, (tuple, list)) else (tree,)
    if len(place) != len(trees.shape):
        raise ValueError(f"tree must be {_range(trees.shape)}, got {tree!r}.")
    number = 0
    for one, length in zip(place, trees.shape):
        at = _read_index(one, tree, trees.shape)
        if not -length <= at < length:
            raise ValueError(f"tree must be {_range(trees.shape)}, got {tree!r}.")
        number = number * length + at % length
    return trees.read(number)


def _read_index(value: Any, tree: Any, shape: tuple[int, ...]) -> int:
    try:
        return index(value)
    except TypeError:
        raise ValueError(f"tree must be {_range(shape)}, got {tree!r}.") from None


def _range(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"a number from 0 to {shape[0] - 1}"
    return f"(round, class number) from (0, 0) to ({shape[0] - 1}, {shape[1] - 1})"


def _of_forest(model: Any, k: int) -> ReadTree:
    criterion = getattr(model, "criterion", getattr(getattr(model, "estimator_", None), "criterion", "impurity"))
    return ReadTree(model.grove_.tree(k), model._schema, criterion, getattr(model, "classes_", None))


def _check_fitted(model: Any, attribute: str) -> None:
    if not hasattr(model, attribute):
        raise NotFittedError(f"This {type(model).__name__} is not fitted yet: call fit first.")

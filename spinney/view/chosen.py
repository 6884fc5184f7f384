"""The tree of a model that `tree` chooses, for text, rules and plots.

In: a fitted model, and a number. Out: something that is read like a model of that tree alone.

    decision tree, ID3, C4.5             None
    forests, bagging, AdaBoost           tree=k          tree k
    gradient boosting                    tree=k          of round k
    ... with more than two classes       tree=(k, c)     of round k and class index c
"""

from __future__ import annotations

from operator import index
from typing import Any

from spinney.tree.models import ReadTree, trees_of


def choose_tree(model: Any, tree: Any = None) -> ReadTree:
    """The tree of `model` that `tree` chooses."""
    trees = trees_of(model)
    if not trees.shape:
        if tree is not None and tree != 0:
            raise ValueError(f"tree must be None or 0 for a {type(model).__name__}, which is one tree, got {tree!r}.")
        return trees.read(0)
    if tree is None:
        raise TypeError(f"{type(model).__name__} has several trees. Set tree to {_range(trees.shape)}.")
    if len(trees) == 0:
        raise ValueError(f"tree={tree!r}: this {type(model).__name__} has no trees.")
    place = tuple(tree) if isinstance(tree, (tuple, list)) else (tree,)
    if len(trees.shape) == 1 and len(place) == 2 and place[1] == 0:  # as in `estimators_`, which has one class here
        place = place[:1]
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

"""Errors of a tree's nodes on rows that it was not grown from.

In: a fitted model and a validation set. Out: the errors that every node would make as a leaf, and those of the rows
that end there, as integers of a small unit: sums and ties do not depend on the order of the rows.

An error is, for classes, the weight of a misclassified row; for numbers, weight * (y - prediction)^2. A row that goes
down several branches (missing values in C4.5) counts in each of them with its fraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_array, check_consistent_length

from spinney.criteria.fixed_point import scale_exponent, whole_numbers
from spinney.data.target import class_numbers
from spinney.tree.decision import SPREADS, DecisionTree

UNKNOWN = -1  # code of a class that the model was not fitted with


class ValidationRows(NamedTuple):
    """Where validation rows end in a tree, and their targets. A row has an entry for every node it ends in."""

    node: np.ndarray  # (entries,) where it ends
    weight: np.ndarray  # (entries,) of the row, times its share
    y: np.ndarray  # (entries, outputs) class codes, or numbers
    row: np.ndarray | None = None  # (entries,) whose end it is; None: an entry each


class Errors(NamedTuple):
    """Errors of the nodes, in units of 2**-exponent."""

    as_leaf: np.ndarray  # (node, output) int64, of the rows that pass
    ending: np.ndarray  # (node, output) int64, of the rows that end there
    exponent: int


def judge(model: Any, X: Any, y: Any, sample_weight: Any, *, allow_unknown: bool = False) -> ValidationRows:
    """Send a validation set down the model's tree."""
    (table,) = model.formula().tables(X)
    y = read_target(model, y, allow_unknown)
    check_consistent_length(np.empty(table.n_rows), y)
    weight = np.ones(len(y))
    if sample_weight is not None:
        weight = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
    if not weight.any():
        raise ValueError("sample_weight must not be 0 for every validation row.")
    from spinney._team import Team, available_threads
    from spinney.tree.descend import ends_of_rows, leaf_of_rows

    if (model.tree_.missing == SPREADS).any():
        row, node, share = ends_of_rows(model.tree_, table)
        return ValidationRows(node, weight[row] * share, y[row], row)
    with Team(available_threads(getattr(model, "n_jobs", None))) as team:
        return ValidationRows(leaf_of_rows(model.tree_, table, team), weight, y)


def read_target(model: Any, y: Any, allow_unknown: bool) -> np.ndarray:
    """(rows, outputs): class codes, or numbers."""
    n_outputs, is_class = model.tree_.n_outputs, model.tree_.is_class
    y = check_array(y, ensure_2d=False, dtype=None if is_class else np.float64, input_name="y")
    y = y.reshape(-1, 1) if y.ndim == 1 else y
    if y.shape[1] != n_outputs:
        raise ValueError(f"y must have {n_outputs} columns, as the model was fitted with; got {y.shape[1]}.")
    if not is_class:
        return y
    classes = [model.classes_] if n_outputs == 1 else model.classes_
    unknown = UNKNOWN if allow_unknown else None
    return np.stack([class_numbers(y[:, k], classes[k], unknown) for k in range(n_outputs)], axis=1)


def climb(tree: DecisionTree, node: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(entries, where they are), from the nodes given up to the root, a level at a time."""
    entries = np.arange(len(node))
    while len(entries):
        yield entries, node
        node = tree.parent[node]
        entries, node = entries[node >= 0], node[node >= 0]


def find_errors(tree: DecisionTree, judged: ValidationRows) -> Errors:
    """The errors of every node."""
    exponent = scale_exponent(_largest_error(tree, judged), 61)
    shape = (tree.n_nodes, tree.n_outputs)
    as_leaf, ending = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    says = tree.answers[:, :, 0] if not tree.is_class else tree.answers.argmax(axis=2)
    for level, (entries, node) in enumerate(climb(tree, judged.node)):
        off = _losses(tree, says[node], judged.y[entries]) * judged.weight[entries, None]
        whole = whole_numbers(off, exponent)
        _add_to(as_leaf, node, whole)
        if level == 0:
            _add_to(ending, node, whole)
    return Errors(as_leaf, ending, exponent)


def _add_to(sums: np.ndarray, node: np.ndarray, values: np.ndarray) -> None:
    """sums[node] += values, for each output."""
    for k in range(sums.shape[1]):
        np.add.at(sums[:, k], node, values[:, k])


def _losses(tree: DecisionTree, says: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (y - says) ** 2 if not tree.is_class else says != y


def _largest_error(tree: DecisionTree, judged: ValidationRows) -> float:
    """What no sum of errors over the rows exceeds."""
    if tree.is_class:
        return float(judged.weight.sum() * tree.n_outputs)
    low, high = tree.answers[:, :, 0].min(axis=0), tree.answers[:, :, 0].max(axis=0)
    furthest = np.maximum(np.abs(judged.y - low), np.abs(judged.y - high))
    return float((judged.weight[:, None] * furthest**2).sum())


def sum_below(tree: DecisionTree, ending: np.ndarray) -> np.ndarray:
    """Sums over each node's subtree."""
    so_far = np.concatenate([np.zeros_like(ending[:1]), np.cumsum(ending, axis=0)])
    return so_far[tree.subtree_end] - so_far[:-1]  # a subtree is a run of nodes

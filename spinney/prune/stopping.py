"""Cut a best-first tree back to where rows that it was not grown from say that it should have stopped."""

from __future__ import annotations

import numpy as np

from spinney.prune.validation import Judged, find_errors
from spinney.tree.decision import DecisionTree


def errors_by_turn(tree: DecisionTree, turn: np.ndarray, judged: Judged) -> np.ndarray:
    """Error on the judged rows before the first split and after each one: wrong weight or squared error, as integers.

    `turn` says when each node was split, from 0; -1: never.
    """
    error = find_errors(tree, judged).as_leaf.sum(axis=1)
    change = -error  # what a split adds
    np.add.at(change, tree.parent[1:], error[1:])
    split = np.flatnonzero(turn >= 0)
    in_turn = split[np.argsort(turn[split])]
    return np.concatenate([error[:1], error[0] + np.cumsum(change[in_turn])])


def stopping_turn(errors: np.ndarray, patience: int) -> tuple[int, bool]:
    """(how many splits to keep, whether `patience` splits after these brought nothing)."""
    best = 0
    for turn in range(1, len(errors)):
        if errors[turn] < errors[best]:
            best = turn
        elif turn - best >= patience:
            return best, True
    return best, False


def tree_at(tree: DecisionTree, turn: np.ndarray, n_splits: int) -> DecisionTree:
    """The tree after its first splits."""
    return tree.collapse((turn < 0) | (turn >= n_splits))

"""Early stopping: a best-first tree, pruned to the split after which held-out rows were predicted best.

In:  a table and a target, and rows held out of it. Out: the tree with the least error on those rows.

    grow 64 leaves ──▶ error on the held-out rows after each split ──▶ no better for long? cut back : four times as many
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.tables import Table
from spinney.data.target import Target
from spinney.grow import NO_LIMIT
from spinney.grow.exact.fit import grow_exact_tree
from spinney.grow.rules import TreeSettings
from spinney.prune.validation import ValidationRows, find_errors
from spinney.tree.decision import DecisionTree
from spinney.tree.descend import ends_of_rows, leaf_of_rows

_FIRST_LEAVES = 64  # of the first tree grown


class HeldOutRows(NamedTuple):
    """Rows that validate a tree while it grows."""

    table: Table
    target: Target
    patience: int  # splits in a row that may bring no improvement

    def judge(self, tree: DecisionTree, team: Team) -> ValidationRows:
        """Where the rows end, and their targets."""
        answers = self.target.values
        weight = self.target.weights.total()
        weight = np.ones(self.table.n_rows) if weight is None else weight
        if tree.spreads:
            row, node, share = ends_of_rows(tree, self.table)
            return ValidationRows(node, weight[row] * share, answers.T[row])
        return ValidationRows(leaf_of_rows(tree, self.table, team), weight, answers.T)

    def count_splits(self, tree: DecisionTree, split_number: np.ndarray, team: Team) -> int:
        """How many of a best-first tree's splits to keep."""
        return stopping_split(errors_after_splits(tree, split_number, self.judge(tree, team)), self.patience)[0]


def grow_while_better(
    table: Table,
    n_categories: np.ndarray,
    target: Target,
    settings: TreeSettings,
    team: Team,
    rows: np.ndarray,
    bins: Any,
    held_out: HeldOutRows,
) -> DecisionTree:
    """Grow best-first on some rows, until the error on the held-out ones no longer falls."""
    most = NO_LIMIT if settings.max_leaves is None else settings.max_leaves
    n_leaves = min(_FIRST_LEAVES, most)
    while True:
        some = settings._replace(max_leaves=n_leaves)
        grown = grow_exact_tree(table, n_categories, target, some, team, rows, bins)
        errors = errors_after_splits(grown.tree, grown.split_number, held_out.judge(grown.tree, team))
        n_splits, stopped = stopping_split(errors, held_out.patience)
        if stopped or grown.tree.n_leaves < n_leaves or n_leaves == most:
            return tree_at(grown.tree, grown.split_number, n_splits)
        n_leaves = min(4 * n_leaves, most)


def errors_after_splits(tree: DecisionTree, split_number: np.ndarray, judged: ValidationRows) -> np.ndarray:
    """Error on the judged rows before the first split and after each one: wrong weight or squared error, as integers.

    `split_number` says when each node was split, from 0; -1: never.
    """
    found = find_errors(tree, judged)
    error = found.as_leaf.sum(axis=1)
    change = found.ending.sum(axis=1) - error  # what a split adds; rows that stop at a question stay
    np.add.at(change, tree.parent[1:], error[1:])
    split = np.flatnonzero(split_number >= 0)
    in_order = split[np.argsort(split_number[split])]
    return np.concatenate([error[:1], error[0] + np.cumsum(change[in_order])])


def stopping_split(errors: np.ndarray, patience: int) -> tuple[int, bool]:
    """(how many splits to keep, whether `patience` splits after these brought nothing)."""
    best = 0
    for split_number in range(1, len(errors)):
        if errors[split_number] < errors[best]:
            best = split_number
        elif split_number - best >= patience:
            return best, True
    return best, False


def tree_at(tree: DecisionTree, split_number: np.ndarray, n_splits: int) -> DecisionTree:
    """The tree after its first splits."""
    return tree.collapse((split_number < 0) | (split_number >= n_splits))

"""Paths: what is known of a row's values by the time it reaches a node.

In: a `DecisionTree`. Out: for every node, the columns asked about on the way there, in the order in which they were
first asked, and what the answers leave open: an interval of numbers or a set of categories.

    x <= 5, x <= 3, x > 2   ->   2 < x <= 3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from spinney.tree.decision import BRANCHES, NUMBER, SPREADS, DecisionTree


@dataclass(frozen=True)
class Limits:
    """What a value of one column can be at a node: low < x <= high, or one of the categories; and perhaps missing."""

    low: float = -inf
    high: float = inf
    categories: frozenset[int] | None = None  # None: a column of numbers
    missing: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether no value at all is left, so that only missing ones come here."""
        return self.low == inf or (self.categories is not None and not self.categories)


def limits_of_nodes(tree: DecisionTree, n_categories: Sequence[int | None]) -> list[dict[int, Limits]]:
    """For every node: column -> what its values can be there. `n_categories` of each column, None for numbers."""
    known: list[dict[int, Limits]] = [{} for _ in range(tree.n_nodes)]
    for node in np.flatnonzero(~tree.is_leaf).tolist():  # parents come before their children
        column = int(tree.feature[node])
        before = known[node].get(column) or _anything(n_categories[column])
        for branch, child in enumerate(tree.children_of(node).tolist()):
            known[child] = {**known[node], column: _narrow(tree, node, branch, before)}
    return known


def _anything(n_categories: int | None) -> Limits:
    return Limits(categories=None if n_categories is None else frozenset(range(n_categories)))


def _narrow(tree: DecisionTree, node: int, branch: int, before: Limits) -> Limits:
    """What the answer `branch` to the node's question leaves of `before`."""
    missing = before.missing and int(tree.missing[node]) in (branch, SPREADS)
    if tree.kind[node] == NUMBER:
        threshold = float(tree.threshold[node])
        if branch == 0:
            return replace(before, high=min(before.high, threshold), missing=missing)
        return replace(before, low=max(before.low, threshold), missing=missing)
    categories = before.categories or frozenset()
    if tree.kind[node] == BRANCHES:
        return replace(before, categories=categories & {branch}, missing=missing)
    chosen = frozenset(tree.categories_in(node, max(categories, default=-1) + 1).tolist())
    return replace(before, categories=categories & chosen if branch == 0 else categories - chosen, missing=missing)

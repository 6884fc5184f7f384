"""What ID3 and C4.5 trees may be at most, beyond depth: leaves, decrease, significance, and what held-out rows say.

Whether and how a node is split follows from its rows alone, so the best-first tree of n leaves is a part of the whole
tree: the splits are put in the order in which a best-first loop would make them, and the later ones are undone.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.information import ROW, Terms, term
from spinney.criteria.significance import critical_values
from spinney.grow import NO_LIMIT
from spinney.grow.multiway.columns import MultiwayColumns
from spinney.grow.multiway.freeze import freeze
from spinney.grow.multiway.memory import MultiwayTree
from spinney.grow.rules import NO_NODE, NO_SPLIT, BranchRules
from spinney.tree.decision import DecisionTree

NEVER = -1  # the number of a node that is not split

# (tree, when each of its nodes was split) -> how many of the splits to keep
Choose = Callable[[DecisionTree, np.ndarray], int]


class BranchSettings(NamedTuple):
    """The estimators' parameters; some are C4.5's alone."""

    max_depth: int = NO_LIMIT
    min_samples_leaf: float = 0.0  # weight of two branches at least, in rows; 0: any
    min_split: float = 0.0  # weight of a node that is split, in rows
    max_leaves: int | None = None
    min_gain: float = 0.0  # bits
    min_decrease: float = 0.0  # bits, times the node's share of all weight
    significance: float | None = None
    mdl: bool = False
    prune: bool = False
    cf: float = 0.25
    subtree_raising: bool = False
    subset: bool = False

    def rules(self, columns: MultiwayColumns, units: np.ndarray, n_classes: int, **kind: Any) -> BranchRules:
        """The rules of a tree on rows of these weights; `kind` is what ID3 and C4.5 differ in."""
        critical, degrees = np.zeros(0), (columns.most_branches - 1) * max(0, n_classes - 1)
        return BranchRules(
            min_leaf=max(1, round(self.min_samples_leaf * ROW)),
            min_split=round(self.min_split * ROW),
            min_gain=self.min_gain,
            min_decrease=self.min_decrease,
            total=int(units.sum()),
            critical=critical if self.significance is None else critical_values(self.significance, degrees),
            max_depth=self.max_depth,
            n_classes=n_classes,
            **kind,
        )


def limit_splits(
    grown: MultiwayTree,
    columns: MultiwayColumns,
    terms: Terms,
    max_leaves: int | None,
    missing: int,
    choose: Choose | None,
) -> None:
    """Take back splits of a grown tree: those beyond `max_leaves`, and those that `choose` does not keep."""
    if max_leaves is None and choose is None:
        return
    split_number = best_first(grown, terms, max_leaves)
    _keep(grown, split_number, len(split_number))
    if choose is not None:
        tree = freeze(grown, columns, missing)
        order = np.full(tree.n_nodes, NEVER, np.int64)
        order[tree.n_samples > 0] = split_number[
            _reached(grown)
        ]  # both are in preorder; branches without rows are no nodes here
        _keep(grown, split_number, choose(tree, order))


def best_first(grown: MultiwayTree, terms: Terms, max_leaves: int | None) -> np.ndarray:
    """When each node is split, always that of the frontier which takes off the most; a split that would make too many
    leaves is left out."""
    n_nodes = int(grown.state[0]["n_nodes"])
    falls, split_number = np.zeros(n_nodes, np.int64), np.full(n_nodes, NEVER, np.int64)
    _fill_falls(grown, terms, np.zeros(grown.class_units.shape[1], np.int64), falls)
    frontier, n_leaves, n_splits = [(0, 0)], 1, 0
    while frontier:
        number = heapq.heappop(frontier)[1]
        node = grown.nodes[number]
        if node["feature"] == NO_SPLIT or (
            max_leaves is not None and n_leaves + _n_leaves(grown, node) - 1 > max_leaves
        ):
            continue
        split_number[number], n_splits, n_leaves = n_splits, n_splits + 1, n_leaves + _n_leaves(grown, node) - 1
        for child in grown.children[node["first"] : node["first"] + node["n_branches"]].tolist():
            if child >= 0:
                heapq.heappush(frontier, (-int(falls[child]), child))
    return split_number


def _n_leaves(grown: MultiwayTree, node: Any) -> int:
    """What a split makes of a leaf; categories without rows are one of them where others are in groups."""
    children = grown.children[node["first"] : node["first"] + node["n_branches"]]
    n_there, n_empty = int((children >= 0).sum()), int((children == NO_NODE).sum())
    return n_there + (n_empty if n_there + n_empty == len(children) else min(n_empty, 1))


def _keep(grown: MultiwayTree, split_number: np.ndarray, n_splits: int) -> None:
    """The first splits stay."""
    gone = np.flatnonzero((split_number == NEVER) | (split_number >= n_splits))
    grown.nodes["feature"][gone] = NO_SPLIT


def _reached(grown: MultiwayTree) -> np.ndarray:
    """The nodes that are still there, ascending: parents come before their children."""
    there = np.zeros(int(grown.state[0]["n_nodes"]), bool)
    there[0] = True
    for number in np.flatnonzero(grown.nodes["feature"][: len(there)] != NO_SPLIT).tolist():
        node = grown.nodes[number]
        below = grown.children[node["first"] : node["first"] + node["n_branches"]]
        there[below[below >= 0]] |= there[number]
    return np.flatnonzero(there)


@kernel
def _fill_falls(grown, terms, known, falls):
    """What each question takes off entropy times weight, in whole numbers; `known` is scratch."""
    for number in range(falls.size):
        node = grown.nodes[number]
        if node.feature == NO_SPLIT:
            continue
        known[:] = 0
        below = np.int64(0)
        for k in range(node.first, node.first + node.n_branches):
            child = grown.children[k]
            if child >= 0:
                below += _mixed(grown.class_units[child], terms)
                for c in range(known.size):
                    known[c] += grown.class_units[child, c]
        falls[number] = _mixed(known, terms) - below


@inner_kernel
def _mixed(class_units, terms):
    """Entropy times weight."""
    total, mixed = np.int64(0), np.int64(0)
    for c in range(class_units.size):
        total += class_units[c]
        mixed -= term(class_units[c], terms)
    return mixed + term(total, terms)

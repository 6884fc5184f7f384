"""From the grown nodes to a tree.

Nodes are numbered anew in preorder, and branches without training rows become leaves that answer as their parent does.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.impurity import ENTROPY
from spinney.criteria.information import ROW, entropy
from spinney.grow.branches.columns import Columns
from spinney.grow.branches.memory import Grown
from spinney.grow.rules import NO_NODE, NO_SPLIT
from spinney.tree.arrays import small
from spinney.tree.decision import STOPS, DecisionTree
from spinney.tree.forest import ASKS_BRANCHES, MISSING_SPREADS, MISSING_STOPS, Forest


def freeze(grown: Grown, columns: Columns, missing: int) -> DecisionTree:
    """Build the tree; `missing` is what its questions say of missing values, STOPS or SPREADS."""
    n_nodes, depth = _measure(grown, np.empty((len(grown.nodes), 2), np.int64))
    source, parent = np.empty(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    size = np.ones(n_nodes, np.int64)
    _number(grown, np.empty((depth + 1, 3), np.int64), source, parent, size)
    empty = source == NO_NODE
    nodes = grown.nodes[np.where(empty, 0, source)]
    asks = (nodes.feature != NO_SPLIT) & ~empty
    feature = nodes.feature[asks]
    is_number = columns.is_number[feature] > 0
    by_branch = np.where(is_number, 0, ASKS_BRANCHES)
    answers = grown.class_units[source[np.where(empty, parent, np.arange(n_nodes))]] / ROW
    forest = Forest(
        n_columns=len(columns.codes),
        n_classes=(answers.shape[1],),
        criterion=ENTROPY,
        bins=None,
        first=np.array([0, n_nodes]),
        size=small(size),
        feature=small(feature),
        turn=(by_branch | (MISSING_STOPS if missing == STOPS else MISSING_SPREADS)).astype(np.uint8),
        answers=answers[:, None, :],
        n_samples=small(np.where(empty, 0, nodes.n_rows), np.uint32),
        threshold=np.where(is_number, nodes.threshold[asks], np.nan),
        weight=np.where(empty, 0.0, nodes.units / ROW),
        impurity=entropy(answers),
    )
    return DecisionTree(forest)


@kernel
def _measure(grown, waiting):
    """(nodes, depth) of the tree as it is now; `waiting` is scratch: nodes and their depths."""
    n_nodes, deepest = 1, 0
    n_waiting = 1
    waiting[0, :] = 0
    while n_waiting > 0:
        n_waiting -= 1
        number, depth = waiting[n_waiting, 0], waiting[n_waiting, 1]
        node = grown.nodes[number]
        deepest = max(deepest, depth)
        if node.feature == NO_SPLIT:
            continue
        n_nodes += node.n_branches
        for k in range(node.first, node.first + node.n_branches):
            if grown.children[k] != NO_NODE:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = grown.children[k], depth + 1
                n_waiting += 1
    return n_nodes, deepest


@kernel
def _number(grown, path, source, parent, size):
    """Walk in preorder. `path` is scratch: (grown number, new number, next branch) from the root to the node."""
    path[0, :] = 0
    source[0], parent[0], depth, n = 0, 0, 0, 1
    while depth >= 0:
        number, here, branch = path[depth, 0], path[depth, 1], path[depth, 2]
        if branch >= _n_branches(grown, number):
            size[here] = n - here
            depth -= 1
            continue
        path[depth, 2] += 1
        child = grown.children[grown.nodes[number].first + branch]
        source[n], parent[n] = child, here
        if child != NO_NODE:
            depth += 1
            path[depth, 0], path[depth, 1], path[depth, 2] = child, n, 0
        n += 1


@inner_kernel
def _n_branches(grown, number):
    if number == NO_NODE or grown.nodes[number].feature == NO_SPLIT:
        return np.int64(0)
    return grown.nodes[number].n_branches

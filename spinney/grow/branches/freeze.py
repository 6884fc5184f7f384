"""The grown tree as a `DecisionTree`.

Nodes are numbered anew in preorder, and branches without training rows become leaves that answer as their parent does.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.information import ROW, entropy
from spinney.grow.branches.columns import Columns
from spinney.grow.branches.memory import Grown
from spinney.grow.rules import NO_NODE, NO_SPLIT
from spinney.tree.decision import BRANCHES, LEAF, NO_FEATURE, NUMBER, STOPS, DecisionTree


def freeze(grown: Grown, columns: Columns, missing: int) -> DecisionTree:
    """Build the tree; `missing` is what its questions say of missing values, STOPS or SPREADS."""
    n_nodes, n_children, depth = _measure(grown, np.empty((len(grown.nodes), 2), np.int64))
    source, parent = np.empty(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    child_start, children = np.zeros(n_nodes + 1, np.int64), np.empty(n_children, np.int32)
    _number(grown, np.empty((depth + 1, 3), np.int64), source, parent, child_start, children)
    empty = source == NO_NODE
    nodes = grown.nodes[np.where(empty, 0, source)]
    asks = (nodes.feature != NO_SPLIT) & ~empty
    is_number = asks & (columns.is_number[np.where(asks, nodes.feature, 0)] > 0)
    answers = grown.class_units[source[np.where(empty, parent, np.arange(n_nodes))]] / ROW
    return DecisionTree(
        n_classes=(answers.shape[1],),
        kind=np.select([is_number, asks], [np.uint8(NUMBER), np.uint8(BRANCHES)], np.uint8(LEAF)),
        child_start=child_start,
        children=children,
        feature=np.where(asks, nodes.feature, NO_FEATURE).astype(np.int32),
        threshold=np.where(is_number, nodes.threshold, np.nan),
        missing=np.where(asks, missing, STOPS).astype(np.int32),
        set_start=np.zeros(n_nodes + 1, np.int64),
        sets=np.zeros(0, np.uint64),
        answers=answers[:, None, :],
        impurity=entropy(answers),
        n_samples=np.where(empty, 0, nodes.n_rows),
        weight=np.where(empty, 0.0, nodes.units / ROW),
    )


@kernel
def _measure(grown, waiting):
    """(nodes, children, depth) of the tree as it is now; `waiting` is scratch: nodes and their depths."""
    n_nodes, n_children, deepest = 1, 0, 0
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
        n_children += node.n_branches
        for k in range(node.first, node.first + node.n_branches):
            if grown.children[k] != NO_NODE:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = grown.children[k], depth + 1
                n_waiting += 1
    return n_nodes, n_children, deepest


@kernel
def _number(grown, path, source, parent, child_start, children):
    """Walk in preorder. `path` is scratch: (grown number, new number, next branch) from the root to the node."""
    path[0, :] = 0
    source[0], parent[0], depth, n = 0, 0, 0, 1
    child_start[1] = _n_branches(grown, 0)
    while depth >= 0:
        number, here, branch = path[depth, 0], path[depth, 1], path[depth, 2]
        if branch >= _n_branches(grown, number):
            depth -= 1
            continue
        path[depth, 2] += 1
        child = grown.children[grown.nodes[number].first + branch]
        children[child_start[here] + branch] = n
        source[n], parent[n] = child, here
        child_start[n + 1] = child_start[n] + _n_branches(grown, child)
        if child != NO_NODE:
            depth += 1
            path[depth, 0], path[depth, 1], path[depth, 2] = child, n, 0
        n += 1


@inner_kernel
def _n_branches(grown, number):
    if number == NO_NODE or grown.nodes[number].feature == NO_SPLIT:
        return np.int64(0)
    return grown.nodes[number].n_branches

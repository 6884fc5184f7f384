"""What every store of trees offers, whatever its layout.

A store holds the trees of a model end to end, each in preorder: the left child is the next node, and a subtree is a
run of neighbours. There are two layouts, each as small as what it holds:

    BoostedForest    boosted.py    sums of values; splits have gains, leaves counts and hessians
    Grove            grove.py      means of answers, classes or numbers, of forests and bagging

Whatever reads, draws, tabulates or follows trees is written once, against this interface.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from spinney.tree.decision import DecisionTree


class Shape(NamedTuple):
    """Where every node of some trees stands."""

    parent: np.ndarray  # int64; -1 for a root
    depth: np.ndarray  # int32
    end: np.ndarray  # int64: one past the last node below


class Forest:
    """Binary trees in one store."""

    first: np.ndarray  # int64: where each tree's nodes begin, and where the last one's end

    @property
    def n_trees(self) -> int:
        return len(self.first) - 1

    @property
    def n_nodes(self) -> int:
        return int(self.first[-1])

    @property
    def n_leaves(self) -> np.ndarray:
        """Leaves of each tree: one more than questions."""
        return (np.diff(self.first) + 1) // 2

    @property
    def n_bytes(self) -> int:
        """Size of the arrays."""
        arrays = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def steps_right(self) -> np.ndarray:
        """For every node, how many nodes further its right child is; 0: a leaf."""
        raise NotImplementedError

    def tree(self, k: int) -> DecisionTree:
        """One tree, to be read and drawn, with the same numbers of its nodes."""
        raise NotImplementedError

    @property
    def is_leaf(self) -> np.ndarray:
        return self.steps_right == 0

    @cached_property
    def shape(self) -> Shape:
        """Parent, depth and end of every node, level by level from the roots, all trees at once."""
        step, n = self.steps_right, self.n_nodes
        shape = Shape(np.full(n, -1, np.int64), np.zeros(n, np.int32), np.empty(n, np.int64))
        level, depth = self.first[:-1], 0
        shape.end[level] = self.first[1:]
        while len(level):
            depth += 1
            asks = level[step[level] > 0]
            left, right = asks + 1, asks + step[asks]
            shape.end[left], shape.end[right] = right, shape.end[asks]
            level = np.concatenate([left, right])
            shape.parent[left] = shape.parent[right] = asks
            shape.depth[level] = depth
        return shape

    def paths(self, leaves: np.ndarray) -> csr_matrix:
        """The nodes that rows pass to come to these leaves (rows, trees): a sparse matrix of ones, (rows, nodes)."""
        shape = self.shape
        ends, nodes = trails((leaves + self.first[:-1]).ravel(), shape.parent, shape.depth)
        rows = ends[:: self.n_trees] if self.n_trees else np.zeros(len(leaves) + 1, np.int64)
        ones: Any = np.ones(len(nodes), np.int64)
        return csr_matrix((ones, nodes, rows), shape=(len(leaves), self.n_nodes))


def trails(leaves: np.ndarray, parent: np.ndarray, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ways down to some leaves, end to end: way i is nodes[ends[i] : ends[i + 1]]; returns (ends, nodes)."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(depth[leaves] + 1, dtype=np.int64)])
    nodes = np.empty(ends[-1], np.int64)
    place, node = ends[1:] - 1, leaves.astype(np.int64)
    ways = np.arange(len(leaves))
    while len(ways):
        nodes[place[ways]] = node[ways]
        place[ways] -= 1
        node[ways] = parent[node[ways]]
        ways = ways[node[ways] >= 0]
    return ends, nodes

"""The shape of trees: parent and depth of every node, from the sizes of the subtrees alone.

Trees are concatenated, each in preorder: a subtree is a run of consecutive nodes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spinney.tree.arrays import ends_of


class Shape(NamedTuple):
    """Parent, depth and end of every node of some trees."""

    parent: np.ndarray  # int64; -1 for a root
    depth: np.ndarray  # int32
    end: np.ndarray  # int64: one past the last node below


def find_shape(size: np.ndarray) -> Shape:
    """The shape of trees whose nodes have subtrees of these sizes.

    >>> shape = find_shape(np.array([5, 1, 3, 1, 1]))
    >>> shape.parent.tolist(), shape.depth.tolist(), shape.end.tolist()
    ([-1, 0, 0, 2, 2], [0, 1, 1, 2, 2], [5, 2, 5, 4, 5])
    """
    n, depth = len(size), find_depths(size)
    end = np.arange(n) + size
    parent = np.full(n, -1, np.int64)
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(depth))[:-1]) if n else []
    for above, level in pairwise(levels):
        parent[level] = above[np.searchsorted(above, level) - 1]  # the last one of the level above before it
    return Shape(parent, depth, end)


def find_depths(size: np.ndarray) -> np.ndarray:
    """Depths only, int32. A node's depth is the number of subtrees that have started before it and not ended."""
    n, asks = len(size), np.flatnonzero(size > 1)
    rise = np.bincount(asks + 1, minlength=n + 1) - np.bincount(asks + size[asks], minlength=n + 1)
    return np.cumsum(rise)[:n].astype(np.int32)


def trails(leaves: np.ndarray, parent: np.ndarray, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The paths to some leaves, concatenated: path i is nodes[ends[i] : ends[i + 1]]; returns (ends, nodes)."""
    ends = ends_of(depth[leaves] + 1)
    nodes = np.empty(ends[-1], np.int64)
    place, node = ends[1:] - 1, leaves.astype(np.int64)
    ways = np.arange(len(leaves))
    while len(ways):
        nodes[place[ways]] = node[ways]
        place[ways] -= 1
        node[ways] = parent[node[ways]]
        ways = ways[node[ways] >= 0]
    return ends, nodes

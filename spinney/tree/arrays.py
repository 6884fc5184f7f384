"""Arrays of trees in the smallest types that hold them exactly; and the shape of trees from the sizes of subtrees."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from spinney._team import Team


_MOST = {kind: int(np.iinfo(kind).max) for kind in (np.uint16, np.uint32, np.uint64)}
MOST_EXACT = 2**24  # integers up to this are exact in float32
_MUCH = 1 << 20  # bytes from which threads copy faster


def ends_of(lengths: np.ndarray) -> np.ndarray:
    """Where runs of these lengths start, and where the last one ends.

    >>> ends_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def joined(parts: Sequence[np.ndarray], team: Team | None = None) -> np.ndarray:
    """`np.concatenate`, by all threads if there is much to copy."""
    if team is None or team.size == 1 or sum(part.nbytes for part in parts) < _MUCH:
        return np.concatenate(parts)
    ends = ends_of(np.array([len(part) for part in parts]))
    out = np.empty((ends[-1], *parts[0].shape[1:]), np.result_type(*parts))

    def copy(k: int) -> None:
        out[ends[k] : ends[k + 1]] = parts[k]

    team.map(copy, range(len(parts)))
    return out


def small(numbers: np.ndarray, smallest: Any = np.uint16) -> np.ndarray:
    """Integers in the smallest type that holds them."""
    most = int(numbers.max()) if len(numbers) else 0
    for dtype in (smallest, np.uint32, np.uint64):
        if most <= _MOST[dtype]:
            break
    return numbers.astype(dtype, copy=False)


def narrow(values: np.ndarray) -> np.ndarray:
    """Numbers as float32 if nothing is lost."""
    if not values.max(initial=0.0) < MOST_EXACT:
        return values
    short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values


# ----------------------------------------------------------------------------------------------------------------------
# The shape of trees: parent and depth of every node, from the sizes of the subtrees alone.
#
# Trees are concatenated, each in preorder: a subtree is a run of consecutive nodes.


class TreeShape(NamedTuple):
    """Parent, depth and end of every node of some trees."""

    parent: np.ndarray  # int64; -1 for a root
    depth: np.ndarray  # int32
    end: np.ndarray  # int64: one past the last node below


def find_shape(size: np.ndarray) -> TreeShape:
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
    return TreeShape(parent, depth, end)


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

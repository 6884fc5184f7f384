"""Trails: the nodes that rows pass on their way down, the other way round.

In: where each way ends, and every node's parent and depth. Out: the nodes of all ways end to end, root first.
"""

from __future__ import annotations

import numpy as np


def trails(leaves: np.ndarray, parent: np.ndarray, depth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ends, nodes): way i is nodes[ends[i] : ends[i + 1]]; parents of roots are negative."""
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

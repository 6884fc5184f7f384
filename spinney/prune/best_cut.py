"""The compiled loop of reduced-error pruning: cut where the error falls most, until it would rise.

Cutting below a node *gains* (errors of its branch - its own errors as a leaf), and takes that much from the gains of
all nodes above it; no other gain changes. Every node keeps the best cut of its subtree, so a cut is told to the nodes
above it and to nobody else.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel

_NONE = -1
_NEVER = np.iinfo(np.int64).min


@inner_kernel
def _find_best(node, child_start, children, as_leaf, branch, best, gain):
    """The best cut of a node's subtree; of equals the lowest, for what lies above it can go afterwards."""
    best[node], gain[node] = _NONE, _NEVER
    for place in range(child_start[node], child_start[node + 1]):
        child = children[place]
        if gain[child] > gain[node]:
            best[node], gain[node] = best[child], gain[child]
    own = branch[node] - as_leaf[node]
    if own > gain[node]:
        best[node], gain[node] = node, own


@kernel
def cut_best(
    parent,  # in
    child_start,  # in
    children,  # in
    as_leaf,  # in: int64, errors of each node as a leaf
    least,  # in: the gain that a cut must have
    branch,  # in and out: int64, errors of each branch as it is
    best,  # work: the best cut at or below each node
    gain,  # work: what it gains
    at,  # out, int64 zeros: the nodes that were cut, numbered 1, 2, ... in their order
):
    """Cut until no cut gains enough."""
    for node in range(parent.size - 1, -1, -1):  # children come after their parents
        best[node], gain[node] = _NONE, _NEVER
        if child_start[node] != child_start[node + 1]:
            _find_best(node, child_start, children, as_leaf, branch, best, gain)
    n_cuts = np.int64(0)
    while gain[0] >= least:
        cut = best[0]
        gained = gain[0]
        n_cuts += 1
        at[cut] = n_cuts
        branch[cut] = as_leaf[cut]
        best[cut], gain[cut] = _NONE, _NEVER
        above = np.int64(parent[cut])
        while above != _NONE:
            branch[above] -= gained
            _find_best(above, child_start, children, as_leaf, branch, best, gain)
            above = np.int64(parent[above])

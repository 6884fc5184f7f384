"""Weakest-link cutting: the compiled loop of minimal cost-complexity pruning.

A node's *cost* is what it would cost as a leaf; the cost of a branch is that of its leaves. Cutting the branch below a
node raises the cost by (cost of the node - cost of the branch) and saves (leaves - 1) leaves, or (nodes - 1) nodes if
these have a price too. The ratio is the node's *effective alpha*, and the node with the least is the weakest link:

    cut the weakest link; its ancestors' branches change, so do their alphas; again, until the root is a leaf

Every node keeps the weakest link of its own subtree, so that a cut only has to be told to the nodes above it: all cuts
together take as many steps as the inner nodes' depths add up to, times the branches of a node.

Of equal links the one with the smallest number goes first, and costs are summed over leaves in ascending order: as in
scikit-learn, so that trees and alphas come out equal to the last bit.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel

_NONE = -1  # no link in this subtree; no parent


@inner_kernel
def _sum_leaves(parent, child_start, cost, n_priced, below):
    """n_priced and below (cost of the branch) of every node, to which each leaf is added."""
    for leaf in range(parent.size):
        if child_start[leaf] != child_start[leaf + 1]:
            continue
        node = np.int64(leaf)
        while node != _NONE:
            n_priced[node] += 1
            below[node] += cost[leaf]
            node = np.int64(parent[node])


@inner_kernel
def _find_weakest(node, child_start, children, cost, n_priced, below, weakest, alpha):
    """The weakest link of a node's subtree, from its own alpha and its children's weakest links."""
    weakest[node] = node
    alpha[node] = (cost[node] - below[node]) / (n_priced[node] - 1)
    for place in range(child_start[node], child_start[node + 1]):
        child = children[place]
        if alpha[child] < alpha[node]:
            weakest[node], alpha[node] = weakest[child], alpha[child]


@kernel
def cut_weakest_links(
    parent,  # in
    child_start,  # in
    children,  # in
    cost,  # in: of each node as a leaf
    n_priced,  # work: what has a price in each branch as it is now; comes in without the leaves
    below,  # work, zeros: cost of each branch as it is now
    weakest,  # work: the weakest link at or below each node
    alpha,  # work: its effective alpha
    alphas,  # out: alpha of each cut
    costs,  # out: cost of the tree after it
    cut_at,  # out, inf: alpha at which each node became a leaf
):
    """Cut until only the root is left; returns the number of cuts. Number 0 is the whole tree."""
    _sum_leaves(parent, child_start, cost, n_priced, below)
    for at in range(parent.size - 1, -1, -1):  # children come after their parents
        weakest[at], alpha[at] = _NONE, np.inf
        if n_priced[at] > 1:
            _find_weakest(at, child_start, children, cost, n_priced, below, weakest, alpha)
    alphas[0], costs[0] = 0.0, below[0]
    n_cuts = 0
    while n_priced[0] > 1:
        node = weakest[0]
        n_cuts += 1
        alphas[n_cuts] = max(alphas[n_cuts - 1], alpha[0])  # they can only fall by rounding
        cut_at[node] = alphas[n_cuts]
        saved, rise = n_priced[node] - 1, cost[node] - below[node]
        n_priced[node], below[node] = 1, cost[node]
        weakest[node], alpha[node] = _NONE, np.inf
        node = np.int64(parent[node])
        while node != _NONE:
            n_priced[node] -= saved
            below[node] += rise
            _find_weakest(node, child_start, children, cost, n_priced, below, weakest, alpha)
            node = np.int64(parent[node])
        costs[n_cuts] = below[0]
    return n_cuts

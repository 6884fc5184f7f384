"""The stack of waiting nodes: one is taken, gets its number in the tree and samples its columns; its children follow.

The loops of grower.py and of small.py share these steps. The left child is on top of the stack, so nodes are numbered
in preorder: a left child comes right after its parent, and only the number of the right one has to be stored.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney._random import mix
from spinney.grow.rules import NO_NODE, NO_SPLIT, child_key, larger_side


@inner_kernel
def open_node(nodes, turn, number):
    """The next node of the tree, for now a leaf."""
    node = nodes[number]
    node.begin, node.end, node.weight, node.amount = turn.begin, turn.end, turn.weight, turn.amount
    node.parent = turn.parent
    node.right, node.feature, node.code, node.missing_left = NO_NODE, NO_SPLIT, 0, 0
    if turn.is_right:
        nodes[turn.parent].right = number


@inner_kernel
def part_node(waiting, n_waiting, node, number, split, middle):
    """The node is split, its rows from `middle` on going right; its children wait in its place, the left one on top."""
    turn = waiting[n_waiting]
    node.feature, node.code = split.feature, split.code
    node.missing_left = split.missing_left
    if not split.has_missing:
        node.missing_left = larger_side(split.weight, turn.weight)
    random, depth, weight, amount = turn.random, turn.depth + 1, turn.weight, turn.amount
    right, left = waiting[n_waiting], waiting[n_waiting + 1]
    right.begin, right.end, right.weight, right.amount = middle, node.end, weight - split.weight, amount - split.amount
    right.random, right.depth, right.parent, right.is_right = child_key(random, 1), depth, number, 1
    left.begin, left.end, left.weight, left.amount = node.begin, middle, split.weight, split.amount
    left.random, left.depth, left.parent, left.is_right = child_key(random, 0), depth, number, 0


@inner_kernel
def draw_column(key, order, drawn, k):
    """Draw the k-th column (see `_random.choose`)."""
    drawn[k] = k + np.int64(mix(key, k) % np.uint64(order.size - k))
    _exchange(order, k, drawn[k])


@inner_kernel
def put_back(order, drawn, n):
    """All columns where they were before n were drawn."""
    # The same exchanges backwards. It takes as many steps as were drawn; a fresh list would take one per column.
    for k in range(n - 1, -1, -1):
        _exchange(order, k, drawn[k])


@inner_kernel
def _exchange(order, k, other):
    order[k], order[other] = order[other], order[k]

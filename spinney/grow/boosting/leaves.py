"""The last phase: leaf sums in finer units, pruning from the leaves up, values, and what they add to scores.

In: the grown nodes and their rows. Out: in `work`, the *pieces* (grown leaves from left to right; pruning may join
several into one final leaf), each row's piece, and every node's value.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import atomic_add, inner_kernel, kernel, part_kernel, prefetch
from spinney._team import Team, next_chunk
from spinney.criteria.gains import clip, hold_back, leaf_value
from spinney.grow.boosting.memory import BoostingRows, BoostingWork
from spinney.grow.boosting.partition import CHUNK
from spinney.grow.rules import NO_NODE, NO_SPLIT

_AHEAD = 32  # rows between asking for a row's numbers and using them
_ONE = np.uint64(1)


@inner_kernel
def order_pieces(work):
    """The grown leaves from left to right: their segments tile the rows."""
    stack = work.heap  # the frontier is done with it
    stack[0] = 0
    height, found = 1, 0
    while height > 0:
        height -= 1
        at = stack[height]
        left = work.nodes[at].left
        if left == NO_NODE:
            work.pieces[found] = at
            found += 1
        else:
            stack[height] = left + 1
            stack[height + 1] = left
            height += 2
    for i in range(2 * found):
        work.leaf_sums[i] = 0


@inner_kernel
def piece_at(nodes, pieces, n_pieces, position):
    """Which piece holds a position: halving over their starts."""
    low, high = 0, n_pieces
    while high - low > 1:
        middle = (low + high) // 2
        if nodes[pieces[middle]].begin <= position:
            low = middle
        else:
            high = middle
    return low


@part_kernel
def sum_leaf_chunk(rows, work, chunk):
    """The pieces' gradient and hessian sums once more, in the finer units; and which piece each row is in."""
    fields, nodes, flat = rows.fields, work.nodes, rows.derivatives.reshape(-1)
    gradient_scale, hessian_scale = np.float64(fields.fine_gradient_scale), np.float64(fields.fine_hessian_scale)
    begin = chunk * CHUNK
    chunk_end = min(rows.n, begin + CHUNK)
    piece = piece_at(nodes, work.pieces, work.state[0].n_leaves, begin)
    while begin < chunk_end:
        node = nodes[work.pieces[piece]]
        end = min(chunk_end, node.end)
        segment = work.rows[node.depth & 1, begin:end]
        gradient = hessian = np.int64(0)
        for k in range(segment.size):
            if k + _AHEAD < segment.size:
                prefetch(flat, 2 * np.int64(segment[k + _AHEAD]))
            row = np.uint64(segment[k])
            work.leaf_of_row[row] = piece
            count = rows.counts[row] if rows.counts.size else np.int64(1)
            gradient += count * np.int64(np.floor(flat[row + row] * gradient_scale + 0.5))
            hessian += count * np.int64(np.floor(flat[row + row + _ONE] * hessian_scale + 0.5))
        atomic_add(work.leaf_sums, 2 * piece, gradient)
        atomic_add(work.leaf_sums, 2 * piece + 1, hessian)
        begin = end
        piece += 1


@inner_kernel
def finish_tree(fields, rules, work):
    """Hand the pieces' sums to their nodes; prune; set the values."""
    state, nodes = work.state[0], work.nodes
    for piece in range(state.n_leaves):
        nodes[work.pieces[piece]].fine_gradient = work.leaf_sums[2 * piece]
        nodes[work.pieces[piece]].fine_hessian = work.leaf_sums[2 * piece + 1]
    finish_nodes(fields, rules, nodes, state.n_nodes)


@inner_kernel
def finish_nodes(fields, rules, nodes, n_nodes):
    """Add leaf sums up the tree, prune splits that gain too little from the leaves up, and set every value."""
    # children have larger numbers than their parents: one pass backwards meets both children before their parent
    for at in range(n_nodes - 1, -1, -1):
        node = nodes[at]
        node.is_leaf = node.left == NO_NODE
        if node.left == NO_NODE:
            node.feature, node.code, node.missing_left, node.gain = NO_SPLIT, 0, 0, 0.0
            for w in range(4):
                node.bits[w] = 0
        else:
            left, right = nodes[node.left], nodes[node.left + 1]
            node.fine_gradient = left.fine_gradient + right.fine_gradient
            node.fine_hessian = left.fine_hessian + right.fine_hessian
            node.is_leaf = left.is_leaf and right.is_leaf and node.gain < rules.min_gain
    for at in range(n_nodes):
        node = nodes[at]
        gradient = node.fine_gradient * fields.fine_gradient_unit
        hessian = node.fine_hessian * fields.fine_hessian_unit
        value = value_of(gradient, hessian, rules)
        node.value = rules.learning_rate * clip(value, node.lower, node.upper)
    pass_values_down(nodes, n_nodes)


@inner_kernel
def pass_values_down(nodes, n_nodes):
    """The pieces below a pruned node get its value."""
    for at in range(n_nodes):
        node = nodes[at]
        if node.is_leaf and node.left != NO_NODE:
            for side in range(2):
                nodes[node.left + side].is_leaf = 1
                nodes[node.left + side].value = node.value


@kernel
def share_values(nodes):
    """`pass_values_down` after values were changed from outside."""
    pass_values_down(nodes, nodes.size)


def add_tree(rows: BoostingRows, work: BoostingWork, scores: np.ndarray, team: Team) -> None:
    """Add the values of the tree just grown to the scores of its rows."""
    pieces = work.pieces[: work.state[0]["n_leaves"]]
    team.run(_add_tree, rows.chosen, rows.n, work.nodes, pieces, work.leaf_of_row, work.leaf_values, scores)


@kernel
def _add_tree(rank, size, sync, chosen, n_rows, nodes, pieces, leaf_of_row, leaf_values, scores):
    """scores[row] += value of the row's leaf in the tree just grown."""
    values = leaf_values[rank]
    for piece in range(pieces.size):
        values[piece] = nodes[pieces[piece]].value
    while True:
        begin = next_chunk(sync) * CHUNK
        if begin >= n_rows:
            return
        end = min(n_rows, begin + CHUNK)
        if chosen.size:
            for row in chosen[begin:end]:
                scores[row] += values[np.uint64(leaf_of_row[row])]
        else:
            part, leaves = scores[begin:end], leaf_of_row[begin:end]
            for i in range(part.size):
                part[i] += values[np.uint64(leaves[i])]


@inner_kernel
def value_of(gradient, hessian, rules):
    value = leaf_value(gradient, hessian, rules.penalty)
    return hold_back(value, rules.link) if rules.link.power > 0.0 else value

"""The ends of rows that may go down several branches (missing values in C4.5)."""

from __future__ import annotations

import numpy as np

from spinney._compile import kernel
from spinney.data.tables import Table
from spinney.tree.decision import LEAF, SPREADS, STOPS, DecisionTree
from spinney.tree.descend import blocks, branch_of, make_steps

_LEAF = np.uint8(LEAF)


def ends_of_rows(tree: DecisionTree, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, node, share) of every end of every row; a row's shares add up to 1."""
    steps = make_steps(tree)
    room = 1 + int(np.diff(tree.child_start).max()) * (tree.max_depth + 1)
    work = np.empty(room, np.int64), np.empty(room)
    rows, nodes, shares = [], [], []
    for start, values in blocks(table, tree):
        known = steps, tree.children, tree.sets, tree.weight, values
        n = _find_ends(*known, np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), *work)
        row, node, share = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
        _find_ends(*known, row, node, share, *work)
        rows.append(row + start)
        nodes.append(node)
        shares.append(share)
    return np.concatenate(rows), np.concatenate(nodes), np.concatenate(shares)


@kernel
def _find_ends(
    steps,  # in
    children,  # in
    sets,  # in
    weight,  # in
    values,  # in: (row, column)
    row_of,  # out
    node_of,  # out
    share_of,  # out; what does not fit is only counted
    nodes,  # work: where parts of the row wait
    parts,  # work: how much of it
):
    """Write down the ends of all rows; returns how many there are."""
    n = 0
    for row in range(values.shape[0]):
        nodes[0], parts[0] = 0, 1.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, part = nodes[waiting], parts[waiting]
            step = steps[node]
            branch = np.int64(STOPS)
            if step.kind != _LEAF:
                branch = branch_of(step, sets, values[row, step.feature])
            if branch >= 0:
                nodes[waiting], parts[waiting] = children[step.first + branch], part
                waiting += 1
            elif branch == SPREADS:
                total = 0.0
                for k in range(step.n_children):
                    total += weight[children[step.first + k]]
                for k in range(step.n_children):
                    child = children[step.first + k]
                    if weight[child] > 0.0:
                        nodes[waiting], parts[waiting] = child, part * weight[child] / total
                        waiting += 1
            else:
                if n < row_of.size:
                    row_of[n], node_of[n], share_of[n] = row, node, part
                n += 1
    return n

"""The ends of rows that may go down several branches (missing values in C4.5)."""

from __future__ import annotations

import numpy as np

from spinney._compile import kernel
from spinney.data.tables import Table
from spinney.tree.decision import DecisionTree
from spinney.tree.descend import blocks, room_to_spread, spread_step


def ends_of_rows(tree: DecisionTree, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, node, share) of every end of every row; a row's shares add up to 1."""
    packed, room = tree.forest.steps, room_to_spread(tree)
    work = np.empty(room, np.int64), np.empty(room)
    rows, nodes, shares = [], [], []
    for start, values in blocks(table, tree):
        known = packed, tree.weight, values
        n = _find_ends(*known, np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), *work)
        row, node, share = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
        _find_ends(*known, row, node, share, *work)
        rows.append(row + start)
        nodes.append(node)
        shares.append(share)
    return np.concatenate(rows), np.concatenate(nodes), np.concatenate(shares)


@kernel
def _find_ends(
    packed,  # in
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
            waiting, ended = spread_step(packed, weight, values, row, nodes, parts, waiting)
            if ended:
                if n < row_of.size:
                    row_of[n], node_of[n], share_of[n] = row, nodes[waiting], parts[waiting]
                n += 1
    return n

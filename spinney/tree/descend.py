"""Send the rows of a table down a decision tree.

In: a `DecisionTree` and a `Table`. Out: the node where each row ends, or the class fractions where rows with missing
values go down several branches. Values are compared as they are: a float64 threshold with a float32 or float64 value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.data.tables import BLOCK_ROWS, Table
from spinney.tree.decision import DecisionTree
from spinney.tree.packed import COLUMN, StepNodes, child_at, n_branches, next_by_number, next_by_value

_CHUNK = 2048  # rows a thread takes at a time


def leaf_of_rows(tree: DecisionTree, table: Table, team: Team) -> np.ndarray:
    """int64, the node where each row ends: a leaf, or a node whose question it cannot answer (STOPS)."""
    leaf = np.zeros(table.n_rows, np.int64)
    packed = tree.forest.steps
    if table.is_sparse and tree.forest.numbers_only:
        for start, leaves in sparse_leaves(packed, range(1), table, team):
            leaf[start : start + leaves.shape[1]] = leaves[0]
        return leaf
    for start, values in blocks(table, tree):
        part = leaf[start : start + len(values)]
        if tree.forest.numbers_only:
            team.run(_descend_numbers, packed.steps, values, part)
        else:
            team.run(_descend, packed, values, part)
    return leaf


def sparse_leaves(packed: StepNodes, trees: range, table: Table, team: Team) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, int64 (trees, rows): the leaves of some rows of a sparse table in some trees that ask about numbers
    only).

    Each thread makes one row at a time dense.
    """
    cells, rooms = table.by_rows, np.zeros((team.size, table.n_columns))
    for start in range(0, table.n_rows, BLOCK_ROWS):
        leaves = np.empty((len(trees), min(BLOCK_ROWS, table.n_rows - start)), np.int64)
        lists = cells.indptr[start : start + leaves.shape[1] + 1], cells.indices, cells.data
        team.run(_descend_lists, packed.steps, packed.first, trees.start, *lists, rooms, leaves)
        yield start, leaves


@kernel
def _descend_lists(rank, size, sync, steps, first, first_tree, row_first, columns, cells, rooms, leaves):
    """leaves[k, row] = where the row ends in tree first_tree + k; rooms are zero before and after."""
    room = rooms[rank]
    while True:
        start = next_chunk(sync) * 64
        if start >= leaves.shape[1]:
            return
        for row in range(start, min(start + 64, leaves.shape[1])):
            for k in range(row_first[row], row_first[row + 1]):
                room[columns[k]] = cells[k]
            for tree in range(leaves.shape[0]):
                own = steps[first[first_tree + tree] : first[first_tree + tree + 1]]
                at, after = np.int64(0), next_by_number(own, np.int64(0), rooms, rank)
                while after != at:
                    at, after = after, next_by_number(own, after, rooms, rank)
                leaves[tree, row] = at
            for k in range(row_first[row], row_first[row + 1]):
                room[columns[k]] = 0.0


def shares(tree: DecisionTree, table: Table, team: Team) -> np.ndarray:
    """(row, class) shares of the classes of the first output, for trees whose missing values may go every way."""
    return spread_sums(tree, tree.probabilities[:, 0], table, team)


def spread_sums(tree: DecisionTree, answers: np.ndarray, table: Table, team: Team) -> np.ndarray:
    """(row, number): the numbers `answers` (nodes, numbers) of the nodes where a row ends, each by the row's part."""
    answers = np.ascontiguousarray(answers)
    out = np.zeros((table.n_rows, answers.shape[1]))
    packed, room = tree.forest.steps, room_to_spread(tree)
    desks = np.empty((team.size, room), np.int64), np.empty((team.size, room))
    for start, values in blocks(table, tree):
        piece = out[start : start + len(values)]
        team.run(_spread, packed, tree.weight, answers, values, piece, *desks)
    return out


def room_to_spread(tree: DecisionTree) -> int:
    """How many parts of a row can wait at once."""
    return 1 + int(np.diff(tree.child_start).max(initial=0)) * (tree.max_depth + 1)


def blocks(table: Table, trees: Any) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, values of some rows): all at once if the table is one block of memory, else put together.

    Then columns that are not tested may hold anything. Rows that are codes alone come as values that have these
    codes, if the trees ask about such codes.
    """
    if table.is_sparse or (not table.has_values and getattr(trees, "bins", None) is not None):
        yield from table.blocks(trees)
        return
    if len(table.panels) == 1:
        yield 0, table.panels[0].values
        return
    asked = trees.columns_asked
    panels = [panel for panel in table.panels if not asked.isdisjoint(panel.columns)]
    for start in range(0, table.n_rows, BLOCK_ROWS):
        values = np.empty((min(BLOCK_ROWS, table.n_rows - start), table.n_columns))
        for panel in panels:
            values[:, panel.columns] = panel.values[start : start + len(values)]
        yield start, values


@kernel
def _descend(rank, size, sync, packed, values, leaf):
    """leaf[row] = where the row ends."""
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= leaf.size:
            return
        for row in range(start, min(start + _CHUNK, leaf.size)):
            node, before = np.int64(0), np.int64(-1)
            while node != before:
                before = node
                to = next_by_value(packed, 0, node, values[row, packed.steps[node].feature & COLUMN])
                node = to if to >= 0 else before  # whatever goes every way ends here
            leaf[row] = node


@inner_kernel
def walk_four(steps, values, a, b, c, d):
    """The leaves of four rows, which walk together so that none waits for memory alone."""
    a, b, c, d = np.uint64(a), np.uint64(b), np.uint64(c), np.uint64(d)
    at_a = at_b = at_c = at_d = np.uint64(0)
    moved = True
    while moved:
        to_a, to_b = next_by_number(steps, at_a, values, a), next_by_number(steps, at_b, values, b)
        to_c, to_d = next_by_number(steps, at_c, values, c), next_by_number(steps, at_d, values, d)
        moved = to_a != at_a or to_b != at_b or to_c != at_c or to_d != at_d
        at_a, at_b, at_c, at_d = to_a, to_b, to_c, to_d
    return np.int64(at_a), np.int64(at_b), np.int64(at_c), np.int64(at_d)


@kernel
def _descend_numbers(rank, size, sync, steps, values, leaf):
    """`_descend` for numbers only."""
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= leaf.size:
            return
        stop = min(start + _CHUNK, leaf.size)
        for row in range(start, stop, 4):
            b, c, d = min(row + 1, stop - 1), min(row + 2, stop - 1), min(row + 3, stop - 1)
            leaf[row], leaf[b], leaf[c], leaf[d] = walk_four(steps, values, row, b, c, d)


@inner_kernel
def spread_step(packed, weight, values, row, nodes, parts, waiting):
    """One part of a row goes on from where it waits; returns (how many wait now, whether it has ended instead).

    Where a value goes every way, each branch gets a share like that of its training weight.
    """
    node, part = nodes[waiting - 1], parts[waiting - 1]
    step = packed.steps[node]
    to = next_by_value(packed, 0, node, values[row, step.feature & COLUMN])
    if to == node:
        return waiting - 1, True
    if to >= 0:
        nodes[waiting - 1] = to
        return waiting, False
    total, waiting = 0.0, waiting - 1
    for k in range(n_branches(packed, step)):
        total += weight[child_at(packed, step, node, k)]
    for k in range(n_branches(packed, step) - 1, -1, -1):
        child = child_at(packed, step, node, k)
        if weight[child] > 0.0:
            nodes[waiting], parts[waiting] = child, part * weight[child] / total
            waiting += 1
    return waiting, False


@kernel
def _spread(rank, size, sync, packed, weight, answers, values, out, all_nodes, all_parts):
    """out[row] = shares of the classes, each branch that a missing value takes counting by its share."""
    nodes, parts = all_nodes[rank], all_parts[rank]
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        for row in range(start, min(start + _CHUNK, out.shape[0])):
            nodes[0], parts[0] = 0, 1.0
            waiting = 1
            while waiting > 0:
                waiting, ended = spread_step(packed, weight, values, row, nodes, parts, waiting)
                if ended:
                    node, part = nodes[waiting], parts[waiting]
                    for c in range(answers.shape[1]):
                        out[row, c] += part * answers[node, c]

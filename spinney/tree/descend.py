"""Send the rows of a table down a decision tree.

In: a `DecisionTree` and a `Table`. Out: the node where each row ends, or the classes' shares where rows with missing
values go down several branches. Values are compared as they are: a float64 threshold with a float32 or float64 value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.data.sparse import SparseTable
from spinney.data.tables import Table
from spinney.tree.decision import BRANCHES, LEAF, NUMBER, SET, SPREADS, STOPS, DecisionTree

_ROWS = 16_384  # rows of a block that is put together from several panels
_CHUNK = 2048  # rows a thread takes at a time

_LEAF, _NUMBER, _SET, _BRANCHES = (np.uint8(k) for k in (LEAF, NUMBER, SET, BRANCHES))

# What a row needs to know of a node.
STEP = np.dtype(
    [
        ("threshold", np.float64),
        ("first", np.int64),  # place of its first child in `children`
        ("set_start", np.int64),  # place of its set in `sets`
        ("n_children", np.int32),
        ("feature", np.int32),
        ("missing", np.int32),
        ("kind", np.uint8),
    ],
    align=True,
)
# The same of binary trees: four nodes a cache line. The left child is the next node. A leaf asks whether something is
# at most NaN, and leads to itself.
SHORT_STEP = np.dtype([("threshold", np.float64), ("feature", np.int32), ("right", np.int32)], align=True)
MISSING_LEFT, ASKS_SET = np.int32(1 << 30), np.int32(1 << 29)  # bits of `feature`
COLUMN = ~(MISSING_LEFT | ASKS_SET)


class Asker(Protocol):
    """A tree, or many."""

    @property
    def columns_asked(self) -> set[int]:
        """Columns that some question is about."""


def leaf_of_rows(tree: DecisionTree, table: Table, team: Team) -> np.ndarray:
    """int64, the node where each row ends: a leaf, or a node whose question it cannot answer (STOPS)."""
    leaf = np.zeros(table.n_rows, np.int64)
    if isinstance(table, SparseTable) and tree.asks_numbers_only:
        ends = np.array([0, tree.n_nodes])
        for start, leaves in sparse_leaves(tree.short_steps, ends, range(1), table, team):
            leaf[start : start + leaves.shape[1]] = leaves[0]
        return leaf
    if tree.asks_numbers_only:
        for start, values in blocks(table, tree):
            team.run(_descend_numbers, tree.short_steps, values, leaf[start : start + len(values)])
        return leaf
    for start, values in blocks(table, tree):
        team.run(_descend, tree.steps, tree.children, tree.sets, values, leaf[start : start + len(values)])
    return leaf


def sparse_leaves(
    steps: np.ndarray, first: np.ndarray, trees: range, table: SparseTable, team: Team
) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, int64 (trees, rows): the leaves of some rows in some trees that ask about numbers only).

    `steps` are those of all trees, of which tree k's are first[k] .. first[k + 1]. A thread lays out one row at a time.
    """
    cells, rooms = table.by_rows, np.zeros((team.size, table.n_columns))
    for start in range(0, table.n_rows, _ROWS):
        leaves = np.empty((len(trees), min(_ROWS, table.n_rows - start)), np.int64)
        lists = cells.indptr[start : start + leaves.shape[1] + 1], cells.indices, cells.data
        team.run(_descend_lists, steps.view(np.recarray), first, trees.start, *lists, rooms, leaves)
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


def make_steps(tree: DecisionTree) -> np.ndarray:
    """The tree's questions as records."""
    steps = np.zeros(tree.n_nodes, STEP).view(np.recarray)
    steps["threshold"], steps["feature"], steps["missing"] = tree.threshold, tree.feature, tree.missing
    steps["kind"], steps["first"], steps["set_start"] = tree.kind, tree.child_start[:-1], tree.set_start[:-1]
    steps["n_children"] = np.diff(tree.child_start)
    return steps


def make_short_steps(tree: DecisionTree) -> np.ndarray:
    """The questions of a binary tree in which missing values have a branch to take."""
    steps = np.zeros(tree.n_nodes, SHORT_STEP).view(np.recarray)
    inner = ~tree.is_leaf
    flags = np.where(tree.missing == 0, MISSING_LEFT, 0) | np.where(tree.kind == SET, ASKS_SET, 0)
    steps["threshold"] = np.where(inner, tree.threshold, np.nan)
    steps["feature"] = np.where(inner, tree.feature | flags, 0)
    steps["right"] = np.arange(tree.n_nodes)
    steps["right"][inner] = tree.children[1::2]
    return steps


def shares(tree: DecisionTree, table: Table, team: Team) -> np.ndarray:
    """(row, class) shares of the classes of the first output, for trees whose missing values may go every way."""
    out = np.zeros((table.n_rows, tree.answers.shape[2]))
    steps, room = tree.steps, 1 + int(np.diff(tree.child_start).max(initial=0)) * (int(tree.depth.max()) + 1)
    nodes, parts = np.empty((team.size, room), np.int64), np.empty((team.size, room))
    answers = np.ascontiguousarray(tree.probabilities[:, 0])
    for start, values in blocks(table, tree):
        piece = out[start : start + len(values)]
        team.run(_spread, steps, tree.children, tree.sets, tree.weight, answers, values, piece, nodes, parts)
    return out


def blocks(table: Table, trees: Asker) -> Iterator[tuple[int, np.ndarray]]:
    """(first row, values of some rows): all at once if the table is one block of memory, else put together.

    Then columns that nobody asks about may hold anything.
    """
    if isinstance(table, SparseTable):
        yield from table.blocks(np.array(sorted(trees.columns_asked), np.int64))
        return
    if len(table.panels) == 1:
        yield 0, table.panels[0].values
        return
    asked = trees.columns_asked
    panels = [panel for panel in table.panels if not asked.isdisjoint(panel.columns)]
    for start in range(0, table.n_rows, _ROWS):
        values = np.empty((min(_ROWS, table.n_rows - start), table.n_columns))
        for panel in panels:
            values[:, panel.columns] = panel.values[start : start + len(values)]
        yield start, values


@inner_kernel
def branch_of(step, sets, value):
    """The branch that a value takes at a node; STOPS or SPREADS where the node says so of missing values."""
    if value != value:
        return np.int64(step.missing)
    if step.kind == _NUMBER:
        return np.int64(0) if value <= step.threshold else np.int64(1)
    category = np.int64(value)
    if step.kind == _SET:
        word = sets[step.set_start + (category >> 6)]
        return np.int64(0) if (word >> np.uint64(category & 63)) & np.uint64(1) else np.int64(1)
    return category if category < step.n_children else np.int64(step.missing)


@kernel
def _descend(rank, size, sync, steps, children, sets, values, leaf):
    """leaf[row] = where the row ends."""
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= leaf.size:
            return
        for row in range(start, min(start + _CHUNK, leaf.size)):
            node = np.int64(0)
            step = steps[node]
            while step.kind != _LEAF:
                branch = branch_of(step, sets, values[row, step.feature])
                if branch < 0:
                    break
                node = np.int64(children[step.first + branch])
                step = steps[node]
            leaf[row] = node


@inner_kernel
def next_by_number(steps, node, values, row):
    """The node after this one on a row's way; a leaf is its own."""
    step = steps[node]
    value = values[row, step.feature & COLUMN]
    goes_left = (value <= step.threshold) | (
        (value != value) & (step.feature & MISSING_LEFT != 0)
    )  # no branch to guess
    return node + 1 if goes_left else np.int64(step.right)


@inner_kernel
def walk_four(steps, values, a, b, c, d):
    """The leaves of four rows, which walk together so that none waits for memory alone."""
    at_a, at_b, at_c, at_d = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    moved = True
    while moved:
        to_a, to_b = next_by_number(steps, at_a, values, a), next_by_number(steps, at_b, values, b)
        to_c, to_d = next_by_number(steps, at_c, values, c), next_by_number(steps, at_d, values, d)
        moved = to_a != at_a or to_b != at_b or to_c != at_c or to_d != at_d
        at_a, at_b, at_c, at_d = to_a, to_b, to_c, to_d
    return at_a, at_b, at_c, at_d


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


@kernel
def _spread(rank, size, sync, steps, children, sets, weight, answers, values, out, all_nodes, all_parts):
    """out[row] = shares of the classes, each branch that a missing value takes having its share of the say."""
    nodes, parts = all_nodes[rank], all_parts[rank]
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        for row in range(start, min(start + _CHUNK, out.shape[0])):
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
                    for k in range(step.n_children - 1, -1, -1):
                        child = children[step.first + k]
                        if weight[child] > 0.0:
                            nodes[waiting], parts[waiting] = child, part * weight[child] / total
                            waiting += 1
                else:
                    for c in range(answers.shape[1]):
                        out[row, c] += part * answers[node, c]

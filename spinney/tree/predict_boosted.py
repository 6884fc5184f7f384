"""Prediction with boosted trees, from codes.

In: a `Forest` of trees from bins, and a table, encoded or not. Out: sums of the trees' values, or the leaves.

Through smaller trees rows do not walk, they are *swept*: every split is tested for 64 rows at once, and those that are
at this node move on. In larger ones several rows walk in step, without a branch: a leaf leads to itself.

A sweep is right because nodes are in preorder: children have larger numbers than their parent, so one pass over the
nodes in their order meets every node of a row's path after that row has come to it.

    at   [ 0 0 0 0 ... ]  -- node 0: code <= 7 -->  [ 1 4 4 1 ... ]  -- node 1: ... -->  [ 2 4 4 3 ... ]  -- node 4 ...

A walk of depth d waits d times for a load that depends on the one before. A sweep of n nodes has n tests, but none
waits for another, and with nodes numbered in a byte each is a handful of instructions for all 64 rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from spinney._compile import SWEPT, ask, inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.data.sparse_encode import SparseCodes
from spinney.data.tables import Table
from spinney.tree.descend import add_values, leaves_of_rows
from spinney.tree.forest import Forest
from spinney.tree.packed import (
    BareTrees,
    WordNodes,
    asks_set,
    column_of,
    for_columns_asked,
    is_leaf,
    missing_left,
    most_left,
    right_of,
)

_ROWS = 4 * SWEPT  # rows that go through a tree together
_FEW_NODES, _MOST_SWEPT = 255, 2047  # nodes of a tree that a byte can number; of a tree that is swept
# Where a thread notes the nodes that its rows have come to. The smaller the numbers, the more fit one instruction.
_DESK = np.dtype([("at", np.int32, (_ROWS,)), ("few", np.uint8, (_ROWS,)), ("many", np.uint16, (_ROWS,))], align=True)
_ONE = np.uint64(1)
_STEP_SPARSE = 16384  # of sparse tables, whose codes are made dense for the columns that are tested


@inner_kernel
def in_set(bits, code):
    """Whether a code is in a set of 256 bits."""
    return (bits[code >> 6] >> np.uint64(code & 63)) & _ONE


@inner_kernel
def step_down(packed, first, node, codes, i, n_bins):
    """The node that row i goes to from `node` (both relative to the tree's first node); a leaf leads to itself."""
    word = packed.words[first + node]
    column = np.int64(column_of(word))
    code = codes[column, i]
    if asks_set(word):
        goes_left = in_set(packed.bits[packed.bits_at[first + node]], code) != 0
    elif code == n_bins[column]:
        goes_left = missing_left(word)
    else:
        goes_left = np.int64(code) <= most_left(word)
    return node + 1 if goes_left else np.int64(right_of(word))


@kernel
def walk(rank, size, sync, packed, values, n_bins, codes, trees, desks, scores):
    """scores[t % outputs, i] += value of tree t for row i, trees in their order; rows handed out in chunks."""
    n_outputs, n_rows = scores.shape
    desk = desks[rank]
    while True:
        begin = next_chunk(sync) * _ROWS
        if begin >= n_rows:
            return
        n = min(_ROWS, n_rows - begin)
        for tree in range(trees[0], trees[1]):
            _find_leaves(packed, tree, codes, begin, n, n_bins, desk)
            own = values[packed.first[tree] : packed.first[tree + 1]]
            part = scores[tree % n_outputs, begin : begin + n]
            for i in range(n):
                part[i] += own[np.uint64(desk.at[i])]


@kernel
def find_leaves(rank, size, sync, packed, n_bins, codes, trees, desks, leaves):
    """leaves[i, t] = node number of the leaf that row i reaches in tree t."""
    n_rows = leaves.shape[0]
    desk = desks[rank]
    while True:
        begin = next_chunk(sync) * _ROWS
        if begin >= n_rows:
            return
        n = min(_ROWS, n_rows - begin)
        for tree in range(trees[0], trees[1]):
            _find_leaves(packed, tree, codes, begin, n, n_bins, desk)
            for i in range(n):
                leaves[begin + i, tree - trees[0]] = desk.at[i]


@inner_kernel
def _find_leaves(packed, tree, codes, begin, n, n_bins, desk):
    """desk.at[i] = leaf (relative to the tree) of rows begin .. begin + n."""
    first = packed.first[tree]
    n_nodes, n_swept = packed.first[tree + 1] - first, 0
    if n_nodes <= _MOST_SWEPT:
        n_swept = n - n % SWEPT
        if n_nodes <= _FEW_NODES:
            _sweep(packed, tree, codes, begin, n_swept, n_bins, desk.few)
            for i in range(n_swept):
                desk.at[i] = desk.few[i]
        else:
            _sweep(packed, tree, codes, begin, n_swept, n_bins, desk.many)
            for i in range(n_swept):
                desk.at[i] = desk.many[i]
    for i in range(n_swept, n):
        desk.at[i] = 0
    moved = n_swept < n
    while moved:  # the other rows walk, all in step
        moved = False
        for i in range(n_swept, n):
            at = np.int64(desk.at[i])
            to = step_down(packed, first, at, codes, begin + i, n_bins)
            desk.at[i] = to
            moved |= to != at


@inner_kernel
def _sweep(packed, tree, codes, begin, n, n_bins, at):
    """Test every split of the tree for all rows, 64 at once; only rows that are at the node move on."""
    first = packed.first[tree]
    for i in range(n):
        at[i] = 0
    for node in range(packed.first[tree + 1] - first):
        word = packed.words[first + node]
        if is_leaf(word):
            continue
        column, right = np.int64(column_of(word)), np.int64(right_of(word))
        if asks_set(word):
            bits = packed.bits[packed.bits_at[first + node]]
            for i in range(n):
                if at[i] == node:
                    at[i] = node + 1 if in_set(bits, codes[column, begin + i]) else right
        else:
            line = codes[column]
            # the code that goes left though it is above: that of missing, or 0, which never is above
            exception = np.int64(n_bins[column]) if missing_left(word) else np.int64(0)
            for i in range(0, n, SWEPT):
                ask(line, begin + i, at, i, (np.int64(node), most_left(word), exception, right))


def add_scores(
    forest: Forest | BareTrees,
    codes: np.ndarray | SparseCodes | Table,
    trees: range,
    scores: np.ndarray,
    team: Team,
) -> None:
    """Add the trees' values for encoded rows, codes (columns, rows), to scores (outputs, rows).

    Trees that ask about values are given these: a table.
    """
    if forest.bins is None:
        add_values(forest, codes, trees, scores, team)  # type: ignore[arg-type]
        return
    values = forest.answers.reshape(-1)
    if not values.flags.writeable:  # kernels are compiled for arrays that can be written to
        values = values.copy()
    for rows, packed, n_bins, some in _laid_out(forest, codes, trees):
        part = scores if rows is None else np.ascontiguousarray(scores[:, rows])
        team.run(walk, packed, values, n_bins, some, (trees.start, trees.stop), _desks(team), part)
        if rows is not None:
            scores[:, rows] = part


def _laid_out(
    forest: Forest | BareTrees, codes: Any, trees: range
) -> Iterator[tuple[slice | None, WordNodes, np.ndarray, np.ndarray]]:
    """(rows, None for all; trees; bins; codes): lists as arrays, some rows at a time and of the columns asked about."""
    assert forest.bins is not None
    if not isinstance(codes, SparseCodes):
        yield None, forest.words, forest.bins.n_bins, codes
        return
    packed, columns = for_columns_asked(forest.words, trees)
    for begin in range(0, codes.n_rows, _STEP_SPARSE):
        end = min(codes.n_rows, begin + _STEP_SPARSE)
        yield slice(begin, end), packed, forest.bins.n_bins[columns], codes.lay_out(columns, begin, end)


def _desks(team: Team) -> Any:
    """Where each thread notes the nodes that its rows have come to."""
    return np.empty(team.size, _DESK)


def raw_scores(forest: Forest, table: Table, start: np.ndarray, trees: range, team: Team) -> np.ndarray:
    """Raw scores (outputs, rows) of a table: start values, (outputs,) or (outputs, rows), and the trees', in order.

    They are added in the type of the start values.
    """
    scores = np.empty((len(start), table.n_rows), start.dtype)
    scores[:] = start[:, None] if start.ndim == 1 else start
    if forest.bins is None:
        add_values(forest, table, trees, scores, team)
        return scores
    for begin, end, codes in table.code_blocks(forest.bins, team):
        part = np.ascontiguousarray(scores[:, begin:end])  # of a small table, the scores themselves
        add_scores(forest, codes, trees, part, team)
        if end - begin < table.n_rows:
            scores[:, begin:end] = part
    return scores


def leaf_numbers(forest: Forest, table: Table, team: Team) -> np.ndarray:
    """(rows, trees) int32: the number of the leaf, within its tree, that each row reaches."""
    if forest.bins is None:
        return leaves_of_rows(forest, table, team).astype(np.int32)
    leaves, trees = np.empty((table.n_rows, forest.n_trees), np.int32), range(forest.n_trees)
    for begin, end, codes in table.code_blocks(forest.bins, team):
        part = leaves[begin:end]
        for rows, packed, n_bins, some in _laid_out(forest, codes, trees):
            part[slice(None) if rows is None else rows] = leaves_of(packed, n_bins, some, trees, team)
    return leaves


def leaves_of(packed: WordNodes, n_bins: np.ndarray, codes: np.ndarray, trees: range, team: Team) -> np.ndarray:
    """The same of encoded rows, codes (columns, rows), in some of the trees."""
    leaves = np.empty((codes.shape[1], len(trees)), np.int32)
    team.run(find_leaves, packed, n_bins, codes, (trees.start, trees.stop), _desks(team), leaves)
    return leaves

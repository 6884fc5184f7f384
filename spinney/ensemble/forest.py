"""Many trees in one packed store, and prediction with them.

A node is one uint64, so that a step down a tree is one load and a compare; leaves are nodes that point at themselves,
so that several rows can walk in step without a branch.

    63        40 39        16 15      8 7        0
    [ left child | feature    | code    | flags   ]     left child: relative to the tree's first node
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spinney._jit import allocating_kernel, inner_kernel
from spinney._team import Team, next_chunk
from spinney.data.binning import Bins
from spinney.data.tables import Table
from spinney.tree.tree import Tree

LEAF, CATEGORY, MISSING_LEFT = 1, 2, 4
_LEFT_SHIFT, _FEATURE_SHIFT, _CODE_SHIFT = np.uint64(40), np.uint64(16), np.uint64(8)
_FEATURE_MASK, _BYTE, _ONE = np.uint64(0xFFFFFF), np.uint64(255), np.uint64(1)
_MOST = 1 << 24
_ROWS = 64  # rows that walk together
_STEP = 65536  # rows encoded at a time


class PackedTrees(NamedTuple):
    """All trees' nodes end to end."""

    nodes: np.ndarray  # uint64
    bits: np.ndarray  # uint64 (categorical nodes, 4)
    bits_at: np.ndarray  # int32: a node's row in `bits`; empty when no tree tests categories
    values: np.ndarray  # float64
    first: np.ndarray  # int64: where each tree begins, and where the last one ends
    depth: np.ndarray  # int32: steps from the root to the deepest leaf


def pack_trees(trees: Sequence[Tree]) -> PackedTrees:
    """Pack trees for prediction."""
    first = np.concatenate(([0], np.cumsum([tree.n_nodes for tree in trees]))).astype(np.int64)
    nodes = [_pack_nodes(tree) for tree in trees]
    is_category = np.concatenate([tree.is_category for tree in trees]) if trees else np.empty(0, np.uint8)
    bits = [tree.bits[tree.is_category > 0] for tree in trees]
    any_category = bool(is_category.any())
    return PackedTrees(
        nodes=np.concatenate(nodes) if trees else np.empty(0, np.uint64),
        bits=np.concatenate(bits) if any_category else np.zeros((0, 4), np.uint64),
        bits_at=(np.cumsum(is_category, dtype=np.int32) - 1) if any_category else np.empty(0, np.int32),
        values=np.concatenate([tree.value for tree in trees]) if trees else np.empty(0),
        first=first,
        depth=np.array([tree.depth.max() for tree in trees], np.int32),
    )


def _pack_nodes(tree: Tree) -> np.ndarray:
    if tree.n_nodes >= _MOST or tree.feature.max(initial=0) >= _MOST:
        raise ValueError(f"A tree can have at most {_MOST - 1:,} nodes and columns.")
    leaf = tree.is_leaf
    left = np.where(leaf, np.arange(tree.n_nodes), tree.left).astype(np.uint64)
    feature = np.where(leaf, 0, tree.feature).astype(np.uint64)
    # a leaf compares code <= 255, always true, and so stays where it is
    code = np.where(leaf, 255, tree.code).astype(np.uint64)
    flags = leaf * LEAF | (tree.is_category > 0) * CATEGORY | (leaf | (tree.missing_left > 0)) * MISSING_LEFT
    return left << _LEFT_SHIFT | feature << _FEATURE_SHIFT | code << _CODE_SHIFT | flags.astype(np.uint64)


@inner_kernel
def step_down(packed, first, node, codes, i, n_bins):
    """The node that row i goes to from `node` (both relative to the tree's first node)."""
    word = packed.nodes[first + node]
    feature = np.int64((word >> _FEATURE_SHIFT) & _FEATURE_MASK)
    code = codes[i, feature]
    left = np.int64(word >> _LEFT_SHIFT)
    if word & np.uint64(CATEGORY):
        bits = packed.bits[packed.bits_at[first + node]]
        goes_left = (bits[code >> 6] >> np.uint64(code & 63)) & _ONE == _ONE
    elif code == n_bins[feature]:
        goes_left = word & np.uint64(MISSING_LEFT) != 0
    else:
        goes_left = np.uint64(code) <= (word >> _CODE_SHIFT) & _BYTE
    return left if goes_left else left + 1


@allocating_kernel
def walk(rank, size, sync, packed, n_bins, codes, tree_start, tree_stop, n_outputs, scores):
    """scores[t % n_outputs, i] += value of tree t for row i, trees in their order; rows handed out in chunks."""
    n_rows = codes.shape[0]
    at = np.empty(_ROWS, np.int64)
    while True:
        begin = next_chunk(sync) * _ROWS
        if begin >= n_rows:
            return
        n = min(_ROWS, n_rows - begin)
        for tree in range(tree_start, tree_stop):
            _descend(packed, tree, codes, begin, n, n_bins, at)
            output = tree % n_outputs
            first = packed.first[tree]
            for i in range(n):
                scores[output, begin + i] += packed.values[first + at[i]]


@inner_kernel
def _descend(packed, tree, codes, begin, n, n_bins, at):
    """at[i] = leaf (relative to the tree) of rows begin .. begin + n, all walking in step."""
    first = packed.first[tree]
    at[:n] = 0
    for _ in range(packed.depth[tree]):
        for i in range(n):
            at[i] = step_down(packed, first, at[i], codes, begin + i, n_bins)


@allocating_kernel
def find_leaves(rank, size, sync, packed, n_bins, codes, tree_start, tree_stop, leaves):
    """leaves[i, t] = node number of the leaf that row i reaches in tree t."""
    n_rows = codes.shape[0]
    at = np.empty(_ROWS, np.int64)
    while True:
        begin = next_chunk(sync) * _ROWS
        if begin >= n_rows:
            return
        n = min(_ROWS, n_rows - begin)
        for tree in range(tree_start, tree_stop):
            _descend(packed, tree, codes, begin, n, n_bins, at)
            for i in range(n):
                leaves[begin + i, tree - tree_start] = at[i]


def row_codes(table: Table, bins: Bins, team: Team, start: int, stop: int) -> np.ndarray:
    """Codes of some rows, one row after another, as prediction wants them."""
    return np.ascontiguousarray(bins.encode(table, team, start, stop).T)


def add_scores(
    packed: PackedTrees, bins: Bins, codes: np.ndarray, trees: range, scores: np.ndarray, team: Team
) -> None:
    """Add the trees' values for encoded rows to scores (outputs, rows)."""
    team.run(walk, packed, bins.n_bins, codes, trees.start, trees.stop, scores.shape[0], scores)


def raw_scores(
    packed: PackedTrees, bins: Bins, table: Table, start: np.ndarray, trees: range, team: Team
) -> np.ndarray:
    """Raw scores (outputs, rows) of a table: the start values and the trees' values, added in order."""
    scores = np.empty((len(start), table.n_rows))
    scores[:] = start[:, None]
    for begin in range(0, table.n_rows, _STEP):
        end = min(table.n_rows, begin + _STEP)
        part = np.ascontiguousarray(scores[:, begin:end])
        add_scores(packed, bins, row_codes(table, bins, team, begin, end), trees, part, team)
        scores[:, begin:end] = part
    return scores


def leaf_numbers(packed: PackedTrees, bins: Bins, table: Table, trees: range, team: Team) -> np.ndarray:
    """(rows, trees) int32: the leaf that each row reaches in each tree."""
    leaves = np.empty((table.n_rows, len(trees)), np.int32)
    for begin in range(0, table.n_rows, _STEP):
        end = min(table.n_rows, begin + _STEP)
        codes = row_codes(table, bins, team, begin, end)
        team.run(find_leaves, packed, bins.n_bins, codes, trees.start, trees.stop, leaves[begin:end])
    return leaves

"""Many trees in one packed store, and prediction with them.

A node is one uint64, so that a step down a tree is one load and a compare; leaves are nodes that point at themselves,
so that several rows can walk in step without a branch. Through smaller trees rows do not walk, they are *swept*: every
node is asked about 64 rows at once.

    63        40 39        16 15      8 7        0
    [ left child | feature    | code    | flags   ]     left child: relative to the tree's first node
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import SWEPT, ask, inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.data.binning import Bins
from spinney.data.sparse import SparseTable
from spinney.data.sparse_codes import SparseCodes, encode_sparse
from spinney.data.tables import Table
from spinney.tree.boosted import ASKS_SET, BoostedForest, GrownTree
from spinney.tree.boosted import MISSING_LEFT as GOES_LEFT

LEAF, CATEGORY, MISSING_LEFT = 1, 2, 4
_LEFT_SHIFT, _FEATURE_SHIFT, _CODE_SHIFT = np.uint64(40), np.uint64(16), np.uint64(8)
_FEATURE_MASK, _BYTE = np.uint64(0xFFFFFF), np.uint64(255)
_MOST = 1 << 24
_ROWS = 4 * SWEPT  # rows that go through a tree together
_FEW_NODES, _MOST_SWEPT = 255, 2047  # nodes of a tree that a byte can number; that are all asked
# Where a thread notes the nodes that its rows have come to. The smaller the numbers, the more fit one instruction.
_DESK = np.dtype([("at", np.int32, (_ROWS,)), ("few", np.uint8, (_ROWS,)), ("many", np.uint16, (_ROWS,))], align=True)
_ONE = np.uint64(1)
_STEP = 65536  # rows encoded at a time
_STEP_SPARSE = 16384  # of sparse tables, whose codes are laid out for the columns that are asked about


class PackedTrees(NamedTuple):
    """All trees' nodes end to end."""

    nodes: np.ndarray  # uint64
    bits: np.ndarray  # uint64 (categorical nodes, 4)
    bits_at: np.ndarray  # int32: a node's row in `bits`; empty when no tree tests categories
    values: np.ndarray  # float64
    first: np.ndarray  # int64: where each tree begins, and where the last one ends
    depth: np.ndarray  # int32: steps from the root to the deepest leaf


def pack_trees(trees: Sequence[GrownTree]) -> PackedTrees:
    """Pack the trees of a round."""
    is_category = np.concatenate([np.empty(0, bool), *(tree.is_category for tree in trees)])
    any_category = bool(is_category.any())
    return PackedTrees(
        nodes=np.concatenate([np.empty(0, np.uint64), *(_pack_grown(tree) for tree in trees)]),
        bits=np.concatenate([np.empty((0, 4), np.uint64), *(tree.bits for tree in trees)]),
        bits_at=(np.cumsum(is_category, dtype=np.int32) - 1) if any_category else np.empty(0, np.int32),
        values=np.concatenate([np.empty(0), *(tree.value for tree in trees)]),
        first=np.concatenate(([0], np.cumsum([tree.n_nodes for tree in trees]))).astype(np.int64),
        depth=np.array([_height(tree.left) for tree in trees], np.int32),
    )


def _pack_grown(tree: GrownTree) -> np.ndarray:
    _check(tree.n_nodes, tree.feature)
    leaf = tree.is_leaf
    left = np.where(leaf, np.arange(tree.n_nodes), tree.left)
    feature = np.where(leaf, 0, tree.feature)
    # a leaf compares code <= 255, always true, and so stays where it is
    code = np.where(leaf, 255, tree.code)
    flags = leaf * LEAF | tree.is_category * CATEGORY | (leaf | (tree.missing_left > 0)) * MISSING_LEFT
    return _words(left, feature, code, flags)


def _height(left: np.ndarray) -> int:
    """Steps from the root to the deepest leaf; children stand side by side, after their parents."""
    level, height = np.zeros(1, np.int64), -1
    while len(level):
        children = left[level]
        children = children[children >= 0]
        level, height = np.concatenate([children, children + 1]), height + 1
    return height


def pack_forest(forest: BoostedForest) -> PackedTrees:
    """Pack all trees for prediction: the same, with children side by side (`places`)."""
    sizes = np.diff(forest.first)
    _check(sizes.max(initial=0), forest.feature)
    asks = np.flatnonzero(forest.step)
    place = places(forest)
    at = place + np.repeat(forest.first[:-1], sizes)
    word = _words(place, np.zeros(1, np.int64), np.full(1, 255), np.full(1, LEAF | MISSING_LEFT))
    is_set = (forest.turn & ASKS_SET) != 0
    flags = is_set * CATEGORY | ((forest.turn & GOES_LEFT) != 0) * MISSING_LEFT
    word[asks] = _words(place[asks + 1], forest.feature, forest.code, flags)
    packed, values = np.empty_like(word), np.empty_like(forest.value)
    packed[at], values[at] = word, forest.value
    bits_at = np.empty(0, np.int32)
    if is_set.any():
        bits_at = np.full(forest.n_nodes, -1, np.int32)
        bits_at[at[asks[is_set]]] = np.arange(len(forest.bits))
    depth = np.maximum.reduceat(forest.shape.depth, forest.first[:-1]) if forest.n_trees else np.empty(0, np.int32)
    # copies: kernels are compiled for arrays that can be written to, which those of a file may not be
    return PackedTrees(packed, forest.bits.copy(), bits_at, values, forest.first.copy(), depth)


def places(forest: BoostedForest) -> np.ndarray:
    """Number of every node of the store, within its tree, when packed: children of the tree's question k are
    2 k + 1 and 2 k + 2."""
    asks = np.flatnonzero(forest.step)
    # the questions of the trees before: of n nodes in t trees, (n - t) / 2 ask
    before = np.repeat((forest.first[:-1] - np.arange(forest.n_trees)) // 2, np.diff(forest.first) // 2)
    rank = np.arange(len(asks)) - before
    place = np.zeros(forest.n_nodes, np.int64)
    place[asks + 1], place[asks + forest.step[asks]] = 2 * rank + 1, 2 * rank + 2
    return place


def _check(n_nodes: int, feature: np.ndarray) -> None:
    if n_nodes >= _MOST or feature.max(initial=0) >= _MOST:
        raise ValueError(f"A tree can have at most {_MOST - 1:,} nodes and columns.")


def _words(left: np.ndarray, feature: np.ndarray, code: np.ndarray, flags: np.ndarray) -> np.ndarray:
    left, feature, code, flags = (part.astype(np.uint64) for part in (left, feature, code, flags))
    return left << _LEFT_SHIFT | feature << _FEATURE_SHIFT | code << _CODE_SHIFT | flags


@inner_kernel
def in_set(bits, code):
    """Whether a code is in a set of 256 bits."""
    return (bits[code >> 6] >> np.uint64(code & 63)) & _ONE


@inner_kernel
def step_down(packed, first, node, codes, i, n_bins):
    """The node that row i goes to from `node` (both relative to the tree's first node)."""
    word = packed.nodes[first + node]
    feature = np.int64((word >> _FEATURE_SHIFT) & _FEATURE_MASK)
    code = codes[feature, i]
    left = np.int64(word >> _LEFT_SHIFT)
    if word & np.uint64(CATEGORY):
        goes_left = in_set(packed.bits[packed.bits_at[first + node]], code) != 0
    elif code == n_bins[feature]:
        goes_left = word & np.uint64(MISSING_LEFT) != 0
    else:
        goes_left = np.uint64(code) <= (word >> _CODE_SHIFT) & _BYTE
    return left if goes_left else left + 1


@kernel
def walk(rank, size, sync, packed, n_bins, codes, trees, desks, scores):
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
            values = packed.values[packed.first[tree] : packed.first[tree + 1]]
            part = scores[tree % n_outputs, begin : begin + n]
            for i in range(n):
                part[i] += values[np.uint64(desk.at[i])]


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
    for _ in range(packed.depth[tree]):  # the other rows walk, all in step
        for i in range(n_swept, n):
            desk.at[i] = step_down(packed, first, np.int64(desk.at[i]), codes, begin + i, n_bins)


@inner_kernel
def _sweep(packed, tree, codes, begin, n, n_bins, at):
    """Ask every node of the tree about all rows, 64 at once; a row takes notice if it is there.

    More questions than a walk asks, but one instruction asks many rows, and none waits for another's answer.
    """
    first = packed.first[tree]
    for i in range(n):
        at[i] = 0
    for node in range(packed.first[tree + 1] - first):
        word = packed.nodes[first + node]
        if word & np.uint64(LEAF):
            continue
        feature, left = np.int64((word >> _FEATURE_SHIFT) & _FEATURE_MASK), np.int64(word >> _LEFT_SHIFT)
        column = codes[feature]
        if word & np.uint64(CATEGORY):
            bits = packed.bits[packed.bits_at[first + node]]
            for i in range(n):
                if at[i] == node:
                    at[i] = left + (in_set(bits, column[begin + i]) == 0)
        else:
            most = np.int64((word >> _CODE_SHIFT) & _BYTE)
            # the code that goes left though it is above: that of missing, or 0, which never is above
            exception = np.int64(n_bins[feature]) if word & np.uint64(MISSING_LEFT) else np.int64(0)
            for i in range(0, n, SWEPT):
                ask(column, begin + i, at, i, (np.int64(node), most, exception, left))


def add_scores(
    packed: PackedTrees, bins: Bins, codes: np.ndarray | SparseCodes, trees: range, scores: np.ndarray, team: Team
) -> None:
    """Add the trees' values for encoded rows, codes (columns, rows), to scores (outputs, rows)."""
    if isinstance(codes, SparseCodes):
        packed, columns = _asking(packed, trees)
        for begin in range(0, codes.n_rows, _STEP_SPARSE):
            end = min(codes.n_rows, begin + _STEP_SPARSE)
            part = np.ascontiguousarray(scores[:, begin:end])
            some = packed, bins.n_bins[columns], codes.lay_out(columns, begin, end)
            team.run(walk, *some, (trees.start, trees.stop), _desks(team), part)
            scores[:, begin:end] = part
        return
    team.run(walk, packed, bins.n_bins, codes, (trees.start, trees.stop), _desks(team), scores)


def _asking(packed: PackedTrees, trees: range) -> tuple[PackedTrees, np.ndarray]:
    """The same trees for a table of only those columns that some of them ask about; and these columns."""
    part = slice(packed.first[trees.start], packed.first[trees.stop])
    words = packed.nodes[part]
    columns, place = np.unique((words >> _FEATURE_SHIFT) & _FEATURE_MASK, return_inverse=True)
    nodes = packed.nodes.copy()
    nodes[part] = (words & ~(_FEATURE_MASK << _FEATURE_SHIFT)) | (place.astype(np.uint64) << _FEATURE_SHIFT)
    return packed._replace(nodes=nodes), columns.astype(np.int64)


def _desks(team: Team) -> Any:
    """Where each thread notes the nodes that its rows have come to."""
    return np.empty(team.size, _DESK).view(np.recarray)


def raw_scores(
    packed: PackedTrees, bins: Bins, table: Table, start: np.ndarray, trees: range, team: Team
) -> np.ndarray:
    """Raw scores (outputs, rows) of a table: the start values and the trees' values, added in order."""
    scores = np.empty((len(start), table.n_rows))
    scores[:] = start[:, None]
    if isinstance(table, SparseTable):
        add_scores(packed, bins, encode_sparse(table, bins, team), trees, scores, team)
        return scores
    for begin in range(0, table.n_rows, _STEP):
        end = min(table.n_rows, begin + _STEP)
        part = np.ascontiguousarray(scores[:, begin:end])  # of a small table, the scores themselves
        add_scores(packed, bins, bins.encode(table, team, begin, end), trees, part, team)
        if end - begin < table.n_rows:
            scores[:, begin:end] = part
    return scores


def leaves_of(
    packed: PackedTrees, bins: Bins, codes: np.ndarray, trees: range, team: Team, columns: Any = slice(None)
) -> np.ndarray:
    """(rows, trees) int32: the leaf that each encoded row reaches in each tree; `columns` are those of the codes."""
    leaves = np.empty((codes.shape[1], len(trees)), np.int32)
    team.run(find_leaves, packed, bins.n_bins[columns], codes, (trees.start, trees.stop), _desks(team), leaves)
    return leaves


def leaf_numbers(packed: PackedTrees, forest: BoostedForest, table: Table, team: Team) -> np.ndarray:
    """(rows, trees) int32: the same for the rows of a table and all trees of a store, in the store's numbers."""
    bins, trees, first = forest.bins, range(forest.n_trees), forest.first[:-1]
    leaves = np.empty((table.n_rows, len(trees)), np.int32)
    begins = np.repeat(first, np.diff(forest.first))
    number = np.empty(forest.n_nodes, np.int32)
    number[begins + places(forest)] = np.arange(forest.n_nodes) - begins
    if isinstance(table, SparseTable):
        encoded, (packed, columns) = encode_sparse(table, bins, team), _asking(packed, trees)
        for begin in range(0, table.n_rows, _STEP_SPARSE):
            end = min(table.n_rows, begin + _STEP_SPARSE)
            codes = encoded.lay_out(columns, begin, end)
            leaves[begin:end] = number[first + leaves_of(packed, bins, codes, trees, team, columns)]
        return leaves
    for begin in range(0, table.n_rows, _STEP):
        end = min(table.n_rows, begin + _STEP)
        codes = bins.encode(table, team, begin, end)
        leaves[begin:end] = number[first + leaves_of(packed, bins, codes, trees, team)]
    return leaves

"""Trees packed for prediction: `WordNodes` and `WordPairNodes`, which test codes, and `StepNodes`, which test values.

A word is eight bytes, so that a step down a tree is one load and a compare:

    63         36 35     12 11    2   1      0
    [ right child | column  | limit | set | turn ]     right child: number within the tree; the left one is the next

A row goes left if its code in the column, plus `turn`, is less than `limit`. The sum is a byte: where the code of a
missing value is 255, a turn of 1 makes it 0 and so sends it left, without a test for missing values; `limit` is one
more then, so that other codes go where they did. Where the missing code is that after the last bin, the walk tests for
it. A leaf has limit 0 and is its own right child: no code is less than 0, so a row that has come there stays, and walks
need no test for leaves. With `set` a row goes left if its code is in the node's set of 256 bits.

In a pair of words the second one is this set, if it has 64 codes at most (limit 0), or its place in `sets` (limit 1).

A step is sixteen bytes and knows thresholds, sets of categories and nodes of any number of branches:

    number      threshold                                right child
    set         place of its set in `sets`               right child
    branches                                             place in `children`: how many they are, and then each of them
    leaf        NaN                                      itself

The bits of `feature` say which it is and where missing values go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spinney._compile import either, inner_kernel, kernel
from spinney.tree.forest import (
    ASKS_BRANCHES,
    ASKS_SET,
    MISSING_LEFT,
    MISSING_SPREADS,
    MISSING_STOPS,
    Forest,
    ends_of,
    find_depths,
)

if TYPE_CHECKING:
    from spinney.data.encode import Bins

MISSING = np.uint8(255)  # the code of missing values that `next_by_code` knows
MIXED = np.uint8(255)  # the vote of a leaf with several classes
_MOST_MIXED = 0.25  # of the leaves
SHALLOW = 10  # levels of trees that rows go down in step
MOST_NODES, MOST_COLUMNS = 1 << 28, 1 << 24  # of a tree of words
_RIGHT, _COLUMN, _LIMIT = np.uint64(36), np.uint64(12), np.uint64(2)  # shifts
_COLUMN_MASK, _LIMIT_MASK = np.uint64(0xFFFFFF), np.uint64(0x3FF)
_SET, _TURN = np.uint64(2), np.uint64(1)
_NONE, _SIX, _63 = np.uint64(0), np.uint64(6), np.uint64(63)

STEP = np.dtype([("threshold", np.float64), ("feature", np.int32), ("right", np.int32)], align=True)
# Bits of a step's feature
LEFT, BY_SET, BY_BRANCH, STAYS, SPREADS_OUT = (np.int32(1 << k) for k in (30, 29, 28, 27, 26))
COLUMN = np.int32((1 << 26) - 1)


class WordNodes(NamedTuple):
    """All trees' nodes end to end."""

    words: np.ndarray  # uint64
    bits: np.ndarray  # uint64 (sets, 4): codes
    bits_at: np.ndarray  # int32: a node's row in `bits`; empty when no tree has sets
    first: np.ndarray  # int64: where each tree begins, and where the last one ends
    depth: np.ndarray  # int64: of each tree, if it is shallow; 0 else
    votes: np.ndarray  # uint8: a leaf's only class, or MIXED; empty if too few leaves have only one


class WordPairNodes(NamedTuple):
    """The same with each node's set beside it: for large trees that ask about sets."""

    pairs: np.ndarray  # uint64 (nodes, 2)
    sets: np.ndarray  # uint64: codes
    first: np.ndarray  # int64
    votes: np.ndarray  # uint8


class StepNodes(NamedTuple):
    """The same, for questions about values."""

    steps: np.ndarray  # STEP records
    children: np.ndarray  # int32
    sets: np.ndarray  # uint64: categories
    first: np.ndarray  # int64
    depth: np.ndarray  # int64; -1: not all questions are about numbers


class BareTrees(NamedTuple):
    """What `add_scores` needs of a `Forest`."""

    bins: Bins
    answers: np.ndarray  # float64 (nodes,)
    words: WordNodes


def pack_words(forest: Forest) -> WordNodes:
    """Trees that have bins."""
    asks, is_set = np.flatnonzero(~forest.is_leaf), forest.is_set
    words = _words(forest, (forest.code + _turn(forest) + _TURN) << _LIMIT)
    bits_at = np.empty(0, np.int32)
    if is_set.any():
        bits_at = np.full(forest.n_nodes, -1, np.int32)
        bits_at[asks[is_set]] = np.arange(is_set.sum())
    # copies: kernels are compiled for arrays that can be written to, which those of a file may not be
    bits = forest.sets.reshape(-1, 4).copy()
    return WordNodes(words, bits, bits_at, forest.first.copy(), _depths(forest), _votes(forest))


def pack_pairs(forest: Forest) -> WordPairNodes:
    """Trees that have bins, and sets of any number of words."""
    asks, is_set = np.flatnonzero(~forest.is_leaf), forest.is_set
    limit = forest.code + _turn(forest) + _TURN
    start, is_long = forest.set_start[:-1], np.diff(forest.set_start) > 1
    limit[is_set] = is_long
    pairs = np.zeros((forest.n_nodes, 2), np.uint64)
    pairs[:, 0] = _words(forest, limit << _LIMIT)
    pairs[asks[is_set], 1] = np.where(is_long, start.astype(np.uint64), forest.sets[start])
    sets = forest.sets.copy() if is_long.any() else np.empty(0, np.uint64)
    return WordPairNodes(pairs, sets, forest.first.copy(), _votes(forest))


def _votes(forest: Forest) -> np.ndarray:
    """Of a forest grown until nearly all leaves are of one class: a byte per node has the class."""
    if forest.n_classes is None or len(forest.n_classes) > 1 or forest.n_classes[0] > MIXED:
        return np.empty(0, np.uint8)
    votes = np.empty(forest.n_nodes, np.uint8)
    _find_votes(forest.answers, votes)
    n_mixed = np.count_nonzero(votes[forest.is_leaf] == MIXED)
    return votes if n_mixed <= _MOST_MIXED * forest.n_leaves.sum() else np.empty(0, np.uint8)


@kernel
def _find_votes(answers, votes):
    for node in range(votes.size):
        n, own = 0, 0
        for c in range(answers.shape[2]):
            if answers[node, 0, c] != 0:
                n, own = n + 1, c
        votes[node] = own if n == 1 else MIXED


def _turn(forest: Forest) -> np.ndarray:
    return (forest.turn & MISSING_LEFT).astype(np.uint64)


def _words(forest: Forest, limit: np.ndarray) -> np.ndarray:
    """A word per node; `limit` of the questions is where it belongs already."""
    largest = int(np.diff(forest.first).max(initial=0))
    if largest >= MOST_NODES or forest.feature.max(initial=0) >= MOST_COLUMNS:
        raise ValueError(
            f"a tree from bins can have {MOST_NODES - 1:,} nodes and {MOST_COLUMNS - 1:,} columns at most."
        )
    own = _own_numbers(forest)
    words = own.astype(np.uint64) << _RIGHT
    asks = np.flatnonzero(~forest.is_leaf)
    right = (own[asks] + 1 + forest.size[asks + 1]).astype(np.uint64) << _RIGHT
    words[asks] = right | forest.feature.astype(np.uint64) << _COLUMN | limit | forest.is_set * _SET | _turn(forest)
    return words


def for_columns_asked(packed: WordNodes, trees: range) -> tuple[WordNodes, np.ndarray]:
    """The same trees for a table of only those columns that some of them ask about; and these columns."""
    part = slice(packed.first[trees.start], packed.first[trees.stop])
    some = packed.words[part]
    columns, place = np.unique((some >> _COLUMN) & _COLUMN_MASK, return_inverse=True)
    words = packed.words.copy()
    words[part] = (some & ~(_COLUMN_MASK << _COLUMN)) | (place.astype(np.uint64) << _COLUMN)
    return packed._replace(words=words), columns.astype(np.int64)


def pack_steps(forest: Forest) -> StepNodes:
    """Any trees."""
    steps = np.zeros(forest.n_nodes, STEP)
    own = _own_numbers(forest)
    asks, turn = np.flatnonzero(~forest.is_leaf), forest.turn
    right = own[asks] + 1 + forest.size[asks + 1].astype(np.int64)
    children = np.empty(0, np.int32)
    by_branch = (turn & ASKS_BRANCHES) != 0
    if by_branch.any():
        right[by_branch], children = _lists_of_children(forest, own, asks[by_branch])
    threshold = forest.thresholds().copy()
    set_start, sets = forest.category_sets()
    threshold[forest.is_set] = set_start[:-1]
    flags = np.zeros(len(asks), np.int32)
    for bit, flag in (
        (MISSING_LEFT, LEFT),
        (ASKS_SET, BY_SET),
        (ASKS_BRANCHES, BY_BRANCH),
        (MISSING_STOPS, STAYS),
        (MISSING_SPREADS, SPREADS_OUT),
    ):
        flags |= np.where(turn & bit, flag, np.int32(0))
    steps["threshold"], steps["right"] = np.nan, own
    steps["threshold"][asks], steps["feature"][asks], steps["right"][asks] = threshold, forest.feature | flags, right
    depth = _depths(forest) if forest.numbers_only else np.full(forest.n_trees, -1)
    return StepNodes(steps, children, sets.copy(), forest.first.copy(), depth)


def _depths(forest: Forest) -> np.ndarray:
    """The depth of each tree, where all are shallow; 0 else."""
    depth = np.zeros(forest.n_trees, np.int64)
    if forest.n_trees and np.diff(forest.first).max() < 2 << SHALLOW:
        depth = np.maximum.reduceat(find_depths(forest.size), forest.first[:-1]).astype(np.int64)
    return np.where(depth <= SHALLOW, depth, 0)


def _own_numbers(forest: Forest) -> np.ndarray:
    """The number of every node within its tree."""
    return np.arange(forest.n_nodes) - np.repeat(forest.first[:-1], np.diff(forest.first))


def _lists_of_children(forest: Forest, own: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(where each node's list begins, all lists): how many children it has, and their numbers within the tree."""
    parent = forest.shape.parent
    mine = np.flatnonzero(np.isin(parent, nodes))
    mine = mine[np.argsort(parent[mine], kind="stable")]
    n_children = np.bincount(np.searchsorted(nodes, parent[mine]), minlength=len(nodes))
    begin = ends_of(n_children + 1)[:-1]
    lists = np.empty(len(mine) + len(nodes), np.int32)
    lists[begin] = n_children
    is_child = np.ones(len(lists), bool)
    is_child[begin] = False
    lists[is_child] = own[mine]
    return begin, lists


# --- one step down -------------------------------------------------------------------------------------------------


@inner_kernel
def word_of(right, column, limit, is_set, turn):
    """The word of a node that asks; `limit`: of a number, the codes up to it go left."""
    limit = np.uint64(limit) + turn + _TURN
    return np.uint64(right) << _RIGHT | np.uint64(column) << _COLUMN | limit << _LIMIT | is_set * _SET | turn


@inner_kernel
def word_of_leaf(own):
    return np.uint64(own) << _RIGHT


@inner_kernel
def column_of(word):
    return (word >> _COLUMN) & _COLUMN_MASK


@inner_kernel
def right_of(word):
    return word >> _RIGHT


@inner_kernel
def is_leaf(word):
    return word & (_LIMIT_MASK << _LIMIT) == 0


@inner_kernel
def asks_set(word):
    return word & _SET != 0


@inner_kernel
def missing_left(word):
    return word & _TURN != 0


@inner_kernel
def most_left(word):
    """The greatest code of a number that goes left; -1 in a leaf."""
    return np.int64((word >> _LIMIT) & _LIMIT_MASK) - np.int64(word & _TURN) - 1


@inner_kernel
def next_by_code(word, node, codes, begin):
    """Where a row whose codes begin at a place in `codes` goes from a node; a leaf is its own. Numbers only, uint64
    throughout, 255 for missing."""
    code = np.uint64(np.uint8(np.uint64(codes[begin + column_of(word)]) + (word & _TURN)))
    return either(code < (word >> _LIMIT) & _LIMIT_MASK, node + _TURN, right_of(word))


@inner_kernel
def next_by_pair(word, beside, sets, node, codes, begin):
    """The same with sets, for which a missing value has a code like any other."""
    code = np.uint64(codes[begin + column_of(word)])
    limit = (word >> _LIMIT) & _LIMIT_MASK
    if asks_set(word):
        bits = beside if limit == _NONE else sets[beside + (code >> _SIX)]
        return either((bits >> (code & _63)) & _TURN != _NONE, node + _TURN, right_of(word))
    return either(np.uint64(np.uint8(code + (word & _TURN))) < limit, node + _TURN, right_of(word))


@inner_kernel
def next_by_number(steps, node, values, row):
    """The node after this one on a row's way; a leaf is its own. Numbers only, no branch to guess, and uint64
    throughout, so that no index is looked at for being negative."""
    step = steps[node]
    value = values[row, np.uint64(step.feature & COLUMN)]
    goes_left = (value <= step.threshold) | ((value != value) & (step.feature & LEFT != 0))
    return either(goes_left, node + _TURN, np.uint64(step.right))


@inner_kernel
def ends_at(step, node):
    """Whether a node is a leaf."""
    return step.right == node and step.feature & BY_BRANCH == 0


@inner_kernel
def next_by_value(packed, first, node, value):
    """The node after this one, both numbered within the tree that begins at `first`; the same one if the way ends
    here, in a leaf or because missing values stop; -1 if the value goes every way."""
    step = packed.steps[first + node]
    if ends_at(step, node):
        return node
    unknown = value != value
    if not unknown and step.feature & (BY_SET | BY_BRANCH) == 0:
        return node + 1 if value <= step.threshold else np.int64(step.right)
    if not unknown:
        category = np.int64(value)
        if step.feature & BY_SET:
            word = packed.sets[np.int64(step.threshold) + (category >> 6)]
            return node + 1 if (word >> np.uint64(category & 63)) & np.uint64(1) else np.int64(step.right)
        if category < packed.children[step.right]:
            return np.int64(packed.children[step.right + 1 + category])
    if step.feature & LEFT:
        return node + 1
    if step.feature & (STAYS | SPREADS_OUT):
        return node if step.feature & STAYS else np.int64(-1)
    return np.int64(packed.children[step.right + 2]) if step.feature & BY_BRANCH else np.int64(step.right)


@inner_kernel
def n_branches(packed, step):
    """Of a question."""
    return np.int64(packed.children[step.right]) if step.feature & BY_BRANCH else np.int64(2)


@inner_kernel
def child_at(packed, step, node, branch):
    """The child of a question at a branch."""
    if step.feature & BY_BRANCH:
        return np.int64(packed.children[step.right + 1 + branch])
    return node + 1 if branch == 0 else np.int64(step.right)

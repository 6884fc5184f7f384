"""Rows go down one tree together.

In: a tree's packed nodes, and the rows' codes or values. Out: the node where each row ends.

Rows walk in *lanes*, one step per turn, so that none waits for memory alone: the node that a row has come to is
prefetched, and is in the cache when all other lanes have had their turn. A leaf leads to itself, and after every fourth
step rows at a leaf are taken out of the lanes. With numeric splits only there is no branch to mispredict.

    lanes     row    [ 0  1  2  3 ]         after a step in which rows 1 and 2 stayed where they were, in leaves:
              at     [ 7  2  5  9 ]         row  [ 0  3 ]    at  [ 8 14 ]    leaf[1] = 2, leaf[2] = 5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, part_kernel, prefetch, separate_kernel
from spinney.tree.packed import COLUMN, Steps, next_by_code, next_by_number, next_by_pair, next_by_value

MOST_LANES = 256
_LEAST_LANES = 32
_NEAR = 16_384  # bytes of the rows that walk together: half of a first-level cache
_STEPS = 4  # between two looks at who has come to a leaf
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)


class _ByCode(NamedTuple):
    words: np.ndarray
    codes: np.ndarray
    width: int


class _ByPair(NamedTuple):
    pairs: np.ndarray
    sets: np.ndarray
    codes: np.ndarray
    width: int


class _ByNumber(NamedTuple):
    steps: np.ndarray
    values: np.ndarray


class _ByValue(NamedTuple):
    packed: Steps
    first: int  # node of the tree
    values: np.ndarray


def n_lanes(row_bytes: int) -> int:
    """How many rows had best walk together."""
    return max(_LEAST_LANES, min(MOST_LANES, _NEAR // max(row_bytes, 1)))


@separate_kernel
def walk_by_codes(words, depth, codes, width, at, row, leaf):
    """leaf[i] = where row i ends. `at` and `row` are the lanes: the node that each has come to, and whose it is. Of a
    shallow tree the depth is given, of others 0."""
    if depth > 0:
        _walk_in_step(_ByCode(words, codes, width), depth, at, leaf)
    else:
        _walk(_ByCode(words, codes, width), at, row, leaf)


@separate_kernel
def walk_by_pairs(pairs, sets, codes, width, at, row, leaf):
    """The same with sets."""
    _walk(_ByPair(pairs, sets, codes, width), at, row, leaf)


@part_kernel
def walk_by_values(packed, tree, values, at, row, leaf):
    """The same with thresholds and sets."""
    first, last = packed.first[tree], packed.first[tree + 1]
    if packed.sets.size > 0:
        _walk(_ByValue(packed, first, values), at, row, leaf)
    elif packed.depth[tree] > 0:
        _walk_in_step(_ByNumber(packed.steps[first:last], values), packed.depth[tree], at, leaf)
    else:
        _walk(_ByNumber(packed.steps[first:last], values), at, row, leaf)


@inner_kernel
def _walk_in_step(questions, depth, at, leaf):
    """Down a shallow tree: all lanes take as many steps as it has levels."""
    n_rows = np.uint64(leaf.size)
    for start in range(_ZERO, n_rows, np.uint64(at.size)):
        n = min(np.uint64(at.size), n_rows - start)
        for lane in range(n):
            at[lane] = 0
        for _ in range(depth):
            for lane in range(n):
                at[lane] = _step(questions, np.uint64(at[lane]), start + lane)
        for lane in range(n):
            leaf[start + lane] = at[lane]


@inner_kernel
def _walk(questions, at, row, leaf):
    n_rows = np.uint64(leaf.size)
    for start in range(_ZERO, n_rows, np.uint64(at.size)):
        n = min(np.uint64(at.size), n_rows - start)
        for lane in range(n):
            at[lane], row[lane] = 0, start + lane
        while n > 0:
            for _ in range(_STEPS - 1):
                for lane in range(n):
                    to = _step(questions, np.uint64(at[lane]), np.uint64(row[lane]))
                    at[lane] = to
                    _ask_for(questions, to)
            n = _step_and_leave(questions, n, at, row, leaf)


@inner_kernel
def _step_and_leave(questions, n, at, row, leaf):
    """The last step of some; rows that are where they were leave their lanes. Returns how many go on."""
    # In place: go_on <= lane, so nothing is overwritten that is still to be read. A row's leaf is written each time,
    # and is right the last time.
    go_on = _ZERO
    for lane in range(n):
        node, i = np.uint64(at[lane]), row[lane]
        to = _step(questions, node, np.uint64(i))
        _ask_for(questions, to)
        at[go_on], row[go_on], leaf[i] = to, i, to
        go_on += np.uint64(to != node)
    return go_on


@inner_kernel
def _step_by_code(questions, node, row):
    return next_by_code(questions.words[node], node, questions.codes, row * np.uint64(questions.width))


@inner_kernel
def _step_by_pair(questions, node, row):
    begin, pair = row * np.uint64(questions.width), questions.pairs[node]
    return next_by_pair(pair[0], pair[1], questions.sets, node, questions.codes, begin)


@inner_kernel
def _step_by_number(questions, node, row):
    return next_by_number(questions.steps, node, questions.values, row)


@inner_kernel
def _step_by_value(questions, node, row):
    packed, first = questions.packed, questions.first
    value = questions.values[row, np.uint64(packed.steps[np.uint64(first) + node].feature & COLUMN)]
    return np.uint64(next_by_value(packed, first, np.int64(node), value))


@inner_kernel
def _ask_for_word(questions, node):
    prefetch(questions.words, np.int64(node))


@inner_kernel
def _ask_for_pair(questions, node):
    prefetch(questions.pairs, np.int64(_TWO * node))


@inner_kernel
def _ask_for_step(questions, node):
    prefetch(questions.steps, np.int64(node))


@inner_kernel
def _ask_for_nothing(questions, node):
    """There are branches to guess, and so the rows are not in step."""


_step = by_type({_ByCode: _step_by_code, _ByPair: _step_by_pair, _ByNumber: _step_by_number, _ByValue: _step_by_value})
_ask_for = by_type(
    {_ByCode: _ask_for_word, _ByPair: _ask_for_pair, _ByNumber: _ask_for_step, _ByValue: _ask_for_nothing}
)

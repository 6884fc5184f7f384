"""Send the rows of a table down many trees, and add up what the trees say.

In: a `Grove` and a `Table`. Out: for every row the sum over the trees of its leaves' answers, shares of the classes or
numbers; or the leaves themselves. A thread takes a chunk of rows through all trees, in their order: the sums are the
same to the last bit on any number of threads.

Rows walk in *lanes*, so that none waits for memory alone: as soon as a row has come to its leaf, the next one takes its
lane. For trees from codes, a chunk is encoded first; a step then is one load of eight bytes and one of a byte.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, part_kernel, prefetch, separate_kernel
from spinney._team import Team, next_chunk
from spinney.data.binning import encode_numbers
from spinney.data.sparse import SparseTable
from spinney.data.tables import Table
from spinney.tree.descend import ASKS_SET, COLUMN, MISSING_LEFT, blocks, next_by_number, sparse_leaves
from spinney.tree.grove import Grove
from spinney.tree.questions import MISSING, next_node

_CHUNK = 4096  # rows a thread takes at a time
_LANES = 32
_ZERO, _ONE = np.uint64(0), np.uint64(1)


class _Desks(NamedTuple):
    """What each thread needs."""

    codes: (
        np.ndarray
    )  # uint8 (threads, chunk * columns): row by row, since a row asks for one of its codes after the other
    leaf: np.ndarray  # int64 (threads, chunk): where each row of the chunk has come to
    at: np.ndarray  # uint64 (threads, lanes): node of the row in each lane,
    row: np.ndarray  # uint64 (threads, lanes): and the row


def _make_desks(grove: Grove, n_rows: int, n_columns: int, n_threads: int) -> _Desks:
    chunk = min(_CHUNK, n_rows)
    lanes = (np.empty((n_threads, _LANES), np.uint64) for _ in range(2))
    codes = np.empty((n_threads, chunk * n_columns if grove.has_words else 0), np.uint8)
    return _Desks(codes, np.empty((n_threads, chunk), np.int64), *lanes)


def sum_answers(
    grove: Grove,
    table: Table,
    team: Team,
    trees: range | None = None,
    skip: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """(rows, outputs, classes or 1): sums over some trees (None: all), added to `out` if it is given.

    Rows marked in `skip` are left as they are.
    """
    if out is None:
        out = np.zeros((table.n_rows, *grove.answers.shape[1:]))
    marks = np.empty(0, np.uint8) if skip is None else skip
    is_class = grove.n_classes is not None
    some = range(grove.n_trees) if trees is None else trees
    if isinstance(table, SparseTable):
        grove = grove.with_steps()  # to encode a row would take longer than to send it down
        if not len(grove.sets):
            for start, found in sparse_leaves(grove.steps, grove.first, some, table, team):
                part = slice(start, start + found.shape[1])
                team.run(_add_leaves, grove.answers, grove.first, some.start, found, is_class, marks[part], out[part])
            return out
    for start, values in blocks(table, grove):
        part = slice(start, start + len(values))
        desks = _make_desks(grove, len(values), table.n_columns, team.size)
        asked = _questions(grove, values), (some.start, some.stop), values, desks
        team.run(_add_answers, *asked, grove.answers, is_class, marks[part], out[part])
    return out


def leaves_of_rows(grove: Grove, table: Table, team: Team, trees: range | None = None) -> np.ndarray:
    """int64 (rows, trees): the number of the leaf, within its tree, that each row reaches."""
    some = range(grove.n_trees) if trees is None else trees
    leaves = np.empty((table.n_rows, len(some)), np.int64)
    if isinstance(table, SparseTable):
        grove = grove.with_steps()
        if not len(grove.sets):
            for start, found in sparse_leaves(grove.steps, grove.first, some, table, team):
                leaves[start : start + found.shape[1]] = found.T
            return leaves
    for start, values in blocks(table, grove):
        part = leaves[start : start + len(values)]
        desks = _make_desks(grove, len(values), table.n_columns, team.size)
        team.run(_note_leaves, _questions(grove, values), (some.start, some.stop), values, desks, part)
    return leaves


class _Words(NamedTuple):
    """Trees from codes."""

    words: np.ndarray
    edges: np.ndarray  # of the table's dtype
    first: np.ndarray


class _Steps(NamedTuple):
    """Trees with thresholds, and perhaps sets of categories."""

    steps: np.ndarray
    set_at: np.ndarray
    sets: np.ndarray
    first: np.ndarray
    first_set: np.ndarray


def _questions(grove: Grove, values: np.ndarray) -> _Words | _Steps:
    if grove.has_words:
        return _Words(grove.steps, grove.edges32 if values.dtype == np.float32 else grove.edges, grove.first)
    return _Steps(grove.steps.view(np.recarray), grove.set_at, grove.sets, grove.first, grove.first_set)


@kernel
def _add_answers(rank, size, sync, questions, trees, values, desks, answers, is_class, skip, out):
    codes, leaf, lane_at, lane_row = desks.codes[rank], desks.leaf[rank], desks.at[rank], desks.row[rank]
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        n = min(_CHUNK, out.shape[0] - start)
        block = values[start : start + n]
        encode(questions, block, codes)
        for tree in range(trees[0], trees[1]):
            walk(questions, tree, block, codes, lane_at, lane_row, leaf[:n])
            says = answers[questions.first[tree] : questions.first[tree + 1]]
            _add(says, leaf[:n], is_class, skip[start : start + n] if skip.size else skip, out[start : start + n])


@kernel
def _add_leaves(rank, size, sync, answers, first, first_tree, leaves, is_class, skip, out):
    """What the leaves (trees, rows) say, tree after tree."""
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        stop = min(start + _CHUNK, out.shape[0])
        for k in range(leaves.shape[0]):
            says = answers[first[first_tree + k] : first[first_tree + k + 1]]
            _add(says, leaves[k, start:stop], is_class, skip[start:stop] if skip.size else skip, out[start:stop])


@part_kernel
def _add(answers, leaf, is_class, skip, out):
    """Add the leaves' answers: the number of every output, or the share of every class in its output."""
    if is_class and out.shape[1] == 1 and out.shape[2] == 2 and skip.size == 0:
        for i in range(leaf.size):  # the same, with nothing to count
            at = np.uint64(leaf[i])
            a, b = np.float64(answers[at, 0, 0]), np.float64(answers[at, 0, 1])
            out[i, 0, 0] += a / (a + b)
            out[i, 0, 1] += b / (a + b)
        return
    for i in range(leaf.size):
        if skip.size > 0 and skip[i] != 0:
            continue
        at = leaf[i]
        for o in range(out.shape[1]):
            total = 1.0
            if is_class:
                total = 0.0
                for c in range(out.shape[2]):
                    total += np.float64(answers[at, o, c])
            for c in range(out.shape[2]):
                out[i, o, c] += np.float64(answers[at, o, c]) / total


@kernel
def _note_leaves(rank, size, sync, questions, trees, values, desks, out):
    codes, leaf, lane_at, lane_row = desks.codes[rank], desks.leaf[rank], desks.at[rank], desks.row[rank]
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        n = min(_CHUNK, out.shape[0] - start)
        block = values[start : start + n]
        encode(questions, block, codes)
        for tree in range(trees[0], trees[1]):
            walk(questions, tree, block, codes, lane_at, lane_row, leaf[:n])
            for i in range(n):
                out[start + i, tree - trees[0]] = leaf[i]


@inner_kernel
def _encode_words(questions, values, codes):
    _encode_rows(questions.edges, values, codes)


@part_kernel
def _encode_rows(edges, values, codes):
    """Codes of a block of values, row by row."""
    n, width = values.shape
    for j in range(width):
        encode_numbers(values[:, j], edges[j], MISSING, codes[j : n * width : width])


@inner_kernel
def _encode_steps(questions, values, codes):
    """Thresholds are compared with the values themselves."""


@inner_kernel
def _walk_words(questions, tree, values, codes, at, row, leaf):
    words = questions.words[questions.first[tree] : questions.first[tree + 1]]
    _walk_by_codes(words, codes, values.shape[1], at, row, leaf)


@inner_kernel
def _walk_steps(questions, tree, values, codes, at, row, leaf):
    begin, end = questions.first[tree], questions.first[tree + 1]
    sets = questions.sets[questions.first_set[tree] : questions.first_set[tree + 1]]
    _walk_by_values(questions.steps[begin:end], questions.set_at[begin:end], sets, values, at, row, leaf)


encode = by_type({_Words: _encode_words, _Steps: _encode_steps})
walk = by_type({_Words: _walk_words, _Steps: _walk_steps})


@separate_kernel
def _walk_by_codes(words, codes, width, at, row, leaf):
    """leaf[i] = where row i ends."""
    n_lanes, waiting = _enter(at, row, np.uint64(leaf.size))
    while n_lanes > 0:
        lane = _ZERO
        while lane < n_lanes:
            begin, node = row[lane] * np.uint64(width), at[lane]
            node = next_node(words[node], node, codes, begin)  # two steps at a time: a leaf leads to itself
            to = next_node(words[node], node, codes, begin)
            at[lane] = to
            prefetch(words, np.int64(to))  # it will be this lane's turn again when the others have had theirs
            if to != node:
                lane += _ONE
            else:
                n_lanes, waiting, lane = _leave(at, row, leaf, lane, n_lanes, waiting)


@part_kernel
def _walk_by_values(steps, set_at, sets, values, at, row, leaf):
    """The same with thresholds and sets."""
    n_lanes, waiting = _enter(at, row, np.uint64(leaf.size))
    while n_lanes > 0:
        lane = _ZERO
        while lane < n_lanes:
            node = np.int64(at[lane])
            if set_at.size == 0:
                to = next_by_number(steps, node, values, np.int64(row[lane]))
            else:
                to = _next_by_set(steps[node], set_at, sets, values, node, np.int64(row[lane]))
            at[lane] = to
            if to != node:
                lane += _ONE
            else:
                n_lanes, waiting, lane = _leave(at, row, leaf, lane, n_lanes, waiting)


@inner_kernel
def _enter(at, row, n):
    """The first rows take the lanes; returns (lanes in use, the row that is next to take one)."""
    n_lanes = min(np.uint64(at.size), n)
    for lane in range(n_lanes):
        at[lane], row[lane] = 0, lane
    return n_lanes, n_lanes


@inner_kernel
def _leave(at, row, leaf, lane, n_lanes, waiting):
    """A row has come to its leaf: the next one takes its lane, or the last lane's row does, whose turn it is then."""
    leaf[row[lane]] = at[lane]
    if waiting < np.uint64(leaf.size):
        at[lane], row[lane] = 0, waiting
        return n_lanes, waiting + _ONE, lane + _ONE
    at[lane], row[lane] = at[n_lanes - _ONE], row[n_lanes - _ONE]
    return n_lanes - _ONE, waiting, lane


@inner_kernel
def _next_by_set(step, set_at, sets, values, node, row):
    """The node after this one, in a tree that may ask about sets of categories."""
    if np.int64(step.right) == node:
        return node
    value = values[row, step.feature & COLUMN]
    if value != value:
        goes_left = step.feature & MISSING_LEFT != 0
    elif step.feature & ASKS_SET:
        category = np.int64(value)
        goes_left = (sets[set_at[node] + (category >> 6)] >> np.uint64(category & 63)) & np.uint64(1) != 0
    else:
        goes_left = value <= step.threshold
    return node + 1 if goes_left else np.int64(step.right)

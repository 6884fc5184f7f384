"""Send the rows of a table down many trees, and add up what the trees say.

In: a `Forest` and a `Table`. Out: for every row the sum over the trees of its leaves' answers, shares of the classes or
numbers; or the leaves themselves. A thread takes a chunk of rows through all trees, in their order: the sums are the
same to the last bit on any number of threads.

Rows walk in *lanes*, so that none waits for memory alone: as soon as a row has come to its leaf, the next one takes its
lane. Down a shallow tree they go in step. For trees from codes, a chunk is encoded first; a step then is one load of
eight bytes, or sixteen where there are sets of categories, and one of a byte.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, part_kernel, prefetch, separate_kernel
from spinney._team import Team, next_chunk
from spinney.data.binning import encode_categories, encode_numbers
from spinney.data.sparse import SparseTable
from spinney.data.tables import Table
from spinney.tree.descend import blocks, sparse_leaves
from spinney.tree.descend_one import add_shares
from spinney.tree.forest import Forest
from spinney.tree.packed import COLUMN, MISSING, Steps, next_by_code, next_by_number, next_by_pair, next_by_value

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


def _make_desks(forest: Forest, n_rows: int, n_columns: int, n_threads: int) -> _Desks:
    chunk = min(_CHUNK, n_rows)
    lanes = (np.empty((n_threads, _LANES), np.uint64) for _ in range(2))
    codes = np.empty((n_threads, chunk * n_columns if asks_codes(forest) else 0), np.uint8)
    return _Desks(codes, np.empty((n_threads, chunk), np.int64), *lanes)


def sum_answers(
    forest: Forest,
    table: Table,
    team: Team,
    trees: range | None = None,
    skip: np.ndarray | None = None,
    out: np.ndarray | None = None,
    answers: np.ndarray | None = None,
) -> np.ndarray:
    """(rows, outputs, classes or 1): sums over some trees (None: all), added to `out` if it is given.

    Rows marked in `skip` are left as they are. `answers` of all nodes, if given, stand for those of the store.
    """
    says = forest.answers if answers is None else answers
    if out is None:
        out = np.zeros((table.n_rows, *forest.answers.shape[1:]))
    marks = np.empty(0, np.uint8) if skip is None else skip
    is_class = forest.n_classes is not None
    some = range(forest.n_trees) if trees is None else trees
    if isinstance(table, SparseTable) and forest.numbers_only:  # to encode a row would take longer than to send it down
        for start, found in sparse_leaves(forest.steps, some, table, team):
            part = slice(start, start + found.shape[1])
            team.run(_add_leaves, forest.answers, forest.first, some.start, found, is_class, marks[part], out[part])
        return out
    for start, values in blocks(table, forest):
        part = slice(start, start + len(values))
        desks = _make_desks(forest, len(values), table.n_columns, team.size)
        asked = _questions(forest, values), (some.start, some.stop), values, desks
        team.run(_add_answers, *asked, says, is_class, marks[part], out[part])
    return out


def add_values(forest: Forest, table: Table, trees: range, scores: np.ndarray, team: Team) -> None:
    """Add the values of some trees of a boosted model, in their order, to scores (outputs, rows); tree t adds to
    output t % outputs."""
    answers = forest.answers.reshape(-1)
    if not answers.flags.writeable:  # kernels are compiled for arrays that can be written to
        answers = answers.copy()
    if isinstance(table, SparseTable) and forest.numbers_only:
        for start, found in sparse_leaves(forest.steps, trees, table, team):
            for k, leaf in enumerate(found):
                tree = trees.start + k
                scores[tree % len(scores), start : start + len(leaf)] += answers[forest.first[tree] + leaf]
        return
    for start, values in blocks(table, forest):
        desks = _make_desks(forest, len(values), table.n_columns, team.size)
        asked = _questions(forest, values), (trees.start, trees.stop), values, desks
        team.run(_add_values, *asked, answers, start, scores)


def leaves_of_rows(forest: Forest, table: Table, team: Team, trees: range | None = None) -> np.ndarray:
    """int64 (rows, trees): the number of the leaf, within its tree, that each row reaches."""
    some = range(forest.n_trees) if trees is None else trees
    leaves = np.empty((table.n_rows, len(some)), np.int64)
    if isinstance(table, SparseTable) and forest.numbers_only:
        for start, found in sparse_leaves(forest.steps, some, table, team):
            leaves[start : start + found.shape[1]] = found.T
        return leaves
    for start, values in blocks(table, forest):
        part = leaves[start : start + len(values)]
        desks = _make_desks(forest, len(values), table.n_columns, team.size)
        team.run(_note_leaves, _questions(forest, values), (some.start, some.stop), values, desks, part)
    return leaves


def asks_codes(forest: Forest) -> bool:
    """Whether a chunk of rows is encoded before it goes down the trees: they are from bins."""
    return forest.bins is not None


class _Coded(NamedTuple):
    """Trees that ask about codes."""

    words: np.ndarray
    edges: np.ndarray  # (columns, codes), of the table's dtype
    first: np.ndarray


class _CodedSets(NamedTuple):
    """Trees that ask about codes and sets of them."""

    pairs: np.ndarray
    sets: np.ndarray
    edges: np.ndarray
    categories: np.ndarray  # uint8 (columns, categories): codes
    missing: np.ndarray  # uint8, by column: what missing values are encoded as
    is_category: np.ndarray  # by column; not where nobody asks: there may be anything
    first: np.ndarray


def _questions(forest: Forest, values: np.ndarray) -> _Coded | _CodedSets | Steps:
    bins = forest.bins
    if bins is None:
        return forest.steps
    edges = bins.edge_table(values.dtype)
    if not len(forest.sets):
        return _Coded(forest.words.words, edges, forest.words.first)
    is_category = np.zeros(bins.n_columns, bool)
    is_category[forest.feature[forest.is_set]] = True
    missing = np.where(is_category, bins.n_bins, MISSING).astype(np.uint8)
    packed = forest.pairs
    return _CodedSets(packed.pairs, packed.sets, edges, bins.category_table, missing, is_category, packed.first)


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
        add_shares(answers[leaf[i]], is_class, out[i])


@kernel
def _add_values(rank, size, sync, questions, trees, values, desks, answers, first_row, scores):
    codes, leaf, lane_at, lane_row = desks.codes[rank], desks.leaf[rank], desks.at[rank], desks.row[rank]
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= values.shape[0]:
            return
        n = min(_CHUNK, values.shape[0] - start)
        block = values[start : start + n]
        encode(questions, block, codes)
        for tree in range(trees[0], trees[1]):
            walk(questions, tree, block, codes, lane_at, lane_row, leaf[:n])
            says = answers[questions.first[tree] : questions.first[tree + 1]]
            out = scores[tree % scores.shape[0], first_row + start : first_row + start + n]
            for i in range(n):
                out[i] += says[np.uint64(leaf[i])]


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
def _encode_codes(questions, values, codes):
    _encode_rows(questions.edges, values, codes)


@part_kernel
def _encode_rows(edges, values, codes):
    """Codes of a block of values, row by row."""
    n, width = values.shape
    for j in range(width):
        encode_numbers(values[:, j], edges[j], MISSING, codes[j : n * width : width])


@inner_kernel
def _encode_sets(questions, values, codes):
    known = questions.missing, questions.is_category
    _encode_kinds(questions.edges, questions.categories, *known, values, codes)


@part_kernel
def _encode_kinds(edges, categories, missing, is_category, values, codes):
    """The same of numbers and categories."""
    n, width = values.shape
    for j in range(width):
        out = codes[j : n * width : width]
        if is_category[j]:
            encode_categories(values[:, j], categories[j], missing[j], out)
        else:
            encode_numbers(values[:, j], edges[j], missing[j], out)


@inner_kernel
def _encode_steps(questions, values, codes):
    """Thresholds are compared with the values themselves."""


@inner_kernel
def _walk_codes(questions, tree, values, codes, at, row, leaf):
    words = questions.words[questions.first[tree] : questions.first[tree + 1]]
    _walk_by_codes(words, codes, values.shape[1], at, row, leaf)


@inner_kernel
def _walk_sets(questions, tree, values, codes, at, row, leaf):
    pairs = questions.pairs[questions.first[tree] : questions.first[tree + 1]]
    _walk_by_pairs(pairs, questions.sets, codes, values.shape[1], at, row, leaf)


@inner_kernel
def _walk_steps(questions, tree, values, codes, at, row, leaf):
    if questions.depth[tree] > 0 and questions.sets.size == 0:
        steps = questions.steps[questions.first[tree] : questions.first[tree + 1]]
        _walk_in_step(steps, questions.depth[tree], values, at, leaf)
    else:
        _walk_by_values(questions, questions.first[tree], values, at, row, leaf)


encode = by_type({_Coded: _encode_codes, _CodedSets: _encode_sets, Steps: _encode_steps})
walk = by_type({_Coded: _walk_codes, _CodedSets: _walk_sets, Steps: _walk_steps})


@separate_kernel
def _walk_by_codes(words, codes, width, at, row, leaf):
    """leaf[i] = where row i ends."""
    n_lanes, waiting = _enter(at, row, np.uint64(leaf.size))
    while n_lanes > 0:
        lane = _ZERO
        while lane < n_lanes:
            begin, node = row[lane] * np.uint64(width), at[lane]
            node = next_by_code(words[node], node, codes, begin)  # two steps at a time: a leaf leads to itself
            to = next_by_code(words[node], node, codes, begin)
            at[lane] = to
            prefetch(words, np.int64(to))  # it will be this lane's turn again when the others have had theirs
            if to != node:
                lane += _ONE
            else:
                n_lanes, waiting, lane = _leave(at, row, leaf, lane, n_lanes, waiting)


@separate_kernel
def _walk_by_pairs(pairs, sets, codes, width, at, row, leaf):
    """The same with sets."""
    n_lanes, waiting = _enter(at, row, np.uint64(leaf.size))
    while n_lanes > 0:
        lane = _ZERO
        while lane < n_lanes:
            begin, node = row[lane] * np.uint64(width), at[lane]
            to = next_by_pair(pairs[node, 0], pairs[node, 1], sets, node, codes, begin)
            at[lane] = to
            if to != node:
                prefetch(pairs, np.int64(to))
                lane += _ONE
            else:
                n_lanes, waiting, lane = _leave(at, row, leaf, lane, n_lanes, waiting)


@part_kernel
def _walk_in_step(steps, depth, values, at, leaf):
    """The same down a shallow tree that asks about numbers only: all lanes take as many steps as the tree has levels,
    since a leaf leads to itself, and no branch is left to be guessed."""
    n_rows = np.uint64(leaf.size)
    for start in range(_ZERO, n_rows, np.uint64(at.size)):
        n = min(np.uint64(at.size), n_rows - start)
        for lane in range(n):
            at[lane] = _ZERO
        for _ in range(depth):
            for lane in range(n):
                at[lane] = next_by_number(steps, at[lane], values, start + lane)
        for lane in range(n):
            leaf[start + lane] = np.int64(at[lane])


@part_kernel
def _walk_by_values(questions, first, values, at, row, leaf):
    """The same with thresholds and sets; `first` is the tree's first node."""
    steps = questions.steps[first:]
    n_lanes, waiting = _enter(at, row, np.uint64(leaf.size))
    while n_lanes > 0:
        lane = _ZERO
        while lane < n_lanes:
            node = at[lane]
            if questions.sets.size == 0:
                to = next_by_number(steps, node, values, row[lane])
            else:
                value = values[row[lane], np.uint64(steps[node].feature & COLUMN)]
                to = np.uint64(next_by_value(questions, first, np.int64(node), value))
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

"""Send the rows of a table down many trees, and add up the values of their leaves.

In: a `Forest` and a `Table`. Out: for every row the sum over the trees of its leaves' answers, shares of the classes or
numbers; or the leaves themselves. A thread takes a chunk of rows through all trees, in their order: the sums are the
same to the last bit on any number of threads.

How rows walk is in lanes.py. For trees from codes, a chunk is encoded first; a step then is one load of eight bytes, or
sixteen where there are sets of categories, and one of a byte.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, part_kernel
from spinney._team import Team, next_chunk
from spinney.data.binning import encode_categories, encode_numbers
from spinney.data.sparse import SparseTable
from spinney.data.tables import Table
from spinney.tree.descend import blocks, sparse_leaves
from spinney.tree.descend_one import add_shares
from spinney.tree.forest import Forest
from spinney.tree.lanes import n_lanes, walk_by_codes, walk_by_pairs, walk_by_values
from spinney.tree.packed import MISSING, MIXED, Steps

_LEAST, _MOST = 512, 16_384  # rows a thread takes at a time,
_ROW_BYTES = 1 << 20  # of at most so many bytes,
_TURNS = 4  # and at least so often, if there are enough
_CHUNK = 4096  # rows whose leaves are known
_NO_VOTES = np.empty(0, np.uint8)


class _Desks(NamedTuple):
    """What each thread needs."""

    codes: (
        np.ndarray
    )  # uint8 (threads, chunk * columns): row by row, since a row needs one of its codes after the other
    leaf: np.ndarray  # uint32 (threads, chunk): where each row of the chunk has come to
    at: np.ndarray  # uint32 (threads, lanes): node of the row in each lane,
    row: np.ndarray  # uint32 (threads, lanes): and the row


def _make_desks(forest: Forest, values: np.ndarray, n_threads: int) -> _Desks:
    """For a block of values."""
    n_rows, n_columns = values.shape
    row_bytes = n_columns * (1 if asks_codes(forest) else values.itemsize)
    chunk = max(_LEAST, min(-(-n_rows // (_TURNS * n_threads)), _MOST, _ROW_BYTES // max(row_bytes, 1)))
    chunk = min(chunk, n_rows)
    codes = np.empty((n_threads, chunk * n_columns if asks_codes(forest) else 0), np.uint8)
    lanes = (np.empty((n_threads, n_lanes(row_bytes)), np.uint32) for _ in range(2))
    return _Desks(codes, np.empty((n_threads, chunk), np.uint32), *lanes)


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
        desks = _make_desks(forest, values, team.size)
        asked = _questions(forest, values), (some.start, some.stop), values, desks
        votes = _votes(forest) if answers is None else _NO_VOTES
        team.run(_add_answers, *asked, says, votes, is_class, marks[part], out[part])
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
        desks = _make_desks(forest, values, team.size)
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
        desks = _make_desks(forest, values, team.size)
        team.run(_note_leaves, _questions(forest, values), (some.start, some.stop), values, desks, part)
    return leaves


def asks_codes(forest: Forest) -> bool:
    """Whether a chunk of rows is encoded before it goes down the trees: they are from bins."""
    return forest.bins is not None


class _Coded(NamedTuple):
    """Trees that test codes."""

    words: np.ndarray
    edges: np.ndarray  # (columns, codes), of the table's dtype
    first: np.ndarray
    depth: np.ndarray


class _CodedSets(NamedTuple):
    """Trees that test codes and sets of them."""

    pairs: np.ndarray
    sets: np.ndarray
    edges: np.ndarray
    categories: np.ndarray  # uint8 (columns, categories): codes
    missing: np.ndarray  # uint8, by column: what missing values are encoded as
    is_category: np.ndarray  # by column; not where no tree tests it: there may be anything
    first: np.ndarray


def _questions(forest: Forest, values: np.ndarray) -> _Coded | _CodedSets | Steps:
    bins = forest.bins
    if bins is None:
        return forest.steps
    edges = bins.edge_table(values.dtype)
    if not len(forest.sets):
        return _Coded(forest.words.words, edges, forest.words.first, forest.words.depth)
    is_category = np.zeros(bins.n_columns, bool)
    is_category[forest.feature[forest.is_set]] = True
    missing = np.where(is_category, bins.n_bins, MISSING).astype(np.uint8)
    packed = forest.pairs
    return _CodedSets(packed.pairs, packed.sets, edges, bins.category_table, missing, is_category, packed.first)


def _votes(forest: Forest) -> np.ndarray:
    if forest.bins is None:
        return _NO_VOTES
    return forest.pairs.votes if len(forest.sets) else forest.words.votes


@kernel
def _add_answers(rank, size, sync, questions, trees, values, desks, answers, votes, is_class, skip, out):
    codes, leaf, lane_at, lane_row = desks.codes[rank], desks.leaf[rank], desks.at[rank], desks.row[rank]
    while True:
        start = next_chunk(sync) * leaf.size
        if start >= out.shape[0]:
            return
        n = min(leaf.size, out.shape[0] - start)
        block = values[start : start + n]
        encode(questions, block, codes)
        for tree in range(trees[0], trees[1]):
            walk(questions, tree, block, codes, lane_at, lane_row, leaf[:n])
            first, last = questions.first[tree], questions.first[tree + 1]
            marks, part = skip[start : start + n] if skip.size else skip, out[start : start + n]
            if votes.size:
                _add_votes(votes[first:last], answers[first:last], leaf[:n], marks, part)
            else:
                _add(answers[first:last], leaf[:n], is_class, marks, part)


@kernel
def _add_leaves(rank, size, sync, answers, first, first_tree, leaves, is_class, skip, out):
    """Add the leaves' (trees, rows) values, tree after tree."""
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


@part_kernel
def _add_votes(votes, answers, leaf, skip, out):
    """The same where nearly all leaves are of one class, whose share is 1."""
    for i in range(leaf.size):
        if skip.size > 0 and skip[i] != 0:
            continue
        at = np.uint64(leaf[i])
        if votes[at] != MIXED:
            out[i, 0, np.uint64(votes[at])] += 1.0
        else:
            add_shares(answers[at], True, out[i])


@kernel
def _add_values(rank, size, sync, questions, trees, values, desks, answers, first_row, scores):
    codes, leaf, lane_at, lane_row = desks.codes[rank], desks.leaf[rank], desks.at[rank], desks.row[rank]
    while True:
        start = next_chunk(sync) * leaf.size
        if start >= values.shape[0]:
            return
        n = min(leaf.size, values.shape[0] - start)
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
        start = next_chunk(sync) * leaf.size
        if start >= out.shape[0]:
            return
        n = min(leaf.size, out.shape[0] - start)
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
    walk_by_codes(words, questions.depth[tree], codes, values.shape[1], at, row, leaf)


@inner_kernel
def _walk_sets(questions, tree, values, codes, at, row, leaf):
    pairs = questions.pairs[questions.first[tree] : questions.first[tree + 1]]
    walk_by_pairs(pairs, questions.sets, codes, values.shape[1], at, row, leaf)


@inner_kernel
def _walk_steps(questions, tree, values, codes, at, row, leaf):
    walk_by_values(questions, tree, values, at, row, leaf)


encode = by_type({_Coded: _encode_codes, _CodedSets: _encode_sets, Steps: _encode_steps})
walk = by_type({_Coded: _walk_codes, _CodedSets: _walk_sets, Steps: _walk_steps})

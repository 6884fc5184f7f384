"""Send rows down trees: a table down one tree, one row down many trees, and a table down many trees.

One tree. In: a `DecisionTree` and a `Table`. Out: the node where each row ends, or the class fractions where rows with
missing values go down several branches. Values are compared as they are: a float64 threshold with a float32 or float64
value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import by_type, either, inner_kernel, kernel, part_kernel, prefetch, separate_kernel
from spinney._team import Team, next_chunk
from spinney.data.encode import encode_categories, encode_numbers
from spinney.data.tables import BLOCK_ROWS, Table
from spinney.tree.decision import DecisionTree
from spinney.tree.forest import Forest, LineTerms
from spinney.tree.packed import (
    COLUMN,
    LEFT,
    MISSING,
    MIXED,
    StepNodes,
    child_at,
    n_branches,
    next_by_code,
    next_by_number,
    next_by_pair,
    next_by_value,
)

_CHUNK = 2048  # rows a thread takes at a time


def leaf_of_rows(tree: DecisionTree, table: Table, team: Team) -> np.ndarray:
    """int64, the node where each row ends: a leaf, or a node whose question it cannot answer (STOPS)."""
    return leaves_of_rows(tree.forest, table, team)[:, 0]


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
                at, after = _ZERO, next_by_number(own, _ZERO, rooms, rank)
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


# ----------------------------------------------------------------------------------------------------------------------
# One row down many trees, with as little overhead as possible.
#
# In: a `Forest` and a `Table` of one row. Out: the same numbers, to the last bit, as `predict_boosted.py` and the other
# functions here give: leaves, raw scores, or sums of answers. Values are compared with thresholds, so that nothing is
# encoded; eight trees are walked in step, so that no load waits for another. What a forest has to make ready for that
# is in its `one_row`, kept with its other packed forms.


_TOGETHER = 8  # trees


@inner_kernel
def term_of(x, line):
    """What a term of a linear leaf (`LineTerms` in forest.py) adds for a value."""
    return line[0] * (min(max(x, line[2]), line[3]) - line[1]) if x - x == 0.0 else 0.0


@inner_kernel
def add_terms(terms, node, values, row):
    """What all terms of a leaf add for a row of values; nodes are numbered through all trees."""
    total = 0.0
    for k in range(terms.first[node], terms.first[node + 1]):
        total += term_of(np.float64(values[row, terms.column[k]]), terms.line[k])
    return total


class OneRow:
    """A forest made ready for rows that come one by one."""

    def __init__(self, forest: Forest) -> None:
        self._packed, self._numbers_only, self._n_trees = forest.steps, forest.numbers_only, forest.n_trees
        self._steps = forest.steps.steps
        self._first = forest.steps.first.view(np.uint64)
        self._answers, self._is_class = _writeable(forest.answers), forest.n_classes is not None
        self._terms = forest.terms

    def leaves(self, table: Table) -> np.ndarray:
        """int64 (trees,): the number of the leaf, within its tree, that the row reaches in each."""
        return (self._nodes(table) - self._first[:-1]).view(np.int64)

    def scores(self, table: Table, start: np.ndarray) -> np.ndarray:
        """(outputs, 1): raw scores of a boosted model, the start values and the trees' values, added in order."""
        scores, values, nodes = start.copy(), _as_one_kind(table.panels[0].values), np.empty(self._n_trees, np.uint64)
        if self._numbers_only:
            _scores_by_number(self._steps, self._first, values, nodes, self._answers, self._terms, scores)
        else:
            _scores_by_value(self._packed, values, nodes, self._answers, self._terms, scores)
        return scores[:, None]

    def sums(self, table: Table, answers: np.ndarray | None = None) -> np.ndarray:
        """(1, outputs, classes or 1): sums over the trees; of other answers than the forest's where they are given."""
        answers = self._answers if answers is None else _writeable(answers)
        sums = np.zeros((1, *answers.shape[1:]))
        _add_answers_of_row(answers, self._is_class, self._nodes(table), sums)
        return sums

    def _nodes(self, table: Table) -> np.ndarray:
        """uint64 (trees,): where the row ends, numbered through all trees."""
        values, nodes = _as_one_kind(table.panels[0].values), np.empty(self._n_trees, np.uint64)
        if self._numbers_only:
            _nodes_by_number(self._steps, self._first, values, nodes)
        else:
            _nodes_by_value(self._packed, values, nodes)
        return nodes


def _writeable(answers: np.ndarray) -> np.ndarray:
    return answers if answers.flags.writeable else answers.copy()


def _as_one_kind(values: np.ndarray) -> np.ndarray:
    """A row as kernels are compiled for it."""
    flags = values.flags
    if values.dtype != np.float64 or not (flags.c_contiguous and flags.writeable):
        values = np.array(values, np.float64, order="C")
    return values


@kernel
def _nodes_by_number(steps, first, values, nodes):
    _walk_by_number(steps, first, values, nodes)


@kernel
def _nodes_by_value(packed, values, nodes):
    _walk_by_value(packed, values, nodes)


@kernel
def _scores_by_number(steps, first, values, nodes, answers, terms, scores):
    _walk_by_number(steps, first, values, nodes)
    _add_scores(answers, terms, nodes, values, scores)


@kernel
def _scores_by_value(packed, values, nodes, answers, terms, scores):
    _walk_by_value(packed, values, nodes)
    _add_scores(answers, terms, nodes, values, scores)


@inner_kernel
def _add_scores(answers, terms, nodes, values, scores):
    for tree in range(nodes.size):
        value = answers[nodes[tree], 0, 0]
        if terms.first.size:
            value += add_terms(terms, np.int64(nodes[tree]), values, 0)
        scores[tree % scores.size] += value


@kernel
def _add_answers_of_row(answers, is_class, nodes, sums):
    for tree in range(nodes.size):
        add_shares(answers[nodes[tree]], is_class, sums[0])


@inner_kernel
def add_shares(answers, is_class, out):
    """Add a leaf's answers, (outputs, classes or 1)."""
    for o in range(out.shape[0]):
        total = 1.0
        if is_class:
            total = 0.0
            for c in range(out.shape[1]):
                total += np.float64(answers[o, c])
        for c in range(out.shape[1]):
            out[o, c] += np.float64(answers[o, c]) / total


@inner_kernel
def _walk_by_number(steps, first, values, nodes):
    """nodes[tree] = where the row ends. Eight trees in step, in registers; after the last tree come copies of it."""
    # Eight variables, since Numba keeps an array of eight in memory. A walk of one row waits for every load; eight
    # independent walks wait together.
    row, last = values[0], nodes.size - 1
    for b in range(0, nodes.size, 8):
        c, d, e, f = min(b + 1, last), min(b + 2, last), min(b + 3, last), min(b + 4, last)
        g, h, i = min(b + 5, last), min(b + 6, last), min(b + 7, last)
        b_node, c_node, d_node, e_node = first[b], first[c], first[d], first[e]
        f_node, g_node, h_node, i_node = first[f], first[g], first[h], first[i]
        moves = True
        while moves:
            b_next, c_next = _next(steps, b_node, first[b], row), _next(steps, c_node, first[c], row)
            d_next, e_next = _next(steps, d_node, first[d], row), _next(steps, e_node, first[e], row)
            f_next, g_next = _next(steps, f_node, first[f], row), _next(steps, g_node, first[g], row)
            h_next, i_next = _next(steps, h_node, first[h], row), _next(steps, i_node, first[i], row)
            moves = (b_next != b_node) | (c_next != c_node) | (d_next != d_node) | (e_next != e_node)
            moves |= (f_next != f_node) | (g_next != g_node) | (h_next != h_node) | (i_next != i_node)
            b_node, c_node, d_node, e_node = b_next, c_next, d_next, e_next
            f_node, g_node, h_node, i_node = f_next, g_next, h_next, i_next
        nodes[b], nodes[c], nodes[d], nodes[e] = b_node, c_node, d_node, e_node
        nodes[f], nodes[g], nodes[h], nodes[i] = f_node, g_node, h_node, i_node


@inner_kernel
def _next(steps, node, first, row):
    """`next_by_number` of packed.py, with nodes numbered through all trees; this one begins at `first`."""
    step = steps[node]
    value = row[np.uint64(step["feature"] & COLUMN)]
    goes_left = (value <= step["threshold"]) | ((value != value) & (step["feature"] & LEFT != 0))
    return either(goes_left, node + _ONE, first + np.uint64(step["right"]))


@inner_kernel
def _walk_by_value(packed, values, nodes):
    """The same, for questions of any kind; some trees in step."""
    for begin in range(0, nodes.size, _TOGETHER):
        end = min(begin + _TOGETHER, nodes.size)
        for tree in range(begin, end):
            nodes[tree] = packed.first[tree]
        moved = True
        while moved:
            moved = False
            for tree in range(begin, end):
                first = packed.first[tree]
                node = np.int64(nodes[tree]) - first
                to = next_by_value(packed, first, node, values[0, packed.steps[first + node].feature & COLUMN])
                to = node if to < 0 else to  # whatever goes every way ends here
                nodes[tree] = first + to
                moved |= to != node


# ----------------------------------------------------------------------------------------------------------------------
# A table down many trees.
#
# In: a `Forest` and a `Table`. Out: for every row the sum over the trees of its leaves' answers, shares of the classes
# or numbers; or the leaves themselves. A thread takes a chunk of rows through all trees, in their order: the sums are
# the same to the last bit on any number of threads. For trees from codes, a chunk is encoded first; a step then is one
# load of eight bytes, or sixteen where there are sets of categories, and one of a byte.


# ----------------------------------------------------------------------------------------------------------------------
# Lanes: rows go down one tree together.
#
# In: a tree's packed nodes, and the rows' codes or values. Out: the node where each row ends.
#
# Rows walk in *lanes*, one step per turn, so that none waits for memory alone: the node that a row has come to is
# prefetched, and is in the cache when all other lanes have had their turn. A leaf leads to itself, and after every
# fourth step rows at a leaf are taken out of the lanes. With numeric splits only there is no branch to mispredict.
#
#     lanes     row    [ 0  1  2  3 ]         after a step in which rows 1 and 2 stayed where they were, in leaves:
#               at     [ 7  2  5  9 ]         row  [ 0  3 ]    at  [ 8 14 ]    leaf[1] = 2, leaf[2] = 5


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
    packed: StepNodes
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
    if packed.depth[tree] < 0:
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
    to = next_by_value(packed, first, np.int64(node), value)
    return np.uint64(to) if to >= 0 else node  # whatever goes every way ends here


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


_LEAST, _MOST = 512, 16_384  # rows a thread takes at a time,
_ROW_BYTES = 1 << 20  # of at most so many bytes,
_TURNS = 4  # and at least so often, if there are enough
_SUM_CHUNK = 4096  # rows whose leaves are known
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
    if out is None:
        out = np.zeros((table.n_rows, *forest.answers.shape[1:]))
    marks, whole = np.empty(0, np.uint8) if skip is None else skip, out
    votes = _votes(forest) if answers is None else _NO_VOTES
    says, is_class = forest.answers if answers is None else answers, forest.n_classes is not None

    def sums(part: slice, values: np.ndarray) -> _Sums:
        return _Sums(says, votes, is_class, marks[part], whole[part])

    _send(forest, table, range(forest.n_trees) if trees is None else trees, team, sums)
    return out


def add_values(forest: Forest, table: Table, trees: range, scores: np.ndarray, team: Team) -> None:
    """Add the values of some trees of a boosted model, in their order, to scores (outputs, rows); tree t adds to
    output t % outputs."""
    answers, terms = _writeable(forest.answers.reshape(-1)), forest.terms
    _send(forest, table, trees, team, lambda part, values: _Scores(answers, terms, values, part.start, scores))


def leaves_of_rows(forest: Forest, table: Table, team: Team, trees: range | None = None) -> np.ndarray:
    """int64 (rows, trees): the number of the leaf, within its tree, that each row reaches."""
    some = range(forest.n_trees) if trees is None else trees
    leaves = np.empty((table.n_rows, len(some)), np.int64)
    _send(forest, table, some, team, lambda part, values: _Leaves(leaves[part]))
    return leaves


class _Sums(NamedTuple):
    """Where leaves' answers are added up."""

    answers: np.ndarray
    votes: np.ndarray  # see packed.py; empty: not known
    is_class: bool
    skip: np.ndarray  # uint8, by row: 1 if it is left out; empty: none is
    out: np.ndarray  # float64 (rows, outputs, classes or 1)


class _Scores(NamedTuple):
    """Where the values of boosted trees are added up."""

    answers: np.ndarray
    terms: LineTerms
    values: np.ndarray  # that linear leaves ask about
    first_row: int  # of these values
    scores: np.ndarray  # (outputs, all rows)


class _Leaves(NamedTuple):
    out: np.ndarray  # int64 (rows, trees)


def _send(forest: Forest, table: Table, trees: range, team: Team, goal: Callable[[slice, np.ndarray], Any]) -> None:
    """Send all rows down some trees; `goal(rows, values)` is where the leaves of a block of rows are noted."""
    if table.is_sparse and forest.numbers_only and not forest.is_linear:  # to encode a row would take longer
        for start, found in sparse_leaves(forest.steps, trees, table, team):
            part = slice(start, start + found.shape[1])
            team.run(_note_known, forest.first, trees.start, found, goal(part, np.empty((0, 0))))
        return
    for start, values in blocks(table, forest):
        asked = _questions(forest, values), (trees.start, trees.stop), values
        desks = _make_desks(forest, values, team.size)
        team.run(_send_down, *asked, desks, goal(slice(start, start + len(values)), values))


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


def _questions(forest: Forest, values: np.ndarray) -> _Coded | _CodedSets | StepNodes:
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
def _send_down(rank, size, sync, questions, trees, values, desks, goal):
    """Chunks of rows go through all trees."""
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
            note(goal, questions.first, tree, tree - trees[0], start, leaf[:n])


@kernel
def _note_known(rank, size, sync, first, first_tree, leaves, goal):
    """Leaves (trees, rows) that are known, tree after tree."""
    while True:
        start = next_chunk(sync) * _SUM_CHUNK
        if start >= leaves.shape[1]:
            return
        stop = min(start + _SUM_CHUNK, leaves.shape[1])
        for k in range(leaves.shape[0]):
            note(goal, first, first_tree + k, k, start, leaves[k, start:stop])


@inner_kernel
def _add_answers(goal, first, tree, k, start, leaf):
    says, marks = goal.answers[first[tree] : first[tree + 1]], goal.skip
    out, marks = goal.out[start : start + leaf.size], marks[start : start + leaf.size] if marks.size else marks
    if goal.votes.size:
        _add_votes(goal.votes[first[tree] : first[tree + 1]], says, leaf, marks, out)
    else:
        _add(says, leaf, goal.is_class, marks, out)


@inner_kernel
def _add_values(goal, first, tree, k, start, leaf):
    says, row = goal.answers[first[tree] : first[tree + 1]], goal.first_row + start
    out = goal.scores[tree % goal.scores.shape[0], row : row + leaf.size]
    if goal.terms.first.size:
        for i in range(leaf.size):
            out[i] += says[leaf[i]] + add_terms(goal.terms, first[tree] + np.int64(leaf[i]), goal.values, start + i)
    else:
        for i in range(leaf.size):
            out[i] += says[np.uint64(leaf[i])]


@inner_kernel
def _note_leaves(goal, first, tree, k, start, leaf):
    for i in range(leaf.size):
        goal.out[start + i, k] = leaf[i]


note = by_type({_Sums: _add_answers, _Scores: _add_values, _Leaves: _note_leaves})


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


@part_kernel
def _encode_codes(questions, values, codes):
    """Codes of a block of values, row by row."""
    n, width = values.shape
    for j in range(width):
        encode_numbers(values[:, j], questions.edges[j], MISSING, codes[j : n * width : width])


@part_kernel
def _encode_sets(questions, values, codes):
    """The same of numbers and categories."""
    n, width = values.shape
    for j in range(width):
        out = codes[j : n * width : width]
        if questions.is_category[j]:
            encode_categories(values[:, j], questions.categories[j], questions.missing[j], out)
        else:
            encode_numbers(values[:, j], questions.edges[j], questions.missing[j], out)


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


encode = by_type({_Coded: _encode_codes, _CodedSets: _encode_sets, StepNodes: _encode_steps})
walk = by_type({_Coded: _walk_codes, _CodedSets: _walk_sets, StepNodes: _walk_steps})


# ----------------------------------------------------------------------------------------------------------------------
# Where rows end that may go down several branches (missing values in C4.5).


def ends_of_rows(tree: DecisionTree, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, node, share) of every end of every row; a row's shares add up to 1."""
    packed, room = tree.forest.steps, room_to_spread(tree)
    work = np.empty(room, np.int64), np.empty(room)
    rows, nodes, shares = [], [], []
    for start, values in blocks(table, tree):
        known = packed, tree.weight, values
        n = _find_ends(*known, np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), *work)
        row, node, share = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
        _find_ends(*known, row, node, share, *work)
        rows.append(row + start)
        nodes.append(node)
        shares.append(share)
    return np.concatenate(rows), np.concatenate(nodes), np.concatenate(shares)


@kernel
def _find_ends(
    packed,  # in
    weight,  # in
    values,  # in: (row, column)
    row_of,  # out
    node_of,  # out
    share_of,  # out; what does not fit is only counted
    nodes,  # work: where parts of the row wait
    parts,  # work: how much of it
):
    """Write down the ends of all rows; returns how many there are."""
    n = 0
    for row in range(values.shape[0]):
        nodes[0], parts[0] = 0, 1.0
        waiting = 1
        while waiting > 0:
            waiting, ended = spread_step(packed, weight, values, row, nodes, parts, waiting)
            if ended:
                if n < row_of.size:
                    row_of[n], node_of[n], share_of[n] = row, nodes[waiting], parts[waiting]
                n += 1
    return n

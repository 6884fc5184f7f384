"""Rows sent down trees with some columns left open: at their questions a row goes both ways.

In: the questions of all trees, and a table of numbers. Out:

    count_all     for every column at once: how many rows come to an end if that column alone is left open
    count_open    how many rows come to each end if some columns are left open
    add_curves    the same, row by row: what the ends add to each point of a grid (individual expectations)

A row that leaves its own way at a question about column j is where a row with another value of j could be. So one walk
in which a row may leave its way, by one column only, serves all columns: what comes to end e by leaving it at the d-th
question on the way to e is counted in slot d of e, and the rows that belong there in `main`. Counts are sums of the
rows' weights. A thread has whole trees, or whole rows, to itself: no sum depends on the number of threads.

Rows go 64 at a time: a set of them is a word (`_compile/sets.py`), and every node asks a whole set at once. At a node
of depth d there are the set of the rows that belong there and, of `count_all`, d others: of those that have left their
way at each of the questions above.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import MEMBERS, inner_kernel, kernel, lowest_bit, set_size
from spinney._team import Team, next_chunk
from spinney.explain.ways import Asked, Ways
from spinney.tree.questions import IN_SET, UP_TO

_FEW = 10  # rows that are asked one by one
_DEEP = 10  # questions on the mean way to an end: beyond, rows are so far apart that one by one is quicker
_ONE, _NOBODY, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)
_CELLS = 1 << 22  # numbers of curves that are made at once


@inner_kernel
def _way(asked, at, x):
    """Where a value leads."""
    question = asked.questions[at]
    if question.kind == UP_TO and x == x:
        return question.yes if x <= question.threshold else question.no
    yes = False
    if x != x:
        yes = question.missing_yes != 0
    elif question.kind == IN_SET:
        c, place = np.int64(x), np.int64(question.threshold)
        if c >> 6 < np.int64(asked.sets[place]):
            yes = (asked.sets[place + 1 + (c >> 6)] >> np.uint64(c & 63)) & np.uint64(1) != np.uint64(0)
    return question.yes if yes else question.no


class Counts(NamedTuple):
    """How many rows, or how much weight, comes to each end."""

    main: np.ndarray  # float64 (ends,): rows that belong there
    slots: np.ndarray  # float64 (slots,): rows that leave their way at a question on the way there, by its column only

    def of_column(self, column: int, ways: Ways) -> np.ndarray:
        """(ends,): with this column left open."""
        mine = ways.slots_of(column)
        return self.main + np.bincount(ways.slot_end[mine], self.slots[mine], len(self.main))


def in_columns(values: np.ndarray) -> np.ndarray:
    """A table (rows, columns) as the kernels read it: column by column, of a multiple of 64 rows."""
    n_rows, n_columns = values.shape
    laid = np.zeros((n_columns, -(-n_rows // MEMBERS) * MEMBERS))
    laid[:, :n_rows] = values.T
    return laid


@inner_kernel
def _everybody(n):
    """The set of the first n rows of a block."""
    return _ALL if n >= MEMBERS else (_ONE << np.uint64(n)) - _ONE


@inner_kernel
def _who_says_yes(asked, at, x, who):
    """Of a set of rows, those that say yes; x are the values of the 64 rows in the question's column."""
    question, said = asked.questions[at], _NOBODY
    if question.kind == UP_TO and set_size(who) > _FEW:
        threshold = question.threshold
        if question.missing_yes != 0:
            for i in range(MEMBERS):
                said |= np.uint64(not x[i] > threshold) << np.uint64(i)
        else:
            for i in range(MEMBERS):
                said |= np.uint64(x[i] <= threshold) << np.uint64(i)
        return said & who
    rest = who
    while rest != _NOBODY:
        i = lowest_bit(rest)
        rest &= rest - _ONE
        if _way(asked, at, x[i]) == question.yes:
            said |= _ONE << np.uint64(i)
    return said


@inner_kernel
def _weigh(rows, weight, is_plain):
    """The weight of a set of rows."""
    if is_plain:
        return np.float64(set_size(rows))
    total = 0.0
    while rows != _NOBODY:
        total += weight[lowest_bit(rows)]
        rows &= rows - _ONE
    return total


def count_all(asked: Asked, ways: Ways, values: np.ndarray, weight: np.ndarray, team: Team) -> Counts:
    """With each of the columns left open, all in one walk."""
    found = Counts(np.zeros(len(ways.slot_start) - 1), np.zeros(len(ways.slot_end)))
    if len(found.slots) > _DEEP * len(found.main):
        stacks = np.empty((team.size, 3, len(ways.levels) + 1), np.int64)
        team.run(_count_rows, asked, values, weight, ways.slot_start, found.main, found.slots, stacks)
        return found
    is_plain = bool((weight == 1.0).all())
    desks = _desks(ways, team, len(ways.levels) + 2)
    team.run(_count_all, asked, in_columns(values), weight, is_plain, ways.slot_start, found.main, found.slots, *desks)
    return found


def count_open(
    asked: Asked, ways: Ways, values: np.ndarray, weight: np.ndarray, columns: list[int], team: Team
) -> np.ndarray:
    """(ends,): with some columns left open."""
    found = np.zeros(len(ways.slot_start) - 1)
    is_plain, is_open = bool((weight == 1.0).all()), _marked(columns, values.shape[1])
    laid, desks = in_columns(values), _desks(ways, team, 1)
    team.run(_count_open, asked, laid, weight, is_plain, is_open, found, *desks)
    return found


def _marked(columns: list[int], n_columns: int) -> np.ndarray:
    is_open = np.zeros(n_columns, np.uint8)
    is_open[columns] = 1
    return is_open


def _desks(ways: Ways, team: Team, width: int) -> tuple[np.ndarray, np.ndarray]:
    """What each thread needs by depth: sets of rows, and (place, which answers have been followed)."""
    deep = len(ways.levels) + 2
    return np.empty((team.size, deep, width + 1), np.uint64), np.empty((team.size, deep, 2), np.int64)


@kernel
def _count_all(rank, size, sync, asked, values, weight, is_plain, slot_start, main, slots, sets, at):
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for begin in range(0, weight.size, MEMBERS):
            stop = min(begin + MEMBERS, weight.size)
            who = _everybody(stop - begin)
            at[rank, 0, 0] = asked.roots[tree]
            block, weights = values[:, begin : begin + MEMBERS], weight[begin:stop]
            _count_block(asked, block, weights, is_plain, slot_start, main, slots, who, sets[rank], at[rank])


@inner_kernel
def _count_block(asked, values, weight, is_plain, slot_start, main, slots, who, sets, at):
    """64 rows down one tree. sets[d]: the answers at depth d, the rows there, those that left at each depth above."""
    d = 0
    sets[0, 1] = who
    at[0, 1] = 0
    while d >= 0:
        place = at[d, 0]
        if place < 0:
            end = -1 - place
            main[end] += _weigh(sets[d, 1], weight, is_plain)
            for k in range(d):
                slots[slot_start[end] + k] += _weigh(sets[d, 2 + k], weight, is_plain)
            d -= 1
            continue
        if at[d, 1] == 2:
            d -= 1
            continue
        question = asked.questions[place]
        column = question.column
        if at[d, 1] == 0:
            anybody = sets[d, 1]
            for k in range(d):
                anybody |= sets[d, 2 + k]
            sets[d, 0] = _who_says_yes(asked, place, values[column], anybody)
        pass_on = sets[d, 0] if at[d, 1] == 0 else ~sets[d, 0]
        child = question.yes if at[d, 1] == 0 else question.no
        at[d, 1] += 1
        sets[d + 1, 1] = sets[d, 1] & pass_on
        sets[d + 1, 2 + d] = sets[d, 1] & ~pass_on
        anybody = sets[d, 1]
        for k in range(d):
            those = sets[d, 2 + k]
            if asked.questions[at[k, 0]].column != column:
                those &= pass_on
            sets[d + 1, 2 + k] = those
            anybody |= those
        if anybody != _NOBODY:
            d += 1
            at[d, 0], at[d, 1] = child, 0


@kernel
def _count_rows(rank, size, sync, asked, values, weight, slot_start, main, slots, stacks):
    """The same, row by row, values (rows, columns): deep trees leave few rows together."""
    stack = stacks[rank]
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for i in range(values.shape[0]):
            at, left, slot, n = asked.roots[tree], -1, 0, 0  # `left`: the column by which the row has left its way
            while True:
                while at >= 0:
                    question = asked.questions[at]
                    column = np.int64(question.column)
                    way = np.int64(_way(asked, at, values[i, column]))
                    if left == -1 or left == column:
                        stack[0, n], stack[1, n] = np.int64(question.yes) + np.int64(question.no) - way, column
                        stack[2, n] = np.int64(question.depth) if left == -1 else slot
                        n += 1
                    at = way
                end = -1 - at
                if left == -1:
                    main[end] += weight[i]
                else:
                    slots[slot_start[end] + slot] += weight[i]
                if n == 0:
                    break
                n -= 1
                at, left, slot = stack[0, n], stack[1, n], stack[2, n]


@kernel
def _count_open(rank, size, sync, asked, values, weight, is_plain, is_open, counts, sets, at):
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for begin in range(0, weight.size, MEMBERS):
            stop = min(begin + MEMBERS, weight.size)
            block, weights = values[:, begin : begin + MEMBERS], weight[begin:stop]
            sets[rank, 0, 1] = _everybody(stop - begin)
            at[rank, 0, 0], at[rank, 0, 1] = asked.roots[tree], 0
            d = 0
            while d >= 0:
                place = at[rank, d, 0]
                if place < 0:
                    counts[-1 - place] += _weigh(sets[rank, d, 1], weights, is_plain)
                d = _next(asked, block, is_open, sets[rank], at[rank], d)


@inner_kernel
def _next(asked, values, is_open, sets, at, d):
    """One step of 64 rows: down to a child, or up. sets[d]: the rows at depth d that say yes, and all of them."""
    place = at[d, 0]
    if place < 0 or at[d, 1] == 2:
        return d - 1
    question = asked.questions[place]
    if at[d, 1] == 0:
        is_free = is_open[question.column] != 0
        sets[d, 0] = sets[d, 1] if is_free else _who_says_yes(asked, place, values[question.column], sets[d, 1])
        at[d, 1] = 1
        those, child = sets[d, 0], question.yes
    else:
        at[d, 1] = 2
        those = sets[d, 1] if is_open[question.column] != 0 else sets[d, 1] & ~sets[d, 0]
        child = question.no
    if those == _NOBODY:
        return d
    sets[d + 1, 1] = those
    at[d + 1, 0], at[d + 1, 1] = child, 0
    return d + 1


class Runs(NamedTuple):
    """For every end, the points of a grid that come there: runs of neighbours."""

    start: np.ndarray  # int64, of ends and one more: where its runs begin
    first: np.ndarray  # int64: a run is the points first <= g < last
    last: np.ndarray  # int64
    n_points: int


def add_curves(
    asked: Asked, ways: Ways, values: np.ndarray, columns: list[int], runs: Runs, says: np.ndarray, team: Team
) -> np.ndarray:
    """(rows, points, scores): what each row's trees add up to, with its columns set to each point of the grid."""
    steps = np.zeros((len(values), runs.n_points + 1, says.shape[1]))
    is_open = _marked(columns, values.shape[1])
    team.run(_add_curves, asked, in_columns(values), is_open, runs, says, steps, *_desks(ways, team, 1))
    return steps[:, :-1]


@kernel
def _add_curves(rank, size, sync, asked, values, is_open, runs, says, steps, sets, at):
    """`steps` are first the differences between neighbours, then their running sums."""
    while True:
        begin = next_chunk(sync) * MEMBERS
        if begin >= steps.shape[0]:
            return
        mine = steps[begin : min(begin + MEMBERS, steps.shape[0])]
        block = values[:, begin : begin + MEMBERS]
        for tree in range(asked.roots.size):
            sets[rank, 0, 1] = _everybody(mine.shape[0])
            at[rank, 0, 0], at[rank, 0, 1] = asked.roots[tree], 0
            d = 0
            while d >= 0:
                place = at[rank, d, 0]
                if place < 0:
                    _add_end(-1 - place, sets[rank, d, 1], runs, says, mine)
                d = _next(asked, block, is_open, sets[rank], at[rank], d)
        for i in range(mine.shape[0]):
            for g in range(1, mine.shape[1]):
                for s in range(says.shape[1]):
                    mine[i, g, s] += mine[i, g - 1, s]


@inner_kernel
def _add_end(end, rows, runs, says, steps):
    """What an end adds to the points that come there, for a set of rows."""
    while rows != _NOBODY:
        i = lowest_bit(rows)
        rows &= rows - _ONE
        for k in range(runs.start[end], runs.start[end + 1]):
            for s in range(says.shape[1]):
                steps[i, runs.first[k], s] += says[end, s]
                steps[i, runs.last[k], s] -= says[end, s]


def blocks_of_rows(n_rows: int, n_points: int, n_scores: int) -> list[slice]:
    """Rows whose curves are made at once."""
    step = max(1, _CELLS // max(n_points * n_scores, 1) // MEMBERS) * MEMBERS
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]

"""Rows sent down trees with some columns left open: at their questions a row goes both ways.

In: the questions of all trees, and a table of numbers. Out:

    count_all     for every column at once: how many rows come to an end if that column alone is left open
    count_open    how many rows come to each end if some columns are left open
    add_curves    the same, row by row: what the ends add to each point of a grid (individual expectations)

A row that leaves its own way at a question about column j is where a row with another value of j could be. So one walk
in which a row may leave its way, by one column only, serves all columns: what comes to end e by leaving it at the d-th
question on the way to e is counted in slot d of e, and the rows that belong there in `main`. Counts are sums of the
rows' weights. A thread has whole trees, or whole rows, to itself: no sum depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.tree.arrays import ends_of
from spinney.tree.questions import IN_SET, UP_TO, Questions
from spinney.tree.shape import trails

_ROWS = 64  # that a thread takes at a time
_CELLS = 1 << 22  # numbers of curves that are made at once


# A question as kernels read it; of a set, `threshold` is its place in `sets`
QUESTION = np.dtype(
    [
        ("threshold", np.float64),
        ("yes", np.int32),
        ("no", np.int32),
        ("column", np.int32),
        ("depth", np.int16),
        ("kind", np.uint8),
        ("missing_yes", np.uint8),
    ],
    align=True,
)


class Asked(NamedTuple):
    """Questions as kernels read them."""

    questions: np.ndarray  # QUESTION records
    roots: np.ndarray  # int64
    sets: np.ndarray  # uint64: of each set, how many words it has, and these: bit c % 64 of word c // 64: category c


class Ways(NamedTuple):
    """How questions and ends hang together. Places: questions first, then ends."""

    levels: list[np.ndarray]  # the questions of each depth
    parent: np.ndarray  # int64, of places; -1: a root
    depth: np.ndarray  # int64
    slot_start: np.ndarray  # int64, of ends and one more: a slot for each question on the way there
    slot_end: np.ndarray  # int64: the end,
    slot_question: np.ndarray  # int64: the question,
    slot_yes: np.ndarray  # bool: and the answer
    by_column: np.ndarray  # int64: slots in the order of their columns, and in each of their ends
    column_start: np.ndarray  # int64, of columns and one more: where they begin there

    def slots_of(self, column: int) -> np.ndarray:
        """The slots of one column, those of an end side by side."""
        return self.by_column[self.column_start[column] : self.column_start[column + 1]]


def find_ways(q: Questions, n_columns: int) -> Ways:
    """Follow all trees down, level by level."""
    n_questions, n_ends = len(q.kind), len(q.ends)
    parent = np.full(n_questions + n_ends, -1, np.int64)
    depth = np.zeros(n_questions + n_ends, np.int64)
    levels, now = [], q.roots[q.roots >= 0]
    while len(now):
        levels.append(now)
        below = places(np.concatenate([q.yes[now], q.no[now]]), n_questions)
        parent[below] = np.concatenate([now, now])
        depth[below] = len(levels)
        now = below[below < n_questions]
    ends, nodes = trails(np.arange(n_questions, n_questions + n_ends), parent, depth)
    is_slot = nodes < n_questions
    question, below = nodes[is_slot], nodes[np.flatnonzero(is_slot) + 1]
    column = q.column[question]
    slot_start = ends_of(np.diff(ends) - 1)
    return Ways(
        levels=levels,
        parent=parent,
        depth=depth,
        slot_start=slot_start,
        slot_end=np.repeat(np.arange(n_ends), np.diff(slot_start)),
        slot_question=question,
        slot_yes=places(q.yes[question], n_questions) == below,
        by_column=np.argsort(column, kind="stable"),
        column_start=ends_of(np.bincount(column, minlength=n_columns)),
    )


def places(leads: np.ndarray, n_questions: int) -> np.ndarray:
    """Where answers lead: questions by their number, then ends."""
    return np.where(leads >= 0, leads, n_questions - 1 - leads)


def pack(q: Questions, ways: Ways) -> Asked:
    """For the kernels."""
    lengths, n = np.diff(q.set_start), len(q.kind)
    has = np.flatnonzero(lengths)
    n_words = q.members[q.set_start[has + 1] - 1] // 64 + 1  # members ascend
    start = ends_of(n_words + 1)
    sets = np.zeros(start[-1] + 1, np.uint64)
    sets[start[:-1]] = n_words
    at = np.repeat(start[:-1] + 1, lengths[has]) + q.members // 64
    np.bitwise_or.at(sets, at, np.uint64(1) << (q.members % 64).astype(np.uint64))
    packed = np.zeros(n, QUESTION)
    packed["threshold"] = q.threshold
    packed["threshold"][has] = start[:-1]
    packed["yes"], packed["no"], packed["column"] = q.yes, q.no, q.column
    packed["depth"], packed["kind"], packed["missing_yes"] = ways.depth[:n], q.kind, q.missing_yes
    return Asked(packed.view(np.recarray), q.roots.astype(np.int64), sets)


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


def count_all(asked: Asked, ways: Ways, values: np.ndarray, weight: np.ndarray, team: Team) -> Counts:
    """With each of the columns left open, all in one walk."""
    found = Counts(np.zeros(len(ways.slot_start) - 1), np.zeros(len(ways.slot_end)))
    team.run(_count_all, asked, values, weight, ways.slot_start, found.main, found.slots, _stacks(ways, team))
    return found


def count_open(
    asked: Asked, ways: Ways, values: np.ndarray, weight: np.ndarray, columns: list[int], team: Team
) -> np.ndarray:
    """(ends,): with some columns left open."""
    is_open = np.zeros(values.shape[1], np.uint8)
    is_open[columns] = 1
    found = np.zeros(len(ways.slot_start) - 1)
    team.run(_count_open, asked, values, weight, is_open, found, _stacks(ways, team))
    return found


def _stacks(ways: Ways, team: Team) -> np.ndarray:
    return np.empty((team.size, 3, len(ways.levels) + 1), np.int64)


@kernel
def _count_all(rank, size, sync, asked, values, weight, slot_start, main, slots, stacks):
    stack = stacks[rank]
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for i in range(values.shape[0]):
            w = weight[i]
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
                    main[end] += w
                else:
                    slots[slot_start[end] + slot] += w
                if n == 0:
                    break
                n -= 1
                at, left, slot = stack[0, n], stack[1, n], stack[2, n]


@kernel
def _count_open(rank, size, sync, asked, values, weight, is_open, counts, stacks):
    stack = stacks[rank, 0]
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for i in range(values.shape[0]):
            at, n = asked.roots[tree], 0
            while True:
                while at >= 0:
                    question = asked.questions[at]
                    if is_open[question.column] != 0:
                        stack[n] = question.no
                        n += 1
                        at = np.int64(question.yes)
                    else:
                        at = np.int64(_way(asked, at, values[i, question.column]))
                counts[-1 - at] += weight[i]
                if n == 0:
                    break
                n -= 1
                at = stack[n]


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
    is_open = np.zeros(values.shape[1], np.uint8)
    is_open[columns] = 1
    steps = np.zeros((len(values), runs.n_points + 1, says.shape[1]))
    team.run(_add_curves, asked, values, is_open, runs, says, steps, _stacks(ways, team))
    return steps[:, :-1]


@kernel
def _add_curves(rank, size, sync, asked, values, is_open, runs, says, steps, stacks):
    """`steps` are first the differences between neighbours, then their running sums."""
    stack = stacks[rank, 0]
    while True:
        begin = next_chunk(sync) * _ROWS
        if begin >= values.shape[0]:
            return
        stop = min(begin + _ROWS, values.shape[0])
        for tree in range(asked.roots.size):
            for i in range(begin, stop):
                at, n = asked.roots[tree], 0
                while True:
                    while at >= 0:
                        question = asked.questions[at]
                        if is_open[question.column] != 0:
                            stack[n] = question.no
                            n += 1
                            at = np.int64(question.yes)
                        else:
                            at = np.int64(_way(asked, at, values[i, question.column]))
                    end = -1 - at
                    for k in range(runs.start[end], runs.start[end + 1]):
                        for s in range(says.shape[1]):
                            steps[i, runs.first[k], s] += says[end, s]
                            steps[i, runs.last[k], s] -= says[end, s]
                    if n == 0:
                        break
                    n -= 1
                    at = stack[n]
        for i in range(begin, stop):
            for g in range(1, steps.shape[1]):
                for s in range(says.shape[1]):
                    steps[i, g, s] += steps[i, g - 1, s]


def blocks_of_rows(n_rows: int, n_points: int, n_scores: int) -> list[slice]:
    """Rows whose curves are made at once."""
    step = max(_ROWS, _CELLS // max(n_points * n_scores, 1))
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]

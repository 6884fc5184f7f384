"""Rows sent down deep trees with some columns left open: as lists, parted at every question.

In and out as in open_columns.py. A node has the list of the rows that belong there and the list of those that have left
their way, each with its group; both are parted without a branch that the processor would have to guess. One walk serves
groups that have no column in common. A thread has whole trees to itself.

    an item of a list:    (group + 1) << 16 | row in the block; the group of those that belong there is -1
    desk.items:           lists, one after the other. [ no | ... ] [ yes | ... ]: a node's list is parted into its own
                          place (no) and the place behind it (yes), which is done with first
    desk.stack:           (place, begin and length of its rows, begin and length of those that have left), per depth
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.explain.ways import PathConditions, Runs, Ways, is_yes
from spinney.tree.questions import UP_TO

Sums = tuple[np.ndarray, np.ndarray]  # what ends say (ends, scores), and where sums start (scores,)

_BLOCK = 4096  # rows that go together
_GROUPS, _CELLS = 1 << 14, 1 << 23  # groups, and counts of ends and groups, that are made at once
_TURNED = 1024  # ends whose counts change places with those of groups at once
_TRIED = 64  # batches that a group is tried with
_DESK = 1 << 24  # items that a thread's desk may have room for
_ROW, _GROUP = 0xFFFF, 16  # of an item: the bits of its row, and where its group begins


class _Desk(NamedTuple):
    """What the threads need: see above."""

    rows: np.ndarray  # int32 (threads, items)
    left: np.ndarray  # int32 (threads, items)
    stack: np.ndarray  # int64 (threads, depths, 5)


def count_by_lists(
    asked: PathConditions, ways: Ways, values: np.ndarray, weight: np.ndarray, groups: list[list[int]], team: Team
) -> np.ndarray:
    """(groups, ends), as `count_open`; values (columns, rows)."""
    found, deep = np.empty((len(groups), ways.n_ends)), len(ways.levels) + 2
    for batch in disjoint(groups, max(1, min(_GROUPS, _CELLS // ways.n_ends))):
        group_of, width = np.full(len(values), -1, np.int64), len(batch) + 1
        for number, group in enumerate(batch):
            group_of[groups[group]] = number
        n_rows, desk = _make_desk(deep, width, team)
        counts = np.zeros((ways.n_ends, width))
        team.run(_count, asked, group_of, values, weight, n_rows, counts, desk)
        for first in range(0, len(counts), _TURNED):
            some = counts[first : first + _TURNED]
            found[batch, first : first + len(some)] = (some[:, 1:] + some[:, :1]).T
    return found


def _make_desk(deep: int, width: int, team: Team) -> tuple[int, _Desk]:
    """(how many rows go together, room for them)."""
    n_rows = int(np.clip(_DESK // (deep * width), 16, _BLOCK))
    return n_rows, _Desk(
        np.empty((team.size, deep * n_rows), np.int32),
        np.empty((team.size, deep * n_rows * width), np.int32),
        np.empty((team.size, deep, 5), np.int64),
    )


def curves_by_lists(
    asked: PathConditions, ways: Ways, values: np.ndarray, columns: list[int], runs: Runs, sums: Sums, team: Team
) -> np.ndarray:
    """(rows, points, scores), as `row_curves`; values (rows, columns)."""
    says, start = sums
    group_of = np.full(values.shape[1], -1, np.int64)
    group_of[columns] = 0
    n_rows, desk = _make_desk(len(ways.levels) + 2, 2, team)
    n_rows = min(n_rows, max(16, -(-len(values) // (4 * team.size))))
    steps = np.zeros((len(values), runs.n_points + 1, says.shape[1]))
    team.run(_add_curves, asked, group_of, np.ascontiguousarray(values.T), n_rows, runs, says, steps, desk)
    return steps[:, :-1] + start


@kernel
def _add_curves(rank, size, sync, asked, group_of, values, n_rows, runs, says, steps, desk):
    """`steps` are first the differences between neighbours, then their running sums."""
    rows, left, stack = desk.rows[rank], desk.left[rank], desk.stack[rank]
    while True:
        begin = next_chunk(sync) * n_rows
        if begin >= steps.shape[0]:
            return
        mine = steps[begin : min(begin + n_rows, steps.shape[0])]
        block = values[:, begin : begin + mine.shape[0]]
        for tree in range(asked.roots.size):
            _begin(rows, stack, asked.roots[tree], mine.shape[0])
            d = 0
            while d >= 0:
                if stack[d, 0] >= 0:
                    d = _descend(asked, group_of, block, rows, left, stack, d)
                    continue
                end = -1 - stack[d, 0]
                for k in range(runs.start[end], runs.start[end + 1]):
                    _add_run(says[end], runs.first[k], runs.last[k], rows, stack[d, 1], stack[d, 2], mine)
                    _add_run(says[end], runs.first[k], runs.last[k], left, stack[d, 3], stack[d, 4], mine)
                d -= 1
        for i in range(mine.shape[0]):
            for g in range(1, mine.shape[1]):
                for s in range(mine.shape[2]):
                    mine[i, g, s] += mine[i, g - 1, s]


@inner_kernel
def _add_run(says, first, last, items, begin, n, steps):
    """What an end adds to the points that come there, for a list of rows."""
    for k in range(begin, begin + n):
        i = items[k] & _ROW
        for s in range(says.size):
            steps[i, first, s] += says[s]
            steps[i, last, s] -= says[s]


def disjoint(groups: list[list[int]], most: int) -> list[list[int]]:
    """Numbers of groups that can go together: up to `most` of them, without a column in common."""
    found: list[list[int]] = []
    taken: list[set[int]] = []
    for number, columns in enumerate(groups):
        for k in range(max(0, len(found) - _TRIED), len(found)):
            if len(found[k]) < most and taken[k].isdisjoint(columns):
                break
        else:
            k = len(found)
            found.append([])
            taken.append(set())
        found[k].append(number)
        taken[k].update(columns)
    return found


@kernel
def _count(rank, size, sync, asked, group_of, values, weight, n_rows, counts, desk):
    rows, left, stack = desk.rows[rank], desk.left[rank], desk.stack[rank]
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for begin in range(0, weight.size, n_rows):
            stop = min(begin + n_rows, weight.size)
            block, weights = values[:, begin:stop], weight[begin:stop]
            _begin(rows, stack, asked.roots[tree], stop - begin)
            d = 0
            while d >= 0:
                if stack[d, 0] >= 0:
                    d = _descend(asked, group_of, block, rows, left, stack, d)
                    continue
                _count_end(counts[-1 - stack[d, 0]], weights, rows, left, stack[d])
                d -= 1


@inner_kernel
def _count_end(counts, weights, rows, left, at):
    total = 0.0
    for i in range(at[1], at[1] + at[2]):
        total += weights[rows[i]]
    counts[0] += total
    for i in range(at[3], at[3] + at[4]):
        counts[left[i] >> _GROUP] += weights[left[i] & _ROW]


@inner_kernel
def _part(asked, question, x, items, begin, n, behind, both):
    """Part a list: (how many stay for no, how many stand `behind` for yes). Those of the group `both` do both."""
    n_no, n_yes = 0, 0
    if question.kind == UP_TO:
        threshold, missing = question.threshold, question.missing_yes != 0
        for i in range(begin, begin + n):
            item = items[i]
            value, is_both = x[item & _ROW], item >> _GROUP == both
            yes = (value <= threshold) | (missing & (value != value))
            items[begin + n_no] = item
            n_no += int((not yes) | is_both)
            items[behind + n_yes] = item
            n_yes += int(yes | is_both)
        return n_no, n_yes
    for i in range(begin, begin + n):
        item = items[i]
        is_both, yes = item >> _GROUP == both, is_yes(asked, question, x[item & _ROW])
        items[begin + n_no] = item
        n_no += int((not yes) | is_both)
        items[behind + n_yes] = item
        n_yes += int(yes | is_both)
    return n_no, n_yes


@inner_kernel
def _begin(rows, stack, root, n_rows):
    """All rows of a block at the root."""
    for i in range(n_rows):
        rows[i] = i
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = root, 0, n_rows, 0, 0


@inner_kernel
def _descend(asked, group_of, values, rows, left, stack, d):
    """Ask the question at depth d of the stack, and put yes on top of no: the depth to go on with."""
    place, begin, n, begin_left, n_left = stack[d, 0], stack[d, 1], stack[d, 2], stack[d, 3], stack[d, 4]
    question = asked.questions[place]
    group = group_of[question.column]
    x = values[question.column]
    behind = begin + n
    n_no, n_yes = _part(asked, question, x, rows, begin, n, behind, -1)
    behind_left = begin_left + n_left + (n_yes if group >= 0 else 0)  # after those who leave for no
    both = group + 1 if group >= 0 else -1
    left_no, left_yes = _part(asked, question, x, left, begin_left, n_left, behind_left, both)
    if group >= 0:
        mark = (group + 1) << _GROUP
        for i in range(n_yes):
            left[begin_left + left_no + i] = rows[behind + i] | mark
        for i in range(n_no):
            left[behind_left + left_yes + i] = rows[begin + i] | mark
        left_no += n_yes
        left_yes += n_no
    if n_no + left_no > 0:
        stack[d, 0], stack[d, 2], stack[d, 4] = question.no, n_no, left_no
        d += 1
    if n_yes + left_yes > 0:
        stack[d, 0], stack[d, 1], stack[d, 2], stack[d, 3], stack[d, 4] = (
            question.yes,
            behind,
            n_yes,
            behind_left,
            left_yes,
        )
        d += 1
    return d - 1

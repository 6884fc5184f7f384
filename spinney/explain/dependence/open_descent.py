"""Rows sent down trees with some columns left open: at their questions a row goes both ways.

In: the questions of all trees, a table of numbers, and groups of columns. Out:

    count_open     for each group, how many rows come to each end if its columns are left open
    go_down,       the walk itself, for kernels that do something else at the ends (ice_curves.py)
    go_astray

A row that leaves its own way at a question about a group is where a row with other values in these columns could be.
It stays there as one of that group: further questions about the group it answers both ways, others as it is. Rows go
64 at a time: a set of them is a word (`_compile/sets.py`). First all of them go down all trees, which leaves at every
place the set of the rows that belong there and that of the rows that would go there from the question above. Then each
group has its list of places that rows come to by leaving their way (`Detours`), those above first, and a set at each:

    those who came to the question above, and at a question about the group the rows that belong to the other answer

                    q, about the group                 main    [ rows at q ] is split into yes and no as usual
                   /                  \
      main: said yes                   main: said no
      left: main of no,                left: main of yes,
            and all left at q                and all left at q

Below, at a question that is not about the group, both sets are split by its answers. There is no branch per row. Deep
trees have so many places that rows go as lists instead (below). Counts are sums of the rows' weights. A thread
has whole trees to itself: no sum depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import MEMBERS, inner_kernel, kernel, lowest_bit, set_above, set_at_most, set_size
from spinney._team import Team, next_chunk
from spinney.explain.dependence.leaf_regions import PathConditions, Runs, Ways, is_yes, place_of
from spinney.tree.questions import UP_TO

# ----------------------------------------------------------------------------------------------------------------------
# Rows sent down deep trees with some columns left open: as lists, parted at every question.
#
# In and out as above. A node has the list of the rows that belong there and the list of those that have left their way,
# each with its group; both are parted without a branch that the processor would have to guess. One walk serves groups
# that have no column in common. A thread has whole trees to itself.
#
#     an item of a list:    (group + 1) << 16 | row in the block; the group of those that belong there is -1
#     desk.items:           lists, one after the other. [ no | ... ] [ yes | ... ]: a node's list is parted into its own
#                           place (no) and the place behind it (yes), which is done with first
#     desk.stack:           (place, begin and length of its rows, begin and length of those that have left), per depth

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
        team.run(_count_lists, asked, group_of, values, weight, n_rows, counts, desk)
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
def _count_lists(rank, size, sync, asked, group_of, values, weight, n_rows, counts, desk):
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


# ----------------------------------------------------------------------------------------------------------------------

ONE, NOBODY, _ALL = np.uint64(1), np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF)


class Detours(NamedTuple):
    """The places that rows come to by leaving their way at a question about a group; group after group."""

    start: np.ndarray  # int64 (groups, parts of the trees and one more)
    place: np.ndarray  # int32
    above: np.ndarray  # int32: the detour to the question above, counted from the group's first; -1: there is none
    other: np.ndarray  # int32: where the other answer to that question leads
    is_open: np.ndarray  # uint64: all ones if that question is about the group


def find_detours(asked: PathConditions, ways: Ways, groups: list[list[int]], n_columns: int) -> Detours:
    """Of groups of columns."""
    kinds, parts = (np.int32, np.int32, np.int32, np.uint64), ways.parts
    entry = np.empty(ways.n_places, np.int32)
    found: list[list[np.ndarray]] = [[np.empty(0, kind) for kind in kinds]]
    start, n_before = np.zeros((len(groups), len(parts)), np.int64), 0
    for number, columns in enumerate(groups):
        is_mine = np.zeros(n_columns, np.uint8)
        is_mine[columns] = 1
        entry[:] = -1
        one = [np.empty(ways.n_places, kind) for kind in kinds]
        n = 0
        for k in range(len(parts) - 1):
            n = _find_detours(ways.order[parts[k] : parts[k + 1]], asked.questions, is_mine, entry, n, *one)
            start[number, k + 1] = n
        start[number] += n_before
        n_before += n
        found.append([array[:n].copy() for array in one])
    return Detours(start, *(np.concatenate(arrays) for arrays in zip(*found)))


@kernel
def _find_detours(order, questions, is_mine, entry, n, place, above, other, is_open):
    for q in order:
        question = questions[q]
        mine = is_mine[question.column] != 0
        if not mine and entry[q] < 0:
            continue
        yes, no = place_of(question.yes, questions.size), place_of(question.no, questions.size)
        for here, there in ((yes, no), (no, yes)):
            place[n], above[n], other[n] = here, entry[q], there
            is_open[n] = _ALL if mine else NOBODY
            entry[here] = n
            n += 1
    return n


class RowSets(NamedTuple):
    """Of each thread, sets of 64 rows."""

    main: np.ndarray  # uint64 (threads, places): those that belong there
    come: np.ndarray  # uint64 (threads, places): those that would come there from the question above
    left: np.ndarray  # uint64 (threads, detours of a group): those that come there by leaving their way


def make_rows(ways: Ways, detours: Detours, team: Team) -> RowSets:
    """For these groups."""
    most = int((detours.start[:, -1] - detours.start[:, 0]).max(initial=1))
    sizes = ways.n_places, ways.n_places, most
    return RowSets(*(np.empty((team.size, size), np.uint64) for size in sizes))


def in_columns(values: np.ndarray) -> np.ndarray:
    """A table (rows, columns) as the kernels read it: column by column, of a multiple of 64 rows."""
    n_rows, n_columns = values.shape
    laid = np.zeros((n_columns, -(-n_rows // MEMBERS) * MEMBERS))
    laid[:, :n_rows] = values.T
    return laid


@inner_kernel
def _who_says_yes(asked, question, x, who):
    """Those of 64 rows that satisfy a condition; x are their values in its column. For sets only `who` is tested."""
    if question.kind == UP_TO:
        return set_at_most(x, question.threshold) if question.missing_yes == 0 else ~set_above(x, question.threshold)
    said = NOBODY
    while who != NOBODY:
        i = lowest_bit(who)
        who &= who - ONE
        if is_yes(asked, question, x[i]):
            said |= ONE << np.uint64(i)
    return said


@inner_kernel
def everybody_at(asked, n_rows, main):
    """The first rows, as many as given, at all roots."""
    everybody = _ALL if n_rows >= MEMBERS else (ONE << np.uint64(n_rows)) - ONE
    for root in asked.roots:
        main[place_of(root, asked.questions.size)] = everybody
    return everybody


@inner_kernel
def go_down(asked, order, values, everybody, main, come):
    """64 rows down some trees; values (columns, 64)."""
    n = asked.questions.size
    for q in order:
        question = asked.questions[q]
        said = _who_says_yes(asked, question, values[question.column], everybody)
        yes, no = place_of(question.yes, n), place_of(question.no, n)
        main[yes], come[yes] = main[q] & said, said
        main[no], come[no] = main[q] & ~said, ~said


@inner_kernel
def go_astray(detours, first, begin, stop, main, come, left):
    """Those who leave their way, at the detours begin to stop of a group whose first one is `first`."""
    # `is_open` is all ones or zeros, so both kinds of questions are one formula:
    #     about the group    left = (those who left above) | (those whose own way is the other answer)
    #     any other          left = (those who left above) & (those who answer so)
    for k in range(begin, stop):
        above, is_open = detours.above[k], detours.is_open[k]
        before = left[above] if above >= 0 else NOBODY
        left[k - first] = (before & (come[detours.place[k]] | is_open)) | (main[detours.other[k]] & is_open)


def count_open(
    asked: PathConditions, ways: Ways, values: np.ndarray, weight: np.ndarray, groups: list[list[int]], team: Team
) -> np.ndarray:
    """(groups, ends): the weight of the rows that come to each end if a group is left open."""
    laid = in_columns(values)
    if ways.is_deep:
        return count_by_lists(asked, ways, laid, weight, groups, team)
    detours, is_plain = find_detours(asked, ways, groups, values.shape[1]), bool((weight == 1.0).all())
    counts, rows = np.zeros((len(groups) + 1, ways.n_ends)), make_rows(ways, detours, team)
    team.run(_count, asked, (ways.order, ways.parts), laid, weight, is_plain, detours, counts, rows)
    counts[0, -1 - asked.roots[asked.roots < 0]] = weight.sum()  # trees that ask nothing
    return counts[1:] + counts[0]


@kernel
def _count(rank, size, sync, asked, ways, values, weight, is_plain, detours, counts, rows):
    main, come, left = rows.main[rank], rows.come[rank], rows.left[rank]
    n, (order, parts) = asked.questions.size, ways
    while True:
        part = next_chunk(sync)
        if part >= parts.size - 1:
            return
        mine = order[parts[part] : parts[part + 1]]
        for begin in range(0, weight.size, MEMBERS):
            stop = min(begin + MEMBERS, weight.size)
            weights = weight[begin:stop]
            everybody = everybody_at(asked, stop - begin, main)
            go_down(asked, mine, values[:, begin : begin + MEMBERS], everybody, main, come)
            for q in mine:
                yes, no = -1 - asked.questions[q].yes, -1 - asked.questions[q].no
                if yes >= 0:
                    counts[0, yes] += _weigh(main[n + yes], weights, is_plain)
                if no >= 0:
                    counts[0, no] += _weigh(main[n + no], weights, is_plain)
            for group in range(detours.start.shape[0]):
                first, here = detours.start[group, 0], counts[1 + group]
                k_begin, k_stop = detours.start[group, part], detours.start[group, part + 1]
                go_astray(detours, first, k_begin, k_stop, main, come, left)
                for k in range(k_begin, k_stop):
                    end = detours.place[k] - n
                    if end >= 0:
                        here[end] += _weigh(left[k - first], weights, is_plain)


@inner_kernel
def _weigh(rows, weight, is_plain):
    """The weight of a set of rows."""
    if is_plain:
        return np.float64(set_size(rows))
    total = 0.0
    while rows != NOBODY:
        total += weight[lowest_bit(rows)]
        rows &= rows - ONE
    return total

"""Rows sent down trees with some columns left open: at their questions a row goes both ways.

In: the questions of all trees, a table of numbers, and groups of columns. Out:

    count_open     for each group, how many rows come to each end if its columns are left open
    go_down,       the walk itself, for kernels that do something else at the ends (curves.py)
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
trees have so many places that rows go as lists instead (open_lists.py). Counts are sums of the rows' weights. A thread
has whole trees to itself: no sum depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import MEMBERS, inner_kernel, kernel, lowest_bit, set_above, set_at_most, set_size
from spinney._team import Team, next_chunk
from spinney.explain.open_lists import count_by_lists
from spinney.explain.ways import PathConditions, Ways, is_yes, place_of
from spinney.tree.questions import UP_TO

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

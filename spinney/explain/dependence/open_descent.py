"""Rows sent down trees with some columns left open: at their splits a row goes both ways.

In: the questions of all trees, a table of numbers, and groups of columns. Out:

    count_open    for each group, the weight of the rows that come to each end if its columns are left open
    row_curves    for each row, what its trees add up to at each point of each group's grid

A row that leaves its own way at a question about a group is where a row with other values in these columns could be.
It goes on as one of that group: further questions about the group it answers both ways, others as it is. So a row comes
to a place at most once, on its own way or for one group, and a place has a list of items, group << 16 | row, where
groups count from 1 and 0 is the row's own way. A question parts its list in place, without a branch that the processor
would have to guess. What leads to yes goes behind the rest and is done with first:

    q, about group 3      [ 0|r0  0|r1  5|r2  3|r3 ]                       r1, r2 and r3 answer yes
                          [ 0|r0  3|r1  3|r3 ]   [ 3|r0  0|r1  5|r2  3|r3 ]
                            no                     yes

With own(t) the end where a row comes in tree t by itself, v the value of an end, and points(e) the points that lead to
the end e (`Runs`), its curve is

    f(g) = start + sum over trees t of  v(own(t)) + sum over ends e visited for the group, g in points(e), of
                                                    v(e) - v(own(t))

The inner sum is written as steps at the first point of a run and behind its last, and running sums make curves of them.
Groups that go together have no column in common. No sum depends on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.explain.shapley.nodes import is_in
from spinney.tree.forest import ends_of
from spinney.tree.questions import IN_SET, IS_MISSING, UP_TO, Questions, words_of

# ----------------------------------------------------------------------------------------------------------------------
# Which points of a grid come to which end of a tree, and what ends of known weights add up to on the grid.
#
# In: questions, and one or two axes: a column and its values (categories as their numbers, NaN for missing). Out:
# `Runs` on the grid, laid out point after point; sums over the ends of weight times value at each point.
#
# Along a sorted axis without missing values, what comes to an end is an interval. Else each point is followed down.


# ----------------------------------------------------------------------------------------------------------------------
# How the questions and ends of all trees hang together, and questions as kernels read them.
#
# In: `Questions` (tree/questions.py). Out: `Ways` and `PathConditions`.

# A question as kernels read it; of a set, `threshold` is its place in `sets`
QUESTION = np.dtype(
    [
        ("threshold", np.float64),
        ("yes", np.int32),
        ("no", np.int32),
        ("column", np.int32),
        ("kind", np.uint8),
        ("missing_yes", np.uint8),
    ],
    align=True,
)


class PathConditions(NamedTuple):
    """Questions as kernels read them."""

    questions: np.ndarray  # QUESTION records
    roots: np.ndarray  # int64
    sets: np.ndarray  # uint64: see `words_of`


class Ways(NamedTuple):
    """How questions and ends hang together. Places: questions first, then ends."""

    levels: list[np.ndarray]  # the questions of each depth
    order: np.ndarray  # int64: the questions, each after the one above it
    n_ends: int


class Runs(NamedTuple):
    """For every end, the points of a grid that come there: runs of neighbours."""

    start: np.ndarray  # int64, of ends and one more: where its runs begin
    first: np.ndarray  # int64: a run is the points first <= g < last
    last: np.ndarray  # int64
    n_points: int


def find_ways(q: Questions) -> Ways:
    """Follow all trees down, level by level."""
    levels, now = [], q.roots[q.roots >= 0]
    while len(now):
        levels.append(now)
        below = np.concatenate([q.yes[now], q.no[now]])
        now = below[below >= 0]
    return Ways(levels, np.concatenate([np.empty(0, np.int64), *levels]), len(q.ends))


def places(leads: np.ndarray, n_questions: int) -> np.ndarray:
    """Where branches lead: splits by their number, then leaves."""
    return np.where(leads >= 0, leads, n_questions - 1 - leads)


def pack(q: Questions) -> PathConditions:
    """For the kernels."""
    at, sets = words_of(q)
    packed = np.zeros(len(q.kind), QUESTION)
    packed["threshold"] = np.select([q.kind == IN_SET, q.kind == IS_MISSING], [at, np.nan], q.threshold)
    packed["yes"], packed["no"], packed["column"] = q.yes, q.no, q.column
    packed["kind"], packed["missing_yes"] = q.kind, q.missing_yes
    return PathConditions(packed, q.roots.astype(np.int64), sets)


# ----------------------------------------------------------------------------------------------------------------------

_CELLS = 1 << 27  # places times points that are followed at once


def find_runs(asked: PathConditions, ways: Ways, axes: list[tuple[int, np.ndarray]]) -> Runs:
    """Of a grid of one or two axes, (column, values)."""
    runs = [along(asked, ways, column, values) for column, values in axes]
    return runs[0] if len(runs) == 1 else _crossed(*runs)


def along(asked: PathConditions, ways: Ways, column: int, values: np.ndarray) -> Runs:
    """Of one axis."""
    mine = np.flatnonzero(asked.questions["column"] == column)
    is_plain = (asked.questions["kind"][mine] == UP_TO).all() and (values[1:] >= values[:-1]).all()
    return _intervals(asked, ways, mine, values) if is_plain else _followed(asked, ways, mine, values)


def _intervals(asked: PathConditions, ways: Ways, mine: np.ndarray, values: np.ndarray) -> Runs:
    n = len(asked.questions)
    cut = np.full(n, -1, np.int32)
    cut[mine] = np.searchsorted(values, asked.questions["threshold"][mine], side="right")
    low, high = np.zeros(n + ways.n_ends, np.int32), np.full(n + ways.n_ends, len(values), np.int32)
    if len(mine):
        _narrow(ways.order, asked.questions, cut, low, high)
    inside = low[n:] < high[n:]
    first, last = (one[n:][inside].astype(np.int64) for one in (low, high))
    return Runs(ends_of(inside), first, last, len(values))


@kernel
def _narrow(order, questions, cut, low, high):
    """The points of every place, from those of the question above it; `order`: that one comes first."""
    n = questions.size
    for q in order:
        question = questions[q]
        yes, no = np.int64(question.yes), np.int64(question.no)
        yes, no = yes if yes >= 0 else n - 1 - yes, no if no >= 0 else n - 1 - no
        low[yes], high[yes] = low[q], high[q] if cut[q] < 0 else min(high[q], cut[q])
        low[no], high[no] = low[q] if cut[q] < 0 else max(low[q], cut[q]), high[q]


def _followed(asked: PathConditions, ways: Ways, mine: np.ndarray, values: np.ndarray) -> Runs:
    """The points of every place as bits, some points at a time: a run cut in two is two runs."""
    questions = asked.questions
    n, number = len(questions), np.full(len(questions), -1)
    number[mine] = np.arange(len(mine))
    width = max(8, _CELLS // (n + ways.n_ends) // 8 * 8)
    owners, firsts, lasts = [], [], []
    for begin in range(0, len(values), width):
        some = values[begin : begin + width]
        says = np.packbits(answers(asked, mine, some), axis=1)
        come = np.full((n + ways.n_ends, says.shape[1]), 255, np.uint8)
        for level in ways.levels:
            asks = number[level] >= 0
            says_here = says[number[level[asks]]]
            for leads, bits in ((questions["yes"][level], says_here), (questions["no"][level], ~says_here)):
                below = places(leads, n)
                come[below] = come[level]
                come[below[asks]] &= bits
        here = np.unpackbits(come[n:], axis=1, count=len(some)).view(np.int8)
        edges = np.diff(here, axis=1, prepend=0, append=0)
        end, start = np.nonzero(edges == 1)
        owners.append(end)
        firsts.append(start + begin)
        lasts.append(np.nonzero(edges == -1)[1] + begin)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    start = ends_of(np.bincount(owner, minlength=ways.n_ends))
    return Runs(start, np.concatenate(firsts)[order], np.concatenate(lasts)[order], len(values))


def answers(asked: PathConditions, questions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(conditions, values): whether each value satisfies each condition."""
    packed = asked.questions[questions]
    yes = (packed["kind"][:, None] == UP_TO) & (values <= packed["threshold"][:, None])
    missing = np.isnan(values)
    for k in np.flatnonzero(packed["kind"] == IN_SET).tolist():
        place = int(packed["threshold"][k])
        words = asked.sets[place + 1 : place + 1 + int(asked.sets[place])]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little").astype(bool)
        code = np.where(missing, len(bits), values).astype(np.int64)
        yes[k] = np.append(bits, False)[np.minimum(code, len(bits))]
    return np.where(missing, packed["missing_yes"][:, None] != 0, yes)


def _crossed(a: Runs, b: Runs) -> Runs:
    """The grid of all pairs of points, those of the second axis side by side."""
    n_points = np.bincount(np.repeat(np.arange(len(a.start) - 1), np.diff(a.start)), a.last - a.first, len(a.start) - 1)
    n_points = n_points.astype(np.int64)
    owner = np.repeat(np.arange(len(a.start) - 1), np.diff(a.start))
    length = a.last - a.first
    point = np.repeat(a.first - ends_of(length)[:-1], length) + np.arange(length.sum())  # of the first axis
    whose = np.repeat(owner, length)
    n_second = np.diff(b.start)[whose]
    row = np.repeat(point, n_second) * b.n_points
    at = np.repeat(b.start[whose] - ends_of(n_second)[:-1], n_second) + np.arange(n_second.sum())
    start = ends_of(n_points * np.diff(b.start))
    return Runs(start, row + b.first[at], row + b.last[at], a.n_points * b.n_points)


def add_up(runs: Runs, weight: np.ndarray, says: np.ndarray) -> np.ndarray:
    """(scores, points): the sum over the ends of their weight times what they say."""
    lengths = np.diff(runs.start)
    found = np.empty((says.shape[1], runs.n_points))
    for s in range(says.shape[1]):
        amount = np.repeat(weight * says[:, s], lengths)
        steps = np.bincount(runs.first, amount, runs.n_points + 1) - np.bincount(runs.last, amount, runs.n_points + 1)
        found[s] = np.cumsum(steps)[:-1]
    return found


def add_up_pair(a: Runs, b: Runs, weight: np.ndarray, says: np.ndarray) -> np.ndarray:
    """(scores, points, points): the same on the grid of two axes: every end is some rectangles."""
    n_first, n_second = np.diff(a.start), np.diff(b.start)
    at_a = np.repeat(np.arange(len(a.first)), np.repeat(n_second, n_first))  # every run of an end by every other's
    owner = np.repeat(np.repeat(np.arange(len(n_first)), n_first), np.repeat(n_second, n_first))
    n_each = np.repeat(n_second, n_first)
    at_b = np.arange(len(at_a)) - np.repeat(ends_of(n_each)[:-1], n_each) + b.start[owner]
    shape = a.n_points + 1, b.n_points + 1
    corners = [(a.first, b.first, 1.0), (a.first, b.last, -1.0), (a.last, b.first, -1.0), (a.last, b.last, 1.0)]
    found = np.empty((says.shape[1], a.n_points, b.n_points))
    for s in range(says.shape[1]):
        amount = (weight * says[:, s])[owner]
        steps = np.zeros(shape[0] * shape[1])
        for first, second, sign in corners:
            steps += np.bincount(first[at_a] * shape[1] + second[at_b], sign * amount, len(steps))
        found[s] = np.cumsum(np.cumsum(steps.reshape(shape), axis=0), axis=1)[:-1, :-1]
    return found


def cover_weights(asked: PathConditions, ways: Ways, cover: np.ndarray, columns: list[int]) -> np.ndarray:
    """(leaves,): the fraction of the training rows that would reach them if the columns were left open ("recursion").

    At splits on other columns a row is divided by the fractions of the training rows that took each branch. `cover` is
    the training weight of every leaf.
    """
    questions = asked.questions
    n, yes_of, no_of = len(questions), questions["yes"], questions["no"]
    whole = np.concatenate([np.zeros(n), cover])
    for level in ways.levels[::-1]:
        whole[level] = whole[places(yes_of[level], n)] + whole[places(no_of[level], n)]
    share = np.ones(len(whole))
    for level in ways.levels:
        yes, no = places(yes_of[level], n), places(no_of[level], n)
        is_open = np.isin(questions["column"][level], columns)
        total = np.where(whole[level] > 0, whole[level], 1.0)
        left = np.where(whole[level] > 0, whole[yes] / total, 0.5)
        share[yes] = share[level] * np.where(is_open, 1.0, left)
        share[no] = share[level] * np.where(is_open, 1.0, 1.0 - left)
    return share[n:]


# ----------------------------------------------------------------------------------------------------------------------


_ROW, _GROUP = 0xFFFF, 16  # of an item: the bits of its row, and where its group begins
BLOCK = 4096  # rows that go together
_GROUPS, _COUNTS = 1 << 14, 1 << 23  # groups, and counts of groups and ends, that are made at once
_TRIED = 64  # batches that a group is tried with

Group = tuple[list[int], Runs]  # columns, and the points that lead to each end
Sums = tuple[np.ndarray, np.ndarray]  # what ends add (ends, scores), and where sums start (scores,)


class _Desk(NamedTuple):
    """What a walk needs."""

    items: np.ndarray  # int32: lists, one after the other
    stack: np.ndarray  # int64 (depths, 3): places to go to, and where their lists begin and end


def _make_desk(ways: Ways, n_rows: int, *threads: int) -> _Desk:
    deep = len(ways.levels) + 2
    return _Desk(np.empty((*threads, deep * n_rows), np.int32), np.empty((*threads, deep, 3), np.int64))


@inner_kernel
def _begin(desk, root, n_rows):
    """All rows of a block at the root: one place waits."""
    for i in range(n_rows):
        desk.items[i] = i
    desk.stack[0, 0], desk.stack[0, 1], desk.stack[0, 2] = root, 0, n_rows
    return 1


@inner_kernel
def _next_end(asked, group_of, values, desk, n):
    """Go on to the next end that items come to: (end, where its list begins and ends, how many places wait now)."""
    n -= 1
    place, begin, end = desk.stack[n, 0], desk.stack[n, 1], desk.stack[n, 2]
    while place >= 0:
        question = asked.questions[place]
        n_no, n_yes = _part(asked, question, group_of[question.column], values[question.column], desk.items, begin, end)
        if n_no > 0 and n_yes > 0:
            desk.stack[n, 0], desk.stack[n, 1], desk.stack[n, 2] = question.no, begin, begin + n_no
            n += 1
        if n_yes > 0:
            place, begin, end = np.int64(question.yes), end, end + n_yes
        else:
            place, end = np.int64(question.no), begin + n_no
    return -1 - place, begin, end, n


@inner_kernel
def _part(asked, question, group, x, items, begin, end):
    """(how many stay for no, how many stand behind the list for yes)."""
    n_no, n_yes, mark = np.int64(0), np.int64(0), group << _GROUP
    threshold, missing_yes, is_set = question.threshold, question.missing_yes != 0, question.kind == IN_SET
    for k in range(begin, end):
        item = items[k]
        value, own = x[item & _ROW], item >> _GROUP
        is_missing = value != value
        if is_set and not is_missing:
            yes = is_in(asked.sets, np.int64(threshold), np.int64(value))
        else:
            yes = (value <= threshold) | (missing_yes & is_missing)
        is_both = (group > 0) & ((own == 0) | (own == group))
        marked = item | mark if is_both else item
        items[begin + n_no] = marked if yes else item
        items[end + n_yes] = item if yes else marked
        n_no += np.int64((not yes) | is_both)
        n_yes += np.int64(yes | is_both)
    return n_no, n_yes


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


def _group_of(groups: list[list[int]], n_columns: int) -> np.ndarray:
    """int64 (columns,): the number of a column's group, from 1; 0: it is in none."""
    found = np.zeros(n_columns, np.int64)
    for number, columns in enumerate(groups, 1):
        found[columns] = number
    return found


def count_open(
    asked: PathConditions,
    ways: Ways,
    values: np.ndarray,
    weight: np.ndarray,
    groups: list[list[int]],
    team: Team,
    n_rows: int = BLOCK,
) -> np.ndarray:
    """(groups, ends): the weight of the rows that come to each end if a group is left open; n_rows go together."""
    found, desk = np.empty((len(groups), ways.n_ends)), _make_desk(ways, n_rows, team.size)
    for batch in disjoint(groups, max(1, min(_GROUPS, _COUNTS // ways.n_ends))):
        group_of = _group_of([groups[k] for k in batch], values.shape[1])
        counts = np.zeros((len(batch) + 1, ways.n_ends))
        team.run(_count, asked, group_of, np.ascontiguousarray(values.T), weight, n_rows, counts, desk)
        found[batch] = counts[1:] + counts[0]
    return found


@kernel
def _count(rank, size, sync, asked, group_of, values, weight, most, counts, desks):
    """A thread has whole trees to itself."""
    desk = _Desk(desks.items[rank], desks.stack[rank])
    while True:
        tree = next_chunk(sync)
        if tree >= asked.roots.size:
            return
        for first in range(0, weight.size, most):
            n_rows = min(most, weight.size - first)
            block, weights = values[:, first : first + n_rows], weight[first : first + n_rows]
            n = _begin(desk, asked.roots[tree], n_rows)
            while n > 0:
                place, begin, end, n = _next_end(asked, group_of, block, desk, n)
                for k in range(begin, end):
                    item = desk.items[k]
                    counts[item >> _GROUP, place] += weights[item & _ROW]


class _Grids(NamedTuple):
    """The grids of several groups, one after the other: each has its points, and a place behind them."""

    bounds: np.ndarray  # int64, of groups and one more: where its points begin
    start: np.ndarray  # int64 (groups, ends and one more): where the runs of an end begin
    first: np.ndarray  # int64: a run is the points first <= g < last
    last: np.ndarray  # int64


def row_curves(
    asked: PathConditions, ways: Ways, values: np.ndarray, groups: list[Group], sums: Sums
) -> list[np.ndarray]:
    """Of each group (scores, points, rows): what each row's trees add up to at each point of its grid."""
    runs = [one for _, one in groups]
    bounds = ends_of(np.array([one.n_points + 1 for one in runs]))
    n_before = ends_of(np.array([len(one.first) for one in runs]))
    grids = _Grids(
        bounds,
        np.stack([one.start + n for one, n in zip(runs, n_before)]),
        *(np.concatenate([getattr(one, name) + n for one, n in zip(runs, bounds)]) for name in ("first", "last")),
    )
    (says, start), (n_rows, n_columns) = sums, values.shape
    curves = np.zeros((len(start), bounds[-1], n_rows))
    raw, own = np.repeat(start[:, None], n_rows, axis=1), np.empty((len(start), n_rows))
    group_of = _group_of([columns for columns, _ in groups], n_columns)
    laid, desk = np.ascontiguousarray(values.T), _make_desk(ways, n_rows)
    groups_of = np.zeros_like(group_of), group_of
    _add_curves(asked, groups_of, laid, grids, np.ascontiguousarray(says.T), desk, own, raw, curves)
    return [curves[:, begin : begin + one.n_points] for begin, one in zip(bounds, runs)]


@kernel
def _add_curves(asked, groups_of, values, grids, says, desk, own, raw, curves):
    """`raw` grows with the trees, `own` is what this tree adds to each row, `curves` are first the steps."""
    n_scores, n_rows = raw.shape
    for root in asked.roots:
        n = _begin(desk, root, n_rows)
        while n > 0:
            there, begin, end, n = _next_end(asked, groups_of[0], values, desk, n)
            for s in range(n_scores):
                for k in range(begin, end):
                    own[s, desk.items[k]] = says[s, there]
        for s in range(n_scores):
            for i in range(n_rows):
                raw[s, i] += own[s, i]
        n = _begin(desk, root, n_rows)
        while n > 0:
            there, begin, end, n = _next_end(asked, groups_of[1], values, desk, n)
            for k in range(begin, end):
                group, i = (desk.items[k] >> _GROUP) - 1, desk.items[k] & _ROW
                if group < 0:
                    continue
                for s in range(n_scores):
                    change = says[s, there] - own[s, i]
                    if change != 0.0:
                        for run in range(grids.start[group, there], grids.start[group, there + 1]):
                            curves[s, grids.first[run], i] += change
                            curves[s, grids.last[run], i] -= change
    for s in range(n_scores):
        for group in range(grids.bounds.size - 1):
            for i in range(n_rows):
                curves[s, grids.bounds[group], i] += raw[s, i]
            for g in range(grids.bounds[group] + 1, grids.bounds[group + 1]):
                for i in range(n_rows):
                    curves[s, g, i] += curves[s, g - 1, i]

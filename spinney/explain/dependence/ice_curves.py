"""What each row's trees add up to as columns change: a curve per row and group of columns, or the mean of all answers.

In: questions, a table of numbers, groups of columns with the points at which they are set (`Runs`). Out:

    row_curves     (rows, points, scores): raw scores, of one group
    mean_answers   of each group (points, outputs): the weighted mean over the rows of what becomes of their raw scores

A row's curve is its own raw score everywhere, and steps: where it may leave its way (open_descent.py), what the other
end says less what its own says, on the points that lead there. Sixty-four rows have their steps side by side for every
point of a group; running sums along the points, and what becomes of them, are the same arithmetic for all of them,
which the compiler turns into vectors.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spinney._compile import MEMBERS, inner_kernel, kernel, lowest_bit, separate_kernel
from spinney._team import Team, next_chunk
from spinney.criteria.exp_log import exp, sigmoid
from spinney.explain.dependence.leaf_regions import PathConditions, Runs, Ways
from spinney.explain.dependence.open_descent import (
    NOBODY,
    ONE,
    Detours,
    curves_by_lists,
    everybody_at,
    find_detours,
    go_astray,
    go_down,
    in_columns,
    make_rows,
)
from spinney.tree.forest import ends_of

LANES = MEMBERS  # rows side by side: those of a set
_CURVES = 1 << 22  # numbers of curves that are made at once
_CHUNKS = 64  # parts of the rows with sums of their own
LOGISTIC, EXP, SOFTMAX = range(3)  # what becomes of raw scores


class _Stops(NamedTuple):
    """Where detours end on points of the grid: all groups', one after the other."""

    start: np.ndarray  # int64, of groups and one more
    points: np.ndarray  # int64, of groups and one more: where its points begin among those of all
    detour: np.ndarray  # int32: counted from the group's first
    end: np.ndarray  # int32
    tree: np.ndarray  # int32
    first: np.ndarray  # int32: on the points first <= g < last
    last: np.ndarray  # int32


class _Sums(NamedTuple):
    """What ends add."""

    says: np.ndarray  # float64 (ends, scores)
    scores: np.ndarray  # int64 (trees, 2): the scores that a tree adds to: first <= s < last
    tree: np.ndarray  # int64, of ends; -1: nobody comes there
    start: np.ndarray  # float64 (scores,)


class _Lanes(NamedTuple):
    """What each thread has for its rows."""

    steps: np.ndarray  # float64 (threads, scores, points and one more, LANES)
    base: np.ndarray  # float64 (threads, scores, LANES): the row's own raw score
    own: np.ndarray  # int32 (threads, trees, LANES): the end of the row
    now: np.ndarray  # float64 (threads, scores + 2, LANES): its raw scores at a point, and room for two numbers more


class _Plan(NamedTuple):
    """All that a walk needs to know."""

    order: np.ndarray  # of the questions
    detours: Detours
    stops: _Stops
    sums: _Sums


def blocks_of_rows(n_rows: int, n_points: int, n_scores: int) -> list[slice]:
    """Rows whose curves are made at once."""
    step = max(1, _CURVES // max(n_points * n_scores, 1) // LANES) * LANES
    return [slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]


def points_at_once(n_scores: int) -> int:
    """How many points of all groups together are averaged at once."""
    return max(1, _CURVES // _CHUNKS // n_scores)


def _plan(
    asked: PathConditions,
    ways: Ways,
    groups: list[tuple[list[int], Runs]],
    sums: tuple[np.ndarray, np.ndarray],
    n_columns: int,
) -> _Plan:
    detours = find_detours(asked, ways, [columns for columns, _ in groups], n_columns)
    n, lengths = len(asked.questions), []
    parts: list[list[np.ndarray]] = []
    for number, (_, runs) in enumerate(groups):
        first, last = detours.start[number, 0], detours.start[number, -1]
        detour = np.flatnonzero(detours.place[first:last] >= n)
        end = detours.place[first:last][detour] - n
        n_runs = np.diff(runs.start)[end]
        at = np.repeat(runs.start[end] - ends_of(n_runs)[:-1], n_runs) + np.arange(n_runs.sum())
        detour, end = np.repeat(detour, n_runs), np.repeat(end, n_runs)
        parts.append([detour, end, ways.tree[n + end], runs.first[at], runs.last[at]])
        lengths.append(len(detour))
    stops = _Stops(
        ends_of(np.array(lengths)),
        ends_of(np.array([runs.n_points for _, runs in groups])),
        *(np.concatenate(arrays).astype(np.int32) for arrays in zip(*parts)),
    )
    return _Plan(ways.order, detours, stops, _sums(asked, ways, *sums))


def _sums(asked: PathConditions, ways: Ways, says: np.ndarray, start: np.ndarray) -> _Sums:
    """With the scores that each tree adds to."""
    n_trees, n_scores = len(asked.roots), says.shape[1]
    tree = ways.tree[len(asked.questions) :]
    adds = np.zeros((n_trees, n_scores), bool)
    for s in range(n_scores):
        adds[:, s] = np.bincount(tree[tree >= 0], says[tree >= 0, s] != 0.0, n_trees) > 0
    scores = np.zeros((n_trees, 2), np.int64)
    scores[:, 0] = adds.argmax(axis=1)
    scores[:, 1] = np.where(adds.any(axis=1), n_scores - adds[:, ::-1].argmax(axis=1), scores[:, 0])
    return _Sums(np.ascontiguousarray(says), scores, tree, np.ascontiguousarray(start))


def _lanes(plan: _Plan, asked: PathConditions, team: Team) -> _Lanes:
    t, n_scores = team.size, len(plan.sums.start)
    most = int(np.diff(plan.stops.points).max(initial=0)) + 1
    return _Lanes(
        np.empty((t, n_scores, most, LANES)),
        np.empty((t, n_scores, LANES)),
        np.zeros((t, len(asked.roots), LANES), np.int32),
        np.empty((t, n_scores + 2, LANES)),
    )


def row_curves(
    asked: PathConditions,
    ways: Ways,
    values: np.ndarray,
    columns: list[int],
    runs: Runs,
    sums: tuple[np.ndarray, np.ndarray],
    team: Team,
) -> np.ndarray:
    """(rows, points, scores): what each row's trees add up to, with its columns set to each point of the grid."""
    if ways.is_deep:
        return curves_by_lists(asked, ways, values, columns, runs, sums, team)
    plan = _plan(asked, ways, [(columns, runs)], sums, values.shape[1])
    out = np.empty((len(values), runs.n_points, len(plan.sums.start)))
    lanes, rows = _lanes(plan, asked, team), make_rows(ways, plan.detours, team)
    team.run(_row_curves, asked, plan, in_columns(values), out, lanes, rows)
    return out


def mean_answers(
    asked: PathConditions,
    ways: Ways,
    values: np.ndarray,
    share: np.ndarray,
    groups: list[tuple[list[int], Runs]],
    sums: tuple[np.ndarray, np.ndarray],
    link: tuple[int, float],
    team: Team,
) -> list[np.ndarray]:
    """Of each group (columns, runs): (points, outputs). `share`: of rows; `sums`: what ends say, and the start."""
    plan = _plan(asked, ways, groups, sums, values.shape[1])
    n_blocks, points = -(-len(values) // LANES), plan.stops.points
    n_each = -(-n_blocks // _CHUNKS)
    parts = np.zeros((-(-n_blocks // n_each), points[-1], len(plan.sums.start)))
    lanes, rows = _lanes(plan, asked, team), make_rows(ways, plan.detours, team)
    counting = np.append(share, np.zeros(n_blocks * LANES - len(share))), len(share), n_each * LANES
    team.run(_mean_answers, asked, plan, in_columns(values), counting, link, parts, lanes, rows)
    total = parts.sum(axis=0)
    return [total[begin:stop] for begin, stop in pairwise(points.tolist())]


@kernel
def _row_curves(rank, size, sync, asked, plan, values, out, lanes, rows):
    steps, base, now = lanes.steps[rank], lanes.base[rank], lanes.now[rank]
    while True:
        begin = next_chunk(sync) * LANES
        if begin >= out.shape[0]:
            return
        n = min(LANES, out.shape[0] - begin)
        _go_down(rank, asked, plan, values[:, begin : begin + LANES], n, lanes, rows)
        _add_steps(rank, plan, 0, lanes, rows)
        for s in range(out.shape[2]):
            for i in range(n):
                now[s, i] = base[s, i]
            for g in range(out.shape[1]):
                for i in range(n):
                    now[s, i] += steps[s, g, i]
                    out[begin + i, g, s] = now[s, i]


@kernel
def _mean_answers(rank, size, sync, asked, plan, values, counting, link, parts, lanes, rows):
    share, n_all, n_each = counting
    points = plan.stops.points
    while True:
        chunk = next_chunk(sync)
        if chunk >= parts.shape[0]:
            return
        for begin in range(chunk * n_each, min((chunk + 1) * n_each, n_all), LANES):
            n = min(LANES, n_all - begin)
            _go_down(rank, asked, plan, values[:, begin : begin + LANES], n, lanes, rows)
            for group in range(points.size - 1):
                _add_steps(rank, plan, group, lanes, rows)
                part = parts[chunk, points[group] : points[group + 1]]
                _answer(share[begin : begin + LANES], link, part, lanes.steps[rank], lanes.base[rank], lanes.now[rank])


@separate_kernel
def _go_down(rank, asked, plan, values, n, lanes, rows):
    """Up to LANES rows to their ends: `own`, and their raw scores in `base`."""
    main, base, own, sums = rows.main[rank], lanes.base[rank], lanes.own[rank], plan.sums
    n_questions = asked.questions.size
    everybody = everybody_at(asked, n, main)
    go_down(asked, plan.order, values, everybody, main, rows.come[rank])
    for end in range(sums.tree.size):
        tree = sums.tree[end]
        if tree >= 0:
            there = main[n_questions + end]
            while there != NOBODY:
                own[tree, lowest_bit(there)] = end
                there &= there - ONE
    for s in range(base.shape[0]):
        for i in range(LANES):
            base[s, i] = sums.start[s]
    for tree in range(own.shape[0]):
        for s in range(sums.scores[tree, 0], sums.scores[tree, 1]):
            for i in range(n):
                base[s, i] += sums.says[own[tree, i], s]


@separate_kernel
def _add_steps(rank, plan, group, lanes, rows):
    """What changes between the points of a group, for rows that leave their way."""
    steps, own, left, stops = lanes.steps[rank], lanes.own[rank], rows.left[rank], plan.stops
    says, n_points = plan.sums.says, stops.points[group + 1] - stops.points[group]
    for s in range(steps.shape[0]):
        for g in range(n_points):
            for i in range(LANES):
                steps[s, g, i] = 0.0
    first, stop = plan.detours.start[group, 0], plan.detours.start[group, -1]
    go_astray(plan.detours, first, first, stop, rows.main[rank], rows.come[rank], left)
    for k in range(stops.start[group], stops.start[group + 1]):
        there = left[stops.detour[k]]
        if there == NOBODY:
            continue
        end, tree, begin, behind = stops.end[k], stops.tree[k], stops.first[k], stops.last[k]
        for s in range(plan.sums.scores[tree, 0], plan.sums.scores[tree, 1]):
            rest, here, up, down = there, says[end, s], steps[s, begin], steps[s, behind]
            while rest != NOBODY:
                i = lowest_bit(rest)
                rest &= rest - ONE
                change = here - says[own[tree, i], s]
                up[i] += change
                down[i] -= change


@separate_kernel
def _answer(share, link, part, steps, base, now):
    """Add the answers of LANES rows, each times its share, to the sums of a group's points."""
    kind, scale = link
    n_scores = base.shape[0]
    for s in range(n_scores):
        for i in range(LANES):
            now[s, i] = base[s, i]
    for g in range(part.shape[0]):
        for s in range(n_scores):
            for i in range(LANES):
                now[s, i] += steps[s, g, i]
        if kind == SOFTMAX:
            _add_softmax(now, steps[:, g], share, part[g])
            continue
        for s in range(n_scores):
            answers = steps[s, g]
            if kind == LOGISTIC:
                for i in range(LANES):
                    answers[i] = sigmoid(scale * now[s, i])
            else:
                for i in range(LANES):
                    answers[i] = exp(scale * now[s, i])
            part[g, s] += _dot(answers, share)


@inner_kernel
def _dot(answers, share):
    """Of LANES numbers: eight sums side by side."""
    a = b = c = d = e = f = g = h = 0.0
    for i in range(0, LANES, 8):
        a += answers[i] * share[i]
        b += answers[i + 1] * share[i + 1]
        c += answers[i + 2] * share[i + 2]
        d += answers[i + 3] * share[i + 3]
        e += answers[i + 4] * share[i + 4]
        f += answers[i + 5] * share[i + 5]
        g += answers[i + 6] * share[i + 6]
        h += answers[i + 7] * share[i + 7]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@inner_kernel
def _add_softmax(now, answers, share, part):
    """Of all scores together; the last two lines of `now`: the largest of a row, and the sum of its exponentials."""
    n_scores = part.size
    most, total = now[n_scores], now[n_scores + 1]
    for i in range(LANES):
        most[i], total[i] = now[0, i], 0.0
    for s in range(1, n_scores):
        for i in range(LANES):
            most[i] = max(most[i], now[s, i])
    for s in range(n_scores):
        for i in range(LANES):
            answers[s, i] = exp(now[s, i] - most[i])
            total[i] += answers[s, i]
    for s in range(n_scores):
        for i in range(LANES):
            answers[s, i] /= total[i]
        part[s] += _dot(answers[s], share)

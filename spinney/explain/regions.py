"""Which points of a grid come to which end of a tree, and what ends of known weights add up to on the grid.

In: questions, and one or two axes: a column and its values (categories as their numbers, NaN for missing). Out: `Runs`
on the grid, laid out point after point; sums over the ends of weight times value at each point.

Along a sorted axis without missing values, what comes to an end is an interval. Else each point is followed down.
"""

from __future__ import annotations

import numpy as np

from spinney.explain.open_columns import Runs
from spinney.explain.ways import Asked, Ways, places
from spinney.tree.arrays import ends_of
from spinney.tree.questions import IN_SET, UP_TO

_CELLS = 1 << 25  # slots times points that are followed at once


def find_runs(asked: Asked, ways: Ways, axes: list[tuple[int, np.ndarray]]) -> Runs:
    """Of a grid of one or two axes, (column, values)."""
    runs = [along(asked, ways, column, values) for column, values in axes]
    return runs[0] if len(runs) == 1 else _crossed(*runs)


def along(asked: Asked, ways: Ways, column: int, values: np.ndarray) -> Runs:
    """Of one axis."""
    mine = ways.slots_of(column)
    kinds = asked.questions["kind"][ways.slot_question[mine]]
    is_plain = (kinds == UP_TO).all() and (values[1:] >= values[:-1]).all() and not np.isnan(values).any()
    return _intervals(asked, ways, mine, values) if is_plain else _followed(asked, ways, mine, values)


def _intervals(asked: Asked, ways: Ways, mine: np.ndarray, values: np.ndarray) -> Runs:
    n_ends = len(ways.slot_start) - 1
    low, high = np.zeros(n_ends, np.int64), np.full(n_ends, len(values), np.int64)
    cut = np.searchsorted(values, asked.questions["threshold"][ways.slot_question[mine]], side="right")
    for is_yes, bound, narrow in ((True, high, np.minimum), (False, low, np.maximum)):
        some = np.flatnonzero(ways.slot_yes[mine] == is_yes)
        if not len(some):
            continue
        end = ways.slot_end[mine[some]]
        first = np.flatnonzero(np.diff(end, prepend=-1))
        bound[end[first]] = narrow.reduceat(cut[some], first)
    inside = low < high
    return Runs(ends_of(inside), low[inside], high[inside], len(values))


def _followed(asked: Asked, ways: Ways, mine: np.ndarray, values: np.ndarray) -> Runs:
    """Some points at a time: a run cut in two is two runs. Ends on whose way nobody asks have all points."""
    n_ends = len(ways.slot_start) - 1
    questions, number = np.unique(ways.slot_question[mine], return_inverse=True)
    has, first = np.unique(ways.slot_end[mine], return_index=True)
    width = max(1, _CELLS // max(len(mine), 1))
    owners = [np.setdiff1d(np.arange(n_ends), has)]
    firsts, lasts = [np.zeros(len(owners[0]), np.int64)], [np.full(len(owners[0]), len(values), np.int64)]
    for begin in range(0, len(values) if len(mine) else 0, width):
        says = answers(asked, questions, values[begin : begin + width])
        here = np.logical_and.reduceat(says[number] == ways.slot_yes[mine, None], first, axis=0)
        edges = np.diff(here.astype(np.int8), axis=1, prepend=0, append=0)
        end, start = np.nonzero(edges == 1)
        owners.append(has[end])
        firsts.append(start + begin)
        lasts.append(np.nonzero(edges == -1)[1] + begin)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    start = ends_of(np.bincount(owner, minlength=n_ends))
    return Runs(start, np.concatenate(firsts)[order], np.concatenate(lasts)[order], len(values))


def answers(asked: Asked, questions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(questions, values): whether each value says yes to each question."""
    packed = asked.questions.view(np.ndarray)[questions]
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


def cover_weights(asked: Asked, ways: Ways, cover: np.ndarray, columns: list[int]) -> np.ndarray:
    """(ends,): the share of the training rows that would come there if the columns were left open ("recursion").

    At questions about other columns a row is split in the shares of the training rows that went each way. `cover` is
    the training weight of every end.
    """
    questions = asked.questions.view(np.ndarray)
    n, leads = len(questions), (questions["yes"], questions["no"])
    whole = np.concatenate([np.zeros(n), cover])
    for level in ways.levels[::-1]:
        whole[level] = whole[places(leads[0][level], n)] + whole[places(leads[1][level], n)]
    share = np.ones(len(whole))
    for level in ways.levels:
        yes, no = places(leads[0][level], n), places(leads[1][level], n)
        is_open = np.isin(questions["column"][level], columns)
        total = np.where(whole[level] > 0, whole[level], 1.0)
        left = np.where(whole[level] > 0, whole[yes] / total, 0.5)
        share[yes] = share[level] * np.where(is_open, 1.0, left)
        share[no] = share[level] * np.where(is_open, 1.0, 1.0 - left)
    return share[n:]

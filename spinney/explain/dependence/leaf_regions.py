"""Which points of a grid come to which end of a tree, and what ends of known weights add up to on the grid.

In: questions, and one or two axes: a column and its values (categories as their numbers, NaN for missing). Out: `Runs`
on the grid, laid out point after point; sums over the ends of weight times value at each point.

Along a sorted axis without missing values, what comes to an end is an interval. Else each point is followed down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney.tree.forest import ends_of
from spinney.tree.questions import IN_SET, IS_MISSING, UP_TO, Questions, words_of

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

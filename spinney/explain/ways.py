"""How the questions and ends of all trees hang together, and questions as kernels read them.

In: `Questions` (tree/questions.py). Out: `Ways` and `PathConditions`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.tree.forest import ends_of
from spinney.tree.questions import IN_SET, UP_TO, Questions

DEEP = 10  # questions on the mean way to an end
_PARTS = 16  # of all trees, for threads to take

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
    sets: np.ndarray  # uint64: of each set, how many words it has, and these: bit c % 64 of word c // 64: category c


class Ways(NamedTuple):
    """How questions and ends hang together. Places: questions first, then ends."""

    levels: list[np.ndarray]  # the questions of each depth
    order: np.ndarray  # int64: the questions, tree by tree, each after the one above it
    parts: np.ndarray  # int64: where parts of some trees begin in `order`, and its end
    tree: np.ndarray  # int64, of places; -1: out of reach
    mean_depth: float  # of the ends
    n_ends: int
    n_places: int

    @property
    def is_deep(self) -> bool:
        """Whether rows are so far apart that they had better go as lists (open_lists.py)."""
        return self.mean_depth > DEEP


class Runs(NamedTuple):
    """For every end, the points of a grid that come there: runs of neighbours."""

    start: np.ndarray  # int64, of ends and one more: where its runs begin
    first: np.ndarray  # int64: a run is the points first <= g < last
    last: np.ndarray  # int64
    n_points: int


def find_ways(q: Questions) -> Ways:
    """Follow all trees down, level by level."""
    n_questions, n_ends = len(q.kind), len(q.ends)
    tree = np.full(n_questions + n_ends, -1, np.int64)
    tree[places(q.roots, n_questions)] = np.arange(len(q.roots))
    levels, now, total = [], q.roots[q.roots >= 0], 0
    while len(now):
        levels.append(now)
        below = places(np.concatenate([q.yes[now], q.no[now]]), n_questions)
        tree[below] = np.concatenate([tree[now], tree[now]])
        now = below[below < n_questions]
        total += len(levels) * (len(below) - len(now))
    order = np.concatenate(levels) if levels else np.empty(0, np.int64)
    order = order[np.argsort(tree[order], kind="stable")]
    firsts = np.linspace(0, len(q.roots), min(len(q.roots), _PARTS) + 1).astype(np.int64)
    parts = np.searchsorted(tree[order], firsts)
    return Ways(levels, order, parts, tree, total / max(n_ends, 1), n_ends, n_questions + n_ends)


def places(leads: np.ndarray, n_questions: int) -> np.ndarray:
    """Where branches lead: splits by their number, then leaves."""
    return np.where(leads >= 0, leads, n_questions - 1 - leads)


@inner_kernel
def place_of(leads, n_questions):
    """The same for one branch."""
    lead = np.int64(leads)
    return lead if lead >= 0 else n_questions - 1 - lead


@inner_kernel
def is_yes(asked, question, x):
    """Whether a value satisfies a condition."""
    if x != x:
        return question.missing_yes != 0
    if question.kind == UP_TO:
        return x <= question.threshold
    if question.kind != IN_SET:
        return False
    c, place = np.int64(x), np.int64(question.threshold)
    if c >> 6 >= np.int64(asked.sets[place]):
        return False
    return (asked.sets[place + 1 + (c >> 6)] >> np.uint64(c & 63)) & np.uint64(1) != np.uint64(0)


def pack(q: Questions) -> PathConditions:
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
    packed["kind"], packed["missing_yes"] = q.kind, q.missing_yes
    return PathConditions(packed, q.roots.astype(np.int64), sets)

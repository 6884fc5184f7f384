"""How the questions and ends of all trees hang together, and questions as kernels read them.

In: `Questions` (tree/questions.py). Out: `Ways`, with a slot for every question on the way to every end, and `Asked`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney.tree.arrays import ends_of
from spinney.tree.questions import Questions
from spinney.tree.shape import trails

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

"""All trees of a forest as questions with two answers each, for exports and partial dependence.

In: a `Forest` in which every row has one path. Out: `Questions`, flat arrays over all trees. A question of many
branches becomes several that halve the branches, since categories are numbered. One whose missing values stop there
starts with a question for these. A row may therefore end in nodes that are not leaves: `ends` has them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney.data.schema import Schema
from spinney.tree.forest import (
    ASKS_BRANCHES,
    MISSING_LEFT,
    MISSING_SPREADS,
    MISSING_STOPS,
    Forest,
    ends_of,
    unpack_sets,
)

_CELLS = 1 << 24  # bits of sets that are unpacked at once
UP_TO, IN_SET, IS_MISSING = range(3)  # is x <= threshold, is x in the set, is x missing (which `missing_yes` answers)


class Questions(NamedTuple):
    """An answer leads to the number of a question, or to -1 - e for the end e."""

    kind: np.ndarray  # uint8: UP_TO, IN_SET or IS_MISSING
    column: np.ndarray  # int64
    threshold: np.ndarray  # float64: UP_TO; of categories, their numbers are compared
    missing_yes: np.ndarray  # bool: whether missing values answer yes
    yes: np.ndarray  # int64
    no: np.ndarray  # int64
    roots: np.ndarray  # int64: where each tree begins
    ends: np.ndarray  # int64: the node of the store that each end is
    set_start: np.ndarray  # int64, per question and one more: where its set begins in `members`
    members: np.ndarray  # int64: categories, ascending in each set


def spreads(forest: Forest) -> bool:
    """Whether missing values go down several branches, so that rows have several paths."""
    return bool((forest.turn & MISSING_SPREADS).any())


def read_questions(forest: Forest, schema: Schema) -> Questions:
    """The questions of all trees."""
    assert not spreads(forest)
    forest = forest.with_thresholds()
    leaves, asks = np.flatnonzero(forest.is_leaf), np.flatnonzero(~forest.is_leaf)
    place = np.empty(forest.n_nodes, np.int64)  # of every node: its question or end
    place[asks], place[leaves] = np.arange(len(asks)), -1 - np.arange(len(leaves))
    left = asks + 1
    yes, no = place[left], place[np.minimum(left + forest.size[left], forest.n_nodes - 1)]
    missing_yes = (forest.turn & MISSING_LEFT) != 0
    start, members, turned = _members(forest, [len(column.categories or ()) for column in schema.columns])
    at = np.flatnonzero(forest.is_set)[turned]
    yes[at], no[at], missing_yes[at] = no[at], yes[at], ~missing_yes[at]
    lengths = np.zeros(len(asks), np.int64)
    lengths[forest.is_set] = np.diff(start)
    is_set = lengths > 0
    kind = np.where(is_set, IN_SET, UP_TO).astype(np.uint8)
    kind[forest.is_set & ~is_set] = IS_MISSING  # a set of nothing
    found = Questions(
        kind=kind,
        column=forest.feature.astype(np.int64),
        threshold=np.where(kind == UP_TO, forest.thresholds(), 0.0),
        missing_yes=missing_yes,
        yes=yes,
        no=no,
        roots=place[forest.first[:-1]],
        ends=leaves,
        set_start=ends_of(lengths),
        members=members,
    )
    special = np.flatnonzero(forest.turn & (ASKS_BRANCHES | MISSING_STOPS))
    return _with_special(found, forest, place, asks, special) if len(special) else found


def _members(forest: Forest, n_categories: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(where each set of the forest starts, and one more; the categories of all sets; which sets are complemented).

    A set of more than half of the categories is written as its complement, with its answers exchanged.
    """
    feature, n_sets = forest.feature[forest.is_set], len(forest.set_start) - 1
    turned, owners, found = np.zeros(n_sets, bool), [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for j in np.unique(feature).tolist():
        mine, n = np.flatnonzero(feature == j), n_categories[j]
        words = np.arange(-(-n // 64))[None, :]
        for some in np.array_split(mine, -(-len(mine) * n // _CELLS) or 1):
            length = np.diff(forest.set_start)[some, None]  # the last categories may be in no set
            sets = forest.sets[np.minimum(forest.set_start[some, None] + words, len(forest.sets) - 1)]
            is_in = unpack_sets(np.where(words < length, sets, 0))[:, :n]
            turned[some] = is_in.sum(axis=1) * 2 > n
            rows, members = np.nonzero(is_in ^ turned[some, None])
            owners.append(some[rows])
            found.append(members)
    owner, whole = np.concatenate(owners), np.concatenate(found)
    order = np.argsort(owner, kind="stable")
    return ends_of(np.bincount(owner, minlength=n_sets)), whole[order], turned


class _Added:
    """Questions that are appended after all others."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.rows: list[tuple[int, int, float, bool, int, int]] = []  # the first six columns of `Questions`
        self.set_of: list[int] = []  # the question whose set it has, or -1

    def add(self, row: tuple[int, int, float, bool, int, int], set_of: int = -1) -> int:
        self.rows.append(row)
        self.set_of.append(set_of)
        return self.first + len(self.rows) - 1

    def halve(self, column: int, ways: list[int], first: int, missing: int) -> int:
        """Which of the branches `first`, `first + 1`, ... leading to `ways`; missing values take branch `missing`."""
        if len(ways) == 1:
            return ways[0]
        half = len(ways) // 2
        last = first + half - 1
        yes = self.halve(column, ways[:half], first, missing)
        no = self.halve(column, ways[half:], last + 1, missing)
        return self.add((UP_TO, column, float(last), missing <= last, yes, no))


def _with_special(q: Questions, forest: Forest, place: np.ndarray, asks: np.ndarray, special: np.ndarray) -> Questions:
    """Split questions of many branches, and test for missing values first where these stop."""
    added, ends = _Added(len(q.kind)), list(q.ends)
    kind, threshold, missing_yes, yes, no = (one.copy() for one in (q.kind, q.threshold, q.missing_yes, q.yes, q.no))
    set_of = np.arange(len(kind))
    for k in special.tolist():
        turn, column, node = int(forest.turn[k]), int(q.column[k]), int(asks[k])
        if turn & ASKS_BRANCHES:
            missing = 0 if turn & (MISSING_LEFT | MISSING_STOPS) else 1
            rest = added.halve(column, place[_children(forest, node)].tolist(), 0, missing)
        else:
            row = int(kind[k]), column, float(threshold[k]), bool(missing_yes[k]), int(yes[k]), int(no[k])
            rest = added.add(row, k)
        kind[k], threshold[k], missing_yes[k], set_of[k] = IS_MISSING, 0.0, False, -1
        yes[k] = no[k] = rest
        if turn & MISSING_STOPS:
            yes[k], missing_yes[k] = -1 - len(ends), True
            ends.append(node)
    rows = list(zip(*added.rows)) or [()] * 6
    old = (kind, q.column, threshold, missing_yes, yes, no)
    whole = [np.concatenate([a, np.array(b, a.dtype)]) for a, b in zip(old, rows)]
    start, members = _take_sets(q, np.concatenate([set_of, np.array(added.set_of, np.int64)]))
    columns = dict(zip(Questions._fields, whole))
    return q._replace(**columns, ends=np.array(ends, np.int64), set_start=start, members=members)


def _children(forest: Forest, node: int) -> list[int]:
    found, child, end = [], node + 1, node + int(forest.size[node])
    while child < end:
        found.append(child)
        child += int(forest.size[child])
    return found


def _take_sets(q: Questions, set_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.append(np.diff(q.set_start), 0)[set_of]
    start = ends_of(lengths)
    first = np.append(q.set_start[:-1], 0)[set_of]
    return start, q.members[np.repeat(first - start[:-1], lengths) + np.arange(start[-1])]


def words_of(questions: Questions) -> tuple[np.ndarray, np.ndarray]:
    """Sets for kernels: (where each question's begins, or -1; uint64: how many words a set has, and then these).

    Bit c % 64 of word c // 64 says whether category c is in the set.
    """
    at = np.full(len(questions.kind), -1, np.int64)
    mine = np.flatnonzero(questions.kind == IN_SET)
    if not len(mine):
        return at, np.zeros(1, np.uint64)
    last = questions.members[questions.set_start[mine + 1] - 1]
    n_words = last // 64 + 1
    start = ends_of(n_words + 1)
    at[mine] = start[:-1]
    sets = np.zeros(start[-1], np.uint64)
    sets[start[:-1]] = n_words
    owner = np.repeat(np.arange(len(at)), np.diff(questions.set_start))
    members = questions.members.astype(np.int64)
    bits = np.uint64(1) << (members % 64).astype(np.uint64)
    np.bitwise_or.at(sets, at[owner] + 1 + members // 64, bits)
    return at, sets

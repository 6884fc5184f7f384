"""The trees of a model in the order in which SHAP values are computed: one walk, from split to split.

In: a `Forest`, its splits as questions with two answers (tree/questions.py) and a cover for every leaf. Out: a
`Program`: all nodes in preorder, each with the fractions of the training rows (or of a background row) that go on from
it.

    entry       question                                           leaf
    column      place among the columns that are tested            -1
    threshold   values up to it are yes; NaN: none is
    missing     what a missing value is: 1 yes, 0 no; between:
                it goes both ways in these parts
    place       where its set of categories begins, or -1          row of `values`
    yes, no     shares of the rows that answered all questions
                about this column as on the way here, and so now
    before      the same before this question
    above       level of the last question about this column on
                the way here, or -1
    end         the entry after everything below it

`yes`, `no` and `before` are the p of the formulas in quadrature.py. A column that is tested several times on a path has
one p, the product of its fractions so far:

    x <= 7   (0.6 yes)  ->  z <= 1   (0.5 yes)  ->  x <= 3   (0.4 of the rows that come here answer yes)
    before = 1, yes = 0.6   before = 1, yes = 0.5   before = 0.6, yes = 0.6 * 0.4, no = 0.6 * 0.6

`yes` and `no` of an entry add up to its `before` (but for rounding); quadrature.py relies on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.data.schema import Schema
from spinney.tree.forest import MISSING_SPREADS, Forest
from spinney.tree.questions import UP_TO, Questions, read_questions, spreads, words_of

ENTRY = np.dtype(
    [
        *((name, np.float64) for name in ("threshold", "missing", "yes", "no", "before")),
        ("place", np.int64),
        *((name, np.int32) for name in ("column", "level", "above", "end")),
    ],
    align=True,
)


class Program(NamedTuple):
    """See above."""

    entries: np.ndarray  # ENTRY records
    first: np.ndarray  # int64: where each tree begins, and where the last one ends
    sets: np.ndarray  # uint64: how many words a set has, and then these: bit c % 64 of word c // 64 is category c
    depth: np.ndarray  # int64: levels of questions of each tree
    n_columns: np.ndarray  # int64: the most columns that are tested on one path of each tree
    reach: np.ndarray  # float64: of every entry, the share of the training rows that come here
    columns: np.ndarray  # int64: the columns that are tested
    spreads: bool  # whether missing values go both ways


def read_program(forest: Forest, schema: Schema, cover: np.ndarray) -> tuple[Program, np.ndarray]:
    """Of all trees, with a cover for every node of the store; and the node that each leaf entry is.

    Of a question only the covers of its leaves count, so that shares of both sides add up to one.
    """
    spread = spreads(forest)
    if spread:
        forest = replace(forest, turn=forest.turn & np.uint8(~MISSING_SPREADS & 0xFF))
    questions = read_questions(forest, schema)
    set_at, sets = words_of(questions)
    columns, place = np.unique(questions.column, return_inverse=True)
    n = len(questions.kind) + len(questions.ends)
    shape = [np.empty(len(questions.roots), np.int64) for _ in range(2)]
    program = Program(
        entries=np.zeros(n, ENTRY),
        first=np.empty(len(questions.roots) + 1, np.int64),
        sets=sets,
        depth=shape[0],
        n_columns=shape[1],
        reach=np.empty(n),
        columns=columns.astype(np.int64),
        spreads=spread,
    )
    asked = _Asked(
        place.astype(np.int64),
        np.where(questions.kind == UP_TO, questions.threshold, np.nan),
        np.where(spread, np.nan, questions.missing_yes),
        questions.yes,
        questions.no,
        set_at,
        _end_covers(questions, forest, cover),
    )
    levels = int(forest.shape.depth.max(initial=0)) + len(questions.kind) - len(forest.feature) + 2
    _lay_out(questions.roots, asked, program, np.empty((2, levels), np.int64), np.zeros(n))
    n = int(program.first[-1])
    return program._replace(entries=program.entries[:n], reach=program.reach[:n]), questions.ends


class _Asked(NamedTuple):
    column: np.ndarray  # int64
    threshold: np.ndarray  # float64
    missing: np.ndarray  # float64; NaN: like the training rows
    yes: np.ndarray  # int64
    no: np.ndarray  # int64
    set_at: np.ndarray  # int64
    cover: np.ndarray  # float64: of the ends


def _end_covers(questions: Questions, forest: Forest, cover: np.ndarray) -> np.ndarray:
    """Of a question that rows with a missing value end at, what does not go on."""
    ends = questions.ends
    found = cover[ends].astype(np.float64)
    stops = np.flatnonzero(~forest.is_leaf[ends])
    if len(stops):
        parent = forest.shape.parent
        below = np.bincount(parent[parent >= 0], weights=cover[parent >= 0], minlength=forest.n_nodes)
        rest = found[stops] - below[ends[stops]]
        found[stops] = np.where(rest > 1e-9 * found[stops], rest, 0.0)
    return found


@kernel
def _lay_out(roots, asked, program, waiting, cover):
    """Preorder, and then shares: covers are added up from the leaves, shares multiplied on the way down."""
    at = 0
    for tree in range(roots.size):
        program.first[tree] = at
        waiting[0, 0], waiting[1, 0], n = roots[tree], 0, 1
        depth = 0
        while n > 0:
            n -= 1
            who, level = waiting[0, n], waiting[1, n]
            while who >= 0 and asked.yes[who] == asked.no[who]:  # no question any more
                who = asked.yes[who]
            entry = program.entries[at]
            entry.level, entry.above, entry.end = level, -1, at + 1
            if who < 0:
                entry.column, entry.place = -1, -1 - who
                cover[at] = asked.cover[-1 - who]
            else:
                entry.column, entry.place = asked.column[who], asked.set_at[who]
                entry.threshold, entry.missing = asked.threshold[who], asked.missing[who]
                waiting[0, n], waiting[1, n] = asked.no[who], level + 1
                waiting[0, n + 1], waiting[1, n + 1] = asked.yes[who], level + 1
                n += 2
                depth = max(depth, level + 1)
            at += 1
        program.depth[tree] = depth
        program.first[tree + 1] = at
        _add_covers(program.entries, program.first[tree], at, cover)
        program.n_columns[tree] = _find_shares(program, tree, cover, waiting[0])


@inner_kernel
def _add_covers(entries, first, last, cover):
    """Of questions, from those of what follows; and where everything below them ends."""
    for at in range(last - 1, first - 1, -1):
        if entries[at].column >= 0:
            other = entries[at + 1].end
            entries[at].end = entries[other].end
            cover[at] = cover[at + 1] + cover[other]


@inner_kernel
def _find_shares(program, tree, cover, open_at):
    """Shares from covers; `open_at[level]` is the question of this level that is open. Returns `n_columns`."""
    entries, reach = program.entries, program.reach
    most = 0
    reach[program.first[tree]] = 1.0
    for at in range(program.first[tree], program.first[tree + 1]):
        entry = entries[at]
        level, n = entry.level, 0
        for above in range(level):
            n += entries[open_at[above]].above < 0
            if entries[open_at[above]].column == entry.column:
                entry.above = above
        if entry.column < 0:
            most = max(most, n)
            continue
        open_at[level] = at
        no = entry_no(entries, at)
        total = cover[at]
        yes = cover[at + 1] / total if total > 0.0 else 0.5
        rest = cover[no] / total if total > 0.0 else 0.5
        if entry.missing != entry.missing:
            entry.missing = yes
        entry.before = 1.0
        if entry.above >= 0:
            other = open_at[entry.above]
            is_yes = at < entry_no(entries, other)  # in preorder, everything below yes comes before no
            entry.before = entries[other].yes if is_yes else entries[other].no
        entry.yes, entry.no = entry.before * yes, entry.before * rest
        reach[at + 1], reach[no] = reach[at] * yes, reach[at] * rest
    return most


@inner_kernel
def entry_no(entries, at):
    """The entry that a no leads to; a yes leads to the next one."""
    return np.int64(entries[at + 1].end)


@inner_kernel
def answer(entry, sets, value):
    """Whether a value satisfies a condition: 1 yes, 0 no, or the fraction that does."""
    if value != value:
        return entry.missing
    if entry.place < 0:
        return 1.0 if value <= entry.threshold else 0.0
    return 1.0 if is_in(sets, entry.place, np.int64(value)) else 0.0


@inner_kernel
def is_in(sets, place, category):
    """Whether a category is in the set that begins at a place of `words_of`."""
    word = category >> 6
    if word >= np.int64(sets[place]):
        return False
    return (sets[place + 1 + word] >> np.uint64(category & 63)) & np.uint64(1) != np.uint64(0)


def mean_reach(program: Program, rows: np.ndarray) -> np.ndarray:
    """The fraction of some rows that reaches each entry."""
    total = np.zeros(len(program.reach))
    _add_reach(program, rows, np.empty(len(total)), total)
    return total / len(rows)


@kernel
def _add_reach(program, rows, reach, total):
    for row in range(rows.shape[0]):
        for tree in range(program.first.size - 1):
            reach[program.first[tree]] = 1.0
            for at in range(program.first[tree], program.first[tree + 1]):
                entry, share = program.entries[at], reach[at]
                total[at] += share
                if entry.column >= 0:
                    yes = answer(entry, program.sets, rows[row, entry.column]) if share > 0.0 else 0.0
                    reach[at + 1], reach[entry_no(program.entries, at)] = share * yes, share * (1.0 - yes)


def against(program: Program, values: np.ndarray) -> Program:
    """The program with the fractions of one row, instead of the training rows."""
    other = program._replace(entries=program.entries.copy())
    _take_row(other, values, np.empty(int(program.depth.max(initial=0)) + 1, np.int64))
    return other


@kernel
def _take_row(program, values, open_at):
    entries = program.entries
    for at in range(entries.size):
        entry = entries[at]
        if entry.column < 0:
            continue
        open_at[entry.level] = at
        yes = answer(entry, program.sets, values[entry.column])
        entry.before = 1.0
        if entry.above >= 0:
            other = open_at[entry.above]
            is_yes = at < entry_no(entries, other)
            entry.before = entries[other].yes if is_yes else entries[other].no
        entry.yes, entry.no = entry.before * yes, entry.before * (1.0 - yes)

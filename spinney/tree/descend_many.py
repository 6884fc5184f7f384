"""Send the rows of a table down many trees, and add up what the trees say.

In: a `Grove` and a `Table`. Out: for every row the sum over the trees of its leaves' answers, shares of the classes or
numbers; or the leaves themselves. Every row is one thread's, which goes through the trees in their order: the sums
are the same to the last bit on any number of threads.
"""

from __future__ import annotations

import numpy as np

from spinney._jit import inner_kernel, kernel
from spinney._team import Team, next_chunk
from spinney.data.tables import Table
from spinney.tree.descend import ASKS_SET, COLUMN, MISSING_LEFT, blocks, walk_four
from spinney.tree.grove import Grove

_CHUNK = 512  # rows a thread takes at a time


def sum_answers(
    grove: Grove,
    table: Table,
    team: Team,
    trees: range | None = None,
    skip: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """(rows, outputs, classes or 1): sums over some trees (None: all), added to `out` if it is given.

    Rows marked in `skip` are left as they are.
    """
    if out is None:
        out = np.zeros((table.n_rows, *grove.answers.shape[1:]))
    some = range(grove.n_trees) if trees is None else trees
    marks = np.empty(0, np.uint8) if skip is None else skip
    for start, values in blocks(table, grove.columns_asked):
        part = slice(start, start + len(values))
        team.run(
            _add_answers,
            grove.steps,
            grove.set_at,
            grove.sets,
            grove.first,
            grove.first_set,
            (some.start, some.stop),
            grove.answers,
            grove.n_classes is not None,
            values,
            marks[part],
            out[part],
        )
    return out


def leaves_of_rows(grove: Grove, table: Table, team: Team, trees: range | None = None) -> np.ndarray:
    """int64 (rows, trees): the number of the leaf, within its tree, that each row reaches."""
    some = range(grove.n_trees) if trees is None else trees
    leaves = np.empty((table.n_rows, len(some)), np.int64)
    for start, values in blocks(table, grove.columns_asked):
        part = leaves[start : start + len(values)]
        steps = grove.steps, grove.set_at, grove.sets, grove.first, grove.first_set
        team.run(_note_leaves, *steps, (some.start, some.stop), values, part)
    return leaves


@inner_kernel
def _walk_any(steps, set_at, sets, values, row):
    """The leaf of a row, in a tree that may ask about sets of categories."""
    node = np.int64(0)
    while True:
        step = steps[node]
        if np.int64(step.right) == node:
            return node
        value = values[row, step.feature & COLUMN]
        if value != value:
            goes_left = step.feature & MISSING_LEFT != 0
        elif step.feature & ASKS_SET:
            category = np.int64(value)
            goes_left = (sets[set_at[node] + (category >> 6)] >> np.uint64(category & 63)) & np.uint64(1) != 0
        else:
            goes_left = value <= step.threshold
        node = node + 1 if goes_left else np.int64(step.right)


@inner_kernel
def _four_leaves(steps, set_at, sets, values, row, stop):
    """The leaves of four rows, the last one again where there are no more."""
    b, c, d = min(row + 1, stop - 1), min(row + 2, stop - 1), min(row + 3, stop - 1)
    if set_at.size == 0:
        return walk_four(steps, values, row, b, c, d)
    return (
        _walk_any(steps, set_at, sets, values, row),
        _walk_any(steps, set_at, sets, values, b),
        _walk_any(steps, set_at, sets, values, c),
        _walk_any(steps, set_at, sets, values, d),
    )


@kernel
def _add_answers(rank, size, sync, steps, set_at, sets, first, first_set, trees, answers, is_class, values, skip, out):
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        stop = min(start + _CHUNK, out.shape[0])
        for tree in range(trees[0], trees[1]):
            begin, end = first[tree], first[tree + 1]
            mine, sets_here, says = steps[begin:end], set_at[begin:end], answers[begin:end]
            words = sets[first_set[tree] : first_set[tree + 1]]
            for row in range(start, stop, 4):
                leaves = _four_leaves(mine, sets_here, words, values, row, stop)
                for k in range(min(4, stop - row)):
                    if skip.size == 0 or skip[row + k] == 0:
                        _add(says[leaves[k]], is_class, out[row + k])


@inner_kernel
def _add(answer, is_class, out):
    """Add a leaf's answer: the number of every output, or the share of every class in its output."""
    for o in range(out.shape[0]):
        total = 1.0
        if is_class:
            total = 0.0
            for c in range(out.shape[1]):
                total += float(answer[o, c])
        for c in range(out.shape[1]):
            out[o, c] += float(answer[o, c]) / total


@kernel
def _note_leaves(rank, size, sync, steps, set_at, sets, first, first_set, trees, values, out):
    while True:
        start = next_chunk(sync) * _CHUNK
        if start >= out.shape[0]:
            return
        stop = min(start + _CHUNK, out.shape[0])
        for tree in range(trees[0], trees[1]):
            begin, end = first[tree], first[tree + 1]
            words = sets[first_set[tree] : first_set[tree + 1]]
            for row in range(start, stop, 4):
                leaves = _four_leaves(steps[begin:end], set_at[begin:end], words, values, row, stop)
                for k in range(min(4, stop - row)):
                    out[row + k, tree - trees[0]] = leaves[k]

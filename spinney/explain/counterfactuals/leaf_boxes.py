"""Trees as lists of boxes: what the search for counterfactuals works on.

In: questions of all trees (`tree/questions.py`), what each end adds to some linear scores, and the cells of every
column that the row may move to, nearest first. Out: `LeafLists`: for each group of trees its leaves that can be
reached, each a box of cells and values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, lowest_bit
from spinney.tree.forest import ends_of

_WORD = 64
_TRIED = 64  # pairs of leaves per leaf that there may be, beyond which groups are not joined
WAITING, KEPT, GONE = range(3)


class Cells(NamedTuple):
    """The cells of all columns; a cell's place is 64 times its word plus its bit."""

    word: np.ndarray  # int64, per column and one more: where its words begin
    cost: np.ndarray  # float64, per place: what moving there costs; ascending within a column
    up: np.ndarray  # uint64, per word: cells that are numbers above the row's
    down: np.ndarray  # uint64: below


class LeafLists(NamedTuple):
    """Leaves of groups of trees."""

    group: np.ndarray  # int64, per group and one more: where its leaves begin
    value: np.ndarray  # float64 (leaves, scores)
    entry: np.ndarray  # int64, per leaf and one more: where its entries begin
    column: np.ndarray  # int64, per entry
    at: np.ndarray  # int64, per entry and one more: where its words begin
    words: np.ndarray  # uint64: the cells of the column that belong to the leaf


class Walk(NamedTuple):
    """Questions by sets of cells."""

    column: np.ndarray  # int64, per question
    at: np.ndarray  # int64, per question: where the words of its `yes` begin in `words`
    words: np.ndarray  # uint64
    yes: np.ndarray  # int64: another question, or -1 - e for the end e
    no: np.ndarray  # int64
    roots: np.ndarray  # int64, per tree
    value: np.ndarray  # float64 (ends, scores)


@inner_kernel
def copy_words(old, new):
    """The words of a box."""
    for w in range(old.size):
        new[w] = old[w]


@inner_kernel
def lowest(words, at, box, first, last):
    """The place of the lowest cell that a set (`words` from `at` on) and a box have in common in a column, or -1."""
    for w in range(first, last):
        both = words[at + w - first] & box[w]
        if both != np.uint64(0):
            return _WORD * w + lowest_bit(both)
    return np.int64(-1)


@inner_kernel
def cost_of(cells, lows):
    """What a point costs."""
    total = 0.0
    for c in range(lows.size):
        total += cells.cost[lows[c]]
    return total


@kernel
def find_lows(cells, box, lows):
    """The nearest cell of each column; returns what the nearest point costs, infinity for an empty box."""
    total = 0.0
    for c in range(lows.size):
        lows[c] = lowest(box, cells.word[c], box, cells.word[c], cells.word[c + 1])
        total += cells.cost[lows[c]] if lows[c] >= 0 else np.inf
    return total


@kernel
def list_leaves(walk, cells, root, limit, out, boxes, stack, counts):
    """Write the leaves of all trees within `root` that cost less than `limit`; only count them if `out` has no room.

    counts: leaves, entries, words. `boxes` (depth, words) and `stack` (depth, 2) are room.
    """
    n_leaves, n_entries, n_words = np.int64(0), np.int64(0), np.int64(0)
    fills = out.group.size > 1
    for t in range(walk.roots.size):
        if fills:
            out.group[t] = n_leaves
        depth = np.int64(0)
        copy_words(root, boxes[0])
        stack[0, 0], stack[0, 1] = walk.roots[t], 0
        while depth >= 0:
            q, turn = stack[depth, 0], stack[depth, 1]
            if q < 0:
                cost = _cost_of(cells, boxes[depth])
                if cost < limit:
                    if fills:
                        for r in range(out.value.shape[1]):
                            out.value[n_leaves, r] = walk.value[-1 - q, r]
                        out.entry[n_leaves] = n_entries
                    for c in range(cells.word.size - 1):
                        first, last = cells.word[c], cells.word[c + 1]
                        differs = False
                        for w in range(first, last):
                            differs |= boxes[depth, w] != root[w]
                        if differs:
                            if fills:
                                out.column[n_entries], out.at[n_entries] = c, n_words
                                for w in range(first, last):
                                    out.words[n_words + w - first] = boxes[depth, w]
                            n_entries, n_words = n_entries + 1, n_words + last - first
                    n_leaves += 1
                depth -= 1
                continue
            stack[depth, 1] += 1
            if turn == 2:
                depth -= 1
                continue
            c = walk.column[q]
            first, last = cells.word[c], cells.word[c + 1]
            copy_words(boxes[depth], boxes[depth + 1])
            some = np.uint64(0)
            for w in range(first, last):
                bits = walk.words[walk.at[q] + w - first]
                boxes[depth + 1, w] &= bits if turn == 0 else ~bits
                some |= boxes[depth + 1, w]
            if some != np.uint64(0):
                depth += 1
                stack[depth, 0], stack[depth, 1] = walk.yes[q] if turn == 0 else walk.no[q], 0
    if fills:
        out.group[walk.roots.size], out.entry[n_leaves], out.at[n_entries] = n_leaves, n_entries, n_words
    counts[0], counts[1], counts[2] = n_leaves, n_entries, n_words


@inner_kernel
def _cost_of(cells, box):
    """Of the nearest point; infinity for an empty box."""
    total = 0.0
    for c in range(cells.word.size - 1):
        low = lowest(box, cells.word[c], box, cells.word[c], cells.word[c + 1])
        if low < 0:
            return np.inf
        total += cells.cost[low]
    return total


@kernel
def join_groups(cells, root, limit, most, lists, begin, end, state, box, size):
    """Join groups of trees, the two smallest first, as long as that makes at most so many leaves: how many there are.

    `lists` has room for more leaves behind those there are; begin, end and state (WAITING, KEPT, GONE) are of groups,
    with room for as many more. size: leaves, entries, groups. -1: two groups have no leaves in common.
    """
    while True:
        a = b = np.int64(-1)
        for g in range(size[2]):
            if state[g] != WAITING:
                continue
            n = end[g] - begin[g]
            if a < 0 or n < end[a] - begin[a]:
                a, b = np.int64(g), a
            elif b < 0 or n < end[b] - begin[b]:
                b = np.int64(g)
        if b < 0:
            return size[2]
        first = size[0]
        n = _pair(cells, root, limit, most, lists, (begin[a], end[a], begin[b], end[b]), box, size)
        if n == 0:
            return np.int64(-1)
        if n > most or lists.value.shape[0] - size[0] <= most:
            state[a] = KEPT
        else:
            state[a] = state[b] = GONE
            g = size[2]
            begin[g], end[g], state[g] = first, size[0], WAITING
            size[2] += 1


@inner_kernel
def _pair(cells, root, limit, most, lists, ranges, box, size):
    """Behind the others: all pairs of leaves that meet in points that cost less than `limit`. How many; none stays if
    there are more than `most`.
    """
    before = size[0], size[1]
    n = np.int64(0)
    if (ranges[1] - ranges[0]) * (ranges[3] - ranges[2]) > _TRIED * most:
        return most + 1
    for a in range(ranges[0], ranges[1]):
        for b in range(ranges[2], ranges[3]):
            copy_words(root, box)
            _cut(cells, lists, a, box)
            _cut(cells, lists, b, box)
            if not _cost_of(cells, box) < limit:
                continue
            n += 1
            if n > most:
                size[0], size[1] = before
                return n
            for r in range(lists.value.shape[1]):
                lists.value[size[0], r] = lists.value[a, r] + lists.value[b, r]
            _write(cells, root, box, lists, size)
    return n


@inner_kernel
def _write(cells, root, box, lists, size):
    """The entries of a leaf, which is a box."""
    entry, at = size[1], lists.at[size[1]]
    for c in range(cells.word.size - 1):
        start, stop = cells.word[c], cells.word[c + 1]
        differs = False
        for w in range(start, stop):
            differs |= box[w] != root[w]
        if differs:
            lists.column[entry] = c
            for w in range(start, stop):
                lists.words[at] = box[w]
                at += 1
            entry += 1
            lists.at[entry] = at
    size[0], size[1] = size[0] + 1, entry
    lists.entry[size[0]] = entry


@inner_kernel
def _cut(cells, lists, leaf, box):
    for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
        first = cells.word[lists.column[e]]
        for w in range(lists.at[e + 1] - lists.at[e]):
            box[first + w] &= lists.words[lists.at[e] + w]


def empty_lists(n_groups: int, n_leaves: int, n_entries: int, n_words: int, n_scores: int) -> LeafLists:
    """Room for lists."""
    return LeafLists(
        np.zeros(n_groups + 1, np.int64),
        np.zeros((n_leaves, n_scores)),
        np.zeros(n_leaves + 1, np.int64),
        np.zeros(n_entries, np.int64),
        np.zeros(n_entries + 1, np.int64),
        np.zeros(n_words, np.uint64),
    )


def make_lists(walk: Walk, cells: Cells, root: np.ndarray, limit: float, depth: int) -> LeafLists:
    """The leaves of every tree that can be reached from the root's box at a cost below the limit."""
    counts, n_scores = np.zeros(3, np.int64), walk.value.shape[1]
    boxes, stack = np.empty((depth + 2, len(root)), np.uint64), np.empty((depth + 2, 2), np.int64)
    list_leaves(walk, cells, root, limit, empty_lists(0, 0, 0, 0, n_scores), boxes, stack, counts)
    n_leaves, n_entries, n_words = counts.tolist()
    out = empty_lists(len(walk.roots), n_leaves, n_entries, n_words, n_scores)
    list_leaves(walk, cells, root, limit, out, boxes, stack, counts)
    return out


def merge(lists: LeafLists, cells: Cells, root: np.ndarray, limit: float, most: int) -> LeafLists | None:
    """Join trees into groups of at most `most` leaves, small ones first: fewer groups, tighter bounds.

    None: some trees have no leaves in common, so that no point of the root's box costs less than the limit.
    """
    n_groups, n_leaves = len(lists.group) - 1, len(lists.value)
    n_columns, n_words = len(cells.word) - 1, int(cells.word[-1])
    room = (n_groups + 1) * (most + 1)
    wide = empty_lists(0, n_leaves + room, len(lists.column) + room * n_columns, len(lists.words) + room * n_words, 1)
    wide = wide._replace(value=np.empty((n_leaves + room, lists.value.shape[1])))
    for old, new in zip(lists[1:], wide[1:]):
        new[: len(old)] = old
    begin, end = np.zeros((2, 2 * n_groups), np.int64)
    begin[:n_groups], end[:n_groups] = lists.group[:-1], lists.group[1:]
    state, size = np.zeros(2 * n_groups, np.int64), np.array([n_leaves, len(lists.column), n_groups], np.int64)
    n = join_groups(cells, root, limit, most, wide, begin, end, state, root.copy(), size)
    if n < 0:
        return None
    return _take(wide, [(int(begin[g]), int(end[g])) for g in np.flatnonzero(state[:n] != GONE)])


def _take(lists: LeafLists, groups: list[tuple[int, int]]) -> LeafLists:
    """Some groups of leaves, each from one to before another."""

    def ends(start: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lengths = start[chosen + 1] - start[chosen]
        stops = ends_of(lengths)
        return stops, np.repeat(start[chosen] - stops[:-1], lengths) + np.arange(stops[-1])

    leaves = np.concatenate([np.arange(first, last) for first, last in groups])
    entry, entries = ends(lists.entry, leaves)
    at, words = ends(lists.at, entries)
    group = ends_of(np.array([last - first for first, last in groups]))
    return LeafLists(group, lists.value[leaves], entry, lists.column[entries], at, lists.words[words])

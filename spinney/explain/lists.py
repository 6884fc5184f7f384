"""Trees as lists of boxes: what the search for counterfactuals works on.

In: questions of all trees (`tree/questions.py`), what each end adds to some linear scores, and the cells of every
column that the row may move to, nearest first. Out: `Lists`: for each group of trees its leaves that can be reached,
each a box of cells and values.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, lowest_bit

_WORD = 64


class Cells(NamedTuple):
    """The cells of all columns; a cell's place is 64 times its word plus its bit."""

    word: np.ndarray  # int64, per column and one more: where its words begin
    cost: np.ndarray  # float64, per place: what moving there costs; ascending within a column
    up: np.ndarray  # uint64, per word: cells that are numbers above the row's
    down: np.ndarray  # uint64: below


class Lists(NamedTuple):
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
def _lowest_of(box, first, last):
    for w in range(first, last):
        if box[w] != np.uint64(0):
            return _WORD * w + lowest_bit(box[w])
    return np.int64(-1)


@kernel
def find_lows(cells, box, lows):
    """The nearest cell of each column; returns what the nearest point costs, infinity for an empty box."""
    total = 0.0
    for c in range(lows.size):
        lows[c] = _lowest_of(box, cells.word[c], cells.word[c + 1])
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
    total = 0.0
    for c in range(cells.word.size - 1):
        total += cells.cost[_lowest_of(box, cells.word[c], cells.word[c + 1])]
    return total


@kernel
def pair_leaves(cells, root, limit, old, first, out, box, counts):
    """Join groups `first` and `first + 1`: all pairs of leaves that meet in points that cost less than `limit`.

    counts: leaves, entries, words. Only counts them if `out` has no room; stops at counts[3] leaves.
    """
    n_leaves, n_entries, n_words = np.int64(0), np.int64(0), np.int64(0)
    fills = out.entry.size > 1
    middle = old.group[first + 1]
    for a in range(old.group[first], middle):
        for b in range(middle, old.group[first + 2]):
            copy_words(root, box)
            _cut(cells, old, a, box)
            _cut(cells, old, b, box)
            cost = 0.0
            for c in range(cells.word.size - 1):
                low = _lowest_of(box, cells.word[c], cells.word[c + 1])
                cost += cells.cost[low] if low >= 0 else np.inf
            if cost >= limit:
                continue
            if fills:
                for r in range(out.value.shape[1]):
                    out.value[n_leaves, r] = old.value[a, r] + old.value[b, r]
                out.entry[n_leaves] = n_entries
            for c in range(cells.word.size - 1):
                start, end = cells.word[c], cells.word[c + 1]
                differs = False
                for w in range(start, end):
                    differs |= box[w] != root[w]
                if differs:
                    if fills:
                        out.column[n_entries], out.at[n_entries] = c, n_words
                        for w in range(start, end):
                            out.words[n_words + w - start] = box[w]
                    n_entries, n_words = n_entries + 1, n_words + end - start
            n_leaves += 1
            if n_leaves > counts[3]:
                counts[0] = n_leaves
                return
    if fills:
        out.entry[n_leaves], out.at[n_entries] = n_entries, n_words
    counts[0], counts[1], counts[2] = n_leaves, n_entries, n_words


@inner_kernel
def _cut(cells, lists, leaf, box):
    for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
        first = cells.word[lists.column[e]]
        for w in range(lists.at[e + 1] - lists.at[e]):
            box[first + w] &= lists.words[lists.at[e] + w]


def empty_lists(n_groups: int, n_leaves: int, n_entries: int, n_words: int, n_scores: int) -> Lists:
    """Room for lists."""
    return Lists(
        np.zeros(n_groups + 1, np.int64),
        np.zeros((n_leaves, n_scores)),
        np.zeros(n_leaves + 1, np.int64),
        np.zeros(n_entries, np.int64),
        np.zeros(n_entries + 1, np.int64),
        np.zeros(n_words, np.uint64),
    )


def make_lists(walk: Walk, cells: Cells, root: np.ndarray, limit: float, depth: int) -> Lists:
    """The leaves of every tree that can be reached from the root's box at a cost below the limit."""
    counts, n_scores = np.zeros(3, np.int64), walk.value.shape[1]
    boxes, stack = np.empty((depth + 2, len(root)), np.uint64), np.empty((depth + 2, 2), np.int64)
    list_leaves(walk, cells, root, limit, empty_lists(0, 0, 0, 0, n_scores), boxes, stack, counts)
    n_leaves, n_entries, n_words = counts.tolist()
    out = empty_lists(len(walk.roots), n_leaves, n_entries, n_words, n_scores)
    list_leaves(walk, cells, root, limit, out, boxes, stack, counts)
    return out


def _join(parts: list[Lists]) -> Lists:
    """Lists end to end."""

    def ends(arrays: list[np.ndarray]) -> np.ndarray:
        steps = np.concatenate([np.diff(one) for one in arrays])
        return np.concatenate([[0], np.cumsum(steps)]).astype(np.int64)

    return Lists(
        ends([one.group for one in parts]),
        np.concatenate([one.value for one in parts]),
        ends([one.entry for one in parts]),
        np.concatenate([one.column for one in parts]),
        ends([one.at for one in parts]),
        np.concatenate([one.words for one in parts]),
    )


def take_group(lists: Lists, g: int, last: int) -> Lists:
    """The groups g up to `last`."""
    leaves = slice(lists.group[g], lists.group[last])
    entries = slice(lists.entry[leaves.start], lists.entry[leaves.stop])
    words = slice(lists.at[entries.start], lists.at[entries.stop])
    return Lists(
        lists.group[g : last + 1] - leaves.start,
        lists.value[leaves],
        lists.entry[leaves.start : leaves.stop + 1] - entries.start,
        lists.column[entries],
        lists.at[entries.start : entries.stop + 1] - words.start,
        lists.words[words],
    )


def merge(lists: Lists, cells: Cells, root: np.ndarray, limit: float, most: int) -> Lists:
    """Join trees into groups of at most `most` leaves, small ones first: fewer groups, tighter bounds."""
    waiting: list[tuple[int, int, Any]] = []
    for g in range(len(lists.group) - 1):
        one = take_group(lists, g, g + 1)
        waiting.append((len(one.value), g, one))
    heapq.heapify(waiting)
    done, number, box = [], len(waiting), root.copy()
    n_scores = lists.value.shape[1]
    while len(waiting) > 1:
        _, _, first = heapq.heappop(waiting)
        _, _, second = heapq.heappop(waiting)
        both = _join([first, second])
        counts = np.array([0, 0, 0, most], np.int64)
        pair_leaves(cells, root, limit, both, 0, empty_lists(0, 0, 0, 0, n_scores), box, counts)
        if counts[0] > most:
            done += [first]
            heapq.heappush(waiting, (len(second.value), number, second))
        else:
            n_leaves, n_entries, n_words = counts[:3].tolist()
            out = empty_lists(1, n_leaves, n_entries, n_words, n_scores)
            pair_leaves(cells, root, limit, both, 0, out, box, counts)
            out.group[1] = counts[0]
            heapq.heappush(waiting, (len(out.value), number, out))
        number += 1
    done += [one for _, _, one in waiting]
    return _join(done)

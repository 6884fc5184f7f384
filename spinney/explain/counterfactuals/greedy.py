"""Climbing: some point that reaches a goal, quickly, by moving from leaf to leaf.

In: the trees by cells, their leaves, and the row's point. Out: a point that reaches the goal, not far from the nearest
one: what `nearest_point.py` begins with.

Each step moves to the leaf, of any tree, that brings most of what is lacking per unit of cost, judged by all trees.
Then columns go back towards the row as far as the goal allows.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.explain.counterfactuals.leaf_boxes import copy_words, cost_of, lowest

_STEPS = 64


@inner_kernel
def add_scores(walk, cells, lows, scores):
    """The sum of all trees at a point."""
    for r in range(scores.size):
        scores[r] = 0.0
    for t in range(walk.roots.size):
        end, _ = _descend(walk, cells, lows, t)
        for r in range(scores.size):
            scores[r] += walk.value[end, r]


@inner_kernel
def _descend(walk, cells, lows, t):
    """(leaf of a tree, the columns on the path to it as bits)."""
    q, asked = walk.roots[t], np.uint64(0)
    while q >= 0:
        c = walk.column[q]
        asked |= np.uint64(1) << np.uint64(c % 64)
        word, bit = lows[c] // 64 - cells.word[c], np.uint64(lows[c] % 64)
        is_yes = (walk.words[walk.at[q] + word] >> bit) & np.uint64(1)
        q = walk.yes[q] if is_yes != np.uint64(0) else walk.no[q]
    return -1 - q, asked


@inner_kernel
def _remember(walk, cells, lows, ends, asked):
    for t in range(walk.roots.size):
        ends[t], asked[t] = _descend(walk, cells, lows, t)


@inner_kernel
def _change(walk, cells, new, moved, ends, asked, before, scores):
    """The sum of all trees at a point that has moved in some columns: only trees that split on these are visited."""
    for r in range(scores.size):
        scores[r] = before[r]
    for t in range(walk.roots.size):
        if asked[t] & moved:
            end, _ = _descend(walk, cells, new, t)
            for r in range(scores.size):
                scores[r] += walk.value[end, r] - walk.value[ends[t], r]


@inner_kernel
def _lack(scores, need):
    total = 0.0
    for r in range(need.size):
        total += max(need[r] - scores[r], 0.0)
    return total


@inner_kernel
def _move(lists, cells, leaf, root, lows, new):
    """The point moved into a leaf, by the nearest cells; the columns that move, as bits."""
    copy_words(lows, new)
    moves = np.uint64(0)
    for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
        c = lists.column[e]
        word, bit = lows[c] // 64 - cells.word[c], np.uint64(lows[c] % 64)
        if (lists.words[lists.at[e] + word] >> bit) & np.uint64(1) == np.uint64(0):
            new[c] = lowest(lists.words, lists.at[e], root, cells.word[c], cells.word[c + 1])
            moves |= np.uint64(1) << np.uint64(c % 64)
    return moves


@kernel
def climb(walk, cells, lists, root, need, lows, room, scores, power, limit, paths):
    """Move the point `lows` until the goal is reached, and back as far as it goes. Whether it was reached.

    The smaller `power`, the longer the steps. Points that cost as much as the limit are passed over. `paths` is room,
    per tree: its end, and the columns that are asked on the way there.
    """
    new, best, _ = room
    ends, asked = paths
    add_scores(walk, cells, lows, scores[0])
    lack = _lack(scores[0], need)
    for _ in range(_STEPS):
        if lack == 0.0:
            break
        cost, most, reached = cost_of(cells, lows), 0.0, limit
        _remember(walk, cells, lows, ends, asked)
        for leaf in range(lists.value.shape[0]):
            moved = _move(lists, cells, leaf, root, lows, new)
            if moved == np.uint64(0):
                continue
            more = cost_of(cells, new)
            if more >= reached:
                continue
            _change(walk, cells, new, moved, ends, asked, scores[0], scores[1])
            left = _lack(scores[1], need)
            worth = (lack - left) / max(more - cost, 1e-12) ** power
            if left == 0.0:
                reached = more
                copy_words(new, best)
            elif reached == limit and left < lack and worth > most:
                most = worth
                copy_words(new, best)
        if reached == limit and most == 0.0:
            return False
        copy_words(best, lows)
        add_scores(walk, cells, lows, scores[0])
        lack = _lack(scores[0], need)
    if lack > 0.0:
        return False
    _step_back(walk, cells, root, need, lows, new, scores[1])
    return True


@inner_kernel
def _step_back(walk, cells, root, need, lows, new, scores):
    """Columns nearer to the row, one after the other, while the goal stays reached."""
    changed = True
    while changed:
        changed = False
        for c in range(lows.size):
            copy_words(lows, new)
            for place in range(64 * cells.word[c], lows[c]):
                if (root[place // 64] >> np.uint64(place % 64)) & np.uint64(1) == np.uint64(0):
                    continue
                if cells.cost[place] >= cells.cost[lows[c]]:
                    break
                new[c] = place
                add_scores(walk, cells, new, scores)
                if _lack(scores, need) == 0.0:
                    lows[c] = place
                    changed = True
                    break

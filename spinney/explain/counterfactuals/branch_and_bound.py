"""Branch and bound over boxes: the nearest point that reaches a goal, with a proof.

In: leaves of groups of trees (`leaf_boxes.py`), the scores that are needed, and a point that is known already. Out:
points, each nearer than what was known, and a bound that no point undercuts.

A box is solved if its nearest point reaches the goal. If not, some group would rather be in another leaf; a question
of that leaf splits the box in two: the nearest point's side, where the leaf is lost, and the other, which costs more.
Boxes are taken in the order of their bounds (`lagrangian.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.explain.counterfactuals.lagrangian import bound_box, look, most_lacking, tighten
from spinney.explain.counterfactuals.leaf_boxes import copy_words, cost_of, lowest

DONE, FOUND, PAUSED = range(3)
_TIGHTER = 4  # times that a box is made smaller
_TRIED = 2  # ways to split a box that are tried


class Pool(NamedTuple):
    """Boxes that are waiting, as a heap by their bounds."""

    boxes: np.ndarray  # uint64 (room, words)
    bound: np.ndarray  # float64 (room,)
    rate: np.ndarray  # float64 (room,)
    heap: np.ndarray  # int64 (room,): numbers of boxes, the first has the least bound
    free: np.ndarray  # int64 (room,): numbers that can be used again
    size: np.ndarray  # int64 (2,): boxes in the heap, numbers in `free`


class Room(NamedTuple):
    """Memory of the search."""

    box: np.ndarray  # uint64 (words,): the box at work
    child: np.ndarray  # uint64 (words,)
    best: np.ndarray  # uint64 (2, words): the children of the best way to split it
    votes: np.ndarray  # float64 (places,)
    leaf_of: np.ndarray  # int64 (places,): an entry that asks for this cell
    every: np.ndarray  # int64 (leaves,): numbers of all leaves
    state: np.ndarray  # float64: limit, bound, boxes so far, rate


@inner_kernel
def _before(pool, a, b):
    return pool.bound[a] < pool.bound[b] or (pool.bound[a] == pool.bound[b] and a < b)


@inner_kernel
def push(pool, box, bound, rate):
    """A box waits; there must be room."""
    pool.size[1] -= 1
    number = pool.free[pool.size[1]]
    copy_words(box, pool.boxes[number])
    pool.bound[number], pool.rate[number] = bound, rate
    k = pool.size[0]
    pool.size[0] += 1
    while k > 0 and _before(pool, number, pool.heap[(k - 1) // 2]):
        pool.heap[k] = pool.heap[(k - 1) // 2]
        k = (k - 1) // 2
    pool.heap[k] = number


@inner_kernel
def _pop(pool):
    first = pool.heap[0]
    pool.size[0] -= 1
    n, last = pool.size[0], pool.heap[pool.size[0]]
    k = np.int64(0)
    while 2 * k + 1 < n:
        child = 2 * k + 1
        if child + 1 < n and _before(pool, pool.heap[child + 1], pool.heap[child]):
            child += 1
        if not _before(pool, pool.heap[child], last):
            break
        pool.heap[k] = pool.heap[child]
        k = child
    pool.heap[k] = last
    pool.free[pool.size[1]] = first
    pool.size[1] += 1
    return first


@inner_kernel
def _lows(cells, box, lows):
    total = 0.0
    for c in range(lows.size):
        lows[c] = lowest(box, cells.word[c], box, cells.word[c], cells.word[c + 1])
        if lows[c] < 0:
            return np.inf
        total += cells.cost[lows[c]]
    return total


@inner_kernel
def judge(lists, cells, shares, need, box, old, n_old, limit, guess, desk):
    """(bound of a box, its rate); infinity if it cannot hold a better point."""
    cost = _lows(cells, box, desk.lows)
    if cost >= limit or not look(lists, cells, shares, box, need, old, n_old, desk):
        return np.inf, 0.0
    found, rate = bound_box(lists, desk, need, cost, most_lacking(desk, need), guess)
    return found, rate


@kernel
def start(lists, cells, shares, need, box, pool, room, desk):
    """Put a first box into the pool."""
    for k in range(room.every.size):
        room.every[k] = k
    guess = room.state[3]
    found, rate = judge(lists, cells, shares, need, box, room.every, room.every.size, room.state[0], guess, desk)
    if found < room.state[0]:
        push(pool, box, found, rate if rate > 0.0 else guess)


@kernel
def search(lists, cells, shares, need, pool, room, desk, under, refused, n_steps):
    """Take boxes until one is solved (its point is in desk.lows), none is left, or there were `n_steps`.

    `refused`: the point that was found last is not accepted by the model; its box is split further.
    """
    state = room.state
    for _ in range(n_steps):
        if not refused:
            if pool.size[0] == 0 or pool.bound[pool.heap[0]] >= state[0]:
                return DONE
            number = _pop(pool)
            copy_words(pool.boxes[number], room.box)
            state[1], state[3] = max(state[1], pool.bound[number]), pool.rate[number]
        state[2] += 1.0
        found, rate = _judge_tightly(lists, cells, shares, need, room, desk)
        if found >= state[0]:
            refused = False
            continue
        if not refused and pool.size[0] > 0 and found > pool.bound[pool.heap[0]] + 1e-3 * (state[0] - found):
            push(pool, room.box, found, rate if rate > 0.0 else state[3])  # others come first
            continue
        reached = desk.lost[0] == 0
        for r in range(need.size):
            reached &= desk.scores[r] >= need[r]
        if reached and not refused:
            return FOUND
        _part(lists, cells, shares, need, pool, room, desk, under, reached)
        refused = False
    return PAUSED


@inner_kernel
def _judge_tightly(lists, cells, shares, need, room, desk):
    """Bound a box, and take from it what cannot hold a better point, as long as that helps."""
    state = room.state
    old, n_old = room.every, room.every.size
    for _ in range(_TIGHTER):
        found, rate = judge(lists, cells, shares, need, room.box, old, n_old, state[0], state[3], desk)
        if found >= state[0]:
            return np.inf, 0.0
        cost, r = cost_of(cells, desk.lows), most_lacking(desk, need)
        changed = tighten(lists, cells, room.box, desk, need, cost, r, rate, state[0])
        state[3] = rate if rate > 0.0 else state[3]
        old, n_old = desk.alive, desk.group[desk.group.size - 1]
        if not changed:
            break
    return judge(lists, cells, shares, need, room.box, old, n_old, state[0], state[3], desk)


@inner_kernel
def _vote(lists, cells, room, desk, r, any_other):
    """What groups would like to change: votes for cells, by the score that they hope for. Whether there are any."""
    room.votes[:] = 0.0
    found = False
    for g in range(desk.here.size):
        leaf, here = desk.chosen[g], desk.here[g]
        if any_other:
            for k in range(desk.group[g], desk.group[g + 1]):
                if desk.alive[k] != here:
                    leaf = desk.alive[k]
        if leaf == here:
            continue
        hope = 1e-12
        if here >= 0:
            hope += abs(lists.value[leaf, r] - lists.value[here, r])
        for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
            c = lists.column[e]
            low = lowest(lists.words, lists.at[e], room.box, cells.word[c], cells.word[c + 1])
            if low != desk.lows[c]:
                room.votes[low] += hope
                room.leaf_of[low] = e
                found = True
    return found


@inner_kernel
def _far_side(lists, cells, room, place, child):
    """The part of the box beyond a cell: numbers as far or farther, or the categories of a leaf."""
    copy_words(room.box, child)
    word, bit = place // 64, np.uint64(place % 64)
    e = room.leaf_of[place]
    c = lists.column[e]
    first, last = cells.word[c], cells.word[c + 1]
    mark = np.uint64(1) << bit
    if cells.up[word] & mark:
        for w in range(first, last):
            child[w] &= cells.up[w]
    elif cells.down[word] & mark:
        for w in range(first, last):
            child[w] &= cells.down[w]
    else:
        for w in range(first, last):
            child[w] &= lists.words[lists.at[e] + w - first]
    for w in range(first, word):
        child[w] = np.uint64(0)
    child[word] &= ~(mark - np.uint64(1))


@inner_kernel
def _part(lists, cells, shares, need, pool, room, desk, under, reached):
    """Split the box in two; both are put into the pool if they may hold a better point."""
    state = room.state
    r = most_lacking(desk, need)
    if reached or not _vote(lists, cells, room, desk, r, False):
        _vote(lists, cells, room, desk, r, True)
    n_old = desk.group[desk.group.size - 1]
    best, bounds, rates = -1.0, (0.0, 0.0), (0.0, 0.0)
    own = state[1]
    for _ in range(_TRIED):
        place, most = np.int64(-1), 0.0
        for p in range(room.votes.size):
            if room.votes[p] > most:
                place, most = np.int64(p), room.votes[p]
        if place < 0:
            break
        room.votes[place] = 0.0
        _far_side(lists, cells, room, place, room.child)
        far, far_rate = judge(lists, cells, shares, need, room.child, desk.alive, n_old, state[0], state[3], under)
        for w in range(room.child.size):
            room.child[w] = room.box[w] & ~room.child[w] if _differs(cells, room, w, place) else room.box[w]
        near, near_rate = judge(lists, cells, shares, need, room.child, desk.alive, n_old, state[0], state[3], under)
        # the box's bound holds for both parts: where one's own is lower, that must not make the product negative
        gain = (max(min(near, state[0]) - own, 0.0) + 1e-9) * (max(min(far, state[0]) - own, 0.0) + 1e-9)
        if gain > best:
            best, bounds, rates = gain, (near, far), (near_rate, far_rate)
            copy_words(room.child, room.best[0])
            _far_side(lists, cells, room, place, room.best[1])
        if near == np.inf and far == np.inf:
            return
    if best < 0.0:
        return
    if bounds[0] < state[0]:
        push(pool, room.best[0], max(bounds[0], own), rates[0] if rates[0] > 0.0 else state[3])
    if bounds[1] < state[0]:
        push(pool, room.best[1], max(bounds[1], own), rates[1] if rates[1] > 0.0 else state[3])


@inner_kernel
def _differs(cells, room, w, place):
    """Whether a word belongs to the column of a place."""
    c = np.searchsorted(cells.word, place // 64, side="right") - 1
    return cells.word[c] <= w < cells.word[c + 1]

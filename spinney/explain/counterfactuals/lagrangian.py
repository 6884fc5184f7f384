"""What any point of a box must cost to reach the goal: lower bounds by Lagrangian relaxation.

The cost of a column's cell is divided among the groups of trees; each group then chooses a leaf for itself, as if the
others were not there. A group pays its share of the way to its leaf and is paid `rate` per unit of score:

    bound = rate * need + sum over groups of min over leaves of (shares of the way there - rate * value)

No point of the box that reaches the goal (values of the groups' leaves add up to `need` or more) costs less, whatever
the rate (at least 0) and however costs are divided, as long as shares ascend with the cells of a column and add up to
their costs. Proof: let a point x reach the goal, each group being in the leaf that x belongs to. Then

    cost of x  =  sum over groups and columns of the shares of x's cells       shares add up to the costs
              >=  sum over groups of shares of the way to its leaf             its nearest cell is no farther than x's
              >=  the same + rate * (need - sum over groups of value)          the bracket is not positive at x
              >=  bound                                                        each group takes its minimum

`bound_box` looks for the best rate, `share_costs` for good shares, by subgradient ascent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.explain.counterfactuals.leaf_boxes import Cells, LeafLists, cost_of, lowest

_RATES = 12  # rates that are tried for a bound


class Sharing(NamedTuple):
    """Room for finding shares."""

    leaves: np.ndarray  # int64 (leaves,)
    top: np.ndarray  # int64 (columns,): the farthest cell of each
    used: np.ndarray  # float64 (places, groups): steps that groups take
    takers: np.ndarray  # float64 (places,): how many groups take a step
    best: np.ndarray  # float64 (places, groups): the best steps so far
    step: np.ndarray  # float64 (groups,)


class Desk(NamedTuple):
    """Room for the work on one box."""

    lows: np.ndarray  # int64 (columns,): the nearest cell of each
    alive: np.ndarray  # int64 (leaves,): leaves that meet the box
    group: np.ndarray  # int64 (groups + 1,): where each group's begin in `alive`
    way: np.ndarray  # float64 (leaves,): what a leaf's group pays for it
    here: np.ndarray  # int64 (groups,): the leaf of the nearest point
    chosen: np.ndarray  # int64 (groups,): the leaf that each group takes
    scores: np.ndarray  # float64 (scores,): of the nearest point
    most: np.ndarray  # float64 (scores,): what can be reached at best
    lost: np.ndarray  # int64 (1,): groups that have lost the leaf of the nearest point


def make_desk(lists: LeafLists, cells: Cells) -> Desk:
    n_groups, n_leaves, n_scores = len(lists.group) - 1, len(lists.value), lists.value.shape[1]
    return Desk(
        np.zeros(len(cells.word) - 1, np.int64),
        np.zeros(n_leaves, np.int64),
        np.zeros(n_groups + 1, np.int64),
        np.zeros(n_leaves),
        np.zeros(n_groups, np.int64),
        np.zeros(n_groups, np.int64),
        np.zeros(n_scores),
        np.zeros(n_scores),
        np.zeros(1, np.int64),
    )


def make_sharing(lists: LeafLists, cells: Cells) -> Sharing:
    n_groups, n_places = len(lists.group) - 1, len(cells.cost)
    return Sharing(
        np.zeros(len(lists.value), np.int64),
        np.zeros(len(cells.word) - 1, np.int64),
        np.zeros((n_places, n_groups)),
        np.zeros(n_places),
        np.zeros((n_places, n_groups)),
        np.zeros(n_groups),
    )


@inner_kernel
def look(lists, cells, shares, box, need, old, n_old, desk):
    """Which leaves (of those in `old`) meet the box, and what they cost. Whether the goal may be reached in it."""
    n_groups, n = desk.here.size, np.int64(0)
    desk.scores[:] = 0.0
    desk.most[:] = 0.0
    desk.lost[0] = 0
    i = np.int64(0)
    for g in range(n_groups):
        desk.group[g], desk.here[g] = n, -1
        base = 0.0
        for c in range(desk.lows.size):
            base += shares[desk.lows[c], g]
        end = lists.group[g + 1]
        start = n
        while i < n_old and old[i] < end:
            leaf = old[i]
            i += 1
            way, moves, meets = base, False, True
            for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
                c = lists.column[e]
                low = lowest(lists.words, lists.at[e], box, cells.word[c], cells.word[c + 1])
                if low < 0:
                    meets = False
                    break
                if low != desk.lows[c]:
                    moves = True
                    way += shares[low, g] - shares[desk.lows[c], g]
            if meets:
                desk.alive[n], desk.way[n] = leaf, way
                n += 1
                if not moves:
                    desk.here[g] = leaf
        if n == start:
            return False
        near = desk.here[g]
        if near < 0:  # the nearest point's leaf is known not to do
            desk.lost[0] += 1
            near = _nearest(desk, start, n)
        for r in range(need.size):
            best = -np.inf
            for k in range(start, n):
                best = max(best, lists.value[desk.alive[k], r])
            desk.most[r] += best
            desk.scores[r] += lists.value[near, r]
    desk.group[n_groups] = n
    for r in range(need.size):
        if desk.most[r] < need[r]:
            return False
    return True


@inner_kernel
def _nearest(desk, start, end):
    best = start
    for k in range(start, end):
        if desk.way[k] < desk.way[best]:
            best = k
    return desk.alive[best]


@inner_kernel
def _at_rate(lists, desk, r, rate):
    """(bound without rate * need, score of the chosen leaves)."""
    total, score = 0.0, 0.0
    for g in range(desk.here.size):
        best, leaf = np.inf, np.int64(-1)
        for k in range(desk.group[g], desk.group[g + 1]):
            one = desk.way[k] - rate * lists.value[desk.alive[k], r]
            if one < best:
                best, leaf = one, desk.alive[k]
        desk.chosen[g] = leaf
        total += best
        score += lists.value[leaf, r]
    return total, score


@inner_kernel
def bound_box(lists, desk, need, cost, r, guess):
    """(lower bound, its rate) for score r of the box in `desk`, by cutting planes from a guess of the rate on."""
    # As a function of the rate the bound is a minimum of straight lines: concave, with slope need - score. Tangents at
    # a rate that is too low (slope > 0) and one that is too high meet above the maximum:
    #                 x meeting: no rate bounds by more than this (`reach`)
    #               / . \
    #             /.     .\
    #           low       high
    low, low_value, low_slope = 0.0, cost, need[r] - desk.scores[r]
    if desk.lost[0] > 0:
        low_value = max(_at_rate(lists, desk, r, 0.0)[0], cost)
    if low_slope <= 0.0:
        _at_rate(lists, desk, r, 0.0)
        return low_value, 0.0
    high, high_value, high_slope = np.inf, 0.0, 0.0
    best, best_rate, rate = low_value, 0.0, guess
    for _ in range(_RATES):
        total, score = _at_rate(lists, desk, r, rate)
        value, slope = total + rate * need[r], need[r] - score
        if value > best:
            best, best_rate = value, rate
        if slope > 0.0:
            low, low_value, low_slope = rate, value, slope
        else:
            high, high_value, high_slope = rate, value, slope
        if slope == 0.0:
            break
        if high == np.inf:
            rate *= 4.0
            continue
        meeting = (high_value - low_value + low_slope * low - high_slope * high) / (low_slope - high_slope)
        reach = low_value + low_slope * (meeting - low)
        if reach <= best + 1e-3 * abs(best) or meeting <= low or meeting >= high:
            break
        rate = meeting
    _at_rate(lists, desk, r, 1.02 * best_rate)  # on the side where more is reached
    return best, best_rate


@inner_kernel
def tighten(lists, cells, box, desk, need, cost, r, rate, limit):
    """Drop leaves and take from the box what cannot be part of a point that costs less than `limit`. Whether anything
    was taken.

    A leaf goes if the bound with its group in this leaf is too high; a cell, if going there alone costs too much.
    """
    # If a group must take this leaf instead of its best one, the bound rises by the difference of the two. Where that
    # makes it reach the limit, no better point is in the leaf.
    total, _ = _at_rate(lists, desk, r, rate)
    slack, n = limit - (total + rate * need[r]), np.int64(0)
    changed = False
    for g in range(desk.here.size):
        least = desk.way[desk.group[g]] - rate * lists.value[desk.alive[desk.group[g]], r]
        for k in range(desk.group[g], desk.group[g + 1]):
            least = min(least, desk.way[k] - rate * lists.value[desk.alive[k], r])
        begin, end = desk.group[g], desk.group[g + 1]
        desk.group[g] = n
        for k in range(begin, end):
            leaf = desk.alive[k]
            if desk.way[k] - rate * lists.value[leaf, r] - least < slack:
                desk.alive[n], desk.way[n] = leaf, desk.way[k]
                n += 1
    desk.group[desk.here.size] = n
    for c in range(desk.lows.size):
        most = limit - cost + cells.cost[desk.lows[c]]
        for w in range(cells.word[c], cells.word[c + 1]):
            for bit in range(64):
                mark = np.uint64(1) << np.uint64(bit)
                if box[w] & mark and cells.cost[64 * w + bit] >= most:
                    box[w] &= mark - np.uint64(1)
                    changed = True
                    break
    return changed


@kernel
def share_costs(lists, cells, root, need, shares, steps, desk, room, n_rounds, guess, limit):
    """Better shares, in place; returns the bound of the root's box. A bound of `limit` will do.

    `steps` (places, groups): shares as steps from cell to cell of a column. Only steps within the box change.
    """
    every, old = np.int64(lists.value.shape[0]), room.leaves
    best, rate, pace = -np.inf, guess, 1.0
    for k in range(every):
        old[k] = k
    cost = cost_of(cells, desk.lows)
    for c in range(desk.lows.size):
        room.top[c] = _highest(root, cells.word[c], cells.word[c + 1])
        for p in range(64 * cells.word[c], 64 * cells.word[c + 1]):
            for g in range(shares.shape[1]):
                shares[p, g] = steps[p, g] + (shares[p - 1, g] if p > 64 * cells.word[c] else 0.0)
    for n in range(n_rounds):
        if n > 0:
            _add_up(steps, shares, desk.lows, room.top)
        if not look(lists, cells, shares, root, need, old, every, desk):
            return np.inf
        r = most_lacking(desk, need)
        found, rate = bound_box(lists, desk, need, cost, r, rate if rate > 0.0 else guess)
        if found > best:
            best = found
            _copy(steps, room.best, desk.lows, room.top)
            if best >= limit:
                break
        elif n % 10 == 9:
            pace *= 0.7
        if found <= 0.0 and n == 0 and desk.scores[r] >= need[r]:
            break
        norm = _use(lists, cells, root, desk, steps, room)
        if norm == 0.0:
            break
        _move(steps, room, desk.lows, pace * max(0.05 * abs(best), 1e-3) / norm)
    _copy(room.best, steps, desk.lows, room.top)
    _add_up(steps, shares, desk.lows, room.top)
    return best


@inner_kernel
def _highest(box, first, last):
    """The farthest cell of a column."""
    for w in range(last - 1, first - 1, -1):
        if box[w] != np.uint64(0):
            bit = np.int64(63)
            while (box[w] >> np.uint64(bit)) & np.uint64(1) == np.uint64(0):
                bit -= 1
            return 64 * w + bit
    return 64 * first


@inner_kernel
def most_lacking(desk, need):
    """The score that is farthest from what it must be, at the nearest point."""
    worst = np.int64(0)
    for r in range(1, need.size):
        if need[r] - desk.scores[r] > need[worst] - desk.scores[worst]:
            worst = np.int64(r)
    return worst


@inner_kernel
def _copy(old, new, lows, top):
    for c in range(lows.size):
        for p in range(lows[c] + 1, top[c] + 1):
            for g in range(old.shape[1]):
                new[p, g] = old[p, g]


@inner_kernel
def _add_up(steps, shares, lows, top):
    for c in range(lows.size):
        for p in range(lows[c] + 1, top[c] + 1):
            for g in range(steps.shape[1]):
                shares[p, g] = shares[p - 1, g] + steps[p, g]


@inner_kernel
def _use(lists, cells, root, desk, steps, room):
    """Which steps the groups' leaves take; how far that is from all taking the same, squared."""
    used, takers, n_groups = room.used, room.takers, desk.chosen.size
    for c in range(desk.lows.size):
        for p in range(desk.lows[c] + 1, room.top[c] + 1):
            takers[p] = 0.0
            for g in range(n_groups):
                used[p, g] = 0.0
    for g in range(n_groups):
        leaf = desk.chosen[g]
        for e in range(lists.entry[leaf], lists.entry[leaf + 1]):
            c = lists.column[e]
            low = lowest(lists.words, lists.at[e], root, cells.word[c], cells.word[c + 1])
            for p in range(desk.lows[c] + 1, low + 1):
                used[p, g] = 1.0
                takers[p] += 1.0
    norm = 0.0
    for c in range(desk.lows.size):
        for p in range(desk.lows[c] + 1, room.top[c] + 1):
            mean = takers[p] / n_groups
            if 0.0 < mean < 1.0:
                for g in range(n_groups):
                    if steps[p, g] > 0.0 or used[p, g] > mean:
                        norm += (used[p, g] - mean) ** 2
    return norm


@inner_kernel
def _move(steps, room, lows, pace):
    """Steps by which more of the cost goes to groups that take them; what they add up to stays."""
    # the bound's derivative by a group's share of a step is 1 if its leaf takes the step, else 0: so this is ascent
    n_groups, own = steps.shape[1], room.step
    for c in range(lows.size):
        for p in range(lows[c] + 1, room.top[c] + 1):
            if room.takers[p] == 0.0 or room.takers[p] == n_groups:
                continue
            total = 0.0
            for g in range(n_groups):
                total += steps[p, g]
                own[g] = steps[p, g] + pace * room.used[p, g]
            if total > 0.0:
                _project(own, pace * room.takers[p], total)
                for g in range(n_groups):
                    steps[p, g] = own[g]


@inner_kernel
def _project(own, surplus, total):
    """Onto the simplex: take the same from all that stay above zero, until they add up to the total."""
    n_left = own.size
    while surplus > 1e-15 * total:
        cut, surplus, left = surplus / n_left, 0.0, np.int64(0)
        for g in range(own.size):
            if own[g] > 0.0:
                own[g] -= cut
                if own[g] < 0.0:
                    surplus -= own[g]
                    own[g] = 0.0
                elif own[g] > 0.0:
                    left += 1
        n_left = max(left, np.int64(1))
    found = 0.0
    for g in range(own.size):
        found += own[g]
    for g in range(own.size):
        own[g] *= total / found

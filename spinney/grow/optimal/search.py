"""Depth first over sets of rows, with bounds; the root's tests are shared out among threads.

In: a `Problem`. Out: the best tree, as a heap of tests, its cost, and a lower bound of the cost of any tree.

A node with more than two levels to go takes its tests one after the other. The order is that of the best tree of two
levels with each test, which `last_levels.py` finds for all tests at once. A test is left out when the lower bounds of
its children prove that it cannot be better than the best one so far. Each child is solved with a *limit*: what it must
cost less than to be of use.

    frame 0   root, depth 4       test 17 of 300, first child open
    frame 1     depth 3           test 2 of 280, second child open
    frame 2       depth 2         solved by last_levels.py

Why threads make no difference: a node's order depends on its rows alone, and of equal trees the one with the first test
in this order wins. Bounds, and what the cache knows, only leave out tests that would not have won. At the root, where
several tests are open at once, a test before the best one so far is tried if it may be equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import atomic_load, atomic_swap, inner_kernel, kernel, part_kernel, yield_core
from spinney._random import mix
from spinney._team import Team, stop_wanted
from spinney.grow.exact.search import sort_by_key
from spinney.grow.optimal.last_levels import (
    FIRST,
    OWN,
    SECOND,
    best_cost,
    best_root,
    keep_counts,
    n_tests_of,
    solve_last_levels,
)
from spinney.grow.optimal.memory import NO_TEST, Candidates, OptimalWork, Problem
from spinney.grow.optimal.statistics import NEVER, Costs, is_allowed, leaf_cost

LOCK, BEST, PLACE, NEXT, TIME, N_TESTS, BOUND = (8 * k for k in range(7))  # places in `state`, each a cache line
LAST = 1 << 60  # the place of a tree that others found


class Root(NamedTuple):
    """What all threads know of the root."""

    state: np.ndarray  # int64
    tests: Candidates  # those of the thread that opens it
    done: np.ndarray  # uint8, by place in the order: tests that were taken
    heap: np.ndarray  # int32: the best tree so far


def make_root(work: OptimalWork, depth: int) -> Root:
    """A root that nothing is known of, and that is opened with this memory."""
    tests = Candidates(*(part[0] for part in work.tests))
    done, heap = np.zeros(len(tests.order), np.uint8), np.full(2 << depth, NO_TEST, np.int32)
    return Root(np.zeros(64, np.int64), tests, done, heap)


# --- the root --------------------------------------------------------------------------------------------------------


@kernel
def open_root(rank, size, sync, problem, costs, work, root, depth):
    """Solve a tree of up to two levels, or list the tests of a deeper one; `heap` and BEST are a tree to beat."""
    if rank > 0:
        return
    frame = work.frames[0]
    for i in range(problem.codes.shape[1]):
        work.rows[0, i] = i
    frame.n_rows, frame.depth, frame.limit = problem.codes.shape[1], depth, min(np.int64(NEVER), root.state[BEST] + 1)
    root.state[N_TESTS] = 0
    if _enter(problem, costs, work, 0, sync, root.state):
        if frame.cost <= root.state[BEST]:
            root.state[BEST] = frame.cost
            for at in range(root.heap.size):
                root.heap[at] = work.heap[0, at]
        root.state[BOUND] = min(root.state[BEST], frame.proved)
        return
    root.state[BOUND] = 0
    if _is_stopped(sync, root.state):
        return
    if frame.best < NEVER:  # a single leaf; equal trees do not replace it
        root.state[BEST], root.state[PLACE] = frame.best, -1
        root.heap[1] = NO_TEST
    root.state[N_TESTS] = frame.n_tests


@kernel
def search_root(rank, size, sync, problem, costs, work, root, depth):
    """Solve the tests of the root, one after the other, until none is left that could be better."""
    for i in range(problem.codes.shape[1]):
        work.rows[0, i] = i
    tests = root.tests
    while not _is_stopped(sync, root.state):
        place, limit = _take(root, tests)
        if place < 0:
            return
        t = tests.order[place]
        total = _solve_test(problem, costs, work, root, tests, t, limit, sync, depth)
        if total < 0:
            return
        _lock(root.state)
        root.done[place] = 2
        best = root.state[BEST]
        if total < best or (total == best and place < root.state[PLACE]):
            root.state[BEST], root.state[PLACE] = total, place
            root.heap[1] = _cell_of(problem, tests, t)
            left_first = work.frames[0].first_left
            _graft(root.heap, 1, 0, work.first_heap[0] if left_first else work.heap[1], depth - 1)
            _graft(root.heap, 1, 1, work.heap[1] if left_first else work.first_heap[0], depth - 1)
        _unlock(root.state)


@inner_kernel
def _take(root, tests):
    """(place in the order, limit) of the next test that could be better; (-1, 0): there is none."""
    _lock(root.state)
    place, limit = root.state[NEXT], np.int64(0)
    while place < root.state[N_TESTS]:
        t = tests.order[place]
        limit = root.state[BEST] + (1 if place < root.state[PLACE] else 0)
        if tests.left[t] + tests.right[t] < limit:
            break
        place += 1
    root.state[NEXT] = place + 1
    found = place < root.state[N_TESTS]
    if found:
        root.done[place] = 1
    _unlock(root.state)
    return (place, limit) if found else (np.int64(-1), np.int64(0))


@inner_kernel
def _solve_test(problem, costs, work, root, tests, t, limit, sync, depth):
    """The cost of the best tree with this test, NEVER if not below the limit, -1 if the search was stopped."""
    frame, child, n_tests = work.frames[0], work.frames[1], root.state[N_TESTS]
    frame.n_rows, frame.depth, frame.test = problem.codes.shape[1], depth, t
    n_left = _count_left(problem, work, 0, tests, t)
    frame.first_left = 1 if 2 * n_left <= frame.n_rows else 0
    frame.shared, first = _is_shared(problem, costs, work, 0, n_left), np.int64(0)
    for nth in range(2):
        frame.side = nth + 1
        left = frame.first_left if nth == 0 else 1 - frame.first_left
        own, other = (tests.left[t], tests.right[t]) if left else (tests.right[t], tests.left[t])
        child_limit = limit - (other if nth == 0 else first)
        if own >= child_limit:
            return np.int64(NEVER)
        _go_to_child(problem, costs, work, 0, tests, t, left)
        child.limit = child_limit
        if not _solve(problem, costs, work, 1, sync, root.state):
            return np.int64(-1)
        _lock(root.state)
        raise_bound(costs, tests, n_tests, t, left, child.bound)
        _unlock(root.state)
        if child.cost >= NEVER or first + child.cost >= limit:
            return np.int64(NEVER)
        first += child.cost
        if nth == 0:
            _copy_heap(work.first_heap[0], work.heap[1], depth - 1)
    return first


@inner_kernel
def _lock(state):
    while atomic_swap(state, LOCK, 1) != 0:
        yield_core()


@inner_kernel
def _unlock(state):
    atomic_swap(state, LOCK, 0)


@inner_kernel
def _is_stopped(sync, state):
    return stop_wanted(sync) or atomic_load(state, TIME) != 0


def lower_bound(root: Root) -> int:
    """What no tree can cost less than, when the search has been stopped."""
    n, best = int(root.state[N_TESTS]), int(root.state[BEST])
    if n == 0:
        return int(root.state[BOUND])
    order = root.tests.order[:n]
    open_ = root.done[:n] < 2
    bounds = (root.tests.left + root.tests.right)[order][open_]
    return min(best, int(bounds.min(initial=best)))


# --- nodes below it --------------------------------------------------------------------------------------------------


@part_kernel(returns="bool")
def _solve(problem, costs, work, level, sync, state):
    """Solve the node of a level, whose entries, depth and limit are set; False if the search was stopped."""
    top = level
    finished = _enter(problem, costs, work, top, sync, state)
    while True:
        if _is_stopped(sync, state):
            return False
        if finished:
            if top == level:
                return True
            top -= 1
            _absorb(problem, costs, work, top)
        if _open_child(problem, costs, work, top):
            top += 1
            finished = _enter(problem, costs, work, top, sync, state)
        else:
            _finish(costs, work, top)
            finished = True


@inner_kernel
def _tests_at(tests, level):
    return Candidates(
        tests.column[level],
        tests.code[level],
        tests.moved[level],
        tests.left[level],
        tests.right[level],
        tests.value[level],
        tests.order[level],
    )


@inner_kernel
def _cell_of(problem, tests, t):
    return np.int32(problem.first[tests.column[t]] + tests.code[t])


@inner_kernel
def _count_left(problem, work, level, tests, t):
    codes, code, n = problem.codes[tests.column[t]], tests.code[t], np.int64(0)
    for i in work.rows[level, : work.frames[level].n_rows]:
        n += codes[i] <= code
    return n


@inner_kernel
def _go_to_child(problem, costs, work, level, tests, t, left):
    """Write the entries of a child to the next level."""
    codes, code, n = problem.codes[tests.column[t]], tests.code[t], np.int64(0)
    source, goal = work.rows[level], work.rows[level + 1]
    for at in range(work.frames[level].n_rows):
        i = source[at]
        goal[n] = i
        n += (codes[i] <= code) == (left == 1)
    child = work.frames[level + 1]
    child.n_rows, child.depth = n, work.frames[level].depth - 1


@part_kernel(returns="bool")
def _enter(problem, costs, work, level, sync, state):
    """Begin with a node. True if it is solved at once: `cost`, `proved`, `bound` and its heap are set."""
    frame, heap, pairs = work.frames[level], work.heap[level], work.pairs
    rows = work.rows[level, : frame.n_rows]
    least = _add_up(problem, pairs, rows, frame) + costs.penalty
    leaf = leaf_cost(costs, pairs.total)
    frame.leaf, frame.side, frame.at, frame.best, heap[1] = leaf, 0, 0, NEVER, NO_TEST
    frame.cost, frame.proved, frame.bound = NEVER, least, least
    allowed = level == 0 or is_allowed(costs, pairs.total, costs.limited)
    if least >= frame.limit:
        return True
    if not allowed:
        frame.proved = NEVER
        return True
    if frame.depth == 0 or leaf <= least + costs.penalty:  # any split has a leaf more
        frame.cost = frame.proved = frame.bound = leaf
        return True
    if _is_cached(work, level):
        return True
    if _is_stopped(sync, state):
        return False
    counts_from = _counts_from(work, level)
    solve_last_levels(problem, costs, pairs, rows, min(frame.depth, np.int64(2)), costs.limited, work.kept, counts_from)
    if frame.depth > 2:
        if frame.depth == 3:
            keep_counts(pairs, work.kept)
        _list_tests(problem, costs, work, level)
        return False
    _take_last_levels(problem, costs, work, level)
    if level > 1:
        keep(work.cache, frame, heap)
    return True


@inner_kernel
def _counts_from(work, level):
    """Whether a child with two levels uses the counts of its parent."""
    if level == 0 or work.frames[level].depth != 2:
        return OWN
    parent = work.frames[level - 1]
    if parent.shared == 1 and parent.side == 1:
        parent.shared = 2  # the counts at hand are now those of the first child
        return FIRST
    if parent.shared == 2 and parent.side == 2:
        parent.shared = 0
        return SECOND
    return OWN


@inner_kernel
def _is_shared(problem, costs, work, level, n_left):
    """Whether it takes less time to count one child and subtract than to count both."""
    frame, n = work.frames[level], work.kept.state[0]
    if frame.depth != 3 or n == 0 or costs.limited:
        return np.int64(0)
    listed = float(problem.row_cells.size) / float(problem.codes.shape[1])
    larger = float(max(n_left, frame.n_rows - n_left))
    return np.int64(larger * listed * listed > float(n) * float(n) * work.kept.counts.shape[0])


@inner_kernel
def _add_up(problem, pairs, rows, frame):
    """Sums and key of a node; returns what no tree can save."""
    total, least, key, check = pairs.total, np.int64(0), np.uint64(0), np.uint64(0)
    for k in range(total.size):
        total[k] = 0
    n_amounts = problem.amounts.shape[0]
    for i in rows:
        if problem.label.size:
            total[problem.label[i]] += problem.weight[i]
        for p in range(n_amounts):
            total[total.size - n_amounts + p] += problem.amounts[p, i]
        least += problem.least[i]
        key += problem.keys[0, i]
        check += problem.keys[1, i]
    frame.key, frame.check = key, check
    return least


@inner_kernel
def _is_cached(work, level):
    """Whether the cache knows all that is needed of a node."""
    frame, cache = work.frames[level], work.cache
    if level < 2:
        return False
    slot = slot_of(cache, frame)
    if not is_known(cache, slot, frame):
        return False
    known = cache.costs[slot]
    if known[0] >= NEVER and known[1] < frame.limit:
        return False
    frame.cost, frame.proved, frame.bound = known[0], known[1], known[2]
    for at in range(1 << frame.depth):
        work.heap[level, at] = cache.heaps[slot, at]
    return True


@inner_kernel
def _take_last_levels(problem, costs, work, level):
    """The result of a node with up to two levels."""
    frame, pairs = work.frames[level], work.pairs
    frame.cost = frame.proved = frame.bound = _write_heap(pairs, frame.leaf, frame.depth, work.heap[level])
    if costs.limited:
        rows = work.rows[level, : frame.n_rows]
        solve_last_levels(problem, costs, pairs, rows, frame.depth, False, work.kept, OWN)
        frame.bound = min(best_cost(pairs), frame.leaf)


@inner_kernel
def _write_heap(pairs, leaf, depth, heap):
    """The best tree of up to two levels, a leaf if no test costs less; returns its cost."""
    best, z = best_cost(pairs), best_root(pairs)
    heap[1] = NO_TEST
    if best < leaf:
        heap[1] = pairs.cell[z]
        if depth > 1:
            left, right = pairs.left_child[z], pairs.right_child[z]
            heap[2] = pairs.cell[left] if left >= 0 else NO_TEST
            heap[3] = pairs.cell[right] if right >= 0 else NO_TEST
    return min(best, leaf)


@inner_kernel
def _list_tests(problem, costs, work, level):
    """The tests of a deeper node in their order, with first bounds of both children."""
    frame, pairs, tests = work.frames[level], work.pairs, _tests_at(work.tests, level)
    n, column = 0, 0
    for z in range(n_tests_of(pairs)):
        if z == pairs.first[column + 1]:
            column += 1
        if z == pairs.first[column + 1] - 1:
            continue
        c = pairs.column[column]
        tests.column[n], tests.code[n] = c, pairs.cell[z] - problem.first[c]
        tests.moved[n] = np.int64(0)
        for k in range(costs.n_parts if problem.label.size else 1):
            tests.moved[n] += pairs.cum[k, z]
        tests.left[n] = tests.right[n] = costs.penalty
        tests.value[n], tests.order[n] = pairs.left[z] + pairs.right[z], n
        n += 1
    _bound_by_entries(problem, pairs, work, level, n)
    sort_by_key(tests.order[:n], pairs.base[:n], tests.value)  # cells are numbered anew before `base` is read again
    frame.n_tests = n
    if n > 0:
        frame.limit = min(frame.limit, tests.value[tests.order[0]] + 1)
    if frame.leaf < frame.limit:
        frame.best = frame.limit = frame.leaf
    work.heap[level, 1] = NO_TEST


@inner_kernel
def _bound_by_entries(problem, pairs, work, level, n_tests):
    """Add to the bounds what no tree can save."""
    tests, hist, whole = _tests_at(work.tests, level), pairs.hist[0], np.int64(0)
    for cell in range(hist.size):
        hist[cell] = 0
    for i in work.rows[level, : work.frames[level].n_rows]:
        if problem.least[i] > 0:
            whole += problem.least[i]
            for at in range(problem.row_first[i], problem.row_first[i + 1]):
                hist[problem.row_cells[at]] += problem.least[i]
    if whole == 0:
        return
    t = 0
    while t < n_tests:
        c, sum_left, code = tests.column[t], np.int64(0), 0
        first, rest = problem.first[c], whole
        for cell in range(first, problem.first[c + 1]):
            rest -= hist[cell]
        hist[problem.default[c]] += rest
        while t < n_tests and tests.column[t] == c:
            while code <= tests.code[t]:
                sum_left += hist[first + code]
                code += 1
            tests.left[t] += sum_left
            tests.right[t] += whole - sum_left
            t += 1


@inner_kernel
def _open_child(problem, costs, work, level):
    """Write the next child that has to be solved to the next level; False if there is none."""
    frame, tests = work.frames[level], _tests_at(work.tests, level)
    if frame.side == 1:
        t, left = frame.test, 1 - frame.first_left
        limit = min(frame.limit, frame.best) - frame.first_cost
        if (tests.left[t] if left else tests.right[t]) < limit:
            frame.side = 2
            _go_to_child(problem, costs, work, level, tests, t, left)
            work.frames[level + 1].limit = limit
            return True
    frame.side = 0
    limit = min(frame.limit, frame.best)
    while frame.at < frame.n_tests:
        t = tests.order[frame.at]
        frame.at += 1
        if tests.left[t] + tests.right[t] >= limit:
            continue
        n_left = _count_left(problem, work, level, tests, t)
        left = 1 if 2 * n_left <= frame.n_rows else 0
        frame.test, frame.first_left, frame.side = t, left, 1
        frame.shared = _is_shared(problem, costs, work, level, n_left)
        _go_to_child(problem, costs, work, level, tests, t, left)
        work.frames[level + 1].limit = limit - (tests.right[t] if left else tests.left[t])
        return True
    return False


@inner_kernel
def _absorb(problem, costs, work, level):
    """Take the result of a child."""
    frame, child, tests = work.frames[level], work.frames[level + 1], _tests_at(work.tests, level)
    t, left = frame.test, frame.first_left if frame.side == 1 else 1 - frame.first_left
    raise_bound(costs, tests, frame.n_tests, t, left, child.bound)
    if frame.side == 1:
        frame.first_cost = child.cost
        if child.cost >= NEVER:
            frame.side = 0
        else:
            _copy_heap(work.first_heap[level], work.heap[level + 1], child.depth)
        return
    frame.side = 0
    total = frame.first_cost + child.cost
    if child.cost < NEVER and total < min(frame.limit, frame.best):
        frame.best = total
        heap = work.heap[level]
        heap[1] = _cell_of(problem, tests, t)
        _graft(heap, 1, left, work.first_heap[level], child.depth)
        _graft(heap, 1, 1 - left, work.heap[level + 1], child.depth)


@inner_kernel
def _copy_heap(goal, source, depth):
    for at in range(1, max(np.int64(2), np.int64(1) << depth)):
        goal[at] = source[at]


@inner_kernel
def _graft(heap, root, branch, tree, depth):
    """Write a tree of this depth below a branch of the root of a heap."""
    width = 1
    for _ in range(max(np.int64(1), depth)):
        for at in range(width):
            heap[width * (2 * root + branch) + at] = tree[width + at]
        width *= 2


@inner_kernel
def _finish(costs, work, level):
    """The result of a node whose tests have all been tried or left out."""
    frame, tests = work.frames[level], _tests_at(work.tests, level)
    frame.cost = frame.best
    frame.proved = min(frame.best, frame.limit)
    bound = frame.leaf
    for t in range(frame.n_tests):
        bound = min(bound, tests.left[t] + tests.right[t])
    frame.bound = bound if costs.limited else max(bound, frame.proved)
    if level > 1:
        keep(work.cache, frame, work.heap[level])


# ----------------------------------------------------------------------------------------------------------------------
# What one solved child proves about the children of other tests on the same column.
#
# In: the tests of a node, one of them, a lower bound of its left or right child. Out: raised bounds of its neighbours.
#
#     codes        0 1 2 3 | 4 5 | 6 7 8
#     left child   rows with codes up to 3 cost at least v; rows with codes up to 5 are more rows: at least v, too
#     right child  rows with codes from 4 on cost at least v; without those of 4 and 5, at least v minus what these can
#                  add to the cost of a tree: `move` for each unit of weight (0: not known)
#
# The first holds since a tree for more rows, without the leaves that become empty, is one for fewer rows, and costs no
# less. The second since a tree for fewer rows is one for all of them, and costs at most that much more.


@inner_kernel
def raise_bound(costs, tests, n_tests, t, left, value):
    """The left child of test t, or the right one, costs at least `value`."""
    column, moved, bounds, more = tests.column, tests.moved, tests.left if left else tests.right, 1 if left else -1
    bounds[t] = max(bounds[t], value)
    other = t + more  # its child has more rows
    while 0 <= other < n_tests and column[other] == column[t]:
        bounds[other] = max(bounds[other], value - costs.slack)
        other += more
    other = t - more
    while costs.move > 0.0 and 0 <= other < n_tests and column[other] == column[t]:
        lost = np.int64(np.ceil(float(abs(moved[t] - moved[other])) * costs.move))
        bounds[other] = max(bounds[other], value - costs.slack - lost)
        other -= more


# ----------------------------------------------------------------------------------------------------------------------
# Solved nodes, by the set of their rows: two paths with the same tests in another order lead to the same rows.
#
# A node's key is the sum of random numbers of its entries, 64 bits for the slot and 64 to compare. What is found there
# never changes the result, only the time: the cost of the best tree and lower bounds do not depend on the path. A full
# neighbourhood of slots forgets one entry.


_TRIES = 8


@inner_kernel
def slot_of(cache, frame):
    """The slot of a frame's node, or the one to write it to."""
    keys, mask = cache.keys, np.uint64(cache.keys.shape[0] - 1)
    check = _check(frame)
    for n in range(_TRIES):
        at = np.int64((frame.key + np.uint64(n)) & mask)
        if keys[at, 0] == frame.key and keys[at, 1] == check:
            return at
        if keys[at, 0] == 0 and keys[at, 1] == 0:
            return at
    return np.int64((frame.key + (check & np.uint64(_TRIES - 1))) & mask)


@inner_kernel
def is_known(cache, slot, frame):
    """Whether a slot holds this node."""
    return cache.keys[slot, 0] == frame.key and cache.keys[slot, 1] == _check(frame)


@inner_kernel
def keep(cache, frame, heap):
    """Write down a frame's result."""
    slot = slot_of(cache, frame)
    old = is_known(cache, slot, frame)
    costs = cache.costs[slot]
    costs[1] = max(frame.proved, costs[1]) if old else frame.proved
    costs[2] = max(frame.bound, costs[2]) if old else frame.bound
    costs[0] = frame.cost
    cache.keys[slot, 0], cache.keys[slot, 1] = frame.key, _check(frame)
    for at in range(1 << frame.depth):
        cache.heaps[slot, at] = heap[at]


@inner_kernel
def _check(frame):
    return mix(frame.check, np.uint64(frame.depth))


# ----------------------------------------------------------------------------------------------------------------------
# A good tree in little time: each node asks what the best tree of two levels asks at its root.
#
# In: a `Problem`. Out: a tree as a heap of tests. It is where the search begins, and what it falls back on. Near the
# leaves, where two levels are left, it is optimal; above them it is greedy with a look ahead, which is nearly as good
# as an optimal tree on most tables (Babbar, McTavish, Rudin and Seltzer 2025).


def look_ahead(problem: Problem, costs: Costs, work: OptimalWork, depth: int, root: Root, team: Team) -> np.ndarray:
    """A tree of this depth; smaller if time is up."""
    heap, top = np.full(2 << depth, NO_TEST, np.int32), np.empty(4, np.int32)
    waiting = [(1, depth, np.arange(problem.codes.shape[1], dtype=np.int32))]
    while waiting and not root.state[TIME]:
        at, levels, rows = waiting.pop()
        team.run(_best_of_two_levels, problem, costs, work, rows, min(levels, 2), top)
        heap[at] = top[1]
        if top[1] == NO_TEST or levels < 2:
            continue
        if levels == 2:
            heap[2 * at : 2 * at + 2] = top[2:]
            continue
        v = int(np.searchsorted(problem.first, top[1], side="right")) - 1
        left = problem.codes[v, rows] <= top[1] - problem.first[v]
        waiting += [(2 * at + 1, levels - 1, rows[~left]), (2 * at, levels - 1, rows[left])]
    return heap


@kernel
def _best_of_two_levels(rank, size, sync, problem, costs, work, rows, depth, top):
    """The heap of the best tree of a node."""
    if rank == 0:
        solve_last_levels(problem, costs, work.pairs, rows, depth, costs.limited, work.kept, OWN)
        _write_heap(work.pairs, leaf_cost(costs, work.pairs.total), depth, top)

"""The nearest point that reaches a goal: greedy first, then branch and bound.

In: a `Space`: the questions of a model by the cells of a row's columns, the scores that leaves add and those that are
needed. Out: `Found`: the cells of the nearest point, what it costs, and a lower bound of the cost of any point.

    climb      from the row, leaf by leaf, to some point that reaches the goal; then back as far as it goes, and again
               with one of its columns left alone
    solve      boxes within a limit that grows up to the cost of that point: small limits leave few leaves, and trees
               can be joined into groups whose bounds are tight; a limit that holds no point is a bound. Boxes that
               have been split a few times are examined again, since they hold fewer leaves still

Why growing limits: a leaf that costs more than the limit is dropped, and with it all joint leaves of groups that
contain it, so the work falls steeply with the limit. A failed search within half the known cost is cheap, and proves
that no point costs less than that.

    cost     0 ------ bound ===== optimum ======= best point known
                      raised by limits            lowered by points found; both meet at the end, or the effort is spent
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel, seconds_spent
from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.explain.counterfactuals.branch_and_bound import DONE, FOUND, Pool, Room, search, start
from spinney.explain.counterfactuals.constraints import Column, cells_of
from spinney.explain.counterfactuals.greedy import climb
from spinney.explain.counterfactuals.lagrangian import make_desk, make_sharing, share_costs
from spinney.explain.counterfactuals.leaf_boxes import Cells, LeafLists, Walk, copy_words, find_lows, make_lists, merge
from spinney.explain.counterfactuals.targets import Goal

_LIMITS = (0.5, 0.75, 1.0)  # of the cost of the point that is known
_CLIMBS, _FROM_ROW = 32, 6  # sets of columns left alone that are climbed with, and those of them from the row
_POWERS = (1.0, 0.5, 2.0)  # how much costs count on the way
_GROUP = 100  # leaves of a group of trees, at most
_ROUNDS = 120  # in which shares of costs are improved
_MOST_BOXES = 1 << 20
_STEPS = 32  # splits of a box before its parts are examined again


class Found(NamedTuple):
    """A point, by the place of each column's cell in the order of costs; None if there is none."""

    ranks: np.ndarray | None
    cost: float
    bound: float


@dataclass
class Effort:
    """What the search may still take: time, and boxes of branch and bound. Time spent compiling does not count."""

    deadline: float  # of time.monotonic
    most: float  # boxes
    nodes: int = 0  # boxes so far
    compiled: float = field(default_factory=seconds_spent)  # before the search

    @property
    def is_spent(self) -> bool:
        return self.nodes >= self.most or time.monotonic() > self.deadline + seconds_spent() - self.compiled

    def steps(self) -> int:
        """How many boxes may be split before the parts are examined again."""
        return int(min(_STEPS, self.most - self.nodes))


@dataclass(frozen=True)
class Space:
    """What is searched."""

    columns: Sequence[Column]
    cells: Cells
    walk: Walk
    depth: int
    need: np.ndarray
    accept: Callable[[np.ndarray], bool]  # whether the model itself agrees about a point

    def root(self, frozen: Sequence[int] = (), limit: float = math.inf) -> np.ndarray:
        """The box of all cells that are allowed and cost less than the limit; the first only in frozen columns."""
        box = np.zeros(len(self.cells.up), np.uint64)
        for j, column in enumerate(self.columns):
            n = max(min(column.n_allowed, int(np.searchsorted(column.cost, limit))), 1)
            n = 1 if j in frozen else n
            first = int(self.cells.word[j])
            for w in range(-(-n // 64)):
                left = min(n - 64 * w, 64)
                box[first + w] = np.uint64((1 << left) - 1)
        return box

    def ranks(self, lows: np.ndarray) -> np.ndarray:
        return lows - 64 * self.cells.word[:-1]

    def within(self, limit: float) -> Space:
        """The same without cells that cost as much as the limit: they come last, and words are saved."""
        kept = [max(int(np.searchsorted(one.cost, limit)), 1) for one in self.columns]
        columns = [one.nearest(n) for one, n in zip(self.columns, kept)]
        return replace(self, columns=columns, cells=make_cells(columns))


def pack_bits(rows: np.ndarray) -> np.ndarray:
    """Booleans (n, cells) as words (n, words)."""
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % 64)))
    return np.ascontiguousarray(np.packbits(padded, axis=1, bitorder="little")).view("<u8").astype(np.uint64)


def make_cells(columns: Sequence[Column]) -> Cells:
    """The cells of all columns, end to end."""
    word, cost, up, down = [0], [], [], []
    for column in columns:
        up.append(pack_bits((column.side > 0)[None])[0])
        down.append(pack_bits((column.side < 0)[None])[0])
        cost.append(np.pad(column.cost, (0, 64 * len(up[-1]) - len(column.cost)), constant_values=np.inf))
        word.append(word[-1] + len(up[-1]))
    return Cells(np.array(word, np.int64), np.concatenate(cost), np.concatenate(up), np.concatenate(down))


def find_nearest(space: Space, frozen: Sequence[int], known: float, effort: Effort) -> Found:
    """The nearest point that costs less than `known`."""
    best = _climb(space, frozen, known)
    if best.cost == 0.0:
        return best
    bound = 0.0
    limits = [best.cost * one for one in _LIMITS] if math.isfinite(best.cost) else [math.inf]
    for limit in limits:
        found = _solve(space, frozen, limit, effort)
        bound = max(bound, min(found.bound, limit))
        if found.ranks is not None:
            return found._replace(bound=min(bound, found.cost))
        if found.bound < limit:  # the effort is spent
            return Found(best.ranks, best.cost, bound)
    return Found(best.ranks, best.cost, best.cost)


def _climb(space: Space, frozen: Sequence[int], known: float) -> Found:
    """Some point; then again and again without one of the columns that it changes, from there and from the row."""
    best, tried = _climb_once(space, frozen, Found(None, known, 0.0)), {tuple(frozen)}
    waiting = [tuple(frozen)]
    while waiting and len(tried) < _CLIMBS and best.ranks is not None:
        held = waiting.pop(0)
        for j in np.flatnonzero(best.ranks).tolist():
            other = tuple(sorted({*held, j}))
            if other in tried:
                continue
            tried.add(other)
            found = _climb_once(space, other, best, from_best=True)
            if len(tried) <= _FROM_ROW:
                found = _climb_once(space, other, found)
            if found.cost < best.cost:
                best = found
                waiting = [tuple(frozen), *waiting]
                break
            waiting.append(other)
    return best


def _climb_once(space: Space, frozen: Sequence[int], best: Found, from_best: bool = False) -> Found:
    """A better point than the best one, or that one."""
    root = space.root(frozen)
    lists = make_lists(space.walk, space.cells, root, best.cost, space.depth)
    if (np.diff(lists.group) == 0).any():
        return best
    room, scores = np.zeros((3, len(space.columns)), np.int64), np.zeros((2, len(space.need)))
    n_trees = len(space.walk.roots)
    paths = np.empty(n_trees, np.int64), np.empty(n_trees, np.uint64)
    for power in _POWERS[: 1 if from_best else None]:
        lows = np.zeros(len(space.columns), np.int64)
        find_lows(space.cells, root, lows)
        if from_best and best.ranks is not None:
            held = np.isin(np.arange(len(lows)), frozen)
            lows = np.where(held, lows, 64 * space.cells.word[:-1] + best.ranks)
        reached = climb(space.walk, space.cells, lists, root, space.need, lows, room, scores, power, best.cost, paths)
        cost = float(space.cells.cost[lows].sum())
        if reached and cost < best.cost and space.accept(space.ranks(lows)):
            best = Found(space.ranks(lows), cost, 0.0)
    return best


def _solve(space: Space, frozen: Sequence[int], limit: float, effort: Effort) -> Found:
    """The nearest point within a limit; its bound is the limit if there is none, and less if the effort is spent.

    A box that has been split some times is examined again: fewer leaves are left in it, more trees can be joined, and
    costs are shared for it alone.
    """
    space = space.within(limit)
    best, waiting, n = Found(None, math.inf, limit), [(0.0, 0, space.root(frozen, limit))], 1
    while waiting and waiting[0][0] < limit:
        bound, _, box = heapq.heappop(waiting)
        if effort.is_spent or len(waiting) > _MOST_BOXES:
            return best._replace(bound=min(bound, best.cost, limit))
        found, rest = _look_into(space, box, bound, limit, effort)
        if found is not None:
            best, limit = found, found.cost
        for below, other in rest:
            heapq.heappush(waiting, (below, n, other))
            n += 1
    return best


def _look_into(
    space: Space, box: np.ndarray, bound: float, limit: float, effort: Effort
) -> tuple[Found | None, list[tuple[float, np.ndarray]]]:
    """(the best point found, boxes with their bounds that are left) after splitting a box some times."""
    cells, need = space.cells, space.need
    effort.nodes += 1
    single = make_lists(space.walk, cells, box, limit, space.depth)
    lists = None if (np.diff(single.group) == 0).any() else merge(single, cells, box, limit, _GROUP)
    if lists is None:
        return None, []
    shares, here, rate = _share(lists, cells, box, need, limit)
    bound = max(bound, here)
    if bound >= limit:
        return None, []
    desk, under, room = make_desk(lists, cells), make_desk(lists, cells), _make_room(lists, cells, box)
    pool = _make_pool(2 * _STEPS + 4, len(box))
    room.state[:] = limit, bound, 0.0, rate
    start(lists, cells, shares, need, box, pool, room, desk)
    best, refused, n_steps, done = None, False, effort.steps(), 0
    while done < n_steps:
        status = search(lists, cells, shares, need, pool, room, desk, under, refused, n_steps - done)
        effort.nodes += int(room.state[2]) - done
        refused, done = False, int(room.state[2])
        if status == DONE:
            return best, []
        if status == FOUND:
            ranks = space.ranks(desk.lows)
            if space.accept(ranks):
                cost = float(cells.cost[desk.lows].sum())
                best = Found(ranks.copy(), cost, cost)
                room.state[0] = cost
            else:
                refused = True
    if refused:  # the box at work is split, which takes one step
        search(lists, cells, shares, need, pool, room, desk, under, refused, 1)
    numbers = pool.heap[: pool.size[0]]
    return best, [(max(float(pool.bound[k]), bound), pool.boxes[k].copy()) for k in numbers.tolist()]


def _share(
    lists: LeafLists, cells: Cells, root: np.ndarray, need: np.ndarray, limit: float
) -> tuple[np.ndarray, float, float]:
    """(division of the costs, bound of the root's box, a rate to start with)."""
    n_groups, n_places = len(lists.group) - 1, len(cells.cost)
    cost = np.where(np.isfinite(cells.cost), cells.cost, 0.0)
    step = np.maximum(np.diff(cost, prepend=0.0), 0.0)
    step[64 * cells.word[:-1]] = cost[64 * cells.word[:-1]]
    steps = np.repeat(step[:, None] / n_groups, n_groups, axis=1)
    shares, desk = np.empty((n_places, n_groups)), make_desk(lists, cells)
    lowest = find_lows(cells, root, desk.lows)
    spread = float(np.ptp(lists.value, axis=0).max()) if len(lists.value) else 0.0
    guess = max(float(cost[cost > 0.0].mean()) if (cost > 0.0).any() else 0.0, 1e-9) / max(spread * n_groups, 1e-9)
    room = make_sharing(lists, cells)
    bound = share_costs(lists, cells, root, need, shares, steps, desk, room, _ROUNDS, guess, limit)
    return shares, max(float(bound), float(lowest)), guess


def _make_room(lists: LeafLists, cells: Cells, root: np.ndarray) -> Room:
    n_places = len(cells.cost)
    return Room(
        root.copy(),
        root.copy(),
        np.zeros((2, len(root)), np.uint64),
        np.zeros(n_places),
        np.zeros(n_places, np.int64),
        np.zeros(len(lists.value), np.int64),
        np.zeros(4),
    )


def _make_pool(n: int, n_words: int) -> Pool:
    free = np.arange(n, dtype=np.int64)[::-1].copy()
    boxes = np.zeros((n, n_words), np.uint64)
    return Pool(boxes, np.zeros(n), np.zeros(n), np.zeros(n, np.int64), free, np.array([0, n], np.int64))


# ----------------------------------------------------------------------------------------------------------------------
# Counterfactuals in regions that hold rows.
#
# In: rows of a table of which the model says what is wanted. Out: for each the nearest point to the given row that ends
# in the same leaf of every tree, and what it costs: one walk of each row down all trees.


def nearest_regions(
    X: Any,
    rows: Table,
    schema: Schema,
    columns: Sequence[Column],
    cells: Cells,
    cuts: list[np.ndarray],
    goals: Sequence[Goal],
    walk: Walk,
) -> tuple[np.ndarray, np.ndarray]:
    """For all rows of X (read: `rows`) that reach a goal: (ranks of the nearest point of each row's region,
    (rows, columns); costs, infinity where none is allowed)."""
    places = np.empty((rows.n_rows, len(columns)), np.int64)
    root = np.zeros(len(cells.up), np.uint64)
    for j, column in enumerate(columns):
        rank = np.empty(len(column.cell), np.int64)
        rank[column.cell] = np.arange(len(column.cell))
        own = cells_of(np.asarray(rows.column(j), np.float64), schema.columns[j], cuts[j])
        places[:, j] = 64 * cells.word[j] + rank[own]
        allowed = np.isfinite(cells.cost[64 * cells.word[j] : 64 * cells.word[j + 1]])
        root[cells.word[j] : cells.word[j + 1]] = np.packbits(allowed, bitorder="little").view("<u8")
    chosen = np.flatnonzero(np.any([goal.agrees(X) for goal in goals], axis=0))
    lows, costs = np.zeros((len(chosen), len(columns)), np.int64), np.full(len(chosen), np.inf)
    if len(chosen):
        _walk_regions(walk, cells, root, places[chosen], lows, costs, root.copy())
    return lows - 64 * cells.word[:-1], costs


@kernel
def _walk_regions(walk, cells, root, places, lows, costs, box):
    """The nearest point of the region of each row."""
    for i in range(places.shape[0]):
        copy_words(root, box)
        for t in range(walk.roots.size):
            q = walk.roots[t]
            while q >= 0:
                c = walk.column[q]
                first = cells.word[c]
                word, bit = places[i, c] // 64 - first, np.uint64(places[i, c] % 64)
                is_yes = (walk.words[walk.at[q] + word] >> bit) & np.uint64(1) != np.uint64(0)
                for w in range(cells.word[c + 1] - first):
                    bits = walk.words[walk.at[q] + w]
                    box[first + w] &= bits if is_yes else ~bits
                q = walk.yes[q] if is_yes else walk.no[q]
        costs[i] = find_lows(cells, box, lows[i])

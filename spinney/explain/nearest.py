"""The nearest point that reaches a goal: greedy first, then branch and bound.

In: a `Space`: the questions of a model by the cells of a row's columns, the scores that leaves add and those that are
needed. Out: `Found`: the cells of the nearest point, what it costs, and what no point can undercut.

    climb      from the row, leaf by leaf, to some point that reaches the goal; then back as far as it goes
    solve      boxes within a limit that grows up to the cost of that point: small limits leave few leaves, and trees
               can be joined into groups whose bounds are tight; a limit that holds no point is a bound
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spinney.explain.bounds import Sharing, make_desk, share_costs
from spinney.explain.climbing import climb
from spinney.explain.columns import Column
from spinney.explain.lists import Cells, Lists, Walk, find_lows, make_lists, merge
from spinney.explain.search import DONE, FOUND, FULL, Pool, Room, search, start

_LIMITS = (0.5, 0.7, 0.85, 0.93, 1.0)  # of the cost of the point that is known
_CLIMBS = 24  # sets of columns left alone that are climbed with
_POWERS = (1.0, 0.5, 2.0)  # how much costs count on the way
_GROUP = 100  # leaves of a group of trees, at most
_ROUNDS = 120  # in which shares of costs are improved
_BOXES, _MOST_BOXES = 1 << 12, 1 << 22
_STEPS = 200  # boxes between two looks at the clock


class Found(NamedTuple):
    """A point, by the place of each column's cell in the order of costs; None if there is none."""

    ranks: np.ndarray | None
    cost: float
    bound: float


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


def find_nearest(space: Space, frozen: Sequence[int], known: float, deadline: float) -> Found:
    """The nearest point that costs less than `known`."""
    best = _climb(space, frozen, known)
    if best.cost == 0.0:
        return best
    bound = 0.0
    limits = [best.cost * one for one in _LIMITS] if math.isfinite(best.cost) else [math.inf]
    for limit in limits:
        found = _solve(space, frozen, limit, deadline)
        bound = max(bound, min(found.bound, limit))
        if found.ranks is not None:
            return found._replace(bound=min(bound, found.cost))
        if found.bound < limit:  # time is up
            return Found(best.ranks, best.cost, bound)
    return Found(best.ranks, best.cost, best.cost)


def _climb(space: Space, frozen: Sequence[int], known: float) -> Found:
    """Some point, and then, again and again, without one of the columns that it changes."""
    best, tried = Found(None, known, 0.0), {tuple(frozen)}
    waiting = [tuple(frozen)]
    while waiting and len(tried) < _CLIMBS:
        held = waiting.pop(0)
        found = _climb_once(space, held, best.cost)
        if found.ranks is None:
            continue
        best = found
        for j in np.flatnonzero(found.ranks).tolist():
            other = tuple(sorted({*held, j}))
            if other not in tried:
                tried.add(other)
                waiting.append(other)
    return best


def _climb_once(space: Space, frozen: Sequence[int], known: float) -> Found:
    root = space.root(frozen)
    lists = make_lists(space.walk, space.cells, root, known, space.depth)
    best = Found(None, known, 0.0)
    if (np.diff(lists.group) == 0).any():
        return best
    room, scores = np.zeros((3, len(space.columns)), np.int64), np.zeros((2, len(space.need)))
    for power in _POWERS:
        lows = np.zeros(len(space.columns), np.int64)
        find_lows(space.cells, root, lows)
        reached = climb(space.walk, space.cells, lists, root, space.need, lows, room, scores, power)
        cost = float(space.cells.cost[lows].sum())
        if reached and cost < best.cost and space.accept(space.ranks(lows)):
            best = Found(space.ranks(lows), cost, 0.0)
    return best


def _solve(space: Space, frozen: Sequence[int], limit: float, deadline: float) -> Found:
    """The nearest point within a limit; its bound is the limit if there is none, and less if time is up."""
    cells, need = space.cells, space.need
    root = space.root(frozen, limit)
    lists = make_lists(space.walk, cells, root, limit, space.depth)
    if (np.diff(lists.group) == 0).any():
        return Found(None, math.inf, limit)
    lists = merge(lists, cells, root, limit, _GROUP)
    shares, bound, rate = _share(lists, cells, root, need)
    if bound >= limit:
        return Found(None, math.inf, limit)
    desk, under, room = make_desk(lists, cells), make_desk(lists, cells), _make_room(lists, cells, root)
    pool = _make_pool(_BOXES, len(root))
    room.state[:] = limit, bound, 0.0, rate
    start(lists, cells, shares, need, root, pool, room, desk)
    best, refused = Found(None, math.inf, limit), False
    while True:
        status = search(lists, cells, shares, need, pool, room, desk, under, refused, _STEPS)
        refused = False
        if status == FOUND:
            ranks = space.ranks(desk.lows)
            if space.accept(ranks):
                cost = float(cells.cost[desk.lows].sum())
                best = Found(ranks.copy(), cost, cost)
                room.state[0] = cost
            else:
                refused = True
        elif status == DONE:
            return best
        elif status == FULL and len(pool.heap) < _MOST_BOXES:
            pool = _larger(pool)
        if (status == FULL and len(pool.heap) >= _MOST_BOXES) or time.monotonic() > deadline:
            return best._replace(bound=min(float(room.state[1]), best.cost, limit))


def _share(lists: Lists, cells: Cells, root: np.ndarray, need: np.ndarray) -> tuple[np.ndarray, float, float]:
    """(shares of the costs, bound of the root's box, a rate to begin with)."""
    n_groups, n_places = len(lists.group) - 1, len(cells.cost)
    steps = np.zeros((n_groups, n_places))
    for j in range(len(cells.word) - 1):
        own = slice(64 * cells.word[j], 64 * cells.word[j + 1])
        cost = np.where(np.isfinite(cells.cost[own]), cells.cost[own], np.nan)
        steps[:, own] = np.nan_to_num(np.diff(cost, prepend=0.0)) / n_groups
    shares, desk = np.zeros((n_groups, n_places)), make_desk(lists, cells)
    cost = find_lows(cells, root, desk.lows)
    spread = float(np.ptp(lists.value, axis=0).max()) if len(lists.value) else 0.0
    guess = max(float(cells.cost[np.isfinite(cells.cost)].mean()), 1e-9) / max(spread * n_groups, 1e-9)
    room = Sharing(np.zeros(len(lists.value), np.int64), np.zeros_like(steps), np.zeros_like(steps), np.zeros(n_groups))
    bound = share_costs(lists, cells, root, need, shares, steps, desk, room, _ROUNDS, guess)
    return shares, max(float(bound), float(cost)), guess


def _make_room(lists: Lists, cells: Cells, root: np.ndarray) -> Room:
    n_places = len(cells.cost)
    return Room(
        root.copy(),
        root.copy(),
        np.zeros((2, len(root)), np.uint64),
        np.zeros(n_places),
        np.zeros(n_places, np.int64),
        np.zeros(len(lists.value), np.int64),
        root.copy(),
        np.zeros(4),
    )


def _make_pool(n: int, n_words: int) -> Pool:
    free = np.arange(n, dtype=np.int64)[::-1].copy()
    boxes = np.zeros((n, n_words), np.uint64)
    return Pool(boxes, np.zeros(n), np.zeros(n), np.zeros(n, np.int64), free, np.array([0, n], np.int64))


def _larger(pool: Pool) -> Pool:
    n = len(pool.heap)

    def twice(array: np.ndarray) -> Any:
        return np.concatenate([array, np.zeros_like(array)])

    size = np.array([pool.size[0], pool.size[1] + n], np.int64)
    free = np.concatenate([pool.free[: pool.size[1]], np.arange(n, 2 * n, dtype=np.int64), np.zeros(n, np.int64)])
    return Pool(twice(pool.boxes), twice(pool.bound), twice(pool.rate), twice(pool.heap), free[: 2 * n].copy(), size)

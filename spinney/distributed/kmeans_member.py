"""k-means as one member of the fit runs it: the ordinary run, on the rows that its worker has.

In:  what the client says, the blocks of this worker. Out: iterations and runs, the same at every member, which the
first one leaves for the client; the labels of the rows here.

Rows become the same integers as on one machine, and sums of integers are added up between members, so that all have the
same centres. k-means++ draws by sums of integers, too: each member knows what every block adds to them, and the one
that has the row which a draw has found sends it to the others. The inertia and the variance are sums of real numbers,
chunk by chunk: blocks hold whole chunks, which are added in the order of the table (`spread.py`).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spinney._team import Team
from spinney.cluster import kmeans
from spinney.cluster.assign import Assignment, distances_by_chunk, nearest_centres
from spinney.cluster.kmeans import KMeansRun, KMeansSettings, TiledPasses
from spinney.cluster.nearest import LANES
from spinney.cluster.plusplus import PlusPlusSearch, run_search
from spinney.cluster.points import (
    CHUNK_ROWS,
    TiledPoints,
    in_order,
    lay_tiles,
    refuse_huge,
    room_for_tiles,
    variance_of,
)
from spinney.data.weights import Weights
from spinney.distributed.group import Group
from spinney.distributed.spread import Spread


class Start(NamedTuple):
    """Where a run starts: drawn by a key, at rows of the table, or at centres relative to the origin."""

    key: int = 0
    rows: np.ndarray | None = None
    centres: np.ndarray | None = None


class Step(NamedTuple):
    """An iteration is over."""

    number: int
    shift: float
    relative: np.ndarray  # the centres after it, as kernels want them
    before: kmeans.KMeansStep | None  # with keep_history
    inertia: float  # before it, if somebody watches


class Found(NamedTuple):
    """A run is over."""

    relative: np.ndarray
    centres: np.ndarray
    inertia: float
    n_iter: int
    has_converged: bool
    history: list[kmeans.KMeansStep]


class KMeansProgress(NamedTuple):
    """How far a fit is: runs that are over, and where the present one is."""

    done: list[Found]
    number: int
    shift: float
    relative: np.ndarray | None
    history: list[kmeans.KMeansStep]


class Common(NamedTuple):
    """What all members are told alike."""

    origin: np.ndarray
    dtype: np.dtype
    n_clusters: int
    total_count: int
    heaviest: float
    weight: float  # of all rows, in units
    unit: float
    starts: list[Start]
    settings: KMeansSettings
    is_watched: bool
    progress: KMeansProgress


def cluster(
    group: Group,
    team: Team,
    told: tuple[Common, tuple[list[int], list[int], Weights]],
    blocks: list[np.ndarray],
) -> np.ndarray:
    """All runs; the labels of the best one for the rows here."""
    common, (begins, sizes, weights) = told
    points = _lay_out(blocks, weights, common, Spread(group, begins, sizes), team)
    settings = replace(common.settings, tolerance=common.settings.tolerance * points.variance)
    done, begun = list(common.progress.done), common.progress.relative
    run: MemberRun | None = None
    for number in range(len(done), len(common.starts)):
        if begun is None:
            run = MemberRun(points, _first_centres(common.starts[number], points, common, team), settings, team)
        else:
            run = MemberRun(points, begun, settings, team)
            run.go_on_from(common.progress, begun)
            begun = None
        found = run.run(run.remember if common.is_watched else None)
        done.append(Found(run.centres, found.centres, found.inertia, found.n_iter, found.has_converged, found.history))
        if group.rank == 0:
            group.tell(pickle.dumps(done[-1]))
    best = min(done, key=lambda one: one.inertia)
    if run is not None and best is done[-1]:
        return run.state.labels[: points.n_rows]
    return TiledPasses(points, common.n_clusters, "lloyd", team).nearest(best.relative)[: points.n_rows]


def label(
    group: Group, team: Team, told: tuple[Common, tuple[list[int], list[int], Weights]], blocks: list[np.ndarray]
) -> np.ndarray:
    """The rows that a start draws are centres: the nearest one of each row here."""
    common, (begins, sizes, weights) = told
    points = _lay_out(blocks, weights, common, Spread(group, begins, sizes), team)
    centres = _first_centres(common.starts[0], points, common, team)
    return nearest_centres(points, centres, team)[: points.n_rows]


@dataclass(frozen=True)
class MemberPoints(TiledPoints):
    """The rows of a member; reach and variance are those of all rows."""

    spread: Spread
    count_of_all: int
    heaviest_of_all: float

    @property
    def total_count(self) -> int:
        """Of all members' rows."""
        return self.count_of_all

    @property
    def heaviest(self) -> float:
        """Of all members' rows."""
        return self.heaviest_of_all


def _lay_out(blocks: list[np.ndarray], weights: Weights, common: Common, spread: Spread, team: Team) -> MemberPoints:
    n_rows, n_columns = int(spread.place[-1]), len(common.origin)
    counts, importance = in_order(weights, None)
    tiles, sums = room_for_tiles(n_rows, n_columns, common.dtype)
    reach = np.zeros((2, n_columns))
    for begin, block in zip(spread.place.tolist(), blocks):
        end = begin + len(block)
        part = slice(begin * n_columns, -(-end // LANES) * LANES * n_columns)
        chunks, own = slice(begin // CHUNK_ROWS, -(-end // CHUNK_ROWS)), slice(begin, end)
        found = lay_tiles(block, None, common.origin, counts[own], importance[own], team, tiles[part], sums[chunks])
        reach = np.maximum(reach, found)
    counted, full = spread.group.maximum(reach)
    with np.errstate(invalid="ignore", over="ignore"):
        variance = variance_of(spread.add_in_order(sums, spread.chunks_of(CHUNK_ROWS)), common.weight)
    if not (np.isfinite(full).all() and np.isfinite(variance)):
        refuse_huge()
    about = n_rows, n_columns, common.origin, counted, full, variance, None, counts, importance, common.unit, tiles
    return MemberPoints(*about, spread, common.total_count, common.heaviest)


def _first_centres(start: Start, points: MemberPoints, common: Common, team: Team) -> np.ndarray:
    if start.centres is not None:
        return start.centres
    rows = start.rows
    if rows is None:
        rows = run_search(MemberSearch, points, common.n_clusters, start.key, team)
    return points.spread.rows_at(rows, points)


class MemberSearch(PlusPlusSearch):
    """k-means++ among the rows of all members; rows are known by their numbers in the table."""

    points: MemberPoints

    def __init__(self, points: MemberPoints, key: np.uint64, n_candidates: int, team: Team) -> None:
        self.known: dict[int, np.ndarray] = {}  # values of rows that were drawn
        self.reached = np.zeros(0, np.int64)  # sums of all blocks' potentials, one after the other
        super().__init__(points, key, n_candidates, team)

    def add_centre(self, number: int) -> None:
        candidates = self._draw(number)
        potentials = self._try(candidates)
        sums = self._of_blocks(potentials)
        best = int(sums.sum(axis=1).argmin())
        self.chosen.append(int(candidates[best]))
        self.potential, self.reached = potentials[best], np.cumsum(sums[best])

    def _draw(self, number: int) -> np.ndarray:
        if number == 1:
            potentials = self._try(np.array(self.chosen))
            self.potential, self.reached = potentials[0], np.cumsum(self._of_blocks(potentials)[0])
        if self.reached[-1] == 0:
            return self._draw_by_weight(number, self.n_candidates)
        goals = self._goals(number, self.n_candidates, int(self.reached[-1]))
        return self._find_all(goals, self.reached, self._find_in_block)

    def _draw_by_weight(self, number: int, n: int) -> np.ndarray:
        place = self.points.spread.place
        own = np.array([[self.by_weight[a:b].sum() for a, b in pairwise(place)]], np.int64)
        reached = np.cumsum(self.points.spread.of_blocks(own)[0])

        def find(goal: int, begin: int, end: int) -> int:
            return begin + int(np.searchsorted(np.cumsum(self.by_weight[begin:end]), goal, side="right"))

        return self._find_all(self._goals(number, n, int(reached[-1])), reached, find)

    def _find_in_block(self, goal: int, begin: int, end: int) -> int:
        first, last = begin // CHUNK_ROWS, -(-end // CHUNK_ROWS)
        reached = np.cumsum(self.potential[first:last])
        return self._find(goal, np.concatenate([np.zeros(first, np.int64), reached]))

    def _find_all(self, goals: list[int], reached: np.ndarray, find: Callable[[int, int, int], int]) -> np.ndarray:
        """The rows at which a sum passes the goals; whoever has one finds it, and all get to know it."""
        spread, places = self.points.spread, self.points.spread.place.tolist()
        numbers = np.zeros(len(goals), np.int64)
        for k, goal in enumerate(goals):
            block = int(np.searchsorted(reached, goal, side="right"))
            if spread.rank[block] == spread.group.rank:
                own = int(np.searchsorted(spread.mine, block))
                before = int(reached[block - 1]) if block else 0
                numbers[k] = spread.number(find(goal - before, places[own], places[own + 1]))
        return spread.group.sum(numbers)

    def _of_blocks(self, potentials: np.ndarray) -> np.ndarray:
        """(candidates, chunks here) -> (candidates, all blocks)."""
        spread = self.points.spread
        first = -(-spread.place // CHUNK_ROWS)
        own = [potentials[:, a:b].sum(axis=1) for a, b in pairwise(first)]
        return spread.of_blocks(np.stack(own, axis=1))

    def _rows(self, places: np.ndarray) -> np.ndarray:
        new = [row for row in dict.fromkeys(places.tolist()) if row not in self.known]
        if new:
            self.known.update(zip(new, self.points.spread.rows_at(np.array(new), self.points)))
        return np.stack([self.known[row] for row in places.tolist()])


class MemberPasses(TiledPasses):
    """Passes over the rows here; sums are those of all members."""

    points: MemberPoints

    def __init__(self, points: MemberPoints, n_centres: int, algorithm: str, team: Team) -> None:
        super().__init__(points, n_centres, algorithm, team)
        self.own = np.zeros((n_centres, points.n_columns + 1), np.int64)

    def assign(self, centres: np.ndarray, state: Assignment) -> int:
        """Labels of the rows here; sums and moves of all."""
        state.sums = self.own
        moved = super().assign(centres, state)
        self.own = state.sums
        total = self.points.spread.group.sum(np.append(self.own, moved))
        state.sums = total[:-1].reshape(self.own.shape).copy()
        return int(total[-1])

    def inertia(self, centres: np.ndarray, labels: np.ndarray) -> float:
        """Of all rows."""
        own = distances_by_chunk(self.points, centres, labels, self.team)
        spread = self.points.spread
        return float(np.cumsum(spread.in_order(own, spread.chunks_of(CHUNK_ROWS)))[-1]) * self.points.unit


class MemberRun(KMeansRun):
    """A run, of which every member knows the same."""

    points: MemberPoints

    inertia = float("nan")  # before the iteration, if somebody watches

    def go_on_from(self, progress: KMeansProgress, centres: np.ndarray) -> None:
        """An earlier attempt has come so far."""
        self.centres, self.number, self.shift = centres, progress.number, progress.shift
        self.history = list(progress.history)

    def _make_passes(self, n_centres: int) -> MemberPasses:
        return MemberPasses(self.points, n_centres, self.settings.algorithm, self.team)

    def remember(self, number: int, total: float) -> None:
        """What the client wants to see."""
        self.inertia = total

    def _look_back(self) -> None:
        group = self.points.spread.group
        if group.rank == 0:
            before = self.history[-1] if self.settings.keep_history else None
            group.tell(pickle.dumps(Step(self.number, self.shift, self.centres, before, self.inertia)))

    def _farthest(self, distances: np.ndarray) -> tuple[float, np.ndarray]:
        spread, place = self.points.spread, int(distances.argmax())
        found = np.concatenate(spread.group.gather(np.array([distances[place], spread.number(place)], np.float64)))
        far, rows = found.reshape(-1, 2).T
        row = int(rows[far == far.max()].min())
        return float(far.max()), spread.rows_at(np.array([row]), self.points)[0]

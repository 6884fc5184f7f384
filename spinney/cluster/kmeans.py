"""k-means: the loop.

    centres ──assign──▶ labels, integer sums ──means──▶ centres ── ... until nothing moves, or hardly anything

In:  `Points`, first centres. Out: `Clustering`. How rows are assigned is up to the passes (below); where first centres
come from is `plusplus.py`.

Centres are always numbers of the table's dtype when the origin is added to them: what `predict` makes of the
published centres is what was found here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from spinney._team import Team
from spinney.cluster.assign import (
    Assignment,
    Bounds,
    Policy,
    assign_rows,
    assign_with_bounds,
    inertia,
    nearest_centres,
    no_assignment,
    squared_distances_to_all,
    squared_distances_to_own,
)
from spinney.cluster.points import PointSet, TiledPoints
from spinney.cluster.sparse_assign import (
    SparseBounds,
    assign_sparse,
    distances_to_all_sparse,
    inertia_sparse,
    nearest_centres_sparse,
    own_distances_sparse,
)
from spinney.cluster.sparse_points import SparsePoints

_UNIT = 2.0**-36  # of a value: what integers of rows with small weights may miss

Watcher = Callable[[int, float], None]  # number of the iteration, sum of squared distances before it


@dataclass(frozen=True)
class KMeansSettings:
    """What a run is told."""

    max_iter: int = 300
    tolerance: float = 0.0  # of the centres' squared moves, summed: no more ends the run
    algorithm: str = "auto"  # "lloyd": no bounds; "bounds": always
    on_sphere: bool = False  # rows and centres have length 1
    keep_history: bool = False
    with_inertia: bool = True  # False: the caller measures the result itself


class KMeansStep(NamedTuple):
    """The centres before an iteration, as in the table, and the sum of squared distances to the nearest of them."""

    centers: np.ndarray
    inertia: float


class Clustering(NamedTuple):
    """Where a run has ended."""

    centres: np.ndarray  # (centres, columns) in the table's dtype, origin added
    labels: np.ndarray  # int32 (rows,), in the table's order
    inertia: float
    n_iter: int
    has_converged: bool  # rather than run out of iterations
    history: list[KMeansStep]


class KMeansRun:
    """One run from given centres."""

    def __init__(self, points: PointSet, centres: np.ndarray, settings: KMeansSettings, team: Team) -> None:
        self.points, self.settings, self.team = points, settings, team
        self.centres = self._place(centres.astype(np.float64) + points.origin)
        self.state: Assignment = no_assignment(points, len(centres))
        self.passes = self._make_passes(len(centres))
        self.history: list[KMeansStep] = []
        self.number, self.shift = 0, np.inf  # of the iteration that was last; how far centres moved in it

    def run(self, watch: Watcher | None = None) -> Clustering:
        """Iterate to the end."""
        settings, is_settled = self.settings, False
        while self.number < settings.max_iter and not is_settled and self.shift > settings.tolerance:
            self.number += 1
            n_moved = self.passes.assign(self.centres, self.state)
            if settings.keep_history or watch is not None:
                self._record(self.number, watch)
            self.shift = self._update()
            is_settled = n_moved == 0 and self.shift == 0  # no row has moved, and no empty centre
        if not is_settled:
            self.passes.assign(self.centres, self.state)
        if settings.keep_history:
            self._record(self.number + 1, None)
        total = np.nan
        if settings.with_inertia:
            total = self.passes.inertia(self.centres, self.state.labels)
        labels = self.points.as_in_table(self.state.labels)
        ended = is_settled or self.shift <= settings.tolerance
        return Clustering(self.published(), labels, total, self.number, ended, self.history)

    def _make_passes(self, n_centres: int) -> Passes:
        return make_passes(self.points, n_centres, self.settings.algorithm, self.team)

    def published(self) -> np.ndarray:
        """The centres as in the table."""
        return _round(self.centres.astype(np.float64) + self.points.origin, self.points)

    def _place(self, in_table: np.ndarray) -> np.ndarray:
        """Centres relative to the origin, such that with the origin they are numbers of the table's dtype."""
        return relative_centres(_round(in_table, self.points), self.points.origin)

    def _update(self) -> float:
        """Move the centres to the means of their rows; the sum of their squared moves."""
        means, weights = self.state.means()
        before = self.centres
        if not (weights > 0).all():
            means = self._fill_empty(means, weights)
        if self.settings.on_sphere:
            means = unit_rows(means)
        self.centres = self._place(means + self.points.origin)
        self.passes.see_drift(before, self.centres)
        return float(np.sum(np.subtract(self.centres, before, dtype=np.float64) ** 2))

    def _fill_empty(self, means: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Put each centre without rows on the row that is farthest from all centres; where there is none, leave it."""
        filled = np.where((weights > 0)[:, None], means, self.centres.astype(np.float64))
        distances = self.passes.own_distances(self.centres, self.state.labels)
        for centre in np.flatnonzero(weights <= 0):
            distance, row = self._farthest(distances)
            if distance <= self._rounding():
                break
            filled[centre] = row
            alone = filled[centre][None].astype(self.points.dtype)
            to_new = self.passes.own_distances(alone, np.zeros(self.points.n_places, np.int32))
            distances = np.minimum(distances, to_new)
        return filled

    def _farthest(self, distances: np.ndarray) -> tuple[float, np.ndarray]:
        """The largest distance, and the row that has it; of equals the first."""
        place = int(distances.argmax())
        return float(distances[place]), self.points.rows_at(np.array([place]))[0]

    def _rounding(self) -> float:
        """The squared distance that rounding alone can put between a row and a centre on it."""
        share = 4 * float(np.finfo(self.points.dtype).eps) + _UNIT
        return float(np.sum((share * (np.abs(self.points.origin) + self.points.reach)) ** 2))

    def _record(self, number: int, watch: Watcher | None) -> None:
        total = self.passes.inertia(self.centres, self.state.labels)
        if self.settings.keep_history:
            self.history.append(KMeansStep(self.published(), total))
        if watch is not None:
            watch(number, total)


def best_run(
    points: PointSet, starts: Iterable[np.ndarray], settings: KMeansSettings, team: Team, watch: Watcher | None = None
) -> Clustering:
    """A run from each of the first centres; the one with the smallest inertia, of equals the first."""
    best: Clustering | None = None
    for centres in starts:
        found = KMeansRun(points, centres, settings, team).run(watch)
        if best is None or found.inertia < best.inertia:
            best = found
    assert best is not None, "no start"
    return best


def relative_centres(in_table: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Published centres relative to an origin, as kernels want them."""
    return (in_table.astype(np.float64, copy=False) - origin).astype(in_table.dtype, copy=False)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1; a row of zeros stays."""
    length = np.zeros(len(rows))
    for column in rows.T:
        length += np.square(column, dtype=np.float64)
    length = np.sqrt(length)
    return (rows / np.where(length > 0, length, 1.0)[:, None]).astype(rows.dtype)


def _round(in_table: np.ndarray, points: PointSet) -> np.ndarray:
    return in_table.astype(points.dtype)


# ----------------------------------------------------------------------------------------------------------------------
# Passes over the rows of a run of k-means: whatever form rows lie in, and however they are assigned.
#
# In:  `TiledPoints` or `SparsePoints`, centres. Out: labels and sums, brought up to date; squared distances.
#
# Rows in tiles are assigned by `assign.py`, with bounds where that is quicker; rows as lists of stored cells by
# `sparse_assign.py`. The labels are the same.


class Passes(Protocol):
    """What k-means does with rows."""

    def assign(self, centres: np.ndarray, state: Assignment) -> int:
        """Bring labels and sums up to date with the centres; how many rows have moved."""

    def see_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """The centres have moved."""

    def inertia(self, centres: np.ndarray, labels: np.ndarray) -> float:
        """The sum of squared distances of rows to their centres, by weight."""

    def own_distances(self, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """float64 (rows,), squared, of each row to its centre; rows that count nothing have -1."""

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        """int32 (places,), the nearest centre of each row."""

    def distances_to_all(self, centres: np.ndarray) -> np.ndarray:
        """(rows, centres), squared."""


def make_passes(points: PointSet, n_centres: int, algorithm: str, team: Team) -> Passes:
    """Passes over these points."""
    if isinstance(points, SparsePoints):
        return SparsePasses(points, n_centres, team)
    assert isinstance(points, TiledPoints)
    return TiledPasses(points, n_centres, algorithm, team)


class TiledPasses:
    """Over rows in tiles."""

    def __init__(self, points: TiledPoints, n_centres: int, algorithm: str, team: Team) -> None:
        self.points, self.team = points, team
        self.bounds = Bounds(points, n_centres)
        self.policy = Policy(algorithm, points, n_centres)

    def assign(self, centres: np.ndarray, state: Assignment) -> int:
        """By bounds where they pay."""
        if not self.policy.use_bounds:
            self.bounds.forget()
            return assign_rows(self.points, centres, state, self.team)
        were_known = self.bounds.are_known
        moved, looked_at = assign_with_bounds(self.points, centres, state, self.bounds, self.team)
        if were_known:
            self.policy.see_pass(looked_at / self.points.n_rows)
        return moved

    def see_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """Bounds are off by so much."""
        if self.bounds.are_known:
            self.bounds.add_drift(before, after)
        self.policy.see_drift(before, after)

    def inertia(self, centres: np.ndarray, labels: np.ndarray) -> float:
        """Squared distances, summed by weight."""
        return inertia(self.points, centres, labels, self.team)

    def own_distances(self, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Of each row to its centre."""
        return squared_distances_to_own(self.points, centres, labels)

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        """Labels."""
        return nearest_centres(self.points, centres, self.team)

    def distances_to_all(self, centres: np.ndarray) -> np.ndarray:
        """To every centre."""
        return squared_distances_to_all(self.points, centres, self.team)


class SparsePasses:
    """Over rows as lists of stored cells."""

    def __init__(self, points: SparsePoints, n_centres: int, team: Team) -> None:
        self.points, self.team = points, team
        self.n_centres = n_centres

    @cached_property
    def bounds(self) -> SparseBounds:
        """For runs only."""
        return SparseBounds(self.points, self.n_centres, self.team)

    def assign(self, centres: np.ndarray, state: Assignment) -> int:
        """By stored cells."""
        return assign_sparse(self.points, centres, state, self.bounds, self.team)

    def see_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """Leads are off by so much."""
        self.bounds.add_drift(before, after)

    def inertia(self, centres: np.ndarray, labels: np.ndarray) -> float:
        """Squared distances, summed by weight."""
        return inertia_sparse(self.points, centres, labels, self.team)

    def own_distances(self, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Of each row to its centre."""
        return own_distances_sparse(self.points, centres, labels, self.team)

    def nearest(self, centres: np.ndarray) -> np.ndarray:
        """Labels."""
        return nearest_centres_sparse(self.points, centres, self.team)

    def distances_to_all(self, centres: np.ndarray) -> np.ndarray:
        """To every centre."""
        return distances_to_all_sparse(self.points, centres, self.team)

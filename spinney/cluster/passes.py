"""Passes over the rows of a run of k-means: whatever form rows lie in, and however they are assigned.

In:  `TiledPoints` or `SparsePoints`, centres. Out: labels and sums, brought up to date; squared distances.

Rows in tiles are assigned by `assign.py`, with bounds where that is quicker; rows as lists of stored cells by
`sparse_assign.py`; rows on a GPU there (`on_gpu.py`). The labels are the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from spinney._team import Team
from spinney.cluster.assign import (
    Assignment,
    Bounds,
    Policy,
    assign_rows,
    assign_with_bounds,
    inertia,
    squared_distances_to_own,
)
from spinney.cluster.distances import nearest_centres, squared_distances_to_all
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


class Passes(Protocol):
    """What k-means does with rows."""

    def assign(self, centres: np.ndarray, state: Assignment) -> int:
        """Bring labels and sums up to date with the centres; how many rows have moved."""

    def bring_labels(self, state: Assignment) -> None:
        """Put the labels of all rows where they belong, if they are elsewhere."""

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
    if hasattr(points, "there"):
        from spinney.cluster.on_gpu import GpuPasses, GpuPoints

        assert isinstance(points, GpuPoints)
        return GpuPasses(points, n_centres, team)
    return TiledPasses(points, n_centres, algorithm, team)


class TiledDistances:
    """What is asked of rows in tiles besides passes, wherever these run."""

    points: TiledPoints
    team: Team

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


class TiledPasses(TiledDistances):
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

    def bring_labels(self, state: Assignment) -> None:
        """They are there."""

    def see_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """Bounds are off by so much."""
        if self.bounds.are_known:
            self.bounds.add_drift(before, after)
        self.policy.see_drift(before, after)


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

    def bring_labels(self, state: Assignment) -> None:
        """They are there."""

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

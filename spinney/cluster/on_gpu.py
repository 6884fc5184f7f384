"""k-means on the GPU: rows stay there, and so do labels and distances; centres cross, and integer sums.

In:  `TiledPoints`. Out: `GpuPoints`, the same with a copy on the GPU, whose passes and whose k-means++ run there.
     Labels, sums and draws are those of the CPU, bit for bit. Inertias and what is rare, such as filling up empty
     centres, are the CPU's work.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from spinney._team import Team
from spinney.cluster.assign import Assignment, half_squares, whole_value
from spinney.cluster.kmeans import TiledDistances
from spinney.cluster.nearest import LANES
from spinney.cluster.plusplus import PlusPlusSearch, whole_distance
from spinney.cluster.points import CHUNK_ROWS, PointSet, TiledPoints
from spinney.gpu.kmeans import Closest, Labels, open_stream, send_rows


@dataclass(frozen=True)
class GpuPoints(TiledPoints):
    """Rows in tiles, here and there."""

    stream: Any
    there: Any  # `Rows` of gpu/kmeans.py


def on_gpu(points: TiledPoints) -> GpuPoints:
    """The same rows with a copy on the GPU."""
    stream = open_stream()
    own = {one.name: getattr(points, one.name) for one in fields(points)}
    return GpuPoints(**own, stream=stream, there=send_rows(stream, points.rows, LANES))


class GpuPasses(TiledDistances):
    """`Passes` over rows on the GPU."""

    def __init__(self, points: GpuPoints, n_centres: int, team: Team) -> None:
        self.points: GpuPoints = points
        self.n_centres, self.team = n_centres, team
        self._labels: Labels | None = None

    def assign(self, centres: np.ndarray, state: Assignment) -> int:
        """All rows are looked at; labels stay on the GPU until somebody wants them."""
        if self._labels is None:
            p = self.points
            self._labels = Labels(p.stream, p.there, state.scale, self.n_centres, whole_value)
        moved = self._labels.assign(centres, half_squares(centres))
        state.sums[:] = self._labels.sums()
        return moved

    def bring_labels(self, state: Assignment) -> None:
        """The labels of all rows, here."""
        if self._labels is not None:
            state.labels[: self.points.n_rows] = self._labels.labels()

    def see_drift(self, before: np.ndarray, after: np.ndarray) -> None:
        """Nothing is remembered of the centres."""


class GpuSearch(PlusPlusSearch):
    """k-means++ over rows on the GPU."""

    points: GpuPoints

    def __init__(self, points: PointSet, key: np.uint64, n_candidates: int, team: Team) -> None:
        self._there: Closest | None = None
        super().__init__(points, key, n_candidates, team)

    def _try(self, candidates: np.ndarray) -> np.ndarray:
        p = self.points
        if self._there is None:
            self._there = Closest(p.stream, p.there, CHUNK_ROWS, self.scale, whole_distance)
        rows = np.concatenate([p.rows_at(np.array(self.chosen[-1:])), p.rows_at(candidates)])
        return np.ascontiguousarray(self._there.try_points(rows)[:, 1:].T)

    def _find(self, goal: int, reached: np.ndarray) -> int:
        chunk = int(np.searchsorted(reached, goal, side="right"))
        begin = chunk * CHUNK_ROWS
        assert self._there is not None
        distances = self._there.of_chunk(chunk)
        self.closest[begin : begin + len(distances)] = distances
        return super()._find(goal, reached)

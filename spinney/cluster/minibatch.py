"""k-means by small batches of rows (Sculley 2010): the loop.

    batch ──assign──▶ labels, integer sums ──▶ each centre: the mean of all rows that it was given so far ── ...

In:  batches of rows as `TiledPoints`, first centres. Out: centres and what each has learnt from, its *count*.

A batch's sums are sums of integers (`assign.py`); the running means are updated batch after batch. So threads cannot
matter. Now and then, centres with hardly any rows are put on rows of the batch. A run ends when the smoothed sum of
squares of the batches has stopped falling, or when centres hardly move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from spinney._random import ROWS, SHUFFLES, choose, draw_uniforms, stream_key
from spinney._team import Team
from spinney.cluster.assign import assign_rows, inertia, no_assignment
from spinney.cluster.kmeans import relative_centres
from spinney.cluster.plusplus import integer_weights
from spinney.cluster.points import TiledPoints

_OFTEN = 10  # times the number of centres: rows after which small centres are looked for
_MOST_MOVED = 0.5  # share of a batch's rows that may become centres at once

Watcher = Callable[[int, float, float], None]  # step, mean sum of squares of its batch, the smoothed one


@dataclass
class RunningMeans:
    """Centres that learn batch by batch."""

    origin: np.ndarray  # float64 (columns,): means are relative to it
    means: np.ndarray  # float64 (centres, columns)
    counts: np.ndarray  # float64 (centres,): the weight of the rows that each mean is of
    dtype: np.dtype  # of the table
    seed: int
    n_steps: int = 0
    n_rows_since: int = 0  # that small centres were looked for

    def published(self) -> np.ndarray:
        """The centres as in the table."""
        return (self.means + self.origin).astype(self.dtype)

    def learn(self, batch: TiledPoints, reassignment_ratio: float, team: Team) -> float:
        """Take in a batch; the sum of squares of its rows before that."""
        centres, looks = relative_centres(self.published(), self.origin), self._looks_for_small_ones(batch)
        state = no_assignment(batch, len(centres))
        assign_rows(batch, centres, state, team)
        total = inertia(batch, centres, state.labels, team)
        sums = state.sums / state.scale * batch.unit
        counts = self.counts + sums[:, -1]
        grown = sums[:, -1] > 0
        safe = np.where(grown, counts, 1.0)[:, None]
        self.means = np.where(grown[:, None], (self.means * self.counts[:, None] + sums[:, :-1]) / safe, self.means)
        self.counts = counts
        if looks and reassignment_ratio > 0:
            self._reassign(batch, reassignment_ratio)
        self.n_steps += 1
        return total

    def _looks_for_small_ones(self, batch: TiledPoints) -> bool:
        self.n_rows_since += batch.n_rows
        if (self.counts == 0).any() or self.n_rows_since >= _OFTEN * len(self.counts):
            self.n_rows_since = 0
            return True
        return False

    def _reassign(self, batch: TiledPoints, ratio: float) -> None:
        """Put centres of small counts on rows of the batch, with the smallest count of the others."""
        small = self.counts < min(ratio, 1.0) * self.counts.max()
        most = int(_MOST_MOVED * batch.n_rows)
        if small.sum() > most:
            small[np.argsort(self.counts, kind="stable")[most:]] = False
        if not small.any():
            return
        order = np.empty(batch.n_rows, np.int64)
        choose(np.uint64(_key(self.seed, SHUFFLES, self.n_steps)), int(small.sum()), order)
        self.means[small] = batch.rows_at(order[: small.sum()])
        self.counts[small] = self.counts[~small].min()


@dataclass
class BatchDraws:
    """Places of rows, drawn by weight and with replacement: a hash of the seed and the number of the draw."""

    points: TiledPoints
    seed: int
    _reached: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        has_weights = len(self.points.counts) or len(self.points.importance)
        self._reached = np.cumsum(integer_weights(self.points)) if has_weights else np.zeros(0, np.int64)

    def draw(self, number: int, n: int) -> np.ndarray:
        """n places."""
        share, total = np.empty(n), int(self._reached[-1]) if len(self._reached) else self.points.n_rows
        draw_uniforms(np.uint64(_key(self.seed, ROWS, number)), share)
        goals = np.minimum((share * total).astype(np.int64), total - 1)
        return np.searchsorted(self._reached, goals, side="right") if len(self._reached) else goals


def _key(seed: int, purpose: np.uint64, number: int) -> int:
    return int(stream_key(np.uint64(seed), purpose, np.uint64(number)))


@dataclass
class Smoothed:
    """The smoothed sum of squares, and for how many batches it has not fallen."""

    share: float  # of a batch in the mean
    patience: int | None
    mean: float | None = None
    least: float = np.inf
    n_idle: int = 0

    def has_settled(self, loss: float) -> bool:
        """Take in the mean sum of squares of one more batch; whether that was the last one."""
        self.mean = loss if self.mean is None else self.mean * (1.0 - self.share) + loss * self.share
        if self.mean < self.least:
            self.n_idle, self.least = 0, self.mean
        else:
            self.n_idle += 1
        return self.patience is not None and self.n_idle >= self.patience


@dataclass(frozen=True)
class MiniBatchSettings:
    """What a run is told."""

    reassignment_ratio: float = 0.01
    tolerance: float = 0.0  # of the centres' squared moves, summed: no more ends the run; 0: not looked at


def run_batches(
    running: RunningMeans,
    batches: Iterable[TiledPoints],
    smoothed: Smoothed,
    settings: MiniBatchSettings,
    team: Team,
    watch: Watcher | None = None,
) -> bool:
    """Learn batch after batch; whether the run has settled before the last one. (The first one judges the start.)"""
    for number, batch in enumerate(batches, start=1):
        before = running.means
        loss = running.learn(batch, settings.reassignment_ratio, team) / batch.n_rows
        is_over = False
        if number > 1:
            moved = float(np.sum((running.means - before) ** 2))
            is_over = smoothed.has_settled(loss) or 0.0 < settings.tolerance >= moved
        if watch is not None:
            watch(number, loss, loss if smoothed.mean is None else smoothed.mean)
        if is_over:
            return True
    return False

"""The rows of a boosted fit, and those that each round draws.

In: targets, weights and the share of rows that a round takes. Out: `Drawn`, the rows of a round's trees, by a hash of
seed, round and row: the same on any number of threads and machines. Members of a cluster have rows of their own
(`MemberRows` in distributed/member.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from spinney import _random
from spinney._compile import kernel
from spinney._random import mix
from spinney._team import Team
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.gradients import renew_leaves
from spinney.ensemble.boosting.leaf_refit import weight_scale
from spinney.ensemble.boosting.start import in_units

_NO_COUNTS = np.empty(0, np.int64)


class Drawn(NamedTuple):
    """The rows of a round."""

    chosen: np.ndarray  # int32: those that are here; empty: all
    n_here: int
    n: int  # of all machines
    total: int  # how often these count


class Quantiles(NamedTuple):
    """How leaves get quantiles of residuals: see `leaf_refit.renew`."""

    find: Callable[..., None]
    weight_scale: int


class OwnRows:
    """The rows of a fit, all of them here."""

    others: Any = None  # machines that have further rows (`Together` in data/remote_table.py)

    def __init__(self, task: Task, settings: BoostingSettings, n_rows: int, team: Team) -> None:
        self.y, self.weights, self.units = in_units(task)
        self.counts, self.n_rows = task.weights.counts, n_rows
        self.total_count = n_rows if self.counts is None else int(self.counts.sum())
        self.most_repeats = 1 if self.counts is None else int(self.counts.max())
        self._share, self._seed = settings.subsample, settings.seed
        self._drawn = Drawn(np.empty(0, np.int32), n_rows, n_rows, self.total_count)

    def draw(self, round_number: int) -> Drawn:
        """The rows of a round's trees."""
        counts = self.counts
        if self._share < 1.0 or not (counts is None or counts.all()):
            key = _random.stream_key(self._seed, _random.ROWS, round_number)
            rows = choose_rows(key, self._share, counts, self.n_rows)
            rows = rows if len(rows) else choose_rows(key, 1.0, counts, self.n_rows)
            self._drawn = Drawn(rows, len(rows), len(rows), len(rows) if counts is None else int(counts[rows].sum()))
        return self._drawn

    def left_out(self) -> np.ndarray:
        """Which rows the last round was not fitted to."""
        left_out = np.ones(self.n_rows, bool)
        left_out[self._drawn.chosen if len(self._drawn.chosen) else slice(None)] = False
        return left_out

    def renewed(self, loss: Any, scores: np.ndarray) -> Any:
        """The loss as it is for the scores so far."""
        return loss.renewed(scores, self.y, self.weights)

    def quantiles(self, team: Team) -> Quantiles:
        return Quantiles(partial(renew_leaves, team), weight_scale(self.weights))


@kernel
def _choose_rows(key, limit, counts, first, out):
    n = 0
    for i in range(out.size):
        out[n] = i
        n += (mix(key, first + i) < limit) & (counts[i] > 0 if counts.size else True)
    return n


def choose_rows(key: int, share: float, counts: np.ndarray | None, n_rows: int, first: int = 0) -> np.ndarray:
    """The rows of one tree: each of those that count is taken with probability `share`, by a hash of its number.

    `first` is the number of the first row, where the table is a part of another.
    """
    out = np.empty(n_rows, np.int32)
    limit = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    return out[: _choose_rows(np.uint64(key), limit, _NO_COUNTS if counts is None else counts, first, out)]

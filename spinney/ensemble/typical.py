"""The loss of rows held out, where a few of them would drown all others.

In: an evaluation set and its raw scores. Out: the mean of their losses, each cut off at what half of them do not pass.
Rounds are chosen by it, not trees, and only where the last hundredth of the rows makes nine tenths of the loss: an
outlier of a million, counts without bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.criteria.fixed_point import exact_mean
from spinney.data.weights import Weights
from spinney.ensemble.metrics import Metric
from spinney.ensemble.scoring import EvalSet, raw_losses

_MOST, _HALF = 0.99, 0.5
_LEAST_SHARE = 0.1


class Typical(NamedTuple):
    """Two metrics: the loss where no row counts for more than 99 of 100 have, and for more than half of them have."""

    most: Metric
    half: Metric

    def is_needed(self, curves: dict[str, list[float]], whole: Metric) -> bool:
        """Whether, after the last round, a few rows made nearly all of the loss."""
        return curves[self.most.name][-1] < _LEAST_SHARE * curves[whole.name][-1]


def typical_losses(loss: Any, team: Team) -> Typical:
    """The metrics of a loss."""
    return Typical(*(_cut_off(name, share, loss, team) for name, share in (("most", _MOST), ("typical", _HALF))))


def _cut_off(name: str, share: float, loss: Any, team: Team) -> Metric:
    def of_set(one: EvalSet, booster: Callable[[], Any]) -> float:
        losses = raw_losses(loss, one.scores, one.y, team)
        if not np.isfinite(losses).all():
            return math.inf
        return exact_mean(np.minimum(losses, _high(losses, one.weights, share)), one.weights)

    return Metric(name, None, False, of_set)


def _high(losses: np.ndarray, weights: Weights, share: float) -> float:
    """The loss that this share of the samples does not pass."""
    if weights.counts is None:
        place = max(0, math.ceil(share * len(losses)) - 1)
        return float(np.partition(losses, place)[place])
    order = np.argsort(losses)
    samples = np.cumsum(weights.counts[order])
    return float(losses[order[np.searchsorted(samples, share * samples[-1])]])

"""The loss of rows held out, where a few of them would drown all others.

In: an evaluation set and its raw scores. Out: the mean of their losses, each cut off at what half of them do not pass.
Rounds are chosen by it, not trees, and only where the last hundredth of the rows makes nine tenths of the loss: an
outlier of a million, counts without bounds.

Losses of counts and amounts leave out a constant, and may be negative: what is cut off and compared is how much they
exceed the loss of a perfect prediction, half the deviance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.criteria.elementary import logs_of
from spinney.criteria.fixed_point import exact_mean
from spinney.criteria.losses import has_log_link
from spinney.data.weights import Weights
from spinney.ensemble.metrics import Metric
from spinney.ensemble.scoring import EvalSet, raw_losses

_MOST, _HALF = 0.99, 0.5
_LEAST_SHARE = 0.1
_TINY = 1e-300  # in place of zero, whose logarithm there is none of


class Typical(NamedTuple):
    """Metrics: the loss where no row counts for more than 99 of 100 have, and for more than half of them have; and the
    loss of all, which is zero or more."""

    most: Metric
    half: Metric
    whole: Metric

    def is_needed(self, curves: dict[str, list[float]]) -> bool:
        """Whether, after the last round, a few rows made nearly all of the loss."""
        return curves[self.most.name][-1] < _LEAST_SHARE * curves[self.whole.name][-1]


def typical_losses(loss: Any, whole: Metric, team: Team) -> Typical:
    """The metrics of a loss; `whole` is its own, for losses that are never negative."""
    shares = [("most", _MOST), ("typical", _HALF), *([("excess", 1.0)] if has_log_link(loss) else [])]
    found = [_cut_off(name, share, loss, team, whole.factor) for name, share in shares]
    return Typical(*found, *([] if has_log_link(loss) else [whole]))


def _cut_off(name: str, share: float, loss: Any, team: Team, factor: float) -> Metric:
    least: dict[int, np.ndarray] = {}  # by set, the losses of perfect predictions

    def of_set(one: EvalSet, booster: Callable[[], Any]) -> float:
        losses = raw_losses(loss, one.scores, one.y, team)
        if has_log_link(loss):
            if id(one) not in least:
                least[id(one)] = raw_losses(loss, logs_of(np.maximum(one.y, _TINY))[None, :], one.y, team)
            losses = np.maximum(losses - least[id(one)], 0.0)
        if not np.isfinite(losses).all() or losses.min() < 0.0:  # a loss of the user's may be anything
            return math.inf
        return factor * exact_mean(np.minimum(losses, _high(losses, one.weights, share)), one.weights)

    return Metric(name, None, False, of_set)


def _high(losses: np.ndarray, weights: Weights, share: float) -> float:
    """The loss that this share of the samples does not pass."""
    if weights.counts is None:
        place = max(0, math.ceil(share * len(losses)) - 1)
        return float(np.partition(losses, place)[place])
    order = np.argsort(losses)
    samples = np.cumsum(weights.counts[order])
    return float(losses[order[np.searchsorted(samples, share * samples[-1])]])

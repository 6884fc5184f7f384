"""The training loss round by round, of the rows that a round was fitted to and of those that it left out.

In: a fit after each of its rounds. Out: three series, as scikit-learn's `GradientBoosting*` has them. They say how a
fit went and decide nothing, so plain means will do: one order, whatever the threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.criteria.losses import LogLoss, SquaredError
from spinney.ensemble.boosting import Rounds


class History:
    """Call it after every round. `train`, `oob` and `improvement` have one value per round; the last two only where
    rounds draw rows (subsample < 1)."""

    def __init__(self, train: list[float], oob: list[float], improvement: list[float]) -> None:
        """Begin with the series of the rounds before, if there are any."""
        self.train, self.oob, self.improvement = train, oob, improvement

    def __call__(self, rounds: Rounds, new: list[Any]) -> None:
        factor, weight = _factor(rounds), rounds.task.weights.total()
        if rounds.settings.subsample >= 1.0:
            self.train.append(factor * _mean_of_all(rounds, weight))
            return
        losses = rounds.losses()
        left_out = np.ones(len(losses), bool)
        left_out[rounds.chosen if len(rounds.chosen) else slice(None)] = False
        self.train.append(factor * _mean(losses, weight, ~left_out))
        previous = self.oob[-1] if self.oob else factor * _mean(_losses_before(rounds), weight, left_out)
        self.oob.append(factor * _mean(losses, weight, left_out))
        self.improvement.append(previous - self.oob[-1])


def _factor(rounds: Rounds) -> float:
    """scikit-learn's: squared error is not halved, and of two classes it is the deviance."""
    is_deviance = isinstance(rounds.loss, LogLoss) and rounds.task.n_outputs == 1
    return 2.0 if is_deviance or isinstance(rounds.loss, SquaredError) else 1.0


def _losses_before(rounds: Rounds) -> np.ndarray:
    """The loss of every row before the first round."""
    return rounds.losses(rounds.first_scores())


def _mean_of_all(rounds: Rounds, weight: np.ndarray | None) -> float:
    """The same number either way; where it can, the team adds up."""
    units = rounds.units
    if (
        weight is not None
        or rounds.task.n_outputs > 1
        or (units.is_log and units.exponent)
        or abs(units.exponent) > 900
    ):
        return _mean(rounds.losses(), weight)
    y = rounds.task.y if units.exponent else rounds.y
    return rounds.sum_of_losses(y, 2.0**units.exponent) / len(y)


def _mean(losses: np.ndarray, weight: np.ndarray | None, rows: np.ndarray | None = None) -> float:
    """NaN of no rows."""
    if rows is not None:
        losses, weight = losses[rows], None if weight is None else weight[rows]
    total = float(len(losses)) if weight is None else float(weight.sum())
    if total == 0.0:
        return float("nan")
    with np.errstate(invalid="ignore", over="ignore"):  # rows of no weight may have run away
        return float((losses if weight is None else (losses * weight)[weight > 0]).sum()) / total

"""The training loss round by round, of the rows that a round was fitted to and of those that it left out.

In: a fit after each of its rounds. Out: three series, as scikit-learn's `GradientBoosting*` has them. They say how a
fit went and decide nothing, so plain means will do: one order, whatever the threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.criteria.losses import kind_of
from spinney.ensemble.boosting.rounds import Rounds


class History:
    """Call it after every round. `train`, `oob` and `improvement` have one value per round; the last two only where
    rounds draw rows (subsample < 1)."""

    def __init__(self, train: list[float], oob: list[float], improvement: list[float]) -> None:
        """Begin with the series of the rounds before, if there are any."""
        self.series = self.train, self.oob, self.improvement = train, oob, improvement

    def __call__(self, rounds: Rounds, new: list[Any]) -> None:
        factor, is_first = _factor(rounds), not self.oob
        train, oob, before = rounds.mean_losses() if rounds.is_remote else mean_losses(rounds, is_first)
        self.train.append(factor * train)
        if rounds.settings.subsample < 1.0:
            previous = factor * before if is_first else self.oob[-1]
            self.oob.append(factor * oob)
            self.improvement.append(previous - self.oob[-1])


def mean_losses(rounds: Rounds, is_first: bool) -> tuple[float, float, float]:
    """The mean loss of the rows that the last round was fitted to, of those that it left out, and of these before the
    first round; the last two where rounds draw rows, the last one if this is the first round."""
    weight, nothing = rounds.task.weights.total(), float("nan")
    if rounds.settings.subsample >= 1.0:
        return _quotient(*_sums_of_all(rounds, weight)), nothing, nothing
    losses, left_out = rounds.losses(), rounds.left_out()
    before = _mean(_losses_before(rounds), weight, left_out) if is_first else nothing
    return _mean(losses, weight, ~left_out), _mean(losses, weight, left_out), before


def sums_of_losses(rounds: Rounds, is_first: bool) -> np.ndarray:
    """The same three means as their sums and weights (3, 2), to be added to those of other rows."""
    weight = rounds.weights.total()
    out = np.zeros((3, 2))
    if rounds.settings.subsample >= 1.0:
        out[0] = _sums_of_all(rounds, weight)
        return out
    losses, left_out = rounds.losses(), rounds.left_out()
    out[0], out[1] = _sums(losses, weight, ~left_out), _sums(losses, weight, left_out)
    if is_first:
        out[2] = _sums(_losses_before(rounds), weight, left_out)
    return out


def _factor(rounds: Rounds) -> float:
    """scikit-learn's: squared error is not halved, and of two classes it is the deviance."""
    return kind_of(rounds.loss).history_factor if rounds.task.n_outputs == 1 else 1.0


def _losses_before(rounds: Rounds) -> np.ndarray:
    """The loss of every row before the first round."""
    return rounds.losses(rounds.first_scores())


def _sums_of_all(rounds: Rounds, weight: np.ndarray | None) -> tuple[float, float]:
    """Sum of losses and of weights of all rows. The same numbers either way; where it can, the team adds up."""
    units = rounds.units
    if (
        weight is not None
        or rounds.task.n_outputs > 1
        or (units.is_log and units.exponent)
        or abs(units.exponent) > 900
    ):
        return _sums(rounds.losses(), weight, None)
    y = rounds.task.y if units.exponent else rounds.y
    return rounds.sum_of_losses(y, 2.0**units.exponent), float(len(y))


def _mean(losses: np.ndarray, weight: np.ndarray | None, rows: np.ndarray | None = None) -> float:
    return _quotient(*_sums(losses, weight, rows))


def _quotient(amount: float, total: float) -> float:
    """NaN of no rows."""
    return float("nan") if total == 0.0 else amount / total


def _sums(losses: np.ndarray, weight: np.ndarray | None, rows: np.ndarray | None) -> tuple[float, float]:
    """Sum of losses and of weights."""
    if rows is not None:
        losses, weight = losses[rows], None if weight is None else weight[rows]
    total = float(len(losses)) if weight is None else float(weight.sum())
    with np.errstate(invalid="ignore", over="ignore"):  # rows of no weight may have run away
        return float((losses if weight is None else (losses * weight)[weight > 0]).sum()), total

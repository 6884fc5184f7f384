"""The watcher of a fit: scores the evaluation sets after every round and tells the callbacks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._team import Team
from spinney.criteria.fixed_point import exact_mean
from spinney.criteria.losses import LogLoss, kind_of, respond
from spinney.data.dataset import take_rows
from spinney.data.remote_table import RemoteCodes
from spinney.data.sparse_encode import SparseCodes
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.ensemble.boosting.booster import Booster, Task
from spinney.ensemble.boosting.gradients import class_losses, log_totals, loss_values, softmax
from spinney.ensemble.boosting.rounds import Rounds
from spinney.ensemble.boosting.start import start_values
from spinney.ensemble.callbacks import Callback, Round, call_all
from spinney.ensemble.metrics import Metric
from spinney.tree.predict_boosted import add_scores


@dataclass
class EvalSet:
    """Encoded rows with known answers, and their raw scores so far."""

    name: str
    codes: np.ndarray | SparseCodes | Table  # (columns, rows) uint8; or values
    y: np.ndarray
    weights: Weights
    scores: np.ndarray  # (outputs, rows)
    offset: np.ndarray | None = None  # (outputs, rows): what raw scores begin with besides the start values
    X: Any = None  # the rows as they came, for metrics that ask for them


def some_rows(
    name: str,
    codes: np.ndarray | SparseCodes | Table | RemoteCodes,
    task: Task,
    rows: np.ndarray,
    offset: np.ndarray | None = None,
    X: Any = None,
) -> EvalSet:
    """Some of the training rows as an evaluation set; `offset` is of all rows, X of these."""
    own, scores = task.take(rows), np.empty((task.n_outputs, len(rows)))
    return EvalSet(
        name, take_rows(codes, rows), own.y, own.weights, scores, None if offset is None else offset[:, rows], X
    )


def start_sets(sets: Sequence[EvalSet], task: Task, begun: Booster | None) -> None:
    """Set the raw scores of evaluation sets to what they are before the first new round."""
    start = start_values(task) if begun is None else begun.start
    for one in sets:
        one.scores[:] = start[:, None]
        if one.offset is not None:
            one.scores += one.offset
        if begun is not None and begun.n_rounds:
            with Team(1, inline=True) as alone:
                add_scores(begun.forest, one.codes, range(begun.forest.n_trees), one.scores, alone)


def named_sets(eval_set: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Evaluation sets by name, from any of the forms that `fit` takes."""
    if eval_set is None:
        return {}
    if isinstance(eval_set, tuple):
        named = {"valid": eval_set}
    elif isinstance(eval_set, dict):
        named = dict(eval_set)
    elif isinstance(eval_set, list):
        named = {"valid" if len(eval_set) == 1 else f"valid_{k}": one for k, one in enumerate(eval_set)}
    else:
        raise ValueError(f"eval_set must be (X, y), a list or a dict of such pairs, got {type(eval_set).__name__}.")
    for name, one in named.items():
        if not isinstance(one, tuple) or len(one) not in (2, 3):
            what = f"a tuple of {len(one)}" if isinstance(one, tuple) else type(one).__name__
            raise ValueError(
                f"eval_set {name!r} must be a tuple (X, y) or (X, y, sample_weight), got {what}. Several sets must "
                "be a list or a dict of such tuples."
            )
    return {name: (*one, None)[:3] for name, one in named.items()}  # type: ignore[misc]


class Watch:
    """Call it after every round; keeps `scores` (set -> metric -> values)."""

    def __init__(
        self,
        sets: Sequence[EvalSet],
        metrics: Sequence[Metric],
        callbacks: Sequence[Callback],
        task: Task,
        team: Team,
    ) -> None:
        self.sets, self.metrics, self.callbacks, self.task, self.team = sets, metrics, callbacks, task, team
        self.scores: dict[str, dict[str, list[float]]] = {one.name: {m.name: [] for m in metrics} for one in sets}
        self.n_rounds = 0
        self.begun = time.perf_counter()
        self.last: Round | None = None

    def go_on_from(self, scores: dict[str, dict[str, list[float]]], n_rounds: int) -> None:
        """Begin with the first rounds' scores of an earlier fit, if it scored the same sets by the same metrics."""
        past = {name: {key: values[:n_rounds] for key, values in one.items()} for name, one in scores.items()}
        if _shape(past) == [(name, key, n_rounds) for name, one in self.scores.items() for key in one]:
            self.scores = past

    def __call__(self, rounds: Rounds, new: list[Any]) -> bool:
        trees = rounds.bare(new) if self.sets else None
        for one in self.sets:
            assert trees is not None
            add_scores(trees, one.codes, range(len(new)), one.scores, self.team)
            for metric in self.metrics:
                self.scores[one.name][metric.name].append(self.score(metric, one, rounds.booster))
        self.last = Round(rounds.n_rounds, self.n_rounds, self.scores, time.perf_counter() - self.begun)
        return call_all(self.callbacks, self.last)

    def score(self, metric: Metric, one: EvalSet, booster: Callable[[], Booster]) -> float:
        """The metric of an evaluation set at its scores now; `booster` gives the model that they are of."""
        if metric.of_set is not None:
            return metric.of_set(one, booster)
        if metric.function is None:
            losses = raw_losses(self.task.loss, one.scores, one.y, self.team)
            return metric.factor * exact_mean(losses, one.weights) if np.isfinite(losses).all() else math.inf
        return metric.function(self._answers(one), self._predict(one), one.weights.total())

    def _answers(self, one: EvalSet) -> np.ndarray:
        return one.y.astype(np.int64) if self.task.is_classes else one.y

    def _predict(self, one: EvalSet) -> np.ndarray:
        return predictions(self.task.loss, self.task.is_classes, one.scores, self.team)


def _shape(scores: dict[str, dict[str, list[float]]]) -> list[tuple[str, str, int]]:
    return [(name, key, len(values)) for name, one in scores.items() for key, values in one.items()]


def raw_losses(loss: Any, raw: np.ndarray, y: np.ndarray, team: Team) -> np.ndarray:
    """The training loss of every row."""
    if len(raw) == 1:
        return loss_values(team, loss, raw[0], y)
    return class_losses(team, raw, log_totals(team, raw), y)


def log_predictions(loss: Any, raw: np.ndarray, team: Team) -> np.ndarray:
    """Logarithms of probabilities (rows, classes) from raw scores (outputs, rows)."""
    if len(raw) > 1:
        return np.ascontiguousarray((raw - log_totals(team, raw)).T)
    kind = kind_of(loss)
    if kind.link == "logistic":
        odds = kind.link_scale * raw[0]
        zeros = np.zeros(len(odds))
        return -np.column_stack([loss_values(team, LogLoss(), side, zeros) for side in (odds, -odds)])
    with np.errstate(divide="ignore"):
        return np.log(predictions(loss, True, raw, team))


def predictions(loss: Any, is_classes: bool, raw: np.ndarray, team: Team | None = None) -> np.ndarray:
    """Values, or probabilities (rows, classes), from raw scores (outputs, rows); without a team in this thread."""
    if len(raw) > 1:
        with nullcontext(team) if team is not None else Team(1, inline=True) as some:
            return softmax(some, raw)
    return respond(loss, raw[0], is_classes)


# ----------------------------------------------------------------------------------------------------------------------
# The training loss round by round, of the rows that a round was fitted to and of those that it left out.
#
# In: a fit after each of its rounds. Out: three series, as scikit-learn's `GradientBoosting*` has them. They say how a
# fit went and decide nothing, so plain means will do: one order, whatever the threads.


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

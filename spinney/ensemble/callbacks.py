"""What happens between rounds: early stopping, the progress bar, the callbacks of the user."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, TextIO

from spinney.ensemble.metrics import Metric


class Round(NamedTuple):
    """State of a boosting fit, passed to callbacks after each round.

    A callback that returns True ends the fit. Callbacks are called only in the fit on all rows, not while "auto"
    searches for the number of rounds.

    Attributes
    ----------
    number : int
        Number of rounds fitted so far, counted from 1.
    n_rounds : int
        Number of rounds that the fit will have if nothing ends it early.
    scores : dict of str to dict of str to list of float
        Name of the evaluation set -> name of the metric -> one value per round so far; `[-1]` is the value of this
        round. A single set given as (X, y) is called "valid", the sets of a list "valid_0", "valid_1" and so on, and
        those of a dict by its keys. Rows that early stopping holds out are also called "valid". Empty without
        evaluation sets.
    seconds : float
        Seconds since the first round began.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from spinney import GradientBoostingRegressor
    >>> X, y = make_regression(400, random_state=0)
    >>> def watch(now):
    ...     if now.number % 10 == 0:
    ...         print(now.number, "of", now.n_rounds, list(now.scores["valid"]), len(now.scores["valid"]["rmse"]))
    ...     return now.scores["valid"]["rmse"][-1] < 1.0 or now.seconds > 60
    >>> model = GradientBoostingRegressor(n_estimators=20, callbacks=watch)
    >>> model = model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]), eval_metric=["rmse", "mae"])
    10 of 20 ['rmse', 'absolute_error'] 10
    20 of 20 ['rmse', 'absolute_error'] 20
    """

    number: int
    n_rounds: int
    scores: dict[str, dict[str, list[float]]]
    seconds: float


Callback = Callable[[Round], Any]


@dataclass
class EarlyStopping:
    """Stop when the watched metric has not improved by more than `tol` for `patience` rounds.

    `tol` says when to stop, not which round is the best: that is the one with the best score.
    """

    set_name: str
    metric: Metric
    patience: int
    tol: float
    best_round: int = 0
    best_score: float = float("inf")
    improved_at: int = 0  # the last round that was better by more than `tol`
    improved_to: float = float("inf")
    insists: bool = True  # on scores that are finite

    def __call__(self, info: Round) -> bool:
        score = info.scores[self.set_name][self.metric.name][-1]
        if self.metric.greater_is_better:
            score = -score
        if self.insists and self.metric.function is None and math.isinf(score):
            raise ValueError(
                f"early stopping cannot compare rounds: {self.metric.name} on {self.set_name!r} is infinite. "
                "Scale y down, or use another eval_metric."
            )
        if score < self.best_score:
            self.best_score, self.best_round = score, info.number
        if score < self.improved_to - self.tol:
            self.improved_to, self.improved_at = score, info.number
        is_over = info.number - self.improved_at >= self.patience
        if is_over and self.best_round == 0 and self.insists:
            raise ValueError(
                f"early stopping cannot compare rounds: {self.metric.name} on {self.set_name!r} has not been a "
                f"finite number for {self.patience} rounds. Use another eval_metric."
            )
        return is_over

    def go_on_from(self, scores: dict[str, dict[str, list[float]]], n_rounds: int) -> None:
        """Take over from a model already fitted: go through its rounds, or start after them if they have no scores."""
        past = scores[self.set_name][self.metric.name]
        for number in range(1, len(past) + 1):
            self(Round(number, n_rounds, {self.set_name: {self.metric.name: past[:number]}}, 0.0))
        self.best_round, self.improved_at = self.best_round or n_rounds, self.improved_at or n_rounds


class Clock(NamedTuple):
    """When a fit began, and how many seconds it may take."""

    begun: float
    budget: float | None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    def is_over(self, share: float = 1.0) -> bool:
        """Whether a fraction of the budget is used up."""
        return self.budget is not None and self.seconds >= share * self.budget

    def __call__(self, info: Any) -> bool:
        """A callback that ends the fit in time."""
        return self.is_over()


class Progress:
    """A progress bar with the running metrics on standard error; plain lines where it is not a terminal."""

    WIDTH = 24

    def __init__(
        self, every_round: bool = False, stream: TextIO | None = None, unit: str = "round", forecasts: bool = True
    ) -> None:
        self.every_round = every_round
        self.unit, self.forecasts = unit, forecasts
        self.stream = stream or sys.stderr
        self.shown = 0.0

    def __call__(self, info: Round) -> bool:
        last = info.number == info.n_rounds
        if self.every_round:
            self.stream.write(self._text(info) + "\n")
        elif self.stream.isatty():
            now = time.perf_counter()
            if last or now - self.shown > 0.1:
                self.shown = now
                self.stream.write("\r\x1b[2K" + self._text(info) + ("\n" if last else ""))
        elif last or info.number % max(1, info.n_rounds // 10) == 0:
            self.stream.write(self._text(info) + "\n")
        self.stream.flush()
        return False

    def close(self, info: Round | None) -> None:
        """End the bar's line if the fit ended early."""
        if info is not None and info.number < info.n_rounds and not self.every_round:
            self.stream.write(("\r\x1b[2K" if self.stream.isatty() else "") + self._text(info) + "\n")
            self.stream.flush()

    def _text(self, info: Round) -> str:
        filled = self.WIDTH * info.number // info.n_rounds
        bar = "█" * filled + "·" * (self.WIDTH - filled)
        scores = [
            f"{name} {metric} {values[-1]:.5g}"
            for name, metrics in info.scores.items()
            for metric, values in metrics.items()
        ]
        parts = [f"{self.unit} {info.number:>{len(str(info.n_rounds))}}/{info.n_rounds} {bar}", *scores]
        left = info.seconds / info.number * (info.n_rounds - info.number)
        if self.forecasts and left > 0.0:
            return "  ".join([*parts, f"{info.seconds:.1f} s, {left:.1f} s left"])
        return "  ".join([*parts, f"{info.seconds:.1f} s"])


def call_all(callbacks: Sequence[Callback], info: Round) -> bool:
    """Tell every callback; True if any of them wants to stop."""
    return any([bool(callback(info)) for callback in callbacks])


def tell_progress(verbose: int, n: int, unit: str) -> Callable[[], object]:
    """A function to call after each of n pieces of work: it shows a bar, a line each if `verbose` is 2, or nothing."""
    if not verbose:
        return lambda: None
    progress, begun, done = Progress(every_round=verbose > 1, unit=unit), time.perf_counter(), count(1)
    return lambda: progress(Round(next(done), n, {}, time.perf_counter() - begun))

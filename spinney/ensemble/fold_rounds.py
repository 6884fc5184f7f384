"""Boosting on several parts of one table at the same pace, each judged on the rows it does not see.

In: a `Rounds` for each fold, and the rows to judge it by. Out: their scores after every round, and the best round.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from spinney.ensemble.boosting import Rounds
from spinney.ensemble.callbacks import EarlyStopping, Progress, Round
from spinney.ensemble.metrics import Metric
from spinney.ensemble.scoring import EvalSet, Watch, start_sets
from spinney.ensemble.typical import Typical

Scores = dict[str, dict[str, list[float]]]


class Fold:
    """One fold's boosting, and its scores on some sets of rows."""

    def __init__(self, rounds: Rounds, sets: Sequence[EvalSet], metrics: Sequence[Metric]) -> None:
        self.rounds = rounds
        start_sets(sets, rounds.task, rounds.begun)
        self.watch = Watch(sets, metrics, [], rounds.task, rounds.team)

    def step(self) -> None:
        """One more round."""
        self.watch(self.rounds, self.rounds.step())


def advance(
    folds: Sequence[Fold],
    metric: Metric,
    n_rounds: int,
    patience: int,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    typical: Typical | None = None,
    flat: float = 0.0,
    insists: bool = False,
) -> tuple[int, Scores]:
    """Run the rounds of all folds until the mean of the metric on their first sets no longer improves.

    Returns the best round, counted from 1, and the means over the folds: set -> metric -> one value per round.
    Without a single finite score the best round is 0, or with `insists` there is an error. `stop` is asked after each
    round; a curve that moves by less than the share `flat` in `patience` rounds ends it as
    well. `typical` is what to go by where a few rows drown the others.
    """
    first = folds[0].watch.sets[0].name
    stopping = EarlyStopping(first, metric, patience, 0.0, insists=insists)
    level = metric if typical is None else typical.whole  # what is flat is measured by it: zero is the least there is
    begun, info = time.perf_counter(), None
    means: Scores = {}
    for number in range(1, n_rounds + 1):
        for fold in folds:
            fold.step()
        _add_means(folds, means)
        curves = means[first]
        if typical is not None and typical.is_needed(curves):
            metric, level, typical = typical.half, typical.half, None
            stopping = EarlyStopping(first, metric, patience, 0.0, insists=insists)
            stopping.go_on_from({first: {metric.name: curves[metric.name][:-1]}}, 0)
        info = Round(number, n_rounds, means, time.perf_counter() - begun)
        if progress is not None:
            progress(info)
        is_over = stop is not None and stop()
        if stopping(info) or is_over or _is_flat(curves[level.name], patience, flat):
            break
    if progress is not None:
        progress.close(info)
    return stopping.best_round, means


def _is_flat(curve: Sequence[float], patience: int, flat: float) -> bool:
    """Whether the last rounds have hardly changed anything."""
    if flat == 0.0 or len(curve) <= patience:
        return False
    return abs(curve[-1 - patience] - curve[-1]) < flat * abs(curve[-1])


def _add_means(folds: Sequence[Fold], means: Scores) -> None:
    for name, metrics in folds[0].watch.scores.items():
        for key in metrics:
            mean = float(np.mean([fold.watch.scores[name][key][-1] for fold in folds]))
            means.setdefault(name, {}).setdefault(key, []).append(mean)

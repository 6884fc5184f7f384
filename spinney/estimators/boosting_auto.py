"""`n_estimators="auto"`: the number of rounds, chosen on rows held out, and the learning rate that goes with it.

In: a model that is being fitted, its encoded table and task. Out: settings for the fit on all rows, and the curve that
they were chosen by. What is tried follows from the table: see ensemble/auto.py.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spinney.data.holdout import Part, parts_by_content
from spinney.data.weights import Weights

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.ensemble.auto import Chosen, SearchPlan
    from spinney.ensemble.boosting_settings import BoostingSettings
    from spinney.ensemble.fold_rounds import Fold, Scores
    from spinney.ensemble.metrics import Metric
    from spinney.ensemble.task import Task
    from spinney.estimators.boosting_given import Given
    from spinney.estimators.boosting_scores import ScorerMetric

HELD_OUT = "held_out"  # the name of the curve in `evals_result_`
_SEARCH_TIME = 0.4  # share of a time budget that choosing may take
_LONG = 3.0  # seconds of choosing that are worth a line


class Clock(NamedTuple):
    """When the fit began, and how many seconds it may take."""

    begun: float
    budget: float | None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    def is_over(self, share: float = 1.0) -> bool:
        """Whether a share of the budget is used up."""
        return self.budget is not None and self.seconds >= share * self.budget

    def __call__(self, info: Any) -> bool:
        """A callback that ends the fit in time."""
        return self.is_over()


class Search(NamedTuple):
    """What the rounds are searched on."""

    given: Given
    dataset: Any
    task: Task
    metrics: Sequence[Metric]
    scorer: ScorerMetric | None
    team: Team
    clock: Clock


def search_rounds(model: Any, search: Search, settings: BoostingSettings) -> tuple[BoostingSettings, Scores]:
    """Settings with the number of rounds and the learning rate chosen, and the scores of the rows held out."""
    from spinney.ensemble.auto import CLASSIC_ROUNDS, FLAT, choose, in_time, plan_search
    from spinney.ensemble.callbacks import Progress
    from spinney.ensemble.fold_rounds import advance
    from spinney.ensemble.typical import typical_losses

    rate = None if model.learning_rate == "auto" else settings.learning_rate
    n_samples = search.task.weights.n_samples(len(search.task.y))
    plan = plan_search(n_samples, rate, search.task.n_outputs)
    if plan is None:
        return replace(settings, n_rounds=CLASSIC_ROUNDS), {}
    first, typical = search.metrics[0], None
    if not search.task.is_classes and first.function is None and first.of_set is None:
        typical = typical_losses(search.task.loss, first, search.team)
        search = search._replace(metrics=[*search.metrics, *(one for one in typical if one is not first)])
    folds = _make_folds(model, search, plan, settings)
    begun, clock = time.perf_counter(), search.clock
    progress = Progress(model.verbose > 1, unit="search round", forecasts=False) if model.verbose else None
    stop = partial(_after_round, clock, time.perf_counter(), bool(model.verbose))
    try:
        best, curve = advance(folds, first, plan.n_rounds, _patience(plan), progress, stop, typical, flat=FLAT)
    finally:
        for fold in folds:
            fold.rounds.close()
    means = curve[HELD_OUT][first.name]
    for one in typical or ():
        if one is not first:
            del curve[HELD_OUT][one.name]
    if best == 0 or max(abs(score) for score in means) < sys.float_info.min:  # no score that tells rounds apart
        return replace(settings, n_rounds=CLASSIC_ROUNDS), curve
    chosen = choose(best, plan, n_samples, rate, search.task.n_outputs)
    if clock.budget is not None:
        per_row = (time.perf_counter() - begun) / (len(means) * sum(len(one.rounds.y) for one in folds))
        chosen = in_time(chosen, (clock.budget - clock.seconds) / (per_row * len(search.task.y)), rate)
    if model.verbose:
        _tell(chosen, plan, best, len(means))
    return replace(settings, n_rounds=chosen.n_rounds, learning_rate=chosen.learning_rate), curve


def _after_round(clock: Clock, begun: float, is_told: bool) -> bool:
    """Whether the search has to end; says once a process that it takes long, unless a progress bar shows it."""
    if not is_told and time.perf_counter() - begun >= _LONG:
        from spinney._compile import say_once

        say_once(
            f"choosing the number of boosting rounds on held-out rows has taken {_LONG:g} s. Set n_estimators=100, or "
            "any other number, to skip it, or verbose=1 to see its progress."
        )
    return clock.is_over(_SEARCH_TIME)


def _patience(plan: SearchPlan) -> int:
    from spinney.ensemble.auto import CLASSIC_RATE, PATIENCE

    return math.ceil(PATIENCE * max(1.0, CLASSIC_RATE / plan.learning_rate))


def _make_folds(model: Any, search: Search, plan: SearchPlan, settings: BoostingSettings) -> list[Fold]:
    from spinney.ensemble.boosting import open_rounds
    from spinney.ensemble.fold_rounds import Fold

    given, dataset, task, team = search.given, search.dataset, search.task, search.team
    own = replace(settings, n_rounds=plan.n_rounds, learning_rate=plan.learning_rate)
    folds = []
    for kept, held in _parts(search, plan, settings.seed):
        offset = model._offset_of_fit(given.X, given.y, given.weights, given.init_score, kept.rows)
        judges = task.with_weights(Weights(held.counts_of_all(len(task.y)), task.weights.importance))
        held_out = model._held_out_set(given, dataset, judges, held.rows, offset, search.scorer, HELD_OUT)
        table, answers = dataset.take(kept.rows), task.take(kept.rows).with_weights(kept.weights(task.weights))
        begin = None if offset is None else np.ascontiguousarray(offset[:, kept.rows])
        first = model._nothing_yet(table, answers, begin)
        folds.append(Fold(open_rounds(table, answers, own, team, first, offset=begin), [held_out], search.metrics))
    return folds


def _parts(search: Search, plan: SearchPlan, seed: int) -> list[tuple[Part, Part]]:
    from spinney.data.content import hashes_of_keys
    from spinney.data.dataset import row_keys
    from spinney.data.exact import ExactDataset

    task, weights = search.task, search.task.weights
    dataset = search.dataset
    if isinstance(dataset, ExactDataset):
        columns = [dataset.codes.column(j) for j in range(dataset.n_columns)]
        hashes = hashes_of_keys(seed, np.zeros(dataset.n_rows, np.uint32), *columns, task.y)
    else:
        hashes = hashes_of_keys(seed, row_keys(dataset, search.team), task.y)
    shares = plan.n_folds, plan.kept_share, plan.held_share
    return parts_by_content(hashes, task.y, weights, task.is_classes, *shares)


def _tell(chosen: Chosen, plan: SearchPlan, best: int, tried: int) -> None:
    """One line on standard error: what was chosen, and by what."""
    by = f"{plan.n_folds} folds" if plan.n_folds > 1 else f"{100 * plan.held_share:.0f} % of the rows held out"
    sys.stderr.write(
        f"chosen: {chosen.n_rounds} rounds at learning rate {chosen.learning_rate:.3g} "
        f"(by {by}: round {best} of {tried} was the best at {plan.learning_rate:.3g})\n"
    )
    sys.stderr.flush()

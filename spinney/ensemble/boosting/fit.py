"""One boosted fit, from a table to a `Booster`: what it decides, in the order in which it decides.

In:  a `BoostingJob`: the table, the task, initial scores, evaluation sets, and what the parameters leave open.
Out: `Fitted`: the booster, its best round, the scores of all rounds.

    hold out     rows for early stopping, if it has no evaluation set of its own
    encode       the table as codes; held-out rows do not take part in the bins
    search       n_estimators="auto": the number of rounds, chosen on held-out rows (round_search.py)
    start        initial scores; evaluation sets are encoded and begin with theirs
    train        round by round (rounds.py), watched by scores, early stopping and callbacks (scoring.py)

The estimators translate parameters into a `BoostingJob` and keep what comes back.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing

from spinney._compile import say_once, seconds_spent
from spinney._team import Team
from spinney._warnings import RowOrderWarning, warn_caller
from spinney.criteria.fixed_point import exact_mean
from spinney.data.dataset import ExactDataset, ValuedDataset, take_rows, with_values
from spinney.data.holdout import CountedRows, RowOrder, hold_out, parts_by_content, parts_by_order
from spinney.data.remote_table import RemoteDataset
from spinney.data.row_hash import hashes_of_keys
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.ensemble.boosting import neighbouring_rows
from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
from spinney.ensemble.boosting.round_search import (
    CLASSIC_ROUNDS,
    FLAT,
    LEVELS,
    PATIENCE_BY_GROUP,
    USUAL,
    Chosen,
    Fold,
    Level,
    MemberShape,
    Scores,
    SearchPlan,
    SizesWanted,
    advance,
    choose,
    first_as_good,
    good_members,
    in_time,
    plan_search,
    sized,
    typical_losses,
)
from spinney.ensemble.boosting.rounds import open_rounds, together, train
from spinney.ensemble.boosting.scoring import (
    EvalSet,
    History,
    Watch,
    predictions,
    raw_losses,
    some_rows,
    start_sets,
)
from spinney.ensemble.boosting.start import InitialScores, table_of
from spinney.ensemble.callbacks import Clock, EarlyStopping, Progress
from spinney.ensemble.conformal import ConformalScores, from_held_out, from_true_probabilities
from spinney.ensemble.metrics import Metric

HELD_OUT = "held_out"  # the name of the search's curve in `evals_result_`
_SEARCH_TIME = 0.4  # fraction of a time budget that the search may take
_LONG = 3.0  # seconds of searching after which a line is printed


class EvalTable(NamedTuple):
    """An evaluation set before it is encoded."""

    name: str
    X: Any  # as the user passed it
    table: Any
    y: np.ndarray
    weights: Weights
    init_score: np.ndarray | None  # (outputs, rows)


class Begun(NamedTuple):
    """The model that a warm start continues."""

    booster: Booster
    scores: Scores  # of its evaluation sets, round by round
    score_before: float  # that early stopping monitors, before its first round; NaN if it is not known


class Stopping(NamedTuple):
    """Early stopping."""

    patience: int  # rounds
    tol: float
    validation_fraction: Any  # of the rows to hold out without an evaluation set; None: training rows are monitored


class BoostingJob(NamedTuple):
    """What to fit, and what the fit decides by."""

    X: Any  # as the user passed it, for initial estimators and scorers
    table: Any
    is_categorical: np.ndarray
    max_bins: int | None
    task: Task
    initial: InitialScores
    init_score: np.ndarray | None  # (outputs, rows)
    order: RowOrder | None  # groups or times of the rows, by which rows are held out
    eval_tables: list[EvalTable]
    metrics: list[Metric]  # the first decides
    needs_rows: bool  # whether a metric reads X itself
    settings: BoostingSettings
    sizes: SizesWanted  # what in the settings follows from the rows
    learning_rate: float | None  # None: the search chooses it
    quality: int  # see LEVELS
    searches: bool
    tries_lines: bool  # whether the search says what leaves are like: numbers or lines
    stopping: Stopping | None
    begun: Begun | None
    past: Sequence[list[float]] | None  # the training losses of the rounds before: see `History`
    callbacks: list[Callable[[Any], Any]]
    clock: Clock
    verbose: int

    @property
    def level(self) -> Level:
        return LEVELS[self.quality]

    def settings_for(self, task: Task, n_columns: int, shape: MemberShape = USUAL) -> BoostingSettings:
        """The settings of a fit on some of the rows."""
        return sized(self.settings, self.sizes, task, n_columns, shape)


class Fitted(NamedTuple):
    """What a fit leaves behind."""

    booster: Booster  # up to the best round
    best: int  # this one, counted from 1
    n_rounds: int  # all
    settings: BoostingSettings
    scores: Scores
    monitored: list[float] | None  # by early stopping: before the first round, then after each
    calibration: ConformalScores | None = None  # by the rows that were held out
    losses: Sequence[Sequence[float]] = ((), (), ())  # of the training rows: see `History`


def fit_booster(job: BoostingJob, team: Team) -> Fitted:
    """Fit one boosted model."""
    task, stopping = job.task, job.stopping
    held_out = None
    if stopping is not None and not job.eval_tables and stopping.validation_fraction is not None:
        held_out = _hold_out(job, stopping.validation_fraction)
    dataset = _encode(job, held_out, team)
    settings = job.settings_for(task if held_out is None else task.take(held_out[0]), dataset.n_columns)
    curve: Scores = {}
    calibration = None
    if job.searches:
        settings, curve, calibration = search_rounds(job, dataset, settings, team)
        dataset = for_leaves(dataset, settings)
    begun = None if job.begun is None else job.begun.booster
    if begun is None:
        kept = None if held_out is None else held_out[0]
        offset = job.initial.of_fit(job.X, task.y, task.weights, job.init_score, kept)
    else:
        offset = job.initial.of(job.X, job.init_score)
    sets = [_encoded(one, job, dataset.bins, team) for one in job.eval_tables]
    if stopping is not None and sets:
        _warn_if_training_rows_decide(sets[-1], job.X, dataset, task)
    if held_out is not None:
        kept, held = held_out
        sets = [_held_out_set(job, dataset, task, held, offset, "valid")]
        dataset, task = dataset.take(kept), task.take(kept)
        offset = None if offset is None else np.ascontiguousarray(offset[:, kept])
    elif stopping is not None and not sets:
        sets = [_training_set(job, dataset, offset)]
    first = begun or job.initial.no_rounds(dataset, task, offset)
    start_sets(sets, task, first)
    watch, stop, progress = _watchers(job, sets, task, settings, team)
    kept_scores = None if held_out is None or stop is None else BestScores(stop, sets[-1])
    if kept_scores is not None:
        watch.callbacks = [*watch.callbacks, kept_scores]
    before = _score_before(job, watch, stop, first)
    _warn_if_no_split(task, settings, bool(job.is_categorical.any()))
    history = None if job.past is None or not task.has_value else History(*job.past)
    try:
        booster = train(dataset, task, settings, team, _watch_both(history, watch), first, offset=offset)
    finally:
        if progress is not None:
            progress.close(watch.last)
    best = (stop.best_round if stop is not None else 0) or booster.n_rounds
    monitored = None if stop is None else [before, *watch.scores[stop.set_name][stop.metric.name]]
    booster.loss = task.loss
    if kept_scores is not None and held_out is not None and stop is not None and stop.best_round:
        calibration = _calibrate(job, [kept_scores.found], sets[-1:], held_out[1], team)
    fitted = Fitted(
        booster.cut(best), best, booster.n_rounds, settings, watch.scores | curve, monitored, calibration=calibration
    )
    return fitted if history is None else fitted._replace(losses=history.series)


class BestScores:
    """A callback that remembers the raw scores of an evaluation set after the best round so far."""

    def __init__(self, stop: EarlyStopping, watched: EvalSet) -> None:
        self._stop, self._watched, self.found = stop, watched, watched.scores.copy()

    def __call__(self, info: Any) -> bool:
        if self._stop.best_round == info.number:
            np.copyto(self.found, self._watched.scores)
        return False


def _calibrate(
    job: BoostingJob, raw: Sequence[np.ndarray], sets: Sequence[EvalSet], rows: np.ndarray, team: Team
) -> ConformalScores | None:
    """What held-out rows, set after set, say about intervals and sets of classes; `rows` are their numbers."""
    task = job.task
    weights = [one.weights.total() for one in sets]
    used = np.concatenate([np.ones(len(one.y), bool) if w is None else w > 0 for one, w in zip(sets, weights)])
    counts = None
    if task.weights.counts is not None:
        counts = np.concatenate([one.weights.counts for one in sets])[used]
    times = None if job.order is None or job.order.times is None else job.order.times[rows[used]]
    found = predictions(task.loss, task.is_classes, np.concatenate(raw, axis=1), team)[used]
    y = np.concatenate([one.y for one in sets])[used]
    if task.is_classes:
        return from_true_probabilities(found[np.arange(len(y)), y.astype(np.int64)], counts, times)
    return from_held_out(found, y, counts, times)


def _hold_out(job: BoostingJob, share: Any) -> tuple[np.ndarray, np.ndarray]:
    """(rows to train on, rows for early stopping)."""
    task = job.task
    if job.order is None:
        labels = task.y.astype(np.int64) if task.is_classes else None
        return hold_out(np.arange(len(task.y)), share, job.settings.seed, labels)
    share = share if share < 1 else share / task.weights.n_samples(len(task.y))
    ((kept, held),) = parts_by_order(job.order, task.weights, job.settings.seed, 1, 1.0 - share, share)
    return kept.rows, held.rows


# --- the table and the evaluation sets -------------------------------------------------------------------------------


def _encode(job: BoostingJob, held_out: tuple[np.ndarray, np.ndarray] | None, team: Team) -> Any:
    """The table as codes, or sorted columns; rows that are held out do not take part in the bins."""
    if job.begun is not None and job.begun.booster.bins is not None:
        return job.table.encode_dataset(job.begun.booster.bins, team)
    counts = job.task.weights.counts
    if held_out is not None:
        counts = np.ones(len(job.task.y), np.int64) if counts is None else counts.copy()
        counts[held_out[1]] = 0
    return open_data(job, counts, team)


def open_data(job: BoostingJob, counts: np.ndarray | None, team: Team) -> Any:
    """What the trees grow on; rows count so often in the bins."""
    dataset = job.table.open_dataset(job.is_categorical, counts, job.max_bins, team)
    return with_values(dataset, job.table) if job.settings.linear or job.tries_lines else dataset


def _encoded(one: EvalTable, job: BoostingJob, bins: Any, team: Team) -> EvalSet:
    scores = np.empty((job.task.n_outputs, one.table.n_rows))
    offset = job.initial.of(one.X, one.init_score)
    return EvalSet(one.name, one.table.encode(bins, team), one.y, one.weights, scores, offset, one.X)


def _held_out_set(
    job: BoostingJob, dataset: Any, task: Task, held: np.ndarray, offset: np.ndarray | None, name: str
) -> EvalSet:
    X = _safe_indexing(table_of(job.X), held) if job.needs_rows else None
    return some_rows(name, dataset.codes, task, held, offset, X)


def _training_set(job: BoostingJob, dataset: Any, offset: np.ndarray | None) -> EvalSet:
    """The training rows themselves, for early stopping without held-out rows."""
    scores = np.empty((job.task.n_outputs, dataset.n_rows))
    X = table_of(job.X) if job.needs_rows else None
    return EvalSet("train", take_rows(dataset.codes, None), job.task.y, job.task.weights, scores, offset, X)


# --- what is told of every round -------------------------------------------------------------------------------------


def _watchers(
    job: BoostingJob, sets: list[EvalSet], task: Task, settings: BoostingSettings, team: Team
) -> tuple[Watch, EarlyStopping | None, Progress | None]:
    """The scores of every round, early stopping and the progress bar, which read them."""
    given, begun = job.stopping, job.begun
    stop = None if given is None else EarlyStopping(sets[-1].name, job.metrics[0], given.patience, given.tol)
    progress = Progress(every_round=job.verbose > 1) if job.verbose else None
    in_budget = None if job.clock.budget is None else job.clock
    callbacks: list[Any] = [one for one in (progress, stop, in_budget, *job.callbacks) if one is not None]
    watch = Watch(sets, job.metrics, callbacks, task, team)
    watch.n_rounds = settings.n_rounds
    if begun is not None:
        watch.go_on_from(begun.scores, begun.booster.n_rounds)
        if stop is not None:
            stop.go_on_from(watch.scores, begun.booster.n_rounds)
    return watch, stop, progress


def _score_before(job: BoostingJob, watch: Watch, stop: EarlyStopping | None, first: Booster) -> float:
    """The score that early stopping monitors, before the first round."""
    if stop is None:
        return math.nan
    if job.begun is not None:
        return job.begun.score_before
    return watch.score(stop.metric, watch.sets[-1], lambda: first)


def _watch_both(history: History | None, watch: Watch) -> Callable[..., bool]:
    if history is None:
        return watch

    def after(rounds: Any, new: Any) -> bool:
        history(rounds, new)
        return watch(rounds, new)

    return after


def _warn_if_no_split(task: Task, settings: BoostingSettings, has_categories: bool) -> None:
    n, least = task.weights.n_samples(len(task.y)), settings.min_count
    if n < 2 * least:
        which = "min_samples_leaf and min_samples_category" if has_categories else "min_samples_leaf"
        warn_caller(
            f"No tree can split: two leaves of min_samples_leaf={least} need {2 * least} samples, but there are {n}. "
            "The model predicts a constant"
            + (f". Set {which} to {max(1, n // 10)}, for example." if n > 1 else ": one sample cannot be split."),
        )


def _warn_if_training_rows_decide(last: EvalSet, X: Any, dataset: Any, task: Task) -> None:
    """Warn if the set that decides early stopping is the training table: its loss falls to the end."""
    if np.array_equal(last.y, task.y) and (last.X is X or _same_rows(last.codes, dataset.codes)):
        warn_caller(
            f"Early stopping uses the last evaluation set, {last.name!r}, which is the training data: its score "
            "improves in nearly every round. Put the validation set last, or leave eval_set out to hold out some rows "
            "(validation_fraction).",
        )


def _same_rows(one: Any, other: Any) -> bool:
    """Whether two encoded tables are equal, cell by cell; sparse ones, and those on workers, are not compared."""
    if isinstance(one, Table) and isinstance(other, Table) and one.n_rows == other.n_rows:
        return all(np.array_equal(one.column(j), other.column(j), equal_nan=True) for j in range(one.n_columns))
    return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)


# --- n_estimators="auto" ---------------------------------------------------------------------------------------------
#
# The number of rounds, chosen on held-out rows, and the learning rate that goes with it. What is tried follows from the
# table: see round_search.py.


class SearchResult(NamedTuple):
    """What the search of one member has found."""

    settings: BoostingSettings  # of the fit on all rows, but for its rounds and rate
    plan: SearchPlan
    curve: Scores
    best: int  # round; 0: no score tells rounds apart
    score: float  # there
    raw: list[np.ndarray]  # raw scores of each fold's held-out rows, there
    sets: list[EvalSet]  # these rows
    rows: np.ndarray  # their numbers
    seconds: float  # per row and round


def search_rounds(
    job: BoostingJob, dataset: Any, settings: BoostingSettings, team: Team
) -> tuple[BoostingSettings, Scores, ConformalScores | None]:
    """Settings with the number of rounds and the learning rate chosen, and what the held-out rows say."""
    task, clock = job.task, job.clock
    n_samples = task.weights.n_samples(len(task.y))
    plan = plan_search(n_samples, job.learning_rate, task.n_outputs, job.level)
    if plan is None:
        return replace(settings, n_rounds=CLASSIC_ROUNDS), {}, None
    searches, rejected = _search_all(job, dataset, plan, team)
    curve = _curves(searches)
    found = [one for one in searches if one.best and one is not rejected]
    if not found:
        return replace(settings, n_rounds=CLASSIC_ROUNDS), curve, None
    scores, is_gain = [one.score for one in found], job.metrics[0].greater_is_better
    found = [found[k] for k in good_members(scores, is_gain, task.n_outputs)]
    in_time_order = job.order is not None and job.order.times is not None
    members = []
    for k, one in enumerate(found):
        by = n_samples, job.learning_rate, task.n_outputs, not in_time_order, task.is_classes, job.level
        chosen = choose(one.best, plan, *by)
        if clock.budget is not None:
            left = (clock.budget - clock.seconds) / len(found)
            chosen = in_time(chosen, left / (one.seconds * len(task.y)), job.learning_rate)
        if job.verbose:
            _tell(chosen, plan, one)
        seed = (one.settings.seed + k) % 2**32
        members.append(replace(one.settings, n_rounds=chosen.n_rounds, learning_rate=chosen.learning_rate, seed=seed))
    if job.order is None and n_samples >= neighbouring_rows.FEWEST and not isinstance(dataset, RemoteDataset):
        own = found[0].settings
        _warn_if_neighbours_are_alike(job, for_leaves(dataset, own), own, team)
    raw = [np.mean(of_fold, axis=0) for of_fold in zip(*(one.raw for one in found))]
    calibration = _calibrate(job, raw, found[0].sets, found[0].rows, team)
    return together(members), curve, calibration


def for_leaves(dataset: Any, settings: BoostingSettings) -> Any:
    """The dataset, without its numbers if no leaf has lines."""
    has_lines = any(one.linear for one in settings.members or [settings])
    return dataset.coded if isinstance(dataset, ValuedDataset) and not has_lines else dataset


def _search_all(
    job: BoostingJob, dataset: Any, plan: SearchPlan, team: Team
) -> tuple[list[SearchResult], SearchResult | None]:
    """The searches of all members; of the first with and without lines, if these are tried, and which was worse."""
    first, *others = job.level.shapes
    shapes = [first, first._replace(linear=True)] if job.tries_lines else [first]
    n_searches = len(shapes) + len(others)
    searches: list[SearchResult] = []

    def search(shape: MemberShape) -> None:
        own, share = job.settings_for(job.task, dataset.n_columns, shape), (len(searches) + 1) / n_searches
        searches.append(_search(job, for_leaves(dataset, own), plan, own, team, _SEARCH_TIME * share))

    for shape in shapes:
        search(shape)
    takes_lines = job.tries_lines and has_gained(job, searches[0], searches[1], team)
    for shape in others:
        search(shape._replace(linear=takes_lines or None))
    return searches, searches[not takes_lines] if job.tries_lines else None


def has_gained(job: BoostingJob, first: SearchResult, second: SearchResult, team: Team) -> bool:
    """Whether the second lowers the loss of the held-out rows by more than the standard error."""
    if not (first.best and second.best):
        return False
    loss, sets = job.task.loss, first.sets
    losses = [
        np.concatenate([raw_losses(loss, raw, one.y, team) for raw, one in zip(by.raw, sets)]) for by in (first, second)
    ]
    gains = losses[0] - losses[1]
    weights = Weights(
        *(None if part[0] is None else np.concatenate(part) for part in zip(*(one.weights for one in sets)))
    )
    gain = exact_mean(gains, weights)
    variance = exact_mean((gains - gain) ** 2, weights)
    return gain > math.sqrt(variance / weights.n_samples(len(gains)))


def _search(
    job: BoostingJob, dataset: Any, plan: SearchPlan, settings: BoostingSettings, team: Team, time_share: float
) -> SearchResult:
    """The search of a member."""
    task, metrics = job.task, list(job.metrics)
    first, typical = metrics[0], None
    if not task.is_classes and first.function is None and first.of_set is None:
        typical = typical_losses(task.loss, first, team)
        metrics += [one for one in typical if one is not first]
    folds = _make_folds(job, dataset, metrics, plan, settings, team)
    begun, clock = time.perf_counter(), job.clock
    progress = Progress(job.verbose > 1, unit="search round", forecasts=False) if job.verbose else None
    stop = partial(_search_is_over, clock, begun - seconds_spent(), bool(job.verbose), time_share)
    by_group = job.order is not None and job.order.times is None
    patience = plan.patience * (PATIENCE_BY_GROUP if by_group else 1)
    try:
        best, curve = advance(folds, first, plan.n_rounds, patience, team, progress, stop, typical, flat=FLAT)
        means = curve[HELD_OUT][first.name]
        if job.order is not None and job.order.times is not None and best:
            best = first_as_good(means, first.greater_is_better)
        raw = [fold.scores_after(best) for fold in folds if best]
    finally:
        for fold in folds:
            fold.rounds.close()
    for one in typical or ():
        if one is not first:
            del curve[HELD_OUT][one.name]
    if max(abs(score) for score in means) < sys.float_info.min:  # no score that tells rounds apart
        best = 0
    seconds = (time.perf_counter() - begun) / (len(means) * sum(len(one.rounds.y) for one in folds))
    sets, rows = [fold.watch.sets[0] for fold in folds], np.concatenate([fold.rows for fold in folds])
    return SearchResult(settings, plan, curve, best, means[best - 1], raw, sets, rows, seconds)


def _curves(searches: Sequence[SearchResult]) -> Scores:
    """The scores of all searches: "held_out", and those of further members by their numbers."""
    names = [HELD_OUT, *(f"{HELD_OUT}_{k}" for k in range(2, len(searches) + 1))]
    return {name: one.curve[HELD_OUT] for name, one in zip(names, searches)}


def _search_is_over(clock: Clock, begun: float, is_told: bool, time_share: float) -> bool:
    """Whether the search has to end; says once per process that it takes long, unless a progress bar shows it.

    Time for compiling does not count; `begun` is without it, too.
    """
    if not is_told and time.perf_counter() - seconds_spent() - begun >= _LONG:
        say_once(
            f"choosing the number of boosting rounds on held-out rows has taken {_LONG:g} s. Set n_estimators=100, or "
            "any other number, to skip it, or verbose=1 to see its progress."
        )
    return clock.is_over(time_share)


def _make_folds(
    job: BoostingJob, dataset: Any, metrics: Sequence[Metric], plan: SearchPlan, settings: BoostingSettings, team: Team
) -> list[Fold]:
    own = replace(settings, n_rounds=plan.n_rounds, learning_rate=plan.learning_rate)
    # folds are small: each grows its trees in one thread, unless their outputs keep all threads busy
    is_here = settings.rounds is None and not isinstance(dataset, RemoteDataset)
    is_apart = is_here and plan.n_folds > 1 and (job.task.n_outputs == 1 or team.size == 1)
    return [
        _make_fold(job, dataset, metrics, kept, held, own, team.part() if is_apart else team)
        for kept, held in _parts(job, dataset, plan, settings.seed, team)
    ]


def _make_fold(
    job: BoostingJob,
    dataset: Any,
    metrics: Sequence[Metric],
    kept: CountedRows,
    held: CountedRows,
    settings: BoostingSettings,
    team: Team,
) -> Fold:
    task = job.task
    counts, table, weights = held.counts_of_all(len(task.y)), dataset.take(kept.rows), kept.weights(task.weights)
    offset = job.initial.of_fit(job.X, task.y, task.weights, job.init_score, kept.rows)
    judges = task.with_weights(Weights(counts, task.weights.importance))
    held_out = _held_out_set(job, dataset, judges, held.rows, offset, HELD_OUT)
    target, begin = task.take(kept.rows).with_weights(weights), None
    if offset is not None:
        begin = np.ascontiguousarray(offset[:, kept.rows])
    first = job.initial.no_rounds(table, target, begin)
    return Fold(open_rounds(table, target, settings, team, first, offset=begin), [held_out], metrics, held.rows)


def _parts(
    job: BoostingJob, dataset: Any, plan: SearchPlan, seed: int, team: Team
) -> list[tuple[CountedRows, CountedRows]]:
    """(kept rows, held-out rows) of each fold, by groups, times or the contents of rows, never by their order."""
    task = job.task
    if job.order is not None:
        return parts_by_order(job.order, task.weights, seed, plan.n_folds, plan.kept_share, plan.held_share)
    if isinstance(dataset, ExactDataset):
        columns = [dataset.codes.column(j) for j in range(dataset.n_columns)]
        hashes = hashes_of_keys(seed, np.zeros(dataset.n_rows, np.uint32), *columns, task.y)
    else:
        hashes = hashes_of_keys(seed, dataset.row_keys(team), task.y)
    shares = plan.n_folds, plan.kept_share, plan.held_share
    return parts_by_content(hashes, task.y, task.weights, task.is_classes, *shares)


def _warn_if_neighbours_are_alike(job: BoostingJob, dataset: Any, settings: BoostingSettings, team: Team) -> None:
    """Warn if rows held out in stretches are predicted much worse than rows held out at random."""
    task = job.task
    counted = task.weights.rows()
    rows = np.arange(len(task.y)) if counted is None else counted
    if len(rows) < neighbouring_rows.FEWEST or hasattr(job.initial.init, "fit"):
        return
    split = neighbouring_rows.split_in_stretches(task.y, rows, settings.seed)
    if split is None:
        return
    counts, held = task.weights.counts, np.sort(np.append(split.held_out, split.between))
    parts = [CountedRows(some, None if counts is None else counts[some]) for some in (*split[:2], held)]
    short = replace(
        settings, n_rounds=neighbouring_rows.N_ROUNDS, learning_rate=neighbouring_rows.LEARNING_RATE, node_features=1.0
    )
    found = []
    for kept in parts[:2]:
        fold = _make_fold(job, dataset, [], kept, parts[2], short, team)
        try:
            for _ in range(short.n_rounds):
                fold.step()
        finally:
            fold.rounds.close()
        judged = fold.watch.sets[0]
        found.append(raw_losses(task.loss, judged.scores, judged.y, team))
    is_inside = np.isin(held, split.held_out)
    inside, between = (neighbouring_rows.LossPairs(*(one[where] for one in found)) for where in (is_inside, ~is_inside))
    if neighbouring_rows.is_worse(inside, between):
        warn_caller(
            f"Rows close together have similar targets: the loss is {inside.at_random.mean():.3g} on rows held out at "
            f"random, {inside.in_stretches.mean():.3g} on rows held out in stretches. If new rows come later, pass "
            "times= to fit (times='order' if the rows are in order); if they belong to new groups, pass groups=.",
            RowOrderWarning,
        )


def _tell(chosen: Chosen, plan: SearchPlan, found: SearchResult) -> None:
    """One line on standard error: what was chosen, and by what."""
    by = f"{plan.n_folds} folds" if plan.n_folds > 1 else f"{100 * plan.held_share:.0f} % of the rows held out"
    tried = len(next(iter(found.curve[HELD_OUT].values())))
    leaves = " of linear leaves" if found.settings.linear else ""
    sys.stderr.write(
        f"chosen: {chosen.n_rounds} rounds{leaves} at learning rate {chosen.learning_rate:.3g} "
        f"(by {by}: round {found.best} of {tried} was the best at {plan.learning_rate:.3g})\n"
    )
    sys.stderr.flush()

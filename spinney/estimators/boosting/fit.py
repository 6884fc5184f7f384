"""The fit of a boosted model: what `fit` is given, read and put in the order in which the rooms below want it.

In:  a table, a target, weights, raw scores to begin with, evaluation sets, parameters.
Out: a `Booster`, and the fitted attributes. No algorithm in here: see ensemble/boosting/rounds.py.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import _safe_indexing, check_array

from spinney._seed import repeated_seed
from spinney._warnings import warn_caller
from spinney.data.holdout import Part, hold_out, parts_by_content
from spinney.data.on_gpu import here, is_on_gpu
from spinney.data.reading import open_table, with_rows
from spinney.data.remote_table import closed_afterwards
from spinney.data.schema import Schema, learn_and_read, without_idle_categories
from spinney.data.tables import Table, TableHandle, with_sides
from spinney.data.weights import Weights, read_weights
from spinney.distributed.collections import fit_by, is_remote
from spinney.ensemble.cross_fitting import fit_one, in_order, takes_weights
from spinney.ensemble.metrics import Metric, find_metrics
from spinney.estimators.base import TableModel, all_or_nothing, read_sample_weight
from spinney.estimators.params import check_parameters
from spinney.estimators.settings import NO_LIMIT, count_columns, count_share, read_groups, read_monotone, share_of_rows
from spinney.evaluate.scoring import Scoring
from spinney.gpu import rounds_on, table_for, table_on_gpu

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
    from spinney.ensemble.boosting.history import History
    from spinney.ensemble.boosting.round_search import Chosen, Fold, Scores, SearchPlan
    from spinney.ensemble.boosting.scoring import EvalSet, Watch
    from spinney.ensemble.callbacks import EarlyStopping, Progress
    from spinney.ensemble.metrics import Metric


# ----------------------------------------------------------------------------------------------------------------------
# The parameters of a boosted model as the engine takes them.
#
# In: a model with its parameters, the schema of its table, the weights of its rows. Out: `BoostingSettings`.


_HESSIAN_IS_WEIGHT = ("squared_error", "absolute_error", "huber", "quantile")  # losses


def follows_table(model: Any) -> bool:
    """Whether the number of rounds is not given: what else is "auto" then follows the table, too."""
    return model.max_iter is None and isinstance(model.n_estimators, str)


def rounds_wanted(model: Any) -> int:
    """Rounds that the model is to have: `max_iter`, if it is given, else `n_estimators`; "auto": at most so many."""
    from spinney.ensemble.boosting.round_search import MOST_ROUNDS

    if follows_table(model):
        return MOST_ROUNDS
    return int(model.n_estimators if model.max_iter is None else model.max_iter)


def boosting_settings(model: Any, schema: Schema, seed: int, task: Task) -> BoostingSettings:
    """How to boost for this task."""
    from spinney.ensemble.boosting.booster import BoostingSettings
    from spinney.ensemble.boosting.round_search import CLASSIC_RATE, classic_size, tree_size

    weights, n = task.weights, schema.n_columns
    n_samples = weights.n_samples(len(task.y))
    size = tree_size(n_samples, n, _rarest(task, n_samples)) if follows_table(model) else classic_size(n_samples)
    min_count, min_hessian = _least_leaf(model, weights, n_samples, size.min_samples)
    return BoostingSettings(
        n_rounds=rounds_wanted(model),
        learning_rate=CLASSIC_RATE if model.learning_rate == "auto" else float(model.learning_rate),
        best_first=model.growth == "best_first",
        max_leaves=size.max_leaves if model.max_leaf_nodes == "auto" else model.max_leaf_nodes or NO_LIMIT,
        max_depth=model.max_depth or NO_LIMIT,
        min_count=min_count,
        min_hessian=min_hessian,
        min_gain=float(model.min_split_gain),
        min_split=share_of_rows(model.min_samples_split, n_samples),
        min_decrease=float(model.min_impurity_decrease),
        ccp_alpha=float(model.ccp_alpha),
        l1=float(model.l1_regularization),
        l2=float(model.l2_regularization),
        category_l2=float(model.category_l2),
        category_smoothing=float(model.category_smoothing),
        category_count=size.min_category if model.min_samples_category == "auto" else int(model.min_samples_category),
        subsample=float(model.subsample),
        tree_features=count_share(model.max_features_per_tree, n),
        node_features=size.column_share if model.max_features == "auto" else count_share(model.max_features, n),
        monotone=read_monotone(model.monotonic_cst, schema.names, schema.is_categorical),
        groups=read_groups(model.interaction_cst, schema.names, n),
        seed=seed,
        rounds=rounds_on(model.device),
    )


def _rarest(task: Task, n_samples: int) -> int:
    """Samples of the rarest class that there is; of numbers all."""
    if not task.is_classes:
        return n_samples
    samples = np.bincount(task.y.astype(np.int64), weights=task.weights.counts)
    return int(samples[samples > 0].min())


def _least_leaf(model: Any, weights: Weights, n_samples: int, auto: int) -> tuple[int, float]:
    """(samples, hessian) that a leaf must hold.

    A share of the weight is one of samples where weights are repetitions or there are none. The hessian of some losses
    is the weight itself, in units of its mean over the rows that count; of others the weight of a leaf is not known.
    """
    wanted = auto if model.min_samples_leaf == "auto" else share_of_rows(model.min_samples_leaf, n_samples)
    count, hessian = max(1, wanted), float(model.min_child_weight)
    share = float(model.min_weight_fraction_leaf)
    rows = weights.rows()
    n_counted = n_samples if rows is None else len(rows)
    if weights.importance is None:
        return max(count, math.ceil(share * n_samples)), hessian
    if model.loss in _HESSIAN_IS_WEIGHT:
        return count, max(hessian, share * n_counted)
    return max(count, math.ceil(share * n_counted)), hessian


# ----------------------------------------------------------------------------------------------------------------------
# What the fit of a boosted model is given, and what is said of it before the first round.


class Given(NamedTuple):
    """What `fit` was given."""

    X: Any  # as it came
    schema: Schema
    table: Table
    y: np.ndarray
    weights: Weights
    init_score: Any
    eval_set: Any
    eval_init_score: Any
    eval_metric: Any


def open_remote(model: Any, X: Any, y: Any, sample_weight: Any, init_score: Any) -> tuple[Any, Any, Any, Any]:
    """Dask collections: rows stay where they are, what is one number per row comes here."""
    from spinney.distributed.collections import vector_here
    from spinney.distributed.table import DaskTable

    if not is_remote(X):
        raise TypeError(
            "y, sample_weight or init_score is a dask collection, but X is not. Call .compute() on it first."
        )
    if hasattr(model.init, "fit"):
        raise ValueError(
            "init is an estimator, which needs local data, but X is a dask collection. Leave init out, or pass its "
            "predictions as init_score."
        )
    table = DaskTable(X)
    vectors = (("y", y), ("sample_weight", sample_weight), ("init_score", init_score))
    return table, *(vector_here(one, name) for name, one in vectors)


def one_eval_set(eval_set: Any, X: Any, y: Any, weight: Any) -> Any:
    """`eval_set`, or the one that scikit-learn's names stand for."""
    if isinstance(eval_set, list | dict) and not eval_set:
        eval_set = None
    if X is None and y is None:
        if weight is not None:
            raise ValueError("sample_weight_val was given without X_val and y_val. Pass all three.")
        return eval_set
    if X is None or y is None:
        raise ValueError("X_val and y_val must be given together.")
    if eval_set is not None:
        raise ValueError(
            "X_val, y_val and eval_set both give evaluation sets. Pass either X_val and y_val, or eval_set."
        )
    return X, y, weight


def refuse_monitor(monitor: Any) -> None:
    if monitor is not None:
        raise TypeError(
            "fit has no monitor. Use the parameter callbacks=[function]; the function gets a spinney.Round."
        )


def warn_if_no_split(n_rows: int, weights: Weights, least: int, has_categories: bool) -> None:
    n = weights.n_samples(n_rows)
    if n < 2 * least:
        which = "min_samples_leaf and min_samples_category" if has_categories else "min_samples_leaf"
        warn_caller(
            f"No tree can split: two leaves of min_samples_leaf={least} need {2 * least} samples, but there are {n}. "
            "The model predicts a constant"
            + (f". Set {which} to {max(1, n // 10)}, for example." if n > 1 else ": one sample cannot be split."),
        )


def warn_if_training_rows_decide(last: EvalSet, X: Any, dataset: Any, task: Task) -> None:
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


def counts_without(held: np.ndarray | None, weights: Weights, n_rows: int) -> np.ndarray | None:
    """How often rows count for the bins: those that are held out do not."""
    if held is None:
        return weights.counts
    counts = np.ones(n_rows, np.int64) if weights.counts is None else weights.counts.copy()
    counts[held] = 0
    return counts


# ----------------------------------------------------------------------------------------------------------------------
# Where boosting begins: raw scores of rows before the first tree, from the user or from an initial estimator.
#
# In:  `init_score` arrays, or an estimator and a table. Out: an offset, raw scores (outputs, rows), or None.


_LEAST = np.finfo(np.float64).eps  # probabilities of an initial estimator are kept this far from 0 and 1


def read_offset(given: Any, n_rows: int, n_outputs: int, name: str = "init_score") -> np.ndarray | None:
    """Raw scores (outputs, rows) from an array of shape (rows,) or (rows, outputs)."""
    if given is None:
        return None
    scores = check_array(here(given), ensure_2d=False, dtype=np.float64, input_name=name)
    if scores.ndim == 1 and n_outputs == 1:
        scores = scores[:, None]
    if scores.shape != (n_rows, n_outputs):
        right = f"({n_rows},)" if n_outputs == 1 else f"({n_rows}, {n_outputs})"
        raise ValueError(f"{name} must have one raw score per row and class, shape {right}, got {np.shape(given)}.")
    return np.ascontiguousarray(scores.T)


def read_eval_offsets(given: Any, names: list[str]) -> dict[str, Any]:
    """`eval_init_score` by the names of the sets: a list in their order, a dict, or an array for a single set."""
    if given is None:
        return dict.fromkeys(names)
    if isinstance(given, dict):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"eval_init_score has the key {unknown[0]!r}, but the evaluation sets are {names}.")
        return {name: given.get(name) for name in names}
    if isinstance(given, list | tuple) and len(given) == len(names) and all(np.ndim(one) > 0 for one in given):
        return dict(zip(names, given))
    if len(names) != 1:
        raise ValueError(f"eval_init_score must be a list of {len(names)} arrays, one per set of eval_set.")
    return {names[0]: given}


def table_of(X: Any) -> Any:
    """X as other models take it, and as rows can be taken from it."""
    if isinstance(X, TableHandle):
        X = X.original()
    return with_rows(X) if hasattr(X, "shape") else open_table(X).origin


def fit_init(init: Any, X: Any, labels: np.ndarray, weights: Weights, rows: np.ndarray | None) -> Any:
    """The initial estimator, fitted to some of the rows (None: all)."""
    weight = weights.total()
    if weight is not None and not takes_weights(init):
        raise ValueError(
            f"init estimator {type(init).__name__} does not support sample weights. Leave sample_weight out, or use "
            "another init."
        )
    params = {} if weight is None else {"sample_weight": weight}
    return fit_one(clone(init), table_of(X), labels, params, rows)


def raw_of_init(init: Any, X: Any, classes: np.ndarray | None, loss: Any, own_loss: Any) -> np.ndarray:
    """What a fitted initial estimator says of rows, as raw scores (outputs, rows)."""
    from spinney.criteria.losses import Exponential, has_log_link

    _check_link(own_loss)
    X = table_of(X)
    if classes is None:
        values = np.asarray(init.predict(X), np.float64).reshape(1, -1)
        return _log_of_means(values, type(init).__name__) if has_log_link(loss) else values
    shares = in_order(np.asarray(init.predict_proba(X), np.float64), init, "predict_proba", classes)
    shares = np.clip(shares, _LEAST, 1.0 - _LEAST)
    if len(classes) > 2:
        logs = _logs(shares.T)
        return logs - logs.mean(axis=0)
    odds = _logs(shares[:, 1] / (1.0 - shares[:, 1]))[None, :]
    return 0.5 * odds if isinstance(loss, Exponential) else odds


def raw_of_number(number: float, task: Task, own_loss: Any) -> np.ndarray:
    """The raw score (1,) that stands for a prediction: a value, or the probability of the second of two classes."""
    from spinney.criteria.losses import Exponential, has_log_link

    _check_link(own_loss)
    value = np.array([number])
    if not task.is_classes:
        return _log_of_means(value, f"{number:g}") if has_log_link(task.loss) else value
    if task.n_outputs > 1:
        raise ValueError(f"init={number:g} is a number, which needs two classes, but y has {task.n_outputs}.")
    odds = _logs(value / (1.0 - value))
    return 0.5 * odds if isinstance(task.loss, Exponential) else odds


def _check_link(own_loss: Any) -> None:
    if getattr(own_loss, "inverse_link", None) is not None:
        raise ValueError(
            "init cannot be an estimator or a number with a custom loss that has an inverse_link, because predictions "
            "cannot be converted to raw scores. Pass raw scores to fit and predict as init_score."
        )


def _log_of_means(values: np.ndarray, name: str) -> np.ndarray:
    if not (values > 0.0).all():
        raise ValueError(
            f"init={name} must predict positive values for a loss with a log link, got {values.min():.6g}. The raw "
            "scores are their logarithms."
        )
    return _logs(values)


def _logs(values: np.ndarray) -> np.ndarray:
    from spinney.criteria.exp_log import logs_of

    return logs_of(np.ascontiguousarray(values).ravel()).reshape(values.shape)


def constant_init(answer: np.ndarray, classes: np.ndarray | None) -> Any:
    """What a model without an initial estimator begins with, as scikit-learn shows it: a dummy estimator."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if classes is None:
        return DummyRegressor(strategy="constant", constant=float(answer[0])).fit([[0.0]], answer[:1])
    table = np.zeros((len(classes), 1))
    return DummyClassifier(strategy="prior").fit(table, classes, sample_weight=answer[0])


# ----------------------------------------------------------------------------------------------------------------------
# Scores of a boosted model's rounds: by scikit-learn's scorers while it is fitted, as scikit-learn's series after it.
#
# In: a model that is being fitted, its evaluation sets, the losses of its rounds. Out: a `Metric` that asks a scorer,
# `train_score_`, `validation_score_` and the out-of-bag series. Nothing here is known to the loop of boosting.


_SERIES = {"train_score_": "train", "oob_scores_": "oob", "oob_improvement_": "improvement"}


class ScorerMetric:
    """A scikit-learn scorer, or a function (model, X, y) -> float, as a metric of evaluation sets."""

    def __init__(self, model: Any, schema: Schema) -> None:
        self.scoring, self.model, self.schema = Scoring(model, model.scoring), model, schema
        name = str(self.scoring.title or getattr(model.scoring, "__name__", "score"))
        self.metric = Metric(name, None, True, self._score)

    @property
    def needs_rows(self) -> bool:
        """Whether the scorer looks at X itself."""
        return not self.scoring.only_predicts

    @property
    def scorer(self) -> Any:
        (one,) = self.scoring.scorers.values()
        return one

    def _score(self, one: EvalSet, booster: Callable[[], Booster]) -> float:
        stand_in = copy(self.model)
        if self.needs_rows:
            stand_in._booster = booster()
            stand_in._keep_schema(self.schema)
        plain = stand_in._raw

        def raw(X: Any, init_score: Any = None) -> np.ndarray:
            return one.scores if X is one.X else plain(X, init_score)

        stand_in._raw = raw  # the set's scores are known: no tree is asked again
        y = one.y
        if hasattr(self.model, "classes_"):
            y = self.model.classes_[y.astype(np.int64)]
        (value,) = self.scoring(stand_in, one.X, y, one.weights.total()).values()
        return value


def past_history(model: Any, n_rounds: int) -> History:
    """The series of the rounds that a warm start goes on from; those that are not known are NaN."""
    from spinney.ensemble.boosting.history import History

    series = []
    for name in _SERIES:
        known = list(getattr(model, name, ()))[:n_rounds]
        asked = name == "train_score_" or model.subsample < 1.0
        series.append(known + [float("nan")] * (n_rounds - len(known)) if asked else [])
    return History(*series)


def keep_history(model: Any, history: History | None, n_rounds: int) -> None:
    """Set `train_score_` and, where rounds drew rows, the out-of-bag series, of the rounds that the model has."""
    for name, key in _SERIES.items():
        values = [] if history is None else getattr(history, key)
        vars(model).pop(name, None)
        if values:
            setattr(model, name, np.array(values[:n_rounds]))
    vars(model).pop("oob_score_", None)
    if hasattr(model, "oob_scores_"):
        model.oob_score_ = float(model.oob_scores_[-1])


def validation_scores(metric: Metric, before: float, after: list[float]) -> np.ndarray:
    """One score before the first round and one after each; the higher the better, as scikit-learn has it.

    As there, the loss of squared error is halved.
    """
    scores = np.array([before, *after], np.float64)
    return scores if metric.greater_is_better else -scores / metric.factor


# ----------------------------------------------------------------------------------------------------------------------
# `n_estimators="auto"`: the number of rounds, chosen on rows held out, and the learning rate that goes with it.
#
# In: a model that is being fitted, its encoded table and task. Out: settings for the fit on all rows, and the curve
# that they were chosen by. What is tried follows from the table: see ensemble/boosting/round_search.py.


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
    from spinney.ensemble.boosting.round_search import (
        CLASSIC_ROUNDS,
        FLAT,
        advance,
        choose,
        in_time,
        plan_search,
        typical_losses,
    )
    from spinney.ensemble.callbacks import Progress

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
    from spinney.ensemble.boosting.round_search import CLASSIC_RATE, PATIENCE

    return math.ceil(PATIENCE * max(1.0, CLASSIC_RATE / plan.learning_rate))


def _make_folds(model: Any, search: Search, plan: SearchPlan, settings: BoostingSettings) -> list[Fold]:
    from spinney.ensemble.boosting.round_search import Fold
    from spinney.ensemble.boosting.rounds import open_rounds

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
    from spinney.data.dataset import ExactDataset
    from spinney.data.row_hash import hashes_of_keys

    task, weights = search.task, search.task.weights
    dataset = search.dataset
    if isinstance(dataset, ExactDataset):
        columns = [dataset.codes.column(j) for j in range(dataset.n_columns)]
        hashes = hashes_of_keys(seed, np.zeros(dataset.n_rows, np.uint32), *columns, task.y)
    else:
        hashes = hashes_of_keys(seed, dataset.row_keys(search.team), task.y)
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


PATIENCE = 10  # rounds that early stopping waits for, unless n_iter_no_change says otherwise
_BARE_TASKS: WeakKeyDictionary[Any, tuple[Any, Task]] = WeakKeyDictionary()
_MANY_ROWS = 10_000  # above which early_stopping="auto" stops early


class BoostingFit(TableModel):
    """A model that is fitted in rounds."""

    _booster: Booster
    _init: Any = None  # the initial estimator, fitted

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        eval_metric: Any = None,
        init_score: Any = None,
        eval_init_score: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        monitor: Any = None,
        client: Any = None,
    ) -> Any:
        """Fit the model.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection
            Input data. NumPy arrays and pandas, polars or Arrow tables may hold numbers, booleans, strings, categories
            and missing values. Also accepted: SciPy sparse matrices (unstored cells are zero), CuPy arrays and CUDA
            torch tensors (docs/gpu.md), dask DataFrames and Arrays, fitted on the cluster (docs/scaling.md), and
            `spinney.open_table`, which supplies `y` and `sample_weight` if they are not given. `y`, weights and
            evaluation sets accept the same types.
        y : array-like of shape (n_samples,), default=None
            Target: class labels, or numbers for regression.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows. Integers up to 127 count as repetitions of the row, exactly. Other weights are
            importances: they scale the gradient of the row and count relative to their mean.
        eval_set : (X, y), (X, y, weight), a list of such, or a dict from name to such, default=None
            Data to score after every round; see `evals_result_`. The last set decides early stopping, as in XGBoost.
        eval_metric : str, function, (name, function, greater_is_better), or a list of such, default=None
            Metrics of the evaluation sets. None is the training loss; docs/boosting.md lists the names. A function
            takes (y, prediction) and, if it has that parameter, sample_weight. For classes, the prediction is the
            matrix of probabilities. The first metric decides early stopping, unless `scoring` does.
        init_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Raw scores that the trees are added to, in place of a start value. They are on the scale of
            `decision_function`, or logarithms for losses with a log link (an offset such as log exposure). The model
            does not store them: pass the scores of new rows to `predict`.
        eval_init_score : array-like, list of such, or dict from name to such, default=None
            Raw scores that the trees are added to for the evaluation sets.
        X_val : array-like or DataFrame, default=None
            Input data of a single evaluation set, named as in scikit-learn.
        y_val : array-like, default=None
            Target of that evaluation set.
        sample_weight_val : array-like, default=None
            Weights of that evaluation set.
        monitor : None, default=None
            Not supported; use `callbacks`.
        client : distributed.Client, default=None
            Dask client that fits a dask collection. None is the current client.

        Returns
        -------
        self : object
            The fitted model.

        Examples
        --------
        >>> from spinney import GradientBoostingRegressor
        >>> from sklearn.datasets import make_regression
        >>> X, y = make_regression(400, random_state=0)
        >>> model = GradientBoostingRegressor(n_estimators=50, n_iter_no_change=5)
        >>> model = model.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]), eval_metric=["rmse", "mae"])
        >>> list(model.evals_result_["valid"])
        ['rmse', 'absolute_error']
        """
        if client is not None:
            all_others = {name: value for name, value in locals().items() if name not in ("self", "client")}
            return fit_by(client, self.fit, **all_others)
        check_parameters(self)
        y, sample_weight = with_sides(X, y, sample_weight)
        eval_set = one_eval_set(eval_set, X_val, y_val, sample_weight_val)
        refuse_monitor(monitor)
        if is_remote(X, y, sample_weight, init_score):
            X, y, sample_weight, init_score = open_remote(self, X, y, sample_weight, init_score)
        if is_on_gpu(X):
            X = table_on_gpu(self.device, X, self.max_bins is not None)
        clock = Clock(time.perf_counter(), self.time_budget)
        begun = self._booster if self.warm_start and hasattr(self, "_booster") else None
        if begun is not None and self._follows_table():
            raise ValueError(
                f"warm_start needs a number of rounds, got n_estimators='auto'. Set it to more than the "
                f"{begun.n_rounds} rounds already fitted."
            )
        with all_or_nothing(self), closed_afterwards(X):
            if begun is not None:
                schema, table = self._schema, self._read(X)
            else:
                schema, table = learn_and_read(X, self.categorical_features, type(self).__name__)
            y = self._read_target(y, table.n_rows, begun is not None)
            weights = self._read_weights(sample_weight, y, table.n_rows)
            if begun is None:
                schema, table = without_idle_categories(schema, table, weights)
            given = Given(X, schema, table, y, weights, init_score, eval_set, eval_init_score, eval_metric)
            with self._make_team("boosting", table.n_rows * table.n_columns) as team:
                self._fit(given, team, begun, clock)
        return self

    def _fit(self, given: Given, team: Team, begun: Booster | None, clock: Clock) -> None:
        from spinney.ensemble.boosting.rounds import train
        from spinney.ensemble.boosting.scoring import start_sets

        seed = repeated_seed(self.random_state) if begun is None else self._seed
        schema, n_rows = given.schema, given.table.n_rows
        stops = self._stops_early(n_rows)
        holds_out = stops and given.eval_set is None and self.validation_fraction is not None
        kept, held = self._hold_out(given.y, seed) if holds_out else (None, None)
        searches = self._follows_table() and not stops
        scorer = ScorerMetric(self, schema) if (stops or searches) and self.scoring != "loss" else None
        dataset, task = self._encode(given, held, team, begun)
        metrics = self._metrics(given.eval_metric, task, scorer)
        settings = self._settings(schema, seed, task if kept is None else task.take(kept))
        curve: Scores = {}
        if searches:
            settings, curve = search_rounds(self, Search(given, dataset, task, metrics, scorer, team, clock), settings)
        offset = self._offset_of_fit(given.X, given.y, given.weights, given.init_score, kept, begun is None)
        sets = self._eval_sets(given, dataset.bins, task.n_outputs, team)
        if stops and sets:
            warn_if_training_rows_decide(sets[-1], given.X, dataset, task)
        if kept is not None and held is not None:
            sets = [self._held_out_set(given, dataset, task, held, offset, scorer)]
            dataset, task = dataset.take(kept), task.take(kept)
            offset = None if offset is None else np.ascontiguousarray(offset[:, kept])
        elif stops and not sets:  # validation_fraction=None: by the training rows themselves
            sets = [self._training_set(given, dataset, task, offset, scorer)]
        first = begun or self._nothing_yet(dataset, task, offset)
        start_sets(sets, task, first)
        watch, stopping, progress = self._watchers(sets, metrics, task, team, stops, begun, settings.n_rounds, clock)
        before = self._score_before(watch, stopping, first, begun)
        history = past_history(self, first.n_rounds) if task.has_value else None
        warn_if_no_split(len(task.y), task.weights, settings.min_count, bool(schema.is_categorical.any()))
        try:
            booster = train(dataset, task, settings, team, _watch_both(history, watch), first, offset=offset)
        finally:
            if progress is not None:
                progress.close(watch.last)
        self._keep(schema, booster, stopping, watch.scores | curve, settings)
        keep_history(self, history, self.best_iteration_)
        self.do_early_stopping_, self.scorer_ = stops, None if scorer is None else scorer.scorer
        scores = [] if stopping is None else watch.scores[stopping.set_name][stopping.metric.name]
        self.validation_score_ = validation_scores(metrics[0], before, scores) if stopping else np.empty(0)

    def _encode(self, given: Given, held: np.ndarray | None, team: Team, begun: Booster | None) -> tuple[Any, Task]:
        """The table as codes, and what is to be learnt; rows that are held out have no part in the bins."""

        task = self._task(given.y, given.weights)
        if begun is not None and begun.bins is not None:
            return table_for(self.device, given.table).encode_dataset(begun.bins, team), task
        counts = counts_without(held, given.weights, len(given.y))
        max_bins = self.max_bins if begun is None else None
        table = given.table if max_bins is None else table_for(self.device, given.table)
        return table.open_dataset(given.schema.is_categorical, counts, max_bins, team), task

    def _watchers(
        self,
        sets: list[EvalSet],
        metrics: list[Metric],
        task: Task,
        team: Team,
        stops: bool,
        begun: Booster | None,
        n_rounds: int,
        clock: Clock,
    ) -> tuple[Watch, EarlyStopping | None, Progress | None]:
        """What is told of every round: the scores, and what they mean for early stopping and the progress bar."""
        from spinney.ensemble.boosting.scoring import Watch
        from spinney.ensemble.callbacks import EarlyStopping, Progress

        patience = PATIENCE if self.n_iter_no_change is None else self.n_iter_no_change
        stopping = EarlyStopping(sets[-1].name, metrics[0], patience, self.tol) if stops else None
        progress = Progress(every_round=self.verbose > 1) if self.verbose else None
        in_time = None if clock.budget is None else clock
        callbacks = [one for one in (progress, stopping, in_time, *self._callbacks()) if one is not None]
        watch = Watch(sets, metrics, callbacks, task, team)
        watch.n_rounds = n_rounds
        if begun is not None:
            if begun.n_rounds > watch.n_rounds:
                name = "n_estimators" if self.max_iter is None else "max_iter"
                raise ValueError(
                    f"{name}={watch.n_rounds} must be at least the {begun.n_rounds} rounds already fitted "
                    "when warm_start=True."
                )
            watch.go_on_from(self.evals_result_, begun.n_rounds)
            if stopping is not None:
                stopping.go_on_from(watch.scores, begun.n_rounds)
        return watch, stopping, progress

    def _hold_out(self, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows to train on and rows to stop by."""
        labels = y.astype(np.int64) if isinstance(self, ClassifierMixin) else None
        return hold_out(np.arange(len(y)), self.validation_fraction, seed, labels)

    def _keep(
        self, schema: Schema, booster: Booster, stopping: Any, scores: dict[str, Any], settings: BoostingSettings
    ) -> None:
        """Set the fitted attributes."""
        self.learning_rate_, self.max_leaf_nodes_ = settings.learning_rate, settings.max_leaves
        self.min_samples_leaf_ = settings.min_count
        self.n_iter_ = booster.n_rounds
        self.best_iteration_ = (stopping.best_round if stopping else 0) or booster.n_rounds
        self._booster = booster.cut(self.best_iteration_)
        self._keep_schema(schema)
        self._seed, self.evals_result_ = settings.seed, scores
        self.is_categorical_ = schema.is_categorical if schema.is_categorical.any() else None
        self.max_features_ = count_columns(settings.node_features, schema.n_columns)

    def _settings(self, schema: Schema, seed: int, task: Task) -> BoostingSettings:
        """How to boost for this task."""
        settings = boosting_settings(self, schema, seed, task)
        if self.learning_rate == "auto" and self.warm_start and hasattr(self, "learning_rate_"):
            return replace(settings, learning_rate=self.learning_rate_)
        return settings

    def _follows_table(self) -> bool:
        return follows_table(self)

    def _stops_early(self, n_rows: int) -> bool:
        if self.early_stopping is None:
            return self.n_iter_no_change is not None
        return n_rows > _MANY_ROWS if self.early_stopping == "auto" else bool(self.early_stopping)

    def _callbacks(self) -> list[Any]:
        if self.callbacks is None:
            return []
        callbacks = [self.callbacks] if callable(self.callbacks) else list(self.callbacks)
        for one in callbacks:
            if not callable(one):
                raise TypeError(f"callbacks must be functions that accept a Round, got {one!r}.")
        return callbacks

    def _metrics(self, eval_metric: Any, task: Task, scorer: ScorerMetric | None) -> list[Metric]:
        """What evaluation sets are scored by; the first one decides early stopping."""
        metrics = find_metrics(eval_metric, self._known_metrics(), self._loss_metric(task))
        if scorer is None:
            return metrics
        others = [] if eval_metric is None else [one for one in metrics if one.name != scorer.metric.name]
        return [scorer.metric, *others]

    # --- evaluation sets -------------------------------------------------------------------------------------------

    def _eval_sets(self, given: Given, bins: Any, n_outputs: int, team: Team) -> list[EvalSet]:
        """The tables to score after every round, encoded."""
        from spinney.ensemble.boosting.scoring import EvalSet, named_sets

        named, sets = named_sets(given.eval_set), []
        offsets = read_eval_offsets(given.eval_init_score, list(named)) if named else {}
        for name, (X, y, weight) in named.items():
            if is_remote(X, y, weight):
                X, y, weight, _ = open_remote(self, X, y, weight, None)
            rows = table_on_gpu(self.device, X, bins is not None) if is_on_gpu(X) else X
            table = given.schema.read(rows, type(self).__name__, strict=self._refuses_unknown())
            answers, weights = self._read_target(y, table.n_rows, True), read_weights(weight, table.n_rows)
            offset = self._offset(X, read_offset(offsets[name], table.n_rows, n_outputs, "eval_init_score"))
            scores = np.empty((n_outputs, table.n_rows))
            sets.append(EvalSet(name, table.encode(bins, team), answers, weights, scores, offset, X))
        return sets

    def _held_out_set(
        self,
        given: Given,
        dataset: Any,
        task: Task,
        held: np.ndarray,
        offset: np.ndarray | None,
        scorer: ScorerMetric | None,
        name: str = "valid",
    ) -> EvalSet:
        from spinney.ensemble.boosting.scoring import some_rows

        X = _safe_indexing(table_of(given.X), held) if scorer is not None and scorer.needs_rows else None
        return some_rows(name, dataset.codes, task, held, offset, X)

    def _training_set(
        self, given: Given, dataset: Any, task: Task, offset: np.ndarray | None, scorer: ScorerMetric | None
    ) -> EvalSet:
        from spinney.data.dataset import take_rows
        from spinney.ensemble.boosting.scoring import EvalSet

        scores = np.empty((task.n_outputs, dataset.n_rows))
        X = table_of(given.X) if scorer is not None and scorer.needs_rows else None
        return EvalSet("train", take_rows(dataset.codes, None), task.y, task.weights, scores, offset, X)

    def _score_before(
        self, watch: Watch, stopping: EarlyStopping | None, first: Booster, begun: Booster | None
    ) -> float:
        """The score that early stopping goes by, before the first round."""
        if stopping is None:
            return math.nan
        known = getattr(self, "validation_score_", np.empty(0))
        if begun is not None and len(known):
            return float(known[0] if stopping.metric.greater_is_better else -known[0] * stopping.metric.factor)
        return watch.score(stopping.metric, watch.sets[-1], lambda: first) if begun is None else math.nan

    def _read_weights(self, sample_weight: Any, y: np.ndarray, n_rows: int) -> Weights:
        return read_sample_weight(sample_weight, n_rows)

    # --- where it begins -------------------------------------------------------------------------------------------

    def _offset_of_fit(
        self, X: Any, y: np.ndarray, weights: Weights, init_score: Any, rows: np.ndarray | None, is_new: bool = True
    ) -> np.ndarray | None:
        """Raw scores that all rows begin with, by `init_score` or the initial estimator, fitted here to some rows."""
        offset = read_offset(init_score, len(y), self._n_outputs())
        if self.init is not None and self.init != "zero" and offset is not None:
            raise ValueError("init and init_score both set the start value. Pass only one of them.")
        if is_new:
            self._init = None
            if hasattr(self.init, "fit"):
                labels = self.classes_[y.astype(np.int64)] if isinstance(self, ClassifierMixin) else y
                self._init = fit_init(self.init, X, labels, weights, rows)
        return self._offset(X, offset)

    def _offset(self, X: Any, offset: np.ndarray | None) -> np.ndarray | None:
        """What rows begin with besides the start values: an offset, or what the initial estimator says, or both."""
        if self._init is None:
            return offset
        classes = self.classes_ if isinstance(self, ClassifierMixin) else None
        own = raw_of_init(self._init, X, classes, self._bare_task().loss, self.loss)
        return own if offset is None else own + offset

    def _nothing_yet(self, dataset: Any, task: Task, offset: np.ndarray | None) -> Booster:
        """The model of no rounds."""
        from spinney.ensemble.boosting.booster import Booster
        from spinney.ensemble.boosting.start import start_values
        from spinney.grow.boosting.freeze import no_trees

        if isinstance(self.init, Real):
            start = raw_of_number(float(self.init), task, self.loss)
        else:
            from_zero = offset is not None or isinstance(self.init, str)
            start = np.zeros(task.n_outputs) if from_zero else start_values(task)
        return Booster(start, no_trees(dataset.bins, dataset.n_columns))

    def _bare_task(self) -> Task:
        """The task without rows, for its loss; kept, since it takes longer to make than one row to predict."""
        key = tuple(getattr(self, name, None) for name in ("loss", "alpha", "quantile", "power", "n_classes_"))
        known = _BARE_TASKS.get(self)
        if known is None or known[0] != key or not isinstance(self.loss, str):
            known = _BARE_TASKS[self] = key, self._task(np.empty(0), Weights(None, None))
        return known[1]


def _watch_both(history: History | None, watch: Watch) -> Callable[..., bool]:
    if history is None:
        return watch

    def after(rounds: Any, new: Any) -> bool:
        history(rounds, new)
        return watch(rounds, new)

    return after

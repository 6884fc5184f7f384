"""The fit of a boosted model: what `fit` is given, read and put in the order in which the rooms below want it.

In:  a table, a target, weights, raw scores to begin with, evaluation sets, parameters.
Out: a `Booster`, and the fitted attributes. No algorithm in here: see ensemble/boosting.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import _safe_indexing

from spinney._seed import repeated_seed
from spinney.data.elsewhere import closed_afterwards
from spinney.data.holdout import hold_out
from spinney.data.on_gpu import is_on_gpu
from spinney.data.schema import Schema, learn_and_read, without_idle_categories
from spinney.data.weights import Weights, read_weights
from spinney.distributed.collections import fit_by, is_remote
from spinney.ensemble.metrics import Metric, find_metrics
from spinney.estimators.base import TableModel, all_or_nothing, read_sample_weight
from spinney.estimators.boosting_auto import Clock, Search, search_rounds
from spinney.estimators.boosting_given import (
    Given,
    counts_without,
    one_eval_set,
    open_remote,
    refuse_monitor,
    warn_if_no_split,
    warn_if_training_rows_decide,
)
from spinney.estimators.boosting_scores import ScorerMetric, keep_history, past_history, validation_scores
from spinney.estimators.boosting_settings import boosting_settings, follows_table
from spinney.estimators.boosting_start import (
    fit_init,
    raw_of_init,
    raw_of_number,
    read_eval_offsets,
    read_offset,
    table_of,
)
from spinney.estimators.params import check_parameters
from spinney.estimators.settings import count_columns
from spinney.estimators.streaming import with_sides
from spinney.gpu import table_for, table_on_gpu

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.ensemble.booster import Booster
    from spinney.ensemble.boosting_settings import BoostingSettings
    from spinney.ensemble.callbacks import EarlyStopping, Progress
    from spinney.ensemble.fold_rounds import Scores
    from spinney.ensemble.history import History
    from spinney.ensemble.scoring import EvalSet, Watch
    from spinney.ensemble.task import Task

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
        from spinney.ensemble.boosting import train
        from spinney.ensemble.scoring import start_sets

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
        from spinney.data.dataset import encode_dataset
        from spinney.data.exact import open_dataset

        task = self._task(given.y, given.weights)
        if begun is not None and begun.bins is not None:
            return encode_dataset(table_for(self.device, given.table), begun.bins, team), task
        counts = counts_without(held, given.weights, len(given.y))
        max_bins = self.max_bins if begun is None else None
        table = given.table if max_bins is None else table_for(self.device, given.table)
        return open_dataset(table, given.schema.is_categorical, counts, max_bins, team), task

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
        from spinney.ensemble.callbacks import EarlyStopping, Progress
        from spinney.ensemble.scoring import Watch

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
        from spinney.data.dataset import encode_table
        from spinney.ensemble.scoring import EvalSet, named_sets

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
            sets.append(EvalSet(name, encode_table(table, bins, team), answers, weights, scores, offset, X))
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
        from spinney.ensemble.scoring import some_rows

        X = _safe_indexing(table_of(given.X), held) if scorer is not None and scorer.needs_rows else None
        return some_rows(name, dataset.codes, task, held, offset, X)

    def _training_set(
        self, given: Given, dataset: Any, task: Task, offset: np.ndarray | None, scorer: ScorerMetric | None
    ) -> EvalSet:
        from spinney.data.dataset import take_rows
        from spinney.ensemble.scoring import EvalSet

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
        from spinney.ensemble.booster import Booster
        from spinney.ensemble.starting import start_values
        from spinney.grow.histogram.freeze import no_trees

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

"""The fit of boosted models: what `fit` accepts, translated into a `Job` (ensemble/boosting/fit.py), and what it keeps.

In:  a table, a target, weights, raw scores to begin with, evaluation sets, parameters.
Out: a `Booster`, and the fitted attributes. No algorithm in here: see ensemble/boosting/rounds.py.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_array

from spinney.data.holdout import RowOrder, read_order
from spinney.data.on_gpu import here, is_on_gpu
from spinney.data.remote_table import RemoteRows, is_remote
from spinney.data.schema import Schema
from spinney.data.tables import Table, with_sides
from spinney.data.target import read_training
from spinney.data.weights import read_sample_weight, read_weights
from spinney.distributed.collections import column_here, fit_by, vector_here
from spinney.ensemble.callbacks import Clock
from spinney.ensemble.metrics import Metric, find_metrics
from spinney.estimators.base import TableModel, opened_for_fit
from spinney.estimators.docstrings import documented
from spinney.estimators.params import (
    check_parameters,
    count_columns,
    count_share,
    read_groups,
    read_monotone,
    repeated_seed,
)
from spinney.estimators.streaming import known_arguments
from spinney.evaluate.scoring import Scoring
from spinney.gpu import rounds_on, table_for, table_on_gpu
from spinney.grow import NO_LIMIT

if TYPE_CHECKING:
    from spinney.ensemble.boosting.booster import Booster, BoostingSettings, Task
    from spinney.ensemble.boosting.fit import BoostingJob, EvalTable, Fitted, Stopping
    from spinney.ensemble.boosting.round_search import SizesWanted
    from spinney.ensemble.boosting.scoring import EvalSet
    from spinney.ensemble.boosting.start import InitialScores


# ----------------------------------------------------------------------------------------------------------------------
# Parameters: those of a boosted model as the engine takes them.
#
# In: a model with its parameters, the schema of its table. Out: `BoostingSettings`, and what is left to the table.


def follows_table(model: Any) -> bool:
    """Whether the number of rounds is not given: what else is "auto" then follows the table, too."""
    return model.max_iter is None and isinstance(model.n_estimators, str)


def rounds_wanted(model: Any) -> int:
    """Rounds that the model is to have: `max_iter`, if it is given, else `n_estimators`; "auto": at most so many."""
    from spinney.ensemble.boosting.round_search import MOST_ROUNDS

    if follows_table(model):
        return MOST_ROUNDS
    return int(model.n_estimators if model.max_iter is None else model.max_iter)


def boosting_settings(model: Any, schema: Schema, seed: int) -> BoostingSettings:
    """How to boost, but for what follows from the table."""
    from spinney.ensemble.boosting.booster import BoostingSettings
    from spinney.ensemble.boosting.round_search import CLASSIC_RATE

    rate = model.learning_rate
    if rate == "auto":
        rate = getattr(model, "learning_rate_", CLASSIC_RATE) if model.warm_start else CLASSIC_RATE
    return BoostingSettings(
        n_rounds=rounds_wanted(model),
        learning_rate=float(rate),
        best_first=model.growth == "best_first",
        max_depth=model.max_depth or NO_LIMIT,
        min_gain=float(model.min_split_gain),
        min_decrease=float(model.min_impurity_decrease),
        ccp_alpha=float(model.ccp_alpha),
        l1=float(model.l1_regularization),
        l2=float(model.l2_regularization),
        category_l2=float(model.category_l2),
        category_smoothing=float(model.category_smoothing),
        subsample=float(model.subsample),
        tree_features=count_share(model.max_features_per_tree, len(schema.columns)),
        monotone=read_monotone(model.monotonic_cst, schema),
        groups=read_groups(model.interaction_cst, schema),
        seed=seed,
        linear=model.leaves == "linear",
        extrapolate=bool(model.extrapolate),
        rounds=None if model.device == "cpu" else rounds_on(model.device),
    )


def sizes_wanted(model: Any, n_columns: int) -> SizesWanted:
    """How large trees are to be; None is "auto"."""
    from spinney.ensemble.boosting.round_search import SizesWanted

    leaves, columns = model.max_leaf_nodes, model.max_features
    return SizesWanted(
        follow_table=follows_table(model),
        max_leaves=None if leaves == "auto" else leaves or NO_LIMIT,
        min_samples_leaf=None if model.min_samples_leaf == "auto" else model.min_samples_leaf,
        min_samples_split=model.min_samples_split,
        min_weight_fraction=float(model.min_weight_fraction_leaf),
        min_hessian=float(model.min_child_weight),
        min_category=None if model.min_samples_category == "auto" else int(model.min_samples_category),
        column_share=None if columns == "auto" else count_share(columns, n_columns),
    )


# ----------------------------------------------------------------------------------------------------------------------
# Arguments: what `fit` accepts.


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


def read_offset(given: Any, n_rows: int, task: Task | Booster, name: str = "init_score") -> np.ndarray | None:
    """Raw scores (outputs, rows) from an array of shape (rows,) or (rows, outputs)."""
    if given is None:
        return None
    scores, n_outputs = check_array(here(given), ensure_2d=False, dtype=np.float64, input_name=name), task.n_outputs
    if scores.ndim == 1 and n_outputs == 1:
        scores = scores[:, None]
    if scores.shape != (n_rows, n_outputs):
        right = f"({n_rows},)" if n_outputs == 1 else f"({n_rows}, {n_outputs})"
        raise ValueError(f"{name} must have one raw score per row and class, shape {right}, got {np.shape(given)}.")
    return np.ascontiguousarray(scores.T)


def refuse_monitor(monitor: Any) -> None:
    if monitor is not None:
        raise TypeError(
            "fit has no monitor. Use the parameter callbacks=[function]; the function gets a spinney.Round."
        )


# ----------------------------------------------------------------------------------------------------------------------
# Scores of rounds: by scikit-learn's scorers during a fit, as scikit-learn's series after it.
#
# In: a model that is being fitted, its evaluation sets, the losses of its rounds. Out: a `Metric` that asks a scorer,
# `train_score_`, `validation_score_` and the out-of-bag series. Nothing here is known to the loop of boosting.


_SERIES = "train_score_", "oob_scores_", "oob_improvement_"


class ScorerMetric:
    """A scikit-learn scorer, or a function (model, X, y) -> float, as a metric of evaluation sets."""

    def __init__(self, model: Any, initial: InitialScores) -> None:
        self.scoring, self.model = Scoring(model, model.scoring), model
        self.initial = initial
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
        from spinney.ensemble.boosting.booster import Booster

        stand_in = copy(self.model)
        stand_in._init = self.initial.fitted
        stand_in._booster = Booster(np.empty(0), None, self.initial.loss)  # type: ignore[arg-type]
        if self.needs_rows:
            stand_in._booster = replace(booster(), loss=self.initial.loss)
        stand_in._known = one.X, one.scores  # no tree is asked again
        y = one.y
        if hasattr(self.model, "classes_"):
            y = self.model.classes_[y.astype(np.int64)]
        (value,) = self.scoring(stand_in, one.X, y, one.weights.total()).values()
        return value


def past_losses(model: Any, n_rounds: int) -> list[list[float]]:
    """The series of the rounds that a warm start goes on from; those that are not known are NaN."""
    series = []
    for name in _SERIES:
        known = list(getattr(model, name, ()))[:n_rounds]
        asked = name == "train_score_" or model.subsample < 1.0
        series.append(known + [float("nan")] * (n_rounds - len(known)) if asked else [])
    return series


def keep_losses(model: Any, series: Sequence[Sequence[float]], n_rounds: int) -> None:
    """Set `train_score_` and, where rounds drew rows, the out-of-bag series, of the rounds that the model has."""
    for name, values in zip(_SERIES, series):
        vars(model).pop(name, None)
        if values:
            setattr(model, name, np.array(values[:n_rounds]))
    vars(model).pop("oob_score_", None)
    if hasattr(model, "oob_scores_"):
        model.oob_score_ = float(model.oob_scores_[-1])


def validation_scores(metric: Metric, monitored: list[float]) -> np.ndarray:
    """One score before the first round and one after each; the higher the better, as scikit-learn has it.

    As there, the loss of squared error is halved.
    """
    scores = np.array(monitored, np.float64)
    return scores if metric.greater_is_better else -scores / metric.factor


class FitData(NamedTuple):
    """What `fit` was given, read."""

    X: Any  # as it came
    schema: Schema
    table: Table
    task: Task
    init_score: Any
    order: RowOrder | None


PATIENCE = 10  # rounds that early stopping waits for, unless n_iter_no_change says otherwise
_MANY_ROWS = 10_000  # above which early_stopping="auto" stops early


class BoostingFit(TableModel):
    """A model that is fitted in rounds."""

    _schema: Schema
    _booster: Booster
    _init: Any = None  # the initial estimator, fitted
    _known: tuple[Any, np.ndarray] | None = None  # rows whose raw scores are known: for scorers, during a fit
    _calibration: Any

    @known_arguments
    @documented()
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
        groups: Any = None,
        times: Any = None,
        gap: Any = None,
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
        groups : array-like of shape (n_samples,) or str, default=None
            Group of each row (patients, customers, days), or the name of a column of X. Whole groups are held out to
            choose the number of rounds and for early stopping: pass it if the model will predict new groups.
        times : array-like of shape (n_samples,) or str, default=None
            Time of each row (numbers or dates), or the name of a column of X; "order" is the order of the rows. The
            last rows are held out: pass it if the model will predict later rows. See docs/time-and-groups.md.
        gap : float, timedelta or str, default=None
            Time between training and held-out rows: rows within it are left out of the search. A number, or for dates
            a time span such as "7D".

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
        clock = Clock(time.perf_counter(), self.time_budget)
        if groups is not None or times is not None:
            groups, times = column_here(groups, X, "groups"), column_here(times, X, "times")
        with opened_for_fit(self, X, y, sample_weight, init_score) as (X, y, sample_weight, init_score):
            eval_set = one_eval_set(eval_set, X_val, y_val, sample_weight_val)
            refuse_monitor(monitor)
            begun = self._booster if self.warm_start and hasattr(self, "_booster") else None
            if begun is not None:
                self._check_more_rounds(begun.n_rounds)
            schema, table, task = self._read_task(X, y, sample_weight, begun is not None)
            order = None
            if not (groups is None and times is None and gap is None):
                order = read_order(groups, times, gap, X, table.n_rows)
            self._fit(
                FitData(X, schema, table, task, init_score, order), eval_set, eval_init_score, eval_metric, begun, clock
            )
        return self

    def _open_elsewhere(self, X: Any, y: Any, sample_weight: Any, init_score: Any) -> tuple[Any, Any, Any, Any]:
        """X in files, in a dask collection or on a GPU, and what belongs to its rows."""
        y, sample_weight = with_sides(X, y, sample_weight)
        if is_remote(X, y, sample_weight, init_score):
            return self._open_remote(X, y, sample_weight, init_score)
        return self._on_device(X, self.max_bins is not None), y, sample_weight, init_score

    def _open_remote(self, X: Any, *vectors: Any) -> tuple[Any, Any, Any, Any]:
        """Dask collections: rows stay where they are, what is one number per row comes here."""
        from spinney.distributed.table import DaskTable

        if not is_remote(X):
            raise TypeError(
                "y, sample_weight or init_score is a dask collection, but X is not. Call .compute() on it first."
            )
        if hasattr(self.init, "fit"):
            raise ValueError(
                "init is an estimator, which needs local data, but X is a dask collection. Leave init out, or pass "
                "its predictions as init_score."
            )
        table = DaskTable(X)
        y, weight, score = map(vector_here, vectors, ("y", "sample_weight", "init_score"))
        return table, y, weight, score

    def _on_device(self, X: Any, as_codes: bool) -> Any:
        """X; if it is on a GPU, in the form in which the fit takes it."""
        return table_on_gpu(self.device, X, as_codes) if is_on_gpu(X) else X

    def _fit(
        self,
        data: FitData,
        eval_set: Any,
        eval_init_score: Any,
        eval_metric: Any,
        begun: Booster | None,
        clock: Clock,
    ) -> None:
        from spinney.ensemble.boosting.fit import Begun, fit_booster

        stopping = self._stopping(data.table.n_rows)
        job = self._job(data, clock)
        exact = self._takes_exact(begun)
        searches = follows_table(self) and stopping is None
        self._check_quality(searches, data.table)
        scorer = None
        if (stopping is not None or searches) and self.scoring != "loss":
            self._keep_schema(data.schema)  # scorers ask the model about X
            scorer = ScorerMetric(self, job.initial)
        job = job._replace(
            table=data.table if exact or self.device == "cpu" else table_for(self.device, data.table),
            max_bins=None if exact else self.max_bins,
            eval_tables=self._eval_tables(data, eval_set, eval_init_score, not exact),
            needs_rows=scorer is not None and scorer.needs_rows,
            searches=searches,
            tries_lines=searches and self._tries_lines(data),
            stopping=stopping,
            past=past_losses(self, 0 if begun is None else begun.n_rounds),
            metrics=self._metrics(eval_metric, data.task, scorer),
        )
        if begun is not None:
            before = self._score_before(job.metrics[0])
            is_linear = begun.forest.is_linear or job.settings.linear
            settings = replace(job.settings, seed=self._seed, linear=is_linear)
            job = job._replace(begun=Begun(begun, self.evals_result_, before), settings=settings)
        with self._make_team("boosting", data.table.n_rows * data.table.n_columns) as team:
            fitted = fit_booster(job, team)
        self._init = job.initial.fitted
        self._keep(data.schema, fitted)
        if fitted.calibration is not None:
            self._calibration = fitted.calibration
        keep_losses(self, fitted.losses, self.best_iteration_)
        self.do_early_stopping_, self.scorer_ = stopping is not None, None if scorer is None else scorer.scorer
        monitored = fitted.monitored
        self.validation_score_ = np.empty(0) if monitored is None else validation_scores(job.metrics[0], monitored)

    def _takes_exact(self, begun: Booster | None) -> bool:
        """Whether thresholds are exact; where a model is continued, as they were."""
        if self.leaves == "linear" or (begun is not None and begun.forest.is_linear):
            return False
        return self.max_bins is None if begun is None else begun.bins is None

    def _check_leaves(self, data: FitData, begun: Booster | None) -> None:
        """Refuse what linear leaves cannot do."""
        was = None if begun is None or not begun.n_rounds else begun.forest.is_linear
        if was is not None and self.leaves != "auto" and was != (self.leaves == "linear"):
            raise ValueError(
                f"leaves={self.leaves!r} does not continue the previous fit, which has "
                f"{'linear' if was else 'constant'} leaves. Set warm_start=False, or leave `leaves` as it was."
            )
        problem = self._no_lines(data) if self.leaves == "linear" or was else ""
        if problem:
            raise ValueError(f"leaves='linear' {problem}, or leave leaves='constant'.")

    def _tries_lines(self, data: FitData) -> bool:
        """Whether the search for rounds is to say what leaves are like."""
        if self.leaves != "auto" or self._no_lines(data):
            return False
        return data.task.has_value and not data.schema.is_categorical.all()

    def _no_lines(self, data: FitData) -> str:
        """Why leaves cannot be linear, and a remedy; empty: they can."""
        from spinney.criteria.losses import kind_of

        table = data.table
        is_here = getattr(table, "has_values", False)  # not so of tables in files or on a cluster
        if self.extrapolate and self.monotonic_cst is not None:
            return "cannot extrapolate and keep monotonic_cst. Set extrapolate=False"
        if self.max_bins is None:
            return "needs bins, but max_bins is None. Set max_bins=255"
        if self.device != "cpu":
            return f"is fitted on the CPU only, but device is {self.device!r}. Set device='cpu'"
        if kind_of(data.task.loss).leaves_are_quantiles:
            return "needs a loss whose leaves are not quantiles. Use loss='huber' or 'squared_error', for example"
        if is_here and table.is_sparse:
            return "needs a dense table. Use X.toarray(); predictions accept sparse matrices"
        return "" if is_here else "needs a table in memory. Read the files into a data frame, or call compute()"

    def _job(self, data: FitData, clock: Clock) -> BoostingJob:
        """What the parameters say, without evaluation sets, metrics and early stopping."""
        from spinney.ensemble.boosting.fit import BoostingJob

        self._check_leaves(data, self._booster if self.warm_start and hasattr(self, "_booster") else None)
        schema, task = data.schema, data.task
        if self.init is not None and self.init != "zero" and data.init_score is not None:
            raise ValueError("init and init_score both set the start value. Pass only one of them.")
        return BoostingJob(
            X=data.X,
            table=data.table,
            is_categorical=schema.is_categorical,
            max_bins=self.max_bins,
            task=task,
            initial=self._initial(task.loss),
            init_score=read_offset(data.init_score, data.table.n_rows, task),
            order=data.order,
            eval_tables=[],
            metrics=[],
            needs_rows=False,
            settings=boosting_settings(self, schema, repeated_seed(self.random_state)),
            sizes=sizes_wanted(self, data.table.n_columns),
            learning_rate=None if self.learning_rate == "auto" else float(self.learning_rate),
            quality=int(self.quality),
            searches=False,
            tries_lines=False,
            stopping=None,
            begun=None,
            past=None,
            callbacks=self._callbacks(),
            clock=clock,
            verbose=int(self.verbose),
        )

    def _check_quality(self, searches: bool, table: Any) -> None:
        """Refuse levels that would have no effect, and what several members cannot do."""
        from spinney.ensemble.boosting.round_search import DEFAULT_LEVEL, LEVELS

        if self.quality != DEFAULT_LEVEL and not searches:
            raise ValueError(
                f"quality={self.quality} needs n_estimators='auto' without early stopping: it says how the rounds are "
                f"chosen. Leave quality={DEFAULT_LEVEL}, or do not set n_estimators, max_iter, early_stopping and "
                "n_iter_no_change."
            )
        if len(LEVELS[self.quality].shapes) > 1 and isinstance(table, RemoteRows):
            raise ValueError(
                f"quality={self.quality} fits several models at a time, which a dask cluster does not support. Set "
                f"quality={DEFAULT_LEVEL}, or call .compute() on X."
            )

    def _check_more_rounds(self, n_fitted: int) -> None:
        """A warm start needs a number of rounds that is at least that of the rounds fitted."""
        if follows_table(self):
            raise ValueError(
                f"warm_start needs a number of rounds, got n_estimators='auto'. Set it to more than the "
                f"{n_fitted} rounds already fitted."
            )
        if rounds_wanted(self) < n_fitted:
            name = "n_estimators" if self.max_iter is None else "max_iter"
            raise ValueError(
                f"{name}={rounds_wanted(self)} must be at least the {n_fitted} rounds already fitted "
                "when warm_start=True."
            )

    def _stopping(self, n_rows: int) -> Stopping | None:
        """Early stopping, if it is asked for."""
        from spinney.ensemble.boosting.fit import Stopping

        if self.early_stopping is None:
            stops = self.n_iter_no_change is not None
        else:
            stops = n_rows > _MANY_ROWS if self.early_stopping == "auto" else bool(self.early_stopping)
        patience = PATIENCE if self.n_iter_no_change is None else self.n_iter_no_change
        return Stopping(patience, self.tol, self.validation_fraction) if stops else None

    def _keep(self, schema: Schema, fitted: Fitted) -> None:
        """Set the fitted attributes."""
        settings = fitted.settings
        self.learning_rate_, self.max_leaf_nodes_ = settings.learning_rate, settings.max_leaves
        self.min_samples_leaf_ = settings.min_count
        self.n_iter_, self.best_iteration_ = fitted.n_rounds, fitted.best
        self._booster = fitted.booster
        self._keep_schema(schema)
        self._seed, self.evals_result_ = settings.seed, fitted.scores
        self.is_categorical_ = schema.is_categorical if schema.is_categorical.any() else None
        self.max_features_ = count_columns(settings.node_features, self.n_features_in_)

    def keep_rounds(self, schema: Schema, booster: Booster, settings: BoostingSettings, init: Any) -> None:
        """Become the model of rounds that were fitted apart, as of a fold, for internal use."""
        from spinney.ensemble.boosting.fit import Fitted

        n, self._init = booster.n_rounds, init
        self._keep(schema, Fitted(booster, n, n, replace(settings, n_rounds=n), {}, None))
        self.do_early_stopping_, self.scorer_, self.validation_score_ = False, None, np.empty(0)

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

    def _eval_tables(self, data: FitData, eval_set: Any, eval_init_score: Any, as_codes: bool) -> list[EvalTable]:
        """The data to score after every round."""
        if eval_set is None:
            return []
        from spinney.ensemble.boosting.fit import EvalTable
        from spinney.ensemble.boosting.scoring import named_sets

        named, tables = named_sets(eval_set), []
        offsets = read_eval_offsets(eval_init_score, list(named)) if named else {}
        for name, (X, y, weight) in named.items():
            if is_remote(X, y, weight):
                X, y, weight, _ = self._open_remote(X, y, weight, None)
            table = data.schema.read(self._on_device(X, as_codes), type(self).__name__, strict=self.refuses_unknown())
            target, weights = self._known_target(y, table.n_rows).numbers, read_weights(weight, table.n_rows)
            offset = read_offset(offsets[name], table.n_rows, data.task, "eval_init_score")
            tables.append(EvalTable(name, X, table, target, weights, offset))
        return tables

    def _score_before(self, metric: Metric) -> float:
        """The score of the model without rounds, which early stopping of the fit before has found; NaN: none."""
        known = getattr(self, "validation_score_", np.empty(0))
        if not len(known):
            return math.nan
        return float(known[0] if metric.greater_is_better else -known[0] * metric.factor)

    def _read_task(self, X: Any, y: Any, sample_weight: Any, is_begun: bool = False) -> tuple[Schema, Table, Task]:
        """The table with its columns, and the task; the columns and classes of a fit that goes on are known."""
        by_class = getattr(self, "class_weight", None)
        if is_begun:
            schema, table = self._schema, self._read(X)
            target = self._known_target(y, table.n_rows)
            labels = None if by_class is None else target.names
            weights = read_sample_weight(sample_weight, table.n_rows, by_class, labels, classes_repeat=False)
            return schema, table, self._task(target._replace(weights=weights))
        schema, table, target = read_training(
            self, X, y, sample_weight, class_weight=by_class, classes_repeat=False, one_output=True, two_classes=True
        )
        target.keep_classes(self)
        return schema, table, self._task(target)

    # --- initial scores --------------------------------------------------------------------------------------------

    def _initial(self, loss: Any) -> InitialScores:
        """What trees are added to, with the initial estimator if there is a fitted one."""
        from spinney.ensemble.boosting.start import InitialScores

        classes = self.classes_ if isinstance(self, ClassifierMixin) else None
        own_loss = None if isinstance(self.loss, str) else self.loss
        return InitialScores(self.init, loss, own_loss, classes, self._init)

    def read_job(
        self, X: Any, y: Any, sample_weight: Any, init_score: Any, eval_metric: Any
    ) -> tuple[Schema, BoostingJob]:
        """Read data as a fit does, and the parameters, for internal use: fits that are not `fit`, as of folds."""
        check_parameters(self)
        data = FitData(X, *self._read_task(X, y, sample_weight), init_score, None)
        job = self._job(data, Clock(time.perf_counter(), None))
        metrics = self._metrics(eval_metric, data.task, None)
        return data.schema, job._replace(metrics=metrics, searches=follows_table(self))

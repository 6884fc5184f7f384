"""What scikit-learn's cross-validation, searches and curves lack: tables opened once, weighted scores, progress, Dask.

In:  an estimator, data and the user's wishes. Out: a `Run`: what to pass to scikit-learn's tool, in whose context.
What is made of the scores is decided elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from difflib import get_close_matches
from functools import partial
from numbers import Integral
from typing import Any, cast

import numpy as np
from joblib import effective_n_jobs, parallel_config
from joblib.parallel import ThreadingBackend, get_active_backend
from sklearn import model_selection
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_consistent_length

from spinney._interruptible_threads import Crew
from spinney.data.on_gpu import here
from spinney.data.opened_table import OpenedTable, takes_opened_tables
from spinney.data.reading import with_rows
from spinney.data.remote_table import is_remote
from spinney.data.tables import is_streamed, with_sides
from spinney.data.weights import read_weights
from spinney.distributed.fits import Calls
from spinney.ensemble.callbacks import Progress, Round
from spinney.ensemble.cross_fitting import takes_weights, threads_each
from spinney.evaluate.scoring import ALONE, Scoring

_SMALL = 5_000  # rows of a shared table below which threads would mostly wait for each other in Python


class Run:
    """The arguments of one call of scikit-learn's tools."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        params: dict[str, Any] | None,
        cv: Any,
        groups: Any,
        scoring: Any,
        error_score: Any = np.nan,
    ) -> None:
        if not hasattr(estimator, "fit"):
            raise TypeError(f"estimator must be a model with a method fit, got {estimator!r:.80}.")
        if is_remote(X, y, sample_weight):
            raise TypeError(
                "cross-validation, searches and curves need data in memory, got dask collections. Pass .compute() of "
                "them; n_jobs='dask' distributes the fits over a cluster."
            )
        self.scoring = Scoring(estimator, scoring)
        X, y, sample_weight = with_rows(X), here(y), here(sample_weight)
        self.y, sample_weight = with_sides(X, y, sample_weight)
        self.shares = takes_opened_tables(estimator)
        if is_streamed(X) and not self.shares:
            X.refuse_values(type(estimator).__name__)
        check_consistent_length(X, self.y, sample_weight)
        self.params, weights, counts = dict(params or {}), None, None
        if sample_weight is not None:
            if not takes_weights(estimator):
                raise TypeError(f"sample_weight is not supported by {type(estimator).__name__}.fit. Leave it out.")
            weights = _check_sample_weight(sample_weight, np.empty((_num_samples(X), 0)), dtype=np.float64)
            self.params["sample_weight"] = weights
            counts = read_weights(weights, len(weights)).counts
        self.origin = X
        if isinstance(X, OpenedTable):
            rows = np.broadcast_to(np.float32(0), (len(X), 1))  # for splitters, which want rows and read none
            self.X: Any = cast(Any, X).with_counts(counts) if is_streamed(X) else X
        else:
            rows, self.X = X, OpenedTable(X, counts) if self.shares or weights is not None else X
        self.estimator = estimator if self.shares or weights is None else _OnRows(estimator)
        self.cv = Folds(cv, rows, self.y, groups, is_classifier(estimator))
        self.scores = _Scores(self.scoring, _by_row(weights, self.X), error_score)

    def of(self, rows: np.ndarray) -> Any:
        """Rows as the model of a fold reads them."""
        from sklearn.utils import _safe_indexing

        return _safe_indexing(self.X if self.shares else self.origin, rows)

    @contextmanager
    def running(
        self, n_jobs: Any, verbose: int, n_fits: int, unit: str = "fit", means: bool = False, with_train: bool = False
    ) -> Iterator[Any]:
        """Where scikit-learn's tool runs its fits, and the `n_jobs` for it; afterwards its models are the user's."""
        if verbose:
            self.scores.tell = _Teller(n_fits, verbose, unit, self.scoring.title if means else None, means, with_train)
        try:
            if wants_cluster(n_jobs):
                if is_streamed(self.X):
                    raise TypeError("n_jobs='dask' needs data in memory, but X was opened from files. Use n_jobs=None.")
                with closing(Calls((self.X, self.y))) as calls, parallel_config(_Workers(calls)):
                    yield -1
            elif not self.shares:
                yield n_jobs
            elif len(self.X) < _SMALL or effective_n_jobs(n_jobs) == 1:
                yield 1
            else:
                with parallel_config(_Threads(n_threads_of_a_job=threads_each(n_jobs, n_fits) or 1)):
                    yield n_jobs
        finally:
            if self.scores.tell is not None:
                self.scores.tell.close()
                self.scores.tell = None


def wants_cluster(n_jobs: Any) -> bool:
    """Whether fits go to a cluster: `n_jobs="dask"`, or joblib's backend "dask" is in use."""
    if isinstance(n_jobs, str):
        if n_jobs != "dask":
            raise ValueError(f"n_jobs must be a number, None or 'dask', got {n_jobs!r}.")
        return True
    return type(get_active_backend()[0]).__name__ == "DaskDistributedBackend"


def _by_row(weights: np.ndarray | None, X: Any) -> np.ndarray | None:
    """Weights by the row numbers of the whole table."""
    if weights is None or X.rows is None:
        return weights
    if len(np.unique(X.rows)) < len(X.rows):
        raise ValueError("sample_weight is not supported for rows that X repeats. Pass each row once.")
    found = np.zeros(X.rows.max() + 1)
    found[X.rows] = weights
    return found


class _Threads(ThreadingBackend):  # type: ignore[misc]
    """joblib's threads, but they end at Ctrl-C, and share the cores."""

    _pool: Crew | None

    def __init__(self, n_threads_of_a_job: int, **rest: Any) -> None:
        super().__init__(**rest)
        self._n_threads_of_a_job = n_threads_of_a_job

    def _get_pool(self) -> Crew:
        if self._pool is None:
            self._pool = Crew(self._n_jobs, self._n_threads_of_a_job)
        return self._pool


class _Workers(ThreadingBackend):  # type: ignore[misc]
    """joblib's jobs on the workers of a cluster; a thread here waits for each.

    joblib's own backend for Dask hangs or fails when a worker is lost.
    """

    supports_sharedmem = False
    _pool: Crew | None

    def __init__(self, calls: Calls, **rest: Any) -> None:
        super().__init__(**rest)
        self._calls = calls

    def effective_n_jobs(self, n_jobs: int) -> int:
        """How many jobs there are at a time; with one, joblib would do it here."""
        return max(2, self._calls.n_threads())

    def _get_pool(self) -> Crew:
        if self._pool is None:
            self._pool = Crew(self._n_jobs, 1)
        return self._pool

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Have a worker do the calls of a batch."""
        return super().submit(partial(self._calls.run, func.items), callback)

    def apply_async(self, func: Any, callback: Any = None) -> Any:
        """The same, as joblib called it before 1.5."""
        return super().apply_async(partial(self._calls.run, func.items), callback)


class _OnRows(BaseEstimator):  # type: ignore[misc]
    """A model of any library on rows of an opened table: their numbers are needed to weight scores."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __sklearn_clone__(self) -> _OnRows:
        return _OnRows(clone(self.model))

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.model)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return self.model.get_params(deep)  # type: ignore[no-any-return]

    def set_params(self, **params: Any) -> _OnRows:
        self.model.set_params(**params)
        return self

    def fit(self, X: OpenedTable, *y: Any, **params: Any) -> _OnRows:
        self.model.fit(X.original(), *y, **params)
        return self


def model_of(estimator: Any) -> Any:
    """The user's model."""
    return estimator.model if isinstance(estimator, _OnRows) else estimator


class _Scores:
    """A `scoring` for scikit-learn: weighted, and it tells how far the fits are."""

    def __init__(self, scoring: Scoring, weights: np.ndarray | None, error_score: Any) -> None:
        self.scoring, self.weights, self.error_score = scoring, weights, error_score
        self.tell: _Teller | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "tell": None}

    def __call__(self, model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """(scikit-learn's searches pass `sample_weight` from 1.8 on, its other tools do not.)"""
        if sample_weight is None and self.weights is not None and isinstance(X, OpenedTable):
            sample_weight = self.weights if X.rows is None else self.weights[X.rows]
        is_whole = isinstance(model, _OnRows) or not self.scoring.only_predicts
        if isinstance(X, OpenedTable) and is_whole and not is_streamed(X):
            X = X.original()
        found = self.scoring(model_of(model), X, y, sample_weight, self.error_score)
        if self.tell is not None:
            self.tell(found)
        return found[ALONE] if list(found) == [ALONE] else found


class _Teller:
    """The progress bar; scores of training rows are not counted."""

    def __init__(self, n_fits: int, verbose: int, unit: str, title: str | None, means: bool, with_train: bool) -> None:
        self.progress, self.begun = Progress(every_round=verbose > 1, unit=unit), time.perf_counter()
        self.n_fits, self.title, self.means, self.n_each = n_fits, title, means, 1 + with_train
        self.n_calls, self.sums = 0, {}  # type: ignore[var-annotated]
        self.info: Round | None = None

    def __call__(self, scores: dict[str, float]) -> None:
        self.n_calls += 1
        if self.n_calls % self.n_each:
            return
        n = self.n_calls // self.n_each
        for name, value in scores.items() if self.means and self.n_each == 1 else ():
            shown = (self.title or name) if name == ALONE else name
            self.sums[shown] = self.sums.get(shown, 0.0) + value
        means = {"mean": {name: [total / n] for name, total in self.sums.items()}} if self.sums else {}
        self.info = Round(n, self.n_fits, means, time.perf_counter() - self.begun)
        self.progress(self.info)

    def close(self) -> None:
        self.progress.close(self.info)


# ----------------------------------------------------------------------------------------------------------------------
# Folds: the rows that a model is fitted on, and the rows that it is scored on.
#
# In: the user's `cv`, the targets, perhaps groups. Out: row numbers. scikit-learn's splitters do the work.


_FOLDS = 5
NAMES = ("grouped", "kfold", "loo", "repeated", "stratified")


class Folds:
    """A splitter that knows its table and groups: scikit-learn's tools may be given a table opened once."""

    def __init__(self, cv: Any, X: Any, y: Any, groups: Any, classifier: bool) -> None:
        if groups is not None and _num_samples(groups) != _num_samples(X):
            raise ValueError(
                f"groups must have one value per row: got {_num_samples(groups)} for {_num_samples(X)} rows."
            )
        self.splitter = find_splitter(cv, y, groups, classifier)
        self._given = X, y, groups
        for name in {"shuffle", "random_state"} & vars(self.splitter).keys():  # by these, halving sees if folds change
            setattr(self, name, getattr(self.splitter, name))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return int(self.splitter.get_n_splits(*self._given))

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        rows = np.arange(_num_samples(self._given[0]))
        for train, test in self.splitter.split(*self._given):
            yield rows[train], rows[test]


def make_splits(cv: Any, X: Any, y: Any, groups: Any, classifier: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """All folds of a table: (rows to fit on, rows to score)."""
    return list(Folds(cv, X, y, groups, classifier).split())


def find_splitter(cv: Any, y: Any, groups: Any, classifier: bool) -> Any:
    """One of scikit-learn's splitters for a number of folds, a name, a splitter or an iterable of (train, test)."""
    stratified = classifier and y is not None and type_of_target(y) in ("binary", "multiclass")
    if isinstance(cv, str):
        return _by_name(cv, stratified)
    if cv is None or (isinstance(cv, Integral) and not isinstance(cv, bool)):
        n_folds = _FOLDS if cv is None else int(cv)  # type: ignore[call-overload]
        if groups is not None:
            return model_selection.GroupKFold(n_folds)
        return model_selection.StratifiedKFold(n_folds) if stratified else model_selection.KFold(n_folds)
    if hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, dict)):
        return model_selection.check_cv(cv, y, classifier=classifier)
    raise ValueError(
        f"cv must be a number of folds, one of {list(NAMES)}, a splitter of scikit-learn or an iterable of "
        f"(train, test) row numbers, got {cv!r}."
    )


def _by_name(name: str, stratified: bool) -> Any:
    if name == "stratified" and not stratified:
        raise ValueError("cv='stratified' is supported only for classification. Use cv='kfold'.")
    if name == "repeated":
        kind = model_selection.RepeatedStratifiedKFold if stratified else model_selection.RepeatedKFold
        return kind(n_splits=_FOLDS, n_repeats=10, random_state=0)
    if name == "loo":
        return model_selection.LeaveOneOut()
    if name in NAMES:
        kinds = {"kfold": "KFold", "stratified": "StratifiedKFold", "grouped": "GroupKFold"}
        return getattr(model_selection, kinds[name])(_FOLDS)
    near = get_close_matches(name.lower(), NAMES, 1, 0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"cv must be a number of folds, a splitter or one of {list(NAMES)}, got {name!r}.{hint}")

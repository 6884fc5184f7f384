"""Many fits on some of the rows of one table: the engine of cross-validation, searches and curves.

    sheet     the table (opened once if the model can share it), targets, weights and other arguments of fit
    job       a split, the rows to fit on if they are not all of its training rows, and parameters to set
    outcome   scores, times, perhaps the model and its predictions, or what went wrong

What is made of the outcomes is decided elsewhere.
"""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params, _check_sample_weight, _num_samples, check_consistent_length

from spinney._interruptible_threads import side_by_side
from spinney.data.on_gpu import here
from spinney.data.opened_table import OpenedTable
from spinney.data.reading import with_rows
from spinney.data.remote_table import is_remote
from spinney.data.tables import is_streamed, with_sides
from spinney.data.weights import read_weights
from spinney.distributed.fits import spread, wants_cluster
from spinney.ensemble.callbacks import Progress, Round
from spinney.ensemble.cross_fitting import takes_weights, threads_each
from spinney.evaluate.folds import Split
from spinney.evaluate.scoring import Scoring

_SMALL = 5_000  # rows of a shared table below which threads would mostly wait for each other in Python


class EvaluationData(NamedTuple):
    """Data that models are fitted and scored on."""

    X: Any  # as it came
    opened: OpenedTable | None  # the same, opened for models that can share it
    y: Any
    weights: np.ndarray | None
    params: dict[str, Any]  # other arguments of fit


class Job(NamedTuple):
    split: Split
    rows: np.ndarray | None = None  # to fit on; None: all that the split gives
    parameters: dict[str, Any] | None = None


class Wanted(NamedTuple):
    """What an outcome must contain."""

    scoring: Scoring
    train_score: bool = False
    model: bool = False
    method: str | None = None  # whose answers for the test rows are kept
    error_score: Any = np.nan  # a number, or "raise"


class Outcome(NamedTuple):
    test: dict[str, float]
    train: dict[str, float]
    fit_time: float
    score_time: float
    model: Any = None
    predictions: Any = None
    error: str | None = None


def make_sheet(estimator: Any, X: Any, y: Any, sample_weight: Any, params: dict[str, Any] | None) -> EvaluationData:
    """Check the lengths, and open the table if the estimator takes opened ones."""
    if not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a model with a method fit, got {estimator!r:.80}.")
    if is_remote(X, y, sample_weight):
        raise TypeError(
            "cross-validation, searches and curves need data in memory, got dask collections. Pass .compute() of them; "
            "n_jobs='dask' distributes the fits over a cluster."
        )
    X, y, sample_weight = with_rows(X), here(y), here(sample_weight)
    y, sample_weight = with_sides(X, y, sample_weight)
    shares = getattr(estimator, "_takes_opened_tables", False)
    if is_streamed(X) and not shares:
        X.refuse_values(type(estimator).__name__)
    check_consistent_length(X, y, sample_weight)
    weights, counts = None, None
    if sample_weight is not None:
        if not takes_weights(estimator):
            raise TypeError(f"sample_weight is not supported by {type(estimator).__name__}.fit. Leave it out.")
        weights = _check_sample_weight(sample_weight, np.empty((_num_samples(X), 0)), dtype=np.float64)
        counts = read_weights(weights, len(weights)).counts
    if is_streamed(X):
        stand_in = np.broadcast_to(np.float32(0), (len(X), 1))  # for splitters, which want rows and read none
        return EvaluationData(stand_in, X.with_counts(counts), y, weights, params or {})
    return EvaluationData(X, OpenedTable(X, counts) if shares else None, y, weights, params or {})


def run_jobs(
    estimator: Any,
    sheet: EvaluationData,
    jobs: Sequence[Job],
    wanted: Wanted,
    *,
    n_jobs: Any = None,
    verbose: int = 0,
    unit: str = "fold",
    tell: Callable[[Outcome], dict[str, Any]] | None = None,
) -> list[Outcome]:
    """Do all jobs, `n_jobs` at a time. `tell` receives every outcome and returns the progress bar's text."""
    _check_error_score(wanted.error_score)
    begun = time.perf_counter()
    progress = Progress(every_round=verbose > 1, unit=unit) if verbose else None
    outcomes: list[Outcome] = []
    info = None
    try:
        with closing(_do_all(estimator, sheet, jobs, wanted, n_jobs)) as done:
            for outcome in done:
                outcomes.append(outcome)
                if progress is not None:
                    scores = {} if tell is None else tell(outcome)
                    info = Round(len(outcomes), len(jobs), scores, time.perf_counter() - begun)
                    progress(info)
    finally:
        if progress is not None:
            progress.close(info)
    _report_failures(outcomes, wanted.error_score)
    return outcomes


def _do_all(
    estimator: Any, sheet: EvaluationData, jobs: Sequence[Job], wanted: Wanted, n_jobs: Any
) -> Generator[Outcome, None, None]:
    if wants_cluster(n_jobs):
        if is_streamed(sheet.opened):
            raise TypeError("n_jobs='dask' needs data in memory, but X was opened from files. Use n_jobs=None.")
        yield from _do_all_there(estimator, sheet, jobs, wanted)
        return
    if n_jobs is None or n_jobs == 1 or (sheet.opened is not None and len(sheet.opened) < _SMALL):
        yield from (_do(estimator, sheet, wanted, None, job) for job in jobs)
        return
    if sheet.opened is None:
        waiting = Parallel(n_jobs=n_jobs, return_as="generator")
        yield from waiting(delayed(_do)(estimator, sheet, wanted, None, job) for job in jobs)
        return
    work = partial(_do, estimator, sheet, wanted, threads_each(n_jobs, len(jobs)))
    yield from side_by_side(work, jobs, effective_n_jobs(n_jobs))


def _do_all_there(estimator: Any, sheet: EvaluationData, jobs: Sequence[Job], wanted: Wanted) -> Iterator[Outcome]:
    """On a cluster. Rows of folds are sent once, however many candidates they have."""
    pool: dict[int, Any] = {}
    for job in jobs:
        pool |= {id(job.split): job.split, id(job.rows): job.rows}
    numbers = {key: k for k, key in enumerate(pool)}
    calls = [(numbers[id(job.split)], numbers[id(job.rows)], job.parameters) for job in jobs]
    return spread(_do_there, (estimator, sheet, wanted, list(pool.values())), calls, "fold")


def _do_there(shared: tuple[Any, EvaluationData, Wanted, list[Any]], call: tuple[int, int, Any]) -> Outcome:
    """On a worker, whose threads have jobs of their own."""
    estimator, sheet, wanted, pool = shared
    split, rows, parameters = call
    n_threads = None if sheet.opened is None else 1
    return _do(estimator, sheet, wanted, n_threads, Job(pool[split], pool[rows], parameters))


def _do(estimator: Any, sheet: EvaluationData, wanted: Wanted, n_threads: int | None, job: Job) -> Outcome:
    """One fit and its scores. What goes wrong is kept for later unless it is to be raised at once."""
    times = [time.perf_counter()]
    try:
        model = with_parameters(estimator, job.parameters or {})
        _fit(model, sheet, job.split.train if job.rows is None else job.rows, n_threads)
        times.append(time.perf_counter())
        test, train = _judge(model, sheet, job, wanted)
        times.append(time.perf_counter())
        answers = None if wanted.method is None else getattr(model, wanted.method)(_rows(sheet, job.split.test))
        if wanted.method == "predict_proba":
            answers = answers, model.classes_
    except Exception:
        if isinstance(wanted.error_score, str):
            raise
        return _failed(wanted, times)
    return Outcome(test, train, times[1] - times[0], times[2] - times[1], model if wanted.model else None, answers)


def with_parameters(estimator: Any, parameters: dict[str, Any]) -> Any:
    """A clone with some parameters set, to copies: no candidate may change another's."""
    return clone(estimator).set_params(**{name: clone(value, safe=False) for name, value in parameters.items()})


def _failed(wanted: Wanted, times: list[float]) -> Outcome:
    times = [*times, time.perf_counter()]
    none = dict.fromkeys(wanted.scoring.names, float(wanted.error_score))
    fit, score = times[1] - times[0], times[2] - times[1] if len(times) > 2 else 0.0
    return Outcome(none, none if wanted.train_score else {}, fit, score, error=traceback.format_exc())


def _fit(model: Any, sheet: EvaluationData, rows: np.ndarray, n_threads: int | None) -> None:
    params = _check_method_params(sheet.X, params=sheet.params, indices=rows)
    if sheet.weights is not None:
        params["sample_weight"] = sheet.weights[rows]
    if sheet.opened is None:
        X, y = _safe_split(model, sheet.X, sheet.y, rows)
    else:
        X, y = sheet.opened.take(rows), _of_rows(sheet.y, rows)
    has_share = n_threads is not None and getattr(model, "n_jobs", 1) is None
    if has_share:
        model.set_params(n_jobs=n_threads)
    if y is None:
        model.fit(X, **params)
    else:
        model.fit(X, y, **params)
    if has_share:
        model.set_params(n_jobs=None)


def _of_rows(y: Any, rows: np.ndarray) -> Any:
    return y[rows] if type(y) is np.ndarray else _safe_indexing(y, rows)


def _rows(sheet: EvaluationData, rows: np.ndarray, original: bool = False) -> Any:
    if sheet.opened is None or (original and not is_streamed(sheet.opened)):
        return _safe_indexing(sheet.X, rows)
    return sheet.opened.take(rows)


def _judge(model: Any, sheet: EvaluationData, job: Job, wanted: Wanted) -> tuple[dict[str, float], dict[str, float]]:
    """Scores on the test rows and, on request, on the training rows."""
    fitted = job.split.train if job.rows is None else job.rows
    found = []
    for rows in (job.split.test, fitted) if wanted.train_score else (job.split.test,):
        if sheet.opened is None:
            X, y = _safe_split(model, sheet.X, sheet.y, rows, fitted)
        else:
            X, y = _rows(sheet, rows, not wanted.scoring.only_predicts), _of_rows(sheet.y, rows)
        weights = None if sheet.weights is None else sheet.weights[rows]
        found.append(wanted.scoring(model, X, y, weights, wanted.error_score))
    return found[0], found[1] if wanted.train_score else {}


def _check_error_score(error_score: Any) -> None:
    if isinstance(error_score, str) and error_score != "raise":
        raise ValueError(f"error_score must be a number or 'raise', got {error_score!r}.")


def _report_failures(outcomes: list[Outcome], error_score: Any) -> None:
    errors = Counter(one.error for one in outcomes if one.error is not None)
    if not errors:
        return
    n_failed, n_all = sum(errors.values()), len(outcomes)
    last = Counter()  # type: ignore[var-annotated]
    for text, n in errors.items():
        last[text.strip().splitlines()[-1]] += n
    reasons = "\n".join(f"  {n} x {reason}" for reason, n in last.most_common())
    if n_failed == n_all:
        text = errors.most_common(1)[0][0]
        raise ValueError(f"All {n_all} fits failed:\n{reasons}\nThe most common one, in full:\n{text}")
    warn(
        f"{n_failed} of {n_all} fits failed; their scores are {error_score}. error_score='raise' stops at the first.\n"
        f"{reasons}",
        FitFailedWarning,
        stacklevel=4,
    )

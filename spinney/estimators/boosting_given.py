"""What the fit of a boosted model is given, and what is said of it before the first round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spinney._warnings import warn_caller
from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.data.weights import Weights
from spinney.distributed.collections import is_remote

if TYPE_CHECKING:
    from spinney.ensemble.scoring import EvalSet
    from spinney.ensemble.task import Task


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
    from spinney.distributed.table import RemoteTable

    if not is_remote(X):
        raise TypeError(
            "y, sample_weight or init_score is a dask collection, but X is not. Call .compute() on it first."
        )
    if hasattr(model.init, "fit"):
        raise ValueError(
            "init is an estimator, which needs local data, but X is a dask collection. Leave init out, or pass its "
            "predictions as init_score."
        )
    table = RemoteTable(X)
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

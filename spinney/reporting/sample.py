"""Rows of a table with their target, and some of them.

In: what the user gave. Out: `Sample`: X such that rows can be taken from it, and vectors with one entry per row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from spinney.data.on_gpu import here
from spinney.data.reading import with_rows
from spinney.data.streamed import StreamedTable
from spinney.estimators.base import check_weights

_IN_MEMORY = 100_000  # rows that are taken from a table in files


@dataclass(frozen=True)
class Sample:
    """A table, its target, and what goes with them."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    groups: np.ndarray | None
    task: str  # classification, regression
    classes: np.ndarray | None
    n_all: int  # rows of the table, of which these may be some


def read_sample(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, seed: int = 0) -> Sample:
    """What was given, checked; of a table in files some rows, in memory."""
    name = type(model).__name__
    if not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"report takes a fitted classifier or regressor, got {name}.")
    task = "classification" if is_classifier(model) else "regression"
    opened = X if isinstance(X, StreamedTable) else None
    if opened is not None:
        y = opened.y if y is None else y
        sample_weight = opened.sample_weight if sample_weight is None else sample_weight
    if y is None:
        raise ValueError("report needs the target y beside the table X.")
    X, target = with_rows(X), np.asarray(here(y))
    if target.ndim == 2 and target.shape[1] == 1:
        target = target[:, 0]
    if target.ndim != 1:
        raise ValueError(f"report takes models of one target, got y of shape {target.shape}.")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != len(target):
        raise ValueError(f"X and y must have as many rows, got {n_rows} and {len(target)}.")
    grouped = None if groups is None else np.asarray(groups)
    if grouped is not None and len(grouped) != n_rows:
        raise ValueError(f"groups must have one entry per row, got {len(grouped)} for {n_rows} rows.")
    classes = None
    if task == "classification":
        classes = np.asarray(model.classes_)
        unknown = sorted(set(target.tolist()) - set(classes.tolist()), key=str)
        if unknown:
            raise ValueError(f"y has classes that the model does not know: {unknown[:5]!r}.")
    else:
        try:
            target = target.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"y must hold numbers for {name}, got {target.tolist()[0]!r}.") from None
        if not np.isfinite(target).all():
            raise ValueError("y must hold finite numbers.")
    sample = Sample(X, target, check_weights(sample_weight, n_rows), grouped, task, classes, n_rows)
    if opened is None:
        return sample
    sample = some_rows(sample, _IN_MEMORY, seed)
    return replace(sample, X=with_rows(sample.X.collect()))


def some_rows(sample: Sample, most: int, seed: int) -> Sample:
    """At most so many of the rows, drawn without replacement; in their order."""
    n = len(sample.y)
    if n <= most:
        return sample
    rows = np.sort(np.random.RandomState(seed).permutation(n)[:most])
    return replace(
        sample,
        X=rows_of(sample.X, rows),
        y=sample.y[rows],
        weight=None if sample.weight is None else sample.weight[rows],
        groups=None if sample.groups is None else sample.groups[rows],
    )


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Some rows of a table."""
    if isinstance(X, StreamedTable):
        return X.take(rows if X.rows is None else X.rows[rows])
    return _safe_indexing(X, rows)

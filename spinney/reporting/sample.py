"""Rows of a table with their target, and some of them.

In: what the user gave. Out: `Sample`: X such that rows can be taken from it, and vectors with one entry per row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from spinney.data.holdout import read_order
from spinney.data.on_gpu import here
from spinney.data.reading import with_rows
from spinney.data.tables import is_streamed, with_sides
from spinney.estimators.base import check_weights
from spinney.view.numbers import short, write_boolean

_IN_MEMORY = 100_000  # rows that are taken from a table in files


@dataclass(frozen=True)
class Sample:
    """A table, its target, and what goes with them."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    groups: np.ndarray | None
    times: np.ndarray | None
    task: str  # classification, regression
    classes: np.ndarray | None
    n_all: int  # rows of the table, of which these may be some
    names: np.ndarray  # what the rows are called: their labels, or their numbers from 1 on
    target: str = ""  # the target's name
    source: str = ""  # the table's, such as a file's name

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return [] if self.classes is None else [text_of(one) for one in self.classes.tolist()]


def read_sample(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    times: Any,
    seed: int = 0,
    target: str | None = None,
    source: str | None = None,
    row_names: Any = None,
) -> Sample:
    """What was given, checked; of a table in files some rows, in memory."""
    name = type(model).__name__
    if not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"report needs a fitted classifier or regressor, got {name}.")
    task = "classification" if is_classifier(model) else "regression"
    opened = X if is_streamed(X) else None
    y, sample_weight = with_sides(X, y, sample_weight)
    if y is None:
        raise ValueError("report needs the targets y. Pass report(model, X, y).")
    called = _row_names(X) if row_names is None else row_names
    if target is None:
        target = _name_of(y) if opened is None else str(opened.target_name or "")
    X, values = with_rows(X), np.asarray(here(y))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"report supports one target, got y of shape {values.shape}.")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != len(values):
        raise ValueError(f"X and y must have the same number of rows, got {n_rows} and {len(values)}.")
    names = np.arange(1, n_rows + 1) if called is None else np.asarray(called)
    order = read_order(groups, times, None, X, n_rows)
    grouped, timed = (None, None) if order is None else (order.groups, order.times)
    if len(names) != n_rows:
        raise ValueError(f"row_names must have one entry per row, got {len(names)} for {n_rows} rows.")
    classes = None
    if task == "classification":
        classes = np.asarray(model.classes_)
        unknown = sorted(set(values.tolist()) - set(classes.tolist()), key=str)
        if unknown:
            raise ValueError(f"y has classes that the model was not fitted on: {unknown[:5]!r}.")
    else:
        values = _numbers(values, name)
    weight = check_weights(sample_weight, n_rows)
    sample = Sample(X, values, weight, grouped, timed, task, classes, n_rows, names, target, source or "")
    if opened is None:
        return sample
    sample = some_rows(sample, _IN_MEMORY, seed)
    return replace(sample, X=with_rows(sample.X.collect()))


def _numbers(values: np.ndarray, name: str) -> np.ndarray:
    """The target of a regressor."""
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"y must hold numbers for {name}, got {values.tolist()[0]!r}.") from None
    if not np.isfinite(numbers).all():
        raise ValueError("y must hold finite numbers.")
    return numbers


def _name_of(y: Any) -> str:
    """The name of a Series, or of a frame's only column."""
    columns = getattr(y, "columns", None)
    name = columns[0] if columns is not None and len(columns) == 1 else getattr(y, "name", None)
    return "" if name is None or callable(name) else str(name)


def _row_names(X: Any) -> Any:
    """The labels of a pandas frame's rows; None where they do not tell rows apart, or are numbers from 0 on."""
    index: Any = getattr(X, "index", None)
    if type(index).__name__ == "RangeIndex" or not getattr(index, "is_unique", False):
        return None
    return [", ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in index.tolist()]


def text_of(value: Any) -> str:
    """A value of the table, or a class, as text.

    >>> text_of(True), text_of(0.25), text_of(float("nan")), text_of("a")
    ('true', '0.25', 'missing', 'a')
    """
    if isinstance(value, (bool, np.bool_)):
        return write_boolean(value)
    if isinstance(value, (int, float, np.number)):
        return "missing" if value != value else short(value)
    return "missing" if value is None else str(value)


def some_rows(sample: Sample, most: int, seed: int) -> Sample:
    """At most this many of the rows, sampled without replacement, in their order."""
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
        times=None if sample.times is None else sample.times[rows],
        names=sample.names[rows],
    )


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Some rows of a table."""
    return _safe_indexing(X, rows)

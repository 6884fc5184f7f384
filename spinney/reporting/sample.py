"""Rows of a table with their target, some of them, and what the columns hold.

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
from spinney.data.schema import Schema
from spinney.data.tables import Table, is_streamed, with_sides
from spinney.data.weights import check_weights
from spinney.reporting.charts import spark, whole_bins
from spinney.view.numbers import short, write_boolean
from spinney.view.phrases import column_names

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


# ----------------------------------------------------------------------------------------------------------------------
# The data section of the report: the contents of each column.
#
# In: a table. Out: for each column its name, kind, fraction missing, number of distinct values, values, and a tiny
# histogram.


_BINS, _WHOLE_BINS, _NAMED = 20, 40, 3


def describe_columns(schema: Schema, table: Table) -> list[dict[str, Any]]:
    """A row of the page's table for each column."""
    found = []
    for j, (name, column) in enumerate(zip(column_names(schema.columns), schema.columns)):
        values = np.asarray(table.column(j), np.float64)
        missing = np.isnan(values)
        known = values[~missing]
        gaps = share(missing.mean()) if missing.any() else ""
        one: dict[str, Any] = {"name": name, "missing": gaps, "distinct": len(np.unique(known))}
        if column.categories is not None:
            one |= _categories(known.astype(int), [text_of(value) for value in column.categories])
        else:
            one |= _numbers_of(known, "Boolean" if column.boolean else "number")
        found.append(one)
    return found


def _categories(known: np.ndarray, names: list[str]) -> dict[str, Any]:
    counts = np.bincount(known, minlength=len(names))
    order = np.argsort(-counts, kind="stable")
    listed = [f"{names[k]} {share(counts[k] / max(1, len(known)))}" for k in order[:_NAMED].tolist() if counts[k]]
    more = int((counts > 0).sum()) - len(listed)
    text = ", ".join(listed) + (f", {more} more" if more > 0 else "")
    return {"kind": "category", "holds": text, "spark": spark(counts[order][:_BINS].astype(float))}


def _numbers_of(known: np.ndarray, kind: str) -> dict[str, Any]:
    finite = known[np.isfinite(known)]
    if not len(finite):
        return {"kind": kind, "holds": "nothing", "spark": ""}
    low, middle, high = (short(value) for value in (finite.min(), np.median(finite), finite.max()))
    inner = np.quantile(finite, [0.005, 0.995])  # an outlier would leave one bar
    if (finite == np.round(finite)).all():
        inner = np.round(inner)
    kept = np.clip(finite, *inner)
    edges = whole_bins(kept, _WHOLE_BINS if np.ptp(kept) < _WHOLE_BINS else _BINS)
    counts = np.histogram(kept, bins=_BINS if edges is None else edges)[0]
    return {"kind": kind, "holds": f"{low} … {middle} … {high}", "spark": spark(counts.astype(float))}


def share(part: float) -> str:
    """A share in per cent.

    >>> share(0.5), share(0.0004)
    ('50 %', '<0.1 %')
    """
    if 0 < part < 0.001:
        return "<0.1 %"
    return f"{100 * part:.1f} %" if part < 0.1 else f"{100 * part:.0f} %"

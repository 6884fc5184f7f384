"""The data section of the report: the contents of each column.

In: a table. Out: for each column its name, kind, fraction missing, number of distinct values, values, and a tiny
histogram.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.reporting.charts import spark, whole_bins
from spinney.reporting.sample import text_of
from spinney.view.numbers import short
from spinney.view.phrases import column_names

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
            one |= _numbers(known, "Boolean" if column.boolean else "number")
        found.append(one)
    return found


def _categories(known: np.ndarray, names: list[str]) -> dict[str, Any]:
    counts = np.bincount(known, minlength=len(names))
    order = np.argsort(-counts, kind="stable")
    listed = [f"{names[k]} {share(counts[k] / max(1, len(known)))}" for k in order[:_NAMED].tolist() if counts[k]]
    more = int((counts > 0).sum()) - len(listed)
    text = ", ".join(listed) + (f", {more} more" if more > 0 else "")
    return {"kind": "category", "holds": text, "spark": spark(counts[order][:_BINS].astype(float))}


def _numbers(known: np.ndarray, kind: str) -> dict[str, Any]:
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

"""Functions that run on one partition, on the worker that has it. Each runs as a Dask task.

In:  a partition: a pandas DataFrame or a NumPy array. Out: what the client combines (schemas, sampled rows, category
counts), and codes, which stay on the worker.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.dataset import Dataset, make_layout
from spinney.data.encode import Bins
from spinney.data.schema import Schema
from spinney.data.sparse import is_sparse
from spinney.data.tables import Table


class Described(NamedTuple):
    """A partition's size and, if it has rows, its schema by itself."""

    n_rows: int
    schema: Schema | None


class Sampled(NamedTuple):
    """What bins are learnt from: some rows of the columns of numbers, and how often each category occurs."""

    panels: list[tuple[tuple[int, ...], np.ndarray]]  # (columns, values)
    frequencies: dict[int, np.ndarray]


def describe(part: Any, categorical_features: Any, owner: str) -> Described:
    """Size and schema of a partition."""
    _refuse_sparse(part, owner)
    if not len(part):
        return Described(0, None)
    return Described(len(part), Schema.learn(part, categorical_features, owner))


def count_rows(part: Any, owner: str) -> int:
    """Size of a partition."""
    _refuse_sparse(part, owner)
    return len(part)


def size_of(part: Any, owner: str) -> tuple[int, int]:
    """Rows and bytes of a partition."""
    _refuse_sparse(part, owner)
    n_bytes = part.memory_usage(index=False, deep=True).sum() if hasattr(part, "memory_usage") else part.nbytes
    return len(part), int(n_bytes)


def sample(part: Any, schema: Schema, owner: str, rows: np.ndarray | None, counts: np.ndarray | None) -> Sampled:
    """Some rows of a partition (None: all) for the edges of bins; categories are counted in all rows."""
    if not len(part):
        return Sampled([], {})
    table = schema.read(part, owner)
    panels, frequencies = [], {}
    for panel in table.panels:
        places = [k for k, j in enumerate(panel.columns) if not schema.is_categorical[j]]
        if places:
            values = panel.values if len(places) == len(panel.columns) else panel.values[:, places]
            panels.append((tuple(panel.columns[k] for k in places), values if rows is None else values[rows]))
    for j in np.flatnonzero(schema.is_categorical).tolist():
        frequencies[j] = _count_categories(table, j, len(schema.columns[j].categories or ()), counts)
    return Sampled(panels, frequencies)


def _count_categories(table: Table, column: int, n: int, counts: np.ndarray | None) -> np.ndarray:
    values = table.column(column)
    present = ~np.isnan(values)
    weights = None if counts is None else counts[present]
    return np.bincount(values[present].astype(np.int64), weights=weights, minlength=n).astype(np.int64)


def used_categories(
    part: Any, schema: Schema, owner: str, sizes: dict[int, int], rows: np.ndarray
) -> dict[int, np.ndarray]:
    """Which categories occur in some rows of a partition."""
    return schema.read(part, owner).used_categories(sizes, rows) if len(part) and len(rows) else {}


def encode(part: Any, schema: Schema, bins: Bins, owner: str, strict: bool) -> np.ndarray:
    """(columns, rows) uint8: the codes of a partition."""
    if not len(part):
        return np.empty((bins.n_columns, 0), np.uint8)
    with Team(1, inline=True) as alone:
        return schema.read(part, owner, strict=strict).codes(bins, alone)


def ends_of(part: Any, schema: Schema, owner: str, rows: np.ndarray | None) -> np.ndarray:
    """(2, columns): the least and the greatest finite value of some rows (None: all); infinite where there is none."""
    found = np.empty((2, schema.n_columns))
    found[0], found[1] = np.inf, -np.inf
    if not len(part):
        return found
    for panel in schema.read(part, owner).panels:
        values = panel.values if rows is None else panel.values[rows]
        is_finite = np.isfinite(values)
        found[0, list(panel.columns)] = np.where(is_finite, values, np.inf).min(axis=0, initial=np.inf)
        found[1, list(panel.columns)] = np.where(is_finite, values, -np.inf).max(axis=0, initial=-np.inf)
    return found


def find_missing(codes: np.ndarray, n_bins: np.ndarray) -> np.ndarray:
    """Which columns lack a value in any of a partition's rows."""
    return np.array([bool((column == missing).any()) for column, missing in zip(codes, n_bins)], bool)


def take_codes(codes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The codes of some rows of a partition."""
    return np.ascontiguousarray(codes[:, rows])


def keys_of_rows(codes: np.ndarray, bins: Bins) -> np.ndarray:
    """One hash per row of a partition, of its codes."""
    layout = make_layout(bins, np.zeros(bins.n_columns, bool))
    with Team(1, inline=True) as alone:
        return Dataset(codes.shape[1], bins, codes, layout).row_keys(alone)


def _refuse_sparse(part: Any, owner: str) -> None:
    if is_sparse(part):
        raise TypeError(
            f"The chunks of X are sparse, and {owner} supports sparse data only on one machine. Convert "
            "them to arrays with map_blocks, or pass a SciPy matrix."
        )

"""Columns and weights as the classic trees read them.

In: a `Table`, its `Schema`, and weights. Out: `MultiwayColumns`, where a category is its index, a number its rank among
the distinct numbers of its column, and missing is -1; and the weight of each row in units (see
criteria/information.py). Rows without weight are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.criteria.fixed_point import exact_sum
from spinney.criteria.information import ROW
from spinney.data.reading import as_frame
from spinney.data.schema import Schema, learn_and_read
from spinney.data.tables import Table
from spinney.data.weights import Weights

# ----------------------------------------------------------------------------------------------------------------------
# Tables of categories alone, as ID3 needs them.
#
# Strings, category dtypes and named columns are what `data/schema.py` says. Some numbers pass for codes of categories:
#
# - in a frame, whose columns have dtypes of their own: Booleans and whole numbers from 0 to 31; - in an array, which
# has one dtype for all and can hold categories as numbers only: columns of at most 32 distinct
#   values.
#
# Any other column of numbers is an error that says what to do.


MOST_CODES = 32


def learn_categories(X: Any, categorical_features: Any, owner: str) -> tuple[Schema, Table]:
    """Like `learn_and_read`, but without numbers."""
    schema, table = learn_and_read(X, categorical_features, owner)
    numbers = np.flatnonzero(~schema.is_categorical)
    if len(numbers) == 0:
        return schema, table
    find_reason = _not_codes if as_frame(X) is not None else _too_many
    for index in numbers.tolist():
        values = table.column(index)
        if reason := find_reason(values[~np.isnan(values)]):
            raise ValueError(
                f"Column {schema.columns[index].name or str(index)!r} holds {reason}, but {owner} accepts only "
                "categories. Bin it (pandas.cut, or scikit-learn's KBinsDiscretizer(encode='ordinal')), name it in "
                "categorical_features to make a category of each value, or use C45Classifier, which splits "
                "numbers."
            )
    return learn_and_read(X, np.arange(schema.n_columns), owner)


def _not_codes(values: np.ndarray) -> str:
    """Why a column of a frame is no codes of categories; empty if it is."""
    strange = ~((values >= 0) & (values < MOST_CODES) & (values == np.floor(values)))
    return f"numbers such as {values[strange][0]:g}" if strange.any() else ""


def _too_many(values: np.ndarray) -> str:
    """Why a column of an array is no categories; empty if it is."""
    n_distinct = len(np.unique(values))
    return f"{n_distinct} different numbers" if n_distinct > MOST_CODES else ""


MISSING = -1


class MultiwayColumns(NamedTuple):
    """The table, as kernels see it.  # in"""

    codes: np.ndarray  # int32 (columns, rows)
    n_values: np.ndarray  # int64 (columns): categories of the schema, or distinct numbers
    is_number: np.ndarray  # uint8 (columns)
    numbers: np.ndarray  # float64: the distinct numbers of each column, ascending, end to end
    first_number: np.ndarray  # int64 (columns)

    @property
    def most_branches(self) -> int:
        """How many children a node can have."""
        categories = self.n_values[self.is_number == 0]
        return max(2, int(categories.max(initial=0)))

    def take(self, rows: np.ndarray | None) -> MultiwayColumns:
        """The same of some rows, or of all; numbers keep their ranks."""
        return self if rows is None else self._replace(codes=np.ascontiguousarray(self.codes[:, rows]))

    def n_present(self) -> np.ndarray:
        """How many categories each column has among these rows; 0 for numbers."""
        return np.array([_n_distinct(c) if not n else 0 for c, n in zip(self.codes, self.is_number, strict=True)])


def read_columns(table: Table, schema: Schema, kept: np.ndarray | None) -> MultiwayColumns:
    """Encode the kept rows of a table; None keeps all."""
    n_rows = table.n_rows if kept is None else len(kept)
    codes = np.empty((table.n_columns, n_rows), np.int32)
    numbers: list[np.ndarray] = []
    for index, column in enumerate(schema.columns):
        values = np.ascontiguousarray(table.column(index) if kept is None else table.column(index)[kept])
        if column.categories is None:
            numbers.append(_rank(values, codes[index]))
        else:
            numbers.append(np.empty(0))
            codes[index] = np.nan_to_num(values, nan=MISSING)
    n_categories = np.array([len(column.categories or ()) for column in schema.columns], np.int64)
    n_numbers = np.array([len(distinct) for distinct in numbers], np.int64)
    return MultiwayColumns(
        codes=codes,
        n_values=n_categories + n_numbers,
        is_number=(~schema.is_categorical).astype(np.uint8),
        numbers=np.concatenate([*numbers, np.zeros(1)]),
        first_number=np.cumsum(n_numbers) - n_numbers,
    )


def _rank(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Write each value's rank to `codes` (MISSING for NaN); return the distinct values."""
    known = ~np.isnan(values)
    codes[:] = MISSING
    distinct, codes[known] = np.unique(values[known], return_inverse=True)
    return distinct.astype(np.float64)


def _n_distinct(codes: np.ndarray) -> int:
    return int(np.count_nonzero(np.bincount(codes + 1)[1:]))


def read_units(weights: Weights | np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray | None]:
    """(units of the rows that have any, which rows those are; None for all).

    Whole-number weights are repetitions. Other weights are made to weigh one row each on average: only their
    proportions matter, and `min_samples_leaf` and the pruning go on counting rows. An array is units already.
    """
    if isinstance(weights, np.ndarray):
        units = weights
    elif weights.importance is not None:
        share = weights.importance / weights.importance.max()
        total = exact_sum(share, Weights(None, None))[0]
        units = np.rint(share * (ROW * (np.count_nonzero(share) / total))).astype(np.int64)
    elif weights.counts is not None:
        units = weights.counts * ROW
    else:
        return np.full(n_rows, ROW, np.int64), None
    kept = np.flatnonzero(units)
    return (units, None) if len(kept) == n_rows else (units[kept], kept)

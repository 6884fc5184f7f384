"""A fast way to read single rows: a dict, a Series, a sequence of values, a frame of one row, a list of dicts.

In: a schema and a row, or several. Out: a `Table` of numbers and the categories' indices in one block, or None if a
value is unusual (a date, a decimal, a string among numbers). The caller then reads the row as a table, which handles it
or raises the error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.tables import Panel, Table

if TYPE_CHECKING:
    from spinney.data.schema import Schema, SchemaColumn

_EXACT = 2.0**53  # float64 holds every integer below
_NUMBERS = (float, int, np.floating, np.integer, np.bool_)  # bool is an int


def row_of_frame(schema: Schema, X: Any, strict: bool = False) -> Table | None:
    """A pandas or polars frame of one row, with the schema's names in its order; see `table_of_row`."""
    names = schema.names
    if names is None:
        return None
    library = type(X).__module__.partition(".")[0]
    if library == "polars" and type(X).__name__ == "DataFrame" and X.height == 1:
        return table_of_row(schema, X.row(0), strict) if X.columns == names.tolist() else None
    if library == "pandas" and type(X).__name__ == "DataFrame" and len(X) == 1:
        if len(X.columns) != len(names) or not X.columns.equals(schema.pandas_index):
            return None
        values = _values_in_pandas(X)
        return None if values is None else table_of_row(schema, values, strict)
    return None


def _values_in_pandas(X: Any) -> list[Any] | None:
    """pandas finds one type for all values of a row. None where it has none: Arrow's numbers do not round."""
    try:
        values: list[Any] = X.iloc[0].tolist()
    except (OverflowError, ValueError):
        return None
    return values


def table_of_row(schema: Schema, values: Sequence[Any], strict: bool = False) -> Table | None:
    """Values in the order of the columns; None also for an unknown category if `strict`."""
    row = np.empty((1, len(values)))
    return _table(row) if _fill(row[0], schema, values, strict) else None


def table_of_rows(schema: Schema, rows: Sequence[Sequence[Any]], strict: bool = False) -> Table | None:
    """The same of several rows."""
    block = np.empty((len(rows), schema.n_columns))
    return _table(block) if all(_fill(cells, schema, values, strict) for cells, values in zip(block, rows)) else None


def _table(block: np.ndarray) -> Table:
    n_rows, n_columns = block.shape
    return Table(n_rows, n_columns, (Panel(block, tuple(range(n_columns))),))


def _fill(cells: np.ndarray, schema: Schema, values: Sequence[Any], strict: bool) -> bool:
    """Write the values of a row as numbers; False if one is not an ordinary one."""
    for j, (column, value) in enumerate(zip(schema.columns, values)):
        if column.categories is None:
            if isinstance(value, _NUMBERS):
                cells[j] = value
            elif value is None:
                cells[j] = math.nan
            else:
                return False
        else:
            number = _category(column, value)
            if number is None or (strict and number != number and value == value and value is not None):
                return False
            cells[j] = number
    return True


def _category(column: SchemaColumn, value: Any) -> float | None:
    """The number of a category; NaN for missing and unknown ones; None if it is not clear what it is."""
    if isinstance(value, str):
        known = column.index_of.get(value)
        if known is not None:
            return known
        return math.nan if column.categories and isinstance(column.categories[0], str) else None
    if value is None or (isinstance(value, float) and value != value):
        return math.nan
    if not isinstance(value, _NUMBERS) or not column.categories or isinstance(column.categories[0], str):
        return None
    if isinstance(value, float | np.floating) and abs(float(value)) >= _EXACT:
        return None  # it may be an integer that pandas has rounded
    return column.index_of.get(value.item() if isinstance(value, np.generic) else value, math.nan)


def is_table(row: Any) -> bool:
    """Whether it has rows of its own."""
    return getattr(row, "ndim", 1) == 2 or (hasattr(row, "columns") and not isinstance(row, Mapping))


def is_records(X: Any) -> bool:
    """Whether X is a list of dicts, as a web service gets rows."""
    return isinstance(X, list) and bool(X) and isinstance(X[0], Mapping)


def values_of_records(schema: Schema, records: Sequence[Any]) -> list[Sequence[Any]]:
    """The values of every row of a list of dicts; an error says which row is wrong."""
    rows = []
    for number, record in enumerate(records):
        try:
            rows.append(values_of_row(schema, record))
        except (TypeError, ValueError) as error:
            raise type(error)(f"Row {number} of X: {error}") from None
    return rows


def values_of_row(schema: Schema, row: Any) -> Sequence[Any]:
    """The values of a dict, a Series or a sequence, in the order of the columns."""
    if isinstance(row, Mapping):
        return _by_name(schema, row)
    if isinstance(row, str) or not hasattr(row, "__len__") or getattr(row, "ndim", 1) != 1 or is_table(row):
        said = f"a table ({type(row).__name__})" if is_table(row) else f"{row!r:.80}"
        raise TypeError(f"row must be a dict, a Series or a sequence of {schema.n_columns} values, got {said}.")
    if hasattr(row, "index") and hasattr(row, "to_dict"):
        return _by_name(schema, row.to_dict())
    values = row.tolist() if isinstance(row, np.ndarray) else list(row)
    if len(values) != schema.n_columns:
        raise ValueError(f"row has {len(values)} values, but the model is expecting {schema.n_columns}.")
    return values


def _by_name(schema: Schema, row: Mapping[Any, Any]) -> list[Any]:
    names = range(schema.n_columns) if schema.names is None else schema.names
    try:
        return [row[name] for name in names]
    except KeyError as error:
        name, known = error.args[0], f"{list(row)!r:.200}"
        raise ValueError(
            f"row has no value for column {name!r}; it has {known}. Give missing ones as None or nan."
        ) from None

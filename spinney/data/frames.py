"""Columns of frames (pandas, polars, Arrow and others that narwhals supports): numbers or labels."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series

from spinney.data.objects import factorize, label, read_objects, refuse
from spinney.data.tables import Labels, Numbers


def read_series(series: Series, where: str) -> Numbers | Labels:
    """Read one column of a frame by its dtype; only columns of objects are judged by their values."""
    dtype = series.dtype
    # Objects first: narwhals judges these by their first rows alone, and may call them strings.
    if getattr(series.to_native(), "dtype", None) == np.dtype(object):
        return read_objects(series.to_list(), where)
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _series_numbers(series)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        codes, present, values = _dictionary(series)
        return label(codes, present, values, where)
    if dtype in (nw.Object, nw.Unknown):
        return _read_unknown(series, where)
    refuse(where, dtype)


def _series_numbers(series: Series) -> Numbers:
    dtype = series.dtype
    if dtype.is_float():
        return Numbers(series.to_numpy())  # nulls come out as NaN
    if dtype.is_decimal():  # by way of text: not all libraries find the nearest float otherwise
        return Numbers(series.cast(nw.String).cast(nw.Float64).to_numpy())
    if dtype in (nw.Int128, nw.UInt128):
        return Numbers(series.cast(nw.Float64).to_numpy())
    missing = None
    if series.null_count():
        missing = series.is_null().to_numpy().astype(bool)
        series = series.fill_null(False if dtype == nw.Boolean else 0)
    values = series.to_numpy()
    return Numbers(values.astype(bool) if dtype == nw.Boolean else values, missing)


def _read_unknown(series: Series, where: str) -> Numbers | Labels:
    """What narwhals has no name for: all null, pandas' sparse columns, objects, and things we refuse."""
    values = series.to_numpy()
    if values.dtype.kind in "biuf":
        return Numbers(values)
    if values.dtype.kind == "O":
        return read_objects(values.tolist(), where)
    refuse(where, values.dtype)


def _dictionary(series: Series) -> tuple[np.ndarray, np.ndarray, list]:
    """Return (codes, codes present, their values) of a column of strings or categories, without a loop over rows."""
    native, library = series.to_native(), series.implementation
    if library.is_pandas():
        return _pandas_dictionary(native)
    if library.is_polars():
        return _polars_dictionary(native)
    if library.is_pyarrow():
        return _arrow_dictionary(native)
    codes, values = factorize(series.to_list())
    return codes, np.arange(len(values)), values


def _pandas_dictionary(series: Any) -> tuple[np.ndarray, np.ndarray, list]:
    import pandas

    if not isinstance(series.dtype, pandas.CategoricalDtype):
        codes, distinct = pandas.factorize(series)
        return codes, np.arange(len(distinct)), distinct.tolist()
    codes, categories = series.cat.codes.to_numpy(), series.cat.categories
    present = _present(codes, len(categories))
    return codes, present, categories.take(present).tolist()


def _polars_dictionary(series: Any) -> tuple[np.ndarray, np.ndarray, list]:
    import polars

    distinct = series.unique().drop_nulls()
    if series.dtype == polars.String:
        series, distinct = (column.cast(polars.Enum(distinct)) for column in (series, distinct))
    codes = series.to_physical().cast(polars.Int64).fill_null(-1).to_numpy()
    return codes, distinct.to_physical().cast(polars.Int64).to_numpy(), distinct.cast(polars.String).to_list()


def _arrow_dictionary(column: Any) -> tuple[np.ndarray, np.ndarray, list]:
    import pyarrow

    if not pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    codes = column.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    values = column.dictionary
    if pyarrow.types.is_string_view(values.type):  # which Arrow cannot index yet
        values = pyarrow.array(values.to_pylist(), "string")
    present = _present(codes, len(values))
    return codes, present, values.take(pyarrow.array(present)).to_pylist()


def _present(codes: np.ndarray, n_codes: int) -> np.ndarray:
    """Return which of 0..n_codes-1 occur in the codes."""
    seen = np.zeros(n_codes + 1, dtype=bool)  # the last entry is for code -1
    seen[codes] = True
    return np.flatnonzero(seen[:-1])

"""Opening input of any kind as a table."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from spinney.data.arrays import ArraySource, check_shape, is_plain, open_array
from spinney.data.columns import ColumnSource
from spinney.data.frames import read_series
from spinney.data.on_gpu import here
from spinney.data.one_row import is_records
from spinney.data.sparse import is_sparse, open_sparse, open_sparse_frame
from spinney.data.tables import Source


def open_table(X: Any, owner: str = "this model") -> Source:
    """Open any table; what is none (1-D, complex, empty, lazy) raises scikit-learn's error or our own.

    A table on a GPU is copied: whoever can read it there does so before (`spinney/gpu`).
    """
    if is_plain(X):
        return ArraySource(X, None)
    X = here(X)
    if is_sparse(X):
        return open_sparse(X, owner)
    if is_records(X):
        raise TypeError(
            f"{owner} does not accept a list of dicts here. Pass pandas.DataFrame(X); only predictions of fitted "
            "models accept lists of dicts."
        )
    if hasattr(X, "refuse_values"):  # a table opened from files: see data/streamed.py
        X.refuse_values(owner)
    if type(X).__module__.partition(".")[0] in ("dask", "dask_expr"):
        raise TypeError(
            f"{owner} accepts only data in memory, got a dask {type(X).__name__}. Call .compute() on it first. "
            "docs/scaling.md lists the models that accept dask collections."
        )
    frame = as_frame(X)
    if frame is not None:
        # A stand-in of the same shape and no memory: scikit-learn's own words for too few rows or columns.
        check_shape(np.broadcast_to(np.float32(0), frame.shape), owner)
        sparse = open_sparse_frame(frame.to_native())
        if sparse is not None:
            return sparse
        columns = list(frame.iter_columns())
        names = [repr(name) for name in frame.columns]
        return ColumnSource(frame.to_native(), names, lambda index, where: read_series(columns[index], where))
    return open_array(X, owner)


def with_rows(X: Any) -> Any:
    """X as something whose rows can be taken by their numbers; for models that hand rows on to others.

    Sparse matrices stay in CSR or CSC format, others are put in CSR; Arrow's record batches become tables, and its
    views of strings strings, which it cannot take rows of as yet; tables on a GPU are copied. Lazy frames have no rows:
    a TypeError. Everything else is returned as it is.
    """
    X = here(X)
    if is_sparse(X):
        return X if X.format in ("csr", "csc") else X.tocsr()
    library = type(X).__module__.partition(".")[0]
    if library == "pyarrow":
        return _arrow_with_rows(X)
    if library == "polars":
        as_frame(X)
    return X


def _arrow_with_rows(X: Any) -> Any:
    import pyarrow

    X = _as_arrow_table(X)
    if not isinstance(X, pyarrow.Table):
        return X
    plain = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
    for place, field in enumerate(X.schema):
        if field.type in plain:
            X = X.set_column(place, field.name, X.column(place).cast(plain[field.type]))
    return X


def _as_arrow_table(X: Any) -> Any:
    """A table of one record batch; anything else as it is."""
    if type(X).__name__ != "RecordBatch" or not type(X).__module__.startswith("pyarrow"):
        return X
    import pyarrow

    return pyarrow.Table.from_batches([X])


def as_frame(X: Any) -> nw.DataFrame | None:
    """Return X as a narwhals frame, or None if it is no frame."""
    X = _as_arrow_table(X)
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        text = " ".join(str(error).split())
        raise ValueError(f"The column names of X must be unique. {text}. Rename or drop some.") from error
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"X must be a table in memory, got the lazy {type(X).__name__}. Call .collect() on it first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def feature_names(source: Source) -> list[str] | None:
    """Return the column names by scikit-learn's rules: all strings, or none; a mix is a TypeError."""
    if isinstance(source.origin, np.ndarray):
        return None
    asker = BaseEstimator()
    validate_data(asker, source.origin, skip_check_array=True, ensure_2d=False)
    names = getattr(asker, "feature_names_in_", None)
    return None if names is None else list(names)

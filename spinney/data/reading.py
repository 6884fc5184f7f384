"""Opening input of any kind as a table."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series
from narwhals.exceptions import DuplicateError
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from spinney.data.on_gpu import here
from spinney.data.one_row import is_records
from spinney.data.sparse import is_sparse, open_sparse, open_sparse_frame
from spinney.data.tables import NATIVE_FLOATS, DictionaryColumn, NumberColumn, Panel, TableSource, as_floats

# ----------------------------------------------------------------------------------------------------------------------
# Tables whose columns are read one by one: frames, and arrays of Python objects. Adjacent columns are joined.


class ColumnSource:
    """A table whose columns are read one by one: frames, and arrays of objects or strings."""

    def __init__(self, origin: Any, names: list[str], read: Callable[[int, str], NumberColumn | DictionaryColumn]):
        """Take the frame or array, what errors call its columns, and what reads a column by index and that name."""
        self.origin = origin
        self.n_rows, self.n_columns = origin.shape
        self._where = [f"Column {name}" for name in names]
        self._read = read
        self._waiting: dict[int, NumberColumn | DictionaryColumn] = {}  # read by is_labelled, kept until taken

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Read the column to see."""
        column = self._waiting[index] = self._take(index)
        if isinstance(column, DictionaryColumn) and column.refusal:
            raise TypeError(column.refusal)
        return isinstance(column, DictionaryColumn) or (with_booleans and column.values.dtype.kind == "b")

    def is_boolean(self, index: int) -> bool:
        """Read the column to see."""
        column = self._waiting[index] = self._take(index)
        return isinstance(column, NumberColumn) and bool(column.values.dtype.kind == "b")

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """One panel a column, or one for several columns that lie evenly spaced in one block of memory."""
        return list(_merge((index, self._floats(index, remedy)) for index in columns))

    def labels(self, index: int) -> DictionaryColumn:
        """Labels as they are; each distinct number as a label."""
        column = self._take(index)
        return column if isinstance(column, DictionaryColumn) else column.labels()

    def _take(self, index: int) -> NumberColumn | DictionaryColumn:
        return self._waiting.pop(index) if index in self._waiting else self._read(index, self._where[index])

    def _floats(self, index: int, remedy: str) -> np.ndarray:
        column = self._take(index)
        if isinstance(column, NumberColumn):
            return as_floats(column.values, column.missing)
        if column.refusal:
            raise TypeError(column.refusal)
        text = next((value for value in column.values if isinstance(value, str)), None)
        if text is not None:
            raise TypeError(f"{self._where[index]} holds strings, such as {text!r}, not numbers. {remedy}")
        return column.spread(column.values, np.float64)  # a category dtype over numbers


def _merge(columns: Iterable[tuple[int, np.ndarray]]) -> Iterator[Panel]:
    """Join columns that are evenly spaced views of one array, as pandas keeps its blocks, into one panel."""
    indices: list[int] = []
    run: list[np.ndarray] = []
    for index, values in columns:
        if run and not _continues(run, values):
            yield _join(indices, run)
            indices, run = [], []
        indices.append(index)
        run.append(values)
    if run:
        yield _join(indices, run)


def _continues(run: list[np.ndarray], values: np.ndarray) -> bool:
    first, last = run[0], run[-1]
    if values.dtype != first.dtype or values.strides != first.strides or _root(values) is not _root(first):
        return False
    return len(run) == 1 or _address(values) - _address(last) == _address(run[1]) - _address(first)


def _join(indices: list[int], run: list[np.ndarray]) -> Panel:
    first = run[0]
    if len(run) == 1:
        return Panel(first[:, None], tuple(indices))
    # Every element of this view is an element of one of the columns, and all of them live in one root array.
    strides = (first.strides[0], _address(run[1]) - _address(first))
    joined = np.lib.stride_tricks.as_strided(first, (len(first), len(run)), strides, writeable=False)
    return Panel(joined, tuple(indices))


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _root(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


# ----------------------------------------------------------------------------------------------------------------------
# Columns of Python objects, as lists hold them: numbers or labels, each of one kind.


def read_objects(values: list, where: str) -> NumberColumn | DictionaryColumn:
    """Read a column of Python objects: all numbers, or all strings, with anything missing among them."""
    types = set(map(type, values))
    missing = types & _missing_types()
    strings = {kind for kind in types if issubclass(kind, str)}
    named = {kind for kind in types - missing if _has_a_name(kind)}
    for kind in types - missing - strings - named:
        if not _is_number(kind):
            raise TypeError(_refusal(where, kind))
    if not strings and not named:
        return _read_numbers(values, types - missing, missing)
    codes, distinct = factorize(values)
    labels = label(codes, np.arange(len(distinct)), distinct, where)
    times = [kind for kind in named if not _is_interval(kind)]
    return replace(labels, refusal=_refusal(where, times[0])) if times else labels


def _missing_types() -> set[type]:
    """Types all of whose values are missing; NaN is a float and is found later."""
    pandas = nw.dependencies.get_pandas()
    return {type(None)} if pandas is None else {type(None), type(pandas.NA), type(pandas.NaT)}


def _is_interval(kind: type) -> bool:
    return kind.__name__ == "Interval" and kind.__module__.startswith("pandas")


def _has_a_name(kind: type) -> bool:
    """Whether values are categories by what they are called, `str(value)`: intervals (pandas.cut), dates, periods."""
    times = issubclass(kind, (datetime.date, datetime.time, datetime.timedelta))
    return times or _is_interval(kind) or (kind.__name__ == "Period" and kind.__module__.startswith("pandas"))


def _is_number(kind: type) -> bool:
    return issubclass(kind, (numbers.Real, np.bool_, decimal.Decimal))


def _read_numbers(values: list, types: set[type], missing: set[type]) -> NumberColumn:
    """Keep Booleans and integers what they are, so that they can also be labels."""
    mask = None
    if missing:
        mask = np.fromiter((type(value) in missing for value in values), dtype=bool, count=len(values))
        values = [0 if gone else value for value, gone in zip(values, mask, strict=True)]
    dtype = _common_dtype(types)
    try:
        return NumberColumn(np.array(values, dtype=object).astype(dtype), mask)
    except (OverflowError, ValueError):  # an integer of more than 64 bits, a signalling NaN
        return NumberColumn(np.array([_as_float(value) for value in values]), mask)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    except ValueError:
        return float("nan")


def _common_dtype(types: set[type]) -> type:
    """The plainest dtype that holds all these types of numbers: bool, int64 or float64."""
    if types and all(issubclass(kind, (bool, np.bool_)) for kind in types):
        return np.bool_
    integers = types and all(issubclass(kind, (numbers.Integral, np.bool_)) for kind in types)
    return np.int64 if integers else np.float64


def factorize(values: list) -> tuple[np.ndarray, list]:
    """Number the distinct values in order of appearance, in a loop that runs in C."""
    numbering: defaultdict[Any, int] = defaultdict()
    numbering.default_factory = numbering.__len__  # a value not yet there gets the next number
    codes = np.fromiter(map(numbering.__getitem__, values), dtype=np.int64, count=len(values))
    return codes, list(numbering)


def label(codes: np.ndarray, present: np.ndarray, values: list, where: str) -> DictionaryColumn:
    """Drop missing values from the dictionary and make the others plain; refuse a mix of strings and numbers."""
    missing = _missing_types()
    kept = [type(value) not in missing and bool(value == value) for value in values]
    values = [value for value, keep in zip(values, kept, strict=True) if keep]
    kinds = set(map(type, values))
    named = {kind for kind in kinds if _has_a_name(kind)}
    if named:
        if any(map(_is_number, kinds)):
            raise TypeError(_refusal(where, min(named, key=lambda kind: kind.__name__)))
        values = [str(value) if type(value) in named else value for value in values]
    strings = [value for value in values if isinstance(value, str)]
    others = [value for value in values if not isinstance(value, str)]
    for value in others:
        if not _is_number(type(value)):
            raise TypeError(_refusal(where, type(value)))
    if strings and others:
        raise TypeError(
            f"{where} mixes strings and numbers, such as {strings[0]!r} and {others[0]!r}. Make it one kind: "
            "astype(str) for categories, or turn the strings into numbers."
        )
    plain = [str(value) for value in strings] or _plain_numbers(others)
    return DictionaryColumn(codes, present[np.array(kept, dtype=bool)], plain)


def _plain_numbers(values: list) -> list:
    read = _read_numbers(values, set(map(type, values)), set()).values
    return (read + 0 if read.dtype.kind == "f" else read).tolist()  # + 0: -0.0 becomes 0.0


def _refusal(where: str, kind: type) -> str:
    return (
        f"{where}: argument must be a string or a number, not {kind.__name__!r}. "
        "Turn such values into numbers or strings first."
    )


def refuse(where: str, dtype: Any) -> NoReturn:
    raise TypeError(
        f"{where} holds {dtype}, which is neither numbers nor categories. Derive numbers from it (from a date: the "
        "year, the weekday, the days since a given day; from a list or struct: one column per part), or drop it."
    )


# ----------------------------------------------------------------------------------------------------------------------
# Arrays and lists of rows, opened: numbers are not copied where that can be avoided.


class ArraySource:
    """An array of numbers: runs of neighbouring columns are panels, and floats are not copied."""

    def __init__(self, array: np.ndarray, missing: np.ndarray | None):
        """Take a two-dimensional array and, of the same shape, which values are masked."""
        self.origin = array
        self.missing = missing
        self.n_rows, self.n_columns = array.shape

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Nothing but numbers in here, or nothing but Booleans."""
        return with_booleans and self.origin.dtype.kind == "b"

    def is_boolean(self, index: int) -> bool:
        """All columns are of one type."""
        return bool(self.origin.dtype.kind == "b")

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """One panel for each run of neighbours."""
        return [self._panel(run) for run in runs_of(columns)]

    def labels(self, index: int) -> DictionaryColumn:
        """Each distinct number is a label."""
        missing = None if self.missing is None else self.missing[:, index]
        return NumberColumn(self.origin[:, index], missing).labels()

    def _panel(self, run: range) -> Panel:
        part = slice(run.start, run.stop)
        missing = None if self.missing is None else self.missing[:, part]
        return Panel(as_floats(self.origin[:, part], missing), tuple(run))


def is_plain(X: Any) -> bool:
    """The common case, which needs none of the checks."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in NATIVE_FLOATS and X.size > 0


def check_shape(X: Any, owner: str) -> np.ndarray:
    return check_array(X, dtype=None, ensure_all_finite=False, estimator=owner, input_name="X")


def open_array(X: Any, owner: str) -> TableSource:
    if X is None or isinstance(X, str | PathLike):
        how = "open the file first, by pandas.read_csv for example, or by spinney.open_table if it is large"
        what = "None" if X is None else f"the text {str(X)!r:.60}: {how}"
        raise TypeError(f"X must be a table of rows and columns, got {what}.")
    array = check_shape(_as_array(X), owner)
    missing = np.ma.getmaskarray(X) if np.ma.is_masked(X) else None
    if array.dtype.kind in "biuf":
        return ArraySource(array, missing)
    if array.dtype.kind in "mM":
        refuse("X", array.dtype)
    if missing is not None:
        array = array.astype(object)
        array[missing] = None
    names = [str(index) for index in range(array.shape[1])]
    return ColumnSource(array, names, lambda index, where: read_objects(array[:, index].tolist(), where))


def _as_array(X: Any) -> Any:
    """Turn lists and series into arrays; let scikit-learn look at all else."""
    if isinstance(X, (list, tuple)):
        array = np.asarray(X)
        return array if array.dtype.kind not in "US" else np.array(X, dtype=object)  # [["a", 1]]: keep 1 a number
    return np.asarray(X) if nw.dependencies.is_into_series(X) else X


def runs_of(columns: Sequence[int]) -> Iterator[range]:
    """Cut ascending numbers into runs of neighbours: 0 1 2 5 6 -> 0..2, 5..6."""
    if len(columns) == 0:
        return
    if columns[-1] - columns[0] == len(columns) - 1:
        yield range(columns[0], columns[-1] + 1)
        return
    breaks = np.flatnonzero(np.diff(columns) != 1) + 1
    for run in np.split(np.asarray(columns), breaks):
        yield range(int(run[0]), int(run[-1]) + 1)


# ----------------------------------------------------------------------------------------------------------------------
# Columns of frames (pandas, polars, Arrow and others that narwhals supports): numbers or labels.


def read_series(series: Series, where: str) -> NumberColumn | DictionaryColumn:
    """Read one column of a frame by its dtype; only columns of objects are judged by their values."""
    dtype = series.dtype
    # Objects first: narwhals judges these by their first rows alone, and may call them strings.
    if getattr(series.to_native(), "dtype", None) == np.dtype(object):
        return read_objects(series.to_list(), where)
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _series_numbers(series)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        codes, present, values = _dictionary(series)
        is_declared = dtype == nw.Enum or (
            dtype == nw.Categorical and nw.dependencies.is_pandas_series(series.to_native())
        )
        return replace(label(codes, present, values, where), declared=is_declared)
    if dtype in (nw.Object, nw.Unknown):
        return _read_unknown(series, where)
    refuse(where, dtype)


def _series_numbers(series: Series) -> NumberColumn:
    dtype = series.dtype
    if dtype.is_float():
        return NumberColumn(series.to_numpy())  # nulls come out as NaN
    if dtype.is_decimal():  # by way of text: not all libraries find the nearest float otherwise
        return NumberColumn(series.cast(nw.String).cast(nw.Float64).to_numpy())
    if dtype in (nw.Int128, nw.UInt128):
        return NumberColumn(series.cast(nw.Float64).to_numpy())
    missing = None
    if series.null_count():
        missing = series.is_null().to_numpy().astype(bool)
        series = series.fill_null(False if dtype == nw.Boolean else 0)
    values = series.to_numpy()
    return NumberColumn(values.astype(bool) if dtype == nw.Boolean else values, missing)


def _read_unknown(series: Series, where: str) -> NumberColumn | DictionaryColumn:
    """What narwhals has no name for: all null, pandas' sparse columns, objects, and things we refuse."""
    values = series.to_numpy()
    if values.dtype.kind in "biuf":
        return NumberColumn(values)
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


def open_table(X: Any, owner: str = "this model") -> TableSource:
    """Open any table; what is none (1-D, complex, empty, lazy) raises scikit-learn's error or our own.

    A table on a GPU is copied: whoever can read it there does so before (`spinney/gpu`).
    """
    if is_plain(X):
        return ArraySource(X, None)
    if type(X).__module__.partition(".")[0] not in ("pandas", "polars"):
        X = _not_elsewhere(X, owner)
        if is_sparse(X):
            return open_sparse(X, owner)
    frame = as_frame(X)
    if frame is None:
        return open_array(X, owner)
    # A stand-in of the same shape and no memory: scikit-learn's own words for too few rows or columns.
    check_shape(np.broadcast_to(np.float32(0), frame.shape), owner)
    native = frame.to_native()
    if hasattr(native, "sparse") and (sparse := open_sparse_frame(native)) is not None:  # pandas: if all columns are
        return sparse
    columns = list(frame.iter_columns())
    names = [repr(name) for name in frame.columns]
    return ColumnSource(native, names, lambda index, where: read_series(columns[index], where))


def _not_elsewhere(X: Any, owner: str) -> Any:
    """X in this process's memory, as a table; an error if there is none."""
    X = here(X)
    if is_records(X):
        raise TypeError(
            f"{owner} does not accept a list of dicts here. Pass pandas.DataFrame(X); only predictions of fitted "
            "models accept lists of dicts."
        )
    if hasattr(X, "refuse_values"):  # a table opened from files: see data/files/streamed.py
        X.refuse_values(owner)
    if type(X).__module__.partition(".")[0] in ("dask", "dask_expr"):
        raise TypeError(
            f"{owner} accepts only data in memory, got a dask {type(X).__name__}. Call .compute() on it first. "
            "docs/scaling.md lists the models that accept dask collections."
        )
    return X


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


def feature_names(source: TableSource) -> list[str] | None:
    """Return the column names by scikit-learn's rules: all strings, or none; a mix is a TypeError."""
    if isinstance(source.origin, np.ndarray):
        return None
    asker = BaseEstimator()
    validate_data(asker, source.origin, skip_check_array=True, ensure_2d=False)
    names = getattr(asker, "feature_names_in_", None)
    return None if names is None else list(names)

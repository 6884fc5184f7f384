"""Tables: any table -> numeric panels.

In:  a NumPy array, a list of rows, or a pandas, polars or Arrow table (and whatever else narwhals knows).
Out: a `Source`, the opened table, which hands out its columns in one of two forms:
     numbers  -> `Panel`s of float32 or float64, NaN = missing, not copied where that can be avoided;
     labels   -> `Labels`, integer codes plus the distinct values they stand for.

    X ──open_table──> Source ──numbers──> Panel, Panel, ...   ─┐
                            └──labels───> Labels ──(schema)──> ┴─> Table

This stage does not decide which columns are categories, remembers nothing between fit and predict, and checks no
names or counts: that is `schema.py`. It does not bin.
"""

from __future__ import annotations

import decimal
import numbers
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series
from narwhals.exceptions import DuplicateError
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

# Every value of these dtypes is also a float32; all other numbers go to float64.
FITS_FLOAT32 = frozenset(np.dtype(name) for name in ("bool", "i1", "u1", "i2", "u2", "f2", "f4"))
NATIVE_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True)
class Panel:
    """Some columns of a table as one block of numbers."""

    values: np.ndarray  # (n_rows, k) float32 or float64, any strides, perhaps read-only or mapped; NaN = missing
    columns: tuple[int, ...]  # which columns of the table these are, ascending


@dataclass(frozen=True)
class Table:
    """A table of numbers: its panels together cover every column exactly once."""

    n_rows: int
    n_columns: int
    panels: tuple[Panel, ...]

    def column(self, index: int) -> np.ndarray:
        """Return one column as a one-dimensional view."""
        for panel in self.panels:
            if index in panel.columns:
                return panel.values[:, panel.columns.index(index)]
        raise IndexError(f"column {index} is not in a table of {self.n_columns} columns.")

    def take(self, rows: np.ndarray) -> Table:
        """Some of the rows."""
        panels = tuple(Panel(panel.values[rows], panel.columns) for panel in self.panels)
        return Table(len(rows), self.n_columns, panels)

    def take_columns(self, columns: np.ndarray) -> Table:
        """Some of the columns, perhaps one twice. Nothing is copied."""
        panels = tuple(Panel(self.column(int(j))[:, None], (k,)) for k, j in enumerate(columns))
        return Table(self.n_rows, len(columns), panels)


@dataclass(frozen=True)
class Labels:
    """A column as a dictionary: `values[k]` is what the code `present[k]` stands for; other codes are missing."""

    codes: np.ndarray  # (n_rows,) integers, -1 = missing
    present: np.ndarray  # (n_distinct,) the codes that occur
    values: list  # str, int, float or bool, as plain Python objects

    def spread(self, of_values: Sequence[float], dtype: Any) -> np.ndarray:
        """Give each row the number of its value (`of_values[k]` for `values[k]`); missing rows get NaN."""
        lookup = np.full(int(self.codes.max()) + 2, np.nan, dtype=dtype)  # the last entry answers code -1
        lookup[self.present] = of_values
        return lookup[self.codes]


@dataclass(frozen=True)
class Numbers:
    """A column of numbers before it is cast: integers and Booleans are still what they were."""

    values: np.ndarray  # (n_rows,) Boolean, integer or float
    missing: np.ndarray | None = None  # (n_rows,) Boolean; None where NaN alone marks the missing

    def labels(self) -> Labels:
        """Take each distinct number as a label."""
        is_float = self.values.dtype.kind == "f"
        values = as_floats(self.values) + 0 if is_float else self.values  # -0.0 + 0 is 0.0: one value, one label
        missing = np.isnan(values) if is_float else np.zeros(len(values), dtype=bool)
        if self.missing is not None:
            missing |= self.missing
        distinct = np.unique(values[~missing])
        codes = np.searchsorted(distinct, values)
        codes[missing] = -1
        return Labels(codes, np.arange(len(distinct)), distinct.tolist())


class Source(Protocol):
    """An opened table. Columns are read when asked for, so that cheap checks can come first."""

    origin: Any  # what scikit-learn's name checks should look at
    n_rows: int
    n_columns: int

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Say whether the column holds strings or categories (or Booleans, if asked) rather than numbers."""

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """Read columns as numbers; a string in them is a TypeError that ends with `remedy`."""

    def labels(self, index: int) -> Labels:
        """Read one column as labels, whatever it holds."""


def open_table(X: Any, owner: str = "this model") -> Source:
    """Open any table; what is none (1-D, sparse, complex, empty, lazy) raises scikit-learn's error or our own."""
    if _is_plain(X):
        return ArraySource(X, None)
    frame = as_frame(X)
    if frame is not None:
        # A stand-in of the same shape and no memory: scikit-learn's own words for too few rows or columns.
        _check_array(np.broadcast_to(np.float32(0), frame.shape), owner)
        columns = list(frame.iter_columns())
        names = [repr(name) for name in frame.columns]
        return ColumnSource(frame.to_native(), names, lambda index, where: read_series(columns[index], where))
    return _open_array(X, owner)


def as_frame(X: Any) -> nw.DataFrame | None:
    """Return X as a narwhals frame, or None if it is no frame."""
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        text = " ".join(str(error).split())
        raise ValueError(f"The column names of X must differ from each other. {text}. Rename or drop some.") from error
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


# --- arrays ----------------------------------------------------------------------------------------------------------


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

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """One panel for each run of neighbours."""
        return [self._panel(run) for run in _runs(columns)]

    def labels(self, index: int) -> Labels:
        """Each distinct number is a label."""
        missing = None if self.missing is None else self.missing[:, index]
        return Numbers(self.origin[:, index], missing).labels()

    def _panel(self, run: range) -> Panel:
        part = slice(run.start, run.stop)
        missing = None if self.missing is None else self.missing[:, part]
        return Panel(as_floats(self.origin[:, part], missing), tuple(run))


def as_floats(values: np.ndarray, missing: np.ndarray | None = None) -> np.ndarray:
    """Cast to a float dtype that the kernels read; floats without a mask come back as they are."""
    if missing is None and values.dtype in NATIVE_FLOATS and values.flags.aligned:
        return values
    floats = values.astype(np.float32 if values.dtype.newbyteorder("=") in FITS_FLOAT32 else np.float64)
    if missing is not None:
        floats[missing] = np.nan
    return floats


def _is_plain(X: Any) -> bool:
    """The common case, which needs none of the checks."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in NATIVE_FLOATS and X.size > 0


def _check_array(X: Any, owner: str) -> np.ndarray:
    return check_array(X, dtype=None, ensure_all_finite=False, estimator=owner, input_name="X")


def _open_array(X: Any, owner: str) -> Source:
    array = _check_array(_as_array(X), owner)
    missing = np.ma.getmaskarray(X) if np.ma.is_masked(X) else None
    if array.dtype.kind in "biuf":
        return ArraySource(array, missing)
    if array.dtype.kind in "mM":
        _refuse("X", array.dtype)
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


def _runs(columns: Sequence[int]) -> Iterator[range]:
    """Cut ascending numbers into runs of neighbours: 0 1 2 5 6 -> 0..2, 5..6."""
    if len(columns) == 0:
        return
    if columns[-1] - columns[0] == len(columns) - 1:
        yield range(columns[0], columns[-1] + 1)
        return
    breaks = np.flatnonzero(np.diff(columns) != 1) + 1
    for run in np.split(np.asarray(columns), breaks):
        yield range(int(run[0]), int(run[-1]) + 1)


# --- columns one by one ----------------------------------------------------------------------------------------------


class ColumnSource:
    """A table whose columns are read one by one: frames, and arrays of objects or strings."""

    def __init__(self, origin: Any, names: list[str], read: Callable[[int, str], Numbers | Labels]):
        """Take the frame or array, what errors call its columns, and what reads a column by index and that name."""
        self.origin = origin
        self.n_rows, self.n_columns = origin.shape
        self._where = [f"Column {name}" for name in names]
        self._read = read
        self._waiting: dict[int, Numbers | Labels] = {}  # read by is_labelled, kept until taken

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Read the column to see."""
        column = self._waiting[index] = self._take(index)
        return isinstance(column, Labels) or (with_booleans and column.values.dtype.kind == "b")

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """One panel a column, or one for several columns that lie evenly spaced in one block of memory."""
        return list(_merge((index, self._floats(index, remedy)) for index in columns))

    def labels(self, index: int) -> Labels:
        """Labels as they are; each distinct number as a label."""
        column = self._take(index)
        return column if isinstance(column, Labels) else column.labels()

    def _take(self, index: int) -> Numbers | Labels:
        return self._waiting.pop(index) if index in self._waiting else self._read(index, self._where[index])

    def _floats(self, index: int, remedy: str) -> np.ndarray:
        column = self._take(index)
        if isinstance(column, Numbers):
            return as_floats(column.values, column.missing)
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


# --- Python objects --------------------------------------------------------------------------------------------------


def read_objects(values: list, where: str) -> Numbers | Labels:
    """Read a column of Python objects: all numbers, or all strings, with anything missing among them."""
    types = set(map(type, values))
    missing = types & _missing_types()
    strings = {kind for kind in types if issubclass(kind, str)}
    for kind in types - missing - strings:
        if not _is_number(kind):
            _refuse_object(where, kind)
    if not strings:
        return _read_numbers(values, types - missing, missing)
    codes, distinct = _factorize(values)
    return _labels(codes, np.arange(len(distinct)), distinct, where)


def _missing_types() -> set[type]:
    """Types all of whose values are missing; NaN is a float and is found later."""
    pandas = nw.dependencies.get_pandas()
    return {type(None)} if pandas is None else {type(None), type(pandas.NA), type(pandas.NaT)}


def _is_number(kind: type) -> bool:
    return issubclass(kind, (numbers.Real, np.bool_, decimal.Decimal))


def _read_numbers(values: list, types: set[type], missing: set[type]) -> Numbers:
    """Keep Booleans and integers what they are, so that they can also be labels."""
    mask = None
    if missing:
        mask = np.fromiter((type(value) in missing for value in values), dtype=bool, count=len(values))
        values = [0 if gone else value for value, gone in zip(values, mask, strict=True)]
    dtype = _common_dtype(types)
    try:
        return Numbers(np.array(values, dtype=object).astype(dtype), mask)
    except OverflowError:  # an integer of more than 64 bits
        return Numbers(np.array([_as_float(value) for value in values]), mask)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _common_dtype(types: set[type]) -> type:
    """The plainest dtype that holds all these types of numbers: bool, int64 or float64."""
    if types and all(issubclass(kind, (bool, np.bool_)) for kind in types):
        return np.bool_
    integers = types and all(issubclass(kind, (numbers.Integral, np.bool_)) for kind in types)
    return np.int64 if integers else np.float64


def _factorize(values: list) -> tuple[np.ndarray, list]:
    """Number the distinct values in order of appearance, in a loop that runs in C."""
    numbering: defaultdict[Any, int] = defaultdict()
    numbering.default_factory = numbering.__len__  # a value not yet there gets the next number
    codes = np.fromiter(map(numbering.__getitem__, values), dtype=np.int64, count=len(values))
    return codes, list(numbering)


def _labels(codes: np.ndarray, present: np.ndarray, values: list, where: str) -> Labels:
    """Drop missing values from the dictionary and make the others plain; refuse a mix of strings and numbers."""
    missing = _missing_types()
    kept = [type(value) not in missing and bool(value == value) for value in values]
    values = [value for value, keep in zip(values, kept, strict=True) if keep]
    strings = [value for value in values if isinstance(value, str)]
    others = [value for value in values if not isinstance(value, str)]
    for value in others:
        if not _is_number(type(value)):
            _refuse_object(where, type(value))
    if strings and others:
        raise TypeError(
            f"{where} mixes strings and numbers, such as {strings[0]!r} and {others[0]!r}. Make it one kind: "
            "astype(str) for categories, or turn the strings into numbers."
        )
    plain = [str(value) for value in strings] or _plain_numbers(others)
    return Labels(codes, present[np.array(kept, dtype=bool)], plain)


def _plain_numbers(values: list) -> list:
    read = _read_numbers(values, set(map(type, values)), set()).values
    return (read + 0 if read.dtype.kind == "f" else read).tolist()  # + 0: -0.0 becomes 0.0


def _refuse_object(where: str, kind: type) -> NoReturn:
    raise TypeError(
        f"{where}: argument must be a string or a number, not {kind.__name__!r}. "
        "Turn such values into numbers or strings first."
    )


def _refuse(where: str, dtype: Any) -> NoReturn:
    raise TypeError(
        f"{where} holds {dtype}, which is neither numbers nor categories. Derive numbers from it (from a date: the "
        "year, the weekday, the days since a given day; from a list or struct: one column a part), or drop it."
    )


# --- frames ----------------------------------------------------------------------------------------------------------


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
        return _labels(codes, present, values, where)
    if dtype in (nw.Object, nw.Unknown):
        return _read_unknown(series, where)
    _refuse(where, dtype)


def _series_numbers(series: Series) -> Numbers:
    dtype = series.dtype
    if dtype.is_float():
        return Numbers(series.to_numpy())  # nulls come out as NaN
    if dtype.is_decimal() or dtype in (nw.Int128, nw.UInt128):
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
    _refuse(where, values.dtype)


def _dictionary(series: Series) -> tuple[np.ndarray, np.ndarray, list]:
    """Return (codes, codes present, their values) of a column of strings or categories, without a loop over rows."""
    native, library = series.to_native(), series.implementation
    if library.is_pandas():
        return _pandas_dictionary(native)
    if library.is_polars():
        return _polars_dictionary(native)
    if library.is_pyarrow():
        return _arrow_dictionary(native)
    codes, values = _factorize(series.to_list())
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

"""Tables: any table -> numeric panels.

In:  a NumPy array, a list of rows, or a pandas, polars or Arrow table (and whatever else narwhals
     knows), opened by `reading.py`.
Out: a `TableSource`, the opened table, which hands out its columns in one of two forms:
     numbers  -> `Panel`s of float32 or float64, NaN = missing, not copied where that can be avoided;
     labels   -> `DictionaryColumn`, integer codes plus the distinct values they stand for.

    X ──open_table──> TableSource ──numbers──> Panel, Panel, ...             ─┐
                                 └──labels───> DictionaryColumn ──(schema)──> ┴─> Table

This stage does not decide which columns are categories, remembers nothing between fit and predict, and checks no
names or counts: that is `schema.py`. It does not bin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.dataset import ExactDataset
    from spinney.data.encode import Bins
    from spinney.data.schema import Schema

# Every value of these dtypes is also a float32; all other numbers go to float64.
FITS_FLOAT32 = frozenset(np.dtype(name) for name in ("bool", "i1", "u1", "i2", "u2", "f2", "f4"))
BLOCK_ROWS = 16_384  # rows of a block that is put together from several panels
CODED_ROWS = 65_536  # rows encoded at a time
NATIVE_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True)
class Panel:
    """Some columns of a table as one block of numbers."""

    values: np.ndarray  # (n_rows, k) float32 or float64, any strides, perhaps read-only or mapped; NaN = missing
    columns: tuple[int, ...]  # which columns of the table these are, ascending


class TreeOrTrees(Protocol):
    """A tree, or many, that ask about some columns of a table."""

    bins: Any  # that the questions are from; None: they ask about values

    @property
    def columns_asked(self) -> set[int]:
        """Columns that some question is about."""


class Sorting(NamedTuple):
    """What a table is sorted for."""

    rows: np.ndarray | None = None  # int64, ascending: the only ones that count; row k of the lists is rows[k] here
    bins: Bins | None = None  # sort their codes
    n_others: int = 0  # lists that are added after the columns', for the caller to fill
    with_values: bool = False  # keep each column's values, too


ALL_ROWS = Sorting()


@dataclass(frozen=True)
class Table:
    """A table of numbers: its panels together cover every column exactly once.

    The methods are all that fits and predictions ask of a table. Tables that keep their cells in another way have
    their own: some rows of an opened table (opened_table.py), sparse tables (sparse.py), data in files (files/).
    """

    n_rows: int
    n_columns: int
    panels: tuple[Panel, ...]
    has_values: ClassVar[bool] = True  # False: bins and codes only
    is_sparse: ClassVar[bool] = False  # True: only the cells that are not zero are stored
    by_rows: ClassVar[Any] = None  # then these as SciPy's CSR matrix

    def is_one_row(self) -> bool:
        """Whether it is a single block of one row: such can take the short way down trees (tree/descend.py)."""
        return self.n_rows == 1 and len(self.panels) == 1

    def column(self, index: int) -> np.ndarray:
        """Return one column as a one-dimensional view."""
        for panel in self.panels:
            if index in panel.columns:
                return panel.values[:, panel.columns.index(index)]
        raise IndexError(f"column {index} is not in a table of {self.n_columns} columns.")

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """Learn every column's bins; `counts` says how often a row counts (None: each once)."""
        from spinney.data.encode import learn_bins

        return learn_bins(self, is_categorical, counts, max_bins, team)

    def codes(self, bins: Bins, team: Team, start: int = 0, stop: int | None = None) -> np.ndarray:
        """(columns, rows) uint8: the rows start..stop (None: to the last) encoded. Nobody may write to them."""
        return bins.encode(self, team, start, stop)

    def code_blocks(self, bins: Bins, team: Team) -> Iterator[tuple[int, int, Any]]:
        """(first row, last + 1, their codes or what stands for them), some rows after the others."""
        for start in range(0, self.n_rows, CODED_ROWS):
            stop = min(self.n_rows, start + CODED_ROWS)
            yield start, stop, self.codes(bins, team, start, stop)

    def blocks(self, trees: TreeOrTrees) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, values of some rows), of tables that are sparse or have no values; others have `panels`."""
        raise NotImplementedError

    def encode(self, bins: Bins | None, team: Team) -> Any:
        """What boosted trees ask about: codes, or what stands for them; without bins the values: the table itself."""
        return self if bins is None else self.codes(bins, team)

    def open_dataset(
        self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int | None, team: Team
    ) -> Any:
        """What boosting grows on: bins, learnt from rows that count so often, or exact thresholds (None)."""
        if max_bins is None:
            return self.exact_dataset(is_categorical, counts, team)
        return self.encode_dataset(self.bins(is_categorical, counts, max_bins, team), team)

    def encode_dataset(self, bins: Bins, team: Team) -> Any:
        """The same in bins that are known."""
        from spinney.data.dataset import encode_dataset

        return encode_dataset(self, bins, team)

    def exact_dataset(self, is_categorical: np.ndarray, counts: np.ndarray | None, team: Team) -> ExactDataset:
        """The same with exact thresholds; `counts` decides which categories have codes of their own."""
        from spinney.data.dataset import open_exact

        return open_exact(self, is_categorical, counts, team)

    def sorted(self, is_categorical: np.ndarray, team: Team, how: Sorting = ALL_ROWS) -> Any:
        """Every column in order, as exact trees need it: see presort.py."""
        from spinney.data.presort import presort

        return presort(self, is_categorical, team, how)

    def ends(self, rows: np.ndarray | None) -> np.ndarray:
        """(2, columns): the least and the greatest finite value of some rows (None: all); zeros where there is none."""
        ends = np.zeros((2, self.n_columns))
        for panel in self.panels:
            ends[:, panel.columns] = ends_of(panel.values if rows is None else panel.values[rows])
        return ends

    def hashes(self) -> np.ndarray:
        """uint64: a hash for each row, of what it holds."""
        from spinney.data.row_hash import hashes_of_columns

        return hashes_of_columns(*(self.column(j) for j in range(self.n_columns)), n_rows=self.n_rows)

    def used_categories(self, sizes: dict[int, int], rows: np.ndarray) -> dict[int, np.ndarray]:
        """bool: which categories of some columns (their number by column) occur in some of the rows."""
        return {j: occurring(self.column(j)[rows], size) for j, size in sizes.items()}

    def recoded(self, schema: Any, used: dict[int, np.ndarray]) -> Table:
        """The table as a schema reads it that has only some of the categories; `used` says which, by column."""
        numbers = {j: np.append(np.where(one, np.cumsum(one) - 1.0, np.nan), np.nan) for j, one in used.items()}
        panels = []
        for panel in self.panels:
            if numbers.keys().isdisjoint(panel.columns):
                panels.append(panel)
                continue
            for k, j in enumerate(panel.columns):
                values = panel.values[:, k]
                if j in numbers:
                    codes = np.where(np.isnan(values), len(numbers[j]) - 1, values).astype(np.int64)
                    values = numbers[j][codes].astype(panel.values.dtype)
                panels.append(Panel(values[:, None], (j,)))
        return Table(self.n_rows, self.n_columns, tuple(panels))

    def all(self) -> Table:
        """All rows, in this process."""
        return self

    def take(self, rows: np.ndarray) -> Table:
        """Some of the rows."""
        panels = tuple(Panel(panel.values[rows], panel.columns) for panel in self.panels)
        return Table(len(rows), self.n_columns, panels)

    def take_columns(self, columns: np.ndarray) -> Table:
        """Some of the columns, perhaps one twice. Nothing is copied."""
        panels = tuple(Panel(self.column(int(j))[:, None], (k,)) for k, j in enumerate(columns))
        return Table(self.n_rows, len(columns), panels)


def ends_of(values: np.ndarray) -> np.ndarray:
    """The least and the greatest finite value of every column, (2, columns); zeros if there is none."""
    ends = np.array([np.minimum.reduce(values), np.maximum.reduce(values)], np.float64)  # NaN where there is one
    for k in np.flatnonzero(~np.isfinite(ends).all(axis=0)):
        finite = values[np.isfinite(values[:, k]), k]
        ends[:, k] = (finite.min(), finite.max()) if len(finite) else 0.0
    return ends


def occurring(codes: np.ndarray, size: int) -> np.ndarray:
    """bool: which of so many categories occur among these numbers of categories; NaN is missing."""
    found = np.zeros(size, bool)
    found[codes[~np.isnan(codes)].astype(np.int64)] = True
    return found


@dataclass(frozen=True)
class DictionaryColumn:
    """A column as a dictionary: `values[k]` is what the code `present[k]` stands for; other codes are missing."""

    codes: np.ndarray  # (n_rows,) integers, -1 = missing
    present: np.ndarray  # (n_distinct,) the codes that occur
    values: list  # str, int, float or bool, as plain Python objects
    refusal: str = ""  # why these are no categories unless somebody says that they are: an error's text
    declared: bool = False  # whether the values are in an order that the table declares

    def spread(self, of_values: Sequence[float], dtype: Any) -> np.ndarray:
        """Give each row the number of its value (`of_values[k]` for `values[k]`); missing rows get NaN."""
        lookup = np.full(int(self.codes.max()) + 2, np.nan, dtype=dtype)  # the last entry answers code -1
        lookup[self.present] = of_values
        return lookup[self.codes]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers before it is cast: integers and Booleans are still what they were."""

    values: np.ndarray  # (n_rows,) Boolean, integer or float
    missing: np.ndarray | None = None  # (n_rows,) Boolean; None where NaN alone marks the missing

    def labels(self) -> DictionaryColumn:
        """Take each distinct number as a label."""
        is_float = self.values.dtype.kind == "f"
        values = as_floats(self.values) + 0 if is_float else self.values  # -0.0 + 0 is 0.0: one value, one label
        missing = np.isnan(values) if is_float else np.zeros(len(values), dtype=bool)
        if self.missing is not None:
            missing |= self.missing
        distinct = np.unique(values[~missing])
        codes = np.searchsorted(distinct, values)
        codes[missing] = -1
        return DictionaryColumn(codes, np.arange(len(distinct)), distinct.tolist())


class TableHandle:
    """Stands for X in `fit` and `predict`: what has been read of it is kept, or its rows are in files or elsewhere."""

    streams: ClassVar[bool] = False  # whether the rows come in batches and have bins and codes, but no values

    def learn(self, categorical_features: Any, owner: str) -> tuple[Schema, Any]:
        """What the columns are, and the rows read through that: `schema.learn_and_read`."""
        raise NotImplementedError

    def read(self, schema: Schema, owner: str = "this model", strict: bool = False) -> Any:
        """The rows as a schema reads them: `Schema.read`."""
        raise NotImplementedError

    def original(self) -> Any:
        """The table in this process, for other models and for scorers that look at rows."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what a fit has made elsewhere, for internal use."""


def is_streamed(X: Any) -> bool:
    """Whether X is a table opened from files or batches."""
    return isinstance(X, TableHandle) and X.streams


def with_sides(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """y and sample_weight: what `fit` was given, or those of a table opened from files."""
    if not is_streamed(X):
        return y, sample_weight
    return X.y if y is None else y, X.sample_weight if sample_weight is None else sample_weight


class TableSource(Protocol):
    """An opened table. Columns are read when asked for, so that cheap checks can come first."""

    origin: Any  # what scikit-learn's name checks should look at
    n_rows: int
    n_columns: int

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Say whether the column holds strings or categories (or Booleans, if asked) rather than numbers."""

    def is_boolean(self, index: int) -> bool:
        """Say whether a column of numbers holds Booleans."""

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """Read columns as numbers; a string in them is a TypeError that ends with `remedy`."""

    def labels(self, index: int) -> DictionaryColumn:
        """Read one column as labels, whatever it holds."""


def as_floats(values: np.ndarray, missing: np.ndarray | None = None) -> np.ndarray:
    """Cast to a float dtype that the kernels read; floats without a mask come back as they are."""
    if missing is None and values.dtype in NATIVE_FLOATS and values.flags.aligned:
        return values
    floats = values.astype(np.float32 if values.dtype.newbyteorder("=") in FITS_FLOAT32 else np.float64)
    if missing is not None:
        floats[missing] = np.nan
    return floats


def as_matrix(panels: Sequence[Panel], n_rows: int, n_columns: int) -> np.ndarray:
    """One block of memory, row by row; not copied where it is that already."""
    if len(panels) == 1:
        return np.ascontiguousarray(panels[0].values)
    is_single = all(panel.values.dtype == np.float32 for panel in panels)
    matrix = np.empty((n_rows, n_columns), np.float32 if is_single else np.float64)
    for panel in panels:
        matrix[:, panel.columns] = panel.values
    return matrix

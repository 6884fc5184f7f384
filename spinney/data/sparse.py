"""Sparse tables: SciPy's matrices and arrays, and pandas frames whose columns are all sparse.

In:  a sparse X. Cells that are not stored are zeros; stored zeros and stored NaN are what they are everywhere else, and
     cells stored twice (COO) are added up.
Out: a `SparseSource`, the opened table, and from it a `SparseTable`: a `Table` whose stored cells are listed column by
     column, and that is never laid out as a whole. A table that is small, or full, is an ordinary `Table` instead.

Its bins and codes are made in `sparse_encode.py`, its sorted lists in `sparse_presort.py`. Trees that ask about values
get some rows at a time, laid out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from scipy.sparse import csc_array, csr_array, issparse
from sklearn.utils.validation import check_array

from spinney.data.tables import ALL_ROWS, DictionaryColumn, Panel, Sorting, Table, TreeOrTrees, as_floats, ends_of

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.dataset import ExactDataset
    from spinney.data.encode import Bins
    from spinney.data.sparse_encode import SparseCodes, SparseDataset
    from spinney.data.sparse_presort import SparseLists

DENSE_CELLS = 1 << 20  # a table of so many cells is laid out,
FULL = 4  # and so is one of whose cells every fourth is stored
_MOST_CELLS = 1 << 26  # that anything may lay out
_BLOCK_CELLS = 1 << 22  # laid out at a time


class SparseTable(Table):
    """A table whose stored cells are listed, by rows, by columns or both; all others are zeros."""

    is_sparse = True
    n_stored: int  # cells
    whole: Any  # what all rows have in common, if these are some rows of an opened table (opened_table.py); or None

    def __init__(self, matrix: Any, whole: Any = None) -> None:
        """Take a SciPy matrix in CSR or CSC form, sorted and without duplicates, float32 or float64."""
        n_rows, n_columns = matrix.shape
        vars(self).update(n_rows=n_rows, n_columns=n_columns, whole=whole, n_stored=len(matrix.data))
        vars(self)["by_rows" if matrix.format == "csr" else "by_columns"] = matrix

    @cached_property
    def by_columns(self) -> Any:
        """The cells as SciPy keeps them, column by column,"""
        return self.by_rows.tocsc()

    @cached_property
    def by_rows(self) -> Any:  # type: ignore[override]
        """and row by row."""
        return self.by_columns.tocsr()

    @cached_property
    def first(self) -> np.ndarray:
        """int64 (columns + 1): where each column's cells begin."""
        first: np.ndarray = self.by_columns.indptr.astype(np.int64)
        return first

    @cached_property
    def rows(self) -> np.ndarray:
        """int32: their rows, ascending in each column."""
        rows: np.ndarray = self.by_columns.indices.astype(np.int32, copy=False)
        return rows

    @property
    def values(self) -> np.ndarray:
        """Their values."""
        values: np.ndarray = self.by_columns.data
        return values

    @property
    def dtype(self) -> Any:
        """float32 or float64."""
        return self.by_rows.dtype if "by_rows" in vars(self) else self.by_columns.dtype

    @cached_property
    def panels(self) -> tuple[Panel, ...]:  # type: ignore[override]
        """The table laid out, for those who know no better."""
        if self.n_rows * self.n_columns > _MOST_CELLS:
            raise ValueError(
                f"this sparse matrix of {self.n_rows:,} rows and {self.n_columns:,} columns must be converted to a "
                "dense array here, and is too large for that. Use fewer columns, or reduce them with TruncatedSVD."
            )
        return (Panel(self.by_rows.toarray(), tuple(range(self.n_columns))),)

    def column(self, index: int) -> np.ndarray:
        """Return one column, laid out."""
        part = slice(self.first[index], self.first[index + 1])
        column = np.zeros(self.n_rows, self.dtype)
        column[self.rows[part]] = self.values[part]
        return column

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """From the stored cells and the number of zeros; some rows of an opened table have the bins of all."""
        if self.whole is not None:
            learnt: Bins = self.whole.bins(max_bins, team)
            return learnt
        from spinney.data.sparse_encode import learn_sparse_bins

        return learn_sparse_bins(self, counts, max_bins, team)

    def codes(self, bins: Bins, team: Team, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Encoded as lists, then laid out."""
        from spinney.data.sparse_encode import encode_sparse

        rows = start, self.n_rows if stop is None else stop
        return encode_sparse(self, bins, team).lay_out(np.arange(self.n_columns), *rows)

    def encode(self, bins: Bins | None, team: Team) -> SparseCodes | SparseTable:
        """As lists."""
        from spinney.data.sparse_encode import encode_sparse

        return self if bins is None else encode_sparse(self, bins, team)

    def encode_dataset(self, bins: Bins, team: Team) -> SparseDataset:
        """As lists."""
        from spinney.data.sparse_encode import SparseDataset, encode_sparse

        return SparseDataset(self.n_rows, bins, encode_sparse(self, bins, team))

    def exact_dataset(self, is_categorical: np.ndarray, counts: np.ndarray | None, team: Team) -> ExactDataset:
        """No."""
        raise ValueError(
            "max_bins=None supports only dense data in boosting, and X is sparse. Set max_bins=255, or fit on "
            "X.toarray()."
        )

    def sorted(self, is_categorical: np.ndarray, team: Team, how: Sorting = ALL_ROWS) -> SparseLists:
        """The stored cells in order: see sparse_presort.py."""
        from spinney.data.sparse_presort import presort_sparse

        lists = presort_sparse(self, team, how.bins)
        return lists if how.rows is None else lists.take(how.rows)

    def hashes(self) -> np.ndarray:
        """Those of the table laid out."""
        from spinney.data.row_hash import hashes_of_cells

        return hashes_of_cells(self.first, self.rows, self.values, self.n_rows)

    def ends(self, rows: np.ndarray | None) -> np.ndarray:
        """As of a dense table."""
        columns = (ends_of(self._distinct_cells(j, rows)[:, None]) for j in range(self.n_columns))
        return np.hstack([np.zeros((2, 0)), *columns])

    def _distinct_cells(self, index: int, rows: np.ndarray | None) -> np.ndarray:
        """All values of a column that differ, in some rows (None: all)."""
        part, n_rows = slice(self.first[index], self.first[index + 1]), self.n_rows
        values = self.values[part]
        if rows is not None:
            counts = np.zeros(self.n_rows, bool)
            counts[rows] = True
            values, n_rows = values[counts[self.rows[part]]], len(rows)
        return values if len(values) == n_rows else np.append(values, values.dtype.type(0.0))

    def take(self, rows: np.ndarray) -> SparseTable:
        """Some of the rows."""
        matrix = self.by_rows[rows]
        matrix.sort_indices()
        return SparseTable(matrix, self.whole)

    def take_columns(self, columns: np.ndarray) -> SparseTable:
        """Some of the columns, perhaps one twice."""
        return SparseTable(self.by_columns[:, columns])

    def code_blocks(self, bins: Bins, team: Team) -> Iterator[tuple[int, int, SparseCodes]]:
        """All at once: lists are short."""
        from spinney.data.sparse_encode import encode_sparse

        yield 0, self.n_rows, encode_sparse(self, bins, team)

    def blocks(self, trees: TreeOrTrees) -> Iterator[tuple[int, np.ndarray]]:
        """Laid out in memory that is used again. Only the columns asked about are filled in."""
        is_asked = np.zeros(self.n_columns, bool)
        is_asked[list(trees.columns_asked)] = True
        cells = self.by_rows
        at_once = max(1, min(self.n_rows, max(16, _BLOCK_CELLS // self.n_columns)))
        room = np.zeros((at_once, self.n_columns), self.dtype)
        for start in range(0, self.n_rows, at_once):
            stop = min(self.n_rows, start + at_once)
            part = slice(cells.indptr[start], cells.indptr[stop])
            of_row = np.repeat(np.arange(stop - start), np.diff(cells.indptr[start : stop + 1]))
            asked = is_asked[cells.indices[part]]
            places = of_row[asked], cells.indices[part][asked]
            room[places] = cells.data[part][asked]
            yield start, room[: stop - start]
            room[places] = 0.0


class SparseSource:
    """An opened sparse table."""

    def __init__(self, origin: Any, matrix: Any) -> None:
        """Take what was given, for its column names, and its cells, sorted and without duplicates."""
        self.origin, self._matrix = origin, matrix
        self.n_rows, self.n_columns = matrix.shape

    def is_labelled(self, index: int, with_booleans: bool = False) -> bool:
        """Sparse tables hold numbers."""
        return False

    def is_boolean(self, index: int) -> bool:
        """All columns are of one type."""
        return bool(self._matrix.dtype.kind == "b")

    def numbers(self, columns: Sequence[int], remedy: str) -> list[Panel]:
        """All columns."""
        return list(self.table().panels)

    def labels(self, index: int) -> DictionaryColumn:
        """There are none."""
        self.refuse_categories(index)

    def refuse_categories(self, index: int) -> NoReturn:
        """Raise: a column of categories cannot be read from here."""
        raise TypeError(
            f"X is sparse, but column {index} held categories when the model was fitted. Pass X.toarray(), or a "
            "DataFrame."
        )

    def table(self) -> Table:
        """The cells; laid out, if the table is small or full."""
        n_cells = self.n_rows * self.n_columns
        table = SparseTable(self._matrix)
        if n_cells > DENSE_CELLS and n_cells > FULL * table.n_stored:
            return table
        return Table(self.n_rows, self.n_columns, table.panels)


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of SciPy's."""
    return bool(issparse(X))


def open_sparse(X: Any, owner: str) -> SparseSource:
    """Open a matrix or an array of SciPy's, in whatever format."""
    checked = check_array(X, accept_sparse=True, dtype=None, ensure_all_finite=False, estimator=owner, input_name="X")
    return SparseSource(X, _canonical(checked))


def open_sparse_frame(frame: Any) -> SparseSource | None:
    """A pandas frame, if all its columns are sparse and leave out zeros; else None."""
    dtypes = getattr(frame, "dtypes", None)
    if not type(frame).__module__.startswith("pandas") or dtypes is None or len(dtypes) == 0:
        return None
    kinds = list(dtypes)
    if not all(hasattr(kind, "fill_value") and kind.kind in "biuf" and kind.fill_value == 0 for kind in kinds):
        return None
    return SparseSource(frame, _canonical(frame.sparse.to_coo()))


def _canonical(X: Any) -> Any:
    """CSR or CSC, sorted, without duplicates, in numbers that kernels read; X itself stays as it is."""
    matrix = X if X.format in ("csr", "csc") else X.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    kind = csr_array if matrix.format == "csr" else csc_array
    return kind((as_floats(matrix.data), matrix.indices, matrix.indptr), matrix.shape)


def refuse_sparse(X: Any, owner: str) -> None:
    """Raise if X is sparse and its owner needs every cell."""
    if issparse(X):
        raise TypeError(
            f"{owner} does not support sparse X. Pass X.toarray(), or create it with sparse_output=False "
            "(OneHotEncoder, ColumnTransformer: sparse_threshold=0)."
        )

"""Models of tables that hold numbers only: any table as one matrix. No algorithm in here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from spinney.data.finite import NotFiniteError
from spinney.data.schema import Schema, learn_names
from spinney.data.sparse import SparseSource, SparseTable
from spinney.data.tables import Panel, Source
from spinney.distributed.collections import is_remote
from spinney.estimators.base import TableModel, all_or_nothing

_COPIES = 4.0  # of the rows on a worker that fits them all


class MatrixModel(TableModel):
    """A model of rows of numbers."""

    _takes_missing = False
    _takes_categories = False

    def _fit_remote(self, X: Any, sample_weight: Any) -> Self:
        """Fit a dask collection: its rows go to one worker, if they fit there, which fits them all."""
        from spinney.distributed.gathered import fit_on_a_worker

        if not is_remote(X):
            raise TypeError("sample_weight is a dask collection, but X is not: pass .compute() of it.")
        with all_or_nothing(self):
            n_groups = int(getattr(self, "n_clusters" if hasattr(self, "n_clusters") else "n_components"))
            fit_on_a_worker(self, X, sample_weight, _COPIES, 8 * (n_groups + 4))
        return self

    def _learn_matrix(self, X: Any) -> tuple[Schema, np.ndarray]:
        """The columns of X and its values, float32 if all of them fit and else float64; NaN where missing."""
        schema, source = self._learn_source(X)
        return schema, self._lay_out(source)

    def _learn_cells(self, X: Any) -> tuple[Schema, Any]:
        """The same; but a large sparse table stays a sparse matrix of SciPy's, in CSR form."""
        schema, source = self._learn_source(X)
        if isinstance(source, SparseSource) and isinstance(table := source.table(), SparseTable):
            return schema, table.by_rows
        return schema, self._lay_out(source)

    def _learn_source(self, X: Any) -> tuple[Schema, Source]:
        self._check_sparse(X)
        return learn_names(X, type(self).__name__)

    def _lay_out(self, source: Source) -> np.ndarray:
        remedy = f"{type(self).__name__} needs numbers: encode the column first, or drop it."
        return _as_matrix(source.numbers(range(source.n_columns), remedy), source.n_rows, source.n_columns)

    def _read_matrix(self, X: Any) -> np.ndarray:
        """The values of a table like that of fit."""
        table = self._read(X)
        return _as_matrix(table.panels, table.n_rows, table.n_columns)

    def _read_cells(self, X: Any) -> Any:
        """The same; but a large sparse table stays a sparse matrix of SciPy's, in CSR form."""
        table = self._read(X)
        if isinstance(table, SparseTable):
            return table.by_rows
        return _as_matrix(table.panels, table.n_rows, table.n_columns)


@contextmanager
def columns_named(names: Any) -> Iterator[None]:
    """An error about a value that is missing or infinite names its column."""
    try:
        yield
    except NotFiniteError as error:
        raise error.named(names) from None


def _as_matrix(panels: Sequence[Panel], n_rows: int, n_columns: int) -> np.ndarray:
    """One block of memory, row by row; not copied where it is that already."""
    if len(panels) == 1:
        return np.ascontiguousarray(panels[0].values)
    is_single = all(panel.values.dtype == np.float32 for panel in panels)
    matrix = np.empty((n_rows, n_columns), np.float32 if is_single else np.float64)
    for panel in panels:
        matrix[:, panel.columns] = panel.values
    return matrix

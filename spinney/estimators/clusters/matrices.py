"""Models of numeric data only: any table as one matrix. No algorithm in here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from spinney.data.finite import NotFiniteError
from spinney.data.remote_table import is_remote
from spinney.data.schema import Schema, learn_names
from spinney.data.sparse import SparseSource
from spinney.data.tables import TableSource, as_matrix
from spinney.distributed.collections import vector_here
from spinney.estimators.base import TableModel, all_or_nothing

_COPIES = 4.0  # of the rows on a worker that fits them all


class MatrixModel(TableModel):
    """Base class of models of numeric rows."""

    _takes_missing = False
    _takes_categories = False

    def _fit_remote(self, X: Any, sample_weight: Any) -> Self:
        """Fit a dask collection on one worker, if its rows fit into the memory of one."""
        from spinney.distributed.gathered import fit_on_a_worker, size_of
        from spinney.distributed.table import DaskTable

        if not is_remote(X):
            raise TypeError("sample_weight is a dask collection, but X is not. Pass sample_weight.compute().")
        with all_or_nothing(self):
            weight, table = vector_here(sample_weight, "sample_weight"), DaskTable(X)
            n_groups = int(getattr(self, "n_clusters" if hasattr(self, "n_clusters") else "n_components"))
            size = size_of(table, type(self).__name__)
            fit_on_a_worker(self, table, size, weight, _COPIES, 8 * (n_groups + 4))
        return self

    def _learn_matrix(self, X: Any) -> tuple[Schema, np.ndarray]:
        """The columns of X and its values, float32 if all of them fit and else float64; NaN where missing."""
        schema, source = self._learn_source(X)
        return schema, self._lay_out(source)

    def _learn_cells(self, X: Any) -> tuple[Schema, Any]:
        """The same, except that a large sparse table stays a SciPy CSR matrix."""
        schema, source = self._learn_source(X)
        if isinstance(source, SparseSource) and (table := source.table()).is_sparse:
            return schema, table.by_rows
        return schema, self._lay_out(source)

    def _learn_source(self, X: Any) -> tuple[Schema, TableSource]:
        self._check_sparse(X)
        return learn_names(X, type(self).__name__)

    def _lay_out(self, source: TableSource) -> np.ndarray:
        remedy = f"{type(self).__name__} needs numbers: encode the column first, or drop it."
        return as_matrix(source.numbers(range(source.n_columns), remedy), source.n_rows, source.n_columns)

    def _read_matrix(self, X: Any) -> np.ndarray:
        """The values of a table with the columns of fit."""
        table = self._read(X)
        return as_matrix(table.panels, table.n_rows, table.n_columns)

    def _read_cells(self, X: Any) -> Any:
        """The same, except that a large sparse table stays a SciPy CSR matrix."""
        table = self._read(X)
        if table.is_sparse:
            return table.by_rows
        return as_matrix(table.panels, table.n_rows, table.n_columns)


@contextmanager
def columns_named(names: Any) -> Iterator[None]:
    """An error about a value that is missing or infinite names its column."""
    try:
        yield
    except NotFiniteError as error:
        raise error.named(names) from None

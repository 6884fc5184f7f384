"""Models of tables that hold numbers only: any table as one matrix. No algorithm in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from spinney.data.schema import Schema, learn_names
from spinney.data.tables import Panel
from spinney.data.weights import Weights, read_weights

if TYPE_CHECKING:
    from spinney._team import Team

_SMALL_WORK = 1 << 20  # multiplications below which one thread, in place, is quickest


class MatrixModel(BaseEstimator):
    """A model of rows of numbers."""

    _schema: Schema

    def _learn_matrix(self, X: Any) -> tuple[Schema, np.ndarray]:
        """The columns of X and its values, float32 if all of them fit and else float64; NaN where missing."""
        owner = type(self).__name__
        schema, source = learn_names(X, owner)
        remedy = f"{owner} needs numbers: encode the column first, or drop it."
        return schema, _as_matrix(source.numbers(range(source.n_columns), remedy), source.n_rows, source.n_columns)

    def _read_matrix(self, X: Any) -> np.ndarray:
        """The values of a table like that of fit."""
        check_is_fitted(self)
        table = self._schema.read(X, type(self).__name__)
        return _as_matrix(table.panels, table.n_rows, table.n_columns)

    def _read_weights(self, sample_weight: Any, n_rows: int) -> Weights:
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
        return read_weights(sample_weight, n_rows)

    def _keep_names(self, schema: Schema) -> None:
        self._schema = schema
        self.n_features_in_ = schema.n_columns
        if schema.names is not None:
            self.feature_names_in_ = schema.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _team(self, work: int) -> Team:
        """As many threads as n_jobs says; for little work (multiplications) none but ours."""
        from spinney._team import Team, available_threads

        is_small = work < _SMALL_WORK
        return Team(1 if is_small else available_threads(getattr(self, "n_jobs", None)), inline=is_small)


def _as_matrix(panels: Sequence[Panel], n_rows: int, n_columns: int) -> np.ndarray:
    """One block of memory, row by row; not copied where it is that already."""
    if len(panels) == 1:
        return np.ascontiguousarray(panels[0].values)
    is_single = all(panel.values.dtype == np.float32 for panel in panels)
    matrix = np.empty((n_rows, n_columns), np.float32 if is_single else np.float64)
    for panel in panels:
        matrix[:, panel.columns] = panel.values
    return matrix

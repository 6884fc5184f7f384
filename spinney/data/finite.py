"""Values that a model cannot use: the message about the first one.

In: a matrix of numbers with a NaN or an infinity in it. Out: a `NotFiniteError` that names the column and the remedy.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class NotFiniteError(ValueError):
    """A value is missing or infinite; `column` is the number of its column."""

    def __init__(self, row: int, column: int, value: float, name: Any = None) -> None:
        self.row, self.column, self.value = row, column, value
        what = "NaN" if np.isnan(value) else "infinity"
        remedy = (
            "Impute it first (sklearn.impute.SimpleImputer), or drop such rows; GaussianMixture and "
            "BayesianGaussianMixture accept missing values directly."
            if np.isnan(value)
            else "Replace it, or drop such rows."
        )
        place = f"column {column}" if name is None else f"column {name!r}"
        super().__init__(f"Input X contains {what}, first in {place}, row {row}. {remedy}")

    def __reduce__(self) -> Any:
        return type(self), (self.row, self.column, self.value)

    def named(self, names: Any) -> NotFiniteError:
        """The same error with the column's name, if columns have names."""
        if names is None:
            return self
        return NotFiniteError(self.row, self.column, self.value, str(names[self.column]))


def refuse_not_finite(values: np.ndarray, may_be_missing: bool = False) -> None:
    """Raise if a value is infinite, or missing where that may not be."""
    bad = np.isinf(values) if may_be_missing else ~np.isfinite(values)
    if bad.any():
        column = int(bad.any(axis=0).argmax())
        row = int(bad[:, column].argmax())
        raise NotFiniteError(row, column, float(values[row, column]))


def refuse_not_finite_cells(rows: Any) -> None:
    """The same for a sparse table in SciPy's CSR form."""
    bad = np.flatnonzero(~np.isfinite(rows.data))
    if len(bad):
        first = bad[rows.indices[bad].argmin()]  # of the first such column the first row
        row = int(np.searchsorted(rows.indptr, first, side="right")) - 1
        raise NotFiniteError(row, int(rows.indices[first]), float(rows.data[first]))

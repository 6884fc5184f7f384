"""Arrays and lists of rows, opened: numbers are not copied where that can be avoided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_array

from spinney.data.columns import ColumnSource
from spinney.data.objects import read_objects, refuse
from spinney.data.tables import NATIVE_FLOATS, Labels, Numbers, Panel, Source, as_floats


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

    def labels(self, index: int) -> Labels:
        """Each distinct number is a label."""
        missing = None if self.missing is None else self.missing[:, index]
        return Numbers(self.origin[:, index], missing).labels()

    def _panel(self, run: range) -> Panel:
        part = slice(run.start, run.stop)
        missing = None if self.missing is None else self.missing[:, part]
        return Panel(as_floats(self.origin[:, part], missing), tuple(run))


def is_plain(X: Any) -> bool:
    """The common case, which needs none of the checks."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in NATIVE_FLOATS and X.size > 0


def check_shape(X: Any, owner: str) -> np.ndarray:
    return check_array(X, dtype=None, ensure_all_finite=False, estimator=owner, input_name="X")


def open_array(X: Any, owner: str) -> Source:
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

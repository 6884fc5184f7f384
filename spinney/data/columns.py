"""Tables whose columns are read one by one: frames, and arrays of Python objects. Adjacent columns are joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from spinney.data.tables import Labels, Numbers, Panel, as_floats


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
        if isinstance(column, Labels) and column.refusal:
            raise TypeError(column.refusal)
        return isinstance(column, Labels) or (with_booleans and column.values.dtype.kind == "b")

    def is_boolean(self, index: int) -> bool:
        """Read the column to see."""
        column = self._waiting[index] = self._take(index)
        return isinstance(column, Numbers) and bool(column.values.dtype.kind == "b")

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

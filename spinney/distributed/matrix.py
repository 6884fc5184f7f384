"""A collection of numbers as matrices that stay with the workers, cut into blocks as a fit wants them.

In:  a `DaskTable`. Out: `RemoteMatrix`: one matrix per partition, what is known of all of them, pieces that begin
and end at given rows. Sums of real numbers depend on where rows are divided: a fit that cuts its rows where one machine
would adds up the same numbers. The rows that a cut takes from the next partition are sent, all others stay.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spinney.cluster.kmeans import unit_rows
from spinney.data.schema import Schema, learn_names
from spinney.data.tables import as_matrix
from spinney.data.weights import Weights
from spinney.distributed.dataset import Piece
from spinney.distributed.table import DaskTable, join_schemas
from spinney.distributed.tasks import let_go, run_all, submit_all

Place = tuple[int, int, float]  # column, row and value


class Numbers(NamedTuple):
    """What a partition's matrix is like."""

    n_rows: int
    is_single: bool  # float32 holds all values
    schema: Schema | None  # names of the columns; None without rows
    not_finite: Place | None  # the first one, by columns
    infinite: Place | None
    missing: bool
    zero: int | None  # the first row that holds zeros only


class RemoteMatrix:
    """Partitions as matrices of numbers."""

    def __init__(self, table: DaskTable, owner: str, on_sphere: bool = False) -> None:
        """`on_sphere`: rows become directions."""
        self.client = table.client
        calls = [(one, owner, on_sphere) for one in table.partitions]
        self.partitions = submit_all(self.client, read_matrix, calls, "numbers")
        self._cut: list[Any] = []  # futures of blocks and their parts, for `close`
        try:
            described = [(one, part, owner) for one, part in zip(self.partitions, table.partitions)]
            about: list[Numbers] = run_all(self.client, describe_matrix, described, "schema")
        except BaseException:
            self.close()
            raise
        table.partitions.clear()  # Dask makes them anew if their matrices are lost
        self.starts = np.cumsum([0, *(one.n_rows for one in about)])
        self.n_rows = int(self.starts[-1])
        self.schema = join_schemas([one.schema for one in about if one.schema is not None])
        self.n_columns = self.schema.n_columns
        self.dtype = np.dtype(np.float32 if all(one.is_single for one in about if one.n_rows) else np.float64)
        self.has_missing = any(one.missing for one in about)
        zeros = [first + one.zero for first, one in zip(self.starts.tolist(), about) if one.zero is not None]
        self.first_zero: int | None = min(zeros, default=None)
        self.not_finite = self._first([one.not_finite for one in about])
        self.infinite = self._first([one.infinite for one in about])

    def _first(self, places: list[Place | None]) -> Place | None:
        """The first of the partitions' places in the whole table, by columns."""
        pairs = zip(self.starts.tolist(), places)
        found = [(place[0], begin + place[1], place[2]) for begin, place in pairs if place is not None]
        return min(found, default=None, key=lambda one: one[:2])

    def rows(self, first: int, step: int) -> np.ndarray:
        """Rows first, first + step, ... of the whole table, brought here."""
        calls = [(one, (first - begin) % step, step) for one, begin in zip(self.partitions, self.starts.tolist())]
        found = run_all(self.client, _every, calls, "sample")
        return np.ascontiguousarray(np.concatenate([one.astype(self.dtype, copy=False) for one in found]))

    def cut_at(self, cuts: np.ndarray) -> list[Piece]:
        """Pieces that begin and end at cuts, ascending from 0 to the number of rows: about one per partition."""
        ends = cuts[np.searchsorted(cuts, self.starts)]
        return self.pieces_between(np.unique(ends))

    def pieces_between(self, cuts: np.ndarray) -> list[Piece]:
        """A piece from each cut to the next."""
        return [Piece(self._block(a, b), a, b - a, None) for a, b in pairwise(cuts.tolist())]

    def _block(self, begin: int, end: int) -> Any:
        """The rows begin to end as one matrix."""
        found, k = [], int(np.searchsorted(self.starts, begin, side="right")) - 1
        while self.starts[k] < end:
            part, first, last = self.partitions[k], int(self.starts[k]), int(self.starts[k + 1])
            if begin > first or last > end:
                part = self.submit(_slice, "slice", part, max(0, begin - first), min(last, end) - first)
            found += [part] if first < last else []
            k += 1
        return self.submit(_joined, "block", self.dtype, *found)

    def submit(self, function: Any, name: str, *args: Any) -> Any:
        """A future of something that is let go of with the matrices."""
        self._cut += submit_all(self.client, function, [args], name)
        return self._cut[-1]

    def filled(self, origin: np.ndarray) -> RemoteMatrix:
        """The same in float64, with these numbers in place of missing ones."""
        found = copy(self)
        found.partitions = submit_all(self.client, _fill, [(one, origin) for one in self.partitions], "filled")
        found.dtype, found.not_finite, found._cut = np.dtype(np.float64), None, []
        return found

    def close(self) -> None:
        """Leave neither matrices nor blocks."""
        for futures in (self._cut, self.partitions):
            let_go(self.client, futures)


def weights_of(pieces: list[Piece], weights: Weights) -> Weights:
    """Those of the rows of some pieces."""
    spans = [slice(one.begin, one.begin + one.n_rows) for one in pieces]
    return Weights(*(None if part is None else np.concatenate([part[span] for span in spans]) for part in weights))


def in_order_of_rows(parts: list[tuple[list[Piece], np.ndarray]], n_rows: int) -> np.ndarray:
    """What each member found for the rows of its pieces -> one number per row of the table."""
    out = np.empty(n_rows, parts[0][1].dtype)
    for pieces, values in parts:
        place = 0
        for one in pieces:
            out[one.begin : one.begin + one.n_rows] = values[place : place + one.n_rows]
            place += one.n_rows
    return out


# --- on the workers --------------------------------------------------------------------------------------------------


def read_matrix(part: Any, owner: str, on_sphere: bool) -> np.ndarray:
    """A partition as a matrix, row by row, of float32 or float64; NaN where missing."""
    if not len(part):
        return np.empty((0, part.shape[1]), np.float32)
    _, source = learn_names(part, owner)
    remedy = f"{owner} needs numbers: encode the column first, or drop it."
    values = as_matrix(source.numbers(range(source.n_columns), remedy), source.n_rows, source.n_columns)
    return unit_rows(values) if on_sphere else values


def describe_matrix(values: np.ndarray, part: Any, owner: str) -> Numbers:
    """What a matrix is like, and how the columns of its partition are called."""
    if not len(values):
        return Numbers(0, True, None, None, None, False, None)
    not_finite, infinite = _first_of(values, ~np.isfinite(values)), _first_of(values, np.isinf(values))
    empty = np.flatnonzero(~values.any(axis=1))
    zero = int(empty[0]) if len(empty) else None
    is_single, missing = values.dtype == np.float32, bool(np.isnan(values).any())
    return Numbers(len(values), is_single, learn_names(part, owner)[0], not_finite, infinite, missing, zero)


def _first_of(values: np.ndarray, bad: np.ndarray) -> Place | None:
    if not bad.any():
        return None
    column = int(bad.any(axis=0).argmax())
    row = int(bad[:, column].argmax())
    return column, row, float(values[row, column])


def _every(values: np.ndarray, first: int, step: int) -> np.ndarray:
    return values[first::step]


def _fill(values: np.ndarray, origin: np.ndarray) -> np.ndarray:
    values = values.astype(np.float64, copy=False)
    return np.where(np.isnan(values), origin, values)


def _slice(values: np.ndarray, begin: int, end: int) -> np.ndarray:
    return values[begin:end]


def _joined(dtype: np.dtype, *parts: np.ndarray) -> np.ndarray:
    """One block; a part itself where nothing is to be done."""
    if len(parts) == 1:
        return np.ascontiguousarray(parts[0], dtype)
    return np.concatenate([one.astype(dtype, copy=False) for one in parts])

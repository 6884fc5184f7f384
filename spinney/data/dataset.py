"""The frozen, encoded table that trees grow on.

    codes    (columns, rows) uint8: one column's codes side by side, for partitioning rows
    layout   how a fit lays the same codes out row by row, for histograms

A row is some *lanes* of a byte each, filled up to whole words of four. A wide column has a lane to itself; narrow ones
share a lane as the digits of one number, as long as it stays below 256. Eight Booleans then take one histogram update
instead of eight:

    byte of a lane = code of its first column + divisor of the second * code of the second + ...

One more word ends the row. There a fit writes the row's statistics: whoever reads the codes has them in the same cache
line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._team import Team
from spinney.data.encode import MAX_BINS, Bins, learn_bins, pieces_of
from spinney.data.presort import Presorted
from spinney.data.remote_table import RemoteCodes
from spinney.data.row_hash import end_key, mix_code
from spinney.data.sparse_encode import SparseCodes
from spinney.data.tables import Panel, Table, as_matrix

LANES = 4  # bytes in a word
MOST_ROWS = 2**31 - 1
_LINE = 64  # bytes in a cache line
# Places between lanes in the histogram of all lanes. Not 256: with lanes 2,048 bytes apart, the same bin of many lanes
# would fall into one set of the first-level cache.
STRIDE = 264
_MOST = 256  # values of a byte


class WordLayout(NamedTuple):
    """Where codes lie in words and bins in histograms."""

    n_words: int  # of a row, with the last one, for its statistics
    members: np.ndarray  # int32, the columns by lane
    first_member: np.ndarray  # int64, where each lane's begin in `members`, and where the last one's end
    lane: np.ndarray  # int64, lane of each column
    divisor: np.ndarray  # int64, what each column's code is multiplied by
    lane_slots: np.ndarray  # int64, per column, values that its lane's byte can have
    column_start: np.ndarray  # int64, first place of each column in the histogram of a node
    n_slots: np.ndarray  # int32, places that a column uses: its bins, and missing if any row lacks it
    n_bins: np.ndarray  # int32, bins of each column without the one for missing
    size: int  # places in the histogram of a node


@dataclass(frozen=True)
class Dataset:
    """An encoded table. Build it with `encode_dataset`, a method of every table."""

    n_rows: int
    bins: Bins
    codes: np.ndarray
    layout: WordLayout

    @property
    def n_columns(self) -> int:
        return self.bins.n_columns

    def row_keys(self, team: Team) -> np.ndarray:
        """One hash a row, of its codes: equal rows have equal keys, in whatever order the table is."""
        keys = np.empty(self.n_rows, np.uint32)
        team.map(lambda piece: _hash_rows(self.codes, keys, *piece), pieces_of(self.n_rows, team.size))
        return keys

    def take(self, rows: np.ndarray) -> Dataset:
        """The same encoding of some of the rows (bins and layout stay as they are)."""
        return Dataset(len(rows), self.bins, np.ascontiguousarray(self.codes[:, rows]), self.layout)


def check_rows(n_rows: int, what: str) -> None:
    """Raise where rows cannot be numbered: cells may be any number, rows have numbers of 31 bits."""
    if n_rows > MOST_ROWS:
        raise ValueError(
            f"{what} supports at most {MOST_ROWS:,} rows on one machine, got {n_rows:,}. Use a sample of the rows, or "
            "a cluster (docs/scaling.md)."
        )


def encode_dataset(table: Table, bins: Bins, team: Team) -> Dataset:
    """Encode a dense table for training; any table has `encode_dataset`."""
    check_rows(table.n_rows, "boosting")
    codes = table.codes(bins, team)
    return Dataset(table.n_rows, bins, codes, make_layout(bins, _has_missing(codes, bins, team)))


def take_rows(
    codes: np.ndarray | SparseCodes | Table | RemoteCodes, rows: np.ndarray | None
) -> np.ndarray | SparseCodes | Table:
    """Some rows of an encoded table; None: all of them, not copied where they are here."""
    if isinstance(codes, np.ndarray):
        return codes if rows is None else np.ascontiguousarray(codes[:, rows])
    return codes.all() if rows is None else codes.take(rows)


def make_layout(bins: Bins, has_missing: np.ndarray) -> WordLayout:
    """Give every column its place in a lane."""
    n_slots = (bins.n_bins + has_missing).astype(np.int32)
    lanes = _share_lanes(n_slots)
    lane, divisor, lane_slots = (np.empty(len(n_slots), np.int64) for _ in range(3))
    for place, columns in enumerate(lanes):
        sizes = _digits(n_slots)[columns]
        lane[columns], lane_slots[columns] = place, sizes.prod()
        divisor[columns] = np.cumprod(sizes) // sizes
    start = np.concatenate(([0], np.cumsum(-(-n_slots // 8) * 8))).astype(np.int64)
    return WordLayout(
        n_words=-(-len(lanes) // LANES) + 1,
        members=np.concatenate(lanes).astype(np.int32),
        first_member=np.cumsum([0] + [len(columns) for columns in lanes]),
        lane=lane,
        divisor=divisor,
        lane_slots=lane_slots,
        column_start=start[:-1],
        n_slots=n_slots,
        n_bins=bins.n_bins,
        size=int(start[-1]),
    )


def _digits(n_slots: np.ndarray) -> np.ndarray:
    """What a column's code counts to in a lane: at least two, so that only a lone column fills its lane."""
    return np.maximum(n_slots, 2).astype(np.int64)


def _share_lanes(n_slots: np.ndarray) -> list[np.ndarray]:
    """The columns of each lane, the widest first: every column joins the first lane that has room for it."""
    lanes: list[list[int]] = []
    used: list[int] = []
    with_room: list[int] = []
    sizes = _digits(n_slots)
    for column in np.argsort(-n_slots, kind="stable"):
        slots = int(sizes[column])
        at = next((k for k in with_room if used[k] * slots <= _MOST), None)
        if at is None:
            at = len(lanes)
            lanes.append([])
            used.append(1)
            with_room.append(at)
        lanes[at].append(int(column))
        used[at] *= slots
        if 2 * used[at] > _MOST:
            with_room.remove(at)
    return [np.array(columns) for columns in lanes]


def aligned(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """An empty array that begins with a cache line, so that a row of 32 bytes never lies in two of them."""
    dtype = np.dtype(dtype)
    n_bytes = int(np.prod(shape)) * dtype.itemsize
    buffer = np.empty(n_bytes + _LINE, np.uint8)
    first = -buffer.ctypes.data % _LINE
    return buffer[first : first + n_bytes].view(dtype).reshape(shape)


def records(shape: Any, dtype: np.dtype) -> Any:
    """A zeroed table of records."""
    table = aligned(shape, dtype)
    table.view(np.uint8)[...] = 0
    return table


def pack_words(dataset: Dataset, team: Team) -> np.ndarray:
    """(rows * words of a row) uint32: row-major lanes from column-major codes; the rows' last words are zero."""
    layout = dataset.layout
    words = aligned(dataset.n_rows * layout.n_words, np.uint32)
    rows = words.view(np.uint8).reshape(dataset.n_rows, -1)
    members, divisor = layout.members, layout.divisor.astype(np.uint8)
    team.map(
        lambda piece: _pack(dataset.codes, members, layout.lane[members], divisor[members], rows, *piece),
        pieces_of(dataset.n_rows, team.size),
    )
    return words


def _has_missing(codes: np.ndarray, bins: Bins, team: Team) -> np.ndarray:
    return np.array(team.map(lambda j: bool((codes[j] == bins.n_bins[j]).any()), range(len(codes))), bool)


@kernel
def _hash_rows(codes, keys, start, stop):
    """Column by column, block by block so that the keys are still in the cache."""
    for block in range(start, stop, 4096):
        part = keys[block : min(stop, block + 4096)]
        for i in range(part.size):
            part[i] = 0
        for j in range(codes.shape[0]):
            column = codes[j, block : block + part.size]
            for i in range(part.size):
                part[i] = mix_code(part[i], column[i])
        for i in range(part.size):
            part[i] = end_key(part[i])


@kernel
def _pack(codes, members, lanes, divisor, rows, start, stop):
    """rows[i, lane] = the lane's byte, block by block so that the columns' lines are still in the cache."""
    for block in range(start, stop, 1024):
        part = rows[block : min(stop, block + 1024)]
        for i in range(part.shape[0]):
            for byte in range(part.shape[1]):
                part[i, byte] = 0
        for m in range(members.size):
            column, lane, factor = codes[members[m], block : block + part.shape[0]], lanes[m], divisor[m]
            for i in range(part.shape[0]):
                part[i, lane] += np.uint8(column[i] * factor)


# ----------------------------------------------------------------------------------------------------------------------
# A table that boosting with exact thresholds grows on: its values, and the same sorted column by column.
#
# In: a `Table`. Out: `ExactDataset`, which stands where `Dataset` stands for bins: trees ask about values, so that what
# rows are sent down trees by (`codes`) is the table itself. Numbers are sorted once (presort.py), at first need.
# Categories have codes as in bins (encode.py): past the most frequent ones all rare categories share one.


class ExactDataset:
    """A table with the codes of its categories. Build it with `exact_dataset`, a method of every table."""

    bins = None  # what a store of trees has for questions about values

    def __init__(self, table: Table, is_categorical: np.ndarray, category_codes: tuple[np.ndarray, ...]) -> None:
        self.codes, self.n_rows, self.n_columns = table, table.n_rows, table.n_columns
        self.is_categorical, self.category_codes = is_categorical, category_codes  # uint8 by category, per column
        self._presorted: Presorted | None = None

    @cached_property
    def values(self) -> Table:
        """The table in memory: a part of an opened one would be gathered again at every look."""
        return Table(self.n_rows, self.n_columns, self.codes.panels)

    def take(self, rows: np.ndarray) -> ExactDataset:
        """The same of some of the rows."""
        return ExactDataset(self.codes.take(rows), self.is_categorical, self.category_codes)

    def presorted(self, team: Team) -> Presorted:
        """Its columns in order. Nobody may write to them."""
        if self._presorted is None:
            self._presorted = self.codes.sorted(self.is_categorical, team)
        return self._presorted


def open_exact(table: Table, is_categorical: np.ndarray, counts: np.ndarray | None, team: Team) -> ExactDataset:
    """Open a dense table; `counts` says how often rows count when categories are given their codes."""
    chosen = np.flatnonzero(is_categorical)
    codes: list[Any] = [np.empty(0, np.uint8)] * table.n_columns
    if len(chosen):
        whole = Table(table.n_rows, table.n_columns, table.panels)
        learnt = learn_bins(whole.take_columns(chosen), np.ones(len(chosen), bool), counts, MAX_BINS, team)
        for j, own in zip(chosen.tolist(), learnt.category_codes):
            codes[j] = own
    return ExactDataset(table, np.asarray(is_categorical, bool), tuple(codes))


# ----------------------------------------------------------------------------------------------------------------------
# Codes and values: trees that are chosen by codes, with leaves that are fitted to the values.


class ValuedDataset:
    """An encoded table with its numbers beside the codes; the trees that it is for ask about values."""

    bins = None  # what a store of trees has for questions about values

    def __init__(self, coded: Dataset, codes: Table) -> None:
        self.coded, self.codes = coded, codes  # `codes` are what trees ask about: the table, in one panel
        self.n_rows, self.n_columns = coded.n_rows, coded.n_columns

    def row_keys(self, team: Team) -> np.ndarray:
        """Those of the codes."""
        return self.coded.row_keys(team)

    def take(self, rows: np.ndarray) -> ValuedDataset:
        """The same of some of the rows."""
        return ValuedDataset(self.coded.take(rows), self.codes.take(rows))


def with_values(coded: Dataset, table: Table) -> ValuedDataset:
    """A dense table's codes and its numbers."""
    matrix = as_matrix(table.panels, table.n_rows, table.n_columns)
    return ValuedDataset(coded, Table(table.n_rows, table.n_columns, (Panel(matrix, tuple(range(table.n_columns))),)))

"""The frozen, encoded table that trees grow on.

    codes    (columns, rows) uint8: one column's codes side by side, for partitioning rows
    layout   how a fit lays the same codes out row by row, eight to a word, for histograms

A histogram is one long array; a column's bins stand together in it. So that narrow columns (a Boolean has two bins)
do not take 256 places, columns are packed into words by falling width, and a word's lanes stand a stride apart:

    word w, lane l, code c   ->   histogram[start of w + l * stride of w + c]

The last word of a row, the *tail*, has at most four columns in its lower half. In its upper half a fit writes the
row's statistics: whoever reads the codes has them in the same cache line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spinney._jit import kernel
from spinney._random import mix
from spinney._team import Team
from spinney.data.binning import Bins, _pieces
from spinney.data.tables import Table

LANES = 8  # codes in a word
_LINE = 64  # bytes in a cache line
# Few and constant, so that the hot loop knows them at compile time. Not 256 and 64: with rows of bins 2,048 bytes apart,
# the same bin of many columns would fall into one set of the first-level cache.
STRIDES = (264, 72, 16, 4)


class Runs(NamedTuple):
    """How many whole words have each stride, the widest first; then the tail, whose stride is the widest."""

    n_264: int
    n_72: int
    n_16: int
    n_4: int
    has_tail: bool  # whether it has columns
    n_words: int  # of a row, with the tail


class Layout(NamedTuple):
    """Where codes lie in words and bins in histograms."""

    lane_column: np.ndarray  # int32, word * 8 + lane -> column, -1 for padding
    runs: Runs  # the words by their stride
    word_start: np.ndarray  # int64, first histogram place of each word, and where the last one ends
    column_start: np.ndarray  # int64, first histogram place of each column
    n_slots: np.ndarray  # int32, histogram places a column uses: its bins, and missing if any row lacks it
    n_bins: np.ndarray  # int32, bins of each column without the one for missing
    size: int  # places in a histogram


@dataclass(frozen=True)
class Dataset:
    """An encoded table. Build it with `encode_dataset`."""

    n_rows: int
    bins: Bins
    codes: np.ndarray
    layout: Layout

    @property
    def n_columns(self) -> int:
        return self.bins.n_columns

    def take(self, rows: np.ndarray) -> Dataset:
        """The same encoding of some of the rows (bins and layout stay as they are)."""
        return Dataset(len(rows), self.bins, np.ascontiguousarray(self.codes[:, rows]), self.layout)


def encode_dataset(table: Table, bins: Bins, team: Team) -> Dataset:
    """Encode a table for training."""
    codes = bins.encode(table, team)
    return Dataset(table.n_rows, bins, codes, make_layout(bins, _has_missing(codes, bins, team)))


def make_layout(bins: Bins, has_missing: np.ndarray) -> Layout:
    """Pack columns into words by falling width (ties: in their own order)."""
    n_slots = (bins.n_bins + has_missing).astype(np.int32)
    order = np.argsort(-n_slots, kind="stable")
    n_whole, rest = divmod(len(order), LANES)
    in_tail = rest if rest <= LANES // 2 else 0
    n_words = n_whole + (rest > in_tail) + 1
    lane_column = np.full(n_words * LANES, -1, np.int32)
    lane_column[: len(order) - in_tail] = order[: len(order) - in_tail]
    lane_column[(n_words - 1) * LANES :][:in_tail] = order[len(order) - in_tail :]
    strides = np.array(STRIDES[::-1])
    widest = np.where(lane_column[::LANES] >= 0, n_slots[lane_column[::LANES]], 0)
    word_stride = strides[np.searchsorted(strides, widest)]
    word_stride[-1] = STRIDES[0] if in_tail else 0
    n_264, n_72, n_16, n_4 = (int((word_stride[:-1] == stride).sum()) for stride in STRIDES)
    runs = Runs(n_264, n_72, n_16, n_4, in_tail > 0, n_words)
    n_lanes = np.where(np.arange(n_words) < n_words - 1, LANES, LANES // 2)
    word_start = np.concatenate(([0], np.cumsum(word_stride * n_lanes)))
    column_start = np.empty(len(order), np.int64)
    lanes = np.flatnonzero(lane_column >= 0)
    column_start[lane_column[lanes]] = word_start[lanes // LANES] + lanes % LANES * word_stride[lanes // LANES]
    return Layout(lane_column, runs, word_start, column_start, n_slots, bins.n_bins, int(word_start[-1]))


def aligned(shape: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """An empty array that begins with a cache line, so that a row of 32 bytes never lies in two of them."""
    dtype = np.dtype(dtype)
    n_bytes = int(np.prod(shape)) * dtype.itemsize
    buffer = np.empty(n_bytes + _LINE, np.uint8)
    first = -buffer.ctypes.data % _LINE
    return buffer[first : first + n_bytes].view(dtype).reshape(shape)


def pack_words(dataset: Dataset, team: Team) -> np.ndarray:
    """(rows * words of a row) uint64: row-major words from column-major codes; the tails' upper halves are zero."""
    lanes = dataset.layout.lane_column
    words = aligned(dataset.n_rows * (len(lanes) // LANES), np.uint64)
    team.map(lambda piece: _pack(dataset.codes, lanes, words, *piece), _pieces(dataset.n_rows, team.size))
    return words


def row_keys(words: np.ndarray, n_words: int, team: Team) -> np.ndarray:
    """One hash a row, of its codes: equal rows have equal keys, in whatever order the table is."""
    keys = np.empty(len(words) // n_words, np.uint32)
    team.map(lambda piece: _hash_rows(words, n_words, keys, *piece), _pieces(len(keys), team.size))
    return keys


def _has_missing(codes: np.ndarray, bins: Bins, team: Team) -> np.ndarray:
    return np.array(team.map(lambda j: bool((codes[j] == bins.n_bins[j]).any()), range(len(codes))), bool)


@kernel
def _hash_rows(words, n_words, keys, start, stop):
    for i in range(start, stop):
        key = np.uint64(0)
        for w in range(n_words):
            key = mix(key, words[i * n_words + w])
        keys[i] = np.uint32(key >> np.uint64(32))


@kernel
def _pack(codes, lane_column, words, start, stop):
    """Eight codes to a word, block by block so that the columns' lines are still in the cache."""
    n_words = lane_column.size // LANES
    for block in range(start, stop, 1024):
        end = min(stop, block + 1024)
        for w in range(n_words):
            for i in range(block, end):
                words[i * n_words + w] = 0
            for lane in range(LANES):
                column = lane_column[w * LANES + lane]
                if column < 0:
                    continue
                shift = np.uint64(8 * lane)
                for i in range(block, end):
                    words[i * n_words + w] |= np.uint64(codes[column, i]) << shift

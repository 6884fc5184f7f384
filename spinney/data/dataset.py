"""The frozen, encoded table that trees grow on.

    codes    (columns, rows) uint8: one column's codes side by side, for partitioning rows
    words    (rows * words_per_row) uint64: one row's codes side by side, eight to a word, for histograms

A histogram is one long array; a column's bins stand together in it. So that narrow columns (a Boolean has two bins)
do not take 256 places, columns are packed into words by falling width, and a word's lanes stand 256, 64, 16 or 4 apart:

    word w, lane l, code c   ->   histogram[start of w + l * stride of w + c]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spinney._jit import kernel
from spinney._random import mix
from spinney._team import Team
from spinney.data.binning import Bins, _pieces
from spinney.data.tables import Table

LANES = 8  # codes in a word
STRIDES = (256, 64, 16, 4)  # few and constant, so that the hot loop knows them at compile time


class Runs(NamedTuple):
    """How many whole words have each stride, the widest first; a last word at most half full stands for itself."""

    n_256: int
    n_64: int
    n_16: int
    n_4: int
    half_tail: bool
    tail_stride: int


class Layout(NamedTuple):
    """Where codes lie in words and bins in histograms."""

    lane_column: np.ndarray  # int32, word * 8 + lane -> column, -1 for padding
    runs: Runs  # the words by their stride
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
    words: np.ndarray
    layout: Layout

    @property
    def n_columns(self) -> int:
        return self.bins.n_columns

    def take(self, rows: np.ndarray, team: Team) -> Dataset:
        """The same encoding of some of the rows (bins and layout stay as they are)."""
        codes = np.ascontiguousarray(self.codes[:, rows])
        return Dataset(len(rows), self.bins, codes, pack_words(codes, self.layout, team), self.layout)


def encode_dataset(table: Table, bins: Bins, team: Team) -> Dataset:
    """Encode a table for training."""
    codes = bins.encode(table, team)
    layout = make_layout(bins, _has_missing(codes, bins, team))
    return Dataset(table.n_rows, bins, codes, pack_words(codes, layout, team), layout)


def make_layout(bins: Bins, has_missing: np.ndarray) -> Layout:
    """Pack columns into words by falling width (ties: in their own order)."""
    n_slots = (bins.n_bins + has_missing).astype(np.int32)
    order = np.argsort(-n_slots, kind="stable")
    n_words = -(-len(order) // LANES)
    lane_column = np.full(n_words * LANES, -1, np.int32)
    lane_column[: len(order)] = order
    strides = np.array(STRIDES[::-1])
    word_stride = strides[np.searchsorted(strides, n_slots[order[::LANES]])]
    half_tail = 1 <= len(order) % LANES <= LANES // 2
    n_256, n_64, n_16, n_4 = (int((word_stride[: n_words - half_tail] == stride).sum()) for stride in STRIDES)
    runs = Runs(n_256, n_64, n_16, n_4, half_tail, int(word_stride[-1]))
    word_start = np.concatenate(([0], np.cumsum(word_stride * LANES)))
    column_start = np.empty(len(order), np.int64)
    place = np.arange(len(order))
    column_start[order] = word_start[place // LANES] + place % LANES * word_stride[place // LANES]
    return Layout(lane_column, runs, column_start, n_slots, bins.n_bins, int(word_start[-1]))


def pack_words(codes: np.ndarray, layout: Layout, team: Team) -> np.ndarray:
    """Row-major words from column-major codes."""
    n_rows = codes.shape[1]
    words = np.empty(n_rows * (len(layout.lane_column) // LANES), np.uint64)
    team.map(lambda piece: _pack(codes, layout.lane_column, words, *piece), _pieces(n_rows, team.size))
    return words


def row_keys(dataset: Dataset, team: Team) -> np.ndarray:
    """One hash a row, of its codes: equal rows have equal keys, in whatever order the table is."""
    keys = np.empty(dataset.n_rows, np.uint64)
    n_words = len(dataset.layout.lane_column) // LANES
    team.map(lambda piece: _hash_rows(dataset.words, n_words, keys, *piece), _pieces(len(keys), team.size))
    return keys


def _has_missing(codes: np.ndarray, bins: Bins, team: Team) -> np.ndarray:
    return np.array(team.map(lambda j: bool((codes[j] == bins.n_bins[j]).any()), range(len(codes))), bool)


@kernel
def _hash_rows(words, n_words, keys, start, stop):
    for i in range(start, stop):
        key = np.uint64(0)
        for w in range(n_words):
            key = mix(key, words[i * n_words + w])
        keys[i] = key


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

"""Sparse tables as the loop in sparse_grower.py sees them, and its memory.

A row is a list of *places*: where its codes stand in the histogram of a node, those of zeros left out. A histogram is
packed for nodes of any size: no place is shared by more rows than the packed form can hold. A column with more cells
than that has several *copies* of its bins, each for some of its cells. What the zeros' bin holds is the node's sums
minus all others, in integers, and so exact.

Columns are cut into *groups*. A thread sums a group's places of all rows of a node and searches its columns at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import kernel
from spinney._team import Team, next_chunk
from spinney.data.dataset import aligned, records
from spinney.data.sparse_codes import SparseCodes, SparseDataset
from spinney.grow.histogram.memory import CANDIDATE, DESK, NODE, STATE, Work

_POOL = 1 << 28  # bytes of all histograms, if a few of them fit
_FEWEST = 5  # histograms there is always room for: a node's, its children's and two more
_GROUP = 1 << 15  # places of a group: what is being summed stays in the second-level cache
_PER_ROW = 4  # entries of a row in a group, or it would take longer to find them than to add them

# What a kernel needs to know of a column.
COLUMN = np.dtype(
    [
        ("begin", np.int64),  # first place in the histogram of a node
        ("n_slots", np.int64),  # places of a copy: its bins, and missing if any row lacks it
        ("n_copies", np.int64),
        ("zero", np.int64),  # the code of zeros, whose place is always empty
        ("n_bins", np.int64),
        ("is_categorical", np.uint8),
        ("monotone", np.int64),  # 1 rising, -1 falling, 0 free
    ],
    align=True,
)


class SparseRows(NamedTuple):
    """The encoded table, as kernels see it."""

    words: np.ndarray  # uint32, by row: its statistics
    n_words: int  # 1, of a row
    first: np.ndarray  # uint32 (groups, rows + 1): where each row's places begin in its group
    places: np.ndarray  # uint32
    group_first: np.ndarray  # int64 (groups + 1): where each group's places begin,
    group_column: np.ndarray  # int64 (groups + 1): and its columns
    columns: Any  # COLUMN records
    listed: SparseCodes  # the same table, column by column
    column: np.ndarray  # uint8, by row: code ^ code of zeros in the column that a node is split by, else 0


def make_sparse_rows(dataset: SparseDataset, monotone: np.ndarray, block_rows: int, team: Team) -> SparseRows:
    """Lay the codes out row by row."""
    listed, n_rows, n_bins = dataset.codes, dataset.n_rows, dataset.bins.n_bins.astype(np.int64)
    sizes = np.diff(listed.first)
    columns = records(dataset.n_columns, COLUMN)
    columns["n_slots"] = n_bins + _has_missing(listed, n_bins)
    columns["n_copies"] = np.maximum(1, -(-sizes // block_rows))
    ends = np.cumsum(columns["n_slots"] * columns["n_copies"])
    columns["begin"], columns["zero"], columns["n_bins"] = (
        ends - columns["n_slots"] * columns["n_copies"],
        listed.zeros,
        n_bins,
    )
    columns["monotone"] = monotone if monotone.size else 0
    n_groups = _count_groups(int(ends[-1]), len(listed.rows), n_rows, team.size, dataset.n_columns)
    group_column = np.searchsorted(np.cumsum(sizes), np.arange(1, n_groups) * (len(listed.rows) / n_groups), "right")
    group_column = np.concatenate([[0], group_column, [dataset.n_columns]]).astype(np.int64)
    group_first = listed.first[group_column]
    first = np.zeros((n_groups, n_rows + 1), np.uint32)
    places = np.empty(len(listed.rows), np.uint32)
    team.run(_fill, listed, columns, group_column, block_rows, first, places)
    words, column = aligned(n_rows, np.uint32), np.zeros(n_rows, np.uint8)
    return SparseRows(words, 1, first, places, group_first, group_column, columns, listed, column)


def _has_missing(listed: SparseCodes, n_bins: np.ndarray) -> np.ndarray:
    column = np.repeat(np.arange(listed.n_columns), np.diff(listed.first))
    return np.bincount(column[listed.codes == n_bins[column]], minlength=listed.n_columns) > 0


def _count_groups(n_places: int, n_entries: int, n_rows: int, n_threads: int, n_columns: int) -> int:
    by_size = min(n_places // _GROUP, n_entries // (_PER_ROW * n_rows))
    return max(1, min(n_columns, max(by_size, 2 * n_threads if n_threads > 1 else 1)))


@kernel
def _fill(rank, size, sync, listed, columns, group_column, block_rows, first, places):
    """Each group's places, row by row; those of a row by column."""
    while True:
        g = next_chunk(sync)
        if g >= first.shape[0]:
            return
        begin, end = listed.first[group_column[g]], listed.first[group_column[g + 1]]
        starts, out = first[g], places[begin:end]
        for k in range(begin, end):
            starts[listed.rows[k] + 1] += np.uint32(1)
        for i in range(1, starts.size):
            starts[i] += starts[i - 1]
        for j in range(group_column[g], group_column[g + 1]):
            at, slots = columns[j].begin, columns[j].n_slots
            for k in range(listed.first[j], listed.first[j + 1]):
                row, copy = listed.rows[k], (k - listed.first[j]) // block_rows
                out[starts[row]] = at + copy * slots + listed.codes[k]
                starts[row] += np.uint32(1)
        for i in range(starts.size - 1, 0, -1):
            starts[i] = starts[i - 1]
        starts[0] = 0


def make_sparse_work(
    table: SparseRows, n_rows: int, max_leaves: int, n_threads: int, n_groups: int, pool: int | None = None
) -> Work:
    """Memory for growing trees of at most `max_leaves` leaves; `pool`: bytes for histograms."""
    last, n_columns, n_nodes = table.columns[-1], len(table.columns), 2 * max_leaves - 1
    size = int(last["begin"] + last["n_slots"] * last["n_copies"])
    n_slots = min(min(max_leaves, n_rows) + 2, max(_FEWEST, (_POOL if pool is None else pool) // (8 * size)))
    return Work(
        nodes=records(n_nodes, NODE),
        state=records(1, STATE),
        rows=aligned((2, n_rows), np.int32),
        packed_pool=aligned((n_slots, size), np.int64),
        wide_pool=aligned((0, 3, 0), np.int64),
        packed_scratch=aligned((n_threads, 0), np.int64),
        wide_scratch=aligned((n_threads, 3, 0), np.int64),
        group=1,
        lanes_at_a_time=1,
        few_rows=n_rows,
        desks=records(n_threads, DESK),
        best=records((n_threads, 2), CANDIDATE),
        free_slots=np.empty((2, n_slots), np.int64),
        heap=np.empty(2 * max_leaves, np.int64),
        cursor=np.zeros(16, np.int64),
        totals=np.zeros(24, np.int64),
        used=np.ones(n_columns, np.uint8),
        allowed=np.ones((2, n_columns), np.uint8),
        order=np.empty(n_columns, np.int64),
        groups=np.ones((n_nodes, n_groups), np.uint8),
        pieces=np.empty(max_leaves, np.int64),
        leaf_of_row=np.empty(n_rows, np.uint16 if max_leaves < 1 << 16 else np.uint32),
        leaf_values=np.empty((n_threads, max_leaves)),
        leaf_sums=np.empty(2 * max_leaves, np.int64),
    )

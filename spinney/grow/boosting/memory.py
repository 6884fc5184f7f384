"""The growing tree and the memory of a fit: what the loop in grower.py reads and writes.

Tables of records are the kernels' structs: `nodes[7].gain` reads the same compiled and as plain Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.dataset import LANES, STRIDE, Dataset, aligned, pack_words, records
from spinney.grow.boosting.partition import CHUNK
from spinney.grow.boosting.statistics import Fields

SUMS, SEARCH, PARTITION, LEAVES, DONE = range(5)  # the phases
ROOT = np.int64(0)  # typed, so that callees are compiled once and not again for the literal 0
NO_SLOT = -1
NOT_USED = -1
SLOTS = 256  # codes a column can have
GROUP = 16  # words that fill a cache line
_FEW_ROWS = 4096  # nodes of up to this many rows have their histograms built by words
_MANY_WORDS = 64  # rows of so many words: all nodes have
_PLACES = SLOTS + 16  # at least one more; not 257, or arrays of a DESK would be 4 KiB apart and delay each other

# One node of the growing tree; children stand side by side (right = left + 1).
NODE = np.dtype(
    [
        ("left", np.int64),  # NO_NODE for a leaf
        ("depth", np.int64),
        ("feature", np.int64),  # the best split found: column,
        ("code", np.int64),  # numbers: codes up to it go left
        ("missing_left", np.uint8),
        ("is_wide", np.uint8),  # which pool holds the histogram
        ("is_leaf", np.uint8),  # after pruning
        ("slot", np.int64),  # place in that pool, or NO_SLOT
        ("begin", np.int64),  # segment of rows
        ("end", np.int64),
        ("bits", np.uint64, (4,)),  # categories: the set of codes that go left
        ("gain", np.float64),
        ("key", np.float64),  # priority on the frontier
        ("gradient", np.int64),  # sums in the units of histograms
        ("hessian", np.int64),
        ("count", np.int64),
        ("left_gradient", np.int64),  # the split's left side
        ("left_hessian", np.int64),
        ("left_count", np.int64),
        ("fine_gradient", np.int64),  # sums in the finer units of leaves
        ("fine_hessian", np.int64),
        ("lower", np.float64),  # bounds of the value
        ("upper", np.float64),
        ("value", np.float64),
    ],
    align=True,
)

# The best split of some columns for one node.
CANDIDATE = np.dtype(
    [
        ("score", np.float64),  # both sides together; -inf if no split is legal
        ("feature", np.int64),
        ("code", np.int64),
        ("missing_left", np.uint8),
        ("gradient", np.int64),  # left sums
        ("hessian", np.int64),
        ("count", np.int64),
        ("bits", np.uint64, (4,)),
    ],
    align=True,
)

# What a kernel needs to know of a column, in any layout,
COLUMN_FIELDS = (
    ("begin", np.int64),  # first place in the histogram of a node
    ("n_slots", np.int64),  # places it uses: its bins, and missing if any row lacks it
    ("n_bins", np.int64),
    ("is_categorical", np.uint8),
    ("monotone", np.int64),  # 1 rising, -1 falling, 0 free
)
# and in a dense table.
COLUMN = np.dtype(
    [
        *COLUMN_FIELDS,
        ("lane", np.int64),  # where its codes are, see data/dataset.py
        ("divisor", np.int64),
        ("lane_slots", np.int64),
    ],
    align=True,
)

# A thread's own workspace.
DESK = np.dtype(
    [
        ("filled", np.int64),  # rows in its packed scratch; NOT_USED if the scratches hold nothing
        ("left_rows", np.int32, (CHUNK,)),
        ("right_rows", np.int32, (CHUNK,)),
        ("packed", np.int64, (CHUNK,)),  # statistics of some rows
        ("lane", np.int64, (3, _PLACES)),  # a lane's sums; packed ones in the first row
        ("sums", np.int64, (_PLACES,)),  # one column's packed sums up to each place
        ("gradient", np.int64, (_PLACES,)),  # the bins' sums, then the sums up to each place
        ("hessian", np.int64, (_PLACES,)),
        ("count", np.int64, (_PLACES,)),
        ("score", np.float64, (_PLACES,)),
        ("key", np.float64, (_PLACES,)),  # order of categories
        ("order", np.int64, (_PLACES,)),
        ("spare", np.int64, (3, _PLACES)),
    ],
    align=True,
)

# The loop's shared numbers.
STATE = np.dtype(
    [
        ("phase", np.int64),  # what the team is doing, see grower.py
        ("n_chunks", np.int64),  # in how many chunks
        ("goes_left", np.uint8, (SLOTS,)),  # partition: whether a code goes left
        ("by_words", np.int64),  # histogram: how it is being built,
        ("summed", np.int64),  # and by how many rows at a time
        ("node", np.int64),  # being split; -1 when the tree is grown
        ("n_nodes", np.int64),
        ("n_leaves", np.int64),
        ("heap_size", np.int64),
        ("n_free_packed", np.int64),
        ("n_free_wide", np.int64),
        ("first", np.int64),  # the left child of that node,
        ("small", np.int64),  # the one with fewer rows,
        ("big", np.int64),  # and the other
        ("small_wanted", np.int64),  # whether the small child will be searched
        ("big_wanted", np.int64),
    ],
    align=True,
)


class BinnedTable(NamedTuple):
    """The encoded table, as kernels see it.  # in, but for the statistics in the rows' last words"""

    words: np.ndarray
    lanes: np.ndarray  # uint8: the same memory, byte by byte
    codes: np.ndarray
    n_words: int  # of a row
    members: np.ndarray  # int32: the columns by lane
    first_member: np.ndarray  # int64: where each lane's begin
    columns: Any  # COLUMN records


class BoostingRows(NamedTuple):
    """The rows of this tree and their statistics.  # in"""

    chosen: np.ndarray  # int32: the rows, or empty for all of them
    n: int
    derivatives: np.ndarray  # float32 (all rows, 2): gradient, hessian
    counts: np.ndarray  # int64: how often each row counts, or empty for once
    fields: Fields
    noise_key: np.uint64
    keys: np.ndarray  # uint32: what each row's rounding noise is drawn by


class BoostingWork(NamedTuple):
    """Memory that lives as long as the fit."""

    nodes: Any  # NODE records
    state: Any  # one STATE record
    rows: np.ndarray  # int32 (2, n)
    packed_pool: np.ndarray  # int64 (slots, size)
    wide_pool: np.ndarray  # int64 (slots, 3, size)
    packed_scratch: np.ndarray  # int64 (threads, places of all lanes, or of a group of words)
    wide_scratch: np.ndarray  # int64 (threads, 3, the same)
    group: int  # words that a thread sums at a time
    lanes_at_a_time: int  # searched where they have been summed by rows
    few_rows: int  # nodes of at most so many rows are summed by words
    desks: Any  # DESK records, one per thread
    best: Any  # CANDIDATE records (threads, 2): each child's best split on the columns that the thread has searched
    free_slots: np.ndarray  # int64 (2, slots): stacks of free slots, packed and wide
    heap: np.ndarray  # int64
    cursor: np.ndarray  # int64, see partition.py
    totals: np.ndarray  # int64: the root's gradient, hessian and count, 8 apart
    used: np.ndarray  # uint8 (columns): whether the tree may use each
    allowed: np.ndarray  # uint8 (2, columns): columns that each of two children may use
    order: np.ndarray  # int64 (columns)
    groups: np.ndarray  # uint8 (nodes, groups): live interaction groups
    pieces: np.ndarray  # int64: grown leaves in the order of their segments
    leaf_of_row: np.ndarray  # uint16 or uint32, by row number: its piece
    leaf_values: np.ndarray  # float64 (threads, pieces)
    leaf_sums: np.ndarray  # int64: each piece's gradient and hessian in the finer units


def make_table(dataset: Dataset, monotone: np.ndarray, team: Team) -> BinnedTable:
    """The kernels' view of a dataset, with words of its own."""
    layout = dataset.layout
    columns = records(dataset.n_columns, COLUMN)
    columns["begin"], columns["n_slots"], columns["n_bins"] = layout.column_start, layout.n_slots, layout.n_bins
    columns["is_categorical"] = dataset.bins.is_categorical
    columns["monotone"] = monotone if monotone.size else 0
    columns["lane"], columns["divisor"], columns["lane_slots"] = layout.lane, layout.divisor, layout.lane_slots
    words = pack_words(dataset, team)
    lanes = words.view(np.uint8)
    return BinnedTable(words, lanes, dataset.codes, layout.n_words, layout.members, layout.first_member, columns)


def make_work(
    dataset: Dataset, n_rows: int, max_leaves: int, block_rows: int, n_threads: int, n_groups: int = 0
) -> BoostingWork:
    """Memory for growing trees of at most `max_leaves` leaves on `n_rows` rows.

    Wide histograms are only for nodes of more than `block_rows` rows, and those cannot be many at a time.
    """
    size = dataset.layout.size
    n_words = dataset.layout.n_words - 1  # without the statistics
    n_wide = min(max_leaves, n_rows // (block_rows + 1)) + 2 if n_rows > block_rows else 0
    n_packed = min(max_leaves, n_rows) + 2
    group = min(GROUP, -(-n_words // (2 * n_threads)))
    few_rows = _FEW_ROWS * min(n_threads, -(-n_words // group)) // n_threads  # or threads would idle
    all_by_words = n_words >= max(_MANY_WORDS, 2 * n_threads)
    scratch = (group if all_by_words else n_words) * LANES * STRIDE
    return BoostingWork(
        **shared_memory(dataset.n_rows, n_rows, dataset.n_columns, max_leaves, n_threads, n_groups),
        best=records((n_threads, 2), CANDIDATE),
        packed_pool=aligned((n_packed, size), np.int64),
        wide_pool=aligned((n_wide, 3, size), np.int64),
        packed_scratch=aligned((n_threads, scratch), np.int64),
        wide_scratch=aligned((n_threads, 3, scratch if n_wide else 0), np.int64),
        group=group,
        lanes_at_a_time=max(1, min(8, n_words * LANES // (8 * n_threads))),
        few_rows=n_rows if all_by_words else few_rows,
        free_slots=np.empty((2, max(n_packed, n_wide)), np.int64),
        used=np.ones(dataset.n_columns, np.uint8),
    )


def shared_memory(
    n_table_rows: int, n_rows: int, n_columns: int, max_leaves: int, n_threads: int, n_groups: int
) -> dict[str, Any]:
    """What growing a tree of at most `max_leaves` leaves needs in any layout; a tree has at most `n_rows` rows."""
    n_nodes = 2 * max_leaves - 1
    return {
        "nodes": records(n_nodes, NODE),
        "state": records(1, STATE),
        "rows": aligned((2, n_rows), np.int32),
        "desks": records(n_threads, DESK),
        "heap": np.empty(2 * max_leaves, np.int64),
        "cursor": np.zeros(16, np.int64),
        "totals": np.zeros(24, np.int64),
        "allowed": np.ones((2, n_columns), np.uint8),
        "order": np.empty(n_columns, np.int64),
        "groups": np.ones((n_nodes, n_groups), np.uint8),
        "pieces": np.empty(max_leaves, np.int64),
        "leaf_of_row": np.empty(n_table_rows, np.uint16 if max_leaves < 1 << 16 else np.uint32),
        "leaf_values": np.empty((n_threads, max_leaves)),
        "leaf_sums": np.empty(2 * max_leaves, np.int64),
    }

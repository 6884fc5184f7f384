"""The growing tree and a thread's memory; all of it is used again for the next tree.

Room for nodes is made as trees turn out to need it: a tree of few leaves on many rows needs little.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import MEMBERS
from spinney.data.bin_values import Middles
from spinney.data.binning import MAX_BINS, Bins

SLOTS = MAX_BINS + 1  # codes of a column, missing among them
LANES = 16  # columns of a row are filled up to a multiple
AT_ONCE = 8  # columns whose histograms are built in one pass over the rows
NODES_AHEAD = 2 * MEMBERS  # nodes, and nodes that wait, that one step of the loop makes at most (small.py)
NEEDS_ROOM = -1  # what the loop returns instead of the number of nodes
_ROOM = 4096  # nodes of a tree that there is room for from the start

# One node; nodes are in preorder, so that the left child is the next one.
NODE = np.dtype(
    [
        ("begin", np.int64),  # its rows: rows[begin:end]
        ("end", np.int64),
        ("weight", np.int64),  # its sums
        ("amount", np.int64),
        ("right", np.int32),  # NO_NODE for a leaf
        ("parent", np.int32),
        ("feature", np.int32),  # NO_SPLIT for a leaf
        ("code", np.uint8),  # codes up to it go left,
        ("missing_left", np.uint8),  # and so does missing, if this is 1
    ],
    align=True,
)

# A node that waits for its turn.
WAITING = np.dtype(
    [
        ("begin", np.int64),
        ("end", np.int64),
        ("weight", np.int64),  # its sums
        ("amount", np.int64),
        ("random", np.uint64),  # key of its random choices, from its path alone
        ("depth", np.int64),
        ("parent", np.int64),
        ("is_right", np.uint8),
    ],
    align=True,
)

# The best split found for the node at hand.
SPLIT = np.dtype(
    [
        ("score", np.float64),  # -inf: none
        ("feature", np.int64),
        ("code", np.int64),
        ("missing_left", np.int64),
        ("weight", np.int64),  # the left side's sums
        ("amount", np.int64),
        ("has_missing", np.uint8),  # rows of the node lack a value in this column
    ],
    align=True,
)


class Cells(NamedTuple):
    """The encoded table, row by row."""

    codes: np.ndarray  # uint8 (rows, columns filled up to a multiple of LANES), of the rows that count
    missing: np.ndarray  # int64, by column: the code of missing values
    middles: Middles  # values that represent the bins, for random thresholds


class Small(NamedTuple):
    """For subtrees of up to MEMBERS rows (small.py)."""

    table: np.ndarray  # uint8 (columns of the cells, MEMBERS): codes
    sets: np.ndarray  # uint64: rows of the nodes that wait
    second: np.ndarray  # uint64 (1): rows of the second class
    weights: np.ndarray  # int64, by row
    amounts: np.ndarray  # int64
    y: np.ndarray  # float64
    rows: np.ndarray  # uint32: their numbers
    low: np.ndarray  # int64, by column: least and greatest code,
    high: np.ndarray
    code: np.ndarray  # int64: and the code of a cut


class Memory(NamedTuple):
    """One thread's."""

    rows: np.ndarray  # uint32: rows of the table, node by node
    spare_rows: np.ndarray
    waiting: Any  # WAITING records
    nodes: Any  # NODE records
    progress: np.ndarray  # int64 (2): nodes that wait and nodes that are done, where the loop has stopped for room
    split: Any  # one SPLIT record
    order: np.ndarray  # int64: columns in random order
    drawn: np.ndarray  # int64: the places in it that were exchanged
    varying: np.ndarray  # int64: columns in which the node's rows differ
    bits: np.ndarray  # uint64 (AT_ONCE, 4): which codes occur
    extremes: np.ndarray  # uint8 (3, columns of the cells): least and greatest code, and the code of a cut
    left: np.ndarray  # int64 (2, columns of the cells): weight and amount up to the cut
    sums: np.ndarray  # int64 (4, SLOTS): code, rows, weight and amount up to and with each code that occurs
    scores: np.ndarray  # float64 (SLOTS)
    small: Small


def lay_out_cells(codes: np.ndarray, bins: Bins, middles: Middles) -> Cells:
    """Codes (columns, rows) of a table, row by row."""
    n_columns, n_rows = codes.shape
    cells = np.zeros((n_rows, _width(n_columns)), np.uint8)
    cells[:, :n_columns] = codes.T
    return Cells(cells, bins.n_bins.astype(np.int64), middles)


def _width(n_columns: int) -> int:
    return -(-n_columns // LANES) * LANES


def make_memory(n_rows: int, n_columns: int) -> Memory:
    """For trees of up to so many rows, with room for a small one."""
    room = min(2 * n_rows, _ROOM) + NODES_AHEAD
    return Memory(
        rows=np.empty(n_rows, np.uint32),
        spare_rows=np.empty(n_rows, np.uint32),
        waiting=np.empty(room // 2, WAITING),
        nodes=np.empty(room, NODE),
        progress=np.zeros(2, np.int64),
        split=np.empty(1, SPLIT),
        order=np.empty(n_columns, np.int64),
        drawn=np.empty(n_columns, np.int64),
        varying=np.empty(n_columns, np.int64),
        bits=np.zeros((AT_ONCE, 4), np.uint64),
        extremes=np.zeros((3, _width(n_columns)), np.uint8),
        left=np.empty((2, _width(n_columns)), np.int64),
        sums=np.empty((4, SLOTS), np.int64),
        scores=np.empty(SLOTS),
        small=_make_small(_width(n_columns)),
    )


def with_room(memory: Memory) -> Memory:
    """Twice the room for whatever is short of it."""
    n_waiting, n_nodes = memory.progress.tolist()
    waiting, nodes = memory.waiting, memory.nodes
    if len(waiting) - n_waiting < NODES_AHEAD:
        waiting = _doubled(waiting, n_waiting)
    if len(nodes) - n_nodes < NODES_AHEAD:
        nodes = _doubled(nodes, n_nodes)
    return memory._replace(waiting=waiting, nodes=nodes)


def _doubled(records: np.ndarray, n: int) -> np.ndarray:
    """The first n are in use."""
    larger = np.empty(2 * len(records), records.dtype)
    larger[:n] = records[:n]
    return larger


def _make_small(width: int) -> Small:
    return Small(
        table=np.zeros((width, MEMBERS), np.uint8),
        sets=np.empty(MEMBERS + 1, np.uint64),
        second=np.empty(1, np.uint64),
        weights=np.zeros(MEMBERS, np.int64),
        amounts=np.zeros(MEMBERS, np.int64),
        y=np.empty(MEMBERS),
        rows=np.empty(MEMBERS, np.uint32),
        low=np.empty(width, np.int64),
        high=np.empty(width, np.int64),
        code=np.empty(width, np.int64),
    )

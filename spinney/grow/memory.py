"""The growing tree and the memory of a fit: what the loop in grower.py reads and writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney.data.dataset import Dataset, Layout
from spinney.grow.partition import CHUNK
from spinney.grow.splits import SLOTS, Candidates
from spinney.grow.statistics import Fields

NO_CHILD = -1
NO_SLOT = -1

# shared numbers of the loop, in `control`
NODE, N_NODES, N_LEAVES, HEAP_SIZE, FREE_PACKED, FREE_WIDE, SMALL_WANTED, BIG_WANTED = range(8)


class Table(NamedTuple):
    """The encoded table, as kernels see it.  # in"""

    words: np.ndarray
    codes: np.ndarray
    layout: Layout


class Rows(NamedTuple):
    """The rows of this tree and their statistics.  # in"""

    chosen: np.ndarray  # int32: the rows, or empty for all of them
    n: int
    derivatives: np.ndarray  # float32 (all rows, 2): gradient, hessian
    counts: np.ndarray  # int64: how often each row counts, or empty for once
    fields: Fields
    noise_key: np.uint64


class Nodes(NamedTuple):
    """The growing tree: one entry a node, children side by side (right = left + 1).  # out"""

    left: np.ndarray  # int32, NO_CHILD for a leaf
    feature: np.ndarray  # int32
    code: np.ndarray  # int32
    missing_left: np.ndarray  # uint8
    bits: np.ndarray  # uint64 (node, 4)
    gain: np.ndarray  # float64
    gradient: np.ndarray  # int64, in the units of the histograms
    hessian: np.ndarray
    count: np.ndarray
    fine_gradient: np.ndarray  # int64, in the finer units of leaf sums
    fine_hessian: np.ndarray
    value: np.ndarray  # float64
    start: np.ndarray  # int64, segment
    stop: np.ndarray
    depth: np.ndarray  # int32
    lower: np.ndarray  # float64, bounds of the value
    upper: np.ndarray
    left_gradient: np.ndarray  # int64: the chosen split's left sums
    left_hessian: np.ndarray
    left_count: np.ndarray
    slot: np.ndarray  # int32, place of the histogram in its pool
    is_wide: np.ndarray  # uint8, which pool
    key: np.ndarray  # float64, priority
    groups: np.ndarray  # uint8 (node, groups)
    pieces: np.ndarray  # int32: grown leaves in the order of their segments
    is_leaf: np.ndarray  # uint8, after pruning


class Work(NamedTuple):
    """Memory that lives as long as the fit."""

    rows: np.ndarray  # int32 (2, n)
    packed: np.ndarray  # int64 (2, n)
    packed_pool: np.ndarray  # int64 (slots, size)
    wide_pool: np.ndarray  # int64 (slots, 3 size)
    packed_scratch: np.ndarray  # int64 (threads, size)
    wide_scratch: np.ndarray  # int64 (threads, 3 size)
    used: np.ndarray  # uint8 (threads): who put something into its scratch
    free_packed: np.ndarray  # int32, stacks of free slots
    free_wide: np.ndarray
    heap: np.ndarray  # int32
    control: np.ndarray  # int64
    cursor: np.ndarray  # int64
    goes_left: np.ndarray  # uint8 (threads, 256)
    buffer_rows: np.ndarray  # int32 (threads, 2, CHUNK)
    buffer_packed: np.ndarray  # int64 (threads, 2, CHUNK)
    prefix: np.ndarray  # int64 (threads, 4, 257)
    score: np.ndarray  # float64 (threads, 2, 257)
    allowed: np.ndarray  # uint8 (2, columns)
    order: np.ndarray  # int64 (columns)
    candidates: Candidates


def make_nodes(max_leaves: int, n_groups: int) -> Nodes:
    """Room for a tree of at most `max_leaves` leaves."""
    n = 2 * max_leaves - 1
    f64, i64, i32, u8 = np.float64, np.int64, np.int32, np.uint8
    return Nodes(
        left=np.empty(n, i32),
        feature=np.empty(n, i32),
        code=np.empty(n, i32),
        missing_left=np.empty(n, u8),
        bits=np.zeros((n, 4), np.uint64),
        gain=np.empty(n, f64),
        gradient=np.empty(n, i64),
        hessian=np.empty(n, i64),
        count=np.empty(n, i64),
        fine_gradient=np.empty(n, i64),
        fine_hessian=np.empty(n, i64),
        value=np.empty(n, f64),
        start=np.empty(n, i64),
        stop=np.empty(n, i64),
        depth=np.empty(n, i32),
        lower=np.empty(n, f64),
        upper=np.empty(n, f64),
        left_gradient=np.empty(n, i64),
        left_hessian=np.empty(n, i64),
        left_count=np.empty(n, i64),
        slot=np.empty(n, i32),
        is_wide=np.empty(n, u8),
        key=np.empty(n, f64),
        groups=np.ones((n, n_groups), u8),
        pieces=np.empty(max_leaves, i32),
        is_leaf=np.empty(n, u8),
    )


def make_work(dataset: Dataset, n_rows: int, max_leaves: int, block_rows: int, n_threads: int) -> Work:
    """Memory for growing trees of at most `max_leaves` leaves on `n_rows` rows.

    Wide histograms are only for nodes of more than `block_rows` rows, and those cannot be many at a time.
    """
    size, columns = dataset.layout.size, dataset.n_columns
    n_wide = min(max_leaves, n_rows // (block_rows + 1)) + 2 if n_rows > block_rows else 0
    n_packed = min(max_leaves, n_rows) + 2
    i64, u8 = np.int64, np.uint8
    return Work(
        rows=np.empty((2, n_rows), np.int32),
        packed=np.empty((2, n_rows), i64),
        packed_pool=np.empty((n_packed, size), i64),
        wide_pool=np.empty((n_wide, 3 * size), i64),
        packed_scratch=np.empty((n_threads, size), i64),
        wide_scratch=np.empty((n_threads, 3 * size if n_wide else 0), i64),
        used=np.zeros(n_threads, u8),
        free_packed=np.empty(n_packed, np.int32),
        free_wide=np.empty(n_wide, np.int32),
        heap=np.empty(2 * max_leaves, np.int32),
        control=np.zeros(8, i64),
        cursor=np.zeros(16, i64),
        goes_left=np.empty((n_threads, SLOTS), u8),
        buffer_rows=np.empty((n_threads, 2, CHUNK), np.int32),
        buffer_packed=np.empty((n_threads, 2, CHUNK), i64),
        prefix=np.empty((n_threads, 4, SLOTS + 1), i64),
        score=np.empty((n_threads, 2, SLOTS + 1), np.float64),
        allowed=np.ones((2, columns), u8),
        order=np.empty(columns, i64),
        candidates=Candidates(
            gain=np.empty((2, columns), np.float64),
            code=np.empty((2, columns), np.int32),
            missing_left=np.empty((2, columns), u8),
            gradient=np.empty((2, columns), i64),
            hessian=np.empty((2, columns), i64),
            count=np.empty((2, columns), i64),
            bits=np.zeros((2, columns, 4), np.uint64),
        ),
    )

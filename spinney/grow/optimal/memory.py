"""The problem as the search sees it, and the memory of each thread.

Rows with the same codes (and class) are one *entry*. An entry lists the cells that are not its column's most frequent
code, so that columns of zeros and ones cost only their ones:

    codes      column 0: 2 2 1 2 ...    column 1: 0 0 0 1 ...        one line per column
    cells      entry 2: [cell of column 0, code 1]                   entry 3: [cell of column 1, code 1]

A node is a list of entries. Every level of the search has one, and a frame that says where it stands. A tree of up to d
levels is a heap of tests: 1 is the root, 2i and 2i + 1 are the children of i, and NO_TEST is a leaf.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney.data.dataset import records
from spinney.grow.optimal.statistics import Costs

NO_TEST = -1
_COUNTS = 1 << 21  # of a tile
_LEAST_TILE, _MOST_TILE = 256, 1024  # cells
_CACHE_BYTES = 64 << 20  # of each thread


class Problem(NamedTuple):
    """Shared by all threads and never changed."""

    codes: np.ndarray  # uint8 (columns, entries)
    first: np.ndarray  # int64 (columns + 1): where each column's cells begin
    default: np.ndarray  # int64: each column's most frequent cell
    row_first: np.ndarray  # int64 (entries + 1)
    row_cells: np.ndarray  # int32: the other cells of each entry, ascending
    label: np.ndarray  # int32, by entry; empty for numbers
    weight: np.ndarray  # int64
    amounts: np.ndarray  # int64 (sums, entries), see statistics.py
    least: np.ndarray  # int64: what no tree can save of the entry's cost
    keys: np.ndarray  # uint64 (2, entries): the key of a node is their sum


# Where the search stands at one level.
FRAME = np.dtype(
    [
        ("n_rows", np.int64),  # entries of the node
        ("depth", np.int64),  # levels that its tree may have
        ("limit", np.int64),  # only trees that cost less are of interest
        ("leaf", np.int64),  # cost of the node as a leaf
        ("n_tests", np.int64),
        ("at", np.int64),  # place of the next test in the order
        ("test", np.int64),  # the one at hand
        ("side", np.int64),  # 0: no child is open; 1: the first; 2: the second
        ("shared", np.int64),  # whether the second child takes its counts from those of the first
        ("first_left", np.int64),  # whether the left child is the first
        ("first_cost", np.int64),
        ("best", np.int64),  # cost of the best tree so far; NEVER: none below the limit
        ("key", np.uint64),
        ("check", np.uint64),
        # the result
        ("cost", np.int64),  # NEVER: not below the limit
        ("proved", np.int64),  # no tree costs less
        ("bound", np.int64),  # the same, with leaves of any size: it holds for supersets, too
    ],
    align=True,
)


class Candidates(NamedTuple):
    """The tests of one node, by column and code."""

    column: np.ndarray  # int32
    code: np.ndarray  # int32
    moved: np.ndarray  # int64: weight on the left
    left: np.ndarray  # int64: a lower bound of the left child's cost
    right: np.ndarray
    value: np.ndarray  # int64: cost of the best tree of two levels with this test
    order: np.ndarray  # int64


class PairCounts(NamedTuple):
    """The last two levels; see last_levels.py. Cells are those of the node at hand, numbered anew."""

    hist: np.ndarray  # int64 (sums, all cells)
    total: np.ndarray  # int64 (sums)
    place: np.ndarray  # int32, by cell: its number; -1: of a column with one code
    cell: np.ndarray  # int32, by number
    base: np.ndarray  # int64, by number: that in `counts`
    column: np.ndarray  # int32, by column that has several codes
    first: np.ndarray  # int64: where their cells begin
    default: np.ndarray  # int64: their most frequent cell; -1: no row has it
    row_first: np.ndarray  # int64
    row_cells: np.ndarray  # int32
    cum: np.ndarray  # int64 (sums, cells): sums of codes up to this one
    counts: np.ndarray  # int64 or int32 (sums, tile * tile)
    block: np.ndarray  # int64 (sums, codes of two columns)
    left: np.ndarray  # int64, by cell: cost of the best left child
    right: np.ndarray
    left_child: np.ndarray  # int32: its test, a cell; NO_TEST: a leaf
    right_child: np.ndarray
    spare: np.ndarray  # int64 (4, sums)
    state: np.ndarray  # int64: how many columns, cells, and so on


class KeptTests(NamedTuple):
    """PairCounts of codes of a node whose children have two levels: a child's counts are those less its sibling's."""

    counts: np.ndarray  # as in `PairCounts`, of one tile
    place: np.ndarray  # int32, by cell: its number there
    state: np.ndarray  # int64: how many cells; 0: they are more than a tile


class Cache(NamedTuple):
    keys: np.ndarray  # uint64 (slots, 2)
    costs: np.ndarray  # int64 (slots, 3): cost, proved, bound
    heaps: np.ndarray  # int32 (slots, tests)


class OptimalWork(NamedTuple):
    """Of one thread."""

    frames: Any  # FRAME, by level
    rows: np.ndarray  # int32 (levels, entries)
    tests: Candidates  # each (levels, cells)
    heap: np.ndarray  # int32 (levels, tests): the best tree of each level
    first_heap: np.ndarray  # of its first child
    pairs: PairCounts
    kept: KeptTests
    cache: Cache


def make_work(problem: Problem, costs: Costs, depth: int) -> OptimalWork:
    """Memory for trees of this depth."""
    n, shape = problem.codes.shape[1], (depth + 1, int(problem.first[-1]))
    integers = [np.empty(shape, np.int32) for _ in range(2)]
    pairs = _make_pairs(problem, n_sums_of(costs))
    return OptimalWork(
        frames=records(depth + 1, FRAME),
        rows=np.empty((depth + 1, n), np.int32),
        tests=Candidates(*integers, *(np.empty(shape, np.int64) for _ in range(5))),
        heap=np.full((depth + 1, 2 << depth), NO_TEST, np.int32),
        first_heap=np.full((depth + 1, 2 << depth), NO_TEST, np.int32),
        pairs=pairs,
        kept=_make_kept(pairs, depth),
        cache=_make_cache(depth),
    )


def _make_kept(pairs: PairCounts, depth: int) -> KeptTests:
    """Nothing, yet; nor ever in trees of two levels."""
    counts = np.empty_like(pairs.counts if depth > 2 else pairs.counts[:, :0])
    return KeptTests(counts, np.empty_like(pairs.place), np.zeros(1, np.int64))


def n_sums_of(costs: Costs) -> int:
    """How many sums a node has."""
    return costs.n_parts + (costs.count_at >= 0)


def tile_size(n_sums: int) -> int:
    """Cells on one side of a tile of counts."""
    return min(_MOST_TILE, max(_LEAST_TILE, math.isqrt(_COUNTS // n_sums)))


def _make_pairs(problem: Problem, n_sums: int) -> PairCounts:
    (n_columns, n), n_cells = problem.codes.shape, int(problem.first[-1])
    small = len(problem.label) > 0 and int(problem.weight.sum()) < 1 << 31
    tile = min(tile_size(n_sums), n_cells)
    most = int(np.diff(problem.first).max(initial=1))
    return PairCounts(
        hist=np.empty((n_sums, n_cells), np.int64),
        total=np.empty(n_sums, np.int64),
        place=np.empty(n_cells, np.int32),
        cell=np.empty(n_cells, np.int32),
        base=np.empty(n_cells, np.int64),
        column=np.empty(n_columns, np.int32),
        first=np.empty(n_columns + 1, np.int64),
        default=np.empty(n_columns, np.int64),
        row_first=np.empty(n + 1, np.int64),
        row_cells=np.empty(len(problem.row_cells), np.int32),
        cum=np.empty((n_sums, n_cells), np.int64),
        counts=np.empty((n_sums, tile * tile), np.int32 if small else np.int64),
        block=np.empty((n_sums, most * most), np.int64),
        left=np.empty(n_cells, np.int64),
        right=np.empty(n_cells, np.int64),
        left_child=np.empty(n_cells, np.int32),
        right_child=np.empty(n_cells, np.int32),
        spare=np.empty((4, n_sums), np.int64),
        state=np.empty(4, np.int64),
    )


def _make_cache(depth: int) -> Cache:
    """For the trees of all levels but the first two; a power of two slots."""
    n_tests = 1 << max(1, depth - 1)
    n = 1 << ((_CACHE_BYTES // (40 + 4 * n_tests)).bit_length() - 1) if depth > 3 else 1
    return Cache(np.zeros((n, 2), np.uint64), np.zeros((n, 3), np.int64), np.empty((n, n_tests), np.int32))

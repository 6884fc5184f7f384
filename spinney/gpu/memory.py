"""What a fit keeps on the GPU, and the numbers that its kernels share.

Glossary
    draft      a node of the growing tree; its place in `nodes` says nothing, its number in the tree is in `number`
    batch      the drafts that are opened in one step; `pairs` says what is to be done for the children of each
    slot       a place for a node's histogram: three planes (gradient, hessian, count) of all columns' bins
    state      the loop's shared numbers, by the names below

Everything is integers until scores of splits are computed, by the CPU's own formulas: trees are those of the CPU.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import (
    SIMULATED,
    SIMULATED_THREADS,
    GpuError,
    Mirror,
    Stream,
    cuda,
    free_memory,
    gpu_function,
    multiprocessors,
)
from spinney.criteria.gains import Link, Penalty
from spinney.grow.boosting.memory import CANDIDATE, COLUMN, NODE, SLOTS
from spinney.grow.boosting.statistics import Fields
from spinney.grow.rules import BoostingRules

THREADS = SIMULATED_THREADS if SIMULATED else 256  # of a block
SEARCHERS = SIMULATED_THREADS if SIMULATED else 64  # of a block that searches a column
SUMMERS = SIMULATED_THREADS if SIMULATED else 1024  # of a block that sums rows
LANES = SIMULATED_THREADS if SIMULATED else 32  # threads that go in step: a warp
MOST_THREADS = 1024

# state: int64
N_NODES, N_LEAVES, N_DRAFTS, N_BATCH, N_FRONTIER, N_ALIVE, N_FREE, DONE, IS_ROOT, ANY_WANTED, N_STEPS, TOP = range(12)
ANY_ALIKE = 12
STATE = 16
# pairs: int32 by place in the batch
PARENT, FIRST, SMALL_SIDE, SMALL_SLOT, BIG_SLOT, LEAVES, PAIR = 0, 1, 2, 3, 4, 5, 8
NOBODY = -1
KEYS = 3 if SIMULATED else 8  # of a node, best-first
RANKS = 4
# summary of derivatives: int64
MAX_GRADIENT, MAX_HESSIAN, MIN_HESSIAN, GRADIENT_EXPONENTS, HESSIAN_EXPONENTS, SUMMARY = range(6)

_KINDS = {"int": np.int64, "float": np.float64, "bool": np.bool_, "np.uint64": np.uint64}


def _record_of(kind: Any, but: tuple[str, ...] = ()) -> np.dtype:
    """The record that stands for a NamedTuple of numbers: kernels read the same names from it."""
    names = [name for name in kind._fields if name not in but]
    nested = {"Penalty": Penalty, "Link": Link}
    kinds = {name: _name_of(kind.__annotations__[name]) for name in names}
    return np.dtype(
        [(name, _record_of(nested[k]) if k in nested else _KINDS[k]) for name, k in kinds.items()], align=True
    )


def _name_of(annotation: Any) -> str:
    return str(getattr(annotation, "__forward_arg__", annotation))


FIELDS = _record_of(Fields)
RULES = _record_of(BoostingRules, but=("groups", "features"))
# What changes from tree to tree.
PARAMS = np.dtype(
    [
        ("n_rows", np.int64),  # of this tree
        ("sampled", np.int64),  # whether those are in `chosen`
        ("noise_key", np.uint64),
        ("output", np.int64),
        ("capacity", np.int64),  # rows that may be summed in 32 bits
        ("restricted", np.int64),  # whether some columns may not be used
        ("ahead", np.int64),  # best-first: whether nodes are opened before it is their turn
    ],
    align=True,
)


class RowsOnGpu(NamedTuple):
    """The table and what is known of every row."""

    codes: Any  # uint8 (columns, rows)
    lines: Any  # uint8 (rows * stride): the same row by row
    stride: Any  # int64 (1): bytes of a row there
    columns: Any  # COLUMN records
    y: Any  # float64
    importance: Any  # float64, or empty
    counts: Any  # int64, or empty
    keys: Any  # uint32
    scores: Any  # float64 (outputs, rows)
    log_totals: Any  # float64, or empty
    derivatives: Any  # float32 (2 rows): gradient, hessian
    shorts: Any  # uint32: the same in whole units
    leaf_of_row: Any  # int32: the draft that a row ends in
    summary: Any  # int64
    exponents: Any  # int64 (2, 256)


class Tree(NamedTuple):
    """The tree that grows."""

    params: Any
    fields: Any
    rules: Any
    chosen: Any  # int32: the rows of this tree, if not all
    order: Any  # int32 (2, rows): row numbers by node; even depths in the first, odd ones in the second
    nodes: Any  # NODE records, by draft
    number: Any  # int32: its number in the tree, or NOBODY
    child: Any  # int32: the first of its two children, or NOBODY
    wanted: Any  # uint8: whether it is searched
    state: Any  # int64
    pairs: Any  # int32 (batch, PAIR)
    middle: Any  # int64 (batch, 2): where left rows end, where right ones begin
    frontier: Any  # int32: drafts that wait with a split; best-first, those whose parents have been split
    alive: Any  # int32: best-first, the drafts with a split that may be split in the end
    spare: Any  # int32: room for the next ones
    keys: Any  # float64 (drafts, KEYS): best-first, what says which of two comes first (settle.py)
    holders: Any  # int32 (drafts, KEYS): the draft that gains so much
    level: Any  # float64: the keys that are compared
    ranks: Any  # int32 (RANKS, drafts): how many come before each that is alive
    free: Any  # int32: a stack of free slots
    histograms: Any  # int64 (slots, 3, columns * 256)
    found: Any  # CANDIDATE records (2 * batch, columns)
    tickets: Any  # int32 (batch)
    allowed: Any  # uint8 (drafts, columns), if restricted
    drawn: Any  # int64 (drafts, columns), room for drawing columns
    live: Any  # uint8 (drafts, groups)
    features: Any  # int32
    groups: Any  # uint8 (groups, columns)
    totals: Any  # int64 (3): the root's sums
    steps: Any  # int64: drafts as numbers that rows walk down by
    leaf_sums: Any  # int64 (drafts, 2), in the finer units
    values: Any  # float64: by draft


def as_record(values: Any, kind: np.dtype) -> tuple[Any, ...]:
    """The numbers of a NamedTuple that a record has names for, to be assigned to it."""
    return tuple(getattr(values, name) for name in kind.names or ())


def stride_of(n_columns: int) -> int:
    """Bytes of a row: as few as do not lie across more of the memory's sectors (32 bytes) than they must."""
    for width in (1, 2, 4, 8, 16, 32):
        if n_columns <= width:
            return width
    return -(-n_columns // 32) * 32


class Shape(NamedTuple):
    """What the memory for trees depends on."""

    n_rows: int
    n_columns: int
    max_leaves: int
    n_groups: int
    restricted: bool
    best_first: bool

    @property
    def n_drafts(self) -> int:
        """At most. Best-first, as many again and again may be opened in vain, and then none ahead of its turn."""
        return (8 if self.best_first else 2) * self.max_leaves + 3


def make_report(stream: Stream, shape: Shape) -> Mirror:
    """What the CPU learns of a grown tree."""
    n = shape.n_drafts
    return stream.mirror(state=(STATE, np.int64), number=(n, np.int32), leaf_sums=((n, 2), np.int64), nodes=(n, NODE))


def make_orders(stream: Stream) -> Mirror:
    """What the GPU learns of the next tree."""
    return stream.mirror(params=(1, PARAMS), fields=(1, FIELDS), rules=(1, RULES))


def make_tree(stream: Stream, shape: Shape, orders: Mirror, report: Mirror, values: Any) -> Tree:
    """Room for trees of at most `max_leaves` leaves."""
    n_rows, n_columns, max_leaves, n_groups, restricted, best_first = shape
    drafts = shape.n_drafts
    slots = 2 * max_leaves + 2 if max_leaves > 1 else 1
    batch = max(1, max_leaves)
    n_bytes = 24 * slots * n_columns * SLOTS + 8 * n_rows + batch * 2 * n_columns * CANDIDATE.itemsize
    check_memory(n_bytes, "histograms of this many leaves and columns")
    empty = stream.empty
    return Tree(
        params=orders.there["params"],
        fields=orders.there["fields"],
        rules=orders.there["rules"],
        chosen=empty(0, np.int32),
        order=empty((2, n_rows), np.int32),
        nodes=report.there["nodes"],
        number=report.there["number"],
        child=empty(drafts, np.int32),
        wanted=empty(drafts, np.uint8),
        state=report.there["state"],
        pairs=empty((batch, PAIR), np.int32),
        middle=empty((batch, 2), np.int64),
        frontier=empty(drafts, np.int32),
        alive=empty(drafts if best_first else 1, np.int32),
        spare=empty(drafts if best_first else 1, np.int32),
        keys=empty((drafts if best_first else 1, KEYS), np.float64),
        holders=empty((drafts if best_first else 1, KEYS), np.int32),
        level=empty(drafts if best_first else 1, np.float64),
        ranks=empty((RANKS, drafts if best_first else 1), np.int32),
        free=empty(slots, np.int32),
        histograms=empty((slots, 3, n_columns * SLOTS), np.int64),
        found=empty((2 * batch, n_columns), CANDIDATE),
        tickets=stream.put(np.zeros(batch, np.int32)),
        allowed=empty((drafts, n_columns) if restricted else (1, 1), np.uint8),
        drawn=empty((drafts, n_columns) if restricted else (1, 1), np.int64),
        live=empty((drafts, max(1, n_groups)), np.uint8),
        features=empty(n_columns, np.int32),
        groups=empty((n_groups, n_columns), np.uint8),
        totals=empty(3, np.int64),
        steps=empty(drafts, np.int64),
        leaf_sums=report.there["leaf_sums"],
        values=values,
    )


def check_memory(n_bytes: int, what: str) -> None:
    """Say what to do where memory would not do."""
    free = free_memory()
    if n_bytes > free:
        raise GpuError(
            f"The GPU has {free >> 20:,} MiB of free memory, but {what} need {n_bytes >> 20:,} MiB. Use fewer rows, "
            "columns or leaves, or device='cpu'."
        )


def blocks_for(n: int, per_block: int, waves: int = 8) -> int:
    """How many blocks to launch for n things, if a block does so many at a time and then the next ones."""
    return max(1, min(-(-n // per_block), (2 if SIMULATED else waves) * multiprocessors()))


__all__ = ["COLUMN", "NODE", "SLOTS"]


# ----------------------------------------------------------------------------------------------------------------------
# What the threads of a block do together, in shared memory. All of them must call these.


@gpu_function
def running_sum(sums, value):
    """The sum of the values of this thread and those before it; afterwards `sums` holds all threads' answers."""
    thread = cuda.threadIdx.x
    cuda.syncthreads()
    sums[thread] = value
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        before = sums[thread - step] if thread >= step else np.int64(0)
        cuda.syncthreads()
        sums[thread] += before
        cuda.syncthreads()
        step *= 2
    return sums[thread]


@gpu_function
def best_of(scores, places, score, place, n):
    """The largest score of the first n threads and, of those that have it, the smallest place; into scores[0],
    places[0]. The others must have nothing to say."""
    thread = cuda.threadIdx.x
    cuda.syncthreads()
    scores[thread] = score
    places[thread] = place
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half >= n and half > 1:
        half //= 2
    while half > 0:
        if thread < half:
            other = thread + half
            if scores[other] > scores[thread] or (scores[other] == scores[thread] and places[other] < places[thread]):
                scores[thread] = scores[other]
                places[thread] = places[other]
        cuda.syncthreads()
        half //= 2


def _sync_warp() -> None:
    """The threads of a warp wait for each other. (The simulator's blocks are one warp.)"""
    cuda.syncthreads()


def _sync_true_warp() -> None:
    cuda.syncwarp()


sync_warp = gpu_function(_sync_warp if SIMULATED else _sync_true_warp)

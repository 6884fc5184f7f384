"""Trees of up to 2,047 nodes that ask about numbers' codes: a block of threads takes rows through all of them.

In: a `Forest` with bins, and a table on the GPU. Out: sums of the trees' values, in their order, as on the CPU.

A thread has four rows. It encodes them first, a byte for each column that is asked about, the four rows' bytes in one
word of shared memory that nobody else reads. Trees come into shared memory some at a time. There they stand level by
level, so that a node's children are neighbours and threads at the same depth mostly read different banks:

    31      20 19        10 9     1   0
    [ column  | to the left | limit | less ]     `to the left`: how far on the left child is; the right one is the next

Codes are one more than on the CPU, and that of a missing value is 0: a row goes left if its code, less `less`, is below
`limit`, as numbers without a sign. With 1 for `less` a missing value is above all. A leaf leads to itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import cuda, float64, gpu_function, gpu_kernel, uint32
from spinney.gpu.memory import THREADS
from spinney.tree.forest import MISSING_LEFT, Forest, find_depths

ROWS = 4  # of a thread
STAGE = 2048  # nodes in shared memory
_MOST_COLUMNS, _MOST_AHEAD, _ALWAYS = 1 << 12, 1 << 10, 511
_CODES = 40 << 10  # bytes of shared memory for codes
MOST_TREE_COLUMNS = _CODES // (ROWS * 32)
_1, _10, _20 = np.uint32(1), np.uint32(10), np.uint32(20)
_FIRST, _SECOND, _THIRD, _FOURTH = (np.uint32(8 * k) for k in range(ROWS))  # where a row's code is in a word
_CODE, _LIMIT, _AHEAD = np.uint32(255), np.uint32(511), np.uint32(1023)
BEGINS, ENDS = 1, 2  # flags of a batch: the first of its output, the last


class ShortTrees(NamedTuple):
    """Trees, those of the first output first."""

    words: Any  # uint32: nodes
    values: Any  # float64: what each adds
    first: Any  # int32: where each tree begins, and where the last one ends
    depth: Any  # int32
    batches: Any  # int32 (batches, 4): first tree, past the last one, output, flags
    columns: Any  # int32: those that are asked about, in the order of the edges


class Cells(NamedTuple):
    """A table's numbers on the GPU."""

    line: Any  # float32 or float64: the memory that they are in
    begin: int  # where the first one is
    row_step: int
    column_step: int


def threads_for(n_columns: int) -> int:
    """Threads of a block whose codes fit in shared memory."""
    return min(THREADS, next(size for size in (256, 128, 64, 32) if ROWS * size * n_columns <= _CODES))


def pack_short(forest: Forest, values: np.ndarray, n_outputs: int) -> ShortTrees | None:
    """The trees, tree t adding `values` of its leaves to output t % n_outputs; None where they do not fit."""
    sizes = np.diff(forest.first)
    columns = np.unique(forest.feature).astype(np.int32)
    if len(forest.sets) or sizes.max(initial=0) >= STAGE or len(columns) > _MOST_COLUMNS:
        return None
    tree = np.repeat(np.arange(forest.n_trees), sizes)
    depth = find_depths(forest.size)
    order = np.lexsort((depth, tree, tree % n_outputs))  # stable: level by level, in preorder
    place = np.empty(forest.n_nodes, np.int64)
    place[order] = np.arange(forest.n_nodes)
    asks = np.flatnonzero(~forest.is_leaf)
    ahead = place[asks + 1] - place[asks]
    if ahead.max(initial=0) >= _MOST_AHEAD:
        return None
    left = (forest.turn & MISSING_LEFT).astype(np.int64)
    limit = forest.code.astype(np.int64) + 1 + left
    column = np.searchsorted(columns, forest.feature)
    words = np.full(forest.n_nodes, _ALWAYS << 1, np.uint32)
    words[place[asks]] = column << 20 | ahead << 10 | limit << 1 | 1 - left
    trees = np.argsort(np.arange(forest.n_trees) % n_outputs, kind="stable")
    deepest = np.maximum.reduceat(depth, forest.first[:-1]) if forest.n_trees else np.empty(0, np.int32)
    first = np.append(0, np.cumsum(sizes[trees])).astype(np.int32)
    batches = _batches(sizes[trees], trees % n_outputs)
    return ShortTrees(words, values[order], first, deepest[trees].astype(np.int32), batches, columns)


def _batches(sizes: np.ndarray, output: np.ndarray) -> np.ndarray:
    """Neighbouring trees of one output that fit in shared memory together."""
    found: list[list[int]] = []
    n_nodes = STAGE + 1
    for k, (size, own) in enumerate(zip(sizes.tolist(), output.tolist())):
        begins = not found or found[-1][2] != own
        if begins or n_nodes + size > STAGE:
            if begins and found:
                found[-1][3] |= ENDS
            found.append([k, k, own, BEGINS * begins])
            n_nodes = 0
        found[-1][1], n_nodes = k + 1, n_nodes + size
    if found:
        found[-1][3] |= ENDS
    return np.array(found, np.int32).reshape(-1, 4)


@gpu_function
def place_among(edges, column, value):
    """How many of a column's 255 edges, padded with infinity, lie below a value."""
    place = np.uint32(0)
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        step = np.uint32(half)
        if edges[column, np.uint32(place + step - _1)] < value:
            place = np.uint32(place + step)
    return place


@gpu_function
def _encode(cells, columns, edges, first_row, n_rows, codes):
    """The codes of this thread's rows, plus 1."""
    thread, n_threads = cuda.threadIdx.x, cuda.blockDim.x
    for k in range(ROWS):
        row = min(first_row + thread + k * n_threads, n_rows - 1)
        begin = cells.begin + row * cells.row_step
        for j in range(columns.size):
            value = cells.line[begin + columns[j] * cells.column_step]
            code = np.uint32(0)
            if value == value:
                code = np.uint32(place_among(edges, j, value) + _1)
            before = np.uint32(0) if k == 0 else codes[j * n_threads + thread]
            codes[j * n_threads + thread] = np.uint32(before | np.uint32(code << np.uint32(8 * k)))


@gpu_function
def _step(words, codes, at, thread, n_threads, shift):
    """The place where a row goes from a place; its code is in the word at `shift`."""
    word = words[at]
    column = np.uint32(word >> _20)
    four = codes[np.uint32(np.uint32(column * n_threads) + thread)]
    code = np.uint32(np.uint32(four >> shift) & _CODE)
    is_right = np.uint32(code - np.uint32(word & _1)) >= np.uint32(np.uint32(word >> _1) & _LIMIT)
    on = np.uint32(at + np.uint32(np.uint32(word >> _10) & _AHEAD))
    return np.uint32(on + np.uint32(is_right))


@gpu_kernel
def add_short(trees, cells, edges, out):
    """out[k, row] += the values of output k's trees, in their order."""
    codes = cuda.shared.array(0, uint32)
    words = cuda.shared.array(STAGE, uint32)
    values = cuda.shared.array(STAGE, float64)
    thread, n_threads = np.uint32(cuda.threadIdx.x), np.uint32(cuda.blockDim.x)
    n_rows, tile = out.shape[1], ROWS * cuda.blockDim.x
    sum_a = sum_b = sum_c = sum_d = 0.0
    for first_row in range(tile * cuda.blockIdx.x, n_rows, tile * cuda.gridDim.x):
        _encode(cells, trees.columns, edges, first_row, n_rows, codes)
        row_a = first_row + cuda.threadIdx.x
        row_b, row_c, row_d = row_a + tile // 4, row_a + tile // 2, row_a + 3 * tile // 4
        for batch in range(trees.batches.shape[0]):
            begin, end = trees.batches[batch, 0], trees.batches[batch, 1]
            output, flags = trees.batches[batch, 2], trees.batches[batch, 3]
            base, last = trees.first[begin], trees.first[end]
            cuda.syncthreads()
            for node in range(cuda.threadIdx.x, last - base, cuda.blockDim.x):
                words[node] = trees.words[base + node]
                values[node] = trees.values[base + node]
            cuda.syncthreads()
            if flags & BEGINS:
                sum_a = out[output, row_a] if row_a < n_rows else 0.0
                sum_b = out[output, row_b] if row_b < n_rows else 0.0
                sum_c = out[output, row_c] if row_c < n_rows else 0.0
                sum_d = out[output, row_d] if row_d < n_rows else 0.0
            for tree in range(begin, end):
                a = b = c = d = np.uint32(trees.first[tree] - base)
                for _ in range(trees.depth[tree]):
                    a = _step(words, codes, a, thread, n_threads, _FIRST)
                    b = _step(words, codes, b, thread, n_threads, _SECOND)
                    c = _step(words, codes, c, thread, n_threads, _THIRD)
                    d = _step(words, codes, d, thread, n_threads, _FOURTH)
                sum_a += values[a]
                sum_b += values[b]
                sum_c += values[c]
                sum_d += values[d]
            if flags & ENDS:
                if row_a < n_rows:
                    out[output, row_a] = sum_a
                if row_b < n_rows:
                    out[output, row_b] = sum_b
                if row_c < n_rows:
                    out[output, row_c] = sum_c
                if row_d < n_rows:
                    out[output, row_d] = sum_d

"""Send the rows of the batch's nodes to their children: grow/boosting/partition.py on the GPU.

In: nodes with a split, and their rows in one of two orders. Out: their children's rows in the other one, `middle`, and
empty slots for the smaller children. Nodes whose children are not searched are left alone: rows find their leaves by
walking down (leaves.py).

A block takes a tile of rows, side by side. Inside a tile they stay in order, so that codes of a column, which are read
by row number, mostly lie close together.
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, gpu_function, gpu_kernel, int32, int64, uint8
from spinney.gpu.memory import DONE, MOST_THREADS, N_BATCH, PARENT, SLOTS, SMALL_SLOT, THREADS, running_sum
from spinney.tree.predict_boosted import in_set

_PER = 16  # rows of a thread
TILE = THREADS * _PER
_ONE = np.uint64(1)


@gpu_kernel
def part_rows(rows, tree):
    """All rows of the batch, tile by tile."""
    ends = cuda.shared.array(MOST_THREADS, int64)
    sums = cuda.shared.array(MOST_THREADS, int64)
    goes_left = cuda.shared.array(SLOTS, uint8)
    stage = cuda.shared.array(TILE, int32)
    base = cuda.shared.array(2, int64)
    if tree.state[DONE]:
        return
    _empty_slots(tree)
    n_batch = tree.state[N_BATCH]
    for part in range(0, n_batch, cuda.blockDim.x):
        place = part + cuda.threadIdx.x
        tiles = np.int64(0)
        if place < n_batch and tree.pairs[place, SMALL_SLOT] >= 0 and tree.pairs[place, PARENT] >= 0:
            node = tree.nodes[tree.pairs[place, PARENT]]
            tiles = (node.end - node.begin + TILE - 1) // TILE
        running_sum(ends, tiles)
        here = min(np.int64(cuda.blockDim.x), n_batch - part)
        k, known = 0, -1
        for tile in range(cuda.blockIdx.x, ends[here - 1], cuda.gridDim.x):
            while ends[k] <= tile:
                k += 1
            node = tree.nodes[tree.pairs[part + k, PARENT]]
            if known != k:
                cuda.syncthreads()
                _fill_goes_left(rows, node, goes_left)
                known = k
            before = ends[k - 1] if k > 0 else np.int64(0)
            begin = node.begin + (tile - before) * TILE
            n = min(np.int64(TILE), node.end - begin)
            source = tree.order[node.depth & 1, begin : begin + n]
            target = tree.order[1 - (node.depth & 1)]
            cuda.syncthreads()
            _part_tile(rows.codes[node.feature], goes_left, source, target, tree.middle[part + k], sums, stage, base)
        cuda.syncthreads()


@gpu_function
def _empty_slots(tree):
    """The blocks share the slots of the smaller children."""
    size = tree.histograms.shape[2]
    for place in range(tree.state[N_BATCH]):
        slot = tree.pairs[place, SMALL_SLOT]
        if slot >= 0:
            for part in range(3):
                for at in range(cuda.grid(1), size, cuda.gridsize(1)):
                    tree.histograms[slot, part, at] = 0


@gpu_function
def _fill_goes_left(rows, node, goes_left):
    """goes_left[c] = 1 if a row of code c goes left; see scan_bins.fill_goes_left."""
    column = rows.columns[node.feature]
    for code in range(cuda.threadIdx.x, SLOTS, cuda.blockDim.x):
        if column.is_categorical:
            goes_left[code] = in_set(node.bits, code)
        elif code == column.n_bins:
            goes_left[code] = node.missing_left
        else:
            goes_left[code] = code <= node.code


@gpu_function
def _part_tile(codes, goes_left, source, target, middle, sums, stage, base):
    """A tile's rows: left ones to the front of the children's segment, right ones to its back."""
    n, first = np.uint64(source.size), np.uint64(cuda.threadIdx.x * _PER)
    end = min(n, first + np.uint64(_PER))
    lefts, n_left = np.uint64(0), np.uint64(0)
    for at in range(first, end):
        left = np.uint64(goes_left[codes[np.uint64(source[at])]])
        lefts |= left << (at - first)
        n_left += left
    left_at = np.uint64(running_sum(sums, np.int64(n_left))) - n_left
    total = np.uint64(sums[cuda.blockDim.x - 1])
    right_at = total + first - left_at
    for at in range(first, end):
        if (lefts >> (at - first)) & _ONE:
            stage[left_at] = source[at]
            left_at += _ONE
        else:
            stage[right_at] = source[at]
            right_at += _ONE
    if cuda.threadIdx.x == 0:
        base[0] = cuda.atomic.add(middle, 0, np.int64(total))
        n_right = np.int64(n) - np.int64(total)
        base[1] = cuda.atomic.add(middle, 1, -n_right) - n_right
    cuda.syncthreads()
    to_left, to_right = np.uint64(base[0]), np.uint64(base[1]) - total
    for i in range(np.uint64(cuda.threadIdx.x), n, np.uint64(cuda.blockDim.x)):
        target[to_left + i if i < total else to_right + i] = stage[i]

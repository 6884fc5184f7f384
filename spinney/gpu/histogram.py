"""Histograms of the batch's smaller children: grow/boosting/histograms.py on the GPU.

In: the pairs of the batch, the rows in the order of their nodes. Out: sums in the smaller children's slots.

The threads that go in step (a warp) take one row together, each of them one column: bin b of column c stands at
32 b + c of shared memory, so that they never wait for each other, whatever the codes are. A table of few columns is
summed several rows at a time, each into a copy of its own. Gradient, hessian and count are summed in 32 bits each, for
as many rows as cannot overflow them (`capacity`), and then added to the slot's int64.

    block 0        block 1        block 2          every block has as many rows of all pairs, laid end to end
    [ pair 0             | pair 1    | pair 2 ]
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import SIMULATED, cuda, gpu_function, int64, large_gpu_kernel, uint32, uint64
from spinney.gpu.memory import (
    DONE,
    LANES,
    MOST_THREADS,
    N_BATCH,
    PARENT,
    SLOTS,
    SMALL_SIDE,
    SMALL_SLOT,
    SUMMERS,
    running_sum,
    sync_warp,
)
from spinney.grow.boosting.statistics import far_gradient, far_hessian, short_gradient, short_hessian

PLANES = SLOTS * LANES  # places of one of the three sums in shared memory
SHARED = 3 * 4 * PLANES  # bytes
_STAGE = 3 * SUMMERS
# Places are unsigned: an index that cannot be negative needs no test for it.
_TWO, _THREE, _FOUR, _SEVEN, _EIGHT = (np.uint64(k) for k in (2, 3, 4, 7, 8))
_LANES, _PLANES, _SUMMERS = np.uint64(LANES), np.uint64(PLANES), np.uint64(SUMMERS)
LEAST = 8 if SIMULATED else 2048  # rows that are worth a block


@gpu_function
def segment_of(tree, place):
    """(first row, number of rows, which order) of the child to be summed at a place of the batch."""
    pair = tree.pairs[place]
    if pair[SMALL_SLOT] < 0:
        return np.int64(0), np.int64(0), np.int64(0)
    if pair[PARENT] < 0:
        return np.int64(0), tree.params[0].n_rows, np.int64(0)
    node, middle = tree.nodes[pair[PARENT]], tree.middle[place, 0]
    parity = (node.depth + 1) & 1
    if pair[SMALL_SIDE] == 0:
        return node.begin, middle - node.begin, parity
    return middle, node.end - middle, parity


@large_gpu_kernel
def sum_rows(rows, tree):
    """Blocks (x) share the rows, (y) are for 32 columns each."""
    ends = cuda.shared.array(MOST_THREADS, int64)
    lines_at = cuda.shared.array(SUMMERS, uint64)
    stage = cuda.shared.array(_STAGE, uint32)
    sums = cuda.shared.array(0, uint32)
    n_batch, thread = tree.state[N_BATCH], cuda.threadIdx.x
    if tree.state[DONE]:
        return
    n_columns = rows.columns.size - LANES * cuda.blockIdx.y
    n_columns = n_columns if n_columns < LANES else LANES
    for at in range(thread, 3 * PLANES, cuda.blockDim.x):
        sums[at] = 0
    done = np.int64(0)  # rows of all pairs before this part of the batch
    for part in range(0, n_batch, cuda.blockDim.x):
        place = part + thread
        _, n, _ = segment_of(tree, place) if place < n_batch else (np.int64(0), np.int64(0), np.int64(0))
        running_sum(ends, n)
        here = min(np.int64(cuda.blockDim.x), n_batch - part)
        total = ends[here - 1]
        share = (total + cuda.gridDim.x - 1) // cuda.gridDim.x
        share = share if share > LEAST else np.int64(LEAST)
        begin = share * cuda.blockIdx.x
        end = min(total, begin + share)
        k = 0
        while begin < end:
            while ends[k] <= begin:
                k += 1
            stop = min(end, ends[k], begin + tree.params[0].capacity)
            first, n, parity = segment_of(tree, part + k)
            at = first + begin - (ends[k] - n)
            _sum_segment(rows, tree, sums, lines_at, stage, n_columns, tree.order[parity, at : at + stop - begin])
            cuda.syncthreads()
            _flush(tree, sums, n_columns, tree.pairs[part + k, SMALL_SLOT])
            cuda.syncthreads()
            begin = stop
        cuda.syncthreads()
        done += total


@gpu_function
def _sum_segment(rows, tree, sums, lines_at, stage, n_columns, order):
    """Some rows into shared memory: a warp looks up 32 rows and their statistics, then takes their codes row by row."""
    lane = cuda.threadIdx.x % LANES
    mine = cuda.threadIdx.x - lane
    width = 1
    while width < n_columns:
        width *= 2
    together = np.uint64(LANES // width)
    first, offset = np.uint64(LANES * cuda.blockIdx.y + lane % width), np.uint64(lane)
    lines = rows.lines
    for begin in range(mine, order.size, cuda.blockDim.x):
        n = min(np.int64(LANES), order.size - begin)
        sync_warp()
        if lane < n:
            _look_up(rows, tree, np.int64(order[begin + lane]), lines_at, stage, cuda.threadIdx.x)
        sync_warp()
        if lane % width < n_columns:
            k, end = np.uint64(mine + lane // width), np.uint64(mine + n)
            while k + _SEVEN * together < end:  # eight rows at a time: their codes are asked for before any is used
                a, b, c = k + together, k + _TWO * together, k + _THREE * together
                d = k + _FOUR * together
                e, f, g = d + together, d + _TWO * together, d + _THREE * together
                code_k, code_a = lines[lines_at[k] + first], lines[lines_at[a] + first]
                code_b, code_c = lines[lines_at[b] + first], lines[lines_at[c] + first]
                code_d, code_e = lines[lines_at[d] + first], lines[lines_at[e] + first]
                code_f, code_g = lines[lines_at[f] + first], lines[lines_at[g] + first]
                _add(sums, stage, k, _LANES * np.uint64(code_k) + offset)
                _add(sums, stage, a, _LANES * np.uint64(code_a) + offset)
                _add(sums, stage, b, _LANES * np.uint64(code_b) + offset)
                _add(sums, stage, c, _LANES * np.uint64(code_c) + offset)
                _add(sums, stage, d, _LANES * np.uint64(code_d) + offset)
                _add(sums, stage, e, _LANES * np.uint64(code_e) + offset)
                _add(sums, stage, f, _LANES * np.uint64(code_f) + offset)
                _add(sums, stage, g, _LANES * np.uint64(code_g) + offset)
                k += _EIGHT * together
            while k < end:
                _add(sums, stage, k, _LANES * np.uint64(lines[lines_at[k] + first]) + offset)
                k += together


@gpu_function
def _look_up(rows, tree, row, lines_at, stage, at):
    """Where a row's codes are; its gradient, hessian and count, 32 bits of each."""
    short = np.uint64(rows.shorts[row])
    if tree.fields[0].is_far:
        gradient, hessian = far_gradient(short), far_hessian(short)
    else:
        gradient, hessian = short_gradient(short), short_hessian(short)
    count = rows.counts[row] if rows.counts.size > 0 else np.int64(1)
    lines_at[at] = np.uint64(row * rows.stride[0])
    stage[at] = np.uint32((gradient * count) & np.int64(0xFFFFFFFF))
    stage[SUMMERS + at] = np.uint32(hessian * count)
    stage[2 * SUMMERS + at] = np.uint32(count)


@gpu_function
def _add(sums, stage, at, place):
    """A row's statistics to one bin."""
    cuda.atomic.add(sums, place, stage[at])
    cuda.atomic.add(sums, _PLANES + place, stage[_SUMMERS + at])
    cuda.atomic.add(sums, _TWO * _PLANES + place, stage[_TWO * _SUMMERS + at])


@gpu_function
def _flush(tree, sums, n_columns, slot):
    """Add what is in shared memory to a slot, and leave zeros."""
    width = 1
    while width < n_columns:
        width *= 2
    first = LANES * cuda.blockIdx.y
    for at in range(cuda.threadIdx.x, SLOTS * width, cuda.blockDim.x):
        code, column = at // width, at % width
        gradient = hessian = count = np.int64(0)
        for lane in range(column, LANES, width):
            place = LANES * code + lane
            gradient += np.int64(np.int32(sums[place]))
            hessian += np.int64(sums[PLANES + place])
            count += np.int64(sums[2 * PLANES + place])
            sums[place] = 0
            sums[PLANES + place] = 0
            sums[2 * PLANES + place] = 0
        if count:
            to = SLOTS * (first + column) + code
            cuda.atomic.add(tree.histograms, (slot, 0, to), gradient)
            cuda.atomic.add(tree.histograms, (slot, 1, to), hessian)
            cuda.atomic.add(tree.histograms, (slot, 2, to), count)

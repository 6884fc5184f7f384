"""Histograms of the batch's smaller children: grow/histogram/histograms.py on the GPU.

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

from spinney._compile.cuda import SIMULATED, cuda, gpu_function, int64, large_gpu_kernel, uint32
from spinney.gpu.block import running_sum, sync_warp
from spinney.gpu.memory import DONE, LANES, MOST_THREADS, N_BATCH, PARENT, SLOTS, SMALL_SIDE, SMALL_SLOT, SUMMERS
from spinney.grow.histogram.statistics import far_gradient, far_hessian, short_gradient, short_hessian

PLANES = SLOTS * LANES  # places of one of the three sums in shared memory
SHARED = 3 * 4 * PLANES  # bytes
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
    stage = cuda.shared.array(SUMMERS, int64)
    times = cuda.shared.array(SUMMERS, int64)
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
            _sum_segment(rows, tree, sums, stage, times, n_columns, tree.order[parity, at : at + stop - begin])
            cuda.syncthreads()
            _flush(tree, sums, n_columns, tree.pairs[part + k, SMALL_SLOT])
            cuda.syncthreads()
            begin = stop
        cuda.syncthreads()
        done += total


@gpu_function
def _sum_segment(rows, tree, sums, stage, times, n_columns, order):
    """Some rows into shared memory: a warp looks up 32 rows and their statistics, then takes their codes row by row."""
    lane, warp = cuda.threadIdx.x % LANES, cuda.threadIdx.x // LANES
    width = 1
    while width < n_columns:
        width *= 2
    together = LANES // width
    column, which = lane % width, lane // width
    first = LANES * cuda.blockIdx.y + column
    stride, lines, is_far, weighs = rows.stride[0], rows.lines, tree.fields[0].is_far, rows.counts.size > 0
    mine = LANES * warp
    for begin in range(LANES * warp, order.size, cuda.blockDim.x):
        n = min(np.int64(LANES), order.size - begin)
        sync_warp()
        if lane < n:
            row = np.int64(order[begin + lane])
            stage[mine + lane] = row << 32 | np.int64(rows.shorts[row])
            if weighs:
                times[mine + lane] = rows.counts[row]
        sync_warp()
        if column < n_columns:
            k = np.int64(which)
            while k + 3 * together < n:  # four rows at a time: their codes are asked for before any is used
                a, b = mine + k, mine + k + 2 * together
                one, two, three, four = stage[a], stage[a + together], stage[b], stage[b + together]
                code_1, code_2 = lines[(one >> 32) * stride + first], lines[(two >> 32) * stride + first]
                code_3, code_4 = lines[(three >> 32) * stride + first], lines[(four >> 32) * stride + first]
                _add(sums, one, times, a, LANES * np.int32(code_1) + lane, is_far, weighs)
                _add(sums, two, times, a + together, LANES * np.int32(code_2) + lane, is_far, weighs)
                _add(sums, three, times, b, LANES * np.int32(code_3) + lane, is_far, weighs)
                _add(sums, four, times, b + together, LANES * np.int32(code_4) + lane, is_far, weighs)
                k += 4 * together
            while k < n:
                one = stage[mine + k]
                code_1 = lines[(one >> 32) * stride + first]
                _add(sums, one, times, mine + k, LANES * np.int32(code_1) + lane, is_far, weighs)
                k += together


@gpu_function
def _add(sums, row_and_short, times, at, place, is_far, weighs):
    """A row's statistics to one bin, 32 bits of each."""
    short = np.uint64(row_and_short & np.int64(0xFFFFFFFF))
    if is_far:
        gradient, hessian = far_gradient(short), far_hessian(short)
    else:
        gradient, hessian = short_gradient(short), short_hessian(short)
    count = np.int64(1)
    if weighs:
        count = times[at]
        gradient *= count
        hessian *= count
    cuda.atomic.add(sums, place, np.uint32(gradient & np.int64(0xFFFFFFFF)))
    cuda.atomic.add(sums, PLANES + place, np.uint32(hessian))
    cuda.atomic.add(sums, 2 * PLANES + place, np.uint32(count))


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

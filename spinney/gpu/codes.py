"""Values to codes on the GPU: `Bins.encode` of data/encode.py, with the same codes.

    code_values      a code per value: how many edges lie below it
    gather_values    some rows of a table, column by column
    hash_rows        the key of each row: `row_keys` of data/dataset.py

A table is a line of numbers and the steps from row to row and from column to column, so that every layout is read by
the same kernel.
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, float64, gpu_function, gpu_kernel
from spinney.data.row_hash import end_key, mix_code
from spinney.gpu.memory import SLOTS

GROUP = 16  # columns of a block: so many columns' edges are in shared memory
_EDGES = GROUP * SLOTS


@gpu_kernel
def code_values(values, first, row_step, column_step, n_rows, at, edges, columns, missing, codes, found):
    """codes[columns[k], at + i] of the value in row i and column k; found[columns[k]] = 1 where one is missing.

    Blocks (x) share the rows, (y) are for some columns each. Edges are compared as float64: where those of the CPU are
    rounded down to float32, the answer is the same.
    """
    own = cuda.shared.array(_EDGES, float64)
    begin = np.int64(GROUP * cuda.blockIdx.y)
    n_columns = min(np.int64(GROUP), columns.size - begin)
    for place in range(cuda.threadIdx.x, n_columns * SLOTS, cuda.blockDim.x):
        own[place] = edges[columns[begin + place // SLOTS], place % SLOTS]
    cuda.syncthreads()
    for i in range(cuda.grid(1), n_rows, cuda.gridsize(1)):
        for k in range(n_columns):
            column = columns[begin + k]
            value = np.float64(values[first + i * row_step + (begin + k) * column_step])
            if value == value:
                codes[column, at + i] = _code_of(own, SLOTS * k, value)
            else:
                codes[column, at + i] = missing[column]
                found[column] = 1


@gpu_function
def _code_of(edges, begin, value):
    """How many of the 256 edges of a column, padded with infinity, lie below a value."""
    place = begin
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        if edges[place + half - 1] < value:
            place += half
    return np.uint8(place - begin)


@gpu_kernel
def gather_values(values, first, row_step, column_step, rows, out):
    """out[k, i] = the value of row rows[i] in column k; of row i, where no rows are given."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        row = rows[i] if rows.size else np.int64(i)
        for k in range(out.shape[0]):
            out[k, i] = values[first + row * row_step + k * column_step]


@gpu_kernel
def hash_rows(codes, keys):
    """One hash per row, of its codes."""
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        key = np.uint32(0)
        for j in range(codes.shape[0]):
            key = mix_code(key, codes[j, i])
        keys[i] = end_key(key)

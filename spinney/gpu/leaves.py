"""The grown tree's leaves: every row walks down to one, whose sums are made once more in the finer units.

In: the drafts that are part of the tree. Out: `leaf_of_row`, by draft, and `leaf_sums`, as grow/boosting/leaves.py has
them. Rows of the table that the tree was not grown on walk down, too, but are in no sum.

    63  62        54     53          52 .. 32   31 .. 16    15 .. 8     7 .. 0
    [ leaf | set | missing left | - ] [ child or leaf ]  [ feature ]  [ missing ]  [ code ]        a step, in one int64
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, gpu_function, gpu_kernel, int64, uint32
from spinney.gpu.memory import DONE, LANES, N_DRAFTS
from spinney.grow.rules import NO_NODE
from spinney.tree.predict_boosted import in_set

_BYTE, _FEATURE, _PLACE = np.int64(0xFF), np.int64(0xFFFF), np.int64(0x1FFFFF)
_IS_LEAF, _IS_SET, _LEFT = np.int64(1) << 62, np.int64(1) << 61, np.int64(1) << 60
_NO_MISSING = np.int64(1) << 59
_IN_REACH = 1024  # steps in shared memory
MOST_COLUMNS, MOST_PLACES = 1 << 16, 1 << 21


@gpu_kernel
def lay_steps(rows, tree):
    """What rows walk down by; a draft that was opened in vain is a leaf."""
    if not tree.state[DONE]:
        return
    for at in range(cuda.grid(1), tree.state[N_DRAFTS], cuda.gridsize(1)):
        node = tree.nodes[at]
        if node.left == NO_NODE:
            tree.steps[at] = _IS_LEAF | np.int64(at) << 32
            continue
        column = rows.columns[node.feature]
        step = np.int64(tree.child[at]) << 32 | np.int64(node.feature) << 16 | np.int64(node.code)
        step |= _NO_MISSING if column.n_bins > 255 else np.int64(column.n_bins) << 8
        step |= _IS_SET if column.is_categorical else np.int64(0)
        step |= _LEFT if node.missing_left else np.int64(0)
        tree.steps[at] = step


@gpu_function
def walk_down(rows, tree, steps, row):
    """The draft that a row ends in. Codes are read column by column: rows side by side mostly ask the same ones."""
    at, codes = np.int64(0), rows.codes
    while True:
        step = steps[at]
        if step & _IS_LEAF:
            return at
        code = np.int64(codes[(step >> 16) & _FEATURE, row])
        if step & _IS_SET:
            is_left = in_set(tree.nodes[at].bits, code) != 0
        elif code == (step >> 8) & _BYTE and not step & _NO_MISSING:
            is_left = step & _LEFT != 0
        else:
            is_left = code <= step & _BYTE
        at = ((step >> 32) & _PLACE) + (0 if is_left else 1)


@gpu_kernel
def find_leaves(rows, tree):
    """leaf_of_row of the whole table; if the tree has all rows, their sums as well, in copies of shared memory."""
    sums = cuda.shared.array(0, uint32)
    steps = cuda.shared.array(_IN_REACH, int64)
    if not tree.state[DONE]:
        return
    n_drafts, thread = tree.state[N_DRAFTS], cuda.threadIdx.x
    for at in range(thread, min(n_drafts, np.int64(_IN_REACH)), cuda.blockDim.x):
        steps[at] = tree.steps[at]
    copies = sums.size // (4 * n_drafts)
    copies = min(copies, cuda.blockDim.x // LANES)
    for at in range(thread, 4 * n_drafts * copies, cuda.blockDim.x):
        sums[at] = 0
    cuda.syncthreads()
    mine = 4 * n_drafts * (thread // LANES % copies) if copies > 0 else np.int64(0)
    is_all, fields = tree.params[0].sampled == 0, tree.fields[0]
    for row in range(cuda.grid(1), rows.y.size, cuda.gridsize(1)):
        if n_drafts <= _IN_REACH:  # two calls: what points to either memory is read as if it were the other
            leaf = walk_down(rows, tree, steps, np.int64(row))
        else:
            leaf = walk_down(rows, tree, tree.steps, np.int64(row))
        rows.leaf_of_row[row] = leaf
        if is_all:
            gradient, hessian = _fine(rows, fields, row)
            if copies > 0:
                _add_wide(sums, mine + 4 * leaf, gradient)
                _add_wide(sums, mine + 4 * leaf + 2, hessian)
            else:
                cuda.atomic.add(tree.leaf_sums, (leaf, 0), gradient)
                cuda.atomic.add(tree.leaf_sums, (leaf, 1), hessian)
    cuda.syncthreads()
    for at in range(thread, 2 * n_drafts * min(copies, 1), cuda.blockDim.x):
        total = np.int64(0)
        for k in range(copies):
            place = 4 * n_drafts * k + 2 * at
            total += np.int64(sums[place]) | np.int64(sums[place + 1]) << 32
        if total:
            cuda.atomic.add(tree.leaf_sums, (at // 2, at % 2), total)


@gpu_kernel
def sum_chosen(rows, tree):
    """The sums of leaves where the tree has some rows only."""
    params, fields = tree.params[0], tree.fields[0]
    if not tree.state[DONE] or params.sampled == 0:
        return
    for i in range(cuda.grid(1), params.n_rows, cuda.gridsize(1)):
        row = np.int64(tree.chosen[i])
        gradient, hessian = _fine(rows, fields, row)
        cuda.atomic.add(tree.leaf_sums, (np.int64(rows.leaf_of_row[row]), 0), gradient)
        cuda.atomic.add(tree.leaf_sums, (np.int64(rows.leaf_of_row[row]), 1), hessian)


@gpu_function
def _fine(rows, fields, row):
    """A row's derivatives in the finer units, as often as it counts."""
    gradient = np.int64(np.floor(rows.derivatives[2 * row] * fields.fine_gradient_scale + 0.5))
    hessian = np.int64(np.floor(rows.derivatives[2 * row + 1] * fields.fine_hessian_scale + 0.5))
    if rows.counts.size:
        gradient *= rows.counts[row]
        hessian *= rows.counts[row]
    return gradient, hessian


@gpu_function
def _add_wide(sums, at, value):
    """Add an int64 to two words of shared memory, with the carry from the lower to the upper."""
    low, high = np.uint32(value & np.int64(0xFFFFFFFF)), np.uint32((value >> 32) & np.int64(0xFFFFFFFF))
    before = cuda.atomic.add(sums, at, low)
    carry = np.uint32(1) if np.int64(before) + np.int64(low) > np.int64(0xFFFFFFFF) else np.uint32(0)
    cuda.atomic.add(sums, at + 1, np.uint32((np.int64(high) + np.int64(carry)) & np.int64(0xFFFFFFFF)))

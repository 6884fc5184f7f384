"""Scores and losses of all rows: the last tree added, and the sum of losses, in the order of ensemble/mean_loss.py."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import cuda, gpu_kernel, large_gpu_kernel
from spinney.criteria.losses import FORMULAS
from spinney.gpu.memory import NOBODY

_FEW = 128  # numbers that NumPy adds without halving


@gpu_kernel
def add_values(rows, tree):
    """scores[output] += the value of each row's leaf."""
    k = tree.params[0].output
    for i in range(cuda.grid(1), rows.y.size, cuda.gridsize(1)):
        rows.scores[k, i] += tree.values[rows.leaf_of_row[i]]
        rows.leaf_of_row[i] = NOBODY


@gpu_kernel
def forget_leaves(rows):
    """Before the first tree."""
    for i in range(cuda.grid(1), rows.y.size, cuda.gridsize(1)):
        rows.leaf_of_row[i] = NOBODY


@functools.cache
def losses_kernel(formula: Any, is_own: bool) -> Any:
    """The kernel of one loss that sums a few losses, at scores that have the last tree's values still to come."""

    @gpu_kernel
    def sum_losses(rows, tree, loss, parts, sums):
        """sums[k] = of rows parts[k] .. parts[k + 1], 128 at most, by eight running sums as NumPy has them."""
        part = cuda.grid(1)
        while part < sums.size:
            begin, end = parts[part], parts[part + 1]
            total = 0.0
            eight = cuda.local.array(8, np.float64)
            n_eights = (end - begin) // 8
            for i in range(begin, end):
                raw, leaf = rows.scores[0, i], rows.leaf_of_row[i]
                if leaf != NOBODY:
                    raw += tree.values[leaf]
                value = formula(raw, rows.y[i]) if is_own else formula(loss[0], raw, rows.y[i])
                place = i - begin
                if place < 8 * n_eights:
                    eight[place % 8] = value if place < 8 else eight[place % 8] + value
                else:
                    if place == 8 * n_eights and n_eights > 0:
                        total = ((eight[0] + eight[1]) + (eight[2] + eight[3])) + (
                            (eight[4] + eight[5]) + (eight[6] + eight[7])
                        )
                    total += value
            if n_eights > 0 and end - begin == 8 * n_eights:
                total = ((eight[0] + eight[1]) + (eight[2] + eight[3])) + (
                    (eight[4] + eight[5]) + (eight[6] + eight[7])
                )
            sums[part] = total
            part += cuda.gridsize(1)

    return sum_losses


def losses_of(loss: Any) -> Any:
    """That of a loss; None if it has no value."""
    if type(loss) in FORMULAS:
        return losses_kernel(FORMULAS[type(loss)].value, False)
    return None if loss.value is None else losses_kernel(loss.value, True)


@large_gpu_kernel
def fold_sums(sums, spare, firsts, begins, out):
    """out[0] = NumPy's sum of all numbers from those of its parts, by one block; see `Halves`."""
    thread = cuda.threadIdx.x
    for level in range(begins.size - 1):
        source, target = (sums, spare) if level % 2 == 0 else (spare, sums)
        begin = begins[level]
        n = begins[level + 1] - begin - 1
        for k in range(thread, n, cuda.blockDim.x):
            first, after = firsts[begin + k], firsts[begin + k + 1]
            target[k] = source[first] + source[first + 1] if after - first == 2 else source[first]
        cuda.syncthreads()
    if thread == 0:
        out[0] = spare[0] if (begins.size - 1) % 2 else sums[0]


class Halves(NamedTuple):
    """How NumPy adds up n numbers: halves of halves, the first one a multiple of eight long, down to 128 or fewer."""

    starts: np.ndarray  # int64: where the smallest parts begin, and the end
    firsts: np.ndarray  # int32: level by level from the smallest up, the first part below each part, and the end
    begins: np.ndarray  # int32: where each level begins in `firsts`, and the end


def halves_of(n: int) -> Halves:
    """Those of n numbers."""
    levels = [np.array([0, n], np.int64)]
    while (np.diff(levels[-1]) > _FEW).any():
        sizes = np.diff(levels[-1])
        half = np.where(sizes > _FEW, sizes // 2 - sizes // 2 % 8, 0)
        levels.append(np.unique(np.concatenate((levels[-1], levels[-1][:-1] + half))))
    firsts = [np.searchsorted(lower, upper).astype(np.int32) for upper, lower in zip(levels[-2::-1], levels[:0:-1])]
    begins = np.cumsum([0] + [len(one) for one in firsts]).astype(np.int32)
    return Halves(levels[-1], np.concatenate([*firsts, np.empty(0, np.int32)]), begins)

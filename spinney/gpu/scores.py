"""Scores and losses of all rows: the last tree added, and the sum of losses, in the order of boosting/mean_loss.py."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import cuda, float64, gpu_function, gpu_kernel
from spinney.criteria.losses import FORMULAS
from spinney.gpu.memory import MOST_THREADS, NOBODY

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

    @gpu_function
    def loss_at(rows, tree, loss, i):
        raw, leaf = rows.scores[0, i], rows.leaf_of_row[i]
        if leaf != NOBODY:
            raw += tree.values[leaf]
        return formula(raw, rows.y[i]) if is_own else formula(loss[0], raw, rows.y[i])

    @gpu_kernel
    def sum_losses(rows, tree, loss, parts, sums):
        """sums[k] = of rows parts[k] .. parts[k + 1], 128 at most, by eight running sums as NumPy has them: a thread
        each."""
        eights = cuda.shared.array(MOST_THREADS, float64)
        per_block = (cuda.blockDim.x + 7) // 8
        for first in range(per_block * cuda.blockIdx.x, sums.size, per_block * cuda.gridDim.x):
            cuda.syncthreads()
            for at in range(cuda.threadIdx.x, 8 * per_block, cuda.blockDim.x):
                part = first + at // 8
                if part < sums.size:
                    begin = parts[part]
                    n = (parts[part + 1] - begin) // 8
                    total = loss_at(rows, tree, loss, begin + at % 8) if n > 0 else 0.0
                    for k in range(1, n):
                        total += loss_at(rows, tree, loss, begin + 8 * k + at % 8)
                    eights[at] = total
            cuda.syncthreads()
            for at in range(cuda.threadIdx.x, per_block, cuda.blockDim.x):
                part, e = first + at, 8 * at
                if part < sums.size:
                    total = ((eights[e] + eights[e + 1]) + (eights[e + 2] + eights[e + 3])) + (
                        (eights[e + 4] + eights[e + 5]) + (eights[e + 6] + eights[e + 7])
                    )
                    begin, end = parts[part], parts[part + 1]
                    for i in range(begin + (end - begin) // 8 * 8, end):
                        total += loss_at(rows, tree, loss, i)
                    sums[part] = total

    return sum_losses


def losses_of(loss: Any) -> Any:
    """That of a loss; None if it has no value."""
    if type(loss) in FORMULAS:
        return losses_kernel(FORMULAS[type(loss)].value, False)
    return None if loss.value is None else losses_kernel(loss.value, True)


@gpu_kernel
def fold_level(source, target, firsts, begins, level):
    """Put parts together, one level up: two neighbours, or one as it is; see `Halves`."""
    begin = begins[level[0]]
    n = begins[level[0] + 1] - begin - 1
    for k in range(cuda.grid(1), n, cuda.gridsize(1)):
        first, after = firsts[begin + k], firsts[begin + k + 1]
        target[k] = source[first] + source[first + 1] if after - first == 2 else source[first]


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

"""Scores and losses of all rows: the last tree added, and sums of losses, as in ensemble/boosting/gradients.py."""

from __future__ import annotations

import functools
from typing import Any

from spinney._compile.cuda import cuda, float64, gpu_function, gpu_kernel
from spinney.criteria.losses import FORMULAS
from spinney.ensemble.boosting.gradients import LOSSES_OF_PART
from spinney.gpu.memory import MOST_THREADS, NOBODY


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
    def sum_losses(rows, tree, loss, sums):
        """The sum of every part of the rows, by eight running sums: a thread each."""
        eights = cuda.shared.array(MOST_THREADS, float64)
        per_block = (cuda.blockDim.x + 7) // 8
        for first in range(per_block * cuda.blockIdx.x, sums.size, per_block * cuda.gridDim.x):
            cuda.syncthreads()
            for at in range(cuda.threadIdx.x, 8 * per_block, cuda.blockDim.x):
                part = first + at // 8
                if part < sums.size:
                    begin = part * LOSSES_OF_PART
                    n = (min(rows.y.size, begin + LOSSES_OF_PART) - begin) // 8
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
                    begin = part * LOSSES_OF_PART
                    end = min(rows.y.size, begin + LOSSES_OF_PART)
                    for i in range(begin + (end - begin) // 8 * 8, end):
                        total += loss_at(rows, tree, loss, i)
                    sums[part] = total

    return sum_losses


def losses_of(loss: Any) -> Any:
    """That of a loss; None if it has no value."""
    if type(loss) in FORMULAS:
        return losses_kernel(FORMULAS[type(loss)].value, False)
    return None if loss.value is None else losses_kernel(loss.value, True)

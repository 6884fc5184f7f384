"""Derivatives of every row, and the same in integer units: ensemble/boosting/gradients.py on the GPU.

In: scores, targets and weights; or derivatives and what their units are worth. Out: derivatives and their extremes;
or `shorts`, the first order of the tree's rows, and the root's sums.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from spinney._compile.cuda import cuda, float64, gpu_function, gpu_kernel, int64
from spinney.criteria.exp_log import exp, log
from spinney.criteria.losses import FORMULAS, softmax_derivatives
from spinney.data.row_hash import end_key, mix_code
from spinney.gpu.memory import (
    GRADIENT_EXPONENTS,
    HESSIAN_EXPONENTS,
    MAX_GRADIENT,
    MAX_HESSIAN,
    MIN_HESSIAN,
    MOST_THREADS,
    NOBODY,
    SUMMARY,
)
from spinney.grow.boosting.statistics import (
    far_gradient,
    far_hessian,
    quantise,
    quantise_far,
    short_gradient,
    short_hessian,
)

_SIZE = np.int32(0x7FFFFFFF)
_EXPONENT = np.int32(23)


@gpu_kernel
def clear_sums(rows, tree):
    """Before derivatives are computed."""
    at = cuda.grid(1)
    if at < SUMMARY:
        rows.summary[at] = 0
    if at < 3:
        tree.totals[at] = 0


@gpu_kernel
def lay_lines(rows):
    """The codes row by row, and every row's key; see data/dataset.py."""
    stride = rows.stride[0]
    for i in range(cuda.grid(1), rows.y.size, cuda.gridsize(1)):
        key = np.uint32(0)
        for j in range(rows.codes.shape[0]):
            code = rows.codes[j, i]
            rows.lines[i * stride + j] = code
            key = mix_code(key, code)
        rows.keys[i] = end_key(key)


@gpu_function
def store(rows, i, gradient, hessian):
    """A row's derivatives, weighted."""
    out = rows.derivatives
    out[2 * i] = gradient
    out[2 * i + 1] = hessian
    if rows.importance.size:
        out[2 * i] = out[2 * i] * rows.importance[i]
        out[2 * i + 1] = out[2 * i + 1] * rows.importance[i]
    if rows.counts.size and rows.counts[i] == 0:
        out[2 * i] = out[2 * i + 1] = np.float32(0.0)


@gpu_function
def summarise(rows, bits):
    """Extremes of the derivatives that this thread has stored, and those of all threads of the block, to `summary`."""
    sums = cuda.shared.array(SUMMARY, int64)
    thread = cuda.threadIdx.x
    for part in range(thread, SUMMARY, cuda.blockDim.x):
        sums[part] = 0
    cuda.syncthreads()
    gradient = hessian = lowest = np.int32(0)
    gradient_exponents = hessian_exponents = np.int64(0)
    i = cuda.grid(1)
    while i < rows.y.size:
        size = bits[2 * i] & _SIZE
        gradient = size if size > gradient else gradient
        value = bits[2 * i + 1]
        hessian = value if value > hessian else hessian
        lowest = value if value < lowest else lowest
        gradient_exponents += size >> _EXPONENT
        hessian_exponents += value >> _EXPONENT
        i += cuda.gridsize(1)
    cuda.atomic.max(sums, MAX_GRADIENT, np.int64(gradient))
    cuda.atomic.max(sums, MAX_HESSIAN, np.int64(hessian))
    cuda.atomic.min(sums, MIN_HESSIAN, np.int64(lowest))
    cuda.atomic.add(sums, GRADIENT_EXPONENTS, gradient_exponents)
    cuda.atomic.add(sums, HESSIAN_EXPONENTS, hessian_exponents)
    cuda.syncthreads()
    if thread == 0:
        cuda.atomic.max(rows.summary, MAX_GRADIENT, sums[MAX_GRADIENT])
        cuda.atomic.max(rows.summary, MAX_HESSIAN, sums[MAX_HESSIAN])
        cuda.atomic.min(rows.summary, MIN_HESSIAN, sums[MIN_HESSIAN])
        cuda.atomic.add(rows.summary, GRADIENT_EXPONENTS, sums[GRADIENT_EXPONENTS])
        cuda.atomic.add(rows.summary, HESSIAN_EXPONENTS, sums[HESSIAN_EXPONENTS])


@functools.cache
def derivatives_kernel(formula: Any, is_own: bool) -> Any:
    """The kernel of one loss: its formula is a CPU kernel of `FORMULAS`, or a user's function compiled for the CPU."""

    @gpu_kernel
    def fill_derivatives(rows, tree, bits, loss):
        """scores += the last tree's values; derivatives at the new scores."""
        i = cuda.grid(1)
        scores = rows.scores[0]
        while i < rows.y.size:
            raw = scores[i]
            leaf = rows.leaf_of_row[i]
            if leaf != NOBODY:
                raw += tree.values[leaf]
                scores[i] = raw
                rows.leaf_of_row[i] = NOBODY
            gradient, hessian = formula(raw, rows.y[i]) if is_own else formula(loss[0], raw, rows.y[i])
            store(rows, i, gradient, hessian)
            i += cuda.gridsize(1)
        summarise(rows, bits)

    return fill_derivatives


def derivatives_of(loss: Any) -> Any:
    """That of a loss."""
    if type(loss) in FORMULAS:
        return derivatives_kernel(FORMULAS[type(loss)].derivatives, False)
    return derivatives_kernel(loss.derivatives, True)


def loss_record(loss: Any) -> np.ndarray:
    """The numbers of a built-in loss."""
    if type(loss) not in FORMULAS:
        return np.zeros(1, np.dtype([("nothing", np.float64)]))
    return np.array([tuple(loss)], np.dtype([(name, np.float64) for name in loss._fields]))


@gpu_kernel
def fill_class_derivatives(rows, tree, bits):
    """The same for one class of many, at scores that are up to date."""
    i = cuda.grid(1)
    k = tree.params[0].output
    while i < rows.y.size:
        is_class = 1.0 if rows.y[i] == k else 0.0
        probability = exp(rows.scores[k, i] - rows.log_totals[i])
        gradient, hessian = softmax_derivatives(probability, is_class)
        store(rows, i, gradient, hessian)
        i += cuda.gridsize(1)
    summarise(rows, bits)


@gpu_function
def log_total(scores, i):
    """The logarithm of the sum over classes of exp(scores[class, i]), as ensemble/boosting/gradients.py has it."""
    n_classes = scores.shape[0]
    largest = scores[0, i]
    for k in range(1, n_classes):
        other = scores[k, i]
        largest = other if other > largest else largest
    total = 0.0
    for k in range(n_classes):
        total += exp(scores[k, i] - largest)
    return largest + log(total)


@gpu_kernel
def fill_log_totals(rows):
    """Per row, the logarithm of the softmax's denominator."""
    i = cuda.grid(1)
    while i < rows.y.size:
        rows.log_totals[i] = log_total(rows.scores, i)
        i += cuda.gridsize(1)


@gpu_kernel
def count_exponents(rows, bits):
    """exponents (2, 256) += how many gradients, hessians have each exponent."""
    counts = cuda.shared.array((2, 256), int64)
    for at in range(cuda.threadIdx.x, 512, cuda.blockDim.x):
        counts[at // 256, at % 256] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    while i < rows.y.size:
        times = rows.counts[i] if rows.counts.size else np.int64(1)
        cuda.atomic.add(counts, (0, (bits[2 * i] >> 23) & 0xFF), times)
        cuda.atomic.add(counts, (1, (bits[2 * i + 1] >> 23) & 0xFF), times)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    for at in range(cuda.threadIdx.x, 512, cuda.blockDim.x):
        if counts[at // 256, at % 256]:
            cuda.atomic.add(rows.exponents, (at // 256, at % 256), counts[at // 256, at % 256])


@gpu_kernel
def quantise_rows(rows, tree):
    """The tree's rows in their first order, their statistics in whole units, and the sums of those."""
    sums = cuda.shared.array((3, MOST_THREADS), int64)
    params, fields, thread = tree.params[0], tree.fields[0], cuda.threadIdx.x
    gradient = hessian = count = np.int64(0)
    i = cuda.grid(1)
    while i < params.n_rows:
        row = np.int64(tree.chosen[i]) if params.sampled else np.int64(i)
        tree.order[0, i] = row
        g, h, key = rows.derivatives[2 * row], rows.derivatives[2 * row + 1], rows.keys[row]
        times = rows.counts[row] if rows.counts.size else np.int64(1)
        if fields.is_far:
            short = quantise_far(g, h, params.noise_key, key, fields)
            gradient += times * far_gradient(short)
            hessian += times * far_hessian(short)
        else:
            short = quantise(g, h, params.noise_key, key, fields)
            gradient += times * short_gradient(short)
            hessian += times * short_hessian(short)
        count += times
        rows.shorts[row] = short
        i += cuda.gridsize(1)
    sums[0, thread] = gradient
    sums[1, thread] = hessian
    sums[2, thread] = count
    half = cuda.blockDim.x // 2
    while half > 0:
        cuda.syncthreads()
        if thread < half:
            for part in range(3):
                sums[part, thread] += sums[part, thread + half]
        half //= 2
    cuda.syncthreads()
    for part in range(thread, 3, cuda.blockDim.x):
        cuda.atomic.add(tree.totals, part, sums[part, 0])


__all__ = ["float64"]

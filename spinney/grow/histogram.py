"""Histograms: per bin, the sums of gradient, hessian and count of a node's rows.

Two forms. *Packed*: one int64 a bin, for nodes of at most `fields.block_rows` rows. *Wide*: three int64 a bin
(gradient, hessian, count), for larger ones; built from packed blocks, so the hot loop is the same.

    packed   [ bin 0 | bin 1 | bin 2 | ...            ]
    wide     [ g h c | g h c | g h c | ...            ]
"""

from __future__ import annotations

import numpy as np

from spinney._jit import inner_kernel, prefetch
from spinney.data.dataset import LANES, STRIDES
from spinney.grow.memory import NOT_USED
from spinney.grow.statistics import pack, packed_count, packed_gradient, packed_hessian

_AHEAD = 24  # rows between asking for a row's codes and using them
# Places are unsigned: an index that cannot be negative needs no test for it.
_BYTE, _ONE = np.uint64(255), np.uint64(1)
_S8, _S16, _S24, _S32 = (np.uint64(8 * k) for k in range(1, 5))
_STRIDE_256, _STRIDE_64, _STRIDE_16, _STRIDE_4 = (np.uint64(stride) for stride in STRIDES)
_HALF, _WHOLE = np.uint64(LANES // 2), np.uint64(LANES)


@inner_kernel
def accumulate(words, runs, rows, packed, start, stop, histogram):
    """histogram[bin of each column's code] += packed[k] for k in start..stop; eight codes ride in each word."""
    n_words = runs.n_256 + runs.n_64 + runs.n_16 + runs.n_4 + runs.half_tail
    rows, packed = rows[start:stop], packed[start:stop]
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * n_words)
        word = np.uint64(rows[k]) * np.uint64(n_words)
        add = packed[k]
        at = np.uint64(0)
        for _ in range(runs.n_256):
            _add_eight(histogram, at, _STRIDE_256, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_256
        for _ in range(runs.n_64):
            _add_eight(histogram, at, _STRIDE_64, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_64
        for _ in range(runs.n_16):
            _add_eight(histogram, at, _STRIDE_16, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_16
        for _ in range(runs.n_4):
            _add_eight(histogram, at, _STRIDE_4, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_4
        if runs.half_tail:  # the last word holds at most four columns
            _add_four(histogram, at, np.uint64(runs.tail_stride), words[word], add)


@inner_kernel
def _add_eight(histogram, at, stride, word, add):
    _add_four(histogram, at, stride, word, add)
    _add_four(histogram, at + _HALF * stride, stride, word >> _S32, add)


@inner_kernel
def _add_four(histogram, at, stride, word, add):
    """The word's four low codes. `stride` is a constant once this is inlined."""
    histogram[at + (word & _BYTE)] += add
    at += stride
    histogram[at + ((word >> _S8) & _BYTE)] += add
    at += stride
    histogram[at + ((word >> _S16) & _BYTE)] += add
    at += stride
    histogram[at + ((word >> _S24) & _BYTE)] += add


@inner_kernel
def widen(packed, wide, fields):
    """Move packed sums into the wide ones and leave zeros behind."""
    for i in range(packed.size):
        value = packed[i]
        wide[3 * i] += packed_gradient(value, fields)
        wide[3 * i + 1] += packed_hessian(value, fields)
        wide[3 * i + 2] += packed_count(value, fields)
        packed[i] = 0


@inner_kernel
def reduce_packed(scratch, desks, first, last, out):
    """out[bins] = sum of the threads' packed scratches."""
    total = out[first:last]
    for i in range(total.size):
        total[i] = 0
    for rank in range(desks.size):
        if desks[rank].filled != NOT_USED:
            part = scratch[rank, first:last]
            for i in range(total.size):
                total[i] += part[i]


@inner_kernel
def reduce_wide(scratch, packed_scratch, desks, first, last, fields, out):
    """The same for a wide histogram: the wide scratches, and what has not been widened yet."""
    total = out[3 * first : 3 * last]
    for i in range(total.size):
        total[i] = 0
    for rank in range(desks.size):
        if desks[rank].filled != NOT_USED:
            part = scratch[rank, 3 * first : 3 * last]
            for i in range(total.size):
                total[i] += part[i]
            rest = packed_scratch[rank, first:last]
            for i in range(rest.size):
                total[3 * i] += packed_gradient(rest[i], fields)
                total[3 * i + 1] += packed_hessian(rest[i], fields)
                total[3 * i + 2] += packed_count(rest[i], fields)


@inner_kernel
def subtract(parent, child, first, last):
    """parent -= child, both of one form."""
    parent, child = parent[first:last], child[first:last]
    for i in range(parent.size):
        parent[i] -= child[i]


@inner_kernel
def subtract_packed_from_wide(parent, child, first, last, fields):
    """parent -= child, where the child is packed and the parent wide."""
    parent, child = parent[3 * first : 3 * last], child[first:last]
    for i in range(child.size):
        value = child[i]
        parent[3 * i] -= packed_gradient(value, fields)
        parent[3 * i + 1] -= packed_hessian(value, fields)
        parent[3 * i + 2] -= packed_count(value, fields)


@inner_kernel
def narrow(wide, packed, first, last, fields):
    """A wide histogram of a node that now fits, packed."""
    wide, packed = wide[3 * first : 3 * last], packed[first:last]
    for i in range(packed.size):
        packed[i] = pack(wide[3 * i], wide[3 * i + 1], wide[3 * i + 2], fields)

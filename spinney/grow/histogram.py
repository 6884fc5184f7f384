"""Histograms: per bin, the sums of gradient, hessian and count of a node's rows.

Two forms. *Packed*: one int64 a bin, for nodes of at most `fields.block_rows` rows. *Wide*: three int64 a bin
(gradient, hessian, count), for larger ones; built from packed blocks, so the hot loop is the same.

    packed   [ bin 0 | bin 1 | bin 2 | ...            ]
    wide     [ g h c | g h c | g h c | ...            ]
"""

from __future__ import annotations

import numpy as np

from spinney._jit import inner_kernel, prefetch
from spinney.grow.statistics import pack, packed_count, packed_gradient, packed_hessian

_AHEAD = 16  # rows between asking for a row's codes and using them
_BYTE = np.uint64(255)
_S8, _S16, _S24, _S32, _S40, _S48, _S56 = (np.uint64(8 * k) for k in range(1, 8))


@inner_kernel
def accumulate(words, word_start, word_stride, rows, packed, start, stop, histogram):
    """histogram[bin of each column's code] += packed[k] for k in start..stop; eight codes ride in each word."""
    n_words = word_start.size
    for k in range(start, stop):
        if k + _AHEAD < stop:
            prefetch(words, np.int64(rows[k + _AHEAD]) * n_words)
        base = np.int64(rows[k]) * n_words
        add = packed[k]
        for w in range(n_words):
            word = words[base + w]
            stride = word_stride[w]
            at = word_start[w]
            histogram[at + np.int64(word & _BYTE)] += add
            at += stride
            histogram[at + np.int64((word >> _S8) & _BYTE)] += add
            at += stride
            histogram[at + np.int64((word >> _S16) & _BYTE)] += add
            at += stride
            histogram[at + np.int64((word >> _S24) & _BYTE)] += add
            at += stride
            histogram[at + np.int64((word >> _S32) & _BYTE)] += add
            at += stride
            histogram[at + np.int64((word >> _S40) & _BYTE)] += add
            at += stride
            histogram[at + np.int64((word >> _S48) & _BYTE)] += add
            at += stride
            histogram[at + np.int64(word >> _S56)] += add


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
def reduce_scratches(scratch, desks, first, last, out):
    """out[places] = sum of the scratches of the threads that used theirs."""
    for i in range(first, last):
        out[i] = 0
    for rank in range(desks.size):
        if desks[rank].used:
            for i in range(first, last):
                out[i] += scratch[rank, i]


@inner_kernel
def subtract(parent, child, first, last):
    """parent -= child, both of one form."""
    for i in range(first, last):
        parent[i] -= child[i]


@inner_kernel
def subtract_packed_from_wide(parent, child, first, last, fields):
    """parent -= child, where the child is packed and the parent wide."""
    for i in range(first, last):
        value = child[i]
        parent[3 * i] -= packed_gradient(value, fields)
        parent[3 * i + 1] -= packed_hessian(value, fields)
        parent[3 * i + 2] -= packed_count(value, fields)


@inner_kernel
def narrow(wide, packed, first, last, fields):
    """A wide histogram of a node that now fits, packed."""
    for i in range(first, last):
        packed[i] = pack(wide[3 * i], wide[3 * i + 1], wide[3 * i + 2], fields)

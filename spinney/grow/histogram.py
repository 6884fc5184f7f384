"""Histograms: per bin, the sums of gradient, hessian and count of a node's rows.

Two forms. *Packed*: one int64 a bin, for nodes of at most `fields.block_rows` rows. *Wide*: three planes of int64
(gradient, hessian, count), for larger ones; built from packed blocks, so the hot loop is the same.

    packed   [ bin 0 | bin 1 | bin 2 | ... ]
    wide     [ g 0   | g 1   | g 2   | ... ]
             [ h 0   | h 1   | h 2   | ... ]
             [ c 0   | c 1   | c 2   | ... ]

Two ways to build one. *By rows*: each thread sums some rows, all columns, into a scratch of its own; then the
scratches are added up. *By words*: each thread sums all rows for a few words of codes; nothing is to be added up, and
what it sums into stays in the first-level cache. By words is for few rows, or very many columns.
"""

from __future__ import annotations

import numpy as np

from spinney._jit import inner_kernel, prefetch, separate_kernel
from spinney.data.dataset import LANES, STRIDES
from spinney.grow.memory import NOT_USED
from spinney.grow.statistics import pack, pack_short, packed_count, packed_gradient, packed_hessian

_AHEAD = 24  # rows between asking for a row's codes and using them
# Places are unsigned: an index that cannot be negative needs no test for it.
_BYTE, _ONE = np.uint64(255), np.uint64(1)
_S8, _S16, _S24, _S32 = (np.uint64(8 * k) for k in range(1, 5))
_STRIDE_264, _STRIDE_72, _STRIDE_16, _STRIDE_4 = (np.uint64(stride) for stride in STRIDES)
_HALF, _WHOLE = np.uint64(LANES // 2), np.uint64(LANES)


@inner_kernel
def accumulate(words, runs, rows, counts, fields, histogram):
    """By rows: histogram[bin of each column's code] += the row's statistics; eight codes ride in each word."""
    if counts.size == 0 and runs.n_72 + runs.n_16 + runs.n_4 == 0:
        _accumulate_wide_columns(words, runs, rows, fields, histogram)
    else:
        _accumulate_columns(words, runs, rows, counts, fields, histogram)


@separate_kernel
def _accumulate_wide_columns(words, runs, rows, fields, histogram):
    """The most frequent kind of table, with as little in the loop as there can be."""
    n_words = np.uint64(runs.n_words)
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * runs.n_words)
        word = np.uint64(rows[k]) * n_words
        last = word + n_words - _ONE
        tail = words[last]
        add = pack_short(tail >> _S32, fields)
        at = np.uint64(0)
        while word < last:
            _add_eight(histogram, at, _STRIDE_264, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_264
        if runs.has_tail:
            _add_four(histogram, at, _STRIDE_264, tail, add)


@separate_kernel
def _accumulate_columns(words, runs, rows, counts, fields, histogram):
    last = np.uint64(runs.n_words - 1)
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * runs.n_words)
        word = np.uint64(rows[k]) * np.uint64(runs.n_words)
        tail = words[word + last]
        add = pack_short(tail >> _S32, fields)
        if counts.size:
            add *= counts[rows[k]]
        at = np.uint64(0)
        for _ in range(runs.n_264):
            _add_eight(histogram, at, _STRIDE_264, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_264
        for _ in range(runs.n_72):
            _add_eight(histogram, at, _STRIDE_72, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_72
        for _ in range(runs.n_16):
            _add_eight(histogram, at, _STRIDE_16, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_16
        for _ in range(runs.n_4):
            _add_eight(histogram, at, _STRIDE_4, words[word], add)
            word += _ONE
            at += _WHOLE * _STRIDE_4
        if runs.has_tail:
            _add_four(histogram, at, _STRIDE_264, tail, add)


@inner_kernel
def _add_eight(histogram, at, stride, word, add):
    _add_four(histogram, at, stride, word, add)
    _add_four(histogram, at + _HALF * stride, stride, word >> _S32, add)


@inner_kernel
def _add_four(histogram, at, stride, word, add):
    """The word's four low codes. By rows, `stride` is a constant once this is inlined."""
    histogram[at + (word & _BYTE)] += add
    at += stride
    histogram[at + ((word >> _S8) & _BYTE)] += add
    at += stride
    histogram[at + ((word >> _S16) & _BYTE)] += add
    at += stride
    histogram[at + ((word >> _S24) & _BYTE)] += add


@inner_kernel
def read_statistics(words, n_words, rows, counts, fields, packed):
    """By words, first: packed[k] = the k-th row's statistics."""
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * n_words + n_words - 1)
        packed[k] = pack_short(words[np.uint64(rows[k]) * np.uint64(n_words) + np.uint64(n_words - 1)] >> _S32, fields)
        if counts.size:
            packed[k] *= counts[rows[k]]


@inner_kernel
def accumulate_word(words, n_words, word, n_lanes, rows, packed, stride, histogram):
    """By words, then: histogram[lane * stride + code] += packed[k] for the codes of one word."""
    step, first, apart = np.uint64(n_words), np.uint64(word), np.uint64(stride)
    for k in range(rows.size):
        codes = words[np.uint64(rows[k]) * step + first]
        _add_four(histogram, np.uint64(0), apart, codes, packed[k])
        if n_lanes > LANES // 2:
            _add_four(histogram, _HALF * apart, apart, codes >> _S32, packed[k])


@inner_kernel
def widen(packed, wide, fields):
    """Move packed sums into the wide ones and leave zeros behind."""
    n = packed.size
    gradient, hessian, count = wide[0, :n], wide[1, :n], wide[2, :n]
    for i in range(n):
        value = packed[i]
        gradient[i] += packed_gradient(value, fields)
        hessian[i] += packed_hessian(value, fields)
        count[i] += packed_count(value, fields)
        packed[i] = 0


@inner_kernel
def reduce_packed(scratch, desks, ranks, first, out):
    """out = sum of the packed scratches of some threads, from place `first` on."""
    for i in range(out.size):
        out[i] = 0
    for rank in range(ranks[0], ranks[1]):
        if desks[rank].filled != NOT_USED:
            part = scratch[rank, first : first + out.size]
            for i in range(out.size):
                out[i] += part[i]


@inner_kernel
def reduce_wide(scratch, packed_scratch, desks, ranks, first, fields, out):
    """The same for a wide histogram: the wide scratches, and what has not been widened yet."""
    n = out.shape[1]
    gradient, hessian, count = out[0], out[1], out[2]
    for i in range(n):
        gradient[i] = hessian[i] = count[i] = 0
    for rank in range(ranks[0], ranks[1]):
        if desks[rank].filled != NOT_USED:
            rest = packed_scratch[rank, first : first + n]
            for i in range(n):
                gradient[i] += scratch[rank, 0, first + i] + packed_gradient(rest[i], fields)
                hessian[i] += scratch[rank, 1, first + i] + packed_hessian(rest[i], fields)
                count[i] += scratch[rank, 2, first + i] + packed_count(rest[i], fields)


@inner_kernel
def subtract(parent, child):
    """parent -= child, both packed, or a plane of each."""
    for i in range(parent.size):
        parent[i] -= child[i]


@inner_kernel
def subtract_packed_from_wide(parent, child, fields):
    """parent -= child, where the child is packed and the parent wide."""
    gradient, hessian, count = parent[0], parent[1], parent[2]
    for i in range(child.size):
        value = child[i]
        gradient[i] -= packed_gradient(value, fields)
        hessian[i] -= packed_hessian(value, fields)
        count[i] -= packed_count(value, fields)


@inner_kernel
def narrow(wide, packed, fields):
    """A wide histogram of a node that now fits, packed."""
    for i in range(packed.size):
        packed[i] = pack(wide[0, i], wide[1, i], wide[2, i], fields)

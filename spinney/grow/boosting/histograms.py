"""Histograms: per bin, the sums of gradient, hessian and count of a node's rows.

Two forms. *Packed*: one int64 per bin, for nodes of at most `fields.block_rows` rows. *Wide*: three planes of int64
(gradient, hessian, count), for larger ones; built from packed blocks, so the hot loop is the same.

    packed   [ bin 0 | bin 1 | bin 2 | ... ]
    wide     [ g 0   | g 1   | g 2   | ... ]
             [ h 0   | h 1   | h 2   | ... ]
             [ c 0   | c 1   | c 2   | ... ]

Two ways to build one. *By rows*: each thread sums some rows, all columns, into a scratch of its own; then the
scratches are added up. *By words*: each thread sums all rows for a few words of codes; nothing is to be added up, and
what it sums into stays in the first-level cache. By words is for few rows, or very many columns.
Scratches have lanes, in which narrow columns may be joined (see data/dataset.py); histograms of nodes have columns.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import atomic_add, inner_kernel, part_kernel, prefetch, separate_kernel
from spinney.data.dataset import LANES, STRIDE
from spinney.grow.boosting.memory import NOT_USED, ROOT, SUMS
from spinney.grow.boosting.partition import CHUNK
from spinney.grow.boosting.statistics import (
    far_gradient,
    far_hessian,
    pack,
    pack_far,
    pack_short,
    packed_count,
    packed_gradient,
    packed_hessian,
    quantise,
    quantise_far,
    short_gradient,
    short_hessian,
)

_AHEAD = 24  # rows between asking for a row's codes and using them
# Places are unsigned: an index that cannot be negative needs no test for it.
_ONE, _TWO, _THREE, _FOUR = (np.uint64(k) for k in range(1, 5))
_STRIDE, _WORD = np.uint64(STRIDE), np.uint64(LANES * STRIDE)


@separate_kernel
def accumulate(words, lanes, n_words, rows, fields, scratch):
    """scratch[place of each lane's byte] += the row's statistics. `lanes` are the bytes of `words`."""
    step = np.uint64(n_words)
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * n_words)
        first = np.uint64(rows[k]) * step
        last = first + step - _ONE
        _add_row(lanes, _FOUR * first, _FOUR * last, pack_short(words[last], fields), scratch)


@separate_kernel
def accumulate_far(words, lanes, n_words, rows, fields, scratch):
    """The same for statistics with exponents."""
    step = np.uint64(n_words)
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * n_words)
        first = np.uint64(rows[k]) * step
        last = first + step - _ONE
        _add_row(lanes, _FOUR * first, _FOUR * last, pack_far(np.uint64(words[last]), fields), scratch)


@separate_kernel
def accumulate_words(lanes, n_words, first_word, last_word, rows, packed, scratch):
    """The same for the lanes of some words only, with statistics that were read before."""
    step, first, last = _FOUR * np.uint64(n_words), _FOUR * np.uint64(first_word), _FOUR * np.uint64(last_word)
    for k in range(rows.size):
        row = np.uint64(rows[k]) * step
        _add_row(lanes, row + first, row + last, packed[k], scratch)


@inner_kernel
def _add_row(lanes, first, last, add, scratch):
    """Some lanes of a row, four by four."""
    # Lanes have bins of their own, STRIDE apart, so the four additions never meet in one place: the processor need not
    # wait for one to finish the next.
    at = np.uint64(0)
    while first < last:
        scratch[at + np.uint64(lanes[first])] += add
        scratch[at + _STRIDE + np.uint64(lanes[first + _ONE])] += add
        scratch[at + _TWO * _STRIDE + np.uint64(lanes[first + _TWO])] += add
        scratch[at + _THREE * _STRIDE + np.uint64(lanes[first + _THREE])] += add
        at += _WORD
        first += _FOUR


@inner_kernel
def read_statistics(words, n_words, rows, counts, fields, packed):
    """packed[k] = the k-th row's statistics, as often as it counts."""
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(words, np.int64(rows[k + _AHEAD]) * n_words + n_words - 1)
        short = np.uint64(words[np.uint64(rows[k]) * np.uint64(n_words) + np.uint64(n_words - 1)])
        packed[k] = pack_far(short, fields) if fields.is_far else pack_short(short, fields)
        if counts.size:
            packed[k] *= counts[rows[k]]


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
    empty = True
    for rank in range(ranks[0], ranks[1]):
        if desks[rank].filled != NOT_USED:
            part = scratch[rank, first : first + out.size]
            if empty:
                for i in range(out.size):
                    out[i] = part[i]
            else:
                for i in range(out.size):
                    out[i] += part[i]
            empty = False


@inner_kernel
def reduce_wide(scratch, packed_scratch, desks, ranks, first, fields, out):
    """The same for a wide histogram: the wide scratches, and what has not been widened yet."""
    n = out.shape[1]
    gradient, hessian, count = out[0], out[1], out[2]
    for i in range(n):
        gradient[i] = hessian[i] = count[i] = 0
    for rank in range(ranks[0], ranks[1]):
        if desks[rank].filled != NOT_USED:
            widen(packed_scratch[rank, first : first + n], scratch[rank, :, first : first + n], fields)
            for part in range(3):
                wide, total = scratch[rank, part, first : first + n], out[part]
                for i in range(n):
                    total[i] += wide[i]


@inner_kernel
def read_digit(lane, divisor, out):
    """out[code] = sums over the bytes of a lane whose highest digit is that code."""
    # A lane's byte is a number of mixed radix, code_1 + d_2 code_2 + d_3 code_3, and its bins a table of all digits.
    # The histogram of the column with the highest digit has the sums of blocks of `divisor` bins; drop_digit then sums
    # over that digit, which leaves the joint histogram of the other columns for the next one.
    #     bins, divisor 4      [ 0 1 2 3 | 4 5 6 7 | 8 9 10 11 ]
    #     read_digit             out[0]    out[1]    out[2]         sums along a block
    #     drop_digit           [ 0+4+8  1+5+9  2+6+10  3+7+11 ]     sums across blocks
    if divisor == 1:
        for code in range(out.size):
            out[code] = lane[code]
        return
    for code in range(out.size):
        total = np.int64(0)
        for value in lane[code * divisor : (code + 1) * divisor]:
            total += value
        out[code] = total


@inner_kernel
def drop_digit(lane, divisor, n_slots):
    """Sum a lane over its highest digit; what is left is in its first `divisor` places."""
    rest = lane[:divisor]
    for code in range(1, n_slots):
        part = lane[code * divisor : (code + 1) * divisor]
        for i in range(rest.size):
            rest[i] += part[i]


@inner_kernel
def subtract(parent, child):
    """parent -= child, both packed, or a plane of each."""
    # exact, field by field: the child's rows are some of the parent's, so no hessian or count becomes negative
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


# ----------------------------------------------------------------------------------------------------------------------
# The first phase of a node: its rows into histograms, chunk by chunk; the root's rows are quantised on the way.
#
# In: the small child's rows and their statistics. Out: sums in the threads' scratches (histograms.py), and
# those of the root.


GRADIENT, HESSIAN, COUNT = 0, 8, 16  # places in work.totals
_SUMMED = 1020  # rows summed at a time, or up to four times as many; 16 times as many fit the packed form (BLOCK)


@inner_kernel
def begin_histogram(work):
    """Open the phase that sums the small child's rows."""
    state = work.state[0]
    small = work.nodes[state.small]
    for rank in range(work.desks.size):
        work.desks[rank].filled = NOT_USED
    n_rows = small.end - small.begin
    share = n_rows // work.desks.size // _SUMMED  # large chunks, but something for every thread
    state.summed = _SUMMED * (1 if share < 1 else (4 if share > 4 else share))
    state.phase, state.n_chunks = SUMS, (n_rows + state.summed - 1) // state.summed


@part_kernel
def sum_chunk(rank, table, rows, work, desk, chunk):
    """Some of the small child's rows into this thread's scratch; the root's are quantised on the way."""
    state = work.state[0]
    small = work.nodes[state.small]
    scratch, wide_scratch = work.packed_scratch[rank], work.wide_scratch[rank]
    begin = small.begin + chunk * state.summed
    end = min(small.end, begin + state.summed)
    if state.small == ROOT:
        quantise_chunk(table, rows, work, desk, begin, end)
        if state.by_words:
            return
    if desk.filled == NOT_USED:
        _clear(scratch, wide_scratch, small.is_wide, scratch.size)
        desk.filled = 0
    _sum_rows(rank, table, rows, work, desk, begin, end, np.int64(0), table.n_words - 1)


@inner_kernel
def sum_words(rank, table, rows, work, desk, first, last):
    """All the small child's rows into this thread's scratch, but only the words first .. last."""
    small = work.nodes[work.state[0].small]
    _clear(work.packed_scratch[rank], work.wide_scratch[rank], small.is_wide, (last - first) * LANES * STRIDE)
    desk.filled = 0
    _sum_rows(rank, table, rows, work, desk, small.begin, small.end, first, last)


@part_kernel
def _sum_rows(rank, table, rows, work, desk, begin, end, first, last):
    """Some words of some of the small child's rows into this scratch, in steps that the packed form can hold."""
    fields, parity = rows.fields, work.nodes[work.state[0].small].depth & 1
    scratch, wide_scratch = work.packed_scratch[rank], work.wide_scratch[rank]
    at_once = rows.counts.size == 0 and last - first == table.n_words - 1
    while begin < end:
        step = min(end - begin, fields.block_rows)
        if not at_once:
            step = min(step, CHUNK)
        # Invariant: a packed bin never holds more than block_rows rows, even if all of them fall into that bin. Before
        # it could, the scratch is emptied into the wide one. Nodes of up to block_rows rows never come to this.
        if desk.filled + step > fields.block_rows:
            widen(scratch[: (last - first) * LANES * STRIDE], wide_scratch, fields)
            desk.filled = 0
        numbers = work.rows[parity, begin : begin + step]
        if at_once and fields.is_far:
            accumulate_far(table.words, table.lanes, table.n_words, numbers, fields, scratch)
        elif at_once:
            accumulate(table.words, table.lanes, table.n_words, numbers, fields, scratch)
        else:
            read_statistics(table.words, table.n_words, numbers, rows.counts, fields, desk.packed)
            accumulate_words(table.lanes, table.n_words, first, last, numbers, desk.packed, scratch)
        desk.filled += step
        begin += step


@inner_kernel
def _clear(scratch, wide_scratch, is_wide, size):
    for i in range(size):
        scratch[i] = 0
    if is_wide:
        for part in range(3):
            for i in range(size):
                wide_scratch[part, i] = 0


# --- the root ------------------------------------------------------------------------------------------------------


@inner_kernel
def quantise_chunk(table, rows, work, desk, begin, end):
    """Some of the root's rows."""
    for at in range(begin, end, CHUNK):
        _quantise(table, rows, work, desk, at, min(end, at + CHUNK))


@inner_kernel
def _quantise(table, rows, work, desk, begin, end):
    """Some of the root's rows: their numbers, their statistics into their last words, and the sums of those."""
    numbers, shorts, flat = work.rows[0, begin:end], desk.packed, rows.derivatives.reshape(-1)
    if rows.chosen.size:
        chosen = rows.chosen[begin:end]
        for k in range(chosen.size):
            row, key = np.uint64(chosen[k]), rows.keys[chosen[k]]
            numbers[k] = chosen[k]
            if rows.fields.is_far:
                shorts[k] = quantise_far(flat[row + row], flat[row + row + _ONE], rows.noise_key, key, rows.fields)
            else:
                shorts[k] = quantise(flat[row + row], flat[row + row + _ONE], rows.noise_key, key, rows.fields)
    else:  # the same, with places that the compiler sees to be side by side
        derivatives, keys = flat[2 * begin : 2 * end], rows.keys[begin:end]
        for k in range(numbers.size):
            numbers[k] = begin + k
        if rows.fields.is_far:
            for k in range(numbers.size):
                g, h = derivatives[2 * k], derivatives[2 * k + 1]
                shorts[k] = quantise_far(g, h, rows.noise_key, keys[k], rows.fields)
        else:
            for k in range(numbers.size):
                g, h = derivatives[2 * k], derivatives[2 * k + 1]
                shorts[k] = quantise(g, h, rows.noise_key, keys[k], rows.fields)
    _add_to_root(table, rows, work, numbers, shorts)


@inner_kernel
def _add_to_root(table, rows, work, numbers, shorts):
    """Some rows' statistics into their last words and into the root's sums."""
    gradient = hessian = count = np.int64(0)
    step, is_far = np.uint64(table.n_words), rows.fields.is_far
    for k in range(numbers.size):
        row, short = np.uint64(numbers[k]), np.uint64(shorts[k])
        times = rows.counts[row] if rows.counts.size else np.int64(1)
        gradient += times * (far_gradient(short) if is_far else short_gradient(short))
        hessian += times * (far_hessian(short) if is_far else short_hessian(short))
        count += times
        table.words[row * step + step - _ONE] = short
    atomic_add(work.totals, GRADIENT, gradient)
    atomic_add(work.totals, HESSIAN, hessian)
    atomic_add(work.totals, COUNT, count)

"""The first phase of a node: its rows into histograms, chunk by chunk; the root's rows are quantised on the way.

In: the small child's rows and their statistics. Out: sums in the threads' scratches (histograms.py), and
those of the root.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import atomic_add, inner_kernel, part_kernel
from spinney.data.dataset import LANES, STRIDE
from spinney.grow.histogram.histograms import accumulate, accumulate_far, accumulate_words, read_statistics, widen
from spinney.grow.histogram.memory import HISTOGRAM, NOT_USED, ROOT
from spinney.grow.histogram.partition import CHUNK
from spinney.grow.histogram.statistics import (
    far_gradient,
    far_hessian,
    quantise,
    quantise_far,
    short_gradient,
    short_hessian,
)

GRADIENT, HESSIAN, COUNT = 0, 8, 16  # places in work.totals
_SUMMED = 1020  # rows summed at a time, or up to four times as many; 16 times as many fit the packed form (BLOCK)
_ONE = np.uint64(1)


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
    state.phase, state.n_chunks = HISTOGRAM, (n_rows + state.summed - 1) // state.summed


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

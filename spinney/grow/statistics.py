"""A row's gradient, hessian and count in one int64, so that a histogram update is one load and one add.

    63              gradient_shift      count_bits       0
    [ gradient, signed | hessian        | count           ]      packed: of a row, a bin or some bins

The fields are as wide as the sums over one *block* of rows need (16,383 rows, or all if fewer), and what is left
of the 64 bits is the precision of gradient and hessian. Longer sums are widened into three int64 each.

    31        16 15        0
    [ gradient  | hessian   ]                                    short: of a row, in its last word

A row's own numbers have at most 15 bits, and are kept in 32 until they are added. In tables of up to 2,047 rows they
have just so many and are rounded to the nearest. In larger ones they have fewer, and are rounded up or down at random:
sums then have no bias. The noise is a hash of the row's codes, so that a row of weight 3 and three equal rows are
rounded alike, wherever they stand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney._random import uniform
from spinney.criteria.fixed_point import scale_exponent

BLOCK = 16383  # row counts a packed histogram can hold (14 bits)
_GRADIENT_BITS, _HESSIAN_BITS = 14, 15  # at most: rounded up, they still fit 16 bits
_BIAS = 1 << 15  # makes a short gradient unsigned
_S16, _SHORT = np.uint64(16), np.uint64(0xFFFF)


class Fields(NamedTuple):
    """Where the three parts lie and what their units are worth."""

    count_bits: int
    gradient_shift: int
    count_mask: int
    hessian_mask: int
    block_rows: int  # rows that may be summed packed
    gradient_scale: float  # real -> integer, powers of two
    hessian_scale: float
    gradient_unit: float  # integer -> real
    hessian_unit: float
    fine_gradient_scale: float  # the finer units of leaf sums
    fine_hessian_scale: float
    fine_gradient_unit: float
    fine_hessian_unit: float
    dither: bool  # round at random rather than to the nearest


def make_fields(n_rows: int, total_count: int, most_repeats: int, max_gradient: float, max_hessian: float) -> Fields:
    """Lay out the fields for a tree on `n_rows` rows that count `total_count` in all."""
    block_rows = max(1, min(n_rows, BLOCK // most_repeats))
    units = min(total_count, block_rows * most_repeats)
    count_bits = units.bit_length()
    free = 63 - 3 * count_bits  # one bit is the gradient's sign
    hessian_bits = free // 2
    gradient_shift = 2 * count_bits + hessian_bits
    gradient_bits, hessian_bits = min(_GRADIENT_BITS, free - hessian_bits), min(_HESSIAN_BITS, hessian_bits)
    gradient_exponent = scale_exponent(max_gradient, gradient_bits)
    hessian_exponent = scale_exponent(max_hessian, hessian_bits)
    fine_bits = 61 - total_count.bit_length()
    fine_gradient, fine_hessian = scale_exponent(max_gradient, fine_bits), scale_exponent(max_hessian, fine_bits)
    return Fields(
        count_bits=count_bits,
        gradient_shift=gradient_shift,
        count_mask=(1 << count_bits) - 1,
        hessian_mask=(1 << (gradient_shift - count_bits)) - 1,
        block_rows=block_rows,
        gradient_scale=2.0**gradient_exponent,
        hessian_scale=2.0**hessian_exponent,
        gradient_unit=2.0**-gradient_exponent,
        hessian_unit=2.0**-hessian_exponent,
        fine_gradient_scale=2.0**fine_gradient,
        fine_hessian_scale=2.0**fine_hessian,
        fine_gradient_unit=2.0**-fine_gradient,
        fine_hessian_unit=2.0**-fine_hessian,
        dither=hessian_bits < _HESSIAN_BITS,
    )


@inner_kernel
def pack(gradient, hessian, count, fields):
    """Integers of one row or one bin into one int64."""
    return (gradient << fields.gradient_shift) + (hessian << fields.count_bits) + count


@inner_kernel
def packed_gradient(packed, fields):
    return packed >> fields.gradient_shift


@inner_kernel
def packed_hessian(packed, fields):
    return (packed >> fields.count_bits) & fields.hessian_mask


@inner_kernel
def packed_count(packed, fields):
    return packed & fields.count_mask


@inner_kernel
def quantise(gradient, hessian, noise_key, key, fields):
    """One row's statistics, short. The noise is below one unit."""
    noise = uniform(noise_key, key) if fields.dither else 0.5
    g = np.int64(np.floor(np.float64(gradient) * fields.gradient_scale + noise)) + _BIAS
    h = np.int64(np.floor(np.float64(hessian) * fields.hessian_scale + noise))
    return np.uint64(g << 16 | h)


@inner_kernel
def short_gradient(short):
    return np.int64(short >> _S16) - _BIAS


@inner_kernel
def short_hessian(short):
    return np.int64(short & _SHORT)


@inner_kernel
def pack_short(short, fields):
    """One row's statistics, packed; it counts once."""
    return pack(short_gradient(short), short_hessian(short), np.int64(1), fields)

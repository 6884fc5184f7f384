"""A row's gradient, hessian and count in one int64, so that a histogram update is one load and one add.

    63              gradient_shift      count_bits       0
    [ gradient, signed | hessian        | count           ]      packed: of a row, a bin or some bins

The fields are as wide as the sums over one *block* of rows need (16,383 rows, or all if fewer), and what is left
of the 64 bits is the precision of gradient and hessian. Longer sums are widened into three int64 each.

A packed number is an integer sum, g * 2**gradient_shift + h * 2**count_bits + count. Adding or subtracting two packed
numbers therefore adds or subtracts all three parts at once, exactly, as long as hessian and count stay inside their
fields. Both are never negative, so nothing is borrowed from the field above.

    31        16 15        0
    [ gradient  | hessian   ]                                    short: of a row, in its last word

A row's own numbers have at most 15 bits, and are kept in 32 until they are added. In tables of up to 2,047 rows they
have just so many and are rounded to the nearest. In larger ones they have fewer, and are rounded up or down at random:
sums then have no bias. The noise is a hash of the row's codes, so that a row of weight 3 and three equal rows are
rounded alike, wherever they are in the table.

Where a few rows are far larger than the others, as with skewed targets or an outlier, units that suit them would round
the others to zero. Then a row's numbers have exponents, and units follow from the largest *sum* of a block:

    31      28 27          16 15      12 11           0
    [ exponent | gradient    | exponent | hessian     ]          far: the same for such tables

Beyond what that can hold, a few rows (one in 256) are clipped to a multiple of the rest, in the sums that splits are
found by. The sums of leaves use the unclipped values.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel, view_as_float, view_as_int
from spinney._random import uniform
from spinney.criteria.fixed_point import scale_exponent

BLOCK = 16383  # row counts a packed histogram can hold (14 bits)
_GRADIENT_BITS, _HESSIAN_BITS = 14, 15  # at most: rounded up, they still fit 16 bits
_BIAS = 1 << 15  # makes a short gradient unsigned
_S16, _SHORT = np.uint64(16), np.uint64(0xFFFF)
_FAR_GRADIENT_BITS, _FAR_HESSIAN_BITS = 10, 11  # at most: rounded up, they still fit 12 bits
_FAR_BIAS, _MANTISSA, _MOST_SHIFT = 1 << 11, np.uint64(0xFFF), 15
_S12, _S28 = np.uint64(12), np.uint64(28)
FAR = 32  # times the mean of a block: rows so large call for exponents
_FEW = 256  # one row of so many may be clipped
_KEPT_BITS = 8  # that clipping keeps for the largest of the other rows
N_EXPONENTS = 256  # of a float32
_EXPONENT_BIAS = 126  # 2**(exponent - 126) is above all numbers of that exponent


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
    is_far: bool  # a row's numbers have exponents
    most_gradient: float  # rows beyond are clipped; in tables that are far only
    most_hessian: float
    coarseness: float  # what rounding may change a row by, as a fraction of it


def make_fields(
    n_rows: int,
    total_count: int,
    most_repeats: int,
    max_gradient: float,
    max_hessian: float,
    exponents: np.ndarray | None = None,
) -> Fields:
    """Lay out the fields for a tree on `n_rows` rows that count `total_count` in all.

    `exponents` (2, 256) is how many of the rows (as often as they count) have a gradient, a hessian of each exponent.
    """
    block_rows = max(1, min(n_rows, BLOCK // most_repeats))
    fields = _near_fields(block_rows, total_count, most_repeats, _half_above(max_gradient), _half_above(max_hessian))
    if exponents is None:
        return fields
    gradient_bits, hessian_bits = 62 - fields.gradient_shift, fields.gradient_shift - fields.count_bits - 1
    gradients, hessians = np.empty(6), np.empty(6)
    _find_far(exponents[0], max(BLOCK, most_repeats), min(gradient_bits, _FAR_GRADIENT_BITS + _MOST_SHIFT), gradients)
    _find_far(exponents[1], max(BLOCK, most_repeats), min(hessian_bits, _FAR_HESSIAN_BITS + _MOST_SHIFT), hessians)
    gradient, hessian = _Far(*gradients.tolist()), _Far(*hessians.tolist())
    if not (gradient.is_needed or hessian.is_needed):
        return fields
    return fields._replace(
        gradient_scale=gradient.scale,
        hessian_scale=hessian.scale,
        gradient_unit=gradient.unit,
        hessian_unit=hessian.unit,
        fine_gradient_scale=gradient.fine_scale,
        fine_hessian_scale=hessian.fine_scale,
        fine_gradient_unit=gradient.fine_unit,
        fine_hessian_unit=hessian.fine_unit,
        dither=True,
        is_far=True,
        most_gradient=gradient.most,
        most_hessian=hessian.most,
        coarseness=math.ldexp(1.0, 1 - _FAR_GRADIENT_BITS),
    )


class _Far(NamedTuple):
    """Units that follow from the largest sum of a block."""

    is_needed: float  # 1 if the largest numbers are far above the mean of those that may be in a block together
    most: float  # where to clip
    scale: float
    unit: float
    fine_scale: float
    fine_unit: float


@kernel
def _find_far(counts, block, bits, out):
    """Fill a `_Far` in which no block's sum takes more than so many bits; counts[e] numbers have exponent e."""
    total, top = 0, 0
    for e in range(N_EXPONENTS):
        total += counts[e]
        top = e if counts[e] else top
    out[0] = min(block, total) * _above(top) >= FAR * _largest_sum(counts, block, np.inf)
    # the largest exponent once the largest 1/256 of the rows is set aside: these others must keep _KEPT_BITS bits
    others, set_aside = top, counts[top]
    while set_aside <= total // _FEW and others > 0:
        others -= 1
        set_aside += counts[others]
    exponent = np.int64(0)
    for place in range(top, others - 1, -1):  # clip as little as possible: lower the limit bit by bit
        out[1] = _above(place)
        exponent = _scale_of(_largest_sum(counts, block, out[1]), bits)
        if exponent >= _KEPT_BITS - (others - _EXPONENT_BIAS):
            break
    fine = _scale_of(_largest_sum(counts, total, np.inf), 61)
    out[2], out[3], out[4], out[5] = _power(exponent), _power(-exponent), _power(fine), _power(-fine)


@inner_kernel
def _above(exponent):
    """What is above all numbers of an exponent."""
    return _power(np.int64(exponent - _EXPONENT_BIAS))


@inner_kernel
def _largest_sum(counts, n, most):
    """A bound for the sum of the n largest numbers, none of them above `most`, added up from the largest down."""
    total = 0.0
    for e in range(N_EXPONENTS - 1, -1, -1):
        some = min(counts[e], n)
        total += some * min(_above(e), most)
        n -= some
    return total


@inner_kernel
def _scale_of(total, bits):
    """`scale_exponent` of a sum that is not zero."""
    return min(np.int64(1000), np.int64(bits + 1022) - (view_as_int(total) >> np.int64(52)))


def _half_above(number: float) -> float:
    """Half the power of two above a number: all numbers of an exponent have the same fields."""
    return math.ldexp(0.5, math.frexp(number)[1]) if number else 0.0


@lru_cache(64)
def _near_fields(
    block_rows: int, total_count: int, most_repeats: int, max_gradient: float, max_hessian: float
) -> Fields:
    """The fields of ordinary tables."""
    units = min(total_count, block_rows * most_repeats)
    # A sum over 2**c rows is c bits longer than a row's own number. With g and h bits for the rows' own numbers:
    #     [ sign 1 | gradient g + c | hessian h + c | count c ]     so g + h = 63 - 3 c
    # 16,383 rows (c = 14) leave 11 and 10 bits, 2,047 rows (c = 11) leave 15 each: as many as the short form can hold.
    count_bits = units.bit_length()
    free = 63 - 3 * count_bits
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
        gradient_scale=math.ldexp(1.0, gradient_exponent),
        hessian_scale=math.ldexp(1.0, hessian_exponent),
        gradient_unit=math.ldexp(1.0, -gradient_exponent),
        hessian_unit=math.ldexp(1.0, -hessian_exponent),
        fine_gradient_scale=math.ldexp(1.0, fine_gradient),
        fine_hessian_scale=math.ldexp(1.0, fine_hessian),
        fine_gradient_unit=math.ldexp(1.0, -fine_gradient),
        fine_hessian_unit=math.ldexp(1.0, -fine_hessian),
        dither=hessian_bits < _HESSIAN_BITS,
        is_far=False,
        most_gradient=0.0,
        most_hessian=0.0,
        coarseness=0.0,
    )


@inner_kernel
def pack(gradient, hessian, count, fields):
    """Integers of one row or one bin into one int64."""
    return (gradient << fields.gradient_shift) + (hessian << fields.count_bits) + count


# The gradient may be negative. The shift is arithmetic, rounding down, and what it drops (hessian and count) is never
# negative: hence it finds the gradient exactly, without a correction for borrowed bits.
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
    # floor(x + u) with u uniform in [0, 1) has the mean x: stochastic rounding. With u = 0.5 it is the nearest integer.
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


# --- far -------------------------------------------------------------------------------------------------------------


@inner_kernel
def quantise_far(gradient, hessian, noise_key, key, fields):
    """`quantise` with exponents. The noise is below one unit of the row's own."""
    noise = uniform(noise_key, key)
    g, h = np.float64(gradient), np.float64(hessian)
    g = (
        fields.most_gradient
        if g > fields.most_gradient
        else (-fields.most_gradient if g < -fields.most_gradient else g)
    )
    h = fields.most_hessian if h > fields.most_hessian else h
    g *= fields.gradient_scale
    h *= fields.hessian_scale
    g_shift, h_shift = _shift_for(abs(g), _FAR_GRADIENT_BITS), _shift_for(h, _FAR_HESSIAN_BITS)
    g_part = np.int64(np.floor(g * _power(-g_shift) + noise)) + _FAR_BIAS
    h_part = np.int64(np.floor(h * _power(-h_shift) + noise))
    return np.uint64(g_shift << 28 | g_part << 16 | h_shift << 12 | h_part)


@inner_kernel
def _shift_for(size, bits):
    """By how many bits to shorten a number to `bits` bits."""
    # the exponent field of a float64 is 1022 + (bits of its integer part); sizes are not negative, so no sign bit
    shift = (view_as_int(size) >> np.int64(52)) - np.int64(1022 + bits)
    return shift if shift > 0 else np.int64(0)


@inner_kernel
def _power(exponent):
    """2**exponent, by its bits."""
    return view_as_float((exponent + np.int64(1023)) << np.int64(52))


@inner_kernel
def far_gradient(short):
    return (np.int64((short >> _S16) & _MANTISSA) - _FAR_BIAS) << np.int64(short >> _S28)


@inner_kernel
def far_hessian(short):
    return np.int64(short & _MANTISSA) << np.int64((short >> _S12) & np.uint64(15))


@inner_kernel
def pack_far(short, fields):
    """`pack_short` for numbers with exponents."""
    return pack(far_gradient(short), far_hessian(short), np.int64(1), fields)

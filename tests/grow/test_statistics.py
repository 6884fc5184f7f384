"""Packed statistics: nothing overflows, nothing is lost, and rounding has no bias."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.backends import reference
from spinney.grow import memory, statistics
from spinney.grow.statistics import make_fields, pack, packed_count, packed_gradient, packed_hessian, quantise
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_pack, _quantise = outer(pack), outer(quantise)
_gradient, _hessian, _count = outer(packed_gradient), outer(packed_hessian), outer(packed_count)

POSITIVE = st.floats(2.0**-100, 2.0**100, width=32)


@st.composite
def layouts(draw):
    """Fields for any size of table, and how often a row may count."""
    most_repeats = draw(st.sampled_from((1, 2, 5, 127)))
    n_rows = draw(st.sampled_from((1, 2, 3, 100, 8191, 8192, 10**6, 2**31 - 1)))
    total = draw(st.sampled_from((n_rows, n_rows * most_repeats)))
    return make_fields(n_rows, total, most_repeats, draw(POSITIVE), draw(POSITIVE)), most_repeats, total


def unpack(value, fields):
    return _gradient(value, fields), _hessian(value, fields), _count(value, fields)


def bits_of(fields):
    """(gradient bits, hessian bits): what a row's whole numbers take."""
    hessian_bits = fields.gradient_shift - 2 * fields.count_bits
    return 64 - 1 - fields.gradient_shift - fields.count_bits, hessian_bits


@few(100, plain=100)
@given(layout=layouts(), data=st.data())
def test_round_trip(layout, data):
    fields, most_repeats, total = layout
    units = min(total, fields.block_rows * most_repeats)
    gradient_bits, hessian_bits = bits_of(fields)
    gradient = data.draw(st.integers(-units << gradient_bits, units << gradient_bits))
    hessian = data.draw(st.integers(0, units << hessian_bits))
    count = data.draw(st.integers(0, units))
    packed = _pack(np.int64(gradient), np.int64(hessian), np.int64(count), fields)
    assert unpack(packed, fields) == (gradient, hessian, count)


@few(60, plain=60)
@given(layout=layouts(), sign=st.sampled_from((1, -1)), below=st.booleans())
def test_a_full_block_of_the_largest_rows_does_not_overflow(layout, sign, below):
    """Every row has the largest gradient, hessian and count; the one just below a power of two rounds up to it."""
    fields, most_repeats, total = layout
    gradient_bits, hessian_bits = bits_of(fields)
    gradient = np.float32((1 - 2.0**-24 * below) * 2.0**gradient_bits / fields.gradient_scale * (1 - 0.5 * (not below)))
    hessian = np.float32((1 - 2.0**-24 * below) * 2.0**hessian_bits / fields.hessian_scale * (1 - 0.5 * (not below)))
    repeats = min(most_repeats, total)
    row = _quantise(np.float32(sign * gradient), hessian, np.int64(repeats), np.uint64(3), np.int32(1), fields)
    n = min(fields.block_rows, total // repeats)
    one = unpack(row, fields)
    assert unpack(np.int64(int(row) * n), fields) == tuple(n * part for part in one)  # n equal rows, added up
    assert one[2] == repeats
    assert abs(one[0] / repeats - sign * float(gradient) * fields.gradient_scale) <= 1
    assert abs(one[1] / repeats - float(hessian) * fields.hessian_scale) <= 1


@few(60)
@given(layout=layouts())
def test_the_fields_fill_the_word_and_use_its_precision(layout):
    fields, most_repeats, total = layout
    gradient_bits, hessian_bits = bits_of(fields)
    assert 0 <= gradient_bits - hessian_bits <= 1
    assert fields.count_mask == 2**fields.count_bits - 1
    assert fields.count_mask >= min(total, fields.block_rows * most_repeats)
    assert fields.dither == (hessian_bits < 20)
    assert fields.gradient_scale * fields.gradient_unit == fields.hessian_scale * fields.hessian_unit == 1.0


@few(60)
@given(layout=layouts(), share=st.floats(-1, 1), data=st.data())
def test_quantise_is_within_one_unit(layout, share, data):
    fields, _, _ = layout
    gradient_bits, hessian_bits = bits_of(fields)
    gradient = np.float32(share * 0.999 * 2.0**gradient_bits / fields.gradient_scale)
    hessian = np.float32(abs(share) * 0.999 * 2.0**hessian_bits / fields.hessian_scale)
    key, row = np.uint64(data.draw(st.integers(0, 2**64 - 1))), np.int32(data.draw(st.integers(0, 2**31 - 1)))
    parts = unpack(_quantise(gradient, hessian, np.int64(1), key, row, fields), fields)
    most = 1.0 if fields.dither else 0.5
    assert abs(parts[0] - float(gradient) * fields.gradient_scale) <= most
    assert abs(parts[1] - float(hessian) * fields.hessian_scale) <= most
    assert parts[2] == 1


def test_rounding_at_random_has_no_bias():
    """The mean over many rows comes as near to the true value as chance allows."""
    fields = make_fields(8191, 8191, 1, 1.0, 1.0)
    assert fields.dither
    n = 2000
    for share in (0.0, 1 / 3, 0.5, 0.9):
        gradient, hessian = np.float32((100 + share) * fields.gradient_unit), np.float32(share * fields.hessian_unit)
        parts = np.array(
            [unpack(_quantise(gradient, hessian, np.int64(1), np.uint64(9), i, fields), fields) for i in range(n)]
        )
        spread = 4 * np.sqrt(share * (1 - share) / n) + 1e-3
        assert abs(parts[:, 0].mean() - (100 + share)) < spread
        assert abs(parts[:, 1].mean() - share) < spread


@few(30)
@given(seed=st.integers(0, 1000), n_rows=st.sampled_from((5, 100, 8191)), most_repeats=st.sampled_from((1, 7)))
def test_the_slow_twin_quantises_alike(seed, n_rows, most_repeats):
    random = np.random.RandomState(seed)
    n = 5
    derivatives = np.stack((random.randn(n), random.rand(n)), axis=1).astype(np.float32)
    largest = float(np.abs(derivatives[:, 0]).max()), float(derivatives[:, 1].max())
    fields = make_fields(n_rows, n_rows * most_repeats, most_repeats, *largest)
    counts = random.randint(1, most_repeats + 1, n)
    rows = memory.Rows(np.empty(0, np.int32), n, derivatives, counts, fields, np.uint64(seed), np.empty(0, np.uint64))
    for i, expected in enumerate(reference.quantise(rows, np.arange(n))):
        packed = _quantise(*derivatives[i], counts[i], rows.noise_key, np.int32(i), fields)
        assert unpack(packed, fields) == tuple(expected)


def test_nothing_to_scale():
    fields = make_fields(10, 10, 1, 0.0, 0.0)
    packed = _quantise(np.float32(0), np.float32(0), np.int64(1), np.uint64(0), np.int32(0), fields)
    assert unpack(packed, fields) == (0, 0, 1)


def test_block_rows():
    assert make_fields(10**6, 10**6, 1, 1.0, 1.0).block_rows == statistics.BLOCK
    assert make_fields(10**6, 10**7, 127, 1.0, 1.0).block_rows == statistics.BLOCK // 127
    assert make_fields(5, 5, 1, 1.0, 1.0).block_rows == 5

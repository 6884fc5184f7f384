"""Packed and short statistics: nothing overflows, nothing is lost, and rounding has no bias."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.boosting import memory, statistics
from spinney.grow.boosting.statistics import (
    far_gradient,
    far_hessian,
    make_fields,
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
from tests.compiled import PLAIN_PYTHON, few, outer
from tests.grow.cases import count_exponents
from tests.oracles import boosting_batches as reference

pytestmark = pytest.mark.kernels

_pack, _quantise, _pack_short = outer(pack), outer(quantise), outer(pack_short)
_short_gradient, _short_hessian = outer(short_gradient), outer(short_hessian)
_quantise_far, _pack_far = outer(quantise_far), outer(pack_far)
_far_gradient, _far_hessian = outer(far_gradient), outer(far_hessian)
_gradient, _hessian, _count = outer(packed_gradient), outer(packed_hessian), outer(packed_count)

POSITIVE = st.floats(2.0**-100, 2.0**100, width=32)


@st.composite
def layouts(draw):
    """Fields for any size of table, and how often a row may count."""
    most_repeats = draw(st.sampled_from((1, 2, 5, 127)))
    n_rows = draw(st.sampled_from((1, 2, 3, 100, 2047, 2048, 16383, 16384, 10**6, 2**31 - 1)))
    total = draw(st.sampled_from((n_rows, n_rows * most_repeats)))
    return make_fields(n_rows, total, most_repeats, draw(POSITIVE), draw(POSITIVE)), most_repeats, total


def unpack(value, fields):
    return _gradient(value, fields), _hessian(value, fields), _count(value, fields)


def unpack_short(short):
    return _short_gradient(short), _short_hessian(short)


def room(fields):
    """(gradient bits, hessian bits) that the packed form has for a row's whole numbers."""
    hessian_bits = fields.gradient_shift - 2 * fields.count_bits
    return 64 - 1 - fields.gradient_shift - fields.count_bits, hessian_bits


def bits_of(fields):
    """(gradient bits, hessian bits): what a row's whole numbers take. The short form has 16 for each."""
    gradient_bits, hessian_bits = room(fields)
    return min(14, gradient_bits), min(15, hessian_bits)


@few(100, plain=100)
@given(layout=layouts(), data=st.data())
def test_round_trip(layout, data):
    fields, most_repeats, total = layout
    units = min(total, fields.block_rows * most_repeats)
    gradient_bits, hessian_bits = room(fields)
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
    n = min(fields.block_rows, total // repeats) * repeats
    for key in range(3):  # rounded up, down, or to the nearest
        short = _quantise(np.float32(sign * gradient), hessian, np.uint64(3), np.uint32(key), fields)
        assert short < 2**32
        one = unpack_short(short)
        row = _pack_short(short, fields)
        assert unpack(row, fields) == (*one, 1)
        assert unpack(np.int64(int(row) * n), fields) == (n * one[0], n * one[1], n)  # n equal rows, added up
        assert abs(one[0] - sign * float(gradient) * fields.gradient_scale) <= 1
        assert abs(one[1] - float(hessian) * fields.hessian_scale) <= 1


@few(60)
@given(layout=layouts())
def test_the_fields_fill_the_word_and_use_its_precision(layout):
    fields, most_repeats, total = layout
    gradient_bits, hessian_bits = room(fields)
    assert 0 <= gradient_bits - hessian_bits <= 1
    assert fields.count_mask == 2**fields.count_bits - 1
    assert fields.count_mask >= min(total, fields.block_rows * most_repeats)
    assert fields.dither == (hessian_bits < 15)
    assert fields.gradient_scale * fields.gradient_unit == fields.hessian_scale * fields.hessian_unit == 1.0


@few(60)
@given(layout=layouts(), share=st.floats(-1, 1), data=st.data())
def test_quantise_is_within_one_unit(layout, share, data):
    fields, _, _ = layout
    gradient_bits, hessian_bits = bits_of(fields)
    gradient = np.float32(share * 0.999 * 2.0**gradient_bits / fields.gradient_scale)
    hessian = np.float32(abs(share) * 0.999 * 2.0**hessian_bits / fields.hessian_scale)
    noise_key, key = np.uint64(data.draw(st.integers(0, 2**64 - 1))), np.uint32(data.draw(st.integers(0, 2**32 - 1)))
    parts = unpack_short(_quantise(gradient, hessian, noise_key, key, fields))
    most = 1.0 if fields.dither else 0.5
    assert abs(parts[0] - float(gradient) * fields.gradient_scale) <= most
    assert abs(parts[1] - float(hessian) * fields.hessian_scale) <= most


@few(60)
@given(st.integers(0, 2**32 - 1))
def test_short_and_packed_say_the_same(short):
    fields = make_fields(2000, 2000, 1, 1.0, 1.0)
    parts = unpack_short(np.uint64(short))
    assert parts == ((short >> 16) - 2**15, short & 0xFFFF)
    assert unpack(_pack_short(np.uint64(short), fields), fields) == (*parts, 1)


def test_rounding_at_random_has_no_bias():
    """The mean over many rows comes as near to the true value as chance allows."""
    fields = make_fields(16383, 16383, 1, 1.0, 1.0)
    assert fields.dither
    n = 2000
    for share in (0.0, 1 / 3, 0.5, 0.9):
        gradient, hessian = np.float32((100 + share) * fields.gradient_unit), np.float32(share * fields.hessian_unit)
        parts = np.array(
            [unpack_short(_quantise(gradient, hessian, np.uint64(9), np.uint32(i), fields)) for i in range(n)]
        )
        spread = 4 * np.sqrt(share * (1 - share) / n) + 1e-3
        assert abs(parts[:, 0].mean() - (100 + share)) < spread
        assert abs(parts[:, 1].mean() - share) < spread


@few(30)
@given(seed=st.integers(0, 1000), n_rows=st.sampled_from((5, 100, 16383)), most_repeats=st.sampled_from((1, 7)))
def test_the_slow_twin_quantises_alike(seed, n_rows, most_repeats):
    random = np.random.RandomState(seed)
    n = 5
    derivatives = np.stack((random.randn(n), random.rand(n)), axis=1).astype(np.float32)
    largest = float(np.abs(derivatives[:, 0]).max()), float(derivatives[:, 1].max())
    fields = make_fields(n_rows, n_rows * most_repeats, most_repeats, *largest)
    counts = random.randint(1, most_repeats + 1, n)
    keys = random.randint(0, 2**32, n, np.uint32)
    rows = memory.BoostingRows(np.empty(0, np.int32), n, derivatives, counts, fields, np.uint64(seed), keys)
    for i, expected in enumerate(reference.quantise(rows, np.arange(n))):
        short = _quantise(*derivatives[i], rows.noise_key, keys[i], fields)
        assert unpack(_pack_short(short, fields) * counts[i], fields) == tuple(expected)


def test_nothing_to_scale():
    fields = make_fields(10, 10, 1, 0.0, 0.0)
    short = _quantise(np.float32(0), np.float32(0), np.uint64(0), np.uint32(0), fields)
    assert unpack(_pack_short(short, fields), fields) == (0, 0, 1)


def test_block_rows():
    assert make_fields(10**6, 10**6, 1, 1.0, 1.0).block_rows == statistics.BLOCK
    assert make_fields(10**6, 10**7, 127, 1.0, 1.0).block_rows == statistics.BLOCK // 127
    assert make_fields(5, 5, 1, 1.0, 1.0).block_rows == 5


# --- far: tables where a few rows are far larger than the others ------------------------------------------------------


def far_fields(sizes, hessians=None, most_repeats=1, counts=None, n_rows=None):
    """Fields for rows of these gradients, which may have either sign."""
    hessians = np.ones(len(sizes)) if hessians is None else hessians
    derivatives = np.stack((sizes, hessians), axis=1).astype(np.float32)
    counts = np.ones(len(sizes), np.int64) if counts is None else counts
    largest = float(np.abs(derivatives[:, 0]).max()), float(derivatives[:, 1].max())
    exponents = count_exponents(derivatives, counts)
    return make_fields(n_rows or len(sizes), int(counts.sum()), most_repeats, *largest, exponents), derivatives


def test_ordinary_rows_stay_near():
    random = np.random.RandomState(0)
    for sizes in (random.randn(5000), random.standard_exponential(20_000), np.ones(100), np.zeros(100)):
        fields, _ = far_fields(sizes, random.rand(len(sizes)))
        assert not fields.is_far
        assert fields == far_fields(sizes, random.rand(len(sizes)))[0]._replace(
            hessian_scale=fields.hessian_scale, hessian_unit=fields.hessian_unit
        )


def test_an_outlier_does_not_blind_the_others():
    """Whatever the size of the outlier, the others keep at least eight bits."""
    sizes = np.random.RandomState(0).randn(20_000)
    for outlier, bits in ((1e3, 10), (1e6, 8), (1e9, 8), (1e30, 8)):
        sizes[7] = outlier
        fields, derivatives = far_fields(sizes)
        assert fields.is_far
        assert fields.gradient_unit <= 4.0 * 2.0**-bits
        short = _quantise_far(*derivatives[7], np.uint64(1), np.uint32(2), fields)
        kept = _far_gradient(short) * fields.gradient_unit
        assert kept == pytest.approx(outlier, rel=2e-3) if outlier < 1e5 else kept <= outlier
        assert kept > 990.0
    near = make_fields(20_000, 20_000, 1, 1e6, 1.0)
    assert near.gradient_unit > 400.0  # as it was: nothing but the outlier is seen


@few(60, plain=20)
@given(seed=st.integers(0, 10**6), n=st.sampled_from((1, 2, 50, 300, 3000)), most=st.sampled_from((1, 5, 127)))
def test_far_blocks_do_not_overflow(seed, n, most):
    """No block of rows that add up to most, each as often as it may count, leaves its field."""
    random = np.random.RandomState(seed)
    n = min(n, 100) if PLAIN_PYTHON else n
    sizes = np.exp(random.choice((1, 5, 15)) * random.randn(n)) * random.choice((-1, 1))
    sizes[0] *= 2.0 ** random.choice((0, 20, 40))
    counts = random.randint(1, most + 1, n)
    fields, derivatives = far_fields(sizes, np.exp(5 * random.randn(n)), most, counts)
    if not fields.is_far:
        return
    order = np.argsort(-np.abs(derivatives[:, 0]))[: fields.block_rows]
    total, parts = 0, np.zeros(3, np.int64)
    for i in order:
        short = _quantise_far(*derivatives[i], np.uint64(seed), np.uint32(i), fields)
        assert short < 2**32
        row = _pack_far(short, fields)
        assert unpack(row, fields) == (_far_gradient(short), _far_hessian(short), 1)
        total += int(row) * int(counts[i])
        parts += counts[i] * np.array([_far_gradient(short), _far_hessian(short), 1])
    assert -(2**63) <= total < 2**63
    assert unpack(np.int64(total), fields) == tuple(parts)


@few(60)
@given(seed=st.integers(0, 10**6))
def test_far_numbers_are_rounded_to_a_share_of_themselves(seed):
    random = np.random.RandomState(seed)
    fields, derivatives = far_fields(np.exp(6 * random.randn(400)), np.exp(6 * random.randn(400)))
    if not fields.is_far:
        return
    for i in range(20):
        g, h = (float(v) for v in derivatives[i])
        short = _quantise_far(*derivatives[i], np.uint64(seed), np.uint32(i), fields)
        g, h = min(g, fields.most_gradient), min(h, fields.most_hessian)
        found = _far_gradient(short) * fields.gradient_unit, _far_hessian(short) * fields.hessian_unit
        assert abs(found[0] - g) <= max(fields.gradient_unit, fields.coarseness * g)
        assert abs(found[1] - h) <= max(fields.hessian_unit, fields.coarseness * h)


def test_far_rounding_has_no_bias():
    sizes = np.full(5000, 1.0)
    sizes[0] = 1e5
    fields, _ = far_fields(sizes)
    n = 2000
    for size in (0.3, 1.0, 3333.3):
        parts = [
            _far_gradient(_quantise_far(np.float32(size), np.float32(1), np.uint64(9), np.uint32(i), fields))
            for i in range(n)
        ]
        spread = 4 * max(fields.gradient_unit, fields.coarseness * size) / np.sqrt(n)
        assert abs(np.mean(parts) * fields.gradient_unit - np.float32(size)) < spread


def test_repetition_is_weight_for_far_fields():
    random = np.random.RandomState(3)
    sizes, hessians = np.exp(4 * random.randn(3000)), np.exp(2 * random.randn(3000))
    counts = random.randint(1, 12, 3000)
    weighed, _ = far_fields(sizes, hessians, 11, counts)
    repeated, _ = far_fields(np.repeat(sizes, counts), np.repeat(hessians, counts))
    assert weighed.is_far
    assert weighed._replace(block_rows=0) == repeated._replace(block_rows=0)


@few(30)
@given(seed=st.integers(0, 1000), most_repeats=st.sampled_from((1, 7)))
def test_the_slow_twin_quantises_far_rows_alike(seed, most_repeats):
    random = np.random.RandomState(seed)
    n = 400
    counts = random.randint(1, most_repeats + 1, n)
    sizes = np.exp(5 * random.randn(n)) * random.choice((-1, 1), n)
    fields, derivatives = far_fields(sizes, np.exp(5 * random.randn(n)), most_repeats, counts)
    keys = random.randint(0, 2**32, n, np.uint32)
    rows = memory.BoostingRows(np.empty(0, np.int32), n, derivatives, counts, fields, np.uint64(seed), keys)
    assert fields.is_far
    for i, expected in enumerate(reference.quantise(rows, np.arange(n))[:30]):
        short = _quantise_far(*derivatives[i], rows.noise_key, keys[i], fields)
        assert unpack(_pack_far(short, fields) * counts[i], fields) == tuple(expected)

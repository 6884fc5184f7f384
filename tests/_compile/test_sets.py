"""Sets of rows as bits of a word, beside NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import (
    MEMBERS,
    lay_columns,
    set_above,
    set_at_most,
    set_ends,
    set_extremes,
    set_size,
    set_sum,
    set_up_to,
    set_with,
)
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels
SETS = st.one_of(st.integers(1, 2**MEMBERS - 1), st.integers(0, MEMBERS - 1).map(lambda i: 1 << i))


@outer
def lay(codes, rows, begin, end, table):
    lay_columns(codes, rows, (begin, end), table)


@outer
def ends_of(table, j, rows):
    return set_extremes(table, j, rows)


@outer
def up_to(table, j, code):
    return set_up_to(table, j, code)


@outer
def with_bit(words, bit):
    return set_with(words, bit)


@outer
def numbers_of(values, rows):
    return set_ends(values, rows)


@outer
def compared(values, limit):
    return set_at_most(values, limit), set_above(values, limit)


@outer
def sum_of(numbers, rows):
    return set_sum(numbers, rows)


@outer
def size_of(rows):
    return set_size(rows)


def members(rows):
    """The places of a set's bits."""
    return [i for i in range(MEMBERS) if rows >> i & 1]


@few(40, plain=10)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([1, 2, 15, 16, 17, 40, 63, 64]), width=st.sampled_from([16, 48]))
def test_rows_become_columns(seed, n, width):
    random = np.random.RandomState(seed)
    codes = random.randint(0, 256, (100, width)).astype(np.uint8)
    rows, begin = random.permutation(100).astype(np.uint32), int(random.randint(0, 30))
    table = np.zeros((width, MEMBERS), np.uint8)
    lay(codes, rows, begin, begin + n, table)
    np.testing.assert_array_equal(table[:, :n], codes[rows[begin : begin + n]].T)


@few(60, plain=20)
@given(seed=st.integers(0, 10**6), rows=SETS, n_codes=st.sampled_from([1, 3, 256]))
def test_codes_of_a_set(seed, rows, n_codes):
    random = np.random.RandomState(seed)
    table = (random.randint(0, n_codes, (3, MEMBERS)) + random.randint(0, 257 - n_codes)).astype(np.uint8)
    for j in range(3):
        codes = table[j, members(rows)]
        assert ends_of(table, j, np.uint64(rows)) == (codes.min(), codes.max())
        for code in (0, int(random.randint(0, 256)), int(codes[0]), 255):
            assert members(int(up_to(table, j, code))) == np.flatnonzero(table[j] <= code).tolist()


@few(40, plain=20)
@given(seed=st.integers(0, 10**6), rows=SETS, scale=st.sampled_from([1e-300, 1.0, 1e300]))
def test_smallest_and_largest_of_a_set(seed, rows, scale):
    values = np.random.RandomState(seed).randn(MEMBERS) * scale
    chosen = values[members(rows)]
    assert numbers_of(values, np.uint64(rows)) == (chosen.min(), chosen.max())


@few(40, plain=20)
@given(seed=st.integers(0, 10**6), rows=SETS)
def test_sum_and_size_of_a_set(seed, rows):
    numbers = np.random.RandomState(seed).randint(-(2**50), 2**50, MEMBERS)
    assert sum_of(numbers, np.uint64(rows)) == sum(int(numbers[i]) for i in members(rows))
    assert size_of(np.uint64(rows)) == len(members(rows))
    assert (sum_of(numbers, np.uint64(0)), size_of(np.uint64(0))) == (0, 0)


def test_numbers_up_to_a_limit():
    values = np.random.RandomState(0).randn(MEMBERS)
    values[[3, 9]], values[5] = np.nan, 0.25
    for limit in (0.25, -np.inf, np.inf):
        least, most = compared(values, limit)
        assert members(int(least)) == np.flatnonzero(values <= limit).tolist()
        assert members(int(most)) == np.flatnonzero(values > limit).tolist()


def test_words_that_have_a_bit():
    words = np.random.RandomState(0).randint(0, 2**32, MEMBERS, np.uint32)
    for bit in range(32):
        assert members(int(with_bit(words, bit))) == np.flatnonzero(words >> np.uint32(bit) & np.uint32(1)).tolist()

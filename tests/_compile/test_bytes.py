"""What one instruction does to many codes, beside plain loops. (tests/grow/binned/test_search.py draws more.)"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import SWEPT, ask, extremes, rows_up_to
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels


@outer
def ask_all(codes, first, at, place, node, most, exception, right):
    ask(codes, first, at, place, (node, most, exception, right))


@outer
def extremes_16(codes, rows, begin, end, first, low, high):
    extremes(codes, rows, (begin, end), first, 16, low, high)


@outer
def rows_up_to_16(codes, rows, begin, end, first, most, words):
    rows_up_to(codes, rows, (begin, end), first, 16, most, words)


@outer
def rows_up_to_32(codes, rows, begin, end, first, most, words):
    rows_up_to(codes, rows, (begin, end), first, 32, most, words)


@few(40, plain=20)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from([np.uint8, np.uint16]))
def test_rows_at_a_node_go_on(seed, kind):
    random = np.random.RandomState(seed)
    n_codes = int(random.choice((2, 10, 256)))
    codes = random.randint(0, n_codes, SWEPT + 9).astype(np.uint8)
    at = random.randint(0, 4, SWEPT + 20).astype(kind)
    first, place = int(random.randint(0, 10)), int(random.randint(0, 21))
    node, most, exception, right = 2, *(int(one) for one in random.randint(0, n_codes, 2)), int(random.randint(5, 250))
    expected = at.copy()
    for k in range(SWEPT):
        if at[place + k] == node:
            code = codes[first + k]
            expected[place + k] = right if code > most and code != exception else node + 1
    ask_all(codes, first, at, place, node, most, exception, right)
    np.testing.assert_array_equal(at, expected)


@few(20, plain=10)
@given(seed=st.integers(0, 10**6), lanes=st.sampled_from([16, 32]))
def test_extremes_and_limits_of_many_columns(seed, lanes):
    random = np.random.RandomState(seed)
    codes = random.randint(0, 256, (40, 48)).astype(np.uint8)
    rows = random.permutation(40).astype(np.uint32)
    begin, end, first = 3, int(random.randint(4, 41)), int(random.choice((0, 16)))
    low, high, words = np.full(48, 77, np.uint8), np.full(48, 77, np.uint8), np.full(40, 5, np.uint32)
    most = random.randint(0, 256, 48).astype(np.uint8)
    extremes_16(codes, rows, begin, end, first, low, high)
    (rows_up_to_16 if lanes == 16 else rows_up_to_32)(codes, rows, begin, end, first, most, words)
    block = codes[rows[begin:end]]
    for j in range(48):
        ends = (block[:, j].min(), block[:, j].max()) if first <= j < first + 16 else (77, 77)
        assert (low[j], high[j]) == ends
    for i, row in enumerate(block):
        assert words[i] == sum(int(row[first + k] <= most[first + k]) << k for k in range(lanes))
    assert (words[end - begin :] == 5).all()

"""What one instruction does to many codes, beside plain loops. (tests/grow/binned/test_search.py draws more.)"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import SWEPT, ask, extremes, sum_left
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels


@outer
def ask_all(codes, first, at, place, node, most, exception, right):
    ask(codes, first, at, place, (node, most, exception, right))


@outer
def extremes_16(codes, rows, begin, end, first, low, high):
    extremes(codes, rows, (begin, end), first, 16, low, high)


@outer
def sum_left_16(codes, rows, stats, begin, end, first, most, sums):
    sum_left(codes, rows, stats, (begin, end), first, 16, most, sums)


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
@given(seed=st.integers(0, 10**6))
def test_extremes_and_sums_of_sixteen_columns(seed):
    random = np.random.RandomState(seed)
    codes = random.randint(0, 256, (40, 32)).astype(np.uint8)
    rows = random.permutation(40).astype(np.uint32)
    begin, end, first = 3, int(random.randint(4, 41)), int(random.choice((0, 16)))
    weight, amount = random.randint(1, 4, 40).astype(np.uint64), random.randint(0, 4, 40).astype(np.uint64)
    stats = (weight << np.uint64(32)) | amount
    low, high, sums = np.full(32, 77, np.uint8), np.full(32, 77, np.uint8), np.full((2, 32), 1000, np.int64)
    cut = random.randint(0, 256, 32).astype(np.uint8)
    extremes_16(codes, rows, begin, end, first, low, high)
    sum_left_16(codes, rows, stats, begin, end, first, cut, sums)
    for j in range(32):
        column = codes[rows[begin:end], j]
        if first <= j < first + 16:
            left = column <= cut[j]
            assert (low[j], high[j]) == (column.min(), column.max())
            assert sums[0, j] == 1000 + weight[begin:end][left].sum()
            assert sums[1, j] == 1000 + amount[begin:end][left].sum()
        else:
            assert (low[j], high[j], *sums[:, j]) == (77, 77, 1000, 1000)

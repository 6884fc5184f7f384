"""Edges of bins, against NumPy's sort and rows that are counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.data import edges
from tests.compiled import PLAIN_PYTHON, few

pytestmark = pytest.mark.kernels


def in_order(values):
    out, n = values.astype(np.float64), len(values)
    room = np.empty(n, np.uint64), np.empty(n, np.uint64), np.empty(2048, np.int64)
    edges.sort_numbers(out, values.dtype.itemsize, *room)
    return out


@few(60, plain=25)
@given(st.sampled_from([np.float32, np.float64]), st.integers(0, 10**6), st.data())
def test_numbers_are_sorted_by_their_bits(dtype, seed, data):
    """As np.sort does: infinities, denormal numbers, both zeros, of either type."""
    width = 32 if dtype is np.float32 else 64
    tiny, big = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    some = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, tiny, -tiny, big, -big)
    numbers = st.floats(width=width, allow_nan=False) | st.sampled_from([float(one) for one in some])
    values = np.array(data.draw(st.lists(numbers, max_size=60)), dtype)
    random = np.random.RandomState(seed)
    values = np.concatenate(
        [values, random.randn(seed % 40).astype(dtype), random.choice(values, 5 * (len(values) > 0))]
    )
    out = in_order(values)
    np.testing.assert_array_equal(out, np.sort(values))
    assert not np.signbit(out[out == 0.0]).any()  # both zeros are one value


@pytest.mark.skipif(PLAIN_PYTHON, reason="too many rows for plain Python")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_numbers_are_sorted(dtype):
    random = np.random.RandomState(0)
    values = np.concatenate([random.randn(50_000), random.standard_cauchy(50_000) * 1e30, np.zeros(99)]).astype(dtype)
    out = in_order(values)
    np.testing.assert_array_equal(out, np.sort(values))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_bins", [2, 7, 255])
def test_columns_at_once_and_rows_that_are_counted(max_bins, dtype):
    random = np.random.RandomState(max_bins)
    columns = np.stack([random.randn(400), random.randint(-3, 4, 400), random.choice([0.0, -0.0, 5.0, np.inf], 400)])
    columns[random.rand(3, 400) < 0.2] = np.nan
    columns = np.vstack([columns, np.full(400, np.nan)]).astype(dtype)
    once = np.ones(400, np.int64)
    found = edges.learn_edges(columns, None, max_bins)
    for one, counted in zip(found, edges.learn_edges(columns, once, max_bins)):
        np.testing.assert_array_equal(one, counted)
    assert [len(one) for one in found[1:]] == [min(6, max_bins - 1), min(2, max_bins - 1), 0]

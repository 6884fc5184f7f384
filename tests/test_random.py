"""Random numbers: known bits, spread evenly, apart for each purpose, and draws without replacement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._random import NODE_FEATURES, ROUNDING, ROWS, TREE_FEATURES, choose, mix, stream_key, uniform
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_mix, _uniform = outer(mix), outer(uniform)
KEYS = st.integers(0, 2**64 - 1).map(np.uint64)


def test_the_bits_are_those_of_splitmix64():
    """The first numbers of the published generator from the seeds 0 and 1234567."""
    assert [int(_mix(np.uint64(0), i)) for i in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    assert int(_mix(np.uint64(1234567), 0)) == 6457827717110365317


@few(60)
@given(KEYS, st.integers(0, 2**62))
def test_uniform_is_at_least_zero_and_below_one(key, index):
    assert 0.0 <= _uniform(key, index) < 1.0


def test_uniform_is_uniform():
    draws = np.array([_uniform(np.uint64(5), i) for i in range(4000)])
    counts = np.histogram(draws, bins=20, range=(0, 1))[0]
    assert ((counts - 200) ** 2 / 200).sum() < 50  # chi-square, 19 degrees: one in 10,000


def test_purposes_trees_and_seeds_have_streams_of_their_own():
    keys = {
        int(stream_key(seed, purpose, tree))
        for seed in range(4)
        for purpose in (ROUNDING, ROWS, NODE_FEATURES, TREE_FEATURES)
        for tree in range(10)
    }
    assert len(keys) == 4 * 4 * 10


@few(80)
@given(KEYS, st.integers(1, 60), st.data())
def test_choose_draws_distinct_numbers(key, n, data):
    k = data.draw(st.integers(0, n))
    order = np.empty(n, np.int64)
    choose(key, k, order)
    assert sorted(order) == list(range(n))
    again = np.empty(n, np.int64)
    choose(key, n, again)
    np.testing.assert_array_equal(order[:k], again[:k])  # the first draws do not depend on how many follow


def test_choose_is_fair():
    order, counts = np.empty(6, np.int64), np.zeros(6)
    for key in range(1200):
        choose(np.uint64(key), 2, order)
        counts[order[:2]] += 1
    assert (abs(counts - 400) < 80).all()

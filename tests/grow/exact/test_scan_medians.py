"""Sums of distances from medians, by Fenwick trees and by definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.exact import scan_medians
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels
add, error = outer(scan_medians._add), outer(scan_medians._error)


@few(60, plain=30)
@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 5)), min_size=1, max_size=20), st.integers(0, 1000))
def test_the_distance_from_the_median_of_a_growing_set(numbers, seed):
    numbers = sorted(numbers)
    by_place = np.array([number for number, _ in numbers], np.int64)
    weight = np.array([w for _, w in numbers], np.int64)
    weights, amounts = np.zeros(len(numbers) + 1, np.int64), np.zeros(len(numbers) + 1, np.int64)
    there: list[int] = []
    for place in np.random.RandomState(seed).permutation(len(numbers)):
        add(weights, place, weight[place])
        add(amounts, place, weight[place] * by_place[place])
        there.append(place)
        w, y = weight[there], by_place[there]
        found = error(weights, amounts, w.sum(), (w * y).sum(), by_place)
        assert found == min((w * abs(y - centre)).sum() for centre in y)

"""Lists are cut in two, and rows are marked by their side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.exact import partition as module
from spinney.grow.exact.partition import BOTH, LEFT_ONLY, RIGHT_ONLY
from tests.compiled import few, outer
from tests.grow.exact.entries import entries_of

pytestmark = pytest.mark.kernels

partition, mark = outer(module.partition), outer(module.mark)


@few(60, plain=30)
@given(sides=st.lists(st.booleans(), max_size=30), seed=st.integers(0, 100))
def test_a_partition_keeps_the_order_of_the_sides_that_matter(sides, seed):
    rows = np.random.RandomState(seed).permutation(len(sides))
    side = np.array(sides, np.uint8)
    before = entries_of(np.arange(len(sides)), rows)
    left, right = before[side[rows] == 1], before[side[rows] == 0]
    for keep in (LEFT_ONLY, RIGHT_ONLY, BOTH):
        entries = before.copy()
        assert partition(entries, side, np.empty_like(entries), keep) == len(left)
        if keep != RIGHT_ONLY:
            np.testing.assert_array_equal(entries[: len(left)], left)
        if keep != LEFT_ONLY:
            np.testing.assert_array_equal(entries[len(left) :], right)


@pytest.mark.parametrize("missing_left", [0, 1])
def test_marks(missing_left):
    entries = entries_of([0, 0, 1, 2, -1, -1], rows=[3, 5, 0, 1, 2, 4])
    side = np.full(6, 9, np.uint8)
    mark(entries, 2, missing_left, side)
    assert side.tolist() == [0, 0, missing_left, 1, missing_left, 1]
    mark(entries, 4, 0, side)  # all that are known
    assert side.tolist() == [1, 1, 0, 1, 0, 1]

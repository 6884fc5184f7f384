"""Sums of linear leaves: four numbers at once are what NumPy makes of them, and integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.boosting import linear
from tests.compiled import few, outer

VALUES = st.sampled_from((0.0, -0.0, 1.0, -1.5, 3.25, 1e-3, np.nan, np.inf, -np.inf))
TOTALS = slice(0, linear._MISSING * linear.LANES)
ENDS = slice(linear._LEAST * linear.LANES, linear._TOTALS * linear.LANES)


def _add_row(own, place, x, y, z, w, gradient, hessian, count):
    linear.add_row(own, place, x, y, z, w, gradient, hessian, count)


def rooms():
    own = np.zeros(linear._ROWS * linear.LANES)
    own[linear._LEAST * linear.LANES : linear._GREATEST * linear.LANES] = np.inf
    own[linear._GREATEST * linear.LANES : linear._TOTALS * linear.LANES] = -np.inf
    return own


@pytest.mark.kernels
@few(30, plain=5)
@given(
    rows=st.lists(st.tuples(VALUES, VALUES, VALUES, VALUES, st.integers(1, 5)), min_size=1, max_size=9),
    seed=st.integers(0, 99),
)
def test_sums_of_a_leaf(rows, seed):
    rng = np.random.RandomState(seed)
    place = np.concatenate([rng.randn(linear.LANES), [0.25, 0.25, 0.125, 0.0]])
    one, other, add_row = rooms(), rooms(), outer(_add_row)
    steps = [(*row[:4], *(2.0**30 * rng.randn(2)), float(row[4])) for row in rows]
    for step in steps:
        add_row(one, place, *step)
    for step in steps[::-1]:
        linear._plain_add_row(other, place, *step)
    np.testing.assert_array_equal(one[TOTALS], other[TOTALS])
    np.testing.assert_array_equal(one[TOTALS], np.rint(one[TOTALS]))
    np.testing.assert_array_equal(one[ENDS], other[ENDS])
    seen = np.array([row[:4] for row in rows])
    known = np.where(np.isfinite(seen), seen, np.nan)
    least = one[linear._LEAST * linear.LANES : linear._GREATEST * linear.LANES]
    np.testing.assert_array_equal(least, np.nanmin(np.vstack([known, np.full(4, np.inf)]), axis=0))
    assert not np.signbit(least[least == 0.0]).any()

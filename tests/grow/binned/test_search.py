"""What the search sums: many columns at once, beside plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import MEMBERS, extremes
from spinney.grow.binned import search
from spinney.grow.binned.memory import LANES, make_packed, make_wide, put
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels
all_extremes, sum_left = outer(search.all_extremes), outer(search._sum_left)
column_extremes, greatest_known, put_row = outer(search.column_extremes), outer(search.greatest_known), outer(put)


@outer
def extremes_16(codes, rows, begin, end, first, low, high):
    extremes(codes, rows, (begin, end), first, 16, low, high)


@outer
def extremes_32(codes, rows, begin, end, first, low, high):
    extremes(codes, rows, (begin, end), first, 32, low, high)


class Drawn:
    """A node: some rows of a table of codes, and what they weigh."""

    def __init__(self, seed, most=3, n_columns=64):
        random = np.random.RandomState(seed)
        n = int(random.choice((1, 2, 15, 16, 17, 300)))
        self.codes = random.randint(0, int(random.choice((1, 4, 256))), (n + 5, n_columns)).astype(np.uint8)
        self.rows = random.permutation(n + 5)[:n].astype(np.uint32)
        self.begin, self.end = sorted(random.randint(0, n + 1, 2).tolist())
        self.begin -= self.begin == self.end > 0
        self.end += self.begin == self.end
        self.weight = random.randint(1, most + 1, n)
        self.amount = self.weight * random.randint(0, 2, n)
        self.cut = random.randint(0, 256, n_columns).astype(np.uint8)

    @property
    def node(self):
        return slice(self.begin, self.end)

    @property
    def block(self):
        return self.codes[self.rows[self.node]]

    def stats(self, make=make_packed):
        rows = make(len(self.rows)).rows
        for i, (weight, amount) in enumerate(zip(self.weight, self.amount, strict=True)):
            put_row(rows, i, weight, amount)
        return rows

    def left(self, most):
        """(rows, weight, amount) up to some code of every column."""
        goes_left = self.block <= most
        return np.array([goes_left.sum(axis=0), self.weight[self.node] @ goes_left, self.amount[self.node] @ goes_left])


@few(30, plain=10)
@given(seed=st.integers(0, 10**6), first=st.sampled_from([0, 16, 32]), wide=st.booleans())
def test_extremes_of_many_columns(seed, first, wide):
    drawn = Drawn(seed)
    low, high = np.full(64, 77, np.uint8), np.full(64, 77, np.uint8)
    call, lanes = (extremes_32, 32) if wide else (extremes_16, 16)
    call(drawn.codes, drawn.rows, drawn.begin, drawn.end, first, low, high)
    some = slice(first, first + lanes)
    np.testing.assert_array_equal(low[some], drawn.block.min(axis=0)[some])
    np.testing.assert_array_equal(high[some], drawn.block.max(axis=0)[some])
    assert (np.delete(low, np.arange(64)[some]) == 77).all()
    assert (np.delete(high, np.arange(64)[some]) == 77).all()


@few(30, plain=10)
@given(seed=st.integers(0, 10**6), n_lanes=st.sampled_from([1, 2, 3]))
def test_extremes_of_all_columns(seed, n_lanes):
    drawn, n_columns = Drawn(seed, n_columns=n_lanes * LANES), n_lanes * LANES
    low, high = np.empty(n_columns, np.uint8), np.empty(n_columns, np.uint8)
    all_extremes(drawn.codes, drawn.rows, drawn.begin, drawn.end, low, high)
    np.testing.assert_array_equal(low, drawn.block.min(axis=0))
    np.testing.assert_array_equal(high, drawn.block.max(axis=0))


@few(40, plain=10)
@given(seed=st.integers(0, 10**6), make=st.sampled_from([make_packed, make_wide]), n_lanes=st.sampled_from([1, 2, 3]))
def test_sums_left_of_cuts(seed, make, n_lanes):
    """Of all columns, or few; known values where some are missing; packed sums know no rows but their weight."""
    random, n_columns = np.random.RandomState(seed), n_lanes * LANES
    drawn = Drawn(seed, int(random.choice((1, 3, 1000))), n_columns)
    columns = random.permutation(n_columns)[: random.randint(1, n_columns + 1)]
    greatest = drawn.block.max(axis=0).astype(np.int64)
    missing = np.where(random.rand(n_columns) < 0.5, np.maximum(greatest, 1), 256)
    known = (missing - 1).astype(np.uint8)
    ends = np.array([drawn.block.min(axis=0), greatest, drawn.cut, known], np.uint8)
    words, left = np.zeros((n_lanes, MEMBERS), np.uint32), np.zeros((6, n_columns), np.int64)
    sum_left(drawn.codes, drawn.rows, drawn.stats(make), drawn.begin, drawn.end, columns, ends, missing, words, left)
    expected = np.concatenate([drawn.left(drawn.cut), drawn.left(known)])
    expected[3:, greatest < missing] = 0
    if make is make_packed:
        expected[[0, 3]] = expected[[1, 4]]
    np.testing.assert_array_equal(left[:, columns], expected[:, columns])


@few(20, plain=8)
@given(seed=st.integers(0, 10**6), j=st.integers(0, 63))
def test_one_column_by_itself(seed, j):
    drawn = Drawn(seed, most=1000)
    column, place = drawn.block[:, j], (drawn.codes, j, drawn.rows, drawn.begin, drawn.end)
    assert column_extremes(*place) == (column.min(), column.max())
    known = column[column < 200]
    assert greatest_known(*place, 200) == (known.max() if len(known) else 0)

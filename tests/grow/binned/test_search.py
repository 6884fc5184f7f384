"""What the search sums: many columns at once, beside plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._compile import extremes, sum_left
from spinney.grow.binned import search
from spinney.grow.binned.memory import LANES, make_packed, make_wide, put
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels
all_extremes, all_sums, sum_up_to = outer(search.all_extremes), outer(search._all_sums), outer(search._sum_up_to)
column_extremes, greatest_known, put_row = outer(search.column_extremes), outer(search.greatest_known), outer(put)


@outer
def extremes_16(codes, rows, begin, end, first, low, high):
    extremes(codes, rows, (begin, end), first, 16, low, high)


@outer
def extremes_32(codes, rows, begin, end, first, low, high):
    extremes(codes, rows, (begin, end), first, 32, low, high)


@outer
def sum_left_16(codes, rows, stats, begin, end, first, most, sums):
    sum_left(codes, rows, stats, (begin, end), first, 16, most, sums)


@outer
def sum_left_32(codes, rows, stats, begin, end, first, most, sums):
    sum_left(codes, rows, stats, (begin, end), first, 32, most, sums)


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

    def left(self):
        """(weight, amount) up to the cut of every column."""
        goes_left = self.block <= self.cut
        return np.array([self.weight[self.node] @ goes_left, self.amount[self.node] @ goes_left])


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
@given(seed=st.integers(0, 10**6), first=st.sampled_from([0, 16, 32]), wide=st.booleans())
def test_sums_of_many_columns_in_bytes(seed, first, wide):
    drawn = Drawn(seed, most=1)
    drawn.end = min(drawn.end, drawn.begin + 255)
    sums = np.full((2, 64), 1000, np.int64)
    call, lanes = (sum_left_32, 32) if wide else (sum_left_16, 16)
    call(drawn.codes, drawn.rows, drawn.stats(), drawn.begin, drawn.end, first, drawn.cut, sums)
    expected = np.full((2, 64), 1000)
    expected[:, first : first + lanes] += drawn.left()[:, first : first + lanes]
    np.testing.assert_array_equal(sums, expected)


@few(30, plain=10)
@given(seed=st.integers(0, 10**6), most=st.sampled_from([1, 2, 15]), n_lanes=st.sampled_from([1, 2, 3]))
def test_all_columns_at_once(seed, most, n_lanes):
    """In blocks of rows whose weights a byte can hold."""
    n_columns = n_lanes * LANES
    drawn = Drawn(seed, most, n_columns)
    low, high, left = np.empty(n_columns, np.uint8), np.empty(n_columns, np.uint8), np.empty((2, n_columns), np.int64)
    all_extremes(drawn.codes, drawn.rows, drawn.begin, drawn.end, low, high)
    np.testing.assert_array_equal(low, drawn.block.min(axis=0))
    np.testing.assert_array_equal(high, drawn.block.max(axis=0))
    all_sums(drawn.codes, drawn.rows, drawn.stats(), drawn.begin, drawn.end, most, drawn.cut, left)
    np.testing.assert_array_equal(left, drawn.left())


@few(20, plain=8)
@given(seed=st.integers(0, 10**6), j=st.integers(0, 63))
def test_one_column_by_itself(seed, j):
    drawn = Drawn(seed, most=1000)
    column, place = drawn.block[:, j], (drawn.codes, j, drawn.rows, drawn.begin, drawn.end)
    assert column_extremes(*place) == (column.min(), column.max())
    known = column[column < 200]
    assert greatest_known(*place, 200) == (known.max() if len(known) else 0)
    cut = int(drawn.cut[j])
    weight, amount = drawn.left()[:, j]
    rest = drawn.rows, drawn.begin, drawn.end, cut
    assert sum_up_to(drawn.codes, j, drawn.stats(), *rest) == (weight, weight, amount)
    n = int((column <= cut).sum())
    assert sum_up_to(drawn.codes, j, drawn.stats(make_wide), *rest) == (n, weight, amount)

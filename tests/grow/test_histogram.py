"""Histograms: eight codes to a word, packed and wide sums, against `np.add.at` on plain integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.grow.histogram import (
    accumulate,
    narrow,
    reduce_packed,
    reduce_wide,
    subtract,
    subtract_packed_from_wide,
    widen,
)
from spinney.grow.memory import DESK, NOT_USED, records
from spinney.grow.statistics import make_fields
from tests.compiled import few, outer
from tests.grow.cases import make_dataset

pytestmark = pytest.mark.kernels

_accumulate, _widen, _narrow, _reduce = outer(accumulate), outer(widen), outer(narrow), outer(reduce_packed)
_reduce_wide = outer(reduce_wide)
_subtract, _subtract_packed_from_wide = outer(subtract), outer(subtract_packed_from_wide)


@st.composite
def tables(draw):
    """A dataset of columns of different widths, in one word or more, and some of its rows."""
    random = np.random.RandomState(draw(st.integers(0, 10**6)))
    n = draw(st.integers(1, 60))
    widths = draw(st.lists(st.sampled_from((255, 64, 60, 16, 5, 4, 2, 1)), min_size=1, max_size=18))
    columns = [random.randint(0, width, n).astype(float) for width in widths]
    for column, width in zip(columns, widths):
        column[0] = width - 1  # a category for each of them, though there may be fewer rows
    columns[0][1:][random.rand(n - 1) < 0.2] = np.nan
    rows = random.permutation(n)[: random.randint(0, n + 1)].astype(np.int32)
    return make_dataset(columns, [True] * len(widths)), rows, random


@few(60)
@given(tables())
def test_accumulate(drawn):
    dataset, rows, random = drawn
    layout = dataset.layout
    packed = random.randint(-(2**40), 2**40, len(rows))
    before = random.randint(0, 100, layout.size)
    start = random.randint(0, len(rows) + 1)
    stop = random.randint(start, len(rows) + 1)
    found = before.copy()
    _accumulate(dataset.words, layout.runs, rows, packed, start, stop, found)
    for column, codes in enumerate(dataset.codes):
        first, n = layout.column_start[column], layout.n_slots[column]
        expected = before[first : first + n].copy()
        np.add.at(expected, codes[rows[start:stop]], packed[start:stop])
        np.testing.assert_array_equal(found[first : first + n], expected)


FIELDS = make_fields(100, 100, 1, 1.0, 1.0)
SUMS = st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers(0, 100))


def pack_sums(sums):
    gradient, hessian, count = np.array(sums, np.int64).reshape(-1, 3).T
    return (gradient << FIELDS.gradient_shift) + (hessian << FIELDS.count_bits) + count


@few(60)
@given(st.lists(SUMS, min_size=1, max_size=20), st.lists(SUMS, min_size=20, max_size=20))
def test_widen_adds_to_what_is_there_and_leaves_zeros(sums, before):
    packed, wide = pack_sums(sums), np.array(before, np.int64)[: len(sums)].ravel()
    expected = wide + np.array(sums).ravel()
    _widen(packed, wide, FIELDS)
    np.testing.assert_array_equal(wide, expected)
    assert not packed.any()


@few(60)
@given(st.lists(SUMS, min_size=2, max_size=20), st.data())
def test_narrow_is_widen_backwards(sums, data):
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(sums))] * 2)))
    packed = np.full(len(sums), 7)
    _narrow(np.array(sums, np.int64).ravel(), packed, first, last, FIELDS)
    np.testing.assert_array_equal(packed[first:last], pack_sums(sums)[first:last])
    assert (packed[:first] == 7).all()
    assert (packed[last:] == 7).all()


@few(60)
@given(st.lists(SUMS, min_size=1, max_size=20), st.data())
def test_subtract(sums, data):
    """Parent minus child in each of the three forms, within the given places only."""
    child = np.array(sums, np.int64)
    parent = child + np.array(data.draw(st.lists(SUMS, min_size=len(sums), max_size=len(sums))))
    parent[:, 2] = np.minimum(parent[:, 2], 100)
    parent[:, 2] = np.maximum(parent[:, 2], child[:, 2])
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(sums))] * 2)))
    expected = parent.copy()
    expected[first:last] -= child[first:last]

    packed = pack_sums(parent)
    _subtract(packed, pack_sums(child), first, last)
    np.testing.assert_array_equal(packed, pack_sums(expected))

    wide = parent.ravel().copy()
    _subtract(wide, child.ravel(), 3 * first, 3 * last)
    np.testing.assert_array_equal(wide, expected.ravel())

    wide = parent.ravel().copy()
    _subtract_packed_from_wide(wide, pack_sums(child), first, last, FIELDS)
    np.testing.assert_array_equal(wide, expected.ravel())


@few(30)
@given(st.integers(0, 10**6), st.lists(st.booleans(), min_size=1, max_size=5))
def test_reduce_adds_the_scratches_that_were_used(seed, used):
    random = np.random.RandomState(seed)
    scratch = random.randint(-(2**60), 2**60, (len(used), 12))
    desks = records(len(used), DESK)
    desks.filled = np.where(used, 0, NOT_USED)
    out = np.full(12, 7)
    _reduce(scratch, desks, 3, 9, out)
    np.testing.assert_array_equal(out[3:9], scratch[np.array(used), 3:9].sum(axis=0))
    assert (out[:3] == 7).all()
    assert (out[9:] == 7).all()


@few(30)
@given(st.integers(0, 10**6), st.lists(st.booleans(), min_size=1, max_size=5))
def test_reduce_of_a_wide_histogram_adds_what_is_not_widened_yet(seed, used):
    random = np.random.RandomState(seed)
    rest = random.randint(0, 20, (len(used), 12, 3))
    packed = np.array([pack_sums(one) for one in rest])
    scratch = random.randint(-(2**40), 2**40, (len(used), 36))
    desks = records(len(used), DESK)
    desks.filled = np.where(used, 5, NOT_USED)
    out = np.full(36, 7)
    _reduce_wide(scratch, packed, desks, 3, 9, FIELDS, out)
    expected = (scratch + rest.reshape(len(used), 36))[np.array(used)].sum(axis=0)
    np.testing.assert_array_equal(out[9:27], expected[9:27])
    assert (out[:9] == 7).all()
    assert (out[27:] == 7).all()

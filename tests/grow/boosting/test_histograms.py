"""Histograms: four lanes to a word, by rows and by words, packed and wide sums, against `np.add.at` on integers."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.data.dataset import LANES, STRIDE, WordLayout, pack_words
from spinney.grow.boosting.histograms import (
    accumulate,
    accumulate_words,
    drop_digit,
    narrow,
    read_digit,
    read_statistics,
    reduce_packed,
    reduce_wide,
    subtract,
    subtract_packed_from_wide,
    widen,
)
from spinney.grow.boosting.memory import DESK, NOT_USED
from spinney.grow.boosting.statistics import make_fields
from tests.compiled import few, outer, records
from tests.grow.cases import ALONE, make_dataset

pytestmark = pytest.mark.kernels

_accumulate = outer(accumulate)
_read_statistics, _accumulate_words = outer(read_statistics), outer(accumulate_words)
_widen, _narrow, _reduce, _reduce_wide = outer(widen), outer(narrow), outer(reduce_packed), outer(reduce_wide)
_read_digit, _drop_digit = outer(read_digit), outer(drop_digit)
_subtract, _subtract_packed_from_wide = outer(subtract), outer(subtract_packed_from_wide)

FIELDS = make_fields(100, 100, 1, 1.0, 1.0)
NO_COUNTS = np.empty(0, np.int64)


# --- rows into scratches -----------------------------------------------------------------------------------------


@dataclass
class Rows:
    """Rows of words, statistics last; some of the rows, and what these add up to."""

    layout: WordLayout = field(repr=False)
    words: np.ndarray = field(repr=False)
    rows: np.ndarray
    counts: np.ndarray
    packed: np.ndarray  # of each of the rows
    before: np.ndarray = field(repr=False)  # what stood in the scratch
    codes: np.ndarray = field(repr=False)

    def check(self, scratch):
        """Every lane has the sums by its byte, and the places between lanes are as they were."""
        lanes = scratch.reshape(-1, STRIDE)
        before = self.before.reshape(-1, STRIDE)
        np.testing.assert_array_equal(lanes[:, 256:], before[:, 256:])
        for lane in np.unique(self.layout.lane):
            columns = np.flatnonzero(self.layout.lane == lane)
            byte = (self.codes[columns] * self.layout.divisor[columns, None]).sum(axis=0)
            expected = before[lane, :256].copy()
            np.add.at(expected, byte[self.rows], self.packed)
            np.testing.assert_array_equal(lanes[lane, :256], expected)


@st.composite
def tables(draw, may_count=True):
    """Columns of different widths, in one word or more, and some of the rows."""
    random = np.random.RandomState(draw(st.integers(0, 10**6)))
    n = draw(st.integers(1, 60))
    widths = draw(st.lists(st.sampled_from((255, 100, 64, 60, 16, 5, 4, 2, 1)), min_size=1, max_size=18))
    columns = [random.randint(0, width, n).astype(float) for width in widths]
    for column, width in zip(columns, widths):
        column[0] = width - 1  # a category for each of them, though there may be fewer rows
    columns[0][1:][random.rand(n - 1) < 0.2] = np.nan
    dataset = make_dataset(columns, [True] * len(widths))
    rows = random.permutation(n)[: random.randint(0, n + 1)].astype(np.int32)
    counts = random.randint(0, 128, n) if may_count and draw(st.booleans()) else NO_COUNTS
    words, n_words = pack_words(dataset, ALONE), dataset.layout.n_words
    gradient, hessian = random.randint(-(2**15), 2**15, n), random.randint(0, 2**16, n)
    words[n_words - 1 :: n_words] = (gradient + 2**15) << 16 | hessian
    packed = (gradient << FIELDS.gradient_shift) + (hessian << FIELDS.count_bits) + 1
    if counts.size:
        packed *= counts
    before = random.randint(0, 100, (n_words - 1) * LANES * STRIDE)
    return Rows(dataset.layout, words, rows, counts, packed[rows], before, dataset.codes.astype(np.int64))


@few(60)
@given(tables(may_count=False))
def test_by_rows(drawn):
    words, n_words, scratch = drawn.words, drawn.layout.n_words, drawn.before.copy()
    _accumulate(words, words.view(np.uint8), n_words, drawn.rows, FIELDS, scratch)
    drawn.check(scratch)


@few(60)
@given(tables(), st.integers(1, 3))
def test_by_words(drawn, group):
    words, n_words, scratch = drawn.words, drawn.layout.n_words, drawn.before.copy()
    packed = np.full(len(drawn.rows) + 1, 7)
    _read_statistics(words, n_words, drawn.rows, drawn.counts, FIELDS, packed)
    np.testing.assert_array_equal(packed[:-1], drawn.packed)
    assert packed[-1] == 7
    for first in range(0, n_words - 1, group):
        last, part = min(first + group, n_words - 1), scratch[first * LANES * STRIDE :]
        _accumulate_words(words.view(np.uint8), n_words, first, last, drawn.rows, packed, part)
    drawn.check(scratch)


# --- lanes into columns ------------------------------------------------------------------------------------------


@few(60)
@given(st.lists(st.sampled_from((1, 2, 3, 5, 16)), min_size=1, max_size=8), st.integers(0, 10**6))
def test_the_digits_of_a_lane(sizes, seed):
    """From the highest digit down, each column's sums are those over all the other digits."""
    while np.prod(sizes) > 256:
        sizes.pop()
    random = np.random.RandomState(seed)
    lane = random.randint(-(2**50), 2**50, 264)
    byte = np.arange(np.prod(sizes))
    sums = lane[: len(byte)].copy()
    for k in range(len(sizes) - 1, -1, -1):
        divisor = int(np.prod(sizes[:k]))
        expected, found = np.zeros(sizes[k], np.int64), np.full(sizes[k], 7)
        np.add.at(expected, byte // divisor % sizes[k], sums)
        _read_digit(lane, divisor, found)
        np.testing.assert_array_equal(found, expected)
        _drop_digit(lane, divisor, sizes[k])


# --- packed and wide ---------------------------------------------------------------------------------------------

SUMS = st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers(0, 100))


def pack_sums(sums):
    gradient, hessian, count = np.array(sums, np.int64).reshape(-1, 3).T
    return (gradient << FIELDS.gradient_shift) + (hessian << FIELDS.count_bits) + count


def planes(sums):
    return np.array(sums, np.int64).reshape(-1, 3).T.copy()


@few(60)
@given(st.lists(SUMS, min_size=1, max_size=20), st.lists(SUMS, min_size=20, max_size=20))
def test_widen_adds_to_what_is_there_and_leaves_zeros(sums, before):
    packed, wide = pack_sums(sums), planes(before)
    expected = wide.copy()
    expected[:, : len(sums)] += planes(sums)
    _widen(packed, wide, FIELDS)
    np.testing.assert_array_equal(wide, expected)
    assert not packed.any()


@few(60)
@given(st.lists(SUMS, min_size=2, max_size=20))
def test_narrow_is_widen_backwards(sums):
    packed = np.full(len(sums), 7)
    _narrow(planes(sums), packed, FIELDS)
    np.testing.assert_array_equal(packed, pack_sums(sums))


@few(60)
@given(st.lists(SUMS, min_size=1, max_size=20), st.data())
def test_subtract(sums, data):
    """Parent minus child in each of the three forms."""
    child = np.array(sums, np.int64)
    parent = child + np.array(data.draw(st.lists(SUMS, min_size=len(sums), max_size=len(sums))))
    parent[:, 2] = np.clip(parent[:, 2], child[:, 2], 100)

    packed = pack_sums(parent)
    _subtract(packed, pack_sums(child))
    np.testing.assert_array_equal(packed, pack_sums(parent - child))

    wide = planes(parent)
    for part in range(3):
        _subtract(wide[part], planes(child)[part])
    np.testing.assert_array_equal(wide, planes(parent - child))

    wide = planes(parent)
    _subtract_packed_from_wide(wide, pack_sums(child), FIELDS)
    np.testing.assert_array_equal(wide, planes(parent - child))


@st.composite
def scratches(draw):
    """Which threads have summed rows, which of the threads to add up, and their desks."""
    used = np.array(draw(st.lists(st.booleans(), min_size=1, max_size=5)))
    first, last = sorted(draw(st.tuples(*[st.integers(0, len(used))] * 2)))
    desks = records(len(used), DESK)
    desks.filled = np.where(used, 5, NOT_USED)
    wanted = used & (np.arange(len(used)) >= first) & (np.arange(len(used)) < last)
    return wanted, (first, last), desks


@few(30)
@given(st.integers(0, 10**6), scratches())
def test_reduce_adds_the_scratches_that_were_used(seed, drawn):
    wanted, ranks, desks = drawn
    scratch = np.random.RandomState(seed).randint(-(2**60), 2**60, (len(wanted), 12))
    out = np.full(6, 7)
    _reduce(scratch, desks, ranks, 3, out)
    if wanted.any():  # somebody always has
        np.testing.assert_array_equal(out, scratch[wanted, 3:9].sum(axis=0))


@few(30)
@given(st.integers(0, 10**6), scratches())
def test_reduce_of_a_wide_histogram_adds_what_is_not_widened_yet(seed, drawn):
    wanted, ranks, desks = drawn
    random = np.random.RandomState(seed)
    rest = random.randint(0, 20, (len(wanted), 12, 3))
    packed = np.array([pack_sums(one) for one in rest])
    scratch = random.randint(-(2**40), 2**40, (len(wanted), 3, 12))
    expected = (scratch + rest.transpose(0, 2, 1))[wanted, :, 3:9].sum(axis=0)
    outside = np.r_[:3, 9:12]
    before = packed[:, outside], scratch[:, :, outside]
    for _ in range(2):  # what was widened on the way is not added again
        out = np.full((3, 6), 7)
        _reduce_wide(scratch, packed, desks, ranks, 3, FIELDS, out)
        np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(packed[:, outside], before[0])
    np.testing.assert_array_equal(scratch[:, :, outside], before[1])

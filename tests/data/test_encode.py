"""Binning: codes and thresholds say the same, whatever the values; edges depend on values and counts alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data import encode as binning
from spinney.data.encode import MAX_BINS, learn_bins
from spinney.data.tables import Panel, Table
from tests.compiled import PLAIN_PYTHON, THREADS, few

ALONE = Team(1, inline=True)
TYPES = st.sampled_from((np.float32, np.float64))


def table_of(*columns, dtype=np.float64):
    """A table of one panel."""
    values = np.column_stack(columns).astype(dtype)
    return Table(len(values), len(columns), (Panel(values, tuple(range(len(columns)))),))


def learn(table, is_categorical=None, counts=None, max_bins=MAX_BINS, team=ALONE):
    kinds = np.zeros(table.n_columns, bool) if is_categorical is None else np.asarray(is_categorical)
    return learn_bins(table, kinds, counts, max_bins, team)


def neighbours(values, dtype):
    """The values, and on either side of each the next number of that type."""
    values = np.asarray(values, dtype)
    with np.errstate(over="ignore", under="ignore"):
        sides = [np.nextafter(values, dtype(side)) for side in (-np.inf, np.inf)]
    return np.unique(np.concatenate((values, *sides)))


# --- numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@few(100, plain=40)
@given(TYPES, TYPES, st.sampled_from((2, 3, 10, 255)), st.data())
def test_codes_and_thresholds_say_the_same(learnt_as, read_as, max_bins, data):
    """`code <= b` just when `value <= threshold of b`: for any number, of the type learnt from or the other."""
    width = 32 if learnt_as is np.float32 else 64
    numbers = st.floats(width=width) | st.sampled_from((0.0, -0.0, 1.0, np.inf, -np.inf, np.nan))
    values = np.array(data.draw(st.lists(numbers, min_size=1, max_size=30)), learnt_as)
    bins = learn(table_of(values, dtype=learnt_as), max_bins=max_bins)
    n_bins = int(bins.n_bins[0])
    assert 1 <= n_bins <= max_bins
    if np.isnan(values).all():
        return
    assert (np.diff(bins.edges[0]) > 0).all()
    with np.errstate(over="ignore"):
        seeds = np.concatenate((values.astype(np.float64), bins.edges[0], [0.0, np.inf, -np.inf]))
        tried = neighbours(seeds[~np.isnan(seeds)], read_as)
    tried = np.concatenate((tried, [np.nan])).astype(read_as)
    codes = bins.encode(table_of(tried, dtype=read_as), ALONE)[0]
    assert codes[-1] == n_bins
    assert codes[:-1].max() < n_bins
    thresholds = bins.thresholds(np.zeros(n_bins, np.int64), np.arange(n_bins))
    for b, threshold in enumerate(thresholds):
        np.testing.assert_array_equal(codes[:-1] <= b, tried[:-1].astype(np.float64) <= threshold)
    assert thresholds[-1] == np.inf


def test_thresholds_of_many_columns_at_once():
    """Of any columns in any order; past the last edge, and for a category, there is no bound."""
    table = table_of([1.0, 2.0, 4.0], [7.0, 7.0, 7.0], [0.0, 1.0, 1.0], [5.0, 9.0, 9.0])
    bins = learn(table, [False, False, True, False])
    columns, codes = np.array([3, 0, 0, 0, 1, 3, 2]), np.array([0, 1, 0, 2, 0, 200, 1])
    assert bins.thresholds(columns, codes).tolist() == [7.0, 3.0, 1.5, np.inf, np.inf, np.inf, np.inf]
    assert bins.thresholds(columns[:0], codes[:0]).tolist() == []


@pytest.mark.kernels
@few(60, plain=30)
@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=60), st.sampled_from((2, 5, 255)))
def test_few_values_have_a_bin_each(values, max_bins):
    values = np.array(values)
    distinct = np.unique(values)
    bins = learn(table_of(values), max_bins=max_bins)
    if len(distinct) <= max_bins:
        codes = bins.encode(table_of(distinct), ALONE)[0]
        assert codes.tolist() == list(range(len(distinct)))
        for low, high, edge in zip(distinct, distinct[1:], bins.edges[0]):
            assert low <= edge < high
    else:
        assert len(bins.edges[0]) <= max_bins - 1


@pytest.mark.kernels
@few(60, plain=30)
@given(st.integers(0, 10**6), st.sampled_from((2, 7, 40)), st.sampled_from((100, 400)))
def test_bins_are_about_equally_full(seed, max_bins, n):
    values = np.random.RandomState(seed).randn(n)
    bins = learn(table_of(values), max_bins=max_bins)
    filled = np.bincount(bins.encode(table_of(values), ALONE)[0], minlength=max_bins)
    assert len(filled) == max_bins  # more values than bins: all bins are used
    assert filled.max() - filled.min() <= 1 + n // max_bins // 2


@pytest.mark.kernels
@few(60, plain=30)
@given(st.integers(0, 10**6), st.sampled_from((3, 10, 30)))
def test_heavy_values_do_not_take_the_bins_of_others(seed, max_bins):
    """Half of the rows are zeros: a bin ends right there, and the other bins are spread over the rest."""
    random = np.random.RandomState(seed)
    values = np.concatenate((np.zeros(200), random.randn(200)))
    bins = learn(table_of(values), max_bins=max_bins)
    codes = bins.encode(table_of(values), ALONE)[0]
    zero = codes[0]
    assert values[codes == zero].max() == 0.0
    rest = np.bincount(codes[codes != zero])
    assert len(bins.edges[0]) <= max_bins - 1
    assert rest.max() <= 3 * 200 / (max_bins - 1)


@pytest.mark.kernels
@few(60, plain=30)
@given(st.data(), st.sampled_from((2, 5, 16)), TYPES)
def test_repeated_rows_and_counts_give_the_same_edges(data, max_bins, dtype):
    n = data.draw(st.integers(1, 40))
    random = np.random.RandomState(data.draw(st.integers(0, 10**6)))
    values = np.round(random.randn(n), 1)
    values[random.rand(n) < 0.1] = np.nan
    counts = random.randint(0, 5, n)
    counts[0] = 1
    weighted = learn(table_of(values, dtype=dtype), counts=counts, max_bins=max_bins)
    repeated = learn(table_of(np.repeat(values, counts), dtype=dtype), max_bins=max_bins)
    np.testing.assert_array_equal(weighted.edges[0], repeated.edges[0])


@pytest.mark.kernels
@few(30, plain=10)
@given(st.integers(0, 10**6), st.sampled_from((2, 16, 255)))
def test_the_order_of_rows_does_not_matter(seed, max_bins):
    random = np.random.RandomState(seed)
    values = np.where(random.rand(300) < 0.3, 1.0, random.randn(300))
    counts = random.randint(0, 4, 300)
    order = random.permutation(300)
    one = learn(table_of(values), counts=counts, max_bins=max_bins)
    other = learn(table_of(values[order]), counts=counts[order], max_bins=max_bins)
    np.testing.assert_array_equal(one.edges[0], other.edges[0])


@pytest.mark.kernels
def test_a_column_without_values_has_one_bin():
    bins = learn(table_of(np.full(5, np.nan)))
    assert bins.n_bins[0] == 1
    assert len(bins.edges[0]) == 0
    assert bins.encode(table_of([np.nan, 0.0]), ALONE)[0].tolist() == [1, 0]


@pytest.mark.kernels
def test_rows_that_do_not_count_have_no_say():
    values, counts = np.array([1.0, 2.0, 100.0, np.nan]), np.array([1, 1, 0, 1])
    assert learn(table_of(values), counts=counts).edges[0].tolist() == [1.5]


# --- categories --------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@few(60, plain=30)
@given(st.integers(0, 10**6), st.sampled_from((2, 4, 255)), st.sampled_from((1, 3, 4, 5, 20, 300)))
def test_frequent_categories_keep_a_code_of_their_own(seed, max_bins, n_categories):
    random = np.random.RandomState(seed)
    values = np.concatenate((np.arange(n_categories), random.randint(0, n_categories, 200))).astype(float)
    counts = random.randint(1, 4, len(values))
    bins = learn(table_of(values), [True], counts, max_bins)
    codes = bins.category_codes[0]
    assert bins.n_bins[0] == codes.max() + 1 == min(n_categories, max_bins)
    np.testing.assert_array_equal(bins.encode(table_of(values), ALONE)[0], codes[values.astype(int)])
    if n_categories > max_bins:
        alone = codes < max_bins - 1
        assert alone.sum() == max_bins - 1
        assert len(set(codes[alone])) == max_bins - 1
        frequency = np.bincount(values.astype(int), weights=counts)
        assert frequency[alone].min() >= frequency[~alone].max()
    else:
        assert codes.tolist() == list(range(n_categories))
    assert bins.encode(table_of([np.nan]), ALONE)[0, 0] == bins.n_bins[0]


@pytest.mark.kernels
def test_a_category_column_without_values_has_one_bin():
    bins = learn(table_of(np.full(5, np.nan)), [True])
    assert bins.n_bins[0] == 1
    assert (bins.encode(table_of(np.full(5, np.nan)), ALONE) == 1).all()


# --- tables, threads ---------------------------------------------------------------------------------------------


@pytest.mark.kernels
def test_panels_of_different_types_and_strides():
    """Columns come in panels, in any order in memory; each is encoded as if it were alone."""
    random = np.random.RandomState(0)
    wide = np.asfortranarray(random.randn(50, 2))
    narrow = random.randn(100, 3).astype(np.float32)[::2]
    narrow.flags.writeable = False
    table = Table(50, 5, (Panel(wide, (0, 3)), Panel(narrow, (1, 2, 4))))
    bins = learn(table, [False] * 5)
    codes = bins.encode(table, ALONE)
    for j in range(5):
        column = table.column(j)
        alone = table_of(column, dtype=column.dtype)
        single = learn(alone)
        np.testing.assert_array_equal(bins.edges[j], single.edges[0])
        np.testing.assert_array_equal(codes[j], single.encode(alone, ALONE)[0])
    np.testing.assert_array_equal(bins.encode(table, ALONE, 10, 30), codes[:, 10:30])


@pytest.mark.parametrize("n_rows", [1000] if PLAIN_PYTHON else [1000, 40_000])
def test_threads_do_not_matter(n_rows):
    random = np.random.RandomState(0)
    columns = [random.randn(n_rows), np.floor(random.rand(n_rows) * 400), np.where(random.rand(n_rows) < 0.5, 0, 1)]
    table = table_of(*columns)
    kinds = [False, True, False]
    expected = learn(table, kinds)
    codes = expected.encode(table, ALONE)
    for n_threads in (*THREADS, 3, 7):
        with Team(n_threads) as team:
            bins = learn(table, kinds, team=team)
            np.testing.assert_array_equal(bins.encode(table, team), codes)
        for one, other in zip(bins.edges + bins.category_codes, expected.edges + expected.category_codes):
            np.testing.assert_array_equal(one, other)


def test_large_tables_are_sampled_evenly(monkeypatch):
    monkeypatch.setattr(binning, "_SAMPLE", 500)
    rows = binning.sample_rows(10_007, None)
    assert len(rows) == 500
    assert (np.diff(rows) > 0).all()
    assert ((rows - np.arange(500) * 10_007 / 500) < 10_007 / 500 + 1).all()
    counts = np.zeros(10_007, np.int64)
    counts[5000:] = 1
    rows = binning.sample_rows(10_007, counts)
    assert len(rows) == 500
    assert rows.min() >= 5000
    values = np.random.RandomState(0).randn(10_007)
    filled = np.bincount(learn(table_of(values), max_bins=10).encode(table_of(values), ALONE)[0])
    assert filled.min() > 600  # of 1000


# --- sorting -----------------------------------------------------------------------------------------------------

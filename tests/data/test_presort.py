"""Presorted columns: NumPy's stable sort is the slow twin of the sort by bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data import presort as module
from spinney.data.encode import learn_bins
from spinney.data.presort import RANK, ROW, presort
from spinney.data.tables import Panel, Sorting, Table
from tests.compiled import PLAIN_PYTHON, THREADS, few

pytestmark = pytest.mark.kernels
MISSING = int(module.MISSING)
SMALL = 40 if PLAIN_PYTHON else 300
LARGEST = np.finfo(np.float64).max


def table_of(*panels):
    """A table of some arrays, side by side."""
    first, made = 0, []
    for values in panels:
        made.append(Panel(values, tuple(range(first, first + values.shape[1]))))
        first += values.shape[1]
    return Table(len(panels[0]), first, tuple(made))


def sort(table, is_categorical=None, n_threads=1, **rest):
    kinds = np.zeros(table.n_columns, bool) if is_categorical is None else np.asarray(is_categorical, bool)
    with Team(n_threads) as team:
        return presort(table, kinds, team, Sorting(with_values=True, **rest))


def read(presorted, j):
    """(rows, ranks) of a column's list, ranks of missing values as -1."""
    entries = presorted.lists[j]
    ranks = (entries >> RANK).astype(np.int64)
    return (entries & ROW).astype(np.int64), np.where(ranks == MISSING, -1, ranks)


def assert_sorted(presorted, j, column):
    """The list of a column of numbers is what NumPy's stable sort makes of it."""
    column = np.asarray(column, np.float64)
    rows, ranks = read(presorted, j)
    np.testing.assert_array_equal(rows, np.argsort(column, kind="stable"))
    known = column[~np.isnan(column)]
    values, inverse = np.unique(known, return_inverse=True)
    assert presorted.n_ranks[j] == len(values)
    np.testing.assert_array_equal(presorted.values[j, : len(values)], values)
    np.testing.assert_array_equal(ranks, [*np.sort(inverse), *[-1] * (len(column) - len(known))])


def near(value, n, random):
    """Numbers that differ only in the last bits, so that the leading 32 are the same."""
    return value * (1 + random.randint(-40, 40, n) * np.finfo(float).eps)


DRAWN = {
    "whole": lambda random, n: random.randint(-5, 5, n).astype(float),
    "float32": lambda random, n: random.randn(n).astype(np.float32).astype(float),
    "float64": lambda random, n: random.randn(n),
    "seconds": lambda random, n: 1.7e9 + random.randint(0, 50, n) * 1e-6,
    "long runs": lambda random, n: near(np.pi, n, random),
    "negative runs": lambda random, n: near(-1e300, n, random),
    "short runs": lambda random, n: near(random.randn(n), n, random),
    "wide": lambda random, n: random.choice((-1.0, 1.0), n) * 10.0 ** random.uniform(-320, 308, n),
    "extremes": lambda random, n: random.choice((LARGEST, -LARGEST, 5e-324, -5e-324, 0.0, np.inf, -np.inf), n),
    "constant": lambda random, n: np.full(n, 0.1),
    "missing": lambda random, n: np.full(n, np.nan),
}


@few(80, plain=30)
@given(st.integers(0, 10**6), st.sampled_from(sorted(DRAWN)), st.sampled_from((0.0, 0.3)))
def test_numbers_are_sorted_as_numpy_sorts_them(seed, kind, gaps):
    random = np.random.RandomState(seed)
    n = int(random.choice((SMALL, 24, 25, 2, 1)))
    column = DRAWN[kind](random, n)
    column[random.rand(n) < gaps] = np.nan
    assert_sorted(sort(table_of(column[:, None])), 0, column)


def test_both_zeros_are_one_value():
    column = np.array([0.0, -0.0, 1.0, -0.0, -1.0, 0.0])
    presorted = sort(table_of(column[:, None]))
    assert read(presorted, 0)[0].tolist() == [4, 0, 1, 3, 5, 2]
    assert read(presorted, 0)[1].tolist() == [0, 1, 1, 1, 1, 2]
    assert not np.signbit(presorted.values[0, 1])


def test_every_nan_is_missing():
    odd = np.array([0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], np.uint64).view(np.float64)
    for column in (np.array([*odd, 1.0]), np.array([*odd, 0.1, -np.inf, np.inf])):
        presorted = sort(table_of(column[:, None]))
        assert_sorted(presorted, 0, column)


def test_infinities_are_values():
    column = np.array([np.inf, 1.5, -np.inf, np.nan, np.inf])
    presorted = sort(table_of(column[:, None]))
    assert_sorted(presorted, 0, column)
    assert presorted.values[0, :3].tolist() == [-np.inf, 1.5, np.inf]


@pytest.mark.parametrize("n_threads", THREADS)
def test_panels_of_any_type_and_order(n_threads):
    random = np.random.RandomState(0)
    a = random.randn(SMALL, 7)
    b = random.randn(SMALL, 2).astype(np.float32)
    b[::3, 1] = np.nan
    panels = (a, np.asfortranarray(b), random.randn(SMALL, 6)[:, ::2])
    presorted = sort(table_of(*panels), n_threads=n_threads)
    for j, column in enumerate(np.hstack(panels).T):
        assert_sorted(presorted, j, column)


def test_columns_of_a_panel_need_not_be_neighbours():
    values = np.array([[3.0, 1.0], [2.0, 5.0], [1.0, 4.0]])
    table = Table(3, 3, (Panel(values, (2, 0)), Panel(np.array([[7.0], [8.0], [7.0]]), (1,))))
    presorted = sort(table)
    for j, column in enumerate(([1, 5, 4], [7, 8, 7], [3, 2, 1])):
        assert_sorted(presorted, j, column)


def test_only_the_chosen_rows_count():
    random = np.random.RandomState(0)
    X = random.randint(0, 9, (50, 3)).astype(float)
    X[random.rand(50, 3) < 0.1] = np.nan
    rows = np.flatnonzero(random.rand(50) < 0.5)
    some, few_rows = sort(table_of(X), [False, True, False], rows=rows), sort(table_of(X[rows]), [False, True, False])
    np.testing.assert_array_equal(some.lists, few_rows.lists)
    np.testing.assert_array_equal(some.n_ranks, few_rows.n_ranks)
    assert some.n_rows == len(rows)


@few(40, plain=15)
@given(st.integers(0, 10**6), st.sampled_from((0.0, 0.1, 0.5, 0.9, 1.0)), st.sampled_from(THREADS))
def test_some_rows_of_what_is_sorted_are_these_rows_sorted(seed, share, n_threads):
    random = np.random.RandomState(seed)
    X = random.randint(-9, 9, (50, 3)) / 2
    X[:, 1] = random.randint(0, 5, 50)
    X[random.rand(50, 3) < 0.1] = np.nan
    rows = np.flatnonzero(random.rand(50) < share)
    rows = rows if len(rows) else np.array([random.randint(50)])
    whole, kinds = sort(table_of(X), [False, True, False]), [False, True, False]
    before = whole.lists.copy()
    with Team(n_threads) as team:
        taken = whole.take(rows, team, n_others=2)
    sorted_anew = sort(table_of(X[rows]), kinds)
    assert taken.lists.shape == (5, len(rows))
    np.testing.assert_array_equal(whole.lists, before)
    for j in range(3):
        (mine, ranks), (others, dense) = read(taken, j), read(sorted_anew, j)
        np.testing.assert_array_equal(mine, others)
        np.testing.assert_array_equal(np.diff(ranks) != 0, np.diff(dense) != 0)
        np.testing.assert_array_equal(ranks == -1, dense == -1)
        if not kinds[j]:
            known = ranks >= 0
            np.testing.assert_array_equal(taken.values[j, ranks[known]], X[rows, j][mine[known]])


@pytest.mark.parametrize("n_categories", [1, 3, 300, 100_000])
def test_the_rank_of_a_category_is_its_number(n_categories):
    random = np.random.RandomState(n_categories)
    column = random.randint(0, n_categories, min(SMALL, 250)).astype(np.float32)
    column[0] = n_categories - 1
    column[1::7] = np.nan
    presorted = sort(table_of(column[:, None]), [True])
    rows, ranks = read(presorted, 0)
    np.testing.assert_array_equal(rows, np.argsort(column, kind="stable"))
    np.testing.assert_array_equal(ranks, np.nan_to_num(column[rows], nan=-1))
    assert presorted.n_ranks[0] == n_categories


def test_a_column_of_no_known_category_has_no_ranks():
    presorted = sort(table_of(np.full((4, 1), np.nan)), [True])
    assert presorted.n_ranks.tolist() == [0]
    assert read(presorted, 0)[1].tolist() == [-1] * 4


def test_lists_can_be_asked_for():
    presorted = sort(table_of(np.arange(6.0).reshape(3, 2)), n_others=2)
    assert presorted.lists.shape == (4, 3)
    assert (presorted.n_columns, presorted.n_rows) == (2, 3)


@pytest.mark.parametrize("n_threads", THREADS)
def test_the_rank_of_a_binned_value_is_its_bin(n_threads):
    random = np.random.RandomState(0)
    X = np.column_stack([random.randn(SMALL), random.randint(0, 4, SMALL), random.randn(SMALL)])
    X[random.rand(SMALL) < 0.2, 0] = np.nan
    rows, kinds = np.arange(0, SMALL, 3), np.array([False, True, False])
    table = table_of(X)
    with Team(n_threads) as team:
        bins = learn_bins(table, kinds, None, 6, team)
        codes = bins.encode(table, team)
        presorted = presort(table, kinds, team, Sorting(rows, bins))
    assert presorted.is_binned
    for j in range(3):
        found_rows, ranks = read(presorted, j)
        mine = np.where(codes[j][rows] == bins.n_bins[j], 256, codes[j][rows].astype(int))
        np.testing.assert_array_equal(found_rows, np.argsort(mine, kind="stable"))
        np.testing.assert_array_equal(ranks, np.where(np.sort(mine) == 256, -1, np.sort(mine)))
        if not kinds[j]:  # what lies in a bin is at most its edge, and above the one before
            known = ~np.isnan(X[rows, j])
            edges = np.concatenate([[-np.inf], presorted.values[j]])
            assert (X[rows, j][known] <= presorted.values[j, mine[known]]).all()
            assert (X[rows, j][known] > edges[mine[known]]).all()


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 3)
    with pytest.raises(ValueError, match="exact trees support at most 3 rows, got 4"):
        sort(table_of(np.zeros((4, 1))))


def test_rare_ones_of_many_categories_share_a_rank():
    random = np.random.RandomState(0)
    often = np.repeat(np.arange(40.0), module.FEWEST)
    rare = np.repeat(np.arange(40.0, 700.0), module.FEWEST - 1)
    column = random.permutation(np.concatenate([often, rare, [np.nan] * 3]))
    presorted = sort(table_of(column[:, None]), [True])
    ranks, rows = presorted.lists[0] >> RANK, (presorted.lists[0] & ROW).astype(int)
    known = ~np.isnan(column[rows])
    own = known & (column[rows] < 40)
    np.testing.assert_array_equal(ranks[own], column[rows][own])
    assert len(np.unique(ranks[known & ~own])) == 1
    assert (ranks[~known] == MISSING).all()


@pytest.mark.parametrize("rows", [None, np.arange(0, 510, 2)])
def test_up_to_255_categories_keep_their_ranks(rows):
    column = np.tile(np.arange(255.0), 2)
    presorted = sort(table_of(column[:, None]), [True], rows=rows)
    found = presorted.lists[0] & ROW
    np.testing.assert_array_equal(
        presorted.lists[0] >> RANK, (column if rows is None else column[rows])[found.astype(int)]
    )

"""What is done to lists before scans: orders of categories, random cuts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.data.encode import Bins
from spinney.data.tables import Panel, Table
from spinney.data.thresholds import find_middles
from spinney.grow.exact import search as module
from spinney.grow.exact.partition import count_known as _count_known
from spinney.grow.targets import Pairs
from tests.compiled import few, outer
from tests.grow.exact.entries import entries_of, ranks_of, rows_of

pytestmark = pytest.mark.kernels

count_known = outer(_count_known)
heaviest, arrange, draw_cut = outer(module.heaviest), outer(module.arrange), outer(module.draw_cut)
draw_edge = outer(module.draw_edge)
cut_in_two, random_place = outer(module.cut_in_two), outer(module.random_place)


def test_known_entries_come_first():
    assert [count_known(entries_of(ranks)) for ranks in ([0, 1], [0, -1, -1], [-1], [])] == [2, 1, 0, 0]


@few(40, plain=20)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=12))
def test_the_heaviest_sums_in_turn(amounts):
    total = np.array([99, *amounts], np.int64)
    found = [heaviest(total, len(amounts), which) for which in range(len(amounts))]
    assert found == sorted(range(1, len(amounts) + 1), key=lambda k: (-abs(total[k]), k))


@few(40, plain=20)
@given(seed=st.integers(0, 10**6), weighted=st.just(True), n_categories=st.sampled_from((1, 2, 7, 40)))
def test_categories_in_the_order_of_their_means(seed, weighted, n_categories):
    random = np.random.RandomState(seed)
    codes = np.sort(random.randint(0, n_categories, 50))
    codes = np.concatenate([codes, [-1] * random.randint(0, 4)])
    rows = random.permutation(len(codes))
    amount, weight = random.randint(-9, 9, len(codes)), random.randint(1, 4, len(codes))
    statistics = Pairs(amount, weight, None, np.empty(0), np.empty(0, np.int64), np.ones(3))
    entries = entries_of(codes, rows)
    out = np.empty_like(entries)
    arrange(statistics, entries, 1, np.uint64(0), np.empty((3, 60), np.int64), np.empty(60), out)
    means = {c: amount[rows[codes == c]].sum() / weight[rows[codes == c]].sum() for c in set(codes.tolist()) - {-1}}
    order = sorted(means, key=lambda c: (means[c], c))
    np.testing.assert_array_equal(rows_of(out), np.concatenate([rows[codes == c] for c in [*order, -1]]))
    expected = np.repeat([*range(len(order)), -1], [(codes == c).sum() for c in [*order, -1]])
    np.testing.assert_array_equal(ranks_of(out), expected)


def test_categories_in_a_random_order():
    entries = entries_of(np.repeat(np.arange(5), 2))
    statistics = Pairs(
        np.zeros(10, np.int64), np.ones(10, np.int64), None, np.empty(0), np.empty(0, np.int64), np.ones(3)
    )
    orders = set()
    for key in range(1, 60):
        out = np.empty_like(entries)
        arrange(statistics, entries, 1, np.uint64(key), np.empty((3, 9), np.int64), np.empty(9), out)
        assert sorted(rows_of(out)) == list(range(10))
        assert ranks_of(out).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
        orders.add(tuple(rows_of(out)))
    assert len(orders) > 35  # of 120
    assert {order[0] for order in orders} == {0, 2, 4, 6, 8}


@few(60, plain=30)
@given(
    values=st.lists(st.sampled_from((-np.inf, -1e308, -2.5, 0.0, 5e-324, 1.0, 1e308, np.inf)), min_size=1, unique=True),
    key=st.integers(0, 1000),
    n_missing=st.integers(0, 2),
)
def test_a_random_cut_lies_between_known_values(values, key, n_missing):
    values = np.array(sorted(values))
    ranks = np.repeat(np.arange(len(values)), 2)
    entries = entries_of([*ranks, *[-1] * n_missing])
    position, threshold = draw_cut(entries, values, np.uint64(key))
    if len(values) == 1:
        assert (position, threshold) == (2, np.inf)  # only what is missing can be told apart
        return
    assert 0 < position < len(ranks)
    assert (values[ranks] <= threshold).sum() == position


def test_a_random_cut_between_bins_is_at_an_edge_of_one():
    edges = np.array([1.0, 2.0, 4.0, np.inf])
    values = np.column_stack([[0.0, 1.5, 3.0, 9.0]])
    table = Table(4, 1, (Panel(values, (0,)),))
    bins = Bins((edges[:-1],), (np.empty(0, np.uint8),), np.array([4], np.int32), np.zeros(1, bool))
    middles = find_middles(bins, table)
    entries = entries_of([0, 1, 1, 3, -1])
    drawn = {draw_edge(entries, edges, middles, 0, np.uint64(key)) for key in range(200)}
    assert drawn == {(1, 1.0), (3, 2.0), (3, 4.0)}


def test_a_list_cut_in_two():
    entries, out = entries_of([0, 3, 3, 5, -1]), np.empty(5, np.uint64)
    cut_in_two(entries, 3, out)
    assert ranks_of(out).tolist() == [0, 0, 0, 1, -1]
    assert rows_of(out).tolist() == [0, 1, 2, 3, 4]
    cut_in_two(out, 1, out)
    assert ranks_of(out).tolist() == [0, 1, 1, 1, -1]


def test_a_random_place_is_any_change_of_rank():
    entries = entries_of([0, 0, 1, 2, 2, -1])
    assert {random_place(np.uint64(key), entries, 5) for key in range(40)} == {2, 3}
    assert random_place(np.uint64(0), entries_of([0, 0, -1]), 2) == 2
    assert random_place(np.uint64(0), entries_of([-1]), 0) == 0

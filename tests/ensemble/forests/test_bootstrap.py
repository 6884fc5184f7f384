"""Bootstraps: how much of a table they hold, weights that stand for repetitions, and no trace of the rows' order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.data.row_hash import order_by_content, order_of_codes
from spinney.data.tables import Panel, Table
from spinney.ensemble.forests.bootstrap import Bags, choose_rows, count_draws, draw_rows
from tests.compiled import PLAIN_PYTHON, few

pytestmark = pytest.mark.kernels
ROUNDS = 20 if PLAIN_PYTHON else 400


def test_a_bootstrap_leaves_out_a_row_in_e():
    """(1 - 1/n)^n = 0.367695 of 1000 rows (the lectures' number)."""
    n = 1000
    missed = [np.mean(count_draws(np.arange(n), None, n, 5, k) == 0) for k in range(ROUNDS)]
    assert np.mean(missed) == pytest.approx(0.367695, abs=4 * 0.0098 / np.sqrt(ROUNDS))


def test_every_row_has_the_same_chance():
    """Chi-square of all draws, 1 in 1000."""
    n = 50
    total = sum(count_draws(np.arange(n), None, n, 1, k) for k in range(ROUNDS))
    assert total.sum() == n * ROUNDS
    assert ((total - ROUNDS) ** 2 / ROUNDS).sum() < 85.4


def test_chances_are_weights():
    weights = np.array([0.0, 1.0, 2.5, 0.0, 0.5])
    counts = sum(count_draws(np.arange(5), weights, 100, 3, k) for k in range(ROUNDS))
    assert (counts[[0, 3]] == 0).all()
    np.testing.assert_allclose(counts / counts.sum(), weights / 4.0, atol=0.03)


@few(20)
@given(seed=st.integers(0, 10**6))
def test_a_row_of_weight_two_is_drawn_like_two(seed):
    random = np.random.RandomState(seed)
    n = 30
    weights = random.randint(0, 4, n)
    order = random.permutation(n)
    again = np.repeat(order, weights[order])  # every row as often as it weighs, beside each other
    place = np.arange(len(again))
    n_draws = int(weights.sum())
    one = count_draws(order, weights.astype(float), n_draws, seed, 7)
    two = count_draws(place, None, n_draws, seed, 7)
    assert one.sum() == two.sum() == n_draws
    np.testing.assert_array_equal(one, np.bincount(again, two, minlength=n))
    np.testing.assert_array_equal(one, np.bincount(draw_rows(order, weights, n_draws, seed, 7), minlength=n))


def rows_and_target(random, n):
    codes = random.randint(0, 3, (11, n)).astype(np.uint8)
    return codes, random.randint(0, 2, n).astype(float)


@few(20)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_the_rows_does_not_matter(seed):
    """Rows of the same content may change places: only what they hold counts."""
    random = np.random.RandomState(seed)
    n = int(random.choice((1, 5, 40)))
    codes, y = rows_and_target(random, n)
    moved = random.permutation(n)

    def held(order, codes, y):
        return np.vstack([codes[:, order], y[order]])

    for find in (order_of_codes, content):
        one, other = find(codes, y), find(codes[:, moved], y[moved])
        assert sorted(one.tolist()) == list(range(n))
        np.testing.assert_array_equal(held(one, codes, y), held(other, codes[:, moved], y[moved]))
        for replace in (True, False):
            bags = [Bags(order, None, max(1, n // 2), replace, seed) for order in (one, other)]
            first, second = (bag.counts(3) for bag in bags)
            np.testing.assert_array_equal(first[one], second[other])


def content(codes, y):
    values = codes.T.astype(float)
    return order_by_content(Table(*values.shape, (Panel(values, tuple(range(values.shape[1]))),)), y)


@few(20)
@given(seed=st.integers(0, 10**6), share=st.floats(0.01, 1.0))
def test_pasting_has_no_repeats(seed, share):
    n = 60
    wanted = max(1, int(share * n))
    rows = choose_rows(np.random.RandomState(seed).permutation(n), wanted, seed, 4)
    assert len(rows) == wanted
    assert (np.diff(rows) > 0).all()
    counts = Bags(np.arange(n), None, wanted, False, seed).counts(4)
    assert counts.max() == 1
    assert counts.sum() == wanted


def test_pasting_leaves_out_rows_without_weight_and_prefers_heavy_ones():
    weights = np.array([1.0, 0.0, 3.0, 0.5, 0.0, 1.0])
    bags = Bags(np.arange(6), weights, 2, False, 9)
    counts = sum(bags.counts(k) for k in range(400))
    assert (counts[[1, 4]] == 0).all()
    assert counts[2] > counts[0] > counts[3]


def test_bags_are_drawn_again_alike_and_differ_from_each_other():
    for replace in (True, False):
        bags = Bags(np.arange(100), None, 60, replace, 3)
        assert len({bags.counts(k).tobytes() for k in range(10)}) == 10
        np.testing.assert_array_equal(bags.counts(4), bags.counts(4))
        assert (bags.counts(4) != bags._replace(seed=4).counts(4)).any()

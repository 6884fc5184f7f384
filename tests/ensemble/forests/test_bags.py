"""Draws of rows: against a plain Python twin of the hashes, and what must be true of any draw."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from spinney.data.row_hash import order_by_content, order_of_any
from spinney.data.schema import learn_and_read
from spinney.ensemble.forests.bootstrap import Bags
from tests.compiled import few

WORD = 2**64 - 1
ROWS = 2


def mix(key, index):
    """SplitMix64's finaliser."""
    z = (key + (index + 1) * 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def slow_counts(order, weights, n_draws, seed, number):
    """A bootstrap, one draw after the other."""
    key = mix(mix(seed, ROWS), number)
    ends = list(accumulate(weights[row] for row in order))
    counts = [0] * len(order)
    for i in range(n_draws):
        at = (mix(key, i) >> 11) * 2.0**-53 * ends[-1]
        counts[order[next(k for k, end in enumerate(ends) if at < end)]] += 1
    return counts


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12).filter(any), st.integers(0, 40), st.integers(0, 2**31 - 2))
@few(40)
def test_bootstraps_are_the_twins(weights, n_draws, seed):
    order = np.random.RandomState(len(weights)).permutation(len(weights))
    for number in range(3):
        bags = Bags(order, np.array(weights, np.float64), n_draws, True, seed)
        assert bags.counts(number).tolist() == slow_counts(order, weights, n_draws, seed, number)
        plain = Bags(order, None, n_draws, True, seed).counts(number)
        assert plain.tolist() == slow_counts(order, [1] * len(order), n_draws, seed, number)


def test_a_bootstrap_holds_63_percent_of_the_rows():
    n = 1000
    assert (1 - 1 / n) ** n == pytest.approx(0.367695, abs=5e-7)  # the lecture's number
    bags = Bags(np.arange(n), None, n, True, seed=0)
    left_out = np.mean([(bags.counts(k) == 0).mean() for k in range(300)])
    assert left_out == pytest.approx(0.367695, abs=0.002)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=15).filter(any), st.integers(1, 6), st.integers(0, 2**31 - 2))
@few(40)
def test_parts_are_disjoint_and_hold_all_rows(weights, n_parts, seed):
    bags = Bags(np.arange(len(weights)), np.array(weights, np.float64), sum(weights), False, seed, n_parts)
    parts = [bags.counts(k) for k in range(n_parts)]
    assert np.sum(parts, axis=0).tolist() == weights
    sizes = [part.sum() for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_parts_are_drawn_anew_for_another_seed():
    one, other = (Bags(np.arange(50), None, 50, False, seed, 2).counts(0) for seed in (0, 1))
    assert (one != other).any()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=15).filter(any), st.data())
@few(40)
def test_without_replacement_a_row_of_whole_weight_is_as_many_rows(weights, data):
    n_draws = data.draw(st.integers(1, sum(weights)))
    bags = Bags(np.arange(len(weights)), np.array(weights, np.float64), n_draws, False, seed=1)
    repeated = np.repeat(np.arange(len(weights)), weights)
    alike = Bags(np.arange(len(repeated)), None, n_draws, False, seed=1)
    for number in range(3):
        counts = bags.counts(number)
        assert counts.sum() == n_draws
        assert (counts <= weights).all()
        rows = np.repeat(repeated, alike.counts(number))
        assert counts.tolist() == np.bincount(rows, minlength=len(weights)).tolist()


def test_without_replacement_weights_are_chances():
    """Of three rows two are drawn; scikit-learn's (numpy's) chances: 1 - the chance of being the one left."""
    weights = np.array([0.5, 1.5, 3.0, 0.0])
    bags = Bags(np.arange(4), weights, 2, False, seed=3)
    counts = np.array([bags.counts(k) for k in range(4000)])
    assert (counts.sum(axis=1) == 2).all()
    assert counts.max() == 1
    p = weights[:3] / weights.sum()
    wanted = [
        p[i] + sum(p[j] * p[i] / (1 - p[j]) for j in range(3) if j != i) for i in range(3)
    ]  # first, or second after another
    np.testing.assert_allclose(counts[:, :3].mean(axis=0), wanted, atol=0.03)
    assert not counts[:, 3].any()


def test_the_order_follows_from_what_rows_hold():
    random = np.random.RandomState(0)
    X = random.randint(0, 3, (40, 3)).astype(float)
    X[X == 2] = np.nan
    targets = random.randint(0, 2, (2, 40)).astype(float)
    rows = random.permutation(40)
    order = order_by_content(learn_and_read(X)[1], *targets)
    other = order_by_content(learn_and_read(X[rows])[1], *targets[:, rows])
    np.testing.assert_array_equal(X[order], X[rows][other])
    np.testing.assert_array_equal(targets[:, order], targets[:, rows][:, other])


def test_the_order_of_a_sparse_matrix_follows_from_what_rows_hold():
    random = np.random.RandomState(0)
    X, target = random.randint(0, 3, (40, 4)) * random.randint(0, 2, (40, 4)), random.randint(0, 2, 40)
    rows = random.permutation(40)
    order, other = (order_of_any(csr_matrix(X[some]), target[some][None], None) for some in (np.arange(len(X)), rows))
    np.testing.assert_array_equal(X[order], X[rows][other])
    np.testing.assert_array_equal(target[order], target[rows][other])

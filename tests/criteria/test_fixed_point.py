"""Sums by integers: no order, no surprise, and weights that are repetitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.fixed_point import (
    exact_mean,
    exact_sum,
    exponent_of_sum,
    relative,
    scale_exponent,
    to_digits,
    weighted_quantile,
)
from spinney.data.weights import Weights
from tests.compiled import few

NONE = Weights(None, None)
VALUES = st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=1, max_size=50).map(np.array)
SHARES = st.sampled_from((0.0, 0.125, 0.25, 0.5, 0.625, 0.75, 1.0))  # exact in binary


@few(100)
@given(st.floats(1e-300, 1e300), st.integers(1, 61))
def test_scale_exponent(largest, bits):
    exponent = scale_exponent(largest, bits)
    scaled = math.ldexp(largest, exponent)
    assert scaled < 2.0**bits
    assert exponent == 1000 or scaled >= 2.0 ** (bits - 1)


def test_nothing_to_scale():
    assert scale_exponent(0.0, 10) == 0


@few(100)
@given(st.lists(st.floats(0.0, 1e300), min_size=1, max_size=50).map(np.array), st.randoms(use_true_random=False))
def test_the_exponent_of_a_sum_does_not_depend_on_the_order(values, random):
    order = np.array(random.sample(range(len(values)), len(values)))
    exponent = exponent_of_sum(values, 60)
    assert exponent == exponent_of_sum(values[order], 60)
    assert abs(exponent - scale_exponent(values.sum(), 60)) <= 1


def test_the_exponent_of_a_sum_that_is_no_float():
    assert exponent_of_sum(np.full(1024, 2.0**1023), 60) == 60 - 1034


@few(100)
@given(VALUES, st.randoms(use_true_random=False))
def test_the_mean_does_not_depend_on_the_order(values, random):
    order = np.array(random.sample(range(len(values)), len(values)))
    assert exact_mean(values, NONE) == exact_mean(values[order], NONE)
    assert exact_mean(values, NONE) == pytest.approx(values.mean(), rel=1e-9, abs=1e-12 * np.abs(values).max())


@few(100)
@given(VALUES, st.data())
def test_repetition_is_weight(values, data):
    n = len(values)
    counts = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    counts[0] += 1
    again = np.repeat(values, counts)
    share = data.draw(SHARES)
    if np.abs(again).max() == np.abs(values).max():  # else the scales differ, and the last bits with them
        assert exact_sum(values, Weights(counts, None)) == exact_sum(again, NONE)
        assert exact_mean(values, Weights(counts, None)) == exact_mean(again, NONE)
    if 0 < share < 1:
        assert weighted_quantile(values, Weights(counts, None), share) == weighted_quantile(again, NONE, share)


@few(100)
@given(VALUES, st.data())
def test_importances(values, data):
    n = len(values)
    weight = np.array(data.draw(st.lists(st.floats(0.01, 10.0), min_size=n, max_size=n)))
    total, weights = exact_sum(values, Weights(None, weight))
    size = np.abs(values * weight).sum()
    assert total == pytest.approx((values * weight).sum(), rel=1e-9, abs=1e-9 * size)
    assert weights == pytest.approx(weight.sum(), rel=1e-12)
    share = data.draw(SHARES)
    quantile = weighted_quantile(values, Weights(None, weight), share)
    assert values.min() <= quantile <= values.max()
    assert quantile == weighted_quantile(values, Weights(None, 4.0 * weight), share)  # only proportions matter
    below, up_to = weight[values < quantile].sum(), weight[values <= quantile].sum()
    assert below <= share * weight.sum() * (1 + 1e-12)
    assert up_to >= share * weight.sum() * (1 - 1e-12)


@few(100)
@given(VALUES, SHARES)
def test_quantiles_are_numpys(values, share):
    expected = np.quantile(values, share, method="averaged_inverted_cdf")
    assert weighted_quantile(values, NONE, share) == pytest.approx(expected, rel=1e-15)


def test_the_median_of_an_even_number_is_in_the_middle():
    assert weighted_quantile(np.array([4.0, 1.0, 3.0, 2.0]), NONE, 0.5) == 2.5
    assert weighted_quantile(np.array([4.0, 1.0]), Weights(np.array([1, 3]), None), 0.5) == 1.0


def test_a_row_of_no_weight_is_no_quantile():
    values, weights = np.array([1.0, 2.0, 9.0]), Weights(np.array([1, 1, 0]), None)
    assert weighted_quantile(values, weights, 1.0) == 2.0
    assert weighted_quantile(values, weights, 0.5) == 1.5


@few(60)
@given(st.lists(st.floats(0.01, 100.0), min_size=1, max_size=50).map(np.array), st.integers(-900, 900))
def test_importances_relative_to_their_mean(weight, exponent):
    mine = relative(Weights(None, weight)).importance
    assert mine.mean() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(mine * weight[0], weight * mine[0], rtol=1e-12)
    np.testing.assert_array_equal(relative(Weights(None, np.ldexp(weight, exponent))).importance, mine)
    order = np.argsort(weight)
    np.testing.assert_array_equal(relative(Weights(None, weight[order])).importance, mine[order])


def test_rows_that_do_not_count_are_not_in_the_mean():
    weights = Weights(np.array([1, 0, 1]), np.array([2.0, 50.0, 6.0]))
    assert relative(weights).importance.tolist() == [0.5, 12.5, 1.5]
    assert weights.total().tolist() == [2.0, 0.0, 6.0]
    assert weights.rows().tolist() == [0, 2]


def test_repetitions_stay():
    weights = Weights(np.array([1, 5]), None)
    assert relative(weights) is weights
    assert relative(NONE) is NONE


def test_means_of_the_smallest_numbers():
    assert exact_mean(np.array([1.0, 2.0, 6.0]) * 1e-300, NONE) == pytest.approx(3e-300, rel=1e-12)


def test_to_digits():
    assert to_digits(1.2345678901, 4) == 1.235
    assert to_digits(-1.2345e-200, 3) == -1.23e-200
    assert to_digits(math.nextafter(0.1, 1), 12) == to_digits(0.1, 12) == 0.1

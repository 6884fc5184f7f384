"""What rows add to sums: integers that stand for weights and numbers, as fine as they can be."""

import numpy as np
import pytest

from spinney.criteria.impurity import ENTROPY, GINI
from spinney.data.weights import Weights, read_weights
from spinney.grow import targets as module
from spinney.grow.targets import (
    classes,
    fixed_numbers,
    fixed_weights,
    medians,
    pair_of_classes,
    pair_of_number,
    several_numbers,
)

NONE = Weights(None, None)


def test_whole_weights_are_themselves():
    assert fixed_weights(NONE) == (None, 1.0, -1)
    weight, unit, total = fixed_weights(read_weights([3, 1, 2], 3))
    assert (weight.tolist(), unit, total) == ([3, 1, 2], 1.0, 6)


@pytest.mark.parametrize("scale", [1.0, 1e-299, 1e300])
def test_other_weights_keep_a_float64s_precision(scale):
    given = np.random.RandomState(0).rand(1000) * scale
    weight, unit, total = fixed_weights(read_weights(given, 1000))
    assert 2**50 <= total < 2**53
    np.testing.assert_allclose(weight * unit, given, rtol=1e-9)
    assert total == weight.sum()


def test_no_weight_is_so_small_that_it_vanishes():
    weight, _, _ = fixed_weights(read_weights([1.0, 1e-300], 2))
    assert weight[1] == 1


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e300])
def test_numbers_are_taken_from_their_mean(offset):
    y = offset + np.random.RandomState(0).randn(500) * max(1.0, abs(offset) * 1e-9)
    whole = fixed_numbers(y[None], NONE, centred=True)
    assert whole.centre[0] == pytest.approx(y.mean(), rel=1e-12)
    assert abs(whole.amounts[0].sum()) < 2**60  # and all of them fit
    assert abs(whole.amounts[0]).max() >= 2**49
    np.testing.assert_allclose(whole.amounts[0] * whole.unit, y - whole.centre[0], rtol=0, atol=whole.unit)


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e308])
def test_numbers_of_any_size_keep_their_digits(scale):
    y = np.random.RandomState(0).uniform(-1, 1, 500) * scale
    whole = fixed_numbers(y[None], NONE, centred=True)
    np.testing.assert_allclose(whole.amounts[0] * whole.unit + whole.centre[0], y, rtol=1e-9, atol=5e-324)


def test_pairs_of_two_classes():
    pair = pair_of_classes(np.array([0, 1, 1]), read_weights([3, 1, 2], 3), ENTROPY)
    assert (pair.amount.tolist(), pair.weight.tolist(), pair.y.tolist()) == ([0, 1, 2], [3, 1, 2], [0, 1, 1])
    assert len(pair.logs) == 7
    assert len(pair_of_classes(np.array([0, 1]), NONE, GINI).logs) == 0
    assert len(pair_of_classes(np.array([0, 1]), read_weights([0.5, 1.5], 2), ENTROPY).logs) == 0


def test_pairs_of_a_number_with_squares():
    y = np.array([1.0, 2.0, 4.0])
    pair, centre = pair_of_number(y, read_weights([1, 2, 1], 3), centred=False, with_squares=True)
    assert centre == 0.0
    np.testing.assert_allclose(pair.amount * pair.units[1], [1, 4, 4])
    np.testing.assert_allclose(pair.square * pair.units[2], [1, 8, 16])


def test_classes_have_a_place_each():
    labels = np.array([[0, 2, 1], [1, 0, 1]])
    many = classes(labels, (3, 2), NONE, GINI)
    assert many.first.tolist() == [1, 4, 6]
    assert many.place.tolist() == [[1, 3, 2], [5, 4, 5]]
    assert many.by_terms
    assert not classes(labels, (3, 2), read_weights([0.5, 1, 1], 3), GINI).by_terms


def test_squares_that_would_not_fit_are_not_kept(monkeypatch):
    """Outputs add up: it is their sum that must fit."""
    labels = np.zeros((4, 3), int)
    monkeypatch.setattr(module, "_MOST_SQUARES", 4 * 3 * 3 + 1)
    assert classes(labels, (1,) * 4, NONE, GINI).by_terms
    monkeypatch.setattr(module, "_MOST_SQUARES", 4 * 3 * 3)
    assert not classes(labels, (1,) * 4, NONE, GINI).by_terms


def test_several_numbers_and_medians():
    y = np.array([[1.0, 2.0, 6.0], [10.0, 10.0, 10.0]])
    values, centre = several_numbers(y, NONE, centred=True)
    assert centre.tolist() == [3.0, 10.0]
    np.testing.assert_allclose(values.amounts * values.units[1], [[-2, -1, 3], [0, 0, 0]])
    middle = medians(y, read_weights([0.1, 0.2, 0.3], 3))
    np.testing.assert_allclose(middle.numbers * middle.units[1], [[-2.5, -1.5, 2.5], [0, 0, 0]])
    assert middle.weight.sum() * abs(middle.numbers).max() < 2**63
    np.testing.assert_allclose(middle.weight * middle.units[0], [0.1, 0.2, 0.3], rtol=1e-7)

"""Rows close together that resemble each other are noticed, and nothing else is."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.ensemble.boosting.neighbouring_rows import FEWEST, LossPairs, is_worse, split_in_stretches
from tests.compiled import few


def days(n_days=60, per_day=25, seed=0):
    """Rows of one day share a level, which its number gives away."""
    rng = np.random.RandomState(seed)
    day = np.repeat(np.arange(n_days), per_day)
    X = np.column_stack([rng.randn(len(day)), day + rng.rand(len(day))])
    return X, X[:, 0] + 2.0 * rng.randn(n_days)[day] + 0.3 * rng.randn(len(day))


def warned(model, X, y, **fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, **fit)
    return [str(one.message) for one in caught]


@few(20)
@given(st.integers(FEWEST, 20_000), st.integers(0, 5))
def test_both_fits_learn_from_as_many_rows_and_predict_others(n, seed):
    rows = np.arange(n) * 2
    split = split_in_stretches(np.random.RandomState(seed).randn(2 * n), rows, seed)
    assert len(split.in_stretches) == len(split.at_random) > 4 * len(split.held_out) >= 4 * len(split.between)
    for kept in split[:2]:
        assert (np.diff(kept) > 0).all()
        assert np.isin(kept, rows).all()
        assert not np.isin(kept, [*split.held_out, *split.between]).any()
    assert distance(split.held_out, split.in_stretches) > 0.02 * n
    assert distance(split.held_out, split.at_random) < 0.02 * n
    assert distance(split.between, split.in_stretches) < 0.02 * n


def distance(rows, known):
    """From a row to the nearest that is known, in the median."""
    return np.median(np.abs(rows[:, None] - known).min(axis=1))


@pytest.mark.parametrize(
    "y",
    [np.arange(2_000.0), np.repeat([0, 1, 2], 1_000), np.tile(np.arange(500.0), 4)],
    ids=["all", "classes", "parts"],
)
def test_rows_sorted_by_target_are_left_alone(y):
    assert split_in_stretches(y, np.arange(len(y)), 0) is None
    shuffled = np.random.RandomState(0).permutation(y)
    assert split_in_stretches(shuffled, np.arange(len(y)), 0) is not None


def test_a_warning_has_both_losses_and_the_remedy():
    X, y = days()
    (message,) = warned(GradientBoostingRegressor(random_state=0), X, y)
    assert message.startswith("Rows close together have similar targets: the loss is ")
    at_random, in_stretches = (float(part.split()[0]) for part in message.split(" is ")[1:2] + message.split(", ")[1:2])
    assert in_stretches > 1.5 * at_random
    assert "pass times= to fit" in message
    assert "pass groups=" in message


def test_classes_and_weights_too():
    X, y = days()
    weights = np.tile([1, 2, 0, 1, 3], 300)
    assert len(warned(GradientBoostingClassifier(random_state=0), X, y > 0, sample_weight=weights)) == 1


def test_no_warning_where_there_is_nothing_to_warn_of():
    X, y = days()
    model = GradientBoostingRegressor(random_state=0)
    day = np.floor(X[:, 1])
    assert not warned(model, X, y, groups=day)
    assert not warned(model, X, y, times=day)
    assert not warned(GradientBoostingRegressor(n_estimators=20), X, y)
    assert not warned(model, X[:900], y[:900])  # too few rows to tell
    order = np.argsort(y)
    assert not warned(model, X[order], y[order])


def test_shuffled_rows_give_no_warning_and_the_same_model():
    X, y = days()
    order = np.random.RandomState(1).permutation(len(y))
    model = GradientBoostingRegressor(random_state=0)
    assert not warned(model, X[order], y[order])
    mark = model.fingerprint_
    assert warned(model, X, y)
    assert model.fingerprint_ == mark


def test_a_fit_that_is_worse_everywhere_knows_as_much_of_neighbours():
    equal, twice = LossPairs(np.ones(100), np.ones(100)), LossPairs(2 * np.ones(100), np.ones(100))
    assert not is_worse(equal, equal)
    assert not is_worse(twice, twice)
    assert is_worse(twice, equal)


@pytest.mark.parametrize("seed", range(6))
def test_independent_rows_of_fits_that_differ_by_chance(seed):
    rng = np.random.RandomState(seed)
    X = rng.randn(3_000, 8)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2])
    assert not warned(GradientBoostingRegressor(random_state=0, time_budget=0.01), X, y)

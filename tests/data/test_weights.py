"""Weights: repetitions or importances, and what is no weight at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.criteria.losses import Huber, LogLoss, Quantile, SquaredError
from spinney.data.target import Target
from spinney.data.weights import MOST_REPEATS, Weights, read_weights
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.rounds import train
from tests.boosted import plain_trees
from tests.compiled import few
from tests.grow.cases import make_dataset

NONE = Weights(None, None)


def test_none_and_ones_are_no_weights():
    assert read_weights(None, 3) == (None, None)
    assert read_weights(np.ones(3), 3) == (None, None)
    assert read_weights([1, 1, 1], 3) == (None, None)


@few(60)
@given(st.lists(st.integers(0, MOST_REPEATS), min_size=1, max_size=20).filter(any))
def test_whole_numbers_are_repetitions(weight):
    counts, importance = read_weights([float(w) for w in weight], len(weight))
    assert importance is None
    if set(weight) == {1}:
        assert counts is None
    else:
        assert counts.dtype == np.int64
        assert counts.tolist() == weight


@few(60)
@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=20).filter(any), st.sampled_from((0.5, MOST_REPEATS + 1.0)))
def test_other_numbers_are_importances(weight, odd):
    weight = np.array([*weight, odd])
    counts, importance = read_weights(weight, len(weight))
    np.testing.assert_array_equal(importance, weight)
    if weight.all():
        assert counts is None
    else:
        np.testing.assert_array_equal(counts, weight > 0)  # rows of weight 0 are left out all the same


@pytest.mark.kernels
@pytest.mark.parametrize("loss", [SquaredError(), LogLoss(), Quantile(0.4), Huber()], ids=repr)
def test_a_row_of_weight_three_is_three_rows(loss):
    """The same model, bit for bit: equal rows are rounded alike."""
    random = np.random.RandomState(0)
    n = 40
    columns = [random.randn(n), np.round(random.randn(n)), random.randint(0, 4, n).astype(float)]
    y = (columns[0] + random.randn(n) > 0).astype(float)
    weight = random.randint(0, 4, n)
    fits = []
    for again, weights in ((np.arange(n), read_weights(weight, n)), (np.repeat(np.arange(n), weight), NONE)):
        dataset = make_dataset([column[again] for column in columns], [False, False, True], weights.counts)
        task = Task(Target(None, None, y[None, again], weights), loss)
        with Team(1) as team:
            fits.append(train(dataset, task, BoostingSettings(n_rounds=3, min_count=4), team, lambda *_: False))
    assert plain_trees(fits[0])[0].n_leaves > 2
    assert fits[0].fingerprint == fits[1].fingerprint


def test_total_and_take():
    rows = np.array([2, 0])
    for sample_weight, total in ((None, None), ([1, 2, 3], [1.0, 2.0, 3.0]), ([0.0, 0.5, 2.5], [0.0, 0.5, 2.5])):
        weights = read_weights(sample_weight, 3)
        if total is None:
            assert weights.total() is None
            assert weights.take(rows).total() is None
        else:
            assert weights.total().tolist() == total
            assert weights.take(rows).total().tolist() == [total[2], total[0]]


@pytest.mark.parametrize(
    "weight, message",
    [
        ([1.0, 2.0], "sample_weight must have one value per row: got 2 for 3 rows."),
        ([1.0, np.nan, 2.0], "sample_weight must be finite, got NaN or infinity."),
        ([1.0, np.inf, 2.0], "sample_weight must be finite, got NaN or infinity."),
        ([1.0, -2.0, 2.0], "sample_weight must not be negative."),
        ([0.0, 0.0, 0.0], "sample_weight must hold at least one positive value: all are zero."),
        ([1e308, 1e308, 1.0], "sample_weight must have a finite sum: scale the weights down."),
        ([1e-310, 0.0, 1e-320], "sample_weight must hold a value of at least 1e-300: scale the weights up."),
    ],
)
def test_errors(weight, message):
    with pytest.raises(ValueError) as raised:
        read_weights(weight, 3)
    assert str(raised.value) == message


def test_relative_importances_are_of_the_size_of_1():
    weight = np.random.RandomState(0).uniform(0.5, 2, 50)
    found = [read_weights(weight * 2.0**k, 50).relative() for k in (0, 1, -990, 1000)]
    assert all(one.tolist() == found[0].tolist() for one in found)
    assert (read_weights(weight, 50).relative() == weight).all()  # of a mean near 1: as they are
    for scale in (1e-299, 1e-17, 0.3, 1e250):
        relative = read_weights(weight * scale, 50).relative()
        assert 0.7 < relative.mean() < 1.42
        np.testing.assert_allclose(relative / relative.mean(), weight / weight.mean(), rtol=1e-14)
    assert read_weights(np.array([1.0, 3.0, 0.0]), 3).relative().tolist() == [1.0, 3.0, 0.0]  # repetitions stay
    assert read_weights(None, 3).relative() is None

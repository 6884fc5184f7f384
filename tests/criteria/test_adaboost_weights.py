"""AdaBoost's sums by hand: the weight of a member, and one reweighting step, with the lectures' numbers."""

import doctest

import numpy as np
import pytest

from spinney import AdaBoostClassifier
from spinney.criteria import adaboost_weights, amount_of_say, reweight
from spinney.datasets import load_heart, load_ten_points


def test_the_lectures_votes():
    assert amount_of_say([0.30, 3 / 14, 3 / 22, 1 / 8]).round(2).tolist() == [0.42, 0.65, 0.92, 0.97]
    assert amount_of_say(0.5) == 0.0
    assert amount_of_say(0.7) == pytest.approx(-amount_of_say(0.3))
    assert 11 < amount_of_say(0) < 12
    assert amount_of_say([[0.2], [0.4]]).shape == (2, 1)
    assert amount_of_say(0.3, algorithm="SAMME") == pytest.approx(2 * amount_of_say(0.3))
    assert amount_of_say(2 / 3, algorithm="SAMME", n_classes=3) == pytest.approx(0.0, abs=1e-12)


def test_eighty_and_twenty():
    step = reweight(np.arange(100) >= 80)
    assert (step.error, step.amount_of_say) == (0.2, pytest.approx(np.log(4) / 2))
    assert step.unnormalised[[0, 99]].tolist() == [1 / 200, 1 / 50]
    assert step.z == pytest.approx(4 / 5, abs=1e-15)
    np.testing.assert_allclose(step.weights[[0, 99]], [1 / 160, 1 / 40], rtol=1e-14)
    assert step.weights[80:].sum() == pytest.approx(0.5)


def test_one_of_eight():
    step = reweight([True] + [False] * 7)
    assert step.unnormalised.round(2).tolist() == [0.33] + [0.05] * 7
    assert step.weights.tolist() == pytest.approx([1 / 2] + [1 / 14] * 7)


def test_the_rounds_of_a_model():
    X, y = load_ten_points()
    model = AdaBoostClassifier(algorithm="discrete", n_estimators=3, keep_weights=True).fit(X, y)
    weights = None
    for k, member in enumerate(model.estimators_):
        step = reweight(member.predict(X) != y, weights)
        assert step.error == pytest.approx(model.estimator_errors_[k])
        assert step.amount_of_say == pytest.approx(model.estimator_weights_[k])
        weights = step.weights
        np.testing.assert_allclose(weights, model.sample_weight_history_[k + 1])


def test_the_patients():
    X, y = load_heart()
    model = AdaBoostClassifier(algorithm="discrete", n_estimators=1).fit(X, y)
    stump = model.estimators_[0]
    assert (X.columns[stump.tree_.feature[0]], stump.tree_.threshold[0]) == ("Weight", 176)
    assert reweight(stump.predict(X) != y).unnormalised.max().round(2) == 0.33


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: amount_of_say(1.2), "error must be a fraction of the weight, from 0 to 1, got 1.2"),
        (lambda: amount_of_say([0.1, np.nan]), "error must be a fraction of the weight"),
        (lambda: amount_of_say(0.1, algorithm="SAMME.R"), "algorithm must be 'discrete' or 'SAMME', got 'SAMME.R'"),
        (lambda: amount_of_say(0.1, n_classes=1), "n_classes must be an integer of at least 2, got 1"),
        (lambda: amount_of_say(0.1, n_classes=3), "Use algorithm='SAMME'"),
        (lambda: reweight([0, 1]), "wrong must hold one Boolean per row"),
        (lambda: reweight([False, False]), "some, but not all, of the weight, got an error of 0"),
        (lambda: reweight([True, False], [1, 0]), "got an error of 1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_examples():
    result = doctest.testmod(adaboost_weights)
    assert result.attempted > 10
    assert not result.failed

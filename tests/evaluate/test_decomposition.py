"""Bias and variance over bootstraps: they add up to the error, and are what the definitions say."""

import doctest

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import make_moons

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, plot_bias_variance
from spinney.evaluate import bias_variance, decomposition

X, Y = make_moons(300, noise=0.3, random_state=0)
PARTS = X[:100], Y[:100], X[100:], Y[100:]


class Mean(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class First(ClassifierMixin, BaseEstimator):
    """Always the class of the first row."""

    def fit(self, X, y):
        self.classes_, self.first_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.first_)


def test_numbers_by_hand():
    y = np.arange(20.0)
    found = bias_variance(Mean(), y[:, None], y, [[0.0], [1.0]], [3.0, 5.0], n_bootstraps=40, random_state=3)
    random = np.random.RandomState(3)
    means = np.array([y[random.randint(20, size=20)].mean() for _ in range(40)])
    assert found.loss == "squared_error"
    assert found.bias == pytest.approx(((means.mean() - 3) ** 2 + (means.mean() - 5) ** 2) / 2)
    assert found.variance == found.spread == pytest.approx(means.var())
    assert found.error == pytest.approx(((means - 3) ** 2).mean() / 2 + ((means - 5) ** 2).mean() / 2)


def test_classes_by_hand():
    y = np.repeat(["a", "b"], [13, 7])
    found = bias_variance(First(), np.zeros((20, 1)), y, np.zeros((2, 1)), ["a", "b"], n_bootstraps=60, random_state=1)
    random = np.random.RandomState(1)
    firsts = np.array([y[random.randint(20, size=20)[0]] for _ in range(60)])
    assert found.loss == "zero_one"
    assert found.error == 0.5
    assert found.bias == 0.5  # the majority is always "a"
    assert found.spread == pytest.approx((firsts == "b").mean())
    assert found.variance == 0.0  # it helps as often as it harms


def test_bagging_reduces_variance_and_depth_bias():
    stump, tree = DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier()
    forest = RandomForestClassifier(n_estimators=30)
    small, full, many = (bias_variance(one, *PARTS, n_bootstraps=20, random_state=0) for one in (stump, tree, forest))
    assert many.variance < 0.7 * full.variance
    assert full.bias < small.bias
    for one in (small, full, many):
        assert one.bias + one.variance == pytest.approx(one.error)
    assert bias_variance(forest, *PARTS, n_bootstraps=20, random_state=0) == many


def test_tables_of_strings():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"c": list("abcd") * 10})
    y = pandas.Series(np.arange(40.0) % 4, index=range(100, 140))
    found = bias_variance(DecisionTreeRegressor(), table, y, table, y, n_bootstraps=5, random_state=0)
    assert found.error < 0.3


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: bias_variance(Mean(), *PARTS, n_bootstraps=1), ValueError, "n_bootstraps must be an integer of at"),
        (lambda: bias_variance(Mean(), X, Y[:5], X, Y), ValueError, "inconsistent numbers of samples"),
        (lambda: plot_bias_variance({}), TypeError, "found must be a dict of names and results"),
        (
            lambda: plot_bias_variance({"a": bias_variance(Mean(), *PARTS), "b": bias_variance(First(), *PARTS)}),
            ValueError,
            "found must hold models of one kind",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_picture_adds_up():
    found = {"a": bias_variance(Mean(), *PARTS, n_bootstraps=4), "b": bias_variance(Mean(), *PARTS, n_bootstraps=5)}
    _, ax = plt.subplots()
    assert plot_bias_variance(found, ax) is ax
    bias, variance = ax.containers
    for k, one in enumerate(found.values()):
        assert bias[k].get_width() == pytest.approx(one.bias)
        assert variance[k].get_x() + variance[k].get_width() == pytest.approx(one.error)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    plt.close()


def test_examples():
    result = doctest.testmod(decomposition)
    assert result.attempted > 8
    assert not result.failed

"""Curves are scikit-learn's; training error falls with every split, the error on rows held out turns."""

import numpy as np
import pytest
from sklearn import model_selection as sk
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

from spinney import DecisionTreeClassifier, DecisionTreeRegressor
from spinney.evaluate import learning_curve, validation_curve

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(400, 4)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RANDOM.randn(400) > 0).astype(int)
TREE = DecisionTreeClassifier()


@pytest.mark.parametrize(
    "model, name, values",
    [(TREE, "max_depth", [1, 2, 5, None]), (LogisticRegression(), "C", [0.01, 1.0])],
    ids=["tree", "foreign"],
)
@pytest.mark.parametrize("scoring", [None, "roc_auc"])
def test_validation_curves_are_scikit_learns(model, name, values, scoring):
    rest = {"param_name": name, "param_range": values, "cv": 4, "scoring": scoring}
    mine, theirs = validation_curve(model, X, Y, **rest), sk.validation_curve(model, X, Y, **rest)
    assert isinstance(mine, tuple)
    assert len(mine) == 2
    for one, other in zip(mine, theirs):
        np.testing.assert_array_equal(one, other)
    assert mine.param_range == values
    assert mine.best == values[int(theirs[1].mean(axis=1).argmax())]


@pytest.mark.parametrize("model", [TREE, LogisticRegression()], ids=["tree", "foreign"])
@pytest.mark.parametrize(
    "rest",
    [
        {},
        {"train_sizes": [20, 40, 40, 100]},
        {"shuffle": True, "random_state": 3},
        {"train_sizes": np.array([0.5, 1.0])},
    ],
    ids=["plain", "numbers", "shuffled", "shares"],
)
def test_learning_curves_are_scikit_learns(model, rest):
    mine = learning_curve(model, X, Y, cv=4, return_times=True, **rest)
    theirs = sk.learning_curve(model, X, Y, cv=4, return_times=True, **rest)
    for one, other in zip(mine[:3], theirs[:3]):
        np.testing.assert_array_equal(one, other)
    assert [part.shape for part in mine] == [part.shape for part in theirs]
    assert len(learning_curve(model, X, Y, cv=4)) == 3
    np.testing.assert_array_equal(mine.train_sizes, mine[0])
    np.testing.assert_array_equal(mine.test_scores, mine[2])


def test_training_error_falls_and_the_other_turns():
    moons = make_moons(400, noise=0.35, random_state=0)
    train, test = validation_curve(TREE, *moons, param_name="max_depth", param_range=list(range(1, 13)))
    assert (np.diff(train.mean(axis=1)) >= 0).all()
    assert train.mean(axis=1)[-1] > 0.95
    best = int(test.mean(axis=1).argmax())
    assert 0 < best < 11
    assert test.mean(axis=1)[-1] < test.mean(axis=1)[best] - 0.02


def test_more_rows_are_better():
    numbers = X[:, 0] * 3 + np.sin(3 * X[:, 1])
    curve = learning_curve(DecisionTreeRegressor(), X, numbers, shuffle=True, random_state=0)
    means = curve.test_scores.mean(axis=1)
    assert means[-1] > means[0]
    assert curve.metric == "r2"


def test_weights():
    weight = RANDOM.rand(400)
    curve = validation_curve(TREE, X, Y, param_name="max_depth", param_range=[2], sample_weight=weight)
    assert (curve.test_scores != validation_curve(TREE, X, Y, param_name="max_depth", param_range=[2])[1]).any()


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: validation_curve(TREE, X, Y, param_name="depth", param_range=[1]),
            "has no parameter 'depth': use max_depth",
        ),
        (
            lambda: validation_curve(TREE, X, Y, param_name="max_depth", param_range=[]),
            "param_range must hold at least one value of max_depth",
        ),
        (lambda: learning_curve(TREE, X, Y, train_sizes=[0.0, 1.0]), r"within \(0, 1\]"),
        (lambda: learning_curve(TREE, X, Y, train_sizes=[1, 321]), r"within \(0, 320\]"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()

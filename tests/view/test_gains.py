"""Pictures of gains over thresholds and of the amount of say."""

import math

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    AdaBoostClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    candidate_splits,
    plot_amount_of_say,
    plot_split_gains,
)
from spinney.datasets import load_restaurant

X, Y = load_iris(return_X_y=True, as_frame=True)


def test_the_lectures_thresholds():
    ax = plot_split_gains(*load_restaurant(minutes=True), feature="WaitMinutes")
    line, best = ax.lines
    assert line.get_xdata().tolist() == [4.5, 6.5, 7.5, 10, 16, 30, 55, 75]
    assert line.get_ydata().max() == pytest.approx(0.196, abs=5e-4)
    assert best.get_xdata() == [16, 16]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("threshold of WaitMinutes", "gain (bits)")


def test_categories_have_bars_in_their_declared_order():
    """The lecture's picture of an attribute: six of Full, two of None, four of Some (000)."""
    visits, wait = load_restaurant()
    ax = plot_split_gains(visits, wait, feature="Patrons")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["None", "Some", "Full"]
    leave, stay = ax.containers
    assert [bar.get_width() for bar in leave] == [2, 0, 4]
    assert [bar.get_width() for bar in stay] == [0, 4, 2]
    assert ax.get_title() == "Patrons: gain 0.541 (bits)"
    assert (
        plot_split_gains(visits, wait, feature="Type", ax=plt.figure().gca()).get_title() == "Type: gain 0.000 (bits)"
    )
    weight = np.arange(12.0)
    ax = plot_split_gains(visits, wait, feature="Hungry", criterion="gini", sample_weight=weight, ax=plt.figure().gca())
    gain = candidate_splits(visits[["Hungry"]], wait, criterion="gini", sample_weight=weight)["gain"][0]
    assert ax.get_title() == f"Hungry: gain {gain:.3f} (gini)"
    assert sum(bar.get_width() for bars in ax.containers for bar in bars) == weight.sum()
    words = np.array([["b"], ["a"], ["b"], ["a"]])
    ax = plot_split_gains(words, [0, 1, 0, 1], criterion="gain_ratio", ax=plt.figure().gca())
    assert ax.get_title() == "0: gain ratio 1.000"
    plt.close("all")


@pytest.mark.parametrize("criterion", ["gini", "gain_ratio", "squared_error"])
def test_it_is_the_table_of_candidates(criterion):
    weight = np.arange(150) % 3
    ax = plot_split_gains(X, Y, feature=2, criterion=criterion, sample_weight=weight)
    table = candidate_splits(X.iloc[:, [2]], Y, criterion=criterion, sample_weight=weight)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), table["threshold"])
    expected = table["gain_ratio" if criterion == "gain_ratio" else "gain"]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), expected)
    if criterion == "squared_error":
        root = DecisionTreeRegressor(max_depth=1).fit(X.iloc[:, [2]], Y, sample_weight=weight).tree_.threshold[0]
        assert ax.lines[1].get_xdata()[0] == root


def test_the_amount_of_say():
    ax = plot_amount_of_say()
    error, say = ax.lines[0].get_data()
    np.testing.assert_allclose(say, 0.5 * np.log((1 - error) / error), atol=1e-9)
    for e, alpha in ((0.30, 0.42), (3 / 14, 0.65), (3 / 22, 0.92), (1 / 8, 0.97)):  # the lectures' rounds
        assert np.interp(e, error, say) == pytest.approx(alpha, abs=6e-3)


@pytest.mark.parametrize("algorithm, rate", [("discrete", 1.0), ("SAMME", 0.5)])
def test_members_lie_on_their_curve(algorithm, rate):
    X, y = make_moons(100, noise=0.3, random_state=0) if algorithm == "discrete" else load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=5, algorithm=algorithm, learning_rate=rate).fit(X, y)
    ax = plot_amount_of_say(model)
    error, say = ax.lines[0].get_data()
    points = ax.collections[0].get_offsets()
    np.testing.assert_allclose(np.interp(points[:, 0], error, say), points[:, 1], atol=0.02)
    assert ("ln(3 - 1)" in ax.get_legend().get_texts()[0].get_text()) == (algorithm == "SAMME")
    assert ax.lines[2].get_xdata()[0] == pytest.approx(1 / 2 if algorithm == "discrete" else 2 / 3)
    assert not math.isnan(say.max())


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: plot_split_gains([[1.0], [1.0]], [0, 1]),
            ValueError,
            "feature must be a column with at least two distinct values",
        ),
        (lambda: plot_split_gains([["a"], ["b"]], [0, 1], criterion="squared_error"), ValueError, "columns of numbers"),
        (lambda: plot_split_gains([["a"], ["a"]], [0, 1]), ValueError, "at least two distinct values, got '0'"),
        (lambda: plot_split_gains([[1.0], [2.0]], [0, 1], criterion="bits"), ValueError, "criterion must be one of"),
        (
            lambda: plot_amount_of_say(GradientBoostingClassifier()),
            TypeError,
            "model must be a fitted AdaBoostClassifier",
        ),
        (
            lambda: plot_amount_of_say(AdaBoostClassifier(n_estimators=2, algorithm="SAMME.R").fit(X, Y)),
            ValueError,
            "algorithm='SAMME.R' has no estimator weights to draw",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()

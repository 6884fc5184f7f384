"""Pictures of importances."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, GradientBoostingClassifier, RandomForestClassifier, plot_importances

X, Y = load_iris(return_X_y=True, as_frame=True)


def bars(ax):
    """Names and lengths, from the top."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    return dict(zip(names, [bar.get_width() for bar in ax.patches]))


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier, GradientBoostingClassifier])
def test_bars_are_importances_the_largest_on_top(kind):
    model = kind(random_state=0).fit(X, Y)
    ax = plot_importances(model)
    found = bars(ax)
    assert found == pytest.approx(dict(zip(X.columns, model.feature_importances_)))
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert {text.get_text() for text in ax.texts} == {f"{value:.2f}" for value in model.feature_importances_}


def test_arrays_dicts_and_permutations():
    assert bars(plot_importances([0.2, 0.8], most=1)) == {"x[1]": 0.8}
    assert bars(plot_importances({"a": 1.0, "$b": 3.0}, ax=plt.figure().gca())) == {"$b": 3.0, "a": 1.0}
    model = LogisticRegression(max_iter=1000).fit(X, Y)
    found = permutation_importance(model, X, Y, random_state=0, n_repeats=3)
    ax = plot_importances(found, feature_names=X.columns, ax=plt.figure().gca())
    assert bars(ax) == pytest.approx(dict(zip(X.columns, found.importances_mean)))
    assert ax.containers[0]
    ax.figure.canvas.draw()
    assert bars(plot_importances(np.zeros(2), ax=plt.figure().gca())) == {"x[0]": 0.0, "x[1]": 0.0}


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: plot_importances(LogisticRegression(max_iter=999).fit(X, Y)),
            TypeError,
            "model must have feature_impor",
        ),
        (
            lambda: plot_importances(np.ones((2, 2))),
            ValueError,
            r"importances must be one number per column, got shape",
        ),
        (
            lambda: plot_importances([1, 2], feature_names=["a"]),
            ValueError,
            "feature_names must be a list of 2 names, got 1",
        ),
        (lambda: plot_importances([1, 2], most=0), ValueError, "most must be a positive integer, got 0"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()

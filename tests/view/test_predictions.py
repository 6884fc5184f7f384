"""Pictures of what models predict along a column, and of models side by side."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LinearRegression, Perceptron

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestRegressor,
    plot_predictions,
    plot_side_by_side,
)

RNG = np.random.RandomState(42)
X = RNG.rand(100, 1) - 0.5
Y = 3 * X[:, 0] ** 2 + 0.05 * RNG.randn(100)
MOONS = make_moons(80, noise=0.3, random_state=0)


def test_a_regression_tree_is_steps_at_its_thresholds():
    tree = DecisionTreeRegressor(max_depth=2).fit(X, Y)
    ax = plot_predictions(tree, X, Y, resolution=11)
    (line,) = ax.lines
    x, values = line.get_data()
    np.testing.assert_array_equal(values, tree.predict(x[:, None]))
    jumps = np.flatnonzero(np.diff(values))
    np.testing.assert_array_equal(x[jumps], np.sort(tree.tree_.threshold[tree.tree_.feature >= 0]))
    assert np.all(np.diff(x)[jumps] < 1e-12)  # upright
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), np.column_stack([X[:, 0], Y]))
    assert ax.get_legend() is None
    assert ax.get_xlabel() == "x[0]"


def test_several_models_have_names():
    models = {f"depth {d}": DecisionTreeRegressor(max_depth=d).fit(X, Y) for d in (2, 3)}
    ax = plot_predictions({**models, "line": LinearRegression().fit(X, Y)}, X)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["depth 2", "depth 3", "line"]
    assert not ax.collections


def test_probabilities_of_two_classes_and_of_more():
    tree = DecisionTreeClassifier(max_depth=3).fit(*MOONS)
    ax = plot_predictions(tree, *MOONS, feature=1)
    (line,) = ax.lines
    assert line.get_label() == "P(1)"
    held = MOONS[0][:, 0]
    middle = held[np.abs(held - np.median(held)).argmin()]
    rows = np.column_stack([np.full(len(line.get_xdata()), middle), line.get_xdata()])
    np.testing.assert_array_equal(line.get_ydata(), tree.predict_proba(rows)[:, 1])
    np.testing.assert_array_equal(ax.collections[0].get_offsets()[:, 1], MOONS[1])
    frame, y = load_iris(return_X_y=True, as_frame=True)
    ax = plot_predictions(
        DecisionTreeClassifier(max_depth=2).fit(frame, y), frame, y, feature="petal width (cm)", ax=plt.figure().gca()
    )
    assert [one.get_label() for one in ax.lines] == ["P(0)", "P(1)", "P(2)"]
    assert ax.get_xlabel() == "petal width (cm)"
    assert not ax.collections


def test_side_by_side_are_regions_of_two_columns():
    models = {"one": DecisionTreeClassifier().fit(*MOONS), "$10": BaggingClassifier(random_state=0).fit(*MOONS)}
    axes = plot_side_by_side(models, *MOONS, resolution=20)
    assert [ax.get_title() for ax in axes] == ["one", "$10"]
    for ax, model in zip(axes, models.values()):
        left, right, low, high = ax.images[0].get_extent()
        grid = np.meshgrid(np.linspace(left, right, 20), np.linspace(low, high, 20))
        predicted = model.predict(np.column_stack([part.ravel() for part in grid]))
        np.testing.assert_array_equal(ax.images[0].get_array().ravel(), predicted)
    assert axes[0].get_legend() is not None
    assert axes[1].get_legend() is None
    axes[0].figure.canvas.draw()


def test_side_by_side_are_curves_of_one_column():
    models = {"one": DecisionTreeRegressor().fit(X, Y), "many": RandomForestRegressor(random_state=0).fit(X, Y)}
    axes = plot_side_by_side(models, X, Y, resolution=30)
    many = axes[1].lines[0]
    np.testing.assert_array_equal(many.get_ydata(), models["many"].predict(many.get_xdata()[:, None]))
    assert len(plot_side_by_side({"a": DecisionTreeClassifier().fit(*MOONS)}, MOONS[0], features=(1,))) == 1


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: plot_predictions(3, X),
            TypeError,
            "model must be a fitted classifier or regressor, or a dict of such",
        ),
        (
            lambda: plot_predictions(DecisionTreeRegressor().fit(X, Y), X, feature=1),
            ValueError,
            "feature must be a column",
        ),
        (
            lambda: plot_predictions(DecisionTreeRegressor().fit(X, Y), X, Y[:3]),
            ValueError,
            "y must have one value for",
        ),
        (
            lambda: plot_predictions(DecisionTreeRegressor().fit(X, Y), X, resolution=1),
            ValueError,
            "resolution must be an integer of at least 2, got 1",
        ),
        (
            lambda: plot_predictions(DecisionTreeRegressor().fit(X, np.column_stack([Y, Y])), X),
            ValueError,
            "model must predict one output, got 2",
        ),
        (
            lambda: plot_predictions(Perceptron().fit(*MOONS), MOONS[0]),
            TypeError,
            "a classifier must have predict_proba",
        ),
        (lambda: plot_side_by_side([], X), TypeError, "models must be a dict from title to fitted model"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()

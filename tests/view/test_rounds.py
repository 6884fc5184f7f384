"""Pictures of AdaBoost's rounds."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression

mpl.use("Agg")


from spinney import AdaBoostClassifier, plot_adaboost_rounds

X, Y = make_moons(60, noise=0.25, random_state=0)


def areas(ax):
    """The points' sizes, in the order of rows."""
    found = np.empty(len(Y))
    for value, points in enumerate(ax.collections):
        found[value == Y] = points.get_sizes()
    return found


def grid(ax):
    left, right, low, high = ax.images[0].get_extent()
    across, up = np.meshgrid(np.linspace(left, right, 20), np.linspace(low, high, 20))
    return np.column_stack([across.ravel(), up.ravel()])


@pytest.mark.parametrize("algorithm", ["discrete", "SAMME.R"])
def test_points_are_weights_and_regions_are_predictions(algorithm):
    model = AdaBoostClassifier(n_estimators=4, algorithm=algorithm, keep_weights=True).fit(X, Y)
    axes = plot_adaboost_rounds(model, X, Y, rounds=(1, 3, 10), resolution=20)
    assert axes.shape == (2, 2)  # there is no tenth round
    history = model.sample_weight_history_
    stages = list(model.staged_predict(grid(axes[0, 0])))
    for column, number in enumerate((1, 3)):
        above, below = axes[:, column]
        np.testing.assert_allclose(areas(above) / areas(above).sum(), history[number - 1])
        np.testing.assert_allclose(areas(below) / areas(below).sum(), history[number])
        member = model.estimators_[number - 1].predict(grid(above))
        assert (above.images[0].get_array().ravel() == member).all()
        assert (below.images[0].get_array().ravel() == stages[number - 1]).all()


def test_three_classes_by_name():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["a", "b", "c"])[y]
    model = AdaBoostClassifier(n_estimators=2, keep_weights=True, reweight="resample", random_state=0).fit(X, names)
    axes = plot_adaboost_rounds(model, X, names, rounds=[2], features=("petal length (cm)", 3), resolution=10)
    assert [len(points.get_offsets()) for points in axes[1, 0].collections] == [50, 50, 50]


def test_errors_say_what_would_be_right():
    model = AdaBoostClassifier(n_estimators=2, keep_weights=True).fit(X, Y)
    with pytest.raises(ValueError, match=r"rounds must be integers from 1 to 2, got \(0, 1\)"):
        plot_adaboost_rounds(model, X, Y, rounds=(0, 1))
    with pytest.raises(ValueError, match="y must have one class for each of the 60 rows of fit"):
        plot_adaboost_rounds(model, X, Y[:5])
    with pytest.raises(ValueError, match="model must be fitted with keep_weights=True"):
        plot_adaboost_rounds(AdaBoostClassifier(n_estimators=2).fit(X, Y), X, Y)
    with pytest.raises(TypeError, match="model must be a fitted AdaBoostClassifier, got LogisticRegression"):
        plot_adaboost_rounds(LogisticRegression().fit(X, Y), X, Y)

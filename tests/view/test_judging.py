"""Pictures of scores: lines, bands and cells are where the numbers say."""

from itertools import pairwise

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

from spinney import DecisionTreeClassifier, plot_confusion_matrix, plot_learning_curve, plot_validation_curve
from spinney.datasets import load_penguins
from spinney.evaluate import confusion_matrix, learning_curve, validation_curve
from spinney.view.figures import name_places

X, Y = load_penguins()
TREE = DecisionTreeClassifier()


@pytest.fixture(autouse=True)
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


def test_a_validation_curve(ax):
    curve = validation_curve(TREE, X, Y, param_name="max_depth", param_range=[1, 2, 3, 5], cv=3)
    assert plot_validation_curve(curve) is ax
    np.testing.assert_array_equal(lines(ax)["rows held out"].get_ydata(), curve.test_scores.mean(axis=1))
    np.testing.assert_array_equal(lines(ax)["training rows"].get_ydata(), curve.train_scores.mean(axis=1))
    assert lines(ax)["training rows"].get_xdata().tolist() == [1, 2, 3, 5]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("max_depth", "accuracy", "linear")
    assert len(ax.collections) == 2
    assert f"best: {curve.best}" in lines(ax)


def test_values_that_are_no_numbers_and_values_far_apart(ax):
    curve = validation_curve(TREE, X, Y, param_name="max_depth", param_range=[1, None], cv=3)
    curve.plot(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "None"]
    other = plt.figure().gca()
    validation_curve(TREE, X, Y, param_name="ccp_alpha", param_range=[1e-4, 1e-2], cv=3).plot(other)
    assert other.get_xscale() == "log"


def test_a_learning_curve(ax):
    curve = learning_curve(TREE, X, Y, cv=3, shuffle=True, random_state=0, train_sizes=[50, 200])
    assert plot_learning_curve(curve, ax) is ax
    assert curve.plot(ax) is ax
    assert lines(ax)["rows held out"].get_xdata().tolist() == [50, 200]
    assert ax.get_xlabel() == "training rows"


@pytest.mark.parametrize("normalize", [None, "true"])
def test_a_confusion_matrix(ax, normalize):
    matrix = confusion_matrix(["a", "a", "b", "b"], ["a", "b", "b", "b"], normalize=normalize)
    assert plot_confusion_matrix(matrix) is ax
    shown = [text.get_text() for text in ax.texts]
    assert shown == (["1", "1", "0", "2"] if normalize is None else ["0.50", "0.50", "0.0", "1.0"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert matrix.plot(ax) is ax
    with pytest.raises(TypeError, match=r"matrix must come from spinney.evaluate.confusion_matrix, got ndarray"):
        plot_confusion_matrix(np.eye(2))


@pytest.mark.parametrize("plot", [plot_learning_curve, plot_validation_curve])
def test_curves_of_another_kind_are_refused(plot):
    with pytest.raises(TypeError, match=r"curve must be what spinney.evaluate.*_curve returns, got int"):
        plot(3)


@pytest.mark.parametrize(("n", "long"), [(3, False), (19, True), (90, False)])
def test_names_of_categories_do_not_overlap(n, long):
    figure, ax = plt.subplots(figsize=(4.0, 3.0))
    ax.set_xlim(-1, n)
    name_places(ax, np.arange(n), [f"a long class name {k}" if long else f"c{k}" for k in range(n)])
    figure.canvas.draw()
    shown = [one for one in ax.get_xticklabels() if one.get_text()]
    assert 2 < len(shown) <= n
    ends = [one.get_window_extent() for one in shown]
    if shown[0].get_rotation():  # turned: the anchors are apart by more than a line is high
        assert min(b.x1 - a.x1 for a, b in pairwise(ends)) > 7.0
    else:
        assert all(a.x1 < b.x0 for a, b in pairwise(ends))
    assert bool(shown[0].get_rotation()) == (n > 3)
    plt.close(figure)

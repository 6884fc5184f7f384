"""Decision regions and impurity curves."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

mpl.use("Agg")


from spinney import plot_impurity_curves, plot_regions
from spinney.view.figures import class_colours


class Above(BaseEstimator):
    """Says whether the first column is above the second, in a table with others; notes what it was asked."""

    classes_ = np.array(["above", "below"])

    def fit(self, X, y=None):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        self.seen = X
        first, second = (np.asarray(X)[:, k].astype(float) for k in range(2))
        return np.where(first > second, "above", "below")


def table(kind):
    columns = {"a": [0.0, 1.0, 2.0, 9.0], "b": [0.0, 2.0, 8.0, 10.0], "c": ["u", "v", "v", None], "d": [7, 1, 2, 3]}
    if kind == "numpy":
        return np.column_stack([columns["a"], columns["b"], [5, 1, 2, 3]]).astype(float)
    frame = pd.DataFrame(columns) if kind == "pandas" else pl.DataFrame(columns)
    return frame.astype({"c": "category"}) if kind == "pandas" else frame.with_columns(pl.col("c").cast(pl.Categorical))


@pytest.mark.parametrize("kind", ["numpy", "pandas", "polars"])
def test_the_picture_is_what_is_predicted(kind):
    model, X = Above(), table(kind)
    ax = plot_regions(model, X, resolution=20)
    picture = ax.images[0]
    left, right, low, high = picture.get_extent()
    across, up = np.meshgrid(np.linspace(left, right, 20), np.linspace(low, high, 20))
    assert (picture.get_array() == np.where(across > up, 0, 1)).all()
    assert (left, right) == pytest.approx((-0.45, 9.45))
    assert (low, high) == pytest.approx((-0.5, 10.5))
    assert picture.origin == "lower"


class Sure(Above):
    """The first class with the probability that the first column says, from 0 to 1."""

    def predict_proba(self, X):
        first = np.asarray(X)[:, 0].astype(float).clip(0, 1)
        return np.column_stack([first, 1 - first])


def test_probabilities_are_shades():
    """White where classes are equally probable, strong where one is certain, in the colour of the likelier."""
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    ax = plot_regions(Sure(), X, resolution=41, probabilities=True)
    picture = np.asarray(ax.images[0].get_array())
    assert picture.shape == (41, 41, 3)
    left, right = ax.images[0].get_extent()[:2]
    x = np.linspace(left, right, 41).clip(0, 1)
    first, second = (np.array(mpl.colors.to_rgb(colour)) for colour in class_colours(2))
    for column, share in enumerate(x):
        strength = 0.75 * abs(2 * share - 1)
        colour = first if share > 0.5 else second
        np.testing.assert_allclose(picture[7, column], 1 + strength * (colour - 1), atol=1e-12)
    plain = plot_regions(Sure(), X, resolution=41)
    assert plain.images[-1].get_array().ndim == 2
    with pytest.raises(TypeError, match="probabilities=True needs a classifier with predict_proba, got Above"):
        plot_regions(Above(), X, probabilities=True)


def test_other_columns_stand_still():
    model = Above()
    plot_regions(model, table("numpy"), resolution=5)
    assert set(model.seen[:, 2]) == {2.0}
    plot_regions(model, table("polars"), resolution=5)
    assert model.seen.schema == table("polars").schema
    assert set(model.seen["c"]) == {"v"}
    assert set(model.seen["d"]) == {2}
    plot_regions(model, table("pandas"), resolution=5)
    assert (model.seen.dtypes == table("pandas").dtypes).all()
    assert set(model.seen["c"]) == {"v"}


def test_columns_by_name():
    ax = plot_regions(Above(), table("pandas"), features=("b", "a"), resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "a")
    assert ax.images[0].get_extent()[1] == pytest.approx(10.5)


def test_classes_of_points_and_their_names():
    X, y = load_iris(return_X_y=True)
    names = np.array(["$a", "_b", "c"])[y]
    ax = plot_regions(LogisticRegression(max_iter=500).fit(X[:, :2], names), X[:, :2], names, resolution=20)
    assert [len(points.get_offsets()) for points in ax.collections] == [50, 50, 50]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$a", "_b", "c"]
    ax.figure.canvas.draw()


def test_numbers():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsRegressor(1).fit(X[:, :2], X[:, 2])
    ax = plot_regions(model, X[:, :2], X[:, 2], resolution=20)
    assert ax.images[0].get_clim() == (1.0, 6.9)
    assert ax.collections[0].get_array().tolist() == X[:, 2].tolist()


@pytest.mark.parametrize("features", [(0, 0), (0,), (0, 3), ("a", "b"), "ab", (True, 1)])
def test_two_columns(features):
    with pytest.raises(ValueError, match="features must be two different columns of X, numbers from 0 to 2, got"):
        plot_regions(Above(), table("numpy"), features=features)


def test_columns_of_numbers():
    with pytest.raises(ValueError, match="features must be columns of numbers, but column 2 of X is not"):
        plot_regions(Above(), table("pandas"), features=("a", "c"))


def test_models_and_targets():
    with pytest.raises(TypeError, match="model must be a fitted classifier or regressor, got int"):
        plot_regions(3, table("numpy"))
    with pytest.raises(NotFittedError):
        plot_regions(LogisticRegression(), table("numpy"))
    with pytest.raises(ValueError, match=r"y must have one value for each of the 4 rows of X, got shape \(3,\)"):
        plot_regions(Above(), table("numpy"), [1, 2, 3])
    with pytest.raises(ValueError, match="resolution must be an integer of at least 2, got 1"):
        plot_regions(Above(), table("numpy"), resolution=1)
    X = table("numpy")
    two = KNeighborsRegressor(1).fit(X, X[:, :2])
    with pytest.raises(ValueError, match="model must predict one output, got 2"):
        plot_regions(two, X)


def test_impurity_curves():
    ax = plot_impurity_curves()
    curves = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert list(curves) == ["entropy (bits)", "Gini", "misclassification"]
    half, quarter = 200, 100  # places of p = 1/2 and p = 1/4
    assert [curve[half] for curve in curves.values()] == pytest.approx([1.0, 0.5, 0.5])
    assert [curve[quarter] for curve in curves.values()] == pytest.approx([0.8112781, 0.375, 0.25])
    assert all(curve[0] == curve[-1] == 0 for curve in curves.values())

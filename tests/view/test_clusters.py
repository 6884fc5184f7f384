"""Pictures of k-means and of EM: what they show is what was fitted."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb

from spinney import GaussianMixture, KMeans, elbow, plot_elbow, plot_em_steps, plot_kmeans_steps
from spinney.view.figures import chosen_steps, class_colours

X, LABEL = make_blobs(150, n_features=2, centers=3, random_state=2)


def test_kmeans_steps():
    model = KMeans(3, init="random", n_init=1, keep_history=True, random_state=4).fit(X)
    axes = plot_kmeans_steps(model, X)
    assert len(axes) == len(chosen_steps(None, model.n_iter_))
    last = axes[-1]
    points = last.collections[0]
    np.testing.assert_array_equal(points.get_offsets(), X)
    wanted = np.array([to_rgb(class_colours(3)[label]) for label in model.labels_])
    np.testing.assert_allclose(points.get_facecolors()[:, :3], wanted)
    marks = [line.get_xydata()[-1] for line in last.lines[1::2]]
    np.testing.assert_array_equal(marks, model.cluster_centers_)
    trail = last.lines[0].get_xydata()
    assert len(trail) == model.n_iter_ + 1
    assert last.get_title() == f"iteration {model.n_iter_}: SSE {model.inertia_:.4g}"
    assert axes[0].get_title().startswith("start: SSE")
    assert len(last.images) == 1  # two columns: the regions


def test_kmeans_of_more_columns():
    table = pd.DataFrame(np.column_stack([X, X[:, 0]]), columns=["a", "b", "c"])
    for metric in ("euclidean", "cosine"):
        model = KMeans(3, metric=metric, keep_history=True, random_state=0).fit(table)
        (ax,) = plot_kmeans_steps(model, table, steps=[0], features=("c", "b"))
        assert not ax.images
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("c", "b")


def test_elbow_curve():
    curve = elbow(X, range(1, 7), random_state=0, silhouette=True)
    ax = plot_elbow(curve)
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), np.column_stack([curve.ks, curve.inertia]))
    assert ax.get_title() == f"suggested: {curve.suggested_k}"
    _, other = ax.figure.axes
    np.testing.assert_array_equal(other.lines[0].get_ydata(), curve.silhouette)
    plt.figure()
    assert len(plot_elbow(elbow(X, [1, 2, 3], random_state=0)).figure.axes) == 1


def test_em_steps():
    model = GaussianMixture(3, keep_history=True, random_state=0).fit(X)
    axes = plot_em_steps(model, X, steps=[0, model.n_iter_])
    points = axes[1].collections[0]
    mixed = model.predict_proba(X) @ np.array([to_rgb(colour) for colour in class_colours(3)])
    np.testing.assert_allclose(points.get_facecolors()[:, :3], mixed, atol=1e-6)
    ellipse = axes[1].lines[0].get_xydata()  # the first component at one standard deviation
    gap = ellipse - model.means_[0]
    distance = np.einsum("ni,ij,nj->n", gap, model.precisions_[0], gap)
    np.testing.assert_allclose(distance, 1, rtol=1e-6)
    assert axes[1].get_title() == f"iteration {model.n_iter_}: log-likelihood {model.score(X):.4g}"


def test_em_steps_of_one_column_and_of_holes():
    line = GaussianMixture(2, covariance_type="spherical", keep_history=True, random_state=0).fit(X[:, :1])
    axes = plot_em_steps(line, X[:, :1])
    assert axes[0].get_ylabel() == "density"
    total = axes[-1].lines[-1].get_xydata()
    np.testing.assert_allclose(np.log(total[:, 1]), line.score_samples(total[:, :1]), atol=1e-6)
    table = X.copy()
    table[:10, 1] = np.nan
    model = GaussianMixture(2, covariance_type="tied", keep_history=True, random_state=0).fit(table)
    assert len(plot_em_steps(model, table, steps=[0])[0].collections[0].get_offsets()) == 140


def test_which_steps():
    assert chosen_steps(None, 3) == [0, 1, 2, 3]
    for last in range(40):  # two rows of panels are full
        chosen = chosen_steps(None, last)
        assert len(chosen) in (1, 2, 3, 4, 6)
        assert chosen == sorted({*chosen, 0, last})
    assert chosen_steps(None, 100)[0] == 0
    assert chosen_steps(None, 100)[-1] == 100
    assert len(chosen_steps(None, 100)) == 6
    assert chosen_steps((0, 3), 3) == [0, 3]


def test_errors_say_what_would_be_right():
    model = KMeans(3, keep_history=True, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"steps must be integers from 0 \(the start\) to \d+ \(the end\), got"):
        plot_kmeans_steps(model, X, steps=[99])
    with pytest.raises(
        ValueError, match=r"features must be two different columns of X, numbers from 0 to 1, got \(0, 2\)"
    ):
        plot_kmeans_steps(model, X, features=(0, 2))
    with pytest.raises(ValueError, match="model must be fitted with keep_history=True"):
        plot_kmeans_steps(KMeans(3).fit(X), X)
    with pytest.raises(TypeError, match="model must be a fitted GaussianMixture, got LogisticRegression"):
        plot_em_steps(LogisticRegression(), X)
    with pytest.raises(TypeError, match="curve must be what elbow returns, got list"):
        plot_elbow([1, 2])

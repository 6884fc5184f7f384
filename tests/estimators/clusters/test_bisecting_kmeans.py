"""BisectingKMeans as a user meets it, beside scikit-learn's."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.cluster
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from spinney import BisectingKMeans

MIDDLES = [[0, 0], [0, 9], [40, 0], [40, 11], [40, 200], [60, 200]]
X, LABEL = make_blobs([50, 60, 70, 80, 90, 100], centers=MIDDLES, random_state=0)
HARD = make_blobs(3000, n_features=6, centers=30, cluster_std=3.0, random_state=1)[0]


@pytest.fixture(autouse=True)
def one_thread():
    """For scikit-learn, whose threads wait for each other on a busy machine."""
    with threadpool_limits(1):
        yield


def sides(model):
    """The sets of blobs on both sides of every split."""
    found = set()
    for node, pair in zip(model.split_nodes_, model.children_):
        parts = [frozenset(LABEL[np.isin(model.labels_, _leaves_below(model, child))].tolist()) for child in pair]
        found.add((frozenset(parts), int(node == 0)))
    return found


def _leaves_below(model, node):
    if model.node_labels_[node] >= 0:
        return [model.node_labels_[node]]
    (split,) = np.flatnonzero(model.split_nodes_ == node)
    return [leaf for child in model.children_[split] for leaf in _leaves_below(model, child)]


def their_sides(model):
    found, labels = set(), model.labels_

    def below(node):
        return [node.label] if node.left is None else below(node.left) + below(node.right)

    def walk(node, is_root):
        if node.left is not None:
            parts = [frozenset(LABEL[np.isin(labels, below(child))].tolist()) for child in (node.left, node.right)]
            found.add((frozenset(parts), int(is_root)))
            walk(node.left, False)
            walk(node.right, False)

    walk(model._bisecting_tree, True)
    return found


@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_the_same_splits_as_scikit_learns(strategy):
    settings = {"n_clusters": 6, "n_init": 10, "bisecting_strategy": strategy, "random_state": 0}
    mine, theirs = (kind(**settings).fit(X) for kind in (BisectingKMeans, sklearn.cluster.BisectingKMeans))
    if strategy == "biggest_inertia":
        assert adjusted_rand_score(mine.labels_, LABEL) == 1
        assert sides(mine) == their_sides(theirs)
    assert adjusted_rand_score(mine.labels_, theirs.labels_) == 1
    assert mine.inertia_ == pytest.approx(theirs.inertia_)
    order = [np.lexsort(model.cluster_centers_.T) for model in (mine, theirs)]
    np.testing.assert_allclose(mine.cluster_centers_[order[0]], theirs.cluster_centers_[order[1]])
    new = X + np.random.default_rng(0).normal(size=X.shape)
    assert adjusted_rand_score(mine.predict(new), theirs.predict(new)) == 1


@pytest.mark.parametrize(
    "settings", [{}, {"init": "k-means++", "n_init": 2}, {"bisecting_strategy": "largest_cluster"}]
)
def test_as_good_as_scikit_learns(settings):
    mine, theirs = (
        np.mean([kind(20, random_state=seed, **settings).fit(HARD).inertia_ for seed in range(10)])
        for kind in (BisectingKMeans, sklearn.cluster.BisectingKMeans)
    )
    assert mine < 1.03 * theirs


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [3000, 70_000])
def test_predict_gives_the_labels_of_fit(dtype, n_rows):
    table = np.random.default_rng(0).normal(size=(n_rows, 3)).astype(dtype) + 100
    model = BisectingKMeans(9, random_state=0).fit(table)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    assert model.cluster_centers_.dtype == dtype
    assert len(np.unique(model.labels_)) == 9
    np.testing.assert_array_equal(model.cluster_centers_, model.node_centers_[model._leaves()])


def test_predict_goes_down_the_tree():
    """A row's leaf need not be the nearest one."""
    table = np.array([[0.0], [1.0], [10.0], [11.0], [16.0]])
    model = BisectingKMeans(3, init=lambda X, k, random_state: X[[0, -1]]).fit(np.repeat(table, 9, axis=0))
    first = model.node_centers_[model.children_[0]]
    row = np.array([[first.mean() + 0.1]])
    side = np.abs(first - row).argmin()
    assert model.predict(row)[0] in _leaves_below(model, model.children_[0][side])


@pytest.mark.slow
def test_the_same_for_any_n_jobs_and_algorithm():
    table = np.random.default_rng(0).normal(size=(20_000, 8)).astype(np.float32)
    found = {
        (model.fingerprint_, model.labels_.tobytes(), model.inertia_)
        for n_jobs in (1, 2, 3)
        for algorithm in ("lloyd", "bounds", "auto")
        for model in [BisectingKMeans(12, n_jobs=n_jobs, algorithm=algorithm, random_state=1).fit(table)]
    }
    assert len(found) == 1


@pytest.mark.parametrize("init", ["random", "k-means++"])
@pytest.mark.parametrize("strategy", ["biggest_inertia", "largest_cluster"])
def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter(strategy, init):
    settings = {"n_clusters": 7, "init": init, "bisecting_strategy": strategy, "random_state": 0}
    weight = np.arange(450) % 4
    weighted = BisectingKMeans(**settings).fit(X, sample_weight=weight)
    repeated = BisectingKMeans(**settings).fit(np.repeat(X, weight, axis=0)[::-1])
    assert weighted.fingerprint_ == repeated.fingerprint_
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    half, tiny = (BisectingKMeans(**settings).fit(X, sample_weight=weight * unit) for unit in (0.5, 2.0**-900))
    assert half.fingerprint_ == tiny.fingerprint_


def test_one_cluster():
    model = BisectingKMeans(1).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, X.mean(axis=0, keepdims=True))
    assert model.inertia_ == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    assert not model.predict(X).any()
    assert model.children_.shape == (0, 2)


def test_fitted_models():
    model = BisectingKMeans(6, n_init=3, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.fingerprint_ == model.fingerprint_
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    assert model.transform(X).shape == (450, 6)
    assert list(model.get_feature_names_out()) == [f"bisectingkmeans{k}" for k in range(6)]
    assert not hasattr(model, "n_iter_")


def test_verbose_prints_every_split(capsys):
    BisectingKMeans(4, verbose=1, random_state=0).fit(X)
    assert capsys.readouterr().out.count("Split ") == 3


@pytest.mark.parametrize("table", [pd.DataFrame(X), pl.DataFrame(X), X.tolist(), X.astype(np.float32)])
def test_tables_of_any_kind(table):
    model = BisectingKMeans(6, n_init=10, random_state=0)
    assert adjusted_rand_score(model.fit_predict(table), LABEL) == 1


def test_errors_say_what_would_be_right():
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        BisectingKMeans().fit(X[:3])
    with pytest.raises(ValueError, match=r"initial centers \(1, 2\) does not match the number of clusters 2"):
        BisectingKMeans(3, init=lambda X, k, random_state: X[:1]).fit(X)
    with pytest.raises(ValueError, match="bisecting_strategy"):
        BisectingKMeans(bisecting_strategy="deepest").fit(X)
    with pytest.raises(ValueError, match="'init' parameter of BisectingKMeans"):
        BisectingKMeans(2, init=X[:2]).fit(X)
    with pytest.raises(ValueError, match="Input X contains NaN, first in column 1, row 0"):
        BisectingKMeans(2).fit([[1.0, np.nan], [2.0, 3.0]])
    with pytest.warns(ConvergenceWarning, match=r"Number of distinct clusters \(1\) found smaller than n_clusters"):
        BisectingKMeans(3, random_state=0).fit(np.ones((5, 2)))

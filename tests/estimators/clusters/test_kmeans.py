"""KMeans as a user meets it, beside scikit-learn's."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.cluster
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from spinney import KMeans

X, LABEL = make_blobs(600, n_features=4, centers=5, random_state=3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_from_the_same_start_as_scikit_learn(dtype, weighted):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(3000, 6)).astype(dtype)
    weight = rng.random(3000) if weighted else None
    settings = {"n_clusters": 8, "init": table[:8], "n_init": 1, "max_iter": 15, "tol": 0.0}
    mine = KMeans(**settings).fit(table, sample_weight=weight)
    theirs = sklearn.cluster.KMeans(**settings).fit(table, sample_weight=weight)
    assert (mine.labels_ != theirs.labels_).mean() < (0.002 if dtype is np.float32 else 0) + 1e-9
    np.testing.assert_allclose(
        mine.cluster_centers_, theirs.cluster_centers_, atol=1e-2 if dtype is np.float32 else 1e-9
    )
    assert mine.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5)
    assert mine.n_iter_ == theirs.n_iter_
    assert mine.cluster_centers_.dtype == dtype
    np.testing.assert_array_equal(mine.predict(table), mine.labels_)
    np.testing.assert_allclose(
        mine.transform(table), theirs.transform(table), atol=1e-2 if dtype is np.float32 else 1e-8
    )
    assert mine.score(table, sample_weight=weight) == pytest.approx(-mine.inertia_, rel=1e-6)


def test_the_start_is_as_good_as_scikit_learns():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(2000, 5)) + 2 * rng.integers(0, 4, (2000, 5))
    mine, theirs = (
        np.mean([kind(30, n_init=1, random_state=seed).fit(table).inertia_ for seed in range(8)])
        for kind in (KMeans, sklearn.cluster.KMeans)
    )
    assert mine < 1.01 * theirs


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_same_for_any_n_jobs_and_algorithm(metric):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20_000, 8)).astype(np.float32)
    found = {
        (model.fingerprint_, model.labels_.tobytes(), model.inertia_, model.n_iter_)
        for n_jobs in (1, 2, 3)
        for algorithm in ("lloyd", "bounds", "auto")
        for model in [KMeans(12, metric=metric, n_jobs=n_jobs, algorithm=algorithm, random_state=1).fit(table)]
    }
    assert len(found) == 1


def test_clusters_are_found():
    model = KMeans(5, random_state=0).fit(X)
    assert adjusted_rand_score(LABEL, model.labels_) == 1
    assert list(model.get_feature_names_out()) == [f"kmeans{k}" for k in range(5)]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.labels_)


@pytest.mark.parametrize("init", ["k-means++", "random", X[:5], X[:5].tolist(), lambda X, k, random_state: X[:k]])
def test_starts(init):
    model = KMeans(5, init=init, random_state=0).fit(X)
    assert model.inertia_ <= KMeans(5, init=init, n_init=1, max_iter=1, random_state=0).fit(X).inertia_


def test_more_starts_are_no_worse():
    table = np.random.default_rng(0).normal(size=(500, 2))
    one, ten = (KMeans(15, init="random", n_init=n, random_state=0).fit(table).inertia_ for n in (1, 10))
    assert ten <= one


def test_weights_are_repetitions():
    weight = np.arange(600) % 4
    weighted = KMeans(4, random_state=0).fit(X, sample_weight=weight)
    repeated = KMeans(4, random_state=0).fit(np.repeat(X, weight, axis=0)[::-1])
    assert weighted.fingerprint_ == repeated.fingerprint_
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)


@pytest.mark.parametrize("init", ["random", "k-means++"])
@pytest.mark.parametrize("weight", [np.arange(600) % 2, np.arange(600) % 3, np.arange(600) % 3 * 0.3])
def test_rows_of_weight_zero_are_not_there(init, weight):
    there = weight > 0
    for k in (4, 150):
        settings = {"init": init, "n_init": 2, "max_iter": 3, "random_state": 0}
        model = KMeans(k, **settings).fit(X, sample_weight=weight)
        other = KMeans(k, **settings).fit(X[there], sample_weight=weight[there])
        np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_, rtol=1e-9)
        if weight.dtype.kind == "i":  # importances are added up in other units
            assert model.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("unit", [1e-200, 1e-5, 1e200])
def test_the_unit_of_weights_does_not_matter(unit):
    weight = np.random.default_rng(0).random(600)
    plain, scaled = (KMeans(4, random_state=0).fit(X, sample_weight=weight * one) for one in (1.0, unit))
    found, wanted = (one.cluster_centers_[one.cluster_centers_[:, 0].argsort()] for one in (scaled, plain))
    np.testing.assert_allclose(found, wanted)
    assert scaled.inertia_ == pytest.approx(plain.inertia_ * unit)
    assert scaled.score(X, sample_weight=weight * unit) == pytest.approx(-scaled.inertia_)


def test_cosine():
    rng = np.random.default_rng(0)
    directions = np.eye(3)[rng.integers(0, 3, 300)]
    table = (directions + 0.1 * rng.random((300, 3))) * rng.uniform(0.01, 100, 300)[:, None]
    model = KMeans(3, metric="cosine", random_state=0).fit(table)
    assert adjusted_rand_score(directions.argmax(axis=1), model.labels_) == 1
    np.testing.assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    np.testing.assert_allclose(model.transform(table), 1 - unit @ model.cluster_centers_.T, atol=1e-12)
    assert model.inertia_ == pytest.approx(model.transform(table).min(axis=1).sum())
    np.testing.assert_array_equal(model.predict(3 * table), model.labels_)
    with pytest.raises(ValueError, match="such as row 1 of X"):
        KMeans(1, metric="cosine").fit([[1.0, 2.0], [0.0, 0.0]])


def test_history():
    model = KMeans(5, init="random", n_init=1, keep_history=True, random_state=0).fit(X)
    sums = [step.inertia for step in model.history_]
    assert len(sums) == model.n_iter_ + 1
    assert sums == sorted(sums, reverse=True)
    np.testing.assert_array_equal(model.history_[-1].centers, model.cluster_centers_)
    assert KMeans(5).fit(X).history_ is None


def test_verbose_prints_every_iteration(capsys):
    model = KMeans(3, verbose=1, random_state=0).fit(X)
    assert capsys.readouterr().out.count("Iteration") == model.n_iter_


@pytest.mark.parametrize(
    "table", [pd.DataFrame(X), pl.DataFrame(X), pd.DataFrame(X).astype({0: np.float32}), X.tolist()]
)
def test_tables_of_any_kind(table):
    assert adjusted_rand_score(KMeans(5, random_state=0).fit_predict(table), LABEL) == 1


def test_names_are_kept():
    table = load_iris(as_frame=True).data
    model = KMeans(3, random_state=0).fit(table)
    assert list(model.feature_names_in_) == list(table.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[table.columns[::-1]])


def test_far_from_zero():
    table = (X + 1e5).astype(np.float32)
    model = KMeans(5, random_state=0).fit(table)
    assert adjusted_rand_score(model.labels_, LABEL) == 1
    np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_the_table_is_left_alone():
    table = X.copy()
    table.flags.writeable = False
    KMeans(3, copy_x=False).fit(table)
    np.testing.assert_array_equal(table, X)


def test_centres_that_are_given_are_one_start():
    with pytest.warns(RuntimeWarning, match="performing only one init instead of n_init=10"):
        model = KMeans(3, init=X[:3], n_init=10).fit(X)
    assert model.fingerprint_ == KMeans(3, init=X[:3]).fit(X).fingerprint_
    with pytest.raises(ValueError, match=r"number of features of the data 4. Give init the shape \(3, 4\)"):
        KMeans(3, init=X[:3, :2]).fit(X)


def test_errors_say_what_would_be_right():
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        KMeans().fit(X[:3])
    with pytest.raises(ValueError, match=r"initial centers \(2, 4\) does not match the number of clusters 3"):
        KMeans(3, init=X[:2]).fit(X)
    with pytest.raises(TypeError, match=r"holds strings, such as 'a', not numbers. KMeans needs numbers"):
        KMeans(1).fit(pd.DataFrame({"x": ["a", "b"]}))
    with pytest.raises(ValueError, match="algorithm"):
        KMeans(algorithm="full").fit(X)
    with pytest.raises(ValueError, match=r"Input X contains NaN, first in column 0, row 1\. Impute it first"):
        KMeans(1).fit([[1.0], [np.nan]])
    with pytest.warns(
        ConvergenceWarning, match=r"Number of distinct clusters \(1\) found smaller than n_clusters \(2\)"
    ):
        KMeans(2).fit(np.ones((5, 2)))


@pytest.mark.parametrize("n_rows", [60, 70_000])
@pytest.mark.parametrize("bad, what", [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_a_value_that_is_not_finite_is_named_with_its_column(n_rows, bad, what):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    model = KMeans(2, n_init=1, random_state=0).fit(table)
    table.loc[[7, 50], "b"] = bad
    table.loc[9, "b"] = -bad
    table.loc[8, "c"] = bad
    message = f"Input X contains {what}, first in column 'b', row 7. "
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for refused in (KMeans(2).fit, model.predict, model.transform, model.score):
            with pytest.raises(ValueError, match=message) as error:
                refused(table)
            assert ("GaussianMixture" in str(error.value)) == (what == "NaN")


def test_a_failed_fit_leaves_the_model():
    model = KMeans(3, random_state=0).fit(X)
    before = model.fingerprint_
    with pytest.raises(ValueError, match="contains NaN"):
        model.fit(np.full((9, 2), np.nan))
    assert model.fingerprint_ == before
    assert not hasattr(clone(model), "cluster_centers_")


def test_no_warnings_on_good_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KMeans(5, random_state=0).fit(X, sample_weight=np.linspace(0, 1, len(X))).score(X)


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("weight", ["any", "whole"])
def test_only_proportions_of_weights_matter(init, weight):
    values, _ = make_blobs(300, centers=5, random_state=0)
    rng = np.random.RandomState(0)
    weight = rng.uniform(0.5, 2, 300) if weight == "any" else rng.randint(0, 4, 300)
    one = KMeans(4, init=init, n_init=1, random_state=0).fit(values, sample_weight=weight * 0.75)
    for scale in (2.0**-995, 2.0**-60, 2.0**70, 2.0**1005):
        other = KMeans(4, init=init, n_init=1, random_state=0).fit(values, sample_weight=weight * 0.75 * scale)
        assert other.fingerprint_ == one.fingerprint_
        assert other.inertia_ == one.inertia_ * scale
        assert other.score(values, sample_weight=weight * 0.75 * scale) == -other.inertia_
    for scale in (4e-300, 1e-250, 1e-17, 1.0, 0.3, 3e7, 1e300):
        other = KMeans(4, init=init, n_init=1, random_state=0).fit(values, sample_weight=weight * scale)
        assert (other.labels_ == one.labels_).all()
        np.testing.assert_allclose(other.cluster_centers_, one.cluster_centers_, rtol=1e-9)

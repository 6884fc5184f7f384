"""MiniBatchKMeans as a user meets it, beside scikit-learn's."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.cluster
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from spinney import KMeans, MiniBatchKMeans

MIDDLES = [[0, 0, 0, 0], [12, 0, 0, 0], [0, 12, 0, 0], [0, 0, 12, 0], [0, 0, 0, 12]]
X, LABEL = make_blobs(3000, centers=MIDDLES, random_state=3)
HARD = make_blobs(4000, n_features=6, centers=30, cluster_std=3.0, random_state=1)[0]


@pytest.fixture(autouse=True)
def one_thread():
    """For scikit-learn, whose threads wait for each other on a busy machine."""
    with threadpool_limits(1):
        yield


def test_as_good_as_scikit_learns():
    settings = [{}, {"batch_size": 200, "n_init": 3}, {"init": "random"}, {"reassignment_ratio": 0.1}]
    for one in settings:
        mine, theirs = (
            np.mean([kind(20, random_state=seed, **one).fit(HARD).inertia_ for seed in range(8)])
            for kind in (MiniBatchKMeans, sklearn.cluster.MiniBatchKMeans)
        )
        assert mine < 1.03 * theirs, one
    whole = np.mean([KMeans(20, random_state=seed).fit(HARD).inertia_ for seed in range(8)])
    assert np.mean([MiniBatchKMeans(20, random_state=seed).fit(HARD).inertia_ for seed in range(8)]) < 1.1 * whole


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_as_scikit_learns(dtype, weighted):
    """From given centres and without reassignment, `partial_fit` has one answer."""
    rng = np.random.default_rng(0)
    table, weight = X.astype(dtype), rng.random(3000) if weighted else None
    settings = {"n_clusters": 6, "init": table[:6], "n_init": 1, "reassignment_ratio": 0.0}
    mine, theirs = MiniBatchKMeans(**settings), sklearn.cluster.MiniBatchKMeans(**settings)
    for rows in np.array_split(rng.permutation(3000), 7):
        for model in (mine, theirs):
            model.partial_fit(table[rows], sample_weight=None if weight is None else weight[rows])
    close = 1e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(mine.cluster_centers_, theirs.cluster_centers_, rtol=close, atol=close)
    np.testing.assert_array_equal(mine.labels_, theirs.labels_)
    assert mine.inertia_ == pytest.approx(theirs.inertia_, rel=1e-4)
    np.testing.assert_allclose(mine.counts_, theirs._counts, rtol=1e-4)
    assert mine.n_steps_ == theirs.n_steps_ == 7
    assert mine.cluster_centers_.dtype == dtype
    np.testing.assert_array_equal(mine.predict(table), theirs.predict(table))


def test_the_same_for_any_n_jobs():
    table = np.random.default_rng(0).normal(size=(70_000, 8)).astype(np.float32)
    found = set()
    for n_jobs in (1, 2, 3):
        model = MiniBatchKMeans(40, batch_size=4000, max_iter=2, n_jobs=n_jobs, random_state=1).fit(table)
        model.partial_fit(table[:5000])
        found.add((model.fingerprint_, model.labels_.tobytes(), model.inertia_, model.n_steps_))
    assert len(found) == 1


def test_weights_are_repetitions_and_the_order_of_rows_does_not_matter():
    weight = np.arange(3000) % 4
    weighted = MiniBatchKMeans(4, random_state=0).fit(X, sample_weight=weight)
    repeated = MiniBatchKMeans(4, random_state=0).fit(np.repeat(X, weight, axis=0)[::-1])
    assert weighted.fingerprint_ == repeated.fingerprint_
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert (weighted.n_steps_, weighted.n_iter_) == (repeated.n_steps_, repeated.n_iter_)


@pytest.mark.parametrize("unit", [1e-200, 1e-5, 1e200])
def test_the_unit_of_weights_does_not_matter(unit):
    weight = np.random.default_rng(0).random(3000) * (LABEL != 2)
    plain, scaled = (MiniBatchKMeans(4, random_state=0).fit(X, sample_weight=weight * one) for one in (1.0, unit))
    np.testing.assert_allclose(scaled.cluster_centers_, plain.cluster_centers_, rtol=1e-6)
    assert scaled.inertia_ == pytest.approx(plain.inertia_ * unit)
    assert adjusted_rand_score(LABEL[LABEL != 2], plain.labels_[LABEL != 2]) == 1


@pytest.mark.parametrize("init", ["k-means++", "random", X[:5], X[:5].tolist(), lambda X, k, random_state: X[:k]])
def test_starts(init):
    model = MiniBatchKMeans(5, init=init, random_state=0).fit(X)
    assert model.inertia_ < 0.6 * ((X - X.mean(axis=0)) ** 2).sum()
    one = MiniBatchKMeans(5, init=init, random_state=0).partial_fit(X)
    assert one.n_steps_ == 1


def test_clusters_are_found_and_kept():
    model = MiniBatchKMeans(5, random_state=0).fit(X)
    assert adjusted_rand_score(LABEL, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.score(X) == pytest.approx(-model.inertia_)
    assert model.transform(X).shape == (3000, 5)
    assert list(model.get_feature_names_out()) == [f"minibatchkmeans{k}" for k in range(5)]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    assert again.partial_fit(X).fingerprint_ == model.partial_fit(X).fingerprint_


def test_partial_fit_goes_on_from_fit():
    model = MiniBatchKMeans(5, random_state=0).fit(X)
    steps, counts, before = model.n_steps_, model.counts_.sum(), model.cluster_centers_
    model.partial_fit(X[:100])
    assert model.n_steps_ == steps + 1
    assert model.counts_.sum() == counts + 100
    assert len(model.labels_) == 100
    np.testing.assert_allclose(model.cluster_centers_, before, atol=0.1)
    assert model.fit(X).n_steps_ == steps  # from the start again


def test_what_ends_a_run():
    short = MiniBatchKMeans(20, random_state=0, max_no_improvement=1).fit(HARD)
    long = MiniBatchKMeans(20, random_state=0, max_no_improvement=None, max_iter=30).fit(HARD)
    assert short.n_steps_ < long.n_steps_ == 30 * 4000 // 1024
    assert long.n_iter_ == 30
    assert MiniBatchKMeans(20, random_state=0, max_no_improvement=None, tol=1.0).fit(HARD).n_steps_ < 30


def test_without_labels():
    model = MiniBatchKMeans(5, random_state=0).fit(X)
    quick = MiniBatchKMeans(5, random_state=0, compute_labels=False).fit(X)
    assert not hasattr(quick, "labels_")
    assert quick.fingerprint_ == model.fingerprint_
    assert quick.inertia_ == pytest.approx(model.inertia_, rel=0.2)
    model.set_params(compute_labels=False).fit(X)
    assert not hasattr(model, "labels_")


def test_verbose_prints_every_batch(capsys):
    model = MiniBatchKMeans(3, verbose=1, random_state=0).fit(X)
    assert capsys.readouterr().out.count("Batch ") == model.n_steps_


@pytest.mark.parametrize("table", [pd.DataFrame(X), pl.DataFrame(X), X.tolist(), X.astype(np.float32)])
def test_tables_of_any_kind(table):
    assert adjusted_rand_score(MiniBatchKMeans(5, random_state=0).fit_predict(table), LABEL) == 1
    assert MiniBatchKMeans(5, random_state=0).partial_fit(table).labels_.shape == (3000,)


def test_no_count_is_less_than_it_was():
    """From a ratio of 1 on, every centre but that of most rows may move."""
    one, more = (MiniBatchKMeans(3, reassignment_ratio=ratio, random_state=0).fit(X) for ratio in (1.0, 2.5))
    assert one.fingerprint_ == more.fingerprint_


def test_errors_say_what_would_be_right():
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        MiniBatchKMeans().fit(X[:3])
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        MiniBatchKMeans().partial_fit(X[:3])
    with pytest.warns(RuntimeWarning, match="init_size=2 should be larger than n_clusters=5"):
        MiniBatchKMeans(5, init_size=2).fit(X)
    with pytest.raises(ValueError, match=r"initial centers \(2, 4\) does not match the number of clusters 3"):
        MiniBatchKMeans(3, init=X[:2]).fit(X)
    with pytest.raises(ValueError, match="reassignment_ratio"):
        MiniBatchKMeans(reassignment_ratio=-1).fit(X)
    holes = pd.DataFrame(X, columns=list("abcd"))
    model = MiniBatchKMeans(3, random_state=0).fit(holes)
    before, holes.loc[7, "c"] = model.fingerprint_, np.nan
    for refused in (model.fit, model.partial_fit, model.predict):
        with pytest.raises(ValueError, match="Input X contains NaN, first in column 'c', row 7"):
            refused(holes)
    assert model.fingerprint_ == before
    assert model.partial_fit(holes[:5]).n_steps_ > 1
    with pytest.raises(ValueError, match="X has 2 features"):
        model.partial_fit(X[:, :2])
    assert not hasattr(clone(model), "counts_")


def test_no_warnings_on_good_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MiniBatchKMeans(5, random_state=0).fit(X, sample_weight=np.linspace(0, 1, len(X)))
        model.partial_fit(X[:50])

"""GaussianMixture as a user meets it, beside scikit-learn's."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.mixture
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from spinney import GaussianMixture, select_components

X, LABEL = make_blobs(400, n_features=3, centers=3, random_state=5, cluster_std=1.5)
FORMS = ("full", "tied", "diag", "spherical")


def start(form, k=3, d=3):
    shape = {"full": np.stack([np.eye(d)] * k), "tied": np.eye(d), "diag": np.ones((k, d)), "spherical": np.ones(k)}
    return {"means_init": X[:k], "weights_init": np.full(k, 1 / k), "precisions_init": shape[form]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_from_the_same_start_as_scikit_learn(form, dtype):
    settings = {"n_components": 3, "covariance_type": form, "tol": 1e-6, "max_iter": 200, **start(form)}
    table = X.astype(dtype)
    mine, theirs = (
        GaussianMixture(**settings).fit(table),
        sklearn.mixture.GaussianMixture(**settings).fit(table.astype(np.float64)),
    )
    assert mine.n_iter_ == theirs.n_iter_
    assert mine.lower_bound_ == pytest.approx(theirs.lower_bound_, rel=1e-9)
    np.testing.assert_allclose(mine.lower_bounds_, theirs.lower_bounds_)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-5, atol=1e-7, err_msg=name)
    table = table.astype(np.float64)
    np.testing.assert_allclose(mine.predict_proba(table), theirs.predict_proba(table), atol=1e-6)
    np.testing.assert_allclose(mine.score_samples(table), theirs.score_samples(table), atol=1e-6)
    np.testing.assert_array_equal(mine.predict(table), theirs.predict(table))
    assert mine.bic(table) == pytest.approx(theirs.bic(table))
    assert mine.aic(table) == pytest.approx(theirs.aic(table))
    assert mine.score(table) == pytest.approx(theirs.score(table))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
def test_the_same_for_any_n_jobs(form, init):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(6000, 6)) + 4 * rng.integers(0, 3, (6000, 1))
    table[rng.random(table.shape) < 0.02] = np.nan
    settings = {"covariance_type": form, "init_params": init, "random_state": 0, "max_iter": 5, "tol": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = {GaussianMixture(3, n_jobs=n_jobs, **settings).fit(table).fingerprint_ for n_jobs in (1, 2, 3)}
    assert len(found) == 1


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
def test_clusters_are_found(init):
    model = GaussianMixture(3, init_params=init, n_init=5, random_state=0, max_iter=500, tol=1e-6).fit(X)
    assert adjusted_rand_score(model.predict(X), LABEL) > 0.9
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_weights_are_repetitions():
    weight = np.arange(400) % 4
    weighted = GaussianMixture(3, random_state=0).fit(X, sample_weight=weight)
    repeated = GaussianMixture(3, random_state=0).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_)
    np.testing.assert_allclose(weighted.covariances_, repeated.covariances_)
    assert weighted.bic(X, weight) == pytest.approx(repeated.bic(np.repeat(X, weight, axis=0)))


def test_missing_values_count_by_what_is_known():
    rng = np.random.default_rng(0)
    root = np.array([[2.0, 0, 0], [1.5, 1, 0], [-1, 0.5, 0.5]])
    table = rng.normal(size=(4000, 3)) @ root.T
    whole = table.copy()
    table[(rng.random(4000) < 0.5), 2] = np.nan
    table[(rng.random(4000) < 0.2), 0] = np.nan
    model = GaussianMixture(1, tol=1e-9, max_iter=500).fit(table)
    np.testing.assert_allclose(model.covariances_[0], root @ root.T, atol=0.25)
    np.testing.assert_allclose(model.means_[0], whole.mean(axis=0), atol=0.1)
    mean, covariance = model.means_[0], model.covariances_[0]
    row = np.array([[np.nan, 1.0, 0.5]])
    wanted = multivariate_normal(mean[1:], covariance[1:, 1:]).logpdf(row[0, 1:])
    assert model.score_samples(row)[0] == pytest.approx(wanted)
    nothing = np.full((1, 3), np.nan)
    assert model.score_samples(nothing)[0] == pytest.approx(0)


@pytest.mark.parametrize("form", FORMS)
def test_holes_do_not_hide_clusters(form):
    table = X.copy()
    table[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    model = GaussianMixture(3, covariance_type=form, random_state=0, tol=1e-5, max_iter=300).fit(table)
    assert adjusted_rand_score(model.predict(table), LABEL) > 0.8
    assert (np.diff(model.lower_bounds_) > -1e-6).all()


def test_history():
    model = GaussianMixture(3, keep_history=True, random_state=0).fit(X)
    steps = model.history_
    assert len(steps) == model.n_iter_ + 1
    np.testing.assert_array_equal(steps[-1].means, model.means_)
    np.testing.assert_array_equal([step.log_likelihood for step in steps[:-1]], model.lower_bounds_)
    assert (np.diff([step.log_likelihood for step in steps]) > -1e-9).all()
    assert steps[-1].log_likelihood == pytest.approx(model.score(X))
    assert GaussianMixture().fit(X).history_ is None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_warm_start_knows_what_the_fit_before_has_reached():
    """One iteration after another ends where scikit-learn's do, and where all in one fit end."""
    ends = []
    for kind in (GaussianMixture, sklearn.mixture.GaussianMixture):
        model, n_fits = kind(3, max_iter=1, warm_start=True, **start("full")).fit(X), 1
        while not model.converged_:
            model.fit(X)
            n_fits += 1
            assert n_fits < 200
        ends.append((n_fits, model))
    whole = GaussianMixture(3, max_iter=200, **start("full")).fit(X)
    assert ends[0][0] == ends[1][0] == whole.n_iter_
    for _, model in ends:
        assert model.lower_bound_ == pytest.approx(whole.lower_bound_, rel=1e-9)
        np.testing.assert_allclose(model.means_, whole.means_, rtol=1e-6)


def test_warm_start_goes_on():
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model = GaussianMixture(3, max_iter=2, tol=0.0, warm_start=True, random_state=0).fit(X)
    first = model.lower_bounds_
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    assert model.lower_bounds_[0] >= first[-1]


def test_sample():
    model = GaussianMixture(3, random_state=0).fit(X)
    rows, labels = model.sample(20_000)
    np.testing.assert_allclose(np.bincount(labels) / 20_000, model.weights_, atol=0.02)
    for k in range(3):
        np.testing.assert_allclose(rows[labels == k].mean(axis=0), model.means_[k], atol=0.1)
        np.testing.assert_allclose(np.cov(rows[labels == k].T), model.covariances_[k], atol=0.25)
    with pytest.raises(ValueError, match="n_samples must be"):
        model.sample(0)


@pytest.mark.parametrize("table", [pd.DataFrame(X), pl.DataFrame(X), X.tolist(), np.asfortranarray(X)])
def test_tables_of_any_kind(table):
    assert adjusted_rand_score(GaussianMixture(3, random_state=0).fit_predict(table), LABEL) > 0.9


def test_constant_columns_are_repaired():
    table = np.column_stack([X, np.ones(len(X))])
    model = GaussianMixture(3, random_state=0).fit(table)
    np.testing.assert_allclose(model.covariances_[:, 3, 3], 1e-6)
    with pytest.raises(ValueError, match=r"component 0 has collapsed.*larger reg_covar"):
        GaussianMixture(3, random_state=0, reg_covar=0.0).fit(table)


def test_verbose(capsys):
    model = GaussianMixture(3, verbose=1, verbose_interval=1, random_state=0).fit(X)
    said = capsys.readouterr().out
    assert "iteration 1, log-likelihood" in said
    assert f"Start 0 has converged after {model.n_iter_} iterations, log-likelihood" in said


def test_verbose_says_something_of_short_runs(capsys):
    model = GaussianMixture(1, verbose=1).fit(X)
    assert model.n_iter_ < 10
    assert capsys.readouterr().out.startswith("Start 0 has converged after 2 iterations, log-likelihood ")
    with pytest.warns(ConvergenceWarning):
        GaussianMixture(3, verbose=1, max_iter=1, n_init=2, random_state=0).fit(X)
    assert capsys.readouterr().out.count("has not converged after 1 iterations") == 2


@pytest.mark.parametrize("form", FORMS)
def test_densities_by_component(form):
    model = GaussianMixture(3, covariance_type=form, random_state=0).fit(X)
    matrices = {
        "full": lambda k: model.covariances_[k],
        "tied": lambda k: model.covariances_,
        "diag": lambda k: np.diag(model.covariances_[k]),
        "spherical": lambda k: model.covariances_[k] * np.eye(3),
    }[form]
    wanted = np.column_stack([multivariate_normal(model.means_[k], matrices(k)).pdf(X) for k in range(3)])
    np.testing.assert_allclose(model.component_densities(X), wanted, rtol=1e-9)
    np.testing.assert_allclose(model.component_densities(X) @ model.weights_, np.exp(model.score_samples(X)))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-14)
    far = [[1e4, 0.0, 0.0]]  # densities and shares too small for float64, and yet their logarithms are known
    logs, joint = model.component_log_densities(far), model.predict_log_proba(far)
    assert (model.component_densities(far) == 0).all()
    assert np.isfinite(logs).all()
    gap = logs + np.log(model.weights_)
    np.testing.assert_allclose(joint, gap - gap.max(axis=1, keepdims=True), atol=1e-6)
    hole = model.component_log_densities([[np.nan, 1.0, 0.5]])
    assert hole[0, 1] == pytest.approx(multivariate_normal(model.means_[1, 1:], matrices(1)[1:, 1:]).logpdf([1.0, 0.5]))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"n_components": 3, "means_init": X[:2]},
            r"means_init must have the shape \(3, 3\), got \(2, 3\)",
        ),
        (
            {"n_components": 2, "weights_init": [0.7, 0.7]},
            "weights_init must hold numbers of at least 0 that add up to 1",
        ),
        ({"precisions_init": -np.eye(3)[None]}, "precisions_init must hold positive definite matrices"),
        (
            {"covariance_type": "spherical", "precisions_init": [-1.0]},
            "precisions_init must hold positive numbers",
        ),
    ],
    ids=["means", "weights", "matrices", "numbers"],
)
def test_errors_say_what_would_be_right(wrong, words):
    with pytest.raises(ValueError, match=words):
        GaussianMixture(**wrong).fit(X)


@pytest.mark.parametrize(
    ("table", "n_components", "error", "words"),
    [
        (
            X[:4],
            9,
            ValueError,
            "Expected n_samples >= n_components but got n_components = 9, n_samples = 4",
        ),
        ([[1.0, np.nan], [2.0, np.nan]], 1, ValueError, "Column 1 of X has no values at all"),
        (pd.DataFrame({"x": [1.0, 2.0], "y": np.nan}), 1, ValueError, "Column 'y' of X has no values at all"),
        ([[1.0], [np.inf]], 1, ValueError, "Input X contains infinity, first in column 0, row 1"),
        (pd.DataFrame({"x": ["a", "b"]}), 1, TypeError, "GaussianMixture needs numbers"),
    ],
    ids=["few rows", "no values", "no values in a frame", "infinity", "strings"],
)
def test_tables_that_are_refused(table, n_components, error, words):
    with pytest.raises(error, match=words):
        GaussianMixture(n_components).fit(table)


@pytest.mark.parametrize("method", ["predict", "component_densities"])
def test_infinity_in_predictions(method):
    fitted = GaussianMixture().fit(pd.DataFrame({"a": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="infinity, first in column 'a', row 0"):
        getattr(fitted, method)(pd.DataFrame({"a": [np.inf]}))


def test_the_number_of_components():
    found = select_components(X, range(1, 6), random_state=0)
    assert found.best_k == 3
    assert found.model.n_components == 3
    assert found.bic[2] == pytest.approx(found.model.bic(X))
    by_aic = select_components(X, [1, 3], by="aic", covariance_type="diag", random_state=0)
    assert by_aic.best_k == by_aic.ks[by_aic.aic.argmin()]
    with pytest.raises(ValueError, match="by must be 'bic' or 'aic', got 'loo'"):
        select_components(X, by="loo")


def test_progress(capsys):
    select_components(X, [1, 2], verbose=True, random_state=0)
    assert "k=2 BIC" in capsys.readouterr().err


@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random", "random_from_data"])
@pytest.mark.parametrize("weight", ["any", "whole"])
def test_only_proportions_of_weights_matter(init, weight):
    rng = np.random.RandomState(0)
    weight = rng.uniform(0.5, 2, len(X)) if weight == "any" else rng.randint(0, 4, len(X))
    settings = {"n_components": 3, "init_params": init, "random_state": 0, "max_iter": 20, "tol": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("error", RuntimeWarning)
        one = GaussianMixture(**settings).fit(X, sample_weight=weight * 0.75)
        for scale in (2.0**-995, 2.0**-60, 2.0**70, 2.0**1005):
            other = GaussianMixture(**settings).fit(X, sample_weight=weight * 0.75 * scale)
            assert other.fingerprint_ == one.fingerprint_
            assert other.lower_bound_ == one.lower_bound_
            assert other.score(X, sample_weight=weight * scale) == pytest.approx(one.score(X, sample_weight=weight))
        for scale in (4e-300, 1e-250, 1e-17, 1e-14, 1.0, 0.3, 3e7, 1e300):
            other = GaussianMixture(**settings).fit(X, sample_weight=weight * scale)
            np.testing.assert_allclose(other.weights_, one.weights_, rtol=1e-6)
            np.testing.assert_allclose(other.means_, one.means_, rtol=1e-6)
            np.testing.assert_allclose(other.covariances_, one.covariances_, rtol=1e-6)


WIDE = np.random.RandomState(0).normal(size=(60, 200)) + 4 * (np.arange(60) % 2)[:, None]


@pytest.mark.parametrize("form", ["full", "tied"])
def test_wide_tables_from_the_same_start_as_scikit_learn(form):
    k, d = 2, WIDE.shape[1]
    matrices = np.stack([np.eye(d)] * k) if form == "full" else np.eye(d)
    begin = {"means_init": WIDE[:k], "weights_init": np.full(k, 1 / k), "precisions_init": matrices}
    settings = {"n_components": k, "covariance_type": form, "tol": 1e-6, "reg_covar": 1e-2, **begin}
    mine, theirs = (kind(**settings).fit(WIDE) for kind in (GaussianMixture, sklearn.mixture.GaussianMixture))
    assert mine.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(mine.lower_bounds_, theirs.lower_bounds_, rtol=1e-9)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-6, atol=1e-7, err_msg=name)
    np.testing.assert_allclose(mine.score_samples(WIDE), theirs.score_samples(WIDE), rtol=1e-9)
    np.testing.assert_allclose(mine.score_samples(WIDE[:1]), theirs.score_samples(WIDE[:1]), rtol=1e-9)
    rows, label = mine.sample(50)
    assert rows.shape == (50, d)
    assert (mine.predict(rows) == label).all()


@pytest.mark.parametrize("form", ["full", "tied"])
def test_wide_tables_on_any_number_of_threads(form):
    found = set()
    for n_jobs, n_blas in ((1, 1), (2, 2), (3, 1), (1, 2)):
        with threadpool_limits(n_blas, "blas"):
            settings = {"covariance_type": form, "reg_covar": 1e-3, "random_state": 0, "n_jobs": n_jobs}
            model = GaussianMixture(2, **settings).fit(WIDE)
            found.add((model.fingerprint_, model.precisions_.tobytes(), model.score_samples(WIDE).tobytes()))
    assert len(found) == 1


def test_wide_tables_with_a_collapsed_component():
    with pytest.raises(ValueError, match="component 0 has collapsed, its covariance is not positive definite"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(WIDE)


def test_a_wide_table_with_a_missing_value():
    holes = WIDE.copy()
    holes[3, 5] = np.nan
    settings = {"reg_covar": 1e-2, "random_state": 0, "max_iter": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole, model = (GaussianMixture(2, **settings).fit(table) for table in (WIDE, holes))
    assert (model.predict(holes) == whole.predict(WIDE)).all()
    np.testing.assert_allclose(model.means_, whole.means_, atol=0.3)

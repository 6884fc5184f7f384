"""BayesianGaussianMixture as a user meets it, beside scikit-learn's."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.mixture
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from spinney import BayesianGaussianMixture
from spinney.estimators.clusters import mixture

X, LABEL = make_blobs(300, n_features=3, centers=[[0, 0, 0], [7, 0, -3], [0, 8, 3]], random_state=5, cluster_std=1.5)
FORMS = ("full", "tied", "diag", "spherical")
KINDS = ("dirichlet_process", "dirichlet_distribution")
SHOWN = (
    *("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "weight_concentration_"),
    *("mean_precision_", "degrees_of_freedom_", "lower_bound_", "lower_bounds_", "n_iter_", "converged_"),
    *("weight_concentration_prior_", "mean_precision_prior_", "mean_prior_", "degrees_of_freedom_prior_"),
    "covariance_prior_",
)


class Theirs(sklearn.mixture.BayesianGaussianMixture):
    """scikit-learn's, from given shares."""

    shares = None

    def _initialize_parameters(self, X, random_state, xp=None):
        self._initialize(X, self.shares)


def both(monkeypatch, table, k, **settings):
    """Ours and theirs from the same random shares."""
    shares = np.random.default_rng(0).dirichlet(np.full(k, 0.3), len(table))
    monkeypatch.setattr(mixture, "first_shares", lambda *arguments: shares)
    theirs = Theirs(n_components=k, **settings)
    theirs.shares = shares
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BayesianGaussianMixture(n_components=k, **settings).fit(table), theirs.fit(table)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [False, True])
def test_from_the_same_shares_as_scikit_learn(monkeypatch, form, kind, given):
    settings = {"covariance_type": form, "weight_concentration_prior_type": kind, "max_iter": 60, "tol": 1e-3}
    if given:
        spread = {"full": 2 * np.eye(3), "tied": 3 * np.eye(3), "diag": np.array([1.0, 2, 3]), "spherical": 1.5}[form]
        settings |= {"weight_concentration_prior": 0.02, "mean_precision_prior": 0.3, "mean_prior": [1.0, 2.0, 3.0]}
        settings |= {"degrees_of_freedom_prior": 5.5, "covariance_prior": spread, "reg_covar": 1e-2}
    mine, theirs = both(monkeypatch, X, 5, **settings)
    for name in SHOWN:
        wanted = np.ravel(getattr(theirs, name)) if name == "lower_bounds_" else getattr(theirs, name)
        np.testing.assert_allclose(getattr(mine, name), wanted, rtol=1e-6, atol=1e-8, err_msg=name)
        if "bound" not in name:  # theirs is an array of one number for "tied"
            assert np.shape(getattr(mine, name)) == np.shape(wanted), name
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-7)
    np.testing.assert_allclose(mine.score_samples(X), theirs.score_samples(X), rtol=1e-7)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))
    assert mine.score(X) == pytest.approx(theirs.score(X))


@pytest.mark.parametrize("form", ["full", "tied"])
def test_wide_tables_as_scikit_learn(monkeypatch, form):
    rng = np.random.RandomState(0)
    table = rng.normal(size=(70, 180)) + 4 * (np.arange(70) % 2)[:, None]
    mine, theirs = both(monkeypatch, table, 2, covariance_type=form, max_iter=4, reg_covar=1e-2)
    for name in SHOWN:
        found, wanted = np.ravel(getattr(mine, name)), np.ravel(getattr(theirs, name))
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_columns", [5, 170])
def test_the_same_for_any_n_jobs(form, n_columns):
    rng = np.random.default_rng(0)
    n_rows = 6000 if n_columns == 5 else 80
    table = rng.normal(size=(n_rows, n_columns)) + 4 * rng.integers(0, 3, (n_rows, 1))
    if n_columns == 5:
        table[rng.random(table.shape) < 0.02] = np.nan
    found = set()
    for n_jobs, n_blas in ((1, 1), (2, 2), (3, 1)):
        with threadpool_limits(n_blas, "blas"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            settings = {"covariance_type": form, "random_state": 0, "max_iter": 4, "tol": 0.0, "n_jobs": n_jobs}
            model = BayesianGaussianMixture(n_components=3, **settings).fit(table)
            found.add((model.fingerprint_, tuple(model.lower_bounds_), model.score_samples(table).tobytes()))
    assert len(found) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("has_holes", [False, True])
def test_the_bound_never_falls(kind, form, has_holes):
    """Also with missing values, whose distribution is part of what is inferred."""
    table = X.copy()
    if has_holes:
        table[np.random.default_rng(0).random(X.shape) < 0.15] = np.nan
    model = BayesianGaussianMixture(
        n_components=6,
        covariance_type=form,
        weight_concentration_prior_type=kind,
        init_params="random",
        reg_covar=0.0,
        random_state=0,
        max_iter=300,
    ).fit(table)
    assert model.converged_
    assert (np.diff(model.lower_bounds_) > -1e-6).all()


def test_components_that_are_not_needed_get_no_weight():
    model = BayesianGaussianMixture(n_components=10, random_state=0, max_iter=1000).fit(X)
    assert (model.weights_ > 0.05).sum() == 3
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    rows, labels = model.sample(200)
    assert (model.predict(rows) == labels).mean() > 0.95


def test_weights_are_repetitions():
    weight = np.arange(300) % 4
    weighted = BayesianGaussianMixture(n_components=3, random_state=0).fit(X, sample_weight=weight)
    repeated = BayesianGaussianMixture(n_components=3, random_state=0).fit(np.repeat(X, weight, axis=0))
    for name in ("means_", "covariances_", "weights_", "lower_bound_", "covariance_prior_", "mean_prior_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("unit", [4e-300, 1e-17, 0.3, 1e7, 1e300])
def test_the_unit_of_weights_does_not_matter(unit):
    weight = np.random.default_rng(0).random(300)
    plain, scaled = (
        BayesianGaussianMixture(n_components=3, random_state=0).fit(X, sample_weight=weight * one)
        for one in (1.0, unit)
    )
    np.testing.assert_allclose(scaled.means_, plain.means_)
    np.testing.assert_allclose(scaled.mean_precision_.sum(), 303, rtol=1e-9)


def test_history_warm_start_and_verbose(capsys):
    settings = {"n_components": 3, "random_state": 0, "tol": 0.0, "warm_start": True, "keep_history": True}
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        model = BayesianGaussianMixture(max_iter=2, verbose=1, **settings).fit(X)
    assert len(model.history_) == 3
    assert model.history_[-1].log_likelihood == pytest.approx(model.score(X))
    assert "Start 0 has not converged after 2 iterations, lower bound" in capsys.readouterr().out
    first = model.lower_bounds_
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    assert model.lower_bounds_[0] >= first[-1]


@pytest.mark.parametrize("table", [pd.DataFrame(X), pl.DataFrame(X), X.tolist(), X.astype(np.float32)])
def test_tables_of_any_kind(table):
    model = BayesianGaussianMixture(n_components=3, random_state=0)
    assert adjusted_rand_score(model.fit_predict(table), LABEL) > 0.95


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"degrees_of_freedom_prior": 1.5},
            r"degrees_of_freedom_prior must be greater than n_features - 1 = 2, got 1\.5",
        ),
        ({"mean_prior": [1.0, 2.0]}, r"mean_prior must have the shape \(3,\), got \(2,\)"),
        ({"covariance_prior": 1.0}, r"covariance_prior must have the shape \(3, 3\), got \(1,\)"),
        (
            {"covariance_type": "diag", "covariance_prior": [1.0, 0.0, 1.0]},
            "covariance_prior must hold positive numbers",
        ),
        ({"covariance_prior": -np.eye(3)}, "covariance_prior must be a symmetric, positive definite matrix"),
        ({"weight_concentration_prior_type": "stick"}, "weight_concentration_prior_type"),
    ],
    ids=["degrees of freedom", "mean", "shape", "variances", "definite", "type"],
)
def test_errors_say_what_would_be_right(wrong, words):
    with pytest.raises(ValueError, match=words):
        BayesianGaussianMixture(**wrong).fit(X)


@pytest.mark.parametrize(
    ("table", "words"),
    [(X[:1], "minimum of 2 is required by BayesianGaussianMixture"), ([[1.0], [np.inf]], "infinity")],
    ids=["one row", "infinity"],
)
def test_tables_that_are_refused(table, words):
    with pytest.raises(ValueError, match=words):
        BayesianGaussianMixture().fit(table)

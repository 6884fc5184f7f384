"""Sparse tables give the models of the same tables laid out, bit for bit, however large they seem."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import spinney
from spinney.data import sparse

FORMATS = ["csr_matrix", "csc_array", "coo_array", "lil_matrix"]


@pytest.fixture(params=["small", "large"])
def path(request, monkeypatch):
    """Small tables are laid out; `large` sends them down the path of those that cannot be."""
    if request.param == "large":
        monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
        monkeypatch.setattr(sparse, "FULL", 0)
    return request.param


def drawn(seed, n=400, m=12, share=0.2, missing=True, decimals=1):
    """A table of which few cells are not zero, with negative and missing values and stored zeros; and a target."""
    random = np.random.RandomState(seed)
    dense = np.where(random.rand(n, m) < share, np.round(random.randn(n, m), decimals), 0.0)
    y = dense @ random.randn(m) + 0.1 * random.randn(n)
    if missing:
        dense[random.rand(n, m) < 0.02] = np.nan
    stored = sp.csr_matrix(dense)
    stored.data[:5] = 0.0  # stored zeros
    return stored.toarray(), stored, y


def same(model, dense, stored, y, methods=("predict",), **fit):
    """Fit both; the fitted models."""
    one, other = clone(model), clone(model)
    one.fit(dense, y, **fit)
    other.fit(stored, y, **fit)
    assert one.fingerprint_ == other.fingerprint_
    for method in methods:
        said = getattr(one, method)(dense)
        np.testing.assert_array_equal(getattr(other, method)(stored), said)
        np.testing.assert_array_equal(getattr(one, method)(stored), said)
    return one, other


BOOSTING = {
    "plain": {},
    "drawn": {"subsample": 0.5, "max_features": 0.5},
    "deep": {"min_samples_leaf": 1, "max_leaf_nodes": 60},
    "monotone": {"monotonic_cst": [1, -1] + 10 * [0], "interaction_cst": [[0, 1, 2, 3], list(range(3, 12))]},
    "stops": {"early_stopping": True, "n_iter_no_change": 2},
    "level-wise": {"growth": "level_wise", "max_depth": 3},
    "median": {"loss": "absolute_error"},
    "few bins": {"max_bins": 3},
}


@pytest.mark.parametrize("settings", BOOSTING.values(), ids=BOOSTING)
def test_boosting(path, settings):
    dense, stored, y = drawn(1, n=3000)
    weight = np.random.RandomState(2).randint(0, 3, len(y))
    model = spinney.GradientBoostingRegressor(n_estimators=5, random_state=0, **settings)
    same(model, dense, stored, y, ("predict", "apply"))
    same(model, dense, stored, y, sample_weight=weight)


def test_boosted_classes(path):
    dense, stored, y = drawn(3)
    labels = np.digitize(y, [-0.5, 0.5])
    model = spinney.GradientBoostingClassifier(n_estimators=4, min_samples_leaf=3, random_state=0)
    one, other = same(model, dense, stored, labels, ("predict_proba", "decision_function"), eval_set=(stored, labels))
    assert one.evals_result_ == other.evals_result_
    for a, b in zip(one.staged_predict_proba(dense), other.staged_predict_proba(stored)):
        np.testing.assert_array_equal(a, b)


def test_boosting_goes_on(path):
    dense, stored, y = drawn(4)
    one, other = (spinney.GradientBoostingRegressor(n_estimators=3, warm_start=True, random_state=0) for _ in range(2))
    for n in (3, 6):
        one.set_params(n_estimators=n).fit(dense, y)
        other.set_params(n_estimators=n).fit(stored, y)
    assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_boosting_with_few_histograms_and_many_copies(monkeypatch, n_jobs):
    """Histograms that were given up are summed again; columns of many cells have several copies of their bins."""
    from spinney.ensemble import boosting
    from spinney.grow.histogram import sparse_memory

    monkeypatch.setattr(sparse, "DENSE_CELLS", 0)
    dense, stored, y = drawn(5, n=2000)
    model = spinney.GradientBoostingRegressor(n_estimators=4, min_samples_leaf=2, random_state=0, n_jobs=n_jobs)
    expected = model.fit(dense, y).fingerprint_
    monkeypatch.setattr(sparse_memory, "_POOL", 0)
    assert model.fit(stored, y).fingerprint_ == expected
    plain = sparse_memory.make_sparse_rows
    monkeypatch.setattr(
        boosting, "make_sparse_rows", lambda data, monotone, block, team: plain(data, monotone, 7, team)
    )
    assert model.fit(stored, y).fingerprint_ == expected

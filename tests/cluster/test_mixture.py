"""The loop of EM: the log-likelihood never falls, whatever the form; forms are what they should be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.cluster.e_step import Gaussians, collect, read_rows
from spinney.cluster.m_step import FORMS, as_matrices, expand, next_mixture, precisions, publish
from spinney.cluster.mixture import (
    MixtureSettings,
    labels_of_nearest,
    middle_of,
    random_shares,
    run_em,
    shares_from_labels,
    start_from_shares,
)
from spinney.data.weights import Weights
from tests.cluster.cases import ALONE, blobs
from tests.compiled import few

pytestmark = pytest.mark.kernels


def rows_of(values, weight=None):
    return read_rows(values, weight, middle_of(values, weight))


@few(60, 6)
@given(st.integers(0, 10**6), st.sampled_from(FORMS), st.booleans(), st.booleans())
def test_the_log_likelihood_never_falls(seed, form, has_holes, has_weights):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(20, 60)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    values = rng.normal(size=(n, d)) + 3 * rng.integers(0, 3, (n, 1))
    if has_holes:
        values[rng.random(values.shape) < 0.2] = np.nan
        values[0] = 0.0
    rows = rows_of(values, rng.random(n) + 0.1 if has_weights else None)
    start = start_from_shares(rows, random_shares(n, k, seed), form, 1e-9, ALONE)
    found = run_em(rows, start, MixtureSettings(form, 30, 0.0, 1e-9, keep_history=True), ALONE)
    gains = np.diff([step.log_likelihood for step in found.history])
    assert (gains > -1e-6).all(), gains.min()
    assert found.n_iter == len(found.history) - 1


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    values, label = blobs(300, 3, 2, spread=6.0)
    rows = rows_of(values)
    found = start_from_shares(rows, shares_from_labels(label, 2), form, 0.0, ALONE)
    np.testing.assert_allclose(found.means + rows.origin, [values[label == k].mean(axis=0) for k in range(2)])
    own = np.array([np.cov(values[label == k].T, bias=True) for k in range(2)])
    variance = np.diagonal(own, axis1=1, axis2=2)
    wanted = {
        "full": own,
        "tied": np.average(own, axis=0, weights=np.bincount(label)),
        "diag": variance,
        "spherical": variance.mean(axis=1),
    }[form]
    published = publish(found.covariances, form)
    np.testing.assert_allclose(published, wanted)
    np.testing.assert_array_equal(expand(published, form, 2, 3), found.covariances)
    inverse, factor = precisions(found, form, ALONE)
    if form in ("diag", "spherical"):
        np.testing.assert_allclose(inverse, 1 / published)
        np.testing.assert_allclose(factor**2, inverse)
    else:
        np.testing.assert_allclose(inverse, np.linalg.inv(published))
        np.testing.assert_allclose(factor @ np.swapaxes(factor, -1, -2), inverse)
    assert as_matrices(found.covariances).shape == (2, 3, 3)


@pytest.mark.parametrize("form", FORMS)
def test_a_component_without_rows_stays_where_it_is(form):
    values, _ = blobs(50, 2, 1)
    rows = rows_of(values)
    spread = np.eye(2) if form in ("full", "tied") else np.ones((1, 2))
    before = Gaussians(np.array([0.5, 0.5]), np.array([[0.0, 0.0], [1e4, 1e4]]), np.stack([spread, spread]))
    after = next_mixture(before, collect(rows, before, ALONE), form, 1e-6)
    np.testing.assert_array_equal(after.means[1], before.means[1])
    assert after.weights[1] == 0
    if form != "tied":
        np.testing.assert_array_equal(after.covariances[1], before.covariances[1])
    run_em(rows, before, MixtureSettings(form, 5), ALONE)  # and does no harm


def test_a_collapsed_component_is_refused():
    values = np.column_stack([np.arange(10.0), np.ones(10)])
    for form in FORMS[:3]:
        with pytest.raises(ValueError, match=r"component 0 has collapsed.*larger reg_covar"):
            start_from_shares(rows_of(values), np.ones((10, 1)), form, 0.0, ALONE)


def test_starts():
    values, label = blobs(200, 2, 3, spread=50.0)
    for by_distance in (True, False):
        labels = labels_of_nearest(values, Weights(None, None), 3, by_distance, 4, ALONE)
        assert labels.shape == (200,)
    assert len(set(zip(label, labels_of_nearest(values, Weights(None, None), 3, True, 4, ALONE)))) == 3
    shares = random_shares(20, 3, 1)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares != random_shares(20, 3, 2)).any()


def test_the_middle():
    values = np.array([[1.0, np.nan], [3.0, 5.0]])
    np.testing.assert_array_equal(middle_of(values, None), [2, 5])
    np.testing.assert_array_equal(middle_of(values, np.array([3.0, 1.0])), [1.5, 5])

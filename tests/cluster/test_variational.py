"""Variational inference: one step as the slow twin, also with missing values; weights add up to 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.cluster.e_step import collect, read_rows
from spinney.cluster.mixture import MixtureSettings, covariance_prior, middle_of, posterior_from_shares, random_shares
from spinney.cluster.variational import Priors, expected_weights, next_posterior
from tests.cluster.cases import ALONE
from tests.compiled import few
from tests.oracles import clustering as reference_cluster

pytestmark = pytest.mark.kernels


@few(40, 4)
@given(st.integers(0, 10**6), st.booleans())
def test_a_step_as_the_twin(seed, has_holes):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(8, 30)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    values = rng.normal(size=(n, d)) + 3 * rng.integers(0, 3, (n, 1))
    if has_holes:
        values[rng.random(values.shape) < 0.25] = np.nan
        values[0] = 0.0
    weight = rng.random(n) + 0.1
    rows = read_rows(values, weight, middle_of(values, weight))
    spread = covariance_prior(rows, "full", ALONE)
    priors = Priors(False, 0.4, 1.3, rng.normal(size=d), d + 0.7, spread + 0.1 * np.eye(d))
    settings = MixtureSettings(reg_covar=0.0, priors=priors)
    before = posterior_from_shares(rows, random_shares(n, k, seed), settings, ALONE)
    sums = collect(rows, before, ALONE)
    after = next_posterior(before, sums, priors, "full", 0.0, ALONE)
    likelihood, wanted = reference_cluster.variational_step(
        values - rows.origin,
        weight,
        {
            "concentration": before.concentration[0],
            "mean_precision": before.mean_precision,
            "freedom": before.degrees_of_freedom,
            "means": before.means,
            "covariances": before.covariances,
        },
        {
            "concentration": priors.concentration,
            "mean_precision": priors.mean_precision,
            "mean": priors.mean,
            "freedom": priors.degrees_of_freedom,
            "covariance": priors.covariance,
        },
    )
    assert sums.likelihood == pytest.approx(likelihood, rel=1e-9)
    np.testing.assert_allclose(after.concentration[0], wanted["concentration"], rtol=1e-9)
    np.testing.assert_allclose(after.mean_precision, wanted["mean_precision"], rtol=1e-9)
    np.testing.assert_allclose(after.degrees_of_freedom, wanted["freedom"], rtol=1e-9)
    np.testing.assert_allclose(after.means, wanted["means"], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(after.covariances, wanted["covariances"], rtol=1e-7, atol=1e-9)


def test_expected_weights():
    np.testing.assert_allclose(expected_weights(np.array([[1.0, 3.0]])), [0.25, 0.75])
    stick = np.array([[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]])  # halves, the last one what is left of half
    np.testing.assert_allclose(expected_weights(stick), np.array([4, 2, 1]) / 7)


def test_the_covariance_of_all_rows():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))
    rows = read_rows(values, None, middle_of(values, None))
    full = covariance_prior(rows, "full", ALONE)
    np.testing.assert_allclose(full, np.cov(values.T))
    np.testing.assert_allclose(covariance_prior(rows, "diag", ALONE), np.diag(full)[None])
    np.testing.assert_allclose(covariance_prior(rows, "spherical", ALONE), np.full((1, 3), np.diag(full).mean()))
    weight = rng.integers(0, 4, 50).astype(float)
    weighted = read_rows(values, weight, middle_of(values, weight))
    np.testing.assert_allclose(
        covariance_prior(weighted, "full", ALONE), np.cov(np.repeat(values, weight.astype(int), axis=0).T)
    )

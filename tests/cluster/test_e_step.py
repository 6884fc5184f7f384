"""A pass over the rows for a mixture: shares, log-likelihood and sums, against the textbook's EM."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from spinney._team import Team
from spinney.cluster.e_step import Gaussians, collect, expect, read_rows
from spinney.cluster.m_step import as_matrices, next_mixture
from tests.cluster.cases import ALONE
from tests.compiled import THREADS, few
from tests.oracles.clustering import em_step, log_densities

pytestmark = pytest.mark.kernels


@st.composite
def cases(draw, most_rows=60):
    """(rows with holes, weights or None, a mixture with full covariances)."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, d, k = draw(st.integers(1, most_rows)), draw(st.integers(1, 6)), draw(st.integers(1, 4))
    rows = rng.normal(size=(n, d))
    rows[rng.random((n, d)) < draw(st.sampled_from((0.0, 0.3)))] = np.nan
    weight = rng.random(n) + 0.01 if draw(st.booleans()) else None
    root = rng.normal(size=(k, d, d))
    covariances = root @ root.swapaxes(1, 2) + np.eye(d)
    weights = rng.random(k) + 0.1
    return rows, weight, Gaussians(weights / weights.sum(), rng.normal(size=(k, d)), covariances)


@few(40, 6)
@given(cases())
def test_shares_and_densities(case):
    values, _, mixture = case
    found = expect(read_rows(values, None, np.zeros(values.shape[1])), mixture, ALONE)
    joint = log_densities(values, mixture.means, mixture.covariances) + np.log(mixture.weights)
    total = logsumexp(joint, axis=1)
    np.testing.assert_allclose(found[:, -1], total, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found[:, :-1], np.exp(joint - total[:, None]), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found[:, :-1].sum(axis=1), 1)


@few(40, 6)
@given(cases(), st.floats(-3, 3))
def test_a_step(case, shift):
    values, weight, mixture = case
    d = values.shape[1]
    origin = np.full(d, shift)
    relative = Gaussians(mixture.weights, mixture.means - origin, mixture.covariances)
    sums = collect(read_rows(values, weight, origin), relative, ALONE)
    found = next_mixture(relative, sums, "full", 0.5)
    weight = np.ones(len(values)) if weight is None else weight
    likelihood, weights, means, covariances = em_step(
        values, weight, mixture.weights, mixture.means, mixture.covariances
    )
    assert sums.likelihood / weight.sum() == pytest.approx(likelihood, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(found.weights, weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.means + origin, means, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found.covariances, covariances + 0.5 * np.eye(d), rtol=1e-7, atol=1e-7)


@few(30, 5)
@given(cases())
def test_variances_are_diagonal_matrices(case):
    values, weight, mixture = case
    variances = np.ascontiguousarray(np.diagonal(mixture.covariances, axis1=1, axis2=2)[:, None])
    plain = Gaussians(mixture.weights, mixture.means, variances)
    rows = read_rows(values, weight, np.zeros(values.shape[1]))
    mine = collect(rows, plain, ALONE)
    theirs = collect(rows, Gaussians(mixture.weights, mixture.means, as_matrices(variances)), ALONE)
    np.testing.assert_allclose(mine.weight, theirs.weight, atol=1e-12)
    np.testing.assert_allclose(mine.first, theirs.first, atol=1e-9)
    np.testing.assert_allclose(mine.second[:, 0], np.diagonal(theirs.second, axis1=1, axis2=2), atol=1e-9)
    assert mine.likelihood == pytest.approx(theirs.likelihood, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads(dtype):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2000, 5)).astype(dtype)
    values[rng.random(values.shape) < 0.05] = np.nan
    mixture = Gaussians(np.array([0.4, 0.6]), rng.normal(size=(2, 5)), np.stack([np.eye(5), 2 * np.eye(5)]))
    rows = read_rows(values, rng.random(2000), np.zeros(5))
    found = []
    for size in THREADS:
        with Team(size) as team:
            sums, shares = collect(rows, mixture, team), expect(rows, mixture, team)
        parts = (sums.weight, sums.first, sums.second, shares)
        found.append((sums.likelihood, *(part.tobytes() for part in parts)))
    assert len(set(found)) == 1


@pytest.mark.parametrize("n_columns", [1, 3, 64, 65, 200])
def test_rows_with_the_same_values_missing_lie_together(n_columns):
    rng = np.random.default_rng(n_columns)
    values = np.zeros((50, n_columns))
    values[rng.random((50, n_columns)) < 0.02 * 50 / n_columns] = np.nan
    rows = read_rows(values, None, np.zeros(n_columns))
    assert sorted(rows.order.tolist()) == list(range(50))
    assert (np.diff(rows.pattern) >= 0).all()
    np.testing.assert_array_equal(rows.patterns[rows.pattern], ~np.isnan(values[rows.order]))
    assert len(rows.patterns) == len(np.unique(np.isnan(values), axis=0))


def test_given_shares():
    rng = np.random.default_rng(0)
    values, shares = rng.normal(size=(300, 3)), rng.random((300, 2))
    mixture = Gaussians(np.full(2, 0.5), np.zeros((2, 3)), np.stack([np.eye(3)] * 2))
    sums = collect(read_rows(values, None, np.zeros(3)), mixture, ALONE, shares)
    np.testing.assert_allclose(sums.weight, shares.sum(axis=0))
    np.testing.assert_allclose(sums.first, shares.T @ values)
    np.testing.assert_allclose(sums.second, np.einsum("nk,ni,nj->kij", shares, values, values))


def test_rows_of_weight_0_have_no_say():
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=(100, 2)), np.arange(100) % 2.0
    mixture = Gaussians(np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    half = collect(read_rows(values[1::2], None, np.zeros(2)), mixture, ALONE)
    with_zeros = collect(read_rows(values, weight, np.zeros(2)), mixture, ALONE)
    assert with_zeros.likelihood == pytest.approx(half.likelihood)
    np.testing.assert_allclose(with_zeros.second, half.second)

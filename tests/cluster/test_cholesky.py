"""Factors of large matrices, by blocks, beside NumPy's; and the pass for wide tables beside the one for narrow ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from spinney._team import Team
from spinney.cluster import cholesky as room
from spinney.cluster import e_step as narrow
from spinney.cluster import e_step as wide
from spinney.cluster.e_step import Gaussians, collect, expect, read_rows
from tests.cluster.cases import ALONE
from tests.compiled import THREADS, few

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    """Many blocks, strips and chunks in small tables, and no table too narrow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "_BLOCK", 3)
        patch.setattr(room, "_STRIP", 4)
        patch.setattr(wide, "_ROWS", 2)
        patch.setattr(wide, "_ROOM", 20)
        yield


def positive(rng, d, k=1):
    root = rng.normal(size=(k, d, d))
    return root @ root.swapaxes(1, 2) + 0.1 * np.eye(d)


@few(40, 8)
@given(st.integers(0, 10**6), st.integers(1, 14))
def test_factor_inverse_and_determinant(seed, d):
    rng = np.random.default_rng(seed)
    (matrix,) = positive(rng, d)
    found = room.triangle(matrix, ALONE)
    lower = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(found.lower, lower, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.inverse(ALONE), np.linalg.inv(lower), rtol=1e-7, atol=1e-7)
    assert (np.triu(found.inverse(ALONE), 1) == 0).all()
    assert found.log_inverse_determinant() == pytest.approx(-np.log(np.diagonal(lower)).sum(), rel=1e-9, abs=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "WIDE_COLUMNS", 1)
        factors, inverses = room.factors_and_inverses(matrix[None])
        np.testing.assert_array_equal(factors[0], found.lower)
        np.testing.assert_allclose(room.gram(inverses)[0], np.linalg.inv(matrix), rtol=1e-6, atol=1e-6)
    rows = rng.normal(size=(5, d))
    np.testing.assert_allclose(found.solve(rows.copy()), np.linalg.solve(lower, rows.T).T, rtol=1e-7, atol=1e-7)


def test_a_matrix_that_is_not_positive_has_no_factor():
    rng = np.random.default_rng(0)
    for place in (0, 4, 10):
        (matrix,) = positive(rng, 11)
        matrix[place, place] = -1.0
        assert room.triangle(matrix, ALONE) is None
    assert room.triangle(np.full((11, 11), np.nan), ALONE) is None


def test_equal_matrices_are_factorised_once():
    (matrix,) = positive(np.random.default_rng(0), 7)
    one, two, three = room.triangles(np.stack([matrix, matrix, 2 * matrix]), ALONE)
    assert one is two
    assert three is not two


def test_the_same_factor_on_any_number_of_threads():
    (matrix,) = positive(np.random.default_rng(0), 40)
    found = set()
    for size in THREADS:
        with Team(size) as team:
            one = room.triangle(matrix, team)
            found.add((one.lower.tobytes(), one.inverse(team).tobytes()))
    assert len(found) == 1


def test_blas_gets_its_threads_back():
    def threads():
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    with threadpool_limits(2, "blas"):
        before = threads()
        first, second = room.one_blas_thread(), room.one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)  # in whichever order fits side by side end
        assert set(threads()) <= {1}
        second.__exit__(None, None, None)
        assert threads() == before


@few(30, 6)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_wide_and_narrow_passes_agree(seed, has_weights, is_given):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(1, 30)), int(rng.integers(2, 9)), int(rng.integers(1, 4))
    weight = np.where(rng.random(n) < 0.2, 0.0, rng.random(n)) + 1e-3 if has_weights else None
    rows = read_rows(rng.normal(size=(n, d)) * 2, weight, rng.normal(size=d))
    weights, means, covariances = rng.random(k) + 0.1, rng.normal(size=(k, d)), positive(rng, d, k)
    shares = rng.dirichlet(np.ones(k), n) if is_given else None
    results = []
    for least in (10**6, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(narrow, "WIDE_COLUMNS", least)
            mixture = Gaussians(weights / weights.sum(), means, covariances)
            assert mixture.is_wide == (least == 2)
            results.append((collect(rows, mixture, ALONE, shares), expect(rows, mixture, ALONE)))
    (mine, my_shares), (other, other_shares) = results
    np.testing.assert_allclose(my_shares, other_shares, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(mine.weight, other.weight, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mine.first, other.first, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(mine.second, other.second, rtol=1e-7, atol=1e-9)
    assert (other.second == other.second.swapaxes(1, 2)).all()
    if not is_given:
        assert mine.likelihood == pytest.approx(other.likelihood, rel=1e-9, abs=1e-9)


def test_a_component_without_weight_takes_no_part():
    rng = np.random.default_rng(0)
    rows = read_rows(rng.normal(size=(9, 5)), None, np.zeros(5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(narrow, "WIDE_COLUMNS", 2)
        sums = collect(rows, Gaussians(np.array([1.0, 0.0]), np.zeros((2, 5)), positive(rng, 5, 2)), ALONE)
    assert sums.weight.tolist() == [9.0, 0.0]
    assert np.isfinite(sums.likelihood)

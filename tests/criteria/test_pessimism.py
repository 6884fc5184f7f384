"""The pessimistic error bound: Quinlan's figures, the binomial distribution, and what must hold of any bound."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from spinney.criteria.pessimism import confidence, extra_errors
from tests.compiled import few

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(("n", "rate"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_quinlans_figures_for_leaves_without_errors(n, rate):
    """C4.5: Programs for Machine Learning (1993), section 4.2."""
    assert extra_errors(n, 0) / n == pytest.approx(rate, abs=6e-4)


def test_quinlans_figure_for_one_error_in_sixteen():
    """He has 0.157, with the normal quantile read from a table as 0.6925."""
    assert (1 + extra_errors(16, 1)) / 16 == pytest.approx(0.1547, abs=1e-4)
    rate = 0.157
    assert (1 + extra_errors(16, 1)) / 16 == pytest.approx(rate, abs=3e-3)


@few(100)
@given(st.integers(1, 10_000), st.sampled_from((0.01, 0.1, 0.25, 0.5)))
def test_no_errors_have_probability_cf_at_the_bound(n, cf):
    assert binom.pmf(0, n, extra_errors(n, 0, cf) / n) == pytest.approx(cf, rel=1e-6)


@few(100)
@given(st.integers(20, 10_000), st.floats(0.1, 0.5), st.sampled_from((0.1, 0.25, 0.4)))
def test_the_normal_approximation_is_near_the_binomial(n, share, cf):
    errors = max(2, int(share * n))
    chance = (errors + extra_errors(n, errors, cf)) / n
    assert binom.cdf(errors, n, chance) == pytest.approx(cf, abs=0.02)


@few(200)
@given(st.floats(1e-6, 1e6), st.floats(0, 1), st.sampled_from((0.001, 0.25, 0.5)))
def test_the_bound_lies_between_what_was_counted_and_everything(n, share, cf):
    errors = n * share
    extra = extra_errors(n, errors, cf)
    assert -1e-9 * n <= extra <= n - errors + 1e-9 * n or errors < 1.0
    assert errors + extra <= max(n, 1.0) * (1 + 1e-9)


def test_smaller_cf_is_more_pessimistic():
    n, errors = np.meshgrid([1.0, 5.0, 40.0, 1000.0], [0.0, 0.4, 1.0, 3.0])
    some = [extra_errors(n, errors, cf) for cf in (0.001, 0.1, 0.25, 0.5)]
    assert all((first >= second - 1e-12).all() for first, second in pairwise(some))


def test_no_rows_no_errors():
    assert extra_errors(0, 0) == 0.0


def test_arrays_have_the_answers_of_numbers():
    n, errors = np.array([[6.0, 9.0], [1.0, 16.0]]), np.array([[0.0, 0.3], [0.5, 1.0]])
    together = extra_errors(n, errors, 0.25)
    assert together.shape == (2, 2)
    assert together.ravel().tolist() == [extra_errors(a, b) for a, b in zip(n.flat, errors.flat, strict=True)]


@pytest.mark.parametrize("cf", [0.0, -1.0, 0.6, float("nan")])
def test_cf_out_of_range(cf):
    with pytest.raises(ValueError, match=r"cf must lie above 0 and be at most 0\.5, got"):
        confidence(cf)

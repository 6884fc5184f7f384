"""The chi-squared test against SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2, chi2_contingency

from spinney.criteria import significance
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

two_branches = outer(significance.chi_squared)
many_branches = outer(significance.table_statistic)
of_numbers = outer(significance.number_statistic)


def tables(n_rows):
    sizes = st.tuples(n_rows, st.integers(1, 5))
    return sizes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 30).map(float)))


def expected(counts):
    """SciPy's, without empty rows and columns."""
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 0.0, 0
    result = chi2_contingency(counts, correction=False)
    return result.statistic, result.dof


def ask(counts):
    return many_branches(counts, np.empty(counts.shape[0]), np.empty(counts.shape[1]))


@few(60)
@given(tables(st.integers(1, 5)))
def test_table_statistic_is_scipys(counts):
    statistic, degrees = ask(counts)
    assert (statistic, degrees) == (pytest.approx(expected(counts)[0]), expected(counts)[1])


@few(60)
@given(tables(st.just(2)))
def test_two_branches_are_a_table_of_two_rows(counts):
    statistic, degrees = two_branches(counts[0], counts[1])
    assert (statistic, degrees) == (pytest.approx(expected(counts)[0], abs=1e-12), expected(counts)[1])


def test_whole_numbers_and_weights_are_alike():
    left, right = np.array([30, 10]), np.array([10, 30])
    assert two_branches(left, right) == two_branches(left.astype(float), right.astype(float)) == (20.0, 1)
    assert two_branches(left / 4, right / 4) == (5.0, 1)  # weights count as repeated rows


def test_critical_values():
    values = significance.critical_values(0.05, 3)
    assert values[0] == np.inf
    assert values[1:] == pytest.approx([3.841, 5.991, 7.815], abs=1e-3)
    assert chi2.sf(values[1:], [1, 2, 3]) == pytest.approx([0.05] * 3)
    assert list(significance.critical_values(0.05, 0)) == [np.inf]


def test_number_statistic():
    rng = np.random.RandomState(0)
    y, side = rng.randn(50), np.arange(50) < 20
    after = (y[side].var() * 20 + y[~side].var() * 30) / 50
    r_squared = np.corrcoef(y, side)[0, 1] ** 2
    assert of_numbers(50.0, y.var(), after) == pytest.approx(50 * r_squared)
    assert of_numbers(50.0, 0.0, 0.0) == 0.0

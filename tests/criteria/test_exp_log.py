"""exp and log, and what is made of them, against NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.exp_log import LN2, exp, exp_of, exps_of, log, log1p_exp, log_of, logs_of, sigmoid, sigmoids_of
from tests.compiled import PLAIN_PYTHON, few, outer

pytestmark = pytest.mark.kernels

_exp, _log, _log1p_exp, _sigmoid = outer(exp), outer(log), outer(log1p_exp), outer(sigmoid)
N = 300 if PLAIN_PYTHON else 20_000


def ulps(found, expected):
    """Distance in units of the last place."""
    return np.abs(np.asarray(found) - expected) / np.spacing(np.abs(expected))


@few(100)
@given(st.floats(-700.0, 700.0))
def test_exp(x):
    assert ulps(_exp(x), np.exp(x)) <= 2


@few(100)
@given(st.floats(2.0**-1022, 1.7976931348623157e308))
def test_log(x):
    assert ulps(_log(x), np.log(x)) <= 2 or abs(_log(x) - np.log(x)) < 1e-300


def test_over_the_range_that_losses_use():
    x = np.linspace(-40.0, 40.0, N)
    assert max(ulps([_exp(v) for v in x], np.exp(x))) <= 2
    x = np.concatenate((np.geomspace(1e-30, 1e30, N), np.linspace(0.5, 2.0, N)))
    x = x[x != 1.0]
    assert max(ulps([_log(v) for v in x], np.log(x))) <= 2


def test_exact_points_and_saturation():
    assert _exp(0.0) == 1.0
    assert _log(1.0) == 0.0
    assert _exp(800.0) == _exp(700.0) == pytest.approx(np.exp(700.0), rel=1e-15)
    assert _exp(-1e300) == _exp(-700.0) > 0.0


@few(100)
@given(st.floats(-600.0, 600.0))
def test_log1p_exp_and_sigmoid(x):
    assert _log1p_exp(x) == pytest.approx(np.logaddexp(0.0, x), rel=1e-14, abs=1e-15)
    assert _sigmoid(x) == pytest.approx(1.0 / (1.0 + np.exp(-x)), rel=1e-14)
    assert 0.0 <= _sigmoid(x) <= 1.0


@few(60)
@given(st.floats(-700.0, 700.0), st.floats(0.0, 1.0))
def test_exp_does_not_fall(x, step):
    assert _exp(x) <= _exp(x + step) * (1 + 1e-15)


def test_for_whoever_is_not_a_kernel():
    x = np.array([[0.5, 1.0, 2.0], [3.0, 1e-300, 1e300]])
    assert logs_of(x).tolist() == [[_log(v) for v in row] for row in x]
    assert sigmoids_of(x - 1.0).tolist() == [[_sigmoid(v - 1.0) for v in row] for row in x]
    assert exps_of(-x).tolist() == [[_exp(-v) for v in row] for row in x]
    assert logs_of(x.T).tolist() == logs_of(x).T.tolist()
    assert (log_of(3), exp_of(3)) == (_log(3.0), _exp(3.0))
    assert log_of(2.0) == LN2

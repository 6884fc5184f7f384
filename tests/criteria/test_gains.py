"""Gains and leaf values: they are the minimum of the objective."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.gains import (
    Link,
    Penalty,
    bounded_score,
    clip,
    hold_back,
    leaf_score,
    leaf_value,
    shrink,
    value_score,
)
from spinney.criteria.losses import Gamma, Poisson, Tweedie, derivatives
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_shrink, _value, _score, _clip = outer(shrink), outer(leaf_value), outer(leaf_score), outer(clip)
_value_score, _bounded, _hold_back = outer(value_score), outer(bounded_score), outer(hold_back)
GRADIENTS, HESSIANS = st.floats(-1e3, 1e3), st.floats(1e-3, 1e3)
PENALTIES = st.builds(Penalty, st.sampled_from((0.0, 0.5, 100.0)), st.sampled_from((0.0, 1.0, 50.0)))


def objective(value, gradient, hessian, penalty):
    return gradient * value + 0.5 * (hessian + penalty.l2) * value**2 + penalty.l1 * abs(value)


@few(100)
@given(GRADIENTS, HESSIANS, PENALTIES)
def test_the_leaf_value_minimises_the_objective(gradient, hessian, penalty):
    best = _value(gradient, hessian, penalty)
    here = objective(best, gradient, hessian, penalty)
    for other in best + np.array([-1.0, -1e-3, 1e-3, 1.0]) * max(1.0, abs(best)):
        assert here <= objective(other, gradient, hessian, penalty) + 1e-9
    assert _score(gradient, hessian, penalty) == pytest.approx(-2.0 * here, rel=1e-9, abs=1e-9)
    assert _value_score(best, gradient, hessian, penalty) == pytest.approx(-2.0 * here, rel=1e-9, abs=1e-9)


@few(100)
@given(GRADIENTS, HESSIANS, PENALTIES, st.floats(-5, 5), st.floats(0, 5))
def test_bounds_cost_what_they_cost(gradient, hessian, penalty, lower, width):
    upper = lower + width
    held = _clip(_value(gradient, hessian, penalty), lower, upper)
    assert lower <= held <= upper
    score = _bounded(gradient, hessian, lower, upper, penalty)
    assert score == pytest.approx(-2.0 * objective(held, gradient, hessian, penalty), rel=1e-9, abs=1e-9)
    assert score <= _score(gradient, hessian, penalty) * (1 + 1e-9) + 1e-9
    free = _bounded(gradient, hessian, -np.inf, np.inf, penalty)
    assert free == pytest.approx(_score(gradient, hessian, penalty), rel=1e-9, abs=1e-9)


@few(100)
@given(GRADIENTS, HESSIANS, GRADIENTS, HESSIANS)
def test_without_l1_a_split_never_loses(g1, h1, g2, h2):
    free = Penalty(0.0, 0.0)
    both = _score(g1, h1, free) + _score(g2, h2, free)
    assert both >= _score(g1 + g2, h1 + h2, free) * (1 - 1e-12) - 1e-12


def test_shrink():
    assert [_shrink(g, 1.0) for g in (-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0)] == [-2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]


def test_no_weight_no_value():
    assert _value(3.0, 0.0, Penalty(0.0, 0.0)) == 0.0
    assert _score(3.0, 0.0, Penalty(0.0, 0.0)) == 0.0


@outer
def _sum_derivatives(loss, raw, y):
    gradient = hessian = 0.0
    for i in range(y.size):
        one = derivatives(loss, raw[i], y[i])
        gradient += one[0]
        hessian += one[1]
    return gradient, hessian


@few(60)
@given(seed=st.integers(0, 10**6), spread=st.sampled_from((0.1, 1.0, 5.0)), move=st.floats(-6, 6))
@pytest.mark.parametrize("loss", [Poisson(), Gamma(), Tweedie(1.1), Tweedie(1.5), Tweedie(1.9)], ids=repr)
def test_a_step_under_a_log_link_is_newtons_or_ends_at_the_minimum(loss, seed, spread, move):
    """By the derivatives themselves: at the end of the step the gradient still points the way that the step went."""
    random = np.random.RandomState(seed)
    raw = spread * random.randn(8)
    y = np.exp(move + spread * random.randn(8))
    gradient, hessian = _sum_derivatives(loss, raw, y)
    newton = -gradient / hessian
    step = _hold_back(newton, Link(loss.variance_power, 1e9))
    assert step * newton >= 0.0
    assert abs(step) <= abs(newton)
    there, _ = _sum_derivatives(loss, raw + step, y)
    assert there * gradient >= -1e-9 * gradient * gradient
    if abs(step) < 0.999 * abs(newton):  # the minimum was nearer
        assert abs(there) <= 1e-6 * abs(gradient)
    assert abs(_hold_back(newton, Link(loss.variance_power))) <= 2.0


def test_steps_that_no_leaf_takes_are_bounded_all_the_same():
    for power in (1.0, 1.5, 2.0):
        for step in (-1e300, -10.0, -1.0, 0.0, 1.0, 10.0, 1e300):
            held = _hold_back(step, Link(power))
            assert -2.0 <= held <= 2.0
            assert held * step >= 0.0

"""Gains and leaf values: they are the minimum of the objective."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.gains import Penalty, bounded_score, clip, leaf_score, leaf_value, shrink, value_score
from tests.compiled import few, outer

pytestmark = pytest.mark.kernels

_shrink, _value, _score, _clip = outer(shrink), outer(leaf_value), outer(leaf_score), outer(clip)
_value_score, _bounded = outer(value_score), outer(bounded_score)
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

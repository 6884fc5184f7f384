"""Units of a fit: powers of two only, there and back without loss, and only where they are needed."""

import math

import numpy as np
import pytest

from spinney.criteria.exp_log import LN2
from spinney.criteria.losses import AbsoluteError, Gamma, Huber, LogLoss, Poisson, Quantile, SquaredError, Tweedie
from spinney.criteria.user_loss import compile_loss
from spinney.data.weights import Weights
from spinney.ensemble.boosting.start import Units, find_units
from tests.grow.cases import grow_cpu, make_case, make_dataset, make_limits

NONE = Weights(None, None)
IDENTITY = [SquaredError(), AbsoluteError(), Huber(), Quantile(0.2)]
LOG = [Poisson(), Gamma(), Tweedie(1.5)]


@pytest.mark.parametrize("loss", IDENTITY + LOG, ids=lambda loss: type(loss).__name__)
def test_ordinary_targets_are_left_alone(loss):
    y = np.array([1.0, 3.0, 1e6])
    units = find_units(loss, y, NONE)
    assert units.exponent == 0
    assert units.targets(y) is y
    assert find_units(loss, y * 1e12, NONE).exponent == 0


@pytest.mark.parametrize("loss", IDENTITY + LOG, ids=lambda loss: type(loss).__name__)
@pytest.mark.parametrize("scale", [1e300, 1e-300, 2.0**-1000, 1e30])
def test_targets_come_near_to_one_and_back(loss, scale):
    y = np.array([0.25, 1.0, 3.0]) * scale
    units = find_units(loss, y, NONE)
    near = units.targets(y)
    assert 0.5 <= near.max() <= 2.0**64
    np.testing.assert_array_equal(np.ldexp(near, units.exponent), y)
    raw = np.array([[-1.5, 0.25]])
    np.testing.assert_allclose(units.raw(units.user_raw(raw)), raw, atol=1e-12)


def test_counts_are_not_scaled_but_small_amounts_are():
    for loss in (Poisson(), Tweedie(1.5)):
        assert find_units(loss, np.array([0.0, 0.0, 1.0]), NONE).exponent == 0
        small = np.array([0.0, 1e-9, 3e-9])
        for k in (0, 5, -40):
            units = find_units(loss, small * 2.0**k, NONE)
            assert 1.0 <= units.targets(small * 2.0**k).mean() < 2.0
            assert units.exponent == find_units(loss, small, NONE).exponent + k
    assert find_units(Gamma(), np.array([1e-9, 3e-9]), NONE).exponent == 0  # whose derivatives have no unit


def test_classes_and_losses_of_ones_own_have_no_units():
    own = compile_loss(type("L", (), {"gradient": lambda y, raw: raw - y, "hessian": lambda y, raw: 1.0}), "identity")
    for loss in (LogLoss(), own):
        assert find_units(loss, np.array([0.0, 1e300]), NONE) == Units()


def test_penalties_go_with_the_gradients():
    units = Units(300, False, True)
    assert units.penalty(8.0, 2.0) == (8.0 * 2.0**-300, 2.0)
    assert units.gain(8.0) == 8.0 * 2.0**-600
    assert Units(300, False, False).penalty(8.0, 2.0) == (8.0, 2.0)
    assert Units(-1000, False, True).penalty(8.0, 2.0).l1 == 2.0**1003
    assert Units(-1023, False, True).penalty(8.0, 2.0).l1 == math.inf


def test_a_tree_in_the_users_units():
    dataset = make_dataset([np.arange(10.0)])
    case = make_case(dataset, np.column_stack([np.arange(10.0) - 4, np.ones(10)]), make_limits(1))
    tree = grow_cpu(case).frozen
    other = Units(-70, False, True).user_tree(tree)
    np.testing.assert_array_equal(other.answers, tree.answers * 2.0**-70)
    np.testing.assert_array_equal(other.gain, tree.gain * 2.0**-140)
    assert np.isfinite(Units(1000, False, True).user_tree(tree).gain).all()
    assert Units(500, True).user_tree(tree) is tree


def test_a_log_link_shifts():
    units = Units(100, True)
    np.testing.assert_array_equal(units.user_raw(np.array([1.0])), [1.0 + 100 * LN2])

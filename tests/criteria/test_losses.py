"""Losses: derivatives are those of the value, start values minimise it, impossible targets are refused."""

import numpy as np
import pytest

from spinney.criteria.exp_log import log_of
from spinney.criteria.losses import (
    CUSTOM,
    AbsoluteError,
    Exponential,
    Gamma,
    Huber,
    LogLoss,
    Poisson,
    Quantile,
    SquaredError,
    Tweedie,
    check_targets,
    derivatives,
    has_log_link,
    kind_of,
    response,
    softmax_derivatives,
    start_value,
    value,
)
from spinney.criteria.losses import (
    LOSSES as KINDS,
)
from spinney.criteria.user_loss import compile_loss
from spinney.data.weights import Weights, read_weights
from spinney.estimators.boosting.params import CLASS_LOSS, NUMBER_LOSS
from tests.compiled import outer

LOSSES = [
    SquaredError(),
    AbsoluteError(),
    Huber(0.9, 0.7),
    Quantile(0.2),
    Quantile(0.8),
    Poisson(),
    Gamma(),
    Tweedie(1.2),
    Tweedie(1.9),
    LogLoss(),
    Exponential(),
]
SMOOTH = (SquaredError, Poisson, Gamma, Tweedie, LogLoss, Exponential)  # for the others a hessian of 1 stands in
NONE = Weights(None, None)


@outer
def _evaluate(loss, raw, y, out):
    for i in range(raw.size):
        out[0, i] = value(loss, raw[i], y[i])
        out[1, i], out[2, i] = derivatives(loss, raw[i], y[i])
        out[3, i] = response(loss, raw[i])


def evaluate(loss, raw, y):
    """Value, gradient, hessian and response of every row."""
    raw, y = np.broadcast_arrays(np.asarray(raw, float), np.asarray(y, float))
    out = np.empty((4, raw.size))
    _evaluate(loss, raw.ravel().copy(), y.ravel().copy(), out)
    return out


def targets(loss, n=60):
    """Targets such as the loss is for."""
    random = np.random.RandomState(0)
    if isinstance(loss, LogLoss | Exponential):
        return random.randint(0, 2, n).astype(float)
    if isinstance(loss, Poisson | Tweedie):
        return random.randint(0, 5, n).astype(float)
    return random.rand(n) * 4 + 0.1 if isinstance(loss, Gamma) else random.randn(n) * 2


def test_every_loss_is_tested():
    assert {type(loss) for loss in LOSSES} == {kind.make for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_properties_of_a_loss_are_those_of_its_formulas(kind):
    loss, random = kind.make(), np.random.RandomState(5)
    raw, y = random.randn(50), random.rand(50) + 0.1
    _, gradient, hessian, response = evaluate(loss, raw, y)
    assert kind_of(loss) is kind_of(kind.name) is kind
    assert kind.has_unit_hessian == (hessian == 1.0).all()
    assert kind.gradient_is_residual == (gradient == raw - y).all()
    link = {"identity": lambda raw: raw, "exp": np.exp, "logistic": lambda raw: 1 / (1 + np.exp(-raw))}[kind.link]
    np.testing.assert_allclose(response, link(kind.link_scale * raw), rtol=1e-14)
    assert has_log_link(loss) == (kind.link == "exp") == hasattr(loss, "variance_power")
    assert kind.leaves_are_quantiles == ("quantile" in loss._fields)
    assert set(kind.parameters) <= set(loss._fields)
    if kind.link == "identity":
        _, doubled, after, _ = evaluate(loss, 16 * raw, 16 * y)
        grows = (np.abs(doubled) > np.abs(gradient)).any() and (after == hessian).all()
        assert kind.scales_gradients == grows


def test_every_loss_is_in_the_texts_of_the_parameters():
    for kind in KINDS:
        assert f'"{kind.name}"' in str((CLASS_LOSS if kind.needs_classes else NUMBER_LOSS)["loss"])


def test_nothing_is_assumed_of_a_loss_of_ones_own():
    own = compile_loss(type("L", (), {"gradient": lambda y, raw: raw - y, "hessian": lambda y, raw: 1.0}), "identity")
    assert kind_of(own) is kind_of("unknown") is CUSTOM
    assert not any(value for value in CUSTOM if value is True)


@pytest.mark.kernels
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_derivatives_are_those_of_the_value(loss):
    y, raw = targets(loss), np.random.RandomState(1).randn(60)
    kinks = np.abs(np.abs(raw - y) - (loss.delta if isinstance(loss, Huber) else 0.0))
    away = kinks > 1e-3
    y, raw = y[away], raw[away]
    step = 1e-5
    low, here, high = (evaluate(loss, raw + move, y) for move in (-step, 0.0, step))
    np.testing.assert_allclose(here[1], (high[0] - low[0]) / (2 * step), rtol=1e-6, atol=1e-6)
    if isinstance(loss, SMOOTH):
        np.testing.assert_allclose(here[2], (high[1] - low[1]) / (2 * step), rtol=1e-6, atol=1e-6)
    else:
        assert (here[2] == 1.0).all()
    assert (here[2] >= 0).all()


@pytest.mark.kernels
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if isinstance(loss, Poisson | Gamma | Tweedie)], ids=repr)
def test_the_loss_is_least_where_the_prediction_is_the_target(loss):
    y = np.array([0.5, 1.0, 4.0])
    at_target = evaluate(loss, np.log(y), y)
    np.testing.assert_allclose(at_target[3], y, rtol=1e-14)
    np.testing.assert_allclose(at_target[1], 0.0, atol=1e-13)


@pytest.mark.kernels
def test_responses():
    raw = np.array([-2.0, 0.0, 1.5])
    assert (evaluate(SquaredError(), raw, 0.0)[3] == raw).all()
    np.testing.assert_allclose(evaluate(LogLoss(), raw, 0.0)[3], 1 / (1 + np.exp(-raw)), rtol=1e-15)
    np.testing.assert_allclose(evaluate(Exponential(), raw, 0.0)[3], 1 / (1 + np.exp(-2 * raw)), rtol=1e-15)


@pytest.mark.kernels
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_start_minimises_the_loss(loss, weighted):
    y = targets(loss)
    weight = np.random.RandomState(2).rand(len(y)) + 0.1 if weighted else np.ones(len(y))
    start = start_value(loss, y, read_weights(weight, len(y)))
    if isinstance(loss, Huber):  # starts at the median; its own minimum moves with delta
        loss = AbsoluteError()
    total = [weight @ evaluate(loss, start + move, y)[0] for move in (-1e-4, 0.0, 1e-4)]
    assert total[1] <= min(total) + 1e-9


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_start_does_not_depend_on_the_order_of_rows_and_counts_repetitions(loss):
    y, random = targets(loss), np.random.RandomState(3)
    counts = random.randint(1, 5, len(y))
    order = random.permutation(len(y))
    start = start_value(loss, y, Weights(counts, None))
    assert start == start_value(loss, y[order], Weights(counts[order], None))
    assert start == start_value(loss, np.repeat(y, counts), NONE)


@pytest.mark.parametrize("loss", [Poisson(), Gamma(), Tweedie(1.2), LogLoss()], ids=repr)
def test_the_start_is_our_own_logarithm(loss, monkeypatch):
    """What libm says must not matter: start values are part of the fingerprint."""
    monkeypatch.setattr("math.log", None)
    monkeypatch.setattr("numpy.log", None)
    y = targets(loss)
    mean = float(np.mean(y))
    expected = mean / (1 - mean) if isinstance(loss, LogLoss) else mean
    assert start_value(loss, y, NONE) == pytest.approx(log_of(expected), rel=1e-14)


def test_the_start_of_one_class_is_finite():
    assert start_value(LogLoss(), np.zeros(3), NONE) == -30.0
    assert start_value(LogLoss(), np.ones(3), NONE) == 30.0
    assert start_value(Exponential(), np.ones(3), NONE) == 15.0


@pytest.mark.parametrize(
    "loss, y, message",
    [
        (Poisson(), [1.0, -1.0], "loss='poisson' needs y >= 0 with a positive sum."),
        (Poisson(), [0.0, 0.0], "loss='poisson' needs y >= 0 with a positive sum."),
        (Tweedie(), [1.0, -1.0], "loss='tweedie' needs y >= 0 with a positive sum."),
        (Gamma(), [1.0, 0.0], "loss='gamma' needs every y > 0."),
    ],
)
def test_impossible_targets(loss, y, message):
    with pytest.raises(ValueError) as raised:
        check_targets(loss, np.array(y))
    assert str(raised.value) == message


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_possible_targets(loss):
    assert check_targets(loss, targets(loss)) is None


def test_huber_takes_its_delta_from_the_residuals():
    y = np.arange(101.0)
    assert Huber(0.9).renewed(np.zeros(101), y, NONE).delta == 90.0
    assert Huber(0.9).renewed(y, y, NONE).delta > 0.0


@pytest.mark.kernels
def test_softmax_derivatives():
    """Of -log(softmax) with respect to one raw score."""
    formula = outer(softmax_derivatives)
    raw, step = np.array([0.3, -1.0, 2.0]), 1e-5

    def loss_of(raw, target):
        return np.log(np.exp(raw).sum()) - raw[target]

    for target in range(3):
        move = step * np.eye(3)[1]
        probability = np.exp(raw[1]) / np.exp(raw).sum()
        low, here, high = (loss_of(raw + sign * move, target) for sign in (-1, 0, 1))
        gradient, hessian = formula(probability, float(target == 1))
        assert gradient == pytest.approx((high - low) / (2 * step), abs=1e-8)
        assert hessian == pytest.approx((high - 2 * here + low) / step**2, abs=1e-4)

"""Losses: one home each for value, gradient, hessian, link and start value.

A loss is a small named tuple (its parameters), so that kernels are compiled once for each kind of loss and found in
the cache by their type. Its formulas are scalar functions of (raw score, target):

    value(loss, raw, y)         what is minimised
    derivatives(loss, raw, y)   (gradient, hessian) with respect to the raw score
    response(loss, raw)         the inverse link: raw score -> prediction

Kernels call these three names; which formula runs is settled at compile time by the type of `loss`. A user's own loss
is compiled at its first use and takes part under the same names.

A new loss is its formulas, its class and its entry in `LOSSES`, where the rest of the package finds its properties.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import class_of, inner_kernel, kernel, kernel_each, overloads
from spinney.criteria.exp_log import exp, log1p_exp, log_of, sigmoid
from spinney.criteria.fixed_point import exact_mean, weighted_quantile
from spinney.data.weights import Weights


class Formulas(NamedTuple):
    value: Any
    derivatives: Any
    response: Any


# --- scalar formulas ---------------------------------------------------------------------------------------------


@inner_kernel
def _identity(loss, raw):
    return raw


@inner_kernel
def _exponential(loss, raw):
    return exp(raw)


@inner_kernel
def _logistic(loss, raw):
    return sigmoid(raw)


@inner_kernel
def _squared_value(loss, raw, y):
    return 0.5 * (raw - y) * (raw - y)


@inner_kernel
def _squared_derivatives(loss, raw, y):
    return raw - y, 1.0


@inner_kernel
def _absolute_value(loss, raw, y):
    return abs(raw - y)


@inner_kernel
def _absolute_derivatives(loss, raw, y):
    return (1.0 if raw > y else (-1.0 if raw < y else 0.0)), 1.0


@inner_kernel
def _huber_value(loss, raw, y):
    error = abs(raw - y)
    return 0.5 * error * error if error <= loss.delta else loss.delta * (error - 0.5 * loss.delta)


@inner_kernel
def _huber_derivatives(loss, raw, y):
    error = raw - y
    return (loss.delta if error > loss.delta else (-loss.delta if error < -loss.delta else error)), 1.0


@inner_kernel
def _pinball_value(loss, raw, y):
    return loss.quantile * (y - raw) if y >= raw else (1.0 - loss.quantile) * (raw - y)


@inner_kernel
def _pinball_derivatives(loss, raw, y):
    return (-loss.quantile if y > raw else (1.0 - loss.quantile if y < raw else 0.0)), 1.0


@inner_kernel
def _poisson_value(loss, raw, y):
    return exp(raw) - y * raw


@inner_kernel
def _poisson_derivatives(loss, raw, y):
    mean = exp(raw)
    return mean - y, mean


@inner_kernel
def _gamma_value(loss, raw, y):
    return raw + y * exp(-raw)


@inner_kernel
def _gamma_derivatives(loss, raw, y):
    ratio = y * exp(-raw)
    return 1.0 - ratio, ratio


@inner_kernel
def _tweedie_value(loss, raw, y):
    a, b = 1.0 - loss.power, 2.0 - loss.power
    return exp(b * raw) / b - y * exp(a * raw) / a


@inner_kernel
def _tweedie_derivatives(loss, raw, y):
    a, b = 1.0 - loss.power, 2.0 - loss.power
    pull, push = y * exp(a * raw), exp(b * raw)
    return push - pull, b * push - a * pull


@inner_kernel
def _logistic_value(loss, raw, y):
    return log1p_exp(raw) - y * raw


@inner_kernel
def _logistic_derivatives(loss, raw, y):
    p = sigmoid(raw)
    return p - y, p * (1.0 - p)


@inner_kernel
def _double_logistic(loss, raw):
    return sigmoid(2.0 * raw)


@inner_kernel
def _margin_value(loss, raw, y):
    return y * exp(-raw) + (1.0 - y) * exp(raw)


@inner_kernel
def _margin_derivatives(loss, raw, y):
    for_one, for_zero = y * exp(-raw), (1.0 - y) * exp(raw)
    return for_zero - for_one, for_zero + for_one


@inner_kernel
def softmax_derivatives(probability, is_class):
    """Gradient and hessian of one class's raw score."""
    return probability - is_class, probability * (1.0 - probability)


# --- losses ------------------------------------------------------------------------------------------------------
#
# A loss without parameters has one field, `bias`, that nobody reads: Numba compiles no tuple without fields.


class SquaredError(NamedTuple):
    """(raw - y)^2 / 2; the leaf is the mean residual."""

    bias: float = 0.0


class AbsoluteError(NamedTuple):
    """|raw - y|; leaves are renewed to the median residual."""

    quantile: float = 0.5


class Huber(NamedTuple):
    """Squared near zero, absolute beyond `delta`: each round the `alpha`-quantile of the absolute residuals."""

    alpha: float = 0.9
    delta: float = 1.0

    def renewed(self, raw: np.ndarray, y: np.ndarray, weights: Weights) -> Huber:
        return self._replace(delta=max(weighted_quantile(np.abs(raw - y), weights, self.alpha), 1e-300))


class Quantile(NamedTuple):
    """Pinball loss; leaves are renewed to the quantile of the residuals."""

    quantile: float = 0.5


class Poisson(NamedTuple):
    """Counts: prediction e^raw, half the deviance up to a constant."""

    bias: float = 0.0

    @property
    def variance_power(self) -> float:
        return 1.0


class Gamma(NamedTuple):
    """Positive amounts: prediction e^raw."""

    bias: float = 0.0

    @property
    def variance_power(self) -> float:
        return 2.0


class Tweedie(NamedTuple):
    """Between Poisson (power 1) and gamma (power 2): amounts with a lump at zero."""

    power: float = 1.5

    @property
    def variance_power(self) -> float:
        return self.power


class LogLoss(NamedTuple):
    """Two classes, y in {0, 1}: prediction sigmoid(raw) is the probability of the second."""

    bias: float = 0.0


class Exponential(NamedTuple):
    """Two classes, y in {0, 1}: AdaBoost's loss e^-raw for the second, e^raw for the first; prediction sigmoid(2 raw)
    (Friedman, Hastie, Tibshirani 2000, section 4.1)."""

    bias: float = 0.0


class LossKind(NamedTuple):
    """What the package knows of a loss, besides its start value and the targets that it accepts."""

    name: str  # the value of the parameter `loss`, also in model files
    make: Any  # its class
    formulas: Formulas
    link: str = "identity"  # how predictions follow from raw scores; or "exp", "logistic"
    link_scale: float = 1.0  # the factor of raw scores under the link
    parameters: tuple[str, ...] = ()  # the parameters of a model that its class is made from
    needs_classes: bool = False
    positive: str = ""  # which targets must be: "all", or "some" and none negative
    starts_at_quantile: bool = False  # of the targets, their `quantile` or median; else at what their mean stands for
    has_unit_hessian: bool = False  # the hessian of a row is its weight
    leaves_are_quantiles: bool = False  # of the residuals: leaves are renewed to their `quantile`
    gradient_is_residual: bool = False
    scales_gradients: bool = False  # gradients grow with the targets, while the hessian stays the same
    scales_small_targets: bool = False  # targets that are all below 1 are scaled too: they are not counts
    metric_factor: float = 1.0  # from the mean loss to the metric of this name
    history_factor: float = 1.0  # from the mean loss of one raw score per row to scikit-learn's `train_score_`
    in_sklearn: bool = False  # whether scikit-learn's gradient boosting has it under this name


LOSSES = (
    LossKind(
        "squared_error",
        SquaredError,
        Formulas(_squared_value, _squared_derivatives, _identity),
        has_unit_hessian=True,
        gradient_is_residual=True,
        scales_gradients=True,
        metric_factor=2.0,
        history_factor=2.0,
        in_sklearn=True,
    ),
    LossKind(
        "absolute_error",
        AbsoluteError,
        Formulas(_absolute_value, _absolute_derivatives, _identity),
        starts_at_quantile=True,
        has_unit_hessian=True,
        leaves_are_quantiles=True,
        in_sklearn=True,
    ),
    LossKind(
        "huber",
        Huber,
        Formulas(_huber_value, _huber_derivatives, _identity),
        parameters=("alpha",),
        starts_at_quantile=True,
        has_unit_hessian=True,
        scales_gradients=True,
    ),
    LossKind(
        "quantile",
        Quantile,
        Formulas(_pinball_value, _pinball_derivatives, _identity),
        parameters=("quantile",),
        starts_at_quantile=True,
        has_unit_hessian=True,
        leaves_are_quantiles=True,
        in_sklearn=True,
    ),
    LossKind(
        "poisson",
        Poisson,
        Formulas(_poisson_value, _poisson_derivatives, _exponential),
        link="exp",
        positive="some",
        scales_small_targets=True,
    ),
    LossKind("gamma", Gamma, Formulas(_gamma_value, _gamma_derivatives, _exponential), link="exp", positive="all"),
    LossKind(
        "tweedie",
        Tweedie,
        Formulas(_tweedie_value, _tweedie_derivatives, _exponential),
        link="exp",
        parameters=("power",),
        positive="some",
        scales_small_targets=True,
    ),
    LossKind(
        "log_loss",
        LogLoss,
        Formulas(_logistic_value, _logistic_derivatives, _logistic),
        link="logistic",
        needs_classes=True,
        history_factor=2.0,
        in_sklearn=True,
    ),
    LossKind(
        "exponential",
        Exponential,
        Formulas(_margin_value, _margin_derivatives, _double_logistic),
        link="logistic",
        link_scale=2.0,
        needs_classes=True,
        in_sklearn=True,
    ),
)
CUSTOM = LossKind("loss", None, Formulas(None, None, None), link="own")  # a user's: nothing is assumed of it
BY_NAME: dict[str, LossKind] = {kind.name: kind for kind in LOSSES}
FORMULAS: dict[type, Formulas] = {kind.make: kind.formulas for kind in LOSSES}
_KINDS: dict[type, LossKind] = {kind.make: kind for kind in LOSSES}


def kind_of(loss: Any) -> LossKind:
    """What is known of a loss, given the loss or the parameter `loss` of a model; CUSTOM for a user's."""
    return BY_NAME.get(loss, CUSTOM) if isinstance(loss, str) else _KINDS.get(type(loss), CUSTOM)


def is_builtin(loss: Any) -> bool:
    """Whether a loss is not a user's."""
    return kind_of(loss) is not CUSTOM


def has_log_link(loss: Any) -> bool:
    """Whether predictions are e^raw."""
    return kind_of(loss).link == "exp"


def check_targets(loss: Any, y: np.ndarray) -> None:
    """Raise for targets that a loss does not accept."""
    kind = kind_of(loss)
    if kind.positive == "all" and y.min() <= 0:
        raise ValueError(f"loss={kind.name!r} needs every y > 0.")
    if kind.positive == "some" and (y.min() < 0 or not y.any()):
        raise ValueError(f"loss={kind.name!r} needs y >= 0 with a positive sum.")


def start_value(loss: Any, y: np.ndarray, weights: Weights) -> float:
    """The raw score before the first tree: the best constant."""
    kind = kind_of(loss)
    if kind is CUSTOM:
        return float(loss.start(y, weights))
    if kind.starts_at_quantile:
        return weighted_quantile(y, weights, getattr(loss, "quantile", 0.5))
    mean = exact_mean(y, weights)
    if kind.link == "logistic":
        odds = log_of(mean / (1.0 - mean)) if 0.0 < mean < 1.0 else math.copysign(30.0, mean - 0.5)
        return odds / kind.link_scale
    return log_of(mean) if kind.link == "exp" else mean


# --- the three names that kernels call -----------------------------------------------------------------------------


def value(loss: Any, raw: Any, y: Any) -> Any:
    """The loss of one row."""
    return FORMULAS[type(loss)].value(loss, raw, y) if type(loss) in FORMULAS else loss(raw, y)


def derivatives(loss: Any, raw: Any, y: Any) -> Any:
    """Gradient and hessian of one row."""
    return FORMULAS[type(loss)].derivatives(loss, raw, y) if type(loss) in FORMULAS else loss(raw, y)


def response(loss: Any, raw: Any) -> Any:
    """The prediction that a raw score stands for."""
    return FORMULAS[type(loss)].response(loss, raw) if type(loss) in FORMULAS else loss(raw)


def _formula(loss: Any, which: str) -> Any:
    """At compile time: the formula for a loss of this Numba type; None for a user's compiled function."""
    kind = class_of(loss)
    return None if kind is None else getattr(FORMULAS[kind], which)


@overloads(value)
def _value(loss, raw, y):
    formula = _formula(loss, "value")
    if formula is None:
        return lambda loss, raw, y: loss(raw, y)
    return lambda loss, raw, y: formula(loss, raw, y)


@overloads(derivatives)
def _derivatives(loss, raw, y):
    formula = _formula(loss, "derivatives")
    if formula is None:
        return lambda loss, raw, y: loss(raw, y)
    return lambda loss, raw, y: formula(loss, raw, y)


@overloads(response)
def _response(loss, raw):
    formula = _formula(loss, "response")
    if formula is None:
        return lambda loss, raw: loss(raw)
    return lambda loss, raw: formula(loss, raw)


# --- predictions of many rows ----------------------------------------------------------------------------------------


def _respond(loss, raw, out):
    if out.size == raw.size:
        for i in range(raw.size):
            out[i] = response(loss, raw[i])
    else:
        for i in range(raw.size):
            found = response(loss, raw[i])
            out[2 * i] = 1.0 - found
            out[2 * i + 1] = found


_respond_builtin, _respond_custom = kernel(_respond), kernel_each(_respond)


def respond(loss: Any, raw: np.ndarray, is_classes: bool) -> np.ndarray:
    """Predictions of raw scores: values, or the probabilities (rows, 2) of two classes."""
    out = np.empty(2 * raw.size if is_classes else raw.size)
    if is_builtin(loss):
        _respond_builtin(loss, raw, out)
    else:
        _respond_custom(loss.response)(loss.response, raw, out)
    return out.reshape(-1, 2) if is_classes else out

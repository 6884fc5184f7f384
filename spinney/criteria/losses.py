"""Losses: one home each for value, gradient, hessian, link and start value.

A loss is a small named tuple (its parameters), so that kernels are compiled once for each kind of loss and found in
the cache by their type. Its formulas are scalar functions of (raw score, target):

    value(loss, raw, y)         what is minimised
    derivatives(loss, raw, y)   (gradient, hessian) with respect to the raw score
    response(loss, raw)         the inverse link: raw score -> prediction

Kernels call these three names; which formula runs is settled at compile time by the type of `loss`. A user's own loss
is compiled at its first use and takes part under the same names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney._compile import class_of, inner_kernel, overloads
from spinney.criteria.exp_log import exp, log1p_exp, log_of, sigmoid
from spinney.criteria.fixed_point import exact_mean, weighted_quantile
from spinney.data.weights import Weights


class Formulas(NamedTuple):
    value: Callable[..., Any]
    derivatives: Callable[..., Any]
    response: Callable[..., Any]


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


class SquaredError(NamedTuple):
    """(raw - y)^2 / 2; the leaf is the mean residual."""

    bias: float = 0.0

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return exact_mean(y, weights)

    def check(self, y: np.ndarray) -> None: ...


class AbsoluteError(NamedTuple):
    """|raw - y|; leaves are renewed to the median residual."""

    quantile: float = 0.5

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return weighted_quantile(y, weights, 0.5)

    def check(self, y: np.ndarray) -> None: ...


class Huber(NamedTuple):
    """Squared near zero, absolute beyond `delta`: each round the `alpha`-quantile of the absolute residuals."""

    alpha: float = 0.9
    delta: float = 1.0

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return weighted_quantile(y, weights, 0.5)

    def check(self, y: np.ndarray) -> None: ...

    def renewed(self, raw: np.ndarray, y: np.ndarray, weights: Weights) -> Huber:
        return self._replace(delta=max(weighted_quantile(np.abs(raw - y), weights, self.alpha), 1e-300))


class Quantile(NamedTuple):
    """Pinball loss; leaves are renewed to the quantile of the residuals."""

    quantile: float = 0.5

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return weighted_quantile(y, weights, self.quantile)

    def check(self, y: np.ndarray) -> None: ...


class Poisson(NamedTuple):
    """Counts: prediction e^raw, half the deviance up to a constant."""

    bias: float = 0.0

    @property
    def variance_power(self) -> float:
        return 1.0

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return log_of(exact_mean(y, weights))

    def check(self, y: np.ndarray) -> None:
        if y.min() < 0 or not y.any():
            raise ValueError("loss='poisson' needs y >= 0 with a positive sum.")


class Gamma(NamedTuple):
    """Positive amounts: prediction e^raw."""

    bias: float = 0.0

    @property
    def variance_power(self) -> float:
        return 2.0

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return log_of(exact_mean(y, weights))

    def check(self, y: np.ndarray) -> None:
        if y.min() <= 0:
            raise ValueError("loss='gamma' needs every y > 0.")


class Tweedie(NamedTuple):
    """Between Poisson (power 1) and gamma (power 2): amounts with a lump at zero."""

    power: float = 1.5

    @property
    def variance_power(self) -> float:
        return self.power

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return log_of(exact_mean(y, weights))

    def check(self, y: np.ndarray) -> None:
        if y.min() < 0 or not y.any():
            raise ValueError("loss='tweedie' needs y >= 0 with a positive sum.")


class LogLoss(NamedTuple):
    """Two classes, y in {0, 1}: prediction sigmoid(raw) is the probability of the second."""

    bias: float = 0.0

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return _log_odds(exact_mean(y, weights))

    def check(self, y: np.ndarray) -> None: ...


class Exponential(NamedTuple):
    """Two classes, y in {0, 1}: AdaBoost's loss e^-raw for the second, e^raw for the first; prediction sigmoid(2 raw)
    (Friedman, Hastie, Tibshirani 2000, section 4.1)."""

    bias: float = 0.0

    def start(self, y: np.ndarray, weights: Weights) -> float:
        return 0.5 * _log_odds(exact_mean(y, weights))

    def check(self, y: np.ndarray) -> None: ...


def _log_odds(p: float) -> float:
    return log_of(p / (1.0 - p)) if 0.0 < p < 1.0 else math.copysign(30.0, p - 0.5)


FORMULAS: dict[type, Formulas] = {
    SquaredError: Formulas(_squared_value, _squared_derivatives, _identity),
    AbsoluteError: Formulas(_absolute_value, _absolute_derivatives, _identity),
    Huber: Formulas(_huber_value, _huber_derivatives, _identity),
    Quantile: Formulas(_pinball_value, _pinball_derivatives, _identity),
    Poisson: Formulas(_poisson_value, _poisson_derivatives, _exponential),
    Gamma: Formulas(_gamma_value, _gamma_derivatives, _exponential),
    Tweedie: Formulas(_tweedie_value, _tweedie_derivatives, _exponential),
    LogLoss: Formulas(_logistic_value, _logistic_derivatives, _logistic),
    Exponential: Formulas(_margin_value, _margin_derivatives, _double_logistic),
}

BY_NAME: dict[str, type] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "quantile": Quantile,
    "poisson": Poisson,
    "gamma": Gamma,
    "tweedie": Tweedie,
    "log_loss": LogLoss,
    "exponential": Exponential,
}
OF_CLASSES = ("log_loss", "exponential")  # the names of those above that are for classes


def has_log_link(loss: Any) -> bool:
    """Whether predictions are e^raw."""
    return type(loss) in FORMULAS and FORMULAS[type(loss)].response is _exponential


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

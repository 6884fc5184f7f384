"""A loss written by the user: plain Python functions, compiled into the same loops as the built-in ones.

    loss = spinney.Loss(
        gradient=lambda y, raw: 1 / (1 + math.exp(-raw)) - y,
        hessian=lambda y, raw: ...,
        inverse_link=lambda raw: 1 / (1 + math.exp(-raw)),
    )

The functions take numbers and return a number; arithmetic, `math`, NumPy's scalar functions and branches all compile.
Numbers and arrays from outside count with the values that they have when `fit` is called.
Any object with these attributes will do: a module, a class with static methods, a `spinney.Loss`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from spinney.data.weights import Weights


@dataclass(frozen=True)
class Loss:
    """A custom loss for `GradientBoostingClassifier(loss=...)` and `GradientBoostingRegressor(loss=...)`.

    The functions take numbers and return a number. They are compiled into the loops of the fit. The guide is
    docs/extending.md.

    Parameters
    ----------
    gradient : function (y, raw) -> float
        First derivative of the loss with respect to the raw score.
    hessian : function (y, raw) -> float
        Second derivative of the loss with respect to the raw score. It must not be negative.
    inverse_link : function (raw) -> float, default=None
        Function that converts a raw score to a prediction. None is the identity for regression and the logistic
        function for classes.
    value : function (y, raw) -> float, default=None
        The loss itself, for `evals_result_` and early stopping. With None, squared error or log loss is monitored.
    start : float or function (y, sample_weight) -> float, default=0.0
        Raw score before the first tree. The function runs in Python, on whole arrays.

    Examples
    --------
    >>> import math, spinney
    >>> quartic = spinney.Loss(
    ...     gradient=lambda y, raw: (raw - y) ** 3,
    ...     hessian=lambda y, raw: 3 * (raw - y) ** 2,
    ...     start=lambda y, sample_weight: y.mean(),
    ... )
    >>> model = spinney.GradientBoostingRegressor(loss=quartic)
    """

    gradient: Callable[[float, float], float]
    hessian: Callable[[float, float], float]
    inverse_link: Callable[[float], float] | None = None
    value: Callable[[float, float], float] | None = None
    start: Any = 0.0


class CompiledLoss(NamedTuple):
    """A user's loss, ready for the kernels of ensemble/boosting/gradients.py."""

    derivatives: Any  # (raw, y) -> gradient, hessian
    response: Any  # (raw) -> prediction
    value: Any  # (raw, y) -> loss, or None
    start_value: Any
    origin: tuple[Any, str] | None = None  # what it was compiled from, for other machines

    def start(self, y: np.ndarray, weights: Weights) -> float:
        value = self.start_value(y, weights.total()) if callable(self.start_value) else self.start_value
        if not isinstance(value, Real) or not math.isfinite(value):
            raise ValueError(
                f"loss.start must be a finite number, or a function (y, sample_weight) that returns one, got {value!r}."
            )
        return float(value)


@functools.cache
def _kept() -> Any:
    from spinney._compile import Kept

    return Kept()


def compile_loss(loss: Any, default_link: str) -> CompiledLoss:
    """Compile a user's loss; `default_link` is "identity" or "logistic".

    Equal functions that capture equal values are compiled once; of different ones the last few are kept.
    """
    from spinney._compile import key_of

    gradient, hessian = _function(loss, "gradient", 2), _function(loss, "hessian", 2)
    link, value = _optional(loss, "inverse_link", 1), _optional(loss, "value", 2)
    start = getattr(loss, "start", 0.0)
    key = (key_of(gradient, hessian, link, value), default_link)
    compiled: CompiledLoss = _kept().get(key, lambda: _compile(gradient, hessian, link, value, default_link))
    return compiled._replace(start_value=start, origin=(loss, default_link))


def _compile(gradient: Any, hessian: Any, link: Any, value: Any, default_link: str) -> CompiledLoss:
    from spinney._compile import merged_kernel
    from spinney.criteria.exp_log import sigmoid

    first, second = _compiled_number(gradient, "gradient", 2), _compiled_number(hessian, "hessian", 2)

    def derivatives(raw, y):  # type: ignore[no-untyped-def]
        return first(y, raw), second(y, raw)

    def identity(raw):  # type: ignore[no-untyped-def]
        return raw

    def logistic(raw):  # type: ignore[no-untyped-def]
        return sigmoid(raw)

    response = _compiled_number(link, "inverse_link", 1) if link else None
    if response is None:
        response = merged_kernel(logistic if default_link == "logistic" else identity)
    loss_value = None
    if value is not None:
        amount = _compiled_number(value, "value", 2)

        def swapped(raw, y):  # type: ignore[no-untyped-def]
            return amount(y, raw)

        loss_value = merged_kernel(swapped)
    return CompiledLoss(merged_kernel(derivatives), response, loss_value, 0.0)


def _function(loss: Any, name: str, n_arguments: int) -> Any:
    function = getattr(loss, name, None)
    if function is None:
        raise TypeError(
            f"loss must be a name from the documentation or an object with functions gradient(y, raw) and "
            f"hessian(y, raw), got {loss!r} without {name!r}. See spinney.Loss."
        )
    if not callable(function):
        raise TypeError(f"loss.{name} must be a function, got {function!r}.")
    if inspect.ismethod(function):
        raise TypeError(f"loss.{name} must not need self. Write it as a plain function or a @staticmethod.")
    wanted = "(raw)" if n_arguments == 1 else "(y, raw)"
    if not inspect.isfunction(getattr(function, "py_func", function)):
        raise TypeError(f"loss.{name} must be a Python function of {wanted}, got {function!r}. Wrap it in one.")
    try:
        inspect.signature(function).bind(*range(n_arguments))
    except (TypeError, ValueError):
        raise TypeError(f"loss.{name} must take the arguments {wanted}.") from None
    return function


def _optional(loss: Any, name: str, n_arguments: int) -> Any:
    return None if getattr(loss, name, None) is None else _function(loss, name, n_arguments)


def gist(error: Exception) -> str:
    """What a message of Numba's says, without where in Numba it happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
    return " ".join(lines[:2] if lines[0].endswith(":") else lines[:1])


def _compiled_number(function: Any, name: str, n_arguments: int) -> Any:
    """Compile a function of floats and make sure that it returns one number.

    It becomes part of the loops that call it, unless it makes arrays of its own.
    """
    from spinney._compile import CompileError, compile_for, is_number, merged_kernel, python_of, uncached_kernel

    compiled: Any = merged_kernel(python_of(function))
    kinds = ["float64"] * n_arguments
    try:
        try:
            result = compile_for(compiled, *kinds)
        except CompileError:
            compiled = uncached_kernel(python_of(function))
            result = compile_for(compiled, *kinds)
    except CompileError as error:
        raise TypeError(
            f"loss.{name} could not be compiled. It may use numbers, branches, `math` and NumPy's scalar functions. "
            f"Numba reports: {gist(error)}"
        ) from error
    if not is_number(result):
        raise TypeError(f"loss.{name} must return one number for one row, but returns {result}.")
    return compiled

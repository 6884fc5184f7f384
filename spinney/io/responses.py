"""Raw scores -> predictions, as the library that a model comes from makes them.

In: raw scores (outputs, rows), and the name of a link. Out: numbers or probabilities of the same type. Exponentials are
our own (criteria/exp_log.py), the same on every machine; they differ from those of other libraries in the last digit
at most.

    identity       x
    sigmoid        1 / (1 + exp(-x)); of two classes, the probability of the second
    softmax        exp(x_k) / sum of exp(x)
    sigmoid each   a sigmoid for each class
    exp            exp(x)
    log1p exp      log(1 + exp(x))
    signed square  x |x|
    hinge          0 or 1: whether x > 0
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def respond(link: str, raw: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Predictions from raw scores, of the same shape and type."""
    return LINKS[link](raw * raw.dtype.type(scale) if scale != 1.0 else raw)


def _exp(x: np.ndarray) -> np.ndarray:
    from spinney.criteria.exp_log import exps_of

    with np.errstate(over="ignore"):
        return exps_of(x).astype(x.dtype, copy=False)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    one = x.dtype.type(1)
    return one / (one + _exp(-x))


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = _exp(x - x.max(axis=0))
    total = np.zeros(x.shape[1])
    for one in powers:
        total += one
    return powers / total.astype(x.dtype, copy=False)


def _log1p_exp(x: np.ndarray) -> np.ndarray:
    from spinney.criteria.exp_log import logs_of

    return np.maximum(x, 0) + logs_of(1.0 + _exp(-np.abs(x))).astype(x.dtype, copy=False)


LINKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda x: x,
    "sigmoid": _sigmoid,
    "softmax": _softmax,
    "sigmoid each": _sigmoid,
    "exp": _exp,
    "log1p exp": _log1p_exp,
    "signed square": lambda x: x * np.abs(x),
    "hinge": lambda x: (x > 0).astype(x.dtype),
}

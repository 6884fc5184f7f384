"""Links: what becomes of raw scores, one row each.

In: the name of a link (tree/formula.py says what each means). Out: its row, from which predictions, explanations and
exports take it. A new link is a new row.

A link of each score by itself has one `text`, an expression in the operations that Python and C share:

    x, scale                       the raw score, and the formula's scale
    + - * /, numbers, max, abs     as in Python
    exp, log                       those of criteria/exp_log.py: the same bits everywhere
    rounded                        to float32 in models whose library does so; else nothing

NumPy evaluates it here; C, Python and ONNX are written from it in io/. The order of its operations is that of every
prediction: the same bits. Links of all scores of a row at once have a function in NumPy and a text in C, Python and
ONNX: the body of a function from `x`, the scores, to the probabilities.

`exp` is compiled when it is first needed: reading this table loads no compiler.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

_LEAST = -1e300  # the raw score of what no raw score stands for


def _same(value: float) -> float:
    return value


class OfAll(NamedTuple):
    """A link of all scores of a row at once."""

    numpy: Callable[[np.ndarray, float], np.ndarray]  # scores (scores, rows), scale -> probabilities (classes, rows)
    c: str
    python: str
    onnx: str = ""  # none if empty; softmax is one over the scores of a row


class LinkFunction(NamedTuple):
    """See above."""

    name: str
    text: str = ""
    inverse: Callable[[float], float] = _same  # a prediction -> its raw score
    is_sum: bool = False  # predictions are sums over the trees
    onnx: str = ""  # the text for ONNX, where it has an operator of its own; sigmoid is 1 / (1 + exp(-x))
    of_all: OfAll | None = None
    divides: bool = True  # sums are divided by the divisor before the link

    def respond(self, scores: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Predictions from scores (scores, rows), of the same type."""
        if self.of_all is not None:
            return self.of_all.numpy(scores, scale)
        found: np.ndarray = eval(_code(self.text), {"__builtins__": {}}, {**_IN_NUMPY, "x": scores, "scale": scale})
        return found

    def write(self, functions: Mapping[str, str], scale: str) -> str:
        """The text in another language: with its names of the functions and of the scale."""
        names = {**functions, "scale": scale}
        return re.sub("[a-z]+", lambda word: names.get(word[0], word[0]), self.text)


@cache
def _code(text: str) -> CodeType:
    return compile(text, "<link>", "eval")


# --- in NumPy --------------------------------------------------------------------------------------------------------


def _exp(x: np.ndarray) -> np.ndarray:
    from spinney.criteria.exp_log import exps_of

    with np.errstate(over="ignore"):
        return exps_of(x).astype(x.dtype, copy=False)


def _log(x: np.ndarray) -> np.ndarray:
    from spinney.criteria.exp_log import logs_of

    return logs_of(x).astype(x.dtype, copy=False)


_IN_NUMPY = {"exp": _exp, "log": _log, "max": np.maximum, "abs": np.abs, "rounded": _same}


def _total(values: np.ndarray) -> np.ndarray:
    """Sums over the scores, one after the other, in float64."""
    total = np.zeros(values.shape[1])
    for one in values:
        total += one
    return total


def _softmax(x: np.ndarray, scale: float) -> np.ndarray:
    greatest = x.max(axis=0)
    return _exp(x - (greatest + _log(_total(_exp(x - greatest)))))


def _powers(x: np.ndarray, scale: float) -> np.ndarray:
    powers = _exp(x - x.max(axis=0))
    return powers / _total(powers).astype(x.dtype, copy=False)


def _votes(x: np.ndarray, scale: float) -> np.ndarray:
    return np.asarray(softmax(x / scale, axis=0))


def _margin(x: np.ndarray, scale: float) -> np.ndarray:
    """`x` is the margin alone."""
    return np.asarray(softmax(np.concatenate([-x, x]) * scale, axis=0))


def _fractions(x: np.ndarray, scale: float) -> np.ndarray:
    return x / _total(x)


# --- the table -------------------------------------------------------------------------------------------------------

_SOFTMAX = OfAll(
    _softmax,
    c="""
    double total = 0.0;
    const double greatest = x[NAME_greatest(x)];
    for (int k = 0; k < NAME_n_scores; k++) total += NAME_exp(x[k] - greatest);
    total = greatest + NAME_log(total);
    for (int k = 0; k < NAME_n_scores; k++) out[k] = NAME_exp(x[k] - total);
""",
    python="""
    greatest, total = max(x), 0.0
    for value in x:
        total += NAME_exp(value - greatest)
    total = greatest + NAME_log(total)
    return [NAME_exp(value - total) for value in x]
""",
    onnx="softmax(x)",
)
_POWERS = OfAll(
    _powers,
    c="""
    double total = 0.0;
    const double greatest = x[NAME_greatest(x)];
    for (int k = 0; k < NAME_n_scores; k++) {
        out[k] = NAME_rounded(NAME_exp(NAME_rounded(x[k] - greatest)));
        total += out[k];
    }
    for (int k = 0; k < NAME_n_scores; k++) out[k] = NAME_rounded(out[k] / NAME_rounded(total));
""",
    python="""
    greatest, total = max(x), 0.0
    powers = [NAME_rounded(NAME_exp(NAME_rounded(value - greatest))) for value in x]
    for power in powers:
        total += power
    return [NAME_rounded(power / NAME_rounded(total)) for power in powers]
""",
    onnx="softmax(x)",
)
_VOTES = OfAll(
    _votes,
    c="""
    for (int k = 0; k < NAME_n_scores; k++) x[k] = x[k] / NAME_scale;
    NAME_softly(x, NAME_n_scores, out);
""",
    python="""
    return NAME_softly([value / NAME_SCALE for value in x])
""",
    onnx="softmax(x / scale)",
)
_MARGIN = OfAll(
    _margin,
    c="""
    const double both[2] = {-x[0] * NAME_scale, x[0] * NAME_scale};
    NAME_softly(both, 2, out);
""",
    python="""
    return NAME_softly([-x[0] * NAME_SCALE, x[0] * NAME_SCALE])
""",
    onnx="softmax(x * scale)",
)
_FRACTIONS = OfAll(
    _fractions,
    c="""
    double total = 0.0;
    for (int k = 0; k < NAME_n_scores; k++) total += x[k];
    for (int k = 0; k < NAME_n_scores; k++) out[k] = x[k] / total;
""",
    python="""
    total = 0.0
    for value in x:
        total += value
    return [value / total for value in x]
""",
)

LINKS: dict[str, LinkFunction] = {
    row.name: row
    for row in (
        LinkFunction("identity", "x", is_sum=True),
        LinkFunction("shares", "x", is_sum=True),
        LinkFunction("exp", "rounded(exp(x))", lambda y: math.log(y) if y > 0.0 else _LEAST),
        LinkFunction(
            "logistic",
            "rounded(1.0 / rounded(1.0 + rounded(exp(-rounded(scale * x)))))",
            lambda p: math.log(p / (1.0 - p)) if 0.0 < p < 1.0 else math.copysign(_LEAST, p - 0.5),
            onnx="sigmoid(x * scale)",
        ),
        LinkFunction(
            "softplus",
            "max(x, 0.0) + log(1.0 + exp(-abs(x)))",
            lambda y: math.log(math.expm1(min(y, 700.0))) if y > 0.0 else _LEAST,
        ),
        LinkFunction("signed_square", "x * abs(x)", lambda y: math.copysign(math.sqrt(abs(y)), y)),
        LinkFunction("hinge", "(x > 0.0) * 1.0"),  # a class, not a probability
        LinkFunction("depth", "-exp(-0.6931471805599453 * (x / scale))", lambda y: -math.log2(-y)),
        LinkFunction("softmax", of_all=_SOFTMAX),
        LinkFunction("powers", of_all=_POWERS),  # softmax of other libraries, which divide
        LinkFunction("votes", of_all=_VOTES),
        LinkFunction("margin", of_all=_MARGIN, divides=False),
        LinkFunction("confidence", of_all=_FRACTIONS, divides=False),
        LinkFunction("median"),  # nothing is added up
        LinkFunction("own"),  # a function of the user
    )
}


def log_probabilities(probabilities: Any) -> Any:
    """Logarithms of what `predict_proba` returned, an array or a list of one per output; minus infinity for 0."""
    if isinstance(probabilities, list):
        return [log_probabilities(one) for one in probabilities]
    with np.errstate(divide="ignore"):
        return np.log(probabilities)

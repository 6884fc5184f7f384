"""What a fit counts in: targets in a power of two, weights in their mean.

In: targets, weights and a loss as the user gave them. Out: the same in numbers near 1, and the way back for start
values and trees, which keep the user's units. Gradients are float32 and their squares float64: targets of 1e300 would
overflow them, those of 1e-300 vanish. A power of two loses nothing: the model of scaled targets is the scaled model.

    identity link    raw = raw of the fit * 2**exponent       only beyond 2**+-64, where nothing else would do
    log link         raw = raw of the fit + exponent * ln 2   the same; and where all targets are below 1: those are no
                                                              counts, and penalties would outweigh them

A loss of the user's own is never scaled.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spinney.criteria.elementary import LN2
from spinney.criteria.fixed_point import exact_mean
from spinney.criteria.gains import Penalty
from spinney.criteria.losses import FORMULAS, Exponential, Huber, LogLoss, Poisson, SquaredError, Tweedie, has_log_link
from spinney.data.weights import Weights
from spinney.tree.forest import Forest

_FARTHEST = 64  # targets of such powers of two are taken as they are
_MOST_GAIN = 900  # beyond such powers of two gains are not told in the user's units: they would overflow


class Units(NamedTuple):
    """How the targets of one fit are scaled."""

    exponent: int = 0
    is_log: bool = False  # the link
    scales_gradients: bool = False  # whether gradients grow with the targets, the hessian staying 1

    def targets(self, y: np.ndarray) -> np.ndarray:
        if self.exponent == 0:
            return y
        with np.errstate(over="ignore"):  # of rows that do not count
            return np.ldexp(y, -self.exponent)

    def raw(self, scores: np.ndarray) -> np.ndarray:
        """From the user's raw scores to the fit's."""
        if self.exponent == 0:
            return scores
        return scores - self.exponent * LN2 if self.is_log else np.ldexp(scores, -self.exponent)

    def user_raw(self, scores: np.ndarray) -> np.ndarray:
        """From the fit's raw scores to the user's."""
        if self.exponent == 0:
            return scores
        return scores + self.exponent * LN2 if self.is_log else np.ldexp(scores, self.exponent)

    def user_tree(self, tree: Forest) -> Forest:
        """A grown tree in the user's units."""
        if self.exponent == 0 or self.is_log:
            return tree
        gain = np.ldexp(tree.gain, self._gain_exponent) if self.scales_gradients else tree.gain
        return replace(tree, answers=np.ldexp(tree.answers, self.exponent), gain=gain)

    def penalty(self, l1: float, l2: float) -> Penalty:
        return Penalty(_scaled(l1, -self.exponent) if self.scales_gradients else l1, l2)

    def gain(self, least: float) -> float:
        return _scaled(least, -self._gain_exponent) if self.scales_gradients else least

    @property
    def _gain_exponent(self) -> int:
        return min(max(2 * self.exponent, -_MOST_GAIN), _MOST_GAIN)


def find_units(loss: Any, y: np.ndarray, weights: Weights) -> Units:
    """The units of a fit whose rows that count have these targets and weights."""
    if type(loss) not in FORMULAS or isinstance(loss, (LogLoss, Exponential)):
        return Units()
    is_log = has_log_link(loss)
    largest = math.frexp(max(float(y.max(initial=0.0)), -float(y.min(initial=0.0))))[1]
    exponent = 0
    if largest > _FARTHEST:
        exponent = largest - _FARTHEST if is_log else largest
    elif isinstance(loss, (Poisson, Tweedie)) and largest <= 0 and y.any():
        exponent = largest + math.frexp(exact_mean(np.ldexp(y, -largest), weights))[1] - 1
    elif largest < -_FARTHEST:
        exponent = largest
    return Units(exponent, is_log, isinstance(loss, (SquaredError, Huber)))


def _scaled(number: float, exponent: int) -> float:
    """number * 2**exponent, infinite rather than too large."""
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.inf

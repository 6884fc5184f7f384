"""Where boosting begins: targets and weights in the units of a fit, the best constant, how large trees may get.

In: a task and settings. Out: numbers that all rows have a say in.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spinney.criteria.exp_log import LN2, logs_of
from spinney.criteria.fixed_point import exact_mean, relative
from spinney.criteria.gains import Penalty
from spinney.criteria.losses import CUSTOM, has_log_link, kind_of
from spinney.data.weights import Weights
from spinney.ensemble.boosting.booster import BoostingSettings, Task
from spinney.ensemble.boosting.gradients import is_builtin
from spinney.tree.forest import Forest

# ----------------------------------------------------------------------------------------------------------------------
# What a fit counts in: targets in a power of two, weights in their mean.
#
# In: targets, weights and a loss as the user gave them. Out: the same in numbers near 1, and the way back for start
# values and trees, which keep the user's units. Gradients are float32 and their squares float64: targets of 1e300 would
# overflow them, those of 1e-300 vanish. A power of two loses nothing: the model of scaled targets is the scaled model.
#
#     identity link    raw = raw of the fit * 2**exponent       only beyond 2**+-64, where nothing else would do
#     log link         raw = raw of the fit + exponent * ln 2   the same; and where all targets are below 1: these
#                                                               targets are no counts; penalties would outweigh them
#
# A loss of the user's own is never scaled.


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
    kind = kind_of(loss)
    if kind is CUSTOM or kind.needs_classes:
        return Units()
    is_log = has_log_link(loss)
    largest = math.frexp(max(float(y.max(initial=0.0)), -float(y.min(initial=0.0))))[1]
    exponent = 0
    if largest > _FARTHEST:
        exponent = largest - _FARTHEST if is_log else largest
    elif kind.scales_small_targets and largest <= 0 and y.any():
        exponent = largest + math.frexp(exact_mean(np.ldexp(y, -largest), weights))[1] - 1
    elif largest < -_FARTHEST:
        exponent = largest
    return Units(exponent, is_log, kind.scales_gradients)


def _scaled(number: float, exponent: int) -> float:
    """number * 2**exponent, infinite rather than too large."""
    try:
        return math.ldexp(number, exponent)
    except OverflowError:
        return math.inf


def in_units(task: Task) -> tuple[np.ndarray, Weights, Units]:
    """Targets and weights in numbers near 1, and what they are counted in."""
    y, weights, rows = task.y, relative(task.weights), task.weights.rows()
    units = find_units(task.loss, *((y, weights) if rows is None else (y[rows], weights.take(rows))))
    return units.targets(y), weights, units


def start_values(task: Task) -> np.ndarray:
    """Raw scores before the first tree: the best constant."""
    y, weights, units = in_units(task)
    weights = weights if is_builtin(task.loss) else task.weights
    rows = weights.rows()
    if rows is not None:
        y, weights = y[rows], weights.take(rows)
    if task.n_outputs == 1:
        return units.user_raw(np.array([task.loss.start(y, weights)]))
    shares = np.array([exact_mean((y == k).astype(np.float64), weights) for k in range(task.n_outputs)])
    logs = logs_of(np.maximum(shares, 1e-15))
    return logs - logs.mean()


def share_of(share: float, n: int) -> int:
    """How many of n a share is: at least one."""
    return max(1, min(n, round(share * n)))


def most_leaves(settings: BoostingSettings, total_count: int) -> int:
    by_depth = 1 << min(settings.max_depth, 40)
    by_count = max(1, total_count // max(1, settings.min_count))
    return max(1, min(settings.max_leaves, by_depth, by_count))

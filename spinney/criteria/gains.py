"""How good a split is and what a leaf says, from sums of gradients and hessians.

The second-order objective of a node with gradient sum g, hessian sum h and leaf value w is

    g w + 1/2 (h + l2) w^2 + l1 |w|

Its minimum over w is the leaf's value; twice the fall from parent to children is the gain (the factor two is the
convention of the field). No formula here knows about histograms or loops.
"""

from __future__ import annotations

from typing import NamedTuple

from spinney._compile import inner_kernel
from spinney.criteria.exp_log import log


class Penalty(NamedTuple):
    """What a leaf's value costs."""

    l1: float
    l2: float


class Link(NamedTuple):
    """A link under which Newton steps are held back: the logarithm. Power 0: any other, and they are not."""

    power: float = 0.0  # of the variance
    longest: float = 2.0  # step: of 1 to 3 and none, the best on skewed targets, all of them close together


@inner_kernel
def shrink(gradient, l1):
    """Soft threshold: the gradient sum moved towards zero by l1."""
    return gradient - l1 if gradient > l1 else (gradient + l1 if gradient < -l1 else 0.0)


@inner_kernel
def leaf_value(gradient, hessian, penalty):
    """The value that minimises the objective: -shrink(g) / (h + l2)."""
    weight = hessian + penalty.l2
    return -shrink(gradient, penalty.l1) / weight if weight > 0.0 else 0.0


@inner_kernel
def hold_back(step, link):
    """A leaf's Newton step under a log link, but not past the leaf's own minimum, nor beyond `link.longest`.

    With the power p of the variance the minimum lies log(1 + (2 - p) step) - log(1 - (p - 1) step) away (p = 1:
    Poisson, 2: gamma). Predictions of a leaf so never add up to more than its targets or they did before.
    """
    rise, fall = 1.0 + (2.0 - link.power) * step, 1.0 - (link.power - 1.0) * step
    if rise > 0.0 and fall > 0.0:
        best = log(rise / fall)
        step = best if abs(best) < abs(step) else step
    return clip(step, -link.longest, link.longest)


@inner_kernel
def leaf_score(gradient, hessian, penalty):
    """Twice what the best leaf value takes off the objective."""
    weight = hessian + penalty.l2
    pull = shrink(gradient, penalty.l1)
    return pull * pull / weight if weight > 0.0 else 0.0


@inner_kernel
def value_score(value, gradient, hessian, penalty):
    """Twice what a given leaf value takes off the objective (for values held by bounds)."""
    return -(2.0 * gradient * value + (hessian + penalty.l2) * value * value + 2.0 * penalty.l1 * abs(value))


@inner_kernel
def clip(value, lower, upper):
    return lower if value < lower else (upper if value > upper else value)


@inner_kernel
def bounded_score(gradient, hessian, lower, upper, penalty):
    """`leaf_score` when the value must stay within [lower, upper]."""
    return value_score(clip(leaf_value(gradient, hessian, penalty), lower, upper), gradient, hessian, penalty)

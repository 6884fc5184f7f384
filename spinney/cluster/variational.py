"""Variational inference for a Gaussian mixture: the M step, and the bound that it raises (Bishop 2006, section 10.2).

In:  `Priors`, the mixture before a step, the sums of a pass (`e_step.py`). Out: a `Posterior`, and the lower bound.

A posterior says of the weights how they are distributed (Dirichlet, or a stick that is broken: Blei and Jordan 2006),
and of each component's mean and precision matrix (Gaussian and Wishart). Its expected log-densities are those of
Gaussians times a factor for each component, so the pass over the rows is that of EM. `covariances` are the inverses of
the expected precision matrices.

The bound is the entropy of the rows' shares plus the normalising constants, constants left out as in scikit-learn. The
entropy needs no pass of its own: log(share) = log(joint density) - log(density), so its sum follows from the
log-likelihood and the second moments, about the means before the step, that the pass has found. Values that are missing
are part of it: their distribution given the known ones has an entropy, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team
from spinney.cluster.cholesky import factors_and_inverses, inverses_of, one_blas_thread, strips
from spinney.cluster.e_step import EStepSums, Gaussians
from spinney.cluster.m_step import check_positive
from spinney.cluster.missing_values import LOG_2PI
from spinney.criteria.exp_log import LN2, log, logs_of, of_each

# ----------------------------------------------------------------------------------------------------------------------
# The gamma function's logarithm and the digamma function, from plain IEEE operations: the same bits on every machine.
#
# In: positive numbers. Out: their values, to about 1e-14 of max(1, |value|). Both are asymptotic series for arguments
# of at least 12, to which smaller ones are taken by the recurrence gamma(x + 1) = x gamma(x) (Abramowitz and Stegun
# 6.1.40 and 6.3.18).


_ENOUGH = 12.0
_HALF_LOG_2PI = 0.9189385332046727


@inner_kernel
def log_gamma(x):
    """ln gamma(x), x > 0."""
    product = 1.0
    while x < _ENOUGH:
        product *= x
        x += 1.0
    y = 1.0 / (x * x)
    series = 691.0 / 360360.0
    series = 1.0 / 1188.0 - series * y
    series = 1.0 / 1680.0 - series * y
    series = 1.0 / 1260.0 - series * y
    series = 1.0 / 360.0 - series * y
    series = 1.0 / 12.0 - series * y
    found = (x - 0.5) * log(x) - x + _HALF_LOG_2PI + series / x
    return found - log(product) if product != 1.0 else found


@inner_kernel
def digamma(x):
    """The derivative of ln gamma(x), x > 0."""
    before = 0.0
    while x < _ENOUGH:
        before -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = 691.0 / 32760.0
    series = 1.0 / 132.0 - series * y
    series = 1.0 / 240.0 - series * y
    series = 1.0 / 252.0 - series * y
    series = 1.0 / 120.0 - series * y
    series = 1.0 / 12.0 - series * y
    return before + (log(x) - 0.5 / x - series * y)


@kernel
def _fill_log_gammas(x, out):
    for i in range(x.size):
        out[i] = log_gamma(x[i])


@kernel
def _fill_digammas(x, out):
    for i in range(x.size):
        out[i] = digamma(x[i])


def log_gammas_of(x: np.ndarray) -> np.ndarray:
    """ln gamma of every number."""
    return of_each(_fill_log_gammas, x)


def digammas_of(x: np.ndarray) -> np.ndarray:
    """The digamma function of every number."""
    return of_each(_fill_digammas, x)


_NO_ROWS = 10 * np.finfo(np.float64).eps  # what a component without rows counts
_STRIP = 256


@dataclass(frozen=True)
class Priors:
    """What is expected before a row is seen; means are relative to the rows' origin."""

    is_process: bool  # a stick that is broken, rather than a Dirichlet distribution
    concentration: float
    mean_precision: float
    mean: np.ndarray  # (columns,)
    degrees_of_freedom: float
    covariance: np.ndarray  # (columns, columns), or variances (1, columns)


@dataclass(frozen=True)
class Posterior(Gaussians):
    """What is known after a step."""

    concentration: np.ndarray  # (2, components) of a broken stick, (1, components) of a Dirichlet distribution
    mean_precision: np.ndarray  # (components,)
    degrees_of_freedom: np.ndarray  # (components,)
    _factors: list[Factors] = field(default_factory=list, init=False, repr=False, compare=False)

    def factors(self, form: str, team: Team) -> Factors:
        """Of the covariances, found once."""
        if not self._factors:
            self._factors.append(Factors(self, form, team))
        return self._factors[0]

    def log_factors(self) -> np.ndarray:
        """Expected logarithms of the weights, and what the uncertainty of means and precisions takes off."""
        n_columns, freedom = self.means.shape[1], self.degrees_of_freedom
        spread = digammas_of(0.5 * (freedom - np.arange(n_columns)[:, None])).sum(axis=0) + n_columns * LN2
        known = n_columns * logs_of(freedom) + n_columns / self.mean_precision
        return self._log_weights() + 0.5 * (spread - known)

    def _log_weights(self) -> np.ndarray:
        if len(self.concentration) == 1:
            return digammas_of(self.concentration[0]) - digammas_of(self.concentration[0].sum(keepdims=True))
        total = digammas_of(self.concentration.sum(axis=0))
        taken, left = digammas_of(self.concentration) - total
        return taken + np.append(0.0, np.cumsum(left)[:-1])


def expected_weights(concentration: np.ndarray) -> np.ndarray:
    """(components,), adding up to 1."""
    if len(concentration) == 1:
        return concentration[0] / concentration[0].sum()
    share = concentration / concentration.sum(axis=0)
    found = share[0] * np.append(1.0, np.cumprod(share[1])[:-1])
    return found / found.sum()


def next_posterior(
    before: Gaussians, sums: EStepSums, priors: Priors, form: str, reg_covar: float, team: Team
) -> Posterior:
    """The posterior that makes the bound largest, given the rows' shares."""
    weight = sums.weight + _NO_ROWS
    shift = sums.first / weight[:, None]
    spread = sums.second / weight[:, None, None]
    for part, own in zip(spread, shift):  # one by one: they may be large
        part -= own[:, None] * own if before.is_full else own * own
    middle, precision = before.means + shift, priors.mean_precision + weight
    means = (priors.mean_precision * priors.mean + weight[:, None] * middle) / precision[:, None]
    share = weight.sum() / len(weight) if form == "tied" else weight
    freedom = np.broadcast_to(priors.degrees_of_freedom + share, weight.shape).copy()
    covariances = _covariances(spread, middle - priors.mean, weight, priors, form, reg_covar)
    covariances /= freedom[:, None, None]
    concentration = _concentration(weight, priors)
    shown = expected_weights(concentration)
    found = Posterior(shown, means, covariances, concentration, precision, freedom)
    check_positive(found, team)
    return found


def _concentration(weight: np.ndarray, priors: Priors) -> np.ndarray:
    if not priors.is_process:
        return (priors.concentration + weight)[None]
    later = np.append(np.cumsum(weight[::-1])[-2::-1], 0.0)
    return np.stack([1.0 + weight, priors.concentration + later])


def _covariances(
    spread: np.ndarray, gap: np.ndarray, weight: np.ndarray, priors: Priors, form: str, reg_covar: float
) -> np.ndarray:
    """Sums of squares, the prior's and those of the rows, in a form; not yet divided by the degrees of freedom."""
    pull = weight * priors.mean_precision / (priors.mean_precision + weight)
    n_columns, is_full = gap.shape[1], form in ("full", "tied")
    for k, part in enumerate(spread):
        if is_full:
            part[np.arange(n_columns), np.arange(n_columns)] += reg_covar
        else:
            part += reg_covar
        part *= weight[k]
        part += pull[k] * (gap[k][:, None] * gap[k] if is_full else gap[k] * gap[k])
        if form == "spherical":
            part[:] = part.mean()
    if form == "tied":
        total = np.zeros(spread.shape[1:])
        for part in spread:
            total += part
        spread = np.broadcast_to(total / len(spread), spread.shape).copy()
    spread += priors.covariance
    return spread


def lower_bound(before: Posterior, sums: EStepSums, after: Posterior, form: str, team: Team) -> float:
    """What the step from `before` to `after`, by the sums of a pass, has made of the bound."""
    own = before.factors(form, team)
    each = before.log_factors() + own.log_determinants() - 0.5 * before.means.shape[1] * LOG_2PI
    entropy = sums.likelihood - float((sums.weight * each - 0.5 * own.traces(sums.second)).sum())
    n_columns, freedom = after.means.shape[1], after.degrees_of_freedom
    determinants = after.factors(form, team).log_determinants() - 0.5 * n_columns * logs_of(freedom)
    gammas = log_gammas_of(0.5 * (freedom - np.arange(n_columns)[:, None])).sum(axis=0)
    wishart = -(freedom * determinants + 0.5 * LN2 * n_columns * freedom + gammas).sum()
    spread = 0.5 * n_columns * logs_of(after.mean_precision).sum()
    return float(entropy - wishart - _log_norm(after.concentration) - spread)


def _log_norm(concentration: np.ndarray) -> float:
    """Of the distribution of the weights."""
    gammas = log_gammas_of(concentration).sum(axis=0)
    if len(concentration) == 1:
        return float(log_gammas_of(concentration.sum(keepdims=True)).sum() - gammas.sum())
    return float((log_gammas_of(concentration.sum(axis=0)) - gammas).sum())


class Factors:
    """Inverse Cholesky factors of a mixture's covariances; tied ones are factorised once."""

    def __init__(self, mixture: Gaussians, form: str, team: Team) -> None:
        self.team, self.n = team, len(mixture.means)
        self.is_full = mixture.is_full
        n = 1 if form == "tied" else self.n
        if not mixture.is_full:
            self.lower = 1.0 / np.sqrt(mixture.covariances)
        elif mixture.is_wide:
            self.lower = inverses_of(mixture.triangles(team)[:n], team)
        else:
            self.lower = factors_and_inverses(mixture.covariances[:n])[1]

    def log_determinants(self) -> np.ndarray:
        """(components,): half the logarithms of the precision matrices' determinants."""
        diagonal = np.diagonal(self.lower, axis1=1, axis2=2) if self.is_full else self.lower[:, 0]
        return np.broadcast_to(logs_of(np.ascontiguousarray(diagonal)).sum(axis=1), self.n)

    def traces(self, second: np.ndarray) -> np.ndarray:
        """(components,): of the products of precision matrices and second moments."""
        if not self.is_full:
            return (second * self.lower * self.lower).sum(axis=(1, 2))
        places = [(k, part) for k in range(self.n) for part in strips(second.shape[1], _STRIP)]

        def work(place: tuple[int, slice]) -> float:
            k, part = place
            rows = self.lower[k if len(self.lower) > 1 else 0][part]
            return float((rows @ second[k] * rows).sum())

        found = np.zeros(self.n)
        with one_blas_thread():
            for (k, _), trace in zip(places, self.team.map(work, places)):
                found[k] += trace
        return found

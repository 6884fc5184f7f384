"""Gaussian mixtures: the loop of expectation and maximisation (EM), and where it starts.

    mixture ──e_step.collect──▶ sums, log-likelihood ──m_step.next_mixture──▶ mixture ── ... until it gains little

In:  `EStepRows`, a first mixture. Out: `MixtureOutcome`. The log-likelihood never falls, except by what `reg_covar`
adds and rounding. With `Priors` the step is that of variational inference (`variational.py`), and what rises is its
lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spinney._random import draw_uniforms
from spinney._team import Team
from spinney.cluster.assign import nearest_centres
from spinney.cluster.e_step import EStepRows, EStepSums, Gaussians, RemoteEStepRows, collect
from spinney.cluster.m_step import as_matrices, check_positive, next_mixture
from spinney.cluster.plusplus import plus_plus, random_rows
from spinney.cluster.points import make_points
from spinney.cluster.variational import Posterior, Priors, lower_bound, next_posterior
from spinney.data.weights import Weights

Watcher = Callable[[int, float, float], None]  # iteration, log-likelihood, by how much it has risen


@dataclass(frozen=True)
class MixtureSettings:
    """What a run is told."""

    form: str = "full"
    max_iter: int = 100
    tol: float = 1e-3  # of the mean log-likelihood: a smaller gain ends the run
    reg_covar: float = 1e-6
    keep_history: bool = False
    priors: Priors | None = None  # None: maximum likelihood
    reached: float = -np.inf  # the log-likelihood or bound of the fit that this one goes on from


class MixtureStep(NamedTuple):
    """A mixture, and the mean log-likelihood of the rows under it."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray  # (components, columns, columns), whatever the form
    log_likelihood: float


class MixtureOutcome(NamedTuple):
    """Where a run has ended."""

    mixture: Gaussians
    log_likelihood: float  # before the last step, as scikit-learn has it; or the lower bound after it
    n_iter: int
    has_converged: bool
    log_likelihoods: list[float]  # before each step; or the bounds after them
    history: list[MixtureStep]


def run_em(
    rows: EStepRows,
    mixture: Gaussians,
    settings: MixtureSettings,
    team: Team,
    watch: Watcher | None = None,
    begun: MixtureOutcome | None = None,
    look_back: Callable[[MixtureOutcome], None] = lambda reached: None,
) -> MixtureOutcome:
    """Iterate to the end, perhaps from where an earlier run was; `look_back` is told where this one is."""
    total = rows.total_weight
    likelihoods, history, has_converged = [settings.reached], [], False
    if begun is not None:
        mixture, has_converged, history = begun.mixture, begun.has_converged, list(begun.history)
        likelihoods += begun.log_likelihoods
    while len(likelihoods) <= settings.max_iter and not has_converged:
        number = len(likelihoods)
        sums = collect(rows, mixture, team)
        if settings.keep_history:
            history.append(_step(rows, mixture, sums.likelihood / total))
        mixture, bound = _advance(mixture, sums, total, settings, team)
        likelihoods.append(bound)
        gain = likelihoods[-1] - likelihoods[-2]
        if watch is not None:
            watch(number, likelihoods[-1], gain)
        has_converged = bool(abs(gain) < settings.tol)
        look_back(MixtureOutcome(mixture, likelihoods[-1], number, has_converged, likelihoods[1:], history))
    if settings.keep_history:
        history.append(_step(rows, mixture, collect(rows, mixture, team).likelihood / total))
    return MixtureOutcome(mixture, likelihoods[-1], len(likelihoods) - 1, has_converged, likelihoods[1:], history)


def _advance(
    mixture: Gaussians, sums: EStepSums, total: float, settings: MixtureSettings, team: Team
) -> tuple[Gaussians, float]:
    """The next mixture, and what its run is judged by."""
    if settings.priors is None:
        found = next_mixture(mixture, sums, settings.form, settings.reg_covar)
        check_positive(found, team)
        return found, sums.likelihood / total
    assert isinstance(mixture, Posterior)
    after = next_posterior(mixture, sums, settings.priors, settings.form, settings.reg_covar, team)
    return after, lower_bound(mixture, sums, after, settings.form, team)


def best_em(
    rows: EStepRows,
    starts: Iterable[Gaussians],
    settings: MixtureSettings,
    team: Team,
    watcher_of: Callable[[int], Watcher | None],
    tell: Callable[[int, MixtureOutcome], None] = lambda number, found: None,
) -> MixtureOutcome:
    """A run from each first mixture, watched by its number; the one of the highest likelihood, of equals the first."""
    best: MixtureOutcome | None = None
    for number, start in enumerate(starts):
        found = run_em(rows, start, settings, team, watcher_of(number))
        tell(number, found)
        if best is None or found.log_likelihood > best.log_likelihood:
            best = found
    assert best is not None, "no start"
    return best


def _step(rows: EStepRows, mixture: Gaussians, likelihood: float) -> MixtureStep:
    return MixtureStep(mixture.weights, mixture.means + rows.origin, as_matrices(mixture.covariances), likelihood)


def start_from_shares(rows: EStepRows, shares: np.ndarray, form: str, reg_covar: float, team: Team) -> Gaussians:
    """The mixture for given shares (rows, components) of the rows.

    Sums are taken twice: about the middle of all rows, and then about the means found, which costs no digits.
    """
    mixture = neutral_mixture(rows, shares.shape[1], form)
    for is_last in (False, True):
        mixture = next_mixture(mixture, collect(rows, mixture, team, shares), form, reg_covar)
        if is_last or not mixture.is_wide:  # wide ones take long to check
            check_positive(mixture, team)
    return mixture


def neutral_mixture(rows: EStepRows, n_components: int, form: str) -> Gaussians:
    """Components that are all alike: in the middle of the rows, and as wide as they are."""
    variance = rows.variances
    spread = np.diag(variance) if form in ("full", "tied") else variance[None]
    covariances = np.ascontiguousarray(np.broadcast_to(spread, (n_components, *spread.shape)))
    even = np.full(n_components, 1.0 / n_components)
    return Gaussians(even, np.zeros((n_components, rows.values.shape[1])), covariances)


def posterior_from_shares(rows: EStepRows, shares: np.ndarray, settings: MixtureSettings, team: Team) -> Posterior:
    """As `start_from_shares`, with priors; missing values are at first expected in the middle of their component."""
    assert settings.priors is not None
    mixture = neutral_mixture(rows, shares.shape[1], settings.form)
    for _ in range(2):
        sums = collect(rows, mixture, team, shares)
        found = next_posterior(mixture, sums, settings.priors, settings.form, settings.reg_covar, team)
        mixture = replace(mixture, means=found.means)
    return found


def covariance_prior(rows: EStepRows | RemoteEStepRows, form: str, team: Team) -> np.ndarray:
    """The covariance of all rows, as a pass reads it; a missing value counts as the mean of its column."""
    sums = rows.sums_of_all(form) if isinstance(rows, RemoteEStepRows) else sums_of_all(rows, form, team)
    total, middle, second = float(sums.weight[0]), sums.first[0] / sums.weight[0], sums.second[0]
    squares = middle * middle if len(second) == 1 else middle[:, None] * middle
    found = (second - total * squares) / max(total - 1.0, 1.0)
    return np.full_like(found, found.mean()) if form == "spherical" else found


def sums_of_all(rows: EStepRows, form: str, team: Team) -> EStepSums:
    """Of rows that all belong to one component."""
    return collect(rows, neutral_mixture(rows, 1, form), team, np.ones((len(rows.values), 1)))


def middle_of(values: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The weighted mean of each column's known values; NaN if there are none."""
    known = ~np.isnan(values)
    weight = np.ones(len(values)) if weight is None else weight
    with np.errstate(invalid="ignore"):  # sums row after row: the order of BLAS is its own
        total = (np.where(known, values, 0.0) * weight[:, None]).sum(axis=0)
        return total / (known * weight[:, None]).sum(axis=0)


def shares_from_labels(labels: np.ndarray, n_components: int) -> np.ndarray:
    """Each row belongs to one component."""
    return (labels[:, None] == np.arange(n_components)).astype(np.float64)


def labels_of_nearest(
    values: np.ndarray, weights: Weights, n_components: int, by_distance: bool, key: int, team: Team
) -> np.ndarray:
    """Draw rows, by k-means++ or by weight alone; the nearest of them for each row."""
    points = make_points(values, weights, team)
    places = plus_plus(points, n_components, key, team) if by_distance else random_rows(points, n_components, key)
    return points.as_in_table(nearest_centres(points, points.rows_at(places), team))


def random_shares(n_rows: int, n_components: int, key: int) -> np.ndarray:
    """Every row belongs to all components, to each by chance."""
    drawn = np.empty(n_rows * n_components)
    draw_uniforms(np.uint64(key), drawn)
    return in_shares(drawn.reshape(n_rows, n_components))


def in_shares(drawn: np.ndarray) -> np.ndarray:
    """Rows that add up to 1."""
    return drawn / drawn.sum(axis=1, keepdims=True)

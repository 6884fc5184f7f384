"""The M step: from the sums of a pass to the next mixture of Gaussians, in four forms of covariance.

    full        a covariance matrix a component          (components, columns, columns)
    tied        one for all                               (columns, columns)
    diag        a variance a component and column         (components, columns)
    spherical   a variance a component                    (components,)

A pass reads matrices (full, tied) or variances (diag, spherical), one for each component; `publish` and `expand` go
between that and the shapes above.

A component to which hardly any row belongs (less than 10 roundings of all weight) keeps its mean and covariance.
"""

from __future__ import annotations

import numpy as np

from spinney._team import Team
from spinney.cluster.cholesky import factors_and_inverses, first_not_positive, gram, inverses_of
from spinney.cluster.e_step import EStepSums, Gaussians

FORMS = ("full", "tied", "diag", "spherical")
_NEXT_TO_NOTHING = 10 * np.finfo(np.float64).eps


def next_mixture(before: Gaussians, sums: EStepSums, form: str, reg_covar: float) -> Gaussians:
    """The mixture that makes the expected log-likelihood largest; not yet checked."""
    total = float(sums.weight.sum())
    lives = sums.weight > _NEXT_TO_NOTHING * total
    weight = np.where(lives, sums.weight, 1.0)[:, None]
    shift = sums.first / weight
    spread = sums.second / weight[:, :, None]
    for part, own in zip(spread, shift):  # one by one: they may be large
        part -= own[:, None] * own if before.is_full else own * own
    means = np.where(lives[:, None], before.means + shift, before.means)
    covariances = _in_form(spread, sums.weight * lives, form, reg_covar)
    if form != "tied" and not lives.all():
        covariances = np.where(lives[:, None, None], covariances, before.covariances)
    return Gaussians(sums.weight / total, means, covariances)


def _in_form(spread: np.ndarray, weight: np.ndarray, form: str, reg_covar: float) -> np.ndarray:
    """Covariances of the components, made to be of a form, and a little larger."""
    if form == "tied":
        total = np.zeros(spread.shape[1:])
        for part, own in zip(spread, weight):
            total += own * part
        spread = np.broadcast_to(total / weight.sum(), spread.shape).copy()
    if form in ("full", "tied"):
        spread[:, np.arange(spread.shape[1]), np.arange(spread.shape[1])] += reg_covar
        return spread
    spread = spread + reg_covar
    return np.repeat(spread.mean(axis=2, keepdims=True), spread.shape[2], axis=2) if form == "spherical" else spread


def check_positive(mixture: Gaussians, team: Team) -> None:
    """Refuse a mixture with a component that has collapsed."""
    if mixture.is_wide:
        bad = next((k for k, one in enumerate(mixture.triangles(team)) if one is None), -1)
    elif mixture.is_full:
        bad = first_not_positive(mixture.covariances, np.zeros_like(mixture.covariances))
    else:
        bad = _first_without_width(mixture)
    if bad >= 0:
        raise ValueError(
            f"Fitting the mixture model failed: component {bad} has collapsed, its covariance is not positive definite "
            "(as that of one row, or of a constant column). Use fewer components, a larger reg_covar or scaled columns."
        )


def _first_without_width(mixture: Gaussians) -> int:
    bad = ~(mixture.covariances > 0).all(axis=(1, 2))
    return int(bad.argmax()) if bad.any() else -1


def publish(covariances: np.ndarray, form: str) -> np.ndarray:
    """Covariances in the shape of their form."""
    if form == "full":
        return covariances
    if form == "tied":
        return covariances[0]
    return covariances[:, 0, :] if form == "diag" else covariances[:, 0, 0]


def expand(published: np.ndarray, form: str, n_components: int, n_columns: int) -> np.ndarray:
    """Published covariances as a pass reads them."""
    if form in ("full", "tied"):
        shape = (n_components, n_columns, n_columns)
    else:
        shape = (n_components, 1, n_columns)
        published = published[:, None, None] if form == "spherical" else published[:, None, :]
    return np.ascontiguousarray(np.broadcast_to(published, shape), np.float64)


def as_matrices(covariances: np.ndarray) -> np.ndarray:
    """(components, columns, columns), whatever the form."""
    if covariances.shape[1] == covariances.shape[2]:
        return covariances
    return covariances[:, 0, :, None] * np.eye(covariances.shape[2])


def precisions(mixture: Gaussians, form: str, team: Team) -> tuple[np.ndarray, np.ndarray]:
    """(inverses of the covariances, upper factors U with U Uᵀ = inverse), in scikit-learn's shapes."""
    if form in ("full", "tied"):
        n = len(mixture.weights) if form == "full" else 1
        if mixture.is_wide:
            lower = inverses_of(mixture.triangles(team)[:n], team)
        else:
            _, lower = factors_and_inverses(mixture.covariances[:n])
        upper, inverse = lower.swapaxes(1, 2), gram(lower)
        return (inverse, upper) if form == "full" else (inverse[0], upper[0])
    published = publish(mixture.covariances, form)
    return 1.0 / published, 1.0 / np.sqrt(published)


def n_parameters(form: str, n_components: int, n_columns: int) -> int:
    """Free numbers of a mixture."""
    pairs = n_columns * (n_columns + 1) // 2
    spread = {"full": n_components * pairs, "tied": pairs, "diag": n_components * n_columns, "spherical": n_components}
    return spread[form] + n_components * n_columns + n_components - 1

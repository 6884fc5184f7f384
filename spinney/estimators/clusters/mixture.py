"""Gaussian mixtures, plain and Bayesian, with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.weights import Weights, read_sample_weight
from spinney.estimators.base import hash_of
from spinney.estimators.clusters.mixture_model import MixtureModel, first_mixture, first_shares, read_array
from spinney.estimators.clusters.params import BAYESIAN, MIXTURE
from spinney.estimators.docstrings import CELLS_OR_MISSING, documented
from spinney.estimators.params import described, keep_parameters

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.cluster.e_step import EStepRows, Gaussians
    from spinney.cluster.mixture import MixtureOutcome, MixtureSettings
    from spinney.cluster.variational import Posterior, Priors


_FITTED = """
    covariances_ : ndarray
        Covariances of the components: (n_components, n_features, n_features) for "full", (n_features, n_features) for
        "tied", (n_components, n_features) for "diag", (n_components,) for "spherical".
    precisions_ : ndarray
        Inverses of the covariances.
    precisions_cholesky_ : ndarray
        Cholesky factors of the precisions, as in scikit-learn.
    converged_ : bool
        Whether the best run converged.
    n_iter_ : int
        Number of iterations of the best run.
    history_ : list of (weights, means, covariances, log_likelihood), or None without keep_history
        The mixture before each iteration and at the end.
"""


@described(MIXTURE, fitted=_FITTED)
class GaussianMixture(MixtureModel):
    """Gaussian mixture, fitted by expectation-maximisation (EM).

    Rows may have missing values (NaN), which are integrated out. The result does not depend on the number of threads:
    sums are computed over blocks of rows that do not depend on it, and added in a fixed order.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components. They add up to 1.
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
    {fitted}
    lower_bound_ : float
        Mean log-likelihood of the rows, before the last step.
    lower_bounds_ : list of float
        The same before each step of the best run.
    fingerprint_ : str
        Hash of weights, means and covariances.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import GaussianMixture
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = GaussianMixture(n_components=2, random_state=0).fit(X)
    >>> sorted(model.means_.round(6).tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        keep_history: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _settings(self, rows: EStepRows, team: Team) -> MixtureSettings:
        from spinney.cluster.mixture import MixtureSettings

        return MixtureSettings(self.covariance_type, self.max_iter, self.tol, self.reg_covar, self.keep_history)

    def _start(
        self, rows: EStepRows, weights: Weights, settings: MixtureSettings, random: Any, team: Team
    ) -> Gaussians:
        return first_mixture(self, rows, weights, random, team)

    @documented(CELLS_OR_MISSING)
    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Compute the Bayesian information criterion (BIC).

        Returns
        -------
        float
            The criterion; lower is better.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from spinney import GaussianMixture
        >>> X, _ = make_blobs(300, centers=3, random_state=0, cluster_std=0.5)
        >>> GaussianMixture(3, random_state=0).fit(X).bic(X) < GaussianMixture(1).fit(X).bic(X)
        True
        """
        return self._criterion(X, sample_weight, None)

    @documented(CELLS_OR_MISSING)
    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Compute the Akaike information criterion (AIC).

        Returns
        -------
        float
            The criterion; lower is better.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from spinney import GaussianMixture
        >>> X, _ = make_blobs(300, centers=3, random_state=0, cluster_std=0.5)
        >>> GaussianMixture(3, random_state=0).fit(X).aic(X) < GaussianMixture(1).fit(X).aic(X)
        True
        """
        return self._criterion(X, sample_weight, 2.0)

    def _criterion(self, X: Any, sample_weight: Any, price: float | None) -> float:
        """-2 log-likelihood plus a penalty per parameter: the logarithm of the number of rows, unless given."""
        from spinney.cluster.m_step import n_parameters

        logs = self.score_samples(X)
        weight = read_sample_weight(sample_weight, len(logs)).total()
        weight = np.ones(len(logs)) if weight is None else weight
        each = float(np.log(weight.sum())) if price is None else price
        return float(-2.0 * (weight * logs).sum()) + each * n_parameters(self.covariance_type, *self.means_.shape)


# ----------------------------------------------------------------------------------------------------------------------
# Bayesian Gaussian mixtures.


@described(BAYESIAN, fitted=_FITTED)
class BayesianGaussianMixture(MixtureModel):
    """Bayesian Gaussian mixture, fitted by variational inference: it uses as many components as the data needs.

    Rows may have missing values (NaN), which are integrated out. The result does not depend on the number of threads.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Expected weights of the components.
    means_ : ndarray of shape (n_components, n_features)
        Expected means of the components.
    {fitted}
    lower_bound_ : float
        Lower bound of the log evidence after the last step, without constants.
    lower_bounds_ : list of float
        The same after each step of the best run.
    weight_concentration_prior_, mean_precision_prior_, degrees_of_freedom_prior_ : float
        The values used for these parameters.
    mean_prior_ : ndarray of shape (n_features,)
        The value used for `mean_prior`.
    covariance_prior_ : float or ndarray
        The value used for `covariance_prior`.
    weight_concentration_ : tuple of two ndarrays of shape (n_components,), or one
        Parameters of the weights' distribution: those of beta distributions for "dirichlet_process", those of a
        Dirichlet distribution for "dirichlet_distribution".
    mean_precision_ : ndarray of shape (n_components,)
        Number of rows that each mean is based on, including the prior's.
    degrees_of_freedom_ : ndarray of shape (n_components,), or float for "tied"
        Number of rows that each covariance is based on, including the prior's.
    fingerprint_ : str
        Hash of the posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import BayesianGaussianMixture
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [4, 2], [12, 4], [10, 7]])
    >>> model = BayesianGaussianMixture(n_components=2, random_state=42).fit(X)
    >>> sorted(model.means_.round(1).tolist())
    [[2.5, 2.3], [8.5, 4.5]]
    """

    _bound = "lower bound"

    def __init__(
        self,
        *,
        n_components: int = 1,
        covariance_type: str = "full",
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "kmeans",
        weight_concentration_prior_type: str = "dirichlet_process",
        weight_concentration_prior: float | None = None,
        mean_precision_prior: float | None = None,
        mean_prior: Any = None,
        degrees_of_freedom_prior: float | None = None,
        covariance_prior: Any = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        verbose_interval: int = 10,
        keep_history: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _row_weights(self, weights: Weights) -> np.ndarray | None:
        weight = weights.relative()
        if weight is None or weights.importance is None:
            return weight
        return weight * (np.count_nonzero(weight) / weight.sum())  # rows count against the priors: 1 each, on average

    def _settings(self, rows: EStepRows, team: Team) -> MixtureSettings:
        from spinney.cluster.mixture import MixtureSettings

        priors = self._priors(rows, team)
        settings = MixtureSettings(self.covariance_type, self.max_iter, self.tol, self.reg_covar, self.keep_history)
        return replace(settings, priors=priors)

    def _priors(self, rows: EStepRows, team: Team) -> Priors:
        """What the parameters say is expected; published, too."""
        from spinney.cluster.m_step import publish
        from spinney.cluster.variational import Priors

        n_columns = len(rows.origin)
        given = self.weight_concentration_prior, self.mean_precision_prior, self.degrees_of_freedom_prior
        usual = 1.0 / self.n_components, 1.0, float(n_columns)
        concentration, precision, freedom = (b if a is None else float(a) for a, b in zip(given, usual))
        if freedom <= n_columns - 1:
            raise ValueError(
                f"degrees_of_freedom_prior must be greater than n_features - 1 = {n_columns - 1}, got {freedom:g}."
            )
        mean = rows.origin if self.mean_prior is None else read_array("mean_prior", self.mean_prior, (n_columns,))
        covariance = self._covariance_prior(rows, team)
        self.weight_concentration_prior_, self.mean_precision_prior_ = concentration, precision
        self.degrees_of_freedom_prior_, self.mean_prior_ = freedom, mean
        shown = publish(covariance[None], self.covariance_type)
        self.covariance_prior_ = shown if self.covariance_type == "tied" else shown[0]
        is_process = self.weight_concentration_prior_type == "dirichlet_process"
        return Priors(is_process, concentration, precision, mean - rows.origin, freedom, covariance)

    def _covariance_prior(self, rows: EStepRows, team: Team) -> np.ndarray:
        from spinney.cluster.mixture import covariance_prior

        n_columns, form = len(rows.origin), self.covariance_type
        if self.covariance_prior is None:
            return covariance_prior(rows, form, team)
        shape = {"diag": (n_columns,), "spherical": (1,)}.get(form, (n_columns, n_columns))
        given = read_array("covariance_prior", np.atleast_1d(self.covariance_prior), shape)
        if form in ("diag", "spherical"):
            if not (given > 0).all():
                raise ValueError("covariance_prior must hold positive numbers.")
            return np.broadcast_to(given, (1, n_columns)).copy()
        if not np.allclose(given, given.T) or not (np.linalg.eigvalsh(given) > 0).all():
            raise ValueError("covariance_prior must be a symmetric, positive definite matrix.")
        return given

    def _start(
        self, rows: EStepRows, weights: Weights, settings: MixtureSettings, random: Any, team: Team
    ) -> Gaussians:
        from spinney.cluster.mixture import posterior_from_shares

        return posterior_from_shares(rows, first_shares(self, rows, weights, random, team), settings, team)

    def _keep(self, found: MixtureOutcome, origin: np.ndarray, team: Team) -> None:
        super()._keep(found, origin, team)
        posterior: Any = found.mixture
        is_process = self.weight_concentration_prior_type == "dirichlet_process"
        self.weight_concentration_ = tuple(posterior.concentration) if is_process else posterior.concentration[0]
        self.mean_precision_, freedom = posterior.mean_precision, posterior.degrees_of_freedom
        self.degrees_of_freedom_ = float(freedom[0]) if self.covariance_type == "tied" else freedom

    def _mixture(self, origin: np.ndarray) -> Posterior:
        from spinney.cluster.variational import Posterior

        plain = super()._mixture(origin)
        concentration = np.atleast_2d(np.array(self.weight_concentration_))
        freedom = np.broadcast_to(self.degrees_of_freedom_, plain.weights.shape).copy()
        return Posterior(
            plain.weights, plain.means, plain.covariances, concentration, np.asarray(self.mean_precision_), freedom
        )

    def _fingerprint(self) -> str:
        parts = self.weight_concentration_, self.mean_precision_, self.degrees_of_freedom_
        return hash_of([super()._fingerprint().encode(), *(np.asarray(part).tobytes() for part in parts)])

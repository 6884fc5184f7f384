"""Gaussian mixtures with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.weights import Weights
from spinney.estimators.base import read_sample_weight
from spinney.estimators.cluster_params import MIXTURE
from spinney.estimators.mixture_model import MixtureModel
from spinney.estimators.mixture_start import first_mixture
from spinney.estimators.params import described, keep_parameters

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.cluster.expect import Gaussians, Rows
    from spinney.cluster.mixture import MixtureSettings


@described(MIXTURE)
class GaussianMixture(MixtureModel):
    """A mixture of Gaussians, fitted by expectation and maximisation (EM).

    Rows may have missing values (NaN): they count by what is known of them. The result does not depend on the number
    of threads: sums are taken over blocks of rows that do not depend on it, and added in their order.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
    means_ : ndarray of shape (n_components, n_features)
    covariances_ : ndarray
        (n_components, n_features, n_features) for "full", (n_features, n_features) for "tied",
        (n_components, n_features) for "diag", (n_components,) for "spherical".
    precisions_ : ndarray
        Inverses of the covariances.
    precisions_cholesky_ : ndarray
        Their Cholesky factors, as in scikit-learn.
    converged_ : bool
    n_iter_ : int
    lower_bound_ : float
        Mean log-likelihood of the rows, before the last step.
    lower_bounds_ : list of float
        The same before each step of the run that counts.
    history_ : list of (weights, means, covariances, log_likelihood), or None without keep_history
        The mixture before each iteration and, last, that at the end.
    fingerprint_ : str
        A hash of weights, means and covariances.
    n_features_in_, feature_names_in_

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

    def _settings(self, rows: Rows, team: Team) -> MixtureSettings:
        from spinney.cluster.mixture import MixtureSettings

        return MixtureSettings(self.covariance_type, self.max_iter, self.tol, self.reg_covar, self.keep_history)

    def _start(self, rows: Rows, weights: Weights, settings: MixtureSettings, random: Any, team: Team) -> Gaussians:
        return first_mixture(self, rows, weights, random, team)

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Bayesian information criterion: the lower the better."""
        return self._criterion(X, sample_weight, None)

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Akaike information criterion: the lower the better."""
        return self._criterion(X, sample_weight, 2.0)

    def _criterion(self, X: Any, sample_weight: Any, price: float | None) -> float:
        """-2 log-likelihood plus a price for each parameter: the logarithm of the number of rows, unless given."""
        from spinney.cluster.gaussians import n_parameters

        logs = self.score_samples(X)
        weight = read_sample_weight(sample_weight, len(logs)).total()
        weight = np.ones(len(logs)) if weight is None else weight
        each = float(np.log(weight.sum())) if price is None else price
        return float(-2.0 * (weight * logs).sum()) + each * n_parameters(self.covariance_type, *self.means_.shape)

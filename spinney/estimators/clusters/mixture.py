"""Gaussian mixtures with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.weights import Weights
from spinney.estimators.base import read_sample_weight
from spinney.estimators.clusters.mixture_model import MixtureModel, first_mixture
from spinney.estimators.clusters.params import MIXTURE
from spinney.estimators.params import described, keep_parameters

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.cluster.e_step import EStepRows, Gaussians
    from spinney.cluster.mixture import MixtureSettings


@described(MIXTURE)
class GaussianMixture(MixtureModel):
    """Gaussian mixture, fitted by expectation-maximisation (EM).

    Rows may have missing values (NaN), which are integrated out. The result does not depend on the number of threads:
    sums are computed over blocks of rows that do not depend on it, and added in a fixed order.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components. They add up to 1.
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
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
    lower_bound_ : float
        Mean log-likelihood of the rows, before the last step.
    lower_bounds_ : list of float
        The same before each step of the best run.
    history_ : list of (weights, means, covariances, log_likelihood), or None without keep_history
        The mixture before each iteration and at the end.
    fingerprint_ : str
        Hash of weights, means and covariances.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns, if X had names.

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

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Compute the Bayesian information criterion (BIC).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data: numbers, with the columns of `fit`. Missing values are NaN.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.

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

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Compute the Akaike information criterion (AIC).

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data: numbers, with the columns of `fit`. Missing values are NaN.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.

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
        from spinney.cluster.gaussians import n_parameters

        logs = self.score_samples(X)
        weight = read_sample_weight(sample_weight, len(logs)).total()
        weight = np.ones(len(logs)) if weight is None else weight
        each = float(np.log(weight.sum())) if price is None else price
        return float(-2.0 * (weight * logs).sum()) + each * n_parameters(self.covariance_type, *self.means_.shape)

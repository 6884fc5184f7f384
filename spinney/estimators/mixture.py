"""Gaussian mixtures with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney.data.weights import Weights
from spinney.estimators.base import all_or_nothing, hash_of, read_sample_weight
from spinney.estimators.matrices import MatrixModel
from spinney.estimators.mixture_start import first_mixture
from spinney.estimators.params import check_parameters, keep_parameters

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.cluster.expect import Gaussians, Rows
    from spinney.cluster.mixture import Outcome


class GaussianMixture(DensityMixin, MatrixModel):
    """A mixture of Gaussians, fitted by expectation and maximisation (EM).

    Rows may have missing values (NaN): they count by what is known of them. The result does not depend on the number
    of threads: sums are taken over blocks of rows that do not depend on it, and added in their order.

    Parameters
    ----------
    n_components : int, default 1
        How many Gaussians.
    covariance_type : {"full", "tied", "diag", "spherical"}, default "full"
        A covariance matrix for each; one for all; a variance for each and every column; a variance for each.
    tol : float, default 1e-3
        A run ends when an iteration raises the mean log-likelihood by less.
    reg_covar : float, default 1e-6
        Added to all variances, so that no component collapses.
    max_iter : int, default 100
        Maximum number of iterations of a run.
    n_init : int, default 1
        How many times to start; the run with the highest log-likelihood counts.
    init_params : {"kmeans", "k-means++", "random", "random_from_data"}, default "kmeans"
        Where a run starts: at the clusters of k-means; with the rows nearest to each of the rows that k-means++
        draws, or that are drawn by weight alone ("random_from_data"); with random shares of the components in the
        rows.
    weights_init, means_init, precisions_init : array-like or None
        Given starts, in the shapes of `weights_`, `means_` and `precisions_`.
    random_state : int, RandomState or None
        For starts and `sample`.
    warm_start : bool, default False
        Go on from the last fit.
    verbose : int, default 0
        1 prints the log-likelihood now and then.
    verbose_interval : int, default 10
        Iterations from one print to the next.
    keep_history : bool, default False
        Keep the mixture of every iteration in `history_`.
    n_jobs : int or None
        Threads; None: every core. The result does not depend on it.

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

    _takes_sparse = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "init_params": [StrOptions({"kmeans", "k-means++", "random", "random_from_data"})],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", None],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "verbose_interval": [Interval(Integral, 1, None, closed="left")],
        "keep_history": ["boolean"],
        "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
    }
    _takes_missing = True
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> GaussianMixture:
        """Fit the mixture.

        Parameters
        ----------
        X : table of numbers, NaN where missing
            NumPy array, pandas or polars frame, Arrow table.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts. Whole numbers up to 127 are repetitions of the row; of other weights only the
            proportions matter.

        Returns
        -------
        self
        """
        check_parameters(self)
        with all_or_nothing(self):
            schema, values = self._learn_matrix(X)
            if len(values) < self.n_components:
                raise ValueError(
                    f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                    f"n_samples = {len(values)}"
                )
            weights = read_sample_weight(sample_weight, len(values))
            with self._make_team("cluster", self._work(values)) as team:
                rows = self._fit_rows(values, weights)
                self._keep(self._best_run(rows, weights, team), rows, team)
            self._keep_schema(schema)
        return self

    def _work(self, values: np.ndarray) -> int:
        return values.size * self.n_components * (values.shape[1] if self.covariance_type in ("full", "tied") else 1)

    def _fit_rows(self, values: np.ndarray, weights: Weights) -> Rows:
        from spinney.cluster.expect import read_rows
        from spinney.cluster.mixture import middle_of

        if len(values) < 2:
            raise ValueError("Found array with 1 sample(s) while a minimum of 2 is required by GaussianMixture.")
        _check_finite(values)
        weight = weights.relative()
        origin = middle_of(values, weight)
        if np.isnan(origin).any():
            column = int(np.isnan(origin).argmax())
            raise ValueError(f"Column {column} of X has no values at all (in rows with weight): drop it.")
        return read_rows(values, weight, origin)

    def _best_run(self, rows: Rows, weights: Weights, team: Team) -> Outcome:
        from spinney.cluster.mixture import MixtureSettings, best_em

        settings = MixtureSettings(self.covariance_type, self.max_iter, self.tol, self.reg_covar, self.keep_history)
        random = check_random_state(self.random_state)
        starts: Iterable[Gaussians] = (first_mixture(self, rows, weights, random, team) for _ in range(self.n_init))
        if self.warm_start and hasattr(self, "means_"):
            starts = [self._mixture(rows.origin)]
        best = best_em(rows, starts, settings, team, self._watcher)
        if not best.has_converged and self.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, "
                "tol, or check for degenerate data.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return best

    def _watcher(self, start: int) -> Any:
        if not self.verbose:
            return None

        def watch(number: int, likelihood: float, gain: float) -> None:
            if number % self.verbose_interval == 0:
                print(f"Start {start}, iteration {number}, log-likelihood {likelihood:.6f}, gain {gain:.3g}.")

        return watch

    def _keep(self, found: Outcome, rows: Rows, team: Team) -> None:
        from spinney.cluster.gaussians import precisions, publish

        form, mixture = self.covariance_type, found.mixture
        self.weights_, self.means_ = mixture.weights, mixture.means + rows.origin
        self.covariances_ = publish(mixture.covariances, form)
        self.precisions_, self.precisions_cholesky_ = precisions(mixture, form, team)
        self.converged_, self.n_iter_ = found.has_converged, found.n_iter
        self.lower_bound_, self.lower_bounds_ = found.log_likelihood, found.log_likelihoods
        self._history = found.history if self.keep_history else None

    def _mixture(self, origin: np.ndarray) -> Gaussians:
        """The fitted mixture relative to an origin."""
        from spinney.cluster.expect import Gaussians
        from spinney.cluster.gaussians import expand

        n_components, n_columns = self.means_.shape
        covariances = expand(np.asarray(self.covariances_), self.covariance_type, n_components, n_columns)
        return Gaussians(np.asarray(self.weights_), self.means_ - origin, covariances)

    @property
    def history_(self) -> Any:
        """The mixture before each iteration and at the end, each with its log-likelihood; None without keep_history."""
        check_is_fitted(self)
        return self._history

    def _fingerprint(self) -> str:
        return hash_of(np.ascontiguousarray(part).tobytes() for part in (self.weights_, self.means_, self.covariances_))

    def _expect(self, X: Any) -> np.ndarray:
        """Shares of the components in each row, and the logarithm of its density."""
        from spinney.cluster.expect import expect, read_rows

        values = self._read_matrix(X)
        _check_finite(values)
        with self._make_team("cluster", self._work(values)) as team:
            origin = np.average(self.means_, axis=0, weights=self.weights_)
            return expect(read_rows(values, None, origin), self._mixture(origin), team)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Each component's share of each row, (n_samples, n_components): the soft assignment."""
        return self._expect(X)[:, :-1]

    def predict(self, X: Any) -> np.ndarray:
        """The component with the largest share of each row."""
        return self.predict_proba(X).argmax(axis=1)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """`fit`, then `predict` of the same rows."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density at each row (of its known values)."""
        return self._expect(X)[:, -1]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log-likelihood of the rows."""
        logs = self.score_samples(X)
        return float(np.average(logs, weights=read_sample_weight(sample_weight, len(logs)).relative()))

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

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows from the mixture: (rows, the component of each), component after component."""
        from spinney.cluster.gaussians import as_matrices
        from spinney.cluster.triangles import factors_and_inverses

        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples must be a whole number of at least 1, got {n_samples!r}.")
        random = check_random_state(self.random_state)
        counts = random.multinomial(n_samples, self.weights_ / self.weights_.sum())
        factors, _ = factors_and_inverses(as_matrices(self._mixture(np.zeros(self.means_.shape[1])).covariances))
        labels = np.repeat(np.arange(len(counts)), counts)
        normal = random.standard_normal((n_samples, self.means_.shape[1]))
        for k, factor in enumerate(factors):
            own = labels == k
            normal[own] = np.einsum("ij,nj->ni", factor, normal[own])
        return self.means_[labels] + normal, labels


def _check_finite(values: np.ndarray) -> None:
    if np.isinf(values).any():
        raise ValueError("Input X contains infinity or a value too large for dtype('float64').")

"""What all Gaussian mixtures share: fits, predictions, densities, samples. No algorithm in here.

In:  an estimator that says which `MixtureSettings` its parameters mean and where a run starts.
Out: `weights_`, `means_`, `covariances_` and what follows from them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from spinney._warnings import warn_caller
from spinney.data.finite import refuse_not_finite
from spinney.data.remote_table import is_remote
from spinney.data.weights import Weights, read_sample_weight
from spinney.distributed.collections import fit_by
from spinney.estimators.base import all_or_nothing, hash_of
from spinney.estimators.clusters.kmeans import KMeans, MatrixModel, columns_named
from spinney.estimators.docstrings import CELLS_OR_MISSING, NO_TARGET, documented
from spinney.estimators.params import check_parameters, read_seed
from spinney.estimators.streaming import is_in_memory, known_arguments, row_by_row, score_on_cpu

if TYPE_CHECKING:
    from typing import Self

    from spinney._team import Team
    from spinney.cluster.e_step import EStepRows, Gaussians
    from spinney.cluster.mixture import MixtureOutcome, MixtureSettings


# ----------------------------------------------------------------------------------------------------------------------
# Initial responsibilities and parameters, as those of `GaussianMixture` ask for.


def first_mixture(model: Any, rows: EStepRows, weights: Weights, random: Any, team: Team) -> Gaussians:
    """The mixture that a run starts from: found by `init_params`, or given."""
    from spinney.cluster.e_step import Gaussians
    from spinney.cluster.m_step import check_positive
    from spinney.cluster.mixture import start_from_shares

    k, n_columns = model.n_components, rows.values.shape[1]
    given = _given_weights(model, k), _given_means(model, k, n_columns), _given_covariances(model, k, n_columns)
    if any(part is None for part in given):
        shares = first_shares(model, rows, weights, random, team)
        found = start_from_shares(rows, shares, model.covariance_type, model.reg_covar, team)
    else:
        found = Gaussians(*(np.zeros(0),) * 3)
    own_weights, own_means, own_covariances = given
    if own_weights is not None:
        found = replace(found, weights=own_weights)
    if own_means is not None:
        found = replace(found, means=own_means - rows.origin)
    if own_covariances is not None:
        found = replace(found, covariances=own_covariances)
    check_positive(found, team)
    return found


def first_shares(model: Any, rows: EStepRows, weights: Weights, random: Any, team: Team) -> np.ndarray:
    """(rows, components): the initial responsibilities."""
    from spinney._random import ROWS, stream_key
    from spinney.cluster.mixture import labels_of_nearest, random_shares, shares_from_labels

    k, seed = model.n_components, read_seed(random)
    key = int(stream_key(np.uint64(seed), ROWS, np.uint64(1)))
    if model.init_params == "random":
        return random_shares(len(rows.values), k, key)
    filled = np.where(np.isnan(rows.values), rows.origin.astype(rows.values.dtype), rows.values)
    if model.init_params == "kmeans":
        kmeans = KMeans(k, n_init=1, random_state=seed, n_jobs=model.n_jobs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than components: EM reports that
            labels = kmeans.fit(filled, sample_weight=weights.relative()).labels_
    else:
        labels = labels_of_nearest(filled, weights, k, model.init_params == "k-means++", key, team)
    return shares_from_labels(labels, k)


def _given_weights(model: Any, k: int) -> np.ndarray | None:
    if model.weights_init is None:
        return None
    weights = read_array("weights_init", model.weights_init, (k,))
    if (weights < 0).any() or not np.isclose(weights.sum(), 1.0):
        raise ValueError(f"weights_init must hold numbers of at least 0 that add up to 1, got {weights.tolist()}.")
    return weights / weights.sum()


def _given_means(model: Any, k: int, n_columns: int) -> np.ndarray | None:
    return None if model.means_init is None else read_array("means_init", model.means_init, (k, n_columns))


def _given_covariances(model: Any, k: int, n_columns: int) -> np.ndarray | None:
    """The inverses of precisions_init, as a pass reads them."""
    from spinney.cluster.cholesky import factors_and_inverses, gram
    from spinney.cluster.m_step import expand

    if model.precisions_init is None:
        return None
    form = model.covariance_type
    square = (n_columns, n_columns)
    shape = {"full": (k, *square), "tied": square, "diag": (k, n_columns), "spherical": (k,)}[form]
    given = read_array("precisions_init", model.precisions_init, shape)
    if form in ("diag", "spherical"):
        if not (given > 0).all():
            raise ValueError("precisions_init must hold positive numbers.")
        return expand(1.0 / given, form, k, n_columns)
    matrices = given if form == "full" else given[None]
    if not np.allclose(matrices, matrices.swapaxes(1, 2)):
        raise ValueError("precisions_init must hold symmetric matrices.")
    try:
        _, lower = factors_and_inverses(matrices)
    except ValueError as error:
        raise ValueError(f"precisions_init must hold positive definite matrices: {error}") from error
    covariances = gram(lower)
    return expand(covariances if form == "full" else covariances[0], form, k, n_columns)


def read_array(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An array that a parameter gives, checked."""
    found = check_array(value, dtype=np.float64, ensure_2d=False, allow_nd=True, input_name=name)
    if found.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {found.shape}.")
    return np.asarray(found)


_EXAMPLE = """
>>> from spinney import GaussianMixture
>>> X = [[0.0], [1.0], [8.0], [9.0]]
>>> model = GaussianMixture(2, random_state=0).fit(X)
"""


class MixtureModel(DensityMixin, MatrixModel):
    """A mixture of Gaussians, however it is fitted."""

    _takes_missing = True
    _takes_sparse = False
    _bound = "log-likelihood"  # what rises from iteration to iteration, in words
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray

    @known_arguments
    @documented(NO_TARGET, setup=_EXAMPLE)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None) -> Self:
        """Fit the mixture.

        Parameters
        ----------
        X : array-like, DataFrame or dask collection of shape (n_samples, n_features)
            Input data: numbers, in a NumPy array or a pandas, polars or Arrow table. Missing values are NaN. Or a dask
            DataFrame or Array, which one worker of the cluster fits (`docs/scaling.md`).
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Integer weights up to 127 are repetitions of the row. For other weights, only the
            proportions matter.

        Examples
        --------
        >>> sorted(model.means_.round(3).tolist())
        [[0.5], [8.5]]
        """
        if client is not None:
            fitted: Self = fit_by(client, self.fit, X, y, sample_weight)
            return fitted
        check_parameters(self)
        if not is_in_memory(X, sample_weight) and is_remote(X, sample_weight):
            return self._fit_remote(X, sample_weight)
        with all_or_nothing(self):
            schema, values = self._learn_values(X)
            self._check_size(len(values))
            weights = read_sample_weight(sample_weight, len(values))
            _check_finite(values, schema.names)
            with self._make_team("cluster", self._work(values)) as team:
                rows = self._fit_rows(values, weights, schema.names)
                self._keep(self._best_run(rows, weights, team), rows.origin, team)
            self._keep_schema(schema)
        return self

    def _work(self, values: np.ndarray) -> int:
        return values.size * self.n_components * (values.shape[1] if self.covariance_type in ("full", "tied") else 1)

    def _check_size(self, n_rows: int) -> None:
        if n_rows < self.n_components:
            raise ValueError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {n_rows}"
            )

    def _fit_rows(self, values: np.ndarray, weights: Weights, names: Any) -> EStepRows:
        from spinney.cluster.e_step import read_rows
        from spinney.cluster.mixture import middle_of

        if len(values) < 2:
            owner = type(self).__name__
            raise ValueError(f"Found array with 1 sample(s) while a minimum of 2 is required by {owner}.")
        weight = self._row_weights(weights)
        origin = middle_of(values, weight)
        _check_known(origin, names)
        return read_rows(values, weight, origin)

    def _row_weights(self, weights: Weights) -> np.ndarray | None:
        """What each row counts in the sums; None: 1."""
        return weights.relative()

    def _settings(self, rows: EStepRows, team: Team) -> MixtureSettings:
        raise NotImplementedError

    def _start(
        self, rows: EStepRows, weights: Weights, settings: MixtureSettings, random: Any, team: Team
    ) -> Gaussians:
        raise NotImplementedError

    def _best_run(self, rows: EStepRows, weights: Weights, team: Team) -> MixtureOutcome:
        from spinney.cluster.mixture import best_em

        settings, random = self._settings(rows, team), check_random_state(self.random_state)
        starts: Iterable[Gaussians] = (self._start(rows, weights, settings, random, team) for _ in range(self.n_init))
        if self.warm_start and hasattr(self, "means_"):
            starts, settings = [self._mixture(rows.origin)], replace(settings, reached=self.lower_bound_)
        best = best_em(rows, starts, settings, team, self._watcher, self._tell)
        self._warn(best)
        return best

    def _warn(self, best: MixtureOutcome) -> None:
        if not best.has_converged and self.max_iter > 0:
            warn_caller(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, "
                "tol, or check for degenerate data.",
                ConvergenceWarning,
            )

    def _watcher(self, start: int) -> Any:
        if not self.verbose:
            return None

        def watch(number: int, bound: float, gain: float) -> None:
            if number % self.verbose_interval == 0:
                print(f"Start {start}, iteration {number}, {self._bound} {bound:.6f}, gain {gain:.3g}.")

        return watch

    def _tell(self, start: int, found: MixtureOutcome) -> None:
        if self.verbose:
            what = "has converged" if found.has_converged else "has not converged"
            print(f"Start {start} {what} after {found.n_iter} iterations, {self._bound} {found.log_likelihood:.6f}.")

    def _keep(self, found: MixtureOutcome, origin: np.ndarray, team: Team) -> None:
        from spinney.cluster.m_step import precisions, publish

        form, mixture = self.covariance_type, found.mixture
        self.weights_, self.means_ = mixture.weights, mixture.means + origin
        self.covariances_ = publish(mixture.covariances, form)
        self.precisions_, self.precisions_cholesky_ = precisions(mixture, form, team)
        self.converged_, self.n_iter_ = found.has_converged, found.n_iter
        self.lower_bound_, self.lower_bounds_ = found.log_likelihood, found.log_likelihoods
        self._history = found.history if self.keep_history else None

    def _mixture(self, origin: np.ndarray) -> Gaussians:
        """The fitted mixture relative to an origin."""
        from spinney.cluster.e_step import Gaussians
        from spinney.cluster.m_step import expand

        n_components, n_columns = self.means_.shape
        covariances = expand(np.asarray(self.covariances_), self.covariance_type, n_components, n_columns)
        return Gaussians(np.asarray(self.weights_), self.means_ - origin, covariances)

    @property
    def history_(self) -> Any:
        """Mixtures before each iteration and at the end, with their log-likelihoods; None without keep_history."""
        check_is_fitted(self)
        return self._history

    def _fingerprint(self) -> str:
        return hash_of(np.ascontiguousarray(part).tobytes() for part in (self.weights_, self.means_, self.covariances_))

    def _expect(self, X: Any) -> np.ndarray:
        """Responsibilities of the components for each row, and the logarithm of its density."""
        from spinney.cluster.e_step import expect, read_rows

        values = self.read_values(X)
        _check_finite(values, self._schema.names)
        with self._make_team("cluster", self._work(values)) as team:
            origin = np.average(self.means_, axis=0, weights=self.weights_)
            return expect(read_rows(values, None, origin), self._mixture(origin), team)

    def _log_joint(self, X: Any) -> np.ndarray:
        """(rows, components): unnormalised logarithms of the responsibilities."""
        return self.component_log_densities(X) + self._mixture(self.means_[0]).log_factors()

    @row_by_row()
    @documented(CELLS_OR_MISSING, setup=_EXAMPLE)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the responsibilities: the probability of each component, given a row.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Responsibilities (a soft assignment).

        Examples
        --------
        >>> model.predict_proba([[0.0]]).max().round(3).item()
        1.0
        """
        return self._expect(X)[:, :-1]

    @row_by_row()
    @documented(CELLS_OR_MISSING, setup=_EXAMPLE)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Compute the logarithms of the responsibilities, also of those too small for float64.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Logarithms of `predict_proba`.

        Examples
        --------
        >>> model.predict_log_proba([[0.0]]).max().round(3).item()
        0.0
        """
        from spinney.criteria.exp_log import exps_of, logs_of

        joint = self._log_joint(X)
        joint -= joint.max(axis=1, keepdims=True)
        return joint - logs_of(exps_of(joint).sum(axis=1))[:, None]

    @documented(CELLS_OR_MISSING)
    def component_densities(self, X: Any) -> np.ndarray:
        """Compute the density of each Gaussian at each row, of its known values.

        The components' weights are not included: `component_densities(X) @ weights_` is the density of a
        `GaussianMixture`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Densities.

        Examples
        --------
        >>> from spinney import GaussianMixture
        >>> start = {"means_init": [[-2], [3]], "weights_init": [0.5, 0.5], "precisions_init": [0.25, 0.25]}
        >>> model = GaussianMixture(2, covariance_type="spherical", max_iter=0, **start).fit([[-2.0], [3.0]])
        >>> model.component_densities([[0.0]]).round(3).tolist()
        [[0.121, 0.065]]
        """
        return np.exp(self.component_log_densities(X))

    @documented(CELLS_OR_MISSING, setup=_EXAMPLE)
    def component_log_densities(self, X: Any) -> np.ndarray:
        """Compute the logarithms of the components' densities, also of those too small for float64.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Logarithms of `component_densities`.

        Examples
        --------
        >>> model.component_log_densities(X).shape
        (4, 2)
        """
        from spinney.cluster.e_step import Gaussians, expect, read_rows

        values = self.read_values(X)
        _check_finite(values, self._schema.names)
        origin = np.average(self.means_, axis=0, weights=self.weights_)
        rows, mixture, alone = read_rows(values, None, origin), self._mixture(origin), np.ones(1)
        with self._make_team("cluster", self._work(values)) as team:
            each = [
                Gaussians(alone, mixture.means[k : k + 1], mixture.covariances[k : k + 1])
                for k in range(len(mixture.means))
            ]
            return np.column_stack([expect(rows, one, team)[:, -1] for one in each])

    @row_by_row()
    @documented(CELLS_OR_MISSING, setup=_EXAMPLE)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the component with the largest responsibility for each row.

        Returns
        -------
        ndarray of shape (n_samples,)
            Indices of the components.

        Examples
        --------
        >>> labels = model.predict(X)
        >>> bool(labels[0] == labels[1] != labels[2])
        True
        """
        return self.predict_proba(X).argmax(axis=1)

    @known_arguments
    @documented(NO_TARGET)
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, then predict the component of each row.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Input data: numbers. Missing values are NaN.

        Returns
        -------
        ndarray of shape (n_samples,)
            Indices of the components.

        Examples
        --------
        >>> from spinney import GaussianMixture
        >>> X = [[0.0], [1.0], [8.0], [9.0]]
        >>> labels = GaussianMixture(2, random_state=0).fit_predict(X)
        >>> bool(labels[0] == labels[1] != labels[2])
        True
        """
        return self.fit(X, sample_weight=sample_weight).predict(X)

    @row_by_row()
    @documented(CELLS_OR_MISSING, setup=_EXAMPLE)
    def score_samples(self, X: Any) -> np.ndarray:
        """Compute the log-likelihood of each row.

        Returns
        -------
        ndarray of shape (n_samples,)
            Logarithm of the density at each row, of its known values.

        Examples
        --------
        >>> model.score_samples([[0.5]]).round(2).tolist()
        [-0.92]
        """
        return self._expect(X)[:, -1]

    @score_on_cpu
    @documented(CELLS_OR_MISSING, NO_TARGET, setup=_EXAMPLE)
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Compute the mean log-likelihood of the rows.

        Returns
        -------
        float
            Mean log-likelihood.

        Examples
        --------
        >>> round(model.score(X), 2)
        -1.42
        """
        logs = self.score_samples(X)
        return float(np.average(logs, weights=read_sample_weight(sample_weight, len(logs)).relative()))

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Sample random rows from the mixture.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The rows, sorted by component.
        y : ndarray of shape (n_samples,)
            The component of each row.

        Examples
        --------
        >>> from spinney import GaussianMixture
        >>> model = GaussianMixture(random_state=0).fit([[0.0], [2.0]])
        >>> X, y = model.sample(5)
        >>> X.shape, y.tolist()
        ((5, 1), [0, 0, 0, 0, 0])
        """
        from spinney.cluster.cholesky import factors_and_inverses
        from spinney.cluster.m_step import as_matrices

        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples must be an integer of at least 1, got {n_samples!r}.")
        random = check_random_state(self.random_state)
        counts = random.multinomial(n_samples, self.weights_ / self.weights_.sum())
        factors, _ = factors_and_inverses(as_matrices(self._mixture(np.zeros(self.means_.shape[1])).covariances))
        labels = np.repeat(np.arange(len(counts)), counts)
        normal = random.standard_normal((n_samples, self.means_.shape[1]))
        for k, factor in enumerate(factors):
            own = labels == k
            normal[own] = np.einsum("ij,nj->ni", factor, normal[own])
        return self.means_[labels] + normal, labels


def _check_finite(values: np.ndarray, names: Any) -> None:
    with columns_named(names):
        refuse_not_finite(values, may_be_missing=True)


def _check_known(origin: np.ndarray, names: Any) -> None:
    """Raise if a column has no values."""
    if np.isnan(origin).any():
        column = int(np.isnan(origin).argmax())
        name = column if names is None else repr(names[column])
        raise ValueError(f"Column {name} of X has no values at all (in rows of positive weight). Drop it.")

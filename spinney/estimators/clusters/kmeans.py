"""k-means with scikit-learn's interface, and what all models of numeric rows share. No algorithm in here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from spinney._warnings import warn_caller
from spinney.data.finite import NotFiniteError
from spinney.data.remote_table import is_remote
from spinney.data.schema import Schema, learn_matrix
from spinney.data.sparse import is_sparse
from spinney.data.tables import as_matrix
from spinney.data.weights import Weights, read_sample_weight
from spinney.distributed.collections import fit_by, vector_here
from spinney.estimators.base import TableModel, all_or_nothing, hash_of
from spinney.estimators.clusters.params import KMEANS
from spinney.estimators.docstrings import CELLS, NO_TARGET, documented
from spinney.estimators.params import check_parameters, described, keep_parameters, read_seed
from spinney.estimators.streaming import is_in_memory, known_arguments, row_by_row, score_on_cpu

if TYPE_CHECKING:
    from typing import Self

    from spinney._team import Team
    from spinney.cluster.kmeans import Clustering, KMeansSettings, Passes
    from spinney.cluster.points import PointSet


# ----------------------------------------------------------------------------------------------------------------------
# Models of numeric data only: any table as one matrix.


_COPIES = 4.0  # of the rows on a worker that fits them all


class MatrixModel(TableModel):
    """Base class of models of numeric rows."""

    _takes_missing = False
    _takes_categories = False

    def _fit_remote(self, X: Any, sample_weight: Any) -> Self:
        """Fit a dask collection on one worker, if its rows fit into the memory of one."""
        from spinney.distributed.gathered import fit_on_a_worker, size_of
        from spinney.distributed.table import DaskTable

        if not is_remote(X):
            raise TypeError("sample_weight is a dask collection, but X is not. Pass sample_weight.compute().")
        with all_or_nothing(self):
            weight, table = vector_here(sample_weight, "sample_weight"), DaskTable(X)
            n_groups = int(getattr(self, "n_clusters" if hasattr(self, "n_clusters") else "n_components"))
            size = size_of(table, type(self).__name__)
            fit_on_a_worker(self, table, size, weight, _COPIES, 8 * (n_groups + 4))
        return self

    def _learn_values(self, X: Any, with_cells: bool = False) -> tuple[Schema, Any]:
        """The columns of X and its values as `learn_matrix` has them."""
        self._check_sparse(X)
        return learn_matrix(X, type(self).__name__, with_cells)

    def read_values(self, X: Any, with_cells: bool = False) -> Any:
        """Return the values of a table with the columns of `fit`, for internal use.

        With cells, a large sparse table stays a SciPy CSR matrix.
        """
        table = self._read(X)
        if with_cells and table.is_sparse:
            return table.by_rows
        return as_matrix(table.panels, table.n_rows, table.n_columns)


@contextmanager
def columns_named(names: Any) -> Iterator[None]:
    """An error about a value that is missing or infinite names its column."""
    try:
        yield
    except NotFiniteError as error:
        raise error.named(names) from None


_EXAMPLE = """
>>> from spinney import KMeans
>>> X = [[0.0], [1.0], [8.0], [9.0]]
>>> model = KMeans(2, init=[[0.0], [9.0]]).fit(X)
"""


@described(KMEANS)
class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, MatrixModel):  # type: ignore[misc]
    """k-means clustering: K centroids, each the mean of the rows that are nearest to it.

    Labels and centroids are the same on any number of threads, since sums over rows are integer sums.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centroids.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    inertia_ : float
        Weighted sum of the squared distances of the rows to their centroids (SSE); for "cosine" of the distances
        1 - cos.
    n_iter_ : int
        Number of iterations of the best run.
    history_ : list of (centers, inertia), or None without keep_history
        Centroids and inertia before each iteration and at the end.
    fingerprint_ : str
        Hash of the centroids.

    Examples
    --------
    >>> from spinney import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    >>> model.inertia_
    16.0
    """

    _fits_cells = _predicts_cells = True  # of large sparse matrices, which stay sparse
    _random_starts = 10  # n_init="auto" for random initialisations
    cluster_centers_: np.ndarray
    labels_: np.ndarray
    inertia_: float
    n_iter_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "auto",
        metric: str = "euclidean",
        keep_history: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    @known_arguments
    @documented(NO_TARGET, setup=_EXAMPLE)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None) -> Self:
        """Compute the centroids.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix or dask collection of shape (n_samples, n_features)
            Input data: numbers, in a NumPy array, a pandas, polars or Arrow table, or a SciPy sparse matrix (which
            `KMeans` does not convert). Or a dask DataFrame or Array, which one worker of the cluster fits
            (`docs/scaling.md`).
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Rows of weight 0 get a label but do not influence the centroids.

        Examples
        --------
        >>> model.cluster_centers_.tolist()
        [[0.5], [8.5]]
        """
        if client is not None:
            fitted: Self = fit_by(client, self.fit, X, y, sample_weight)
            return fitted
        check_parameters(self)
        if not is_in_memory(X, sample_weight) and is_remote(X, sample_weight):
            return self._fit_remote(X, sample_weight)
        with all_or_nothing(self):
            schema, values = self._learn_values(X, self._fits_cells)
            self._check_size(values.shape[0])
            weights = read_sample_weight(sample_weight, values.shape[0])
            with columns_named(schema.names), self._make_team("cluster", values.size * self.n_clusters) as team:
                points = self._points(values, weights, team)
                found = self._best_run(points, values, team)
            self._keep(found, points)
            self._keep_schema(schema)
        self._warn(found)
        return self

    def _check_size(self, n_rows: int) -> None:
        if n_rows < self.n_clusters:
            raise ValueError(f"n_samples={n_rows} should be >= n_clusters={self.n_clusters}.")

    def _points(self, values: Any, weights: Weights, team: Team) -> Any:
        if self.metric == "cosine":
            return _make_points(_directions(values), weights, team, np.zeros(values.shape[1]))
        return _make_points(values, weights, team)

    def _best_run(self, points: Any, values: Any, team: Team) -> Clustering:
        from spinney.cluster.kmeans import best_run

        settings, watcher, random = self._run_settings(points), self._watcher(), check_random_state(self.random_state)
        k = self.n_clusters
        starts = [self._first_centres(k, points, values, random, team) for _ in range(self._n_starts())]
        return best_run(points, starts, settings, team, watcher)

    def _run_settings(self, points: PointSet) -> KMeansSettings:
        from spinney.cluster.kmeans import KMeansSettings

        return KMeansSettings(
            max_iter=self.max_iter,
            tolerance=self.tol * points.variance,
            algorithm="bounds" if self.algorithm == "elkan" else self.algorithm,
            on_sphere=self.metric == "cosine",
            keep_history=self.keep_history,
        )

    def _n_starts(self) -> int:
        if not isinstance(self.init, str) and not callable(self.init):
            if self.n_init not in ("auto", 1):
                warn_caller(
                    "Explicit initial center position passed: performing only one init instead of "
                    f"n_init={self.n_init}.",
                    RuntimeWarning,
                )
            return 1
        if self.n_init != "auto":
            return int(self.n_init)
        return self._random_starts if callable(self.init) or _is_word(self.init, "random") else 1

    def _first_centres(self, k: int, points: Any, values: Any, random: Any, team: Team) -> np.ndarray:
        """(k, columns), relative to the points' origin."""
        from spinney.cluster.plusplus import first_places, random_rows

        if isinstance(self.init, str):
            key = start_key(random)
            if self.init == "random":
                return points.rows_at(random_rows(points, k, key))
            return points.rows_at(first_places(points, k, key, team))
        given = self.init(values, k, random_state=random) if callable(self.init) else self.init
        return self._given_centres(given, k, points)

    def _given_centres(self, given: Any, k: int, points: PointSet) -> np.ndarray:
        """Relative to the points' origin."""
        from spinney.cluster.kmeans import unit_rows

        centres = check_array(given, dtype=np.float64, input_name="init")
        if centres.shape != (k, points.n_columns):
            what, n = ("clusters", k) if len(centres) != k else ("features of the data", points.n_columns)
            raise ValueError(
                f"The shape of the initial centers {centres.shape} does not match the number of {what} {n}. "
                f"Give init the shape {(k, points.n_columns)}."
            )
        return unit_rows(centres) if self.metric == "cosine" else centres - points.origin

    def _watcher(self) -> Any:
        if not self.verbose:
            return None
        return lambda number, total: print(f"Iteration {number}, inertia {self._published_inertia(total):.6g}.")

    def _published_inertia(self, total: float) -> float:
        return total / 2 if self.metric == "cosine" else total  # |x - c|² = 2 (1 - cos) on the unit sphere

    def _keep(self, found: Clustering, points: Any) -> None:
        self.cluster_centers_, self.labels_ = found.centres, found.labels
        self.inertia_, self.n_iter_ = self._published_inertia(found.inertia), found.n_iter
        self._origin = points.origin
        steps = [step._replace(inertia=self._published_inertia(step.inertia)) for step in found.history]
        self._history = steps if self.keep_history else None
        self._n_features_out = len(found.centres)

    def _warn(self, found: Clustering) -> None:
        n_found = np.count_nonzero(np.bincount(found.labels))
        if n_found < self.n_clusters:
            warn_caller(
                f"Number of distinct clusters ({n_found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
            )

    @property
    def history_(self) -> Any:
        """Centroids and inertia before each iteration and at the end; None without keep_history."""
        check_is_fitted(self)
        return self._history

    def _fingerprint(self) -> str:
        return hash_of([np.ascontiguousarray(self.cluster_centers_).tobytes()])

    def _open(self, X: Any, team_work: int = 0) -> Any:
        values = self.read_values(X, self._predicts_cells)
        values = values.astype(self.cluster_centers_.dtype, copy=False)
        return _directions(values) if self.metric == "cosine" else values

    @contextmanager
    def _prediction_team(self, values: Any) -> Iterator[Team]:
        work = values.size * len(self.cluster_centers_)
        with self._make_team("cluster", work) as team, columns_named(self._schema.names):
            yield team

    def _relative(self) -> np.ndarray:
        from spinney.cluster.kmeans import relative_centres

        return relative_centres(self.cluster_centers_, self._origin)

    def _passes(self, points: PointSet, team: Team) -> Passes:
        from spinney.cluster.kmeans import make_passes

        return make_passes(points, len(self.cluster_centers_), "lloyd", team)

    @row_by_row()
    @documented(CELLS, setup=_EXAMPLE)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the cluster of each row, that of the nearest centroid.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster labels.

        Examples
        --------
        >>> model.predict([[2.0], [7.0]]).tolist()
        [0, 1]
        """
        values = self._open(X)
        with self._prediction_team(values) as team:
            points = _read_points(values, self._origin, team)
            return self._passes(points, team).nearest(self._relative())[: points.n_rows]

    @row_by_row()
    @documented(CELLS, setup=_EXAMPLE)
    def transform(self, X: Any) -> np.ndarray:
        """Compute the distance of each row to each centroid.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances.

        Examples
        --------
        >>> model.transform([[2.0]]).tolist()
        [[1.5, 6.5]]
        """
        values = self._open(X)
        with self._prediction_team(values) as team:
            points = _read_points(values, self._origin, team)
            squares = self._passes(points, team).distances_to_all(self._relative())
        return squares / 2 if self.metric == "cosine" else np.sqrt(squares)

    @known_arguments
    @documented(NO_TARGET)
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, then compute the distance of each row to each centroid.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Input data: numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Distances, as from `transform`.

        Examples
        --------
        >>> from spinney import KMeans
        >>> X = [[0.0], [1.0], [8.0], [9.0]]
        >>> KMeans(2, init=[[0.0], [9.0]]).fit_transform(X)[0].tolist()
        [0.5, 8.5]
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    @known_arguments
    @documented(NO_TARGET)
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, then return the cluster of each row.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Input data: numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster labels.

        Examples
        --------
        >>> from spinney import KMeans
        >>> X = [[0.0], [1.0], [8.0], [9.0]]
        >>> KMeans(2, init=[[0.0], [9.0]]).fit_predict(X).tolist()
        [0, 0, 1, 1]
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    @score_on_cpu
    @documented(CELLS, NO_TARGET, setup=_EXAMPLE)
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return minus the inertia of the rows: the sum of squared distances to the nearest centroids.

        Returns
        -------
        float
            Score; higher is better. For "cosine", the distances are 1 - cos.

        Examples
        --------
        >>> model.score(X)
        -1.0
        """
        values = self._open(X)
        weights = read_sample_weight(sample_weight, values.shape[0])
        with self._prediction_team(values) as team:
            points, centres = _make_points(values, weights, team, self._origin), self._relative()
            passes = self._passes(points, team)
            return -self._published_inertia(passes.inertia(centres, passes.nearest(centres)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def start_key(random: Any) -> int:
    """The seed of the initial centroids of a run."""
    from spinney._random import ROWS, stream_key

    return int(stream_key(np.uint64(read_seed(random)), ROWS, np.uint64(0)))


def _is_word(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _make_points(values: Any, weights: Weights, team: Team, origin: np.ndarray | None = None) -> Any:
    """Points of a dense or sparse matrix."""
    from spinney.cluster.points import make_points
    from spinney.cluster.sparse_points import make_sparse_points

    if isinstance(values, np.ndarray):
        return make_points(values, weights, team, origin)
    return make_sparse_points(values, weights, origin)


def _read_points(values: Any, origin: np.ndarray, team: Team) -> PointSet:
    """The same, for predictions."""
    from spinney.cluster.points import read_tiles
    from spinney.cluster.sparse_points import read_sparse_points

    return read_sparse_points(values, origin) if is_sparse(values) else read_tiles(values, origin, team)


def _directions(values: Any) -> Any:
    """Rows of length 1."""
    from spinney.cluster.kmeans import unit_rows
    from spinney.cluster.sparse_points import unit_cells

    directions = unit_cells(values) if is_sparse(values) else unit_rows(values)
    has_any = abs(directions).max(axis=1).todense() != 0 if is_sparse(values) else directions.any(axis=1)
    zero = np.flatnonzero(~np.asarray(has_any))
    _refuse_zeros(zero[0] if len(zero) else None)
    return directions


def _refuse_zeros(row: int | None) -> None:
    if row is not None:
        raise ValueError(f"metric='cosine' is not defined for rows of zeros, such as row {row} of X. Remove them.")

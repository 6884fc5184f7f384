"""Mini-batch k-means with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from spinney._warnings import warn_caller
from spinney.data.weights import read_sample_weight
from spinney.estimators.base import all_or_nothing, make_team
from spinney.estimators.clusters.kmeans import KMeans, columns_named
from spinney.estimators.clusters.params import MINI_BATCH
from spinney.estimators.docstrings import NO_TARGET, documented
from spinney.estimators.params import check_parameters, described, keep_parameters, read_seed
from spinney.estimators.streaming import known_arguments

if TYPE_CHECKING:
    from typing import Self

    from spinney._team import Team
    from spinney.cluster.kmeans import Clustering
    from spinney.cluster.minibatch import BatchDraws, RunningMeans
    from spinney.cluster.points import TiledPoints

_INIT, _JUDGE, _BATCH = range(3)  # what rows are sampled for


@described(MINI_BATCH)
class MiniBatchKMeans(KMeans):
    """Mini-batch k-means: faster than `KMeans` on large data, with slightly larger inertia.

    Each batch is a sample of the rows, by weight. Each centroid is the mean of all batch rows assigned to it so far.
    `partial_fit` accepts one batch after another. The centroids are the same on any number of threads.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centroids.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row of the last `fit` or `partial_fit`, unless compute_labels=False.
    inertia_ : float
        Weighted sum of the squared distances of these rows to their centroids. With compute_labels=False, an estimate
        from the batches.
    counts_ : ndarray of shape (n_clusters,)
        Weight of the rows that each centroid is the mean of.
    n_iter_ : int
        Number of passes over the data: the rows of all batches divided by the number of rows, rounded up. After
        `partial_fit`, one more per call.
    n_steps_ : int
        Number of batches.
    fingerprint_ : str
        Hash of the centroids.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import MiniBatchKMeans
    >>> X, _ = make_blobs(2000, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    >>> model = MiniBatchKMeans(3, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.round().astype(int).tolist())
    [[0, 0], [0, 9], [9, 0]]
    >>> model.partial_fit(X[:500]).n_steps_ > 1
    True
    """

    metric, keep_history = "euclidean", False  # parameters of KMeans that are fixed here
    _fits_cells = False
    _random_starts = 3
    counts_: np.ndarray
    n_steps_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: Any = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Any = "auto",
        reassignment_ratio: float = 0.01,
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _best_run(self, points: TiledPoints, values: np.ndarray, team: Team) -> Clustering:
        from spinney.cluster.minibatch import BatchDraws, MiniBatchSettings, Smoothed, run_batches
        from spinney.cluster.points import read_tiles

        random, n_rows = check_random_state(self.random_state), points.total_count
        size = min(self.batch_size, n_rows)
        running = self._start(points, values, random, team)
        draws = BatchDraws(points, running.seed)
        n_steps = self.max_iter * n_rows // size
        smoothed = Smoothed(min(1.0, 2.0 * size / (n_rows + 1)), self.max_no_improvement)
        settings = MiniBatchSettings(self.reassignment_ratio, self.tol * points.variance)
        with make_team("cluster", size * points.n_columns * self.n_clusters, self.n_jobs) as few:

            def batches() -> Iterator[TiledPoints]:
                for step in range(n_steps):
                    rows = self._rows(draws, 4 * step + _BATCH, size)
                    yield read_tiles(values[rows], points.origin, few)

            has_settled = run_batches(running, batches(), smoothed, settings, few, self._teller(n_steps))
        weight = float(points.weights().sum()) * points.unit
        estimate = (smoothed.mean or 0.0) * weight
        n_iter = -(-running.n_steps * size // n_rows)
        return self._clustering(running, points, n_iter, has_settled, estimate, team)

    def _start(self, points: TiledPoints, values: np.ndarray, random: Any, team: Team) -> RunningMeans:
        """The best of several sets of initial centroids, compared on a sample of rows."""
        from spinney.cluster.assign import inertia, nearest_centres
        from spinney.cluster.minibatch import BatchDraws, RunningMeans
        from spinney.cluster.points import read_tiles

        draws, size = BatchDraws(points, read_seed(random)), self._init_rows(points.total_count)
        n_starts, starts = self._n_starts(), []
        for number in range(n_starts):
            part, rows = points, values
            if size < points.total_count:
                rows = values[self._rows(draws, 4 * number + _INIT, size)]
                part = read_tiles(rows, points.origin, team)
            starts.append(self._first_centres(self.n_clusters, part, rows, random, team))
        best = 0
        if n_starts > 1:
            judges = read_tiles(values[self._rows(draws, _JUDGE, size)], points.origin, team)
            dtype = judges.tiles.dtype
            rounded = [start.astype(dtype) for start in starts]
            best = int(np.argmin([inertia(judges, one, nearest_centres(judges, one, team), team) for one in rounded]))
        start = starts[best].astype(np.float64)
        return RunningMeans(points.origin, start, np.zeros(len(start)), points.tiles.dtype, draws.seed)

    def _rows(self, draws: BatchDraws, number: int, n: int) -> np.ndarray:
        """Row numbers of the table."""
        places = draws.draw(number, n)
        return places if draws.points.order is None else draws.points.order[places]

    def _init_rows(self, n_rows: int) -> int:
        size = self.init_size
        if size is not None and size < self.n_clusters:
            warn_caller(
                f"init_size={size} should be larger than n_clusters={self.n_clusters}. "
                "Setting it to min(3*n_clusters, n_samples)",
                RuntimeWarning,
            )
            size = 3 * self.n_clusters
        if size is None:
            size = max(3 * min(self.batch_size, n_rows), 3 * self.n_clusters)
        return int(min(size, n_rows))

    def _teller(self, n_steps: int) -> Any:
        if not self.verbose:
            return None
        return lambda number, loss, smoothed: print(
            f"Batch {number} of at most {n_steps}, mean squared distance {loss:.6g}, smoothed {smoothed:.6g}."
        )

    def _clustering(
        self, running: RunningMeans, points: TiledPoints, n_iter: int, has_settled: bool, estimate: float, team: Team
    ) -> Clustering:
        """What is published of the centres."""
        from spinney.cluster.assign import inertia, nearest_centres
        from spinney.cluster.kmeans import Clustering, relative_centres

        self._running, centres = running, running.published()
        labels, total = np.zeros(0, np.int32), estimate
        if self.compute_labels:
            at = relative_centres(centres, points.origin)
            labels = nearest_centres(points, at, team)
            total, labels = inertia(points, at, labels, team), points.as_in_table(labels)
        return Clustering(centres, labels, total, n_iter, has_settled, [])

    def _keep(self, found: Clustering, points: TiledPoints) -> None:
        self.cluster_centers_, self.inertia_, self.n_iter_ = found.centres, found.inertia, found.n_iter
        if self.compute_labels:
            self.labels_ = found.labels
        elif hasattr(self, "labels_"):
            del self.labels_
        self._origin, self._history, self._n_features_out = points.origin, None, len(found.centres)
        self.counts_, self.n_steps_ = self._running.counts, self._running.n_steps

    def _warn(self, found: Clustering) -> None:
        """No warning: batches need not find as many clusters as there are centroids."""

    @known_arguments
    @documented(NO_TARGET)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Update the centroids with one batch of rows. The first batch also provides the initial centroids.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The rows of the batch: numbers. Sparse matrices are converted to dense arrays.

        Examples
        --------
        >>> from spinney import MiniBatchKMeans
        >>> model = MiniBatchKMeans(2, random_state=0)
        >>> for batch in ([[0.0], [9.0]], [[1.0], [8.0]]):
        ...     model = model.partial_fit(batch)
        >>> sorted(model.cluster_centers_.tolist())
        [[0.5], [8.5]]
        """
        from spinney.cluster.points import make_points

        check_parameters(self)
        is_first = not hasattr(self, "_running")
        with all_or_nothing(self):
            if is_first:
                schema, values = self._learn_values(X)
                self._check_size(values.shape[0])
                self._keep_schema(schema)
            else:
                values = self.read_values(X).astype(self._running.dtype, copy=False)
            weights = read_sample_weight(sample_weight, len(values))
            with self._make_team("cluster", values.size * self.n_clusters) as team, columns_named(self._schema.names):
                points = make_points(values, weights, team, None if is_first else self._origin)
                self._take_in(points, values, is_first, team)
        return self

    def _take_in(self, points: TiledPoints, values: np.ndarray, is_first: bool, team: Team) -> None:
        from copy import copy

        if is_first:
            running = self._start(points, values, check_random_state(self.random_state), team)
        else:
            running = copy(self._running)
        total = running.learn(points, self.reassignment_ratio, team)
        n_iter = getattr(self, "n_iter_", 0) + 1
        self._keep(self._clustering(running, points, n_iter, False, total, team), points)

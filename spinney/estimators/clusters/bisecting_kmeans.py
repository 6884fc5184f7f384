"""Bisecting k-means with scikit-learn's interface. No algorithm in here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from spinney.estimators.base import hash_of
from spinney.estimators.clusters.kmeans import KMeans, start_key
from spinney.estimators.clusters.params import BISECTING
from spinney.estimators.docstrings import CELLS, documented
from spinney.estimators.params import described, keep_parameters
from spinney.estimators.streaming import row_by_row

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.cluster.bisecting import Bisection
    from spinney.cluster.kmeans import Clustering
    from spinney.cluster.points import TiledPoints


@described(BISECTING)
class BisectingKMeans(KMeans):
    """Bisecting k-means: starts with all rows in one cluster and splits one cluster after another in two.

    Clusters are the leaves of a tree of splits. `predict` follows this tree: at every split a row goes to the nearer of
    two centroids, so its cluster need not have the nearest centroid of all. The tree is the same on any number of
    threads.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centroids of the leaves, from left to right.
    labels_ : ndarray of shape (n_samples,)
        Leaf of each row.
    inertia_ : float
        Weighted sum of the squared distances of the rows to the centroids of their leaves.
    children_ : ndarray of shape (n_clusters - 1, 2)
        The two nodes that each split creates, in the order of splits. Node 0 holds all rows.
    split_nodes_ : ndarray of shape (n_clusters - 1,)
        The node that each split divides.
    node_centers_ : ndarray of shape (2 * n_clusters - 1, n_features)
        Centroid of every node.
    node_labels_ : ndarray of shape (2 * n_clusters - 1,)
        Cluster of each leaf; -1 for nodes that were split.
    fingerprint_ : str
        Hash of the tree.

    Examples
    --------
    >>> from spinney import BisectingKMeans
    >>> X = [[1, 1], [10, 1], [3, 1], [10, 0], [2, 1], [10, 2], [10, 8], [10, 9], [10, 10]]
    >>> model = BisectingKMeans(3, n_init=5, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.round(6).tolist())
    [[2.0, 1.0], [10.0, 1.0], [10.0, 9.0]]
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _fits_cells = _predicts_cells = False
    metric, keep_history = "euclidean", False  # parameters of KMeans that are fixed here
    children_: np.ndarray
    split_nodes_: np.ndarray
    node_centers_: np.ndarray
    node_labels_: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "random",
        n_init: int = 1,
        random_state: Any = None,
        max_iter: int = 300,
        verbose: int = 0,
        tol: float = 1e-4,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        bisecting_strategy: str = "biggest_inertia",
        n_jobs: int | None = None,
    ) -> None:
        keep_parameters(self, locals())

    def _best_run(self, points: TiledPoints, values: np.ndarray, team: Team) -> Clustering:
        from spinney.cluster.bisecting import BisectSettings, bisect
        from spinney.cluster.kmeans import Clustering

        inner = self._run_settings(points)
        settings = BisectSettings(self.n_clusters, self.n_init, self.bisecting_strategy == "largest_cluster", inner)
        random = check_random_state(self.random_state)

        def starts(part: TiledPoints) -> Iterator[np.ndarray]:
            rows = self._rows_of(part) if callable(self.init) else np.zeros((0, 0))
            for _ in range(self.n_init):
                yield self._first_centres(2, part, rows, random, team)

        found = bisect(points, starts, settings, team, self._teller())
        self._keep_tree(found)
        return Clustering(found.centres[self._leaves()], found.labels, found.inertia, 0, True, [])

    def _first_centres(self, k: int, points: TiledPoints, values: np.ndarray, random: Any, team: Team) -> np.ndarray:
        from spinney.cluster.plusplus import random_units

        if self.init != "random":
            return super()._first_centres(k, points, values, random, team)
        return points.rows_at(random_units(points, k, start_key(random)))

    def _rows_of(self, part: TiledPoints) -> np.ndarray:
        rows = part.rows_at(np.arange(part.n_rows)) + part.origin
        return np.ascontiguousarray(rows, part.tiles.dtype)

    def _teller(self) -> Any:
        if not self.verbose:
            return None
        return lambda number, left, right: print(f"Split {number}: {left} and {right} rows.")

    def _keep_tree(self, found: Bisection) -> None:
        self.node_centers_, self.node_labels_ = found.centres, found.tree.leaf
        self.split_nodes_ = found.tree.split_node
        self.children_ = 1 + np.arange(2 * len(self.split_nodes_)).reshape(-1, 2)

    def _keep(self, found: Clustering, points: TiledPoints) -> None:
        super()._keep(found, points)
        del self.n_iter_  # every split has its own

    def _leaves(self) -> np.ndarray:
        """The nodes of the clusters, from left to right."""
        return np.argsort(self.node_labels_, kind="stable")[-self.n_clusters :]

    def _fingerprint(self) -> str:
        parts = self.node_centers_, self.split_nodes_, self.node_labels_
        return hash_of([np.ascontiguousarray(part).tobytes() for part in parts])

    @row_by_row()
    @documented(CELLS)
    def predict(self, X: Any) -> np.ndarray:
        """Predict the cluster of each row by following the tree of splits.

        Returns
        -------
        ndarray of shape (n_samples,)
            Cluster labels.

        Examples
        --------
        >>> from spinney import BisectingKMeans
        >>> X = [[0.0], [1.0], [8.0], [9.0]]
        >>> model = BisectingKMeans(2, random_state=0).fit(X)
        >>> bool((model.predict(X) == model.labels_).all())
        True
        """
        from spinney.cluster.bisecting import ClusterTree, leaf_of
        from spinney.cluster.kmeans import relative_centres
        from spinney.cluster.points import read_tiles

        values = self._open(X)
        with self._prediction_team(values) as team:
            centres = relative_centres(self.node_centers_, self._origin)
            tree = ClusterTree(self.split_nodes_, self.node_labels_)
            return leaf_of(read_tiles(values, self._origin, team), centres, tree, team)[: len(values)]

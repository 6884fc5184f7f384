"""k-means of a dask collection, client side: what members get, their progress, the result.

In:  a `RemoteMatrix`, weights, initial centroids. Out: a `Clustering`, equal to that of one machine, bit for bit. Rows
stay on the workers, in blocks that begin at multiples of the chunks that one machine would use; `kmeans_member.py` runs
on the workers. The client receives the centres of every iteration, and restarted members continue from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney.cluster.kmeans import Clustering, KMeansSettings, Watcher
from spinney.cluster.plusplus import random_rows
from spinney.cluster.points import CHUNK_ROWS, PointSet, in_order, in_units, plain_weights, sample_step
from spinney.data.finite import NotFiniteError
from spinney.data.weights import Weights
from spinney.distributed.kmeans_member import Common, Found, KMeansProgress, Start, Step, cluster, label
from spinney.distributed.matrix import RemoteMatrix, in_order_of_rows, weights_of
from spinney.distributed.members import Members, Shares


def about_rows(matrix: RemoteMatrix, weights: Weights, origin: np.ndarray | None = None) -> PointSet:
    """What is known of the rows here. Without an origin, one amid the rows is found, by those of one machine."""
    if matrix.not_finite is not None:
        column, row, value = matrix.not_finite
        raise NotFiniteError(row, column, value)
    if origin is None:
        with np.errstate(invalid="ignore", over="ignore"):
            origin = matrix.rows(0, sample_step(matrix.n_rows)).mean(axis=0, dtype=np.float64)
    weights, unit = in_units(weights)
    unknown = np.zeros(0)
    return PointSet(
        matrix.n_rows, matrix.n_columns, origin, unknown, unknown, 1.0, None, *in_order(weights, None), unit
    )


def run_kmeans(
    matrix: RemoteMatrix,
    about: PointSet,
    starts: list[Start],
    settings: KMeansSettings,
    n_clusters: int,
    watch: Watcher | None = None,
) -> Clustering:
    """A run from each start; the best one. `settings.tolerance` is a share of the rows' variance."""
    progress = KMeansProgress([], 0, np.inf, None, [])
    common = _common(matrix, about, starts, settings, n_clusters, watch is not None)
    members = _members(matrix, about, cluster, lambda: common._replace(progress=progress))
    try:
        while len(progress.done) < len(starts):
            for news in members.take():
                progress = _after(progress, news, watch)
        labels = in_order_of_rows(members.returned(), matrix.n_rows)
    finally:
        members.close()
    best = min(progress.done, key=lambda one: one.inertia)
    return Clustering(best.centres, labels, best.inertia, best.n_iter, best.has_converged, best.history)


def nearest_drawn(matrix: RemoteMatrix, weights: Weights, n: int, by_distance: bool, key: int) -> np.ndarray:
    """As `mixture.labels_of_nearest`."""
    about = about_rows(matrix, weights)
    start = Start(key, None if by_distance else random_rows(about, n, key))
    common = _common(matrix, about, [start], KMeansSettings(), n, False)
    members = _members(matrix, about, label, lambda: common)
    try:
        return in_order_of_rows(members.returned(), matrix.n_rows)
    finally:
        members.close()


def _common(
    matrix: RemoteMatrix,
    about: PointSet,
    starts: list[Start],
    settings: KMeansSettings,
    n_clusters: int,
    is_watched: bool,
) -> Common:
    weight = float(plain_weights(about.counts, about.importance, about.n_rows).sum())
    of_all = about.total_count, about.heaviest, weight, about.unit
    progress = KMeansProgress([], 0, np.inf, None, [])
    return Common(about.origin, matrix.dtype, n_clusters, *of_all, starts, settings, is_watched, progress)


def _members(matrix: RemoteMatrix, about: PointSet, work: Any, common: Callable[[], Common]) -> Members:
    """Members whose blocks hold whole chunks."""
    weights = Weights(*(part if len(part) else None for part in (about.counts, about.importance)))
    pieces = matrix.cut_at(np.append(np.arange(0, matrix.n_rows, CHUNK_ROWS), matrix.n_rows))

    def tell(shares: Shares) -> dict[str, tuple[Common, Any]]:
        now = common()
        return {
            worker: (now, ([one.begin for one in own], [one.n_rows for one in own], weights_of(own, weights)))
            for worker, own in shares.items()
        }

    return Members(matrix.client, work, "kmeans", lambda: pieces, tell)


def _after(progress: KMeansProgress, news: Step | Found, watch: Callable[..., None] | None) -> KMeansProgress:
    """How far the fit is when the first member has told something."""
    if isinstance(news, Found):
        return KMeansProgress([*progress.done, news], 0, np.inf, None, [])
    if watch is not None:
        watch(news.number, news.inertia)
    history = progress.history if news.before is None else [*progress.history, news.before]
    return KMeansProgress(progress.done, news.number, news.shift, news.relative, history)

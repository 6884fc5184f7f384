"""Gaussian mixtures of dask collections, whose rows stay on the workers: parameters to starts. No algorithm in here.

In:  an unfitted mixture, the rows as a `RemoteMatrix`. Out: its fitted attributes, the same as on one machine.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from spinney._seed import read_seed
from spinney.data.weights import Weights
from spinney.estimators.base import make_team
from spinney.estimators.kmeans import KMeans

if TYPE_CHECKING:
    from spinney.cluster.mixture import Outcome
    from spinney.distributed.matrix import RemoteMatrix
    from spinney.distributed.mixture import MixtureRows
    from spinney.distributed.mixture_member import Start

_GIVEN = "weights_init", "means_init", "precisions_init"


def fit_apart(model: Any, rows: MixtureRows, weights: Weights) -> Outcome:
    """All runs of a mixture; the best one."""
    from spinney.distributed.mixture import run_mixture
    from spinney.distributed.mixture_member import Start

    with make_team("cluster", 0, model.n_jobs) as team:
        settings, random = model._settings(rows, team), check_random_state(model.random_state)
    if model.warm_start and hasattr(model, "means_"):
        starts: list[tuple[Start, np.ndarray | None]] = [(Start(model._mixture(rows.origin)), None)]
        settings = replace(settings, reached=model.lower_bound_)
    else:
        starts = [_first(model, rows, weights, random) for _ in range(model.n_init)]
    ways, labels = [one for one, _ in starts], [own for _, own in starts]
    make_start = clone(model)._start
    return run_mixture(rows, model.n_components, settings, make_start, ways, labels, model._watcher, model._tell)


def _first(model: Any, rows: MixtureRows, weights: Weights, random: Any) -> tuple[Start, np.ndarray | None]:
    """Where a run starts, and the rows' labels if it starts from these: as `mixture_start.first_shares`."""
    from spinney._random import ROWS, stream_key
    from spinney.distributed.kmeans import nearest_drawn
    from spinney.distributed.mixture_member import Start

    if all(getattr(model, name, None) is not None for name in _GIVEN):
        return Start(), None
    k, seed = model.n_components, read_seed(random)
    key = int(stream_key(np.uint64(seed), ROWS, np.uint64(1)))
    if model.init_params == "random":
        return Start(key=key), None
    with closing(rows.matrix.filled(rows.origin)) as filled:
        if model.init_params == "kmeans":
            return Start(), _kmeans_labels(filled, k, seed, weights)
        return Start(), nearest_drawn(filled, weights, k, model.init_params == "k-means++", key)


def _kmeans_labels(filled: RemoteMatrix, k: int, seed: int, weights: Weights) -> np.ndarray:
    return KMeans(k, n_init=1, random_state=seed)._fit_matrix(filled, weights.relative()).labels

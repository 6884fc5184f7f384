"""Checks that the parts of a clustering or a mixture from a file fit each other.

In: an estimator whose parameters and fitted attributes each have the right type. Out: nothing, or `ModelFormatError`
with the place. `estimator_audit.py` does the same for all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.io.checks import demand
from spinney.io.estimator_audit import table


def centres(model: Any, place: str) -> None:
    table(model, place)
    k, n_columns = model.cluster_centers_.shape
    demand(k > 0 and n_columns == model.n_features_in_, "Centres have other columns", f"{place}.cluster_centers_")
    demand(len(vars(model)["_origin"]) == n_columns, "The origin has other columns", f"{place}._origin")
    demand(vars(model)["_n_features_out"] == k, "There are other centres", f"{place}._n_features_out")
    if hasattr(model, "labels_"):
        labels = model.labels_
        good = labels.min(initial=0) >= 0 and labels.max(initial=0) < k
        demand(good, "A label is not that of a centre", f"{place}.labels_")


def minibatch(model: Any, place: str) -> None:
    centres(model, place)
    running, k = vars(model)["_running"], len(model.cluster_centers_)
    same = running.means.shape == model.cluster_centers_.shape and len(model.counts_) == k
    same = same and running.dtype == model.cluster_centers_.dtype
    demand(same, "Centres differ from the running means", f"{place}._running")


def bisecting(model: Any, place: str) -> None:
    centres(model, place)
    nodes, splits, k = model.node_labels_, model.split_nodes_, len(model.cluster_centers_)
    n = len(nodes)
    same = n == 2 * len(splits) + 1 == 2 * k - 1 and model.node_centers_.shape == (n, model.n_features_in_)
    demand(
        same and model.children_.shape == (len(splits), 2), "Nodes, splits and clusters differ", f"{place}.node_labels_"
    )
    same = model.node_centers_.dtype == model.cluster_centers_.dtype
    demand(same, "Centres have several dtypes", f"{place}.node_centers_")
    is_leaf = np.ones(n, bool)
    for number, node in enumerate(splits.tolist()):
        demand(0 <= node < 2 * number + 1 and is_leaf[node], "A split node does not exist", f"{place}.split_nodes_")
        is_leaf[node] = False
    good = (np.sort(nodes[is_leaf]) == np.arange(k)).all() and (nodes[~is_leaf] == -1).all()
    demand(good, "Leaves must be the clusters", f"{place}.node_labels_")


_FORMS = {"full": (0, 2, 2), "tied": (2, 2), "diag": (0, 2), "spherical": (0,)}


def mixture(model: Any, place: str) -> None:
    table(model, place)
    k, n_columns = model.means_.shape
    demand(k > 0 and n_columns == model.n_features_in_, "Means have other columns", f"{place}.means_")
    weights = model.weights_
    demand(
        len(weights) == k and (weights >= 0).all() and weights.sum() > 0,
        "Every mean needs a weight",
        f"{place}.weights_",
    )
    lengths = {0: k, 2: n_columns}
    wanted = tuple(lengths[one] for one in _FORMS[model.covariance_type])
    for name in ("covariances_", "precisions_", "precisions_cholesky_"):
        demand(getattr(model, name).shape == wanted, "Matrices have the wrong shape", f"{place}.{name}")
    _positive(model, place)


def _positive(model: Any, place: str) -> None:
    """Densities need positive definite covariances."""
    covariances = model.covariances_
    if model.covariance_type in ("diag", "spherical"):
        good = (covariances > 0).all()
    else:
        try:
            np.linalg.cholesky(covariances)
            good = np.allclose(covariances, np.swapaxes(covariances, -1, -2))
        except np.linalg.LinAlgError:
            good = False
    demand(good, "A covariance is not positive definite", f"{place}.covariances_")


def bayesian_mixture(model: Any, place: str) -> None:
    mixture(model, place)
    k = len(model.means_)
    same = len(model.mean_precision_) == len(model.degrees_of_freedom_) == k
    demand(same and len(model.mean_prior_) == model.n_features_in_, "Every mean needs a precision", place)
    concentration = model.weight_concentration_
    parts = concentration if isinstance(concentration, tuple) else (concentration,)
    good = all(len(one) == k and (one > 0).all() and np.isfinite(one).all() for one in parts) and len(parts) <= 2
    demand(good, "Every mean needs a concentration", f"{place}.weight_concentration_")
    freedom, precision = model.degrees_of_freedom_, model.mean_precision_
    good = (freedom > model.n_features_in_ - 1).all() and np.isfinite(freedom).all()
    demand(good, "There are too few degrees of freedom", f"{place}.degrees_of_freedom_")
    good = (precision > 0).all() and np.isfinite(precision).all()
    demand(good, "Precisions must be positive", f"{place}.mean_precision_")

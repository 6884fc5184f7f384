"""Where a Gaussian mixture starts: what the parameters of `GaussianMixture` mean. No algorithm in here."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from spinney._seed import read_seed
from spinney.data.weights import Weights
from spinney.estimators.kmeans import KMeans

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.cluster.expect import Gaussians, Rows


def first_mixture(model: Any, rows: Rows, weights: Weights, random: Any, team: Team) -> Gaussians:
    """The mixture that a run starts from: found by `init_params`, or given."""
    from spinney.cluster.expect import Gaussians
    from spinney.cluster.gaussians import check_positive
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


def first_shares(model: Any, rows: Rows, weights: Weights, random: Any, team: Team) -> np.ndarray:
    """(rows, components): the initial responsibilities."""
    from spinney._random import ROWS, stream_key
    from spinney.cluster.mixture import labels_of_nearest, random_shares, shares_from_labels

    given = rows.given_shares(random)
    if given is not None:
        return given
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
    from spinney.cluster.gaussians import expand
    from spinney.cluster.triangles import factors_and_inverses, gram

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

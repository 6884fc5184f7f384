"""The parameters of a boosted model as the engine takes them.

In: a model with its parameters, the schema of its table, the weights of its rows. Out: `BoostingSettings`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.data.schema import Schema
from spinney.data.weights import Weights
from spinney.estimators.settings import NO_LIMIT, count_share, read_groups, read_monotone, share_of_rows
from spinney.gpu import rounds_on

if TYPE_CHECKING:
    from spinney.ensemble.boosting_settings import BoostingSettings
    from spinney.ensemble.task import Task

_HESSIAN_IS_WEIGHT = ("squared_error", "absolute_error", "huber", "quantile")  # losses


def follows_table(model: Any) -> bool:
    """Whether the number of rounds is not given: what else is "auto" then follows the table, too."""
    return model.max_iter is None and isinstance(model.n_estimators, str)


def rounds_wanted(model: Any) -> int:
    """Rounds that the model is to have: `max_iter`, if it is given, else `n_estimators`; "auto": at most so many."""
    from spinney.ensemble.auto import MOST_ROUNDS

    if follows_table(model):
        return MOST_ROUNDS
    return int(model.n_estimators if model.max_iter is None else model.max_iter)


def boosting_settings(model: Any, schema: Schema, seed: int, task: Task) -> BoostingSettings:
    """How to boost for this task."""
    from spinney.ensemble.auto import CLASSIC_RATE, classic_size, tree_size
    from spinney.ensemble.boosting_settings import BoostingSettings

    weights, n = task.weights, schema.n_columns
    n_samples = weights.n_samples(len(task.y))
    size = tree_size(n_samples, n, _rarest(task, n_samples)) if follows_table(model) else classic_size(n_samples)
    min_count, min_hessian = _least_leaf(model, weights, n_samples, size.min_samples)
    return BoostingSettings(
        n_rounds=rounds_wanted(model),
        learning_rate=CLASSIC_RATE if model.learning_rate == "auto" else float(model.learning_rate),
        best_first=model.growth == "best_first",
        max_leaves=size.max_leaves if model.max_leaf_nodes == "auto" else model.max_leaf_nodes or NO_LIMIT,
        max_depth=model.max_depth or NO_LIMIT,
        min_count=min_count,
        min_hessian=min_hessian,
        min_gain=float(model.min_split_gain),
        min_split=share_of_rows(model.min_samples_split, n_samples),
        min_decrease=float(model.min_impurity_decrease),
        ccp_alpha=float(model.ccp_alpha),
        l1=float(model.l1_regularization),
        l2=float(model.l2_regularization),
        category_l2=float(model.category_l2),
        category_smoothing=float(model.category_smoothing),
        category_count=size.min_category if model.min_samples_category == "auto" else int(model.min_samples_category),
        subsample=float(model.subsample),
        tree_features=count_share(model.max_features_per_tree, n),
        node_features=size.column_share if model.max_features == "auto" else count_share(model.max_features, n),
        monotone=read_monotone(model.monotonic_cst, schema.names, schema.is_categorical),
        groups=read_groups(model.interaction_cst, schema.names, n),
        seed=seed,
        rounds=rounds_on(model.device),
    )


def _rarest(task: Task, n_samples: int) -> int:
    """Samples of the rarest class that there is; of numbers all."""
    if not task.is_classes:
        return n_samples
    samples = np.bincount(task.y.astype(np.int64), weights=task.weights.counts)
    return int(samples[samples > 0].min())


def _least_leaf(model: Any, weights: Weights, n_samples: int, auto: int) -> tuple[int, float]:
    """(samples, hessian) that a leaf must hold.

    A share of the weight is one of samples where weights are repetitions or there are none. The hessian of some losses
    is the weight itself, in units of its mean over the rows that count; of others the weight of a leaf is not known.
    """
    wanted = auto if model.min_samples_leaf == "auto" else share_of_rows(model.min_samples_leaf, n_samples)
    count, hessian = max(1, wanted), float(model.min_child_weight)
    share = float(model.min_weight_fraction_leaf)
    rows = weights.rows()
    n_counted = n_samples if rows is None else len(rows)
    if weights.importance is None:
        return max(count, math.ceil(share * n_samples)), hessian
    if model.loss in _HESSIAN_IS_WEIGHT:
        return count, max(hessian, share * n_counted)
    return max(count, math.ceil(share * n_counted)), hessian

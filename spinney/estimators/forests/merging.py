"""Merges forests into one of all their trees. No algorithm in here: see `join` in tree/forest.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from spinney.estimators.bagging.fit import BagFit
from spinney.estimators.forests.fit import GrownForest

_KINDS = "random forests, extra-trees, random-structure forests, embeddings, or bagging of Spinney's trees"


def merge_forests(models: Iterable[Any]) -> Any:
    """Merge several fitted forests into one that predicts the mean over all trees.

    The forests may come from different rows or machines, but must have the same columns (names and categories) and
    classes. They are not changed.

    The result has the parameters of the first forest, with `n_estimators` the total number of trees. Each tree keeps
    its rows (`estimators_samples_`, of its own data), columns and seed. Out-of-bag scores and the data of
    `keep_targets` are dropped. With `warm_start=True` and a larger `n_estimators`, `fit` adds trees that are grown on
    the rows that it receives, with the first forest's seed and unused tree numbers.

    Parameters
    ----------
    models : iterable of estimators
        Fitted models of one class: random forests, extra-trees, random-structure forests, embeddings, or bagging of
        Spinney's trees.

    Returns
    -------
    model : estimator
        A fitted model of the same class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier, merge_forests
    >>> X, y = load_iris(return_X_y=True)
    >>> parts = [RandomForestClassifier(20, random_state=seed).fit(X[seed::2], y[seed::2]) for seed in (0, 1)]
    >>> merged = merge_forests(parts)
    >>> len(merged), merged.score(X, y) > 0.95
    (40, True)
    """
    forests = list(models)
    _check(forests)
    first = forests[0]
    merged = clone(first).set_params(n_estimators=sum(map(len, forests)))
    for name in ("classes_", "n_classes_", "estimator_", "max_features_", "_seed", "_n_rows"):
        if name in vars(first):
            setattr(merged, name, getattr(first, name))
    merged.keep_parts(forests)
    return merged


def _check(forests: list[Any]) -> None:
    """Raise unless the forests can be merged."""
    if not forests:
        raise ValueError("models must hold at least one fitted forest, got none.")
    for one in forests:
        if not isinstance(one, (GrownForest, BagFit)):
            raise TypeError(f"models must be fitted forests ({_KINDS}), got {type(one).__name__}.")
        check_is_fitted(one)
        if "forest_" not in vars(one):
            members = type(one.estimator_).__name__
            raise TypeError(f"models must be fitted forests ({_KINDS}), got {type(one).__name__} of {members}.")
    first = forests[0]
    for k, one in enumerate(forests[1:], 1):
        if type(one) is not type(first):
            raise TypeError(
                f"models must be of one class: the first is {type(first).__name__}, number {k} is a "
                f"{type(one).__name__}."
            )
        if one.schema_ != first.schema_:
            raise ValueError(
                f"models must have the same columns, names and categories: those of number {k} are different."
            )
        if not _same_classes(one, first):
            raise ValueError(
                f"models must have the same classes: those of number {k} are {one.classes_}, those of the "
                f"first {first.classes_}."
            )
        if one.n_outputs_ != first.n_outputs_:
            raise ValueError(
                f"models must have the same number of outputs: number {k} has {one.n_outputs_}, the first "
                f"{first.n_outputs_}."
            )
        if one.forest_.criterion != first.forest_.criterion:
            raise ValueError(f"models must have the same criterion: that of number {k} is different.")


def _same_classes(one: Any, other: Any) -> bool:
    known = [getattr(model, "classes_", []) for model in (one, other)]
    mine, others = (labels if isinstance(labels, list) else [labels] for labels in known)
    return len(mine) == len(others) and all(map(np.array_equal, mine, others))

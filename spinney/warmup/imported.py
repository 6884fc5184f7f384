"""Recipes for models of other libraries: small ones, read and asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

_COLUMNS = 5


def imported(every: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Scores in float32 by codes and by values, with and without sets; forests by values."""
    from spinney import from_xgboost

    X = np.random.RandomState(0).randn(240, _COLUMNS)
    X[:, 1] = np.arange(240) % 7
    X[::9, 2] = np.nan
    tables: list[tuple[str, np.ndarray]] = [
        ("numbers", X),
        ("float32", X.astype(np.float32)),
        ("column by column", np.asfortranarray(X)),
    ]
    for name, table in tables if every else tables[:2]:
        for n_trees in (2, 24):
            for with_sets in (False, True):
                kind = f"{n_trees} trees{' with sets' if with_sets else ''}, {name}"
                yield kind, partial(_ask, partial(from_xgboost, _booster(n_trees, with_sets)), table)
        for other in ("RandomForestClassifier", "RandomForestRegressor", "HistGradientBoostingClassifier"):
            yield f"scikit-learn's {other}, {name}", partial(_ask_sklearn, other, table)


def _ask(read: Callable[[], Any], X: np.ndarray) -> None:
    model = read()
    model.predict(X)
    model.predict(X[:1])
    model.apply(X)


def _ask_sklearn(kind: str, X: np.ndarray) -> None:
    import sklearn.ensemble

    from spinney import from_sklearn

    model = getattr(sklearn.ensemble, kind)()
    model.set_params(**{"max_iter" if kind.startswith("Hist") else "n_estimators": 3})
    _ask(partial(from_sklearn, model.fit(X, np.nan_to_num(X[:, 0]) > 0)), X)


def _booster(n_trees: int, with_sets: bool) -> bytes:
    """A model as XGBoost writes it: trees of one question."""
    trees = [_stump(k, with_sets and k % 2 == 1) for k in range(n_trees)]
    shape = {"base_score": "5E-1", "num_class": "0", "num_feature": str(_COLUMNS), "num_target": "1"}
    model = {"gbtree_model_param": {"num_parallel_tree": "1"}, "tree_info": [0] * n_trees, "trees": trees}
    learner = {
        "gradient_booster": {"name": "gbtree", "model": model},
        "learner_model_param": shape,
        "objective": {"name": "binary:logistic"},
        "feature_names": [],
    }
    return json.dumps({"learner": learner, "version": [3, 0, 0]}).encode()


def _stump(k: int, asks_set: bool) -> dict[str, Any]:
    column = 1 if asks_set else (0, 2, 3, 4)[k % 4]
    return {
        "left_children": [1, -1, -1],
        "right_children": [2, -1, -1],
        "split_indices": [column, 0, 0],
        "split_conditions": [0.1 * k, -0.5, 0.5],
        "split_type": [int(asks_set), 0, 0],
        "default_left": [k % 2, 0, 0],
        "sum_hessian": [2.0, 1.0, 1.0],
        "loss_changes": [1.0, 0.0, 0.0],
        "tree_param": {"size_leaf_vector": "1"},
        "categories": [k % 7] if asks_set else [],
        "categories_nodes": [0] if asks_set else [],
        "categories_segments": [0] if asks_set else [],
        "categories_sizes": [1] if asks_set else [],
    }

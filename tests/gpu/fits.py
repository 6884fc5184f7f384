"""Fits on the simulated GPU beside those on the CPU, in a process of their own: `python fits.py` prints what differs.

With a true GPU (`make test-gpu`) the same fits run there, on more rows.
"""

import sys
import warnings

import numpy as np

import spinney

R, C = spinney.GradientBoostingRegressor, spinney.GradientBoostingClassifier


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    X[rng.random((n, 4)) < 0.08] = np.nan
    X[:, 2] = rng.integers(0, 9, n)
    y = np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + np.sin(X[:, 2]) + 0.2 * rng.standard_normal(n)
    return X, y


def parity(X):
    """Whose first splits gain next to nothing: of nodes with a large gain, most come after one with a small gain."""
    signs = np.where(np.nan_to_num(X[:, [0, 1, 3]]) > 0.1, 1.0, -1.0)
    return 5 * signs.prod(axis=1) + 0.2 * np.nan_to_num(X[:, 0]) + X[:, 2] / 50


def cases(n):
    """name -> (model, target, fit's other arguments)"""
    X, y = table(n)
    rng = np.random.default_rng(1)
    small = {"n_estimators": 2, "max_leaf_nodes": 6, "min_samples_leaf": 3, "random_state": 3, "n_jobs": 1}
    level = small | {"growth": "level_wise", "max_depth": 3, "max_leaf_nodes": None}
    own = spinney.Loss(gradient=lambda y, raw: (raw - y) ** 3, hessian=lambda y, raw: 3 * (raw - y) ** 2)
    two, three = (y > 0.2).astype(int), np.digitize(y, [-0.5, 0.7])
    return X, {
        "squared error": (R(**small), y, {}),
        "log loss, level by level": (C(**level), two, {}),
        "classes": (C(**small), three, {}),
        "categories": (R(categorical_features=[2], min_samples_category=2, **small), y, {}),
        "repeated rows": (R(**small), y, {"sample_weight": rng.integers(0, 4, n)}),
        "weights": (R(**level), y, {"sample_weight": rng.random(n) + 0.1}),
        "skewed": (R(**small), np.exp(4 * y), {}),
        "poisson": (R(loss="poisson", **small), np.abs(np.round(y)), {}),
        "absolute error": (R(loss="absolute_error", **small), y, {}),
        "huber": (R(loss="huber", **small), y, {}),
        "own": (R(loss=own, **small), y, {}),
        "monotone": (R(monotonic_cst=[1, -1, 0, 0], **small), y, {}),
        "interactions": (R(interaction_cst=[[0, 1], [2, 3]], **small), y, {}),
        "drawn columns": (R(max_features=0.5, max_features_per_tree=0.8, **small), y, {}),
        "drawn rows": (R(subsample=0.6, **small), y, {}),
        "pruned": (R(ccp_alpha=0.5, min_split_gain=0.1, **small), y, {}),
        "stops early": (C(early_stopping=True, n_iter_no_change=1, **small), two, {}),
        "later splits gain more": (R(**(small | {"max_leaf_nodes": 10, "min_samples_leaf": 1})), parity(X), {}),
        "a stump": (R(**(small | {"max_leaf_nodes": 2})), y, {}),
        "no split": (R(**(small | {"min_samples_leaf": n})), y, {}),
        "goes on": (R(warm_start=True, **small), y, {}),
    }


def children_gain_more():
    """[(X, y, leaves)] where splits are worth more than those above them: all nodes have the root's key."""
    rows = np.arange(80)
    g, a, b = rows % 5 == 4, rows // 5 % 2 == 1, rows // 10 % 2 == 1
    y = np.where(g, 0.4 - 4.0 * (a - 0.5) + 4.0 * a * (b - 0.5), a - 0.5 - 0.4)
    yield np.column_stack([g, a, b]).astype(float), y, 4
    signs = 2.0 * (np.arange(64)[:, None] >> np.arange(6) & 1) - 1.0
    y = np.cumprod(signs, axis=1) @ 1.6 ** np.arange(6) + 0.01 * np.random.default_rng(0).standard_normal(64)
    yield signs, y, 7
    for leaves in (4, 6, 14):
        yield signs, np.round(y), leaves  # many of them gain the same


def differences(n, names=None):
    X, all_cases = cases(n)
    found = []
    for name, (model, y, more) in all_cases.items():
        if names is not None and name not in names:
            continue
        both = [model.set_params(device=device, **{}) and fit(model, X, y, more) for device in ("cpu", "cuda")]
        if both[0] != both[1]:
            found.append(name)
    for X, y, leaves in children_gain_more() if names is None else ():
        model = R(n_estimators=1, max_leaf_nodes=leaves, min_samples_leaf=1)
        if len({fit(model.set_params(device=device), X, y, {})[0] for device in ("cpu", "cuda")}) > 1:
            found.append(f"children that gain more, {leaves} leaves")
    return found


def fit(model, X, y, more):
    """What a fit comes to: the model, and how it went."""
    fitted = type(model)(**model.get_params()).fit(X, y, **more)
    if model.warm_start:
        fitted.set_params(n_estimators=model.n_estimators + 1).fit(X, y, **more)
    return fitted.fingerprint_, getattr(fitted, "train_score_", np.empty(0)).tolist(), fitted.n_iter_


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("differ:", differences(int(sys.argv[1]), sys.argv[2:] or None))

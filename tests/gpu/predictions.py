"""Answers for tables on the simulated GPU beside those of the CPU: `python predictions.py` prints what differs.

With a true GPU (`make test-gpu`) the same models answer there, for more rows.
"""

import sys
import warnings
from contextlib import suppress

import numpy as np
from fits import table
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from stand_ins import Cupy

import spinney
from spinney.gpu import respond

ALL = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "apply")


class Imported:
    """`fit` of another library, and its model as ours."""

    def __init__(self, theirs, read):
        self.theirs, self.read = theirs, read

    def fit(self, X, y):
        return self.read(self.theirs.fit(X, y))


def models(n):
    """name -> an unfitted model and its target"""
    X, y = table(n)
    own = spinney.Loss(gradient=lambda y, raw: raw - y, hessian=lambda y, raw: 1.0)
    two, three = np.where(y > 0.2, 3, 1), np.digitize(y, [-0.5, 0.7]) * 10
    names = np.array(["low", "middle", "high"])[three // 10]
    both, mixed = np.column_stack([y, -y]), np.column_stack([two, three])
    small = {"n_estimators": 3, "max_leaf_nodes": 6, "min_samples_leaf": 3, "random_state": 3, "n_jobs": 1}
    few = {"n_estimators": 3, "random_state": 3, "n_jobs": 1}
    kinds = {"categorical_features": [2]}
    B, C = spinney.GradientBoostingRegressor, spinney.GradientBoostingClassifier
    unfitted = {
        "squared error": (B(**small), y),
        "poisson": (B(loss="poisson", **small), np.abs(np.round(y))),
        "own loss": (B(loss=own, **small), y),
        "thresholds": (B(max_bins=None, **small), y),
        "no rounds": (B(**(small | {"min_samples_leaf": n})), y),
        "log loss": (C(**small), two),
        "exponential": (C(loss="exponential", **small), two),
        "classes": (C(**small), names),
        "categories": (C(min_samples_category=2, **kinds, **small), three),
        "large trees": (B(n_estimators=2, max_leaf_nodes=None, min_samples_leaf=1, max_depth=30, random_state=0), y),
        "forest": (spinney.RandomForestClassifier(**few), three),
        "hard votes": (spinney.RandomForestClassifier(voting="hard", **few), names),
        "numbers": (spinney.RandomForestRegressor(**few, **kinds), y),
        "outputs": (spinney.ExtraTreesClassifier(**few), mixed),
        "two numbers": (spinney.ExtraTreesRegressor(**few), both),
        "bagging": (spinney.BaggingClassifier(**few), two),
        "bagged numbers": (spinney.BaggingRegressor(max_features=0.5, **few), y),
        "isolation": (spinney.IsolationForest(max_samples=16, **few), None),
        "tree": (spinney.DecisionTreeClassifier(random_state=0, **kinds), three),
        "tree of numbers": (spinney.DecisionTreeRegressor(random_state=0, max_depth=4), y),
        "C4.5": (spinney.C45Classifier(**kinds), three),
        "SAMME": (spinney.AdaBoostClassifier(n_estimators=3, random_state=0), names),
        "SAMME.R": (spinney.AdaBoostClassifier(n_estimators=3, algorithm="SAMME.R", random_state=0), two),
        "weighted medians": (spinney.AdaBoostRegressor(n_estimators=3, random_state=0), y),
        "scikit-learn": (Imported(HistGradientBoostingRegressor(max_iter=2), spinney.from_sklearn), y),
        "their forest": (Imported(RandomForestClassifier(3, random_state=0), spinney.from_sklearn), mixed),
    }
    if n < 1000:
        unfitted["ID3"] = (spinney.ID3Classifier(categorical_features=[0, 1, 2, 3]), two)
    with suppress(ImportError):
        from xgboost import XGBClassifier

        theirs = XGBClassifier(n_estimators=2, max_depth=3, n_jobs=1)
        unfitted["XGBoost"] = (Imported(theirs, spinney.from_xgboost), three // 10)
    return X, unfitted


def same(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    here = other if isinstance(other, np.ndarray) else (other.get() if hasattr(other, "get") else other.cpu().numpy())
    return one.dtype == here.dtype and one.shape == here.shape and one.tobytes() == np.ascontiguousarray(here).tobytes()


def with_thresholds(table, model):
    """The table with values that questions of the model compare with."""
    forest = model._booster.forest if hasattr(model, "_booster") else model.forest_
    table, numbers = table[:, ::-1].copy(order="K")[:, ::-1], forest.thresholds()  # columns from right to left
    for k in np.flatnonzero(np.isfinite(numbers))[:: max(1, len(numbers) // len(table))]:
        table[k % len(table), forest.feature[k]] = numbers[k]
    return table


def differences(n, names=None, to_gpu=Cupy):
    """Answers that differ, and those that are not on the GPU though the table is."""
    X, unfitted = models(n)
    rows = np.random.default_rng(4).permutation(n)
    tables = {"C": X[rows], "float32": X.astype(np.float32), "F": np.asfortranarray(X[rows])}
    found = []
    for k, (name, (model, y)) in enumerate(unfitted.items()):
        if names is not None and name not in names:
            continue
        model = model.fit(X, y)
        layout = sorted(tables)[k % 3]
        asked = with_thresholds(tables[layout], model)
        for method in ALL:
            if hasattr(model, method):
                ask = getattr(model, method)
                here, there = ask(asked), ask(to_gpu(asked))
                if not same(here, there):
                    found.append(f"{name}: {method} ({layout})")
                elif isinstance(there, np.ndarray) and here.dtype.kind in "biuf":
                    found.append(f"{name}: {method} is here")
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    respond.hand_over = lambda like, array: Cupy(array)
    print("differ:", differences(int(sys.argv[1]), sys.argv[2:] or None))

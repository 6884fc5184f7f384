"""Compare models with their ONNX exports, on real tables with added missing values and unknown categories.

SPINNEY_DATA=folder python -m benchmarks.exports [table ...]

Prints one line per model: its nodes, the seconds to export and to load, and the largest difference from Spinney's
predictions (relative for regression). The exit code is 1 if a label differs, or a number by more than 1e-12.
"""

import sys
import time
from typing import Any

import numpy as np
import onnxruntime
import pandas as pd

import spinney
from benchmarks.versus import tables

ROWS = 8000
MOST = 1e-12


def models(task: str) -> list[Any]:
    """Small models of every family."""
    few = {"random_state": 0, "n_jobs": 1}
    isolation = spinney.IsolationForest(n_estimators=10, **few)
    if task == "regression":
        return [
            spinney.DecisionTreeRegressor(),
            spinney.RandomForestRegressor(10, **few),
            spinney.ExtraTreesRegressor(5, **few),
            spinney.GradientBoostingRegressor(n_estimators=20, **few),
            isolation,
        ]
    return [
        spinney.DecisionTreeClassifier(),
        spinney.RandomForestClassifier(10, **few),
        spinney.GradientBoostingClassifier(n_estimators=20, **few),
        spinney.AdaBoostClassifier(n_estimators=10, **few),
        spinney.BaggingClassifier(n_estimators=5, **few),
        isolation,
    ]


def with_gaps(X: pd.DataFrame) -> pd.DataFrame:
    """The table with unknown categories and missing values in its first rows."""
    X = X.reset_index(drop=True).copy()
    for name in X.columns:
        if X[name].dtype == "category":
            X[name] = X[name].astype(object)
            X.loc[:3, name], X.loc[4:6, name] = "never seen", None
        else:
            X[name] = X[name].astype(np.float64)
            X.loc[5:9, name] = np.nan
    return X


def run(session: Any, X: pd.DataFrame) -> dict[str, np.ndarray]:
    """All outputs by name."""
    inputs = session.get_inputs()
    kinds = {"tensor(string)": object, "tensor(double)": np.float64}
    if [one.name for one in inputs] == ["X"]:
        feed = {"X": X.to_numpy(np.float64)}
    else:
        feed = {one.name: X[[one.name]].to_numpy().astype(kinds[one.type]) for one in inputs}
    return dict(zip([one.name for one in session.get_outputs()], session.run(None, feed)))


def difference(found: dict[str, np.ndarray], model: Any, X: pd.DataFrame) -> float:
    """The largest; infinite if a label differs."""
    said = model.predict(X)
    if "variable" in found:
        return float((np.abs(found["variable"][:, 0] - said) / np.maximum(np.abs(said), 1.0)).max())
    if (found["label"] != said).any():
        return float("inf")
    if "scores" in found:
        return float(np.abs(found["scores"][:, 0] - model.decision_function(X)).max())
    return float(np.abs(found["probabilities"] - model.predict_proba(X)).max())


def main() -> int:
    """Print a line for each model."""
    worst = 0.0
    for name in sys.argv[1:] or tables.names():
        table = tables.load(name).sample(ROWS, 0)
        half = len(table.y) // 2
        X, new = table.X.iloc[:half], with_gaps(table.X.iloc[half:])
        for model in models(table.task):
            model.fit(X, table.y[:half])
            begun = time.process_time()
            written = spinney.to_onnx(model).SerializeToString()
            exported = time.process_time()
            session = onnxruntime.InferenceSession(written)
            loaded = time.process_time()
            apart = difference(run(session, new), model, new)
            worst = max(worst, apart)
            times = f"export {exported - begun:.3f} s, load {loaded - exported:.3f} s"
            print(f"{name:20} {type(model).__name__:27} {model.forest_.n_nodes:7} nodes, {times}, apart {apart:.1e}")
    print(f"largest difference: {worst:.1e}")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())

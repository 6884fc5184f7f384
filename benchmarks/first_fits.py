"""Time first fits: each estimator in its own process, with an empty cache or with a wheel's kernels.

    python -m benchmarks.first_fits                          with an empty cache, then with the filled one
    python -m benchmarks.first_fits --python VENV/bin/python --wheel
                                                             from an installed wheel (make wheel), home read-only
    python -m benchmarks.first_fits --source ../other        the package in another folder

500 rows, 8 numeric columns, 10 estimators where that applies; seconds of `fit` and `predict` after imports (Numba's
included). The last column is the fingerprint, which is the same however the kernels were obtained.
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = [
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ID3Classifier",
    "C45Classifier",
    "KMeans",
    "MiniBatchKMeans",
    "BisectingKMeans",
    "GaussianMixture",
    "BayesianGaussianMixture",
    "RandomStructureForestClassifier",
    "ExtraTreeClassifier",
    "IsolationForest",
]
CHILD = """
import json, sys, time
import numpy as np, numba, sklearn.base
import spinney
name = sys.argv[1]
kind = getattr(spinney, name)
X = np.random.RandomState(0).randn(500, 8)
y = X[:, 0] if name.endswith("Regressor") else (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
if name == "ID3Classifier":
    X = np.where(X > 0, "high", "low").astype(object)
some = {"n_estimators": 10} if "n_estimators" in kind().get_params() else {}
some |= {"random_state": 0} if "random_state" in kind().get_params() else {}
start = time.perf_counter()
model = kind(**some).fit(X, y)
fitted = time.perf_counter()
model.predict(X)
done = time.perf_counter()
print(json.dumps([fitted - start, done - fitted, str(getattr(model, "fingerprint_", ""))]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Time first fits.")
    parser.add_argument("--python", default=sys.executable, help="the interpreter to measure with")
    parser.add_argument("--source", default=None, help="the folder with the package `spinney`")
    parser.add_argument("--wheel", action="store_true", help="no cache: an empty, read-only home folder")
    parser.add_argument("--only", default=",".join(NAMES), help="names of estimators, separated by commas")
    given = parser.parse_args()
    print(f"{'estimator':<34}" + ("first" if given.wheel else "  cold    warm"))
    for name in given.only.split(","):
        with tempfile.TemporaryDirectory() as folder:
            runs = [
                _run(name, given.python, given.source, Path(folder), given.wheel)
                for _ in range(1 if given.wheel else 2)
            ]
        seconds = "".join(f"{fit + predict:8.2f}" for fit, predict, _ in runs)
        assert len({run[2] for run in runs}) == 1, "the same model from the cache"
        print(f"{name:<34}{seconds}  {runs[0][2][:12]}", flush=True)


def _run(name: str, python: str, source: str | None, folder: Path, from_wheel: bool) -> tuple[float, float, str]:
    """Fit in a new process: seconds of fit and of predict, and the fingerprint."""
    environment = {**os.environ, "SPINNEY_QUIET": "1"}
    environment.pop("PYTHONPATH", None)
    if source:
        environment["PYTHONPATH"] = source
    if from_wheel:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        environment |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder), "SPINNEY_CACHE_DIR": str(folder / "none")}
    else:
        environment["SPINNEY_CACHE_DIR"] = str(folder)
    done = subprocess.run(
        [python, "-c", CHILD, name],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=tempfile.gettempdir(),
    )
    fit, predict, fingerprint = json.loads(done.stdout)
    if from_wheel:
        assert not list(folder.iterdir()), "nothing is written"
    return fit, predict, fingerprint


if __name__ == "__main__":
    main()

"""Measure how long first fits compile, for `spinney/_compile/costs.json`, from which fits announce their compile time.

Every fit runs in its own process, with an empty cache and without an assistant. Times are CPU seconds, so that other
programs do not count. Run it when many kernels have changed:

    python -m tools.compile_costs
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "spinney" / "_compile" / "costs.json"
FITS = {  # one of each loop, on the most common kind of table for it -> family (`speech.family_of`)
    "GradientBoostingClassifier(n_estimators=3).fit(X, y > 0)": "gradient boosting",
    "GradientBoostingRegressor(n_estimators=3, max_bins=None).fit(X, y)": "gradient boosting",
    "DecisionTreeClassifier().fit(X, y > 0)": "exact trees",
    "DecisionTreeRegressor().fit(X, y)": "exact trees",
    "RandomForestClassifier(n_estimators=3).fit(X, y > 0)": "forests",
    "RandomForestRegressor(n_estimators=3).fit(X, y)": "forests",
    "ExtraTreesClassifier(n_estimators=3).fit(X, y > 0)": "forests",
    "IsolationForest(n_estimators=3).fit(X)": "ensembles",
    "C45Classifier().fit(X, y > 0)": "ID3 and C4.5",
    "KMeans(n_clusters=3).fit(X)": "clustering",
    "GaussianMixture(n_components=2).fit(X)": "Gaussian mixtures",
}
_DATA = "X = np.random.RandomState(0).randn(400, 6); y = X[:, 0] + X[:, 1]"
_CHILD = "from tools.compile_costs import measure; measure({code!r})"


def measure(code: str) -> None:
    """In the child: fit, predict, and print what was compiled."""
    import numpy as np

    import spinney
    from spinney._compile import speech

    speech.clock = time.thread_time
    names: dict[str, Any] = {"np": np}
    exec(_DATA, names)
    model = eval(f"spinney.{code}", {**names, "spinney": spinney})
    model.predict(names["X"])
    print(json.dumps({name: [float(np.mean(all_)), len(all_), _is_part(name)] for name, all_ in speech._spent.items()}))


def _is_part(kernel: str) -> bool:
    module, _, name = kernel.rpartition(".")
    return hasattr(getattr(importlib.import_module(module), name, None), "part")


def main() -> None:
    """Measure all fits and write the file."""
    found = []
    for code, family in FITS.items():
        with tempfile.TemporaryDirectory() as cache:
            quiet = {"SPINNEY_CACHE_DIR": cache, "SPINNEY_ASSISTANT": "0", "SPINNEY_QUIET": "1"}
            told = subprocess.run(
                [sys.executable, "-c", _CHILD.format(code=code)],
                env={**os.environ, **quiet},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        kernels = {name: [round(cost[0], 3), *cost[1:]] for name, cost in json.loads(told.stdout).items()}
        print(f"{sum(seconds * times for seconds, times, _ in kernels.values()):5.1f} s  {code}", file=sys.stderr)
        found.append({"family": family, "fit": code, "kernels": kernels})
    lines = ",\n".join(json.dumps(one) for one in found)
    TARGET.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()

"""Time partial dependence of all columns, and scikit-learn's brute force: 10,000 rows of 20 columns.

python -m benchmarks.dependence [--rows 10000] [--repeats 3] [--only NAME]

scikit-learn is timed on one column, times 20. Times are CPU seconds with compiled kernels; the best of the repeats.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor as SklearnForest
from sklearn.inspection import partial_dependence as brute_force

from spinney import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from spinney.explain import partial_dependence

N_COLUMNS = 20
MODELS = {
    "boosting": (
        "boosting, 100 trees of 31 leaves, regression",
        GradientBoostingRegressor(n_estimators=100, max_leaf_nodes=31),
    ),
    "classes": (
        "the same, two classes: probabilities",
        GradientBoostingClassifier(n_estimators=100, max_leaf_nodes=31),
    ),
    "forest": ("random forest, 20 full trees, regression", RandomForestRegressor(20)),
    "forest-classes": ("the same, two classes: probabilities", RandomForestClassifier(20)),
}


def table(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and a target with interactions and noise."""
    rng = np.random.RandomState(0)
    X = rng.randn(n_rows, N_COLUMNS)
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.3 * X[:, 3:12].sum(axis=1) + rng.randn(n_rows)
    return X, y


def cpu_seconds(call: Callable[[], Any], repeats: int) -> float:
    """Of the quickest of some runs, all threads together."""
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return min(times)


def measure(name: str, n_rows: int, repeats: int) -> None:
    """One line of the table."""
    title, model = MODELS[name]
    X, y = table(n_rows)
    target = y > 0 if "classes" in name else y
    model.set_params(random_state=0).fit(X, target)
    found = partial_dependence(model, X, None)
    ours = cpu_seconds(lambda: partial_dependence(model, X, None), repeats)
    one = cpu_seconds(lambda: partial_dependence(model, X, 0), repeats)
    asked = brute_force(model, X, [0], kind="average", method="brute")
    np.testing.assert_allclose(found[0].average, asked["average"], atol=1e-9)
    theirs = cpu_seconds(lambda: brute_force(model, X, [0], kind="average", method="brute"), 1)
    print(
        f"| {title} | {ours:.3f} s | {N_COLUMNS * theirs:.1f} s | {N_COLUMNS * theirs / ours:.0f} "
        f"| {theirs / one:.0f} |",
        flush=True,
    )
    if name == "forest":
        other = SklearnForest(20, random_state=0).fit(X, y)
        own = cpu_seconds(lambda: brute_force(other, X, [0], kind="average", method="brute"), 1)
        print(f"| scikit-learn's own forest | | {N_COLUMNS * own:.1f} s | {N_COLUMNS * own / ours:.0f} | |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=list(MODELS))
    wishes = parser.parse_args()
    print(
        f"| model ({wishes.rows:,} rows, {N_COLUMNS} columns) | all columns | brute force | times | one column: times |"
    )
    print("|---|--:|--:|--:|--:|")
    for name in [wishes.only] if wishes.only else list(MODELS):
        measure(name, wishes.rows, wishes.repeats)

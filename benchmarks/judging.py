"""Time cross-validation and grid search.

Boosting in five folds is compared with one fit, leave-one-out of a tree with scikit-learn's, and a grid of trees with
scikit-learn's search over the same trees.

python -m benchmarks.judging [--only boosting|loo|grid] [--repeats 3] [--rows 1.0]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score
from sklearn.model_selection import cross_validate as sklearn_cross_validate
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from spinney import DecisionTreeClassifier, GradientBoostingClassifier
from spinney.evaluate import cross_validate, search


def make_table(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes, noisy, of main effects, a product and a wave."""
    random = np.random.RandomState(0)
    X = random.randn(n_rows, n_columns)
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3])
    return X, (score + random.randn(n_rows) > 0).astype(np.int64)


def seconds(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def boosting(repeats: int, factor: float) -> None:
    X, y = make_table(int(200_000 * factor), 28)
    model = GradientBoostingClassifier(n_estimators=100, random_state=0)
    cross_validate(model, X[:20_000], y[:20_000], cv=2)
    calls: dict[str, Callable[[], Any]] = {
        "one fit": lambda: model.fit(X, y),
        "spinney's 5 folds": lambda: cross_validate(model, X, y),
        "scikit-learn's 5 folds": lambda: sklearn_cross_validate(model, X, y),
    }
    times = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            times[name].append(seconds(call))
    one = float(np.median(times["one fit"]))
    for name, found in times.items():
        print(
            f"boosting, {len(X):,} x 28: {name:24} {np.median(found):6.2f} s  {np.median(found) / one:5.2f} x one fit"
        )


def loo(repeats: int, factor: float) -> None:
    X, y = make_table(int(2_000 * factor), 10)
    cross_validate(DecisionTreeClassifier(), X[:50], y[:50])
    mine = [seconds(lambda: cross_validate(DecisionTreeClassifier(), X, y, cv="loo")) for _ in range(repeats)]
    theirs = seconds(lambda: cross_val_score(SklearnTree(random_state=0), X, y, cv=LeaveOneOut()))
    print(f"leave-one-out of a tree, {len(X):,} x 10: spinney {np.median(mine):.1f} s, scikit-learn {theirs:.1f} s")


def grid(repeats: int, factor: float) -> None:
    X, y = make_table(int(20_000 * factor), 20)
    space = {"max_depth": [3, 6, 9, None], "min_samples_leaf": [1, 5, 20]}
    search(DecisionTreeClassifier(), {"max_depth": [2]}, X[:500], y[:500])
    mine = [seconds(lambda: search(DecisionTreeClassifier(), space, X, y)) for _ in range(repeats)]
    theirs = seconds(lambda: GridSearchCV(DecisionTreeClassifier(), space).fit(X, y))
    print(
        f"grid of 12 trees, {len(X):,} x 20: spinney {np.median(mine):.1f} s, scikit-learn with our tree {theirs:.1f} s"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["boosting", "loo", "grid"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=float, default=1.0, help="factor for the number of rows")
    options = parser.parse_args()
    for measure in (boosting, loo, grid):
        if options.only in (None, measure.__name__):
            measure(options.repeats, options.rows)

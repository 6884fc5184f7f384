"""Time counterfactuals: 100 trees of depth 6 on 20 columns, boosted and as a forest.

python -m benchmarks.counterfactuals [--rows 30] [--time-limit 10] [--only boosting|forest]

Every counterfactual is checked by a prediction. Times are CPU seconds of one thread, with compiled kernels.
"""

import argparse
import time

import numpy as np
from sklearn.datasets import make_classification

from spinney import GradientBoostingClassifier, RandomForestClassifier
from spinney.explain import counterfactual

MODELS = {
    "boosting": GradientBoostingClassifier(n_estimators=100, max_depth=6, learning_rate=0.1, random_state=0),
    "forest": RandomForestClassifier(n_estimators=100, max_depth=6, random_state=0),
}


def measure(name: str, n_rows: int, time_limit: float) -> None:
    X, y = make_classification(5_000 + n_rows, 20, n_informative=10, n_redundant=4, random_state=0)
    model = MODELS[name].fit(X[:5_000], y[:5_000])
    rows = X[5_000:]
    counterfactual(model, X[0], scale=X, time_limit=0.01)
    times, gaps, changed = [], [], []
    for row in rows:
        begun = time.process_time()
        found = counterfactual(model, row, scale=X, time_limit=time_limit)
        times.append(time.process_time() - begun)
        assert model.predict(np.array([found[0].row]))[0] != model.predict(row[None])[0]
        gaps.append(found[0].gap)
        changed.append(len(found[0].changes))
    proved = np.mean(np.array(gaps) == 0.0)
    print(
        f"| {name} | {np.median(times):.2f} s | {np.quantile(times, 0.9):.2f} s | {proved:.0%} | {max(gaps):.0%} "
        f"| {np.mean(changed):.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=30)
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--only", choices=list(MODELS))
    wishes = parser.parse_args()
    print(f"{wishes.rows} rows, time limit {wishes.time_limit:g} s of wall time")
    print("| 100 trees of depth 6 | median | 90 % within | proved | largest gap | columns that change |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in [wishes.only] if wishes.only else list(MODELS):
        measure(name, wishes.rows, wishes.time_limit)

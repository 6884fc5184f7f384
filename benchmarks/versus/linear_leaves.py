"""Linear leaves: Spinney beside its constant leaves and LightGBM's `linear_tree`, on real regressions.

    SPINNEY_DATA=folder python -m benchmarks.versus.linear_leaves --rows 26666 --seeds 2

RMSE on a quarter of the rows and CPU seconds of one thread. By default, Spinney chooses the number of rounds; "same
rounds" are 200 of 31 leaves at a learning rate of 0.1 for both libraries, with leaves of at least 20 rows. Times of
these are the least of three fits, one after the other in turn.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import spinney
from benchmarks.versus import tables

SAME: dict[str, Any] = {"n_estimators": 200, "learning_rate": 0.1}
LINEAR = {"leaves": "linear"}
REPEATS = 3
Result = tuple[float, float]  # RMSE, CPU seconds


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each table, and geometric means."""
    wanted = argparse.ArgumentParser("benchmarks.versus.linear_leaves", description=__doc__.splitlines()[0])
    wanted.add_argument("--rows", type=int, default=26_666)
    wanted.add_argument("--seeds", type=int, default=2)
    wanted.add_argument("--tables", help="names of regressions, with commas; all of the folder by default")
    options = wanted.parse_args(arguments)
    warnings.filterwarnings("ignore")
    lines: dict[str, dict[str, Result]] = {}
    for name in options.tables.split(",") if options.tables else tables.names():
        table = tables.load(name)
        if table.task == "regression":
            found = [run(table.sample(options.rows), seed) for seed in range(options.seeds)]
            lines[name] = {key: mean([one[key] for one in found]) for key in found[0]}
            print(
                name,
                *(f"{key}: {rmse:.6g} {seconds:.2f} s" for key, (rmse, seconds) in lines[name].items()),
                sep="\n  ",
            )
    for key, other in (("default linear", "default"), ("linear", "constant"), ("linear", "LightGBM linear_tree")):
        pairs = [(one[key], one[other]) for one in lines.values()]
        ratios = [mean([(own[k] / theirs[k],) for own, theirs in pairs])[0] for k in (0, 1)]
        better = sum(own[0] < theirs[0] for own, theirs in pairs)
        print(f"{key} over {other}: RMSE {ratios[0]:.3f}, better on {better} of {len(pairs)}, CPU time {ratios[1]:.2f}")


def mean(found: list[tuple[float, ...]]) -> Any:
    """Geometric means."""
    return tuple(np.exp(np.mean(np.log(found), axis=0)).tolist())


def run(table: tables.RealTable, seed: int) -> dict[str, Result]:
    """All contestants on one split."""
    import lightgbm

    ((train, test),) = table.splits("holdout", seed)
    X, y, X_test, y_test = table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test]
    ours = spinney.GradientBoostingRegressor
    theirs = {"num_threads": 1, "verbose": -1, **SAME}
    contestants: dict[str, Callable[[], Any]] = {
        "default": lambda: ours(n_jobs=1),
        "default linear": lambda: ours(n_jobs=1, **LINEAR),
        "constant": lambda: ours(n_jobs=1, **SAME),
        "linear": lambda: ours(n_jobs=1, **SAME, **LINEAR),
        "LightGBM": lambda: lightgbm.LGBMRegressor(**theirs),
        "LightGBM linear_tree": lambda: lightgbm.LGBMRegressor(**theirs, linear_tree=True),
    }
    ours(n_estimators=2).fit(X, y), ours(n_estimators=2, **LINEAR).fit(X, y)  # compiled, if need be
    found: dict[str, Result] = {}
    for again in range(REPEATS):
        for key, make in contestants.items():
            if again and key.startswith("default"):
                continue
            begun = time.process_time()
            model = make().fit(X, y)
            seconds = time.process_time() - begun
            rmse = float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)))
            found[key] = rmse, min(seconds, found[key][1]) if key in found else seconds
    return found


if __name__ == "__main__":
    main()

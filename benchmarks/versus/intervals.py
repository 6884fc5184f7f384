"""Prediction intervals: Spinney's default fit beside MAPIE around LightGBM, on real regressions.

    SPINNEY_DATA=folder python -m benchmarks.versus.intervals --rows 26666 --seeds 2

For each table: coverage and mean width of 90 % intervals on a quarter of the rows, and CPU seconds of one thread for
the fit and the intervals together. MAPIE fits LightGBM at its defaults in ten folds (CV+), or three quantile models and
conformalises them on a third of the rows (CQR). Widths are divided by the standard deviation of the target.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import spinney
from benchmarks.versus import tables

LEVEL = 0.9
FOLDS = 10
Result = tuple[float, float, float]  # coverage, width, CPU seconds
SPINNEY, CV_PLUS, CQR = "Spinney", "MAPIE CV+", "MAPIE CQR"


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each table, and means."""
    wanted = argparse.ArgumentParser("benchmarks.versus.intervals", description=__doc__.splitlines()[0])
    wanted.add_argument("--rows", type=int, default=26_666)
    wanted.add_argument("--seeds", type=int, default=2)
    wanted.add_argument("--tables", help="names of regressions, with commas; all of the folder by default")
    options = wanted.parse_args(arguments)
    warnings.filterwarnings("ignore")
    rows: list[dict[str, Result]] = []
    for name in options.tables.split(",") if options.tables else tables.names():
        table = tables.load(name)
        if table.task == "regression":
            found = [run(table.sample(options.rows), seed) for seed in range(options.seeds)]
            rows.append({key: tuple(np.mean([one[key] for one in found], axis=0)) for key in found[0]})
            print(name, *(f"  {key:10s} {as_text(result)}" for key, result in rows[-1].items()), sep="\n")
    for key in (SPINNEY, CV_PLUS, CQR):
        print(f"{key}: mean coverage {np.mean([row[key][0] for row in rows]):.3f}")
    for key in (CV_PLUS, CQR):
        width, seconds = (geometric_mean([row[SPINNEY][k] / row[key][k] for row in rows]) for k in (1, 2))
        narrower = sum(row[SPINNEY][1] < row[key][1] for row in rows)
        print(f"Spinney over {key}: width {width:.3f}, narrower on {narrower} of {len(rows)}, CPU time {seconds:.2f}")


def as_text(result: Result) -> str:
    """Coverage, width and time of a line."""
    return "coverage {:.3f}, width {:.3f}, {:.2f} s".format(*result)


def geometric_mean(numbers: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(numbers))))


def run(table: tables.RealTable, seed: int) -> dict[str, Result]:
    """All contestants on one split."""
    ((train, test),) = table.splits("holdout", seed)
    X, y, X_test, y_test = table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test]
    spinney.GradientBoostingRegressor(n_jobs=1).fit(X[:400], y[:400])  # compiled, if need be
    found = {}
    for key, intervals in contestants().items():
        begun = time.process_time()
        low, high = intervals(X, y, X_test)
        seconds = time.process_time() - begun
        covered = np.mean((low <= y_test) & (y_test <= high))
        found[key] = float(covered), float(np.mean(high - low) / y.std()), seconds
    return found


def contestants() -> dict[str, Callable[[Any, Any, Any], Any]]:
    """Functions from training rows, their target and new rows to lower and upper ends."""
    from lightgbm import LGBMRegressor
    from mapie.regression import ConformalizedQuantileRegressor, CrossConformalRegressor
    from sklearn.model_selection import train_test_split

    quiet = {"n_jobs": 1, "verbose": -1}

    def by_spinney(X: Any, y: Any, new: Any) -> Any:
        return spinney.GradientBoostingRegressor(n_jobs=1).fit(X, y).predict_interval(new, LEVEL).T

    def by_folds(X: Any, y: Any, new: Any) -> Any:
        mapie = CrossConformalRegressor(LGBMRegressor(**quiet), confidence_level=LEVEL, cv=FOLDS, n_jobs=1)
        return mapie.fit_conformalize(X, y).predict_interval(new)[1][:, :, 0].T

    def by_quantiles(X: Any, y: Any, new: Any) -> Any:
        X_fit, X_rest, y_fit, y_rest = train_test_split(X, y, test_size=1 / 3, random_state=0)
        model = LGBMRegressor(objective="quantile", alpha=0.5, **quiet)
        mapie = ConformalizedQuantileRegressor(model, confidence_level=LEVEL).fit(X_fit, y_fit)
        return mapie.conformalize(X_rest, y_rest).predict_interval(new)[1][:, :, 0].T

    return {SPINNEY: by_spinney, CV_PLUS: by_folds, CQR: by_quantiles}


if __name__ == "__main__":
    main()

"""Optimal trees: Spinney and STreeD (`pystreed`) on the same columns of zeros and ones, and CART on all thresholds.

    python -m benchmarks.versus.optimal --rows 20000 --columns 64 --depth 3
    python -m benchmarks.versus.optimal --file adult.parquet --target income --columns 128 --depth 4
    python -m benchmarks.versus.optimal --accuracy --rows 2000 --depth 3 --time-budget 60

Times are CPU seconds of one thread, since STreeD has one. Columns of zeros and ones are "value <= quantile", at 16
quantiles of each numeric column, and "category = name"; those that divide the classes best are taken. `--accuracy`
compares on held-out rows, with all thresholds: CART by Gini impurity, and the optimal tree.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import GENERATORS

QUANTILES = np.arange(1, 17) / 17


def main(arguments: list[str] | None = None) -> None:
    """Run what was asked for and print it."""
    options = parse(arguments)
    X, y, X_test, y_test = read(options)
    if options.accuracy:
        compare_accuracy(options, X, y, X_test, y_test)
    else:
        compare_times(options, *zeros_and_ones(X, y, options.columns))


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    wanted = argparse.ArgumentParser("benchmarks.versus.optimal", description=__doc__.splitlines()[0])
    wanted.add_argument("--table", default="binary", choices=sorted(GENERATORS), help="generated data")
    wanted.add_argument("--file", help="a Parquet file instead")
    wanted.add_argument("--target", default="target", help="its target column")
    wanted.add_argument("--rows", type=int, default=20_000)
    wanted.add_argument("--columns", type=int, default=64, help="columns of zeros and ones")
    wanted.add_argument("--depth", type=int, default=3)
    wanted.add_argument("--time-budget", type=float, default=600.0)
    wanted.add_argument("--accuracy", action="store_true", help="compare with CART on held-out rows")
    return wanted.parse_args(arguments)


def read(options: argparse.Namespace) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    """Training and test rows; a file is divided at random."""
    if options.file is None:
        table = GENERATORS[options.table](options.rows)
        return pd.DataFrame(table.X), np.asarray(table.y), pd.DataFrame(table.X_test), np.asarray(table.y_test)
    frame = pd.read_parquet(options.file)
    y = np.unique(frame.pop(options.target).to_numpy(), return_inverse=True)[1]
    order = np.random.RandomState(0).permutation(len(frame))[: options.rows]
    kept, held = order[: 3 * len(order) // 5], order[3 * len(order) // 5 :]
    if not options.accuracy:
        kept = np.sort(order)
    return frame.iloc[kept], y[kept], frame.iloc[held], y[held]


def zeros_and_ones(X: pd.DataFrame, y: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns that divide the classes best, each once."""
    found: dict[bytes, np.ndarray] = {}
    for name in X.columns:
        values = X[name].to_numpy()
        if pd.api.types.is_numeric_dtype(X[name]):
            some = [values <= q for q in np.unique(np.nanquantile(values, QUANTILES))]
        else:
            some = [values == one for one in pd.unique(values)]
        for one in some:
            if 0 < one.sum() < len(one):
                found.setdefault(min(one.tobytes(), (~one).tobytes()), one)
    best = sorted(found.values(), key=lambda one: -apart(one, y))[:n_columns]
    return np.column_stack(best).astype(np.int32), y.astype(np.int32)


def apart(one: np.ndarray, y: np.ndarray) -> float:
    """By how much a column lowers Gini impurity, but for a constant."""
    shares = [np.bincount(y[side], minlength=int(y.max()) + 1) / side.sum() for side in (one, ~one)]
    return float(sum((share**2).sum() * side.mean() for share, side in zip(shares, (one, ~one))))


def compare_times(options: argparse.Namespace, X: np.ndarray, y: np.ndarray) -> None:
    """CPU seconds and training errors of both."""
    from spinney import OptimalTreeClassifier

    print(f"{X.shape[0]:,} rows, {X.shape[1]} columns of zeros and ones, depth {options.depth}")
    settings: dict[str, Any] = {"max_depth": options.depth, "time_budget": options.time_budget, "n_jobs": 1}
    OptimalTreeClassifier(**settings | {"max_depth": 3}).fit(X[:100], y[:100])  # compiles
    show("spinney", OptimalTreeClassifier(**settings).fit, X, y)
    try:
        from pystreed import STreeDClassifier
    except ImportError:
        print("pystreed is not installed")
        return
    rival = STreeDClassifier(max_depth=options.depth, cost_complexity=0.0, time_limit=options.time_budget)
    show("STreeD", rival.fit, X, y)


def show(name: str, fit: Callable[..., Any], X: np.ndarray, y: np.ndarray) -> None:
    """One line."""
    begin = time.process_time()
    model = fit(X, y)
    seconds = time.process_time() - begin
    print(f"{name:8s} {seconds:8.2f} CPU s, {int((model.predict(X) != y).sum()):,} errors")


def compare_accuracy(
    options: argparse.Namespace, X: pd.DataFrame, y: np.ndarray, X_test: pd.DataFrame, y_test: np.ndarray
) -> None:
    """Accuracy on held-out rows, with all thresholds."""
    from spinney import DecisionTreeClassifier, OptimalTreeClassifier

    trees = {
        "CART": DecisionTreeClassifier(max_depth=options.depth),
        "optimal": OptimalTreeClassifier(max_depth=options.depth, time_budget=options.time_budget),
    }
    for name, model in trees.items():
        model.fit(X, y)
        proved = f", gap {model.gap_:.4f}" if name == "optimal" else ""
        print(f"{name:8s} training {model.score(X, y):.4f}, test {model.score(X_test, y_test):.4f}{proved}")


if __name__ == "__main__":
    main()

"""Gradient boosting by hand and in one call, and the number of trees.

    python examples/gradient_boosting.py             # figures go to a temporary folder
    python examples/gradient_boosting.py figures     # figures go to this folder

Three trees, each fitted to the residuals of those before it, are three rounds of boosting with a learning rate of 1.
With more rounds, the held-out error falls and then rises again. Staged predictions show where to stop.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    plot_predictions,
    plot_residual_rounds,
    plot_staged_errors,
)

WIDTH = 40


def main(folder: str | None = None) -> dict[str, float]:
    """Return the difference of three trees and three rounds, the best number of trees, and its error."""
    X, y = parabola(100)
    found = {"apart": three_trees(X, y)}
    X_train, X_val, y_train, y_val = train_test_split(X, y, random_state=49)

    model = GradientBoostingRegressor(max_depth=2, n_estimators=120, **PLAIN).fit(X_train, y_train)
    errors = [mean_squared_error(y_val, predicted) for predicted in model.staged_predict(X_val)]
    best = int(np.argmin(errors)) + 1  # the first entry is the error after one tree
    print("\nMean squared error on held-out rows, after")
    for k in sorted({1, 5, 10, 20, 40, 80, 120, best}):
        bar = "#" * round(WIDTH * errors[k - 1] / errors[0])
        print(f"  {k:>3} trees  {errors[k - 1]:.5f}  {bar}{'  <- best' if k == best else ''}")

    again = GradientBoostingRegressor(max_depth=2, n_estimators=best, **PLAIN).fit(X_train, y_train)
    found.update(best=best, error=mean_squared_error(y_val, again.predict(X_val)), least=min(errors))
    print(f"\nA new model of {best} trees: {found['error']:.5f}")

    plain = GradientBoostingRegressor(max_depth=2, n_estimators=3, learning_rate=1.0, **PLAIN).fit(X, y)
    residuals = plot_residual_rounds(plain, X, y)[0, 0].figure
    errors, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    plot_staged_errors(model, X_train, y_train, eval_set=(X_val, y_val), ax=ax)
    keep({"residuals": residuals, "shrinkage": shrinkage(X, y), "errors": errors}, folder)
    return found


def shrinkage(X: np.ndarray, y: np.ndarray) -> plt.Figure:
    """Plot three trees and 200 trees with a learning rate of 1, and 200 trees with 0.1."""
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), sharey=True, layout="constrained")
    for ax, (rate, rounds) in zip(axes, [(1.0, 3), (1.0, 200), (0.1, 200)]):
        one = GradientBoostingRegressor(max_depth=2, n_estimators=rounds, learning_rate=rate, **PLAIN).fit(X, y)
        plot_predictions(one, X, y, ax=ax).set(title=f"learning_rate={rate}, n_estimators={rounds}", xlabel="x")
    axes[0].set_ylabel("y")
    return figure


# plain gradient boosting: no regularisation, leaves of any size, every threshold
PLAIN = {"l2_regularization": 0.0, "min_samples_leaf": 1, "max_bins": None}


def three_trees(X: np.ndarray, y: np.ndarray) -> float:
    """Fit trees to residuals; return the largest difference from the predictions of boosting."""
    left_over, trees = y, []
    for _ in range(3):
        trees.append(DecisionTreeRegressor(max_depth=2).fit(X, left_over))
        left_over = left_over - trees[-1].predict(X)
    by_hand = sum(tree.predict(X) for tree in trees)
    model = GradientBoostingRegressor(max_depth=2, n_estimators=3, learning_rate=1.0, **PLAIN).fit(X, y)
    apart = float(np.abs(by_hand - model.predict(X)).max())
    print("Three trees of depth 2, each fitted to the residuals of those before it, and three rounds of boosting")
    print(f"  predictions differ by at most {apart:.1e}; mean squared error {np.mean(left_over**2):.5f}")
    return apart


def parabola(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a noisy curve."""
    random = np.random.RandomState(42)
    X = random.rand(n_rows, 1) - 0.5
    return X, 3 * X[:, 0] ** 2 + 0.05 * random.randn(n_rows)


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the figures, by default to a temporary folder."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-gradient-boosting-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} figures are" if len(pictures) > 1 else "1 figure is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

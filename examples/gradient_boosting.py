"""Gradient boosting by hand and in one call, and how many trees are enough.

    python examples/gradient_boosting.py

Three trees, each fitted to what those before it left over, are three rounds of boosting with a learning rate of 1. With
more rounds the error on held-out rows falls and then rises again: staged predictions show where to stop.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split

from spinney import DecisionTreeRegressor, GradientBoostingRegressor

WIDTH = 40


def main() -> dict[str, float]:
    """How far three trees and three rounds are apart, the best number of trees, and its error."""
    X, y = parabola(100)
    found = {"apart": three_trees(X, y)}
    X_train, X_val, y_train, y_val = train_test_split(X, y, random_state=49)

    model = GradientBoostingRegressor(max_depth=2, n_estimators=120, **PLAIN).fit(X_train, y_train)
    errors = [mean_squared_error(y_val, predicted) for predicted in model.staged_predict(X_val)]
    best = int(np.argmin(errors)) + 1  # after one tree the list has one entry
    print("\nMean squared error on held-out rows, after")
    for k in sorted({1, 5, 10, 20, 40, 80, 120, best}):
        bar = "#" * round(WIDTH * errors[k - 1] / errors[0])
        print(f"  {k:>3} trees  {errors[k - 1]:.5f}  {bar}{'  <- best' if k == best else ''}")

    again = GradientBoostingRegressor(max_depth=2, n_estimators=best, **PLAIN).fit(X_train, y_train)
    found.update(best=best, error=mean_squared_error(y_val, again.predict(X_val)), least=min(errors))
    print(f"\nA model of {best} trees, fitted anew: {found['error']:.5f}")
    return found


# without regularisation, and leaves of any size: plain gradient boosting
PLAIN = {"l2_regularization": 0.0, "min_samples_leaf": 1}


def three_trees(X: np.ndarray, y: np.ndarray) -> float:
    """Fit trees to residuals in turn; the largest difference to boosting's predictions."""
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
    """A noisy curve."""
    random = np.random.RandomState(42)
    X = random.rand(n_rows, 1) - 0.5
    return X, 3 * X[:, 0] ** 2 + 0.05 * random.randn(n_rows)


if __name__ == "__main__":
    main()

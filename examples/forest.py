"""Forests: feature importances of iris, and one tree compared with ensembles on the two moons.

    python examples/forest.py             # figures go to a temporary folder
    python examples/forest.py figures     # figures go to this folder

Textbook figures for the importances: sepal length 0.11, sepal width 0.02, petal length 0.44, petal width 0.42.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import train_test_split

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    BaggingClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    plot_importances,
    plot_side_by_side,
)

WIDTH = 40


def main(folder: str | None = None) -> dict[str, float]:
    """Return the importance of each column."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = RandomForestClassifier(n_estimators=500, oob_score=True, random_state=42).fit(X, y)
    importance = dict(zip(X.columns, model.feature_importances_.tolist()))
    print("Iris, 500 trees: feature importances (impurity decrease)\n")
    for name, share in importance.items():
        print(f"  {name:<18} {share:.2f}  {'#' * round(WIDTH * share)}")
    print(f"\nOut-of-bag accuracy: {model.oob_score_:.3f}.")
    moons = on_the_moons()
    figure, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
    plot_importances(model, ax=ax)
    keep({"importances": figure, "one_and_many": moons}, folder)
    return importance


def on_the_moons() -> plt.Figure:
    """Compare one tree with a forest, with bagging of random trees, which is nearly the same, and with extra-trees."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    small = {"n_estimators": 500, "random_state": 42}
    models = {
        "one tree": DecisionTreeClassifier(random_state=42),
        "bagging": BaggingClassifier(DecisionTreeClassifier(splitter="random", max_leaf_nodes=16), **small),
        "random forest": RandomForestClassifier(max_leaf_nodes=16, **small),
        "extra-trees": ExtraTreesClassifier(max_leaf_nodes=16, **small),
    }
    print("\nTwo moons, 500 trees of at most 16 leaves: accuracy on held-out rows")
    for name, model in models.items():
        print(f"  {name:<14} {model.fit(X_train, y_train).score(X_test, y_test):.3f}")
    return plot_side_by_side(models, X_train, y_train)[0].figure


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the figures, by default to a temporary folder."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-forest-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} figures are" if len(pictures) > 1 else "1 figure is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

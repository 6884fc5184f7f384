"""Bagging on the two moons: 500 trees of 100 rows each, and the out-of-bag score.

    python examples/bagging.py             # figures go to a temporary folder
    python examples/bagging.py figures     # figures go to this folder

Textbook figures for these data: accuracy 0.901 out-of-bag, 0.912 on held-out rows.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import BaggingClassifier, DecisionTreeClassifier, plot_side_by_side


def main(folder: str | None = None) -> dict[str, float]:
    """Return the accuracy on held-out rows, and out-of-bag."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    alone = DecisionTreeClassifier().fit(X_train, y_train)
    few = BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=500, max_samples=100, bootstrap=True, random_state=42
    )
    all_rows = BaggingClassifier(DecisionTreeClassifier(), n_estimators=500, oob_score=True, random_state=42)
    pasting = BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=500, max_samples=100, bootstrap=False, random_state=42
    )
    parts = BaggingClassifier(
        DecisionTreeClassifier(), n_estimators=100, bootstrap=False, partition=True, random_state=42
    )
    models = {
        "one tree": alone,
        "500 trees, 100 rows each": few.fit(X_train, y_train),
        "the same, pasting": pasting.fit(X_train, y_train),
        "500 trees, bootstraps": all_rows.fit(X_train, y_train),
        "100 trees, disjoint parts": parts.fit(X_train, y_train),
    }
    accuracy = {name: float(model.score(X_test, y_test)) for name, model in models.items()}
    print(f"Two moons: {len(y_train)} training rows, {len(y_test)} held-out rows. Accuracy:\n")
    for name, score in accuracy.items():
        print(f"  {name:<26} {score:.3f}")
    accuracy["out of bag"] = float(all_rows.oob_score_)
    print(f"\nOut-of-bag accuracy of 500 trees: {all_rows.oob_score_:.3f}.")
    chosen = {name: models[name] for name in ("one tree", "500 trees, 100 rows each")}
    keep({"one_and_many": plot_side_by_side(chosen, X_train, y_train)[0].figure}, folder)
    return accuracy


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the figures, by default to a temporary folder."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-bagging-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} figures are" if len(pictures) > 1 else "1 figure is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

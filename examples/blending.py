"""Stacking on the two moons: a final model is fitted on predictions for rows that the members were not fitted on.

    python examples/blending.py             # figures go to a temporary folder
    python examples/blending.py figures     # figures go to this folder

Blending holds out some of the rows for the final model. Stacking cross-validates the members, and uses every row for
both.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import DecisionTreeClassifier, StackingClassifier, plot_side_by_side


def main(folder: str | None = None) -> dict[str, float]:
    """Return the accuracy on held-out rows, by name."""
    X, y = make_moons(1000, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    members = [
        ("tree", DecisionTreeClassifier(max_leaf_nodes=8)),
        ("neighbours", KNeighborsClassifier(15)),
        ("support vectors", SVC(random_state=42)),
    ]
    blender = LogisticRegression()
    blend = StackingClassifier(members, blender, cv="holdout", holdout_fraction=0.3, random_state=42)
    stack = StackingClassifier(members, blender, cv=5)
    models = {**dict(members), "blending": blend, "stacking": stack}
    accuracy = {name: float(model.fit(X_train, y_train).score(X_test, y_test)) for name, model in models.items()}

    print(f"Two moons: {len(y_train)} training rows, {len(y_test)} held-out rows. Accuracy:\n")
    for name, score in accuracy.items():
        print(f"  {name:<16} {score:.3f}")
    names = [name for name, _ in members]
    trust = ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, blend.final_estimator_.coef_[0]))
    print(f"\nCoefficients of the final model: {trust}.")
    chosen = {name: models[name] for name in (*names, "blending")}
    keep({"members_and_blend": plot_side_by_side(chosen, X_train, y_train)[0].figure}, folder)
    return accuracy


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the figures, by default to a temporary folder."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-blending-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} figures are" if len(pictures) > 1 else "1 figure is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

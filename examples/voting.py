"""Voting on the two moons: the majority of three models, and the mean of their probabilities.

    python examples/voting.py             # figures go to a temporary folder
    python examples/voting.py figures     # figures go to this folder

Textbook figures for accuracy on these data: logistic regression 0.864, a forest of ten trees 0.872, support vectors
0.888, all three 0.896.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import RandomForestClassifier, VotingClassifier, plot_side_by_side


def main(folder: str | None = None) -> dict[str, float]:
    """Return the accuracy on held-out rows, by name."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    line, forest, vectors = LogisticRegression(), RandomForestClassifier(n_estimators=10, random_state=42), SVC()
    members = [("line", line), ("forest", forest), ("support vectors", vectors)]
    hard = VotingClassifier(members, voting="hard").fit(X_train, y_train)
    sure = [
        *members[:2],
        ("support vectors", CalibratedClassifierCV(vectors, ensemble=False)),
    ]  # soft voting needs probabilities
    soft = VotingClassifier(sure, voting="soft").fit(X_train, y_train)
    models = {**hard.named_estimators_, "hard vote": hard, "soft vote": soft}
    accuracy = {name: float(model.score(X_test, y_test)) for name, model in models.items()}

    print(f"Two moons: {len(y_train)} training rows, {len(y_test)} held-out rows. Accuracy:\n")
    for name, score in accuracy.items():
        print(f"  {name:<16} {score:.3f}")
    print("\nThe soft vote averages the probabilities of the members; the hard vote counts their classes.")
    together = {**hard.named_estimators_, "hard vote": hard}
    keep({"votes": plot_side_by_side(together, X_train, y_train)[0].figure}, folder)
    return accuracy


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the figures, by default to a temporary folder."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-voting-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} figures are" if len(pictures) > 1 else "1 figure is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

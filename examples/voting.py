"""Three models vote on the two moons: the majority, and the mean of their probabilities.

    python examples/voting.py             # pictures go into a temporary folder
    python examples/voting.py pictures    # into this one

The lectures' figures for accuracy: a line 0.864, a forest (ten trees) 0.872, support vectors 0.888, all three 0.896.
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
    """Accuracy on held-out rows, by name."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    line, forest, vectors = LogisticRegression(), RandomForestClassifier(n_estimators=10, random_state=42), SVC()
    members = [("line", line), ("forest", forest), ("support vectors", vectors)]
    hard = VotingClassifier(members, voting="hard").fit(X_train, y_train)
    sure = [
        *members[:2],
        ("support vectors", CalibratedClassifierCV(vectors, ensemble=False)),
    ]  # it needs probabilities
    soft = VotingClassifier(sure, voting="soft").fit(X_train, y_train)
    models = {**hard.named_estimators_, "hard vote": hard, "soft vote": soft}
    accuracy = {name: float(model.score(X_test, y_test)) for name, model in models.items()}

    print(f"Two moons: {len(y_train)} rows to learn from, {len(y_test)} to judge by. Accuracy:\n")
    for name, score in accuracy.items():
        print(f"  {name:<16} {score:.3f}")
    print("\nThe soft vote listens to how sure each member is; the hard vote only counts.")
    together = {**hard.named_estimators_, "hard vote": hard}
    keep({"votes": plot_side_by_side(together, X_train, y_train)[0].figure}, folder)
    return accuracy


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the pictures, into a temporary folder if none is named."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-voting-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} pictures are" if len(pictures) > 1 else "1 picture is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Three models vote on the two moons: the majority, and the mean of their probabilities.

    python examples/voting.py

The lectures' figures for accuracy: a line 0.864, a forest 0.872, support vectors 0.888, all three together 0.896.
"""

from __future__ import annotations

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from spinney import DecisionTreeClassifier, VotingClassifier


def main() -> dict[str, float]:
    """Accuracy on held-out rows, by name."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    members = [
        ("line", LogisticRegression()),
        ("tree", DecisionTreeClassifier(max_leaf_nodes=8)),
        ("support vectors", CalibratedClassifierCV(SVC(), ensemble=False)),  # soft voting needs probabilities
    ]
    hard = VotingClassifier(members, voting="hard").fit(X_train, y_train)
    soft = VotingClassifier(members, voting="soft").fit(X_train, y_train)
    models = {**hard.named_estimators_, "hard vote": hard, "soft vote": soft}
    accuracy = {name: float(model.score(X_test, y_test)) for name, model in models.items()}

    print(f"Two moons: {len(y_train)} rows to learn from, {len(y_test)} to judge by. Accuracy:\n")
    for name, score in accuracy.items():
        print(f"  {name:<16} {score:.3f}")
    print("\nThe soft vote listens to how sure each member is; the hard vote only counts.")
    return accuracy


if __name__ == "__main__":
    main()

"""Stacking on the two moons: a last model learns from what the others say of rows they have not seen.

    python examples/blending.py

Blending holds a part of the rows out for the last model; cross-validation uses every row for both.
"""

from __future__ import annotations

from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from spinney import DecisionTreeClassifier, StackingClassifier


def main() -> dict[str, float]:
    """Accuracy on held-out rows, by name."""
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

    print(f"Two moons: {len(y_train)} rows to learn from, {len(y_test)} to judge by. Accuracy:\n")
    for name, score in accuracy.items():
        print(f"  {name:<16} {score:.3f}")
    names = [name for name, _ in members]
    trust = ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, blend.final_estimator_.coef_[0]))
    print(f"\nWhom the blender trusts (coefficients): {trust}.")
    return accuracy


if __name__ == "__main__":
    main()

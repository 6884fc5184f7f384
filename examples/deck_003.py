"""A course module on trees and ensembles: the numbers on its slides, and Spinney's.

    python examples/deck_003.py

Leaves as probabilities, voting, out-of-bag scores, importances, AdaBoost, gradient boosting, blending. Where a slide's
model is random, the numbers differ by chance. docs/lectures.md goes through the slides one by one.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from spinney import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from spinney.criteria import amount_of_say, gini

Lines = list[tuple[str, str, str]]  # what, on the slide, Spinney


def main() -> Lines:
    """Print and return all lines."""
    lines = [*leaves(), *ensembles(), *importances(), *boosting()]
    for what, slide, ours in lines:
        print(f"{what:<58}{slide:>24}{ours:>24}")
    return lines


def leaves() -> Lines:
    """A leaf of (42, 7, 89) rows, and Gini's range."""
    y = np.repeat([1, 2, 3], [42, 7, 89])
    leaf = DecisionTreeClassifier().fit(np.zeros((138, 1)), y).predict_proba([[0]])[0]
    return [
        ("Probabilities of a leaf (42, 7, 89)", "0.304 0.051 0.645", " ".join(f"{p:.3f}" for p in leaf)),
        ("Largest Gini of 4 classes, 1 - 1/4", "0.75", f"{gini([1, 1, 1, 1])}"),
        ("Gini of one class", "0", f"{gini([9, 0]):g}"),
        ("Gini of (300, 15, 35)", "0.25", f"{gini([300, 15, 35]):.2f}"),
    ]


def ensembles() -> Lines:
    """Voting, bagging, AdaBoost and blending on two moons."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    members = [
        ("line", LogisticRegression()),
        ("forest", RandomForestClassifier(random_state=42)),
        ("support vectors", SVC(random_state=42)),
    ]
    vote = VotingClassifier(members, voting="hard").fit(X_train, y_train)
    bag = BaggingClassifier(n_estimators=100, oob_score=True, random_state=42).fit(X_train, y_train)
    ada = AdaBoostClassifier(n_estimators=200, learning_rate=0.5, algorithm="SAMME.R").fit(X_train, y_train)
    blend = StackingClassifier(members, cv="holdout", random_state=42).fit(X_train, y_train)
    slide = {"line": "0.864", "forest": "0.872", "support vectors": "0.888"}
    scores = [
        (f"Moons: {name}", slide[name], f"{vote.named_estimators_[name].score(X_test, y_test):.3f}")
        for name, _ in members
    ]
    return [
        *scores,
        ("Their majority vote", "0.896", f"{vote.score(X_test, y_test):.3f}"),
        ("Bagging: out-of-bag, test", "0.901, 0.912", f"{bag.oob_score_:.3f}, {bag.score(X_test, y_test):.3f}"),
        ("AdaBoost, 200 stumps, SAMME.R, rate 0.5", "-", f"{ada.score(X_test, y_test):.3f}"),
        ("Blending", "-", f"{blend.score(X_test, y_test):.3f}"),
    ]


def importances() -> Lines:
    """Impurity decreases in a forest of iris flowers."""
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(500, random_state=0).fit(X, y)
    ours = " ".join(f"{one:.2f}" for one in model.feature_importances_)
    return [("Importances of iris", "0.11 0.02 0.44 0.42", ours)]


def boosting() -> Lines:
    """Three trees in turn and three rounds, early stopping, and SAMME's weight."""
    random = np.random.RandomState(42)
    X = random.rand(100, 1) - 0.5
    y = 3 * X[:, 0] ** 2 + 0.05 * random.randn(100)
    residuals = y
    for _ in range(3):
        residuals = residuals - DecisionTreeRegressor(max_depth=2).fit(X, residuals).predict(X)
    three = GradientBoostingRegressor.textbook(max_depth=2, n_estimators=3, learning_rate=1.0).fit(X, y)
    apart = float(np.abs(y - residuals - three.predict(X)).max())
    X_train, X_val, y_train, y_val = train_test_split(X, y, random_state=49)
    many = GradientBoostingRegressor.textbook(max_depth=2, n_estimators=120, learning_rate=0.1).fit(X_train, y_train)
    errors = [float(np.mean((y_val - stage) ** 2)) for stage in many.staged_predict(X_val)]
    return [
        ("alpha = ln((1 - r) / r) for r = 0.3", "0.85", f"{amount_of_say(0.3, algorithm='SAMME'):.2f}"),
        ("Three trees in turn, three rounds: difference", "0", f"{apart:.0e}" if apart > 1e-12 else "0"),
        ("Early stopping: best number of trees, of 120", "-", str(int(np.argmin(errors)) + 1)),
    ]


if __name__ == "__main__":
    main()

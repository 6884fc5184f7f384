"""AdaBoost on the two moons: 200 stumps with a learning rate of 1/2, and the sums of its first rounds.

    python examples/adaboost.py

Each stump asks one question. Rows that it gets wrong weigh more for the next one, and in the end all vote.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

from spinney import AdaBoostClassifier, DecisionTreeClassifier

ROUNDS = (1, 2, 5, 10, 50, 200)


def main() -> dict[str, float]:
    """Accuracy on held-out rows, by algorithm."""
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    stump = DecisionTreeClassifier(max_depth=1)
    print(f"One stump alone: {stump.fit(X_train, y_train).score(X_test, y_test):.3f} of the held-out rows are right.\n")

    accuracy = {}
    print("rounds      " + "".join(f"{k:>8}" for k in ROUNDS))
    for algorithm in ("SAMME", "SAMME.R"):
        model = AdaBoostClassifier(stump, n_estimators=200, learning_rate=0.5, algorithm=algorithm)
        scores = list(model.fit(X_train, y_train).staged_score(X_test, y_test))
        print(f"{algorithm:<12}" + "".join(f"{scores[k - 1]:8.3f}" for k in ROUNDS))
        accuracy[algorithm] = scores[-1]

    print("\nThe first rounds of the two-class form: error, vote, and the weight of the wrong rows afterwards")
    model = AdaBoostClassifier(stump, algorithm="discrete", n_estimators=4, keep_weights=True).fit(X_train, y_train)
    rounds = zip(model.estimators_, model.estimator_errors_, model.estimator_weights_, model.sample_weight_history_[1:])
    for number, (member, error, vote, weights) in enumerate(rounds, start=1):
        wrong = weights[member.predict(X_train) != y_train].sum()
        print(f"  round {number}: error {error:.3f}, vote 1/2 ln((1 - error) / error) = {vote:.3f}, then {wrong:.2f}")
    accuracy["wrong weight"] = float(np.round(wrong, 6))
    return accuracy


if __name__ == "__main__":
    main()

"""AdaBoost on the two moons: 200 stumps with a learning rate of 1/2, and the first rounds in figures.

    python examples/adaboost.py             # figures go to a temporary folder
    python examples/adaboost.py figures     # figures go to this folder

Each stump has one split. Rows that it misclassifies get a larger weight for the next one. The prediction is a weighted
vote of all stumps.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.datasets import make_moons
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    plot_adaboost_rounds,
    plot_amount_of_say,
    plot_staged_errors,
)
from spinney.criteria import amount_of_say

ROUNDS = (1, 2, 5, 10, 50, 200)
ERRORS = {"0.30": 0.30, "3/14": 3 / 14, "3/22": 3 / 22, "1/8": 1 / 8}


def sums_by_hand() -> None:
    """Print estimator weights of some errors, and the weights of 80 + 20 rows after one round."""
    votes = ", ".join(f"{told} -> {amount_of_say(error):.2f}" for told, error in ERRORS.items())
    print(f"Estimator weights 1/2 ln((1 - error) / error): {votes}")
    y = np.repeat([1, 0], [80, 20])
    constant = AdaBoostClassifier(
        DummyClassifier(strategy="most_frequent"), algorithm="discrete", n_estimators=1, keep_weights=True
    ).fit(np.zeros((100, 1)), y)
    after = constant.sample_weight_history_[1]
    print(f"80 + 20 rows and a constant estimator: error {constant.estimator_errors_[0]:.1f}, then weights", end=" ")
    print(f"1/{1 / after[0]:.0f} and 1/{1 / after[-1]:.0f}: the total of each class is {after[:80].sum():.2f}\n")


def main(folder: str | None = None) -> dict[str, float]:
    """Return the accuracy on held-out rows, by algorithm."""
    sums_by_hand()
    X, y = make_moons(500, noise=0.3, random_state=42)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=42)
    stump = DecisionTreeClassifier(max_depth=1)
    print(f"One stump alone: accuracy {stump.fit(X_train, y_train).score(X_test, y_test):.3f} on held-out rows.\n")

    accuracy = {}
    print("rounds      " + "".join(f"{k:>8}" for k in ROUNDS))
    for algorithm in ("SAMME", "SAMME.R"):
        model = AdaBoostClassifier(stump, n_estimators=200, learning_rate=0.5, algorithm=algorithm)
        scores = list(model.fit(X_train, y_train).staged_score(X_test, y_test))
        print(f"{algorithm:<12}" + "".join(f"{scores[k - 1]:8.3f}" for k in ROUNDS))
        accuracy[algorithm] = scores[-1]

    print(
        "\nFirst rounds of discrete AdaBoost: error, estimator weight, and weight of the misclassified rows afterwards"
    )
    model = AdaBoostClassifier(stump, algorithm="discrete", n_estimators=4, keep_weights=True).fit(X_train, y_train)
    rounds = zip(model.estimators_, model.estimator_errors_, model.estimator_weights_, model.sample_weight_history_[1:])
    for number, (member, error, vote, weights) in enumerate(rounds, start=1):
        wrong = weights[member.predict(X_train) != y_train].sum()
        print(f"  round {number}: error {error:.3f}, estimator weight {vote:.3f}, then {wrong:.2f}")
    accuracy["wrong weight"] = float(np.round(wrong, 6))

    many = AdaBoostClassifier(stump, n_estimators=200, learning_rate=0.5, keep_weights=True).fit(X_train, y_train)
    say, left = plt.subplots(figsize=(8, 5), layout="constrained")
    plot_amount_of_say(model, ax=left)
    errors, right = plt.subplots(figsize=(8, 5), layout="constrained")
    plot_staged_errors(many, X_train, y_train, eval_set=(X_test, y_test), ax=right)
    rounds = plot_adaboost_rounds(many, X_train, y_train, rounds=(1, 2, 3, 10))[0, 0].figure
    keep({"rounds": rounds, "amount_of_say": say, "errors": errors}, folder)
    return accuracy


def keep(pictures: dict[str, plt.Figure], folder: str | None) -> None:
    """Save the figures, by default to a temporary folder."""
    where = Path(folder or tempfile.mkdtemp(prefix="spinney-adaboost-"))
    where.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        figure.savefig(where / f"{name}.png", dpi=110)
        plt.close(figure)
    counted = f"{len(pictures)} figures are" if len(pictures) > 1 else "1 figure is"
    print(f"\n{counted} in {where.resolve()}: {', '.join(pictures)}.")


if __name__ == "__main__":
    main(*sys.argv[1:])

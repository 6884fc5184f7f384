"""A lecture on ensembles: the numbers on its slides, and Spinney's.

    python examples/deck_002.py

Votes, disjoint parts against bagging, bootstraps, AdaBoost on 80 + 20 rows, bias and variance, random structures.
docs/lectures.md goes through the slides one by one.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
from sklearn.datasets import make_moons

from spinney import (
    BaggingClassifier,
    DecisionTreeClassifier,
    RandomStructureForestClassifier,
    aggregate_ranks,
    aggregate_votes,
)
from spinney.criteria import amount_of_say, reweight
from spinney.evaluate import bias_variance

Lines = list[tuple[str, str, str]]  # what, on the slide, Spinney


def main() -> Lines:
    """Print and return all lines."""
    lines = [*votes(), *bootstraps(), *adaboost(), *ensembles()]
    for what, slide, ours in lines:
        print(f"{what:<58}{slide:>24}{ours:>24}")
    return lines


def votes() -> Lines:
    """Majority, mean, median, and rankings."""
    numbers = [5.43, 5.44, 5.38]
    polls = aggregate_ranks([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"]])
    return [
        ("Majority of 1 1 0 1 0 1", "1", str(aggregate_votes([1, 1, 0, 1, 0, 1]))),
        ("Majority of A B A C C A", "A", aggregate_votes(list("ABACCA"))),
        ("Mean of 5.43, 5.44, 5.38", "5.42", f"{aggregate_votes(numbers, 'mean'):.2f}"),
        ("Median", "5.43", f"{aggregate_votes(numbers, 'median'):.2f}"),
        ("Three polls ABC, BAC, ACB aggregated", "-", " ".join(polls)),
    ]


def bootstraps() -> Lines:
    """Rows that a bootstrap leaves out."""
    X = np.zeros((1000, 1))
    bag = BaggingClassifier(n_estimators=50, random_state=0).fit(X + np.arange(1000)[:, None], np.arange(1000) % 2)
    inside = np.mean([len(np.unique(rows)) for rows in bag.estimators_samples_]) / 1000
    return [
        ("(1 - 1/n)^n for n = 1000", "0.367695", f"{(1 - 1 / 1000) ** 1000:.6f}"),
        ("Its limit 1/e", "0.3679", f"{exp(-1):.4f}"),
        ("Rows of a bootstrap, of 1000, mean of 50", "63%", f"{inside:.1%}"),
    ]


def adaboost() -> Lines:
    """A constant learner on 80 positive and 20 negative rows."""
    step = reweight([False] * 80 + [True] * 20)

    def told(number: float) -> str:
        return str(Fraction(float(number)).limit_denominator(1000))

    return [
        ("80 + 20 rows: error of the constant", "0.2", f"{step.error}"),
        ("alpha, 1/2 ln 4", f"{0.5 * np.log(4):.4f}", f"{amount_of_say(0.2):.4f}"),
        ("Weight of a right row", "1/200", told(step.unnormalised[0])),
        ("Weight of a wrong row", "1/50", told(step.unnormalised[-1])),
        ("Sum of weights Z", "4/5", told(step.z)),
        ("Right row, normalised", "1/160", told(step.weights[0])),
        ("Wrong row, normalised", "1/40", told(step.weights[-1])),
        ("Each class afterwards", "1/2", told(step.weights[80:].sum())),
        ("alpha of an error of 0.8: the vote is flipped", "negative", f"{amount_of_say(0.8):.2f}"),
    ]


def ensembles() -> Lines:
    """What bagging reduces, disjoint parts, and trees of random structure."""
    X, y = make_moons(1200, noise=0.3, random_state=0)
    data = X[:300], y[:300], X[300:], y[300:]
    found = []
    for name, model in {
        "One full tree": DecisionTreeClassifier(),
        "Bagging": BaggingClassifier(n_estimators=25),
    }.items():
        one = bias_variance(model, *data, n_bootstraps=20, random_state=0)
        found.append(
            (
                f"{name}: bias, variance",
                "variance falls" if name == "Bagging" else "-",
                f"{one.bias:.3f}, {one.variance:.3f}",
            )
        )
    parts = BaggingClassifier(n_estimators=100, bootstrap=False, partition=True, random_state=0)
    bag = BaggingClassifier(n_estimators=100, random_state=0)
    scores = [model.fit(*data[:2]).score(*data[2:]) for model in (parts, bag)]
    found.append(
        ("Accuracy of 100 disjoint parts, and of bagging", "parts are worse", f"{scores[0]:.3f}, {scores[1]:.3f}")
    )
    drawn = [
        RandomStructureForestClassifier(n, max_depth=6, random_state=0).fit(*data[:2]).score(*data[2:])
        for n in (1, 100)
    ]
    return [*found, ("Random structures: 1 tree, 100 trees", "grows", f"{drawn[0]:.3f}, {drawn[1]:.3f}")]


if __name__ == "__main__":
    main()

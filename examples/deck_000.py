"""A first lecture on trees, bagging and boosting: the numbers on its slides, and Spinney's.

    python examples/deck_000.py

The restaurant data, information gain, thresholds, when to stop, AdaBoost on ten points. docs/lectures.md goes through
the slides one by one.
"""

from __future__ import annotations

import numpy as np

from spinney import AdaBoostClassifier, DecisionTreeClassifier, ID3Classifier, candidate_splits, export_text, prune
from spinney.criteria import amount_of_say, count_trees, entropy, information_gain
from spinney.datasets import load_restaurant, load_ten_points, restaurant_tree

Lines = list[tuple[str, str, str]]  # what, on the slide, Spinney


def main() -> Lines:
    """Print and return all lines."""
    lines = [*gains(), *thresholds(), *size(), *boosting()]
    for what, slide, ours in lines:
        print(f"{what:<58}{slide:>24}{ours:>24}")
    print("\nThe tree fitted on the twelve visits:\n")
    print(export_text(ID3Classifier().fit(*load_restaurant())))
    return lines


def gains() -> Lines:
    """Entropy and information gain of the twelve visits."""
    X, y = load_restaurant()
    table = candidate_splits(X, y).set_index("feature")["gain"]
    full = y[X["Patrons"] == "Full"]
    xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    return [
        ("Trees of 6 Boolean attributes, 2^(2^6)", "18446744073709551616", str(count_trees(6))),
        (
            "Exclusive or, rows learned",
            "4",
            str(int(4 * ID3Classifier().fit(xor, [0, 1, 1, 0]).score(xor, [0, 1, 1, 0]))),
        ),
        ("Entropy of 6 + 6, bits", "1", f"{entropy(labels=y):g}"),
        ("Entropy inside Full, 2 + 4", "0.918", f"{entropy(labels=full):.3f}"),
        ("Gain of Patrons", "0.541", f"{information_gain([[0, 2], [4, 0], [2, 4]]):.3f}"),
        ("Gain of Type", "0", f"{table['Type']:g}"),
        ("Column with the largest gain", "Patrons", str(table.idxmax())),
    ]


def thresholds() -> Lines:
    """Every threshold of the waiting minutes."""
    X, y = load_restaurant(minutes=True)
    found = candidate_splits(X[["WaitMinutes"]], y)
    best = found.loc[found["gain"].idxmax()]
    return [
        ("Thresholds of the minutes", "4.5 6.5 7.5 10", " ".join(f"{t:g}" for t in found["threshold"][:4])),
        ("", "16 30 55 75", " ".join(f"{t:g}" for t in found["threshold"][4:])),
        ("Gain of the column, at its best threshold", "max(IGs)", f"{best['gain']:.3f} at {best['threshold']:g}"),
    ]


def size() -> Lines:
    """The fitted tree, the true one, and alpha * nodes + the entropies of the leaves."""
    learnt = ID3Classifier().fit(*load_restaurant())
    options = {"cost": "nodes", "weighted": False}
    costs = [f"{prune.tree_cost(learnt, alpha, **options):.2f}" for alpha in (0.05, 0.1)]
    leaves = [str(prune.cost_complexity(learnt, alpha, **options).get_n_leaves()) for alpha in (0.05, 0.1)]
    return [
        (
            "Leaves of the fitted tree, and of the true one",
            "simpler",
            f"{learnt.get_n_leaves()} and {restaurant_tree().get_n_leaves()}",
        ),
        ("alpha * nodes + entropies of leaves, alpha 0.05 and 0.1", "-", " and ".join(costs)),
        ("Leaves of the tree with the smallest sum", "-", " and ".join(leaves)),
    ]


def boosting() -> Lines:
    """Three rounds of AdaBoost on ten points."""
    X, y = load_ten_points()
    stump = DecisionTreeClassifier(criterion="error", max_depth=1)
    model = AdaBoostClassifier(stump, algorithm="discrete", n_estimators=3).fit(X, y)
    slide = [("0.30", "0.42"), ("0.21", "0.65"), ("0.14", "0.92")]
    found = []
    for k, (error, say) in enumerate(slide):
        ours = float(model.estimator_errors_[k])
        found.append((f"Round {k + 1}: error", error, f"{ours:.2f}"))
        found.append((f"Round {k + 1}: 1/2 ln((1 - error) / error)", say, f"{amount_of_say(ours):.2f}"))
    return [*found, ("Right with three stumps, of 10", "10", str(int(np.sum(model.predict(X) == y))))]


if __name__ == "__main__":
    main()

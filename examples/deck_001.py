"""A lecture on decision trees: the numbers on its slides, and Spinney's.

    python examples/deck_001.py

The tennis data, impurity measures, Huffman's code, overfitting, cross-validation and pruning. docs/lectures.md goes
through the slides one by one.
"""

from __future__ import annotations

from math import isqrt, log2

import numpy as np
from sklearn.datasets import make_moons
from sklearn.model_selection import LeaveOneOut, train_test_split

from spinney import DecisionTreeClassifier, ID3Classifier, OptimalTreeClassifier, export_text, prune
from spinney.criteria import entropy, error_rate, gini, huffman_code, impurity_decrease
from spinney.datasets import load_tennis
from spinney.evaluate import cross_validate

Lines = list[tuple[str, str, str]]  # what, on the slide, Spinney


def main() -> Lines:
    """Print and return all lines."""
    lines = [*tennis(), *greedy_and_optimal(), *measures(), *overfitting(), *pruning()]
    for what, slide, ours in lines:
        print(f"{what:<58}{slide:>24}{ours:>24}")
    print("\nThe tree of the tennis data:\n")
    print(export_text(ID3Classifier().fit(*load_tennis())))
    return lines


def tennis() -> Lines:
    """Outlook at the root, then Humidity and Windy."""
    X, y = load_tennis()
    tree = ID3Classifier().fit(X, y).tree_
    asked = [str(X.columns[column]) for column in tree.feature[~tree.is_leaf]]
    return [("Splits of the tree, from the root", "Outlook ...", " ".join(asked))]


def greedy_and_optimal() -> Lines:
    """The optimal tree is called intractable: not for a few levels."""
    random = np.random.RandomState(0)
    X = random.randint(0, 2, (200, 3))
    y = X[:, 0] ^ X[:, 1]
    X[:, 2] = np.where(random.rand(200) < 0.7, y, 1 - y)  # a decoy
    greedy, best = DecisionTreeClassifier().fit(X, y), OptimalTreeClassifier(max_depth=2).fit(X, y)
    leaves = f"{greedy.get_n_leaves()}, {best.get_n_leaves()}"
    return [("Leaves of a greedy and an optimal tree: XOR and a decoy", "(greedy only)", leaves)]


def measures() -> Lines:
    """Impurities, gains and codes."""
    one, other = [[100, 300], [300, 100]], [[200, 400], [200, 0]]
    code = huffman_code([0.01, 0.02, 0.30, 0.67])
    return [
        ("A ball is red, of (4, 10, 6)", "0.2", f"{4 / 20:g}"),
        ("Error of 150 + 150", "0.5", f"{error_rate([150, 150]):g}"),
        ("Problem 1: error of 160 + 40, before and after a split", "40/200", f"{error_rate([160, 40])}"),
        ("Tree by error, with a minimum gain: leaves", "1", str(problem_1())),
        (
            "Problem 2: error decrease of two splits",
            "0.25 and 0.25",
            " and ".join(str(impurity_decrease(s, criterion="error")) for s in (one, other)),
        ),
        ("The same by Gini", "differ", " and ".join(f"{impurity_decrease(s):.3f}" for s in (one, other))),
        ("Entropy of four equal classes, and of one", "2.0 and 0.0", f"{entropy([1, 1, 1, 1])} and {entropy([7])}"),
        ("Huffman's code", "111 110 10 0", " ".join(code.codes)),
        ("Its mean length, bits", "1.36", f"{code.mean_length}"),
        ("Gini of (67, 65, 168)", "0.5896", f"{gini([67, 65, 168]):.4f}"),
        ("Gini left, x2 <= 3", "0.6548", f"{gini([61, 38, 54]):.4f}"),
        ("Gini right", "0.3632", f"{gini([6, 27, 114]):.4f}"),
        ("Gini decrease", "0.07768", f"{impurity_decrease([[61, 38, 54], [6, 27, 114]]):.5f}"),
        ("Random features of d = 16: log2(d), sqrt(d)", "4 and 4", f"{int(log2(16))} and {isqrt(16)}"),
    ]


def problem_1() -> int:
    """Leaves of a tree by error, where no single split reduces it, although two would be perfect."""
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [80, 40, 40, 40], axis=0)
    y = np.repeat([0, 0, 0, 1], [80, 40, 40, 40])
    return int(DecisionTreeClassifier(criterion="error", min_impurity_decrease=1e-9).fit(X, y).get_n_leaves())


def overfitting() -> Lines:
    """Accuracy on training and validation rows by depth, and the number of fits of cross-validation."""
    X, y = make_moons(600, noise=0.3, random_state=0)
    X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=0.5, random_state=0)
    found = []
    for depth in (1, 2, 3, 4, None):
        model = DecisionTreeClassifier(max_depth=depth).fit(X_train, y_train)
        ours = f"{model.score(X_train, y_train):.1%}, {model.score(X_new, y_new):.1%}"
        found.append(
            (
                f"Moons, depth {depth or 'unlimited'}: training, validation",
                "100%, lower" if depth is None else "-",
                ours,
            )
        )
    folds = cross_validate(DecisionTreeClassifier(max_depth=3), X_train, y_train, cv=10)
    found.append(("10-fold cross-validation, depth 3", "-", f"{np.mean(folds['test_score']):.3f}"))
    X, y = X_train[:60], y_train[:60]
    loo = cross_validate(DecisionTreeClassifier(max_depth=3), X, y, cv=LeaveOneOut())
    return [*found, ("Leave-one-out: fits of 60 rows", "N", str(len(loo["test_score"])))]


def pruning() -> Lines:
    """Reduced-error pruning: each cut reduces the validation error most."""
    X, y = make_moons(600, noise=0.3, random_state=0)
    X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=0.5, random_state=0)
    full = DecisionTreeClassifier(random_state=0).fit(X_train, y_train)
    pruned = prune.reduced_error(full, X_new, y_new)
    found = [("Full tree: leaves, validation error", "-", f"{full.get_n_leaves()}, {1 - full.score(X_new, y_new):.3f}")]
    for k, step in enumerate(pruned.pruning_steps_[:4], start=1):
        found.append(
            (f"Cut {k} at node {step.node}: leaves, validation error", "falls", f"{step.n_leaves}, {step.error:.3f}")
        )
    return [*found, ("Pruned tree", "-", f"{pruned.get_n_leaves()}, {1 - pruned.score(X_new, y_new):.3f}")]


if __name__ == "__main__":
    main()

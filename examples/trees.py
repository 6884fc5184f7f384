"""Figures and numbers of decision trees.

    python examples/trees.py             # figures go to a temporary folder
    python examples/trees.py figures     # figures go to this folder

Decision regions from depth 1 to the full tree, overfitting, instability, impurity curves, gains over thresholds, steps
of regression trees, the trees of iris and of the restaurant, each a PNG of the width of a slide; and numbers that can
be checked by hand.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import train_test_split

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    candidate_splits,
    plot_impurity_curves,
    plot_predictions,
    plot_regions,
    plot_split_gains,
    plot_tree,
)
from spinney.criteria import entropy, error_rate, gini, impurity_decrease, information_gain
from spinney.datasets import load_restaurant, load_tennis, restaurant_tree

DEPTHS = (1, 2, 3, 4, None)
DEEPEST = 14
ROWS, REPEATS = 1_000, 20  # of the curves over depth: training rows, and as many validation rows; repetitions
LOST = 3  # rows that are removed to show how the tree changes
STYLE = {"font.size": 14, "axes.titlesize": 15, "axes.spines.top": False, "axes.spines.right": False}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder for the figures (default: a temporary folder)")
    folder = parser.parse_args(arguments).folder or Path(tempfile.mkdtemp(prefix="spinney-trees-"))
    folder.mkdir(parents=True, exist_ok=True)
    numbers()
    with plt.rc_context(STYLE):
        for name, draw in PICTURES.items():
            save(draw(), folder / f"{name}.png")
    print(f"\n{len(PICTURES)} figures are in {folder.resolve()}: {', '.join(PICTURES)}.")


# --- numbers ---------------------------------------------------------------------------------------------------------


def numbers() -> None:
    """Print numbers that can be checked by hand."""
    X, y = load_restaurant()
    root = ID3Classifier().fit(X, y)
    gains = {name: information_gain(answers=X[name], labels=y) for name in ("Patrons", "Type")}
    print(f"Restaurant: entropy {entropy(labels=y):.3f} bit; the root splits on {X.columns[root.tree_.feature[0]]}.")
    print(
        f"  information gain: Patrons {gains['Patrons']:.3f}, Type {gains['Type']:.3f}; in Full {entropy([2, 4]):.3f}"
    )
    truth = restaurant_tree()
    print(f"  the true tree has {truth.get_n_leaves()} leaves, the fitted one {root.get_n_leaves()}")
    minutes, y = load_restaurant(minutes=True)
    cuts = candidate_splits(minutes[["WaitMinutes"]], y)
    told = ", ".join(f"{cut:g} {gain:.3f}" for cut, gain in zip(cuts["threshold"], cuts["gain"]))
    print(f"  thresholds of the waiting minutes and their gains: {told}")

    X, y = load_tennis()
    tennis = ID3Classifier().fit(X, y)
    asked = [str(X.columns[feature]) for feature in tennis.tree_.feature if feature >= 0]
    print(f"Tennis: {', '.join(asked)} are split on, Temperature is not.")

    leaf = tree_of_counts([42, 7, 89])
    print(f"A leaf of [42, 7, 89]: probabilities {leaf.predict_proba([[0]])[0].round(3).tolist()}")
    left, right = [61, 38, 54], [6, 27, 114]
    print(
        f"Gini of (67, 65, 168): {gini([67, 65, 168]):.4f}; of 153 and 147 of them {gini(left):.4f}, {gini(right):.4f}:"
    )
    print(f"  the split gains {impurity_decrease([left, right]):.4f}")
    splits = {"even": [[100, 300], [300, 100]], "pure": [[200, 400], [200, 0]]}
    for _name, split in splits.items():
        wrong = sum(sum(side) * error_rate(side) for side in split) / 800
        print(f"{split}: error rate {wrong:.2f}; gains {information_gain(split):.3f} bits")
    xor = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    right_rows = DecisionTreeClassifier().fit(xor, [0, 1, 1, 0]).score(xor, [0, 1, 1, 0])
    print(f"Exclusive or: accuracy {right_rows:.0%}.")


def tree_of_counts(counts: list[int]) -> DecisionTreeClassifier:
    """Return a single leaf with the given number of rows per class."""
    y = np.repeat(np.arange(len(counts)), counts)
    return DecisionTreeClassifier().fit(np.zeros((len(y), 1)), y)


# --- figures ---------------------------------------------------------------------------------------------------------


def regions_by_depth() -> plt.Figure:
    """Plot regions by depth: each level splits them further; the full tree encloses single points."""
    X, X_new, y, y_new = split(*moons(600, seed=20), seed=20)
    figure, axes = plt.subplots(1, len(DEPTHS), figsize=(16, 4.3), sharey=True, layout="constrained")
    for depth, ax in zip(DEPTHS, axes):
        model = DecisionTreeClassifier(max_depth=depth).fit(X, y)
        name = f"depth {depth}" if depth else "full tree"
        regions(model, X, y, ax, f"{name}: {model.get_n_leaves()} leaves")
        ax.set_xlabel(f"training {model.score(X, y):.0%}, new rows {model.score(X_new, y_new):.0%}")
    return figure


def overfitting() -> plt.Figure:
    """Plot the scores over depth: training scores rise with every level, validation scores only with the first few."""
    depths = range(1, DEEPEST + 1)
    scores = np.array([[scores_at(depth, seed) for depth in depths] for seed in range(REPEATS)]).mean(axis=0)
    figure, ax = plt.subplots(figsize=(9, 5.5), layout="constrained")
    ax.plot(depths, scores[:, 0], "o-", color="#4fa6df", linewidth=2.5, label="training rows")
    ax.plot(depths, scores[:, 1], "o-", color="#f0a030", linewidth=2.5, label="validation rows")
    best = int(scores[:, 1].argmax())
    ax.axvline(depths[best], color="#808080", linestyle=":", label=f"best validation score: depth {depths[best]}")
    ax.set(
        xlabel="max_depth",
        ylabel="accuracy",
        title=f"Noisy moons: {ROWS:,} training rows, mean of {REPEATS} repetitions",
    )
    ax.set_xticks(depths)
    ax.grid(alpha=0.3)
    ax.legend(loc="lower right")
    return figure


def rotation() -> plt.Figure:
    """Plot a slanted border, which needs many splits, since each split is on one column."""
    X, y = two_halves(200)
    turned = X @ rotation_by(45)
    figure, axes = plt.subplots(1, 2, figsize=(12, 5.6), layout="constrained")
    for data, ax, title in [(X, axes[0], "as measured"), (turned, axes[1], "rotated by 45 degrees")]:
        model = DecisionTreeClassifier().fit(data, y)
        regions(model, data, y, ax, f"{title}: {model.get_n_leaves()} leaves")
        ax.set_aspect("equal")
    return figure


def instability() -> plt.Figure:
    """Plot how a tree changes, from the root on, if a few rows are removed."""
    X, y = moons(150)
    order = np.random.default_rng(23).permutation(len(y))
    lost, kept = order[:LOST], order[LOST:]
    figure, axes = plt.subplots(1, 2, figsize=(12, 5.2), sharex=True, sharey=True, layout="constrained")
    for rows, ax, title in [(order, axes[0], f"all {len(y)} rows"), (kept, axes[1], f"without {LOST} of them")]:
        model = DecisionTreeClassifier(max_depth=4).fit(X[rows], y[rows])
        regions(model, X[rows], y[rows], ax, title)
    axes[0].scatter(*X[lost].T, s=320, facecolors="none", edgecolors="black", linewidths=2)
    return figure


def impurity_curves() -> plt.Figure:
    """Plot three impurity measures of two classes."""
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    plot_impurity_curves(ax)
    return figure


def iris() -> plt.Figure:
    """Plot a tree of iris, with samples, value and impurity in every node."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names
    model = DecisionTreeClassifier(max_depth=3).fit(X, names[y])
    figure = plt.figure(figsize=(13.3, 7.5))
    plot_tree(model, ax=figure.add_axes((0, 0, 1, 1)))
    return figure


def gain_over_threshold() -> plt.Figure:
    """Plot the gain of every threshold of the waiting minutes, and of a column with more values."""
    figure, axes = plt.subplots(1, 2, figsize=(13, 4.8), layout="constrained")
    plot_split_gains(*load_restaurant(minutes=True), feature="WaitMinutes", ax=axes[0])
    X, y = load_iris(return_X_y=True, as_frame=True)
    plot_split_gains(X, y, feature="petal length (cm)", criterion="gini", ax=axes[1])
    return figure


def regression_steps() -> plt.Figure:
    """Plot regression trees of one column, which are step functions, with more steps at larger depths."""
    random = np.random.RandomState(42)
    X = random.rand(200, 1)
    y = 4 * (X[:, 0] - 0.5) ** 2 + 0.1 * random.randn(200)
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), sharey=True, layout="constrained")
    for ax, depth in zip(axes, (2, 3, None)):
        model = DecisionTreeRegressor(max_depth=depth).fit(X, y)
        name = f"max_depth={depth}" if depth else "no limit"
        plot_predictions(model, X, y, ax=ax).set(title=f"{name}: {model.get_n_leaves()} leaves", xlabel="x")
    axes[0].set_ylabel("y")
    return figure


def true_and_learnt() -> plt.Figure:
    """Plot the true tree of the restaurant, and the tree fitted on twelve rows."""
    figure, axes = plt.subplots(1, 2, figsize=(20, 7.5), width_ratios=[3, 2], layout="constrained")
    plot_tree(restaurant_tree(), ax=axes[0], impurity=False)
    plot_tree(ID3Classifier().fit(*load_restaurant()), ax=axes[1], impurity=False)
    return figure


PICTURES: dict[str, Callable[[], plt.Figure]] = {
    "regions_by_depth": regions_by_depth,
    "overfitting": overfitting,
    "rotation": rotation,
    "instability": instability,
    "impurity_curves": impurity_curves,
    "iris": iris,
    "gain_over_threshold": gain_over_threshold,
    "regression_steps": regression_steps,
    "true_and_learnt": true_and_learnt,
}


# --- helpers ---------------------------------------------------------------------------------------------------------


def moons(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return make_moons(n_rows, noise=0.3, random_state=seed)


def split(X: np.ndarray, y: np.ndarray, seed: int = 0) -> list[np.ndarray]:
    """Split into halves: X, X_new, y, y_new."""
    return train_test_split(X, y, test_size=0.5, random_state=seed)


def scores_at(depth: int, seed: int) -> tuple[float, float]:
    """Return the accuracy on the training and on the validation rows."""
    X, X_new, y, y_new = split(*moons(2 * ROWS, seed), seed)
    model = DecisionTreeClassifier(max_depth=depth).fit(X, y)
    return model.score(X, y), model.score(X_new, y_new)


def two_halves(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a square with one class in the left half and the other in the right half."""
    X = np.random.default_rng(6).random((n_rows, 2)) - 0.5
    return X, (X[:, 0] > 0).astype(int)


def rotation_by(degrees: float) -> np.ndarray:
    angle = np.radians(degrees)
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def regions(model: DecisionTreeClassifier, X: np.ndarray, y: np.ndarray, ax: plt.Axes, title: str) -> None:
    """Plot regions without legend and ticks."""
    plot_regions(model, X, y, ax=ax).set_title(title)
    ax.get_legend().remove()
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")


def save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()

"""The lectures' pictures and numbers of decision trees.

    python examples/trees.py             # into a temporary folder
    python examples/trees.py pictures    # into this one

Decision regions from depth 1 to the full tree, overfitting, instability, impurity curves and the tree of iris, each a
PNG of a slide's width; and the small sums that the lectures do by hand.
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

from spinney import DecisionTreeClassifier, ID3Classifier, plot_impurity_curves, plot_regions, plot_tree
from spinney.datasets import load_restaurant, load_tennis

DEPTHS = (1, 2, 3, 4, None)
DEEPEST = 14
ROWS, REPEATS = 1_000, 20  # of the curves over depth: training rows, and as many to validate; tables
LOST = 3  # rows that are left out to see how the tree changes
STYLE = {"font.size": 14, "axes.titlesize": 15, "axes.spines.top": False, "axes.spines.right": False}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go (default: a temporary folder)")
    folder = parser.parse_args(arguments).folder or Path(tempfile.mkdtemp(prefix="spinney-trees-"))
    folder.mkdir(parents=True, exist_ok=True)
    numbers()
    with plt.rc_context(STYLE):
        for name, draw in PICTURES.items():
            save(draw(), folder / f"{name}.png")
    print(f"\n{len(PICTURES)} pictures are in {folder.resolve()}: {', '.join(PICTURES)}.")


# --- numbers ---------------------------------------------------------------------------------------------------------


def numbers() -> None:
    """What the lectures work out by hand."""
    X, y = load_restaurant()
    root = ID3Classifier(max_depth=1).fit(X, y)
    gains = {name: gain(ID3Classifier(max_depth=1).fit(X[[name]], y)) for name in ("Patrons", "Type")}
    print(f"Restaurant: entropy {root.tree_.impurity[0]:.3f} bit; the root asks {X.columns[root.tree_.feature[0]]}.")
    print(f"  information gain: Patrons {gains['Patrons']:.3f}, Type {gains['Type']:.3f}")

    X, y = load_tennis()
    tennis = ID3Classifier().fit(X, y)
    asked = [str(X.columns[feature]) for feature in tennis.tree_.feature if feature >= 0]
    print(f"Tennis: {', '.join(asked)} are asked about, and Temperature never.")

    leaf = tree_of_counts([42, 7, 89])
    print(f"A leaf of [42, 7, 89]: probabilities {leaf.predict_proba([[0]])[0].round(3).tolist()}")
    print(f"Gini of (67, 65, 168): {tree_of_counts([67, 65, 168]).tree_.impurity[0]:.4f}")


def gain(model: ID3Classifier) -> float:
    """The impurity that a tree takes off."""
    tree = model.tree_
    return float(tree.impurity[0] - tree.weight[tree.is_leaf] @ tree.impurity[tree.is_leaf] / tree.weight[0])


def tree_of_counts(counts: list[int]) -> DecisionTreeClassifier:
    """A single leaf with so many rows of each class."""
    y = np.repeat(np.arange(len(counts)), counts)
    return DecisionTreeClassifier().fit(np.zeros((len(y), 1)), y)


# --- pictures --------------------------------------------------------------------------------------------------------


def regions_by_depth() -> plt.Figure:
    """Each level of questions cuts the regions further; the full tree goes round single points."""
    X, X_new, y, y_new = split(*moons(600, seed=20), seed=20)
    figure, axes = plt.subplots(1, len(DEPTHS), figsize=(16, 4.3), sharey=True, layout="constrained")
    for depth, ax in zip(DEPTHS, axes):
        model = DecisionTreeClassifier(max_depth=depth).fit(X, y)
        name = f"depth {depth}" if depth else "full tree"
        regions(model, X, y, ax, f"{name}: {model.get_n_leaves()} leaves")
        ax.set_xlabel(f"training {model.score(X, y):.0%}, new rows {model.score(X_new, y_new):.0%}")
    return figure


def overfitting() -> plt.Figure:
    """With every level the training rows are answered better; new rows only for the first few."""
    depths = range(1, DEEPEST + 1)
    scores = np.array([[scores_at(depth, seed) for depth in depths] for seed in range(REPEATS)]).mean(axis=0)
    figure, ax = plt.subplots(figsize=(9, 5.5), layout="constrained")
    ax.plot(depths, scores[:, 0], "o-", color="#4fa6df", linewidth=2.5, label="training rows")
    ax.plot(depths, scores[:, 1], "o-", color="#f0a030", linewidth=2.5, label="validation rows")
    best = int(scores[:, 1].argmax())
    ax.axvline(depths[best], color="#808080", linestyle=":", label=f"best for new rows: depth {depths[best]}")
    ax.set(
        xlabel="max_depth", ylabel="accuracy", title=f"Noisy moons: {ROWS:,} training rows, mean of {REPEATS} tables"
    )
    ax.set_xticks(depths)
    ax.grid(alpha=0.3)
    ax.legend(loc="lower right")
    return figure


def rotation() -> plt.Figure:
    """Questions are about one column: a slanted border needs many of them."""
    X, y = two_halves(200)
    turned = X @ rotation_by(45)
    figure, axes = plt.subplots(1, 2, figsize=(12, 5.6), layout="constrained")
    for data, ax, title in [(X, axes[0], "as measured"), (turned, axes[1], "turned by 45 degrees")]:
        model = DecisionTreeClassifier().fit(data, y)
        regions(model, data, y, ax, f"{title}: {model.get_n_leaves()} leaves")
        ax.set_aspect("equal")
    return figure


def instability() -> plt.Figure:
    """A few rows less, another tree, from the root on."""
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
    """Three ways to say how mixed two classes are."""
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    plot_impurity_curves(ax)
    return figure


def iris() -> plt.Figure:
    """The lectures' tree of iris: samples, value and impurity in every node."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names
    model = DecisionTreeClassifier(max_depth=3).fit(X, names[y])
    figure = plt.figure(figsize=(13.3, 7.5))
    plot_tree(model, ax=figure.add_axes((0, 0, 1, 1)))
    return figure


PICTURES: dict[str, Callable[[], plt.Figure]] = {
    "regions_by_depth": regions_by_depth,
    "overfitting": overfitting,
    "rotation": rotation,
    "instability": instability,
    "impurity_curves": impurity_curves,
    "iris": iris,
}


# --- what they need --------------------------------------------------------------------------------------------------


def moons(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return make_moons(n_rows, noise=0.3, random_state=seed)


def split(X: np.ndarray, y: np.ndarray, seed: int = 0) -> list[np.ndarray]:
    """Half to learn from, half to judge by: X, X_new, y, y_new."""
    return train_test_split(X, y, test_size=0.5, random_state=seed)


def scores_at(depth: int, seed: int) -> tuple[float, float]:
    """Accuracy on the training and on the validation rows."""
    X, X_new, y, y_new = split(*moons(2 * ROWS, seed), seed)
    model = DecisionTreeClassifier(max_depth=depth).fit(X, y)
    return model.score(X, y), model.score(X_new, y_new)


def two_halves(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A square whose left half is one class and whose right half the other."""
    X = np.random.default_rng(6).random((n_rows, 2)) - 0.5
    return X, (X[:, 0] > 0).astype(int)


def rotation_by(degrees: float) -> np.ndarray:
    angle = np.radians(degrees)
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def regions(model: DecisionTreeClassifier, X: np.ndarray, y: np.ndarray, ax: plt.Axes, title: str) -> None:
    """A panel without legend and ticks: the colours say enough."""
    plot_regions(model, X, y, ax=ax).set_title(title)
    ax.get_legend().remove()
    ax.set(xticks=[], yticks=[], xlabel="", ylabel="")


def save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()

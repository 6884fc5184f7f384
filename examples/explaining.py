"""Figures of partial dependence, accumulated local effects and importances.

    python examples/explaining.py             # figures go to a temporary folder
    python examples/explaining.py figures     # figures go to this folder

Partial dependence with individual curves and of a pair; accumulated local effects of correlated columns; misleading
importances compared with reliable ones.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestRegressor, plot_importances
from spinney.datasets import load_penguins
from spinney.explain import ALEDisplay, PartialDependenceDisplay, importances


def dependence(folder: Path) -> None:
    """Plot the partial dependence of the class Gentoo: means, individual rows, a pair of columns."""
    X, y = load_penguins()
    model = GradientBoostingClassifier(n_estimators=60, random_state=0).fit(X, y)
    shown = PartialDependenceDisplay.from_estimator(
        model, X, ["flipper_length_mm", "bill_depth_mm", "island"], missing=True
    )
    shown.figure_.savefig(folder / "dependence.png", dpi=80)
    pair = ("flipper_length_mm", "bill_depth_mm")
    shown = PartialDependenceDisplay.from_estimator(model, X, [pair, "bill_depth_mm"], kind="both", target="Gentoo")
    shown.figure_.savefig(folder / "individual.png", dpi=80)


def local_effects(folder: Path) -> None:
    """Plot effects of correlated columns, where partial dependence evaluates the model outside the training data."""
    rng = np.random.RandomState(0)
    first = rng.rand(2000)
    X = np.column_stack([first, first + 0.05 * rng.randn(2000)])
    model = GradientBoostingRegressor(n_estimators=200, random_state=0).fit(
        X, X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.randn(2000)
    )
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    PartialDependenceDisplay.from_estimator(model, X, 0, centered=True, ax=axes[0])
    ALEDisplay.from_estimator(model, X, 0, ax=axes[1])
    figure.savefig(folder / "local_effects.png", dpi=80)


def misleading(folder: Path) -> None:
    """Plot importances of one informative column and of noise columns with different numbers of values."""
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randint(0, 2, 1000), rng.randint(0, 3, 1000), rng.rand(1000), rng.permutation(1000)])
    y = X[:, 0] + 0.7 * rng.randn(1000)
    model = RandomForestRegressor(100, random_state=0).fit(X[:500], y[:500])
    figure, axes = plt.subplots(1, 3, figsize=(12, 2.6), layout="constrained")
    for kind, ax in zip(("gain", "held_out", "permutation"), axes):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = importances(model, X[500:], y[500:], kind)
        found["names"] = ["signal", "noise: 3 values", "noise: numbers", "noise: row number"]
        plot_importances(found, ax=ax)
        ax.set_title(kind)
    figure.savefig(folder / "importances.png", dpi=80)


def main() -> None:
    """Plot all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", help="folder for the figures (default: a temporary folder)")
    given = parser.parse_args().folder
    folder = Path(given) if given else Path(tempfile.mkdtemp(prefix="spinney-"))
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (dependence, local_effects, misleading):
        draw(folder)
        plt.close("all")
    print(f"The figures are in {folder}.")


if __name__ == "__main__":
    main()

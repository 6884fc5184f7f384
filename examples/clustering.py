"""Figures and numbers of clustering.

    python examples/clustering.py             # figures go to a temporary folder
    python examples/clustering.py figures     # figures go to this folder

k-means step by step, the elbow curve, and EM for a Gaussian mixture in one and two dimensions, each a PNG of the width
of a slide; a soft assignment by hand; and a comparison with mini-batch and bisecting k-means and a Bayesian mixture.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

mpl.use("Agg")

import matplotlib.pyplot as plt

from spinney import (
    BayesianGaussianMixture,
    BisectingKMeans,
    GaussianMixture,
    KMeans,
    MiniBatchKMeans,
    elbow,
    plot_elbow,
    plot_em_steps,
    plot_kmeans_steps,
)

# means -2 and 3, both standard deviations 2, equal weights
GIVEN = {"means_init": [[-2.0], [3.0]], "weights_init": [0.5, 0.5], "precisions_init": [0.25, 0.25]}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="folder for the figures (default: a temporary folder)")
    folder = parser.parse_args(arguments).folder or Path(tempfile.mkdtemp(prefix="spinney-clustering-"))
    folder.mkdir(parents=True, exist_ok=True)
    numbers()
    table()
    for name, draw in PICTURES.items():
        figure = draw()
        figure.savefig(folder / f"{name}.png", dpi=120)
        plt.close(figure)
    print(f"\n{len(PICTURES)} figures are in {folder.resolve()}: {', '.join(PICTURES)}.")


def numbers() -> None:
    """Print numbers that can be checked by hand."""
    model = GaussianMixture(2, covariance_type="spherical", max_iter=0, **GIVEN).fit(on_a_line())
    shares = model.predict_proba([[0.0]])[0]
    densities = model.component_densities([[0.0]])[0]
    print("Means -2 and 3, both standard deviations 2, equal weights; at x = 0:")
    print(
        f"  densities {densities[0]:.2f} and {densities[1]:.2f}, responsibilities {shares[0]:.2f} and {shares[1]:.2f}"
    )
    means = fitted_on_a_line(on_a_line()).means_[:, 0]
    print(f"EM on 20,000 rows with means -4 and 4, from this start: means {means[0]:.2f} and {means[1]:.2f}")
    X, _ = clouds()
    print(f"Four clouds: the elbow suggests {elbow(X, range(1, 9), random_state=0).suggested_k} clusters.")


def table() -> None:
    """Compare five models of the same data: inertia, number of clusters, and agreement with the true clusters."""
    X, y = clouds()
    models = [
        KMeans(4, random_state=0),
        MiniBatchKMeans(4, batch_size=100, random_state=0),
        BisectingKMeans(4, n_init=5, random_state=0),
        GaussianMixture(4, random_state=0),
        BayesianGaussianMixture(n_components=10, max_iter=500, random_state=0),
    ]
    print(f"\n{'':24} {'inertia':>7} {'clusters':>9} {'agreement':>10}")
    for model in models:
        labels = model.fit_predict(X)
        middles = {k: X[labels == k].mean(axis=0) for k in np.unique(labels)}
        total = sum(float(((X[labels == k] - middle) ** 2).sum()) for k, middle in middles.items())
        agreement = adjusted_rand_score(y, labels)
        print(f"{type(model).__name__:24} {total:7.0f} {len(middles):9} {agreement:10.2f}")


def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Return four clouds of points."""
    X, y = make_blobs(300, centers=[[0, 0], [5, 0], [0, 5], [5, 5]], random_state=0)
    return X, y


def on_a_line() -> np.ndarray:
    """Return 20,000 rows of one column, from two Gaussians with means -4 and 4 and a standard deviation of 2."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(-4, 2, 10_000), rng.normal(4, 2, 10_000)])[:, None]


def kmeans_steps() -> plt.Figure:
    """Plot k-means from random rows to convergence."""
    X, _ = clouds()
    model = KMeans(4, init="random", n_init=1, keep_history=True, random_state=3).fit(X)
    return plot_kmeans_steps(model, X)[0].figure


def elbow_curve() -> plt.Figure:
    """Plot the elbow curve."""
    X, _ = clouds()
    figure, ax = plt.subplots(figsize=(9, 5))
    plot_elbow(elbow(X, range(1, 10), random_state=0, silhouette=True), ax=ax)
    return figure


def em_on_a_line() -> plt.Figure:
    """Plot EM on 20,000 rows, starting from means -2 and 3 and standard deviations of 2."""
    X = on_a_line()
    return plot_em_steps(fitted_on_a_line(X), X)[0].figure


def fitted_on_a_line(X: np.ndarray) -> GaussianMixture:
    model = GaussianMixture(2, covariance_type="spherical", keep_history=True, tol=1e-6, max_iter=300, **GIVEN)
    return model.fit(X)


def em_in_the_plane() -> plt.Figure:
    """Plot EM with full covariances, starting from random responsibilities."""
    rng = np.random.default_rng(0)
    parts = (([0, 0], [[2, 1.5], [1.5, 2]]), ([3, -2], [[1, -0.6], [-0.6, 1]]), ([-3, 3], [[0.5, 0], [0, 2]]))
    X = np.concatenate([rng.multivariate_normal(mean, spread, 120) for mean, spread in parts])
    model = GaussianMixture(3, init_params="random", tol=1e-5, max_iter=300, keep_history=True, random_state=1)
    return plot_em_steps(model.fit(X), X)[0].figure


def splits() -> plt.Figure:
    """Plot the splits of bisecting k-means."""
    X, _ = clouds()
    model = BisectingKMeans(4, n_init=5, random_state=0).fit(X)
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
    where = np.zeros(len(X), int)
    for number, (node, pair) in enumerate(zip(model.split_nodes_, model.children_)):
        gap = ((X[:, None] - model.node_centers_[pair]) ** 2).sum(axis=2)
        where = np.where(where == node, pair[gap.argmin(axis=1)], where)
        axes[number].scatter(*X.T, c=where, cmap="tab10", vmin=0, vmax=9, s=12)
        axes[number].plot(*model.node_centers_[pair].T, "k-", marker="x")
        axes[number].set(title=f"split {number + 1}", xlabel="x1")
    axes[0].set_ylabel("x2")
    return figure


def components_in_use() -> plt.Figure:
    """Plot the weights of ten components for four clouds: EM uses all of them, a Bayesian mixture four."""
    X, _ = clouds()
    figure, ax = plt.subplots(figsize=(9, 5))
    plain = GaussianMixture(10, random_state=0).fit(X)
    bayesian = BayesianGaussianMixture(n_components=10, max_iter=500, random_state=0).fit(X)
    for shift, (name, model) in enumerate({"GaussianMixture": plain, "BayesianGaussianMixture": bayesian}.items()):
        ax.bar(np.arange(10) + 0.4 * shift, np.sort(model.weights_)[::-1], width=0.4, label=name)
    ax.set(xlabel="component, by weight", ylabel="weight")
    ax.legend()
    return figure


PICTURES: dict[str, Callable[[], plt.Figure]] = {
    "kmeans_steps": kmeans_steps,
    "elbow_curve": elbow_curve,
    "em_on_a_line": em_on_a_line,
    "em_in_the_plane": em_in_the_plane,
    "splits": splits,
    "components_in_use": components_in_use,
}

if __name__ == "__main__":
    main()

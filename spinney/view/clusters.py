"""Plots of clustering: iterations of k-means and of EM, and the elbow curve.

In: a `KMeans` or `GaussianMixture` fitted with `keep_history=True` and its rows; an `ElbowCurve`. Out: pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney._docstrings import completed
from spinney.view.figures import (
    axes_for,
    chosen_columns,
    chosen_steps,
    class_colours,
    drawing,
    history_of,
    import_pyplot,
    label_axes,
    mix,
    panels,
    read_values,
)

_SMALL_TABLE, _SMALL_POINT, _POINT = 500, 5.0, 14.0
_REGION = 0.35  # strength of the regions' colours
_RESOLUTION = 200
_MARGIN = 0.05


def plot_kmeans_steps(
    model: Any, X: Any, steps: Sequence[int] | None = None, *, features: Sequence[int | str] = (0, 1)
) -> Any:
    """Plot iterations of k-means, one panel each: the rows coloured by cluster, and how the centroids moved.

    Parameters
    ----------
    model : KMeans
        Fitted with `keep_history=True`.
    X : array-like or DataFrame
        The training data of the model.
    steps : sequence of int, default=None
        Iterations to draw; 0 is the initialisation. None: up to six, with growing distances, including the last.
    features : two column numbers or names, default=(0, 1)
        Columns of the horizontal and the vertical axis. If X has no other columns, the region of each centroid is
        coloured too.

    Returns
    -------
    list of matplotlib axes
        One per iteration.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import KMeans, plot_kmeans_steps
    >>> X, _ = make_blobs(200, centers=3, random_state=0)
    >>> model = KMeans(3, init="random", n_init=1, keep_history=True, random_state=1).fit(X)
    >>> len(plot_kmeans_steps(model, X, steps=(0, 1, 2)))
    3
    """
    history = history_of(model, "KMeans")
    drawn = chosen_steps(steps, len(history) - 1)
    columns, names = chosen_columns(model, features)
    values = read_values(model, X)
    plt = import_pyplot("plot_kmeans_steps")
    figure, axes = panels(plt, len(drawn))
    colours = class_colours(len(history[0].centers))
    for ax, number in zip(axes, drawn):
        if values.shape[1] == 2:
            _paint(ax, values[:, columns], history[number].centers[:, columns], colours, model.metric)
        labels = nearest_centres(values, history[number].centers, model.metric)
        _scatter(ax, values[:, columns], labels, colours)
        trail = np.array([step.centers[:, columns] for step in history[: number + 1]])
        _centres(ax, trail, colours)
        name = "start" if number == 0 else f"iteration {number}"
        ax.set_title(f"{name}: SSE {history[number].inertia:.4g}", fontsize="medium")
    label_axes(axes, names)
    figure.tight_layout()
    return axes


@drawing
def plot_elbow(curve: Any, ax: Any = None) -> Any:
    """Plot the inertia by number of clusters, with the suggested number and, if it is known, the silhouette score.

    The thin line joins the ends of the curve. The suggested number is where the curve is farthest below it.

    Parameters
    ----------
    curve : ElbowCurve
        The result of `elbow`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import elbow, plot_elbow
    >>> X, _ = make_blobs(200, centers=3, random_state=0)
    >>> ax = plot_elbow(elbow(X, range(1, 7), random_state=0))
    """
    if not hasattr(curve, "suggested_k"):
        raise TypeError(f"curve must be what elbow returns, got {type(curve).__name__}.")
    ax = axes_for("plot_elbow", ax)
    blue, orange = class_colours(2)
    ks, sums = curve.ks, curve.inertia
    ax.plot(ks[[0, -1]], sums[[0, -1]], color="#909090", linewidth=0.8, linestyle="--", zorder=1)
    lines = ax.plot(ks, sums, "o-", color=blue, linewidth=2, label="SSE")
    best = int(np.flatnonzero(ks == curve.suggested_k)[0])
    ax.axvline(curve.suggested_k, color="#404040", linewidth=0.8, linestyle=":", zorder=1)
    ax.plot(ks[best], sums[best], "o", color="#404040", markersize=11, fillstyle="none", markeredgewidth=1.5)
    ax.set(xlabel="clusters", ylabel="sum of squared distances (SSE)", title=f"suggested: {curve.suggested_k}")
    ax.set_ylim(bottom=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if curve.silhouette is not None:
        other = ax.twinx()
        lines += other.plot(ks, curve.silhouette, "s-", color=orange, linewidth=1.5, markersize=5, label="silhouette")
        other.set_ylabel("silhouette")
        ax.legend(lines, [line.get_label() for line in lines], loc="upper right")
    ax.grid(alpha=0.3)
    return ax


def nearest_centres(values: np.ndarray, centers: np.ndarray, metric: str) -> np.ndarray:
    """Return the number of each row's nearest centroid."""
    if metric == "cosine":  # centres have length 1
        return np.asarray((values @ centers.T).argmax(axis=1))
    scores = np.sum(centers * centers, axis=1) / 2 - values @ centers.T
    return np.asarray(scores.argmin(axis=1))


def _paint(ax: Any, values: np.ndarray, centers: np.ndarray, colours: list[str], metric: str) -> None:
    from matplotlib.colors import ListedColormap

    low, high = values.min(axis=0), values.max(axis=0)
    margin = np.where(high > low, (high - low) * _MARGIN, 0.5)
    low, high = low - margin, high + margin
    across, up = np.meshgrid(*(np.linspace(low[j], high[j], _RESOLUTION) for j in range(2)))
    labels = nearest_centres(np.column_stack([across.ravel(), up.ravel()]), centers, metric).reshape(across.shape)
    pale = ListedColormap([mix(colour, _REGION) for colour in colours])
    extent = (low[0], high[0], low[1], high[1])
    scale = {"cmap": pale, "vmin": -0.5, "vmax": len(colours) - 0.5}
    ax.imshow(labels, origin="lower", extent=extent, aspect="auto", interpolation="nearest", **scale)


def _scatter(ax: Any, points: np.ndarray, labels: np.ndarray, colours: list[str]) -> None:
    size = _POINT if len(points) <= _SMALL_TABLE else _SMALL_POINT
    ax.scatter(*points.T, s=size, c=[colours[label] for label in labels], edgecolors="#505050", linewidths=0.2)


def _centres(ax: Any, trail: np.ndarray, colours: list[str]) -> None:
    """Every centre where it is, and a line along its way."""
    for k, colour in enumerate(colours):
        ax.plot(*trail[:, k].T, color="black", linewidth=1.0, zorder=3)
        ax.plot(*trail[-1, k], "X", color=colour, markersize=10, markeredgecolor="black", zorder=4)


# --- EM ---------------------------------------------------------------------------------------------------------------


_SIGMAS = (1.0, 2.0)  # of the ellipses
_STEPS = 400  # of a curve
_MIXTURES_MARGIN = 0.1
_MOST_POINTS = 5000  # drawn of a large table


@completed(plot_kmeans_steps)
def plot_em_steps(
    model: Any, X: Any, steps: Sequence[int] | None = None, *, features: Sequence[int | str] = (0, 1)
) -> Any:
    """Plot iterations of EM, one panel each: ellipses at one and two standard deviations, and the rows.

    The colour of a row is a mixture of the components' colours by their responsibilities. A mixture on one column is
    drawn as curves, the weight of each component times its density, over the rows.

    Parameters
    ----------
    model : GaussianMixture
        Fitted with `keep_history=True`.
    X : array-like or DataFrame
        The training data of the model. Rows with a missing value in one of the features are not drawn.
    features : two column numbers or names, default=(0, 1)
        Columns of the horizontal and the vertical axis.

    Returns
    -------
    list of matplotlib axes
        One per iteration.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import GaussianMixture, plot_em_steps
    >>> X, _ = make_blobs(200, centers=3, random_state=0)
    >>> model = GaussianMixture(3, init_params="random", keep_history=True, random_state=1).fit(X)
    >>> len(plot_em_steps(model, X, steps=(0, 1, 2)))
    3
    """
    history = history_of(model, "GaussianMixture")
    drawn = chosen_steps(steps, len(history) - 1)
    is_line = model.n_features_in_ == 1
    columns, names = ([0], [_only_name(model), "density"]) if is_line else chosen_columns(model, features)
    values = read_values(model, X)
    plt = import_pyplot("plot_em_steps")
    figure, axes = panels(plt, len(drawn))
    for ax, number in zip(axes, drawn):
        step = history[number]
        rows = _some(values, columns)
        colours = _mixed(component_shares(step, rows), class_colours(len(step.weights)))
        if is_line:
            _draw_line(ax, step, rows, colours)
        else:
            _draw_plane(ax, step, rows, columns, colours)
        name = "start" if number == 0 else f"iteration {number}"
        ax.set_title(f"{name}: log-likelihood {step.log_likelihood:.4g}", fontsize="medium")
    label_axes(axes, names)
    figure.tight_layout()
    return axes


def _only_name(model: Any) -> str:
    return str(model.feature_names_in_[0]) if hasattr(model, "feature_names_in_") else "x[0]"


def _some(values: np.ndarray, columns: list[int]) -> np.ndarray:
    """Rows that can be drawn, and no more than can be seen."""
    known = values[~np.isnan(values[:, columns]).any(axis=1)]
    return known[:: -(-len(known) // _MOST_POINTS)] if len(known) else known


def component_shares(step: Any, rows: np.ndarray) -> np.ndarray:
    """Return each component's responsibility for each row under the mixture of a step."""
    from spinney._team import Team
    from spinney.cluster.e_step import Gaussians, expect, read_rows

    origin = step.means.mean(axis=0)
    mixture = Gaussians(step.weights, step.means - origin, np.ascontiguousarray(step.covariances))
    return expect(read_rows(rows, None, origin), mixture, Team(1, inline=True))[:, :-1]


def _mixed(shares: np.ndarray, colours: list[str]) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return np.clip(shares @ np.array([to_rgb(colour) for colour in colours]), 0, 1)


def _draw_plane(ax: Any, step: Any, rows: np.ndarray, columns: list[int], colours: np.ndarray) -> None:
    size = _POINT if len(rows) <= _SMALL_TABLE else _SMALL_POINT
    ax.scatter(*rows[:, columns].T, s=size, c=colours, edgecolors="#505050", linewidths=0.2)
    strongest = max(float(step.weights.max()), 1e-12)
    for k, colour in enumerate(class_colours(len(step.weights))):
        mean, spread = step.means[k, columns], step.covariances[k][np.ix_(columns, columns)]
        for sigma in _SIGMAS:
            ax.plot(*_ellipse(mean, spread, sigma), color="black", linewidth=2.4, zorder=3)
            ax.plot(*_ellipse(mean, spread, sigma), color=colour, linewidth=1.4, zorder=3)
        area = 40 + 80 * step.weights[k] / strongest
        ax.scatter(*mean, s=area, marker="X", color=colour, edgecolors="black", zorder=4)


def _ellipse(mean: np.ndarray, spread: np.ndarray, sigma: float) -> np.ndarray:
    """(2, points) where the distance from the mean is `sigma` standard deviations."""
    lengths, axes = np.linalg.eigh(spread)
    angle = np.linspace(0, 2 * np.pi, 100)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    return mean[:, None] + sigma * axes @ (np.sqrt(np.maximum(lengths, 0))[:, None] * circle)


def _draw_line(ax: Any, step: Any, rows: np.ndarray, colours: np.ndarray) -> None:
    low, high = float(rows.min()), float(rows.max())
    margin = (high - low) * _MIXTURES_MARGIN or 0.5
    x = np.linspace(low - margin, high + margin, _STEPS)
    total = np.zeros(_STEPS)
    for k, colour in enumerate(class_colours(len(step.weights))):
        variance = step.covariances[k, 0, 0]
        density = np.exp(-0.5 * (x - step.means[k, 0]) ** 2 / variance) / np.sqrt(2 * np.pi * variance)
        total += step.weights[k] * density
        ax.plot(x, step.weights[k] * density, color=colour, linewidth=2)
        ax.fill_between(x, step.weights[k] * density, color=colour, alpha=0.25, linewidth=0)
    ax.plot(x, total, color="#404040", linewidth=1, linestyle="--")
    below = -0.06 * float(total.max())
    ax.scatter(rows[:, 0], np.full(len(rows), below), s=30, marker="|", c=colours, linewidths=1)

"""Plots of k-means: its iterations, and the elbow curve.

In: a `KMeans` fitted with `keep_history=True` and its rows; an `ElbowCurve`. Out: pictures, with matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney.view.colours import class_colours, mix
from spinney.view.plot import import_pyplot
from spinney.view.steps import chosen_columns, chosen_steps, history_of, label_axes, panels

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
    values = model._read_values(X).astype(np.float64)
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


def plot_elbow(curve: Any, ax: Any = None) -> Any:
    """Plot the inertia by number of clusters, with the suggested number and, if it is known, the silhouette score.

    The thin line joins the ends of the curve. The suggested number is where the curve is farthest below it.

    Parameters
    ----------
    curve : ElbowCurve
        The result of `elbow`.
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from spinney import elbow, plot_elbow
    >>> X, _ = make_blobs(200, centers=3, random_state=0)
    >>> ax = plot_elbow(elbow(X, range(1, 7), random_state=0))
    """
    if not hasattr(curve, "suggested_k"):
        raise TypeError(f"curve must be what elbow returns, got {type(curve).__name__}.")
    plt = import_pyplot("plot_elbow")
    ax = plt.gca() if ax is None else ax
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

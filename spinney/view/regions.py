"""Decision regions: the predictions of a model over two columns.

In: any fitted classifier or regressor, and the table that gives the plane its size. Out: a picture, with matplotlib.
Columns that are not axes of the picture stand still: at their median, or their most common value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.view.colours import class_colours, mix
from spinney.view.grids import Grid, read_points
from spinney.view.phrases import check_count
from spinney.view.plot import import_pyplot

_REGION = 0.45  # strength of the regions' colours
_SURE = 0.75  # where a probability is 1
_SMALL_TABLE, _SMALL_POINT, _POINT = 500, 10.0, 22.0


def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    features: Sequence[int | str] = (0, 1),
    ax: Any = None,
    resolution: int = 300,
    probabilities: bool = False,
) -> Any:
    """Plot the decision regions of a model: its predictions for all values of two columns.

    Parameters
    ----------
    model : fitted classifier or regressor
        Any estimator with `predict`; classifiers also need `classes_`.
    X : array-like or DataFrame
        Data with the columns that the model was fitted on. The two `features` set the range of the axes. The other
        columns are fixed at their median or most common value.
    y : array-like, default=None
        Targets, to draw the rows of X as coloured points.
    features : two column numbers or names, default=(0, 1)
        Numeric columns of the horizontal and the vertical axis.
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.
    resolution : int, default=300
        Number of predictions along each axis.
    probabilities : bool, default=False
        Shade each region by `predict_proba`: strong where the predicted class is certain, white where all classes are
        equally probable.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import DecisionTreeClassifier, plot_regions
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> petals = X[["petal length (cm)", "petal width (cm)"]]
    >>> model = DecisionTreeClassifier(max_depth=2).fit(petals, y)
    >>> ax = plot_regions(model, petals, y)
    """
    if not hasattr(model, "predict"):
        raise TypeError(f"model must be a fitted classifier or regressor, got {type(model).__name__}.")
    check_is_fitted(model)
    if check_count("resolution", resolution) < 2:
        raise ValueError(f"resolution must be an integer of at least 2, got {resolution!r}.")
    plt = import_pyplot("plot_regions")
    if probabilities and not (hasattr(model, "predict_proba") and hasattr(model, "classes_")):
        raise TypeError(f"probabilities=True needs a classifier with predict_proba, got {type(model).__name__}.")
    plane = Grid(X, features, resolution)
    shares = np.asarray(model.predict_proba(plane.table())) if probabilities else None
    if shares is None:
        predicted = np.asarray(model.predict(plane.table()))
    else:
        predicted = np.asarray(model.classes_)[shares.argmax(axis=1)]
    if predicted.ndim != 1:
        raise ValueError(f"model must predict one output, got {predicted.shape[1]} outputs.")
    ax = plt.gca() if ax is None else ax
    points = None if y is None else read_points(y, plane.n_rows)
    if hasattr(model, "classes_"):
        _draw_classes(ax, plane, predicted, points, list(np.asarray(model.classes_)), shares)
    else:
        _draw_numbers(ax, plane, predicted, points)
    for axis, name in zip((ax.xaxis, ax.yaxis), plane.names):
        axis.set_label_text(name, parse_math=False)
    return ax


def _draw_classes(
    ax: Any, plane: Grid, predicted: np.ndarray, y: np.ndarray | None, classes: list, shares: np.ndarray | None
) -> None:
    from matplotlib.colors import ListedColormap, to_rgb
    from matplotlib.patches import Patch

    colours = class_colours(len(classes))
    place = {value: index for index, value in enumerate(classes)}
    codes = np.array([place[value] for value in predicted.tolist()])
    if shares is None:
        pale = ListedColormap([mix(colour, _REGION) for colour in colours])
        _paint(ax, plane, codes, cmap=pale, vmin=-0.5, vmax=len(classes) - 0.5)
    else:
        even = 1.0 / len(classes) if len(classes) > 1 else 0.0
        sure = _SURE * (shares.max(axis=1) - even) / (1.0 - even)
        strong = np.array([to_rgb(colour) for colour in colours])[codes]
        _paint(ax, plane, 1.0 + sure[:, None] * (strong - 1.0))
    for value, colour in zip(classes, colours):
        if y is not None:
            _scatter(ax, plane, y == value, color=colour)
    handles = [Patch(facecolor=colour, edgecolor="#404040", linewidth=0.5) for colour in colours]
    legend = ax.legend(handles, [str(value) for value in classes], framealpha=0.9)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _draw_numbers(ax: Any, plane: Grid, predicted: np.ndarray, y: np.ndarray | None) -> None:
    seen = predicted if y is None else np.concatenate([predicted, y.astype(np.float64)])
    scale = {"cmap": "viridis", "vmin": float(np.nanmin(seen)), "vmax": float(np.nanmax(seen))}
    image = _paint(ax, plane, predicted, **scale)
    if y is not None:
        _scatter(ax, plane, np.ones(len(y), dtype=bool), c=y, **scale)
    ax.figure.colorbar(image, ax=ax)


def _paint(ax: Any, plane: Grid, values: np.ndarray, **colours: Any) -> Any:
    picture = values.reshape(plane.resolution, plane.resolution, *values.shape[1:])
    extent = (*plane.ranges[0], *plane.ranges[1])
    return ax.imshow(picture, origin="lower", extent=extent, aspect="auto", interpolation="nearest", **colours)


def _scatter(ax: Any, plane: Grid, rows: np.ndarray, **colours: Any) -> None:
    size = _POINT if len(rows) <= _SMALL_TABLE else _SMALL_POINT
    ax.scatter(plane.values[0][rows], plane.values[1][rows], s=size, edgecolors="#303030", linewidths=0.5, **colours)

"""Plots of predictions along one column, and of several models in one figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.tree.decision import NUMBER
from spinney.view.colours import class_colours
from spinney.view.grids import Grid, read_points
from spinney.view.phrases import check_count
from spinney.view.plot import import_pyplot
from spinney.view.regions import plot_regions
from spinney.view.steps import label_axes, panels

POINTS = {"color": "#9a9a9a", "edgecolors": "#505050", "linewidths": 0.4, "alpha": 0.8, "zorder": 1}
_PANEL = 4.2  # inches
_MANY_POINTS, _SMALL_POINT, _POINT = 500, 8.0, 18.0


def plot_predictions(
    model: Any, X: Any, y: Any = None, *, feature: int | str = 0, ax: Any = None, resolution: int = 500
) -> Any:
    """Plot the predictions of one or several models along one column.

    Parameters
    ----------
    model : fitted model, or dict from name to fitted model
        Regressors: the prediction is drawn. Classifiers: the probability of the second class, or of each class if there
        are more than two.
    X : array-like or DataFrame
        Data with the columns that the model was fitted on. Its column `feature` is the horizontal axis. The other
        columns are fixed at their median or most common value.
    y : array-like, default=None
        Targets, to draw the rows of X as points; with two classes as 0 and 1.
    feature : int or str, default=0
        Number or name of a numeric column.
    ax : matplotlib axes, default=None
        Axes to draw on. None: the current axes.
    resolution : int, default=500
        Number of predictions along the axis; those on both sides of a tree's thresholds are added.

    Returns
    -------
    matplotlib axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import DecisionTreeRegressor, plot_predictions
    >>> X = np.linspace(-0.5, 0.5, 50)[:, None]
    >>> models = {f"depth {d}": DecisionTreeRegressor(max_depth=d).fit(X, X[:, 0] ** 2) for d in (2, 3)}
    >>> ax = plot_predictions(models, X, X[:, 0] ** 2)
    """
    models = model if isinstance(model, Mapping) else {None: model}
    for one in models.values():
        if not hasattr(one, "predict"):
            raise TypeError(
                f"model must be a fitted classifier or regressor, or a dict of such, got {type(one).__name__}."
            )
        check_is_fitted(one)
    if check_count("resolution", resolution) < 2:
        raise ValueError(f"resolution must be an integer of at least 2, got {resolution!r}.")
    plt = import_pyplot("plot_predictions")
    line = Grid(X, [feature], resolution, 1)
    curves = [curve for name, one in models.items() for curve in _curves(one, name, line)]
    ax = plt.gca() if ax is None else ax
    if y is not None:
        _scatter(ax, line, _targets(y, line.n_rows, list(models.values())))
    for (name, x, values), colour in zip(curves, class_colours(len(curves))):
        ax.plot(x, values, color=colour, linewidth=2.2, label=name, zorder=2)
    ax.xaxis.set_label_text(line.names[0], parse_math=False)
    if any(name is not None for name, _, _ in curves):
        for text in ax.legend().get_texts():
            text.set_parse_math(False)
    return ax


def plot_side_by_side(
    models: Mapping[str, Any],
    X: Any,
    y: Any = None,
    *,
    features: Sequence[int | str] | None = None,
    resolution: int = 200,
    probabilities: bool = False,
) -> np.ndarray:
    """Plot several models on the same rows, one panel each.

    Parameters
    ----------
    models : dict from title to fitted model
        Models to compare.
    X : array-like or DataFrame
        Data with the columns that the models were fitted on.
    y : array-like, default=None
        Targets, to draw the rows of X as points.
    features : one or two column numbers or names, default=None
        Two columns draw `plot_regions`, one column draws `plot_predictions`. None: the first two, or the only one.
    resolution : int, default=200
        Number of predictions along each axis.
    probabilities : bool, default=False
        Shade regions by probability, as in `plot_regions`.

    Returns
    -------
    array of matplotlib axes
        One per model.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from spinney import DecisionTreeClassifier, RandomForestClassifier, plot_side_by_side
    >>> X, y = make_moons(200, noise=0.3, random_state=0)
    >>> models = {"one tree": DecisionTreeClassifier(), "100 trees": RandomForestClassifier(random_state=0)}
    >>> models = {name: model.fit(X, y) for name, model in models.items()}
    >>> len(plot_side_by_side(models, X, y, resolution=20))
    2
    """
    if not isinstance(models, Mapping) or not models:
        raise TypeError(f"models must be a dict from title to fitted model, got {models!r:.60}.")
    if features is None:
        features = (0, 1) if np.shape(X)[1] > 1 else (0,)
    plt = import_pyplot("plot_side_by_side")
    figure, axes = panels(plt, len(models), _PANEL)
    for ax, (title, model) in zip(axes, models.items()):
        if len(features) == 1:
            plot_predictions(model, X, y, feature=features[0], ax=ax, resolution=resolution)
        else:
            plot_regions(model, X, y, features=features, ax=ax, resolution=resolution, probabilities=probabilities)
        ax.set_title(title, fontsize="medium", parse_math=False)
        if ax is not axes[0] and ax.get_legend() is not None:
            ax.get_legend().remove()
    label_axes(axes, [axes[0].get_xlabel(), axes[0].get_ylabel()])
    figure.tight_layout()
    return np.array(axes)


def _curves(model: Any, name: str | None, line: Grid) -> list[tuple[str | None, np.ndarray, np.ndarray]]:
    """(name, x, what is predicted there), one for regressors and two classes, else one per class."""
    x = _places(model, line)
    table = line.table([x])
    if not hasattr(model, "classes_"):
        values = np.asarray(model.predict(table))
        if values.ndim != 1:
            raise ValueError(f"model must predict one output, got {values.shape[1]} outputs.")
        return [(name, x, values)]
    if not hasattr(model, "predict_proba"):
        raise TypeError(f"a classifier must have predict_proba, which {type(model).__name__} does not have.")
    shares, labels = model.predict_proba(table), np.asarray(model.classes_).tolist()
    prefix = "" if name is None else f"{name}: "
    chosen = range(1, 2) if len(labels) == 2 else range(len(labels))
    return [(f"{prefix}P({labels[c]})", x, shares[:, c]) for c in chosen]


def _places(model: Any, line: Grid) -> np.ndarray:
    """Where to predict: all along, and on both sides of a tree's thresholds."""
    low, high = line.ranges[0]
    x = np.linspace(low, high, line.resolution)
    tree: Any = getattr(model, "tree_", None)
    if getattr(tree, "kind", None) is None:
        return x
    cuts = tree.threshold[(tree.kind == NUMBER) & (tree.feature == line.columns[0])]
    cuts = cuts[(cuts > low) & (cuts < high)]
    return np.unique(np.concatenate([x, cuts, np.nextafter(cuts, np.inf)]))


def _targets(y: Any, n_rows: int, models: Sequence[Any]) -> np.ndarray | None:
    """The rows' heights: their numbers; 0 and 1 of two classes, nothing of more."""
    points = read_points(y, n_rows)
    classes = getattr(models[0], "classes_", None)
    if classes is None:
        return points.astype(np.float64)
    return (points == classes[1]).astype(np.float64) if len(classes) == 2 else None


def _scatter(ax: Any, line: Grid, heights: np.ndarray | None) -> None:
    if heights is not None:
        size = _POINT if len(heights) <= _MANY_POINTS else _SMALL_POINT
        ax.scatter(line.values[0], heights, s=size, **POINTS)

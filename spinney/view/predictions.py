"""Plots of predictions: regions over two columns, curves along one, and several models in one figure.

In: any fitted classifier or regressor, and the table that gives the plane its size. Columns that are not axes of the
picture stand still: at their median, or their most common value (`Grid`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.tree.decision import NUMBER
from spinney.view.figures import (
    axes_for,
    class_colours,
    drawing,
    import_pyplot,
    label_axes,
    mix,
    panels,
    plainly,
    read_features,
)
from spinney.view.phrases import check_count

_MARGIN = 0.05  # of the data's range, around it


class Grid:
    """The axes of a picture, one or two columns of a table, and the table of all pairs of values along them."""

    def __init__(self, X: Any, features: Sequence[int | str], resolution: int, n_axes: int = 2) -> None:
        self.frame: Any = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(self.frame, nw.DataFrame):
            self.frame = np.asarray(X)
            if self.frame.ndim != 2:
                raise ValueError(f"X must be a table of rows and columns, got {self.frame.ndim} dimensions.")
        self.n_rows = len(self.frame)
        own = list(self.frame.columns) if isinstance(self.frame, nw.DataFrame) else []
        self.columns = read_features(features, own, self.frame.shape[1], n_axes)
        self.values = [self._numbers(column) for column in self.columns]
        self.ranges = [_range(values) for values in self.values]
        self.resolution = resolution

    @property
    def names(self) -> list[str]:
        if isinstance(self.frame, nw.DataFrame):
            return [str(self.frame.columns[column]) for column in self.columns]
        return [f"x[{column}]" for column in self.columns]

    def _values(self, column: int) -> np.ndarray:
        return self.frame[:, column].to_numpy() if isinstance(self.frame, nw.DataFrame) else self.frame[:, column]

    def _numbers(self, column: int) -> np.ndarray:
        try:
            return np.asarray(self._values(column), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"features must be columns of numbers, but column {column} of X is not.") from error

    def table(self, axes: Sequence[np.ndarray] | None = None) -> Any:
        """The grid as a table like X, row by row from the bottom left; `axes`: other values along them."""
        axes = [np.linspace(low, high, self.resolution) for low, high in self.ranges] if axes is None else axes
        grid = dict(zip(self.columns, (part.ravel() for part in np.meshgrid(*axes))))
        size = int(np.prod([len(one) for one in axes]))
        if isinstance(self.frame, nw.DataFrame):
            columns = [self._series(i, name, grid, size) for i, name in enumerate(self.frame.columns)]
            return nw.from_dict({one.name: one for one in columns}).to_native()
        columns = [grid.get(c, np.full(size, self._middle(c))) for c in range(self.frame.shape[1])]
        return np.column_stack(columns)

    def _middle(self, column: int) -> Any:
        """The value of a column that is not an axis."""
        return self._values(column)[_middle_row(self._values(column))]

    def _series(self, column: int, name: str, grid: dict[int, np.ndarray], size: int) -> Any:
        """One column of the grid; those that stand still repeat a row of X, so that their type stays what it was."""
        if column in grid:
            return nw.new_series(name, grid[column], backend=self.frame.implementation)
        rows = np.full(size, _middle_row(self._values(column)))
        return nw.maybe_reset_index(self.frame[:, column][rows])


def _middle_row(values: np.ndarray) -> int:
    """A row whose value is nearest to the median of numbers, or the most common one; missing values do not count."""
    if values.dtype.kind in "fiu":
        distance = np.abs(values - np.nanmedian(values)) if not np.isnan(values).all() else np.zeros(len(values))
        return int(np.nanargmin(distance))
    known = [(value, row) for row, value in enumerate(values.tolist()) if value is not None and value == value]
    common = Counter(value for value, _ in known).most_common(1)
    return next(row for value, row in known if value == common[0][0]) if known else 0


def _range(values: np.ndarray) -> tuple[float, float]:
    """From where to where an axis goes."""
    known = values[np.isfinite(values)]
    if not len(known):
        raise ValueError("features must be columns of X with at least one finite number.")
    low, high = float(known.min()), float(known.max())
    margin = (high - low) * _MARGIN or 0.5
    return low - margin, high + margin


def read_points(y: Any, n_rows: int) -> np.ndarray:
    """One value per row, to be drawn as points."""
    points = np.asarray(y)
    if points.shape != (n_rows,):
        raise ValueError(f"y must have one value for each of the {n_rows} rows of X, got shape {points.shape}.")
    return points


# --- two columns ------------------------------------------------------------------------------------------------------


_REGION = 0.45  # strength of the regions' colours
_SURE = 0.75  # where a probability is 1
_SMALL_TABLE, _SMALL_POINT, _POINT = 500, 10.0, 22.0


@drawing
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
    resolution : int, default=300
        Number of predictions along each axis.
    probabilities : bool, default=False
        Shade each region by `predict_proba`: strong where the predicted class is certain, white where all classes are
        equally probable.

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
    check_count("resolution", resolution, 2)
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
    ax = axes_for("plot_regions", ax)
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
    plainly(legend.get_texts())


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


# --- one column -------------------------------------------------------------------------------------------------------


POINTS = {"color": "#9a9a9a", "edgecolors": "#505050", "linewidths": 0.4, "alpha": 0.8, "zorder": 1}
_PANEL = 4.2  # inches
_PREDICTIONS_SMALL_POINT, _PREDICTIONS_POINT = 8.0, 18.0


@drawing
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
    resolution : int, default=500
        Number of predictions along the axis; those on both sides of a tree's thresholds are added.

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
    check_count("resolution", resolution, 2)
    line = Grid(X, [feature], resolution, 1)
    curves = [curve for name, one in models.items() for curve in _curves(one, name, line)]
    ax = axes_for("plot_predictions", ax)
    if y is not None:
        _prediction_scatter(ax, line, _targets(y, line.n_rows, list(models.values())))
    for (name, x, values), colour in zip(curves, class_colours(len(curves))):
        ax.plot(x, values, color=colour, linewidth=2.2, label=name, zorder=2)
    ax.xaxis.set_label_text(line.names[0], parse_math=False)
    if any(name is not None for name, _, _ in curves):
        plainly(ax.legend().get_texts())
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


def _prediction_scatter(ax: Any, line: Grid, heights: np.ndarray | None) -> None:
    if heights is not None:
        size = _PREDICTIONS_POINT if len(heights) <= _SMALL_TABLE else _PREDICTIONS_SMALL_POINT
        ax.scatter(line.values[0], heights, s=size, **POINTS)

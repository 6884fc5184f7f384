"""Decision regions: what a model predicts all over the plane of two columns.

In: any fitted classifier or regressor, and the table that gives the plane its size. Out: a picture, with matplotlib.
Columns that are not axes of the picture stand still: at their median, or their most common value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_is_fitted

from spinney.view.colours import class_colours, mix
from spinney.view.phrases import check_count
from spinney.view.plot import import_pyplot

_MARGIN = 0.05  # of the data's range, around it
_REGION = 0.45  # strength of the regions' colours
_SMALL_TABLE, _SMALL_POINT, _POINT = 500, 10.0, 22.0


def plot_regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    features: Sequence[int | str] = (0, 1),
    ax: Any = None,
    resolution: int = 300,
) -> Any:
    """Draw what the model predicts for every pair of values of two columns.

    Parameters
    ----------
    model : fitted classifier or regressor
        Anything with `predict`; classifiers also need `classes_`.
    X : table of the columns that the model was fitted on
        Its two `features` say how large the plane is. Other columns are held at their median, or their most common
        value.
    y : array-like, optional
        Draw the rows of X as points, coloured by this.
    features : two column numbers or names, default=(0, 1)
        The horizontal and the vertical axis: columns of numbers.
    ax : matplotlib axes, optional
        Where to draw; the current axes by default.
    resolution : int, default=300
        Predictions along each axis.

    Returns
    -------
    matplotlib axes

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
    plane = _Plane(X, features, resolution)
    predicted = np.asarray(model.predict(plane.table()))
    if predicted.ndim != 1:
        raise ValueError(f"model must predict one output, got {predicted.shape[1]}: plot_regions shows one.")
    ax = plt.gca() if ax is None else ax
    points = None if y is None else _points(y, len(plane.across))
    if hasattr(model, "classes_"):
        _draw_classes(ax, plane, predicted, points, list(np.asarray(model.classes_)))
    else:
        _draw_numbers(ax, plane, predicted, points)
    for axis, name in zip((ax.xaxis, ax.yaxis), plane.names):
        axis.set_label_text(name, parse_math=False)
    return ax


class _Plane:
    """The two axes of the picture, and the table of its grid."""

    def __init__(self, X: Any, features: Sequence[int | str], resolution: int) -> None:
        self.frame: Any = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(self.frame, nw.DataFrame):
            self.frame = np.asarray(X)
            if self.frame.ndim != 2:
                raise ValueError(f"X must be a table of rows and columns, got {self.frame.ndim} dimensions.")
        self.columns = self._places(features)
        self.across, self.up = (self._numbers(column) for column in self.columns)
        self.x_range, self.y_range = _range(self.across), _range(self.up)
        self.resolution = resolution

    @property
    def names(self) -> list[str]:
        if isinstance(self.frame, nw.DataFrame):
            return [str(self.frame.columns[column]) for column in self.columns]
        return [f"x[{column}]" for column in self.columns]

    def _places(self, features: Sequence[int | str]) -> list[int]:
        """The numbers of the two columns."""
        own = list(self.frame.columns) if isinstance(self.frame, nw.DataFrame) else []
        n_columns = self.frame.shape[1]
        places = [own.index(f) if isinstance(f, str) and f in own else f for f in features]
        valid = [isinstance(p, int | np.integer) and not isinstance(p, bool) and 0 <= p < n_columns for p in places]
        if isinstance(features, str) or len(places) != 2 or not all(valid) or places[0] == places[1]:
            known = f"numbers from 0 to {n_columns - 1}" + (" or names" if own else "")
            raise ValueError(f"features must be two different columns of X, {known}, got {features!r}.")
        return [int(place) for place in places]

    def _values(self, column: int) -> np.ndarray:
        return self.frame[:, column].to_numpy() if isinstance(self.frame, nw.DataFrame) else self.frame[:, column]

    def _numbers(self, column: int) -> np.ndarray:
        try:
            return np.asarray(self._values(column), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"features must be columns of numbers, but column {column} of X is not.") from error

    def table(self) -> Any:
        """The grid as a table like X, row by row from the bottom left."""
        axes = [np.linspace(low, high, self.resolution) for low, high in (self.x_range, self.y_range)]
        grid = dict(zip(self.columns, (part.ravel() for part in np.meshgrid(*axes))))
        if isinstance(self.frame, nw.DataFrame):
            columns = [self._series(i, name, grid) for i, name in enumerate(self.frame.columns)]
            return nw.from_dict({one.name: one for one in columns}).to_native()
        size = self.resolution**2
        columns = [grid.get(c, np.full(size, self._middle(c))) for c in range(self.frame.shape[1])]
        return np.column_stack(columns)

    def _middle(self, column: int) -> Any:
        """The value of a column that is not an axis."""
        return self._values(column)[_middle_row(self._values(column))]

    def _series(self, column: int, name: str, grid: dict[int, np.ndarray]) -> Any:
        """One column of the grid; those that stand still repeat a row of X, so that their type stays what it was."""
        if column in grid:
            return nw.new_series(name, grid[column], backend=self.frame.implementation)
        rows = np.full(self.resolution**2, _middle_row(self._values(column)))
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


def _points(y: Any, n_rows: int) -> np.ndarray:
    points = np.asarray(y)
    if points.shape != (n_rows,):
        raise ValueError(f"y must have one value for each of the {n_rows} rows of X, got shape {points.shape}.")
    return points


def _draw_classes(ax: Any, plane: _Plane, predicted: np.ndarray, y: np.ndarray | None, classes: list) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    colours = class_colours(len(classes))
    pale = ListedColormap([mix(colour, _REGION) for colour in colours])
    place = {value: index for index, value in enumerate(classes)}
    codes = np.array([place[value] for value in predicted.tolist()])
    _paint(ax, plane, codes, cmap=pale, vmin=-0.5, vmax=len(classes) - 0.5)
    for value, colour in zip(classes, colours):
        if y is not None:
            _scatter(ax, plane, y == value, color=colour)
    handles = [Patch(facecolor=colour, edgecolor="#404040", linewidth=0.5) for colour in colours]
    legend = ax.legend(handles, [str(value) for value in classes], framealpha=0.9)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _draw_numbers(ax: Any, plane: _Plane, predicted: np.ndarray, y: np.ndarray | None) -> None:
    seen = predicted if y is None else np.concatenate([predicted, y.astype(np.float64)])
    scale = {"cmap": "viridis", "vmin": float(np.nanmin(seen)), "vmax": float(np.nanmax(seen))}
    image = _paint(ax, plane, predicted, **scale)
    if y is not None:
        _scatter(ax, plane, np.ones(len(y), dtype=bool), c=y, **scale)
    ax.figure.colorbar(image, ax=ax)


def _paint(ax: Any, plane: _Plane, values: np.ndarray, **colours: Any) -> Any:
    picture = values.reshape(plane.resolution, plane.resolution)
    extent = (*plane.x_range, *plane.y_range)
    return ax.imshow(picture, origin="lower", extent=extent, aspect="auto", interpolation="nearest", **colours)


def _scatter(ax: Any, plane: _Plane, rows: np.ndarray, **colours: Any) -> None:
    size = _POINT if len(rows) <= _SMALL_TABLE else _SMALL_POINT
    ax.scatter(plane.across[rows], plane.up[rows], s=size, edgecolors="#303030", linewidths=0.5, **colours)

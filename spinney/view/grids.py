"""Grids: data with all values along one or two columns, for plots of predictions.

In: data of any kind, and which of its columns are axes. Out: data of the same kind. Columns that are not axes are fixed
at their median or most common value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

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
        self.columns = self._places(features, n_axes)
        self.values = [self._numbers(column) for column in self.columns]
        self.ranges = [_range(values) for values in self.values]
        self.resolution = resolution

    @property
    def names(self) -> list[str]:
        if isinstance(self.frame, nw.DataFrame):
            return [str(self.frame.columns[column]) for column in self.columns]
        return [f"x[{column}]" for column in self.columns]

    def _places(self, features: Sequence[int | str], n_axes: int) -> list[int]:
        """The numbers of the columns."""
        own = list(self.frame.columns) if isinstance(self.frame, nw.DataFrame) else []
        n_columns = self.frame.shape[1]
        places = [own.index(f) if isinstance(f, str) and f in own else f for f in features]
        valid = [isinstance(p, int | np.integer) and not isinstance(p, bool) and 0 <= p < n_columns for p in places]
        if isinstance(features, str) or not all(valid) or not len(places) == len(set(places)) == n_axes:
            known = f"numbers from 0 to {n_columns - 1}" + (" or names" if own else "")
            if n_axes == 1:
                raise ValueError(f"feature must be a column of X, {known}, got {features[0]!r}.")
            raise ValueError(f"features must be two different columns of X, {known}, got {features!r}.")
        return [int(place) for place in places]

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

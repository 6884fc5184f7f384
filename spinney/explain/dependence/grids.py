"""Axes: columns to change, and the values that they are set to.

In: data in any form, and columns by number or name. Out: `Axis`: a column and its values, as the data holds them and as
trees do (categories are numbers, NaN is missing); data with a column set to one value, for models that predict copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_array

from spinney.data.reading import as_frame, feature_names, open_table, with_rows
from spinney.data.schema import Schema
from spinney.data.sparse import is_sparse
from spinney.data.tables import DictionaryColumn
from spinney.view.phrases import check_count

Pair = tuple[int, ...]


@dataclass(frozen=True)
class Axis:
    """A column and the values it is set to."""

    column: int
    name: str
    values: np.ndarray  # numbers or categories; NaN or None: missing
    codes: np.ndarray  # float64: numbers, or the categories' numbers; NaN: missing
    is_category: bool


def schema_of(model: Any) -> Schema | None:
    """What a model knows of its columns: which are categories. None if nothing, or if only their names."""
    own = getattr(model, "__dict__", {})
    if "forest_" in own or not isinstance(members := own.get("estimators_"), list):
        return getattr(model, "schema_", None)
    known: Schema | None = getattr(members[0], "schema_", None) if members else None
    return known if known is not None and len(known.columns) == getattr(model, "n_features_in_", None) else None


class Columns:
    """The columns of the data, read when needed."""

    def __init__(self, X: Any, schema: Schema | None = None, owner: str = "this model") -> None:
        """`schema`: what the model knows of the columns; without one their types say which are categories."""
        self._X, self._schema = with_rows(X), schema
        self.source = open_table(X, owner) if schema is None else schema.open(X, owner)
        self.n_rows, self.n_columns = self.source.n_rows, self.source.n_columns

    @cached_property
    def names(self) -> list[str]:
        own = feature_names(self.source)
        return [f"x[{j}]" for j in range(self.n_columns)] if not own else [str(name) for name in own]

    @cached_property
    def has_names(self) -> bool:
        return bool(feature_names(self.source))

    def is_category(self, column: int) -> bool:
        """Whether the column's values have no order."""
        if self._schema is None:
            return self.source.is_labelled(column)
        return bool(self._schema.is_categorical[column])

    def labels(self, column: int) -> DictionaryColumn:
        """A categorical column."""
        return self.source.labels(column)

    def numbers(self, column: int) -> np.ndarray:
        """A numeric column, float64."""
        (panel,) = self.source.numbers([column], "Categories have no order to split.")
        return panel.values[:, 0].astype(np.float64)

    def find(self, feature: Any) -> int:
        """The number of a column."""
        if isinstance(feature, str):
            if self.has_names and feature in self.names:
                return self.names.index(feature)
        elif isinstance(feature, int | np.integer) and not isinstance(feature, bool):
            if -self.n_columns <= feature < self.n_columns:
                return int(feature) % self.n_columns
        known = f"numbers from 0 to {self.n_columns - 1}" + (" or names" if self.has_names else "")
        raise ValueError(f"features must be columns of X, {known}, got {feature!r}.")

    def read(self, features: Any) -> tuple[list[Pair], bool]:
        """(groups of columns that change together, whether there is only one group)."""
        if features is None:
            return [(j,) for j in range(self.n_columns)], False
        if isinstance(features, list | np.ndarray | range):
            if len(features) == 0:
                raise ValueError("features must name at least one column, got none.")
            return [self._group(one) for one in features], False
        return [self._group(features)], True

    def _group(self, one: Any) -> Pair:
        if not isinstance(one, tuple):
            return (self.find(one),)
        found = tuple(self.find(part) for part in one)
        if not 1 <= len(found) == len(set(found)) <= 2:
            raise ValueError(f"features must be columns, or pairs of two different ones, got {one!r}.")
        return found

    # --- grids -----------------------------------------------------------------------------------------------------

    def axis(self, column: int, spec: GridSpec) -> Axis:
        """The values that a column is set to."""
        given = spec.given(self, column)
        is_category = self.is_category(column)
        if is_category:
            values = given if given is not None else _objects(sorted(set(self.labels(column).values)))
            if spec.missing and given is None:
                values = _objects([*values.tolist(), None])
            return Axis(column, self.names[column], values, self._codes(column, values), True)
        values = np.asarray(given, np.float64) if given is not None else spec.range_of(self.numbers(column))
        if spec.missing and given is None:
            values = np.append(values, np.nan)
        return Axis(column, self.names[column], values, values, False)

    def _codes(self, column: int, values: np.ndarray) -> np.ndarray:
        """Numbers of categories; those the model never saw are missing to it."""
        if self._schema is None:
            return np.full(len(values), np.nan)
        known = self._schema.columns[column].index_of
        return np.array([np.nan if _is_missing(one) else known.get(one, np.nan) for one in values.tolist()])

    # --- for models that must be asked -------------------------------------------------------------------------------

    def replaced(self, columns: Pair, values: tuple[Any, ...]) -> Any:
        """The table with these columns set to one value each, or to one per row."""
        frame = None if is_sparse(self._X) else as_frame(self._X)
        if frame is None:
            X = self._X.toarray() if is_sparse(self._X) else np.array(self._X)
            X = X.astype(np.float64) if X.dtype.kind in "biu" else X
            for column, value in zip(columns, values):
                X[:, column] = value
            return X
        for column, value in zip(columns, values):
            whole = value if isinstance(value, np.ndarray) else _objects([value] * len(frame))
            frame = frame.with_columns(self._series(frame, column, whole))
        return frame.to_native()

    def shuffled(self, columns: list[int], rows: np.ndarray) -> Any:
        """The table with the values of some columns taken from other rows."""
        if is_sparse(self._X):
            other = self._X.tolil()
            other[:, columns] = self._X.tocsr()[rows][:, columns]
            return other.tocsr()
        frame = as_frame(self._X)
        if frame is None:
            X = np.array(self._X)
            X[:, columns] = X[rows][:, columns]
            return X
        for column in columns:
            frame = frame.with_columns(_like(frame[:, column][rows], frame))
        return frame.to_native()

    def _series(self, frame: nw.DataFrame, column: int, values: np.ndarray) -> nw.Series:
        """Of the column's own type where it is one of categories."""
        own = frame[:, column]
        if not self.is_category(column):
            return _like(nw.new_series(own.name, values.astype(np.float64), backend=frame.implementation), frame)
        labels = self.labels(column)
        sample = {value: int(np.argmax(labels.codes == code)) for value, code in zip(labels.values, labels.present)}
        if (labels.codes < 0).any():
            sample[None] = int(np.argmax(labels.codes < 0))
        wanted = [None if _is_missing(value) else value for value in values.tolist()]
        unknown = set(wanted) - set(sample)
        if unknown:
            raise ValueError(f"column {self.names[column]!r} of X has no row with the value {unknown.pop()!r}.")
        return _like(own[np.array([sample[value] for value in wanted])], frame)


def _like(series: nw.Series, frame: nw.DataFrame) -> nw.Series:
    """With the index of the frame's rows, where there is one."""
    native = series.to_native()
    index = getattr(frame.to_native(), "index", None)
    if index is not None and hasattr(native, "set_axis"):
        return nw.from_native(native.set_axis(index), series_only=True)
    return series


def _objects(values: list) -> np.ndarray:
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


@dataclass(frozen=True)
class GridSpec:
    """How grids are made."""

    percentiles: tuple[float, float] = (0.05, 0.95)
    resolution: int = 100
    custom: Mapping[Any, Any] | None = None
    missing: bool = False

    def __post_init__(self) -> None:
        ends = self.percentiles
        if not (isinstance(ends, tuple | list) and len(ends) == 2 and 0 <= ends[0] < ends[1] <= 1):
            raise ValueError(f"percentiles must be two numbers from 0 to 1, the smaller first, got {ends!r}.")
        check_count("grid_resolution", self.resolution, 2)
        if self.custom is not None and not isinstance(self.custom, Mapping):
            raise ValueError(f"custom_values must be a dict from column to values, got {type(self.custom).__name__}.")

    def given(self, columns: Columns, column: int) -> np.ndarray | None:
        """The user's own values of a column."""
        for key, values in (self.custom or {}).items():
            if columns.find(key) == column:
                listed = list(values.tolist() if isinstance(values, np.ndarray) else values)
                if not listed:
                    raise ValueError(f"custom_values of column {key!r} must not be empty.")
                return _objects(listed)
        return None

    def range_of(self, values: np.ndarray) -> np.ndarray:
        """As scikit-learn makes it: the distinct values if they are few, else steps between two percentiles."""
        known = values[np.isfinite(values)]
        if len(known) == 0:
            raise ValueError("features must be columns with at least one finite number.")
        if len(np.unique(known[: 4 * self.resolution])) < self.resolution:
            distinct = np.unique(known)
            if len(distinct) < self.resolution:
                return distinct
        low, high = _quantiles(known, self.percentiles)
        if np.isclose(low, high):
            raise ValueError(
                f"percentiles {tuple(self.percentiles)} of a column are the same number ({low:g}). Choose others, or "
                "pass values in custom_values."
            )
        return np.linspace(low, high, num=int(self.resolution), endpoint=True)


def _quantiles(values: np.ndarray, shares: tuple[float, float]) -> list[float]:
    """SciPy's `mquantiles`, without its checks."""
    n = len(values)
    ranks = [n * p + (0.4 + p * (1.0 - 0.4 - 0.4)) for p in shares]
    places = [int(min(max(rank, 1), n - 1)) for rank in ranks]
    ordered = np.partition(values, sorted({k - 1 for k in places} | set(places)))
    rests = [min(max(rank - k, 0.0), 1.0) for rank, k in zip(ranks, places)]
    return [float((1.0 - rest) * ordered[k - 1] + rest * ordered[k]) for k, rest in zip(places, rests)]


def read_row_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """One number of at least 0 per row, not all 0; ones by default."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weight.shape != (n_rows,) or (weight < 0).any() or not weight.any():
        raise ValueError(f"sample_weight must be {n_rows} numbers of at least 0, not all 0, one per row of X.")
    return np.ascontiguousarray(weight)

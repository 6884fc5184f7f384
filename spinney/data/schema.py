"""Schema: what each column of a table is, learnt once at fit and stored with the model.

In:  any table that `tables.py` can open.
Out: a `Schema` (names, number or categories, the categories' values) and, read through it, a `Table` in which
     categories are their index 0..K-1 and NaN is whatever is missing or was never seen.

    schema, table = learn_and_read(X, "from_dtype")        # fit
    table = schema.read(X_new, owner="RandomForest")       # predict

Categories are compared by value, so a table may be pandas at fit and polars at predict. They are the values that
occur, in sorted order: neither the order of the rows nor that of a category dtype changes them. A value never seen is
missing (or, on request, an error), but strings where categories were numbers, and numbers or Booleans where they were
strings, are always an error.
This stage does not bin and does not order the categories by the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from spinney.data.one_row import is_table, row_of_frame, table_of_row, table_of_rows, values_of_records, values_of_row
from spinney.data.reading import feature_names, is_plain, open_table
from spinney.data.sparse import SparseSource
from spinney.data.tables import DictionaryColumn, Panel, Table, TableHandle, TableSource, as_matrix
from spinney.data.weights import Weights

# The types a category can have, as they are called in `to_dict`.
CATEGORY_TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}

# float32 counts exactly up to here; more categories than that are numbered in float64.
FLOAT32_COUNTS = 2**24


class _Stored:
    """Only the fields of a dataclass are pickled, not what was computed from them."""

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True)
class SchemaColumn(_Stored):
    """One column: its name, and its categories if it has any."""

    name: str | None
    categories: tuple | None = None  # None: numbers. Else the values learnt, all str, int, float or bool, ascending
    boolean: bool = False  # numbers that are Booleans: 0 is false, 1 is true
    # numbers of the categories in the order that the table declares; None: ascending. Only texts and drawings use it
    shown: tuple[int, ...] | None = field(default=None, compare=False)

    @cached_property
    def index_of(self) -> dict[Any, int]:
        """The number of each category."""
        return {value: index for index, value in enumerate(self.categories or ())}

    def encode(self, labels: DictionaryColumn) -> np.ndarray:
        """Return each row's category index as a float; NaN for missing and for values never seen."""
        indices = [self.index_of.get(value, math.nan) for value in labels.values]
        return labels.spread(indices, np.float32 if len(self.index_of) <= FLOAT32_COUNTS else np.float64)

    def check_kind(self, labels: DictionaryColumn, number: int, owner: str) -> None:
        """Refuse strings where numbers or Booleans were learnt, and the other way: none of them would be known.

        All values of a column are of one kind (`tables.py` sees to that), so the first speaks for the others. Numbers
        and Booleans are compared by value: 1, 1.0 and True are the same category.
        """
        if not self.categories or not labels.values:
            return
        learnt, found = self.categories[0], labels.values[0]
        if isinstance(learnt, str) == isinstance(found, str):
            return
        name = str(number) if self.name is None else repr(self.name)
        kind = _kind(learnt)
        raise TypeError(
            f"Column {name} holds {_kind(found)}, such as {found!r}, but held {kind}, such as {learnt!r}, when {owner} "
            f"was fitted. Convert it to {kind} first, with the same spelling as in fit, or read the file with that "
            "type for the column (in pandas.read_csv: dtype)."
        )

    def check_known(self, values: Sequence[Any], number: int, owner: str) -> None:
        """Refuse categories that were not there in training, for models that want it so (`handle_unknown="error"`)."""
        unknown = [value for value in values if value not in self.index_of]
        if not unknown:
            return
        name = str(number) if self.name is None else repr(self.name)
        shown = ", ".join(map(repr, unknown[:5])) + (f" and {len(unknown) - 5} others" if len(unknown) > 5 else "")
        raise ValueError(
            f"Column {name} holds categories that {owner} has not seen in fit: {shown}. handle_unknown='missing' "
            "treats them as missing values."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the column in JSON's types."""
        if self.categories is None:
            return {"name": self.name, "categories": None, **({"boolean": True} if self.boolean else {})}
        kind = type(self.categories[0]).__name__ if self.categories else "str"
        stored = {"name": self.name, "type": kind, "categories": [_to_json(value) for value in self.categories]}
        return stored if self.shown is None else stored | {"shown": list(self.shown)}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> SchemaColumn:
        """Rebuild a column and check that it can have been written by `to_dict`."""
        name, values = stored["name"], stored["categories"]
        if not (name is None or isinstance(name, str)):
            raise ValueError(f"a column's name must be a string or null, got {name!r}.")
        if values is None:
            return cls(name, boolean=stored.get("boolean") is True)
        categories = tuple(_from_json(value, stored["type"]) for value in values)
        if not all(low < high for low, high in pairwise(categories)):
            raise ValueError(f"the categories of column {name!r} must ascend, got {values!r}.")
        shown = stored.get("shown")
        if shown is not None and sorted(shown) != list(range(len(categories))):
            raise ValueError(f"shown of column {name!r} must have the number of each category once, got {shown!r}.")
        return cls(name, categories, shown=None if shown is None else tuple(map(int, shown)))


@dataclass(frozen=True)
class Schema(_Stored):
    """The columns of the table that a model was fitted on."""

    columns: tuple[SchemaColumn, ...]

    @classmethod
    def learn(cls, X: Any, categorical_features: Any = "from_dtype", owner: str = "this model") -> Schema:
        """Learn the schema of X. See `learn_and_read`, which also returns the table at little extra cost."""
        return learn_and_read(X, categorical_features, owner)[0]

    def read(self, X: Any, owner: str = "this model", *, strict: bool = False) -> Table:
        """Read a table like the one learnt from; `owner` is the estimator's name in errors and warnings.

        A category that was never seen is missing, or an error if `strict`.
        """
        if self._plain_columns and is_plain(X) and X.shape[1] == len(self._plain_columns) and X.flags.aligned:
            return Table(len(X), X.shape[1], (Panel(X, self._plain_columns),))
        if isinstance(X, TableHandle):
            return X.read(self, owner, strict)  # type: ignore[no-any-return]
        if isinstance(X, Table):
            return X
        n_rows = next(iter(getattr(X, "shape", ())), None)  # dask's is no number
        if isinstance(n_rows, int) and n_rows == 1 and (row := row_of_frame(self, X, strict)) is not None:
            return row
        return self.read_source(self.open(X, owner), owner, strict)

    def read_source(self, source: TableSource, owner: str, strict: bool) -> Table:
        """An opened table whose columns are those learnt."""
        remedy = f"It held numbers when {owner} was fitted: turn the strings into numbers first."

        def labels_of(index: int) -> DictionaryColumn:
            labels = source.labels(index)
            self.columns[index].check_kind(labels, index, owner)
            if strict:
                self.columns[index].check_known(labels.values, index, owner)
            return labels

        return self._table(source, labels_of, remedy)

    def read_row(self, row: Any, owner: str = "this model", *, strict: bool = False) -> Table:
        """Read one row: a dict or a Series by the columns' names, or a sequence of values in their order."""
        values = values_of_row(self, row)
        table = table_of_row(self, values, strict)
        return self._read_objects([values], owner, strict) if table is None else table

    def read_records(self, records: Sequence[Any], owner: str = "this model", *, strict: bool = False) -> Table:
        """Read a list of dicts by the columns' names."""
        rows = values_of_records(self, records)
        table = table_of_rows(self, rows, strict)
        return self._read_objects(rows, owner, strict) if table is None else table

    def _read_objects(self, rows: Sequence[Sequence[Any]], owner: str, strict: bool) -> Table:
        """Rows with values that are not plain numbers or categories, as columns of objects."""
        cells = np.empty((len(rows), self.n_columns), object)
        for place, values in enumerate(rows):
            cells[place] = values
        return self.read_source(open_table(cells, owner), owner, strict)

    def read_one(self, row: Any, owner: str = "this model", *, strict: bool = False) -> Table:
        """The same, or a table of one row."""
        if not is_table(row):
            return self.read_row(row, owner, strict=strict)
        if len(row) != 1:
            raise ValueError(f"row must be one row, got a table of {len(row)}.")
        return self.read(row, owner, strict=strict)

    def open(self, X: Any, owner: str = "this model") -> TableSource:
        """Open a table and check that its columns are as many as, and called like, those learnt; read no values."""
        source = open_table(X, owner)
        self.check_source(source, owner)
        return source

    def check_source(self, source: TableSource, owner: str) -> None:
        """Check that an opened table has the columns learnt."""
        self._check_names(source, owner)
        if source.n_columns != self.n_columns:
            raise ValueError(
                f"X has {source.n_columns} features, but {owner} is expecting {self.n_columns} features as input."
            )

    @cached_property
    def names(self) -> np.ndarray | None:
        """The column names as an array of objects, as in `feature_names_in_`; None if X had none."""
        names = np.array([column.name for column in self.columns], dtype=object)
        return None if any(name is None for name in names) else names

    @cached_property
    def pandas_index(self) -> Any:
        """The names as pandas has them; only asked for where there is a pandas table."""
        import pandas as pd

        return pd.Index(self.names)

    @property
    def n_columns(self) -> int:
        """How many columns X must have."""
        return len(self.columns)

    @cached_property
    def is_categorical(self) -> np.ndarray:
        """Which columns are categories, as an array of Booleans."""
        return np.array([column.categories is not None for column in self.columns], dtype=bool)

    @cached_property
    def _by_kind(self) -> tuple[list[int], list[int]]:
        """The columns of numbers and those of categories."""
        return np.flatnonzero(~self.is_categorical).tolist(), np.flatnonzero(self.is_categorical).tolist()

    @cached_property
    def _plain_columns(self) -> tuple[int, ...]:
        """All columns, if an array of floats can be taken as it is: numbers without names."""
        plain = self.names is None and not self.is_categorical.any()
        return tuple(range(self.n_columns)) if plain else ()

    def to_dict(self) -> dict[str, Any]:
        """Return the schema in JSON's types."""
        return {"columns": [column.to_dict() for column in self.columns]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Schema:
        """Rebuild a schema from `to_dict`'s result; anything else is a ValueError."""
        try:
            schema = cls(tuple(SchemaColumn.from_dict(column) for column in stored["columns"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"this is not a stored schema: {type(error).__name__}: {error}.") from error
        names = [column.name for column in schema.columns]
        if set(names) != {None} and (None in names or len(set(names)) < len(names)):
            raise ValueError(f"the column names of a schema must all differ, or all be null, got {names}.")
        return schema

    def _check_names(self, source: TableSource, owner: str) -> None:
        """Let scikit-learn compare the names: it warns if one side has none and raises if they differ."""
        if self.names is None and isinstance(source.origin, np.ndarray):
            return
        asker = type(owner, (BaseEstimator,), {})()  # scikit-learn takes the owner's name from its class
        if self.names is not None:
            asker.feature_names_in_ = self.names
        validate_data(asker, source.origin, reset=False, skip_check_array=True, ensure_2d=False)

    def _table(self, source: TableSource, labels_of: Callable[[int], DictionaryColumn], remedy: str) -> Table:
        numbers, categories = self._by_kind
        if isinstance(source, SparseSource):
            return source.table() if not categories else source.refuse_categories(categories[0])
        panels = source.numbers(numbers, remedy)
        for index in categories:
            codes = self.columns[index].encode(labels_of(index))
            panels.append(Panel(codes[:, None], (index,)))
        return Table(source.n_rows, source.n_columns, tuple(panels))


def name_columns(n_columns: int, names: Any) -> Schema:
    """A schema that knows how many columns there are and what they are called, if they have names."""
    return Schema(tuple(map(SchemaColumn, [None] * n_columns if names is None else names)))


def learn_names(X: Any, owner: str = "this model") -> tuple[Schema, TableSource]:
    """Learn how many columns X has and what they are called; for models that only hand the table on to others."""
    source = open_table(X, owner)
    names = feature_names(source)
    if not names:
        return Schema((SchemaColumn(None),) * source.n_columns), source
    return Schema(tuple(SchemaColumn(name) for name in names)), source


def learn_matrix(X: Any, owner: str, with_cells: bool = False) -> tuple[Schema, Any]:
    """The columns of X and its values, float32 if all of them fit and else float64; NaN where missing.

    With cells, a large sparse table stays a SciPy CSR matrix.
    """
    schema, source = learn_names(X, owner)
    if with_cells and isinstance(source, SparseSource) and (table := source.table()).is_sparse:
        return schema, table.by_rows
    panels = source.numbers(range(source.n_columns), f"{owner} needs numbers: encode the column first, or drop it.")
    return schema, as_matrix(panels, source.n_rows, source.n_columns)


def learn_and_read(
    X: Any, categorical_features: Any = "from_dtype", owner: str = "this model", with_booleans: bool = False
) -> tuple[Schema, Table]:
    """Learn the schema of X and read X through it, in one pass.

    Parameters
    ----------
    X : table
        A two-dimensional NumPy array, list of rows, pandas, polars or Arrow table, or sparse matrix of SciPy's.
    categorical_features : "from_dtype", None, or array-like of bool, int or str
        Which columns are categories. "from_dtype": those of strings, of a category or enum dtype, and of objects that
        are strings; numbers and Booleans are numbers. Otherwise a mask with one Boolean a column, column indices, or
        column names: each distinct value in these columns is a category, and all others must hold numbers.
    owner : str
        The estimator's name, for errors.
    with_booleans : bool
        Whether "from_dtype" takes Booleans for categories, too; not for an opened table, whose readers share one way.
    """
    if isinstance(X, TableHandle):
        return X.learn(categorical_features, owner)
    return learn_source(open_table(X, owner), categorical_features, with_booleans)


def learn_source(
    source: TableSource, categorical_features: Any = "from_dtype", with_booleans: bool = False
) -> tuple[Schema, Table]:
    """The same of an opened table."""
    names: Sequence[str | None] = feature_names(source) or [None] * source.n_columns
    chosen = np.flatnonzero(choose_categories(categorical_features, source, names, with_booleans)).tolist()
    labels = {index: source.labels(index) for index in chosen}
    categories = {index: tuple(sorted(set(column.values))) for index, column in labels.items()}
    schema = Schema(
        tuple(
            SchemaColumn(name, categories[index], shown=_shown(labels[index], categories[index]))
            if index in categories
            else SchemaColumn(name, boolean=source.is_boolean(index))
            for index, name in enumerate(names)
        )
    )
    remedy = "Name the column in categorical_features, set categorical_features='from_dtype', or turn it into numbers."
    return schema, schema._table(source, labels.pop, remedy)


def _shown(labels: DictionaryColumn, categories: tuple) -> tuple[int, ...] | None:
    """The declared order of the categories; None if it is ascending, or there is none."""
    if not labels.declared or len(set(labels.values)) < len(labels.values):
        return None
    place = {value: number for number, value in enumerate(categories)}
    order = tuple(place[value] for value in labels.values)
    return None if order == tuple(range(len(order))) else order


def without_idle_categories(schema: Schema, table: Any, weights: Weights) -> tuple[Schema, Any]:
    """The schema without categories that only rows of weight 0 have, and the table (here or remote) read by it.

    So a model is that of the table without these rows. Where they hold such a category, it is missing.
    """
    rows = weights.rows()
    sizes = {j: len(one.categories) for j, one in enumerate(schema.columns) if one.categories}
    if rows is None or not sizes:
        return schema, table
    used = {j: one for j, one in table.used_categories(sizes, rows).items() if not one.all()}
    if not used:
        return schema, table
    columns = list(schema.columns)
    for j, one in used.items():
        kept = tuple(value for value, there in zip(columns[j].categories or (), one.tolist()) if there)
        number, shown = one.cumsum() - 1, columns[j].shown
        order = None if shown is None else tuple(int(number[k]) for k in shown if one[k])
        columns[j] = SchemaColumn(columns[j].name, kept, shown=order)
    schema = Schema(tuple(columns))
    return schema, table.recoded(schema, used)


def choose_categories(
    categorical_features: Any, source: TableSource, names: Sequence[str | None], with_booleans: bool = False
) -> np.ndarray:
    """Return which columns are categories, as a mask."""
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            _refuse(categorical_features, f"to name one column, write [{categorical_features!r}]")
        return np.array([source.is_labelled(index, with_booleans) for index in range(source.n_columns)], dtype=bool)
    wanted = np.asarray([] if categorical_features is None else categorical_features)
    if wanted.ndim != 1:
        _refuse(categorical_features, "a sequence of one dimension is needed")
    if wanted.size == 0:
        return np.zeros(source.n_columns, dtype=bool)
    if isinstance(source, SparseSource):
        _refuse(categorical_features, "X is sparse and holds numbers only; pass X.toarray() to have categories")
    if wanted.dtype.kind == "b":
        return _choose_by_mask(wanted, source.n_columns)
    if wanted.dtype.kind in "iu":
        return _choose_by_index(wanted, source.n_columns)
    if all(isinstance(name, str) for name in wanted):
        return _choose_by_name(wanted, names)
    _refuse(categorical_features, "its values must be all Booleans, all integers or all strings")


def _choose_by_mask(mask: np.ndarray, n_columns: int) -> np.ndarray:
    if len(mask) != n_columns:
        _refuse(mask.tolist(), f"a mask needs one Boolean per column ({n_columns}), but this one has {len(mask)}")
    return mask


def _choose_by_index(indices: np.ndarray, n_columns: int) -> np.ndarray:
    if indices.min() < 0 or indices.max() >= n_columns:
        _refuse(indices.tolist(), f"indices must lie in 0..{n_columns - 1}")
    mask = np.zeros(n_columns, dtype=bool)
    mask[indices] = True
    return mask


def _choose_by_name(wanted: np.ndarray, names: Sequence[str | None]) -> np.ndarray:
    if names[0] is None:
        _refuse(wanted.tolist(), "X has no column names, so a mask or indices are needed")
    unknown = sorted(set(wanted.tolist()) - set(names))
    if unknown:
        _refuse(wanted.tolist(), f"X has no column {unknown[0]!r}; its columns are {list(names)}")
    return np.isin(np.array(names, dtype=object), wanted.astype(object))


def _refuse(value: Any, reason: str) -> NoReturn:
    raise ValueError(
        "categorical_features must be 'from_dtype', None, a Boolean mask, column indices or column names, "
        f"got {value!r}: {reason}."
    )


def _kind(category: Any) -> str:
    """What a category is, in words."""
    if isinstance(category, str):
        return "strings"
    return "Booleans" if isinstance(category, bool) else "numbers"


def _to_json(value: Any) -> Any:
    """JSON has no infinities: they become strings."""
    return repr(value) if isinstance(value, float) and math.isinf(value) else value


def _from_json(value: Any, kind: str) -> Any:
    if kind not in CATEGORY_TYPES:
        raise ValueError(f"a column's type must be one of {list(CATEGORY_TYPES)}, got {kind!r}.")
    if kind == "float" and (type(value) in (float, int) or value in ("inf", "-inf")):
        return float(value)
    if type(value) is not CATEGORY_TYPES[kind]:
        raise ValueError(f"a column of {kind} categories cannot hold {value!r}.")
    return value

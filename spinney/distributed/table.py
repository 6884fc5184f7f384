"""A dask DataFrame or Array as a table: partitions on the workers, and the schema of all of them together.

In:  a collection. Out: `DaskTable`, in place of X; `DaskRows`, in place of the table that a schema read. The
partitions are computed once and stay on the workers until they are encoded. Names, types and categories are those of
the concatenated data: categories are the sorted union of the partitions' categories.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._team import Team
from spinney.data.encode import Bins, codes_by_frequency, learn_bins, sample_rows
from spinney.data.remote_table import RemoteRows, RemoteTable
from spinney.data.schema import Schema, SchemaColumn
from spinney.data.tables import Panel, Table
from spinney.distributed import parts
from spinney.distributed.collections import find_client
from spinney.distributed.dataset import DaskDataset, open_remote_dataset
from spinney.distributed.tasks import insist, let_go, request, results, run_all, submit_all


class DaskTable(RemoteTable):
    """A collection that is being fitted."""

    def __init__(self, X: Any) -> None:
        """Its partitions begin to be computed."""
        self.client = find_client()
        self.partitions = request(self.client, lambda: self.client.compute(_delayed_parts(X)))
        self.shape: tuple[int, ...] = (-1, X.shape[1])
        self.sizes: list[int] | None = None
        self._encoded: list[list[Any]] = []  # futures of codes, for `close`

    def learn(self, categorical_features: Any, owner: str) -> tuple[Schema, RemoteRows]:
        found = self.map_parts(parts.describe, categorical_features, owner, name="schema")
        self._keep_sizes([one.n_rows for one in found], owner)
        schema = join_schemas([one.schema for one in found if one.schema is not None])
        return schema, DaskRows(self, schema, owner, False)

    def read(self, schema: Schema, owner: str = "this model", strict: bool = False) -> RemoteRows:
        if self.shape[1] != schema.n_columns:
            raise ValueError(
                f"X has {self.shape[1]} features, but {owner} is expecting {schema.n_columns} features as input."
            )
        if self.sizes is None:
            self._keep_sizes(self.map_parts(parts.count_rows, owner, name="rows"), owner)
        return DaskRows(self, schema, owner, strict)

    def encode(self, schema: Schema, bins: Bins, owner: str, strict: bool) -> list[Any]:
        """Futures of the partitions' codes."""
        args = schema, bins, owner, strict
        codes = submit_all(self.client, parts.encode, [(one, *args) for one in self.partitions], "encode")
        self._encoded.append(codes)
        return codes

    def original(self) -> Any:
        raise ValueError(
            "scoring=... needs the rows, but a dask collection keeps them on the workers. Use scoring='loss', a scorer "
            "that needs only predictions, such as 'accuracy', or metrics in eval_metric."
        )

    def close(self) -> None:
        self.partitions.clear()  # which may be the user's, too
        for futures in self._encoded:
            let_go(self.client, futures)

    def map_parts(self, function: Any, *args: Any, name: str) -> list[Any]:
        """What a function says of every partition."""
        return run_all(self.client, function, [(one, *args) for one in self.partitions], name)

    def _keep_sizes(self, sizes: list[int], owner: str) -> None:
        if not sum(sizes):
            raise ValueError(f"{owner} needs at least one row, and X has no rows.")
        self.sizes, self.shape = sizes, (sum(sizes), self.shape[1])

    def __len__(self) -> int:
        return self.shape[0]


class DaskRows(RemoteRows):
    """The rows of a collection as a schema reads them."""

    def __init__(self, table: DaskTable, schema: Schema, owner: str, strict: bool) -> None:
        assert table.sizes is not None
        self.table, self.schema, self.owner, self.strict = table, schema, owner, strict
        self.starts = np.cumsum([0, *table.sizes])
        self.n_rows, self.n_columns = int(self.starts[-1]), schema.n_columns
        self.codes: list[Any] = []  # of the partitions, that a forest was grown from: futures

    def used_categories(self, sizes: dict[int, int], rows: np.ndarray) -> dict[int, np.ndarray]:
        places = np.searchsorted(rows, self.starts)
        tasks = [
            (part, self.schema, self.owner, sizes, rows[places[k] : places[k + 1]] - int(self.starts[k]))
            for k, part in enumerate(self.table.partitions)
        ]
        found = {j: np.zeros(size, bool) for j, size in sizes.items()}
        for one in run_all(self.table.client, parts.used_categories, tasks, "categories"):
            for j, used in one.items():
                found[j] |= used
        return found

    def recoded(self, schema: Schema, used: dict[int, np.ndarray]) -> RemoteRows:
        return DaskRows(self.table, schema, self.owner, self.strict)

    def open_dataset(
        self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int | None, team: Team
    ) -> DaskDataset:
        if max_bins is None:
            raise ValueError(
                "max_bins=None sorts all values, which needs all rows in one place. Set max_bins=255 for a dask "
                "collection, or pass X.compute()."
            )
        return self.encode_dataset(self.bins(is_categorical, counts, max_bins, team), team)

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """The bins that the concatenated table would have: the same rows are looked at."""
        rows = sample_rows(self.n_rows, counts)
        tasks = []
        for k, part in enumerate(self.table.partitions):
            begin, end = int(self.starts[k]), int(self.starts[k + 1])
            own = None if rows is None else rows[np.searchsorted(rows, begin) : np.searchsorted(rows, end)] - begin
            tasks.append((part, self.schema, self.owner, own, None if counts is None else counts[begin:end]))
        every = run_all(self.table.client, parts.sample, tasks, "sample")
        found = [one for one in every if one.panels or one.frequencies]
        return join_bins(found, self.schema, None if counts is None or rows is None else counts[rows], max_bins, team)

    def encode_dataset(self, bins: Bins, team: Team) -> DaskDataset:
        codes = self.table.encode(self.schema, bins, self.owner, self.strict)
        dataset = open_remote_dataset(self.table.client, codes, self.starts, bins)
        self.table.partitions.clear()  # a worker keeps codes, not the table
        return dataset

    def grow_forest(self, *plan: Any) -> Any:
        from spinney.distributed.forests import grow_remote_forest

        return grow_remote_forest(self, *plan)

    def count_votes(self, forest: Any, in_bag: Any, answers: np.ndarray | None) -> Any:
        from spinney.distributed.forests import count_remote_votes

        return count_remote_votes(self, forest, in_bag, answers)

    def encode(self, bins: Bins, team: Team) -> np.ndarray:
        futures = self.table.encode(self.schema, bins, self.owner, self.strict)
        codes = insist(lambda: results(self.table.client, futures))
        self.table.close()
        return np.concatenate(codes, axis=1)


def _delayed_parts(X: Any) -> list[Any]:
    """The partitions of a collection, not computed yet, in the order of the rows."""
    if not hasattr(X, "to_delayed") or len(getattr(X, "shape", ())) != 2:
        raise TypeError(f"X must be a dask DataFrame or a dask Array of two dimensions, got {type(X).__name__}.")
    if hasattr(X, "chunks"):
        X = X.rechunk({1: -1})
    return list(np.ravel(X.to_delayed())) if hasattr(X, "chunks") else X.to_delayed()


# --- one of many -----------------------------------------------------------------------------------------------------


def join_schemas(found: list[Schema]) -> Schema:
    """The schema of a table from those of its parts."""
    names = [column.name for column in found[0].columns]
    for one in found[1:]:
        if [column.name for column in one.columns] != names:
            raise ValueError("The partitions of X must have the same columns, in the same order.")
    return Schema(tuple(_join_columns([one.columns[j] for one in found], j) for j in range(len(names))))


def _join_columns(parts_of_column: list[SchemaColumn], number: int) -> SchemaColumn:
    name = parts_of_column[0].name
    known = [one.categories for one in parts_of_column if one.categories is not None]
    if not known:
        return SchemaColumn(name, boolean=all(one.boolean for one in parts_of_column))
    values = [value for categories in known for value in categories]
    kinds = {type(value) for value in values}
    if str in kinds and len(kinds) > 1:
        other = next(value for value in values if not isinstance(value, str))
        label = str(number) if name is None else repr(name)
        raise TypeError(
            f"Column {label} of X holds strings in some partitions and other values, such as {other!r}, in others."
        )
    if float in kinds:
        values = [float(value) for value in values]
    elif int in kinds:
        values = [int(value) for value in values]
    return SchemaColumn(name, tuple(sorted(set(values))))


def join_bins(
    found: list[parts.Sampled], schema: Schema, weights: np.ndarray | None, max_bins: int, team: Team
) -> Bins:
    """Bins from what the partitions' samples hold; `weights` says how often the sampled rows count."""
    is_categorical = schema.is_categorical
    numbers = np.flatnonzero(~is_categorical)
    edges: list[np.ndarray] = [np.empty(0)] * schema.n_columns
    codes: list[np.ndarray] = [np.empty(0, np.uint8)] * schema.n_columns
    n_bins = np.ones(schema.n_columns, np.int32)
    if len(numbers):
        table = _join_panels(found, numbers)
        learnt = learn_bins(table, np.zeros(len(numbers), bool), weights, max_bins, team)
        for k, j in enumerate(numbers.tolist()):
            edges[j], n_bins[j] = learnt.edges[k], learnt.n_bins[k]
    for j in np.flatnonzero(is_categorical).tolist():
        if schema.columns[j].categories:
            codes[j] = codes_by_frequency(np.sum([one.frequencies[j] for one in found], axis=0), max_bins)
            n_bins[j] = int(codes[j].max()) + 1
    return Bins(tuple(edges), tuple(codes), n_bins, np.asarray(is_categorical, bool))


def _join_panels(found: list[parts.Sampled], numbers: np.ndarray) -> Table:
    """The sampled rows of all partitions, of the columns of numbers only."""
    place = {j: k for k, j in enumerate(numbers.tolist())}
    shapes = {tuple(columns for columns, _ in one.panels) for one in found}
    if len(shapes) == 1:
        joined = [
            (columns, np.concatenate([one.panels[k][1] for one in found])) for k, columns in enumerate(shapes.pop())
        ]
    else:  # dtypes differ between partitions: column by column
        by_column = [
            {j: values[:, k] for columns, values in one.panels for k, j in enumerate(columns)} for one in found
        ]
        joined = [((j,), np.concatenate([one[j] for one in by_column])[:, None]) for j in place]
    panels = tuple(Panel(values, tuple(place[j] for j in columns)) for columns, values in joined)
    return Table(len(panels[0].values), len(numbers), panels)

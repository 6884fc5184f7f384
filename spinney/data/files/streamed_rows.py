"""The rows of a streamed table as a fit gets them: bins and codes, no values.

In:  a `StreamedTable` and a schema. Out: `StreamedRows`, `OpenedRows` that read the batches once for its `bins` and
     once for its `codes`.

Bins come from a sample of rows that depends on their number and counts (`sample_rows`), as in memory; the pass collects
only these. Categories that do not all get their own code are counted in the same pass. The values of a table of less
than 1 GiB stay in memory from one pass to the next, so that it is read once.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from spinney.data.files.store import MappedArrays, Writing, bytes_of, keep
from spinney.data.files.streamed import StreamedTable, digest_of
from spinney.data.opened_table import OpenedRows
from spinney.data.tables import ALL_ROWS, Panel, Sorting, Table

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.encode import Bins
    from spinney.data.presort import Presorted
    from spinney.data.schema import Schema

_MOST_KEPT = 1 << 30  # bytes of values that stay in memory from one pass to the next


class StreamedWhole:
    """All rows of a streamed table read by one schema, and what has been made of them so far."""

    def __init__(
        self,
        origin: StreamedTable,
        schema: Schema,
        n_rows: int,
        is_own: bool,
        owner: str = "this model",
        strict: bool = False,
    ) -> None:
        """`is_own`: the schema was learnt from this table, whose codes are worth keeping."""
        self.origin, self.schema, self.n_rows, self.is_own = origin, schema, n_rows, is_own
        self.owner, self.strict = owner, strict
        self._bins: dict[Any, Bins] = {}
        self._codes: tuple[str, np.ndarray, MappedArrays | None] | None = None  # of one set of bins at a time
        self._kept: list[tuple[int, Table]] = []
        self._lock = origin.lock

    def tables(self, keep: bool = False) -> Iterator[tuple[int, Table]]:
        """(first row, table) of every batch. `keep`: another pass follows, which need not read a small table again."""
        known, self._kept = self._kept, []
        kept: list[tuple[int, Table]] = []
        keep = keep and self.origin.source.owns_batches
        for start, table in known or self._read():
            yield start, table
            size = sum(panel.values.nbytes for panel in table.panels)
            if keep and size * self.n_rows <= _MOST_KEPT * table.n_rows:
                kept.append((start, table))
            else:
                keep = False
                kept.clear()
        self._kept = kept

    def _read(self) -> Iterator[tuple[int, Table]]:
        """The same from the files: as many rows in all as the first time."""
        start = 0
        for where, table in self.origin.tables(self.schema, self.owner, self.strict):
            if start + table.n_rows > self.n_rows:
                raise ValueError(f"{where}: there are more rows than the {self.n_rows:,} of the pass before.")
            yield start, table
            start += table.n_rows
        if start != self.n_rows:
            raise ValueError(f"there are {start:,} rows now, against {self.n_rows:,} of the pass before.")

    # --- bins -------------------------------------------------------------------------------------------------------

    def bins(self, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """Those that the table in memory would have."""
        key = [max_bins, None if counts is None else digest_of([len(counts), _hash(counts)])]
        key.append(digest_of(self.schema.to_dict()))
        name = digest_of(key)
        with self._lock:
            if name not in self._bins:
                path = self.origin.path_of("bins", key)
                if path is not None and path.exists():
                    self._bins[name] = _load_bins(path)
                else:
                    self._bins[name] = self._learn(counts, max_bins, team)
                    if path is not None:
                        _keep_bins(path, self._bins[name])
        return self._bins[name]

    def _learn(self, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        from spinney.data.encode import Bins, codes_by_frequency, learn_bins, sample_rows

        is_categorical = self.schema.is_categorical
        sizes = [len(column.categories or ()) for column in self.schema.columns]
        frequency = {j: np.zeros(n) for j, n in enumerate(sizes) if n > max_bins}
        numbers = np.flatnonzero(~is_categorical)
        rows = sample_rows(self.n_rows, counts)
        sample = _Sample(rows, self.n_rows, numbers)
        if len(numbers) or frequency:
            for start, table in self.tables(keep=True):
                sample.add(start, table)
                for j, total in frequency.items():
                    _count(total, table.column(j), None if counts is None else counts[start : start + table.n_rows])
        edges: dict[int, np.ndarray] = {}
        if len(numbers):
            own = None if counts is None or rows is None else counts[rows]
            learnt = learn_bins(sample.table(), np.zeros(len(numbers), bool), own, max_bins, team)
            edges = dict(zip(numbers.tolist(), learnt.edges))
        none, no_codes = np.empty(0), np.empty(0, np.uint8)
        codes = [
            codes_by_frequency(frequency.get(j, np.empty(n)), max_bins) if is_categorical[j] and n else no_codes
            for j, n in enumerate(sizes)
        ]
        n_bins = [
            (int(codes[j].max()) + 1 if len(codes[j]) else 1) if is_categorical[j] else len(edges[j]) + 1
            for j in range(len(sizes))
        ]
        return Bins(
            edges=tuple(edges.get(j, none) for j in range(len(sizes))),
            category_codes=tuple(codes),
            n_bins=np.array(n_bins, np.int32),
            is_categorical=np.asarray(is_categorical, bool),
        )

    def ends(self, rows: np.ndarray | None) -> np.ndarray:
        """(2, columns): the least and the greatest finite value of some rows (None: all); zeros where there is none."""
        found = np.empty((2, self.schema.n_columns))
        found[0], found[1] = np.inf, -np.inf
        for start, table in self.tables(keep=True):
            some = None if rows is None else _within(rows, start, table.n_rows)
            for panel in table.panels:
                values = panel.values if some is None else panel.values[some]
                if not len(values):
                    continue
                for k, j in enumerate(panel.columns):
                    finite = values[np.isfinite(values[:, k]), k]
                    if len(finite):
                        found[0, j] = min(found[0, j], float(finite.min()))
                        found[1, j] = max(found[1, j], float(finite.max()))
        found[:, found[0] > found[1]] = 0.0
        return found

    # --- codes ------------------------------------------------------------------------------------------------------

    def codes(self, bins: Bins, team: Team) -> np.ndarray:
        """(columns, rows) uint8: all rows encoded. Nobody may write to them."""
        from spinney.data.encode import CellCache

        name, cells = _digest_of_bins(bins, self.schema), CellCache(self.n_rows)
        with self._lock:
            if self._codes is not None and self._codes[0] == name:
                return self._codes[1]
            self._codes = None
            path = self.origin.path_of("codes", [name]) if self.is_own else None
            if path is None:
                codes = np.empty((self.schema.n_columns, self.n_rows), np.uint8)
                for start, table in self.tables():
                    bins.encode_into(table, team, codes, start, 0, table.n_rows, cells)
                if self.is_own:
                    self._codes = name, codes, None
                return codes
            if not path.exists():
                shapes = {"codes": (np.uint8, (self.schema.n_columns, self.n_rows))}
                with Writing(path, shapes, {"bins": name}) as file:
                    for start, table in self.tables():
                        codes = np.empty((self.schema.n_columns, table.n_rows), np.uint8)
                        bins.encode_into(table, team, codes, 0, 0, table.n_rows, cells)
                        file.write_columns("codes", start, codes)
                    file.finish()
            kept = MappedArrays(path)
            kept.check(team.map)
            self._codes = name, kept.arrays["codes"], kept
            return kept.arrays["codes"]

    def give_back(self) -> None:
        """Mapped codes need not stay in memory."""
        if self._codes is not None and self._codes[2] is not None:
            self._codes[2].give_back()


class _Sample:
    """Some rows of columns of numbers (None: all), gathered from batch after batch."""

    def __init__(self, rows: np.ndarray | None, n_rows: int, columns: np.ndarray) -> None:
        self._rows = np.arange(n_rows) if rows is None else rows
        self._values: dict[int, np.ndarray | None] = dict.fromkeys(columns.tolist())

    def add(self, start: int, table: Table) -> None:
        first, after = np.searchsorted(self._rows, (start, start + table.n_rows))
        places = self._rows[first:after] - start
        for panel in table.panels:
            for k, j in enumerate(panel.columns):
                if j in self._values:
                    own = self._room(j, panel.values.dtype)
                    own[first:after] = np.take(panel.values[:, k], places, mode="clip")

    def _room(self, column: int, dtype: np.dtype) -> np.ndarray:
        """Batches of one column may be whole numbers of several sizes: they all fit into the larger type."""
        own = self._values[column]
        if own is None or np.promote_types(own.dtype, dtype) != own.dtype:
            own = np.empty(len(self._rows), dtype) if own is None else own.astype(dtype)
            self._values[column] = own
        return own

    def table(self) -> Table:
        panels = (Panel(values[:, None], (k,)) for k, values in enumerate(self._values.values()) if values is not None)
        return Table(len(self._rows), len(self._values), tuple(panels))


def _within(rows: np.ndarray, start: int, n_rows: int) -> np.ndarray:
    """Those of some ascending rows that lie in a batch, as places in it."""
    first, after = np.searchsorted(rows, (start, start + n_rows))
    return rows[first:after] - start


def _count(total: np.ndarray, values: np.ndarray, counts: np.ndarray | None) -> None:
    present = ~np.isnan(values)
    weights = None if counts is None else counts[present]
    total += np.bincount(values[present].astype(np.int64), weights=weights, minlength=len(total))


class StreamedRows(OpenedRows):
    """All rows of a streamed table, or some. They have bins and codes; values are an error."""

    has_values = False
    whole: Any
    rows: Any
    owner: str

    def __init__(self, whole: StreamedWhole, rows: np.ndarray | None, counts: np.ndarray | None, owner: str) -> None:
        n_rows = whole.n_rows if rows is None else len(rows)
        vars(self).update(
            whole=whole, rows=rows, n_rows=n_rows, n_columns=whole.schema.n_columns, counts=counts, owner=owner
        )

    def _refuse(self) -> NoReturn:
        origin: StreamedTable = self.whole.origin
        origin.refuse_values(self.owner)

    @property
    def panels(self) -> NoReturn:  # type: ignore[override]
        """No."""
        self._refuse()

    def is_one_row(self) -> bool:
        """There are no values that could take the short way."""
        return False

    def column(self, index: int) -> np.ndarray:
        """No."""
        self._refuse()

    def used_categories(self, sizes: dict[int, int], rows: np.ndarray) -> dict[int, np.ndarray]:
        """By a pass through the batches."""
        found = {j: np.zeros(size, bool) for j, size in sizes.items()}
        counts = np.zeros(self.whole.n_rows, bool)
        counts[rows if self.rows is None else self.rows[rows]] = True
        for start, table in self.whole.tables(keep=True):
            some = np.flatnonzero(counts[start : start + table.n_rows])
            for j, one in table.used_categories(sizes, some).items():
                found[j] |= one
        return found

    def recoded(self, schema: Schema, used: dict[int, np.ndarray]) -> StreamedRows:
        """The batches are read by the other schema."""
        whole = StreamedWhole(self.whole.origin, schema, self.whole.n_rows, False, self.owner)
        return StreamedRows(whole, self.rows, vars(self)["counts"], self.owner)

    def take(self, rows: np.ndarray) -> StreamedRows:
        """Some of these rows."""
        some = rows if self.rows is None else self.rows[rows]
        return StreamedRows(self.whole, some, vars(self)["counts"], self.owner)

    def take_columns(self, columns: np.ndarray) -> Table:
        """No."""
        self._refuse()

    def sorted(self, is_categorical: np.ndarray, team: Team, how: Sorting = ALL_ROWS) -> Presorted:
        """Codes, in memory; no values."""
        if how.bins is None:
            self._refuse()
        lists: Presorted = Table.sorted(self, is_categorical, team, how)
        return lists

    def bins(self, is_categorical: np.ndarray, counts: np.ndarray | None, max_bins: int, team: Team) -> Bins:
        """Of these rows counted so often; parts have those of the whole table."""
        return self.whole.bins(counts if self.rows is None else vars(self)["counts"], max_bins, team)

    def ends(self, rows: np.ndarray | None) -> np.ndarray:
        """By a pass through the batches."""
        if self.rows is not None:
            rows = np.sort(self.rows if rows is None else self.rows[rows])
        found: np.ndarray = self.whole.ends(rows)
        return found

    def codes(self, bins: Bins, team: Team, start: int = 0, stop: int | None = None) -> np.ndarray:
        """By a pass through the batches, unless they are known."""
        codes: np.ndarray = self.whole.codes(bins, team)
        stop = self.n_rows if stop is None else stop
        if self.rows is not None:
            return np.take(codes, self.rows[start:stop], axis=1)
        return codes if (start, stop) == (0, self.n_rows) else np.ascontiguousarray(codes[:, start:stop])


def _hash(array: np.ndarray) -> str:
    return blake2b(bytes_of(array), digest_size=12).hexdigest()


def _digest_of_bins(bins: Bins, schema: Schema) -> str:
    from spinney.data.encode import split_bins

    parts = {name: [str(one.dtype), _hash(one) if one.size else ""] for name, one in split_bins(bins).items()}
    return digest_of([parts, schema.to_dict()])


def _keep_bins(path: Any, bins: Bins) -> None:
    from spinney.data.encode import split_bins

    keep(path, split_bins(bins), {})


def _load_bins(path: Any) -> Bins:
    from spinney.data.encode import make_bins

    kept = MappedArrays(path)
    kept.check(lambda function, parts: [function(one) for one in parts])
    return make_bins(**{name: array.copy() for name, array in kept.arrays.items()})

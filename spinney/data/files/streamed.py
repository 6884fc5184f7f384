"""Tables opened from files or batches, for fits on tables larger than memory.

    files ── BatchSource ──first pass──> schema, target, weights ──bins──> a sample's edges ──codes──> one byte per cell

In:  a `BatchSource` (`batches.py`).
Out: a `StreamedTable`, which stands for X like any `OpenedTable`. A fit gets its rows as `StreamedRows`, a table that
     has bins and codes but no values. Both are learnt in passes through the batches, when they are asked for: bins from
     the very rows that a table in memory would learn them from, so that codes, and models, are those of the table in
     memory, bit for bit.

Codes are kept in memory, or in files that are mapped (`store.py`), with what else the passes have found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils import _safe_indexing

from spinney.data.files.batches import Batch, BatchSource, check_batch, concat, names_of, one_column, pick
from spinney.data.files.store import MappedArrays, keep
from spinney.data.opened_table import OpenedTable, key_of
from spinney.data.reading import feature_names, open_table, read_objects, read_series
from spinney.data.schema import Schema, SchemaColumn, choose_categories
from spinney.data.tables import DictionaryColumn, NumberColumn

if TYPE_CHECKING:
    from spinney.data.files.streamed_rows import StreamedWhole
    from spinney.data.tables import Table


# ----------------------------------------------------------------------------------------------------------------------
# The result of the first pass through batches: the schema, the number of rows, and columns besides the features.
#
# In: columns of batches. Out: a `StreamSummary`, which can be stored in a file (`store.py`).


class SideColumn:
    """A column beside the features: the target, or weights. Text is kept as numbers of its words."""

    def __init__(self, values: np.ndarray, words: list | None = None) -> None:
        self.values, self.words = values, words

    def array(self) -> np.ndarray:
        """One value per row. Nobody may write to it."""
        if self.words is None:
            own = self.values.view()
            own.flags.writeable = False
            return own
        return np.array(self.words, object if isinstance(self.words[0], str) else None)[self.values]


class StreamSummary:
    """What a first pass has found."""

    def __init__(self, schema: Schema, n_rows: int, sides: dict[str, SideColumn]) -> None:
        self.schema, self.n_rows, self.sides = schema, n_rows, sides


def says_nothing(frame: Any, name: Any) -> bool:
    """Whether all values of a column are missing, and its type tells neither words nor numbers."""
    column = one_column(frame, name)
    if isinstance(column, np.ndarray):
        return column.dtype == object and all(value is None or value != value for value in column)
    is_open = getattr(column.to_native(), "dtype", None) == np.dtype(object) or column.dtype in (nw.Object, nw.Unknown)
    return is_open and column.null_count() == len(column)


def read_column(frame: Any, name: Any) -> NumberColumn | DictionaryColumn:
    """One column of a batch."""
    column = one_column(frame, name)
    if not isinstance(column, np.ndarray):
        return read_series(column, f"Column {name!r}")
    return NumberColumn(column) if column.dtype.kind in "biuf" else read_objects(column.tolist(), f"Column {name}")


def own_column(column: NumberColumn | DictionaryColumn) -> NumberColumn | DictionaryColumn:
    """A column that neither keeps the batch it is from nor changes with it."""
    return NumberColumn(column.values.copy(), column.missing) if isinstance(column, NumberColumn) else column


def add_values(known: set, frame: Any, name: Any) -> None:
    column = read_column(frame, name)
    new = (column if isinstance(column, DictionaryColumn) else column.labels()).values
    if known and new and isinstance(new[0], str) != isinstance(next(iter(known)), str):
        raise TypeError(
            f"column {name!r} holds {new[0]!r}, but {next(iter(known))!r} in the rows before: strings and numbers in "
            "one column."
        )
    known.update(new)


def join_parts(kind: str, name: Any, parts: list[tuple[str, NumberColumn | DictionaryColumn]]) -> SideColumn:
    """The parts of a column beside the features."""
    what = "the target" if kind == "y" else kind
    for where, one in parts:
        if isinstance(one, NumberColumn):
            missing = one.missing.any() if one.missing is not None else False
            missing = missing or (one.values.dtype.kind == "f" and np.isnan(one.values).any())
        else:
            missing = bool((one.codes < 0).any())
        if missing:
            raise ValueError(f"{where}: {what}, column {name!r}, has missing values: drop those rows first.")
    labelled = [isinstance(one, DictionaryColumn) for _, one in parts]
    if any(labelled) and not all(labelled):
        where = parts[labelled.index(not labelled[0])][0]
        raise TypeError(f"{where}: {what}, column {name!r}, is strings in some rows and numbers in others.")
    if kind == "sample_weight" and any(labelled):
        word = parts[labelled.index(True)]
        raise TypeError(f"{word[0]}: sample_weight, column {name!r}, holds strings, such as {word[1].values[0]!r}.")  # type: ignore
    if not any(labelled):
        return SideColumn(np.concatenate([one.values for _, one in parts]))  # type: ignore[union-attr]
    words = sorted({value for _, one in parts for value in one.values})  # type: ignore[union-attr]
    place = {value: k for k, value in enumerate(words)}
    small = np.uint8 if len(words) < 256 else np.int32
    numbers = [one.spread([place[value] for value in one.values], np.float64) for _, one in parts]  # type: ignore
    return SideColumn(np.concatenate([part.astype(small) for part in numbers]), words)


def keep_summary(path: Path, summary: StreamSummary) -> None:
    arrays = {kind: side.values for kind, side in summary.sides.items()}
    words = {kind: side.words for kind, side in summary.sides.items()}
    keep(path, arrays, {"schema": summary.schema.to_dict(), "n_rows": summary.n_rows, "words": words})


def load_summary(path: Path) -> StreamSummary:
    kept = MappedArrays(path)
    kept.check(lambda function, parts: [function(one) for one in parts])
    about = kept.header["about"]
    sides = {kind: SideColumn(values, about["words"][kind]) for kind, values in kept.arrays.items()}
    return StreamSummary(Schema.from_dict(about["schema"]), about["n_rows"], sides)


_VERSION = 2  # of what is kept in files, and of how files of text are read
_INDEX = re.compile(r"__index_level_\d+__")


class StreamedTable(OpenedTable):
    """Data in files or batches, opened by `spinney.open_table` and passed to `fit` and `predict` as X.

    Attributes
    ----------
    columns : list
        Names of the feature columns; their indices if batches are arrays.
    n_rows : int
        Number of rows.
    shape : tuple of int
        Number of rows and number of feature columns.
    y : ndarray or None
        The target; None if `open_table` was given none.
    sample_weight : ndarray or None
        The sample weights; None if `open_table` was given none.

    Examples
    --------
    >>> import numpy as np
    >>> import spinney
    >>> X = np.arange(12.0).reshape(4, 3)
    >>> table = spinney.open_table(lambda: np.split(X, 2), target=2)
    >>> table.shape, table.y.tolist()
    ((4, 2), [2.0, 5.0, 8.0, 11.0])
    >>> [len(batch) for batch in table.batches()]
    [2, 2]
    >>> bool((table.collect() == X[:, :2]).all())
    True
    """

    streams = True

    def __init__(
        self,
        source: BatchSource,
        target: Any,
        sample_weight: Any,
        drop: Sequence[Any],
        cache: Path | None,
        options: Any,
    ) -> None:
        """Look at the first batch for the names of the columns."""
        self.source, self.cache, self.rows, self.counts = source, cache, None, None
        self.lock, self._summaries = RLock(), {}  # type: ignore[var-annotated]
        self._wholes: dict[Any, tuple[Schema, StreamedWhole]] = {}
        self._sides = {"y": target, "sample_weight": sample_weight}
        self.target_name = target
        self._digest: str | None = None
        if cache is not None:
            identity = source.identity()
            if identity is None:
                raise ValueError(
                    "cache=... needs data in files, but these batches do not come from files. Leave it out, or write "
                    "them to files first."
                )
            self._digest = digest_of([_VERSION, identity, target, sample_weight, list(drop), options])
        self._known: list[Any] = []  # the columns of the first batch
        first = self._first()
        if first is None:
            raise ValueError("there are no rows: the files or batches are empty.")
        known = self._known = names_of(first.frame)
        for option, name in (("target", target), ("sample_weight", sample_weight), *(("drop", one) for one in drop)):
            if name is not None and name not in known:
                raise ValueError(f"{option}: there is no column {name!r} in {first.where}; its columns are {known}.")
        if target is not None and target == sample_weight:
            raise ValueError(f"target and sample_weight are the same column, {target!r}.")
        beside = {target, sample_weight, *drop} - {None}
        # pandas writes the numbers of its rows to files as columns of this name
        self.columns = [name for name in known if name not in beside and not _INDEX.fullmatch(str(name))]
        if not self.columns:
            raise ValueError("there is no feature column besides the target.")

    # --- what users ask ---------------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        return self._any_summary().n_rows if self.rows is None else len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return self.n_rows, len(self.columns)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def y(self) -> np.ndarray | None:
        return self._side("y")

    @property
    def sample_weight(self) -> np.ndarray | None:
        return self._side("sample_weight")

    def _side(self, name: str) -> np.ndarray | None:
        side = self._any_summary().sides.get(name)
        if side is None:
            return None
        return side.array() if self.rows is None else side.array()[self.rows]

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: what has been found out stays here, and is found there when it is asked for."""
        return {**vars(self), "lock": None, "_summaries": {}, "_wholes": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.lock = RLock()

    def __getitem__(self, rows: Any) -> StreamedTable:
        """Rows by numbers, a mask or a slice. No data is read."""
        other = self.with_counts(self.counts)
        other.rows = np.atleast_1d((np.arange(self.n_rows) if self.rows is None else self.rows)[rows])
        return other

    def batches(self) -> Iterator[Any]:
        """Iterate over the feature columns of all rows, batch by batch.

        Yields
        ------
        DataFrame, table or ndarray
            A table in memory, of the type that the files or batches have.
        """
        for batch in self._batches(self.columns):
            yield pick(batch.frame, self.columns)

    def collect(self) -> Any:
        """Read the feature columns of all rows into memory, for models that need their values.

        Returns
        -------
        DataFrame, table or ndarray
            All rows as one table in memory, of the type that the files or batches have.
        """
        parts: list[Any] = []
        places: list[np.ndarray] = []
        before = 0
        for part in self.batches():
            if self.rows is not None:  # only these are kept
                n = part.num_rows if hasattr(part, "num_rows") else len(part)
                place = np.flatnonzero((self.rows >= before) & (self.rows < before + n))
                if parts and not len(place):
                    before += n
                    continue
                part = _safe_indexing(part, self.rows[place] - before)
                places.append(place)
                before += n
            if not self.source.owns_batches:  # the next one may be written to the same place
                part = part.copy() if isinstance(part, np.ndarray) else nw.from_native(part).clone().to_native()
            parts.append(part)
        if isinstance(parts[0], np.ndarray):
            whole: Any = np.concatenate(parts)
        else:
            whole = concat(parts) if len(parts) > 1 else parts[0]
        return whole if self.rows is None else _safe_indexing(whole, np.argsort(np.concatenate(places)))

    def __repr__(self) -> str:
        kept = "in memory" if self.cache is None else f"in {self.cache}"
        return f"StreamedTable({len(self.columns)} columns, codes {kept})"

    # --- an opened table --------------------------------------------------------------------------------------------

    def refuse_values(self, owner: str) -> NoReturn:
        """Say that a model needs values."""
        raise TypeError(
            f"{owner} needs the values of X in memory, but X was opened with spinney.open_table. Pass X.collect() if "
            "it fits into memory, or a sample of the rows."
        )

    def original(self) -> Any:
        """Nobody gets all values by accident."""
        self.refuse_values("this model, or its init or scoring,")

    def learn(self, categorical_features: Any, owner: str) -> tuple[Schema, Table]:
        """The schema of the whole table, and its rows, without values."""
        from spinney.data.files.streamed_rows import StreamedRows, StreamedWhole

        key = key_of(categorical_features)
        with self.lock:
            if key not in self._wholes:
                summary = self._summary(categorical_features)
                self._wholes[key] = summary.schema, StreamedWhole(self, summary.schema, summary.n_rows, True)
        schema, whole = self._wholes[key]
        return schema, StreamedRows(whole, self.rows, self.counts, owner)

    def read(self, schema: Schema, owner: str = "this model", strict: bool = False) -> Table:
        """The rows as a schema reads them, learnt here or elsewhere."""
        from spinney.data.files.streamed_rows import StreamedRows, StreamedWhole

        for known, whole in self._wholes.values():
            if known is schema:
                return StreamedRows(whole, self.rows, self.counts, owner)
        whole = StreamedWhole(self, schema, self.n_rows, False, owner, strict)
        return StreamedRows(whole, self.rows, self.counts, owner)

    def with_counts(self, counts: np.ndarray | None) -> StreamedTable:
        """The same table whose parts have bins of all rows, counted so often."""
        other = object.__new__(StreamedTable)
        vars(other).update(vars(self))
        other.counts = counts
        return other

    # --- passes -----------------------------------------------------------------------------------------------------

    def _batches(self, columns: Sequence[Any] | None, ahead: bool = True) -> Iterator[Batch]:
        """One pass. Batches without rows are passed over."""
        for batch in self.source.batches(columns if self.source.picks_columns else None, ahead):
            if check_batch(batch.frame):
                if not self.source.picks_columns:  # else whoever read it has looked
                    self._check_names(batch)
                yield batch

    def _check_names(self, batch: Batch) -> None:
        names = names_of(batch.frame)
        if self._known and set(names) != set(self._known):
            raise ValueError(f"{batch.where} has the columns {names}, but the first batch has {self._known}.")

    def _first(self) -> Batch | None:
        """The first batch that has rows."""
        return next(self._batches(None, ahead=False), None)

    def tables(self, schema: Schema, owner: str, strict: bool = False) -> Iterator[tuple[str, Table]]:
        """All batches, read by a schema."""
        for batch in self._batches(self.columns):
            with at(batch.where):
                yield batch.where, schema.read(pick(batch.frame, self.columns), owner, strict=strict)

    def path_of(self, kind: str, key: Any) -> Path | None:
        """Where something of this table is kept; None if nothing is."""
        return None if self.cache is None else self.cache / f"{self._digest}-{digest_of(key)}.{kind}"

    def _summary(self, categorical_features: Any) -> StreamSummary:
        """What there is to know before the bins."""
        key = key_of(categorical_features)
        with self.lock:
            if key not in self._summaries:
                path = self.path_of("look", [repr(key)])
                if path is not None and path.exists():
                    self._summaries[key] = load_summary(path)
                else:
                    self._summaries[key] = self._first_pass(categorical_features)
                    if path is not None:
                        keep_summary(path, self._summaries[key])
        found: StreamSummary = self._summaries[key]
        return found

    def _decide(self, columns: list[int], categorical_features: Any, names: Any, is_chosen: np.ndarray) -> None:
        """Columns that hold nothing in the first batch are what they are in the first one where they hold something."""
        waiting = set(columns)
        for batch in self._batches(None, ahead=False):
            found = {j for j in waiting if not says_nothing(batch.frame, self.columns[j])}
            if found:
                source = open_table(pick(batch.frame, self.columns))
                chosen = choose_categories(categorical_features, source, names)
                for j in found:
                    is_chosen[j] = chosen[j]
            waiting -= found
            if not waiting:
                return

    def _any_summary(self) -> StreamSummary:
        """What does not depend on the choice of categories."""
        with self.lock:
            return next(iter(self._summaries.values()), None) or self._summary("from_dtype")

    def _first_pass(self, categorical_features: Any) -> StreamSummary:
        """Categories, target, weights and the number of rows; of columns that need not be read, nothing is."""
        first = self._first()
        assert first is not None
        with at(first.where):
            source = open_table(pick(first.frame, self.columns))
            names: Sequence[str | None] = feature_names(source) or [None] * len(self.columns)
            is_chosen = choose_categories(categorical_features, source, names)
            undecided = [j for j, name in enumerate(self.columns) if says_nothing(first.frame, name)]
            if undecided:
                self._decide(undecided, categorical_features, names, is_chosen)
            chosen = np.flatnonzero(is_chosen).tolist()
            booleans = [j not in chosen and source.is_boolean(j) for j in range(len(names))]
        known = next(iter(self._summaries.values()), None)  # of another choice of categories
        sides = {} if known else {kind: name for kind, name in self._sides.items() if name is not None}
        del source, first
        values: dict[int, set] = {j: set() for j in chosen}
        found: dict[str, list[tuple[str, Any]]] = {kind: [] for kind in sides}
        wanted = [*(self.columns[j] for j in chosen), *sides.values()]
        if self.source.picks_columns and not wanted:
            n_rows = known.n_rows if known else self.source.count_rows()
        else:
            n_rows = 0
            for batch in self._batches(wanted):
                n_rows += len(batch.frame)
                with at(batch.where):
                    for j in chosen:
                        add_values(values[j], batch.frame, self.columns[j])
                    for kind, name in sides.items():
                        found[kind].append((batch.where, own_column(read_column(batch.frame, name))))
        read = known.sides if known else {kind: join_parts(kind, sides[kind], parts) for kind, parts in found.items()}
        schema = Schema(
            tuple(
                SchemaColumn(name, tuple(sorted(values[j]))) if j in values else SchemaColumn(name, boolean=booleans[j])
                for j, name in enumerate(names)
            )
        )
        assert n_rows is not None
        return StreamSummary(schema, n_rows, read)


def digest_of(what: Any) -> str:
    """A short hash of what JSON can say."""
    return blake2b(json.dumps(what, default=str).encode(), digest_size=12).hexdigest()


@contextmanager
def at(where: str) -> Iterator[None]:
    """Inside, errors name the place."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if str(error).startswith(where):
            raise
        raise type(error)(f"{where}: {error}") from error

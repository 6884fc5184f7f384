"""The rows of a streamed table as a fit gets them: bins and codes, no values.

In:  a `StreamedTable` and a schema. Out: `StreamedRows`, a `Part`: `learn_bins` and `Bins.encode` call it, and it reads
     the batches once for bins and once for codes.

Bins come from a sample of rows that depends on their number and counts (`sample_rows`), as in memory; the pass collects
only these. Categories that do not all get their own code are counted in the same pass. The values of a table of less
than 1 GiB stay in memory from one pass to the next, so that it is read once.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import secrets
import zlib
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from spinney.data.files.streamed import StreamedTable, digest_of
from spinney.data.opened_table import Part
from spinney.data.tables import Panel, Table

if TYPE_CHECKING:
    from spinney._team import Team
    from spinney.data.encode import Bins
    from spinney.data.presort import Presorted
    from spinney.data.schema import Schema


# ----------------------------------------------------------------------------------------------------------------------
# Encoded tables stored in a folder: arrays with checksums, complete or not at all.
#
# In: arrays, and a description of what they belong to. Out: files that can be used again, each
#
#     magic   8 bytes
#     header  one or several pages of 4,096 bytes: JSON with the arrays' shapes, types, places and checksums
#     arrays  each beginning with a page, so that it can be mapped
#
# A file is written under a temporary name, flushed to the disk and then renamed, so a file with its final name is
# complete. A reader compares all checksums. A damaged file raises an error that names it; one of another version is not
# used.


_MAGIC = b"SPNYTBL1"
_PAGE = 4096
_PIECE = 1 << 24  # bytes that a checksum is made of at a time


class Kept:
    """Arrays of a file, mapped: pages are read when they are looked at, and may be given back."""

    def __init__(self, path: Path) -> None:
        """Map the file and read its header. A ValueError names the file if it is damaged."""
        self.path = path
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < 16:
                raise ValueError(f"{path} is damaged (it is empty): delete it.")
            # private: nobody can write to the file through it, and kernels see arrays like any other
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        n = int.from_bytes(self.memory[8:16], "little")
        try:
            if self.memory[:8] != _MAGIC or n > len(self.memory):
                raise ValueError("its beginning is another's")
            self.header = json.loads(self.memory[16 : 16 + n])
            self.arrays = {name: self._array(**one) for name, one in self.header["arrays"].items()}
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is damaged ({error}): delete it.") from error

    def _array(self, dtype: str, shape: list[int], place: int, sums: list[int]) -> np.ndarray:
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.memory, dtype, count, place).reshape(shape)

    def check(self, spread: Callable[[Callable[[Any], Any], list[Any]], list[Any]]) -> None:
        """Compare all checksums; `spread` maps a function over parts, perhaps in threads."""
        parts = [
            (f"{name}, part {k}", part, wanted)
            for name, array in self.arrays.items()
            for k, (part, wanted) in enumerate(zip(_parts(array), self.header["arrays"][name]["sums"]))
        ]
        found = spread(lambda one: checksum(one[1]), parts)
        for (name, _, wanted), own in zip(parts, found):
            if own != wanted:
                raise ValueError(f"{self.path} is damaged (checksum of {name}): delete it.")
        self.give_back()

    def give_back(self) -> None:
        """Let the system have the memory of pages that nobody needs just now."""
        with contextlib.suppress(AttributeError, ValueError, OSError):
            self.memory.madvise(mmap.MADV_DONTNEED)


def _parts(array: np.ndarray) -> list[np.ndarray]:
    """What has a checksum each: rows of two dimensions, or all."""
    return list(array) if array.ndim > 1 else [array]


def bytes_of(array: np.ndarray) -> memoryview:
    """An array's bytes, not copied if they lie side by side."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def checksum(array: np.ndarray, begun: int = 0) -> int:
    """CRC-32 of an array's bytes, after what came before."""
    if not array.size:
        return begun
    data = bytes_of(array)
    for start in range(0, len(data), _PIECE):
        begun = zlib.crc32(data[start : start + _PIECE], begun)
    return begun


class Writing:
    """A file on its way: lay arrays down, then `finish`. Used with `with`: what is not finished leaves nothing."""

    def __init__(self, path: Path, shapes: Mapping[str, tuple[Any, tuple[int, ...]]], about: Mapping[str, Any]) -> None:
        """Take the room on the disk that all arrays need; a full disk is said now."""
        self.path = path
        self._places: dict[str, int] = {}
        self._header: dict[str, Any] = {"about": dict(about), "arrays": {}}
        sizes = [400 + 12 * (shape[0] if len(shape) > 1 else 1) for _, shape in shapes.values()]
        most = len(json.dumps(self._header)) + sum(sizes)
        at = _up_to_page(16 + most)
        for name, (dtype, shape) in shapes.items():
            kind = np.dtype(dtype)
            self._header["arrays"][name] = {"dtype": kind.str, "shape": list(shape), "place": at, "sums": []}
            at = _up_to_page(at + int(np.prod(shape, dtype=np.int64)) * kind.itemsize)
        self._sums = {name: [0] * (shape[0] if len(shape) > 1 else 1) for name, (_, shape) in shapes.items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._temporary = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
        self._file = os.open(self._temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        self.size = at
        with self._explaining():
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._file, 0, at)
            else:
                os.truncate(self._file, at)

    def __enter__(self) -> Writing:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        with contextlib.suppress(OSError):  # it has another name if all went well
            self._temporary.unlink()

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.__exit__()
            raise OSError(
                error.errno,
                f"cannot keep {self.size / 2**30:.2f} GiB of codes in the folder {self.path.parent}: {error.strerror}",
            ) from error

    def write(self, name: str, array: np.ndarray) -> None:
        """A whole array."""
        self.write_columns(name, 0, array if array.ndim > 1 else array[None, :])

    def write_columns(self, name: str, start: int, block: np.ndarray) -> None:
        """Some columns of every row of an array, those from `start` on; blocks come in their order."""
        own, sums = self._header["arrays"][name], self._sums[name]
        item, length = np.dtype(own["dtype"]).itemsize, own["shape"][-1]
        for k, row in enumerate(block):
            data = bytes_of(row)
            sums[k] = zlib.crc32(data, sums[k])
            at = own["place"] + (k * length + start) * item
            with self._explaining():
                while data:
                    done = os.pwrite(self._file, data, at)
                    data, at = data[done:], at + done

    def finish(self) -> None:
        """Write the header, wait for the disk, and give the file its name."""
        for name, sums in self._sums.items():
            self._header["arrays"][name]["sums"] = sums
        text = json.dumps(self._header).encode()
        with self._explaining():
            os.pwrite(self._file, _MAGIC + len(text).to_bytes(8, "little") + text, 0)
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1
            os.replace(self._temporary, self.path)
            _sync_folder(self.path.parent)


def _up_to_page(n: int) -> int:
    return -(-n // _PAGE) * _PAGE


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def keep(path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Write small arrays at once."""
    shapes = {name: (array.dtype, array.shape) for name, array in arrays.items()}
    with Writing(path, shapes, about) as file:
        for name, array in arrays.items():
            if array.size:
                file.write(name, array)
        file.finish()


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
        self._codes: tuple[str, np.ndarray, Kept | None] | None = None  # of one set of bins at a time
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
        from spinney.data.encode import Cells

        name, cells = _digest_of_bins(bins, self.schema), Cells(self.n_rows)
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
            kept = Kept(path)
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


class StreamedRows(Part):
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

    def presorted(self, rows: np.ndarray | None, with_values: bool, team: Team, n_others: int) -> Presorted | None:
        """No."""
        self._refuse()

    def bins(self, max_bins: int, team: Team, counts: np.ndarray | None = None) -> Bins:
        """Of these rows counted so often; parts have those of the whole table."""
        return self.whole.bins(counts if self.rows is None else vars(self)["counts"], max_bins, team)

    def ends(self, rows: np.ndarray | None) -> np.ndarray | None:
        """By a pass through the batches."""
        if self.rows is not None:
            rows = np.sort(self.rows if rows is None else self.rows[rows])
        return self.whole.ends(rows)

    def codes(self, bins: Bins, team: Team, start: int, stop: int) -> np.ndarray | None:
        """(columns, rows) uint8: the rows start..stop encoded."""
        codes = self.whole.codes(bins, team)
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

    kept = Kept(path)
    kept.check(lambda function, parts: [function(one) for one in parts])
    return make_bins(**{name: array.copy() for name, array in kept.arrays.items()})

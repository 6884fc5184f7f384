"""Files in batches: Parquet, Arrow (IPC) and CSV, read by polars or pyarrow, whichever is installed.

In: names of files. Out: their rows, in batches, each with a text that names the place: file and row group, record batch
or lines. A file is identified by name, size and modification time. A file that changes or disappears between two passes
raises an error, and so does one whose columns differ from the first file's.
"""

from __future__ import annotations

import errno
import glob
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from spinney.data.batches import Batch, Waiting, one_by_one, read_ahead
from spinney.data.text_batches import TextReader

_MOST_CELLS, _FEW_CELLS = 2**25, 2**22  # of a batch, and of row groups that are read together
_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".csv", ".tsv")


class Reader(Protocol):
    """A format of files."""

    picks_columns: bool

    def names(self, path: Path) -> list[str]:
        """The names of a file's columns."""

    def count_rows(self, path: Path) -> int:
        """How many rows a file has."""

    def learn(self, path: Path) -> None:
        """Done of all files, in their order, before any is read."""

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[Waiting]:
        """All rows, in their order, in batches that are still to be read."""


class FileBatches:
    """Files of one format, one after the other."""

    folder: Any = None  # a temporary one, to be kept as long as this
    is_temporary = False
    owns_batches = True

    def __init__(self, paths: Sequence[Path], reader: Reader) -> None:
        """Look at the files' sizes; nothing is read yet."""
        self.paths, self.reader = list(paths), reader
        self.picks_columns = reader.picks_columns
        self._marks = {path: _mark(path) for path in self.paths}
        self._names: dict[Path, list[str]] = {}  # of files that were looked at

    def identity(self) -> list[Any] | None:
        """Names, sizes and times."""
        if self.is_temporary:
            return None
        return [[str(path.resolve()), *self._marks[path]] for path in self.paths]

    def count_rows(self) -> int:
        """By what the files say of themselves; files of text are gone through."""
        return sum(self._of(path, lambda path: self.reader.count_rows(path)) for path in self.paths)

    def batches(self, columns: Sequence[str] | None = None, ahead: bool = True) -> Iterator[Batch]:
        """File after file. Errors name the place."""
        waiting = self._waiting(columns)
        return read_ahead(waiting) if ahead else (one.read() for one in waiting)

    def _waiting(self, columns: Sequence[str] | None) -> Iterator[Waiting]:
        for path in self.paths:
            if path not in self._names:
                self._names[path] = self._of(path, self.reader.names)
                self._check_names(path)
                self._of(path, self.reader.learn)
        for path in self.paths:
            self._check(path)
            names = self._names[path]
            for one in self.reader.waiting(path, columns, len(names) if columns is None else len(columns)):
                yield Waiting(one.n_cells, partial(self._read, path, one.read))

    def _read(self, path: Path, read: Callable[[], Batch]) -> Batch:
        """A batch of a file that is the same after it was read."""
        batch = read()
        self._check(path)
        return batch

    def _of(self, path: Path, ask: Any) -> Any:
        """What a reader says of a file that is still the one it was."""
        self._check(path)
        with reading(str(path)):
            return ask(path)

    def _check(self, path: Path) -> None:
        if _mark(path) != self._marks[path]:
            raise ValueError(f"{path} has changed since the table was opened: open the table again.")

    def _check_names(self, path: Path) -> None:
        first, names = self.paths[0], self._names[path]
        lacking = [name for name in self._names[first] if name not in names]
        further = [name for name in names if name not in self._names[first]]
        if lacking:
            raise ValueError(f"{path} has no column {lacking[0]!r}, which {first} has: its columns are {names}.")
        if further:
            raise ValueError(f"{path} has a column {further[0]!r}, which {first} does not have.")


def _mark(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} does not exist, or was removed.") from None
    return found.st_size, found.st_mtime_ns


_NO_MEMORY = (  # how errors without a number say it: polars's, Python's threads, and those of Rust
    "Cannot allocate memory",
    "can't start new thread",
    "failed to spawn thread",
    "could not spawn thread",
    "Out of memory",
    "out of memory",
)


class reading:
    """Inside, whatever goes wrong with a file is told with its place."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        # polars' panics are no Exception
        if error is None or not (isinstance(error, Exception) or kind.__name__ == "PanicException"):
            return
        text = " ".join(str(error).split())
        if isinstance(error, MemoryError) or text.startswith(self.where):
            return
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(f"{self.where}: the file was removed.") from error
        if getattr(error, "errno", None) == errno.ENOMEM or any(words in text for words in _NO_MEMORY):
            raise MemoryError(f"{self.where} cannot be read, no memory is left: {text[:300]}") from error
        raise ValueError(f"{self.where} cannot be read, the file may be damaged: {text[:300]}") from error


def _pieces(start: int, n_rows: int, n_columns: int) -> Iterator[tuple[int, int]]:
    """(start, length) of pieces that are no larger than a batch should be."""
    most = max(1, _MOST_CELLS // max(1, n_columns))
    n_pieces = max(1, -(-n_rows // most))
    for k in range(n_pieces):
        a, b = n_rows * k // n_pieces, n_rows * (k + 1) // n_pieces
        yield start + a, b - a


class ParquetReader:
    """Row group by row group; large ones in pieces."""

    picks_columns = True

    def names(self, path: Path) -> list[str]:
        if find_spec("pyarrow") is None:
            import polars

            return polars.scan_parquet(path, glob=False).collect_schema().names()
        import pyarrow.parquet

        return list(pyarrow.parquet.read_schema(path).names)

    def learn(self, path: Path) -> None:
        """Nothing: the file says it all."""

    def count_rows(self, path: Path) -> int:
        return sum(group.n_rows for group in self._groups(path, 1))

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[Waiting]:
        with reading(str(path)):
            groups = self._groups(path, n_columns)
        if find_spec("polars") is None:  # Arrow reads columns side by side itself
            yield from one_by_one(self._by_arrow(path, columns, groups, n_columns))
            return
        start = 0
        for group in groups:
            for first, length in _pieces(start, group.n_rows, n_columns):
                read = partial(self._by_polars, path, columns, f"{path}, {group.name}", first, length)
                if len(group.numbers) > 1:
                    read = partial(self._or_name_the_damaged, read, path, columns, group, start)
                yield Waiting(length * n_columns, read)
            start += group.n_rows

    def _groups(self, path: Path, n_columns: int) -> list[_Groups]:
        """Row groups, small neighbours together; without pyarrow, stretches of rows."""
        if find_spec("pyarrow") is not None:
            import pyarrow.parquet

            known = pyarrow.parquet.read_metadata(path)
            sizes = [known.row_group(k).num_rows for k in range(known.num_row_groups)]
            return list(_together(sizes, max(1, _FEW_CELLS // max(1, n_columns))))
        import polars

        n_rows = int(polars.scan_parquet(path, glob=False).select(polars.len()).collect().item())
        return [_Groups(name, [0], [n]) for name, n in _stretches(n_rows)]

    def _or_name_the_damaged(self, read: Any, path: Path, columns: Any, group: _Groups, start: int) -> Batch:
        """Several row groups in one read; if that fails, one by one, for the damaged one to be named."""
        try:
            return read()
        except ValueError:
            for number, n_rows in zip(group.numbers, group.sizes):
                self._by_polars(path, columns, f"{path}, row group {number}", start, n_rows)
                start += n_rows
            raise

    def _by_polars(self, path: Path, columns: Any, where: str, start: int, length: int) -> Batch:
        import polars

        with reading(where):
            frame = polars.scan_parquet(path, glob=False)
            found = (frame if columns is None else frame.select(columns)).slice(start, length).collect()
            if len(found) != length:
                raise ValueError(f"{len(found)} rows in place of {length}")
        return Batch(found, where)

    def _by_arrow(self, path: Path, columns: Any, groups: Any, n_columns: int) -> Iterator[Batch]:
        import pyarrow.parquet

        chosen = None if columns is None else list(columns)
        with pyarrow.parquet.ParquetFile(path, memory_map=True) as file:
            for group in groups:
                largest = max(length for _, length in _pieces(0, group.n_rows, n_columns))
                parts = file.iter_batches(batch_size=largest, row_groups=group.numbers, columns=chosen)
                where = f"{path}, {group.name}"
                while True:
                    try:
                        with reading(where):
                            part = next(parts, None)
                    except ValueError:
                        for number in group.numbers:  # one by one, for the damaged one to be named
                            with reading(f"{path}, row group {number}"):
                                file.read_row_group(number, chosen)
                        raise
                    if part is None:
                        break
                    yield Batch(pyarrow.Table.from_batches([part]), where)


class _Groups(NamedTuple):
    """Some row groups that follow each other."""

    name: str
    numbers: list[int]
    sizes: list[int]  # rows of each

    @property
    def n_rows(self) -> int:
        return sum(self.sizes)


def _together(sizes: list[int], enough: int) -> Iterator[_Groups]:
    """Row groups in their order, put together until they have enough rows: every read begins with the file's footer."""
    numbers: list[int] = []
    total = 0
    for k, n in enumerate(sizes):
        if numbers and n and total + n > enough:
            yield _named(numbers, sizes)
            numbers, total = [], 0
        if n:
            numbers.append(k)
            total += n
    if numbers:
        yield _named(numbers, sizes)


def _named(numbers: list[int], sizes: list[int]) -> _Groups:
    several = f"row groups {numbers[0]} to {numbers[-1]}"
    name = several if len(numbers) > 1 else f"row group {numbers[0]}"
    return _Groups(name, numbers, [sizes[k] for k in numbers])


def _stretches(n_rows: int) -> list[tuple[str, int]]:
    size = 2**20
    return [(f"rows {a} to {min(a + size, n_rows)}", min(size, n_rows - a)) for a in range(0, n_rows, size)]


class ArrowReader:
    """Record batch by record batch."""

    picks_columns = True

    def learn(self, path: Path) -> None:
        """Nothing: the file says it all."""

    def names(self, path: Path) -> list[str]:
        if find_spec("pyarrow") is None:
            import polars

            return polars.scan_ipc(path).collect_schema().names()
        import pyarrow

        with pyarrow.memory_map(str(path)) as file, pyarrow.ipc.open_file(file) as reader:
            return list(reader.schema.names)

    def count_rows(self, path: Path) -> int:
        if find_spec("pyarrow") is None:
            import polars

            return int(polars.scan_ipc(path).select(polars.len()).collect().item())
        import pyarrow

        with pyarrow.memory_map(str(path)) as file, pyarrow.ipc.open_file(file) as reader:
            return sum(reader.get_batch(k).num_rows for k in range(reader.num_record_batches))

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[Waiting]:
        return one_by_one(self._batches(path, columns, n_columns))

    def _batches(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[Batch]:
        if find_spec("pyarrow") is None:
            yield from self._by_polars(path, columns)
            return
        import pyarrow

        with pyarrow.memory_map(str(path)) as file, pyarrow.ipc.open_file(file) as reader:
            for k in range(reader.num_record_batches):
                where = f"{path}, record batch {k}"
                with reading(where):
                    batch = reader.get_batch(k)
                    batch = batch if columns is None else batch.select(list(columns))
                    batch.validate()
                if batch.num_rows == 0:
                    continue
                for start, length in _pieces(0, batch.num_rows, n_columns):
                    yield Batch(pyarrow.Table.from_batches([batch.slice(start, length)]), where)

    def _by_polars(self, path: Path, columns: Sequence[str] | None) -> Iterator[Batch]:
        import polars

        start = 0
        for name, n in _stretches(self.count_rows(path)):
            with reading(f"{path}, {name}"):
                frame = polars.scan_ipc(path)
                found = (frame if columns is None else frame.select(columns)).slice(start, n).collect()
            yield Batch(found, f"{path}, {name}")
            start += n


def open_files(source: Any, **text: Any) -> FileBatches:
    """The files of a name, a pattern, a folder or a list of names, all of one format."""
    paths = find_paths(source)
    kinds = {_format(path) for path in paths}
    if len(kinds) > 1:
        raise ValueError(f"open_table accepts files of one format only, got {' and '.join(sorted(kinds))}.")
    if find_spec("polars") is None and find_spec("pyarrow") is None:
        raise ImportError("Reading tables from files needs polars or pyarrow: pip install polars.")
    kind = kinds.pop()
    if kind == "Parquet":
        return FileBatches(paths, ParquetReader())
    if kind == "Arrow":
        return FileBatches(paths, ArrowReader())
    if text.get("separator") is None:
        text["separator"] = "\t" if paths[0].suffix.lower() == ".tsv" else ","
    return FileBatches(paths, TextReader(**text))


def find_paths(source: Any) -> list[Path]:
    """The files that names, patterns and folders stand for; of a pattern or folder in the order of their names."""
    if isinstance(source, list | tuple):
        return [path for one in source for path in find_paths(one)]
    if "://" in str(source):
        raise ValueError(
            f"open_table reads files of this machine, got {source!r}: copy it to this machine, or scan it with polars."
        )
    path = Path(source).expanduser()
    if path.is_dir():
        found = sorted(one for one in path.iterdir() if one.suffix.lower() in _SUFFIXES)
        if not found:
            raise FileNotFoundError(f"the folder {path} holds no files called {', '.join(_SUFFIXES)}.")
        return found
    if path.exists() or not glob.has_magic(str(source)):
        _mark(path)
        return [path]
    found = sorted(map(Path, glob.glob(str(path), recursive=True)))
    if not found:
        raise FileNotFoundError(f"no file is called {str(source)!r}.")
    return [file for one in found for file in (find_paths(one) if one.is_dir() else [one])]


def _format(path: Path) -> str:
    with open(path, "rb") as file:
        head = file.read(6)
    if head.startswith(b"PAR1"):
        return "Parquet"
    if head == b"ARROW1":
        return "Arrow"
    if path.suffix.lower() in (".parquet", ".pq", ".arrow", ".feather", ".ipc"):
        raise ValueError(f"{path} is damaged or an Arrow stream: it does not begin like a file of its kind.")
    if path.suffix.lower() in (".json", ".jsonl", ".ndjson", ".xlsx", ".xls"):
        raise ValueError(f"open_table reads Parquet, Arrow and CSV files, got {path}: write it as one of these first.")
    return "CSV"

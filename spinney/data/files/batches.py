"""Batches: data that is read piece by piece, and can be read several times.

In:  files (`batches.py`), a polars LazyFrame, a function that returns batches, or an iterator of them; a batch is
     a table in memory of any kind.
Out: a `BatchSource`: its batches in their order, each with a text that names its place, as often as needed.

An iterator can be read only once, so its batches are written to a temporary file on the way. The result of a LazyFrame
is, too.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import pickle
import tempfile
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, Protocol

import narwhals.stable.v2 as nw
import numpy as np

from spinney._interruptible_threads import Thread, check_alive
from spinney._interrupts import interrupts_held_back

# ----------------------------------------------------------------------------------------------------------------------
# Files in batches: Parquet, Arrow (IPC) and CSV, read by polars or pyarrow, whichever is installed.
#
# In: names of files. Out: their rows, in batches, each with a text that names the place: file and row group, record
# batch or lines. A file is identified by name, size and modification time. A file that changes or disappears between
# two passes raises an error, and so does one whose columns differ from the first file's.


_MOST_CELLS, _FEW_CELLS = 2**25, 2**22  # of a batch, and of row groups that are read together
_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".csv", ".tsv")


class BatchReader(Protocol):
    """A format of files."""

    def names(self, path: Path) -> list[str]:
        """The names of a file's columns."""

    def count_rows(self, path: Path) -> int:
        """How many rows a file has."""

    def learn(self, path: Path) -> None:
        """Done of all files, in their order, before any is read."""

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[PendingBatch]:
        """All rows, in their order, in batches that are still to be read."""


class FileBatches:
    """Files of one format, one after the other."""

    folder: Any = None  # a temporary one, to be kept as long as this
    is_temporary = False
    picks_columns = owns_batches = True

    def __init__(self, paths: Sequence[Path], reader: BatchReader) -> None:
        """Look at the files' sizes; nothing is read yet."""
        self.paths, self.reader = list(paths), reader
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

    def _waiting(self, columns: Sequence[str] | None) -> Iterator[PendingBatch]:
        for path in self.paths:
            if path not in self._names:
                self._names[path] = self._of(path, self.reader.names)
                self._check_names(path)
                self._of(path, self.reader.learn)
        for path in self.paths:
            self._check(path)
            names = self._names[path]
            for one in self.reader.waiting(path, columns, len(names) if columns is None else len(columns)):
                yield PendingBatch(one.n_cells, partial(self._read, path, one.read))

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

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[PendingBatch]:
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
                yield PendingBatch(length * n_columns, read)
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

    def waiting(self, path: Path, columns: Sequence[str] | None, n_columns: int) -> Iterator[PendingBatch]:
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
    from spinney.data.files.csv import TextReader

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


_LOOK = 0.1  # seconds until it is looked whether the threads are still there
_MOST_CELLS_AHEAD = 2**26  # of batches that threads read before they are asked for


class Batch(NamedTuple):
    """Some rows of a table."""

    frame: Any  # a table in memory
    where: str  # what errors call the place


class BatchSource(Protocol):
    """A table in batches."""

    picks_columns: bool  # whether some columns cost less than all
    owns_batches: bool  # whether nobody else writes to a batch, so that it can be kept

    def identity(self) -> list[Any] | None:
        """What tells the table from others as JSON: names, sizes and times of its files; None if it has none."""

    def count_rows(self) -> int | None:
        """How many rows there are; None if only going through them can tell."""

    def batches(self, columns: Sequence[str] | None = None, ahead: bool = True) -> Iterator[Batch]:
        """All batches, in their order; of these columns at least. `ahead`: all will be asked for, one after another."""


class PendingBatch(NamedTuple):
    """A batch that is still to be read."""

    n_cells: int
    read: Callable[[], Batch]


def one_by_one(batches: Iterable[Batch]) -> Iterator[PendingBatch]:
    """Batches that are read one after the other, by whoever asks for them."""
    for batch in batches:
        yield PendingBatch(0, lambda batch=batch: batch)  # type: ignore[misc]


def read_ahead(waiting: Iterator[PendingBatch]) -> Iterator[Batch]:
    """Batches in their order, while threads read those that come next."""
    from spinney._team import available_threads

    n_threads = available_threads(None)
    readers, coming, n_cells = _Readers(n_threads), deque[tuple[int, _Job]](), 0
    try:
        for one in waiting:
            coming.append((one.n_cells, readers.begin(one.read)))
            n_cells += one.n_cells
            while len(coming) > n_threads or (n_cells > _MOST_CELLS_AHEAD and len(coming) > 1):
                n_cells -= coming[0][0]
                yield readers.result(coming.popleft()[1])
        while coming:
            yield readers.result(coming.popleft()[1])
    finally:
        with interrupts_held_back():
            readers.end()


class _Job:
    """A batch that a thread reads."""

    def __init__(self, read: Callable[[], Batch]) -> None:
        self.read = read
        self.batch: Batch | None = None
        self.error: BaseException | None = None
        self.door = allocate_lock()  # open when it is done
        self.door.acquire()


class _Readers:
    """Threads that read batches, started as there is something to read."""

    def __init__(self, most: int) -> None:
        self._most, self._threads = most, list[Thread]()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()

    def begin(self, read: Callable[[], Batch]) -> _Job:
        if len(self._threads) < self._most:
            name = f"spinney_read_{len(self._threads)}"
            thread = Thread(target=_serve, args=(self._jobs,), name=name, daemon=True)
            with interrupts_held_back():
                thread.start()
                self._threads.append(thread)
        job = _Job(read)
        self._jobs.put(job)
        return job

    def result(self, job: _Job) -> Batch:
        while not job.door.acquire(timeout=_LOOK):
            check_alive(self._threads)
        if job.error is not None:
            raise job.error
        assert job.batch is not None
        return job.batch

    def end(self) -> None:
        """What has not begun is not read."""
        with contextlib.suppress(Empty):
            while True:
                self._jobs.get_nowait()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()


def _serve(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        try:
            job.batch = job.read()
        except BaseException as error:
            job.error = error
        job.door.release()
        del job


class GivenBatches:
    """What a function returns, each time it is called."""

    picks_columns = owns_batches = False

    def __init__(self, call: Callable[[], Iterable[Any]]) -> None:
        """Take the function."""
        self._call = call

    def identity(self) -> list[Any] | None:
        return None

    def count_rows(self) -> int | None:
        return None

    def batches(self, columns: Sequence[str] | None = None, ahead: bool = True) -> Iterator[Batch]:
        """Call the function once more."""
        found = self._call()
        if not isinstance(found, Iterable):
            raise TypeError(f"the function of open_table must return batches, got {type(found).__name__}.")
        for number, frame in enumerate(found):
            yield Batch(frame, f"batch {number}")


class SpilledBatches(GivenBatches):
    """The batches of an iterator: laid down in a temporary file when they come, and read from there later."""

    owns_batches = True

    def __init__(self, batches: Iterator[Any]) -> None:
        """Nothing is read yet."""
        super().__init__(self._read)
        self._waiting: Iterator[Any] | None = batches
        self._file: Any = None
        self._places: list[int] = [0]
        self._lock = Lock()

    def __reduce__(self) -> Any:
        raise TypeError(
            "a table opened from an iterator cannot be copied or sent to another process. Write it to files first."
        )

    def _read(self) -> Iterator[Any]:
        with self._lock:
            if self._waiting is not None:
                self._spill()
        for begin, end in pairwise(self._places):  # each by itself: threads may read at the same time
            yield pickle.loads(self._bytes(begin, end))  # what was written here, by _spill

    def _bytes(self, begin: int, end: int) -> bytes:
        if not hasattr(os, "pread"):
            with self._lock:
                self._file.seek(begin)
                return bytes(self._file.read(end - begin))
        parts = []
        while begin < end:  # systems read 2 GiB at a time
            parts.append(os.pread(self._file.fileno(), end - begin, begin))
            begin += len(parts[-1])
        return b"".join(parts)

    def _spill(self) -> None:
        """All at once, so that whoever stops half way has lost nothing."""
        if self._file is not None:
            raise ValueError("the iterator of batches ended with an error before. Open the table again.")
        self._file = tempfile.TemporaryFile(prefix="spinney-")  # noqa: SIM115
        assert self._waiting is not None
        for frame in self._waiting:
            pickle.dump(frame, self._file, protocol=5)
            self._places.append(self._file.tell())
        self._file.flush()
        self._waiting = None


def open_batches(source: Any, **text: Any) -> BatchSource:
    """Whatever can be gone through in batches; `text` says how files of text are read."""

    if isinstance(source, str | Path) or (
        isinstance(source, list | tuple) and source and all(isinstance(one, str | Path) for one in source)
    ):
        return open_files(source, **text)
    if type(source).__module__.partition(".")[0] == "polars" and type(source).__name__ == "LazyFrame":
        return _laid_down(source)
    if isinstance(source, np.ndarray) or nw.dependencies.is_into_dataframe(source):
        return GivenBatches(lambda: [source])
    if callable(source):
        return GivenBatches(source)
    if isinstance(source, Iterator):
        return SpilledBatches(source)
    if isinstance(source, Iterable):
        return GivenBatches(lambda: source)
    raise TypeError(
        "open_table accepts names of files, a polars LazyFrame, a function that returns batches, or an iterator of "
        f"batches, got {type(source).__name__}."
    )


def _laid_down(frame: Any) -> BatchSource:
    """A lazy frame, computed once in a stream into a temporary file."""

    folder = tempfile.TemporaryDirectory(prefix="spinney-")
    path = Path(folder.name) / "frame.parquet"
    frame.sink_parquet(path, compression="lz4", row_group_size=1 << 20, maintain_order=True)
    files = FileBatches([path], ParquetReader())
    files.folder = folder  # which lives as long as what is in it is read
    files.is_temporary = True
    return files


def check_batch(frame: Any) -> int:
    """How many rows a batch has; a TypeError if it is no table in memory."""
    if _is_array(frame) and np.ndim(frame) != 2:
        raise TypeError(f"batches must be tables of rows and columns, got an array of {np.ndim(frame)} dimensions.")
    return len(frame if _is_array(frame) else _as_frame(frame))


def names_of(frame: Any) -> list[Any]:
    """The names of a batch's columns; their numbers in an array."""
    return list(range(np.asarray(frame).shape[1]) if _is_array(frame) else _as_frame(frame).columns)


def pick(frame: Any, columns: Sequence[Any]) -> Any:
    """Some columns of a batch, by their names, or their numbers in an array."""
    if _is_array(frame):
        wanted, array = list(columns), np.asarray(frame)
        return array if wanted == list(range(array.shape[1])) else array[:, wanted]
    known = _as_frame(frame)
    return frame if list(known.columns) == list(columns) else known.select(*map(nw.col, columns)).to_native()


def one_column(frame: Any, column: Any) -> Any:
    """A column of a batch as a narwhals series, or that of an array."""
    return np.asarray(frame)[:, column] if _is_array(frame) else _as_frame(frame).get_column(column)


def concat(parts: list[Any]) -> Any:
    """Tables of one library one below the other; columns of whole numbers and of others are numbers."""
    library = type(parts[0]).__module__.partition(".")[0]
    if library == "polars":
        import polars

        return polars.concat(parts, how="vertical_relaxed")
    if library == "pyarrow":
        import pyarrow

        return pyarrow.concat_tables(parts, promote_options="permissive")
    return nw.concat([nw.from_native(part) for part in parts]).to_native()


def _is_array(frame: Any) -> bool:
    return isinstance(frame, np.ndarray | list | tuple)


def _as_frame(frame: Any) -> nw.DataFrame:
    from spinney.data.reading import as_frame

    known = as_frame(frame)
    if known is None:
        raise TypeError(
            f"batches must be tables in memory (pandas, polars, Arrow or NumPy), got {type(frame).__name__}."
        )
    return known

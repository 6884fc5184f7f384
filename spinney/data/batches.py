"""Batches: data that is read piece by piece, and can be read several times.

In:  files (`batch_files.py`), a polars LazyFrame, a function that returns batches, or an iterator of them; a batch is
     a table in memory of any kind.
Out: a `BatchSource`: its batches in their order, each with a text that names its place, as often as needed.

An iterator can be read only once, so its batches are written to a temporary file on the way. The result of a LazyFrame
is, too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import tempfile
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, Protocol

import narwhals.stable.v2 as nw
import numpy as np

from spinney._interrupts import interrupts_held_back
from spinney._threads import Thread, check_alive

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


class Waiting(NamedTuple):
    """A batch that is still to be read."""

    n_cells: int
    read: Callable[[], Batch]


def one_by_one(batches: Iterable[Batch]) -> Iterator[Waiting]:
    """Batches that are read one after the other, by whoever asks for them."""
    for batch in batches:
        yield Waiting(0, lambda batch=batch: batch)  # type: ignore[misc]


def read_ahead(waiting: Iterator[Waiting]) -> Iterator[Batch]:
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
    from spinney.data.batch_files import open_files

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
    from spinney.data.batch_files import FileBatches, ParquetReader

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

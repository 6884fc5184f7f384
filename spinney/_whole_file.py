"""Files that are written whole or not at all.

In: a path, and bytes. Out: the file with all of them; or an OSError that names the path, and the file as it was. The
bytes go to a file beside it, `.NAME.xxxxxxxx.part`, which takes its place in one step. What a killed process has left
of such a file is removed by the next one that writes the same path: a writer holds a lock for as long as it lives.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows: a file that is open cannot be removed there
    fcntl = None  # type: ignore[assignment]

_LONGEST = 60  # characters of a name that its temporary file has, too: 255 bytes are allowed


def write_whole(path: Any, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file of these bytes."""
    with whole_file(path) as file:
        for part in parts:
            file.write(part)


@contextlib.contextmanager
def whole_file(path: Any, check: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """A binary file to write to, which is at its path once the block has ended without an error, and `check`, which is
    called with the file that is finished but not yet in its place. Devices and pipes are written to directly."""
    given, place = str(path), Path(os.path.realpath(path))  # a link stays, and leads to the new file
    with _naming(given):
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if place.exists() and not place.is_file():
            with place.open("wb") as device:
                yield device
            return
        _remove_leftovers(place)
        file, name, lock = _begin(place)
    try:
        with _naming(given, name):
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if check is not None:
                check(name)
            mask = os.umask(0)
            os.umask(mask)
            name.chmod(0o666 & ~mask)
            name.replace(place)
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    finally:
        if lock is not None:
            os.close(lock)


@contextlib.contextmanager
def _naming(given: str, temporary: Path | None = None) -> Iterator[None]:
    """What the system refuses names the path as it was given, not the temporary file, and not nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):
            error.filename = given
            del error.filename2  # None would be shown: 'PATH' -> None
        raise


def _begin(place: Path) -> tuple[BinaryIO, Path, int | None]:
    """(a new file beside the place, its path, what holds its lock)."""
    while True:
        try:
            handle, name = tempfile.mkstemp(prefix=_prefix(place), suffix=".part", dir=place.parent)
        except OSError as error:
            error.filename = None  # it has the name of a file that the user does not know
            raise
        if fcntl is None:
            return _named(handle, name), Path(name), None
        lock = os.dup(handle)
        with contextlib.suppress(OSError):  # a file system without locks: leftovers stay there
            fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(name), os.fstat(handle)):
                return _named(handle, name), Path(name), lock
        os.close(lock)  # taken for a leftover before it was locked
        os.close(handle)


def _named(handle: int, name: str) -> BinaryIO:
    """The open file, with its name: `os.fdopen` would call it by a number."""
    return open(name, "wb", opener=lambda *_: handle)


def _prefix(place: Path) -> str:
    return f".{place.name[:_LONGEST]}."


def _remove_leftovers(place: Path) -> None:
    """Temporary files of this place that no living process writes to."""
    known = re.compile(re.escape(_prefix(place)) + r"[a-z0-9_]{8}\.part")
    with contextlib.suppress(OSError), os.scandir(place.parent) as there:
        for one in there:
            if known.fullmatch(one.name):
                _remove_if_dead(one.path)


def _remove_if_dead(path: str) -> None:
    with contextlib.suppress(OSError):
        if fcntl is None:
            os.unlink(path)  # fails while it is open
            return
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
            os.unlink(path)
        finally:
            os.close(handle)

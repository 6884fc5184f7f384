"""Locks: one process compiles a kernel, and those that wait for it compile parts of it that nobody else is at.

name-key.lock    [ length | pickle of a Need ] [ length | pickle of a Need ] ...     parts that the kernel calls
"""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spinney._interrupts import let_interrupts_in

try:
    import fcntl
except ImportError:  # not a POSIX system: nobody waits
    fcntl = None  # type: ignore[assignment]

_PATIENCE = 120.0  # seconds to wait for another process's compiler
_MOST_NEEDS = 1 << 20  # bytes of a lock's list


class Lock(NamedTuple):
    """A file that one process at a time holds; the system frees it when the process dies."""

    path: Path
    handle: int

    @classmethod
    def take(
        cls, path: Path, is_done: Callable[[], bool], help_with: Callable[[bytes], bool] = lambda _: False
    ) -> Lock | None:
        """Wait for the lock, and meanwhile help whoever has it; None where files cannot be locked, or when somebody
        takes for ever."""
        try:
            handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError:
            return None
        deadline = time.monotonic() + _PATIENCE
        try:
            while not _try_lock(handle):
                if is_done() or time.monotonic() > deadline:
                    os.close(handle)
                    return None
                if not help_with(os.pread(handle, _MOST_NEEDS, 0)):
                    time.sleep(0.02)
                let_interrupts_in()
        except BaseException:
            os.close(handle)
            raise
        return cls(path, handle)

    @staticmethod
    def is_held(path: Path) -> bool:
        try:
            handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return False
        try:
            return not _try_lock(handle)
        finally:
            os.close(handle)

    def write(self, content: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self.handle, content)

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        os.close(self.handle)


_compiling = threading.local()  # .locks: of the kernels that this thread compiles, one inside the other


def start_compiling(lock: Lock) -> None:
    """From now on this thread compiles the kernel of a lock that it has taken."""
    _compiling.locks = [*getattr(_compiling, "locks", []), lock]


def end_compiling(lock: Lock) -> None:
    """It has done so: let others have their turn."""
    _compiling.locks.remove(lock)
    lock.release()


def publish(need: Any) -> None:
    """Tell those who wait for the kernel that is being compiled here of a part that it calls."""
    if locks := getattr(_compiling, "locks", []):
        body = pickle.dumps(need)
        locks[-1].write(len(body).to_bytes(8, "little") + body)


class Helper:
    """Who waits for a kernel compiles parts of it that nobody else is at."""

    def __init__(self) -> None:
        self._tried: set[bytes] = set()

    def help_with(self, published: bytes) -> bool:
        """Compile the largest one of some parts; False if there is nothing to do, or it fails: others will say so."""
        try:
            return self._help(published)
        except Exception:
            return False

    def _help(self, published: bytes) -> bool:
        found = [(body, pickle.loads(body)) for body in _bodies(published) if body not in self._tried]
        for body, need in sorted(found, key=lambda pair: -pair[1].size()):
            self._tried.add(body)
            if need.find().is_wanted(need.signature):
                need.find().prepare(need.signature)
                return True
        return False


def _bodies(published: bytes) -> Iterator[bytes]:
    at = 0
    while at + 8 <= len(published):
        end = at + 8 + int.from_bytes(published[at : at + 8], "little")
        if end > len(published):  # being written
            return
        yield published[at + 8 : end]
        at = end


def _try_lock(handle: int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True

"""Members on one machine add up in memory that they share: no message, no copy through the kernel's sockets.

In:  arrays of integers, one from every neighbour. Out: their sum (or maximum), at every neighbour.

    arrivals     one counter per neighbour, a cache line each: how many times it has come to a meeting
    places       one per neighbour: its array, or a piece of it
    total        each neighbour adds up one slice of all places

    write own place -- meet -- add up own slice -- meet -- (the first exchanges it with other machines -- meet) -- read

              | neighbour 0     | neighbour 1     | neighbour 2     |
    place 0   [ a0 . . . . . . . . . . . . . . . . . . . . . . . . ]    written by neighbour 0
    place 1   [ a1 . . . . . . . . . . . . . . . . . . . . . . . . ]    written by neighbour 1
    place 2   [ a2 . . . . . . . . . . . . . . . . . . . . . . . . ]    written by neighbour 2
    total     [ a0 + a1 + a2    | a0 + a1 + a2    | a0 + a1 + a2    ]    each slice added up by one neighbour

No number is written by two at a time. No meeting is needed after the total is read: it is written next after the first
meeting of the next sum, and a neighbour comes there only when it has read the total.

The memory is a file that is unlinked as soon as all have opened it: a killed member leaves nothing behind.
Where there is no such file, or no room for it, a member is its own only neighbour, and messages do it all.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spinney._compile import atomic_load, atomic_swap, kernel, rest_core, yield_core

_SHARED = Path("/dev/shm")  # in memory, where there is such a folder
_ROOM = 1 << 17  # numbers of 8 bytes of a place; more go piece by piece
_LINE = 8  # numbers of a cache line
_REST, _YIELD = 2_000, 200  # looks at the others' counters before giving the core away, and before sleeping
_SLEEP = 50e-6  # seconds
_OWN = Path("/proc/sys/kernel/random/boot_id")


class SharedFile:
    """A file that members of a session on this machine open before they know of each other."""

    def __init__(self, name: str) -> None:
        self._path = (_SHARED if _SHARED.is_dir() else Path(tempfile.gettempdir())) / name
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        found = os.fstat(self._handle)
        self.identity = f"{_machine()} {found.st_dev} {found.st_ino}"

    def unlink(self) -> None:
        """All have opened it: its name is not needed any more."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    def numbers(self, n_neighbours: int) -> np.ndarray | None:
        """Memory for so many neighbours, zeros at first; None where there is no room for it."""
        size = 8 * (n_neighbours * _LINE + (n_neighbours + 1) * _ROOM)
        try:
            os.posix_fallocate(self._handle, 0, size)  # or writing to it would end the process where there is no room
            return np.frombuffer(mmap.mmap(self._handle, size), np.int64)
        except OSError:
            return None

    def close(self) -> None:
        """Leave no name behind either, where a session ended before all had opened the file."""
        self.unlink()
        os.close(self._handle)


def open_shared(name: str) -> SharedFile | None:
    """None where this system does not have what it takes."""
    if not hasattr(os, "posix_fallocate"):
        return None
    try:
        return SharedFile(name)
    except OSError:
        return None


def _machine() -> str:
    """Tells this machine from others for as long as it runs."""
    with contextlib.suppress(OSError):
        return _OWN.read_text().strip()
    return os.uname().nodename


class Neighbours:
    """Members that share memory. `look` is called while waiting for others, and raises where that is in vain."""

    def __init__(self, numbers: np.ndarray, mine: int, n: int, look: Callable[[], None]) -> None:
        self.n, self.mine, self._look = n, mine, look
        self._arrivals, places = np.split(numbers, [n * _LINE])
        self._places, self._total = places[: n * _ROOM].reshape(n, _ROOM), places[n * _ROOM :]
        self._n_meetings = 0

    def reduce(
        self,
        array: np.ndarray,
        combine: Callable[..., np.ndarray],
        elsewhere: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> np.ndarray:
        """`elsewhere` puts this machine's total together with those of others: called by the first neighbour."""
        out = np.empty_like(array)
        for begin in range(0, len(array), _ROOM):
            piece = slice(begin, begin + _ROOM)
            self._reduce(array[piece], combine, elsewhere, out[piece])
        return out

    def _reduce(self, piece: np.ndarray, combine: Any, elsewhere: Any, out: np.ndarray) -> None:
        places, total = self._places.view(piece.dtype)[:, : len(piece)], self._total.view(piece.dtype)[: len(piece)]
        places[self.mine] = piece
        self._meet()
        own = slice(len(piece) * self.mine // self.n, len(piece) * (self.mine + 1) // self.n)
        combine.reduce(places[:, own], axis=0, out=total[own])
        self._meet()
        if elsewhere is not None:
            if self.mine == 0:
                total[:] = elsewhere(total.copy())
            self._meet()
        out[:] = total

    def _meet(self) -> None:
        """Wait until all neighbours have come here as often as this one."""
        self._n_meetings += 1
        rests, yields = _REST, _YIELD
        while not _are_here(self._arrivals, self.mine, self.n, self._n_meetings, rests, yields):
            self._look()
            time.sleep(_SLEEP)
            rests, yields = 0, 1


@kernel
def _are_here(arrivals, mine, n, number, rests, yields):
    """Note that this neighbour has come for the `number`-th time, and wait for the others for a short while."""
    atomic_swap(arrivals, mine * _LINE, number)
    at = 0
    for look in range(rests + yields):
        while at < n and atomic_load(arrivals, at * _LINE) >= number:
            at += 1
        if at == n:
            return True
        if look < rests:
            rest_core()
        else:
            yield_core()
    return False

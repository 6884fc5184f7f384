"""Threads that enter one compiled kernel together.

A *team* of T threads calls the same kernel as `kernel(rank, size, sync, ...)`. Two ways to share work inside:

- One pass: `next_chunk(sync)` hands out chunk numbers until they run past the end.
- Phases that depend on each other: `take_chunk` hands out the chunks of the open phase; whoever finishes its last chunk
  (`finish_chunk`) does the serial work between phases and opens the next one. Nobody waits for a thread that has
  no work in hand, so a core lost to another program delays at most the chunk it was on.

With T = 1 there is no thread and no waiting. The calling thread stays in Python: Ctrl-C raises the stop flag, which is
looked at between phases. A team lives as long as one fit or predict: nothing survives into a forked child, and two
fits at once have two teams.

    sync, one int64 a cache line:   [ ticket | done | stop | ended | next chunk ]
    ticket:                         [ number of the phase | chunks in it | next chunk to hand out ]
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import llvmlite.binding
import numpy as np
from joblib import cpu_count
from numba.core import types

from spinney._jit import PLAIN_PYTHON, atomic_add, atomic_load, atomic_swap, inner_kernel

_LINE = 8  # int64 values a cache line
_TICKET, _DONE, _STOP, _ENDED, _NEXT_CHUNK = (k * _LINE for k in range(5))
_CHUNK_BITS = 22  # of a ticket: up to four million chunks a phase
_CHUNK_MASK = (1 << _CHUNK_BITS) - 1
_SPINS = 2000  # looks at the ticket before giving the core away
_GO, _WANTED, _ABORT = 0, 1, 2


def _register_yield() -> Any:
    """A function that gives the core to whoever else wants it, under one name on every system."""
    if PLAIN_PYTHON:
        return lambda: 0
    if sys.platform == "win32":
        function = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    llvmlite.binding.add_symbol("spinney_yield", ctypes.cast(function, ctypes.c_void_p).value)
    return types.ExternalFunction("spinney_yield", types.int32())


_yield_core = _register_yield()


@inner_kernel
def open_phase(sync, n_chunks):
    """Let the team at a new phase of n_chunks > 0 chunks. Only the thread that finished the last one may."""
    phase = (atomic_load(sync, _TICKET) >> (2 * _CHUNK_BITS)) + 1
    sync[_DONE] = 0
    atomic_swap(sync, _TICKET, (phase << (2 * _CHUNK_BITS)) + (n_chunks << _CHUNK_BITS))


@inner_kernel
def end_phases(sync):
    """No phase will follow: let everybody go."""
    atomic_swap(sync, _ENDED, 1)


@inner_kernel
def take_chunk(sync):
    """The number of a chunk of the open phase, waiting for a phase if need be; -1 when the work has ended."""
    while True:
        ticket = atomic_add(sync, _TICKET, 1)
        chunk = ticket & _CHUNK_MASK
        if chunk < (ticket >> _CHUNK_BITS) & _CHUNK_MASK:
            return chunk
        phase = ticket >> (2 * _CHUNK_BITS)
        spins = 0
        while atomic_load(sync, _TICKET) >> (2 * _CHUNK_BITS) == phase:
            if atomic_load(sync, _ENDED) or atomic_load(sync, _STOP) == _ABORT:
                return -1
            spins += 1
            if spins > _SPINS:
                _yield_core()


@inner_kernel
def finish_chunk(sync):
    """Whether the chunk just done was the last of its phase: then the caller opens the next one, or ends."""
    n_chunks = (atomic_load(sync, _TICKET) >> _CHUNK_BITS) & _CHUNK_MASK
    return atomic_add(sync, _DONE, 1) == n_chunks - 1


@inner_kernel
def stop_wanted(sync):
    """Whether somebody asked for an early end."""
    return atomic_load(sync, _STOP) != _GO


@inner_kernel
def next_chunk(sync):
    """The next chunk number of a single pass, each given to one thread only."""
    return atomic_add(sync, _NEXT_CHUNK, 1)


def available_threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` means here: the smallest of the wish, the affinity, the quota and NUMBA_NUM_THREADS.

    `None` and -1 ask for every core, -2 for all but one, as in joblib. A positive number is taken at its word.
    """
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs must be a positive number of threads, None or -1 (every core), got 0.")
    most = cpu_count()
    if limit := os.environ.get("NUMBA_NUM_THREADS"):
        most = min(most, max(1, int(limit)))
    return most if n_jobs is None else max(1, most + 1 + n_jobs)


class Team:
    """A team of threads for one fit or predict; use it as a context manager.

    With `inline=True` (and one thread) kernels run in the caller's thread: for work so small that handing it over
    would cost more than doing it.
    """

    def __init__(self, size: int = 1, inline: bool = False) -> None:
        self.size = size
        self._inline = inline and size == 1
        self._pool: ThreadPoolExecutor | None = None

    def run(self, entry: Callable[..., Any], *args: Any) -> Any:
        """Call `entry(rank, size, sync, *args)` in every thread; return what rank 0 returned."""
        sync = np.zeros(5 * _LINE, np.int64)
        if self._inline:
            return entry(0, 1, sync, *args)
        pool = self._threads()
        futures = [pool.submit(_enter, entry, rank, self.size, sync, args) for rank in range(self.size)]
        _wait(futures, sync)
        return futures[0].result()

    def map(self, function: Callable[[Any], Any], items: Any) -> list[Any]:
        """`[function(item) for item in items]`, spread over the threads (for work that drops the GIL)."""
        if self._inline or self.size == 1:
            return [function(item) for item in items]
        futures = [self._threads().submit(function, item) for item in items]
        wait(futures)
        return [future.result() for future in futures]

    def _threads(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.size, thread_name_prefix="spinney")
        return self._pool

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None


def _enter(entry: Callable[..., Any], rank: int, size: int, sync: np.ndarray, args: tuple[Any, ...]) -> Any:
    """One thread's part; if it dies, its mates must not wait for it for ever."""
    try:
        return entry(rank, size, sync, *args)
    except BaseException:
        sync[_STOP] = _ABORT
        raise


def _wait(futures: list[Future[Any]], sync: np.ndarray) -> None:
    """Wait in Python, where signals arrive; on Ctrl-C let every thread leave the kernel first, then raise."""
    try:
        wait(futures)
    except BaseException:
        sync[_STOP] = _WANTED
        wait(futures)
        raise
    for future in futures:
        future.result()

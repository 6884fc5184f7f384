"""Threads that enter one compiled kernel together.

A *team* of T threads calls the same kernel as `kernel(rank, size, sync, ...)`. Inside, `barrier(sync, size)` is
where they meet (under a microsecond at 2 threads), and `next_chunk(sync)` hands out the work of the phase between two
barriers, so that a thread which lost its core does not hold up the rest. With T = 1 there is no thread and
no waiting. The calling thread stays in Python: Ctrl-C raises the stop flag, which every barrier looks at.

A team lives as long as one fit or predict: nothing survives into a forked child, and two fits at once have two teams.

    sync, one int64 a cache line:   [ arrived | generation | stop wanted | stop agreed | next chunk ]
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

from spinney._jit import PLAIN_PYTHON, atomic_add, atomic_load, inner_kernel

_LINE = 8  # int64 values a cache line
_ARRIVED, _GENERATION, _STOP_WANTED, _STOP_AGREED, _NEXT_CHUNK = (k * _LINE for k in range(5))
_SPINS = 4000  # looks at the barrier before giving the core away
_GO, _STOP, _ABORT = 0, 1, 2


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
def barrier(sync, size):
    """Wait for the whole team; False if the fit is to stop. Resets the chunk counter for the next phase."""
    if size == 1:
        sync[_NEXT_CHUNK] = 0
        return sync[_STOP_WANTED] == _GO
    generation = atomic_load(sync, _GENERATION)
    if atomic_add(sync, _ARRIVED, 1) == size - 1:
        sync[_NEXT_CHUNK] = 0
        sync[_STOP_AGREED] = atomic_load(sync, _STOP_WANTED)
        atomic_add(sync, _ARRIVED, -size)
        atomic_add(sync, _GENERATION, 1)
    else:
        spins = 0
        while atomic_load(sync, _GENERATION) == generation:
            spins += 1
            if spins > _SPINS:
                if atomic_load(sync, _STOP_WANTED) == _ABORT:  # a team mate died: it will never arrive
                    return False
                _yield_core()
    return atomic_load(sync, _STOP_AGREED) == _GO


@inner_kernel
def next_chunk(sync):
    """The number of the next chunk of this phase's work, each given to one thread only."""
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
        sync[_STOP_WANTED] = _ABORT
        raise


def _wait(futures: list[Future[Any]], sync: np.ndarray) -> None:
    """Wait in Python, where signals arrive; on Ctrl-C let every thread leave the kernel first, then raise."""
    try:
        wait(futures)
    except BaseException:
        sync[_STOP_WANTED] = _STOP
        wait(futures)
        raise
    for future in futures:
        future.result()

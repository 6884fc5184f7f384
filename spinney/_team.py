"""Threads that enter one compiled kernel together.

A *team* of T threads calls the same kernel as `kernel(rank, size, sync, ...)`. Two ways to share work inside:

- One pass: `next_chunk(sync)` hands out chunk numbers until they run past the end.
- Phases that depend on each other: `take_chunk` hands out the chunks of the open phase; the thread that finishes its
  last chunk (`finish_chunk`) does the serial work between phases and opens the next one. Nobody waits for a thread that
  has no work in hand, so a core lost to another program delays at most the chunk it was on.

With T = 1 there is no thread and no waiting. The calling thread stays in Python: Ctrl-C raises the stop flag, which is
looked at between phases. A team lives as long as one fit or predict: nothing survives into a forked child, and two
fits at once have two teams.

    sync, one int64 a cache line:   [ ticket | done | stop | ended | next chunk ]
    ticket:                         [ number of the phase | chunks in it | next chunk to hand out ]

Phase, size and next chunk are in one word, so that one atomic addition takes a chunk and finds out which phase it is
of: a thread that comes late cannot take a chunk of one phase for that of another.

    thread A    take 0   work   finish        take 0'  ...        phase 1: chunks 0, 1, 2
    thread B    take 1   work     finish      take 1'  ...        phase 2: chunks 0', 1', ...
    thread C    take 2   work       finish: the last -> serial work -> open phase 2
    thread D    take: none left, waits . . . . . . . . . . . . . . take 2'  ...
"""

from __future__ import annotations

import os
import time
from _thread import LockType, allocate_lock
from collections.abc import Callable, Iterable
from itertools import count
from queue import SimpleQueue
from typing import Any

import numpy as np
from joblib import cpu_count

from spinney._compile import atomic_add, atomic_load, atomic_swap, inner_kernel, rest_core, yield_core
from spinney._interruptible_threads import Thread, check_alive, threads_of_a_job
from spinney._interrupts import interrupts_held_back

_LINE = 8  # int64 values a cache line
_TICKET, _DONE, _STOP, _ENDED, _NEXT_CHUNK = (k * _LINE for k in range(5))
_CHUNK_BITS = 22  # of a ticket: up to four million chunks a phase
_CHUNK_MASK = (1 << _CHUNK_BITS) - 1
_SPINS = 500  # looks at the ticket before giving the core away
_GO, _WANTED, _ABORT = 0, 1, 2
_LOOK = 0.1  # seconds
_PLACES = 5 * _LINE


@inner_kernel
def open_phase(sync, n_chunks):
    """Open a new phase of n_chunks > 0 chunks to the team. Only the thread that finished the last one may."""
    # The counter first, then the ticket, which publishes it together with all that was written before: who sees the new
    # phase sees the results of the old one. Nobody adds to `done` meanwhile, since all chunks handed out are finished.
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
    # A thread that finds no chunk has added one in vain, and does so once per phase: it then only looks until the phase
    # changes. The counter so exceeds the number of chunks by at most the number of threads.
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
                yield_core()
            else:
                rest_core()


@inner_kernel
def finish_chunk(sync):
    """Whether the chunk just done was the last of its phase: then the caller opens the next one, or ends."""
    # read before the addition: after it another thread may be the last one, and open a phase with another number
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
    """How many threads `n_jobs` means on this machine, by CPU affinity, CPU quota and environment variables.

    `None` and -1 mean every core, -2 all but one, as in joblib, but no more than OMP_NUM_THREADS and NUMBA_NUM_THREADS
    allow. A positive number is used as it is.
    """
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs must be a positive number of threads, None or -1 (every core), got 0.")
    most = threads_of_a_job() or cpu_count()
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        limit = os.environ.get(name, "").split(",")[0].strip()  # OpenMP has a list, for threads within threads
        if limit.isdecimal():
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
        self._members: list[tuple[Thread, SimpleQueue[Any]]] = []
        self._parts: list[_Part] = []

    def run(self, entry: Callable[..., Any], *args: Any) -> Any:
        """Call `entry(rank, size, sync, *args)` in every thread; return what rank 0 returned."""
        sync = np.zeros(_PLACES, np.int64)
        if self._inline:
            return entry(0, 1, sync, *args)
        return self._together(lambda rank: entry(rank, self.size, sync, *args), sync)[0]

    def part(self) -> Team:
        """A team of one, for use in `each`: its kernels run where they are called, and end when this team has to."""
        if self._inline:
            return self
        self._parts.append(_Part())
        return self._parts[-1]

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """`[function(item) for item in items]`, spread over the threads (for work that drops the GIL)."""
        items = list(items)
        if self.size == 1 or len(items) < 2:
            return [function(item) for item in items]
        return self.each(function, items)

    def each(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """The same, but never in the caller's thread: for functions that call kernels, each with a `part` of this team.

        Many kernels are so handed over at once.
        """
        items = list(items)
        if self._inline:
            return [function(item) for item in items]
        results: list[Any] = [None] * len(items)
        sync = np.zeros(_PLACES, np.int64)
        todo = iter(range(len(items)))

        def work(rank: int) -> None:
            for k in todo:
                if sync[_STOP] != _GO:
                    return
                results[k] = function(items[k])

        self._together(work, sync)
        return results

    def _together(self, call: Callable[[int], Any], sync: np.ndarray) -> list[Any]:
        """`call(rank)` in every thread; what each returned. On Ctrl-C the threads leave their kernels first.

        The caller waits at a bare lock: a lock is taken or it is not, whatever line an interrupt hits. What is built on
        it in Python (conditions, events, `concurrent.futures.wait`) can be left half-way. The last thread opens it: the
        caller wakes up once, for while it does the others cannot run Python. A thread for which there is no memory may
        be gone without a word: nobody waits for it.
        """
        members = self._gather()
        outcomes: list[Any] = [None] * self.size

        def pending() -> list[Thread]:
            return [members[rank][0] for rank in range(submitted) if outcomes[rank] is None]

        door, arrivals = allocate_lock(), count(1)
        door.acquire()
        submitted = 0
        try:
            for rank in range(self.size):
                members[rank][1].put((call, rank, sync, outcomes, door, arrivals))
                submitted += 1
            while not door.acquire(timeout=_LOOK):  # an interrupt of a thread comes through here
                if not pending():
                    break
                check_alive(pending())
        except BaseException as cut:
            for one in (sync, *(part.sync for part in self._parts)):
                one[_STOP] = _ABORT if isinstance(cut, MemoryError) else _WANTED
            with interrupts_held_back():
                while any(one.is_alive() for one in pending()):
                    time.sleep(0.0005)
            raise
        for _, error in outcomes:
            if error is not None:
                raise error
        return [result for result, _ in outcomes]

    def _gather(self) -> list[tuple[Thread, SimpleQueue[Any]]]:
        """The threads, started at first need; each takes its jobs from a queue of its own."""
        while len(self._members) < self.size:
            jobs: SimpleQueue[Any] = SimpleQueue()
            thread = Thread(target=_serve, args=(jobs,), name=f"spinney_{len(self._members)}", daemon=True)
            self._members.append((thread, jobs))
            with interrupts_held_back():
                thread.start()
        return self._members

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._members:
            return
        with interrupts_held_back():
            for _, jobs in self._members:
                jobs.put(None)
            for thread, _ in self._members:
                if thread.is_alive():  # else it could not be started, or is gone
                    thread.join()
            self._members = []


class _Part(Team):
    """A team of one thread, which belongs to another team for as long as it calls kernels with this."""

    def __init__(self) -> None:
        super().__init__(1, inline=True)
        self.sync = np.zeros(_PLACES, np.int64)

    def run(self, entry: Callable[..., Any], *args: Any) -> Any:
        """Call `entry(0, 1, sync, *args)`, unless the team has to end; what a kernel left half-way is not returned."""
        for place in (_TICKET, _DONE, _ENDED, _NEXT_CHUNK):  # the stop flag stays
            self.sync[place] = 0
        result = None if self.sync[_STOP] else entry(0, 1, self.sync, *args)
        if self.sync[_STOP]:
            raise _Stopped
        return result


class _Stopped(Exception):
    """Ends the Python code between the kernels of a team that has to end; nobody sees it."""


def _serve(jobs: SimpleQueue[Any]) -> None:
    """A thread's life: jobs until None comes."""
    while (job := jobs.get()) is not None:
        _enter(*job)
        del job


def _enter(
    call: Callable[[int], Any], rank: int, sync: np.ndarray, outcomes: list[Any], door: LockType, arrivals: count[int]
) -> None:
    """One thread's part; if it dies, its mates must not wait for it for ever."""
    try:
        outcomes[rank] = (call(rank), None)
    except BaseException as error:
        sync[_STOP] = _ABORT
        outcomes[rank] = (None, error)
    if next(arrivals) == len(outcomes):  # one step that no other thread comes between
        door.release()

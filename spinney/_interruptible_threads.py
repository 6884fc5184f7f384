"""Jobs in threads that Ctrl-C ends: work that drops the GIL, such as our fits and models of any kind.

joblib's threads would go on in the background after an interrupt, and abort the process if it ends while one of them is
inside compiled code. These are told to stop, which they do when the compiled code they are in comes back, and are gone
before the interrupt is passed on. What does not come back within some seconds is left to itself: such a thread ends at
its next line of Python, and the interpreter waits for it before it exits.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from sklearn import config_context, get_config

from spinney._interrupts import Bell, interrupts_held_back

# ----------------------------------------------------------------------------------------------------------------------
# Threads that begin or fail: `threading.Thread`, but for `start` where no memory is left.
#
# `Thread.start` waits until the new thread has said that it runs. The system may hand out a thread although there is no
# memory for its first function call: it dies before it can say so, and `start` would wait for ever. Here the caller
# also looks whether the thread still holds what it was told to run; if not, it is gone.


_LOOK = 0.1  # seconds between two looks
NO_MEMORY = (
    "No memory is left for another thread. Free some memory, raise the process's limit (ulimit -v), or use fewer "
    "threads: n_jobs=1."
)


class Thread(threading.Thread):
    """A thread whose `start` raises MemoryError or RuntimeError where no thread can begin."""

    def __init__(self, target: Callable[..., Any], args: Iterable[Any], name: str, daemon: bool) -> None:
        super().__init__(target=target, args=args, name=name, daemon=daemon)
        self._started = self._birth = _Birth()

    @property
    def _bootstrap(self) -> Callable[[], Any]:
        """What the system is told to run. The new thread alone holds it, and lets it go when it dies."""
        run = partial(super()._bootstrap)  # type: ignore[misc]
        self._birth.run = weakref.ref(run)
        return run

    def start(self) -> None:
        try:
            super().start()
        except MemoryError:
            threading._limbo.pop(self, None)  # type: ignore[attr-defined]  # where threads are that have yet to begin
            raise
        except RuntimeError as error:
            raise RuntimeError(f"{error}. {NO_MEMORY}") from error


class _Birth(threading.Event):
    """Set by a thread when it has begun."""

    run: weakref.ref[Any] | None = None

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None:
            return super().wait(timeout)
        while not super().wait(_LOOK):
            if self.run is not None and self.run() is None and not self.is_set():
                raise MemoryError(NO_MEMORY)
        return True


def check_alive(threads: Iterable[threading.Thread]) -> None:
    """Raise MemoryError if one of the threads, which have work to do, is gone."""
    if not all(one.is_alive() for one in threads):
        raise MemoryError(NO_MEMORY)


_PATIENCE = 5.0  # seconds for threads to end
_LOOK = 0.1  # seconds until it is looked whether they are still there
_REPEAT = 0.02  # seconds until a thread is told that could not be told before


def side_by_side(work: Callable[[Any], Any], jobs: Sequence[Any], n_threads: int) -> Generator[Any, None, None]:
    """`work(job)` of every job, in their order; an error of any ends all. One thread: the caller's own.

    Whoever may stop listening before the end must close it (`contextlib.closing`).

    >>> list(side_by_side(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    if min(n_threads, len(jobs)) <= 1:
        yield from map(work, jobs)
        return
    done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    todo = iter(range(len(jobs)))
    config = get_config()  # scikit-learn's settings are each thread's own

    def serve() -> None:
        with config_context(**config):
            for k in todo:
                try:
                    done.put((k, work(jobs[k]), None))
                except BaseException as error:
                    done.put((k, None, error))
                    return

    crew: list[_Hand] = []
    waiting: dict[int, Any] = {}
    try:
        _hire(crew, min(n_threads, len(jobs)), serve)
        for wanted in range(len(jobs)):
            while wanted not in waiting:
                k, result, error = _next(done, crew)
                if error is not None:
                    raise error
                waiting[k] = result
            yield waiting.pop(wanted)
    except BaseException:
        list(todo)  # nothing is left to begin
        _end(crew, tell=True)
        raise
    _end(crew, tell=False)


_own = threading.local()


def threads_of_a_job() -> int | None:
    """How many threads a job in this thread may use; None: as many as there are."""
    return getattr(_own, "n_threads", None)


class Crew:
    """Threads with the methods of multiprocessing's pools that joblib calls. A fit in one uses a part of the cores."""

    def __init__(self, n_threads: int, n_threads_of_a_job: int) -> None:
        self._todo: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._open: set[object] = set()
        self._is_over, self._crew = False, []  # type: ignore[var-annotated]

        def serve() -> None:
            _own.n_threads = n_threads_of_a_job
            while (job := self._todo.get()) is not None and not self._is_over:
                job()

        _hire(self._crew, n_threads, serve)

    def apply_async(
        self, work: Callable[..., Any], args: Any, callback: Callable[[Any], Any], error_callback: Any
    ) -> None:
        """Have a thread call `callback(work(*args))`."""

        def job() -> None:
            try:
                found = work(*args)
            except BaseException as error:
                found = error
            self._open.discard(job)
            callback(found)

        self._open.add(job)
        self._todo.put(job)

    def close(self) -> None:
        """Take no more jobs."""
        for _ in self._crew:
            self._todo.put(None)

    def terminate(self) -> None:
        """Wait for the threads, and end jobs that are not done."""
        self._is_over = True
        _end(self._crew, tell=bool(self._open))


class _Hand(NamedTuple):
    thread: Thread
    bell: Bell


def _hire(crew: list[_Hand], n_threads: int, serve: Callable[[], None]) -> None:
    """Start the threads; those that could be are in `crew`."""
    with interrupts_held_back():
        for k in range(n_threads):
            bell = Bell()
            thread = Thread(target=bell.answer, args=(serve,), name=f"spinney_job_{k}", daemon=False)
            thread.start()
            crew.append(_Hand(thread, bell))


def _next(done: SimpleQueue[Any], crew: list[_Hand]) -> Any:
    """What is done next. Threads that have ended will do nothing more."""
    while True:
        try:
            return done.get(timeout=_LOOK)
        except Empty:
            if done.empty() and not any(hand.thread.is_alive() for hand in crew):
                raise MemoryError(NO_MEMORY) from None


def _end(crew: list[_Hand], tell: bool) -> None:
    """Wait for the threads, and tell each to stop, once, if so wished."""
    deadline = time.monotonic() + _PATIENCE
    untold = [one.bell for one in crew] if tell else []
    untold = [one for one in untold if not one.ring()]
    for thread, bell in crew:
        while not bell.wait(_REPEAT if untold else max(0.0, deadline - time.monotonic())):
            untold = [one for one in untold if not one.ring()]
            if time.monotonic() > deadline:
                return
        with interrupts_held_back():
            thread.join()  # its last steps

"""Interrupts: Ctrl-C, held back where it would do harm, and the same for threads that work for the caller.

An exception at any line is a normal thing for a fit, but not for what it calls on its way: an import of Numba that is
cut half-way cannot be repeated in the same process, a compiler that is cut half-way may have lost a registration or
keep a lock, and LLVM calls back into Python, where an exception is printed and forgotten. There

    with interrupts_held_back():       no interrupt inside; one that came is raised at the end, or
        let_interrupts_in()            here: a place where an exception does no harm

Signals reach only the main thread. Other threads of ours are interrupted by whoever waits for them: each has a `Bell`.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import signal
import sys
import threading
import time
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any


class _Own(threading.local):
    """A thread's own."""

    waiting: list[Callable[[], Any]] | None = None  # interrupts that came while they are held back, ready to be raised
    bell: Bell | None = None


_own = _Own()


@contextlib.contextmanager
def interrupts_held_back() -> Iterator[None]:
    """No interrupt inside: the first that comes is raised at the end. May be nested."""
    if _own.waiting is not None:
        yield
    elif threading.current_thread() is threading.main_thread():
        with _signal_held_back():
            yield
    elif _own.bell is not None:
        with _own.bell.silenced():
            yield
    else:  # nobody interrupts this thread
        yield


def let_interrupts_in() -> None:
    """Raise an interrupt that was held back, if one came."""
    if _own.waiting:
        _own.waiting.pop(0)()


def import_whole(*names: str) -> None:
    """Import modules to the end, whatever signals come."""
    with interrupts_held_back():
        for name in names:
            importlib.import_module(name)


@contextlib.contextmanager
def _signal_held_back() -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # ignored, or the end of the process
        yield
        return
    waiting: list[Callable[[], Any]] = []

    def wait(number: int, frame: Any) -> None:
        waiting.append(partial(handler, number, frame))

    try:
        _own.waiting = waiting
        signal.signal(signal.SIGINT, wait)
        yield
    finally:
        _own.waiting = None
        if signal.getsignal(signal.SIGINT) is wait:
            signal.signal(signal.SIGINT, handler)
        if waiting:
            waiting[0]()


class Bell:
    """Interrupts one thread, any number of times, until its work ends. The thread itself calls `answer`."""

    def __init__(self) -> None:
        self._gate = allocate_lock()
        self._thread: int | None = None  # while it hears
        self._waiting: list[Callable[[], Any]] | None = None  # while it is silenced
        self._end = allocate_lock()
        self._end.acquire()

    def answer(self, work: Callable[[], Any]) -> None:
        """Do the work, to its end or until the bell rings."""
        try:
            _own.bell = self
            self._hear(True)
            work()
        except BaseException:  # rung: whoever did so knows
            pass
        while True:
            try:
                self._hear(False)
                break
            except KeyboardInterrupt:  # rung just before
                continue
        self._end.release()

    def ring(self) -> bool:
        """Raise KeyboardInterrupt in the thread, at its next line of Python where interrupts are not held back.

        False if this is not the moment: an import that is cut may keep its lock, and others would wait for ever.
        """
        with self._gate:
            if self._waiting is not None:
                self._waiting.append(_interrupt)
            elif self._thread is not None:
                time.sleep(0)  # a whole turn of the interpreter's lock: the thread stands still from here on
                if _is_importing(self._thread):
                    return False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(KeyboardInterrupt)
                )
            return True

    def wait(self, seconds: float) -> bool:
        """Whether the work has ended, if need be after a while.

        (Not `Thread.join`: interrupted, that of Python 3.11 forgets the thread, and so does the interpreter's exit.)
        """
        if not self._end.acquire(timeout=seconds):
            return False
        self._end.release()
        return True

    @contextlib.contextmanager
    def silenced(self) -> Iterator[None]:
        waiting: list[Callable[[], Any]] = []
        try:
            with self._gate:
                self._waiting = _own.waiting = waiting
            _raise_pending()
            yield
        finally:
            with self._gate:
                self._waiting = _own.waiting = None
            if waiting:
                waiting[0]()

    def _hear(self, wanted: bool) -> None:
        with self._gate:
            self._thread = get_ident() if wanted else None
        _raise_pending()


def _interrupt() -> None:
    raise KeyboardInterrupt


def _is_importing(thread: int) -> bool:
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _raise_pending() -> None:
    """Run so many lines that an exception sent to this thread before is raised here."""
    for _ in range(3):
        pass

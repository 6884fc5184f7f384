"""Threads that begin or fail: `threading.Thread`, but for `start` where no memory is left.

`Thread.start` waits until the new thread has said that it runs. The system may hand out a thread although there is no
memory for its first function call: it dies before it can say so, and `start` would wait for ever. Here the caller also
looks whether the thread still holds what it was told to run; if not, it is gone.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

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

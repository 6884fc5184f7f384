"""Jobs in threads that Ctrl-C ends: work that drops the GIL, such as our fits.

joblib's threads would go on in the background after an interrupt. These are told to stop, which they do when the
compiled kernel they are in comes back, and are gone before the interrupt is passed on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

from sklearn import config_context, get_config


def side_by_side(work: Callable[[Any], Any], jobs: Sequence[Any], n_threads: int) -> Iterator[Any]:
    """`work(job)` of every job, in their order; an error of any ends all.

    >>> list(side_by_side(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
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

    threads = [Thread(target=serve, name=f"spinney_fold_{k}", daemon=True) for k in range(min(n_threads, len(jobs)))]
    for thread in threads:
        thread.start()
    waiting: dict[int, Any] = {}
    try:
        for wanted in range(len(jobs)):
            while wanted not in waiting:
                k, result, error = done.get()
                if error is not None:
                    raise error
                waiting[k] = result
            yield waiting.pop(wanted)
    finally:
        list(todo)  # nothing is left to begin
        for thread in threads:
            _stop(thread)


def _stop(thread: Thread) -> None:
    """End a thread at its next line of Python, and wait for that."""
    while thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
        )
        thread.join(0.05)

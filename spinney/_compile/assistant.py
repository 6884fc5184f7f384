"""Assistant: a second process that compiles parts while this one compiles the kernel that calls them.

It is started at the first kernel that the cache lacks, gets the parts (`parts.py`) that a kernel turns out to call, in
whatever order, and puts them in the cache, the largest first; meanwhile this process does the same. A part that one
of them compiles is locked for the other (`cache.py`): whoever comes second waits for it or goes on to the next. If
there is no assistant (one core, no cache folder, a frozen program, a worker process), all is done here.

    stdin of the assistant:   [ length | pickle of a Need ] [ length | pickle of a Need ] ...
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from queue import Empty, SimpleQueue
from typing import Any

_IDLE = 5.0  # seconds without work after which the assistant goes
_START = "import sys; sys.path[:] = {path!r}; from spinney._compile.assistant import serve; serve()"

_process: subprocess.Popen[bytes] | None = None
_lock = threading.Lock()


def start_assistant() -> None:
    """Have an assistant, if one can be of use here."""
    global _process
    with _lock:
        if _is_alive() or not is_useful():
            return
        _dismiss()  # one that has gone leaves its end of the pipe
        try:
            _process = subprocess.Popen(
                [sys.executable, "-c", _START.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not meant for it
                env={**os.environ, "SPINNEY_QUIET": "1", "SPINNEY_ASSISTANT": "0"},
            )
        except OSError:
            _process = None
        else:
            atexit.register(_dismiss)


def hand_over(need: Any) -> None:
    """Let the assistant compile a part too."""
    with _lock:
        if _process is None or _process.stdin is None or not _is_alive():
            return
        try:
            body = pickle.dumps(need)
            _process.stdin.write(len(body).to_bytes(8, "little") + body)
            _process.stdin.flush()
        except Exception:  # it has gone, or the part cannot be described: it is compiled here
            return


def _is_alive() -> bool:
    return _process is not None and _process.poll() is None


def is_useful() -> bool:
    """Whether there is, or could be, an assistant."""
    return (
        os.environ.get("SPINNEY_ASSISTANT") != "0"
        and "python" in os.path.basename(sys.executable or "").lower()  # not a server or a game that holds a Python
        and not getattr(sys, "frozen", False)
        and multiprocessing.parent_process() is None
        and _n_cores() > 1
    )


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _dismiss() -> None:
    """At exit: an assistant without work to do goes at once, another one when it has finished."""
    if _process is not None and _process.stdin is not None:
        with contextlib.suppress(OSError):
            _process.stdin.close()
        _process.poll()


# --- in the assistant ------------------------------------------------------------------------------------------------


def serve() -> None:
    """Compile what comes on stdin, the largest first, until it ends or nothing more comes."""
    jobs: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    waiting: list[Any] = []
    with contextlib.suppress(Empty, EOFError):
        while True:
            while not waiting or not jobs.empty():
                waiting += _read_need(jobs.get(timeout=_IDLE))
            waiting.sort(key=lambda need: need.size())
            need = waiting.pop()
            with contextlib.suppress(Exception):  # it is compiled where it is wanted, and fails there if it must
                if not need.find().is_elsewhere(need.signature):
                    need.find().prepare(need.signature)


def _read_need(body: bytes | None) -> list[Any]:
    if body is None:
        raise EOFError
    try:
        need = pickle.loads(body)
        need.size()
    except Exception:  # a part that this process cannot find, such as one of a notebook
        return []
    return [need]


def _receive(jobs: SimpleQueue[bytes | None]) -> None:
    while head := _read_all(8):
        jobs.put(_read_all(int.from_bytes(head, "little")))
    jobs.put(None)


def _read_all(n: int) -> bytes:
    """The next n bytes of stdin; none at its end. (Not by `sys.stdin`: at exit Python would wait for its lock.)"""
    content = b""
    while len(content) < n:
        if not (more := os.read(0, n - len(content))):
            return b""
        content += more
    return content

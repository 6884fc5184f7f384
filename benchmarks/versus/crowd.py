"""Processes that keep every core busy, to time fits on a busy machine."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Runs until its parent is gone, so that an interrupted benchmark leaves nothing behind.
BUSY = """
import os, sys
parent, core = int(sys.argv[1]), int(sys.argv[2])
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {core})
while os.getppid() == parent:
    sum(range(1_000_000))
"""


def cores() -> list[int]:
    """The cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextmanager
def crowd() -> Iterator[None]:
    """One busy process on each core, ended when the block is left."""
    me = str(os.getpid())
    neighbours = [subprocess.Popen([sys.executable, "-c", BUSY, me, str(core)]) for core in cores()]
    try:
        time.sleep(0.5)
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()

"""Locks: one process compiles, others wait or help; nobody waits for ever."""

import os
import signal
import threading

import pytest
from numba.core import types

from spinney._compile import PLAIN_PYTHON, cache, kernel, locks
from spinney._compile import folder as folders
from tests._compile import kernels as module
from tests._compile.processes import COUNTED, finish, start

pytestmark = pytest.mark.skipif(PLAIN_PYTHON, reason="plain Python has no cache")
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of POSIX systems")


def locks_in(folder):
    return list(folder.glob("*.lock"))


def seven_times(x):
    return 7 * x


def test_a_lock_is_for_one_and_is_waited_for(folder):
    path = folder / "one.lock"
    lock = locks.Lock.take(path, lambda: False)
    assert locks.Lock.is_held(path)
    assert locks.Lock.take(path, lambda: True) is None  # what was waited for is there
    timer = threading.Timer(0.1, lock.release)
    timer.start()
    second = locks.Lock.take(path, lambda: False)
    assert second is not None
    second.release()
    assert not locks.Lock.is_held(path)
    timer.join()


def test_nobody_waits_for_ever(folder, monkeypatch):
    """A process that hangs, or is stopped in a debugger, costs the others a compilation of their own."""
    dispatcher = kernel(seven_times)
    path = list(dispatcher._cache._places((types.int64,), cache._magic()))[-1][0]
    lock = locks.Lock.take(path.with_suffix(".lock"), lambda: False)
    monkeypatch.setattr(locks, "_PATIENCE", 0.05)
    assert dispatcher(6) == 42
    lock.release()


def test_without_locks_everybody_compiles(folder, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    assert kernel(seven_times)(6) == 42
    assert [path.suffix for path in folder.iterdir()] == [".bin"]


HANGS = """
import time
import tests._compile.kernels as kernels

def hang(*args):
    print("compiling", flush=True)
    time.sleep(600)

kernels.seven_times._compiler.compile = hang
kernels.seven_times(6)
"""


@posix
def test_a_process_that_is_killed_blocks_nobody(tmp_path, monkeypatch):
    monkeypatch.setenv("SPINNEY_CACHE_DIR", str(tmp_path))
    folder = folders.cache_folder.__wrapped__()
    monkeypatch.setattr(folders, "cache_folder", lambda: folder)
    process = start(HANGS)
    assert process.stdout.readline() == "compiling\n"
    dispatcher = kernel(module.seven_times.py_func)
    assert dispatcher._cache.is_taken((types.int64,))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=300)
    assert len(locks_in(folder)) == 1
    assert not dispatcher._cache.is_taken((types.int64,))
    monkeypatch.setattr(locks, "_PATIENCE", 0.0)
    assert dispatcher(6) == 42
    assert locks_in(folder) == []
    assert dispatcher._cache.has((types.int64,))


@pytest.mark.slow
@pytest.mark.parametrize("n_processes", [2, 4])
def test_processes_that_start_at_once_share_the_work(tmp_path, n_processes):
    processes = [start(COUNTED, SPINNEY_CACHE_DIR=str(tmp_path)) for _ in range(n_processes)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [finish(process)[0].split("\n") for process in processes]
    assert len({said for said, *_ in answers}) == 1
    compiled = sorted(name for _, names, *_ in answers for name in names.split())
    everything = "checked count_above fill fill_and_count fill_twice look nine_times seven_times sum_both"
    assert compiled == [*everything.split(), "weighted_sum", "weighted_sum"]  # each once, one for two signatures
    (folder,) = tmp_path.iterdir()
    kept = [path.suffix for path in folder.iterdir() if not path.name.startswith("checked-")]
    assert kept == [".bin"] * len(compiled)

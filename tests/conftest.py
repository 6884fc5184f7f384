"""What every test needs to know of the ways in which the kernels can be run, and in which the tests themselves are."""

import gc
import os
import signal
import threading

import pytest
from hypothesis import HealthCheck, settings

# Other libraries' threads that wait in a loop take the cores from the tests beside them. Read when they are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Whether a test passes depends neither on what is compiled already nor on how busy the machine is.
os.environ.setdefault("SPINNEY_QUIET", "1")
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")

# With a process per core, a second compiler per process only takes their time.
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER is not None:
    os.environ.setdefault("SPINNEY_ASSISTANT", "0")


def pytest_configure(config):
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        # compiled integers wrap around in silence, NumPy's scalars with a word of warning
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        # shells start what runs in the background without Ctrl-C, and so would be all that tests start
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Backwards(pytest.Dir):
    """A folder whose last file is read first."""

    def collect(self):
        return reversed(list(super().collect()))


def pytest_collect_directory(path, parent):
    """Every second process reads the tests backwards: each file is then prepared by one process and read by others."""
    return Backwards.from_parent(parent, path=path) if WORKER is not None and WORKER[-1] in "13579" else None


def pytest_collection_modifyitems(items):
    if WORKER is not None:  # all processes must have the tests in the same order
        items.sort(key=lambda item: item.path)


def pytest_collection_finish(session):
    """Modules whose kernels were used while tests were collected, which every process does at the same time."""
    dispatchers = (one for one in gc.get_objects() if type(one).__name__ == "CPUDispatcher" and one.overloads)
    session.config.modules_of_kernels = {one.py_func.__module__ for one in dispatchers}

"""What every test needs to know of the ways in which the kernels can be run, and in which the tests themselves are."""

import os
import signal
import threading

from hypothesis import HealthCheck, settings

# Other libraries' threads that wait in a loop take the cores from the tests beside them. Read when they are loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Whether a test passes depends neither on what is compiled already nor on how busy the machine is.
os.environ.setdefault("SPINNEY_QUIET", "1")
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")

# With a process per core, a second compiler per process only takes their time.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("SPINNEY_ASSISTANT", "0")


def pytest_configure(config):
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        # compiled integers wrap around in silence, NumPy's scalars with a word of warning
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        # shells start what runs in the background without Ctrl-C, and so would be all that tests start
        signal.signal(signal.SIGINT, signal.default_int_handler)

"""What every test needs to know of the ways in which the kernels can be run."""

import os


def pytest_configure(config):
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        # compiled integers wrap around in silence, NumPy's scalars with a word of warning
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")

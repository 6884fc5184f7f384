"""Settings: Numba, imported where Ctrl-C cannot cut it, and what it compiles for.

An import of Numba that is cut half-way cannot be repeated in the same process, so it happens in a thread of its own:
signals reach only the main thread, which waits.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from typing import Any


def import_whole(*names: str) -> None:
    """Import modules to the end, whatever signals come; Ctrl-C is raised here while the import goes on."""
    if threading.current_thread() is not threading.main_thread():
        for name in names:
            importlib.import_module(name)
        return
    failures: list[BaseException] = []

    def load() -> None:
        try:
            for name in names:
                importlib.import_module(name)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=load, name="spinney_import", daemon=False)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


import_whole("numba", "llvmlite.binding", "numba.np.arrayobj")

import llvmlite.binding  # noqa: E402
import numba  # noqa: E402
from numba.core import config  # noqa: E402

PLAIN_PYTHON = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
LEVELS = {  # of x86-64 processors, best first, with what tells them apart
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"),
}


LEVEL_FEATURES = {  # what the kernels of a level are told besides (NUMBA_CPU_FEATURES)
    "x86-64-v4": "-prefer-256-bit",  # registers are used at their full width, as on the processor itself
    "x86-64-v3": "",
}


def target_has(feature: str) -> bool:
    """Whether the processor that is compiled for has a feature (NUMBA_CPU_NAME may ask for another than this one)."""
    name = config.CPU_NAME  # type: ignore[attr-defined]
    if name is None:
        return _host_has(feature)
    levels = list(LEVELS)
    return name in LEVELS and any(feature in LEVELS[level] for level in levels[levels.index(name) :])


def _host_has(feature: str) -> bool:
    return bool(llvmlite.binding.get_host_cpu_features().get(feature, False))


def host_level() -> str | None:
    """The best level of x86-64 that this processor has; None on others, and when another one is compiled for."""
    if config.CPU_NAME is not None or "x86_64" not in llvmlite.binding.get_process_triple():  # type: ignore[attr-defined]
        return None
    levels = list(LEVELS)
    for k, level in enumerate(levels):
        if all(_host_has(feature) for lower in levels[k:] for feature in LEVELS[lower]):
            return level
    return None


def versions() -> tuple[Any, ...]:
    """What machine code depends on besides sources and processor."""
    flags = tuple(getattr(config, name) for name in ("BOUNDSCHECK", "OPT"))
    return (sys.implementation.cache_tag, sys.version_info[:2], numba.__version__, llvmlite.__version__, *flags)


def compiler_choice() -> str:
    """Which compiler the user wants: "spinney", or "numba" for plain `numba.njit` (environment variable)."""
    choice = os.environ.get("SPINNEY_COMPILER") or "spinney"
    if choice not in ("spinney", "numba"):
        raise ValueError(f"SPINNEY_COMPILER must be 'spinney' or 'numba', got {choice!r}.")
    return choice

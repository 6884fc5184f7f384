"""Settings: Numba, imported where Ctrl-C cannot cut it, and what it compiles for."""

from __future__ import annotations

import os
import sys
from typing import Any

from spinney._interrupts import import_whole, interrupts_held_back

import_whole("numba", "llvmlite.binding", "numba.np.arrayobj")  # cannot be repeated if cut

import llvmlite.binding  # noqa: E402
import numba  # noqa: E402
from numba.core import config, entrypoints  # noqa: E402

PLAIN_PYTHON = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
if not PLAIN_PYTHON:
    with interrupts_held_back():
        entrypoints.init_all()  # other packages' extensions: Numba would import them on the first call
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

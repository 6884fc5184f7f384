"""`spinney doctor`: what is installed, what will be used, and which problems there are."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

import typer

import spinney
from spinney._distribution import DISTRIBUTION
from spinney.cli import options
from spinney.cli.report import Report
from spinney.view.numbers import plural

_EXTRAS = ("polars", "fastexcel", "typer", "rich", "pandas", "pyarrow", "matplotlib", "onnx", "onnxruntime")
_VARIABLES = (
    "SPINNEY_CACHE_DIR",
    "SPINNEY_QUIET",
    "SPINNEY_COMPILER",
    "SPINNEY_ASSISTANT",
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMBA_DISABLE_JIT",
    "NUMBA_BOUNDSCHECK",
)
_SLOW = {
    "NUMBA_DISABLE_JIT": "kernels run as plain Python, hundreds of times slower",
    "NUMBA_BOUNDSCHECK": "kernels check every index",
    "SPINNEY_COMPILER": "every process compiles its kernels, a minute or more",
}


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    value: str
    problem: str = ""


def doctor(as_json: options.Json = False) -> None:
    """Check the installation: versions, threads, compiled kernels, GPU and environment variables.

    The exit code is 1 if there is a problem.

    Examples:

        spinney doctor
    """
    report = Report(as_json)
    groups = {
        "Versions": list(_versions()),
        "Machine": list(_machine()),
        "Compiled kernels": list(_kernels()),
        "Environment": list(_environment()),
    }
    problems = [f"{one.what}: {one.problem}" for group in groups.values() for one in group if one.problem]
    for title, group in groups.items():
        if group:
            report.title(title)
            report.table(
                ["", "", ""], [(one.what, one.value, f"<- {one.problem}" if one.problem else "") for one in group]
            )
    report.note(
        **{title.lower().replace(" ", "_"): {one.what: one.value for one in group} for title, group in groups.items()},
        problems=problems,
    )
    report.title(f"{plural(len(problems), 'problem')}: {'; '.join(problems)}" if problems else "No problems found.")
    report.end()
    if problems:
        raise typer.Exit(1)


def _versions() -> Iterator[Finding]:
    yield Finding("spinney", spinney.__version__)
    yield Finding("Python", platform.python_version())
    for requirement in metadata.requires(DISTRIBUTION) or _REQUIRED_WITHOUT_METADATA:
        name, bounds, marker = _parts(requirement)
        if marker:
            continue
        found = _version(name)
        if found is None:
            yield Finding(name, "not installed", f"required; run: pip install {name}")
        else:
            yield Finding(name, found, "" if within(found, bounds) else f"tested with {bounds} only")
    for name in _EXTRAS:
        found = _version(name)
        yield Finding(name, found or "not installed (optional)")


_REQUIRED_WITHOUT_METADATA = ("numpy", "scipy", "numba", "llvmlite", "scikit-learn", "joblib", "narwhals")


def _parts(requirement: str) -> tuple[str, str, str]:
    """(name, bounds, marker) of `numpy<2.6,>=2.0; extra == 'x'`."""
    plain, _, marker = requirement.partition(";")
    found = re.match(r"([A-Za-z0-9_.-]+)\s*(.*)", plain.strip())
    return (found[1], found[2].strip(), marker.strip()) if found else (plain, "", marker)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def within(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as `>=2.0,<2.6`."""
    own = _numbers(version)
    for bound in filter(None, (one.strip() for one in bounds.split(","))):
        sign, other = re.match(r"([<>=!~]+)\s*(.*)", bound).groups()  # type: ignore[union-attr]
        limit = _numbers(other)
        if (sign == ">=" and own < limit) or (sign == "<" and own >= limit) or (sign == "<=" and own > limit):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(one) for one in re.findall(r"\d+", version)[:3])


def _machine() -> Iterator[Finding]:
    yield Finding("system", f"{platform.system()} {platform.machine()}")
    from joblib import cpu_count, effective_n_jobs

    yield Finding("cores", f"{cpu_count()} of {os.cpu_count()}")
    limits = [
        int(value) for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS") if (value := os.environ.get(name, "")).isdigit()
    ]
    yield Finding("threads of a fit", str(min([effective_n_jobs(-1), *limits])))
    yield Finding("memory", _memory())
    yield Finding("GPU", _gpu())


def _memory() -> str:
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return "not known"
    return f"{pages * size / 2**30:.1f} GiB"


def _gpu() -> str:
    """The GPU, and whether models can be fitted on it."""
    from spinney.gpu import problem_with_gpu

    problem, name = problem_with_gpu(), _name_of_gpu()
    if problem is None:
        return f"{name or 'found, name unknown'} (used with device='cuda' or device='auto')"
    if name is None:
        return "none found (optional: device='cpu' is the default)"
    return f"{name} (not used: {problem.rstrip('.')})"


def _name_of_gpu() -> str | None:
    """What the driver calls it; None without a driver."""
    if ctypes.util.find_library("cuda") is None:
        return None
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return "a CUDA driver without nvidia-smi"
    asked = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        found = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return "a CUDA driver that does not respond"
    return "; ".join(found.strip().splitlines())


def _kernels() -> Iterator[Finding]:
    begun = time.perf_counter()
    from spinney._compile import PLAIN_PYTHON, cache_folder

    yield Finding("loading the compiler", f"{time.perf_counter() - begun:.1f} s")
    folder = cache_folder()
    if folder is None:
        yield Finding(
            "folder", "none", "every process compiles its own kernels; set SPINNEY_CACHE_DIR to a folder that you own"
        )
        return
    kept = [one for one in folder.iterdir() if one.suffix == ".bin"]
    size = sum(one.stat().st_size for one in kept)
    yield Finding("folder", str(folder))
    yield Finding(
        "cached",
        f"{plural(len(kept), 'kernel')}, {size / 2**20:.1f} MiB"
        if kept
        else "none yet: first fits compile them, or spinney warmup ahead of time",
    )
    free = shutil.disk_usage(folder).free
    yield Finding("free space", f"{free / 2**30:.1f} GiB", "the disk is full" if free < 2**26 else "")
    yield Finding("compiled code", "no" if PLAIN_PYTHON else "yes", "NUMBA_DISABLE_JIT is set" if PLAIN_PYTHON else "")


def _environment() -> Iterator[Finding]:
    for name in _VARIABLES:
        value = os.environ.get(name)
        if value is not None:
            slow = _SLOW.get(name) if value not in ("", "0", "spinney") else None
            yield Finding(name, value, slow or "")
    if sys.version_info >= (3, 15):
        yield Finding("Python", platform.python_version(), "spinney is tested up to Python 3.14")

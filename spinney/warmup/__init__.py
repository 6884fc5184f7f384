"""Compile ahead of time: `python -m spinney.warmup [--all] [family ...]`.

Compiled kernels are stored in a cache (docs/installing.md), so only the first fit of each model family on a machine
waits for the compiler. This command fills the cache before that: in a Dockerfile, after an update, or on a new machine.
It fits every family on small data of the common kinds (numbers and strings, two and more classes, regression, weights,
missing values), or of every kind with --all. It uses as many processes as there are cores.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterable
from typing import Any

from joblib import cpu_count

from spinney.warmup.recipes import families

__all__ = ["compile_ahead", "families"]


def compile_ahead(names: Iterable[str] = (), every: bool = False, n_jobs: int | None = None) -> list[str]:
    """Compile kernels ahead of time and store them in the kernel cache.

    Parameters
    ----------
    names : iterable of str, default=()
        Families to compile, from `families()`. If empty, all families.
    every : bool, default=False
        Whether to compile for every kind of data. By default only the common kinds are compiled.
    n_jobs : int, default=None
        Number of processes. None is one per core.

    Returns
    -------
    list of str
        One line per failure; empty if everything was compiled.

    Examples
    --------
    >>> from spinney.warmup import compile_ahead
    >>> compile_ahead(["clustering"])  # doctest: +SKIP
    []
    """
    from multiprocessing import get_context

    tasks = [
        (family, number, every, f"{family}: {label}")
        for family in names or families()
        for number, (label, _) in enumerate(families()[family](every))
    ]
    n_jobs = n_jobs or cpu_count()
    failures: list[str] = []
    start = time.monotonic()
    quietly = _environment(SPINNEY_ASSISTANT="0", SPINNEY_QUIET="1")
    with quietly, get_context("spawn").Pool(min(n_jobs, len(tasks))) as pool:
        for done, (label, error) in enumerate(pool.imap_unordered(_run, _by_turns(tasks)), start=1):
            failures += [f"{label}: {error}"] if error else []
            _show(done, len(tasks), label, time.monotonic() - start)
    return failures


def _by_turns(tasks: list[Any]) -> list[Any]:
    """The first of every family, then the second, ...: processes that compile the same kernels wait for each other."""
    return sorted(tasks, key=lambda task: task[1])


def _run(task: tuple[str, int, bool, str]) -> tuple[str, str]:
    family, number, every, label = task
    warnings.simplefilter("ignore")
    recipes = list(families()[family](every))
    try:
        recipes[number][1]()
    except Exception as error:
        return label, f"{type(error).__name__}: {error}"
    return label, ""


class _environment:
    """Environment variables for the time of a with block."""

    def __init__(self, **values: str) -> None:
        self._values = values

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._values}
        os.environ.update(self._values)

    def __exit__(self, *exception: object) -> None:
        for name, value in self._before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _show(done: int, n: int, label: str, seconds: float) -> None:
    """A bar on a terminal, a line each elsewhere."""
    filled = 24 * done // n
    bar, end = "#" * filled + "." * (24 - filled), "\r" if sys.stderr.isatty() and done < n else "\n"
    left = f", about {seconds / done * (n - done):.0f} s left" if n / 4 < done < n else ""
    print(f"[{bar}] {done}/{n} {seconds:.0f} s{left}  {label:<48}", end=end, file=sys.stderr, flush=True)

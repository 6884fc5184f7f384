"""Speech: what the user is told of compiling, and of long fits. To stderr, so that no warning filter can stop a fit.

A process announces each family of models once, with the time that its first fit compiles: not only the kernel at hand,
but all that usually follow and are not in the cache. `costs.json` has what they cost on one machine
(`tools/compile_costs.py` measures it); the kernels that this process has compiled so far tell how fast this machine is.

`SPINNEY_QUIET=1` silences it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from spinney._compile.assistant import is_useful

_FAMILIES = {  # beginnings of kernel names, longest first where one is part of another
    "grow.exact": "exact trees",
    "grow.binned": "forests",
    "grow.multiway": "ID3 and C4.5",
    "grow.boosting": "gradient boosting",
    "grow": "trees",
    "ensemble.boosting": "gradient boosting",
    "ensemble.adaboost": "AdaBoost",
    "ensemble": "ensembles",
    "tree": "predictions",
    "cluster.cholesky": "Gaussian mixtures",
    "cluster.e_step": "Gaussian mixtures",
    "cluster": "clustering",
    "prune": "pruning",
    "explain": "explanations",
    "data": "tables",
}
_WORTH_A_WORD = 0.5  # seconds
_SIZE = 8_000  # of a kernel that is not in costs.json (`dependencies.size_of`): what takes a second
_TRUST = 0.2  # seconds of compiling before the speed of this machine counts as much as that of the other one
_COSTS = Path(__file__).parent / "costs.json"
clock: Callable[[], float] = time.perf_counter


class Cost(NamedTuple):
    """Of a kernel in a first fit."""

    seconds: float  # to compile it once,
    times: int  # and how often it is
    is_part: bool  # whether an assistant can do it (`parts.py`)


class _Fit(NamedTuple):
    """What a first fit of a family compiles."""

    family: str
    kernels: dict[str, Cost]


class _Work(threading.local):
    """A thread's kernels, one compiled for another."""

    def __init__(self) -> None:
        self.open: list[_Open] = []


class _Open:
    """A kernel that is being compiled."""

    def __init__(self, kernel: str) -> None:
        self.kernel, self.begun, self.inside = kernel, float("nan"), 0.0  # seconds for other kernels


_said: set[str] = set()  # families that were announced
_covered: set[str] = set()  # kernels whose time was announced
_spent: dict[str, list[float]] = {}  # seconds of every time that a kernel was compiled here
_work = _Work()
_compiling: dict[int, list[_Open]] = {}  # by thread


def say(text: str) -> None:
    """One line about what takes time."""
    if os.environ.get("SPINNEY_QUIET", "") in ("", "0") and sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more: closed, or the reader has gone
            print(f"spinney: {text}", file=sys.stderr, flush=True)


@functools.cache
def say_once(text: str) -> None:
    """The same, once a process."""
    say(text)


def announce(kernel: str, size: int, is_kept: bool, in_cache: Callable[[], set[str]]) -> None:
    """A kernel is not in the cache: say how long its family's compiling takes, unless that was said.

    `size` is that of `dependencies.size_of`, `in_cache` gives the names of kernels that are there for some table.
    """
    _work.open.append(_Open(kernel))
    family = family_of(kernel)
    if family in _said or kernel in _covered:
        return
    kernels = _follow(kernel, size, in_cache)
    seconds = estimate(kernels.values(), is_useful())
    if seconds < _WORTH_A_WORD:
        return
    _said.add(family)
    _covered.update(kernels)
    kept = "once" if is_kept else "in every process, since there is no folder to store it in"
    say(
        f"compiling {family}: about {max(1, round(seconds * _slowness()))} s, {kept}. "
        "`python -m spinney.warmup` does it ahead of time."
    )


def begins() -> None:
    """The kernel that was announced is compiled now, here."""
    _work.open[-1].begun = clock()
    _compiling[threading.get_ident()] = _work.open


def compiled() -> None:
    """The kernel that was announced last is there, or has failed."""
    done = _work.open.pop()
    if not _work.open:
        _compiling.pop(threading.get_ident(), None)
    if done.begun == done.begun:
        seconds = clock() - done.begun
        _spent.setdefault(done.kernel, []).append(seconds - done.inside)
        if _work.open:
            _work.open[-1].inside += seconds


def seconds_spent() -> float:
    """Seconds that this process has spent compiling so far, kernels that are not ready yet included."""
    spent = sum(map(sum, list(_spent.values())))
    for kernels in map(list, list(_compiling.values())):
        begun = next((one.begun for one in kernels if one.begun == one.begun), None)
        if begun is not None:
            spent += clock() - begun - sum(one.inside for one in kernels)
    return spent


def _follow(kernel: str, size: int, in_cache: Callable[[], set[str]]) -> dict[str, Cost]:
    """A kernel, and those that are not there yet of a first fit in which it is one of the family's own."""
    own = next((fit.kernels[kernel] for fit in _fits() if kernel in fit.kernels), Cost(size / _SIZE, 1, False))
    family = family_of(kernel)
    first = next((fit.kernels for fit in _fits() if fit.family == family and kernel in fit.kernels), None)
    if first is None:
        return {kernel: own}
    there = in_cache() | _spent.keys()
    return {name: cost for name, cost in first.items() if name not in there} | {kernel: own}


def estimate(kernels: Iterable[Cost], is_helped: bool) -> float:
    """Seconds to compile some kernels where the costs were measured; an assistant does half of the parts."""
    of_part = 0.5 if is_helped else 1.0
    return sum(one.seconds * one.times * (of_part if one.is_part else 1.0) for one in kernels)


def _slowness() -> float:
    """Seconds here for a second of the machine on which costs were measured, as far as that can be told by now."""
    known = {name: one.seconds for fit in _fits() for name, one in fit.kernels.items()}
    some = [(seconds, known[name]) for name, times in _spent.items() if name in known for seconds in times]
    return (_TRUST + sum(here for here, _ in some)) / (_TRUST + sum(there for _, there in some))


@functools.cache
def _fits() -> list[_Fit]:
    return [
        _Fit(one["family"], {name: Cost(*cost) for name, cost in one["kernels"].items()})
        for one in json.loads(_COSTS.read_text())
    ]


def family_of(kernel: str) -> str:
    """What a kernel is for, in words."""
    name = kernel.removeprefix("spinney.")
    return next((words for start, words in _FAMILIES.items() if name.startswith(start)), "kernels")

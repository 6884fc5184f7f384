"""Speech: what the user is told of compiling. To stderr, so that no warning filter can stop a fit.

`SPINNEY_QUIET=1` silences it.
"""

from __future__ import annotations

import functools
import os
import sys
import time

_FAMILIES = {  # beginnings of kernel names, longest first where one is part of another
    "grow.exact": "exact trees",
    "grow.codes": "forests",
    "grow": "gradient boosting",
    "ensemble.gradients": "gradient boosting",
    "ensemble.forest": "predictions of gradient boosting",
    "ensemble.adaboost": "AdaBoost",
    "ensemble": "ensembles",
    "tree": "predictions",
    "classic": "ID3 and C4.5",
    "cluster": "clustering",
    "prune": "pruning",
    "data": "tables",
}
_PAUSE = 10.0  # seconds without compiling after which more of it is news again
_WORTH_A_WORD = 4_000  # size (`dependencies.size_of`) of what takes half a second
_A_SECOND = 8_000  # size of what takes one
_last: tuple[str, float] = ("", -_PAUSE)  # what was compiled last, and when it was done


def say(text: str) -> None:
    """One line about compiling."""
    if "SPINNEY_QUIET" not in os.environ:
        print(f"spinney: {text}", file=sys.stderr, flush=True)


@functools.cache
def say_once(text: str) -> None:
    """The same, once a process."""
    say(text)


def announce(kernel: str, size: int, folder: str | None) -> None:
    """Say what is compiled, unless it takes no time or the same was said just now."""
    family = family_of(kernel)
    if size >= _WORTH_A_WORD and not (_last[0] == family and time.monotonic() - _last[1] < _PAUSE):
        kept = f"once, then kept in {folder}" if folder else "in every process: there is no folder to keep it in"
        say(
            f"compiling {family} for this kind of table: about {max(1, round(size / _A_SECOND))} s, {kept}. "
            "`python -m spinney.warmup` compiles ahead of time."
        )
        compiled(kernel)


def compiled(kernel: str) -> None:
    """Note that compiling a kernel has just begun, or ended."""
    global _last
    if family_of(kernel) != "tables":
        _last = (family_of(kernel), time.monotonic())


def family_of(kernel: str) -> str:
    """What a kernel is for, in words."""
    name = kernel.removeprefix("spinney.")
    return next((words for start, words in _FAMILIES.items() if name.startswith(start)), "kernels")

"""Speech: what the user is told of compiling. To stderr, so that no warning filter can stop a fit.

`SPINNEY_QUIET=1` silences it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time

_FAMILIES = {  # beginnings of kernel names, longest first where one is part of another
    "grow.lists": "exact trees",
    "grow.codes": "forests",
    "grow.branches": "ID3 and C4.5",
    "grow.histogram": "gradient boosting",
    "grow.batched": "gradient boosting",
    "grow": "trees",
    "ensemble.gradients": "gradient boosting",
    "ensemble.adaboost": "AdaBoost",
    "ensemble": "ensembles",
    "tree": "predictions",
    "cluster": "clustering",
    "prune": "pruning",
    "data": "tables",
}
_PAUSE = 10.0  # seconds without compiling after which more of it is news again
_WORTH_A_WORD = 4_000  # size (`dependencies.size_of`) of what takes half a second
_A_SECOND = 8_000  # size of what takes one
_said: dict[str, float] = {}  # families that were announced, and when the last kernel of each was done
_open = 0  # kernels that are being compiled, one for another


def say(text: str) -> None:
    """One line about compiling."""
    if os.environ.get("SPINNEY_QUIET", "") in ("", "0") and sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more: closed, or the reader has gone
            print(f"spinney: {text}", file=sys.stderr, flush=True)


@functools.cache
def say_once(text: str) -> None:
    """The same, once a process."""
    say(text)


def announce(kernel: str, size: int, folder: str | None) -> None:
    """Compiling a kernel begins: say so, unless it takes no time or the same was said just now."""
    global _open
    family = family_of(kernel)
    is_news = family not in _said or (_open == 0 and time.monotonic() - _said[family] >= _PAUSE)
    if size >= _WORTH_A_WORD and is_news:
        kept = f"once, then kept in {folder}" if folder else "in every process: there is no folder to keep it in"
        say(
            f"compiling {family} for this kind of table: about {max(1, round(size / _A_SECOND))} s, {kept}. "
            "`python -m spinney.warmup` compiles ahead of time."
        )
        _said[family] = time.monotonic()
    _open += 1


def compiled(kernel: str) -> None:
    """Compiling a kernel, which `announce` was told of, has ended, well or not."""
    global _open
    _open -= 1
    if (family := family_of(kernel)) in _said:
        _said[family] = time.monotonic()


def family_of(kernel: str) -> str:
    """What a kernel is for, in words."""
    name = kernel.removeprefix("spinney.")
    return next((words for start, words in _FAMILIES.items() if name.startswith(start)), "kernels")

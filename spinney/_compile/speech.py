"""Speech: what the user is told of compiling. To stderr, so that no warning filter can stop a fit.

`SPINNEY_QUIET=1` silences it.
"""

from __future__ import annotations

import contextlib
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
_ASIDE = {"tables", "predictions", "kernels"}  # what is compiled along with other things, and is not said after them
_PAUSE = 2.0  # seconds without compiling after which more of it is news again
_said: set[str] = set()  # families since the last pause
_last = -_PAUSE  # when compiling ended
_open = 0  # kernels that are being compiled, one for another


def say(text: str) -> None:
    """One line about compiling."""
    if os.environ.get("SPINNEY_QUIET", "") in ("", "0") and sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):  # nobody listens any more: closed, or the reader has gone
            print(f"spinney: {text}", file=sys.stderr, flush=True)


def announce(kernel: str, folder: str | None) -> None:
    """Compiling a kernel begins: say so, unless it was said just now."""
    global _open
    family = family_of(kernel)
    if _open == 0 and time.monotonic() - _last > _PAUSE:
        _said.clear()
    if family not in _said and not (_said and family in _ASIDE):
        kept = f"once, then kept in {folder}" if folder else "in every process: no folder to keep it in"
        say(
            f"compiling {family} for this kind of table: some seconds, {kept}. "
            "`python -m spinney.warmup` compiles ahead of time."
        )
    _said.add(family)
    _open += 1


def compiled() -> None:
    """Compiling a kernel that was announced has ended, well or not."""
    global _last, _open
    _open, _last = _open - 1, time.monotonic()


def family_of(kernel: str) -> str:
    """What a kernel is for, in words."""
    name = kernel.removeprefix("spinney.")
    return next((words for start, words in _FAMILIES.items() if name.startswith(start)), "kernels")

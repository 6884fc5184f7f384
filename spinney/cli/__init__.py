"""The command line, `spinney` or `python -m spinney`: fit, predict, evaluate, show and more, for whoever has a table.

In: arguments. Out: an exit code (errors.py has the list). One file per verb. Tables are read by spinney/tables, and how
they were read is kept in the model's file, as a recipe.

Needs the extra `cli`: typer, rich and polars. Nothing else of Spinney imports this room.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import sys
from importlib import metadata
from importlib.util import find_spec

import spinney
from spinney._distribution import install_command
from spinney.cli.terminal import write_any_text

__all__ = ["main"]

_NEEDED = ("typer", "rich", "polars")
_POLARS = (2, 1)


def _give_memory_back() -> None:
    """Have what was freed after reading go back to the system, for the fit that follows; before polars is imported."""
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")  # polars' allocator
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # glibc's: arrays of a MiB and more are given back at once
            ctypes.CDLL(None).mallopt(-3, 2**20)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave the process with its exit code.

    Parameters
    ----------
    arguments : list of str, optional
        What follows `spinney` on the command line; by default the process's own.

    Examples
    --------
    >>> from spinney.cli import main
    >>> try:
    ...     main(["--version"])
    ... except SystemExit as end:
    ...     print("exit code", end.code)
    spinney 0.1.0
    exit code 0
    """
    lacking = [name for name in _NEEDED if find_spec(name) is None]
    if lacking:
        sys.exit(f"error: the command line needs {', '.join(lacking)}: {install_command('cli')}")
    if (found := metadata.version("polars")) and tuple(map(int, found.split(".")[:2])) < _POLARS:
        sys.exit(
            f"error: the command line needs polars 2.1 or newer, and this is {found}: pip install --upgrade polars"
        )
    write_any_text()
    if (sys.argv[1:] if arguments is None else arguments) == ["--version"]:  # at once: nothing need be imported
        print(f"spinney {spinney.__version__}")
        sys.exit(0)
    _give_memory_back()
    from spinney._interrupts import import_whole

    try:
        gc.disable()  # imports make no garbage worth looking for: a tenth of their time
        import_whole("spinney.cli.app")
        gc.enable()
        from spinney.cli.app import app

        app(arguments, prog_name="spinney")
    except KeyboardInterrupt:  # between the verbs
        sys.exit(130)

"""The command line, `spinney` or `python -m spinney`: fit, predict, evaluate, show and other commands for tables.

In: arguments. Out: an exit code (listed in terminal.py). Each command has its own file. spinney/tables reads the
tables; how a table was read is kept in the model file, as a recipe.

Needs the extra `cli`: typer, rich and polars. No other part of Spinney imports this subpackage.
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
    """Return memory freed after reading to the system, for the fit that follows. Call it before polars is imported."""
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")  # polars' allocator
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # glibc's: arrays of a MiB and more are given back at once
            ctypes.CDLL(None).mallopt(-3, 2**20)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit the process with its exit code.

    Parameters
    ----------
    arguments : list of str, default=None
        Command-line arguments without the program name. By default, those of the process (`sys.argv[1:]`).

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
        sys.exit(f"error: the command line needs {', '.join(lacking)}. Install with: {install_command('cli')}")
    if (found := metadata.version("polars")) and tuple(map(int, found.split(".")[:2])) < _POLARS:
        sys.exit(
            f"error: the command line needs polars 2.1 or newer, but {found} is installed. Run: "
            "pip install --upgrade polars"
        )
    write_any_text()
    if (sys.argv[1:] if arguments is None else arguments) == ["--version"]:  # fast: nothing has to be imported
        print(f"spinney {spinney.__version__}")
        sys.exit(0)
    _give_memory_back()
    from spinney._interrupts import import_whole

    try:
        gc.disable()  # imports leave little garbage, and looking for it takes 10 % of their time
        import_whole("spinney.cli.app")
        gc.enable()
        from spinney.cli.app import app

        app(arguments, prog_name="spinney")
    except KeyboardInterrupt:  # before or after a command
        sys.exit(130)

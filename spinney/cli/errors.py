"""Errors of the command line: one sentence on standard error and an exit code, never a traceback.

In: whatever a verb raises. Out: the sentence and the code.

    0    done
    1    the table, the model file or what was asked of them will not do; the sentence says why
    2    the command was not understood: an unknown option, a value that an option cannot have
    70   an error of Spinney's own; SPINNEY_DEBUG=1 shows where
    130  interrupted by Ctrl-C
    141  the reader of the output has gone (`| head`)
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from dis import opmap
from pathlib import Path
from typing import TextIO

from spinney.cli.terminal import printable
from spinney.tables.errors import NOT_UNDERSTOOD, WILL_NOT_DO, TableError

OWN_ERROR, INTERRUPTED, NOBODY_READS = 70, 130, 141
_LIBRARY = Path(__file__).parents[1]
_OUR_WORDS = (ValueError, TypeError, NotImplementedError, ImportError)
_RAISES = (opmap["RAISE_VARARGS"], opmap["RERAISE"])


def exit_code(error: BaseException) -> int:
    """Say what went wrong, and return the exit code."""
    if isinstance(error, BrokenPipeError):
        _forget_output()
        return NOBODY_READS
    if isinstance(error, KeyboardInterrupt):
        _say("interrupted: nothing was written.")
        return INTERRUPTED
    if os.environ.get("SPINNEY_DEBUG", "") not in ("", "0"):
        raise error
    if hasattr(error, "format_message"):  # the parser's
        _say(f"error: {one_line(error.format_message()).rstrip('.')}; --help says how the command is used.")
        return NOT_UNDERSTOOD
    if isinstance(error, TableError):
        _say(f"error: {error}")
        return error.code
    if isinstance(error, OSError | MemoryError) or (isinstance(error, _OUR_WORDS) and _was_said(error)):
        _say(f"error: {in_words(error)}")
        return WILL_NOT_DO
    _say(
        f"error: this is a mistake of spinney's own, {type(error).__name__}: {one_line(str(error))} "
        "(SPINNEY_DEBUG=1 shows where; please report it)."
    )
    return OWN_ERROR


def _was_said(error: BaseException) -> bool:
    """Whether an error was raised by a statement, and so written for people, not by the interpreter or by C."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_code[trace.tb_lasti] in _RAISES


def in_words(error: BaseException) -> str:
    """An exception of ours or of the system's, as a sentence."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this table; leave columns out with --drop, or use fewer rows."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return one_line(str(error)) or type(error).__name__


def one_line(text: str) -> str:
    """Text without line breaks, and not without end."""
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= 600 else text[:600] + " ..."


def tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning of the library's as a sentence; others' speak to programmers."""
    if Path(filename).is_relative_to(_LIBRARY):
        _say(f"  note: {one_line(str(message))}")


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody listens
        print(printable(text), file=sys.stderr, flush=True)


def _forget_output() -> None:
    """Keep Python from complaining at its end that what is left could not be written."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Errors of the command line: a message on standard error and an exit code, never a traceback.

In: the exception that a command raises. Out: the message and the code.

    0    done
    1    the table or the model file cannot be used as requested; the message gives the reason
    2    wrong usage: an unknown option or column, an invalid value, a file that does not exist
    70   an internal error of Spinney; SPINNEY_DEBUG=1 shows the traceback
    130  interrupted by Ctrl-C
    141  the reader of the output closed the pipe (`| head`)
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from dis import opmap
from pathlib import Path
from typing import TextIO

from spinney._warnings import RowOrderWarning
from spinney.cli.terminal import printable
from spinney.tables.errors import NOT_UNDERSTOOD, WILL_NOT_DO, TableError

OWN_ERROR, INTERRUPTED, NOBODY_READS = 70, 130, 141
written: list[str] = []  # files that this command has finished
_LIBRARY = Path(__file__).parents[1]
_OUR_WORDS = (ValueError, TypeError, NotImplementedError, ImportError)
_RAISES = (opmap["RAISE_VARARGS"], opmap["RERAISE"])


def exit_code(error: BaseException) -> int:
    """Print what went wrong and return the exit code."""
    if isinstance(error, BrokenPipeError):
        _forget_output()
        return NOBODY_READS
    if isinstance(error, KeyboardInterrupt):
        _say(f"interrupted: {_written()}.")
        return INTERRUPTED
    if os.environ.get("SPINNEY_DEBUG", "") not in ("", "0"):
        raise error
    if hasattr(error, "format_message"):  # from the parser of the arguments
        _say(f"error: {one_line(error.format_message()).rstrip('.')}. See --help.")
        return NOT_UNDERSTOOD
    if isinstance(error, TableError):
        _say(f"error: {error}")
        return error.code
    if isinstance(error, OSError | MemoryError) or (isinstance(error, _OUR_WORDS) and _was_said(error)):
        _say(f"error: {in_words(error)}")
        return WILL_NOT_DO
    _say(
        f"error: internal error of Spinney, {type(error).__name__}: {one_line(str(error))} "
        "(please report it; SPINNEY_DEBUG=1 shows the traceback)."
    )
    return OWN_ERROR


def _written() -> str:
    were = "was" if len(written) == 1 else "were"
    return f"only {' and '.join(written)} {were} written" if written else "nothing was written"


def _was_said(error: BaseException) -> bool:
    """Whether a raise statement raised the error, so that its message is for users; not the interpreter or C code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_code[trace.tb_lasti] in _RAISES


def in_words(error: BaseException) -> str:
    """Return the message of an exception of Spinney or of the operating system."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this table. Leave out columns with --drop, or use fewer rows."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return one_line(str(error)) or type(error).__name__


def one_line(text: str) -> str:
    """Return the text on one line, at most 600 characters of it."""
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
    """Print a warning of Spinney as a note. Warnings of other libraries are for programmers and not printed."""
    if Path(filename).is_relative_to(_LIBRARY):
        text = one_line(str(message))
        if issubclass(category, RowOrderWarning):
            text = text.partition(" If ")[0] + " If new rows come later, use --time; if in new groups, --groups."
        _say(f"  note: {text}")


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # standard error is closed
        print(printable(text), file=sys.stderr, flush=True)


def _forget_output() -> None:
    """Discard the rest of the output, so that Python does not report a closed pipe when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

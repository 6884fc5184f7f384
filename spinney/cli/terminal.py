"""Text for terminals, and errors as sentences: data cannot control the terminal, and no encoding stops a command.

In: text, with names and cells from tables. Out: the same text, with control characters escaped (`\\x1b`) and
characters that the encoding of the terminal lacks replaced.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
from opcode import opmap
from pathlib import Path
from typing import TextIO

from spinney._warnings import RowOrderWarning
from spinney.tables.errors import NOT_UNDERSTOOD, WILL_NOT_DO, TableError

# control characters, those that turn the direction of writing around, line separators, and halves of characters
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)
_PLAIN = {"█": "#", "…": "...", "±": "+-", "━": "-", "≤": "<=", "≥": ">=", "²": "2"}
_BRAILLE = range(0x2800, 0x2900)  # the spinner's
_LACKING = "spinney-plain"


def printable(text: str, lines: bool = False) -> str:
    """Escape the control characters of a text. Line breaks and tabs stay if `lines`."""
    found = _UNPRINTABLE.sub(_written_out, text)
    return found if lines else found.replace("\n", "\\n").replace("\t", "\\t")


def printable_json(text: str) -> str:
    """Escape the control characters of a JSON document with JSON escapes, which are read back as the same text."""
    return _UNPRINTABLE.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def can_write(text: str) -> bool:
    """Whether standard output can encode a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write_any_text() -> None:
    """Let standard output and standard error replace characters that they cannot encode, without an error."""
    if sys.stdout is None:  # closed, as with >&-
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    codecs.register_error(_LACKING, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_LACKING)


def write_data(text: str) -> None:
    """Write data to standard output: as UTF-8 to programs and files, escaped on a terminal."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(printable(text, lines=True) if sys.stdout.isatty() else text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    plain = (_PLAIN.get(one, "*" if ord(one) in _BRAILLE else None) for one in signs)
    found = (new or one.encode("ascii", "backslashreplace").decode() for one, new in zip(signs, plain))
    return "".join(found), error.end


# ----------------------------------------------------------------------------------------------------------------------
# Errors of the command line: a message on standard error and an exit code, never a traceback.
#
# In: the exception that a command raises. Out: the message and the code.
#
#     0    done
#     1    the table or the model file cannot be used as requested; the message gives the reason
#     2    wrong usage: an unknown option or column, an invalid value, a file that does not exist
#     70   an internal error of Spinney; SPINNEY_DEBUG=1 shows the traceback
#     130  interrupted by Ctrl-C
#     141  the reader of the output closed the pipe (`| head`)


OWN_ERROR, INTERRUPTED, NOBODY_READS = 70, 130, 141
written: list[str] = []  # files that this command has finished
_LIBRARY = Path(__file__).parents[1]
_OUR_WORDS = (ValueError, TypeError, NotImplementedError, ImportError)
_RAISES = (opmap["RAISE_VARARGS"], opmap["RERAISE"])


def exit_code(error: BaseException) -> int:
    """Print what went wrong and return the exit code."""
    if isinstance(error, BrokenPipeError):
        forget_output()
        return NOBODY_READS
    if isinstance(error, KeyboardInterrupt):
        _say(f"interrupted: {_written()}.")
        return INTERRUPTED
    if os.environ.get("SPINNEY_DEBUG", "") not in ("", "0"):
        raise error
    if hasattr(error, "format_message"):  # from the parser of the arguments
        said = one_line(error.format_message()).rstrip(".")
        _say(f"error: {said}{'' if said.endswith('?') else '.'} See --help.")
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
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}."
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


def forget_output() -> None:
    """Discard the rest of the output, so that Python does not report a closed pipe when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

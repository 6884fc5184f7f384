"""Text for terminals: data cannot control the terminal, and no encoding stops a command.

In: text, with names and cells from tables. Out: the same text, with control characters escaped (`\\x1b`) and
characters that the encoding of the terminal lacks replaced.
"""

from __future__ import annotations

import codecs
import re
import sys

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

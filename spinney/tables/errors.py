"""Errors about files and options, written for users."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

WILL_NOT_DO, NOT_UNDERSTOOD = 1, 2  # exit codes of the command line


class TableError(Exception):
    """An error that the user can correct."""

    def __init__(self, message: str, code: int = WILL_NOT_DO) -> None:
        super().__init__(message)
        self.code = code


def usage(message: str) -> TableError:
    """Return the error of an invalid option."""
    return TableError(message, NOT_UNDERSTOOD)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that suggests names for a misspelt one, or lists all names."""
    names = list(known)
    by_case = {one.lower(): one for one in names}
    if name.lower() in by_case:
        return f"did you mean {by_case[name.lower()]!r}?"
    near = [by_case[one] for one in get_close_matches(name.lower(), by_case, n=2, cutoff=0.6)]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    shown = ", ".join(map(repr, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return f"there is {shown}." if names else "there is none."

"""Docstrings of public functions, completed: a parameter that several functions have is described once.

In: a function whose docstring leaves out parameters, or what is returned. Out: the same function; its docstring has the
entries of another function, or of a table, in the order of the signature.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
_ENTRY = re.compile(r"^(\*{0,2}\w+)(?: : .*)?\n(?: {4}.*\n|\n(?= {4}))+", re.MULTILINE)
_HEADING = re.compile(r"^\w[^\n]*\n-{3,}$", re.MULTILINE)
_PARAMETERS = re.compile(r"Parameters\n-{3,}\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", re.DOTALL | re.MULTILINE)


def described_by(*sources: Any, returns: str = "") -> Callable[[Function], Function]:
    """Take what a docstring leaves out from `sources`, functions or entries by name, the first first, and `returns`."""

    def complete(function: Function) -> Function:
        if function.__doc__:  # which there is none of with -OO
            known = {name: text for one in reversed(sources) for name, text in _known(one).items()}
            function.__doc__ = _completed(inspect.cleandoc(function.__doc__), function, known, returns)
        return function

    return complete


def _known(source: Any) -> Mapping[str, str]:
    return source if isinstance(source, Mapping) else _entries(inspect.getdoc(source) or "")


def _entries(text: str) -> dict[str, str]:
    section = _PARAMETERS.search(text)
    found = [] if section is None else _ENTRY.finditer(section[1].rstrip() + "\n")
    return {one[1].lstrip("*"): one[0].rstrip() for one in found}


def _completed(text: str, function: Any, known: Mapping[str, str], returns: str) -> str:
    entries = {**known, **_entries(text)}
    listed = "\n".join(entries[name] for name in inspect.signature(function).parameters if name in entries)
    section = f"Parameters\n----------\n{listed}\n\n"
    if "Returns\n----" not in text and returns:
        section += f"Returns\n-------\n{returns}\n\n"
    if _PARAMETERS.search(text) is not None:
        return _PARAMETERS.sub(lambda old: section, text, count=1)
    first = _HEADING.search(text)
    head, rest = (text, "") if first is None else (text[: first.start()], text[first.start() :])
    return f"{head.rstrip()}\n\n{section}{rest}".rstrip()

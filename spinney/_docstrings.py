"""Docstrings, put together: what several functions say of their arguments, and of what they return, is written once.

A function says in its docstring what it does and gives an example. `completed` adds an entry for each argument that the
docstring does not describe, from tables or from the docstrings of other functions, what the function returns, and how
its example begins.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from textwrap import fill
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
_INDENT = " " * 4
_EXAMPLES = "Examples\n--------\n"
_AFTER_PARAMETERS = "Returns", "Yields", "Notes", "Examples"


class Parameter(NamedTuple):
    """What a parameter may be, in words and as scikit-learn checks it, and what it means."""

    form: str
    text: str = ""
    allowed: list[Any] | None = None  # None: it checks itself


def with_section(text: str, title: str, content: str, *after: str) -> str:
    """The docstring with this section, if it has none, before the first of those that come after it."""
    rule = "\n" + "-" * len(title) + "\n"
    if content in text or title + rule in text:
        return text
    section = f"{title}{rule}{content}"
    following = next((one for one in after if f"\n{one}\n---" in text), None)
    if following is None:
        return f"{text.rstrip()}\n\n{section}"
    return text.replace(f"\n{following}\n", f"\n{section}\n\n{following}\n", 1)


def entry(name: str, one: Parameter, default: Any) -> str:
    """A parameter as numpydoc wants it: `name : form, default=value`, and sentences below."""
    quoted = f'"{default}"' if isinstance(default, str) else repr(default)
    first = f"{name} : {one.form}" + ("" if default is inspect.Parameter.empty else f", default={quoted}")
    return first + ("\n" + fill(one.text, 116, initial_indent=_INDENT, subsequent_indent=_INDENT) if one.text else "")


def completed(
    *sources: Mapping[str, Parameter] | Callable[..., Any], returns: str | None = None, setup: str = ""
) -> Callable[[Function], Function]:
    """Complete the docstring of a function: the arguments that it does not describe, from the first of the tables and
    functions that does, what it returns, if it does not say, and the first lines of its example."""

    def complete(function: Function) -> Function:
        if function.__doc__:  # which there is none of with -OO
            text, described = _without_arguments(inspect.cleandoc(function.__doc__))
            known = [described, *map(_known, sources)]
            entries = []
            for one in inspect.signature(function).parameters.values():
                name = "*" * (one.kind is one.VAR_POSITIONAL) + "**" * (one.kind is one.VAR_KEYWORD) + one.name
                found = next((source[name] for source in known if name in source), None)
                if found is None and name not in ("self", "cls"):
                    raise KeyError(f"{function.__qualname__}: nothing describes {name}.")
                if found is not None:
                    entries.append(found if isinstance(found, str) else entry(name, found, one.default))
            text = with_section(text, "Returns", returns, "Notes", "Examples") if returns else text
            text = text.replace(_EXAMPLES, f"{_EXAMPLES}{inspect.cleandoc(setup)}\n") if setup else text
            listed = "\n".join(entries)
            function.__doc__ = with_section(text, "Parameters", listed, *_AFTER_PARAMETERS) if entries else text
        return function

    return complete


def _known(source: Mapping[str, Parameter] | Callable[..., Any]) -> Mapping[str, Any]:
    return source if isinstance(source, Mapping) else _without_arguments(inspect.getdoc(source) or "")[1]


def _without_arguments(text: str) -> tuple[str, dict[str, str]]:
    """The docstring without its section of arguments, and their entries by name."""
    found = re.search(r"Parameters\n-+\n(.*?)(?:\n\n(?=\w[^\n]*\n---)|\s*\Z)", text, re.DOTALL)
    if found is None:
        return text, {}
    entries = re.split(r"\n(?=\S)", found[1])
    return text[: found.start()] + text[found.end() :], {re.match(r"[*\w]+", one)[0]: one for one in entries}  # type: ignore[index]

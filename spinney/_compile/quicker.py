"""Quicker: two places where Numba's typing is slow, made quicker while a kernel of ours is compiled.

- Which of a dozen implementations an operator has for given types is found by trying them all, at every use. Here the
  answer is kept. (It cannot change while one kernel is compiled.)
- Compiler flags are compared and hashed thousands of times, each time over all that could be set. Here only what is
  set is looked at.

Both save time and nothing else: where a version of Numba has no such place, nothing is done, and that is said.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from spinney._compile.speech import say_once

_patched = 0  # kernels that are being compiled inside each other


@contextlib.contextmanager
def quicker_typing() -> Iterator[None]:
    """Compile inside this. Numba's compiler lock, which is held there, keeps other threads out."""
    global _patched
    undo = _patch() if _patched == 0 else []
    _patched += 1
    try:
        yield
    finally:
        _patched -= 1
        for owner, name, value in undo:
            setattr(owner, name, value)


def _patch() -> list[tuple[Any, str, Any]]:
    try:
        from numba.core.targetconfig import TargetConfig
        from numba.core.types.functions import BaseFunction

        replaced = [
            (BaseFunction, "get_call_type", _remembering(BaseFunction.get_call_type)),
            (TargetConfig, "__eq__", _equal_flags(TargetConfig)),
            (TargetConfig, "__hash__", lambda flags: len(flags.options)),  # few different ones are ever in use
        ]
        undo = [(owner, name, owner.__dict__[name]) for owner, name, _ in replaced]
    except (ImportError, AttributeError, KeyError) as error:
        say_once(f"compiling takes longer than it should with this version of Numba ({type(error).__name__}: {error}).")
        return []
    for owner, name, value in replaced:
        setattr(owner, name, value)
    return undo


def _remembering(find: Any) -> Any:
    known: dict[Any, tuple[Any, Any]] = {}

    def get_call_type(function: Any, context: Any, arguments: Any, named: Any) -> Any:
        if named:
            return find(function, context, arguments, named)
        key = (id(function), arguments)
        if key not in known:
            known[key] = (function, find(function, context, arguments, named))  # the function is kept, and so its id
        return known[key][1]

    return get_call_type


def _equal_flags(kind: Any) -> Any:
    def equal(one: Any, other: Any) -> Any:
        if not isinstance(other, kind):
            return NotImplemented
        return one is other or one._values == other._values or one.values() == other.values()

    return equal

"""Dependencies: a digest of everything that a kernel's machine code is made from.

That is its own code, the code of all functions it calls, directly or not, and the constants that these name; not
comments, line numbers or other kernels. So an edit makes only those kernels compile anew that it can change. What
chooses between functions at compile time (`overloads`, `by_type`) is followed through all its choices. This package's
own sources count for every kernel.

A function's *shallow* digest is of its code and constants; the digest is of the shallow ones of all functions within
reach, and of who calls whom.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np


class _Links(NamedTuple):
    shallow: bytes
    callees: dict[str, list[FunctionType]]  # by the name that the function has for them


_known: dict[FunctionType, _Links] = {}


def digest_of(function: Callable[..., Any]) -> str:
    """The digest of a kernel, given its plain Python function."""
    assert isinstance(function, FunctionType)
    reached, waiting = {function}, [function]
    lines = []
    while waiting:
        links = _links(waiting.pop())
        for name, callees in links.callees.items():
            for callee in callees:
                lines.append(links.shallow + name.encode() + _links(callee).shallow)
                if callee not in reached:
                    reached.add(callee)
                    waiting.append(callee)
        lines.append(links.shallow)
    return hash_of(own_sources(), _links(function).shallow, *sorted(set(lines))).hex()


@functools.cache
def own_sources() -> bytes:
    """A digest of this package, which every kernel is compiled by."""
    folder = Path(__file__).parent
    return hash_of(*(path.name.encode() + path.read_bytes() for path in sorted(folder.glob("*.py"))))


def hash_of(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


def _links(function: FunctionType) -> _Links:
    if function not in _known:
        texts, callees = [code_text(function.__code__), repr(function.__defaults__)], {}
        for name, value in sorted(_named_values(function), key=lambda pair: pair[0]):
            found: list[FunctionType] = []
            texts.append(f"{name}={_text(value, found)}")
            if found:
                callees[name] = found
        _known[function] = _Links(hash_of(*(text.encode() for text in texts)), callees)
    return _known[function]


def code_text(code: CodeType) -> str:
    constants = [code_text(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return repr((code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_flags))


def _named_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function's free names stand for: globals and cells, and what stands in for the function in kernels."""
    for name in _all_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents
    if hasattr(function, "chooser"):
        yield "chooser of " + function.__name__, function.chooser


def _all_names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            names |= _all_names(one)
    return names


def _text(value: Any, functions: list[FunctionType]) -> str:
    """A constant as text; functions in it, however deep, are added to the list."""
    function = _function_behind(value)
    if function is not None:
        functions.append(function)
        return f"function {function.__module__}.{function.__qualname__}"
    if isinstance(value, dict):
        return repr([(_text(key, functions), _text(one, functions)) for key, one in value.items()])
    if isinstance(value, tuple | list):
        return type(value).__name__ + repr([_text(one, functions) for one in value])
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {hash_of(np.ascontiguousarray(value).tobytes()).hex()}"
    if isinstance(value, type):
        return f"class {value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, _CONSTANTS) or type(value).__module__.startswith("numba."):
        return repr(value)
    raise TypeError(f"cannot tell what a kernel depends on: {value!r} of type {type(value)}")


_PYTHON_CONSTANTS = (int, float, complex, str, bytes, bool, type(None), frozenset, BuiltinFunctionType, type(Any))
_CONSTANTS = (*_PYTHON_CONSTANTS, np.generic, np.dtype, np.ufunc)


def _function_behind(value: Any) -> FunctionType | None:
    """The Python function of a kernel, of an intrinsic, or the value itself; None for what is no function of ours."""
    for name in ("py_func", "_defn"):
        inner = inspect.getattr_static(value, "__dict__", {}) and getattr(value, "__dict__", {}).get(name)
        if isinstance(inner, FunctionType):
            value = inner
    return value if isinstance(value, FunctionType) and not _is_foreign(value) else None


def _is_foreign(function: FunctionType) -> bool:
    return (function.__module__ or "").split(".")[0] in {"numpy", "numba", "math", "typing", "collections"}

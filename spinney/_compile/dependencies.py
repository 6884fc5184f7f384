"""Dependencies: a digest of everything that a kernel's machine code is made from.

That is its own code, the code of all functions it calls, directly or not, and the constants that these name; not
comments, line numbers or other kernels. So an edit makes only those kernels compile anew that it can change. What
chooses between functions at compile time (`overloads`, `by_type`) is followed through all its choices. This package's
own sources count for every kernel.

A function's *shallow* digest is of its code and constants; the digest is of the shallow ones of all functions within
reach, numbered as they are found, and of which calls which under what name. Functions of which something cannot be
told (a module of ours, an object) have no digest, and the kernels that call them are not kept.

Signatures are told here, too: Numba's own text for a NamedTuple knows neither its module nor its fields.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numba.core import types

from spinney._compile.references import Reference


class _Links(NamedTuple):
    shallow: bytes
    callees: dict[str, list[FunctionType]]  # by the name that the function has for them
    riddles: list[str]  # what it depends on and cannot be told


_known: dict[FunctionType, _Links] = {}


def digest_of(function: Callable[..., Any]) -> str:
    """The digest of a kernel, given its plain Python function; TypeError if something of it cannot be told."""
    reached = _reached(function)
    numbers = {one: k for k, one in enumerate(reached)}
    texts = [own_sources()]
    for one in reached:
        links = _links(one)
        if links.riddles:
            raise TypeError(f"{one.__module__}.{one.__qualname__} depends on {links.riddles[0]}")
        calls = [(name, [numbers[callee] for callee in callees]) for name, callees in links.callees.items()]
        texts += [links.shallow, repr(calls).encode()]
    return hash_of(*texts).hex()


def text_of_signature(signature: Any) -> str:
    """The types of a kernel's arguments, with all that tells them apart."""
    return repr([(repr(kind), [_text_of_class(one) for one in _classes(kind)]) for kind in signature])


def is_local(signature: Any) -> bool:
    """Whether a signature holds, however deep, a function of this process, such as a user's criterion."""
    return any(isinstance(one, types.Dispatcher) for kind in signature for one in _types_within(kind))


def _types_within(kind: Any) -> Iterator[Any]:
    """A type, and those of a tuple's elements."""
    yield kind
    if isinstance(kind, Reference):
        yield from _types_within(kind.whole)
    for one in kind if isinstance(kind, types.BaseTuple) else ():  # type: ignore[union-attr]
        yield from _types_within(one)


def _classes(kind: Any) -> list[type]:
    classes = (types.NamedTuple, types.NamedUniTuple)
    return [one.instance_class for one in _types_within(kind) if isinstance(one, classes)]


def size_of(function: Callable[..., Any]) -> int:
    """About how much there is to compile: bytes of Python's code of all functions within reach."""
    return sum(len(one.__code__.co_code) for one in _reached(function))


def _reached(function: Any) -> list[FunctionType]:
    """The function and all that it calls, directly or not."""
    reached = {function: None}
    waiting = [function]
    while waiting:
        for callees in _links(waiting.pop()).callees.values():
            for callee in callees:
                if callee not in reached:
                    reached[callee] = None
                    waiting.append(callee)
    return list(reached)


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
        texts, links = [code_text(function.__code__)], _Links(b"", {}, [])
        for name, value in sorted(_named_values(function), key=lambda pair: pair[0]):
            found: list[FunctionType] = []
            texts.append(f"{name}={_text(value, found, links.riddles)}")
            if found:
                links.callees.setdefault(name, []).extend(found)
        _known[function] = links._replace(shallow=hash_of(*(text.encode() for text in texts)))
    return _known[function]


def code_text(code: CodeType) -> str:
    """A function's code and constants as text."""
    constants = [code_text(one) if isinstance(one, CodeType) else _text(one, [], []) for one in code.co_consts]
    return repr((code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_flags))


def _named_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function's free names stand for: globals, cells, defaults, and what stands in for it in kernels."""
    for name in _all_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents
    yield "defaults of " + function.__name__, (function.__defaults__, function.__kwdefaults__)
    if hasattr(function, "chooser"):
        yield "chooser of " + function.__name__, function.chooser


def _all_names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            names |= _all_names(one)
    return names


def _text(value: Any, functions: list[FunctionType], riddles: list[str]) -> str:
    """A constant as text; functions in it, however deep, are added to one list, what has no text to another."""

    def texts(some: Iterable[Any]) -> list[str]:
        return [_text(one, functions, riddles) for one in some]

    if (function := _function_behind(value)) is not None:
        functions.append(function)
        return f"{_kind_of(value)} {function.__module__}.{function.__qualname__}"
    if isinstance(value, dict):
        return repr(list(zip(texts(value), texts(value.values()))))
    if isinstance(value, tuple | list):
        return _text_of_class(type(value)) + repr(texts(value))
    if isinstance(value, frozenset):
        return "frozenset" + repr(sorted(texts(value)))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"array {value.dtype!r} {value.shape} {hash_of(np.ascontiguousarray(value).tobytes()).hex()}"
    if isinstance(value, type):
        return _text_of_class(value)
    if isinstance(value, ModuleType | FunctionType | BuiltinFunctionType) and _is_foreign(value):
        return f"{type(value).__name__} {getattr(value, '__module__', '')} {value.__name__}"
    if isinstance(value, _CONSTANTS) or type(value).__module__.startswith(("numba.", "llvmlite.")):
        if " at 0x" not in (text := repr(value)):
            return f"{type(value).__name__} {text}"
    riddles.append(f"{value!r}, which has no digest")
    return "?"


_CONSTANTS = (int, float, complex, str, bytes, type(None), type(...), type(Any), np.generic, np.dtype, np.ufunc)


def _text_of_class(kind: type) -> str:
    fields, defaults = getattr(kind, "_fields", ""), getattr(kind, "_field_defaults", "")
    return f"class {kind.__module__}.{kind.__qualname__} {fields} {defaults}"


def _kind_of(value: Any) -> str:
    """How a function is compiled (decorators.py): a part is called, what is merged is not."""
    options = getattr(value, "targetoptions", {})
    return "part" if hasattr(value, "part") else getattr(options.get("pipeline_class"), "__name__", "function")


def _function_behind(value: Any) -> FunctionType | None:
    """The Python function of a kernel, of an intrinsic, or the value itself; None for what is no function of ours."""
    for name in ("py_func", "_defn"):
        inner = inspect.getattr_static(value, "__dict__", {}) and getattr(value, "__dict__", {}).get(name)
        if isinstance(inner, FunctionType):
            value = inner
    return value if isinstance(value, FunctionType) and not _is_foreign(value) else None


def _is_foreign(value: Any) -> bool:
    """Whether a function or module is not ours: versions tell it (`settings.py`)."""
    if isinstance(value, BuiltinFunctionType):
        return value.__module__ is not None  # a method of an object
    home = (value.__name__ if isinstance(value, ModuleType) else value.__module__ or "").split(".")[0]
    if isinstance(value, ModuleType) and home in sys.stdlib_module_names:
        return True
    return home in {"numpy", "numba", "llvmlite", "math", "typing", "collections", "operator"}

"""Captured: what a user's function is made of right now: its code and the values that it takes from outside.

Numba freezes globals, closures and modules' attributes when it compiles. So a compiled loss or criterion belongs to a
key made of all these (`key_of`): equal code with equal values is compiled once, however often a notebook's cell or a
search defines it anew, and a value that has changed makes another key. Of compiled ones the last few are kept (`Kept`).

Numbers, text, arrays, containers, functions and enumerations count by content, other objects by identity.
"""

from __future__ import annotations

import dis
import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from enum import EnumMeta
from threading import Lock
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from spinney._compile.decorators import python_of, uncached_kernel
from spinney._compile.dependencies import code_text, hash_of

N_KEPT = 16  # losses, or criteria
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), range, slice)
_LIBRARIES = {"builtins", "math", "cmath", "operator", "numpy", "numba", "typing", "collections"}


def key_of(*functions: Callable[..., Any] | None) -> tuple[Any, ...]:
    """Functions with equal keys give the same machine code. Never fails: at worst a function is a key to itself."""
    reader = _Reader()
    try:
        texts = [reader.text(function) for function in functions]
    except Exception:  # nested too deep, or an object that answers strangely
        return tuple(_Same(function) for function in functions)
    return (hash_of(*(text.encode() for text in texts)), *map(_Same, reader.others))


class _Same:
    """An object by identity; kept alive, so that no other can have its address."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class _Reader:
    """Functions and values as text; objects that have none are numbered, and listed in `others`."""

    def __init__(self) -> None:
        self.others: list[Any] = []
        self._seen: dict[int, tuple[int, Any]] = {}  # number and value: what may lead back to itself

    def text(self, value: Any, names: frozenset[str] = frozenset()) -> str:
        """`names` are those of the attributes that may be read of a module."""
        kind = type(value)
        if kind in _PLAIN or isinstance(value, np.generic | np.dtype | np.ufunc):
            return f"{kind.__name__} {value!r}"
        if kind is np.ndarray and not value.dtype.hasobject:
            return f"array {value.dtype} {value.shape} {hash_of(np.ascontiguousarray(value).tobytes()).hex()}"
        if _is_named(value):
            return f"{value.__module__}.{value.__qualname__}"
        if kind.__module__.startswith("numba.core.types"):
            return repr(value)
        if isinstance(value, ModuleType) and _library(value.__name__):
            return value.__name__
        if (text := self._nested(value, names)) is not None:
            return text
        self.others.append(value)
        return f"object {len(self.others)}"

    def _nested(self, value: Any, names: frozenset[str]) -> str | None:
        """The text of what holds other values; None for other objects."""
        kind, plain = type(value), python_of(value)
        if isinstance(plain, FunctionType):
            return self._once(plain, lambda: self._function(plain, getattr(value, "targetoptions", None)))
        if isinstance(value, ModuleType):
            read = sorted(names & vars(value).keys())
            return self._once(value, lambda: f"{value.__name__} {[self.text(vars(value)[n], names) for n in read]}")
        if isinstance(value, EnumMeta):
            bases = [base.__name__ for base in value.__mro__]
            members: dict[str, Any] = dict(value.__members__)
            return f"enumeration {bases} {[(name, self.text(members[name].value)) for name in members]}"
        if isinstance(kind, EnumMeta):
            return f"member {value.name} of {self.text(kind)}"
        if kind is tuple or (isinstance(value, tuple) and hasattr(value, "_fields")):
            return f"{kind.__qualname__} {getattr(value, '_fields', '')} {[self.text(one) for one in value]}"
        if kind in (set, frozenset):
            return f"{kind.__name__} {sorted(self.text(one) for one in value)}"
        if kind is list:
            return self._once(value, lambda: f"list {[self.text(one) for one in value]}")
        if kind is dict:
            return self._once(value, lambda: f"dict {[(self.text(key), self.text(value[key])) for key in value]}")
        return None

    def _once(self, value: Any, describe: Callable[[], str]) -> str:
        if id(value) in self._seen:
            return f"the same {self._seen[id(value)][0]}"
        self._seen[id(value)] = (len(self._seen), value)
        return describe()

    def _function(self, function: FunctionType, options: Any) -> str:
        code = function.__code__
        attributes = frozenset(_names(code))
        parts = [code_text(code), self.text(function.__defaults__), self.text(function.__kwdefaults__), repr(options)]
        for name in sorted(_globals(code) & function.__globals__.keys()):
            parts.append(f"{name}={self.text(function.__globals__[name], attributes)}")
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                parts.append(f"{name}={self.text(cell.cell_contents, attributes)}")
            except ValueError:  # not set yet
                parts.append(name)
        return f"function {parts}"


def _library(module: str) -> bool:
    return module.split(".")[0] in _LIBRARIES


def _is_named(value: Any) -> bool:
    """Whether a function or class is known by its name: one of the libraries'."""
    if isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType):
        return False
    if not isinstance(value, type | FunctionType | BuiltinFunctionType):
        return False
    return _library(value.__module__ or "") and "<locals>" not in value.__qualname__


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _names(code: CodeType) -> set[str]:
    return {name for one in _codes(code) for name in one.co_names}


def _globals(code: CodeType) -> set[str]:
    """The names of the globals that a function reads (`co_names` has those of attributes, too)."""
    steps = (step for one in _codes(code) for step in dis.get_instructions(one))
    return {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}


class Kept:
    """The last few things that were made, by key."""

    def __init__(self, most: int = N_KEPT) -> None:
        self._things: OrderedDict[Any, Any] = OrderedDict()
        self._most = most
        self._lock = Lock()

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """The thing of a key, made if it is not there."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
        thing = make()
        with self._lock:
            self._things[key] = thing
            while len(self._things) > self._most:
                self._things.popitem(last=False)
        return thing


def kernel_each(py_func: Callable[..., Any]) -> Callable[[Any], Any]:
    """An uncached kernel for each function it is compiled with: forgotten with it, instead of kept for ever."""
    return functools.lru_cache(maxsize=N_KEPT)(lambda function: uncached_kernel(py_func))

"""Parts: functions that are compiled by themselves and called by kernels under a name.

An inner kernel is compiled with every kernel that calls it, again for every kind of table. A *part* is machine code of
its own, with its own file in the cache: kernels name it and the loader puts in its address. It is compiled once for
its own signature, by whichever process gets to it first, and is shared by all kernels that call it. Phases of the
growth loops are parts; what is called per row is not (nothing is merged across a part's border).

    kernel's file    [ machine code with names of parts | which parts: module, name, signature ]
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import llvmlite.binding
from numba.core import cgutils, types
from numba.extending import intrinsic

from spinney._compile.assistant import hand_over
from spinney._compile.dependencies import is_local, size_of, text_of_signature
from spinney._compile.locks import publish

RETURNS = {"nothing": types.void, "int64": types.int64, "float64": types.float64, "bool": types.boolean}


class Need(NamedTuple):
    """A part that a kernel calls."""

    module: str
    name: str
    signature: tuple[Any, ...]

    def find(self) -> Part:
        part: Part = getattr(importlib.import_module(self.module), self.name).part
        return part

    def size(self) -> int:
        """About how much there is to compile."""
        return size_of(self.find().py_func)


class Part:
    """A function compiled by itself."""

    def __init__(self, py_func: Callable[..., Any], dispatcher: Any, local: Any, returns: str) -> None:
        self.py_func, self.returns = py_func, RETURNS[returns]
        self._cached, self._local = dispatcher, local  # the latter for signatures that hold a user's function
        self._local_numbers: dict[Any, int] = {}
        self._seen: set[str] = set()
        self._loaded: set[str] = set()

    def function_for_kernels(self) -> Any:
        """What kernels call."""

        def definition(typing_context: Any, *kinds: Any) -> Any:
            signature = tuple(types.unliteral(kind) for kind in kinds)
            self._hand_over(signature)
            return self.returns(*signature), self._generate_call

        # Numba wants the arguments by name, and reads them from here
        names = inspect.signature(self.py_func).parameters.values()
        first = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        definition.__signature__ = inspect.Signature([first, *names])  # type: ignore[attr-defined]
        definition.__name__ = definition.__qualname__ = self.py_func.__name__
        function: Any = intrinsic(definition)
        function.py_func, function.part = self.py_func, self
        return function

    def _hand_over(self, signature: tuple[Any, ...]) -> None:
        """Let the assistant begin with the part, if nobody has compiled it yet."""
        symbol = self.symbol(signature)
        if symbol not in self._seen and signature not in self._cached.overloads:
            self._seen.add(symbol)
            if self._cached._cache.keeps(signature) and not self._cached._cache.has(signature):
                hand_over(self._need(signature))
                publish(self._need(signature))

    def _need(self, signature: tuple[Any, ...]) -> Need:
        return Need(self.py_func.__module__, self.py_func.__qualname__, signature)

    def _generate_call(self, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        needs_of(context.active_code_library)[self.symbol(signature.args)] = self._need(signature.args)
        convention = context.call_conv
        shape = convention.get_function_type(signature.return_type, signature.args)
        function = cgutils.get_or_insert_function(builder.module, shape, self.symbol(signature.args))
        status, result = convention.call_function(builder, function, signature.return_type, signature.args, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return result

    def symbol(self, signature: tuple[Any, ...]) -> str:
        """The name under which machine code asks for the part."""
        from spinney._compile.cache import short_hash

        mark = short_hash(text_of_signature(signature))
        if is_local(signature):
            mark = f"local{self._local_numbers.setdefault(signature, len(self._local_numbers))}"
        return f"{self.py_func.__module__}.{self.py_func.__qualname__}.{mark}"

    def load(self, signature: tuple[Any, ...]) -> None:
        """Have the part's machine code, from the cache or compiled now, and tell the loader where it is."""
        symbol = self.symbol(signature)
        if symbol in self._loaded:
            return
        self.prepare(signature)
        result = self._compiler(signature).overloads[signature]
        if result.signature.return_type != self.returns:
            raise TypeError(f"{symbol} returns {result.signature.return_type}, but says {self.returns}")
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        llvmlite.binding.add_symbol(symbol, address)
        self._loaded.add(symbol)

    def prepare(self, signature: tuple[Any, ...]) -> None:
        """Have the part's machine code, from the cache or compiled now."""
        self._compiler(signature).compile(signature)

    def _compiler(self, signature: tuple[Any, ...]) -> Any:
        return self._local if is_local(signature) else self._cached

    def is_elsewhere(self, signature: tuple[Any, ...]) -> bool:
        """Whether another process is compiling the part just now."""
        if is_local(signature) or signature in self._cached.overloads:
            return False
        return bool(self._cached._cache.is_taken(signature))

    def is_wanted(self, signature: tuple[Any, ...]) -> bool:
        """Whether nobody has compiled the part, or is compiling it."""
        if signature in self._cached.overloads or self._cached._cache.has(signature):
            return False
        return not self.is_elsewhere(signature)


def load_parts(needs: list[Need]) -> None:
    """Load parts that a kernel calls: the largest first, but last those that somebody else is compiling."""
    later = []
    for need in sorted(needs, key=lambda need: -need.size()):
        if need.find().is_elsewhere(need.signature):
            later.append(need)
        else:
            need.find().load(need.signature)
    for need in later:
        need.find().load(need.signature)


def needs_of(library: Any) -> dict[str, Need]:
    """The parts that a library's code calls, by symbol."""
    needs: dict[str, Need] = library.__dict__.setdefault("_spinney_needs", {})
    return needs

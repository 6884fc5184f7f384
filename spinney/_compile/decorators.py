"""Decorators: `kernel` and its kin make machine code of Python functions.

    kernel              called from Python, kept in the cache
    inner_kernel        called by kernels only, part of those
    separate_kernel     the same, never merged into its caller: a hot loop has the processor's registers to itself
    part_kernel         the same, machine code of its own that several kernels share: a phase of a growth loop
    merged_kernel       the same, always merged into its caller: what a user wrote, inside the hottest loop
    allocating_kernel   a kernel that makes arrays of its own
    uncached_kernel     the same, for code that lives in this process only, such as a user's own loss

Kernels drop the GIL and do IEEE arithmetic as written (no fastmath). They work in memory that the caller gives them:
Numba's reference counting is off, which makes them several times quicker to compile; in exchange a kernel cannot make
an array.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import errors, types
from numba.extending import overload

from spinney._compile import pipeline
from spinney._compile.cache import attach_cache, keep_nothing, remember_check, was_checked
from spinney._compile.check import judge
from spinney._compile.parts import Part
from spinney._compile.references import Reference
from spinney._compile.settings import PLAIN_PYTHON, compiler_choice
from spinney._compile.speech import say_once
from spinney._interrupts import interrupts_held_back

_deciding = threading.RLock()

CompileError = errors.NumbaError
_KINDS = {"float64": types.float64, "int64": types.int64, "float64[:]": types.Array(types.float64, 1, "C")}


def kernel(py_func: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, and keep it in the cache."""
    return attach_cache(py_func, _njit(py_func, pipeline.KernelCompiler, from_python=True))


def inner_kernel(py_func: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call: without the door from Python, quicker to compile."""
    return _njit(py_func, pipeline.InnerCompiler)


def separate_kernel(py_func: Callable[..., Any]) -> Any:
    """Like `inner_kernel`, but never merged into its caller: a hot loop has the processor's registers to itself."""
    return _njit(py_func, pipeline.SeparateCompiler)


def part_kernel(py_func: Callable[..., Any] | None = None, *, returns: str = "nothing") -> Any:
    """Compile a phase of a kernel by itself: kept in the cache and shared by all kernels that call it (`parts.py`).

    `returns`: "nothing", "int64", "float64" or "bool".
    """
    if py_func is None:
        return functools.partial(part_kernel, returns=returns)
    compiled, local = (_njit(py_func, pipeline.KernelCompiler) for _ in range(2))
    if PLAIN_PYTHON or not pipeline_works():
        return compiled
    return Part(py_func, attach_cache(py_func, compiled), local, returns).function_for_kernels()


def merged_kernel(py_func: Callable[..., Any]) -> Any:
    """Like `inner_kernel`, but always merged into its caller: what a user wrote, inside the hottest loop."""
    return _njit(py_func, pipeline.MergedCompiler)


def allocating_kernel(py_func: Callable[..., Any]) -> Any:
    """Like `kernel`, for functions that make arrays of their own."""
    return attach_cache(py_func, uncached_kernel(py_func))


def uncached_kernel(py_func: Callable[..., Any]) -> Any:
    """Like `allocating_kernel`, but for code that lives in this process only, such as a user's own loss."""
    return _njit(py_func, pipeline.EntryCompiler, from_python=True)


def _njit(py_func: Callable[..., Any], compiler: Any, from_python: bool = False) -> Any:
    if PLAIN_PYTHON:
        return with_fields(py_func) if from_python else py_func
    with interrupts_held_back():  # the first one wakes Numba's compiler
        return pipeline.compile_undisturbed(numba.njit(**_options(compiler, from_python))(py_func))


def _options(compiler: Any, from_python: bool) -> dict[str, Any]:
    return pipeline.options(compiler, from_python) if pipeline_works() else pipeline.PLAIN_OPTIONS


@functools.cache
def pipeline_works() -> bool:
    """Whether our pipeline is used: checked once for each version of Numba, remembered in the cache."""
    with _deciding:
        return PLAIN_PYTHON or _decide()


def _decide() -> bool:
    if compiler_choice() == "numba":
        say_once(
            "with SPINNEY_COMPILER=numba, every process compiles its kernels with plain Numba, for a minute or more."
        )
        return False
    if was_checked():
        return True
    with interrupts_held_back():
        verdict = judge(numba.njit)
    remedy = "Install versions that Spinney was tested with (docs/dependencies.md)."
    if verdict.compiles and verdict.keeps:
        remember_check()
    elif verdict.compiles:
        keep_nothing()
        say_once(
            f"compiled kernels cannot be stored with Numba {numba.__version__} ({verdict.reason}), so every process "
            f"compiles its own, for some seconds each time. {remedy}"
        )
    else:
        say_once(
            f"the fast compiler does not work with Numba {numba.__version__} ({verdict.reason}), so every process "
            f"compiles its kernels with plain Numba, for a minute or more. The results are the same. {remedy}"
        )
    return verdict.compiles


def overloads(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say what kernels call instead of a Python function: the decorated one chooses, by the types of its arguments."""

    def register(choose: Callable[..., Any]) -> Callable[..., Any]:
        options: Any = _options(pipeline.InnerCompiler, False)
        overload(function, jit_options=options, strict=False)(choose)
        function.chooser = choose  # type: ignore[attr-defined]
        return choose

    return register


def by_type(table: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    """One name for several inner kernels: the type of the first argument, a NamedTuple, says which one is called.

    The choice is made when the caller is compiled. An inner kernel is compiled as the choice itself; any other kind of
    kernel is called by it.
    """

    def call(first: Any, *rest: Any) -> Any:
        return table[type(first)](first, *rest)

    # Numba wants the arguments by name: in a tuple of the rest, functions would lose their identity.
    names = list(inspect.signature(python_of(next(iter(table.values())))).parameters)
    arguments = ", ".join(names)
    calls = {
        kind: python_of(one) if _is_inner(one) else eval(f"lambda {arguments}: chosen({arguments})", {"chosen": one})
        for kind, one in table.items()
    }
    overloads(call)(eval(f"lambda {arguments}: calls[{names[0]}.instance_class]", {"calls": calls}))
    return call


def _is_inner(function: Any) -> bool:
    """Whether a function is an inner kernel, of this project's compiler."""
    return getattr(getattr(function, "_compiler", None), "pipeline_class", None) is pipeline.InnerCompiler


def class_of(kind: Any) -> type | None:
    """In a chooser (`overloads`): the NamedTuple behind a type; None for other types."""
    return kind.instance_class if isinstance(kind, types.NamedTuple | types.NamedUniTuple | Reference) else None


def is_integer(kind: Any) -> bool:
    """In a chooser (`overloads`): whether a type is one of whole numbers."""
    return isinstance(kind, types.Integer)


def compile_for(compiled: Any, *kinds: str) -> Any:
    """Compile a kernel for "float64", "int64" or "float64[:]" arguments, and say what type it returns.

    Raises `CompileError` if it cannot be compiled. None if kernels are plain Python.
    """
    if PLAIN_PYTHON:
        return None
    signature = tuple(_KINDS[kind] for kind in kinds)
    compiled.compile(signature)
    return compiled.overloads[signature].signature.return_type


def is_number(kind: Any) -> bool:
    """Whether a type that `compile_for` gave is one number."""
    return kind is None or isinstance(kind, types.Float | types.Integer | types.Boolean)


def python_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plain Python function behind a kernel."""
    plain: Callable[..., Any] = getattr(function, "py_func", function)
    return plain


# ----------------------------------------------------------------------------------------------------------------------
# Records on their way into kernels: arrays with named fields.
#
# Kernels get plain NumPy arrays, never an `np.recarray` or another subclass. Of a subclass Numba asks, at every call,
# whether it has some attribute; a recarray answers in Python, and an interrupt that is raised there is dropped by
# CPython (`PyObject_HasAttr`): Ctrl-C would be lost. It is slower, too. Python code outside of kernels writes
# `nodes["left"]`.
#
# Inside a kernel a field is an attribute: `node.left`. Where kernels run as plain Python, the door makes recarrays of
# their arguments, which have such attributes.


def with_fields(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that runs as plain Python: the fields of its arguments' records are attributes."""

    @functools.wraps(py_func)
    def call(*arguments: Any) -> Any:
        return py_func(*(fields_of(one) for one in arguments))

    call.py_func = py_func  # type: ignore[attr-defined]
    return call


def fields_of(argument: Any) -> Any:
    """The same memory with fields as attributes: of an array of records, one record, or a tuple that may hold some."""
    if isinstance(argument, np.ndarray):
        return argument.view(np.recarray) if argument.dtype.names else argument
    if isinstance(argument, np.void) and argument.dtype.names:
        return argument.view((np.record, argument.dtype))
    if not isinstance(argument, tuple):
        return argument
    parts = [fields_of(one) for one in argument]
    if all(new is old for new, old in zip(parts, argument, strict=True)):
        return argument
    return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)

"""Quicker: places where Numba's compiler is slow, made quicker while a kernel of ours is compiled.

- Which of a dozen implementations an operator has for given types is found by trying them all, at every use. Here the
  answer is kept. (It cannot change while one kernel is compiled.)
- Compiler flags are compared and hashed thousands of times, each time over all that could be set. Here only what is
  set is looked at.
- Contexts look for new declarations before every function. Here they look at how many there are, first.
- The variables of a statement are looked for in all that it holds, its place in the source included.
- Which variables are alive where is found after every pass, for generators only.
- The size of a type is found by LLVM, from a module written for it, at every use; signatures of Python functions
  likewise, by Python.
- Every call of LLVM is announced to stop watches.

All save time and nothing else: where a version of Numba has no such place, nothing is done, and that is said.
"""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spinney._compile.speech import say_once

_patched = 0  # kernels that are being compiled inside each other


@contextlib.contextmanager
def quicker_compiler() -> Iterator[None]:
    """Compile inside this. Numba's compiler lock, which is held there, keeps other threads out."""
    global _patched
    undo = _patch() if _patched == 0 else []
    _patched += 1
    try:
        with _collector_at_rest():
            yield
    finally:
        _patched -= 1
        for owner, name, value in undo:
            setattr(owner, name, value)


@contextlib.contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Compiling makes millions of small objects and no cycles to speak of: they are nothing to search through."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            if gc.get_freeze_count() == 0:  # make all of them old at once; nothing that somebody froze is thawed
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _patch() -> list[tuple[Any, str, Any]]:
    try:
        replaced = [
            place
            for find in (_typing, _flags, _declarations, _variables, _lifetimes, _sizes, _signatures, _watches)
            for place in find()
        ]
        undo = [(owner, name, owner.__dict__[name]) for owner, name, _ in replaced]
    except (ImportError, AttributeError, KeyError) as error:
        say_once(f"compiling takes longer than it should with this version of Numba ({type(error).__name__}: {error}).")
        return []
    for owner, name, value in replaced:
        setattr(owner, name, value)
    return undo


_Places = list[tuple[Any, str, Any]]  # object, name of its attribute, what is to be there instead


def _typing() -> _Places:
    from numba.core.types.functions import BaseFunction

    return [(BaseFunction, "get_call_type", _remembering(BaseFunction.get_call_type))]


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


def _flags() -> _Places:
    from numba.core.targetconfig import TargetConfig

    def hash_flags(flags: Any) -> int:
        return len(flags.options)  # few different ones are ever in use

    return [(TargetConfig, "__eq__", _equal_flags(TargetConfig)), (TargetConfig, "__hash__", hash_flags)]


def _equal_flags(kind: Any) -> Any:
    def equal(one: Any, other: Any) -> Any:
        if not isinstance(other, kind):
            return NotImplemented
        return one is other or one._values == other._values or one.values() == other.values()

    return equal


def _declarations() -> _Places:
    from numba.core.base import BaseContext
    from numba.core.typing.context import BaseContext as TypingContext

    return [(kind, "refresh", _refresh_if_new(kind.refresh)) for kind in (BaseContext, TypingContext)]


def _refresh_if_new(refresh: Any) -> Any:
    known: dict[int, int] = {}

    def refresh_if_new(context: Any) -> None:
        if known.get(id(context)) != _n_declarations(context):
            refresh(context)
            known[id(context)] = _n_declarations(context)

    return refresh_if_new


def _n_declarations(context: Any) -> int:
    """How many declarations there are, in the registries that a context and its typing context know."""
    typing = getattr(context, "typing_context", context)
    return sum(
        len(declared)
        for one in {context, typing}
        for registry in one._registries
        for declared in vars(registry).values()
        if isinstance(declared, list)
    )


def _variables() -> _Places:
    from numba.core import ir

    plain = {ir.Loc, ir.Const, ir.Scope, str, int, float, bool, type(None)}

    def collect(values: Iterable[Any], found: list[Any]) -> None:
        for value in values:
            kind = type(value)
            if kind is ir.Var:
                found.append(value)
            elif kind in plain:
                continue
            elif kind is ir.Expr:
                collect(value._kws.values(), found)
            elif isinstance(value, list | tuple):
                collect(value, found)
            elif isinstance(value, dict):
                collect(value.values(), found)
            elif isinstance(value, ir.Inst):
                found.extend(value.list_vars())
            elif isinstance(value, ir.Var):
                found.append(value)

    def list_variables(_: Any, value: Any) -> list[Any]:
        found: list[Any] = []
        collect((value,), found)
        return found

    return [(ir.Inst, "_rec_list_vars", list_variables)]


def _lifetimes() -> _Places:
    from numba.core import postproc, transforms

    run = postproc.PostProcessor.run

    def run_short(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = processor.func_ir
        if function.is_generator:
            run(processor, emit_dels, extend_lifetimes)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None
        if emit_dels:
            processor._insert_var_dels(extend_lifetimes=extend_lifetimes)

    return [(postproc.PostProcessor, "run", run_short)]


_known_sizes: dict[Any, Any] = {}


def _sizes() -> _Places:
    from numba.core.base import BaseContext

    find = BaseContext.get_abi_sizeof

    def get_abi_sizeof(context: Any, kind: Any) -> Any:
        key = (id(context.target_data), str(kind))
        if key not in _known_sizes:
            _known_sizes[key] = find(context, kind)
        return _known_sizes[key]

    return [(BaseContext, "get_abi_sizeof", get_abi_sizeof)]


def _signatures() -> _Places:
    from numba.core import utils

    return [(utils, "pysignature", functools.lru_cache(None)(utils.__dict__["pysignature"]))]


def _watches() -> _Places:
    from numba.core import event

    def unless_only_watched(tell: Callable[..., None]) -> Callable[..., None]:
        def tell_others(kind: str, *rest: Any, **named: Any) -> None:
            if any(type(one) is not event.TimingListener for one in event._registered[kind]):
                tell(kind, *rest, **named)

        return tell_others

    return [(event, name, unless_only_watched(getattr(event, name))) for name in ("start_event", "end_event")]

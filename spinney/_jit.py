"""The one door to Numba: the `kernel` decorator, its cache on disk, and what Numba lacks.

Only modules that hold compiled code import this one, and estimators import those modules inside `fit` and
`predict`, so that `import spinney` never loads Numba.

The cache differs from Numba's own in four ways:
- its folder is named by a hash of every source file of the package, so a changed formula in another file
  can never leave stale machine code behind;
- every file carries a checksum: a truncated or damaged one is deleted and compiled anew;
- the folder is private to the user (0700); a folder that is not ours is not used;
- where nothing is writable, kernels are compiled in memory and nothing fails.

`SPINNEY_CACHE_DIR` moves the cache. `NUMBA_DISABLE_JIT=1` runs every kernel as plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import inspect
import os
import pickle
import platform
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.caching import NullCache, _Cache
from numba.core.compiler import Compiler, CompileResult
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

_NOT_NEEDED = {  # names of Numba's passes
    "WithLifting",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "NopythonRewrites",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "MakeFunctionToJitFunction",
    "RewriteDynamicRaises",
}
PLAIN_PYTHON = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]
SWEPT = 64  # rows that `ask` asks
_DIGEST_SIZE = 32
_announced = False


@functools.cache
def cache_folder() -> Path | None:
    """The folder of compiled kernels, made if need be; None where no safe place is writable."""
    name = f"kernels-{_source_digest()}"
    for root in _cache_roots():
        folder = root / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(folder):
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        except OSError:
            continue
    return None


def _cache_roots() -> list[Path]:
    """Where to look for a cache place, best first: the user's choice, the user's cache, a private temporary one."""
    if chosen := os.environ.get("SPINNEY_CACHE_DIR"):
        return [Path(chosen)]
    roots = []
    if base := os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA"):
        roots.append(Path(base) / "spinney")
    with contextlib.suppress(RuntimeError):  # no home directory
        roots.append(Path.home() / ".cache" / "spinney")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    roots.append(Path(tempfile.gettempdir()) / f"spinney-{user}")
    return roots


def _is_private(folder: Path) -> bool:
    """Whether the folder belongs to this user and nobody else may write there (cache files are executed)."""
    if not hasattr(os, "getuid"):
        return True
    facts = folder.stat()
    return facts.st_uid == os.getuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _compile_flags() -> tuple[Any, ...]:
    return tuple(getattr(config, name) for name in ("BOUNDSCHECK", "OPT"))


def _source_digest() -> str:
    """A hash of everything the machine code depends on: our sources, Numba, and how it is told to compile."""
    digest = hashlib.blake2b(digest_size=12)
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    digest.update(repr((numba.__version__, sys.version, *_compile_flags())).encode())
    return digest.hexdigest()


class _KernelCache(_Cache):
    """One checksummed file per kernel, signature and CPU."""

    def __init__(self, py_func: Callable[..., Any], folder: Path) -> None:
        self._name = f"{py_func.__module__}.{py_func.__qualname__}"
        self._folder = folder

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes()
        except OSError:
            _announce_compilation()
            return None
        try:
            digest, body = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
            if hashlib.blake2b(body, digest_size=_DIGEST_SIZE).digest() != digest:
                raise ValueError("damaged cache file")
            return CompileResult._rebuild(target_context, *pickle.loads(body))
        except Exception:  # whatever is wrong with the file, the cure is the same
            path.unlink(missing_ok=True)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return
        path = self._path(sig, data.codegen)
        try:
            body = pickle.dumps(data._reduce(), protocol=5)
            handle, temporary = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.blake2b(body, digest_size=_DIGEST_SIZE).digest() + body)
            os.replace(temporary, path)
        except OSError:  # a full or read-only disk costs the next process a compilation, no more
            return

    def _path(self, sig: Any, codegen: Any) -> Path:
        key = repr((sig, codegen.magic_tuple())).encode()
        return self._folder / f"{self._name}-{hashlib.blake2b(key, digest_size=10).hexdigest()}.bin"

    def enable(self) -> None: ...

    def disable(self) -> None: ...

    def flush(self) -> None: ...


def _announce_compilation() -> None:
    """Say once a process that the first fit on this machine compiles."""
    global _announced
    if not _announced and "SPINNEY_QUIET" not in os.environ:
        print("spinney: compiling for this machine (a few seconds, once; kept in the cache)", file=sys.stderr)
    _announced = True


def kernel(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function: no GIL, IEEE arithmetic as written (no fastmath), cached on disk.

    Kernels work in memory that the caller gives them. Numba's reference counting is off, which makes them several
    times quicker to compile; in exchange a kernel cannot make an array (see `allocating_kernel`).
    """
    options: dict[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True}
    return _cached(
        py_func, numba.njit(nogil=True, error_model="numpy", pipeline_class=_KernelCompiler, **options)(py_func)
    )


def inner_kernel(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for functions that only other kernels call: without the door from Python, quicker to compile.

    Not cached by itself: it is part of the kernels that call it.
    """
    return _inner(py_func, _InnerCompiler)


def separate_kernel(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """Like `inner_kernel`, but never merged into its caller: a hot loop has the processor's registers to itself."""
    return _inner(py_func, _SeparateCompiler)


def merged_kernel(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """Like `inner_kernel`, but always merged into its caller: what a user wrote, inside the hottest loop."""
    return _inner(py_func, _MergedCompiler)


def _inner(py_func: Callable[..., Any], compiler: type[Compiler]) -> Callable[..., Any]:
    inner: Callable[..., Any] = numba.njit(**inner_options(compiler))(py_func)
    return inner


def inner_options(compiler: type[Compiler] | None = None) -> Any:
    """What Numba is told of an inner kernel; `@overload` takes it as `jit_options`."""
    return {
        "nogil": True,
        "error_model": "numpy",
        "_nrt": False,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "pipeline_class": compiler or _InnerCompiler,
    }


class _FewPasses(Compiler):
    """Leaves out passes for Python that kernels are not written in: closures, comprehensions, with, literal_unroll."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [one for one in pipeline.passes if one[0].__name__ not in _NOT_NEEDED]
        return pipelines


class _EntryCompiler(Compiler):
    """Links all that a kernel calls, directly or not, into one module. (Inner libraries hold only themselves.)"""

    def define_pipelines(self) -> Any:
        library = self.state.targetctx.codegen().create_library(self.state.func_id.func_qualname)
        library.enable_object_caching()
        finalize = library.finalize

        def link_and_finalize() -> None:
            library._linking_libraries = _all_libraries(library)
            finalize()

        library.finalize = link_and_finalize
        self.state.library = library
        return super().define_pipelines()

    def _compile_core(self) -> Any:
        """Compiling makes millions of small objects and no cycles to speak of: let the collector rest meanwhile."""
        collecting = gc.isenabled()
        gc.disable()
        try:
            return super()._compile_core()
        finally:
            if collecting:
                gc.enable()


def _all_libraries(library: Any) -> list[Any]:
    """The libraries that one needs, and those that they need, each once and after all that need it.

    (LLVM's linker passes over a function that nothing linked before it asks for.)
    """
    finished: dict[Any, None] = {}
    started = set()
    waiting = [(one, False) for one in reversed(library._linking_libraries)]
    while waiting:
        one, children_done = waiting.pop()
        if children_done:
            finished[one] = None
        elif one not in started:
            started.add(one)
            waiting.append((one, True))
            waiting.extend((other, False) for other in reversed(one._linking_libraries))
    return list(reversed(finished))


class _KernelCompiler(_FewPasses, _EntryCompiler):
    """Runs LLVM's full passes once: Numba's first, cheaper run is for pruning reference counts, and there are none."""

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        codegen, library = self.state.targetctx.codegen(), self.state.library

        def optimise() -> None:
            manager, builder = codegen._module_pass_manager()
            manager.run(library._final_module, builder)

        library._optimize_final_module = optimise
        return pipelines


class _WithoutEnvironment:
    """Numba's code generator, but for code that is never called from Python and so has no environment to be given."""

    def __init__(self, codegen: Any) -> None:
        self._real = codegen

    def set_env(self, name: str, environment: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class _InnerCompiler(_FewPasses):
    """Leaves linking, optimisation and machine code to the calling kernel: done once, not once a level."""

    def define_pipelines(self) -> Any:
        codegen = self.state.targetctx.codegen()
        library = codegen.create_library(self.state.func_id.func_qualname)
        library._codegen = _WithoutEnvironment(codegen)
        library._optimize_functions = self._prepare
        library.finalize = lambda: setattr(library, "_finalized", True)
        self.state.library = library
        return super().define_pipelines()

    def _prepare(self, module: Any) -> None:
        module.data_layout = self.state.targetctx.codegen()._data_layout


class _SeparateCompiler(_InnerCompiler):
    """Forbids LLVM to merge the function into its callers."""

    def _prepare(self, module: Any) -> None:
        super()._prepare(module)
        for function in module.functions:
            if not function.is_declaration:  # callees are linked in later
                function.add_function_attribute("noinline")


class _MergedCompiler(_InnerCompiler):
    """Makes LLVM merge the function into its callers."""

    def _prepare(self, module: Any) -> None:
        super()._prepare(module)
        for function in module.functions:
            if not function.is_declaration:
                function.add_function_attribute("alwaysinline")


def allocating_kernel(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for functions that make arrays of their own."""
    return _cached(py_func, uncached_kernel(py_func))


def _cached(py_func: Callable[..., Any], dispatcher: Any) -> Callable[..., Any]:
    if not PLAIN_PYTHON:
        folder = cache_folder()
        dispatcher._cache = _KernelCache(py_func, folder) if folder else NullCache()
    return dispatcher  # type: ignore[no-any-return]


def uncached_kernel(py_func: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, but for code that lives in this process only, such as a user's own loss."""
    compiled: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", pipeline_class=_EntryCompiler)(py_func)
    return compiled


def by_type(table: dict[type, Callable[..., Any]]) -> Callable[..., Any]:
    """One name for several inner kernels: the type of the first argument, a NamedTuple, says which one is called.

    The choice is made when the caller is compiled.
    """

    def call(first: Any, *rest: Any) -> Any:
        return table[type(first)](first, *rest)

    # Numba wants the arguments by name: in a tuple of the rest, functions would lose their identity.
    names = list(inspect.signature(python_of(next(iter(table.values())))).parameters)
    arguments = ", ".join(names)
    calls = {kind: eval(f"lambda {arguments}: chosen({arguments})", {"chosen": one}) for kind, one in table.items()}
    find = eval(f"lambda {arguments}: calls[{names[0]}.instance_class]", {"calls": calls})
    overload(call, jit_options=inner_options(), strict=False)(find)
    return call


def python_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plain Python function behind a kernel."""
    plain: Callable[..., Any] = getattr(function, "py_func", function)
    return plain


def _element(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """LLVM pointer to one element of a contiguous 1-D array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = builder.bitcast(_element(context, builder, signature.args[0], *arguments), byte)
        _call(builder, "llvm.prefetch.p0", [pointer, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def _atomic_add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def _atomic_load(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_element(context, builder, signature.args[0], *arguments), "seq_cst", 8)

    return types.int64(array, types.int64), generate


@intrinsic
def _view_as_int(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(signature.return_type.bitwidth))

    if number == types.float32:
        return types.int32(types.float32), generate
    return types.int64(types.float64), generate


@intrinsic
def _view_as_float(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _either(typing_context: Any, condition: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        chosen = builder.select(*arguments)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    return first(types.boolean, first, first), generate


@intrinsic
def _lowest_bit(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


@intrinsic
def _atomic_swap(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("xchg", pointer, arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def _ask(typing_context: Any, codes: Any, first: Any, at: Any, place: Any, question: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(signature.args[2].dtype.bitwidth)
        vector = ir.VectorType(number, SWEPT)
        code_type = ir.VectorType(ir.IntType(8), SWEPT)
        pointer = _element(context, builder, signature.args[0], arguments[0], arguments[1])
        code = builder.load(builder.bitcast(pointer, code_type.as_pointer()), align=1)
        if number.width > 8:
            code = builder.zext(code, vector)
        pointer = builder.bitcast(_element(context, builder, signature.args[2], *arguments[2:4]), vector.as_pointer())
        now = builder.load(pointer, align=1)

        def everywhere(part: int) -> Any:
            value = builder.trunc(builder.extract_value(arguments[4], part), number)
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), SWEPT), None)
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)

        node, most, exception, left = (everywhere(part) for part in range(4))
        right = builder.and_(builder.icmp_unsigned(">", code, most), builder.icmp_unsigned("!=", code, exception))
        child = builder.add(left, builder.zext(right, vector))
        builder.store(builder.select(builder.icmp_unsigned("==", now, node), child, now), pointer, align=1)
        return context.get_dummy_value()

    return types.void(codes, types.int64, at, types.int64, types.UniTuple(types.int64, 4)), generate


@intrinsic(prefer_literal=True)
def _extremes(
    typing_context: Any, codes: Any, rows: Any, some: Any, first: Any, lanes: Any, low: Any, high: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, byte = ir.VectorType(ir.IntType(8), lanes.literal_value), ir.IntType(8)
        arrays = [context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (0, 1, 5, 6)]
        cells, numbers, least, most = arrays
        begin, end = (builder.extract_value(arguments[2], k) for k in range(2))
        start = builder.gep(builder.bitcast(cells.data, byte.as_pointer()), [arguments[3]])
        stride = builder.extract_value(cells.strides, 0)
        lowest = cgutils.alloca_once_value(builder, ir.Constant(vector, [255] * lanes.literal_value))
        highest = cgutils.alloca_once_value(builder, ir.Constant(vector, [0] * lanes.literal_value))
        with cgutils.for_range_slice(builder, begin, end, begin.type(1), inc=True) as (i, _):
            row = builder.zext(builder.load(builder.gep(numbers.data, [i])), stride.type)
            place = builder.gep(start, [builder.mul(row, stride)])
            now = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
            for goal, sign in ((lowest, "<"), (highest, ">")):
                before = builder.load(goal)
                builder.store(builder.select(builder.icmp_unsigned(sign, now, before), now, before), goal)
        for goal, array in ((lowest, least), (highest, most)):
            place = builder.gep(array.data, [arguments[3]])
            builder.store(builder.load(goal), builder.bitcast(place, vector.as_pointer()), align=1)
        return context.get_dummy_value()

    pair = types.UniTuple(types.int64, 2)
    return types.void(codes, rows, pair, types.int64, lanes, low, high), generate


@intrinsic(prefer_literal=True)
def _sum_left(
    typing_context: Any, codes: Any, rows: Any, stats: Any, some: Any, first: Any, lanes: Any, most: Any, sums: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        n, byte, wide = lanes.literal_value, ir.IntType(8), ir.IntType(64)
        vector = ir.VectorType(byte, n)
        arrays = [context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (0, 1, 2, 6, 7)]
        cells, numbers, packed, limits, totals = arrays
        begin, end = (builder.extract_value(arguments[3], k) for k in range(2))
        start = builder.gep(builder.bitcast(cells.data, byte.as_pointer()), [arguments[4]])
        parts = builder.bitcast(packed.data, byte.as_pointer())
        stride = builder.extract_value(cells.strides, 0)
        limit_at = builder.bitcast(builder.gep(limits.data, [arguments[4]]), vector.as_pointer())
        limit, zero = builder.load(limit_at, align=1), ir.Constant(vector, [0] * n)
        weights, amounts = (cgutils.alloca_once_value(builder, zero) for _ in range(2))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), n), None)
        with cgutils.for_range_slice(builder, begin, end, begin.type(1), inc=True) as (i, _):
            row = builder.zext(builder.load(builder.gep(numbers.data, [i])), stride.type)
            place = builder.gep(start, [builder.mul(row, stride)])
            now = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
            goes_left = builder.icmp_unsigned("<=", now, limit)
            eight_times = builder.mul(i, wide(8))
            for goal, offset in ((weights, 4), (amounts, 0)):
                one = builder.load(builder.gep(parts, [builder.add(eight_times, wide(offset))]))
                lane = builder.insert_element(ir.Constant(vector, ir.Undefined), one, ir.IntType(32)(0))
                spread = builder.shuffle_vector(lane, ir.Constant(vector, ir.Undefined), everywhere)
                builder.store(builder.add(builder.load(goal), builder.select(goes_left, spread, zero)), goal)
        broad = ir.VectorType(wide, n)
        for goal, at in ((weights, 0), (amounts, 1)):
            line = builder.mul(builder.extract_value(totals.strides, 0), wide(at))
            place = builder.gep(builder.bitcast(totals.data, byte.as_pointer()), [line])
            place = builder.gep(builder.bitcast(place, wide.as_pointer()), [arguments[4]])
            place = builder.bitcast(place, broad.as_pointer())
            more = builder.zext(builder.load(goal), broad)
            builder.store(builder.add(builder.load(place, align=8), more), place, align=8)
        return context.get_dummy_value()

    pair = types.UniTuple(types.int64, 2)
    return types.void(codes, rows, stats, pair, types.int64, lanes, most, sums), generate


@intrinsic
def _pair_array(typing_context: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        double, size = ir.DoubleType(), ir.IntType(64)
        data = cgutils.alloca_once(builder, ir.ArrayType(double, 2))
        for k in range(2):
            builder.store(arguments[k], builder.gep(data, [size(0), size(k)]))
        array = context.make_array(signature.return_type)(context, builder)
        pointer = builder.bitcast(data, double.as_pointer())
        populate_array(array, pointer, [size(2)], [size(8)], size(8), meminfo=None)
        return array._getvalue()

    return types.Array(types.float64, 1, "C")(types.float64, types.float64), generate


@intrinsic
def _rest_core(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        machine = platform.machine().lower()
        if machine in ("x86_64", "amd64"):
            _call(builder, "llvm.x86.sse2.pause", [])
        elif machine in ("aarch64", "arm64"):
            _call(builder, "llvm.aarch64.hint", [ir.IntType(32)(1)])
        return context.get_dummy_value()

    return types.void(), generate


def _call(builder: Any, name: str, arguments: list[Any]) -> None:
    """Call one of LLVM's own functions."""
    shape = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, shape, name)
    builder.call(function, arguments)


def _plain_ask(codes: Any, first: int, at: Any, place: int, question: tuple[int, int, int, int]) -> None:
    node, most, exception, left = question
    code, now = codes[first : first + SWEPT].astype(np.int64), at[place : place + SWEPT]
    now[...] = np.where(now == node, left + ((code > most) & (code != exception)), now)


def _plain_extremes(codes: Any, rows: Any, some: tuple[int, int], first: int, lanes: int, low: Any, high: Any) -> None:
    block = codes[rows[some[0] : some[1]].astype(np.int64), first : first + lanes]
    low[first : first + lanes], high[first : first + lanes] = block.min(axis=0), block.max(axis=0)


def _plain_sum_left(
    codes: Any, rows: Any, stats: Any, some: tuple[int, int], first: int, lanes: int, most: Any, sums: Any
) -> None:
    places, columns = slice(*some), slice(first, first + lanes)
    goes_left = codes[rows[places].astype(np.int64), columns] <= most[columns]
    for part, shift in ((0, 32), (1, 0)):
        amounts = (stats[places] >> np.uint64(shift)).astype(np.uint8).astype(np.int64)
        sums[part, columns] += amounts @ goes_left


def _plain_pair_array(first: float, second: float) -> Any:
    return np.array([first, second])


def _plain_rest_core() -> None:
    """There is nobody to rest for in plain Python."""


def _plain_prefetch(array: Any, index: int) -> None:
    """Nothing to fetch in plain Python."""


def _plain_atomic_add(array: Any, index: int, value: int) -> int:
    before = int(array[index])
    array[index] += value
    return before


def _plain_atomic_load(array: Any, index: int) -> int:
    return int(array[index])


def _plain_atomic_swap(array: Any, index: int, value: int) -> int:
    before = int(array[index])
    array[index] = value
    return before


def _plain_either(condition: bool, first: Any, second: Any) -> Any:
    return first if condition else second


def _plain_lowest_bit(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1


def _plain_view_as_int(number: float) -> Any:
    return number.view(np.int32) if isinstance(number, np.float32) else np.float64(number).view(np.int64)


def _plain_view_as_float(number: int) -> Any:
    return np.int64(number).view(np.float64)


# prefetch(array, index): ask for array[index]'s cache line ahead of its use.
# atomic_add, atomic_swap(array, index, value) -> the value before; atomic_load(array, index). int64 arrays only.
# view_as_int(float64), view_as_float(int64): the same 64 bits read the other way; view_as_int(float32): its 32 bits.
# ask(codes, first, at, place, (node, most, exception, left)): of 64 rows, those at `node` go on to `left`, or, if
#     their code is above `most` and not `exception`, to the node after it; at[place ..] is where the rows are.
ask: Any = _plain_ask if PLAIN_PYTHON else _ask
# extremes(codes, rows, (begin, end), first, lanes, low, high): least and greatest code of the rows rows[begin:end] in
#     so many columns (a constant) from `first` on, into the same places of `low` and `high`.
extremes: Any = _plain_extremes if PLAIN_PYTHON else _extremes
# sum_left(codes, rows, stats, (begin, end), first, lanes, most, sums): for as many columns, add the weights and amounts
#     of the rows rows[begin:end] whose code is at most most[column] to sums[0, column] and sums[1, column]. They are
#     bytes 4 and 0 of stats (uint64), and must add up to less than 256.
sum_left: Any = _plain_sum_left if PLAIN_PYTHON else _sum_left
# rest_core(): tell the processor that this thread only waits, so that one that shares its core gets more of it.
# pair_array(first, second): an array of two numbers on the stack; it must not outlive the function that made it.
pair_array: Any = _plain_pair_array if PLAIN_PYTHON else _pair_array
rest_core: Any = _plain_rest_core if PLAIN_PYTHON else _rest_core
prefetch: Any = _plain_prefetch if PLAIN_PYTHON else _prefetch
atomic_add: Any = _plain_atomic_add if PLAIN_PYTHON else _atomic_add
atomic_swap: Any = _plain_atomic_swap if PLAIN_PYTHON else _atomic_swap
atomic_load: Any = _plain_atomic_load if PLAIN_PYTHON else _atomic_load
view_as_int: Any = _plain_view_as_int if PLAIN_PYTHON else _view_as_int
# either(condition, first, second): `first if condition else second` where nobody can guess the condition: no branch.
either: Any = _plain_either if PLAIN_PYTHON else _either
# lowest_bit(bits): the place of the lowest bit that is set; uint64, not 0.
lowest_bit: Any = _plain_lowest_bit if PLAIN_PYTHON else _lowest_bit
view_as_float: Any = _plain_view_as_float if PLAIN_PYTHON else _view_as_float

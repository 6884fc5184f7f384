"""The one door to the GPU's compiler and driver: numba-cuda.

Only `spinney/gpu` imports this, and only when a fit or a prediction is asked to run there.

    gpu_kernel          a function that many GPU threads run; launched with `kernel.launch(grid, block, *arguments)`
    gpu_function        called by those only
    cuda                numba-cuda's own words inside them (threadIdx, shared memory, atomics)
    Stream              one queue of copies and launches; launches can be recorded and replayed as one

Inner kernels of the CPU can be called from GPU kernels: the same Python becomes machine code for both. Arithmetic is as
written there, too: multiplications and additions are not fused (`fma`), and nothing is optimised across files (`lto`).

SPINNEY_GPU names a module that stands in for a GPU, with NUMBA_DISABLE_JIT=1: kernels then run as plain Python, on
NumPy's arrays (`tests/gpu/simulated_gpu.py`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from spinney._compile.gpu_cache import GpuKernelCache
from spinney._compile.intrinsics import either, view_as_float, view_as_int
from spinney._interrupts import import_whole, interrupts_held_back

SIMULATED = bool(os.environ.get("SPINNEY_GPU"))
simulated_gpu: Any = importlib.import_module(os.environ["SPINNEY_GPU"]) if SIMULATED else None
SIMULATED_THREADS = int(os.environ.get("SPINNEY_SIMULATED_THREADS", "2"))  # of a block; more take very long
if not SIMULATED:
    vars(np).setdefault("row_stack", np.vstack)  # gone from NumPy 2.5; numba-cuda 0.30 still asks for it
    import_whole("numba.cuda")  # cannot be repeated if cut
numba_cuda: Any = sys.modules.get("numba.cuda")
int32, int64, uint8, uint32 = types.int32, types.int64, types.uint8, types.uint32
uint64, float64 = types.uint64, types.float64
_compiling = threading.RLock()
_recording = threading.RLock()  # while launches are recorded, nobody may make the whole GPU wait


cuda: Any = simulated_gpu.Words() if SIMULATED else numba_cuda


class GpuError(RuntimeError):
    """There is no GPU to use, or it cannot do what it was asked for."""


def gpu_function(py_func: Callable[..., Any]) -> Any:
    """Compile a function that only GPU kernels call."""
    return py_func if SIMULATED else numba_cuda.jit(device=True, forceinline=True)(py_func)


def gpu_kernel(py_func: Callable[..., Any]) -> GpuKernel:
    """Compile a function for many GPU threads, up to 256 of a block."""
    return GpuKernel(py_func, 256)


def large_gpu_kernel(py_func: Callable[..., Any]) -> GpuKernel:
    """The same for up to 1,024, which have fewer registers each."""
    return GpuKernel(py_func, 1024)


class GpuKernel:
    """A kernel and its machine code for each kind of arguments."""

    def __init__(self, py_func: Callable[..., Any], threads: int) -> None:
        self.py_func = py_func
        options = {"lto": False, "launch_bounds": threads}
        self._allowed: dict[Any, int] = {}  # bytes of shared memory, by kinds of arguments
        self._dispatcher: Any = None
        if not SIMULATED:
            self._dispatcher = numba_cuda.jit(py_func, **options)
            self._dispatcher._cache = GpuKernelCache(py_func, options, _Toolkit())

    def launch(self, stream: Stream, grid: Any, block: int, arguments: tuple[Any, ...], shared: int = 0) -> None:
        """Have `grid` blocks of `block` threads run it, when the stream gets there; `shared` bytes of memory each."""
        if SIMULATED:
            simulated_gpu.launch(self.py_func, grid, block, arguments, shared)
            return
        self._compile(arguments, shared)
        with _without_advice():
            launch = self._dispatcher[grid, block, stream.queue, shared]
        launch(*arguments)

    def _compile(self, arguments: tuple[Any, ...], shared: int) -> None:
        kinds = tuple(self._dispatcher.typeof_pyval(one) for one in arguments)
        if kinds not in self._dispatcher.overloads:
            with _compiling, interrupts_held_back(), _without_fusing():
                self._dispatcher.compile(kinds)
        if shared > self._allowed.get(kinds, _FREE_SHARED):  # more must be asked for
            _allow_shared(self._dispatcher.overloads[kinds], shared)
            self._allowed[kinds] = shared


class _Toolkit:
    """What the cache asks of numba-cuda."""

    def magic(self) -> tuple[Any, ...]:
        target: Any = importlib.import_module("numba.cuda.descriptor").cuda_target
        return _numba_cuda_version(), *target.target_context.codegen().magic_tuple()

    def rebuild(self, kernel: dict[str, Any], library: dict[str, Any], cubins: dict[Any, bytes], sig: Any) -> Any:
        codegen: Any = importlib.import_module("numba.cuda.codegen")
        dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
        loaded = {kind: dispatcher.driver.ObjectCode.from_cubin(code) for kind, code in cubins.items()}
        own = codegen.CUDACodeLibrary._rebuild(**library, cubin_cache=loaded)
        sig = dispatcher.typing.signature(types.none, *sig)
        return dispatcher._Kernel._rebuild(**kernel, signature=sig, codelibrary=own, call_helper=None, extensions=[])


@functools.cache
def _numba_cuda_version() -> str:
    return importlib.metadata.version("numba-cuda")


_FREE_SHARED = 8 << 10  # bytes of shared memory that every kernel may have, besides arrays of its own of up to 40 KiB


def _allow_shared(kernel: Any, n_bytes: int) -> None:
    driver = _driver()
    attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    _check(driver.cuKernelSetAttribute(attribute, n_bytes, kernel._codelibrary.get_cufunc().handle, 0))


@contextlib.contextmanager
def _without_fusing() -> Iterator[None]:
    """numba-cuda has no switch for this option of NVVM's: it is added where the options are handed on."""
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    compile_cuda = dispatcher.compile_cuda

    def compile_as_written(*arguments: Any, **options: Any) -> Any:
        options["nvvm_options"] = {**(options.get("nvvm_options") or {}), "fma": 0}
        return compile_cuda(*arguments, **options)

    dispatcher.compile_cuda = compile_as_written
    try:
        yield
    finally:
        dispatcher.compile_cuda = compile_cuda


@contextlib.contextmanager
def _without_advice() -> Iterator[None]:
    """numba-cuda warns of launches of few blocks. Some have no more to do."""
    settings: Any = importlib.import_module("numba.cuda.core.config")
    before, settings.CUDA_LOW_OCCUPANCY_WARNINGS = settings.CUDA_LOW_OCCUPANCY_WARNINGS, 0
    try:
        yield
    finally:
        settings.CUDA_LOW_OCCUPANCY_WARNINGS = before


def teach_compiler() -> None:
    """Add to numba-cuda, which must have been imported, what it lacks of what the CPU's inner kernels call."""
    from numba.cuda import ufuncs
    from numba.cuda.typing.templates import infer_global, make_intrinsic_template

    for one in (view_as_int, view_as_float):
        template = make_intrinsic_template(one, one._defn, one._name, prefer_literal=False, kwargs={"target": "cuda"})
        infer_global(one, types.Function(template))

    def choose(typing_context: Any, condition: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.select(*arguments)

        return first(types.boolean, first, first), generate

    template = make_intrinsic_template(either, choose, "either", prefer_literal=False, kwargs={"target": "cuda"})
    infer_global(either, types.Function(template))

    def floor(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic("llvm.floor", [arguments[0].type]), arguments)

    def rint(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, module = ir.FunctionType(arguments[0].type, [arguments[0].type]), builder.module
        own = module.globals.get("__nv_rint") or ir.Function(module, kind, "__nv_rint")  # NVVM has no other
        return builder.call(own, arguments)

    ufuncs.ufunc_db().setdefault(np.floor, {"d->d": floor})
    ufuncs.ufunc_db().setdefault(np.rint, {"d->d": rint})


if not SIMULATED:
    with interrupts_held_back():
        teach_compiler()


def _check(result: Any) -> Any:
    """What a call of the driver's gave, or an error."""
    status, *values = result
    if int(status) != 0:
        raise GpuError(f"The GPU driver reports {status.name}.")
    return values[0] if len(values) == 1 else values


# --- memory and streams ----------------------------------------------------------------------------------------------


class Mirror:
    """Some arrays that are on the GPU and here, side by side, so that one copy moves all of them."""

    def __init__(self, queue: Any, shapes: dict[str, tuple[Any, Any]]) -> None:
        kinds = {name: (np.zeros(shape, np.uint8).shape, np.dtype(dtype)) for name, (shape, dtype) in shapes.items()}
        sizes = {name: int(np.prod(shape)) * dtype.itemsize for name, (shape, dtype) in kinds.items()}
        ends = np.cumsum([-(-size // _APART) * _APART for size in sizes.values()])
        self._size, self._queue = int(ends[-1]), queue
        self._here = np.zeros(self._size, np.uint8) if SIMULATED else numba_cuda.pinned_array(self._size, np.uint8)
        self._there = self._here if SIMULATED else numba_cuda.device_array(self._size, np.uint8)
        self.here: dict[str, np.ndarray] = {}
        self.there: dict[str, Any] = {}
        for (name, (shape, dtype)), begin in zip(kinds.items(), [0, *ends.tolist()]):
            part = slice(begin, begin + sizes[name])
            self.here[name] = self._here[part].view(dtype).reshape(shape)
            self.there[name] = self._there[part].view(dtype).reshape(shape)
        self.n_bytes = self._size

    def push(self, n_bytes: int | None = None) -> None:
        """From here to there, in the queue's turn, all or the first bytes."""
        if not SIMULATED:
            n = self._size if n_bytes is None else n_bytes
            _check(_driver().cuMemcpyHtoDAsync(_address(self._there), self._here.ctypes.data, n, self._queue))

    def pull(self, n_bytes: int | None = None) -> None:
        """From there to here, all or the first bytes."""
        if not SIMULATED:
            n = self._size if n_bytes is None else n_bytes
            _check(_driver().cuMemcpyDtoHAsync(self._here.ctypes.data, _address(self._there), n, self._queue))


_APART = 256  # bytes: arrays of a mirror begin at multiples of it


def _driver() -> Any:
    from cuda.bindings import driver

    return driver


def _address(array: Any) -> int:
    return int(array.__cuda_array_interface__["data"][0])


class Stream:
    """A queue: what is put into it happens in turn, while Python goes on. In the simulator it happens at once.

    It does not wait for what others do on the GPU, nor they for it: otherwise their launches would fail while launches
    are recorded here. So `view` waits for them, and whoever hands memory to others waits for the queue.
    """

    def __init__(self) -> None:
        self.queue: Any = None
        self._handle: Any = None
        if not SIMULATED:
            numba_cuda.current_context()
            driver = _driver()
            self._handle = _check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value))
            self.queue = numba_cuda.external_stream(int(self._handle))
            weakref.finalize(self, driver.cuStreamDestroy, self._handle).atexit = False

    def empty(self, shape: Any, dtype: Any) -> Any:
        """An array on the GPU."""
        if SIMULATED:
            return np.zeros(shape, dtype)
        return numba_cuda.device_array(shape, dtype, stream=self.queue)

    def view(self, array: Any) -> Any:
        """An array of somebody else's on the GPU, as it is when all that the GPU has been told to do is done."""
        if SIMULATED:
            return np.asarray(simulated_gpu.Seen(array))
        with _recording:
            numba_cuda.current_context().synchronize()
        attribute = _driver().CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        found = _check(_driver().cuPointerGetAttribute(attribute, _address(array)))
        check_device(int(found), int(numba_cuda.get_current_device().id))
        return numba_cuda.from_cuda_array_interface(array.__cuda_array_interface__, owner=array, sync=False)

    def put(self, array: np.ndarray) -> Any:
        """A copy on the GPU."""
        there = self.empty(array.shape, array.dtype)
        self.write(there, array)
        return there

    def write(self, there: Any, array: np.ndarray) -> None:
        """Fill an array on the GPU; waits until that is done."""
        if SIMULATED:
            there[...] = array
        elif array.size:
            there.copy_to_device(np.ascontiguousarray(array), stream=self.queue)
            self.wait()

    def read(self, there: Any) -> np.ndarray:
        """A copy of an array on the GPU. Waits for what is in the queue."""
        if SIMULATED:
            return np.array(there)
        out: np.ndarray = there.copy_to_host(stream=self.queue)
        self.wait()
        return out

    def mirror(self, **shapes: tuple[Any, Any]) -> Mirror:
        """Arrays of these names: (shape, kind of numbers) each."""
        return Mirror(self._handle, shapes)

    def wait(self) -> None:
        if not SIMULATED:
            _check(_driver().cuStreamSynchronize(self._handle))

    def record(self, launches: Callable[[], None]) -> Callable[[], Any]:
        """A function that does these launches, which have been done once before, again, as one."""
        if SIMULATED:
            return launches
        driver = _driver()
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        with interrupts_held_back(), _recording:
            _check(driver.cuStreamBeginCapture(self._handle, mode))
            try:
                launches()
                is_recorded = True
            except Exception:  # another thread has made the whole GPU wait: what is recorded just then is lost
                is_recorded = False
            status, graph = driver.cuStreamEndCapture(self._handle)
            if not is_recorded or int(status) != 0:
                return launches
            program = _check(driver.cuGraphInstantiate(graph, 0))
            _check(driver.cuGraphDestroy(graph))
        return Recorded(program, self._handle)


class Recorded:
    """Launches that were recorded."""

    def __init__(self, program: Any, queue: Any) -> None:
        self._program, self._queue, self._driver = program, queue, _driver()

    def __call__(self) -> None:
        _check(self._driver.cuGraphLaunch(self._program, self._queue))

    def __del__(self) -> None:
        try:
            self._driver.cuGraphExecDestroy(self._program)
        except Exception:  # Python is ending, and has taken the driver away
            return


def check_device(found: int, current: int) -> None:
    """Say what to do where a table is on another GPU."""
    if found != current:
        raise GpuError(
            f"The data is on GPU {found}, but GPU {current} is the current one. Copy the data there, or make GPU "
            f"{found} the current device of CuPy or torch first."
        )


def enter_thread() -> None:
    """Before a thread that was started elsewhere uses the GPU."""
    if not SIMULATED:
        numba_cuda.current_context()


def multiprocessors() -> int:
    """How many blocks the GPU runs side by side, at least."""
    return 1 if SIMULATED else int(numba_cuda.get_current_device().MULTIPROCESSOR_COUNT)


def free_memory() -> int:
    """Bytes of GPU memory that nobody uses."""
    return 1 << 40 if SIMULATED else int(numba_cuda.current_context().get_memory_info().free)


def problem() -> str | None:
    """Why no kernel can run, or None."""
    if SIMULATED:
        return None
    try:
        if not numba_cuda.is_available():
            numba_cuda.current_context()
        major, minor = numba_cuda.get_current_device().compute_capability
    except Exception as error:  # numba-cuda has many: no driver, one that is too old, no device
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return f"{' '.join(lines[:2]).rstrip('.:')}."
    if (major, minor) < _LEAST_CAPABILITY:
        return f"this one has compute capability {major}.{minor}, but at least {_LEAST_CAPABILITY[0]}.0 is needed."
    return None


_LEAST_CAPABILITY = (7, 0)

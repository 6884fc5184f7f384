"""A GPU in plain Python, for tests where there is none: NUMBA_DISABLE_JIT=1 SPINNEY_GPU=tests.gpu.simulated_gpu.

Kernels run block after block. A block's threads are threads of Python that wait for each other at barriers; a block of
one thread (SPINNEY_SIMULATED_THREADS=1) is a plain call. (numba-cuda's own simulator spends its time in asking whether
its threads are still alive.)
"""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from spinney._compile.decorators import fields_of

_here = threading.local()  # the thread's place: block, thread
_atomic = threading.Lock()


class Block:
    """What the threads of a block share."""

    def __init__(self, index: tuple[int, int], grid: tuple[int, int], n_threads: int, shared_bytes: int) -> None:
        self.index, self.grid, self.n_threads, self.shared_bytes = index, grid, n_threads, shared_bytes
        self.barrier = threading.Barrier(n_threads)
        self.arrays: dict[Any, np.ndarray] = {}


def launch(py_func: Any, grid: Any, n_threads: int, arguments: tuple[Any, ...], shared_bytes: int) -> None:
    """Run a kernel to its end."""
    arguments = fields_of(arguments)
    wide, high = grid if isinstance(grid, tuple) else (grid, 1)
    for index in np.ndindex(int(wide), int(high)):
        block = Block((int(index[0]), int(index[1])), (int(wide), int(high)), n_threads, shared_bytes)
        failures: list[BaseException] = []
        threads = [
            threading.Thread(target=_run, args=(py_func, arguments, block, k, failures)) for k in range(1, n_threads)
        ]
        for one in threads:
            one.start()
        _run(py_func, arguments, block, 0, failures)
        for one in threads:
            one.join()
        if failures:
            raise failures[0]


def _run(py_func: Any, arguments: tuple[Any, ...], block: Block, thread: int, failures: list[BaseException]) -> None:
    _here.block, _here.thread = block, thread
    try:
        with np.errstate(over="ignore"):
            py_func(*arguments)
    except threading.BrokenBarrierError:
        return
    except BaseException as error:
        failures.append(error)
        block.barrier.abort()


class Seen:
    """An array of somebody else's on this GPU, for NumPy: the memory is the same."""

    def __init__(self, array: Any) -> None:
        self.__array_interface__, self._keeps = array.__cuda_array_interface__, array


class Words:
    """`cuda` in simulated kernels."""

    local = SimpleNamespace(array=lambda shape, dtype: np.zeros(shape, _numpy_of(dtype)))

    @property
    def threadIdx(self) -> Any:
        return SimpleNamespace(x=_here.thread)

    @property
    def blockIdx(self) -> Any:
        return SimpleNamespace(x=_here.block.index[0], y=_here.block.index[1])

    @property
    def blockDim(self) -> Any:
        return SimpleNamespace(x=_here.block.n_threads)

    @property
    def gridDim(self) -> Any:
        return SimpleNamespace(x=_here.block.grid[0], y=_here.block.grid[1])

    def grid(self, dimensions: int) -> int:
        return int(_here.block.index[0] * _here.block.n_threads + _here.thread)

    def gridsize(self, dimensions: int) -> int:
        return int(_here.block.grid[0] * _here.block.n_threads)

    def syncthreads(self) -> None:
        if _here.block.n_threads > 1:
            _here.block.barrier.wait()

    def threadfence(self) -> None:
        """Threads of Python see each other's writes."""

    def popc(self, number: int) -> int:
        return int(number).bit_count()

    @property
    def shared(self) -> Any:
        return SimpleNamespace(array=_shared_array)

    @property
    def atomic(self) -> Any:
        return SimpleNamespace(add=_add, max=_max, min=_min)


def _shared_array(shape: Any, dtype: Any) -> np.ndarray:
    """One array for each place in the source; of no size: what the launch asked for."""
    frame, block, kind = sys._getframe(1), _here.block, _numpy_of(dtype)
    place = (frame.f_code, frame.f_lineno)
    with _atomic:
        if place not in block.arrays:
            size = block.shared_bytes // kind.itemsize if shape == 0 else shape
            block.arrays[place] = np.full(size, 77).astype(kind)  # whatever was there
        found: np.ndarray = block.arrays[place]
        return found


def _numpy_of(dtype: Any) -> np.dtype:
    return np.dtype(str(dtype))


def _add(array: Any, index: Any, value: Any) -> Any:
    with _atomic:
        before = array[index]
        array[index] = before + value
        return before


def _max(array: Any, index: Any, value: Any) -> None:
    with _atomic:
        array[index] = max(array[index], value)


def _min(array: Any, index: Any, value: Any) -> None:
    with _atomic:
        array[index] = min(array[index], value)

"""Tables and vectors on a GPU: CuPy arrays, torch tensors, and others with the same protocols.

In: any object. Out: whether its numbers are on a GPU; their address there (`OnGpu`); or a copy in CPU memory. Objects
are recognised by the protocols that GPU libraries share, `__cuda_array_interface__` and DLPack. No library is imported,
and nothing here uses a GPU; `spinney/gpu` does.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

_CUDA, _MANAGED = 2, 13  # DLPack's numbers for memory on a GPU of NVIDIA's, and memory that moves there
_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}  # DLPack's numbers for kinds of numbers
READABLE = frozenset(np.dtype(name) for name in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"))


def is_on_gpu(*values: Any) -> bool:
    """Whether one of some objects has its numbers on a GPU.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.data.on_gpu import is_on_gpu
    >>> is_on_gpu(np.ones(3), None, [1, 2])
    False
    """
    return any(_is_there(one) for one in values)


def _is_there(value: Any) -> bool:
    kind = type(value)
    if kind is np.ndarray:
        return False
    if hasattr(kind, "__dlpack_device__"):  # asked first: torch's tensors have the other name wherever they are
        try:
            return int(value.__dlpack_device__()[0]) in (_CUDA, _MANAGED)
        except Exception:  # an object that cannot say
            return False
    return hasattr(kind, "__cuda_array_interface__")


@dataclass(frozen=True)
class OnGpu:
    """An array on a GPU: where its numbers are. What it was made from stays alive with it."""

    address: int  # of the first number
    shape: tuple[int, ...]
    steps: tuple[int, ...]  # between neighbours along each axis, in numbers; may be negative
    dtype: np.dtype
    owner: Any

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        strides = tuple(step * self.dtype.itemsize for step in self.steps)
        return _interface(self.address, self.shape, strides, self.dtype)

    def some_columns(self, begin: int, end: int) -> OnGpu:
        """Some neighbouring columns of a table."""
        address = self.address + begin * self.steps[1] * self.dtype.itemsize
        return OnGpu(address, (self.shape[0], end - begin), self.steps, self.dtype, self.owner)

    def as_numbers(self) -> OnGpu:
        """The same with Booleans as zeros and ones."""
        return OnGpu(self.address, self.shape, self.steps, np.dtype(np.uint8), self.owner) if self.is_boolean else self

    @property
    def is_boolean(self) -> bool:
        return bool(self.dtype.kind == "b")

    def as_line(self) -> tuple[OnGpu, int]:
        """(all memory between its first and its last number, as one line; the place of the first number there)."""
        spans = [(size - 1) * step for size, step in zip(self.shape, self.steps)] if 0 not in self.shape else []
        before = sum(span for span in spans if span < 0)
        size = 1 + sum(map(abs, spans)) if 0 not in self.shape else 0
        begin = self.address + before * self.dtype.itemsize
        return OnGpu(begin, (size,), (1,), self.dtype, self.owner), -before


def _interface(address: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: np.dtype) -> Any:
    return {"data": (address, False), "shape": shape, "strides": strides, "typestr": dtype.str, "version": 3}


def view_on_gpu(value: Any, name: str = "X") -> OnGpu:
    """Where the numbers of an object are. Whoever reads them waits for the GPU first: others may still be writing."""
    if isinstance(value, OnGpu):
        return value
    value = _without_gradient(value)
    if not hasattr(value, "__cuda_array_interface__"):
        return _by_dlpack(value, name)
    facts = value.__cuda_array_interface__
    if facts.get("mask") is not None:
        raise TypeError(f"{name} is on the GPU and has a mask, which is not supported. Mark missing values with NaN.")
    dtype, shape = np.dtype(facts["typestr"]), tuple(int(size) for size in facts["shape"])
    _check_kind(dtype, name)
    strides = facts.get("strides")
    if strides is None:
        steps = _steps_of(shape)
    else:
        steps = tuple(int(stride) // dtype.itemsize for stride in strides)
        if any(int(stride) % dtype.itemsize for stride in strides):  # a field of records: no step of whole numbers
            raise TypeError(f"{name} is a field of records on the GPU, which is not supported. Copy it first.")
    return OnGpu(int(facts["data"][0] or 0), shape, steps, dtype, value)


def copy_here(value: Any) -> np.ndarray:
    """A copy in this machine's own memory, by the way that the object's library has for it."""
    value = _without_gradient(value)
    for way in ("get", "copy_to_host", "cpu"):  # CuPy, Numba, torch
        if hasattr(value, way):
            return np.asarray(getattr(value, way)())
    return np.asarray(value)


def here(value: Any) -> Any:
    """A copy of what is on a GPU; everything else as it is."""
    return copy_here(value) if _is_there(value) else value


def _without_gradient(value: Any) -> Any:
    """A tensor of torch's that takes part in derivatives does not hand out its numbers."""
    return value.detach() if getattr(value, "requires_grad", False) is True else value


def _check_kind(dtype: np.dtype, name: str) -> None:
    if dtype.kind not in "biuf" or not dtype.isnative:
        raise TypeError(
            f"{name} is on the GPU and holds {dtype}, which is not supported. Convert it to float32 or float64 first."
        )


def _steps_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Steps of an array that lies row by row."""
    steps, step = [], 1
    for size in reversed(shape):
        steps.append(step)
        step *= size
    return tuple(reversed(steps))


# --- DLPack ----------------------------------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    """The beginning of what a capsule of DLPack's points to."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("n_axes", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


def _by_dlpack(value: Any, name: str) -> OnGpu:
    """The capsule is kept, not taken over: it frees the tensor when it goes."""
    capsule = value.__dlpack__(stream=-1)  # nobody waits: that is up to the reader
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer_of(capsule, b"dltensor"))
    kind, size = _KINDS.get(tensor.kind, "V"), tensor.bits // 8 * tensor.lanes
    dtype = np.dtype(f"{kind}{size}")
    _check_kind(dtype, name)
    shape = tuple(tensor.shape[axis] for axis in range(tensor.n_axes))
    steps = tuple(tensor.strides[axis] for axis in range(tensor.n_axes)) if tensor.strides else _steps_of(shape)
    return OnGpu((tensor.data or 0) + tensor.offset, shape, steps, dtype, capsule)

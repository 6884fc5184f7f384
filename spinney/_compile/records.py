"""Records: arrays with named fields, on their way into kernels.

Kernels get plain NumPy arrays, never an `np.recarray` or another subclass. Of a subclass Numba asks, at every call,
whether it has some attribute; a recarray answers in Python, and an interrupt that is raised there is dropped by CPython
(`PyObject_HasAttr`): Ctrl-C would be lost. It is slower, too. Python code outside of kernels writes `nodes["left"]`.

Inside a kernel a field is an attribute: `node.left`. Where kernels run as plain Python, the door makes recarrays of
their arguments, which have such attributes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


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

"""Vectors: writes LLVM code that does the same to many rows at once, with sums that stay in registers.

Numba makes good code of simple loops, but keeps the sums of nested ones in memory. The inner loops of clustering are
therefore written in LLVM's vectors (`cluster/nearest.py`, `cluster/moments.py`), each with a twin in NumPy for plain
Python.
Arithmetic is as written, without fused multiply-add: a row's result is the same on every machine, whatever the width
of its registers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def vector_code(n_lanes: int) -> Callable[[Callable[..., None]], Any]:
    """Turn a function (write, *arguments) that writes vector code into one that kernels can call.

    Arguments are arrays of one dimension, whole numbers (int64) and numbers (float64); nothing is returned.
    """

    def decorate(write_code: Callable[..., None]) -> Any:
        def definition(typing_context: Any, *kinds: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                write_code(Writer(context, builder, signature, n_lanes), *arguments)
                return context.get_dummy_value()

            return types.void(*(_exact(kind) for kind in kinds)), generate

        # Numba wants the arguments by name, and reads them from here
        definition.__signature__ = inspect.signature(write_code)  # type: ignore[attr-defined]
        definition.__name__ = definition.__qualname__ = write_code.__name__
        return intrinsic(definition)

    return decorate


def _exact(kind: Any) -> Any:
    """What the vector code takes for an argument of this type."""
    if isinstance(kind, types.Array):
        return kind
    return types.float64 if isinstance(kind, types.Float) else types.int64


class Writer:
    """Writes vector code; `builder` is LLVM's, for arithmetic on what the methods give."""

    def __init__(self, context: Any, builder: Any, signature: Any, n_lanes: int) -> None:
        self.context, self.builder, self.kinds = context, builder, signature.args
        self.number = context.get_data_type(self.kinds[0].dtype)
        self.vector = ir.VectorType(self.number, n_lanes)
        self.integers = ir.VectorType(ir.IntType(32), n_lanes)
        self.size = ir.IntType(64)
        self.zero = ir.Constant(self.vector, None)  # in every lane
        self.zeros = ir.Constant(self.integers, None)

    def splat(self, value: Any, vector: Any = None) -> Any:
        """The same number in every lane."""
        nothing = ir.Constant(vector or self.vector, ir.Undefined)
        one = self.builder.insert_element(nothing, value, ir.IntType(32)(0))
        return self.builder.shuffle_vector(one, nothing, self.zeros)

    def pointer(self, argument: int, array: Any, index: Any, vector: Any = None) -> Any:
        """Where an element is, or the vector that begins there."""
        data = self.context.make_array(self.kinds[argument])(self.context, self.builder, array).data
        place = self.builder.gep(data, [index])
        return place if vector is None else self.builder.bitcast(place, vector.as_pointer())

    def load(self, argument: int, array: Any, index: Any) -> Any:
        return self.builder.load(self.pointer(argument, array, index, self.vector), align=4)

    def store(self, value: Any, argument: int, array: Any, index: Any) -> None:
        self.builder.store(value, self.pointer(argument, array, index, value.type), align=4)

    def variable(self, kind: Any, value: Any) -> Any:
        """Something that changes in loops; LLVM keeps it in a register."""
        place = cgutils.alloca_once(self.builder, kind)
        self.builder.store(value, place)
        return place

    def loop(self, n: Any) -> Any:
        """`with write.loop(n) as loop:` what follows is done n times; `loop.index` counts."""
        return cgutils.for_range(self.builder, n)

    def length(self, argument: int, array: Any) -> Any:
        """How many elements an array has."""
        return self.context.make_array(self.kinds[argument])(self.context, self.builder, array).nitems

    def as_int32(self, number: Any) -> Any:
        return self.builder.trunc(number, ir.IntType(32))

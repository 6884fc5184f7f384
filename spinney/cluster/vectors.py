"""Vectors: writes LLVM code that does the same to many rows at once, with sums that stay in registers.

Numba makes good code of simple loops, but keeps the sums of nested ones in memory. The inner loops of clustering are
therefore written in LLVM's vectors (`nearest.py`, `moments.py`), each with a twin in NumPy for plain Python.
Arithmetic is as written, without fused multiply-add: a row's result is the same on every machine, whatever the width
of its registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils


class Writer:
    """Writes vector code: what `generate` functions below have in common."""

    def __init__(self, context: Any, builder: Any, signature: Any, n_lanes: int) -> None:
        self.context, self.builder, self.kinds = context, builder, signature.args
        self.number = context.get_data_type(self.kinds[0].dtype)
        self.vector = ir.VectorType(self.number, n_lanes)
        self.integers = ir.VectorType(ir.IntType(32), n_lanes)
        self.size = ir.IntType(64)

    def splat(self, value: Any, vector: Any = None) -> Any:
        """The same number in every lane."""
        nothing = ir.Constant(vector or self.vector, ir.Undefined)
        one = self.builder.insert_element(nothing, value, ir.IntType(32)(0))
        return self.builder.shuffle_vector(one, nothing, ir.Constant(self.integers, None))

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

"""Intrinsics: the instructions that Numba lacks, each with a twin in NumPy for plain Python.

prefetch(array, index)                     ask for array[index]'s cache line ahead of its use
atomic_add, atomic_swap(array, index, v)   -> the value before; atomic_load(array, index); int64 arrays only
view_as_int, view_as_float(number)         the same 64 bits read the other way; view_as_int(float32): its 32 bits
either(condition, first, second)           `first if condition else second` where nobody can guess the condition:
                                           no branch
lowest_bit(bits)                           the place of the lowest bit that is set; uint64, not 0
count_up_to(numbers, first, last, limit)   how many of numbers[first:last] (float64, eight or more in all) are at most
                                           `limit`, eight per instruction
pair_array(first, second)                  an array of two numbers on the stack; it must not outlive the function
                                           that made it
rest_core()                                tell the processor that this thread only waits, so that one that
                                           shares its core gets more of it
yield_core()                               give the core to whoever else wants it
"""

from __future__ import annotations

import ctypes
import platform
import sys
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from spinney._compile.settings import PLAIN_PYTHON


def element(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """LLVM pointer to one element of a contiguous 1-D array."""
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = builder.bitcast(element(context, builder, signature.args[0], *arguments), byte)
        call(builder, "llvm.prefetch.p0", [pointer, i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def _atomic_add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = element(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", pointer, arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def _atomic_load(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(element(context, builder, signature.args[0], *arguments), "seq_cst", 8)

    return types.int64(array, types.int64), generate


@intrinsic
def _atomic_swap(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = element(context, builder, signature.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("xchg", pointer, arguments[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), generate


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
def _count_up_to(typing_context: Any, numbers: Any, first: Any, last: Any, limit: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, word, small = 8, ir.IntType(64), ir.IntType(32)
        doubles, words = ir.VectorType(ir.DoubleType(), lanes), ir.VectorType(word, lanes)
        zeros = ir.Constant(ir.VectorType(small, lanes), None)

        def everywhere(value: Any) -> Any:
            nothing = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
            return builder.shuffle_vector(builder.insert_element(nothing, value, small(0)), nothing, zeros)

        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        _, begin, end, limit = arguments
        latest = builder.sub(builder.extract_value(array.shape, 0), word(lanes))  # no lane reads beyond the array
        limits = everywhere(limit)

        def count(some: Any) -> Any:
            start = builder.select(builder.icmp_signed("<", some, latest), some, latest)
            place = builder.bitcast(builder.gep(array.data, [start]), doubles.as_pointer())
            fits = builder.fcmp_ordered("<=", builder.load(place, align=8), limits)
            offset = builder.add(everywhere(builder.sub(start, some)), ir.Constant(words, list(range(lanes))))
            wanted = builder.icmp_signed("<", offset, everywhere(builder.sub(end, some)))
            wanted = builder.and_(wanted, builder.icmp_signed(">=", offset, ir.Constant(words, [0] * lanes)))
            return builder.ctpop(builder.zext(builder.bitcast(builder.and_(fits, wanted), ir.IntType(lanes)), word))

        total = cgutils.alloca_once_value(builder, count(begin))  # mostly that is all: no branch to be guessed
        rest = builder.add(begin, word(lanes))
        with cgutils.for_range_slice(builder, rest, end, word(lanes), inc=True) as (some, _):
            builder.store(builder.add(builder.load(total), count(some)), total)
        return builder.load(total)

    return types.int64(numbers, types.int64, types.int64, types.float64), generate


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
            call(builder, "llvm.x86.sse2.pause", [])
        elif machine in ("aarch64", "arm64"):
            call(builder, "llvm.aarch64.hint", [ir.IntType(32)(1)])
        return context.get_dummy_value()

    return types.void(), generate


def call(builder: Any, name: str, arguments: list[Any]) -> None:
    """Call one of LLVM's own functions."""
    shape = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, shape, name)
    builder.call(function, arguments)


def _register_yield() -> Any:
    """A function that gives the core away, under one name on every system."""
    if PLAIN_PYTHON:
        return lambda: 0
    if sys.platform == "win32":
        function = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    llvmlite.binding.add_symbol("spinney_yield", ctypes.cast(function, ctypes.c_void_p).value)
    return types.ExternalFunction("spinney_yield", types.int32())


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


def _plain_count_up_to(numbers: Any, first: int, last: int, limit: float) -> int:
    return int((numbers[int(first) : int(last)] <= limit).sum())


def _plain_view_as_int(number: float) -> Any:
    return number.view(np.int32) if isinstance(number, np.float32) else np.float64(number).view(np.int64)


def _plain_view_as_float(number: int) -> Any:
    return np.int64(number).view(np.float64)


yield_core: Any = _register_yield()
count_up_to: Any = _plain_count_up_to if PLAIN_PYTHON else _count_up_to
pair_array: Any = _plain_pair_array if PLAIN_PYTHON else _pair_array
rest_core: Any = _plain_rest_core if PLAIN_PYTHON else _rest_core
prefetch: Any = _plain_prefetch if PLAIN_PYTHON else _prefetch
atomic_add: Any = _plain_atomic_add if PLAIN_PYTHON else _atomic_add
atomic_swap: Any = _plain_atomic_swap if PLAIN_PYTHON else _atomic_swap
atomic_load: Any = _plain_atomic_load if PLAIN_PYTHON else _atomic_load
view_as_int: Any = _plain_view_as_int if PLAIN_PYTHON else _view_as_int
view_as_float: Any = _plain_view_as_float if PLAIN_PYTHON else _view_as_float
either: Any = _plain_either if PLAIN_PYTHON else _either
lowest_bit: Any = _plain_lowest_bit if PLAIN_PYTHON else _lowest_bit

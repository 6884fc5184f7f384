"""Bytes: what one instruction does to many codes at once, each with a twin in NumPy for plain Python.

ask(codes, first, at, place, (node, most, exception, right))
    of 64 rows, those at `node` go on to the node after it, or, if their code is above `most` and not `exception`, to
    `right`; at[place ..] is where the rows are
extremes(codes, rows, (begin, end), first, lanes, low, high)
    least and greatest code of the rows rows[begin:end] in `lanes` columns (a constant) from `first` on, into the
    same places of `low` and `high`
rows_up_to(codes, rows, (begin, end), first, lanes, most, words)
    bit k of words[i] says whether column first + k of row rows[begin + i] has a code of at most most[first + k], for
    `lanes` columns (a constant, 16 or 32)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from spinney._compile.intrinsics import element
from spinney._compile.settings import PLAIN_PYTHON

SWEPT = 64  # rows that `ask` asks


@intrinsic
def _ask(typing_context: Any, codes: Any, first: Any, at: Any, place: Any, question: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(signature.args[2].dtype.bitwidth)
        vector = ir.VectorType(number, SWEPT)
        code_type = ir.VectorType(ir.IntType(8), SWEPT)
        pointer = element(context, builder, signature.args[0], arguments[0], arguments[1])
        code = builder.load(builder.bitcast(pointer, code_type.as_pointer()), align=1)
        if number.width > 8:
            code = builder.zext(code, vector)
        pointer = builder.bitcast(element(context, builder, signature.args[2], *arguments[2:4]), vector.as_pointer())
        now = builder.load(pointer, align=1)

        def everywhere(part: int) -> Any:
            value = builder.trunc(builder.extract_value(arguments[4], part), number)
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), SWEPT), None)
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)

        node, most, exception, right = (everywhere(part) for part in range(4))
        left = builder.add(node, ir.Constant(vector, [1] * SWEPT))
        above = builder.and_(builder.icmp_unsigned(">", code, most), builder.icmp_unsigned("!=", code, exception))
        child = builder.select(above, right, left)
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
def _rows_up_to(
    typing_context: Any, codes: Any, rows: Any, some: Any, first: Any, lanes: Any, most: Any, words: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        n, byte, word = lanes.literal_value, ir.IntType(8), ir.IntType(32)
        vector = ir.VectorType(byte, n)
        arrays = [context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (0, 1, 5, 6)]
        cells, numbers, limits, goal = arrays
        begin, end = (builder.extract_value(arguments[2], k) for k in range(2))
        start = builder.gep(builder.bitcast(cells.data, byte.as_pointer()), [arguments[3]])
        stride = builder.extract_value(cells.strides, 0)
        limit_at = builder.bitcast(builder.gep(limits.data, [arguments[3]]), vector.as_pointer())
        limit = builder.load(limit_at, align=1)
        with cgutils.for_range_slice(builder, begin, end, begin.type(1), inc=True) as (i, _):
            row = builder.zext(builder.load(builder.gep(numbers.data, [i])), stride.type)
            place = builder.bitcast(builder.gep(start, [builder.mul(row, stride)]), vector.as_pointer())
            fits = builder.icmp_unsigned("<=", builder.load(place, align=1), limit)
            bits = builder.bitcast(fits, ir.IntType(n))
            bits = bits if n == word.width else builder.zext(bits, word)
            builder.store(bits, builder.gep(goal.data, [builder.sub(i, begin)]))
        return context.get_dummy_value()

    pair = types.UniTuple(types.int64, 2)
    return types.void(codes, rows, pair, types.int64, lanes, most, words), generate


def _plain_ask(codes: Any, first: int, at: Any, place: int, question: tuple[int, int, int, int]) -> None:
    node, most, exception, right = question
    code, now = codes[first : first + SWEPT].astype(np.int64), at[place : place + SWEPT]
    now[...] = np.where(now == node, np.where((code > most) & (code != exception), right, node + 1), now)


def _plain_extremes(codes: Any, rows: Any, some: tuple[int, int], first: int, lanes: int, low: Any, high: Any) -> None:
    block = codes[rows[some[0] : some[1]].astype(np.int64), first : first + lanes]
    low[first : first + lanes], high[first : first + lanes] = block.min(axis=0), block.max(axis=0)


def _plain_rows_up_to(
    codes: Any, rows: Any, some: tuple[int, int], first: int, lanes: int, most: Any, words: Any
) -> None:
    columns = slice(first, first + lanes)
    fits = codes[rows[slice(*some)].astype(np.int64), columns] <= most[columns]
    words[: len(fits)] = fits @ (1 << np.arange(lanes))


ask: Any = _plain_ask if PLAIN_PYTHON else _ask
extremes: Any = _plain_extremes if PLAIN_PYTHON else _extremes
rows_up_to: Any = _plain_rows_up_to if PLAIN_PYTHON else _rows_up_to

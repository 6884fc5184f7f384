"""Bytes: what one instruction does to many codes at once, each with a twin in NumPy for plain Python.

ask(codes, first, at, place, (node, most, exception, right))
    of 64 rows, those at `node` go on to the node after it, or, if their code is above `most` and not `exception`, to
    `right`; at[place ..] is where the rows are
extremes(codes, rows, (begin, end), first, lanes, low, high)
    least and greatest code of the rows rows[begin:end] in `lanes` columns (a constant) from `first` on, into the
    same places of `low` and `high`
sum_left(codes, rows, stats, (begin, end), first, lanes, most, sums)
    for as many columns, add the weights and amounts of the rows rows[begin:end] whose code is at most most[column]
    to sums[0, column] and sums[1, column]. They are bytes 4 and 0 of stats (uint64), and must add up to less than 256
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


def _plain_ask(codes: Any, first: int, at: Any, place: int, question: tuple[int, int, int, int]) -> None:
    node, most, exception, right = question
    code, now = codes[first : first + SWEPT].astype(np.int64), at[place : place + SWEPT]
    now[...] = np.where(now == node, np.where((code > most) & (code != exception), right, node + 1), now)


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


ask: Any = _plain_ask if PLAIN_PYTHON else _ask
extremes: Any = _plain_extremes if PLAIN_PYTHON else _extremes
sum_left: Any = _plain_sum_left if PLAIN_PYTHON else _sum_left

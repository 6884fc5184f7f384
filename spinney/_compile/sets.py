"""Sets of up to 64 rows, the bits of a word; each of these functions has a NumPy version for plain Python.

Bit i of a word says whether row i is in the set, so that `&`, `|` and `~` are intersection, union and complement of 64
rows in one instruction. A comparison of 64 bytes or numbers is a vector of 64 booleans, which LLVM casts to a word: on
AVX-512 the mask register of a compare is the set.

lay_columns(codes, rows, (begin, end), table)   table[j, i] = codes[rows[begin + i], j], for up to 64 rows; places after
                                                them may get anything. `codes` has a multiple of 16 columns
set_extremes(table, j, rows)                    -> (smallest, largest) code in table[j] of a set that is not empty
set_up_to(table, j, code)                       -> the places of table[j] with codes up to this one
set_with(words, bit)                            -> the places of words (uint32, 64) that have this bit
set_ends(values, rows)                          -> (smallest, largest) value of a set that is not empty; none is NaN
set_at_most(values, limit)                      -> the places with values (float64) up to the limit; none of NaN
set_above(values, limit)                        -> the places with values above it; none of NaN
set_sum(numbers, rows)                          -> the sum of numbers[i] (int64) over a set
set_size(rows)                                  -> how many there are

`table` is uint8 (columns, 64), `values` float64 (64) and `numbers` int64 (64), all without gaps.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from spinney._compile.settings import PLAIN_PYTHON

MEMBERS = 64  # places of a set
_BLOCK = 16  # rows and columns that change places at once
_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_BYTES, _WORDS, _BITS = (ir.VectorType(kind, MEMBERS) for kind in (_BYTE, _WORD, ir.IntType(1)))
_LINE = ir.VectorType(_BYTE, _BLOCK)
_NUMBERS = ir.VectorType(ir.DoubleType(), MEMBERS)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


def _load_column(context: Any, builder: Any, kind: Any, table: Any, j: Any) -> Any:
    place = builder.gep(_data(context, builder, kind, table), [builder.mul(j, _WORD(MEMBERS))])
    return builder.load(builder.bitcast(place, _BYTES.as_pointer()), align=1)


def _reduce(builder: Any, name: str, vector: Any) -> Any:
    """The least, greatest or sum of a vector, by LLVM's own function."""
    element = vector.type.element
    name = f"llvm.vector.reduce.{name}.v{vector.type.count}i{element.width}"
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(element, [vector.type]), name)
    return builder.call(function, [vector])


def _transposed(builder: Any, lines: list[Any]) -> list[Any]:
    """Sixteen lines of sixteen bytes, columns for rows: four rounds of shuffling two halves into each other."""
    # A byte's address is eight bits, line : 4, place : 4. Interleaving line k with line k + 8 moves the leading bit of
    # the line to the end of the place: it rotates the address by one bit. Four rotations exchange line and place.
    half = _BLOCK // 2
    for _ in range(4):
        shuffled = []
        for k in range(half):
            for first in (0, half):
                places = [place for p in range(first, first + half) for place in (p, p + _BLOCK)]
                mask = ir.Constant(ir.VectorType(ir.IntType(32), _BLOCK), places)
                shuffled.append(builder.shuffle_vector(lines[k], lines[k + half], mask))
        lines = shuffled
    return lines


@intrinsic
def _lay_columns(typing_context: Any, codes: Any, rows: Any, some: Any, table: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        cells = context.make_array(signature.args[0])(context, builder, arguments[0])
        numbers = _data(context, builder, signature.args[1], arguments[1])
        goal = _data(context, builder, signature.args[3], arguments[3])
        begin, end = (builder.extract_value(arguments[2], k) for k in range(2))
        start = builder.bitcast(cells.data, _BYTE.as_pointer())
        stride, width = builder.extract_value(cells.strides, 0), builder.extract_value(cells.shape, 1)
        step, last = _WORD(_BLOCK), builder.sub(end, _WORD(1))
        with cgutils.for_range_slice(builder, begin, end, step, inc=True) as (some, _):
            sources = []
            for k in range(_BLOCK):
                wanted = builder.add(some, _WORD(k))
                # past the end the last row again: its memory is there, and nobody reads its places
                place = builder.select(builder.icmp_signed("<", wanted, last), wanted, last)
                row = builder.zext(builder.load(builder.gep(numbers, [place])), _WORD)
                sources.append(builder.gep(start, [builder.mul(row, stride)]))
            goal_row = builder.gep(goal, [builder.sub(some, begin)])
            with cgutils.for_range_slice(builder, _WORD(0), width, step, inc=True) as (first, _):
                places = [builder.bitcast(builder.gep(one, [first]), _LINE.as_pointer()) for one in sources]
                lines = _transposed(builder, [builder.load(place, align=1) for place in places])
                for k, line in enumerate(lines):
                    at = builder.mul(builder.add(first, _WORD(k)), _WORD(MEMBERS))
                    place = builder.bitcast(builder.gep(goal_row, [at]), _LINE.as_pointer())
                    builder.store(line, place, align=1)
        return context.get_dummy_value()

    return types.void(codes, rows, types.UniTuple(types.int64, 2), table), generate


@intrinsic
def _set_extremes(typing_context: Any, table: Any, j: Any, rows: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        codes = _load_column(context, builder, signature.args[0], arguments[0], arguments[1])
        is_in = builder.bitcast(arguments[2], _BITS)
        ends = []
        for name, other in (("umin", 255), ("umax", 0)):  # rows that are not in the set cannot win
            chosen = builder.select(is_in, codes, ir.Constant(_BYTES, [other] * MEMBERS))
            ends.append(builder.zext(_reduce(builder, name, chosen), _WORD))
        return context.make_tuple(builder, signature.return_type, ends)

    return types.UniTuple(types.int64, 2)(table, types.int64, types.uint64), generate


@intrinsic
def _set_up_to(typing_context: Any, table: Any, j: Any, code: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        codes = _load_column(context, builder, signature.args[0], arguments[0], arguments[1])
        lane = builder.insert_element(
            ir.Constant(_BYTES, ir.Undefined), builder.trunc(arguments[2], _BYTE), ir.IntType(32)(0)
        )
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), MEMBERS), None)
        most = builder.shuffle_vector(lane, ir.Constant(_BYTES, ir.Undefined), everywhere)
        return builder.bitcast(builder.icmp_unsigned("<=", codes, most), _WORD)

    return types.uint64(table, types.int64, types.int64), generate


@intrinsic
def _set_with(typing_context: Any, words: Any, bit: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(32)
        vector = ir.VectorType(word, MEMBERS)
        data = builder.bitcast(_data(context, builder, signature.args[0], arguments[0]), vector.as_pointer())
        mask = builder.shl(word(1), builder.trunc(arguments[1], word))
        lane = builder.insert_element(ir.Constant(vector, ir.Undefined), mask, word(0))
        everywhere = builder.shuffle_vector(lane, ir.Constant(vector, ir.Undefined), ir.Constant(vector, None))
        found = builder.and_(builder.load(data, align=4), everywhere)
        return builder.bitcast(builder.icmp_unsigned("!=", found, ir.Constant(vector, None)), _WORD)

    return types.uint64(words, types.int64), generate


@intrinsic
def _set_ends(typing_context: Any, values: Any, rows: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = builder.bitcast(_data(context, builder, signature.args[0], arguments[0]), _NUMBERS.as_pointer())
        numbers, is_in = builder.load(data, align=8), builder.bitcast(arguments[1], _BITS)
        ends = []
        for comparison, other in (("<", math.inf), (">", -math.inf)):  # rows that are not in the set cannot win
            chosen = builder.select(is_in, numbers, ir.Constant(_NUMBERS, [other] * MEMBERS))
            while chosen.type.count > 1:  # one half against the other
                half = chosen.type.count // 2
                low, high = (
                    builder.shuffle_vector(chosen, chosen, ir.Constant(ir.VectorType(ir.IntType(32), half), places))
                    for places in (list(range(half)), list(range(half, 2 * half)))
                )
                chosen = builder.select(builder.fcmp_ordered(comparison, low, high), low, high)
            ends.append(builder.extract_element(chosen, ir.IntType(32)(0)))
        return context.make_tuple(builder, signature.return_type, ends)

    return types.UniTuple(types.float64, 2)(values, types.uint64), generate


def _compared(comparison: str) -> Any:
    """The places of 64 numbers that compare so with another one."""

    def definition(typing_context: Any, values: Any, limit: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = builder.bitcast(_data(context, builder, signature.args[0], arguments[0]), _NUMBERS.as_pointer())
            nothing = ir.Constant(_NUMBERS, ir.Undefined)
            lane = builder.insert_element(nothing, arguments[1], ir.IntType(32)(0))
            everywhere = builder.shuffle_vector(
                lane, nothing, ir.Constant(ir.VectorType(ir.IntType(32), MEMBERS), None)
            )
            said = builder.fcmp_ordered(comparison, builder.load(data, align=8), everywhere)
            return builder.bitcast(said, _WORD)

        return types.uint64(values, types.float64), generate

    return intrinsic(definition)


_set_at_most, _set_above = _compared("<="), _compared(">")


@intrinsic
def _set_sum(typing_context: Any, numbers: Any, rows: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = builder.bitcast(_data(context, builder, signature.args[0], arguments[0]), _WORDS.as_pointer())
        chosen = builder.select(
            builder.bitcast(arguments[1], _BITS), builder.load(data, align=8), ir.Constant(_WORDS, [0] * MEMBERS)
        )
        return _reduce(builder, "add", chosen)

    return types.int64(numbers, types.uint64), generate


@intrinsic
def _set_size(typing_context: Any, rows: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


def _members(rows: Any) -> Any:
    return np.array([int(rows) >> i & 1 for i in range(MEMBERS)], bool)


def _plain_lay_columns(codes: Any, rows: Any, some: tuple[int, int], table: Any) -> None:
    table[:, : some[1] - some[0]] = codes[rows[some[0] : some[1]].astype(np.int64)].T


def _plain_set_extremes(table: Any, j: int, rows: Any) -> tuple[int, int]:
    codes = table[j, _members(rows)]
    return int(codes.min()), int(codes.max())


def _plain_set_up_to(table: Any, j: int, code: int) -> Any:
    return np.uint64(sum(1 << int(i) for i in np.flatnonzero(table[j] <= code)))


def _plain_set_with(words: Any, bit: int) -> Any:
    return np.uint64(sum(1 << int(i) for i in np.flatnonzero(words >> bit & 1)))


def _plain_set_ends(values: Any, rows: Any) -> tuple[float, float]:
    chosen = values[_members(rows)]
    return float(chosen.min()), float(chosen.max())


def _plain_set_at_most(values: Any, limit: float) -> Any:
    return np.uint64(sum(1 << int(i) for i in np.flatnonzero(values <= limit)))


def _plain_set_above(values: Any, limit: float) -> Any:
    return np.uint64(sum(1 << int(i) for i in np.flatnonzero(values > limit)))


def _plain_set_sum(numbers: Any, rows: Any) -> Any:
    return np.int64(numbers[_members(rows)].sum())


def _plain_set_size(rows: Any) -> int:
    return int(rows).bit_count()


lay_columns: Any = _plain_lay_columns if PLAIN_PYTHON else _lay_columns
set_extremes: Any = _plain_set_extremes if PLAIN_PYTHON else _set_extremes
set_up_to: Any = _plain_set_up_to if PLAIN_PYTHON else _set_up_to
set_with: Any = _plain_set_with if PLAIN_PYTHON else _set_with
set_ends: Any = _plain_set_ends if PLAIN_PYTHON else _set_ends
set_at_most: Any = _plain_set_at_most if PLAIN_PYTHON else _set_at_most
set_above: Any = _plain_set_above if PLAIN_PYTHON else _set_above
set_sum: Any = _plain_set_sum if PLAIN_PYTHON else _set_sum
set_size: Any = _plain_set_size if PLAIN_PYTHON else _set_size

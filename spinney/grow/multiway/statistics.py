"""The statistics of a node by one column: its rows, summed or sorted by their codes. What `search.py` reads.

Out, in the desk: `run_code`, `run_class`, `run_units`, ascending by code, without the rows whose value is missing.
Where a node has more rows than the column has values times classes, each pair of them is one entry, summed; elsewhere
each row is one, sorted: a few by insertion, more by their digits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.criteria.information import ROW

_FEW = 32  # rows sorted by insertion
_MANY = 4096  # rows that are worth a digit of 11 bits; others take 8
_LOW = np.int64(0xFFFFFFFF)
_HALF = np.int64(32)


class MultiwayWorkspace(NamedTuple):
    """Scratch memory."""

    run_code: np.ndarray  # int32
    run_class: np.ndarray  # int32
    run_units: np.ndarray  # int64
    keys: np.ndarray  # int64: [ code | place in the segment ], or [ code | class ] if every row weighs the same
    spare: np.ndarray  # int64
    cells: np.ndarray  # int64: sums by value and class
    digits: np.ndarray  # int64 (2**11 + 1)
    sums: np.ndarray  # int64 (4, classes)
    group_sums: np.ndarray  # int64 (categories, classes): of a group, in the place of its first category
    groups: np.ndarray  # int64 (6, categories): see search.py
    gain: np.ndarray  # float64, by column: see search.py
    info: np.ndarray  # float64
    low: np.ndarray  # int64
    high: np.ndarray  # int64
    used: np.ndarray  # int64: whether the column was asked about further up
    group: np.ndarray  # int64 (columns, categories): the first category of each one's group, itself if it has no rows


def make_desk(n_rows: int, n_columns: int, n_classes: int, room: int = 0) -> MultiwayWorkspace:
    """A desk for nodes of up to n_rows; `room`: of how many categories there may be groups."""
    whole, halves = np.int64, np.int32
    return MultiwayWorkspace(
        np.empty(n_rows, halves),
        np.empty(n_rows, halves),
        np.empty(n_rows, whole),
        np.empty(n_rows, whole),
        np.empty(n_rows, whole),
        np.empty(n_rows, whole),
        np.empty((1 << 11) + 1, whole),
        np.zeros((4, n_classes), whole),
        np.zeros((room, n_classes), whole),
        np.zeros((6, room), whole),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty(n_columns, whole),
        np.empty(n_columns, whole),
        np.zeros(n_columns, whole),
        np.zeros((n_columns if room else 0, room), whole),
    )


class MultiwayWorkspaces(NamedTuple):
    """The scratch memory of a team: what is private is an array with a row for each thread."""

    run_code: np.ndarray
    run_class: np.ndarray
    run_units: np.ndarray
    keys: np.ndarray
    spare: np.ndarray
    cells: np.ndarray
    digits: np.ndarray
    sums: np.ndarray
    group_sums: np.ndarray
    groups: np.ndarray
    gain: np.ndarray  # shared from here on
    info: np.ndarray
    low: np.ndarray
    high: np.ndarray
    used: np.ndarray
    group: np.ndarray


def make_desks(n_threads: int, n_rows: int, n_columns: int, n_classes: int, room: int) -> MultiwayWorkspaces:
    """Desks for a team."""
    one = make_desk(n_rows, n_columns, n_classes, room)
    private = tuple(np.empty((n_threads, *part.shape), part.dtype) for part in one[:10])
    return MultiwayWorkspaces._make((*private, *one[10:]))


@inner_kernel
def desk_of(desks, rank):
    """A thread's desk."""
    return MultiwayWorkspace(
        desks.run_code[rank],
        desks.run_class[rank],
        desks.run_units[rank],
        desks.keys[rank],
        desks.spare[rank],
        desks.cells[rank],
        desks.digits[rank],
        desks.sums[rank],
        desks.group_sums[rank],
        desks.groups[rank],
        desks.gain,
        desks.info,
        desks.low,
        desks.high,
        desks.used,
        desks.group,
    )


@inner_kernel
def fill_runs(columns, column, rows, begin, end, alike, desk):
    """Fill the runs; returns how many entries they have. `alike`: every row of the segment weighs one row."""
    n_cells = columns.n_values[column] * desk.sums.shape[1]
    if n_cells <= end - begin:
        return _sum_cells(columns.codes[column], rows, begin, end, desk, n_cells)
    n = _read_keys(columns.codes[column], rows, begin, end, alike, desk)
    in_spare = False
    if n <= _FEW:
        _insert(desk.keys, n)
    else:
        in_spare = _sort_by_digits(desk, n)
    keys = desk.spare if in_spare else desk.keys
    for k in range(n):
        low = keys[k] & _LOW
        desk.run_code[k] = keys[k] >> _HALF
        desk.run_class[k] = low if alike else rows.classes[rows.rows[low]]
        desk.run_units[k] = ROW if alike else rows.units[low]
    return n


@inner_kernel
def _sum_cells(codes, rows, begin, end, desk, n_cells):
    cells, n_classes = desk.cells, desk.sums.shape[1]
    cells[:n_cells] = 0
    for k in range(begin, end):
        code = codes[rows.rows[k]]
        if code >= 0:
            cells[code * n_classes + rows.classes[rows.rows[k]]] += rows.units[k]
    n = 0
    for cell in range(n_cells):
        if cells[cell] > 0:
            desk.run_code[n] = cell // n_classes
            desk.run_class[n] = cell % n_classes
            desk.run_units[n] = cells[cell]
            n += 1
    return n


@inner_kernel
def _read_keys(codes, rows, begin, end, alike, desk):
    n = 0
    for k in range(begin, end):
        row = rows.rows[k]
        code = np.int64(codes[row])
        if code >= 0:
            desk.keys[n] = (code << _HALF) | (np.int64(rows.classes[row]) if alike else np.int64(k))
            n += 1
    return n


@inner_kernel
def _insert(keys, n):
    for k in range(1, n):
        key, place = keys[k], k
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key


@inner_kernel
def _sort_by_digits(desk, n):
    """Sort by code, the lowest digit first; returns whether the result is in `spare`."""
    lowest = highest = desk.keys[0]
    for k in range(1, n):
        lowest, highest = min(lowest, desk.keys[k]), max(highest, desk.keys[k])
    lowest = (lowest >> _HALF) << _HALF
    span = (highest - lowest) >> _HALF
    bits = np.int64(11 if n >= _MANY else 8)
    shift, in_spare = np.int64(0), False
    while span >> shift > 0:
        if in_spare:
            _deal(desk.spare, desk.keys, desk.digits, n, lowest, shift, bits)
        else:
            _deal(desk.keys, desk.spare, desk.digits, n, lowest, shift, bits)
        in_spare = not in_spare
        shift += bits
    return in_spare


@inner_kernel
def _deal(source, target, digits, n, lowest, shift, bits):
    """One pass: stable, by one digit of the code."""
    mask, down = (np.int64(1) << bits) - 1, shift + _HALF
    digits[: mask + 2] = 0
    for k in range(n):
        digits[(((source[k] - lowest) >> down) & mask) + 1] += 1
    for d in range(1, mask + 1):
        digits[d] += digits[d - 1]
    for k in range(n):
        digit = ((source[k] - lowest) >> down) & mask
        target[digits[digit]] = source[k]
        digits[digit] += 1

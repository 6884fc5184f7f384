"""Edges: where the bins of columns of numbers end.

In: columns of numbers, and how often their rows count. Out: at most max_bins - 1 edges, ascending, such that bins weigh
about the same. Which rows they are learnt from, and codes, are up to `encode.py`.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel, view_as_float, view_as_int

_DIGIT = 11  # bits that numbers are sorted by at a time
_FEW, _SHORT_DIGIT = 2_000, 8  # so few numbers are sorted by shorter digits
_SIGN, _ONES = np.uint64(0x8000000000000000), np.uint64(0xFFFFFFFFFFFFFFFF)


def learn_edges(columns: np.ndarray, counts: np.ndarray | None, max_bins: int) -> list[np.ndarray]:
    """The edges of some columns (columns, rows), by how often rows count; None: each once."""
    if counts is not None:
        return [_learn_counted(values, counts, max_bins) for values in columns]
    n, n_rows = columns.shape
    keys, spare, places = np.empty(n_rows, np.uint64), np.empty(n_rows, np.uint64), np.empty(1 << _DIGIT, np.int64)
    edges, n_edges = np.empty((n, max_bins)), np.empty(n, np.int64)
    room = keys, spare, places, np.empty(n_rows), np.empty(n_rows, np.int64)
    _learn_columns(np.ascontiguousarray(columns), columns.dtype.itemsize, *room, edges, n_edges)
    return [own[:size].copy() for own, size in zip(edges, n_edges)]


def _learn_counted(values: np.ndarray, counts: np.ndarray, max_bins: int) -> np.ndarray:
    """The edges of a column whose rows count so many times."""
    present = ~np.isnan(values)
    values, counts = values[present], counts[present]
    order = np.argsort(values, kind="stable")
    distinct, mass = values[order].astype(np.float64), counts[order].astype(np.int64)
    edges = np.empty(max_bins, np.float64)
    n_edges = choose_edges(distinct, mass, merge_equal(distinct, mass), max_bins, edges)
    return edges[:n_edges].copy()


@kernel
def _learn_columns(columns, itemsize, keys, spare, places, values, mass, edges, n_edges):
    """edges[k, : n_edges[k]] of every column (columns, rows); NaN is missing."""
    for k in range(n_edges.size):
        n, column = np.int64(0), columns[k]
        for i in range(column.size):
            values[n] = column[i]
            n += np.int64(column[i] == column[i])
        own, weights = values[:n], mass[:n]
        sort_numbers(own, itemsize, keys[:n], spare[:n], places)
        weights[:] = 1
        n_edges[k] = choose_edges(own, weights, merge_equal(own, weights), edges.shape[1], edges[k])


@kernel
def sort_numbers(values, itemsize, keys, spare, places):
    """Put float64 values in ascending order, digit by digit of their bits. Without NaN."""
    for i in range(values.size):
        bits = np.uint64(view_as_int(values[i] + 0.0))
        keys[i] = bits ^ (_ONES if bits & _SIGN else _SIGN)
    shift = 29 if itemsize == 4 else 0  # of a float32 the last 29 bits are zero
    n_bits = _SHORT_DIGIT if values.size < _FEW else _DIGIT
    mask, places = np.uint64((1 << n_bits) - 1), places[: 1 << n_bits]
    source, goal = keys, spare
    while shift < 64:
        places[:] = 0
        for i in range(source.size):
            places[np.int64((source[i] >> np.uint64(shift)) & mask)] += 1
        total = np.int64(0)
        for b in range(places.size):
            total, places[b] = total + places[b], total
        for i in range(source.size):
            digit = np.int64((source[i] >> np.uint64(shift)) & mask)
            goal[places[digit]] = source[i]
            places[digit] += 1
        source, goal = goal, source
        shift += n_bits
    for i in range(source.size):
        bits = source[i] ^ (_SIGN if source[i] & _SIGN else _ONES)
        values[i] = view_as_float(np.int64(bits))


@inner_kernel
def _between(low, high):
    """A number t with low <= t < high, half-way where the arithmetic allows."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@kernel
def merge_equal(values, mass):
    """Sorted values and their weights, equal ones merged to the front; returns how many there are."""
    n = 0
    for i in range(values.size):
        if n > 0 and values[i] == values[n - 1]:
            mass[n - 1] += mass[i]
        else:
            values[n] = values[i]
            mass[n] = mass[i]
            n += 1
    return n


@kernel
def choose_edges(values, mass, n_distinct, max_bins, edges):
    """Cut distinct sorted values into at most max_bins bins of about equal weight; returns the number of edges.

    With few distinct values each has its own bin. Otherwise a value as heavy as an average bin ends one, alone or with
    the few light values before it, and the rest share the remaining bins evenly.
    """
    if n_distinct == 0:
        return 0
    total = np.int64(0)
    for i in range(n_distinct):
        total += mass[i]
    if n_distinct <= max_bins:
        for i in range(n_distinct - 1):
            edges[i] = _between(values[i], values[i + 1])
        return n_distinct - 1

    share = total / max_bins
    light_mass, light_bins = total, max_bins
    for i in range(n_distinct):
        if mass[i] >= share:
            light_mass -= mass[i]
            light_bins -= 1
    n_edges = 0
    filled = np.int64(0)
    for i in range(n_distinct - 1):
        heavy = mass[i] >= share
        filled += mass[i]
        goal = light_mass / max(1, light_bins)
        if heavy or filled >= goal or (mass[i + 1] >= share and 2 * filled >= goal):
            edges[n_edges] = _between(values[i], values[i + 1])
            n_edges += 1
            if n_edges == max_bins - 1:
                break
            if not heavy:
                light_mass -= filled
                light_bins -= 1
            elif filled > mass[i]:  # light values that the heavy one closed in with
                light_mass -= filled - mass[i]
            filled = np.int64(0)
    return n_edges

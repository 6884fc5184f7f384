"""Categories as numbers: a tree puts every column's in an order of its own before it grows, and cuts that order.

In: the codes of a tree's rows and what these add to sums. Out: the same codes renumbered by place, and the `Places`
that say which code stands where. Everything else in this room takes them for numbers; only `fit.py` makes sets of
categories of the cuts again.

The order is that of the mean target, or of the share of one of two classes, smoothed by one row of the whole: a
category of a row or two is not put at an end for nothing. With more classes or outputs it is the order along the
direction in which the categories' shares of the classes, or their means, differ most, their first principal component
(Coppersmith, Hong and Hosking 1999). One order per tree instead of one per node is quicker and better: an order made
for a small node says little about other rows, and the trees are more alike (Wright and König 2019). Trees that cut at
random cut the same order at random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, part_kernel, separate_kernel
from spinney.data.encode import Bins
from spinney.grow.binned.memory import SLOTS
from spinney.grow.targets import Classes, Pairs, Values, weight_at

_STEPS = 32  # of the search for the first principal component, at most
_STILL = 1e-6  # it ends when nothing moves further


class Places(NamedTuple):
    """Where the codes of the columns of categories stand in a tree's order of them."""

    columns: np.ndarray  # int64: the columns of categories
    row_of: np.ndarray  # int64, by column of the table: its row in `place`; -1 for numbers
    place: np.ndarray  # uint8 (columns of categories, SLOTS): of each code; missing stays what it is
    is_known: np.ndarray  # bool, alike: whether some row of the tree has this code


def order_categories(codes: np.ndarray, bins: Bins, kinds: Pairs | Classes | Values) -> Places:
    """Put all categories in order and renumber `codes` (rows, columns), in place; `kinds` are of the same rows."""
    columns = np.flatnonzero(bins.is_categorical)
    row_of = np.full(bins.n_columns, -1)
    row_of[columns] = np.arange(len(columns))
    n_codes = bins.n_bins[columns].astype(np.int64)
    n_sums = 2 if isinstance(kinds, Pairs) else 1 + _n_parts(kinds)
    sums = np.zeros((len(columns), int(n_codes.max()) + 1, n_sums), np.int64)
    _sum_codes(codes, columns, kinds, sums)
    place, is_known = np.empty((len(columns), SLOTS), np.uint8), np.zeros((len(columns), SLOTS), bool)
    room = *np.zeros((3, n_sums)), np.zeros((n_sums, n_sums)), np.empty(SLOTS), np.empty(SLOTS, np.int64)
    _find_places(sums, columns, n_codes, kinds, _one_row(kinds, len(codes)), room, place, is_known)
    _renumber(codes, columns, place)
    return Places(columns, row_of, place, is_known)


def _n_parts(kinds: Classes | Values) -> int:
    return len(kinds.amounts) if isinstance(kinds, Values) else int(kinds.first[-1]) - 1


def _one_row(kinds: Pairs | Classes | Values, n_rows: int) -> float:
    """What a row weighs, in units of the sums: 1, and where weights are not whole numbers their mean."""
    unit = kinds.unit if isinstance(kinds, Classes) else float(kinds.units[0])
    return 1.0 if unit == 1.0 else float(kinds.weight.sum()) / n_rows


@kernel
def _sum_codes(codes, columns, kinds, sums):
    """sums[k, code] = weight and amounts, or weight and weight of each class, of the rows with this code."""
    sum_up(kinds, codes, columns, sums)


@part_kernel
def _sum_pairs(kinds, codes, columns, sums):
    weights, amounts = kinds.weight, kinds.amount
    for i in range(codes.shape[0]):
        weight, amount = np.int64(weight_at(weights, i)), np.int64(amounts[i])
        for k in range(np.uint64(columns.size)):
            code = codes[np.uint64(i), np.uint64(columns[k])]
            sums[k, np.uint64(code), 0] += weight
            sums[k, np.uint64(code), 1] += amount


@part_kernel
def _sum_classes(kinds, codes, columns, sums):
    weights, places = kinds.weight, kinds.place
    for i in range(codes.shape[0]):
        weight = np.int64(weight_at(weights, i))
        for k in range(np.uint64(columns.size)):
            own = sums[k, np.uint64(codes[np.uint64(i), np.uint64(columns[k])])]
            own[0] += weight
            for o in range(places.shape[0]):
                own[np.uint64(places[o, i])] += weight


@part_kernel
def _sum_values(kinds, codes, columns, sums):
    weights, amounts = kinds.weight, kinds.amounts
    for i in range(codes.shape[0]):
        weight = np.int64(weight_at(weights, i))
        for k in range(np.uint64(columns.size)):
            own = sums[k, np.uint64(codes[np.uint64(i), np.uint64(columns[k])])]
            own[0] += weight
            for o in range(amounts.shape[0]):
                own[o + 1] += amounts[o, i]


sum_up = by_type({Pairs: _sum_pairs, Classes: _sum_classes, Values: _sum_values})


@kernel
def _find_places(sums, columns, n_codes, kinds, smoothing, room, place, is_known):
    """Smoothing is in units of weight."""
    total, direction, spare, spread, keys, order = room
    for k in range(columns.size):
        own, n = sums[k, : n_codes[k]], 0
        _add_up(own, total)
        direction_of(kinds, own, smoothing, total, spread, direction, spare)
        for code in range(n_codes[k]):
            if own[code, 0] > 0:
                key = 0.0
                for c in range(1, total.size):
                    key += direction[c] * _share(own[code], smoothing, total, c)
                n = _insert(keys, order, n, key, code)
                is_known[k, code] = True
        for code in range(SLOTS):
            place[k, code] = code
        for at in range(n):
            place[k, order[at]] = at
        for code in range(n_codes[k]):
            if not is_known[k, code]:
                place[k, code] = n
                n += 1


@inner_kernel
def _add_up(own, total):
    """All rows whose value is known, as float64: exact up to 2**53, and in one order."""
    total[:] = 0.0
    for code in range(own.shape[0]):
        for c in range(total.size):
            total[c] += float(own[code, c])


@inner_kernel
def _share(own, smoothing, total, c):
    """The smoothed mean amount, or share of a class, of the rows with a code."""
    return (float(own[c]) + smoothing * (total[c] / total[0])) / (float(own[0]) + smoothing)


@inner_kernel
def _insert(keys, order, n, key, code):
    """Insertion sort; ties stay in the order of the codes. Returns how many there are now."""
    at = n
    while at > 0 and keys[at - 1] > key:
        keys[at], order[at] = keys[at - 1], order[at - 1]
        at -= 1
    keys[at], order[at] = key, code
    return n + 1


@inner_kernel
def _direction_of_pair(kinds, own, smoothing, total, spread, direction, spare):
    direction[1] = 1.0


@separate_kernel
def _direction_of_several(kinds, own, smoothing, total, spread, direction, spare):
    """The direction in which the codes' shares of the classes, or means, differ most, by powers of their covariance."""
    spread[:] = 0.0
    for code in range(own.shape[0]):
        if own[code, 0] > 0:
            for c in range(1, total.size):
                spare[c] = _share(own[code], smoothing, total, c) - total[c] / total[0]
            for c in range(1, total.size):
                for d in range(1, total.size):
                    spread[c, d] += float(own[code, 0]) * spare[c] * spare[d]
    widest = 1
    for c in range(2, total.size):
        widest = c if spread[c, c] > spread[widest, widest] else widest
    for c in range(1, total.size):
        direction[c] = spread[widest, c]
    for _ in range(_STEPS):
        most, change = 0.0, 0.0
        for c in range(1, total.size):
            spare[c] = 0.0
            for d in range(1, total.size):
                spare[c] += spread[c, d] * direction[d]
            most = max(most, abs(spare[c]))
        for c in range(1, total.size):
            before, direction[c] = direction[c], spare[c] / most if most > 0.0 else 0.0
            change = max(change, abs(direction[c] - before))
        if change < _STILL:
            break


direction_of = by_type({Pairs: _direction_of_pair, Classes: _direction_of_several, Values: _direction_of_several})


@kernel
def _renumber(codes, columns, place):
    for i in range(np.uint64(codes.shape[0])):
        for k in range(np.uint64(columns.size)):
            j = np.uint64(columns[k])
            codes[i, j] = place[k, np.uint64(codes[i, j])]


@kernel
def fill_sets(nodes, places, n_bins, set_start, sets):
    """sets = of every question about categories, in the order of the nodes, the codes that go left.

    Codes that no row of the tree has go where missing goes.
    """
    at = 0
    for node in range(nodes.size):
        k = places.row_of[nodes[node].feature] if nodes[node].right >= 0 else np.int64(-1)
        if k >= 0:
            n_codes, side, most = n_bins[nodes[node].feature], nodes[node].missing_left == 1, nodes[node].code
            for code in range(n_codes + 1):
                goes_left = places.place[k, code] <= most if code < n_codes and places.is_known[k, code] else side
                sets[set_start[at] + (code >> 6)] |= np.uint64(goes_left) << np.uint64(code & 63)
            at += 1

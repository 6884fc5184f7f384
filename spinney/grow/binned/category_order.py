"""Categories as numbers: a tree puts the codes of every column in an order, and splits that order.

In: the codes of a tree's rows and what these add to sums. Out: the codes renumbered in place, and `Orders`, which say
for every node which code stands where. Everything else in this room takes them for numbers; only `fit.py` makes sets of
categories of the splits again.

The order is that of the mean target, or of the share of one of two classes, smoothed by one row of the node: a category
of a row or two is not put at an end for nothing. With more classes or outputs it is the order along the direction in
which the categories vary with the class, or output, in which they vary most: their covariances with it.

    root    every column. Where codes that follow each other have similar targets (ranks, sizes, digits), the column
            keeps the order of its codes, in the whole tree
    node    every column that it draws and that had twice the weight when it was put in order. Nodes of few rows, or
            of few for each code, inherit their order: one that is made for them says little about other rows (Wright
            and König 2019)

Trees that split at random use the order of the root everywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import by_type, inner_kernel, kernel, part_kernel
from spinney.data.encode import Bins
from spinney.grow.binned.memory import (
    MOST_CLASSES,
    SLOTS,
    ClassStatistics,
    Statistics,
    SumStatistics,
    read,
    weight_and_amount,
)
from spinney.grow.targets import Classes, Pairs, Values

FEWEST = 50  # rows of a node that makes orders of its own, by weight,
PER_CODE = 12  # and for each code of the column
UNKNOWN = 255  # place of a code that none of the ordered rows has: it follows the missing values
_ROOM = 64  # orders that there is room for from the start, beside those of the root
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

# One order of a column's codes, for a node and all below it.
ORDER = np.dtype(
    [
        ("column", np.int64),
        ("before", np.int64),  # the column's order in the nodes above
        ("begin", np.int64),  # the node's rows,
        ("end", np.int64),
        ("weight", np.int64),  # and their weight
    ],
    align=True,
)


class NoOrders(NamedTuple):
    """For tables of numbers."""

    made: Any  # empty
    ahead: int  # 0


class Orders(NamedTuple):
    """The orders of a tree's nodes. The k-th is the root's, for the k-th column of categories; others follow."""

    made: Any  # ORDER records
    ahead: int  # how many one step of the loop makes at most
    place: np.ndarray  # uint8 (orders, SLOTS): of each code of the table
    columns: np.ndarray  # int64: the columns of categories
    row_of: np.ndarray  # int64, by column of the table: its place among them; -1 for numbers
    n_codes: np.ndarray  # int64, by column of categories
    latest: np.ndarray  # int64, alike: the order made last; it is that of the node at hand unless its rows end before
    keeps: np.ndarray  # bool, alike: whether nodes leave the root's order as it is
    one_row: float  # what a row weighs, in units of the sums
    fewest: int  # rows of a node that makes orders of its own, by weight
    sums: np.ndarray  # int64 (SLOTS, 1 + sums): weight and sums of each code
    mean: np.ndarray  # float64, by sum: room for the mean
    direction: np.ndarray  # float64, alike
    spare: np.ndarray  # float64, alike
    keys: np.ndarray  # float64 (SLOTS)
    order: np.ndarray  # int64 (SLOTS): codes in order
    moved: np.ndarray  # uint8 (SLOTS): the new place of each place


def make_orders(bins: Bins) -> Orders | NoOrders:
    """Memory for the trees of a table."""
    columns = np.flatnonzero(bins.is_categorical)
    if not len(columns):
        return NoOrders(np.empty(0, ORDER), 0)
    row_of = np.full(bins.n_columns, -1)
    row_of[columns] = np.arange(len(columns))
    room = len(columns) + _ROOM
    return Orders(
        np.empty(room, ORDER),
        len(columns),
        np.empty((room, SLOTS), np.uint8),
        columns,
        row_of,
        bins.n_bins[columns].astype(np.int64),
        latest=np.empty(len(columns), np.int64),
        keeps=np.zeros(len(columns), bool),
        one_row=1.0,
        fewest=FEWEST,
        sums=np.empty((SLOTS, 1 + MOST_CLASSES), np.int64),
        mean=np.empty(MOST_CLASSES),
        direction=np.empty(MOST_CLASSES),
        spare=np.empty(MOST_CLASSES),
        keys=np.empty(SLOTS),
        order=np.empty(SLOTS, np.int64),
        moved=np.empty(SLOTS, np.uint8),
    )


def one_row(kinds: Pairs | Classes | Values, n_rows: int) -> float:
    """What a row weighs, in units of the sums: 1, and where weights are not whole numbers their mean."""
    unit = kinds.unit if isinstance(kinds, Classes) else float(kinds.units[0])
    return 1.0 if unit == 1.0 or kinds.weight is None else float(kinds.weight.sum()) / n_rows


# --- the loop's door ------------------------------------------------------------------------------------------------


@inner_kernel
def _order_nothing(orders, statistics, cells, memory, root):
    return


@inner_kernel
def _order_root(orders, statistics, cells, memory, root):
    """Put all columns in order."""
    for k in range(orders.columns.size):
        orders.latest[k] = k
        _order_column(statistics, cells.codes, memory, root, k, k)


order_root = by_type({NoOrders: _order_nothing, Orders: _order_root})


@inner_kernel
def _order_no_columns(orders, statistics, cells, memory, node, n_made, first, last):
    return n_made


@inner_kernel
def _order_some_columns(orders, statistics, cells, memory, node, n_made, first, last):
    """Put the first-th to last-th column of memory.order in an order of the node's own; returns how many are made."""
    n_rows = float(node.weight) / orders.one_row
    if n_rows < orders.fewest:
        return n_made
    for at in range(first, last):
        k = orders.row_of[memory.order[at]]
        if k < 0 or orders.keeps[k] or n_rows < PER_CODE * orders.n_codes[k]:
            continue
        if 2 * node.weight <= orders.made[order_of(orders, k, node.begin)].weight:
            _order_column(statistics, cells.codes, memory, node, k, n_made)
            n_made += 1
    return n_made


order_columns = by_type({NoOrders: _order_no_columns, Orders: _order_some_columns})


@inner_kernel
def order_of(orders, k, begin):
    """The order of a column in the node at hand, whose rows begin there: nodes come in the order of their rows."""
    while orders.made[orders.latest[k]].end <= begin:
        orders.latest[k] = orders.made[orders.latest[k]].before
    return orders.latest[k]


@inner_kernel
def _note_nothing(orders, node):
    return


@inner_kernel
def _note_order(orders, node):
    """Which order the split of a node is one of."""
    k = orders.row_of[node.feature]
    if k >= 0:
        node.order = order_of(orders, k, node.begin)


note_order = by_type({NoOrders: _note_nothing, Orders: _note_order})


# --- one column -----------------------------------------------------------------------------------------------------


@part_kernel
def _order_column(statistics, codes, memory, node, k, number):
    """Make the order of this number: the root's, or one for the rows of a node."""
    orders, rows, parts, begin, end = memory.orders, memory.rows, n_parts(statistics), node.begin, node.end
    made, place, before = orders.made[number], orders.place[number], orders.latest[k]
    made.column, made.before, made.begin, made.end, made.weight = orders.columns[k], before, begin, end, node.weight
    orders.latest[k] = number
    for code in range(orders.n_codes[k]):
        place[code] = code if number == k else orders.place[before, code]
    n = _sum_up(orders, statistics, codes, rows, begin, end, k)
    if number == k:
        orders.keeps[k] = n < 3 or _is_smooth(orders, n, parts)
    if orders.keeps[k]:
        for code in range(orders.n_codes[k]):
            place[code] = code if orders.sums[code, 0] > 0 else UNKNOWN
    else:
        if n > 1:
            _sort(orders, n, parts)
        _move(orders, codes, rows, begin, end, k, n, place)


@inner_kernel
def _sum_up(orders, statistics, codes, rows, begin, end, k):
    """The codes that some of the rows have, ascending, into `order`, and their sums; returns how many."""
    n_codes, sums, order = orders.n_codes[k], orders.sums, orders.order
    for code in range(n_codes + 1):
        for c in range(1 + n_parts(statistics)):
            sums[code, c] = 0
    add_rows(statistics, codes, rows, begin, end, orders.columns[k], n_codes, sums)
    n = np.int64(0)
    for code in range(n_codes):
        order[n] = code
        n += np.int64(sums[code, 0] > 0)
    return n


@part_kernel
def _add_pairs(statistics, codes, rows, begin, end, j, n_codes, sums):
    column = np.uint64(j)
    for i in range(begin, end):
        weight, amount = weight_and_amount(statistics.rows, read(statistics.rows, np.uint64(i)))
        own = sums[np.uint64(codes[np.uint64(rows[np.uint64(i)]), column])]
        own[0] += weight
        own[1] += amount


@part_kernel
def _add_classes(statistics, codes, rows, begin, end, j, n_codes, sums):
    column, stats = np.uint64(j), statistics.rows
    for i in range(begin, end):
        one, own = stats[np.uint64(i)], sums[np.uint64(codes[np.uint64(rows[np.uint64(i)]), column])]
        own[(one & _LOW) + np.uint64(1)] += np.int64(one >> _HALF)
    for code in range(n_codes):
        for c in range(1, statistics.total.size - 1):
            sums[code, 0] += sums[code, c]


@part_kernel
def _add_sums(statistics, codes, rows, begin, end, j, n_codes, sums):
    column, table = np.uint64(j), statistics.table
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        add_parts(statistics.kinds, table, row, sums[np.uint64(codes[row, column])])


@inner_kernel
def _add_numbers(kinds, table, row, own):
    for o in range(table.shape[1]):
        own[o] += table[row, np.uint64(o)]


@inner_kernel
def _add_labels(kinds, table, row, own):
    own[0] += table[row, 0]
    for o in range(1, table.shape[1]):
        own[table[row, np.uint64(o)]] += table[row, 0]


add_parts = by_type({Pairs: _add_numbers, Classes: _add_labels, Values: _add_numbers})
add_rows = by_type({Statistics: _add_pairs, ClassStatistics: _add_classes, SumStatistics: _add_sums})


@inner_kernel
def _parts_of_pairs(statistics):
    """How many sums there are beside the weight."""
    return np.int64(1)


@inner_kernel
def _parts_of_classes(statistics):
    return np.int64(statistics.total.size - 2)


@inner_kernel
def _parts_of_sums(statistics):
    return parts_of(statistics.kinds, statistics.node.first)


@inner_kernel
def _only_one(kinds, first):
    """The squares are left out."""
    return np.int64(1)


@inner_kernel
def _all_parts(kinds, first):
    return np.int64(first[-1] - 1)


parts_of = by_type({Pairs: _only_one, Classes: _all_parts, Values: _all_parts})
n_parts = by_type({Statistics: _parts_of_pairs, ClassStatistics: _parts_of_classes, SumStatistics: _parts_of_sums})


@inner_kernel
def _find_mean(orders, n, parts):
    """The mean of all rows whose value is known, in float64: from sums that are exact up to 2**53, in one order."""
    total = 0.0
    orders.mean[:parts] = 0.0
    for at in range(n):
        own = orders.sums[orders.order[at]]
        total += float(own[0])
        for c in range(parts):
            orders.mean[c] += float(own[1 + c])
    for c in range(parts):
        orders.mean[c] /= total


@inner_kernel
def _above_mean(orders, code, c):
    """How far the smoothed mean of a sum, or share of a class, among the rows with a code is above that of all."""
    own, mean = orders.sums[code], orders.mean[c]
    return (float(own[1 + c]) - float(own[0]) * mean) / (float(own[0]) + orders.one_row)


@inner_kernel
def _is_smooth(orders, n, parts):
    """Whether codes that follow each other are, on average, less than half as far apart as any two; squared."""
    if n < 4:
        return False
    _find_mean(orders, n, parts)
    near, squares, whole = 0.0, 0.0, 0.0
    for c in range(parts):
        before, total = 0.0, 0.0
        for at in range(n):
            one = _above_mean(orders, orders.order[at], c)
            near += (one - before) * (one - before) if at > 0 else 0.0
            squares += one * one
            total += one
            before = one
        whole += total * total
    # of n numbers, the squared distances of all pairs add up to n * (sum of squares) - (sum) squared
    return near / float(n - 1) < (float(n) * squares - whole) / float(n * (n - 1))


@inner_kernel
def _sort(orders, n, parts):
    """Put the codes in `order` in the order of their keys."""
    _find_mean(orders, n, parts)
    direction, spare, order, keys = orders.direction, orders.spare, orders.order, orders.keys
    direction[0] = 1.0
    if parts > 1:
        widest = _widest(orders, n, parts)
        direction[:parts] = 0.0
        for at in range(n):
            for c in range(parts):
                spare[c] = _above_mean(orders, order[at], c)
            weight = float(orders.sums[order[at], 0]) * spare[widest]
            for c in range(parts):
                direction[c] += weight * spare[c]
    for at in range(n):
        code, key, to = order[at], 0.0, at
        for c in range(parts):
            key += direction[c] * _above_mean(orders, code, c)
        while to > 0 and keys[to - 1] > key:  # insertion sort; ties stay in the order of the codes
            keys[to], order[to] = keys[to - 1], order[to - 1]
            to -= 1
        keys[to], order[to] = key, code


@inner_kernel
def _widest(orders, n, parts):
    """The sum that varies most between codes; ties go to the first."""
    widest, most = np.int64(0), -1.0
    for c in range(parts):
        spread = 0.0
        for at in range(n):
            one = _above_mean(orders, orders.order[at], c)
            spread += float(orders.sums[orders.order[at], 0]) * one * one
        if spread > most:
            widest, most = np.int64(c), spread
    return widest


@inner_kernel
def _move(orders, codes, rows, begin, end, k, n, place):
    """Renumber the codes of some rows, and note where those of the table stand now."""
    missing, moved, column, as_before = orders.n_codes[k], orders.moved, np.uint64(orders.columns[k]), True
    for code in range(missing):
        moved[code] = UNKNOWN
    for at in range(n):
        moved[orders.order[at]] = at
        as_before &= orders.order[at] == at
    for code in range(missing):
        place[code] = moved[place[code]] if place[code] < missing else UNKNOWN
    if as_before:
        return
    moved[missing] = missing
    for i in range(begin, end):
        row = np.uint64(rows[np.uint64(i)])
        codes[row, column] = moved[np.uint64(codes[row, column])]


@kernel
def fill_sets(nodes, orders, set_start, sets):
    """sets = for every split of categories, in the order of the nodes, the codes that go left.

    Codes without a place go where missing values go.
    """
    at = 0
    for number in range(nodes.size):
        node = nodes[number]
        k = orders.row_of[node.feature] if node.right >= 0 else np.int64(-1)
        if k >= 0:
            place, side = orders.place[max(k, np.int64(node.order))], node.missing_left == 1
            for code in range(orders.n_codes[k] + 1):
                is_known = code < orders.n_codes[k] and place[code] != UNKNOWN
                goes_left = place[code] <= node.code if is_known else side
                sets[set_start[at] + (code >> 6)] |= np.uint64(goes_left) << np.uint64(code & 63)
            at += 1

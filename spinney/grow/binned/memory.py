"""The growing tree and a thread's memory; all of it is used again for the next tree.

Room for nodes is made as trees turn out to need it: a tree of few leaves on many rows needs little.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import MEMBERS, inner_kernel
from spinney._random import mix
from spinney.data.encode import MAX_BINS, Bins
from spinney.data.thresholds import Middles
from spinney.grow.rules import NO_NODE, NO_SPLIT, child_key, larger_side

SLOTS = MAX_BINS + 1  # codes of a column, missing among them
LANES = 16  # columns of a row are filled up to a multiple
AT_ONCE = 8  # columns whose histograms are built in one pass over the rows
NODES_AHEAD = 2 * MEMBERS  # nodes, and nodes that wait, that one step of the loop makes at most (subtrees of few rows)
NEEDS_ROOM = -1  # what the loop returns instead of the number of nodes
_ROOM = 4096  # nodes of a tree that there is room for from the start

# One node; nodes are in preorder, so that the left child is the next one.
NODE = np.dtype(
    [
        ("begin", np.int64),  # its rows: rows[begin:end]
        ("end", np.int64),
        ("weight", np.int64),  # its sums
        ("amount", np.int64),
        ("right", np.int32),  # NO_NODE for a leaf
        ("parent", np.int32),
        ("feature", np.int32),  # NO_SPLIT for a leaf
        ("order", np.int32),  # of the categories that it splits, if not the root's (category_order.py)
        ("code", np.uint8),  # codes up to it go left,
        ("missing_left", np.uint8),  # and so does missing, if this is 1
    ],
    align=True,
)

# A node that waits.
WAITING = np.dtype(
    [
        ("begin", np.int64),
        ("end", np.int64),
        ("weight", np.int64),  # its sums
        ("amount", np.int64),
        ("random", np.uint64),  # key of its random choices, from its path alone
        ("depth", np.int64),
        ("parent", np.int64),
        ("is_right", np.uint8),
    ],
    align=True,
)

# The best split found for the node at hand.
SPLIT = np.dtype(
    [
        ("score", np.float64),  # -inf: none
        ("feature", np.int64),
        ("code", np.int64),
        ("missing_left", np.int64),
        ("weight", np.int64),  # the left side's sums
        ("amount", np.int64),
        ("has_missing", np.uint8),  # rows of the node lack a value in this column
    ],
    align=True,
)


class CodedTable(NamedTuple):
    """The encoded table, row by row."""

    codes: np.ndarray  # uint8 (rows, columns filled up to a multiple of LANES), of the rows that count
    missing: np.ndarray  # int64, by column: the code of missing values
    middles: Middles  # values that represent the bins, for random thresholds


class BinnedSubtrees(NamedTuple):
    """For subtrees of up to MEMBERS rows."""

    table: np.ndarray  # uint8 (columns of the cells, MEMBERS): codes
    sets: np.ndarray  # uint64: rows of the nodes that wait
    second: np.ndarray  # uint64 (1): rows of the second class
    weights: np.ndarray  # int64, by row
    amounts: np.ndarray  # int64
    y: np.ndarray  # float64
    rows: np.ndarray  # uint32: their numbers
    low: np.ndarray  # int64, by column: least and greatest code,
    high: np.ndarray
    code: np.ndarray  # int64: and the code of a cut


class Memory(NamedTuple):
    """One thread's."""

    rows: np.ndarray  # uint32: rows of the table, node by node
    spare_rows: np.ndarray
    waiting: Any  # WAITING records
    nodes: Any  # NODE records
    progress: np.ndarray  # int64 (3): nodes that wait, nodes and orders that are done, where the loop stopped for room
    split: Any  # one SPLIT record
    order: np.ndarray  # int64: columns in random order
    drawn: np.ndarray  # int64: the places in it that were exchanged
    varying: np.ndarray  # int64: columns in which the node's rows differ
    bits: np.ndarray  # uint64 (AT_ONCE, 4): which codes occur
    extremes: np.ndarray  # uint8 (4, columns of the cells): least and greatest code, code of a cut, last known code
    words: np.ndarray  # uint32 (columns of the cells / LANES, MEMBERS): which columns of a row are up to the cut
    left: np.ndarray  # int64 (6, columns of the cells): rows, weight and amount up to the cut; those of known values
    sums: np.ndarray  # int64 (4, SLOTS): code, rows, weight and amount up to and with each code that occurs
    scores: np.ndarray  # float64 (SLOTS)
    small: BinnedSubtrees
    orders: Any  # of categories: Orders or NoOrders (category_order.py)


def lay_out_cells(codes: np.ndarray, bins: Bins, middles: Middles) -> CodedTable:
    """Codes (columns, rows) of a table, row by row."""
    n_columns, n_rows = codes.shape
    cells = np.zeros((n_rows, _width(n_columns)), np.uint8)
    cells[:, :n_columns] = codes.T
    return CodedTable(cells, bins.n_bins.astype(np.int64), middles)


def _width(n_columns: int) -> int:
    return -(-n_columns // LANES) * LANES


def make_memory(n_rows: int, n_columns: int, orders: Any) -> Memory:
    """For trees of up to so many rows, with room for a small one."""
    room = min(2 * n_rows, _ROOM) + NODES_AHEAD
    return Memory(
        rows=np.empty(n_rows, np.uint32),
        spare_rows=np.empty(n_rows, np.uint32),
        waiting=np.empty(room // 2, WAITING),
        nodes=np.empty(room, NODE),
        progress=np.zeros(3, np.int64),
        split=np.empty(1, SPLIT),
        order=np.empty(n_columns, np.int64),
        drawn=np.empty(n_columns, np.int64),
        varying=np.empty(n_columns, np.int64),
        bits=np.zeros((AT_ONCE, 4), np.uint64),
        extremes=np.zeros((4, _width(n_columns)), np.uint8),
        words=np.zeros((_width(n_columns) // LANES, MEMBERS), np.uint32),
        left=np.empty((6, _width(n_columns)), np.int64),
        sums=np.empty((4, SLOTS), np.int64),
        scores=np.empty(SLOTS),
        small=_make_small(_width(n_columns)),
        orders=orders,
    )


def with_room(memory: Memory) -> Memory:
    """Twice the room for whatever is short of it."""
    n_waiting, n_nodes, n_orders = memory.progress.tolist()
    waiting, nodes, orders = memory.waiting, memory.nodes, memory.orders
    if len(waiting) - n_waiting < NODES_AHEAD:
        waiting = _doubled(waiting, n_waiting)
    if len(nodes) - n_nodes < NODES_AHEAD:
        nodes = _doubled(nodes, n_nodes)
    if len(orders.made) - n_orders < orders.ahead:
        orders = orders._replace(made=_doubled(orders.made, n_orders), place=_doubled(orders.place, n_orders))
    return memory._replace(waiting=waiting, nodes=nodes, orders=orders)


def _doubled(records: np.ndarray, n: int) -> np.ndarray:
    """The first n are in use."""
    larger = np.empty((2 * len(records), *records.shape[1:]), records.dtype)
    larger[:n] = records[:n]
    return larger


def _make_small(width: int) -> BinnedSubtrees:
    return BinnedSubtrees(
        table=np.zeros((width, MEMBERS), np.uint8),
        sets=np.empty(MEMBERS + 1, np.uint64),
        second=np.empty(1, np.uint64),
        weights=np.zeros(MEMBERS, np.int64),
        amounts=np.zeros(MEMBERS, np.int64),
        y=np.empty(MEMBERS),
        rows=np.empty(MEMBERS, np.uint32),
        low=np.empty(width, np.int64),
        high=np.empty(width, np.int64),
        code=np.empty(width, np.int64),
    )


# ----------------------------------------------------------------------------------------------------------------------
# The stack of waiting nodes. One is taken, gets its number in the tree and samples its columns; its children follow.
#
# Both loops of grower.py share these steps. The left child is on top of the stack, so nodes are numbered in preorder: a
# left child comes right after its parent, and only the number of the right one has to be stored.


@inner_kernel
def open_node(nodes, pending, number):
    """The next node of the tree, for now a leaf."""
    node = nodes[number]
    node.begin, node.end, node.weight, node.amount = pending.begin, pending.end, pending.weight, pending.amount
    node.parent = pending.parent
    node.right, node.feature, node.order, node.code, node.missing_left = NO_NODE, NO_SPLIT, 0, 0, 0
    if pending.is_right:
        nodes[pending.parent].right = number


@inner_kernel
def part_node(waiting, n_waiting, node, number, split, middle):
    """The node is split, its rows from `middle` on going right; its children wait in its place, the left one on top."""
    pending = waiting[n_waiting]
    node.feature, node.code = split.feature, split.code
    node.missing_left = split.missing_left
    if not split.has_missing:
        node.missing_left = larger_side(split.weight, pending.weight)
    random, depth, weight, amount = pending.random, pending.depth + 1, pending.weight, pending.amount
    right, left = waiting[n_waiting], waiting[n_waiting + 1]
    right.begin, right.end, right.weight, right.amount = middle, node.end, weight - split.weight, amount - split.amount
    right.random, right.depth, right.parent, right.is_right = child_key(random, 1), depth, number, 1
    left.begin, left.end, left.weight, left.amount = node.begin, middle, split.weight, split.amount
    left.random, left.depth, left.parent, left.is_right = child_key(random, 0), depth, number, 0


@inner_kernel
def draw_column(key, order, drawn, k):
    """Draw the k-th column (see `_random.choose`)."""
    drawn[k] = k + np.int64(mix(key, k) % np.uint64(order.size - k))
    _exchange(order, k, drawn[k])


@inner_kernel
def put_back(order, drawn, n):
    """All columns where they were before n were drawn."""
    # The same exchanges backwards. It takes as many steps as were drawn; a fresh list would take one per column.
    for k in range(n - 1, -1, -1):
        _exchange(order, k, drawn[k])


@inner_kernel
def _exchange(order, k, other):
    order[k], order[other] = order[other], order[k]


# ----------------------------------------------------------------------------------------------------------------------
# What rows add to sums and histograms, in two layouts; and the memory of other kinds of sums.
#
#     packed    one uint64 per row, [ weight : 32 bits | weight of the second class : 32 bits ]: one addition. For two
#               classes of integer weights, where the number of rows on a side is not needed. The sum of all weights is
#               below 2**31 (`MOST_PACKED`), so the lower field never overflows into the upper one
#     wide      int64 (2, rows), weight and amount; a bin has rows, weight and amount
#
# Both are exact. Numba picks the layout by the array's dimensions when a kernel is compiled; places are unsigned, or it
# would look for negative ones.


_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
MOST_CLASSES = 64  # more would not fit the cache
_MOST_CELLS = AT_ONCE * (MOST_CLASSES + 2)  # of a row of bins, one of each column
_CUTS = SLOTS + 8  # scored together; rows of a power of two would collide in the cache
NOWHERE = np.empty((0, 0, 0), np.int64)  # stands for statistics that are looked up, not moved with the rows
MOST_PACKED = 2**31  # the sum of weights must be less


class Statistics(NamedTuple):
    """Of one layout."""

    rows: np.ndarray  # node by node
    spare: np.ndarray
    histograms: np.ndarray  # of AT_ONCE columns, SLOTS bins each; empty between uses


class ClassStatistics(NamedTuple):
    """For more than two classes of whole weights; rows are uint64, [ weight : 32 bits | class : 32 bits ]."""

    rows: np.ndarray
    spare: np.ndarray
    histograms: np.ndarray  # int64 (AT_ONCE * SLOTS, 1 + classes): rows, and the weight of each class
    total: np.ndarray  # int64: the node's weight, the weight of each class, and its term
    sides: np.ndarray  # int64 (2, AT_ONCE, 1 + classes): rows, and weights of the classes, on a side
    members: np.ndarray  # uint64 (classes): which of up to 64 rows are of the class
    packed: np.ndarray  # uint64 (AT_ONCE * SLOTS): a bin's weights of all classes of the node, see search_classes.py
    shift: np.ndarray  # uint64: where the field of each class begins
    amounts: np.ndarray  # int64: the node's weight of the class of each field
    fields: np.ndarray  # int64: how many, and bits of each; 0: they do not fit


class NodeSums(NamedTuple):
    """Of the node at hand; see search_sums.py for the layout of bins."""

    first: np.ndarray  # int64 (outputs + 1): where each output's sums begin in `total`
    place: np.ndarray  # int64, by place in `total`: that in bins
    ends: np.ndarray  # int64 (outputs + 1): where each output's sums begin in bins; the last is the size of a bin
    whole: np.ndarray  # int64: all rows of the node, as a bin


class SumStatistics(NamedTuple):
    """For several outputs, weights that are not whole and criteria of a user. Rows are looked up, not moved."""

    rows: np.ndarray  # NOWHERE, and so is spare
    spare: np.ndarray
    kinds: Any  # Pairs, Classes or Values
    table: np.ndarray  # int64 (rows, 1 + n), by row of the tree: its weight, and its classes' places or its numbers
    histograms: np.ndarray  # int64, bin after bin; empty between uses
    at_once: int  # columns whose histograms are built in one pass
    only_some: bool  # classes that the node lacks have no place in bins
    total: np.ndarray  # int64: weight and sums of the node
    node: NodeSums
    cuts: np.ndarray  # int64 (size of a bin + 1, cuts): sums on the left of each cut, and its code
    drawn: np.ndarray  # int64 (4, cuts): of random cuts the column, the code, and whether missing go left, and occur
    scores: np.ndarray  # float64, by cut
    terms: np.ndarray  # int64 (2, cuts): of both sides
    parts: np.ndarray  # float64 (2, cuts): the same where weights are not whole
    sides: np.ndarray  # int64 (2, size of a bin): left and right
    floats: np.ndarray  # float64 (2, sums): the same for a user's function


def make_sums(n_rows: int, n_parts: int, first: np.ndarray) -> SumStatistics:
    """Memory for so many rows, which have so many classes or numbers each; `first` is that of `NodeSums`."""
    n_sums = int(first[-1])
    size = n_sums + 1
    at_once = max(1, min(AT_ONCE, _MOST_CELLS // size))
    node = NodeSums(first, np.empty(n_sums, np.int64), np.empty(len(first), np.int64), np.empty(size, np.int64))
    return SumStatistics(
        NOWHERE,
        NOWHERE,
        None,
        table=np.empty((n_rows, 1 + n_parts), np.int64),
        histograms=np.zeros(at_once * SLOTS * size, np.int64),
        at_once=at_once,
        only_some=False,
        total=np.empty(n_sums, np.int64),
        node=node,
        cuts=np.empty((size + 1, _CUTS), np.int64),
        drawn=np.empty((4, _CUTS), np.int64),
        scores=np.empty(_CUTS),
        terms=np.empty((2, _CUTS), np.int64),
        parts=np.empty((2, _CUTS)),
        sides=np.empty((2, size), np.int64),
        floats=np.empty((2, n_sums)),
    )


def make_classes(n_rows: int, n_classes: int) -> ClassStatistics:
    """Memory for so many rows."""
    rows, spare = np.empty(n_rows, np.uint64), np.empty(n_rows, np.uint64)
    histograms = np.zeros((AT_ONCE * SLOTS, 1 + n_classes), np.int64)
    return ClassStatistics(
        rows,
        spare,
        histograms,
        total=np.empty(2 + n_classes, np.int64),
        sides=np.empty((2, AT_ONCE, 1 + n_classes), np.int64),
        members=np.empty(n_classes, np.uint64),
        packed=np.zeros(AT_ONCE * SLOTS, np.uint64),
        shift=np.empty(n_classes, np.uint64),
        amounts=np.empty(n_classes, np.int64),
        fields=np.empty(2, np.int64),
    )


def make_packed(n_rows: int) -> Statistics:
    """Memory for so many rows; vectors may be read beyond the last one."""
    rows, spare = (np.empty(n_rows + MEMBERS, np.uint64) for _ in range(2))
    return Statistics(rows, spare, np.zeros(AT_ONCE * SLOTS, np.uint64))


def make_wide(n_rows: int) -> Statistics:
    """Memory for so many rows."""
    rows, spare = (np.empty((2, n_rows + MEMBERS), np.int64) for _ in range(2))
    return Statistics(rows, spare, np.zeros((AT_ONCE * SLOTS, 4), np.int64))


@inner_kernel
def put(stats, i, weight, amount):
    """Set what row i adds, if it is kept here."""
    if stats.ndim == 1:
        stats[i] = (np.uint64(weight) << _HALF) | np.uint64(amount)
    elif stats.ndim == 2:
        stats[0, i], stats[1, i] = weight, amount


@inner_kernel
def add(histograms, place, one):
    """Add a row, as `read` gives it, to a bin."""
    if histograms.ndim == 1:
        histograms[place] += one[0]
    else:
        histograms[place, 0] += 1
        histograms[place, 1] += one[0]
        histograms[place, 2] += one[1]


@inner_kernel
def read(stats, i):
    """What `add` and `move` want to know of row i."""
    if stats.ndim == 1:
        return stats[i], stats[i]
    elif stats.ndim == 2:
        return stats[0, i], stats[1, i]
    else:
        return np.int64(0), np.int64(0)


@inner_kernel
def write(stats, i, one):
    """Put what was read to another place."""
    if stats.ndim == 1:
        stats[i] = one[0]
    elif stats.ndim == 2:
        stats[0, i], stats[1, i] = one


@inner_kernel
def take(histograms, place):
    """(rows, weight, amount) of a bin, which is emptied. Packed bins know no rows, only whether there are any."""
    if histograms.ndim == 1:
        one = histograms[place]
        histograms[place] = 0
        weight = np.int64(one >> _HALF)
        return weight, weight, np.int64(one & _LOW)
    else:
        n, weight, amount = histograms[place, 0], histograms[place, 1], histograms[place, 2]
        histograms[place, 0], histograms[place, 1], histograms[place, 2] = 0, 0, 0
        return n, weight, amount


@inner_kernel
def weight_and_amount(stats, total):
    """The sum as two numbers."""
    if stats.ndim == 1:
        return np.int64(total[0] >> _HALF), np.int64(total[0] & _LOW)
    else:
        return total

"""What rows add to sums and histograms, in two layouts; and the memory of other kinds of sums.

    packed    one uint64 per row, [ weight : 32 bits | weight of the second class : 32 bits ]: one addition. For two
              classes of integer weights, where the number of rows on a side is not needed. The sum of all weights is
              below 2**31 (`MOST_PACKED`), so the lower field never overflows into the upper one
    wide      int64 (rows, 2), weight and amount; a bin has rows, weight and amount

Both are exact. Numba picks the layout by the array's dimensions when a kernel is compiled; places are unsigned, or it
would look for negative ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.grow.binned.memory import AT_ONCE, SLOTS

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
MOST_IN_BYTES = 15  # a row's weight up to which sums in bytes pay
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
    most: int  # packed: the largest weight of a row, if many such can be summed in bytes; else 0


class ClassStatistics(NamedTuple):
    """For more than two classes of whole weights; rows are uint64, [ weight : 32 bits | class : 32 bits ]."""

    rows: np.ndarray
    spare: np.ndarray
    histograms: np.ndarray  # int64 (AT_ONCE * SLOTS, 1 + classes): rows, and the weight of each class
    total: np.ndarray  # int64: the node's weight, the weight of each class, and its term
    sides: np.ndarray  # int64 (2, 1 + classes): weights of the classes on a side
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
        sides=np.empty((2, 1 + n_classes), np.int64),
        packed=np.zeros(AT_ONCE * SLOTS, np.uint64),
        shift=np.empty(n_classes, np.uint64),
        amounts=np.empty(n_classes, np.int64),
        fields=np.empty(2, np.int64),
    )


def make_packed(n_rows: int) -> Statistics:
    """Memory for so many rows."""
    rows, spare = np.empty(n_rows, np.uint64), np.empty(n_rows, np.uint64)
    return Statistics(rows, spare, np.zeros(AT_ONCE * SLOTS, np.uint64), 0)


def make_wide(n_rows: int) -> Statistics:
    """Memory for so many rows."""
    rows, spare = np.empty((n_rows, 2), np.int64), np.empty((n_rows, 2), np.int64)
    return Statistics(rows, spare, np.zeros((AT_ONCE * SLOTS, 4), np.int64), 0)


@inner_kernel
def put(stats, i, weight, amount):
    """Set what row i adds, if it is kept here."""
    if stats.ndim == 1:
        stats[i] = (np.uint64(weight) << _HALF) | np.uint64(amount)
    elif stats.ndim == 2:
        stats[i, 0], stats[i, 1] = weight, amount


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
        return stats[i, 0], stats[i, 1]
    else:
        return np.int64(0), np.int64(0)


@inner_kernel
def write(stats, i, one):
    """Put what was read to another place."""
    if stats.ndim == 1:
        stats[i] = one[0]
    elif stats.ndim == 2:
        stats[i, 0], stats[i, 1] = one


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
def nothing(stats):
    """A sum to begin with."""
    if stats.ndim == 1:
        return np.uint64(0), np.uint64(0)
    else:
        return np.int64(0), np.int64(0)


@inner_kernel
def count_if(n, stats, wanted):
    """Rows so far and this one, if it is wanted; packed statistics know no rows."""
    if stats.ndim == 1:
        return n
    else:
        return n + np.int64(wanted)


@inner_kernel
def sum_if(total, stats, i, wanted):
    """The sum with row i, if it is wanted; without a branch: 0 - 1 is a mask of ones, 0 - 0 of zeros."""
    if stats.ndim == 1:
        return total[0] + (stats[i] & (np.uint64(0) - np.uint64(wanted))), total[1]
    else:
        mask = -np.int64(wanted)
        return total[0] + (stats[i, 0] & mask), total[1] + (stats[i, 1] & mask)


@inner_kernel
def weight_and_amount(stats, total):
    """The sum as two numbers."""
    if stats.ndim == 1:
        return np.int64(total[0] >> _HALF), np.int64(total[0] & _LOW)
    else:
        return total

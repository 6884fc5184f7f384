"""What rows add to sums and histograms, in two layouts.

    packed    uint64 a row, [ weight : 32 bits | weight of the second class : 32 bits ]: one addition. For two classes
              of whole weights, where nobody asks how many rows a side has
    wide      int64 (rows, 2), weight and amount; a bin has rows, weight and amount

Both are exact. Numba picks the layout by the array's dimensions when a kernel is compiled; places are unsigned, or it
would look for negative ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel
from spinney.grow.codes.memory import AT_ONCE, SLOTS

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
MOST_IN_BYTES = 15  # a row's weight up to which sums in bytes are worth their while
MOST_CLASSES = 64  # more would not fit the cache
MOST_PACKED = 2**31  # the sum of weights must be less


class Statistics(NamedTuple):
    """Of one layout."""

    rows: np.ndarray  # node by node
    spare: np.ndarray
    histograms: np.ndarray  # of AT_ONCE columns, SLOTS bins each; empty between uses
    most: int  # packed: the greatest weight of a row, if many such can be summed in bytes; else 0


class ClassStatistics(NamedTuple):
    """For more than two classes of whole weights; rows are uint64, [ weight : 32 bits | class : 32 bits ]."""

    rows: np.ndarray
    spare: np.ndarray
    histograms: np.ndarray  # int64 (AT_ONCE * SLOTS, 1 + classes): rows, and the weight of each class
    total: np.ndarray  # int64: the node's weight, the weight of each class, and its term
    sides: np.ndarray  # int64 (2, 1 + classes): weights of the classes on a side
    packed: np.ndarray  # uint64 (AT_ONCE * SLOTS): a bin's weights of all classes of the node, see search_packed.py
    shift: np.ndarray  # uint64: where the field of each class begins
    amounts: np.ndarray  # int64: the node's weight of the class of each field
    fields: np.ndarray  # int64: how many, and bits of each; 0: they do not fit


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
    """Set what row i adds."""
    if stats.ndim == 1:
        stats[i] = (np.uint64(weight) << _HALF) | np.uint64(amount)
    else:
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
    else:
        return stats[i, 0], stats[i, 1]


@inner_kernel
def write(stats, i, one):
    """Put what was read to another place."""
    if stats.ndim == 1:
        stats[i] = one[0]
    else:
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
    """The sum with row i, if it is wanted; without asking the branch predictor."""
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

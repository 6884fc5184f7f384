"""Send a node's rows to its children: mark their sides, and cut every list in two by these.

# a node's entries before and after its rows 2, 5, 7 went left:
#     [ 7 1 5 2 4 ]
#     [ 7 5 2 | 1 4 ]     each side in the old order

Invariant: a node owns the same segment, begin .. end, of every list, and each list has the node's rows in the order of
its column. A stable partition keeps that order on both sides, so nothing is ever sorted again. Only lists that will not
be searched again, of constant columns and of leaves, may hold other rows; the rows list is always kept.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, part_kernel, separate_kernel
from spinney.data.presort import MISSING, RANK, ROW

# ----------------------------------------------------------------------------------------------------------------------
# `CUT` and entries: what sorted lists consist of, and the best cut found in one.
#
#     63            32 31             0
#     [ rank of value | row           ]      entries sort as plain integers: by value, then by row
#
# Rank and row in one word: a scan needs both, and moving an entry is one store. The value itself is not needed before
# the tree is finished, since only the order of values decides, and equal values have equal ranks.


@inner_kernel
def row_of(entry):
    return np.int64(entry & ROW)


@inner_kernel
def count_known(entries):
    """Entries before the missing ones."""
    known = entries.size
    while known > 0 and entries[known - 1] >> RANK == MISSING:
        known -= 1
    return known


@inner_kernel
def note(best, score, position, missing_left, n_left, weight_left):
    best.score, best.position, best.missing_left = score, position, missing_left
    best.n_left, best.weight_left = n_left, weight_left


NEITHER, LEFT_ONLY, RIGHT_ONLY, BOTH = range(4)  # sides that matter after a partition: bit 0 left, bit 1 right


@separate_kernel
def partition(entries, side, spare, keep):
    """Bring the entries of rows with side 1 to the front, both sides in their old order; returns how many they are.

    A side that will not be split further is not kept: only the other one is moved, over its entries.
    """
    n = entries.size
    if keep == LEFT_ONLY:
        left = np.int64(0)
        for i in range(n):
            entry = entries[i]
            entries[left] = entry
            left += np.int64(side[row_of(entry)])
        return left
    if keep == RIGHT_ONLY:
        right = n - 1
        for i in range(n - 1, -1, -1):
            entry = entries[i]
            entries[right] = entry
            right -= 1 - np.int64(side[row_of(entry)])
        return right + 1
    # Without a branch: every entry is written to both places, and only one place moves on. The write to entries[left]
    # is safe, since left <= i: what stood there has been read.
    left, right = np.int64(0), np.int64(0)
    for i in range(n):
        entry = entries[i]
        goes_left = np.int64(side[row_of(entry)])
        entries[left] = entry
        spare[right] = entry
        left += goes_left
        right += 1 - goes_left
    for i in range(right):
        entries[left + i] = spare[i]
    return left


@inner_kernel
def mark(entries, position, missing_left, side):
    """side[row] = whether the row goes left: the first `position` entries do, and missing ones if `missing_left`."""
    known = count_known(entries)
    for i in range(position):
        side[row_of(entries[i])] = 1
    for i in range(position, known):
        side[row_of(entries[i])] = 0
    for i in range(max(position, known), entries.size):
        side[row_of(entries[i])] = missing_left


@part_kernel
def partition_lists(rank, work, node, first, last):
    """Cut some lists of a node in two. Those of the columns only where somebody will search them again."""
    n_columns, spare = work.candidates.shape[1], work.entries[rank]
    for k in range(first, last):
        entries = work.lists[k, node.begin : node.end]
        if k >= n_columns:
            partition(entries, work.side, spare, BOTH)
        elif node.keep != NEITHER and entries[0] >> RANK != entries[-1] >> RANK:  # constant: never searched again
            partition(entries, work.side, spare, node.keep)

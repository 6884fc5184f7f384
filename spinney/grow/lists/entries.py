"""The entries of sorted lists, and the best cut found in one.

    63            32 31             0
    [ rank of value | row           ]      entries sort as plain integers: by value, then by row

Rank and row in one word: a scan needs both, and moving an entry is one store. The value itself is not needed before the
tree is finished, since only the order of values decides, and equal values have equal ranks.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney.data.presort import MISSING, RANK, ROW


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

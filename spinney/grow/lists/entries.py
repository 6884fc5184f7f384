"""The entries of sorted lists, and the best cut found in one."""

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

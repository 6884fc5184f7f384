"""Lists to test kernels on, and what is in them."""

import numpy as np

from spinney.data.presort import MISSING, RANK, ROW


def entries_of(ranks, rows=None):
    """A list; rank -1 is missing."""
    ranks = np.asarray(ranks)
    rows = np.arange(len(ranks)) if rows is None else rows
    keys = np.where(ranks < 0, MISSING, ranks.astype(np.uint64))
    return (keys << RANK) | np.asarray(rows).astype(np.uint64)


def rows_of(entries):
    return (entries & ROW).astype(np.int64)


def ranks_of(entries):
    return np.where(entries >> RANK == MISSING, -1, (entries >> RANK).astype(np.int64))

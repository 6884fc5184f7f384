"""Send a node's rows, and what they add to sums, to its two children: each side keeps its old order."""

from __future__ import annotations

import numpy as np

from spinney._compile import part_kernel
from spinney.grow.codes.statistics import read, write

_ONE = np.uint64(1)


@part_kernel(returns="int64")
def partition(codes, j, most, other, rows, spare_rows, stats, spare_stats, begin, end):
    """Bring rows with codes up to `most`, or equal to `other`, to the front; returns where the rest begins."""
    left, right, column = np.uint64(begin), np.uint64(0), np.uint64(j)
    for i in range(begin, end):
        row, one = rows[np.uint64(i)], read(stats, np.uint64(i))
        code = np.int64(codes[np.uint64(row), column])
        goes_left = np.uint64((code <= most) | (code == other))
        rows[left], spare_rows[right] = row, row
        write(stats, left, one)
        write(spare_stats, right, one)
        left += goes_left
        right += _ONE - goes_left
    for k in range(right):
        at = left + np.uint64(k)
        rows[at] = spare_rows[np.uint64(k)]
        write(stats, at, read(spare_stats, np.uint64(k)))
    return np.int64(left)

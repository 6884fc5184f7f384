"""Send a node's rows to its children.

Each chunk is split into two small buffers without a branch; then the thread reserves places for them in the
children's segments, left ones from the front and right ones from the back:

    before   [ a a a | b b b b b b b b | c c ]
    after    [ a a a | b b b > . < b b | c c ]      > next left place    < next right place

The order of rows inside a node depends on which thread came first. No sum does: all sums are integers.
"""

from __future__ import annotations

from spinney._jit import atomic_add, kernel
from spinney._team import next_chunk

CHUNK = 1024  # rows split at a time: both buffers of a thread stay in the first-level cache
LEFT, RIGHT = 0, 8  # the two cursors, on separate cache lines


@kernel
def partition_rows(sync, column, goes_left, source, target, start, stop, cursor, buffers):
    """Split rows start..stop of `source` into `target` by `goes_left[code]`.

    source, target, buffers are (rows, packed) pairs; cursor[LEFT] starts at `start`, cursor[RIGHT] at `stop`.
    """
    rows, packed = source
    left_rows, left_packed, right_rows, right_packed = buffers
    while True:
        begin = start + next_chunk(sync) * CHUNK
        if begin >= stop:
            return
        end = min(stop, begin + CHUNK)
        n_left = n_right = 0
        for k in range(begin, end):
            row = rows[k]
            statistics = packed[k]
            left = goes_left[column[row]]
            left_rows[n_left] = row
            left_packed[n_left] = statistics
            right_rows[n_right] = row
            right_packed[n_right] = statistics
            n_left += left
            n_right += 1 - left
        _copy(left_rows, left_packed, n_left, target, atomic_add(cursor, LEFT, n_left))
        _copy(right_rows, right_packed, n_right, target, atomic_add(cursor, RIGHT, -n_right) - n_right)


@kernel
def _copy(rows, packed, n, target, at):
    target_rows, target_packed = target
    for i in range(n):
        target_rows[at + i] = rows[i]
    for i in range(n):
        target_packed[at + i] = packed[i]

"""Send a node's rows to its children.

Each chunk is split into two small buffers without a branch; then the thread reserves places for them in the
children's segments, left ones from the front and right ones from the back:

    before   [ a a a | b b b b b b b b | c c ]
    after    [ a a a | b b b > . < b b | c c ]      > next left place    < next right place

The order of rows inside a node depends on which thread came first. No sum does: all sums are integers.
"""

from __future__ import annotations

from spinney._jit import atomic_add, inner_kernel
from spinney._team import next_chunk

CHUNK = 1024  # rows split at a time: both buffers of a thread stay in the first-level cache
LEFT, RIGHT = 0, 8  # the two cursors, on separate cache lines


@inner_kernel
def partition_rows(sync, column, desk, source, source_packed, target, target_packed, start, stop, cursor):
    """Split rows start..stop of `source` into `target` by `desk.goes_left[code]`.

    cursor[LEFT] begins at `start` and cursor[RIGHT] at `stop`; they meet where the right child begins.
    """
    while True:
        begin = start + next_chunk(sync) * CHUNK
        if begin >= stop:
            return
        end = min(stop, begin + CHUNK)
        n_left = n_right = 0
        for k in range(begin, end):
            row = source[k]
            statistics = source_packed[k]
            left = desk.goes_left[column[row]]
            desk.left_rows[n_left] = row
            desk.left_packed[n_left] = statistics
            desk.right_rows[n_right] = row
            desk.right_packed[n_right] = statistics
            n_left += left
            n_right += 1 - left
        at = atomic_add(cursor, LEFT, n_left)
        for i in range(n_left):
            target[at + i] = desk.left_rows[i]
            target_packed[at + i] = desk.left_packed[i]
        at = atomic_add(cursor, RIGHT, -n_right) - n_right
        for i in range(n_right):
            target[at + i] = desk.right_rows[i]
            target_packed[at + i] = desk.right_packed[i]

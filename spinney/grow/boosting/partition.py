"""Send a node's rows to its children.

Each chunk is split into two small buffers without a branch; then the thread reserves places for them in the
children's segments, left ones from the front and right ones from the back:

    before   [ a a a | b b b b b b b b | c c ]
    after    [ a a a | b b b > . < b b | c c ]      > next left place    < next right place

The order of rows inside a node depends on which thread came first. No sum does: all sums are integers.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import atomic_add, inner_kernel, part_kernel, prefetch, separate_kernel

CHUNK = 1024  # rows split at a time: both buffers of a thread stay in the first-level cache
LEFT, RIGHT = 0, 8  # the two cursors, on separate cache lines
_AHEAD = 48  # rows between asking for a code and using it
_ONE = np.uint64(1)


@inner_kernel
def n_chunks_of(n_rows):
    """In how many chunks the rows are handed out."""
    return (n_rows + CHUNK - 1) // CHUNK


@part_kernel
def part_rows(table, work, desk, chunk):
    """Some of the chosen node's rows to its children."""
    state = work.state[0]
    node = work.nodes[state.node]
    begin = node.begin + chunk * CHUNK
    end = min(node.end, begin + CHUNK)
    here, there = node.depth & 1, 1 - (node.depth & 1)
    column, source, target = table.codes[node.feature], work.rows[here, begin:end], work.rows[there]
    partition_chunk(column, state.goes_left, desk, source, target, work.cursor)


@separate_kernel
def partition_chunk(column, goes_left, desk, rows, target, cursor):
    """Split some rows of a node into its children's segments in `target` by `goes_left[code]`.

    cursor[LEFT] began at the node's begin and cursor[RIGHT] at its end; they meet where the right child begins.
    """
    # Each row is written to both buffers, and only the one it belongs to moves on: a branch would be mispredicted for
    # half of the rows of a good split.
    n_left = n_right = np.uint64(0)
    for k in range(rows.size):
        if k + _AHEAD < rows.size:
            prefetch(column, np.int64(rows[k + _AHEAD]))
        row = rows[k]
        left = np.uint64(goes_left[column[np.uint64(row)]])
        desk.left_rows[n_left] = row
        desk.right_rows[n_right] = row
        n_left += left
        n_right += _ONE - left
    count = np.int64(n_left)
    at = atomic_add(cursor, LEFT, count)
    _copy(desk.left_rows, target[at : at + count])
    count = np.int64(n_right)
    at = atomic_add(cursor, RIGHT, -count) - count
    _copy(desk.right_rows, target[at : at + count])


@inner_kernel
def _copy(rows, target):
    for i in range(target.size):
        target[i] = rows[i]

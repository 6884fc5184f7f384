"""Where the rows of a node are, while the tree is walked depth first.

All rows stand in one array, those of a node side by side: its *segment*. To visit the children of a node, its segment
is sorted by branch, rows whose value is missing (M) first. Each child in turn then has its rows and the missing ones
side by side, and these move on past it:

    [ M M | 0 0 0 | 1 1 | 2 2 2 ]      sorted
    [<-- child 0 ->] 1 1 | 2 2 2 ]     child 0 at work: it may shuffle its segment, and weighs the M's by its share
    [ 0 0 0 | M M | 1 1 | 2 2 2 ]      it is done: the M's are put together again
    [ 0 0 0 |<child 1>| 2 2 2 ]        child 1 at work

The M's own weights lie on a stack meanwhile. When the last child is done, the segment holds the same rows with the same
weights as before, in another order. A row whose part would weigh less than half a unit does not go down that branch.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney.grow.multiway.columns import MISSING
from spinney.grow.multiway.memory import IN_GROUP, NODES_AHEAD


@inner_kernel
def branch_of(code, node, children):
    """The branch that a code takes at a node; codes of categories are branches, a group's is its first one's."""
    if node.cut >= 0:
        return np.int64(code > node.cut)
    leads = children[node.first + code]
    return np.int64(code) if leads > IN_GROUP else np.int64(IN_GROUP - leads)


@inner_kernel
def count_segment(grown, rows, begin, end, number):
    """Set what a node knows of its rows."""
    node, sums = grown.nodes[number], grown.class_units[number]
    sums[:] = 0
    total = np.int64(0)
    for k in range(begin, end):
        sums[rows.classes[rows.rows[k]]] += rows.units[k]
        total += rows.units[k]
    node.n_rows, node.units = end - begin, total


@inner_kernel
def weigh(rows, begin, end):
    """Weight of the rows of a segment."""
    total = np.int64(0)
    for k in range(begin, end):
        total += rows.units[k]
    return total


@inner_kernel
def open_frame(grown, rows, columns, number, begin, end, spreads):
    """Sort a node's segment by branch and put the node on the stack; `spreads`: missing values go down all branches."""
    state, node = grown.state[0], grown.nodes[number]
    codes = columns.codes[node.feature]
    n_missing = _sort_by_branch(rows, codes, node, grown.children, begin, end)
    frame = grown.frames[state.n_frames]
    state.n_frames += 1
    frame.node, frame.begin, frame.end, frame.cursor = number, begin, end, begin
    frame.saved, frame.n_missing = state.n_saved, n_missing
    frame.known = weigh(rows, begin + n_missing, end)
    if not spreads:
        frame.cursor, frame.n_missing = begin + n_missing, 0
        return
    for k in range(n_missing):
        grown.saved_rows[state.n_saved + k] = rows.rows[begin + k]
        grown.saved_units[state.n_saved + k] = rows.units[begin + k]
    state.n_saved += n_missing


@inner_kernel
def _sort_by_branch(rows, codes, node, children, begin, end):
    """Stable; returns how many miss the value. They come first."""
    places = rows.places  # where the next row of each branch goes; missing is branch -1
    places[: node.n_branches + 2] = 0
    for k in range(begin, end):
        code = codes[rows.rows[k]]
        places[2 + (branch_of(code, node, children) if code != MISSING else -1)] += 1
    n_missing = places[1]
    places[0], places[1] = begin, begin + n_missing
    for b in range(2, node.n_branches + 1):
        places[b] += places[b - 1]
    for k in range(begin, end):
        row = rows.rows[k]
        code = codes[row]
        b = 1 + (branch_of(code, node, children) if code != MISSING else -1)
        rows.spare_rows[places[b]], rows.spare_units[places[b]] = row, rows.units[k]
        places[b] += 1
    for k in range(begin, end):
        rows.rows[k], rows.units[k] = rows.spare_rows[k], rows.spare_units[k]
    return n_missing


@inner_kernel
def open_branch(grown, rows, columns, frame):
    """Make the segment of the next child that has rows; returns its branch, or -1 after the last."""
    first = frame.cursor + frame.n_missing
    if first >= frame.end:
        return np.int64(-1)
    node = grown.nodes[frame.node]
    codes = columns.codes[node.feature]
    branch = branch_of(codes[rows.rows[first]], node, grown.children)
    end, units = first, np.int64(0)
    while end < frame.end and branch_of(codes[rows.rows[end]], node, grown.children) == branch:
        units += rows.units[end]
        end += 1
    share = float(units) / float(frame.known)
    begin = first
    for k in range(frame.saved, frame.saved + frame.n_missing):
        part = np.int64(np.floor(float(grown.saved_units[k]) * share + 0.5))
        if part > 0:
            begin -= 1
            rows.rows[begin], rows.units[begin] = grown.saved_rows[k], part
    frame.child_begin, frame.child_end, frame.child_units = begin, end, units
    return branch


@inner_kernel
def close_branch(grown, rows, columns, frame):
    """Put the child's own rows together again and move on past them."""
    if frame.n_missing == 0:
        frame.cursor = frame.child_end
        return
    codes = columns.codes[grown.nodes[frame.node].feature]
    place = frame.cursor
    for k in range(frame.child_begin, frame.child_end):
        row = rows.rows[k]
        if codes[row] != MISSING:
            rows.rows[place], rows.units[place] = row, rows.units[k]
            place += 1
    frame.cursor = place


@inner_kernel
def close_frame(grown, rows, frame):
    """The last child is done: the rows with a missing value get their weights back."""
    state = grown.state[0]
    for k in range(frame.n_missing):
        rows.rows[frame.cursor + k] = grown.saved_rows[frame.saved + k]
        rows.units[frame.cursor + k] = grown.saved_units[frame.saved + k]
    state.n_saved = frame.saved


@inner_kernel
def has_room(grown, rows):
    """Whether there is room for one more node, its children, its frame and all that its rows may save."""
    state = grown.state[0]
    return (
        grown.nodes.size - state.n_nodes >= NODES_AHEAD
        and grown.frames.size - state.n_frames >= NODES_AHEAD
        and grown.children.size - state.n_children >= rows.places.size
        and grown.saved_rows.size - state.n_saved >= rows.rows.size
    )

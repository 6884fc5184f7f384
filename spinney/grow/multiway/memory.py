"""The growing tree and the memory of a fit: what the loops in grower.py and c45.py read and write.

Both loops walk the tree depth first, with a stack of *frames* instead of recursion: one for each node between the
root and the node at hand. All they know is in here, so that a loop that runs out of room can be left, given more, and
entered again where it was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._team import Team
from spinney.data.dataset import records
from spinney.grow.multiway.columns import MultiwayColumns

NO_CUT = -1
IN_GROUP = -2  # children: IN_GROUP - c is a category that goes where category c goes
NODES_AHEAD = 2  # room that a step of a loop may use

# One node of the growing tree. Numbers are given in preorder.
NODE = np.dtype(
    [
        ("feature", np.int64),  # NO_SPLIT in leaves
        ("cut", np.int64),  # numbers: codes up to it take branch 0
        ("threshold", np.float64),  # the same as a number
        ("first", np.int64),  # its children are children[first : first + n_branches]
        ("n_branches", np.int64),
        ("depth", np.int64),
        ("n_rows", np.int64),
        ("units", np.int64),  # their weight
    ],
    align=True,
)

# A node whose children are being visited; see partition.py for the places.
FRAME = np.dtype(
    [
        ("node", np.int64),
        ("begin", np.int64),  # its segment
        ("end", np.int64),
        ("cursor", np.int64),  # begin of what is still to be visited: rows with a missing value, then the branches
        ("n_missing", np.int64),
        ("saved", np.int64),  # where those rows' own weights are kept
        ("known", np.int64),  # units of the rows that have the value
        ("child_begin", np.int64),  # segment of the child being visited
        ("child_end", np.int64),
        ("child_units", np.int64),  # weight of its rows that have the value
        # c45.py only
        ("mode", np.int64),
        ("stage", np.int64),
        ("errors", np.float64),  # estimated, of the children visited
        ("branch_errors", np.float64),  # estimated, if the largest branch stood here
        ("largest_units", np.int64),
        ("largest_child", np.int64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("n_nodes", np.int64),
        ("n_children", np.int64),
        ("n_frames", np.int64),
        ("n_saved", np.int64),
        ("started", np.int64),
        # grower.py only
        ("outcome", np.int64),  # what the loop returns
        ("number", np.int64),  # the node at hand, and its segment
        ("begin", np.int64),
        ("end", np.int64),
        ("alike", np.int64),  # whether every row of it weighs one row
    ],
    align=True,
)

DONE, NEEDS_ROOM, STOPPED, WAITS = range(4)  # what a loop returns; WAITS: a node is left for somebody else to grow


class MultiwayRows(NamedTuple):
    """The rows in the order of the nodes; see partition.py."""

    rows: np.ndarray  # int32
    units: np.ndarray  # int64: weight of each entry
    spare_rows: np.ndarray  # int32
    spare_units: np.ndarray  # int64
    places: np.ndarray  # int64 (most branches + 2)
    classes: np.ndarray  # int32, by row number.  # in


class MultiwayTree(NamedTuple):
    """The tree and the stacks. These may run out of room."""

    state: Any  # one STATE record
    nodes: Any  # NODE records
    class_units: np.ndarray  # int64 (nodes, classes)
    children: np.ndarray  # int32; NO_NODE: no training row came to it; IN_GROUP and below: see there
    frames: Any  # FRAME records
    saved_rows: np.ndarray  # int32
    saved_units: np.ndarray  # int64


def make_rows(
    classes: np.ndarray, units: np.ndarray, most_branches: int, rows: np.ndarray | None = None
) -> MultiwayRows:
    """All rows in the root's segment, or some of them with their weights."""
    n = len(units)
    rows = np.arange(n, dtype=np.int32) if rows is None else rows
    spare_rows, spare_units = np.empty(n, np.int32), np.empty(n, np.int64)
    return MultiwayRows(rows, units.copy(), spare_rows, spare_units, np.empty(most_branches + 2, np.int64), classes)


def make_grown(columns: MultiwayColumns, n_classes: int, n_rows: int) -> MultiwayTree:
    """A tree without nodes, and room for a small one."""
    room = 256
    return MultiwayTree(
        state=records(1, STATE),
        nodes=records(room, NODE),
        class_units=np.zeros((room, n_classes), np.int64),
        children=np.empty(room + columns.most_branches + 2, np.int32),
        frames=records(room, FRAME),
        saved_rows=np.empty(n_rows, np.int32),
        saved_units=np.empty(n_rows, np.int64),
    )


def run_with_room(
    team: Team, loop: Any, grown: MultiwayTree, columns: MultiwayColumns, rows: MultiwayRows, *rest: Any
) -> MultiwayTree:
    """Run a loop to its end, making room whenever it asks for some."""
    while team.run(loop, grown, columns, rows, *rest) == NEEDS_ROOM:
        grown = with_room(grown, columns, len(rows.rows))
    return grown


def with_room(grown: MultiwayTree, columns: MultiwayColumns, n_rows: int) -> MultiwayTree:
    """Twice the room for whatever is short of it."""
    state = grown.state[0]
    nodes, class_units, children, frames = grown.nodes, grown.class_units, grown.children, grown.frames
    saved_rows, saved_units = grown.saved_rows, grown.saved_units
    if len(nodes) - state["n_nodes"] < NODES_AHEAD:
        nodes, class_units = _doubled(nodes), _doubled(class_units)
    if len(children) - state["n_children"] < columns.most_branches + 2:
        children = _doubled(children, columns.most_branches + 2)
    if len(frames) - state["n_frames"] < NODES_AHEAD:
        frames = _doubled(frames)
    if len(saved_rows) - state["n_saved"] < n_rows:
        saved_rows, saved_units = _doubled(saved_rows, n_rows), _doubled(saved_units, n_rows)
    return MultiwayTree(grown.state, nodes, class_units, children, frames, saved_rows, saved_units)


def _doubled(array: Any, more: int = 0) -> Any:
    larger = np.zeros((2 * len(array) + more, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger

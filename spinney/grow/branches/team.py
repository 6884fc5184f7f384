"""An n-ary tree grown by a team. Large nodes are shared, a column each; below them a thread grows whole subtrees.

    1. walk      depth first, as grower.py does. A large node is a phase: each thread judges columns, whoever is last
                 settles the node and walks on to the next large one.
    2. set aside a small node that may be split stays a leaf. Its rows and their weights are copied.
    3. subtrees  are grown from these copies, each by one thread, the largest first.
    4. graft     every subtree takes the place of its leaf; nodes are numbered in preorder again.

Sums are whole numbers and a node's question follows from its rows: the tree is that of one thread, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.criteria.information import Terms
from spinney.grow.branches.columns import Columns
from spinney.grow.branches.grower import are_alike, begin_node, grow_alone, judge, leave, settle, team_rows
from spinney.grow.branches.memory import (
    DONE,
    NEEDS_ROOM,
    STOPPED,
    WAITS,
    Grown,
    Rows,
    make_grown,
    make_rows,
    with_room,
)
from spinney.grow.branches.partition import close_branch, has_room, open_branch
from spinney.grow.branches.statistics import Desks, desk_of, make_desks
from spinney.grow.rules import BranchRules

_ROOT = np.int64(0)


class Aside(NamedTuple):
    """A node that is grown later: what is known of it."""

    number: int
    depth: int
    rows: np.ndarray
    units: np.ndarray
    used: np.ndarray  # how often each column was asked about on the way


def grow_together(columns: Columns, rows: Rows, n_classes: int, rules: BranchRules, terms: Terms, team: Team) -> Grown:
    """Grow a tree by all threads."""
    n_rows, n_columns = len(rows.rows), len(columns.codes)
    room = columns.most_branches if rules.subset else 0
    desks = make_desks(min(team.size, n_columns), n_rows, n_columns, n_classes, room)
    grown = make_grown(columns, n_classes, n_rows)
    few, aside = team_rows(n_rows, team.size), []
    while (outcome := team.run(_grow_top, grown, columns, rows, rules, terms, desks, few)) != DONE:
        if outcome == NEEDS_ROOM:
            grown = with_room(grown, columns, n_rows)
        elif outcome == WAITS:
            aside.append(_set_aside(grown, rows, desks))
        else:
            return grown  # stopped
    aside.sort(key=lambda one: -len(one.rows))

    def grow_below(one: Aside) -> Grown:
        own = make_rows(rows.classes, one.units, columns.most_branches, one.rows)
        limited = rules._replace(max_depth=rules.max_depth - one.depth)
        return grow_alone(columns, own, n_classes, limited, terms, one.used, Team(1, inline=True))

    return _graft(grown, aside, team.map(grow_below, aside))


def _set_aside(grown: Grown, rows: Rows, desks: Desks) -> Aside:
    state = grown.state[0]
    segment = slice(int(state["begin"]), int(state["end"]))
    depth = int(grown.nodes[state["number"]]["depth"])
    return Aside(int(state["number"]), depth, rows.rows[segment].copy(), rows.units[segment].copy(), desks.used.copy())


def _graft(grown: Grown, aside: list[Aside], subtrees: list[Grown]) -> Grown:
    """Put each subtree in the place of its leaf."""
    n_main, n_children = int(grown.state[0]["n_nodes"]), int(grown.state[0]["n_children"])
    order = sorted(range(len(aside)), key=lambda k: aside[k].number)
    more = np.zeros(n_main, np.int64)  # nodes that come in after each
    for k in order:
        more[aside[k].number] = int(subtrees[k].state[0]["n_nodes"]) - 1
    place = np.arange(n_main) + np.cumsum(more) - more
    total = n_main + int(more.sum())
    nodes = np.zeros(total + 2, grown.nodes.dtype)
    class_units = np.zeros((total + 2, grown.class_units.shape[1]), np.int64)
    nodes[place], class_units[place] = grown.nodes[:n_main], grown.class_units[:n_main]
    children = [_moved(grown.children[:n_children], place)]
    for k in order:
        one, n = subtrees[k], int(subtrees[k].state[0]["n_nodes"])
        here = int(place[aside[k].number])
        nodes[here : here + n], class_units[here : here + n] = one.nodes[:n], one.class_units[:n]
        nodes["depth"][here : here + n] += aside[k].depth
        nodes["first"][here : here + n] += n_children
        children.append(_moved(one.children[: int(one.state[0]["n_children"])], np.arange(here, here + n)))
        n_children += len(children[-1])
    grown.state[0]["n_nodes"], grown.state[0]["n_children"] = total, n_children
    return grown._replace(nodes=nodes, class_units=class_units, children=np.concatenate(children))


def _moved(children: np.ndarray, place: np.ndarray) -> np.ndarray:
    return np.where(children < 0, children, place[np.maximum(children, 0)]).astype(np.int32)


@kernel
def _grow_top(rank, size, sync, grown, columns, rows, rules, terms, desks, few):
    state = grown.state[0]
    if rank == 0:
        _open_or_end(sync, columns, _walk(sync, grown, columns, rows, rules, desks, few))
    if rank >= desks.run_code.shape[0]:
        return state.outcome  # more threads than columns
    desk = desk_of(desks, rank)
    while True:
        column = take_chunk(sync)
        if column < 0:
            return state.outcome
        node = grown.nodes[state.number]
        judge(node, columns, column, rows, rules, terms, desk, state.begin, state.end, state.alike > 0)
        if finish_chunk(sync):
            if not settle(grown, columns, rows, rules, desk, state.number, state.begin, state.end, state.alike > 0):
                _close(grown, rows, columns)
            _open_or_end(sync, columns, _walk(sync, grown, columns, rows, rules, desks, few))


@inner_kernel
def _open_or_end(sync, columns, goes_on):
    if goes_on:
        open_phase(sync, columns.n_values.size)
    else:
        end_phases(sync)


@inner_kernel
def _close(grown, rows, columns):
    """The node at hand is done: its parent moves on past it."""
    state = grown.state[0]
    if state.n_frames > 0:
        close_branch(grown, rows, columns, grown.frames[state.n_frames - 1])


@inner_kernel
def _walk(sync, grown, columns, rows, rules, desks, few):
    """To the next large node that may be split, which is then at hand; returns whether there is one. Else `outcome`
    says why: the tree is done, a small node waits, or there is no room."""
    state = grown.state[0]
    if state.outcome == WAITS:
        _close(grown, rows, columns)  # what waited is set aside
    state.outcome = DONE
    while state.n_frames > 0 or not state.started:
        if not has_room(grown, rows):
            state.outcome = NEEDS_ROOM
            return False
        if stop_wanted(sync):
            state.outcome = STOPPED
            return False
        begin, end, depth = _ROOT, np.int64(rows.rows.size), _ROOT
        if state.started:
            frame = grown.frames[state.n_frames - 1]
            branch = open_branch(grown, rows, columns, frame)
            if branch < 0:
                leave(grown, columns, rows, desks, frame)
                continue
            node = grown.nodes[frame.node]
            begin, end, depth = frame.child_begin, frame.child_end, node.depth + 1
            grown.children[node.first + branch] = state.n_nodes
        state.started = 1
        state.number, state.begin, state.end = state.n_nodes, begin, end
        if not begin_node(grown, rows, rules, begin, end, depth):
            _close(grown, rows, columns)
        elif end - begin <= few:
            state.outcome = WAITS
            return False
        else:
            state.alike = are_alike(rows, begin, end)
            return True
    return False

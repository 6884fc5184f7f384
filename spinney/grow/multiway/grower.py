"""Grow an n-ary tree, depth first, in one compiled loop: what ID3 and C4.5 share.

The life of a node: it counts its rows' classes; if it is not pure and large enough, every column is put in order
and judged (search.py); the best one is chosen by the algorithm's rule; its rows are sorted by branch
(partition.py), and each branch that has rows becomes a node in turn.

One thread does it all, or several share the work. Sums are whole numbers, ties go to the first column and the
lowest cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._team import Team, end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.criteria.information import ROW, Terms
from spinney.grow.multiway.columns import MultiwayColumns
from spinney.grow.multiway.memory import (
    DONE,
    IN_GROUP,
    NEEDS_ROOM,
    NO_CUT,
    STOPPED,
    WAITS,
    MultiwayRows,
    MultiwayTree,
    make_grown,
    make_rows,
    run_with_room,
    with_room,
)
from spinney.grow.multiway.partition import close_branch, close_frame, count_segment, has_room, open_branch, open_frame
from spinney.grow.multiway.search import (
    MultiwayWorkspace,
    desk_of,
    fill_runs,
    is_significant,
    judge_column,
    make_desk,
    make_desks,
)
from spinney.grow.rules import NO_NODE, NO_SPLIT, BranchRules

# ----------------------------------------------------------------------------------------------------------------------
# By a team: large nodes are shared, a column each; below them a thread grows whole subtrees.
#
#     1. walk      depth first, as one thread does. A large node is a phase: each thread judges columns, whoever is last
#                  settles the node and walks on to the next large one.
#     2. set aside a small node that may be split stays a leaf. Its rows and their weights are copied.
#     3. subtrees  are grown from these copies, each by one thread, the largest first.
#     4. graft     every subtree takes the place of its leaf; nodes are numbered in preorder again.
#
# Sums are whole numbers and a node's question follows from its rows: the tree is that of one thread, bit for bit.


_ROOT = np.int64(0)


class Aside(NamedTuple):
    """A node that is grown later: what is known of it."""

    number: int
    depth: int
    rows: np.ndarray
    units: np.ndarray
    used: np.ndarray  # how often each column was asked about on the way


def grow_together(
    columns: MultiwayColumns, rows: MultiwayRows, n_classes: int, rules: BranchRules, terms: Terms, team: Team
) -> MultiwayTree:
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

    def grow_below(one: Aside) -> MultiwayTree:
        own = make_rows(rows.classes, one.units, columns.most_branches, one.rows)
        limited = rules._replace(max_depth=rules.max_depth - one.depth)
        return grow_alone(columns, own, n_classes, limited, terms, one.used, Team(1, inline=True))

    return _graft(grown, aside, team.map(grow_below, aside))


def _set_aside(grown: MultiwayTree, rows: MultiwayRows, desks: MultiwayWorkspace) -> Aside:
    state = grown.state[0]
    segment = slice(int(state["begin"]), int(state["end"]))
    depth = int(grown.nodes[state["number"]]["depth"])
    return Aside(int(state["number"]), depth, rows.rows[segment].copy(), rows.units[segment].copy(), desks.used.copy())


def _graft(grown: MultiwayTree, aside: list[Aside], subtrees: list[MultiwayTree]) -> MultiwayTree:
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


_TIE = 1e-9  # gains, or gain ratios, that differ by less are equal
_SLACK = 1e-3  # C4.5: how far below the average a gain may be, and what split information is none
_FEW_ROWS, _PARTS = 2048, 8  # see team_rows


def grow(
    columns: MultiwayColumns, rows: MultiwayRows, n_classes: int, rules: BranchRules, terms: Terms, team: Team
) -> MultiwayTree:
    """Grow a tree."""
    if team.size > 1 and len(rows.rows) > team_rows(len(rows.rows), team.size):
        return grow_together(columns, rows, n_classes, rules, terms, team)
    return grow_alone(columns, rows, n_classes, rules, terms, np.zeros(len(columns.codes), np.int64), team)


def grow_alone(
    columns: MultiwayColumns,
    rows: MultiwayRows,
    n_classes: int,
    rules: BranchRules,
    terms: Terms,
    used: np.ndarray,
    team: Team,
) -> MultiwayTree:
    """Grow a tree in one thread; `used`: how often each column was asked about further up."""
    room = columns.most_branches if rules.subset else 0
    desk = make_desk(len(rows.rows), len(columns.codes), n_classes, room)._replace(used=used)
    grown = make_grown(columns, n_classes, len(rows.rows))
    return run_with_room(team, _grow, grown, columns, rows, rules, terms, desk)


def team_rows(n_rows: int, n_threads: int) -> int:
    """Nodes of more rows are grown by all threads, column by column; of others a thread grows all that is below."""
    return max(_FEW_ROWS, n_rows // (_PARTS * n_threads))


@kernel
def _grow(rank, size, sync, grown, columns, rows, rules, terms, desk):
    if rank > 0:
        return DONE  # one thread does it
    state = grown.state[0]
    if not state.started:
        if not has_room(grown, rows):
            return NEEDS_ROOM
        state.started = 1
        _add_node(grown, columns, rows, rules, terms, desk, _ROOT, np.int64(rows.rows.size), _ROOT)
    while state.n_frames > 0:
        if not has_room(grown, rows):
            return NEEDS_ROOM
        if stop_wanted(sync):
            return STOPPED
        frame = grown.frames[state.n_frames - 1]
        branch = open_branch(grown, rows, columns, frame)
        if branch >= 0:
            node = grown.nodes[frame.node]
            begin, end, depth = frame.child_begin, frame.child_end, node.depth + 1
            grown.children[node.first + branch] = state.n_nodes
            if not _add_node(grown, columns, rows, rules, terms, desk, begin, end, depth):
                close_branch(grown, rows, columns, frame)
        else:
            leave(grown, columns, rows, desk, frame)
    return DONE


@inner_kernel
def leave(grown, columns, rows, desk, frame):
    """All children of a node are grown."""
    state = grown.state[0]
    close_frame(grown, rows, frame)
    desk.used[grown.nodes[frame.node].feature] -= 1
    state.n_frames -= 1
    if state.n_frames > 0:
        close_branch(grown, rows, columns, grown.frames[state.n_frames - 1])


@inner_kernel
def _add_node(grown, columns, rows, rules, terms, desk, begin, end, depth):
    """Make the next node, of one segment; returns whether it is split, and then its frame is on the stack."""
    number = grown.state[0].n_nodes
    if not begin_node(grown, rows, rules, begin, end, depth):
        return False
    alike = are_alike(rows, begin, end)
    for column in range(columns.n_values.size):
        judge(grown.nodes[number], columns, column, rows, rules, terms, desk, begin, end, alike)
    return settle(grown, columns, rows, rules, desk, number, begin, end, alike)


@inner_kernel
def begin_node(grown, rows, rules, begin, end, depth):
    """Make the next node, of one segment, a leaf for the time being; returns whether it may be split."""
    state, number = grown.state[0], grown.state[0].n_nodes
    state.n_nodes += 1
    node = grown.nodes[number]
    count_segment(grown, rows, begin, end, number)
    node.depth, node.feature, node.cut, node.n_branches, node.first = depth, NO_SPLIT, NO_CUT, 0, state.n_children
    node.threshold = np.nan
    return _may_split(node, grown.class_units[number], rules)


@inner_kernel
def judge(node, columns, column, rows, rules, terms, desk, begin, end, alike):
    """What one column's best question is worth in a node."""
    if desk.used[column] and not columns.is_number[column] and not rules.subset:
        desk.gain[column] = -1.0
    else:
        n_runs = fill_runs(columns, column, rows, begin, end, alike, desk)
        judge_column(columns, column, node, n_runs, rules, terms, desk)


@inner_kernel
def settle(grown, columns, rows, rules, desk, number, begin, end, alike):
    """All columns are judged: split the node if one is worth it; returns whether."""
    node = grown.nodes[number]
    best = _best_ratio(rules, desk) if rules.ratio else _best_gain(rules, desk)
    if best < 0 or not _is_worth(node, desk.gain[best], rules):
        return False
    if rules.critical.size > 0:
        n_runs = fill_runs(columns, best, rows, begin, end, alike, desk)
        if not is_significant(columns, best, n_runs, rules, desk):
            return False
    _ask(grown, columns, node, best, rules, desk)
    open_frame(grown, rows, columns, number, begin, end, rules.spreads)
    return True


@inner_kernel
def are_alike(rows, begin, end):
    """Whether every row of a segment weighs one row."""
    k = begin
    while k < end and rows.units[k] == ROW:
        k += 1
    return k == end


@inner_kernel
def _may_split(node, class_units, rules):
    most = np.int64(0)
    for c in range(class_units.size):
        most = max(most, class_units[c])
    return most < node.units and node.units >= rules.min_split and node.depth < rules.max_depth


@inner_kernel
def _is_worth(node, gain, rules):
    """Whether a gain is large enough for the whole tree."""
    return rules.min_decrease <= 0.0 or (gain + _TIE) * float(node.units) >= rules.min_decrease * float(rules.total)


@inner_kernel
def _best_gain(rules, desk):
    """ID3: the column of most gain; -1 if none gains `min_gain`."""
    best, most = np.int64(-1), 0.0
    for column in range(desk.gain.size):
        gain = desk.gain[column]
        if gain >= max(rules.min_gain, 0.0) - _TIE and (best < 0 or gain > most + _TIE):
            best, most = np.int64(column), gain
    return best


@inner_kernel
def _best_ratio(rules, desk):
    """C4.5: the largest gain ratio among columns of at least average gain; -1 if no column can be asked about."""
    total, n = 0.0, 0
    for column in range(desk.gain.size):
        if desk.gain[column] > -_TIE and rules.in_average[column]:
            total += desk.gain[column]
            n += 1
    best, most = np.int64(-1), -1.0
    for column in range(desk.gain.size):
        gain, info = desk.gain[column], desk.info[column]
        if gain > -_TIE and gain * n >= total - _SLACK * n and n > 0 and info > _SLACK and gain / info > most + _TIE:
            best, most = np.int64(column), gain / info
    return best


@inner_kernel
def _ask(grown, columns, node, column, rules, desk):
    """Give the node its question, and no children yet."""
    state = grown.state[0]
    node.feature, node.first = column, state.n_children
    if columns.is_number[column]:
        node.n_branches = 2
        _set_cut(columns, node, column, desk)
    else:
        node.n_branches = columns.n_values[column]
    for k in range(node.n_branches):
        grown.children[state.n_children + k] = NO_NODE
        if rules.subset and not columns.is_number[column] and desk.group[column, k] != k:
            grown.children[state.n_children + k] = IN_GROUP - desk.group[column, k]
    state.n_children += node.n_branches
    desk.used[column] += 1


@inner_kernel
def _set_cut(columns, node, column, desk):
    """The threshold midway between the neighbours; the cut is the code of the largest number up to it."""
    first = columns.first_number[column]
    low, high = columns.numbers[first + desk.low[column]], columns.numbers[first + desk.high[column]]
    middle = low / 2.0 + high / 2.0
    node.threshold = middle if low <= middle < high else low  # infinities, or no number in between
    below, above = desk.low[column], desk.high[column]
    while above - below > 1:
        code = (below + above) // 2
        if columns.numbers[first + code] <= node.threshold:
            below = code
        else:
            above = code
    node.cut = below

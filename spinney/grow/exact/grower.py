"""Exact trees: the loop, from the root to pure leaves, in one compiled call that a team of threads enters together.

Glossary
    list         a column's rows in the order of its values, entry by entry (see data/presort.py)
    node         a part of the rows; its entries are adjacent, begin .. end, in every list
    rows list    the last list: the rows themselves
    candidate    the best split of one column for one node
    side         1 for rows that go left; every list is cut in two by it, each side keeping its order
    open node    one that the whole team works on, column by column; it has a slot for its sums and candidates
    task         a node whose whole subtree one thread grows alone, in a slot of its own

The life of a tree
    sum          of every open node: what all its rows add up to
    search       of every open node, column by column: scan the list, note the best cut
    settle       of every open node: pick its column and mark the sides of its rows
    partition    of every open node, list by list; large children are open nodes in turn, small ones tasks
    subtrees     each task is a small tree of its own, grown without waiting for other threads

What differs between kinds of targets and weights is in `_do` alone, and there once: the loop around it, and all that is
a part (see _compile/parts.py) without `statistics`, is compiled once for all kinds.

Best-first trees have no tasks: the node on the frontier with the largest decrease is split next. No sum here depends on
how many threads there are, and neither do random choices, which follow from a node's path. Nodes are created in any
order and numbered at the end (freeze.py).
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import inner_kernel, kernel, kernel_each, part_kernel, refer
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.data.presort import RANK
from spinney.grow.exact.choose_split import make_children, open_node, settle
from spinney.grow.exact.partition import partition_lists
from spinney.grow.exact.search import same, search, totals
from spinney.grow.exact.small_subtrees import grow_small, most_rows
from spinney.grow.rules import NO_SPLIT, is_large, pop, push

SEARCH, PARTITION, SUBTREES, DONE, SUM, SETTLE = range(6)  # the phases
_SUM, _SEARCH, _SETTLE, _GROW = (np.int64(k) for k in range(4))  # what `_do` can do
_NEVER = -math.inf
_ROOT = np.int64(0)
_ZERO = np.int64(0)  # typed, so that callees are compiled once and not again for the literal


def _grow(rank, size, sync, columns, statistics, criterion, rules, work):
    """Grow one tree into work.nodes; returns how many nodes, 0 if stopped."""
    columns, statistics, rules, work = refer(columns), refer(statistics), refer(rules), refer(work)
    state = work.state[0]
    if rank == 0:
        _prepare(rules, work, can_split(statistics, rules, work.side.size))
        if state.phase == DONE:
            end_phases(sync)
        else:
            open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return work.n_nodes[0] if state.phase == DONE else 0
        if state.phase == PARTITION:
            _partition_chunk(rank, work, chunk)
        else:
            what, slot, at = _GROW, work.totals.shape[0] - work.entries.shape[0] + rank, _ZERO
            if state.phase == SEARCH:
                what, slot, at = _SEARCH, chunk // rules.n_features, chunk % rules.n_features
            elif state.phase != SUBTREES:
                what, slot = _SUM if state.phase == SUM else _SETTLE, chunk
            node = work.tasks[chunk] if what == _GROW else work.open[slot]
            _do(rank, sync, columns, statistics, criterion, rules, work, what, slot, node, at)
        if finish_chunk(sync):
            _go_on(rules, work)
            if state.phase == DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


grow = kernel(_grow)
grow_own = kernel_each(_grow)


@inner_kernel
def can_split(statistics, rules, n_rows):
    """Whether the root can be split at all."""
    if not is_large(rules, n_rows, _ZERO):
        return False
    for row in range(1, n_rows):
        if not same(statistics, _ZERO, row):
            return True
    return False


# --- what differs between kinds ---------------------------------------------------------------------------------------


@part_kernel
def _do(rank, sync, columns, statistics, criterion, rules, work, what, slot, first, column):
    """Sum up, search (one column) or settle a node, or do all of it for the node and all below, the smaller child of
    each node first.

    One function for everything, and each thing in it once: calls with so many arguments are costly for nodes of a few
    rows, and code is compiled as often as it is written.
    """
    # the larger child is pushed first, the smaller one taken next: each level of the stack at least halves the rows, so
    # that it never holds more than log2(rows) nodes
    stack, n_columns, waiting = work.stacks[rank], work.candidates.shape[1], 1
    stack[0] = first
    few = most_rows(statistics, columns, criterion, rules, work) if what == _GROW else _ZERO
    while waiting > 0:
        waiting -= 1
        at = stack[waiting]
        node = work.nodes[at]
        if node.end - node.begin <= few and grow_small(statistics, criterion, rules, work, rank, at):
            continue
        begin, end = column, column + 1
        if what == _SUM or what == _GROW:
            totals(statistics, work, node, work.totals[slot])
            for j in range(n_columns):
                work.candidates[slot, j].score = _NEVER
            if what == _SUM:
                return
            begin, end = 0, rules.n_features
        elif what == _SETTLE:
            begin, end = rules.n_features, rules.n_features
        while True:
            search(rank, columns, statistics, criterion, rules, work, slot, node, begin, end)
            if what == _SEARCH:
                return
            if rules.per_tree or end >= n_columns or _has_candidate(work, slot):
                break
            begin, end = end, end + 1  # none of the drawn columns can be split: draw on
        found = settle(rank, columns, statistics, criterion, rules, work, slot, node)
        if what == _SETTLE:
            return
        if found:
            make_children(rules, work, at)
            partition_lists(rank, work, node, _ZERO, work.lists.shape[0])
            small = 0 if node.n_left <= node.end - node.begin - node.n_left else 1
            for turn in range(2):
                which = small if turn == 1 else 1 - small
                if (node.keep >> which) & 1:
                    stack[waiting] = node.left + which
                    waiting += 1
        if stop_wanted(sync):
            return


@inner_kernel
def _has_candidate(work, slot):
    for j in range(work.candidates.shape[1]):
        if work.candidates[slot, j].score > _NEVER:
            return True
    return False


# --- the team's part, the same for all kinds --------------------------------------------------------------------------


@part_kernel
def _prepare(rules, work, can_split):
    """The root, and the first phase."""
    state, root = work.state[0], work.nodes[_ROOT]
    rows = work.lists[-1]
    for i in range(rows.size):
        rows[i] = (np.uint64(i) << RANK) | np.uint64(i)
    open_node(work, _ROOT, _ZERO, rows.size, _ZERO, rules.seed)
    root.lower, root.upper = -np.inf, np.inf
    state.n_open, state.n_tasks, state.heap_size, state.n_leaves, state.turn = 0, 0, 0, 1, 0
    if not can_split:
        state.phase = DONE
    elif rules.best_first or rows.size > work.team_rows:
        work.open[0], state.n_open = _ROOT, 1
        state.phase, state.n_chunks = SUM, 1
    else:
        work.tasks[0] = _ROOT
        state.phase, state.n_chunks = SUBTREES, 1


@part_kernel
def _partition_chunk(rank, work, chunk):
    n_lists = work.lists.shape[0]
    one = chunk % n_lists
    partition_lists(rank, work, work.nodes[work.open[chunk // n_lists]], one, one + 1)


@part_kernel
def _go_on(rules, work):
    """What one thread does between two phases; sets the next one."""
    state = work.state[0]
    if state.phase == SUBTREES:
        state.phase = DONE
        return
    if state.phase == SUM:
        state.phase, state.n_chunks = SEARCH, state.n_open * rules.n_features
        return
    if state.phase == SEARCH:
        state.phase, state.n_chunks = SETTLE, state.n_open
        return
    if state.phase == SETTLE:
        n_split = 0
        for slot in range(state.n_open):
            node = work.open[slot]
            if work.nodes[node].feature == NO_SPLIT:
                continue
            if rules.best_first:
                work.nodes[node].key = -work.nodes[node].decrease
                state.heap_size = push(work.heap, state.heap_size, work.nodes, node)
            else:
                work.open[n_split] = node
                n_split += 1
        state.n_open = n_split
    else:
        _open_children(rules, work)
        if state.n_open > 0:
            state.phase, state.n_chunks = SUM, state.n_open
            return
    if rules.best_first:
        _next_best(rules, work)
    for k in range(state.n_open):
        make_children(rules, work, work.open[k])
    if state.n_open > 0:
        state.phase, state.n_chunks = PARTITION, state.n_open * work.lists.shape[0]
    elif state.n_tasks > 0:
        state.phase, state.n_chunks = SUBTREES, state.n_tasks
    else:
        state.phase = DONE


@inner_kernel
def _next_best(rules, work):
    """The best node of the frontier is the one to be split, if the tree may have another leaf."""
    state = work.state[0]
    if state.heap_size > 0 and state.n_leaves < rules.max_leaves:
        node, state.heap_size = pop(work.heap, state.heap_size, work.nodes)
        work.nodes[node].turn = state.turn
        state.turn += 1
        state.n_leaves += 1
        work.open[0], state.n_open = node, 1


@inner_kernel
def _open_children(rules, work):
    """After a partition: children that can be split become open nodes or tasks."""
    state = work.state[0]
    n_parents = state.n_open
    state.n_open = 0
    parents = work.parents
    for k in range(n_parents):
        parents[k] = work.open[k]
    for k in range(n_parents):
        parent = work.nodes[parents[k]]
        for which in range(2):
            if (parent.keep >> which) & 1:
                child = parent.left + which
                one = work.nodes[child]
                if rules.best_first or one.end - one.begin > work.team_rows:
                    work.open[state.n_open] = child
                    state.n_open += 1
                else:
                    work.tasks[state.n_tasks] = child
                    state.n_tasks += 1

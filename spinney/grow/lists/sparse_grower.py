"""Exact trees on a sparse table: the loop of grower.py for one thread, on lists of what is not zero.

In: cells and statistics. Out: the nodes that grower.py would grow on the table laid out, but that `below` and `above`
of a node are places of values and not rows.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel, kernel_each, part_kernel, refer
from spinney._team import stop_wanted
from spinney.data.presort import RANK
from spinney.grow.frontier import pop, push
from spinney.grow.lists.entries import row_of
from spinney.grow.lists.grower import can_split
from spinney.grow.lists.partition import LEFT_ONLY, NEITHER, RIGHT_ONLY
from spinney.grow.lists.settle import make_children, open_node
from spinney.grow.lists.sparse_memory import BEGIN, END, OWNER, TOP
from spinney.grow.lists.sparse_search import mark_node, settle_node
from spinney.grow.lists.sparse_share import part_rows, share_entries
from spinney.grow.lists.statistics import totals

_ROOT = np.int64(0)
_ZERO = np.int64(0)


def _grow(rank, size, sync, cells, statistics, criterion, rules, work):
    """Grow one tree into work.nodes; returns how many nodes, 0 if stopped."""
    cells, statistics, rules, work = refer(cells), refer(statistics), refer(rules), refer(work)
    if rank > 0:
        return 0
    _plant(rules, work)
    _set_span(cells, _ROOT, _ZERO, np.int64(cells.n_entries), _ROOT, np.int64(cells.n_entries))
    if not can_split(statistics, rules, work.side.size):
        return work.n_nodes[0]
    if rules.best_first:
        _grow_best_first(sync, cells, statistics, criterion, rules, work)
    else:
        _grow_depth_first(sync, cells, statistics, criterion, rules, work)
    return 0 if stop_wanted(sync) else work.n_nodes[0]


grow_sparse = kernel(_grow)
grow_sparse_own = kernel_each(_grow)


@inner_kernel
def _plant(rules, work):
    rows = work.lists[-1]
    for i in range(rows.size):
        rows[i] = (np.uint64(i) << RANK) | np.uint64(i)
    work.n_nodes[0] = 1
    open_node(work, _ROOT, _ZERO, rows.size, _ZERO, rules.seed)
    work.nodes[_ROOT].lower, work.nodes[_ROOT].upper = -np.inf, np.inf


@part_kernel
def _grow_depth_first(sync, cells, statistics, criterion, rules, work):
    """The smaller child of each node first."""
    stack, waiting = work.stacks[0], 1
    stack[0] = _ROOT
    while waiting > 0 and not stop_wanted(sync):
        waiting -= 1
        at = stack[waiting]
        node = work.nodes[at]
        totals(statistics, work, node, work.totals[0])
        if not settle_node(cells, statistics, criterion, rules, work, at):
            continue
        make_children(rules, work, at)
        small = 0 if node.n_left <= node.end - node.begin - node.n_left else 1
        if cells.owner.size > 0:
            small = share_entries(cells, work, at)
        else:
            _part(cells, work, at)
        for turn in range(2):
            which = small if turn == 1 else 1 - small
            if (node.keep >> which) & 1:
                stack[waiting] = node.left + which
                waiting += 1


@part_kernel
def _grow_best_first(sync, cells, statistics, criterion, rules, work):
    """The open node with the largest decrease first. Its sides are marked anew, since others have been looked at."""
    heap_size, n_leaves, turn = np.int64(0), np.int64(1), np.int64(0)
    opened, n_opened = (_ROOT, _ROOT), 1
    while not stop_wanted(sync):
        for k in range(n_opened):
            at = opened[k]
            totals(statistics, work, work.nodes[at], work.totals[0])
            if settle_node(cells, statistics, criterion, rules, work, at):
                work.nodes[at].key = -work.nodes[at].decrease
                heap_size = push(work.heap, heap_size, work.nodes, at)
        if heap_size == 0 or n_leaves >= rules.max_leaves:
            return
        at, heap_size = pop(work.heap, heap_size, work.nodes)
        node = work.nodes[at]
        node.turn = turn
        turn += 1
        n_leaves += 1
        mark_node(cells, work, at)
        make_children(rules, work, at)
        _part(cells, work, at)
        n_opened = (node.keep & 1) + (node.keep >> 1)
        opened = (node.left + (0 if node.keep & 1 else 1), node.left + 1)


@part_kernel
def _part(cells, work, at):
    """Send a node's rows and entries to its children."""
    node = work.nodes[at]
    part_rows(work, node)
    begin, stop = cells.spans[at, BEGIN], cells.spans[at, END]
    middle = begin
    if node.keep != NEITHER:
        middle += _part_entries(cells.entries[begin:stop], work.side, cells.spare, node.keep)
    _set_span(cells, node.left, begin, middle, _ZERO, _ZERO)
    _set_span(cells, node.left + 1, middle, stop, _ZERO, _ZERO)


@inner_kernel
def _set_span(cells, at, begin, end, owner, top):
    span = cells.spans[at]
    span[BEGIN], span[END], span[OWNER], span[TOP] = begin, end, owner, top


@part_kernel(returns="int64")
def _part_entries(entries, side, spare, keep):
    """`partition`, and how many go left."""
    n, left, right = entries.size, np.int64(0), np.int64(0)
    if keep == LEFT_ONLY:
        for i in range(n):
            entry = entries[i]
            entries[left] = entry
            left += np.int64(side[row_of(entry)])
        return left
    if keep == RIGHT_ONLY:
        right = n - 1
        for i in range(n - 1, -1, -1):
            entry = entries[i]
            entries[right] = entry
            right -= 1 - np.int64(side[row_of(entry)])
        return right + 1
    for i in range(n):
        entry = entries[i]
        goes_left = np.int64(side[row_of(entry)])
        entries[left] = entry
        spare[right] = entry
        left += goes_left
        right += 1 - goes_left
    for i in range(right):
        entries[left + i] = spare[i]
    return left

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

from spinney._compile import (
    atomic_add,
    by_type,
    either,
    inner_kernel,
    kernel,
    kernel_each,
    lowest_bit,
    part_kernel,
    refer,
    separate_kernel,
)
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.criteria.impurity import GINI, SQUARED, variance_score
from spinney.criteria.user_criterion import code_of
from spinney.data.presort import MISSING, RANK
from spinney.grow.exact.partition import partition_lists, row_of
from spinney.grow.exact.search import make_children, open_node, open_root, same, search, settle, totals
from spinney.grow.rules import NO_SPLIT, is_large, is_worth, larger_side, pop, push
from spinney.grow.targets import Classes, Medians, Pairs, Values, decrease_of_pair, weight_at

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
            for child in range(2):
                which = small if child == 1 else 1 - small
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
    state, n_rows = work.state[0], work.lists.shape[1]
    open_root(rules, work)
    state.n_open, state.n_tasks, state.heap_size, state.n_leaves, state.n_splits = 0, 0, 0, 1, 0
    if not can_split:
        state.phase = DONE
    elif rules.best_first or n_rows > work.team_rows:
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
        work.nodes[node].split_number = state.n_splits
        state.n_splits += 1
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


# ----------------------------------------------------------------------------------------------------------------------
# Subtrees of a few dozen rows: half the time of a tree with pure leaves, if they were grown as large ones are.
#
# In: a node of two classes or a number, without missing values. Out: all nodes below it, the very ones that the loop
# above would make.
#
# The node's rows get numbers of their own, and its lists become a table of a few kilobytes: one *line* per place, with
# one uint16 per column, [ rank of the value : 8 | row : 8 ], ranks and rows both counted within the node. So each step
# of the walk down the lists is one step in all columns at once, and the compiler does eight of them per instruction.
# Sets of rows are bits of a word. A partition writes to the other one of two such tables; nodes have disjoint lines.
#
#                column 0      column 1      column 2
#     line 0    [ 0 | row 3 ] [ 0 | row 1 ] [ 0 | row 0 ]       the smallest value of each column, and whose it is
#     line 1    [ 0 | row 0 ] [ 1 | row 2 ] [ 0 | row 1 ]
#     line 2    [ 1 | row 1 ] [ 2 | row 0 ] [ 0 | row 3 ]       a cut after line k is allowed where the rank changes
#     line 3    [ 2 | row 2 ] [ 2 | row 3 ] [ 1 | row 2 ]
#
# Two rows need no table: the first column that tells them apart splits them as well as any other.


_ONE, _LOW = np.uint64(1), np.uint64(255)
_WORD = 64


@inner_kernel
def most_rows_of_pairs(statistics, columns, criterion, rules, work):
    """Rows up to which a subtree of this tree can be grown here; 0: none can."""
    code, n_columns = code_of(criterion), work.candidates.shape[1]
    plain = not (rules.random or rules.is_monotone or rules.by_ratio or columns.is_binned)
    if not plain or rules.critical.size > 0 or rules.n_features < n_columns or not (code == SQUARED or code == GINI):
        return np.int64(0)
    for j in range(n_columns):
        if columns.is_categorical[j]:
            return np.int64(0)
    return np.int64(work.small.amounts.shape[1])


@inner_kernel
def no_rows(statistics, columns, criterion, rules, work):
    """Other kinds of targets."""
    return np.int64(0)


@inner_kernel
def grow_small_pairs(statistics, criterion, rules, work, rank, top):
    """Grow all that is below a node; False if it cannot be done here."""
    return _grow_small(statistics, statistics.weight, code_of(criterion), rules, work, rank, top)


@inner_kernel
def grow_nothing(statistics, criterion, rules, work, rank, top):
    """Other kinds of targets."""
    return False


@part_kernel(returns="bool")
def _grow_small(statistics, weight, code, rules, work, rank, top):
    desk, nodes = work.small, work.nodes
    order, stack, amounts, weights = desk.order[rank], desk.stack[rank], desk.amounts[rank], desk.weights[rank]
    first, n_rows = nodes[top].begin, nodes[top].end - nodes[top].begin
    if not _lay_out(work, statistics, weight, rank, first, n_rows):
        return False
    every = ~np.uint64(0) >> np.uint64(_WORD - n_rows)  # the lowest n_rows bits
    w_total, s_total, _ = _sum(amounts, weights, desk.y[rank], every)
    _wait(stack[0], top, 0, every, w_total, s_total)
    waiting = 1
    while waiting > 0:
        waiting -= 1
        pending = stack[waiting]
        at, table, rows, w_total, s_total = pending.node, pending.table, pending.rows, pending.weight, pending.amount
        node = nodes[at]
        begin, n = node.begin - first, node.end - node.begin
        if n == 2:
            j, n_left, left, score = _part_two(desk.ranks[rank], amounts, weights, rows, rules.min_weight)
            low, high = np.int64(lowest_bit(left)), np.int64(lowest_bit(rows & ~left))
        else:
            j, n_left, left, score = _search(weight, desk, rank, order[table], begin, n, (w_total, s_total), rules)
            low, high = _row(order[table, begin + n_left - 1, j]), _row(order[table, begin + n_left, j])
        fall = _NEVER
        if score > _NEVER:
            fall = decrease_of_pair(statistics, code, score, (w_total, s_total), node)
        if score == _NEVER or not is_worth(rules, fall):
            _leave(work, desk.entries[rank], node, rows)
            continue
        node.feature, node.n_left, node.decrease = j, n_left, fall
        node.below, node.above = row_of(desk.entries[rank, low]), row_of(desk.entries[rank, high])
        node.left = atomic_add(work.n_nodes, 0, 2)
        w_left, s_left, mixed_left = _sum(amounts, weights, desk.y[rank], left)
        node.missing_left = larger_side(w_left, w_total)
        _, _, mixed_right = _sum(amounts, weights, desk.y[rank], rows & ~left)
        larger = np.int64(0)
        for which in range(2):
            child, some = nodes[node.left + which], left if which == 0 else rows & ~left
            from_row = node.begin if which == 0 else node.begin + n_left
            to_row = node.begin + n_left if which == 0 else node.end
            open_node(work, node.left + which, from_row, to_row, node.depth + 1, node.random)
            mixed = mixed_left if which == 0 else mixed_right
            if mixed and is_large(rules, to_row - from_row, node.depth + 1):
                w, s = (w_left, s_left) if which == 0 else (w_total - w_left, s_total - s_left)
                _wait(stack[waiting], node.left + which, 1 - table, some, w, s)
                waiting += 1
                larger = max(larger, to_row - from_row)
            else:
                _leave(work, desk.entries[rank], child, some)
        if larger > 2:  # children of two rows are split by their ranks alone
            _partition(
                order[table], order[1 - table], begin, n, n_left, left, desk.sums[rank, 0], work.candidates.shape[1]
            )
    return True


@inner_kernel
def _row(entry):
    return np.int64(np.uint64(entry) & _LOW)


@inner_kernel
def _wait(pending, node, table, rows, weight, amount):
    pending.node, pending.table, pending.rows, pending.weight, pending.amount = node, table, rows, weight, amount


@inner_kernel
def _sum(amounts, weights, y, rows):
    """(weight, amount) of a set of rows, and whether they have more than one target."""
    w, s, first, mixed = np.int64(0), np.int64(0), y[lowest_bit(rows)], False
    while rows != 0:
        i = lowest_bit(rows)
        rows &= rows - _ONE  # clears the lowest bit
        w += weights[i]
        s += amounts[i]
        mixed |= y[i] != first
    return w, s, mixed


@inner_kernel
def _leave(work, entries, node, rows):
    """A leaf: its rows, ascending, are in the rows list where they belong."""
    place = node.begin
    while rows != 0:
        work.lists[-1, place] = entries[lowest_bit(rows)]
        rows &= rows - _ONE
        place += 1


@separate_kernel
def _lay_out(work, statistics, weight, rank, first, n_rows):
    """The node's rows and lists as tables; False if a value is missing."""
    desk, n_columns = work.small, work.candidates.shape[1]
    for j in range(n_columns):
        greatest = work.lists[j, first + n_rows - 1] >> RANK
        if greatest == MISSING and work.lists[j, first] >> RANK != MISSING:
            return False
    rows, local = work.lists[-1, first : first + n_rows], work.side
    for i in range(n_rows):
        row = row_of(rows[i])
        local[row] = i
        desk.entries[rank, i], desk.weights[rank, i] = rows[i], weight_at(weight, row)
        desk.amounts[rank, i], desk.y[rank, i] = statistics.amount[row], statistics.y[row]
    lines, ranks = desk.order[rank, 0], desk.ranks[rank]
    for j in range(n_columns):
        entries = work.lists[j, first : first + n_rows]
        before, n_ranks = entries[0] >> RANK, np.int64(0)
        if before == entries[-1] >> RANK:  # such lists are not cut: these may be other rows
            for i in range(n_rows):
                lines[i, j], ranks[i, j] = i, 0
            continue
        for i in range(n_rows):
            n_ranks += np.int64(entries[i] >> RANK != before)
            before = entries[i] >> RANK
            row = np.int64(local[row_of(entries[i])])
            lines[i, j] = (n_ranks << 8) | row
            ranks[row, j] = n_ranks
    return True


@inner_kernel
def _part_two(ranks, amounts, weights, rows, min_weight):
    """(column, rows on the left, which, score) of the split of two rows."""
    a, b = np.int64(lowest_bit(rows)), np.int64(lowest_bit(rows & (rows - _ONE)))
    w, s, w_right, s_right = weights[a], amounts[a], weights[b], amounts[b]
    j = _first_difference(ranks[a], ranks[b])
    if j < 0 or min(w, w_right) < min_weight:
        return np.int64(0), np.int64(1), rows & (~rows + _ONE), _NEVER  # the lowest bit alone: any row will do
    left = a if ranks[a, j] < ranks[b, j] else b
    return j, np.int64(1), _ONE << np.uint64(left), variance_score(w, s, w_right, s_right)


@inner_kernel
def _first_difference(one, other):
    """The first place where two lines differ; -1 if none."""
    for j in range(one.size):
        if one[j] != other[j]:
            return np.int64(j)
    return np.int64(-1)


@inner_kernel
def _search(weight, desk, rank, lines, begin, n, total, rules):
    """(column, rows on the left, which, score) of the best split; ties go to the first column, then the lower cut."""
    sums, best, cuts = desk.sums[rank], desk.best[rank], desk.cuts[rank]
    _walk(weight, lines[begin : begin + n], desk.amounts[rank], desk.weights[rank], total, rules, sums, best, cuts)
    j, score = np.int64(0), _NEVER
    for k in range(best.size):
        if best[k] > score:
            j, score = np.int64(k), best[k]
    n_left, left = max(cuts[j], np.int64(1)), np.uint64(0)
    for i in range(begin, begin + n_left):
        left |= _ONE << (np.uint64(lines[i, j]) & _LOW)
    return j, n_left, left, score


@separate_kernel
def _walk(weight, lines, amounts, weights, total, rules, sums, best, cuts):
    """The best cut of every column, and its score; -inf where there is none."""
    (w_total, s_total), n, s_left, w_left = total, lines.shape[0], sums[0], sums[1]
    least = rules.min_leaf if weight is not None else max(rules.min_leaf, rules.min_weight)
    for j in range(best.size):
        s_left[j], w_left[j], best[j], cuts[j] = 0, 0, _NEVER, 0
    for k in range(1, n - least + 1):
        _move(weight, lines[k - 1], amounts, weights, s_left, w_left)
        if k >= least:
            _judge(weight, lines[k - 1], lines[k], k, n, w_total, s_total, rules.min_weight, s_left, w_left, best, cuts)


@inner_kernel
def _move(weight, line, amounts, weights, s_left, w_left):
    """The next row of every column goes left."""
    for j in range(line.size):
        s_left[j] += amounts[np.uint64(line[j]) & _LOW]
    if weight is not None:
        for j in range(line.size):
            w_left[j] += weights[np.uint64(line[j]) & _LOW]


@inner_kernel
def _judge(weight, line, after, k, n, w_total, s_total, min_weight, s_left, w_left, best, cuts):
    """The score of a cut after k rows in every column."""
    # Two entries have different ranks just if they differ in a bit above the row's eight: line ^ after > 255.
    # The better cut is chosen by a select, not a branch, so that the loop over columns can be vectorised.
    if weight is None:
        for j in range(best.size):
            score = variance_score(k, s_left[j], n - k, s_total - s_left[j])
            better = ((line[j] ^ after[j]) > 255) & (score > best[j])
            best[j] = score if better else best[j]
            cuts[j] = k if better else cuts[j]
    else:
        for j in range(best.size):
            w = w_left[j]
            rest = max(w_total - w, 1)  # it is, but in columns that only fill up the line
            score = variance_score(w, s_left[j], rest, s_total - s_left[j])
            allowed = (w >= min_weight) & (w_total - w >= min_weight) & ((line[j] ^ after[j]) > 255)
            better = allowed & (score > best[j])
            best[j] = score if better else best[j]
            cuts[j] = k if better else cuts[j]


@separate_kernel
def _partition(lines, goal, begin, n, n_left, left, n_done, n_columns):
    """Cut every column's lines in two, both sides in their old order."""
    # before place i, n_done[j] entries of column j went left and i - n_done[j] went right, to n_left and after
    for j in range(n_columns):
        n_done[j] = 0
    for i in range(n):
        for j in range(n_columns):
            entry, done = lines[begin + i, j], n_done[j]
            goes_left = np.int64((left >> (np.uint64(entry) & _LOW)) & _ONE)
            place = n_left + i - done
            goal[begin + either(goes_left != 0, done, place), j] = entry
            n_done[j] = done + goes_left


# Other kinds of targets are grown by the loop in grower.py.
most_rows = by_type(
    {Pairs: most_rows_of_pairs, Classes: no_rows, Values: no_rows, Medians: no_rows},
)
grow_small = by_type(
    {Pairs: grow_small_pairs, Classes: grow_nothing, Values: grow_nothing, Medians: grow_nothing},
)

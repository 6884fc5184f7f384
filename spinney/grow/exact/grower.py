"""THE loop of exact trees: from the root to pure leaves, in one compiled call that a team of threads enters together.

Glossary
    list         a column's rows in the order of its values, entry by entry (see data/presort.py)
    node         a part of the rows; its entries stand side by side, begin .. end, in every list
    rows list    the last list: the rows themselves
    candidate    the best split of one column for one node
    side         1 for rows that go left; every list is cut in two by it, each side keeping its order
    open node    one that the whole team works on, column by column; it has a slot for its sums and candidates
    task         a node whose whole subtree one thread grows alone, in a slot of its own

The life of a tree
    search       of every open node, column by column: scan the list, note the best cut
    settle       one thread picks each node's column and marks the sides of its rows
    partition    of every open node, list by list; large children are open nodes in turn, small ones tasks
    subtrees     each task is a small tree of its own, grown without waiting for anybody

Best-first trees have no tasks: the node on the frontier with the largest decrease is split next. No sum here depends on
how many threads there are, and neither do random choices, which follow from a node's path. Nodes are created in any
order and numbered at the end (freeze.py).
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import atomic_add, inner_kernel, kernel, kernel_each, part_kernel
from spinney._random import choose, mix
from spinney._team import end_phases, finish_chunk, open_phase, stop_wanted, take_chunk
from spinney.criteria.impurity import OWN, x_log_x
from spinney.criteria.own import code_of
from spinney.data.presort import RANK
from spinney.grow.exact.entries import count_known, row_of
from spinney.grow.exact.kinds import decrease, evidence, same, scan, totals
from spinney.grow.exact.lists import (
    BOTH,
    MOST_ORDERS,
    NEITHER,
    arrange,
    cut_in_two,
    draw_cut,
    draw_edge,
    heaviest,
    mark,
    partition,
    random_place,
)
from spinney.grow.exact.memory import NO_CHILD, NO_FEATURE, NO_ROW
from spinney.grow.exact.pairs import side_means
from spinney.grow.frontier import pop, push
from spinney.grow.limits import child_bounds

SEARCH, PARTITION, SUBTREES, DONE = range(4)  # the phases
_NEVER = -math.inf
_NO_LOGS = np.empty(0, np.int64)
_NO_KEY = np.uint64(0)
_ROOT = np.int64(0)


def _grow(rank, size, sync, columns, statistics, criterion, rules, work, has_categories, has_monotone):
    """Grow one tree into work.nodes; returns how many nodes, 0 if stopped."""
    state = work.state[0]
    if rank == 0:
        _prepare(statistics, rules, work)
        open_phase(sync, state.n_chunks)
    while True:
        chunk = take_chunk(sync)
        if chunk < 0:
            return work.n_nodes[0] if state.phase == DONE else 0
        if state.phase == SEARCH:
            slot, at = chunk // rules.n_features, chunk % rules.n_features
            _search_columns(
                rank, columns, statistics, criterion, rules, work, slot, at, at + 1, has_categories, has_monotone
            )
        elif state.phase == PARTITION:
            n_lists = work.lists.shape[0]
            one = chunk % n_lists
            _partition_lists(rank, work, work.nodes[work.open[chunk // n_lists]], one, one + 1)
        else:
            task = work.tasks[chunk]
            _grow_subtree(rank, sync, columns, statistics, criterion, rules, work, task, has_categories, has_monotone)
        if finish_chunk(sync):
            _go_on(rank, columns, statistics, criterion, rules, work, has_categories, has_monotone)
            if state.phase == DONE or stop_wanted(sync):
                end_phases(sync)
            else:
                open_phase(sync, state.n_chunks)


grow = kernel(_grow)
grow_own = kernel_each(_grow)


# --- the team's part ------------------------------------------------------------------------------------------------


@part_kernel
def _prepare(statistics, rules, work):
    """The root, and the first phase."""
    state, root = work.state[0], work.nodes[_ROOT]
    rows = work.lists[-1]
    for i in range(rows.size):
        rows[i] = (np.uint64(i) << RANK) | np.uint64(i)
    _open_node(work, _ROOT, 0, rows.size, 0, rules.seed)
    root.lower, root.upper = -np.inf, np.inf
    state.n_open, state.n_tasks, state.heap_size, state.n_leaves, state.turn = 0, 0, 0, 1, 0
    if not _may_split(statistics, rules, work, root):
        state.phase, state.n_chunks = SUBTREES, 1
        work.tasks[0] = _ROOT  # finds no split
    elif rules.best_first or rows.size > work.team_rows:
        _open_for_team(statistics, work, _ROOT)
        _begin_search(rules, work)
    else:
        work.tasks[0] = _ROOT
        state.phase, state.n_chunks = SUBTREES, 1


@inner_kernel
def _open_node(work, node, begin, end, depth, random):
    one = work.nodes[node]
    one.left, one.begin, one.end, one.depth, one.random = NO_CHILD, begin, end, depth, random
    one.feature, one.turn, one.impurity, one.above = NO_FEATURE, -1, 0.0, NO_ROW


@inner_kernel
def _open_for_team(statistics, work, node):
    """Give a node a slot."""
    state = work.state[0]
    totals(statistics, work, work.nodes[node], work.totals[state.n_open])
    work.open[state.n_open] = node
    state.n_open += 1


@inner_kernel
def _begin_search(rules, work):
    state = work.state[0]
    for slot in range(state.n_open):
        for j in range(work.candidates.shape[1]):
            work.candidates[slot, j].score = _NEVER
    state.phase, state.n_chunks = SEARCH, state.n_open * rules.n_features


@part_kernel
def _go_on(rank, columns, statistics, criterion, rules, work, has_categories, has_monotone):
    """What one thread does between two phases; sets the next one."""
    state = work.state[0]
    if state.phase == SUBTREES:
        state.phase = DONE
    elif state.phase == SEARCH:
        n_split = 0
        for slot in range(state.n_open):
            node = work.open[slot]
            _search_rest(rank, columns, statistics, criterion, rules, work, slot, has_categories, has_monotone)
            found = _settle(rank, columns, statistics, criterion, rules, work, slot, node, has_categories)
            if found and rules.best_first:
                work.nodes[node].key = -work.nodes[node].decrease
                state.heap_size = push(work.heap, state.heap_size, work.nodes, node)
            elif found:
                _make_children(statistics, rules, work, node, has_monotone)
                work.open[n_split] = node
                n_split += 1
        state.n_open = n_split
        if rules.best_first:
            _next_best(rank, columns, statistics, rules, work, has_categories, has_monotone)
        else:
            _begin_partition(rules, work)
    else:
        _open_children(statistics, rules, work)
        if state.n_open > 0:
            _begin_search(rules, work)
        elif rules.best_first:
            _next_best(rank, columns, statistics, rules, work, has_categories, has_monotone)
        else:
            _begin_partition(rules, work)


@inner_kernel
def _next_best(rank, columns, statistics, rules, work, has_categories, has_monotone):
    """Split the best node of the frontier, if the tree may have another leaf."""
    state = work.state[0]
    state.n_open = 0
    if state.heap_size > 0 and state.n_leaves < rules.max_leaves:
        node, state.heap_size = pop(work.heap, state.heap_size, work.nodes)
        one = work.nodes[node]
        one.turn = state.turn
        state.turn += 1
        state.n_leaves += 1
        _mark_sides(rank, columns, statistics, rules, work, one, has_categories)
        _make_children(statistics, rules, work, node, has_monotone)
        work.open[0] = node
        state.n_open = 1
    _begin_partition(rules, work)


@inner_kernel
def _begin_partition(rules, work):
    state = work.state[0]
    if state.n_open > 0:
        state.phase, state.n_chunks = PARTITION, state.n_open * work.lists.shape[0]
    elif state.n_tasks > 0:
        state.phase, state.n_chunks = SUBTREES, state.n_tasks
    else:
        state.phase = DONE


@inner_kernel
def _open_children(statistics, rules, work):
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
                    _open_for_team(statistics, work, child)
                else:
                    work.tasks[state.n_tasks] = child
                    state.n_tasks += 1


# --- one thread's part ----------------------------------------------------------------------------------------------


@part_kernel
def _grow_subtree(rank, sync, columns, statistics, criterion, rules, work, task, has_categories, has_monotone):
    """Grow the whole tree below a node, the smaller child of each node first."""
    slot = work.totals.shape[0] - work.entries.shape[0] + rank
    stack = work.stacks[rank]
    stack[0] = task
    waiting = 1
    while waiting > 0 and not stop_wanted(sync):
        waiting -= 1
        at = stack[waiting]
        node = work.nodes[at]
        if at == _ROOT and not _may_split(statistics, rules, work, node):
            return
        totals(statistics, work, node, work.totals[slot])
        for j in range(work.candidates.shape[1]):
            work.candidates[slot, j].score = _NEVER
        work.open[slot] = at
        n_features = rules.n_features
        _search(rank, columns, statistics, criterion, rules, work, slot, 0, n_features, has_categories, has_monotone)
        _search_rest(rank, columns, statistics, criterion, rules, work, slot, has_categories, has_monotone)
        if not _settle(rank, columns, statistics, criterion, rules, work, slot, at, has_categories):
            continue
        _make_children(statistics, rules, work, at, has_monotone)
        _partition_lists(rank, work, node, 0, work.lists.shape[0])
        small = 0 if node.n_left <= node.end - node.begin - node.n_left else 1
        for turn in range(2):
            which = small if turn == 1 else 1 - small
            if (node.keep >> which) & 1:
                stack[waiting] = node.left + which
                waiting += 1


@inner_kernel
def _search_rest(rank, columns, statistics, criterion, rules, work, slot, has_categories, has_monotone):
    """Where none of the drawn columns can be split, draw on until one can."""
    k, n_columns = rules.n_features, work.candidates.shape[1]
    while not rules.per_tree and k < n_columns and not _has_candidate(work, slot):
        _search_columns(rank, columns, statistics, criterion, rules, work, slot, k, k + 1, has_categories, has_monotone)
        k += 1


@inner_kernel
def _has_candidate(work, slot):
    for j in range(work.candidates.shape[1]):
        if work.candidates[slot, j].score > _NEVER:
            return True
    return False


@inner_kernel
def _may_split(statistics, rules, work, node):
    """Whether a node whose rows are in place can be split at all."""
    rows = work.lists[-1, node.begin : node.end]
    if not _is_large(rules, node.end - node.begin, node.depth):
        return False
    first = row_of(rows[0])
    for i in range(1, rows.size):
        if not same(statistics, first, row_of(rows[i])):
            return True
    return False


@inner_kernel
def _is_large(rules, n_rows, depth):
    return depth < rules.max_depth and n_rows >= rules.min_split and n_rows >= 2 * rules.min_leaf


# --- some columns, one node ---------------------------------------------------------------------------------------


@inner_kernel
def _search(rank, columns, statistics, criterion, rules, work, slot, first, last, has_categories, has_monotone):
    """Note the best splits of a node by some of its columns: the first-th to the last-th that it may use.

    One function with everything in it: calls with so many arguments are dear for nodes of a few rows.
    """
    node, total = work.nodes[work.open[slot]], work.totals[slot]
    order = work.chosen[rank]
    is_drawn = rules.n_features < work.candidates.shape[1]
    if is_drawn:
        choose(rules.seed if rules.per_tree else node.random, last, order)
    two_rows = node.end - node.begin == 2 and code_of(criterion) != OWN and not (rules.random or is_drawn)
    if has_monotone is not None:
        two_rows = False
    for k in range(first, last):
        j = order[k] if is_drawn else k
        entries = work.lists[j, node.begin : node.end]
        if entries[0] >> RANK == entries[-1] >> RANK:
            continue
        best, direction = work.candidates[slot, j], np.int64(0)
        out = work.entries[rank, : entries.size]
        position, threshold = np.int64(0), np.inf
        focus, n_orders, is_set = np.int64(0), np.int64(1), False
        if has_monotone is not None:
            direction = np.int64(rules.monotone[j])
        if has_categories is not None:
            is_set = columns.is_categorical[j]
            if is_set and not rules.random:
                n_orders = min(np.int64(MOST_ORDERS), np.int64(rules.n_leans))
        if rules.random and not is_set:
            key = mix(node.random, np.uint64(1000 + j))
            if columns.is_binned:
                position, threshold = draw_edge(entries, columns.values[j], columns.middles, j, key)
            else:
                position, threshold = draw_cut(entries, columns.values[j], key)
            cut_in_two(entries, position, out)
        for which in range(n_orders):
            if has_categories is not None and is_set:
                focus = heaviest(total, rules.n_leans, which) if rules.n_leans > 1 else np.int64(1)
                _arrange(rank, statistics, rules, work, node, entries, j, focus, out)
                if rules.random:
                    cut_in_two(out, random_place(mix(node.random, np.uint64(1000 + j)), out, count_known(out)), out)
            before = best.score
            walked = out if is_set or rules.random else entries
            scan(statistics, criterion, rank, work, rules, node, walked, total, direction, best, has_monotone)
            if best.score > before:
                best.focus = focus
        best.threshold = threshold if best.position == position else np.inf  # of use only if random
        if two_rows and best.score > _NEVER:
            return  # every column would part them alike


@part_kernel
def _search_columns(rank, columns, statistics, criterion, rules, work, slot, first, last, has_categories, has_monotone):
    """The same, compiled by itself: for large nodes, where a call costs nothing."""
    _search(rank, columns, statistics, criterion, rules, work, slot, first, last, has_categories, has_monotone)


@inner_kernel
def _arrange(rank, statistics, rules, work, node, entries, j, focus, out):
    key = _NO_KEY
    if rules.random:
        key = mix(node.random, np.uint64(2_000_000 + j)) | np.uint64(1)
    arrange(statistics, entries, focus, key, work.runs[rank], work.run_keys[rank], out)


# --- the node's split -----------------------------------------------------------------------------------------------


@inner_kernel
def _settle(rank, columns, statistics, criterion, rules, work, slot, at, has_categories):
    """Pick the node's column and mark its rows' sides; False if it stays a leaf."""
    node, total, code = work.nodes[at], work.totals[slot], code_of(criterion)
    j = _choose_column(rank, statistics, code, rules, work, slot, node)
    if j < 0:
        return False
    best = work.candidates[slot, j]
    fall = decrease(statistics, code, best.score, total, node)
    if not (fall >= 0.0 and fall + 1e-16 * rules.total_weight >= rules.min_decrease * rules.total_weight):
        return False
    node.feature, node.threshold, node.position, node.focus = j, best.threshold, best.position, best.focus
    node.missing_left, node.n_left = best.missing_left, best.n_left
    node.decrease = fall
    entries = work.lists[j, node.begin : node.end]
    if not (rules.random or columns.is_categorical[j]):
        _note_neighbours(node, entries, columns)
    if count_known(entries) == entries.size:  # later missing values go with the larger part
        node.missing_left = np.uint8(1) if 2 * node.n_left > entries.size else np.uint8(0)
    _mark_sides(rank, columns, statistics, rules, work, node, has_categories)
    if rules.critical.size:
        rows = work.lists[-1, node.begin : node.end]
        statistic, degrees = evidence(statistics, rank, work, rows, total)
        if not statistic > rules.critical[degrees]:
            node.feature = NO_FEATURE
            return False
    return True


@inner_kernel
def _note_neighbours(node, entries, columns):
    """What the threshold is midway between. (Values are not at hand here.)"""
    at = node.position
    node.below, node.above = row_of(entries[at - 1]), np.int64(NO_ROW)
    if at < count_known(entries):
        node.above = row_of(entries[at])
        if columns.is_binned:
            node.threshold = columns.values[node.feature, np.int64(entries[at - 1] >> RANK)]


@inner_kernel
def _choose_column(rank, statistics, code, rules, work, slot, node):
    """The column with the best candidate, -1 if there is none; of equals the one drawn first, or the leftmost."""
    chosen, best = -1, _NEVER
    n_columns, order = work.candidates.shape[1], work.chosen[rank]
    is_drawn = rules.n_features < n_columns
    if is_drawn:
        choose(rules.seed if rules.per_tree else node.random, n_columns, order)
    least = 0.0
    if rules.by_ratio:
        least = _average_decrease(statistics, code, work, slot, node)
    for k in range(n_columns):
        j = order[k] if is_drawn else k
        score = work.candidates[slot, j].score
        if rules.by_ratio and score > _NEVER:
            score = _gain_ratio(statistics, code, work, slot, node, j, least)
        if score > best:
            chosen, best = j, score
    return chosen


@inner_kernel
def _average_decrease(statistics, code, work, slot, node):
    """Mean over the columns that can be split of what their best splits gain."""
    count, mass = 0, 0.0
    for j in range(work.candidates.shape[1]):
        score = work.candidates[slot, j].score
        if score > _NEVER:
            count += 1
            mass += decrease(statistics, code, score, work.totals[slot], node)
    return mass / float(count) if count > 0 else 0.0


@inner_kernel
def _gain_ratio(statistics, code, work, slot, node, j, least):
    """Gain over the information in the split itself; -1 for a gain below the average (but for rounding)."""
    total, candidate = work.totals[slot], work.candidates[slot, j]
    gain = decrease(statistics, code, candidate.score, total, node)
    if gain < least * (1.0 - 1e-9):
        return -1.0
    left, right = candidate.weight_left, total[0] - candidate.weight_left
    split = x_log_x(total[0], _NO_LOGS) - x_log_x(left, _NO_LOGS) - x_log_x(right, _NO_LOGS)
    return gain / split


@inner_kernel
def _mark_sides(rank, columns, statistics, rules, work, node, has_categories):
    """side[row] = 1 for the node's rows that go left."""
    j = node.feature
    entries = work.lists[j, node.begin : node.end]
    if has_categories is not None:
        if columns.is_categorical[j]:
            out = work.entries[rank, : entries.size]
            _arrange(rank, statistics, rules, work, node, entries, j, node.focus, out)
            mark(out, node.position, node.missing_left, work.side)
            return
    mark(entries, node.position, node.missing_left, work.side)


@inner_kernel
def _make_children(statistics, rules, work, at, has_monotone):
    """Two nodes for the two sides; node.keep says which of them can be split further."""
    node = work.nodes[at]
    left = atomic_add(work.n_nodes, 0, 2)
    node.left = left
    middle = node.begin + node.n_left
    _open_node(work, left, node.begin, middle, node.depth + 1, mix(node.random, 0))
    _open_node(work, left + 1, middle, node.end, node.depth + 1, mix(node.random, 1))
    if has_monotone is not None:
        _bound_children(statistics, rules, work, node)
    node.keep = _sides_to_split(statistics, rules, work, node)


@inner_kernel
def _bound_children(statistics, rules, work, node):
    """Pass the bounds of the node's value on, narrowed if its column is monotone."""
    left, right = side_means(statistics, work.lists[-1, node.begin : node.end], work.side)
    one, other = work.nodes[node.left], work.nodes[node.left + 1]
    direction = np.int64(rules.monotone[node.feature])
    one.lower, one.upper, other.lower, other.upper = child_bounds(direction, left, right, node.lower, node.upper)


@inner_kernel
def _sides_to_split(statistics, rules, work, node):
    """Bit 0: the left child can be split, bit 1: the right one."""
    n, depth = node.end - node.begin, node.depth + 1
    left, right = _is_large(rules, node.n_left, depth), _is_large(rules, n - node.n_left, depth)
    rows = work.lists[-1, node.begin : node.end]
    left = left and _is_mixed(statistics, rows, work.side, 1)
    right = right and _is_mixed(statistics, rows, work.side, 0)
    return np.int64(left) + 2 * np.int64(right)


@inner_kernel
def _is_mixed(statistics, rows, side, which):
    """Whether the rows on one side have more than one target."""
    first = np.int64(-1)
    for i in range(rows.size):
        row = row_of(rows[i])
        if side[row] == which:
            if first < 0:
                first = row
            elif not same(statistics, first, row):
                return True
    return False


@inner_kernel
def _partition_lists(rank, work, node, first, last):
    """Cut some lists of a node in two. Those of the columns only where somebody will search them again."""
    n_columns, spare = work.candidates.shape[1], work.entries[rank]
    for k in range(first, last):
        entries = work.lists[k, node.begin : node.end]
        if k >= n_columns:
            partition(entries, work.side, spare, BOTH)
        elif node.keep != NEITHER and entries[0] >> RANK != entries[-1] >> RANK:
            partition(entries, work.side, spare, node.keep)

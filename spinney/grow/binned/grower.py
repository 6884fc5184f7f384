"""Trees from codes: the loop of one thread, from the root to the leaves, depth first.

Glossary
    cells     the encoded table, row by row: all codes of a row share a cache line
    rows      row numbers, node by node; a split brings the rows that go left to the front, each side in its old order
    node      rows[begin:end]
    waiting   nodes still to be visited: the left child is always next, so nodes are numbered in preorder

A node's columns are drawn by a hash of its path. It looks at one column after the other until it has seen as many as it
may choose from, and then on until one can split it. All sums are integers.

The same bins, rows and rules give the same tree as grow/exact, bit for bit. This loop is quicker: it never sorts, and
touches only the columns that a node draws. Categories are numbers here, in the order of category_order.py.
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import (
    MEMBERS,
    by_type,
    either,
    inner_kernel,
    kernel,
    kernel_each,
    lay_columns,
    lowest_bit,
    merged_kernel,
    part_kernel,
    refer,
    set_extremes,
    set_size,
    set_sum,
    set_up_to,
)
from spinney.criteria.impurity import GINI, SQUARED, class_term, pair_score, term_score, variance_score
from spinney.criteria.user_criterion import code_of
from spinney.data.thresholds import draw_code
from spinney.grow.binned.category_order import note_order, order_columns, order_root
from spinney.grow.binned.memory import (
    LANES,
    NEEDS_ROOM,
    NODES_AHEAD,
    ClassStatistics,
    Statistics,
    SumStatistics,
    draw_column,
    open_node,
    part_node,
    put,
    put_back,
    read,
    weight_and_amount,
    write,
)
from spinney.grow.binned.search import is_allowed, look_at_pairs
from spinney.grow.binned.search_classes import find_members, look_at_classes, weigh
from spinney.grow.binned.search_sums import look_at_sums
from spinney.grow.rules import NO_NODE, column_key, is_large, is_worth
from spinney.grow.targets import (
    Classes,
    Pairs,
    Values,
    decrease_of_classes,
    decrease_of_pair,
    decrease_of_values,
    same_classes,
    same_pair,
    same_values,
    weight_at,
)

# ----------------------------------------------------------------------------------------------------------------------
# Partition: a node's rows, and what they add to sums, go to its two children; each side keeps its old order.


_ONE = np.uint64(1)


@part_kernel(returns="int64")
def partition(codes, j, most, other, rows, spare_rows, stats, spare_stats, begin, end):
    """Bring rows with codes up to `most`, or equal to `other`, to the front; returns where the rest begins."""
    left, right, column = np.uint64(begin), np.uint64(0), np.uint64(j)
    for i in range(begin, end):
        row, one = rows[np.uint64(i)], read(stats, np.uint64(i))
        code = np.int64(codes[np.uint64(row), column])
        goes_left = np.uint64((code <= most) | (code == other))
        rows[left], spare_rows[right] = row, row
        write(stats, left, one)
        write(spare_stats, right, one)
        left += goes_left
        right += _ONE - goes_left
    for k in range(right):
        at = left + np.uint64(k)
        rows[at] = spare_rows[np.uint64(k)]
        write(stats, at, read(spare_stats, np.uint64(k)))
    return np.int64(left)


_NEVER = -math.inf
_LOW = np.uint64(0xFFFFFFFF)


def _grow(cells, statistics, kinds, criterion, rules, memory):
    """Grow one tree into memory.nodes; returns how many nodes, or NEEDS_ROOM, to be called again with more of it."""
    cells, statistics, kinds, rules, memory = refer(cells), refer(statistics), refer(kinds), refer(rules), refer(memory)
    n_waiting, n_nodes, n_orders = memory.progress[0], memory.progress[1], memory.progress[2]
    if n_waiting == 0:
        n_waiting = _prepare(kinds, rules, cells.codes.shape[0], statistics, memory)
        order_root(memory.orders, statistics, cells, memory, memory.waiting[0])
        n_orders = memory.orders.ahead
    most_small = most_rows(statistics, cells, rules)
    while n_waiting > 0:
        is_short = min(memory.nodes.size - n_nodes, memory.waiting.size - n_waiting) < NODES_AHEAD
        if is_short or memory.orders.made.size - n_orders < memory.orders.ahead:
            memory.progress[0], memory.progress[1], memory.progress[2] = n_waiting, n_nodes, n_orders
            return np.int64(NEEDS_ROOM)
        n_waiting -= 1
        pending, node = memory.waiting[n_waiting], memory.nodes[n_nodes]
        open_node(memory.nodes, pending, n_nodes)
        n_rows = pending.end - pending.begin
        if is_large(rules, n_rows, pending.depth) and is_mixed(statistics, kinds, pending, memory.rows):
            if n_rows <= most_small:
                n_nodes = grow_small(statistics, cells, kinds, criterion, rules, memory, n_waiting, n_nodes)
                continue
            n_orders = _search(cells, statistics, criterion, kinds.logs, rules, memory, pending, n_orders)
            if _may_be_made(kinds, statistics, criterion, rules, memory.split[0], pending):
                _split(cells, statistics, memory, node, n_nodes, n_waiting)
                n_waiting += 2
        n_nodes += 1
    memory.progress[2] = n_orders
    return n_nodes


grow_from_codes = kernel(_grow)
grow_own_from_codes = kernel_each(_grow)


@inner_kernel
def _prepare(kinds, rules, n_rows, statistics, memory):
    """The root waits."""
    w_total, s_total = np.int64(0), np.int64(0)
    for i in range(n_rows):
        weight, amount = adds(statistics, kinds, i)
        memory.rows[i] = i
        put(statistics.rows, i, weight, amount)
        w_total += weight
        s_total += amount
    for j in range(memory.order.size):
        memory.order[j] = j
    root = memory.waiting[0]
    root.begin, root.end, root.weight, root.amount = 0, n_rows, w_total, s_total
    root.random, root.depth, root.parent, root.is_right = rules.seed, 0, NO_NODE, 0
    return np.int64(1)


@inner_kernel
def _pair_adds(statistics, kinds, i):
    """Weight and amount of a row."""
    return weight_at(kinds.weight, i), np.int64(kinds.amount[i])


@inner_kernel
def _class_adds(statistics, kinds, i):
    """Weight and class."""
    return weight_at(kinds.weight, i), np.int64(kinds.place[0, i]) - 1


@inner_kernel
def _sums_add(statistics, kinds, i):
    return statistics.table[i, 0], np.int64(0)


@inner_kernel
def _is_mixed_pair(statistics, kinds, node, rows):
    """Whether a node has more than one target."""
    if kinds.y.size == 0:
        return 0 < node.amount < node.weight
    return _is_mixed_sums(statistics, kinds, node, rows)


@inner_kernel
def _is_mixed_classes(statistics, kinds, node, rows):
    """The class is in the lower half of what a row adds."""
    stats = statistics.rows
    first = stats[node.begin]
    for i in range(node.begin + 1, node.end):
        if (stats[i] ^ first) & _LOW != 0:
            return True
    return False


@inner_kernel
def _is_mixed_sums(statistics, kinds, node, rows):
    first = np.int64(rows[node.begin])
    for i in range(node.begin + 1, node.end):
        if not same(kinds, first, np.int64(rows[i])):
            return True
    return False


@inner_kernel
def _fall_of_pair(statistics, kinds, criterion, split, node):
    """What the split takes off the node's impurity."""
    return decrease_of_pair(kinds, criterion, split.score, (node.weight, node.amount), node)


@inner_kernel
def _fall_of_sums(statistics, kinds, criterion, split, node):
    return decrease(kinds, code_of(criterion), split.score, statistics.total, node)


# What differs between targets
same = by_type({Pairs: same_pair, Classes: same_classes, Values: same_values})
decrease = by_type({Pairs: decrease_of_pair, Classes: decrease_of_classes, Values: decrease_of_values})
# and between layouts: two classes or a number; more classes; anything else
adds = by_type({Statistics: _pair_adds, ClassStatistics: _class_adds, SumStatistics: _sums_add})
is_mixed = by_type({Statistics: _is_mixed_pair, ClassStatistics: _is_mixed_classes, SumStatistics: _is_mixed_sums})
fall_of = by_type({Statistics: _fall_of_pair, ClassStatistics: _fall_of_sums, SumStatistics: _fall_of_sums})
look = by_type({Statistics: look_at_pairs, ClassStatistics: look_at_classes, SumStatistics: look_at_sums})


@merged_kernel
def _search(cells, statistics, criterion, logs, rules, memory, node, n_orders):
    """Find the node's best split among the columns it draws; returns how many orders of categories there are now."""
    split, n_columns, n_features = memory.split[0], memory.order.size, rules.n_features
    split.score, split.feature = _NEVER, n_columns
    key = rules.seed if rules.per_tree else node.random
    seen, wanted, is_drawn = 0, n_features, n_features < n_columns
    while seen < wanted:
        if is_drawn:
            for k in range(seen, wanted):
                draw_column(key, memory.order, memory.drawn, k)
        if not rules.random:
            n_orders = order_columns(memory.orders, statistics, cells, memory, node, n_orders, seen, wanted)
        look(statistics, cells, criterion, logs, rules, memory, node, seen, wanted)
        seen = wanted
        if split.score == _NEVER and wanted < n_columns and not rules.per_tree:
            wanted += 1
    put_back(memory.order, memory.drawn, seen if is_drawn else 0)
    return n_orders


@merged_kernel
def _may_be_made(kinds, statistics, criterion, rules, split, node):
    if split.score == _NEVER:
        return False
    return is_worth(rules, fall_of(statistics, kinds, criterion, split, node))


@merged_kernel
def _split(cells, statistics, memory, node, number, n_waiting):
    """Part the node's rows; its children wait."""
    split = memory.split[0]
    j, missing_left = split.feature, split.missing_left == 1
    middle = partition(
        cells.codes,
        j,
        split.code,
        cells.missing[j] if missing_left else split.code,
        memory.rows,
        memory.spare_rows,
        statistics.rows,
        statistics.spare,
        node.begin,
        node.end,
    )
    part_node(memory.waiting, n_waiting, node, number, split, middle)
    note_order(memory.orders, node)


# ----------------------------------------------------------------------------------------------------------------------
# Subtrees of up to 64 rows with random cuts: half the time of extra-trees, if they were grown as large ones are.
#
# In: a waiting node of classes or a number. Out: all nodes below it, the very ones that the loop in grower.py would
# make, and the rows of its leaves in their places.
#
# The codes of the node's rows become a table with one line of 64 bytes per column, and a set of these rows is the bits
# of a word (`_compile/sets.py`). So the smallest and the largest code of a node, and the rows on the left of its cut,
# are a few instructions per column whatever the number of rows. No row is moved before the leaves are known.
#
#     table, column j    [ code of row 0 | code of row 1 | ... | code of row 63 ]      one or two vector registers
#     node               0 1 1 0 ... 0                                                 bit i: row i belongs to it
#     left child         node & (table[j] <= code)            right child              node & ~left


_NOBODY = np.uint64(0)


@inner_kernel
def _most_of_sets(statistics, cells, rules):
    """Rows up to which a subtree can be grown here; 0: none can. A table must not be made for a few columns of many."""
    return MEMBERS if rules.random and LANES * rules.n_features > cells.codes.shape[1] else 0


@inner_kernel
def _none(statistics, cells, rules):
    return 0


@inner_kernel
def _grow_nothing(statistics, cells, kinds, criterion, rules, memory, place, number):
    return np.int64(number)


@part_kernel(returns="int64")
def _grow_small(statistics, cells, kinds, criterion, rules, memory, place, number):
    """Grow all that is below the node that waits at this place; returns the number of the next node to come."""
    small, waiting, nodes, split = memory.small, memory.waiting, memory.nodes, memory.split[0]
    least = rules.min_leaf, rules.min_weight
    begin, end = waiting[place].begin, waiting[place].end
    lay_columns(cells.codes, memory.rows, (begin, end), small.table)
    keep_rows(statistics, kinds, memory, begin, end)
    small.sets[0] = ~_NOBODY >> np.uint64(MEMBERS - (end - begin))  # the lowest end - begin bits
    # sets[k] are the rows of waiting[place + k]: one stack in two arrays. The left child is on top, so that nodes come
    # out in preorder, numbered as they are opened.
    n_sets = 1
    while n_sets > 0:
        n_sets -= 1
        pending, node, rows = waiting[place + n_sets], nodes[number], small.sets[n_sets]
        open_node(nodes, pending, number)
        n, left = pending.end - pending.begin, _NOBODY
        if is_large(rules, n, pending.depth) and is_mixed_set(statistics, kinds, small, pending, rows):
            total = n, pending.weight, pending.amount
            left = _search_small(statistics, cells, kinds, criterion, rules, memory, least, total, pending.random, rows)
            if left != 0:
                fall = fall_of(statistics, kinds, criterion, split, pending)
                left = left if is_worth(rules, fall) else _NOBODY
        if left != 0:
            part_node(waiting, place + n_sets, node, number, split, node.begin + set_size(left))
            small.sets[n_sets], small.sets[n_sets + 1] = rows & ~left, left
            n_sets += 2
        else:
            leave(statistics, memory.rows, small, node.begin, rows)
        number += 1
    return np.int64(number)


@inner_kernel
def _keep_pairs(statistics, kinds, memory, begin, end):
    """What a node's rows add, row by row."""
    small, stats, second = memory.small, statistics.rows, _NOBODY
    for i in range(end - begin):
        weight, amount = weight_and_amount(stats, read(stats, begin + i))
        small.weights[i], small.amounts[i] = weight, amount
        second |= np.uint64(amount != 0) << np.uint64(i)
        if stats.ndim > 1:
            small.rows[i] = memory.rows[begin + i]
            if kinds.y.size > 0:
                small.y[i] = kinds.y[memory.rows[begin + i]]
    small.second[0] = second


@inner_kernel
def _keep_classes(statistics, kinds, memory, begin, end):
    small, stats = memory.small, statistics.rows
    small.second[0] = find_members(stats, begin, end, statistics.members, small.weights)
    for i in range(end - begin):
        small.rows[i], small.amounts[i] = memory.rows[begin + i], stats[begin + i]


@inner_kernel
def _is_mixed_pair_set(statistics, kinds, small, pending, rows):
    """Whether a set has more than one target."""
    if kinds.y.size == 0:
        return 0 < pending.amount < pending.weight
    first = small.y[lowest_bit(rows)]
    while rows != 0:
        if small.y[lowest_bit(rows)] != first:
            return True
        rows &= rows - _ONE
    return False


@inner_kernel
def _is_mixed_class_set(statistics, kinds, small, pending, rows):
    """The same; if so, the weight of each class is in statistics.total."""
    members, total, is_one, n = statistics.members, statistics.total, small.second[0] == 1, np.int64(0)
    for c in range(members.size):
        total[c + 1] = weigh(rows & members[c], small.weights, is_one)
        n += np.int64(rows & members[c] != 0)
    total[0] = pending.weight
    return n > 1


@inner_kernel
def _leave_pairs(statistics, rows, small, begin, members):
    """The rows of a leaf, in their old order; nobody asks for them with two classes."""
    if statistics.rows.ndim > 1:
        while members != 0:
            rows[begin] = small.rows[lowest_bit(members)]
            members &= members - _ONE
            begin += 1


@inner_kernel
def _leave_classes(statistics, rows, small, begin, members):
    while members != 0:
        i = lowest_bit(members)
        rows[begin], statistics.rows[begin] = small.rows[i], small.amounts[i]
        members &= members - _ONE
        begin += 1


@inner_kernel
def _search_small(statistics, cells, kinds, criterion, rules, memory, least, total, random, rows):
    """Find the best split among the columns that a node draws; returns its rows on the left, nobody if it has none."""
    split, n_columns, wanted = memory.split[0], memory.order.size, rules.n_features
    split.score, left, seen = _NEVER, _NOBODY, 0
    key = rules.seed if rules.per_tree else random
    is_drawn = wanted < n_columns
    judged = statistics, kinds, criterion, least, total, memory.small
    while seen < wanted:
        until = seen + 1 if total[0] == 2 else wanted
        if is_drawn:
            for k in range(seen, until):
                draw_column(key, memory.order, memory.drawn, k)
        left = _look(judged, cells, memory, split, random, rows, memory.order[seen:until], left)
        seen = until
        if total[0] == 2 and left != 0:  # the first column that tells two rows apart splits them as well as any other
            break
        if seen == wanted and split.score == _NEVER and wanted < n_columns and not rules.per_tree:
            wanted += 1
    put_back(memory.order, memory.drawn, seen if is_drawn else 0)
    return left


@inner_kernel
def _look(judged, cells, memory, split, random, rows, columns, best):
    """Try some columns; returns the rows on the left of the best split so far."""
    criterion, small, middles = judged[2], memory.small, cells.middles
    low, high, code, lacks = small.low, small.high, small.code, False
    for k in range(columns.size):
        low[k], high[k] = set_extremes(small.table, columns[k], rows)
        lacks |= high[k] == cells.missing[columns[k]]
    if lacks or not are_quick(judged[0], criterion):
        for k in range(columns.size):
            if low[k] < high[k]:
                best = _try(
                    judged, cells, split, columns[k], low[k], high[k], column_key(random, columns[k]), rows, best
                )
        return best
    for k in range(columns.size):
        code[k] = draw_code(middles, columns[k], low[k], high[k], column_key(random, columns[k]))
    return _judge(judged, split, columns, rows, best)


@inner_kernel
def _judge(judged, split, columns, rows, best):
    """The same where nothing is missing, the cuts being known: all columns without a branch to be predicted."""
    statistics, kinds, _, least, (n_total, w_total, s_total), small = judged
    score, at = split.score, np.int64(-1)
    for k in range(columns.size):
        left = rows & set_up_to(small.table, columns[k], small.code[k])
        n, w, s = _sums_of_pair(statistics, kinds, small, left)
        # a constant column has everything on the left; its score is thrown away, but must not divide by zero
        new = variance_score(w, s, max(w_total - w, 1), s_total - s)
        allowed = (n >= least[0]) & (n_total - n >= least[0]) & (w >= least[1]) & (w_total - w >= least[1])
        better = allowed & (small.low[k] < small.high[k]) & (new > score)
        score, at = either(better, new, score), either(better, np.int64(k), at)
    if at < 0:
        return best
    left = rows & set_up_to(small.table, columns[at], small.code[at])
    _, w, s = _sums_of_pair(statistics, kinds, small, left)
    _note(split, score, w, s, columns[at], small.code[at], 0, False)
    return left


@inner_kernel
def _sums_of_pair(statistics, kinds, small, left):
    """(rows, weight, amount) of a set."""
    n = set_size(left)
    w = n if kinds.weight is None else set_sum(small.weights, left)
    if kinds.weight is None and statistics.rows.ndim == 1:
        s = set_size(left & small.second[0])  # two classes, all rows weigh 1: amounts are bits, too
    else:
        s = set_sum(small.amounts, left)
    return n, w, s


@inner_kernel
def _note(split, score, w, s, column, code, missing_left, has_missing):
    split.score, split.feature, split.code, split.missing_left = score, column, code, missing_left
    split.weight, split.amount, split.has_missing = w, s, has_missing


@inner_kernel
def _try(judged, cells, split, j, low, high, key, rows, best):
    """One random cut; where values are missing they go right, or are alone on the right, or go left.

    `low` and `high` are the least and the greatest code.
    """
    table, missing = judged[5].table, cells.missing[j]
    known, has_missing = rows & set_up_to(table, j, missing - 1), high == missing
    if has_missing:
        _, high = set_extremes(table, j, known)
    left, code = _NOBODY, missing
    if low < high:
        code = draw_code(cells.middles, j, low, high, key)
        left = rows & set_up_to(table, j, code)
        best = _offer(judged, split, left, best, j, code, 0, has_missing)
    if has_missing:
        best = _offer(judged, split, known, best, j, missing - 1, 0, True)
        if low < high:
            best = _offer(judged, split, left | (rows & ~known), best, j, code, 1, True)
    return best


@inner_kernel
def _offer(judged, split, left, best, column, code, missing_left, has_missing):
    """Note the split if it is allowed and beats what is there; returns the rows on the left of the better one."""
    statistics, kinds, criterion, least, total, small = judged
    n, w, s = sums_of(statistics, kinds, small, left)
    if not is_allowed(least, n, w, total[0], total[1]):
        return best
    score = score_of(statistics, kinds, criterion, small, total, (w, s), left)
    if score > split.score:
        _note(split, score, w, s, column, code, missing_left, has_missing)
        return left
    return best


@inner_kernel
def _sums_of_classes(statistics, kinds, small, left):
    return set_size(left), weigh(left, small.weights, small.second[0] == 1), np.int64(0)


@inner_kernel
def _score_of_pair(statistics, kinds, criterion, small, total, sums, left):
    return pair_score(criterion, sums[0], sums[1], total[1] - sums[0], total[2] - sums[1], kinds.logs)


@inner_kernel
def _score_of_classes(statistics, kinds, criterion, small, total, sums, left):
    members, whole, is_one = statistics.members, statistics.total, small.second[0] == 1
    left_term, right_term = np.int64(0), np.int64(0)
    for c in range(members.size):
        if whole[c + 1] > 0:
            weight = weigh(left & members[c], small.weights, is_one)
            left_term += class_term(criterion, weight, kinds.logs)
            right_term += class_term(criterion, whole[c + 1] - weight, kinds.logs)
    return term_score(criterion, left_term, right_term, sums[0], total[1] - sums[0], 1, kinds.logs)


@inner_kernel
def _are_quick_pairs(statistics, criterion):
    return criterion == SQUARED or criterion == GINI


@inner_kernel
def _are_slow(statistics, criterion):
    return False


# Anything else is grown by the loop above.
most_rows = by_type({Statistics: _most_of_sets, ClassStatistics: _most_of_sets, SumStatistics: _none})
grow_small = by_type({Statistics: _grow_small, ClassStatistics: _grow_small, SumStatistics: _grow_nothing})
keep_rows = by_type({Statistics: _keep_pairs, ClassStatistics: _keep_classes})
is_mixed_set = by_type({Statistics: _is_mixed_pair_set, ClassStatistics: _is_mixed_class_set})
leave = by_type({Statistics: _leave_pairs, ClassStatistics: _leave_classes})
sums_of = by_type({Statistics: _sums_of_pair, ClassStatistics: _sums_of_classes})
score_of = by_type({Statistics: _score_of_pair, ClassStatistics: _score_of_classes})
are_quick = by_type({Statistics: _are_quick_pairs, ClassStatistics: _are_slow})

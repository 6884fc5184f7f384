"""What one thread does between phases: choose the children's splits and the next node, and split that node in two.

In: the threads' candidates, or a node whose rows have been partitioned. Out: nodes on the frontier, state.node to be
split next (NO_NODE: the tree is grown), children with their sums, bounds and slots for histograms.

Best-first growth, node by node. A node gets on the frontier only with its best split known and its histogram kept,
since its children's histograms are made from it:

    histograms of two children -> their best splits -> both onto the frontier -> pop the node of largest gain
    -> partition its rows -> two children -> histogram of the smaller one, the other by subtraction -> ...

Only the frontier's order decides which nodes a tree of `max_leaves` leaves has. Gains are compared bit for bit and ties
go to the smaller node number, and nodes are numbered here, by one thread: so the tree is the same on any number of
threads.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney.criteria.gains import bounded_score, clip, leaf_score
from spinney.grow.boosting.leaves import value_of
from spinney.grow.boosting.memory import NO_SLOT, ROOT
from spinney.grow.boosting.partition import LEFT
from spinney.grow.boosting.scan_bins import is_better
from spinney.grow.frontier import pop, priority, push
from spinney.grow.rules import NO_NODE, NO_SPLIT, allow_features, child_bounds, may_split, narrow_groups

_PACKED, _WIDE = 0, 1
_STANDS_OUT = 5.0  # the largest of thousands of rounding noises, whose variance is up to a quarter, twenty-fold


@inner_kernel
def settle(rules, fields, work):
    """Keep each child's best split, give back histograms that nobody needs, choose the next node."""
    state, nodes = work.state[0], work.nodes
    if state.node >= 0:
        # the parent's histogram is needed no more: subtraction has turned it into the larger child's, in place, unless
        # that one is packed and the parent's wide
        parent, big = nodes[state.node], nodes[state.big]
        if state.big_wanted and parent.is_wide == big.is_wide:
            parent.slot = NO_SLOT
        give_slot(work, parent)
    for turn in range(2):
        wanted = state.small_wanted if turn == 0 else state.big_wanted
        child = state.small if turn == 0 else state.big
        if wanted:
            _choose_split(rules, fields, work, child)
        elif child != ROOT:
            give_slot(work, nodes[child])
    next_node(rules, work)


@inner_kernel
def _choose_split(rules, fields, work, at):
    """The best of the threads' candidates; the node joins the frontier if it gains anything."""
    state, node = work.state[0], work.nodes[at]
    side = at - state.first
    # each thread has the best of the columns it happened to search; `is_better` is a total order, so that the best of
    # these does not depend on who searched what
    found = work.best[0, side]
    for rank in range(1, work.desks.size):
        other = work.best[rank, side]
        if is_better(other.score, other.feature, found):
            found = other
    if keep_split(rules, fields, node, found):
        put_on_frontier(rules, work, at)
    else:
        give_slot(work, node)


@inner_kernel
def keep_split(rules, fields, node, found):
    """Write a split into its node, if it gains anything, and enough; returns whether it does."""
    # gain = score(left) + score(right) - score(node), a score being G**2 / (H + l2) (twice the objective's decrease)
    gain = found.score - _node_score(node, fields, rules)
    if found.score == -np.inf or not _stands_out(gain, found.score, node, fields, rules):
        return False
    if gain < rules.least_gain:
        return False
    write_split(node, found, gain)
    return True


@inner_kernel
def write_split(node, found, gain):
    """Note a split in its node."""
    node.gain = gain
    node.feature = found.feature
    node.code = found.code
    node.missing_left = found.missing_left
    for w in range(4):
        node.bits[w] = found.bits[w]
    node.left_gradient = found.gradient
    node.left_hessian = found.hessian
    node.left_count = found.count


@inner_kernel
def put_on_frontier(rules, work, at):
    """Put a node with a split on the frontier."""
    state, nodes = work.state[0], work.nodes
    nodes[at].key = priority(rules.best_first, at, nodes[at].gain)
    state.heap_size = push(work.heap, state.heap_size, nodes, at)


@inner_kernel
def _node_score(node, fields, rules):
    """What a node scores as a leaf."""
    gradient, hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    if rules.has_monotone:
        return bounded_score(gradient, hessian, node.lower, node.upper, rules.penalty)
    return leaf_score(gradient, hessian, rules.penalty)


@inner_kernel
def _stands_out(gain, score, node, fields, rules):
    """A gain must stand out from the rounding of the scores it is the difference of, and from that of the statistics.

    Rows that are all alike but for rounding, each off by up to one unit (or by a share of itself, where rows have
    exponents), seem to gain about the second bound at best.
    """
    # Rounding changes a row's g - value * h, with a variance of at most a quarter of `noise`. Among n rows that nothing
    # else tells apart, a cut gains n * noise / 4 / weight times a chi-squared of one degree of freedom, which exceeds
    # 20 with a probability of 1e-5: hardly ever among the thousands of cuts of a node.
    gradient, hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    weight = hessian + rules.penalty.l2
    value = gradient / weight if weight > 0.0 else 0.0
    share = fields.coarseness / node.count
    gradient_noise = fields.gradient_unit * fields.gradient_unit + share * share * gradient * gradient
    hessian_noise = fields.hessian_unit * fields.hessian_unit + share * share * hessian * hessian
    noise = gradient_noise + value * value * hessian_noise
    return gain > 1e-12 * score and gain * weight > _STANDS_OUT * node.count * noise


@inner_kernel
def next_node(rules, work):
    """Take the next node off the frontier, or end the growth."""
    state = work.state[0]
    if state.heap_size == 0 or state.n_leaves >= rules.max_leaves:
        state.node = NO_NODE
    else:
        state.node, state.heap_size = pop(work.heap, state.heap_size, work.nodes)


# --- nodes ---------------------------------------------------------------------------------------------------------


@inner_kernel
def plant(rules, work, n_rows):
    """A tree of one node: the root is every row, and its sums are not known yet."""
    state, root = work.state[0], work.nodes[ROOT]
    state.n_nodes = state.n_leaves = 1
    state.heap_size = 0
    root.left, root.feature = NO_NODE, NO_SPLIT
    root.begin, root.end, root.depth = 0, n_rows, 0
    root.lower, root.upper = -np.inf, np.inf
    root.gradient = root.hessian = root.count = root.fine_gradient = root.fine_hessian = 0
    for g in range(work.groups.shape[1]):
        work.groups[ROOT, g] = 1
    allow_features(rules, ROOT, work.groups[ROOT], work.allowed[0], work.order)


@inner_kernel
def open_children(table, fields, rules, work):
    """Make the two children of a node whose rows have been partitioned."""
    state, nodes, middle = work.state[0], work.nodes, work.cursor[LEFT]
    node = nodes[state.node]
    node.left = state.n_nodes
    left, right = nodes[node.left], nodes[node.left + 1]
    state.n_nodes += 2
    state.n_leaves += 1
    make_pair(table.columns, fields, rules, node, left, right, middle)
    for side in range(2):
        child = nodes[node.left + side]
        child.is_wide = child.end - child.begin > fields.block_rows
        narrow_groups(rules, work.groups[state.node], node.feature, work.groups[node.left + side])
    left_is_small = 2 * middle <= node.begin + node.end
    state.first = node.left
    state.small = node.left + (0 if left_is_small else 1)
    state.big = node.left + (1 if left_is_small else 0)
    _plan_histograms(fields, rules, work)


@inner_kernel
def make_pair(columns, fields, rules, node, left, right, middle):
    """Two children, whose rows meet at `middle`: segments, sums and bounds; no splits and no slots yet."""
    left.begin, left.end, right.begin, right.end = node.begin, middle, middle, node.end
    left.gradient, right.gradient = node.left_gradient, node.gradient - node.left_gradient
    left.hessian, right.hessian = node.left_hessian, node.hessian - node.left_hessian
    left.count, right.count = node.left_count, node.count - node.left_count
    left.left = right.left = NO_NODE
    left.feature = right.feature = NO_SPLIT
    left.slot = right.slot = NO_SLOT
    left.depth = right.depth = node.depth + 1
    left.fine_gradient = left.fine_hessian = right.fine_gradient = right.fine_hessian = 0
    left.lower, left.upper, right.lower, right.upper = child_bounds(
        columns[node.feature].monotone,
        clip(_coarse_value(fields, rules, left), node.lower, node.upper),
        clip(_coarse_value(fields, rules, right), node.lower, node.upper),
        node.lower,
        node.upper,
    )


@inner_kernel
def is_promising(fields, rules, node):
    """Whether to look for a split of a node."""
    return may_split(node.count, node.hessian * fields.hessian_unit, node.depth, rules)


@inner_kernel
def _plan_histograms(fields, rules, work):
    """Which children will be searched, and where their histograms go. The big one takes over its parent's."""
    state, nodes = work.state[0], work.nodes
    small, big = nodes[state.small], nodes[state.big]
    room = state.n_leaves < rules.max_leaves
    state.small_wanted = room and is_promising(fields, rules, small)
    state.big_wanted = room and is_promising(fields, rules, big)
    if not (state.small_wanted or state.big_wanted):
        return
    # the small child is summed even if only the big one is searched: big = parent - small costs fewer rows
    small.slot = take_slot(work, small.is_wide != 0)
    if state.big_wanted:
        parent = nodes[state.node]
        big.slot = parent.slot if parent.is_wide == big.is_wide else take_slot(work, big.is_wide != 0)
    state.by_words = small.end - small.begin <= work.few_rows
    for side in range(2):
        child = state.first + side
        allow_features(rules, child, work.groups[child], work.allowed[side], work.order)


@inner_kernel
def _coarse_value(fields, rules, node):
    """A node's leaf value from the sums in its histogram."""
    return value_of(node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit, rules)


# --- slots for histograms ------------------------------------------------------------------------------------------


@inner_kernel
def free_slots(work, n_packed, n_wide):
    """Nobody has a histogram yet."""
    state = work.state[0]
    state.n_free_packed, state.n_free_wide = n_packed, n_wide
    for i in range(work.free_slots.shape[1]):
        work.free_slots[_PACKED, i] = work.free_slots[_WIDE, i] = i


@inner_kernel
def take_slot(work, is_wide):
    state = work.state[0]
    if is_wide:
        state.n_free_wide -= 1
        return work.free_slots[_WIDE, state.n_free_wide]
    state.n_free_packed -= 1
    return work.free_slots[_PACKED, state.n_free_packed]


@inner_kernel
def give_slot(work, node):
    state = work.state[0]
    if node.slot == NO_SLOT:
        return
    if node.is_wide:
        work.free_slots[_WIDE, state.n_free_wide] = node.slot
        state.n_free_wide += 1
    else:
        work.free_slots[_PACKED, state.n_free_packed] = node.slot
        state.n_free_packed += 1
    node.slot = NO_SLOT

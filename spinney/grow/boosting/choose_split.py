"""What one thread does between phases, for all layouts: is a split worth making, which node is next, two children.

In: the best candidate of a node, or a node whose rows have been partitioned. Out: nodes on the frontier, state.node to
be split next (NO_NODE: the tree is grown), children with their sums and bounds.

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
from spinney.grow.rules import NO_NODE, NO_SPLIT, allow_features, child_bounds, may_split, pop, priority, push

_STANDS_OUT = 5.0  # the largest of thousands of rounding noises, whose variance is up to a quarter, twenty-fold


@inner_kernel
def keep_split(rules, fields, node, found):
    """Write a split into its node, if it gains anything, and enough; returns whether it does."""
    # gain = score(left) + score(right) - score(node), a score being G**2 / (H + l2) (twice the objective's decrease)
    gain = found.score - node_score(node, fields, rules)
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
def node_score(node, fields, rules):
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
    share = fields.coarseness / node.count
    gradient, hessian = node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit
    gradient_noise = fields.gradient_unit * fields.gradient_unit + share * share * gradient * gradient
    hessian_noise = fields.hessian_unit * fields.hessian_unit + share * share * hessian * hessian
    return gain > 1e-12 * score and exceeds_noise(gain, node, gradient_noise, hessian_noise, fields, rules)


@inner_kernel
def exceeds_noise(gain, node, gradient_noise, hessian_noise, fields, rules):
    """Whether a gain is more than the rounding of gradients and hessians, by units of these squares, can make."""
    # Rounding changes a row's g - value * h, with a variance of at most a quarter of `noise`. Among n rows that nothing
    # else tells apart, a cut gains n * noise / 4 / weight times a chi-squared of one degree of freedom, which exceeds
    # 20 with a probability of 1e-5: hardly ever among the thousands of cuts of a node.
    weight = node.hessian * fields.hessian_unit + rules.penalty.l2
    value = node.gradient * fields.gradient_unit / weight if weight > 0.0 else 0.0
    noise = gradient_noise + value * value * hessian_noise
    return gain * weight > _STANDS_OUT * node.count * noise


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
def open_root(rules, work, n_rows):
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
def _coarse_value(fields, rules, node):
    """A node's leaf value from the sums in its histogram."""
    return value_of(node.gradient * fields.gradient_unit, node.hessian * fields.hessian_unit, rules)

"""Which splits of boosted trees with exact thresholds are made, and which node is next.

In: the threads' candidates for a node or its two children. Out: splits in their nodes, nodes on the frontier, and in
state.node the one to be split next (NO_NODE: the tree is grown).
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney.grow.boosted_scan import gradient_of, hessian_of, is_plain, score_alone
from spinney.grow.histogram.scan_bins import is_better
from spinney.grow.histogram.settle import next_node, put_on_frontier, write_split

_ALIKE = 4  # units by which rounding may part rows that are alike
_STANDS_OUT = 5.0  # as in grow/histogram/settle.py


@inner_kernel
def settle(rows, rules, work):
    """Keep each child's best split, and choose the next node."""
    state = work.state[0]
    for turn in range(2):
        if state.small_wanted if turn == 0 else state.big_wanted:
            at = state.small if turn == 0 else state.big
            found = work.best[0, at - state.first]
            for rank in range(1, work.best.shape[0]):
                other = work.best[rank, at - state.first]
                if is_better(other.score, other.feature, found):
                    found = other
            if found.score > -np.inf and _is_kept(rows, rules, work, work.nodes[at], found):
                put_on_frontier(rules, work, at)
    next_node(rules, work)


@inner_kernel
def _is_kept(rows, rules, work, node, found):
    """Write a split into its node if it is worth making; returns whether it is."""
    gain = found.score
    if _stands_out(rows, rules, node, gain):
        if gain < rules.least_gain:
            return False
        write_split(node, found, gain)
        return True
    if not is_plain(rules) or rules.least_gain > 0.0 or gain < 0.0 or not _is_mixed(rows, work, node):
        return False
    write_split(node, found, 0.0)
    return True


@inner_kernel
def _stands_out(rows, rules, node, gain):
    """Whether a gain is more than rounding can make; see `stands_out` in grow/histogram/settle.py."""
    fields = rows.fields
    weight = node.hessian * fields.hessian_unit + rules.penalty.l2
    value = node.gradient * fields.gradient_unit / weight if weight > 0.0 else 0.0
    noise = fields.gradient_unit * fields.gradient_unit + value * value * rows.noise * rows.noise
    if gain * weight <= _STANDS_OUT * node.count * noise:
        return False
    return is_plain(rules) or gain > 1e-12 * (gain + score_alone(node, fields, rules))


@inner_kernel
def _is_mixed(rows, work, node):
    """Whether a node's rows differ by more than rounding."""
    own, amounts, paired = work.rows[node.depth & 1, node.begin : node.end], rows.amounts, rows.paired
    first = np.uint64(own[0])
    gradient, hessian = gradient_of(amounts, paired, first), hessian_of(amounts, paired, first)
    for i in range(1, own.size):
        row = np.uint64(own[i])
        if abs(gradient_of(amounts, paired, row) - gradient) > _ALIKE:
            return True
        if abs(hessian_of(amounts, paired, row) - hessian) > _ALIKE:
            return True
    return False

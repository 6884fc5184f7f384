"""What happens between the phases, by one block: grow/boosting/choose_split.py on the GPU.

In: the splits of the last batch's children. Out: nodes with their numbers, the next batch, or DONE.

Nodes get their numbers in the frontier's order, as on the CPU. Best-first, that order is kept in best_first.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney._compile.cuda import cuda, float64, gpu_function, int32, int64, large_gpu_kernel
from spinney.gpu.best_first import IN_REACH, choose_best, commit_best, number_children, write_keys
from spinney.gpu.memory import (
    ANY_WANTED,
    BIG_SLOT,
    DONE,
    FIRST,
    IS_ROOT,
    KEYS,
    LEAVES,
    MOST_THREADS,
    N_ALIVE,
    N_BATCH,
    N_DRAFTS,
    N_FREE,
    N_FRONTIER,
    N_LEAVES,
    N_NODES,
    N_STEPS,
    NOBODY,
    PARENT,
    RANKS,
    SMALL_SIDE,
    SMALL_SLOT,
    TOP,
    running_sum,
)
from spinney.grow.boosting.choose_split import is_promising, make_pair
from spinney.grow.boosting.memory import NO_SLOT
from spinney.grow.rules import NO_NODE, NO_SPLIT, allow_features, narrow_groups


class Choice(NamedTuple):
    """What rules.py wants to know of a tree's columns."""

    features: Any
    groups: Any
    node_features: Any
    node_key: Any


@large_gpu_kernel
def plant(rows, tree):
    """A tree of one node, whose sums are known; its only pair is the root and nobody."""
    thread, state, rules = cuda.threadIdx.x, tree.state, tree.rules[0]
    for slot in range(thread, tree.free.size, cuda.blockDim.x):
        tree.free[slot] = slot
    for at in range(thread, tree.number.size, cuda.blockDim.x):
        tree.number[at] = tree.child[at] = NOBODY
        tree.leaf_sums[at, 0] = tree.leaf_sums[at, 1] = 0
    for at in range(thread, tree.histograms.shape[2], cuda.blockDim.x):
        for part in range(3):
            tree.histograms[tree.free.size - 1, part, at] = 0
    if thread == 0:
        root = tree.nodes[0]
        root.left, root.feature, root.depth, root.slot = NO_NODE, NO_SPLIT, 0, tree.free.size - 1
        root.begin, root.end = 0, tree.params[0].n_rows
        root.gradient, root.hessian, root.count = tree.totals[0], tree.totals[1], tree.totals[2]
        root.lower, root.upper = -np.inf, np.inf
        tree.number[0] = 0
        state[N_NODES] = state[N_LEAVES] = state[N_DRAFTS] = state[N_BATCH] = state[IS_ROOT] = 1
        state[N_FRONTIER], state[N_FREE], state[DONE] = 0, tree.free.size - 1, 0
        state[N_ALIVE], state[N_STEPS], state[TOP] = 0, -1, NOBODY
        tree.wanted[0] = rules.max_leaves > 1 and is_promising(tree.fields[0], rules, root)
        pair = tree.pairs[0]
        pair[PARENT], pair[FIRST], pair[SMALL_SIDE] = NOBODY, 0, 0
        pair[SMALL_SLOT], pair[BIG_SLOT] = root.slot, NOBODY
        if not tree.wanted[0]:
            state[DONE] = 1
        for g in range(tree.groups.shape[0]):
            tree.live[0, g] = 1
        if tree.params[0].restricted:
            choice = Choice(tree.features, tree.groups, rules.node_features, rules.node_key)
            allow_features(choice, 0, tree.live[0], tree.allowed[0], tree.drawn[0])


@large_gpu_kernel
def settle(rows, tree):
    """Give the opened nodes their numbers and choose the next batch; more than once where it needs no searching."""
    sums = cuda.shared.array(MOST_THREADS, int64)
    scores = cuda.shared.array(MOST_THREADS, float64)
    places = cuda.shared.array(MOST_THREADS, int32)
    keys = cuda.shared.array(IN_REACH, float64)
    ranks = cuda.shared.array((RANKS, IN_REACH), int32)
    state = tree.state
    if state[DONE]:
        return
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        state[N_STEPS] += 1
    _close_batch(tree)
    while True:
        cuda.syncthreads()
        if tree.rules[0].best_first:
            commit_best(tree, scores, places)
            cuda.syncthreads()
            choose_best(tree, keys, ranks)
        else:
            _commit_level(tree, sums)
            cuda.syncthreads()
        cuda.syncthreads()
        if state[N_BATCH] == 0:
            break
        _open_batch(rows, tree)
        cuda.syncthreads()
        if state[ANY_WANTED]:
            return
        _close_batch(tree)
    if cuda.threadIdx.x == 0:
        state[DONE] = 1


@gpu_function
def _close_batch(tree):
    """Children learn where their rows are; those without a split give their slots back, the others are alive."""
    state = tree.state
    if state[IS_ROOT]:
        cuda.syncthreads()
        if cuda.threadIdx.x == 0 and tree.nodes[0].feature != NO_SPLIT:
            tree.frontier[0] = tree.alive[0] = 0
            state[N_FRONTIER] = state[N_ALIVE] = 1
            write_keys(tree, 0, 0, 0)
        return
    best_first = tree.rules[0].best_first
    for place in range(cuda.threadIdx.x, state[N_BATCH], cuda.blockDim.x):
        pair = tree.pairs[place]
        left, right = tree.nodes[pair[FIRST]], tree.nodes[pair[FIRST] + 1]
        if pair[SMALL_SLOT] >= 0:
            left.end = right.begin = tree.middle[place, 0]
        for side in range(2):
            child = pair[FIRST] + side
            _give_slot_of_leaf(tree, child)
            if best_first and tree.nodes[child].feature != NO_SPLIT:
                write_keys(tree, child, pair[PARENT], KEYS)
                tree.alive[cuda.atomic.add(state, N_ALIVE, 1)] = child


@gpu_function
def _give_slot_of_leaf(tree, at):
    node = tree.nodes[at]
    if node.feature == NO_SPLIT and node.slot != NO_SLOT:
        tree.free[cuda.atomic.add(tree.state, N_FREE, 1)] = node.slot
        node.slot = NO_SLOT


# --- level by level --------------------------------------------------------------------------------------------------


@gpu_function
def _commit_level(tree, sums):
    """The whole batch is split; the children that have a split are the next one, as far as leaves go."""
    state, thread = tree.state, cuda.threadIdx.x
    n_batch, n_nodes, n_leaves = state[N_BATCH], state[N_NODES], state[N_LEAVES]
    was_root, n_frontier = state[IS_ROOT], state[N_FRONTIER]
    cuda.syncthreads()
    if was_root:
        if thread == 0:
            state[IS_ROOT], state[N_BATCH] = 0, n_frontier
        return
    for place in range(thread, n_batch, cuda.blockDim.x):
        number_children(tree, tree.pairs[place, PARENT], n_nodes + 2 * place)
    n_leaves += n_batch
    room = tree.rules[0].max_leaves - n_leaves
    found = np.int64(0)
    for part in range(0, 2 * n_batch, cuda.blockDim.x):
        child = part + thread
        draft = np.int64(0)
        has_split = np.int64(0)
        if child < 2 * n_batch:
            draft = np.int64(tree.pairs[child // 2, FIRST]) + child % 2
            has_split = np.int64(tree.nodes[draft].feature != NO_SPLIT)
        rank = running_sum(sums, has_split) - has_split
        if has_split and found + rank < room:
            tree.frontier[found + rank] = draft
        found += sums[cuda.blockDim.x - 1]
        cuda.syncthreads()
    if thread == 0:
        state[N_NODES], state[N_LEAVES] = n_nodes + 2 * n_batch, n_leaves
        state[N_BATCH] = found if found < room else room
        state[N_FRONTIER] = state[N_BATCH]


# --- opening ---------------------------------------------------------------------------------------------------------


@gpu_function
def _open_batch(rows, tree):
    """Make the children of the batch's nodes; plan which are searched, and where their histograms go."""
    state, thread, rules = tree.state, cuda.threadIdx.x, tree.rules[0]
    n_batch, n_drafts, n_leaves = state[N_BATCH], state[N_DRAFTS], state[N_LEAVES]
    cuda.syncthreads()
    if thread == 0:
        state[ANY_WANTED] = 0
        state[N_DRAFTS] += 2 * n_batch
    cuda.syncthreads()
    for place in range(thread, n_batch, cuda.blockDim.x):
        pair = tree.pairs[place]
        if not rules.best_first:
            pair[PARENT] = tree.frontier[place]
        parent, first = np.int64(pair[PARENT]), n_drafts + 2 * place
        node, left, right = tree.nodes[parent], tree.nodes[first], tree.nodes[first + 1]
        pair[FIRST] = first
        tree.child[parent] = first
        make_pair(rows.columns, tree.fields[0], rules, node, left, right, node.begin)
        leaves = np.int64(pair[LEAVES]) if rules.best_first else n_leaves + n_batch
        for side in range(2):
            is_wanted = leaves < rules.max_leaves and is_promising(tree.fields[0], rules, tree.nodes[first + side])
            tree.wanted[first + side] = is_wanted
            tree.number[first + side] = NOBODY
            if tree.params[0].restricted:
                choice = Choice(tree.features, tree.groups, rules.node_features, rules.node_key)
                narrow_groups(choice, tree.live[parent], node.feature, tree.live[first + side])
                number = state[N_NODES] + 2 * place + side
                allow_features(
                    choice, number, tree.live[first + side], tree.allowed[first + side], tree.drawn[first + side]
                )
        tree.middle[place, 0] = node.begin
        tree.middle[place, 1] = node.end
        _plan_slots(tree, pair, node, first)
    cuda.syncthreads()
    for place in range(thread, n_batch, cuda.blockDim.x):
        pair = tree.pairs[place]
        if pair[SMALL_SLOT] >= 0:
            slot = tree.free[cuda.atomic.add(state, N_FREE, -1) - 1]
            pair[SMALL_SLOT] = slot
            tree.nodes[pair[FIRST] + pair[SMALL_SIDE]].slot = slot
            state[ANY_WANTED] = 1


@gpu_function
def _plan_slots(tree, pair, node, first):
    """The bigger child takes over its parent's slot. The smaller one's histogram is needed for either."""
    small = 0 if 2 * node.left_count <= node.count else 1
    pair[SMALL_SIDE] = small
    pair[BIG_SLOT] = pair[SMALL_SLOT] = NOBODY
    if tree.wanted[first + 1 - small]:
        tree.nodes[first + 1 - small].slot = pair[BIG_SLOT] = node.slot
    else:
        tree.free[cuda.atomic.add(tree.state, N_FREE, 1)] = node.slot
    node.slot = NO_SLOT
    if tree.wanted[first] or tree.wanted[first + 1]:
        pair[SMALL_SLOT] = 0  # to be handed out once all free ones are known

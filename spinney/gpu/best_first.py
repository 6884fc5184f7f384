r"""Which nodes are split next, and which are opened ahead of it, best-first: distributed/level_growth.py on the GPU.

In: nodes with their splits. Out: the tree's nodes, numbered as on the CPU, and the next batch.

The next batch is opened ahead of its turn: all nodes before which fewer than `max_leaves - 1` others are split for
certain. What comes to light may then shut some of them out, and they stay leaves.

Of two nodes, that one is split first whose way down from where they part has the larger least gain. A node's *keys* say
it: the least gain of its way from the root; the least gain after that; and so on, to its own. Keys are compared one by
one, larger ones first, and an ancestor, whose keys end earlier, comes before its descendants.

    gain    2 - 7 - 8       keys    2 - 2,7 - 2,7,8      2, 7, 8, 5 is the order: with four leaves to be made,
              \ 5                     \ 2,5              2, 7 and 8 are split, and 5 was opened in vain

Only the first keys are kept (KEYS). Nodes that agree in all of them are opened in any order, and none is shut out for
another; nor is any where two nodes gain the very same (*holders* are the nodes that keys come from): which is split
first, their numbers say, and these are not known yet.
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, gpu_function
from spinney.gpu.memory import (
    ANY_ALIKE,
    IS_ROOT,
    KEYS,
    LEAVES,
    N_ALIVE,
    N_BATCH,
    N_DRAFTS,
    N_FREE,
    N_FRONTIER,
    N_LEAVES,
    N_NODES,
    NOBODY,
    PARENT,
    TOP,
    best_of,
)
from spinney.grow.boosting.memory import NO_SLOT
from spinney.grow.rules import NO_SPLIT

IN_REACH = 1024  # keys in shared memory


@gpu_function
def number_children(tree, parent, number):
    first = tree.child[parent]
    tree.nodes[parent].left = number
    tree.number[first] = number
    tree.number[first + 1] = number + 1


@gpu_function
def commit_best(tree, scores, places):
    """Split nodes in the frontier's order for as long as the next one is open."""
    state, frontier, thread = tree.state, tree.frontier, cuda.threadIdx.x
    while True:
        cuda.syncthreads()
        n, n_leaves = state[N_FRONTIER], state[N_LEAVES]
        if thread == 0:
            state[TOP] = NOBODY
        if n == 0 or n_leaves >= tree.rules[0].max_leaves:
            return
        best, number = -np.inf, np.int64(1 << 30)
        for at in range(thread, n, cuda.blockDim.x):
            draft = frontier[at]
            gain = tree.nodes[draft].gain
            if gain > best or (gain == best and tree.number[draft] < number):
                best, number = gain, np.int64(tree.number[draft])
        best_of(scores, places, best, number, n)
        if places[0] == number and best == scores[0] and number < 1 << 30:
            for at in range(thread, n, cuda.blockDim.x):
                if tree.number[frontier[at]] == number:
                    places[1] = at
        cuda.syncthreads()
        top = np.int64(places[1])
        parent = np.int64(frontier[top])
        first = np.int64(tree.child[parent])
        if first < 0:
            if thread == 0:
                state[TOP] = parent
            return
        cuda.syncthreads()
        if thread == 0:
            number_children(tree, parent, state[N_NODES])
            state[N_NODES] += 2
            state[N_LEAVES] += 1
            n -= 1
            frontier[top] = frontier[n]
            for side in range(2):
                if tree.nodes[first + side].feature != NO_SPLIT:
                    frontier[n] = first + side
                    n += 1
            state[N_FRONTIER] = n


@gpu_function
def write_keys(tree, draft, above, n):
    """Of a node, from the first n of its parent's; the rest is infinite."""
    kept, gain = np.int64(0), tree.nodes[draft].gain
    while kept < n and tree.keys[above, kept] <= gain:
        tree.keys[draft, kept] = tree.keys[above, kept]
        tree.holders[draft, kept] = tree.holders[above, kept]
        kept += 1
    for k in range(kept, KEYS):
        tree.keys[draft, k] = gain if k == kept else np.inf
        tree.holders[draft, k] = draft


@gpu_function
def choose_best(tree, keys, ranks):
    """The next batch: all that may be split in the end; or only whose turn it is, where nothing is opened ahead."""
    state, thread = tree.state, cuda.threadIdx.x
    n, most, top = state[N_ALIVE], tree.rules[0].max_leaves - 1, state[TOP]
    # whose turn it is must always find room: two more drafts and a slot for each leaf that is still to come
    drafts = tree.child.size - state[N_DRAFTS] - 2 * most
    slots = state[N_FREE] - (tree.rules[0].max_leaves - state[N_LEAVES])
    room = min(drafts // 2, slots, np.int64(tree.pairs.shape[0]))
    cuda.syncthreads()
    if thread == 0:
        state[N_BATCH] = state[IS_ROOT] = 0
    cuda.syncthreads()
    if top == NOBODY:
        return
    if tree.params[0].ahead and room > 0:
        if n <= IN_REACH:
            _rank_alive(tree, keys, ranks, n)
            cuda.syncthreads()
            _choose_alive(tree, ranks, n, most, room)
        else:
            _rank_alive(tree, tree.level, tree.ranks, n)
            cuda.syncthreads()
            _choose_alive(tree, tree.ranks, n, most, room)
    cuda.syncthreads()
    if thread == 0 and state[N_BATCH] == 0:
        tree.pairs[0, PARENT] = top
        tree.pairs[0, LEAVES] = state[N_LEAVES] + 1
        state[N_BATCH] = 1


@gpu_function
def _rank_alive(tree, keys, ranks, n):
    """How many of those that are alive come before each, for certain: by the first keys, then by the next ones of those
    whose keys so far come from the same node. Into ranks[0]; ranks[2] is that node, ranks[3] the next one."""
    state, thread = tree.state, cuda.threadIdx.x
    for at in range(thread, n, cuda.blockDim.x):
        ranks[0, at] = 0
        ranks[2, at] = NOBODY
    for level in range(KEYS):
        cuda.syncthreads()
        for at in range(thread, n, cuda.blockDim.x):
            keys[at] = tree.keys[tree.alive[at], level]
            ranks[3, at] = tree.holders[tree.alive[at], level]
        if thread == 0:
            state[ANY_ALIKE] = 0
        cuda.syncthreads()
        for at in range(thread, n, cuda.blockDim.x):
            key, holder, next_holder = keys[at], ranks[2, at], ranks[3, at]
            before = like = np.int64(0)
            for k in range(n):
                if ranks[2, k] == holder:
                    before += 1 if keys[k] > key else 0
                    like += 1 if ranks[3, k] == next_holder else 0
            ranks[1, at] = ranks[0, at] + before
            if like > 1:
                state[ANY_ALIKE] = 1
        cuda.syncthreads()
        for at in range(thread, n, cuda.blockDim.x):
            ranks[0, at] = ranks[1, at]
            ranks[2, at] = ranks[3, at]
        cuda.syncthreads()
        if state[ANY_ALIKE] == 0:
            return


@gpu_function
def _choose_alive(tree, ranks, n, most, room):
    """Give up those that are too far back; open those that are not open."""
    state, thread = tree.state, cuda.threadIdx.x
    if thread == 0:
        state[N_ALIVE] = 0
    cuda.syncthreads()
    for at in range(thread, n, cuda.blockDim.x):
        draft, before = np.int64(tree.alive[at]), np.int64(ranks[0, at])
        is_closed = tree.child[draft] < 0
        if before >= most:
            if is_closed:
                tree.free[cuda.atomic.add(state, N_FREE, 1)] = tree.nodes[draft].slot
                tree.nodes[draft].slot = NO_SLOT
            continue
        tree.spare[cuda.atomic.add(state, N_ALIVE, 1)] = draft
        if is_closed:
            place = cuda.atomic.add(state, N_BATCH, 1)
            if place < room:
                tree.pairs[place, PARENT] = draft
                tree.pairs[place, LEAVES] = before + 2
    cuda.syncthreads()
    if thread == 0:
        state[N_BATCH] = min(state[N_BATCH], room)
    for k in range(thread, state[N_ALIVE], cuda.blockDim.x):
        tree.alive[k] = tree.spare[k]

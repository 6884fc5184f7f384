r"""Best-first, which nodes are opened ahead of their turn: all that may be split in the end.

In: the drafts that are alive, that is, have a split and may be made. Out: the next batch; those that are shut out give
their slots back.

A node is split in the end only if fewer than `max_leaves - 1` others come before it. Which of two does follows from the
gains above them:

    gain    9 - 7 - 8       key    9 - 7 - 7       with four leaves to be made 9, 7, 8 are split; 5 was opened in vain
              \ 5                    \ 5

    - the *key* of a node is the least gain on the way from the root to it; larger keys come first;
    - nodes that gain more than those above them have the same key: below the lowest node above both, the way whose
      least gain is larger comes first (`_comes_before`).

More nodes that come to light can only come before others: who is shut out stays so.
"""

from __future__ import annotations

import numpy as np

from spinney._compile.cuda import cuda, gpu_function
from spinney.gpu.memory import LEAVES, N_ALIVE, N_BATCH, N_FREE, NOBODY, PARENT
from spinney.grow.histogram.memory import NO_SLOT

IN_REACH = 1024  # keys in shared memory


@gpu_function
def choose_ahead(tree, keys, n, most, room):
    """Rank all that are alive; give up those too far back, open those that are not open, as far as room goes."""
    state, thread = tree.state, cuda.threadIdx.x
    for k in range(thread, n, cuda.blockDim.x):
        tree.keys[k] = tree.nodes[tree.alive[k]].key
        if n <= IN_REACH:
            keys[k] = tree.nodes[tree.alive[k]].key
    cuda.syncthreads()
    if thread == 0:
        state[N_ALIVE] = 0
    cuda.syncthreads()
    for at in range(thread, n, cuda.blockDim.x):
        draft = np.int64(tree.alive[at])
        is_closed = tree.child[draft] < 0
        before, like = _rank(keys, n, at) if n <= IN_REACH else _rank(tree.keys, n, at)
        if before < most and before + like >= most:  # those of the same key do not all fit
            before += _rank_alike(tree, n, at)
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
                tree.pairs[place, LEAVES] = before + 2  # at least so many there will be
    cuda.syncthreads()
    if thread == 0:
        state[N_BATCH] = min(state[N_BATCH], room)
    for k in range(thread, state[N_ALIVE], cuda.blockDim.x):
        tree.alive[k] = tree.spare[k]


@gpu_function
def _rank(keys, n, at):
    """How many keys are larger than that at a place, and how many others are equal."""
    key, before, like = keys[at], np.int64(0), np.int64(-1)
    for k in range(n):
        before += 1 if keys[k] > key else 0
        like += 1 if keys[k] == key else 0
    return before, like


@gpu_function
def _rank_alike(tree, n, at):
    """Of those with the same key, how many come before it."""
    key, draft, before = tree.keys[at], np.int64(tree.alive[at]), np.int64(0)
    for k in range(n):
        if k != at and tree.keys[k] == key:
            before += 1 if _comes_before(tree, np.int64(tree.alive[k]), draft) else 0
    return before


@gpu_function
def _comes_before(tree, one, other):
    """Whether a draft is split before another, if both are.

    When the lowest draft above both is split, two ways begin. The one whose least gain is larger is at its end first.
    Of equal ones it is the one where that gain is met fewer times, since nodes of equal gain wait in the order in which
    they were made; and if that is the same, where it is first met by the node that was made first: the one whose parent
    was split before, and of two children the left one.
    """
    a, b = one, other
    while True:
        left, right, top_a, top_b = a, b, a, b
        least_a = least_b = np.inf
        times_a = times_b = np.int64(0)
        high_a = high_b = np.int64(NOBODY)
        while left != right:
            depth_a, depth_b = tree.nodes[left].depth, tree.nodes[right].depth
            if depth_a >= depth_b:
                gain = tree.nodes[left].gain
                times_a = np.int64(1) if gain < least_a else times_a + (1 if gain == least_a else 0)
                high_a = left if gain <= least_a else high_a
                least_a = gain if gain < least_a else least_a
                top_a, left = left, np.int64(tree.parent[left])
            if depth_b >= depth_a:
                gain = tree.nodes[right].gain
                times_b = np.int64(1) if gain < least_b else times_b + (1 if gain == least_b else 0)
                high_b = right if gain <= least_b else high_b
                least_b = gain if gain < least_b else least_b
                top_b, right = right, np.int64(tree.parent[right])
        if left == one or left == other:  # one of them is above the other
            return left == one
        if least_a != least_b:
            return least_a > least_b
        if times_a != times_b:
            return times_a < times_b
        if high_a == top_a or high_b == top_b:
            return high_a == top_a and (high_b != top_b or top_a < top_b)
        a, b = np.int64(tree.parent[high_a]), np.int64(tree.parent[high_b])

"""Solved nodes, by the set of their rows: two paths with the same tests in another order lead to the same rows.

A node's key is the sum of random numbers of its entries, 64 bits for the slot and 64 to compare. What is found there
never changes the result, only the time: the cost of the best tree and lower bounds do not depend on the path. A full
neighbourhood of slots forgets one entry.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel
from spinney._random import mix

_TRIES = 8


@inner_kernel
def slot_of(cache, frame):
    """The slot of a frame's node, or the one to write it to."""
    keys, mask = cache.keys, np.uint64(cache.keys.shape[0] - 1)
    check = _check(frame)
    for n in range(_TRIES):
        at = np.int64((frame.key + np.uint64(n)) & mask)
        if keys[at, 0] == frame.key and keys[at, 1] == check:
            return at
        if keys[at, 0] == 0 and keys[at, 1] == 0:
            return at
    return np.int64((frame.key + (check & np.uint64(_TRIES - 1))) & mask)


@inner_kernel
def is_known(cache, slot, frame):
    """Whether a slot holds this node."""
    return cache.keys[slot, 0] == frame.key and cache.keys[slot, 1] == _check(frame)


@inner_kernel
def keep(cache, frame, heap):
    """Write down a frame's result."""
    slot = slot_of(cache, frame)
    old = is_known(cache, slot, frame)
    costs = cache.costs[slot]
    costs[1] = max(frame.proved, costs[1]) if old else frame.proved
    costs[2] = max(frame.bound, costs[2]) if old else frame.bound
    costs[0] = frame.cost
    cache.keys[slot, 0], cache.keys[slot, 1] = frame.key, _check(frame)
    for at in range(1 << frame.depth):
        cache.heaps[slot, at] = heap[at]


@inner_kernel
def _check(frame):
    return mix(frame.check, np.uint64(frame.depth))

"""Collapse: some nodes of a tree become leaves and all below them goes. The numbering, for every kind of tree.

In: the parent of every node of one or several trees (-1 for a root) and which nodes are to be leaves. Out: which nodes
stay, and the number that each of them has then.
"""

from __future__ import annotations

import numpy as np


def drop_below(parent: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(bool: the nodes that stay, int64: the number of each among these) if all below the marked ones goes.

    >>> kept, number = drop_below(np.array([-1, 0, 0, 2, 2]), np.array([False, False, True, False, False]))
    >>> kept.tolist(), number[kept].tolist()
    ([True, True, True, False, False], [0, 1, 2])
    """
    is_root = parent < 0
    above = np.where(is_root, np.arange(len(parent)), parent)
    gone = at[above] & ~is_root
    while not is_root[above].all():  # so far the nodes one above, then two, then four, ...
        gone |= gone[above]
        above = above[above]
    return ~gone, np.cumsum(~gone) - 1

"""Arrays in as few bytes as hold them exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST = {kind: int(np.iinfo(kind).max) for kind in (np.uint16, np.uint32, np.uint64)}
MOST_EXACT = 2**24  # whole numbers that float32 holds


def ends_of(lengths: np.ndarray) -> np.ndarray:
    """Where runs of these lengths begin, and where the last one ends.

    >>> ends_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def small(numbers: np.ndarray, smallest: Any = np.uint16) -> np.ndarray:
    """Whole numbers in as few bytes as hold them."""
    most = int(numbers.max()) if len(numbers) else 0
    for dtype in (smallest, np.uint32, np.uint64):
        if most <= _MOST[dtype]:
            break
    return numbers.astype(dtype, copy=False)


def narrow(values: np.ndarray) -> np.ndarray:
    """Numbers as float32 where nothing is lost."""
    if not values.max(initial=0.0) < MOST_EXACT:
        return values
    short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values

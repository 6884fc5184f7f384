"""Arrays in the smallest types that hold them exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from spinney._team import Team

_MOST = {kind: int(np.iinfo(kind).max) for kind in (np.uint16, np.uint32, np.uint64)}
MOST_EXACT = 2**24  # integers up to this are exact in float32
_MUCH = 1 << 20  # bytes from which threads copy faster


def ends_of(lengths: np.ndarray) -> np.ndarray:
    """Where runs of these lengths start, and where the last one ends.

    >>> ends_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def joined(parts: Sequence[np.ndarray], team: Team | None = None) -> np.ndarray:
    """`np.concatenate`, by all threads if there is much to copy."""
    if team is None or team.size == 1 or sum(part.nbytes for part in parts) < _MUCH:
        return np.concatenate(parts)
    ends = ends_of(np.array([len(part) for part in parts]))
    out = np.empty((ends[-1], *parts[0].shape[1:]), np.result_type(*parts))

    def copy(k: int) -> None:
        out[ends[k] : ends[k + 1]] = parts[k]

    team.map(copy, range(len(parts)))
    return out


def small(numbers: np.ndarray, smallest: Any = np.uint16) -> np.ndarray:
    """Integers in the smallest type that holds them."""
    most = int(numbers.max()) if len(numbers) else 0
    for dtype in (smallest, np.uint32, np.uint64):
        if most <= _MOST[dtype]:
            break
    return numbers.astype(dtype, copy=False)


def narrow(values: np.ndarray) -> np.ndarray:
    """Numbers as float32 if nothing is lost."""
    if not values.max(initial=0.0) < MOST_EXACT:
        return values
    short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values

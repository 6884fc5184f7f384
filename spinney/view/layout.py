"""Layout: where the boxes of a tree go.

In: the children of every box, and the boxes' widths and heights. Out: the place of every box, in the same units.

A tidy tree, after Reingold and Tilford: boxes of one level share their top edge, a parent stands over the middle of
its children, equal subtrees look equal, and neighbouring subtrees are as close as their outlines allow:

    outline of a subtree, level by level      two subtrees pushed together
            [ a ]                                   [ a ]   [ x ]
         [ b ] [  c  ]                           [ b ] [  c  ] [y]
            [ d ]                                   [ d ]

It knows nothing of what is in the boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Layout:
    """Where boxes go: from the left and from the top. And how large they and the whole are."""

    x: np.ndarray  # of the boxes' centres
    top: np.ndarray  # of their top edges
    heights: np.ndarray
    width: float
    height: float


@dataclass
class _Outline:
    """How far a subtree reaches to the left and right of its root, on each of its levels."""

    left: list[float]
    right: list[float]


def arrange(
    children: Sequence[Sequence[int]], widths: Sequence[float], heights: Sequence[float], gap: float, rise: float
) -> Layout:
    """Place the boxes; `children` come after their parents. `gap` lies between boxes, `rise` between levels."""
    depth = _depths(children)
    x = _across(children, widths, gap)
    levels = np.zeros(max(depth) + 1)
    np.maximum.at(levels, depth, heights)
    tops = np.concatenate([[0.0], np.cumsum(levels + rise)])
    tall, half = np.asarray(heights), np.asarray(widths) / 2
    left, right = float((x - half).min()), float((x + half).max())
    return Layout(x - left, tops[depth], tall, right - left, float(tops[-1] - rise))


def _depths(children: Sequence[Sequence[int]]) -> list[int]:
    depth = [0] * len(children)
    for box, below in enumerate(children):
        for child in below:
            depth[child] = depth[box] + 1
    return depth


def _across(children: Sequence[Sequence[int]], widths: Sequence[float], gap: float) -> np.ndarray:
    """The centres from left to right: subtrees are joined from the leaves up, then placed from the root down."""
    offset = np.zeros(len(children))  # of each box from its parent
    outlines: dict[int, _Outline] = {}
    for box in range(len(children) - 1, -1, -1):
        below = list(children[box])
        parts = [outlines.pop(child) for child in below]
        places = _spread(parts, gap)
        offset[below] = places
        half = widths[box] / 2
        joined = _join(parts, places)
        outlines[box] = _Outline([-half, *joined.left], [half, *joined.right])
    x = np.zeros(len(children))
    for box in range(len(children)):
        for child in children[box]:
            x[child] = x[box] + offset[child]
    return x


def _spread(parts: list[_Outline], gap: float) -> list[float]:
    """Places of subtrees side by side, the middle between the first and the last being 0.

    Packed from the left, small subtrees stick to their left neighbour, packed from the right to the other one: the
    mean of the two keeps all distances and stands in between.
    """
    from_left = np.array(_pack(parts, gap))
    if not len(from_left):
        return []
    mirrored = [_Outline([-x for x in one.right], [-x for x in one.left]) for one in reversed(parts)]
    from_right = from_left[-1] - np.array(_pack(mirrored, gap))[::-1]
    places = (from_left + from_right) / 2
    return (places - (places[0] + places[-1]) / 2).tolist()


def _pack(parts: list[_Outline], gap: float) -> list[float]:
    """Places of subtrees from left to right, each as close to those before it as their outlines allow."""
    places: list[float] = []
    reach: list[float] = []  # how far right the subtrees placed so far reach, on each level
    for part in parts:
        place = max((right + gap - left for right, left in zip(reach, part.left)), default=0.0)
        places.append(place)
        here = [place + right for right in part.right]
        reach = here + reach[len(here) :]  # what comes later lies right of what came before
    return places


def _join(parts: list[_Outline], places: list[float]) -> _Outline:
    """The outline of subtrees side by side."""
    left: list[float] = []
    right: list[float] = []
    for part, place in zip(parts, places):
        left += [place + reach for reach in part.left[len(left) :]]
        here = [place + reach for reach in part.right]
        right = here + right[len(here) :]
    return _Outline(left, right)

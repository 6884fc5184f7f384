"""What happens to a boosted tree between growing and freezing: pruned by cost-complexity, its leaves' values renewed.

In: the grown nodes in `work`, with their gains, segments of rows and values. Out: the same nodes, some of them leaves
now (`is_leaf`), and the values of leaves. Both are for a few settings and losses only; nothing here is in the hot loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spinney._compile import python_of
from spinney.criteria.fixed_point import exponent_of_sum, whole_numbers
from spinney.data.weights import Weights
from spinney.grow.boosting import memory
from spinney.grow.boosting.leaves import share_values
from spinney.grow.rules import NO_NODE, child_bounds
from spinney.prune.cost_complexity import cut_links

_NO_PARENT = -1


def prune_nodes(nodes: Any, alpha: float) -> None:
    """Cut the branches whose splits gain at most alpha on average, weakest link first (prune/cost_complexity.py)."""
    inner = np.flatnonzero(nodes["is_leaf"] == 0)  # whatever is below a leaf hangs on nothing, and stays out of it
    if not inner.size:
        return
    children = np.stack((nodes["left"][inner], nodes["left"][inner] + 1), axis=1)
    parent = np.full(len(nodes), _NO_PARENT, np.int32)
    parent[children] = inner[:, None]
    child_start = np.zeros(len(nodes) + 1, np.int64)
    child_start[inner + 1] = 2
    cost = np.where(nodes["is_leaf"] == 0, nodes["gain"], 0.0)
    for node in range(len(nodes) - 1, 0, -1):  # children come after their parents
        if parent[node] != _NO_PARENT:
            cost[parent[node]] += cost[node]
    path = cut_links(parent, np.cumsum(child_start), children.astype(np.int32).ravel(), cost)
    nodes["is_leaf"][path.cut_at <= alpha] = 1
    share_values(nodes)


def renew(
    nodes: Any,
    work: memory.BoostingWork,
    residuals: np.ndarray,
    weights: Weights,
    quantile: float,
    settings: Any,
    find: Callable[..., None],
    scale: int,
) -> None:
    """Set every leaf's value to a quantile of its rows' residuals, times the learning rate; monotone columns bound it.

    Residuals and weights are of all rows of the table; weights are made whole by the power of two `scale`. `find` is
    `renew_leaves` of gradients.py, or another way to the same quantiles.
    """
    monotone = settings.monotone
    pieces = nodes[work.pieces[: work.state[0]["n_leaves"]]]
    position_rows = np.empty(int(nodes["end"][0]), np.int64)
    for node in pieces:
        segment = slice(node["begin"], node["end"])
        position_rows[segment] = work.rows[node["depth"] & 1, segment]
    leaves, bounded = final_leaves(nodes), bool(monotone.any())
    wanted = np.arange(len(nodes)) if bounded else leaves  # bounds come from the values of the nodes above
    begin, end, values = nodes["begin"].copy(), nodes["end"].copy(), np.empty(len(nodes))
    whole = _whole_weights(weights, scale)
    whole = whole[position_rows] if whole.size else whole
    find(wanted, begin, end, residuals[position_rows], whole, quantile, values)
    if bounded:
        _hold_in_bounds(nodes, values, monotone)
    nodes["value"][leaves] = settings.learning_rate * values[leaves]
    share_values(nodes)


def final_leaves(nodes: Any) -> np.ndarray:
    """Leaves that pruning left, without the pieces below pruned nodes."""
    pruned = nodes[(nodes["is_leaf"] > 0) & (nodes["left"] != NO_NODE)]
    below = np.zeros(len(nodes), bool)
    below[pruned["left"]] = below[pruned["left"] + 1] = True
    return np.flatnonzero((nodes["is_leaf"] > 0) & ~below)


def _hold_in_bounds(nodes: Any, values: np.ndarray, monotone: np.ndarray) -> None:
    """Clip every node's value, from the root down, so that the leaves keep the monotone constraints."""
    lower, upper = np.full(len(nodes), -np.inf), np.full(len(nodes), np.inf)
    for at, node in enumerate(nodes):  # parents come before their children
        if node["left"] == NO_NODE:
            continue
        left, right = node["left"], node["left"] + 1
        for child in (left, right):
            values[child] = min(max(values[child], lower[at]), upper[at])
        bounds = python_of(child_bounds)(monotone[node["feature"]], values[left], values[right], lower[at], upper[at])
        lower[left], upper[left], lower[right], upper[right] = bounds
        for child in (left, right):
            values[child] = min(max(values[child], lower[child]), upper[child])


def weight_scale(weights: Weights) -> int:
    """The power of two that importances are multiplied by to become whole numbers."""
    return 0 if weights.importance is None else exponent_of_sum(weights.importance, 60)


def _whole_weights(weights: Weights, scale: int) -> np.ndarray:
    """Weights as whole numbers, empty for ones."""
    if weights.importance is not None:
        return whole_numbers(weights.importance, scale)
    return np.empty(0, np.int64) if weights.counts is None else weights.counts

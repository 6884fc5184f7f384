"""Edges: where the bins of columns of numbers end.

In: columns of numbers, and how often their rows count. Out: at most max_bins - 1 edges, ascending, such that bins weigh
about the same. Which rows they are learnt from, and codes, are up to `encode.py`.
"""

from __future__ import annotations

import numpy as np

from spinney._compile import inner_kernel, kernel


def learn_edges(columns: np.ndarray, counts: np.ndarray | None, max_bins: int) -> list[np.ndarray]:
    """The edges of some columns (columns, rows), by how often rows count; None: each once."""
    return [_learn(values, counts, max_bins) for values in columns]


def _learn(values: np.ndarray, counts: np.ndarray | None, max_bins: int) -> np.ndarray:
    present = ~np.isnan(values)
    values = values[present]
    if counts is None:
        ordered, mass = np.sort(values), np.ones(len(values), np.int64)
    else:
        order = np.argsort(values, kind="stable")
        ordered, mass = values[order], counts[present][order].astype(np.int64)
    distinct, edges = ordered.astype(np.float64) + 0.0, np.empty(max_bins)  # -0.0 + 0.0 = 0.0
    n_edges = choose_edges(distinct, mass, merge_equal(distinct, mass), max_bins, edges)
    return edges[:n_edges].copy()


@inner_kernel
def _between(low, high):
    """A number t with low <= t < high, half-way where the arithmetic allows."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


@kernel
def merge_equal(values, mass):
    """Sorted values and their weights, equal ones merged to the front; returns how many there are."""
    n = 0
    for i in range(values.size):
        if n > 0 and values[i] == values[n - 1]:
            mass[n - 1] += mass[i]
        else:
            values[n] = values[i]
            mass[n] = mass[i]
            n += 1
    return n


@kernel
def choose_edges(values, mass, n_distinct, max_bins, edges):
    """Cut distinct sorted values into at most max_bins bins of about equal weight; returns the number of edges.

    With few distinct values each has its own bin. Otherwise a value as heavy as an average bin ends one, alone or with
    the few light values before it, and the rest share the remaining bins evenly.
    """
    if n_distinct == 0:
        return 0
    total = np.int64(0)
    for i in range(n_distinct):
        total += mass[i]
    if n_distinct <= max_bins:
        for i in range(n_distinct - 1):
            edges[i] = _between(values[i], values[i + 1])
        return n_distinct - 1

    share = total / max_bins
    light_mass, light_bins = total, max_bins
    for i in range(n_distinct):
        if mass[i] >= share:
            light_mass -= mass[i]
            light_bins -= 1
    n_edges = 0
    filled = np.int64(0)
    for i in range(n_distinct - 1):
        heavy = mass[i] >= share
        filled += mass[i]
        goal = light_mass / max(1, light_bins)
        if heavy or filled >= goal or (mass[i + 1] >= share and 2 * filled >= goal):
            edges[n_edges] = _between(values[i], values[i + 1])
            n_edges += 1
            if n_edges == max_bins - 1:
                break
            if not heavy:
                light_mass -= filled
                light_bins -= 1
            elif filled > mass[i]:  # light values that the heavy one closed in with
                light_mass -= filled - mass[i]
            filled = np.int64(0)
    return n_edges

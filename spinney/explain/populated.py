"""Counterfactuals in regions that hold rows.

In: rows of a table of which the model says what is wanted. Out: for each the nearest point to the given row that ends
in the same leaf of every tree, and what it costs: one walk of each row down all trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spinney._compile import kernel
from spinney.data.schema import Schema
from spinney.data.tables import Table
from spinney.explain.columns import Column, cells_of
from spinney.explain.goals import Goal
from spinney.explain.lists import Cells, Walk, copy_words, find_lows


def nearest_regions(
    X: Any,
    rows: Table,
    schema: Schema,
    columns: Sequence[Column],
    cells: Cells,
    cuts: list[np.ndarray],
    goals: Sequence[Goal],
    walk: Walk,
) -> tuple[np.ndarray, np.ndarray]:
    """For all rows of X (read: `rows`) that reach a goal: (ranks of the nearest point of each row's region,
    (rows, columns); costs, infinity where none is allowed)."""
    places = np.empty((rows.n_rows, len(columns)), np.int64)
    root = np.zeros(len(cells.up), np.uint64)
    for j, column in enumerate(columns):
        rank = np.empty(len(column.cell), np.int64)
        rank[column.cell] = np.arange(len(column.cell))
        own = cells_of(np.asarray(rows.column(j), np.float64), schema.columns[j], cuts[j])
        places[:, j] = 64 * cells.word[j] + rank[own]
        allowed = np.isfinite(cells.cost[64 * cells.word[j] : 64 * cells.word[j + 1]])
        root[cells.word[j] : cells.word[j + 1]] = np.packbits(allowed, bitorder="little").view("<u8")
    chosen = np.flatnonzero(np.any([goal.agrees(X) for goal in goals], axis=0))
    lows, costs = np.zeros((len(chosen), len(columns)), np.int64), np.full(len(chosen), np.inf)
    if len(chosen):
        _walk_regions(walk, cells, root, places[chosen], lows, costs, root.copy())
    return lows - 64 * cells.word[:-1], costs


@kernel
def _walk_regions(walk, cells, root, places, lows, costs, box):
    """The nearest point of the region of each row."""
    for i in range(places.shape[0]):
        copy_words(root, box)
        for t in range(walk.roots.size):
            q = walk.roots[t]
            while q >= 0:
                c = walk.column[q]
                first = cells.word[c]
                word, bit = places[i, c] // 64 - first, np.uint64(places[i, c] % 64)
                is_yes = (walk.words[walk.at[q] + word] >> bit) & np.uint64(1) != np.uint64(0)
                for w in range(cells.word[c + 1] - first):
                    bits = walk.words[walk.at[q] + w]
                    box[first + w] &= bits if is_yes else ~bits
                q = walk.yes[q] if is_yes else walk.no[q]
        costs[i] = find_lows(cells, box, lows[i])

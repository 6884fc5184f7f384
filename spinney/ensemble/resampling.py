"""Weighted bootstraps: rows drawn with replacement, each as often as its weight says.

In:  the rows' weights and a key. Out: row numbers.
A draw is a hash of (seed, round, number of the draw), and it picks from the rows in an order that follows from what
they hold. So the same rows are drawn on any machine, whatever the order of the table, and a row of weight 2 is drawn
like two rows that are alike.
"""

from __future__ import annotations

import numpy as np

from spinney._jit import kernel
from spinney._random import ROWS, mix, stream_key, uniform
from spinney.data.tables import Table


@kernel
def _draw_uniforms(key, out):
    for i in range(out.size):
        out[i] = uniform(key, i)


@kernel
def _stir(hashes, bits):
    for i in range(hashes.size):
        hashes[i] = mix(hashes[i] ^ bits[i], np.uint64(0))


def order_by_content(table: Table, target: np.ndarray) -> np.ndarray:
    """Row numbers in an order that depends on what the rows hold and not on where they are."""
    hashes = np.zeros(table.n_rows, np.uint64)
    for values in [*(table.column(j) for j in range(table.n_columns)), target]:
        numbers = np.array(values, np.float64) + 0.0  # a copy, in which -0 is 0
        numbers[np.isnan(numbers)] = np.nan  # of one kind
        _stir(hashes, numbers.view(np.uint64))
    return np.argsort(hashes, kind="stable")


def draw_rows(order: np.ndarray, weights: np.ndarray, n_draws: int, seed: int, round_number: int) -> np.ndarray:
    """Draw row numbers with replacement, in the order of `order`.

    >>> draw_rows(np.arange(3), np.array([0.0, 1.0, 0.0]), 4, seed=0, round_number=0).tolist()
    [1, 1, 1, 1]
    """
    rows = order[weights[order] > 0]
    shares = np.cumsum(weights[rows])
    draws = np.empty(n_draws)
    _draw_uniforms(np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(round_number))), draws)
    places = np.searchsorted(shares, np.sort(draws) * shares[-1], side="right")
    return rows[np.minimum(places, len(rows) - 1)]

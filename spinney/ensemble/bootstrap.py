"""Bootstraps: rows drawn with replacement, each as often as its weight says, or without replacement, or in parts.

In:  the rows' weights and a key. Out: row numbers, or how often each row was drawn.
A draw is a hash of (seed, round, number of the draw), and it picks from the rows in an order that follows from what
they hold. So the same rows are drawn on any machine, whatever the order of the table, and a row of weight 2 is drawn
like two rows that are alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse

from spinney._compile import kernel
from spinney._random import ROWS, mix, stream_key, uniform
from spinney.criteria.arrivals import draw_times
from spinney.data.schema import learn_and_read
from spinney.data.tables import Table
from spinney.data.weights import are_repeats

_EIGHT = np.uint64(8)


@kernel
def _draw_uniforms(key, out):
    for i in range(out.size):
        out[i] = uniform(key, i)


@kernel
def _stir(hashes, bits):
    for i in range(hashes.size):
        hashes[i] = mix(hashes[i] ^ bits[i], np.uint64(0))


def order_by_content(table: Table, *targets: np.ndarray) -> np.ndarray:
    """Row numbers in an order that depends on what the rows hold and not on where they are."""
    hashes = np.zeros(table.n_rows, np.uint64)
    for values in [*(table.column(j) for j in range(table.n_columns)), *targets]:
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


def count_draws(
    order: np.ndarray, weights: np.ndarray | None, n_draws: int, seed: int, round_number: int
) -> np.ndarray:
    """int64: how often each row is drawn, with replacement. Rows of equal weight take no search.

    >>> int(count_draws(np.arange(3), None, 6, seed=0, round_number=0).sum())
    6
    """
    if weights is not None:
        rows = draw_rows(order, weights, n_draws, seed, round_number)
        return np.bincount(rows, minlength=len(weights))
    counts = np.zeros(len(order), np.int64)
    _count_uniform(np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(round_number))), order, n_draws, counts)
    return counts


@kernel
def _count_uniform(key, order, n_draws, counts):
    for i in range(n_draws):
        counts[order[min(np.int64(uniform(key, i) * order.size), order.size - 1)]] += 1


def choose_rows(
    order: np.ndarray, n_draws: int, seed: int, round_number: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Row numbers, ascending, drawn without replacement (pasting); by weight, if positive weights are given.

    >>> choose_rows(np.arange(3), 3, seed=0, round_number=0).tolist()
    [0, 1, 2]
    """
    return np.sort(_shuffle(order, seed, round_number, weights)[:n_draws])


def _shuffle(order: np.ndarray, seed: int, round_number: int, weights: np.ndarray | None = None) -> np.ndarray:
    """In random order: each place goes to one of the rows left, by weight."""
    key = np.uint64(stream_key(np.uint64(seed), ROWS, np.uint64(round_number)))
    if weights is None:
        keys = np.empty(len(order), np.uint64)
        fill_keys(key, keys)
        return order[np.argsort(keys, kind="stable")]
    times = np.empty(len(order))
    draw_times(key, weights[order], times)
    return order[np.argsort(times, kind="stable")]


@kernel
def fill_keys(key, keys):
    for i in range(keys.size):
        keys[i] = mix(key, i)


def order_of_codes(codes: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Like `order_by_content`, for an encoded table (columns, rows): equal codes are equal content."""
    hashes = np.zeros(codes.shape[1], np.uint64)
    numbers = np.asarray(target, np.float64) + 0.0
    _stir(hashes, numbers.view(np.uint64))
    _stir_codes(hashes, codes)
    return np.argsort(hashes, kind="stable")


def order_of_sparse(matrix: csr_matrix, *targets: np.ndarray) -> np.ndarray:
    """Like `order_by_content`, for a sparse matrix without duplicates, its indices sorted."""
    hashes = np.zeros(matrix.shape[0], np.uint64)
    for target in targets:
        _stir(hashes, (np.asarray(target, np.float64) + 0.0).view(np.uint64))
    values = np.asarray(matrix.data, np.float64) + 0.0
    _stir_sparse(hashes, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), values.view(np.uint64))
    return np.argsort(hashes, kind="stable")


def order_of_any(X: Any, targets: np.ndarray) -> np.ndarray:
    """The same of whatever models take for a table; as the rows stand, if they hold what we cannot read."""
    if issparse(X):
        plain = csr_matrix(X)
        plain.sum_duplicates()
        return order_of_sparse(plain, *targets)
    try:
        table = learn_and_read(X)[1]
    except (TypeError, ValueError):
        return np.arange(targets.shape[1])
    return order_by_content(table, *targets)


@kernel
def _stir_sparse(hashes, first, columns, bits):
    for i in range(hashes.size):
        for k in range(first[i], first[i + 1]):
            hashes[i] = mix(mix(hashes[i] ^ bits[k], np.uint64(0)), columns[k])


@kernel
def _stir_codes(hashes, codes):
    """Eight columns at a time, block by block so that the hashes are still in the cache."""
    for block in range(0, hashes.size, 4096):
        part = hashes[block : block + 4096]
        for first in range(0, codes.shape[0], 8):
            for i in range(part.size):
                word = np.uint64(0)
                for j in range(first, min(first + 8, codes.shape[0])):
                    word = (word << _EIGHT) | np.uint64(codes[j, block + i])
                part[i] = mix(part[i] ^ word, np.uint64(0))


class Bags(NamedTuple):
    """Which rows each member of an ensemble has drawn: enough to draw them again."""

    order: np.ndarray  # int64: row numbers in an order that follows from what they hold
    weights: np.ndarray | None  # chances of the rows; None: all the same
    n_draws: int
    replace: bool  # False: no row twice, but for those of whole weight, which are as many rows
    seed: int
    n_parts: int = 0  # positive: all rows are split into so many parts, and each member gets one

    def counts(self, number: int) -> np.ndarray:
        """int64: how often the member of this number drew each row."""
        if self.replace:
            return count_draws(self.order, self.weights, self.n_draws, self.seed, number)
        rows, chances = self._stock()
        if self.n_parts:
            drawn = _shuffle(rows, self.seed, 0)[number :: self.n_parts]
        else:
            drawn = choose_rows(rows, self.n_draws, self.seed, number, chances)
        return np.bincount(drawn, minlength=len(self.order))

    def _stock(self) -> tuple[np.ndarray, np.ndarray | None]:
        """What is drawn from without replacement: rows, those of whole weight repeated, and perhaps chances."""
        if self.weights is None:
            return self.order, None
        rows = self.order[self.weights[self.order] > 0]
        if are_repeats(self.weights):
            return np.repeat(rows, self.weights[rows].astype(np.int64)), None
        return rows, self.weights

"""Row orders that depend on the row contents (a hash) and not on the row numbers.

In: a table, or columns, or codes. Out: row numbers. What is sampled in that order does not depend on the order of the
table, and a row of weight 2 is sampled like two equal rows. Rows that differ only in their weights are sorted by
weight, where weights are given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney._random import HELD_OUT, mix, stream_key
from spinney.data.schema import learn_and_read
from spinney.data.tables import Table

_EIGHT, _S32 = np.uint64(8), np.uint64(32)
_FACTOR, _S15 = np.uint32(0x9E3779B1), np.uint32(15)


def order_of_columns(*columns: np.ndarray) -> np.ndarray:
    """Row numbers in an order that depends on what the columns hold and not on where the rows are.

    >>> order_of_columns(np.array([3.0, 1.0, 3.0, 2.0]))[[0, 1]].tolist()
    [0, 2]
    """
    return in_order(hashes_of_columns(*columns))


def in_order(hashes: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Row numbers by hash, and those of one hash by weight.

    >>> in_order(np.array([7, 2, 7], np.uint64), np.array([2.0, 1.0, 0.5])).tolist()
    [1, 2, 0]
    """
    return np.argsort(hashes, kind="stable") if weights is None else np.lexsort((weights, hashes))


def hashes_of_columns(*columns: np.ndarray, n_rows: int | None = None) -> np.ndarray:
    """A hash for each row, of what the columns hold."""
    hashes = np.zeros(len(columns[0]) if n_rows is None else n_rows, np.uint64)
    for values in columns:
        _stir(hashes, _bits(values))
    return hashes


def chances_by_content(table: Table) -> np.ndarray:
    """A number from 0 to 1 for each row that looks random and follows from what the row holds.

    >>> from spinney.data.schema import learn_and_read
    >>> chances = chances_by_content(learn_and_read([[1.0], [2.0], [1.0]])[1])
    >>> bool(chances[0] == chances[2] != chances[1])
    True
    """
    return (table.hashes() >> np.uint64(11)) * 2.0**-53


def order_by_content(table: Table, *targets: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """`order_of_columns` of a table and its targets."""
    hashes = table.hashes()
    for target in targets:
        _stir(hashes, _bits(target))
    return in_order(hashes, weights)


def hashes_of_cells(first: np.ndarray, rows: np.ndarray, values: np.ndarray, n_rows: int) -> np.ndarray:
    """`hashes_of_columns` of a sparse table, whose stored cells are listed column by column."""
    hashes = np.zeros(n_rows, np.uint64)
    _stir_cells(first, rows, _bits(values), first.copy(), hashes)
    return hashes


def _bits(values: np.ndarray) -> np.ndarray:
    """Numbers as 64 bits: -0 is 0, and NaN is of one kind."""
    numbers = np.array(values, np.float64) + 0.0
    numbers[np.isnan(numbers)] = np.nan
    return numbers.view(np.uint64)


def hashes_of_keys(seed: int, keys: np.ndarray, *columns: np.ndarray) -> np.ndarray:
    """A hash for each row, from a hash of its codes and more columns; another seed gives others."""
    hashes = np.full(len(keys), stream_key(seed, HELD_OUT, 0), np.uint64)
    _stir(hashes, keys.astype(np.uint64))
    for values in columns:
        _stir(hashes, _bits(values))
    return hashes


@kernel
def _stir(hashes, bits):
    for i in range(hashes.size):
        hashes[i] = mix(hashes[i] ^ bits[i], np.uint64(0))


def order_of_codes(codes: np.ndarray, target: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Like `order_of_columns`, for an encoded table (columns, rows): equal codes are equal content."""
    hashes = np.zeros(codes.shape[1], np.uint64)
    numbers = np.asarray(target, np.float64) + 0.0
    _stir(hashes, numbers.view(np.uint64))
    _stir_codes(hashes, codes)
    return in_order(hashes, weights)


def order_of_any(X: Any, targets: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The same for whatever models take for a table; as the rows stand, if they hold what we cannot read."""
    try:
        table = learn_and_read(X)[1]
    except (TypeError, ValueError):
        return np.arange(targets.shape[1])
    return order_by_content(table, *targets, weights=weights)


@kernel
def _stir_cells(first, rows, bits, at, hashes):
    """A sparse table, block by block and column by column: zero has no bits, and at[j] is the next cell of column j."""
    for block in range(0, hashes.size, 1024):
        part = hashes[block : min(hashes.size, block + 1024)]
        for j in range(first.size - 1):
            while at[j] < first[j + 1] and rows[at[j]] < block + part.size:
                part[rows[at[j]] - block] ^= bits[at[j]]
                at[j] += 1
            for i in range(part.size):
                part[i] = mix(part[i], np.uint64(0))


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


# --- keys of 32 bits, from the codes of a row: the same from dense and sparse codes, and on a GPU --------------------


@inner_kernel
def mix_code(key, code):
    """A row's key with one more column's code in it."""
    return np.uint32((key ^ np.uint32(code)) * _FACTOR + (key >> _S15))


@inner_kernel
def end_key(key):
    """The key of a row all of whose codes are in it."""
    return np.uint32(mix(np.uint64(key), 0) >> _S32)

"""Rows in an order that follows from what they hold, a hash, and not from where they stand.

In: a table as columns, codes or a sparse matrix. Out: row numbers. What is drawn in that order does not depend on the
order of the table, and a row of weight 2 is drawn like two rows that are alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from spinney._compile import kernel
from spinney._random import mix
from spinney.data.schema import learn_and_read
from spinney.data.tables import Table

_EIGHT = np.uint64(8)


def order_of_columns(*columns: np.ndarray) -> np.ndarray:
    """Row numbers in an order that depends on what the columns hold and not on where the rows are.

    >>> order_of_columns(np.array([3.0, 1.0, 3.0, 2.0]))[[0, 1]].tolist()
    [0, 2]
    """
    return np.argsort(_hashes(*columns), kind="stable")


def _hashes(*columns: np.ndarray) -> np.ndarray:
    hashes = np.zeros(len(columns[0]), np.uint64)
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
    return (_hashes(*(table.column(j) for j in range(table.n_columns))) >> np.uint64(11)) * 2.0**-53


def order_by_content(table: Table, *targets: np.ndarray) -> np.ndarray:
    """The same for a table and its targets."""
    return order_of_columns(*(table.column(j) for j in range(table.n_columns)), *targets)


def _bits(values: np.ndarray) -> np.ndarray:
    """Numbers as 64 bits: -0 is 0, and NaN is of one kind."""
    numbers = np.array(values, np.float64) + 0.0
    numbers[np.isnan(numbers)] = np.nan
    return numbers.view(np.uint64)


@kernel
def _stir(hashes, bits):
    for i in range(hashes.size):
        hashes[i] = mix(hashes[i] ^ bits[i], np.uint64(0))


def order_of_codes(codes: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Like `order_of_columns`, for an encoded table (columns, rows): equal codes are equal content."""
    hashes = np.zeros(codes.shape[1], np.uint64)
    numbers = np.asarray(target, np.float64) + 0.0
    _stir(hashes, numbers.view(np.uint64))
    _stir_codes(hashes, codes)
    return np.argsort(hashes, kind="stable")


def order_of_sparse(matrix: csr_matrix, *targets: np.ndarray) -> np.ndarray:
    """Like `order_of_columns`, for a sparse matrix without duplicates, its indices sorted."""
    hashes = np.zeros(matrix.shape[0], np.uint64)
    for target in targets:
        _stir(hashes, (np.asarray(target, np.float64) + 0.0).view(np.uint64))
    values = np.asarray(matrix.data, np.float64) + 0.0
    _stir_sparse(hashes, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), values.view(np.uint64))
    return np.argsort(hashes, kind="stable")


def order_of_any(X: Any, targets: np.ndarray) -> np.ndarray:
    """The same for whatever models take for a table; as the rows stand, if they hold what we cannot read."""
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

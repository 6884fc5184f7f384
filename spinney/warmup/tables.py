"""Small tables of every kind, for recipes."""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS = 240


def numbers(n: int = ROWS, columns: int = 5) -> np.ndarray:
    return np.random.RandomState(0).randn(n, columns)


def with_holes(n: int = ROWS) -> np.ndarray:
    X = numbers(n)
    X[np.random.RandomState(1).rand(*X.shape) < 0.1] = np.nan
    return X


def strings(n: int = ROWS) -> np.ndarray:
    X = numbers(n).astype(object)
    X[:, 1] = np.random.RandomState(2).choice(["red", "green", "blue", "grey"], n)
    return X


def few_cells(dtype: type, n: int = ROWS, share: float = 0.01, holes: bool = True) -> Any:
    """A sparse matrix that is too large to be laid out."""
    from scipy.sparse import coo_matrix

    random, shape = np.random.RandomState(0), (n, 8_000)
    n_cells = int(share * n * 8_000)
    places = random.randint(n, size=n_cells), random.randint(8_000, size=n_cells)
    X = coo_matrix((random.rand(n_cells).astype(dtype), places), shape).tocsr()
    X.data[::7] = np.nan if holes else 0.0
    return X


def layouts(every: bool) -> list[tuple[str, np.ndarray]]:
    """The same numbers as they lie in memory: rows or columns together, neither, halved, read-only."""
    X = numbers()
    found = [("numbers", X), ("float32", X.astype(np.float32)), ("column by column", np.asfortranarray(X))]
    if every:
        found.append(("float32, column by column", np.asfortranarray(X, np.float32)))
        found += [(f"{name}, strided", np.repeat(one, 2, axis=1)[:, ::2]) for name, one in found[:2]]
        found += [(f"{name}, read-only", read_only(one)) for name, one in found]
    return found


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.view()
    X.flags.writeable = False
    return X


def target(X: np.ndarray) -> np.ndarray:
    return np.nan_to_num(X[:, 0].astype(float))


def classes(X: np.ndarray, n: int = 2) -> np.ndarray:
    return np.digitize(target(X), np.linspace(-0.8, 0.8, n - 1) if n > 2 else [0.0])


def weights(X: np.ndarray) -> np.ndarray:
    return np.random.RandomState(3).rand(len(X)) + 0.5

"""Generated data: the same rows on every machine, without downloads.

Every generator takes the number of training rows and returns a `Table` whose test part has a fifth as many rows, unless
it says otherwise.
The target is a noisy function of about a dozen columns with interactions, steps, waves and plain slopes, so that
trees have something to find at every depth. No generator knows which library will read the table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, issparse
from sklearn.datasets import load_iris

Task = Literal["binary", "multiclass", "regression"]
Matrix = NDArray[np.float32]
Features = Any  # a float32 matrix, a pandas frame or a sparse matrix

COLUMNS = 28
CLASSES = 7
CATEGORIES = 100
QUESTIONS = (9, 16, 7, 15, 6, 5, 2, 42, 12, 3)  # answers to each question of a form


@dataclass(frozen=True)
class Table:
    """A training part and a test part of one made-up problem."""

    task: Task
    X: Features
    y: NDArray[Any]
    X_test: Features
    y_test: NDArray[Any]

    @property
    def classes(self) -> int:
        """Number of classes; 1 for regression."""
        return 1 if self.task == "regression" else int(max(self.y.max(), self.y_test.max())) + 1

    @property
    def input_bytes(self) -> int:
        """Size of the training part as the caller holds it."""
        if issparse(self.X):
            return int(self.X.data.nbytes + self.X.indices.nbytes + self.X.indptr.nbytes) + self.y.nbytes
        x_bytes = self.X.memory_usage(deep=True).sum() if isinstance(self.X, pd.DataFrame) else self.X.nbytes
        return int(x_bytes) + self.y.nbytes


def held_out_rows(rows: int) -> int:
    """Rows of the test part that goes with `rows` training rows: 200,000 for a million."""
    return max(rows // 5, 100)


def binary(rows: int = 1_000_000, columns: int = COLUMNS, seed: int = 0) -> Table:
    """The main table: float32 columns of mixed distributions and a two-class target."""
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, rows + held_out_rows(rows), columns)
    return _split("binary", X, _draw_classes(rng, _signal(X)), rows)


def regression(rows: int = 1_000_000, seed: int = 0) -> Table:
    """The main table's columns with a numeric target."""
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, rows + held_out_rows(rows), COLUMNS)
    y = _signal(X).astype(np.float64) + rng.standard_normal(len(X))
    return _split("regression", X, y, rows)


def multiclass(rows: int = 100_000, columns: int = 54, seed: int = 0) -> Table:
    """Seven classes; ten numeric columns, the others zero or one, as in a survey of forest cover."""
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, rows + held_out_rows(rows), columns)
    X[:, 10:] = X[:, 10:] > 1.0
    logits = np.stack([_signal(np.roll(X[:, :16], 3 * k, axis=1)) for k in range(CLASSES)], axis=1)
    noise = rng.gumbel(size=logits.shape)
    return _split("multiclass", X, np.argmax(2.0 * logits + noise, axis=1), rows)


def missing(rows: int = 1_000_000, share: float = 0.9, seed: int = 0) -> Table:
    """The main table with nine cells in ten missing, or another share; the target follows what can still be seen."""
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, rows + held_out_rows(rows), COLUMNS)
    for j in range(COLUMNS):
        X[rng.random(len(X), dtype=np.float32) < share, j] = np.nan
    return _split("binary", X, _draw_classes(rng, _signal(np.nan_to_num(X))), rows)


def categorical(rows: int = 1_000_000, columns: int = 20, seed: int = 0) -> Table:
    """A pandas frame of category columns with 100 string values each, of unequal frequency and effect."""
    rng = np.random.default_rng(seed)
    names = [f"value {v:02d}" for v in range(CATEGORIES)]
    weights = rng.dirichlet(np.full(CATEGORIES, 2.0), columns)
    effects = rng.standard_normal((columns, CATEGORIES)).astype(np.float32)
    count = rows + held_out_rows(rows)
    codes = [rng.choice(CATEGORIES, count, p=weights[j]) for j in range(columns)]
    hidden = np.stack([effects[j][codes[j]] for j in range(columns)], axis=1)
    frame = pd.DataFrame({f"column {j:02d}": pd.Categorical.from_codes(codes[j], names) for j in range(columns)})
    return _split("binary", frame, _draw_classes(rng, _signal(hidden)), rows)


def strings(rows: int = 200_000, seed: int = 0) -> Table:
    """A form filled in by people: a pandas frame of ten columns of words and six of numbers."""
    rng = np.random.default_rng(seed)
    count = rows + held_out_rows(rows)
    numbers = mixed_columns(rng, count, 6)
    columns = {f"number {j}": numbers[:, j] for j in range(numbers.shape[1])}
    hidden = list(numbers.T)
    for j, size in enumerate(QUESTIONS):
        codes = rng.choice(size, count, p=rng.dirichlet(np.full(size, 2.0)))
        columns[f"question {j}"] = np.array([f"answer {v:02d}" for v in range(size)], dtype=object)[codes]
        hidden.append(rng.standard_normal(size).astype(np.float32)[codes])
    signal = _signal(np.stack(hidden, axis=1)[:, rng.permutation(len(hidden))])
    return _split("binary", pd.DataFrame(columns), _draw_classes(rng, signal), rows)


def halves(rows: int = 200_000, seed: int = 0) -> Table:
    """The main table with as many rows to test on as to train on."""
    rng = np.random.default_rng(seed)
    X = mixed_columns(rng, 2 * rows, COLUMNS)
    return _split("binary", X, _draw_classes(rng, _signal(X)), rows)


def iris(rows: int = 150) -> Table:
    """All rows of iris, to train on and again to predict: a table on which only the overhead counts."""
    X, y = load_iris(return_X_y=True)
    return Table("multiclass", X[:rows], y[:rows], X[:rows], y[:rows])


def clusters(rows: int = 1_000_000, columns: int = 20, groups: int = 50, dtype: type = np.float32) -> Table:
    """Rows around middles that lie so close that neighbours overlap."""
    rng = np.random.default_rng(0)
    middle = 1.5 * rng.standard_normal((groups, columns))
    group = rng.integers(0, groups, rows + held_out_rows(rows))
    X = middle[group] + rng.standard_normal((len(group), columns))
    return _split("multiclass", X.astype(dtype), group, rows)


def sparse(rows: int = 100_000, columns: int = 5_000, share: float = 0.01, whole: bool = False, seed: int = 0) -> Table:
    """A sparse matrix, one cell in a hundred stored: numbers, or small whole numbers as counts of words are."""
    rng = np.random.default_rng(seed)
    count = rows + held_out_rows(rows)
    n_cells = int(count * columns * share)
    places = rng.integers(0, count, n_cells), rng.integers(0, columns, n_cells)
    values = rng.integers(1, 6, n_cells).astype(np.float32) if whole else rng.random(n_cells, dtype=np.float32)
    X = coo_matrix((values, places), (count, columns)).tocsr()
    effects = rng.standard_normal(columns) * (rng.random(columns) < 0.05)
    signal = X @ effects
    return _split("binary", X, _draw_classes(rng, 2.0 * (signal - np.median(signal)) / signal.std()), rows)


def wide(rows: int = 20_000, seed: int = 0) -> Table:
    """Few rows and 2,000 columns, most of them noise."""
    return binary(rows, 2_000, seed)


def small(rows: int = 1_000, seed: int = 0) -> Table:
    """A table on which only the overhead counts."""
    return binary(rows, 20, seed)


GENERATORS: dict[str, Callable[[int], Table]] = {
    "binary": binary,
    "regression": regression,
    "multiclass": multiclass,
    "missing": missing,
    "missing20": partial(missing, share=0.2),
    "categorical": categorical,
    "strings": strings,
    "halves": halves,
    "iris": iris,
    "clusters": clusters,
    "gaussians": partial(clusters, groups=10, dtype=np.float64),
    "wide": wide,
    "small": small,
    "sparse": sparse,
    "sparse_counts": partial(sparse, whole=True),
}


def mixed_columns(rng: np.random.Generator, rows: int, columns: int) -> Matrix:
    """Columns in turn log-normal, rounded to halves, normal, and normal with a heavy tail."""
    X = rng.standard_normal((rows, columns), dtype=np.float32)
    X[:, 0::4] = np.exp(0.7 * X[:, 0::4])
    X[:, 1::4] = np.round(2.0 * X[:, 1::4]) / 2.0
    X[:, 3::4] *= 1.0 + np.abs(X[:, 3::4]) / 4.0
    return X


def _signal(X: Matrix) -> Matrix:
    """The noiseless target, centred: products, a square, a wave, a gate and slopes of the first 15 columns."""
    signal = X[:, 0] * X[:, 2] - X[:, 3] ** 2 / 2 + np.sin(3 * X[:, 5]) + (X[:, 6] > 0) * (X[:, 8] - 1)
    signal += X[:, 10] * X[:, 11] / 2 + X[:, 12] + np.abs(X[:, 14])
    return np.asarray(signal - np.median(signal), np.float32)


def _draw_classes(rng: np.random.Generator, signal: Matrix) -> NDArray[np.int64]:
    """Zero or one, drawn with the logistic probability of the signal."""
    return (rng.random(len(signal)) < 1.0 / (1.0 + np.exp(-signal.astype(np.float64)))).astype(np.int64)


def _split(task: Task, X: Features, y: NDArray[Any], rows: int) -> Table:
    """The first rows to train on and the rest to test on, each in memory of its own."""
    if isinstance(X, pd.DataFrame):
        return Table(task, X[:rows].copy(), y[:rows].copy(), X[rows:].reset_index(drop=True), y[rows:].copy())
    return Table(task, X[:rows].copy(), y[:rows].copy(), X[rows:].copy(), y[rows:].copy())

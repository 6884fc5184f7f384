"""Proximity: how often two rows fall into the same leaf.

In: a fitted tree-based model, and rows. Out: a matrix of proximities, the nearest rows, or outlier scores.

    leaves        fraction of the trees in which both rows fall into the same leaf
    out_of_bag    the same among the trees that have seen neither; for training rows
    gap           the weight of each training row in the forest's prediction: predictions of a regression forest (out
                  of bag for training rows) are proximities times targets (RF-GAP, Rhodes, Cutler and Moon, 2023)

Rows meet in leaves: the matrix is a product of sparse matrices (rows, leaves), computed in blocks of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.utils import Bunch
from sklearn.utils.validation import _num_samples

from spinney._docstrings import completed
from spinney.explain.dependence.responses import check_model
from spinney.explain.importance import store_of
from spinney.tree.formula import trees_formula
from spinney.view.phrases import check_choice

_KINDS = ("leaves", "out_of_bag", "gap")
_CELLS = 1 << 22  # of the matrix at a time


def proximity(model: Any, X: Any, Y: Any = None, *, kind: str = "leaves", sparse: bool = False) -> Any:
    """Compute proximities: how often two rows fall into the same leaf.

    Parameters
    ----------
    model : fitted model
        A tree, forest, bagging of trees, isolation forest, random trees embedding or boosted model.
    X : array-like or DataFrame of shape (n_samples_X, n_features)
        Rows to compare.
    Y : array-like or DataFrame of shape (n_samples_Y, n_features), default=None
        Rows to compare with. None: X.
    kind : {"leaves", "out_of_bag", "gap"}, default="leaves"
        "leaves": the fraction of the trees in which both rows fall into the same leaf. "out_of_bag": the same, but only
        of trees that were fitted without either row; X must be the training rows. "gap": the weight of each training
        row in the prediction for a row of X. Y must be the training rows. Without Y, X must be, and each row is
        predicted out of bag.
    sparse : bool, default=False
        Return a SciPy sparse array with the proximities above 0. Use it for many rows and deep trees.

    Returns
    -------
    ndarray or csr_array of shape (n_samples_X, n_samples_Y)
        `1 - proximity(model, X)` is a distance for clustering with `metric="precomputed"`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier
    >>> from spinney.explain import proximity
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> P = proximity(model, X)
    >>> bool(P[:50, :50].mean() > 0.9), bool(P[:50, 50:].mean() < 0.01)  # setosa and the others
    (True, True)
    """
    blocks = list(_blocks(model, X, Y, kind))
    return vstack(blocks, format="csr") if sparse else np.vstack([block.toarray() for block in blocks])


@completed(proximity)
def nearest_rows(model: Any, X: Any, Y: Any = None, *, n_rows: int = 5, kind: str = "leaves") -> Bunch:
    """Find the rows of Y with the largest proximity to each row of X.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples_X, n_features)
        Rows whose neighbours are found.
    Y : array-like or DataFrame of shape (n_samples_Y, n_features), default=None
        Candidate neighbours. Without Y, they are the other rows of X.
    n_rows : int, default=5
        Number of neighbours per row.

    Returns
    -------
    Bunch
        `indices` (n_samples_X, n_rows), the nearest first, and their `proximities`. Ties go to the first row of Y.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spinney import RandomForestClassifier
    >>> from spinney.explain import nearest_rows
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(n_estimators=50, random_state=0).fit(X[1:], y[1:])
    >>> near = nearest_rows(model, X[:1], X[1:], n_rows=3)
    >>> y[1:][near.indices[0]].tolist()
    [0, 0, 0]
    """
    n_known = _num_samples(X if Y is None else Y) - (Y is None)
    if isinstance(n_rows, bool) or not isinstance(n_rows, int | np.integer) or not 1 <= n_rows <= n_known:
        raise ValueError(f"n_rows must be an integer from 1 to {n_known}, got {n_rows!r}.")
    indices, near, first = [], [], 0
    for block in _blocks(model, X, Y, kind):
        whole = block.toarray()
        if Y is None:
            whole[np.arange(len(whole)), first + np.arange(len(whole))] = -1.0
        first += len(whole)
        order = np.argsort(-whole, axis=1, kind="stable")[:, :n_rows]
        indices.append(order)
        near.append(np.take_along_axis(whole, order, axis=1))
    return Bunch(indices=np.vstack(indices), proximities=np.vstack(near))


@completed(proximity)
def outlier_scores(model: Any, X: Any, y: Any = None, *, kind: str = "leaves") -> np.ndarray:
    """Compute Breiman's outlier measure: how far each row is from the other rows of its class, by proximity.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        Rows to score.
    y : array-like of shape (n_samples,), default=None
        Classes of the rows. None: all rows are one class.
    kind : {"leaves", "out_of_bag"}, default="leaves"
        As in `proximity`.

    Returns
    -------
    ndarray of shape (n_samples,)
        Number of rows divided by the sum of the squared proximities to the class, minus the median of the class, in
        units of its median absolute deviation. Inspect rows with scores above 10.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney import IsolationForest
    >>> from spinney.explain import outlier_scores
    >>> X = np.vstack([np.random.RandomState(0).randn(200, 2), [[6.0, 6.0]]])
    >>> int(outlier_scores(IsolationForest(random_state=0).fit(X), X).argmax())
    200
    """
    if kind == "gap":
        raise ValueError("kind must be 'leaves' or 'out_of_bag' for outlier_scores, got 'gap'.")
    n = _num_samples(X)
    labels = np.zeros(n, np.int64) if y is None else np.unique(np.asarray(y), return_inverse=True)[1].reshape(-1)
    if len(labels) != n:
        raise ValueError(f"y must have one value for each of the {n} rows of X, got {len(labels)}.")
    squares, first = np.empty(n), 0
    for block in _blocks(model, X, None, kind):
        own = block.tocoo()
        alike = labels[first + own.row] == labels[own.col]
        squares[first : first + block.shape[0]] = np.bincount(
            own.row[alike], own.data[alike] ** 2, minlength=block.shape[0]
        )
        first += block.shape[0]
    raw = n / np.maximum(squares, 1.0 / n)
    scores = np.empty(n)
    for label in np.unique(labels):
        mine = labels == label
        middle = np.median(raw[mine])
        spread = np.median(np.abs(raw[mine] - middle))
        scores[mine] = (raw[mine] - middle) / spread if spread > 0 else raw[mine] - middle
    return scores


# --- rows and leaves -----------------------------------------------------------------------------------------------


def _blocks(model: Any, X: Any, Y: Any, kind: str) -> Iterator[csr_array]:
    """Some rows of the matrix at a time."""
    check_model(model)
    check_choice("kind", kind, _KINDS)
    places = _places(model, X)
    if kind == "leaves":
        factors = _by_leaves(places, places if Y is None else _places(model, Y))
    else:
        factors = _by_bags(model, places, None if Y is None else _places(model, Y), kind)
    left, right, pairs = factors
    other = right.T.tocsc()
    step = max(1, _CELLS // max(right.shape[0], 1))
    for first in range(0, left.shape[0], step):
        block = csr_array(left[first : first + step] @ other)
        if pairs is not None:  # trees that have seen neither row
            both = (pairs[0][first : first + step] @ pairs[1].T).tocoo()
            total = np.zeros(block.shape)
            total[both.row, both.col] = both.data
            rows = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
            block.data = block.data / total[rows, block.indices]
        yield block


def _places(model: Any, X: Any) -> np.ndarray:
    """(rows, trees): leaves, numbered through all trees."""
    forest = store_of(model, ", which proximities need")
    if hasattr(model, "apply"):
        leaves = np.asarray(model.apply(X)).reshape(_num_samples(X), -1)
    else:
        leaves = np.column_stack([member.apply(X) for member in model.estimators_])
    found: np.ndarray = leaves + forest.first[:-1]
    return found


def _matrix(places: np.ndarray, weight: np.ndarray, n_nodes: int) -> csr_array:
    """(rows, nodes); entries of weight 0 left out."""
    n, n_trees = places.shape
    matrix = csr_array((weight.flatten(), places.flatten(), np.arange(0, n * n_trees + 1, n_trees)), shape=(n, n_nodes))
    matrix.eliminate_zeros()
    return matrix


def _by_leaves(a: np.ndarray, b: np.ndarray) -> tuple[csr_array, csr_array, None]:
    n_nodes = int(max(a.max(), b.max())) + 1
    return _matrix(a, np.full(a.shape, 1.0 / a.shape[1]), n_nodes), _matrix(b, np.ones(b.shape), n_nodes), None


def _by_bags(model: Any, a: np.ndarray, b: np.ndarray | None, kind: str) -> Any:
    """Where it matters which trees have seen which rows."""
    name = type(model).__name__
    samples = trees_formula(model).samples
    if samples is None:
        raise ValueError(f"kind={kind!r} needs trees fitted on bootstrap samples, which this {name} does not have.")
    if kind == "out_of_bag" and b is not None:
        raise ValueError("kind='out_of_bag' compares the training rows with each other. Leave Y out.")
    known = a if b is None else b
    counts = np.stack([samples(k) for k in range(a.shape[1])], axis=1)
    if len(known) != len(counts):
        raise ValueError(f"{'X' if b is None else 'Y'} must be the {len(counts)} training rows, got {len(known)}.")
    n_nodes = int(max(a.max(), known.max())) + 1
    unseen = (counts == 0).astype(np.float64)
    if kind == "out_of_bag":
        matrix = _matrix(a, unseen, n_nodes)
        return matrix, matrix, (csr_array(unseen), csr_array(unseen))
    judges = unseen if b is None else np.ones(a.shape)
    total = judges.sum(axis=1, keepdims=True)
    judges = np.divide(judges, total, out=np.zeros_like(judges), where=total > 0)
    in_leaf = np.bincount(known.ravel(), counts.ravel(), minlength=n_nodes)
    share = np.divide(counts, in_leaf[known], out=np.zeros(counts.shape), where=counts > 0)
    return _matrix(a, judges, n_nodes), _matrix(known, share, n_nodes), None

"""All the questions that a node could ask, each with what it gains: the lectures' tables of candidate splits.

In: a table, and classes or numbers. Out: one row per threshold of a column of numbers and per grouping of a column of
categories. It is for reading: trees are grown by `grow/`, whose searches find the best of these without listing them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from spinney.criteria.measures import MEASURES, number_labels
from spinney.data.schema import SchemaColumn, learn_and_read
from spinney.data.weights import read_weights

GROUPS = ("branches", "sets")
CRITERIA = (*MEASURES, "gain_ratio", "squared_error")
_MOST_LISTED = 10  # categories: of more, only those groupings are listed that a tree looks at


class _Target(NamedTuple):
    """What is summed on either side of a question, for the rows that weigh anything."""

    rows: np.ndarray  # which those are
    amounts: np.ndarray  # (rows, k): weight of each class; of numbers, weight, weight * y and weight * y ** 2
    is_numbers: bool

    def sums(self, kept: np.ndarray, places: np.ndarray, n: int) -> np.ndarray:
        """(place, k): sums of the kept rows at each place."""
        return np.column_stack([np.bincount(places, one, n) for one in self.amounts[kept].T])

    def weight(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] if self.is_numbers else sums.sum(axis=-1)


def candidate_splits(
    X: Any,
    y: Any,
    *,
    criterion: str = "entropy",
    groups: str = "branches",
    sample_weight: Any = None,
    categorical_features: Any = "from_dtype",
) -> Any:
    """List all candidate splits of the columns of X, with the gain of each.

    Parameters
    ----------
    X : array-like or DataFrame
        NumPy array, or pandas, polars or Arrow table. It may hold numbers, booleans, strings, categories and missing
        values.
    y : array-like of shape (n_samples,)
        Class labels, or numbers for criterion="squared_error".
    criterion : {"entropy", "gini", "error", "gain_ratio", "squared_error"}, default="entropy"
        The impurity measure. "gain_ratio" is entropy with one more column in the result.
    groups : {"branches", "sets"}, default="branches"
        How categorical columns are split. "branches" has one branch per category, as in ID3 and C4.5. "sets" lists all
        binary splits of the categories, as in CART. With more than 10 categories, these are the splits that a tree
        considers: the categories are ordered by their mean (or by their fraction of each class in turn), and the order
        is split in two. Numbers always have two branches, and "squared_error" always uses sets.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    categorical_features : "from_dtype", None, or array-like of bool, int or str, default="from_dtype"
        Categorical columns. "from_dtype" selects columns of strings, category dtypes and booleans.

    Returns
    -------
    DataFrame or dict of ndarray
        One row per split; a pandas DataFrame, or a dict of arrays if pandas is not installed.

        ========== =====================================================================================================
        feature    name of the column, or its number
        threshold  midway between neighbouring values; rows up to it are on one side; NaN for categories
        categories tuple of the categories of one side, or of all if each has its own branch; None for numbers
        impurity   mean impurity of the branches, weighted by their rows
        gain       impurity decrease
        gain_ratio only with that criterion: the gain divided by the entropy of the branches
        ========== =====================================================================================================

    Notes
    -----
    In columns with missing values, gain and impurity are those of the rows with a value, times their fraction of the
    weight.

    Examples
    --------
    The estimated waiting time in the restaurant data, and three other columns:

    >>> from spinney import candidate_splits
    >>> from spinney.datasets import load_restaurant
    >>> X, y = load_restaurant(minutes=True)
    >>> candidate_splits(X[["WaitMinutes"]], y)[["threshold", "gain"]].round(3)
       threshold   gain
    0        4.5  0.089
    1        6.5  0.191
    2        7.5  0.027
    3       10.0  0.082
    4       16.0  0.196
    5       30.0  0.093
    6       55.0  0.191
    7       75.0  0.089
    >>> candidate_splits(X[["Patrons", "Type", "Hungry"]], y)[["feature", "gain"]].round(3)
       feature   gain
    0  Patrons  0.541
    1     Type  0.000
    2   Hungry  0.196
    """
    _check(criterion, groups)
    schema, table = learn_and_read(X, categorical_features, "candidate_splits", with_booleans=True)
    target = _read(y, sample_weight, table.n_rows, criterion == "squared_error")
    parts = [
        _judge(_candidates(column, table.column(index)[target.rows], target, groups), target, criterion, index)
        for index, column in enumerate(schema.columns)
    ]
    frame = {name: np.concatenate([part[name] for part in parts]) for name in (parts[0] if parts else ())}
    try:
        import pandas as pd
    except ImportError:
        return frame
    return pd.DataFrame(frame)


def _check(criterion: str, groups: str) -> None:
    if criterion not in CRITERIA:
        raise ValueError(f"criterion must be one of {', '.join(map(repr, CRITERIA))}, got {criterion!r}.")
    if groups not in GROUPS:
        raise ValueError(f"groups must be 'branches' or 'sets', got {groups!r}.")


def _read(y: Any, sample_weight: Any, n_rows: int, is_numbers: bool) -> _Target:
    check_consistent_length(np.empty(n_rows), y)
    weight = read_weights(sample_weight, n_rows).total()
    weight = np.ones(n_rows) if weight is None else weight
    rows = np.flatnonzero(weight)
    if is_numbers:
        numbers = column_or_1d(y, dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ValueError("y must hold finite numbers with criterion='squared_error'.")
        centred = numbers - np.average(numbers, weights=weight)  # or sums lose what differs
        return _Target(rows, np.column_stack([weight, weight * centred, weight * centred**2])[rows], True)
    places, n = number_labels(y, "y")
    amounts = np.zeros((n_rows, n))
    amounts[np.arange(n_rows), places] = weight
    return _Target(rows, amounts[rows], False)


class _Candidates(NamedTuple):
    """The questions of one column."""

    name: str | None
    thresholds: np.ndarray  # NaN for categories
    categories: np.ndarray  # objects: a tuple each, or None
    sides: np.ndarray  # (question, branch, k)
    known: float  # share of the weight that has a value


def _candidates(column: SchemaColumn, values: np.ndarray, target: _Target, groups: str) -> _Candidates:
    kept = np.flatnonzero(~np.isnan(values))
    share = float(target.weight(target.amounts[kept].sum(axis=0)) / target.weight(target.amounts.sum(axis=0)))
    distinct, places = np.unique(values[kept].astype(np.float64), return_inverse=True)
    sums = target.sums(kept, places, len(distinct))
    if column.categories is None:
        low, high = distinct[:-1], distinct[1:]
        middle = low / 2.0 + high / 2.0
        thresholds = np.where((low <= middle) & (middle < high), middle, low)
        return _Candidates(
            column.name, thresholds, np.full(len(low), None), _two(np.cumsum(sums, axis=0)[:-1], sums), share
        )
    names = [column.categories[int(code)] for code in distinct]
    if groups == "branches" and not target.is_numbers:
        sets, sides = [tuple(range(len(names)))] if len(names) > 1 else [], sums[None]
    else:
        sets = list(_groupings(sums, target))
        sides = _two(np.array([sums[list(one)].sum(axis=0) for one in sets]).reshape(len(sets), sums.shape[1]), sums)
    named = np.fromiter((tuple(names[k] for k in one) for one in sets), object, len(sets))
    return _Candidates(column.name, np.full(len(sets), np.nan), named, sides[: len(sets)], share)


def _two(left: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Both sides, from what is on one."""
    other = sums.sum(axis=0) - left
    other[:, 0] = np.maximum(other[:, 0], 0.0)
    return np.stack([left, other], axis=1)


def _groupings(sums: np.ndarray, target: _Target) -> Iterable[tuple[int, ...]]:
    """Ways to part categories in two, each as the categories of one side: that without the last one, or the smaller."""
    n = len(sums)
    if n <= _MOST_LISTED:
        return (one for size in range(1, n) for one in combinations(range(n - 1), size))
    chosen = sums.T[1:2] if target.is_numbers or sums.shape[1] == 2 else sums.T
    orders = [np.argsort(one / target.weight(sums), kind="stable") for one in chosen]
    found = {tuple(sorted(order[:cut].tolist())): None for order in orders for cut in range(1, n)}
    return list(found)


def _judge(asked: _Candidates, target: _Target, criterion: str, index: int) -> dict[str, np.ndarray]:
    """The rows of one column."""
    from spinney.criteria.impurity import squared_decreases
    from spinney.criteria.information import decrease, gain_ratio

    sides, n = asked.sides, len(asked.thresholds)
    if target.is_numbers:
        weight, total, squares = sides[0].sum(axis=0) if n else (1.0, 0.0, 0.0)
        gain = squared_decreases(np.ascontiguousarray(sides[:, 0, :2]), np.array([weight, total]))
        before = squares / weight - (total / weight) ** 2
    else:
        sides = np.maximum(sides, 0.0)
        measure = MEASURES["entropy" if criterion == "gain_ratio" else criterion]
        gain = decrease(sides, measure) if n else np.zeros(0)
        before = measure(sides.sum(axis=1)) if n else np.zeros(0)
    rows = {
        "feature": np.full(n, index if asked.name is None else asked.name, object),
        "threshold": asked.thresholds,
        "categories": asked.categories,
        "impurity": (before - gain) * asked.known,
        "gain": gain * asked.known,
    }
    if criterion == "gain_ratio":
        rows["gain_ratio"] = gain_ratio(sides) * asked.known if n else np.zeros(0)
    return rows

"""The lectures' sums: how mixed a node is and what a split takes off it, from counts or from labels.

In: counts of the classes, or one label per row, with weights. Out: numbers. The formulas live in `information.py` and
`impurity.py`; this file says what may be asked, and loads them when it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from spinney._docstrings import Parameter, completed
from spinney.data.target import is_missing
from spinney.data.weights import read_weights

Measure = Callable[[np.ndarray], Any]
_PER_ROW = "array-like of shape (n_samples,)"
_WEIGHT = Parameter(_PER_ROW, "Weights of these rows.")
_OF_COUNTS = completed(
    {
        "counts": Parameter("array-like of shape (..., n_classes)", "Number of rows, or total weight, of each class."),
        "labels": Parameter(_PER_ROW, "One label per row, in place of `counts`."),
        "sample_weight": _WEIGHT,
    },
    returns="float or ndarray\n    One number, or an array of shape (...) for counts of several nodes.",
)
_OF_SPLITS = completed(
    {
        "branches": Parameter(
            "array-like of shape (..., n_branches, n_classes)",
            "Number of rows, or total weight, of each class in each branch.",
        ),
        "answers": Parameter(
            _PER_ROW, "The branch that each row takes, under any names. Pass it with `labels`, in place of `branches`."
        ),
        "labels": Parameter(_PER_ROW, "Class of each row."),
        "sample_weight": _WEIGHT,
    },
    returns="float or ndarray\n    One number, or an array for several splits.",
)


@_OF_COUNTS
def entropy(counts: Any = None, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Compute Shannon's entropy in bits: -sum of p log2(p) over the classes.

    Examples
    --------
    Four equally likely values have two bits, and a single value has none. The play tennis data has 0.94 bits.

    >>> from spinney.criteria import entropy
    >>> entropy([1, 1, 1, 1]), entropy([7]), round(entropy([9, 5]), 3)
    (2.0, 0.0, 0.94)
    >>> entropy(labels=["wait", "leave", "wait", "leave"])
    1.0
    """
    return _as_plain(_entropy(read_counts(counts, labels, sample_weight)))


@_OF_COUNTS
def tsallis(counts: Any = None, *, q: float, labels: Any = None, sample_weight: Any = None) -> Any:
    """Compute Tsallis' entropy: (1 - sum of p ** q) / (q - 1).

    It is the Gini impurity for q = 2, and Shannon's entropy in nats for q = 1.

    Parameters
    ----------
    q : float
        Order of the entropy, above 0.

    Examples
    --------
    >>> from spinney.criteria import gini, tsallis
    >>> round(tsallis([67, 65, 168], q=2), 4), round(gini([67, 65, 168]), 4)
    (0.5896, 0.5896)
    >>> round(tsallis([1, 1], q=1), 4)  # ln 2
    0.6931
    """
    _check_order(q)
    from spinney.criteria.impurity import tsallis_entropy

    return _as_plain(tsallis_entropy(read_counts(counts, labels, sample_weight), float(q)))


def tsallis_criterion(q: float) -> Callable[[Any, Any], float]:
    """Create a split criterion for classification trees: the decrease of Tsallis' entropy.

    Parameters
    ----------
    q : float
        Order of the entropy, above 0. 2 gives the trees of the Gini impurity, 1 those of Shannon's entropy.

    Returns
    -------
    callable
        A custom criterion, to be passed as `criterion`.

    Notes
    -----
    Like every custom criterion, it only chooses the splits; nodes show their Gini impurity. It is a local function, so
    that models with it cannot be pickled. `spinney.save` keeps them. Powers and logarithms are those of the machine's C
    library: for orders other than 2, splits with nearly equal gains may differ between machines.

    Examples
    --------
    >>> from spinney import DecisionTreeClassifier
    >>> from spinney.criteria import tsallis_criterion
    >>> from spinney.datasets import load_penguins
    >>> X, y = load_penguins()
    >>> [DecisionTreeClassifier(criterion=tsallis_criterion(q)).fit(X, y).get_n_leaves() for q in (0.5, 1.5, 2)]
    [9, 13, 15]
    >>> DecisionTreeClassifier().fit(X, y).get_n_leaves()  # q = 2
    15
    """
    _check_order(q)
    order = float(q)

    def decrease(left: Any, right: Any) -> float:
        on_left, on_right = 0.0, 0.0
        for k in range(left.size):
            on_left += left[k]
            on_right += right[k]
        total = on_left + on_right
        gain = 0.0
        for k in range(left.size):
            a, b, both = left[k] / on_left, right[k] / on_right, (left[k] + right[k]) / total
            if order == 1.0:
                gain += on_left / total * (a * log(a) if a > 0.0 else 0.0)
                gain += on_right / total * (b * log(b) if b > 0.0 else 0.0)
                gain -= both * log(both) if both > 0.0 else 0.0
            else:
                gain += (on_left / total * a**order + on_right / total * b**order - both**order) / (order - 1.0)
        return float(gain)

    return decrease


def _check_order(q: Any) -> None:
    if isinstance(q, bool) or not isinstance(q, Real) or not 0 < float(q) < np.inf:
        raise ValueError(f"q must be a positive number, got {q!r}.")


@_OF_COUNTS
def gini(counts: Any = None, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Compute the Gini impurity: 1 - sum of p ** 2 over the classes.

    It is 0 for a single class, and at most 1 - 1 / n_classes.

    Examples
    --------
    >>> from spinney.criteria import gini
    >>> round(gini([67, 65, 168]), 4), gini([50, 50]), gini([50, 0])
    (0.5896, 0.5, 0.0)
    """
    return _as_plain(_gini(read_counts(counts, labels, sample_weight)))


@_OF_COUNTS
def error_rate(counts: Any = None, *, labels: Any = None, sample_weight: Any = None) -> Any:
    """Compute the misclassification rate: the fraction of rows that are not of the most common class.

    Examples
    --------
    These two splits have the same error rate. Entropy and Gini prefer the second, which has a pure branch.

    >>> from spinney.criteria import error_rate, impurity_decrease
    >>> one, other = [[100, 300], [300, 100]], [[200, 400], [200, 0]]
    >>> [round(impurity_decrease(split, criterion="error"), 3) for split in (one, other)]
    [0.25, 0.25]
    >>> round(impurity_decrease(one), 3), round(impurity_decrease(other), 3)
    (0.125, 0.167)
    >>> error_rate([100, 300])
    0.25
    """
    return _as_plain(_error(read_counts(counts, labels, sample_weight)))


@_OF_SPLITS
def impurity_decrease(
    branches: Any = None,
    *,
    criterion: str = "gini",
    answers: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
) -> Any:
    """Compute the impurity decrease of a split.

    It is the impurity of the node minus the mean impurity of the branches, weighted by their rows.

    Parameters
    ----------
    criterion : {"gini", "entropy", "error"}, default="gini"
        The impurity measure.

    Examples
    --------
    A node of 300 rows, (67, 65, 168) by class, has a Gini impurity of 0.5896. It is split into 153 and 147 rows:

    >>> from spinney.criteria import gini, impurity_decrease
    >>> left, right = [61, 38, 54], [6, 27, 114]
    >>> gini([left, right]).round(4).tolist(), round(impurity_decrease([left, right]), 4)
    ([0.6548, 0.3632], 0.0777)
    """
    if criterion not in MEASURES:
        raise ValueError(f"criterion must be one of {', '.join(map(repr, MEASURES))}, got {criterion!r}.")
    from spinney.criteria.information import decrease

    return _as_plain(decrease(read_branches(branches, answers, labels, sample_weight), MEASURES[criterion]))


@_OF_SPLITS
def information_gain(
    branches: Any = None, *, answers: Any = None, labels: Any = None, sample_weight: Any = None
) -> Any:
    """Compute the information gain of a split in bits.

    It is the entropy decrease, that is, the mutual information of the branch and the class.

    Examples
    --------
    In the restaurant data, with an entropy of 1 bit, Patrons (None, Some, Full) gains 0.541 bits and Type gains none.

    >>> from spinney.criteria import information_gain
    >>> round(information_gain([[0, 2], [4, 0], [2, 4]]), 3)
    0.541
    >>> information_gain([[1, 1], [1, 1], [2, 2], [2, 2]])
    0.0
    >>> from spinney.datasets import load_restaurant
    >>> X, y = load_restaurant()
    >>> round(information_gain(answers=X["Patrons"], labels=y), 3)
    0.541
    """
    from spinney.criteria import information

    return _as_plain(information.information_gain(read_branches(branches, answers, labels, sample_weight)))


@_OF_SPLITS
def gain_ratio(branches: Any = None, *, answers: Any = None, labels: Any = None, sample_weight: Any = None) -> Any:
    """Compute the gain ratio of a split, as in C4.5.

    It is the information gain divided by the entropy of the branches. It is 0 with a single branch.

    Examples
    --------
    >>> from spinney.criteria import gain_ratio
    >>> from spinney.datasets import load_tennis
    >>> X, y = load_tennis()
    >>> round(gain_ratio(answers=X["Outlook"], labels=y), 3)
    0.156
    """
    from spinney.criteria import information

    return _as_plain(information.gain_ratio(read_branches(branches, answers, labels, sample_weight)))


# --- what is handed over ---------------------------------------------------------------------------------------------


def read_counts(counts: Any, labels: Any, sample_weight: Any) -> np.ndarray:
    """Weights of the classes along the last axis."""
    if (counts is None) == (labels is None):
        raise TypeError("Pass either counts or labels.")
    if labels is None:
        return _check_counts("counts", counts, sample_weight, 1)
    places, n = number_labels(labels, "labels")
    return np.bincount(places, _weight(sample_weight, len(places)), n)


def read_branches(branches: Any, answers: Any, labels: Any, sample_weight: Any) -> np.ndarray:
    """Weights of the classes in the branches, (..., branch, class)."""
    if (branches is None) == (answers is None) or (answers is None) != (labels is None):
        raise TypeError("Pass either branches, or answers and labels.")
    if branches is not None:
        return _check_counts("branches", branches, sample_weight, 2)
    check_consistent_length(answers, labels)
    (branch, n_branches), (place, n) = number_labels(answers, "answers"), number_labels(labels, "labels")
    weight = _weight(sample_weight, len(place))
    return np.bincount(branch * n + place, weight, n_branches * n).reshape(n_branches, n)


def number_labels(labels: Any, name: str) -> tuple[np.ndarray, int]:
    """Each row's label as a number, and how many there are."""
    values = np.asarray(column_or_1d(labels))
    has_missing = values.dtype.kind in "fO" and any(map(is_missing, values.tolist()))
    if len(values) == 0 or has_missing:
        raise ValueError(f"{name} must hold one label per row, without missing values.")
    distinct, places = np.unique(values, return_inverse=True)
    return places, len(distinct)


def _weight(sample_weight: Any, n_rows: int) -> np.ndarray:
    weight = read_weights(sample_weight, n_rows).total()
    return np.ones(n_rows) if weight is None else weight


def _check_counts(name: str, counts: Any, sample_weight: Any, least: int) -> np.ndarray:
    if sample_weight is not None:
        raise TypeError(f"sample_weight needs labels: {name} are weights already.")
    try:
        weights = np.asarray(counts, np.float64)
    except (TypeError, ValueError):  # words, or branches of different numbers of classes
        weights = np.zeros(0)
    if weights.ndim < least or weights.shape[-1] == 0 or not np.isfinite(weights).all() or (weights < 0).any():
        what = "one number per class" if least == 1 else "one number per branch and class"
        raise ValueError(f"{name} must hold {what}, finite and at least 0, got {counts!r:.80}.")
    return weights


def _as_plain(found: Any) -> Any:
    return float(found) if np.ndim(found) == 0 else found


def _entropy(weights: np.ndarray) -> Any:
    from spinney.criteria.information import entropy

    return entropy(weights)


def _gini(weights: np.ndarray) -> Any:
    from spinney.criteria.impurity import GINI

    return _impurity(GINI, weights)


def _error(weights: np.ndarray) -> Any:
    from spinney.criteria.impurity import ERROR

    return _impurity(ERROR, weights)


def _impurity(criterion: int, weights: np.ndarray) -> Any:
    from spinney.criteria.impurity import class_impurity

    rows = np.ascontiguousarray(weights.reshape(-1, 1, weights.shape[-1]))
    return class_impurity(criterion, rows).reshape(weights.shape[:-1])


MEASURES: dict[str, Measure] = {"gini": _gini, "entropy": _entropy, "error": _error}


# ----------------------------------------------------------------------------------------------------------------------
# How many trees there are.


def count_trees(n_columns: Any) -> int:
    """Count the different decision trees of Boolean columns: those that classify some row differently.

    d columns have 2**d different rows, each of which can have either class: 2**(2**d) functions. Every function is that
    of some tree.

    Parameters
    ----------
    n_columns : int
        Number of Boolean columns.

    Returns
    -------
    count : int
        The number of functions.

    Examples
    --------
    >>> from spinney.criteria import count_trees
    >>> count_trees(6)
    18446744073709551616
    """
    is_integer = isinstance(n_columns, Integral) and not isinstance(n_columns, bool)
    if not is_integer or not 0 <= int(n_columns) <= _MOST:
        raise ValueError(f"n_columns must be an integer from 0 to {_MOST}, got {n_columns!r}.")
    return int(2 ** (2 ** int(n_columns)))


_MOST = 20  # a number of 300,000 digits

"""Voting: the predictions of several models for each row -> one prediction.

In:  predictions, one column (or layer) per model, and perhaps weights of the models.
Out: classes by majority, mean probabilities, means and medians of numbers, scores from rankings.

Plain NumPy; no model is fitted or called here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

RANKINGS = ("borda", "mean_rank", "mean_relevance")
_CLOSE = 1e-12  # share of all weight by which a sum of weights may miss the half and still count as the half


def majority(votes: np.ndarray, n_classes: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the class with most votes in each row; ties go to the smaller class.

    >>> majority(np.array([[1, 1, 0, 1, 0, 1]]), n_classes=2)
    array([1])
    """
    n_rows, n_models = votes.shape
    counts = np.zeros((n_rows, n_classes))
    rows = np.arange(n_rows)
    for model in range(n_models):
        counts[rows, votes[:, model]] += 1.0 if weights is None else weights[model]
    return counts.argmax(axis=1)


def mean(predictions: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the weighted mean over the models, which are the first axis.

    >>> round(float(mean(np.array([5.43, 5.44, 5.38]))), 2)
    5.42
    """
    return np.average(predictions, axis=0, weights=weights)


def median(predictions: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the weighted median of each row; models are the columns.

    It is the smallest prediction at which the predictions up to it hold half of the total weight. If they hold exactly
    half, it is the midpoint between that prediction and the next one that has weight. With equal weights it is the
    ordinary median.

    >>> median(np.array([[5.43, 5.44, 5.38]]))
    array([5.43])
    >>> median(np.array([[1.0, 2.0, 10.0]]), np.array([1, 1, 3]))
    array([10.])
    """
    if weights is None:
        return np.median(predictions, axis=1)
    predictions, weights = predictions[:, weights > 0], weights[weights > 0]
    order = np.argsort(predictions, axis=1, kind="stable")
    share = np.cumsum(weights[order], axis=1) / weights.sum()
    low = (share < 0.5 - _CLOSE).sum(axis=1)
    high = (share < 0.5 + _CLOSE).sum(axis=1)
    rows = np.arange(len(predictions))
    ordered = np.take_along_axis(predictions, order, axis=1)
    lower, upper = ordered[rows, low], ordered[rows, high]
    return np.where(low == high, lower, lower + (upper - lower) / 2)


def aggregate_ranks(scores: Any, how: str = "borda", weights: Sequence[float] | np.ndarray | None = None) -> np.ndarray:
    """Combine the scores of several judges into one score per item.

    Parameters
    ----------
    scores : array-like of shape (n_items, n_judges)
        Score of each item by each judge; higher is better. For "borda" and "mean_rank" only their order matters.
    how : {"borda", "mean_rank", "mean_relevance"}, default="borda"
        "borda": each judge gives an item a point for every item below it and half a point for every tie; points are
        summed. "mean_rank": minus the mean rank, 1 being the best; ties get the mean of their ranks. "mean_relevance":
        the mean of the scores themselves. The first two give the same order.
    weights : array-like of shape (n_judges,), default=None
        Weights of the judges. None: all equal.

    Returns
    -------
    ndarray of shape (n_items,)
        One score per item; higher is better.

    Examples
    --------
    >>> from spinney import aggregate_ranks
    >>> scores = [[0.9, 30], [0.5, 40], [0.1, 30]]
    >>> aggregate_ranks(scores)
    array([2.5, 3. , 0.5])
    >>> aggregate_ranks(scores, "mean_rank")
    array([-1.75, -1.5 , -2.75])
    """
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 2 or scores.shape[1] == 0:
        raise ValueError(f"scores must have one row per item and one column per judge, got the shape {scores.shape}.")
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN: every judge must score every item.")
    if how not in RANKINGS:
        raise ValueError(f"how must be 'borda', 'mean_rank' or 'mean_relevance', got {how!r}.")
    shares = read_weights(weights, scores.shape[1])
    if how == "mean_relevance":
        return mean(scores.T, shares)
    ranks = rankdata(-scores, axis=0)
    if how == "mean_rank":
        return -mean(ranks.T, shares)
    points = len(scores) - ranks
    return points.sum(axis=1) if shares is None else points @ shares


def read_weights(weights: Any, n_models: int) -> np.ndarray | None:
    """Check the models' weights and return them as an array.

    >>> read_weights([1, 2], 2)
    array([1., 2.])
    """
    if weights is None:
        return None
    numbers = np.asarray(weights, np.float64)
    if numbers.shape != (n_models,):
        raise ValueError(f"weights must have one entry per member, got shape {numbers.shape} for {n_models} members.")
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise ValueError(f"weights must be finite, not negative and not all 0, got {numbers.tolist()}.")
    return numbers

"""Voting: the predictions of several models for each row -> one prediction.

In:  predictions, one column (or layer) per model, and perhaps weights of the models.
Out: classes by majority, mean probabilities, means and medians of numbers, scores from rankings.
`aggregate_votes` and `aggregate_ranks` are public: they accept what users have, the others what estimators have.

Plain NumPy; no model is fitted or called here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

RANKINGS = ("borda", "mean_rank", "mean_relevance")
VOTES = ("majority", "mean", "median")
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


def aggregate_votes(votes: Any, how: str = "majority", weights: Sequence[float] | np.ndarray | None = None) -> Any:
    """Combine the votes of several models, without the models.

    Parameters
    ----------
    votes : array-like of shape (n_models,) or (n_samples, n_models)
        Vote of each model; for several rows, one column per model. Labels of any kind for "majority", numbers
        otherwise.
    how : {"majority", "mean", "median"}, default="majority"
        "majority": the label with the most votes; ties go to the smaller label, as in `VotingClassifier`. "mean" and
        "median": those of the numbers, as in `VotingRegressor`.
    weights : array-like of shape (n_models,), default=None
        Weights of the models. None: all equal.

    Returns
    -------
    label, float or ndarray of shape (n_samples,)
        One label or number, or one per row.

    Examples
    --------
    >>> from spinney import aggregate_votes
    >>> aggregate_votes([1, 1, 0, 1, 0, 1]), aggregate_votes(["A", "B", "A", "C", "C", "A"])
    (1, 'A')
    >>> numbers = [5.43, 5.44, 5.38]
    >>> round(aggregate_votes(numbers, "mean"), 2), aggregate_votes(numbers, "median")
    (5.42, 5.43)
    >>> aggregate_votes([["yes", "no", "no"], ["yes", "yes", "no"]], weights=[3, 1, 1]).tolist()
    ['yes', 'yes']
    """
    if how not in VOTES:
        raise ValueError(f"how must be 'majority', 'mean' or 'median', got {how!r}.")
    given = np.asarray(votes) if how == "majority" else np.asarray(votes, np.float64)
    if given.ndim not in (1, 2) or given.shape[-1] == 0:
        raise ValueError(f"votes must have one column per model, got the shape {given.shape}.")
    has_gaps = given.dtype.kind in "fO" and any(one is None or one != one for one in given.ravel().tolist())
    if has_gaps:
        raise ValueError("votes must not be missing: every model must vote on every row.")
    rows, shares = np.atleast_2d(given), read_weights(weights, given.shape[-1])
    if how == "majority":
        labels, codes = np.unique(rows, return_inverse=True)
        found = labels[majority(codes.reshape(rows.shape), len(labels), shares)]
    else:
        found = mean(rows.T, shares) if how == "mean" else median(rows, shares)
    return found if given.ndim == 2 else found.tolist()[0]


def aggregate_ranks(scores: Any, how: str = "borda", weights: Sequence[float] | np.ndarray | None = None) -> Any:
    """Combine the scores, or the rankings, of several judges into one score per item.

    Parameters
    ----------
    scores : array-like of shape (n_items, n_judges), or list of lists of str
        Score of each item by each judge; higher is better. For "borda" and "mean_rank" only their order matters. Or
        rankings: one list of names per judge, the best first. Names that a judge leaves out share the places after the
        judge's list.
    how : {"borda", "mean_rank", "mean_relevance"}, default="borda"
        "borda": each judge gives an item a point for every item below it and half a point for every tie; points are
        summed. "mean_rank": minus the mean rank, 1 being the best; ties get the mean of their ranks. "mean_relevance":
        the mean of the scores themselves, which rankings do not have. The first two give the same order.
    weights : array-like of shape (n_judges,), default=None
        Weights of the judges. None: all equal.

    Returns
    -------
    ndarray of shape (n_items,) or dict of str: float
        One score per item; higher is better. For rankings, a dict with the best name first; ties are in the order in
        which the names first occur.

    Examples
    --------
    >>> from spinney import aggregate_ranks
    >>> scores = [[0.9, 30], [0.5, 40], [0.1, 30]]
    >>> aggregate_ranks(scores)
    array([2.5, 3. , 0.5])
    >>> aggregate_ranks(scores, "mean_rank")
    array([-1.75, -1.5 , -2.75])
    >>> aggregate_ranks([["A", "B", "C"], ["B", "A", "C"], ["A", "C", "B"]])  # three polls
    {'A': 5.0, 'B': 3.0, 'C': 1.0}
    """
    if how not in RANKINGS:
        raise ValueError(f"how must be 'borda', 'mean_rank' or 'mean_relevance', got {how!r}.")
    if _are_rankings(scores):
        return _aggregate_rankings(scores, how, weights)
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 2 or scores.shape[1] == 0:
        raise ValueError(f"scores must have one row per item and one column per judge, got the shape {scores.shape}.")
    if np.isnan(scores).any():
        raise ValueError("scores must not be NaN: every judge must score every item.")
    shares = read_weights(weights, scores.shape[1])
    if how == "mean_relevance":
        return mean(scores.T, shares)
    ranks = rankdata(-scores, axis=0)
    if how == "mean_rank":
        return -mean(ranks.T, shares)
    points = len(scores) - ranks
    return points.sum(axis=1) if shares is None else points @ shares


def _are_rankings(given: Any) -> bool:
    """Whether the scores are lists of names."""
    if not isinstance(given, Sequence) or isinstance(given, str) or not len(given):
        return False
    return all(isinstance(one, Sequence) and not isinstance(one, str) for one in given) and any(
        isinstance(name, str) for one in given for name in one
    )


def _aggregate_rankings(
    rankings: Sequence[Sequence[str]], how: str, weights: Sequence[float] | np.ndarray | None
) -> dict[str, float]:
    """Scores of names, the best first."""
    if how == "mean_relevance":
        raise ValueError("how='mean_relevance' needs scores, but rankings have only an order. Use 'borda'.")
    for one in rankings:
        if len(set(one)) < len(one):
            raise ValueError(f"a ranking must name each item once, got {list(one)!r:.80}.")
    names = list(dict.fromkeys(name for one in rankings for name in one))
    places = [{name: place for place, name in enumerate(one)} for one in rankings]
    scores = -np.array([[one.get(name, len(names)) for one in places] for name in names], np.float64)
    found = aggregate_ranks(scores, how, weights).tolist()
    order = sorted(range(len(names)), key=lambda k: -found[k])
    return {names[k]: found[k] for k in order}


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

"""Conformal prediction: intervals and sets of classes that hold the truth as often as they should.

In:  scores of rows that the model was not fitted on, and a level such as 0.9. A score says how wrong a prediction is.
Out: the score that a new row does not exceed with this probability, and the intervals and sets that follow from it.

    scores     numbers: the residual |y - prediction|, divided by the spread of the row if there is one; classes: 1 - p
               of the true class (Sadinle et al. 2019)
    rank       of n scores the k-th smallest, k = ceil((n + 1) level), in integers; without n >= k, infinite
    weights    integers: repetitions of rows, and ranks in time (Barber et al. 2023); the new row has the largest
    groups     a rank of their own, so that the level holds in each (Mondrian; Vovk et al. 2005)
    members    predictions of the members that have not seen a row, in place of the model's: CV+, jackknife+ after
               bootstrap (Barber et al. 2021, Kim et al. 2020)
    spread     the size of residuals as a function of the prediction, learned from held-out rows

No model is fitted in here.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

METHODS = ("cv", "split", "oob", "jackknife+")
MOST_SCORES = 4_096  # of those that are kept without being asked for
_TRIAL = Fraction(9, 10)  # level at which widths are compared
_NARROWER = 0.99  # a spread is used if it makes intervals this much narrower
_KNOTS, _ROWS_PER_KNOT = 20, 50
_LEAST_SPREAD = 0.1  # of the mean spread
_ROUNDING = 1e-12  # of probabilities, which other programs may compute with other last bits
_CELLS = 1 << 18  # scores times new rows at a time


class SpreadCurve(NamedTuple):
    """The size of residuals at some predictions, ascending; linear in between."""

    prediction: np.ndarray  # float64
    size: np.ndarray  # float64, positive

    def of(self, prediction: np.ndarray) -> np.ndarray:
        """The size at these predictions: one piece after the other, as exported models add them up."""
        found = np.full(np.shape(prediction), self.size[0])
        for low, width, rise in zip(self.prediction, np.diff(self.prediction), np.diff(self.size)):
            found += rise * (np.clip(prediction - low, 0.0, width) / width)
        return found


class ConformalScores(NamedTuple):
    """What a model keeps for intervals and sets."""

    method: str  # one of METHODS: held-out folds, `calibrate`, out-of-bag rows of the model, or of its members
    scores: np.ndarray  # float64; ascending within each group, by row for "jackknife+"
    weights: np.ndarray | None = None  # int64, of the scores; None: ones
    own_weight: int = 1  # of a new row
    group: np.ndarray | None = None  # int64: number of the group of each score
    labels: tuple[str, ...] = ()  # of groups
    by: str | None = None  # the column of groups
    spread: Any = None  # SpreadCurve, "trees", "quantiles", or a model that predicts the spread
    level: str | None = None  # the only level, for "quantiles"
    rows: np.ndarray | None = None  # int64, for "jackknife+": numbers of the training rows that scores belong to

    def quantile(self, level: Fraction, groups: np.ndarray | None = None) -> np.ndarray:
        """The score that a new row of each group does not exceed; groups are numbers, -1 for unknown ones."""
        if self.group is None:
            return np.array([nth_score(self.scores, self.weights, level, self.own_weight)])
        every = [self.group == k for k in range(len(self.labels))]
        found = [
            nth_score(self.scores[some], None if self.weights is None else self.weights[some], level, self.own_weight)
            for some in every
        ]
        return np.array([*found, np.inf])[groups]

    def numbers_of(self, labels: np.ndarray) -> np.ndarray:
        """Numbers of the groups with these labels; -1: there is no such group."""
        known = {label: k for k, label in enumerate(self.labels)}
        different, place = np.unique(label_texts(labels), return_inverse=True)
        return np.array([known.get(one, -1) for one in different.tolist()], np.int64)[place.reshape(-1)]


class Guarantee(NamedTuple):
    """A calibration at one level: what exported models need besides their predictions."""

    level: Fraction
    quantile: float  # of the scores, for all rows
    spread: Any = None  # SpreadCurve, "trees", or None
    residuals: np.ndarray | None = None  # of rows, for "jackknife+"
    unseen: np.ndarray | None = None  # bool (rows, members), for "jackknife+"

    @property
    def bound(self) -> float:
        """The greatest score of a class that is in a set."""
        return self.quantile + _ROUNDING

    @property
    def by_trees(self) -> bool:
        """Whether predictions of each tree are needed."""
        return self.residuals is not None or isinstance(self.spread, str)

    @property
    def rank(self) -> int:
        """Which of the residuals, ascending, is the quantile."""
        assert self.residuals is not None
        return rank(len(self.residuals), self.level)


def guarantee_of(model: Any, interval: Any) -> Guarantee | None:
    """What exports with `interval=` need of a model; None without it."""
    if interval is None:
        return None
    if not hasattr(model, "guarantee"):
        raise ValueError(f"interval={interval!r}: {type(model).__name__} has no intervals or sets. Leave interval out.")
    found: Guarantee = model.guarantee(read_level(interval, "interval"))
    return found


def read_level(level: Any, name: str = "level") -> Fraction:
    """The level as it was written; `name` is that of the parameter.

    >>> read_level(0.9)
    Fraction(9, 10)
    """
    if not isinstance(level, Real) or isinstance(level, bool) or not 0.0 < float(level) < 1.0:
        raise ValueError(f"{name} must be a number between 0 and 1, both excluded, got {level!r}.")
    return Fraction(str(float(level)))


def nth_score(scores: np.ndarray, weights: np.ndarray | None, level: Fraction, own_weight: int = 1) -> float:
    """The smallest of ascending scores that holds this part of the weight, a new row's included; infinite if none does.

    >>> nth_score(np.arange(1.0, 10.0), None, Fraction(9, 10))
    9.0
    >>> nth_score(np.arange(1.0, 9.0), None, Fraction(9, 10))
    inf
    """
    if weights is None:
        k = rank(len(scores), level)
        return float(scores[k - 1]) if k <= len(scores) else float("inf")
    upto = np.cumsum(weights)
    total = (int(upto[-1]) if len(upto) else 0) + own_weight
    wanted = -(-level.numerator * total // level.denominator)
    place = int(np.searchsorted(upto, wanted))
    return float(scores[place]) if place < len(scores) else float("inf")


def rank(n: int, level: Fraction) -> int:
    """ceil((n + 1) level), in integers."""
    return -(-level.numerator * (n + 1) // level.denominator)


def fewest_rows(level: Fraction) -> int:
    """How many scores a finite quantile needs.

    >>> fewest_rows(Fraction(9, 10))
    9
    """
    return -(-level.numerator // (level.denominator - level.numerator))


# --- calibrations ----------------------------------------------------------------------------------------------------


def by_scores(
    method: str,
    scores: np.ndarray,
    counts: np.ndarray | None = None,
    times: np.ndarray | None = None,
    labels: np.ndarray | None = None,
    by: str | None = None,
    spread: Any = None,
    level: str | None = None,
) -> ConformalScores:
    """A calibration from the scores of rows in any order; `labels` are those of their groups."""
    weights, own_weight = _weights(counts, times)
    group, names = None, ()
    if labels is not None:
        different, group = np.unique(label_texts(labels), return_inverse=True)
        names, group = tuple(different.tolist()), group.reshape(-1).astype(np.int64)
    order = np.argsort(scores, kind="stable") if group is None else np.lexsort((scores, group))
    return ConformalScores(
        method,
        np.asarray(scores, np.float64)[order],
        None if weights is None else weights[order],
        own_weight,
        None if group is None else group[order],
        names,
        by,
        spread,
        level,
    )


def label_texts(labels: np.ndarray) -> np.ndarray:
    """Labels of groups as texts: numbers and Booleans by their value, missing ones alike, in files, too.

    >>> label_texts(np.array(["a", 1.0, True, None, float("nan")], object)).tolist()
    ['a', '1', '1', 'nan', 'nan']
    """
    return np.array([_label_text(one) for one in np.asarray(labels).tolist()], dtype=np.str_)


def _label_text(label: Any) -> str:
    if label is None or label != label:
        return "nan"
    if isinstance(label, int | float):
        return f"{label:.17g}"
    return str(label)


def _weights(counts: np.ndarray | None, times: np.ndarray | None) -> tuple[np.ndarray | None, int]:
    """Weights of the scores and of a new row: later rows count more, in proportion to their rank in time."""
    if times is None:
        return (None if counts is None else counts.astype(np.int64)), 1
    _, place, repeats = np.unique(times, return_inverse=True, return_counts=True)
    ranks = np.cumsum(repeats)[place.reshape(-1)].astype(np.int64)
    return (ranks if counts is None else ranks * counts), len(times)


def from_true_probabilities(
    found: np.ndarray, counts: np.ndarray | None, times: np.ndarray | None
) -> ConformalScores | None:
    """The calibration of a classifier by the probabilities of the true classes of rows that folds have held out.

    None if they are not finite.
    """
    return thinned(by_scores("cv", 1.0 - found, counts, times)) if len(found) and np.isfinite(found).all() else None


def from_held_out(
    predicted: np.ndarray, y: np.ndarray, counts: np.ndarray | None, times: np.ndarray | None
) -> ConformalScores | None:
    """The calibration of a regressor by its predictions for rows that folds have held out. None if not finite."""
    if not np.isfinite(predicted).all() or not len(y):
        return None
    residuals = np.abs(y - predicted)
    curve = spread_if_narrower(predicted, residuals)
    scores = residuals if curve is None else residuals / curve.of(predicted)
    return thinned(by_scores("cv", scores, counts, times, spread=curve))


def class_scores(probabilities: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """1 - p of the true class."""
    return 1.0 - probabilities[np.arange(len(labels)), labels]


def thinned(calibration: ConformalScores, most: int = MOST_SCORES) -> ConformalScores:
    """Fewer scores: each stands for several neighbours, of which it is the largest. Quantiles do not become smaller.

    >>> thinned(ConformalScores("cv", np.arange(6.0)), 3)[1:3]
    (array([1., 3., 5.]), array([2, 2, 2]))
    """
    n = len(calibration.scores)
    if n <= most:
        return calibration
    ends = (np.arange(1, most + 1) * n) // most
    weights = np.ones(n, np.int64) if calibration.weights is None else calibration.weights
    sums = np.diff(np.concatenate([[0], np.cumsum(weights)[ends - 1]]))
    return calibration._replace(scores=calibration.scores[ends - 1], weights=sums)


# --- the spread of rows ----------------------------------------------------------------------------------------------


def spread_if_narrower(predicted: np.ndarray, residuals: np.ndarray) -> SpreadCurve | None:
    """The size of residuals by prediction, if it makes intervals narrower: each half of the rows is tried with the
    curve of the other."""
    order = np.lexsort((residuals, predicted))
    halves = order[::2], order[1::2]
    alike = by_curve = 0.0
    for one, other in (halves, halves[::-1]):
        curve = _curve(predicted[one], residuals[one])
        if curve is None:
            return None
        sizes = curve.of(predicted[other])
        alike += nth_score(np.sort(residuals[other]), None, _TRIAL) * len(other)
        by_curve += nth_score(np.sort(residuals[other] / sizes), None, _TRIAL) * float(sizes.sum())
    return _curve(predicted, residuals) if by_curve < _NARROWER * alike else None


def _curve(predicted: np.ndarray, residuals: np.ndarray) -> SpreadCurve | None:
    """Mean residuals of rows of similar predictions; None for few rows, or where all residuals are zero."""
    n = len(predicted)
    n_knots = min(_KNOTS, n // _ROWS_PER_KNOT)
    if n_knots < 2:
        return None
    order = np.lexsort((residuals, predicted))
    parts = np.array_split(order, n_knots)
    at = np.array([np.median(predicted[some]) for some in parts])
    size = np.array([residuals[some].mean() for some in parts])
    if not np.isfinite(size).all() or not size.mean() > 0.0:
        return None
    at, first = np.unique(at, return_index=True)
    return SpreadCurve(at, np.maximum(size, _LEAST_SPREAD * size.mean())[first])


# --- members that have not seen a row --------------------------------------------------------------------------------


def plus_intervals(
    answers: np.ndarray, unseen: np.ndarray, residuals: np.ndarray, level: Fraction
) -> tuple[np.ndarray, np.ndarray]:
    """Low and high ends of jackknife+ intervals.

    `answers` (new rows, members); `unseen` (rows, members): which members have not seen a row; `residuals` of the rows,
    by the mean of these members. CV+ is the case where a row is unseen by the member of its fold alone.
    """
    k, n = rank(len(residuals), level), len(residuals)
    low, high = np.full(len(answers), -np.inf), np.full(len(answers), np.inf)
    if k > n:
        return low, high
    n_unseen = unseen.sum(axis=1).astype(np.float64)[:, None]
    columns = [np.flatnonzero(one) for one in unseen.T]
    step = max(1, _CELLS // n)
    for begin in range(0, len(answers), step):
        some = answers[begin : begin + step]
        sums = np.zeros((n, len(some)))
        for member, rows in enumerate(columns):  # in this order, on any machine
            sums[rows] += some[:, member]
        sums /= n_unseen
        high[begin : begin + step] = np.partition(sums + residuals[:, None], k - 1, axis=0)[k - 1]
        low[begin : begin + step] = np.partition(sums - residuals[:, None], n - k, axis=0)[n - k]
    return low, high


def some_rows_of(order: np.ndarray, known: np.ndarray, most: int = MOST_SCORES) -> np.ndarray:
    """At most so many rows of those known, ascending: the first in an order by contents."""
    chosen: np.ndarray = np.sort(order[known[order]][:most])
    return chosen


def spread_of_members(answers: np.ndarray) -> np.ndarray:
    """The standard deviation of the members' answers (rows, members), added up in their order."""
    members = np.ascontiguousarray(answers.T)
    mean = sum(members, np.zeros(len(answers))) / len(members)
    return np.sqrt(sum(((one - mean) * (one - mean) for one in members), np.zeros(len(answers))) / len(members))


# --- the answers -----------------------------------------------------------------------------------------------------


def interval_scores(low: np.ndarray, high: np.ndarray, y: np.ndarray, spread: np.ndarray | None) -> np.ndarray:
    """How far targets lie outside of [low, high], negative inside; in units of the spread."""
    outside = np.maximum(low - y, y - high)
    with np.errstate(over="ignore"):  # no spread: infinity
        return outside if spread is None else outside / spread


def widened(low: np.ndarray, high: np.ndarray, quantile: np.ndarray, spread: np.ndarray | None) -> np.ndarray:
    """Intervals (rows, 2)."""
    by = quantile if spread is None else quantile * spread
    return np.column_stack([low - by, high + by])


def class_sets(probabilities: np.ndarray, quantile: np.ndarray) -> np.ndarray:
    """Which classes belong to the set of each row (rows, classes): those whose score is the bound, rounded, too."""
    return 1.0 - probabilities <= quantile.reshape(-1, 1) + _ROUNDING

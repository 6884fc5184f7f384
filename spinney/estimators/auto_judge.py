"""Scoring predictions for held-out rows: of one model, or of a mean of several.

In:  the held-out rows, fold after fold, with their targets and weights, and the score.
Out: scores, higher is better. By default negative log loss or root mean squared error, by sums that do not depend on
the order of the rows; else a scikit-learn score or a function, which receives a model that returns these predictions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _num_samples

from spinney.criteria.fixed_point import exact_mean
from spinney.data.weights import Weights
from spinney.ensemble.bucket import LEAST_PROBABILITY
from spinney.estimators.auto_folds import Parts, Sheet
from spinney.evaluate.scoring import find_scorer, takes_weights

_OWN = {True: "neg_log_loss", False: "neg_root_mean_squared_error"}  # by whether there are classes


class HeldOut(NamedTuple):
    """All rows that were held out, fold after fold; a row may be there more than once."""

    rows: np.ndarray
    truth: np.ndarray  # class numbers, or numbers
    weights: Weights
    folds: list[slice]

    @staticmethod
    def of(parts: Parts, truth: np.ndarray, weights: Weights) -> HeldOut:
        held = [one for _, one in parts]
        ends = np.cumsum([len(one.rows) for one in held])
        own = [one.weights(weights) for one in held]
        counts = None if held[0].counts is None else np.concatenate([one.counts for one in own])
        importance = None if weights.importance is None else np.concatenate([one.importance for one in own])
        rows = np.concatenate([one.rows for one in held])
        folds = [slice(int(end) - len(one.rows), int(end)) for one, end in zip(held, ends)]
        return HeldOut(rows, truth[rows], Weights(counts, importance), folds)


class Judge:
    """Scores predictions for the held-out rows."""

    def __init__(self, scoring: Any, sheet: Sheet, held: HeldOut) -> None:
        own = _OWN[sheet.classes is not None]
        self.name = scoring if isinstance(scoring, str) else own if scoring is None else "score"
        self._scorer = None if self.name == own else find_scorer(scoring)
        self._classes, self._X, self.held = sheet.classes, sheet.opened, held
        self._every = slice(0, len(held.rows))

    def read(self, answers: np.ndarray) -> np.ndarray:
        """What is needed of a model's predictions: for log loss, the probability of the true class."""
        if self._scorer is not None or self._classes is None:
            return answers
        return answers[np.arange(len(answers)), self.held.truth]

    def folds(self, answers: np.ndarray) -> np.ndarray:
        """The score of each fold."""
        return np.array([self(answers[part], part) for part in self.held.folds])

    def __call__(self, answers: np.ndarray, part: slice | None = None) -> float:
        """The score of predictions that have been read, for all rows or some."""
        part = self._every if part is None else part
        truth, weights = self.held.truth[part], self.held.weights.take(np.arange(part.start, part.stop))
        if self._scorer is not None:
            return self._ask_scorer(answers, truth, weights, part)
        if self._classes is not None:
            from spinney.criteria.elementary import logs_of

            return exact_mean(logs_of(np.maximum(answers, LEAST_PROBABILITY)), weights)
        return -_root_mean_square(answers - truth, weights)

    def _ask_scorer(self, answers: np.ndarray, truth: np.ndarray, weights: Weights, part: slice) -> float:
        """NaN where the score is not defined, such as AUC of one class."""
        scorer, total = self._scorer, weights.total()
        assert scorer is not None
        more = {} if total is None or not takes_weights(scorer) else {"sample_weight": total}
        if self._classes is None:
            model, y = _SaysNumbers(answers), truth
        else:
            model, y = _SaysClasses(answers, self._classes), self._classes[truth]
        X = (
            _only_length(len(truth))
            if hasattr(scorer, "_score_func")
            else self._X.take(self.held.rows[part]).original()
        )
        value = scorer(model, X, y, **more)
        if np.ndim(value) != 0:
            raise ValueError(f"scoring must return one number, got {value!r:.60}.")
        return float(value)


def _root_mean_square(residuals: np.ndarray, weights: Weights) -> float:
    """Safe from overflow: numbers are scaled by a power of two."""
    largest = float(np.abs(residuals).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    exponent = math.frexp(largest)[1]
    return math.ldexp(math.sqrt(exact_mean(np.square(np.ldexp(residuals, -exponent)), weights)), exponent)


def _only_length(n_rows: int) -> np.ndarray:
    return np.empty((n_rows, 0))


class _Says(BaseEstimator):
    """A model that returns the predictions it was made with, whatever X is."""

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def _all(self, X: Any, answers: np.ndarray) -> np.ndarray:
        if _num_samples(X) != len(answers):
            raise ValueError("scoring must predict all rows of X in one call.")
        return answers


class _SaysClasses(ClassifierMixin, _Says):
    def __init__(self, answers: Any, classes: Any) -> None:
        self.answers, self.classes = answers, classes
        self.classes_ = classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return self._all(X, self.answers)

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self._all(X, self.answers).argmax(axis=1)]


class _SaysNumbers(RegressorMixin, _Says):
    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def predict(self, X: Any) -> np.ndarray:
        return self._all(X, self.answers)

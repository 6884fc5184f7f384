"""AdaBoost: members fitted in turn, each to the rows that those before it got wrong.

In:  a function that fits one member to given weights, a judge, and the first weights.
Out: `Rounds`: the members, how much each has to say, its weighted error, and the weights of the rows.

    weights  ──fit_member──▶ member, its answers on the training rows
                   ──judge──▶ error, vote, new weights ──normalise──▶ weights of the next round

There is one loop, `boost`. What differs between the algorithms is in the judges: `Discrete` (two classes, the vote is
1/2 ln((1 - error) / error)), `Samme` (any number of classes), `SammeR` (members answer with probabilities) and `R2`
(numbers). How a member is fitted (with weights, on a bootstrap, from a table sorted once) is the caller's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from spinney._jit import kernel
from spinney.criteria.elementary import exp, log

TINY = 1e-10  # the two-class form keeps errors so far from 0 and 1: a perfect member's vote is 11.5
_EPSILON = float(np.finfo(np.float64).eps)  # the least share of the weight that a row keeps
_FURTHEST = 300.0  # no weight changes by more than e to this in a round: products stay finite

# (weights, round number) -> (fitted member, its answers on the training rows: class numbers, probabilities or numbers)
FitMember = Callable[[np.ndarray, int], tuple[Any, np.ndarray]]


class Verdict(NamedTuple):
    """What a judge says of a member."""

    error: float  # weighted share of wrong answers, or mean loss
    vote: float  # how much the member has to say
    weights: np.ndarray  # of the rows in the next round, not normalised
    keep: bool = True  # whether the member joins the others
    keep_alone: bool = False  # whether it stays at least where it is the only one
    stop: bool = False  # whether this round is the last


class Judge(Protocol):
    """Judges a member by its answers on the training rows."""

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> Verdict:
        """The member's error and vote, and the weights of the next round."""


class Rounds(NamedTuple):
    """What `boost` returns."""

    members: list
    votes: np.ndarray  # (members,)
    errors: np.ndarray  # (members,)
    history: np.ndarray | None  # (members + 1, rows) normalised weights before the first round and after each
    last_error: float  # of the last member tried, kept or not


# --- the loop ---------------------------------------------------------------------------------------------------------


def boost(
    fit_member: FitMember, judge: Judge, weights: np.ndarray, n_rounds: int, keep_weights: bool = False
) -> Rounds:
    """Fit members in turn until there are `n_rounds`, or the judge says stop; `weights`: of the first round."""
    weights = normalise(weights)
    takes_part = weights > 0
    members: list = []
    votes, errors, history = [], [], [weights]
    for number in range(n_rounds):
        weights = _lift(weights, takes_part)
        member, answers = fit_member(weights, number)
        verdict = judge(weights, answers)
        if verdict.keep or (verdict.keep_alone and not members):
            members.append(member)
            votes.append(verdict.vote)
            errors.append(verdict.error)
            weights = normalise(verdict.weights)
            if keep_weights:
                history.append(weights)
        if verdict.stop:
            break
    kept = np.array(history) if keep_weights else None
    return Rounds(members, np.array(votes), np.array(errors), kept, verdict.error)


def normalise(weights: np.ndarray) -> np.ndarray:
    """Weights that add up to 1.

    >>> normalise(np.array([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    return weights / weights.sum()


def _lift(weights: np.ndarray, takes_part: np.ndarray) -> np.ndarray:
    """No row that takes part is forgotten for good: its weight stays above zero."""
    return np.where(takes_part, np.maximum(weights, _EPSILON), 0.0)


# --- formulas ---------------------------------------------------------------------------------------------------------


@kernel
def _log(x):
    return log(x)


@kernel
def _exp(x):
    return exp(x)


def _log_odds(error: float, least: float = _EPSILON) -> float:
    """ln((1 - error) / error), with the error kept a little away from 0 and 1."""
    error = min(max(error, least), 1.0 - least)
    return _log((1.0 - error) / error)


def two_class_vote(error: float) -> float:
    """1/2 ln((1 - error) / error), the vote of the two-class form; a perfect member's is large, not infinite.

    >>> round(two_class_vote(0.3), 2)
    0.42
    """
    return 0.5 * _log_odds(error, TINY)


def many_class_vote(error: float, n_classes: int) -> float:
    """ln((1 - error) / error) + ln(n_classes - 1): positive for whoever is better than guessing.

    >>> round(many_class_vote(0.3, 2), 2), round(many_class_vote(0.3, 3), 2)
    (0.85, 1.54)
    """
    return _log_odds(error) + _log(n_classes - 1.0)


def weighted_error(weights: np.ndarray, wrong: np.ndarray) -> float:
    """The share of the weight that lies on wrong answers."""
    return float((weights * wrong).sum() / weights.sum())


def reweight_both(weights: np.ndarray, wrong: np.ndarray, vote: float) -> np.ndarray:
    """Wrong rows gain by e^vote, right ones lose by it.

    >>> reweight_both(np.array([0.5, 0.5]), np.array([True, False]), np.log(2)).round(6).tolist()
    [1.0, 0.25]
    """
    vote = min(max(vote, -_FURTHEST), _FURTHEST)
    return weights * np.array([_exp(-vote), _exp(vote)]).take(wrong)


def reweight_wrong(weights: np.ndarray, wrong: np.ndarray, vote: float) -> np.ndarray:
    """Wrong rows gain by e^vote, right ones stay as they are."""
    return weights * np.array([1.0, _exp(min(max(vote, -_FURTHEST), _FURTHEST))]).take(wrong)


def log_votes(probabilities: np.ndarray) -> np.ndarray:
    """(K - 1) (ln p - mean ln p), a member's say in SAMME.R; rows add up to 0."""
    logs = np.log(np.maximum(probabilities, _EPSILON))
    return (logs.shape[1] - 1) * (logs - logs.mean(axis=1, keepdims=True))


def class_votes(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """1 for the class named and -1 / (K - 1) for each other."""
    votes = np.full((len(codes), n_classes), -1.0 / max(n_classes - 1, 1))
    votes[np.arange(len(codes)), codes] = 1.0
    return votes


# --- judges -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ByLabels:
    """What `Discrete` and `Samme` share: their members name classes."""

    codes: np.ndarray  # (rows,) the right answers
    n_classes: int
    learning_rate: float = 1.0
    flip: bool = False  # whether members worse than guessing stay, with a negative vote

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> Verdict:
        wrong = answers != self.codes
        error = weighted_error(weights, wrong)
        if error <= 0.0:
            return Verdict(0.0, self._perfect(), weights, stop=True)
        vote = self.learning_rate * self._vote(error)
        guessing = error >= 1.0 - 1.0 / self.n_classes
        if guessing and not (self.flip and vote < 0.0):
            return Verdict(error, 0.0, weights, keep=False, stop=True)
        return Verdict(error, vote, self._reweight(weights, wrong, vote))

    def _vote(self, error: float) -> float:
        raise NotImplementedError

    def _perfect(self) -> float:
        raise NotImplementedError

    def _reweight(self, weights: np.ndarray, wrong: np.ndarray, vote: float) -> np.ndarray:
        raise NotImplementedError


class Discrete(_ByLabels):
    """The lectures' AdaBoost: two classes."""

    def _vote(self, error: float) -> float:
        return two_class_vote(error)

    def _perfect(self) -> float:
        return self.learning_rate * two_class_vote(0.0)

    def _reweight(self, weights: np.ndarray, wrong: np.ndarray, vote: float) -> np.ndarray:
        return reweight_both(weights, wrong, vote)


class Samme(_ByLabels):
    """Any number of classes; scikit-learn's numbers."""

    def _vote(self, error: float) -> float:
        return many_class_vote(error, self.n_classes)

    def _perfect(self) -> float:
        return 1.0

    def _reweight(self, weights: np.ndarray, wrong: np.ndarray, vote: float) -> np.ndarray:
        return reweight_wrong(weights, wrong, vote)


@dataclass(frozen=True)
class SammeR:
    """Any number of classes, by the members' probabilities. All members have the same vote: being sure is their say."""

    codes: np.ndarray
    learning_rate: float = 1.0

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> Verdict:
        """`answers`: probabilities, (rows, classes)."""
        error = weighted_error(weights, answers.argmax(axis=1) != self.codes)
        if error <= 0.0:
            return Verdict(0.0, 1.0, weights, stop=True)
        n_classes = answers.shape[1]
        right = log_votes(answers)[np.arange(len(self.codes)), self.codes] / (n_classes - 1)
        change = np.clip(-self.learning_rate * right, -_FURTHEST, _FURTHEST)
        return Verdict(error, 1.0, weights * np.exp(change - change.max()))


@dataclass(frozen=True)
class R2:
    """Numbers: AdaBoost.R2, where a row's loss is its share of the largest error."""

    target: np.ndarray
    loss: str = "linear"  # or "square", "exponential"
    learning_rate: float = 1.0

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> Verdict:
        """A mean loss of 1/2 or more ends the rounds; a first member stays all the same, alone."""
        loss = np.where(weights > 0, self._losses(np.abs(answers - self.target), weights > 0), 0.0)
        error = float((weights * loss).sum())
        if error <= 0.0:
            return Verdict(0.0, 1.0, weights, stop=True)
        if error >= 0.5:
            return Verdict(error, 0.0, weights, keep=False, keep_alone=True, stop=True)
        odds = _log_odds(error)
        change = np.maximum(-odds * self.learning_rate * (1.0 - loss), -_FURTHEST)
        return Verdict(error, self.learning_rate * odds, weights * np.exp(change))

    def _losses(self, errors: np.ndarray, takes_part: np.ndarray) -> np.ndarray:
        share = errors / (errors[takes_part].max() or 1.0)
        if self.loss == "square":
            return share**2
        return 1.0 - np.exp(-share) if self.loss == "exponential" else share


# --- answers of the whole ---------------------------------------------------------------------------------------------


def staged_sums(says: Iterator[np.ndarray], votes: Sequence[float] | np.ndarray) -> Iterator[np.ndarray]:
    """After each member the sum of vote times say so far: a new array each time."""
    total: Any = 0.0
    for say, vote in zip(says, votes):
        total = total + vote * say
        yield total


def weighted_median(predictions: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """For each row of (rows, members) the first prediction, from below, at which half of the votes are reached.

    >>> weighted_median(np.array([[1.0, 2.0, 9.0]]), np.array([1.0, 1.0, 3.0])).tolist()
    [9.0]
    """
    order = np.argsort(predictions, axis=1)
    reached = np.cumsum(votes[order], axis=1)
    place = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    rows = np.arange(len(predictions))
    return predictions[rows, order[rows, place]]

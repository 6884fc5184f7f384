"""AdaBoost: members fitted in turn, each with larger weights for the rows that those before it misclassified.

In:  a function that fits one member on given weights, a judge, and the first weights.
Out: `AdaBoostRounds`: the members, their weights (votes) and weighted errors, and the weights of the rows.

    weights  ──fit_member──▶ member, its predictions for the training rows
                   ──judge──▶ error, vote, change of weights ──settle──▶ weights of the next round

There is one loop, `run`. The algorithms differ in their judges: `Discrete` (two classes, the vote is
1/2 ln((1 - error) / error)), `Samme` (any number of classes), `SammeR` (members predict probabilities), `R2`
(regression) and `HalfWay` (C5.0: members predict votes). The caller decides how a member is fitted: with weights, on a
bootstrap sample, or from a table sorted once. Members predict row by row (`boost`); for stumps the contents of their
leaves suffice (`ByLeaves`).

Weights are integer multiples of 2**-50 that add up to 1. A float64 holds every sum of them exactly, so that no error of
a classifier depends on the order of the rows, and a row of weight 3 is three rows, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from spinney.criteria.adaboost_weights import log_odds, log_votes, many_class_vote, two_class_vote
from spinney.criteria.exp_log import exp_of, exps_of
from spinney.criteria.fixed_point import exact_sum
from spinney.data.weights import Weights

_UNIT = 2.0**-50  # of weights, and the smallest weight of a row
_MOST_ROWS = 1 << 40  # integer weights that add up to more are not repetitions
_NONE_WRONG = 0.1  # C5.0: weight of misclassified rows, in rows, below which there is none
_TOO_WRONG = 0.49  # C5.0: weighted error from which a member is dropped
_LEAST = 0.001  # C5.0: smallest weight of a row that is not given up, in rows
_FURTHEST = 300.0  # no weight changes by more than e to this in a round: products stay finite

# (weights, round number) -> (fitted member, its predictions for the training rows: classes, probabilities or numbers)
FitMember = Callable[[np.ndarray, int], tuple[Any, np.ndarray]]


class MemberEvaluation(NamedTuple):
    """A judge's evaluation of a member."""

    error: float  # weighted error, or mean loss
    vote: float  # the weight of the member
    change: Any  # (rows,) or one number: factors of the row weights
    keep: bool = True  # whether the member joins the others
    keep_alone: bool = False  # whether it stays at least where it is the only one
    stop: bool = False  # whether this round is the last


class MemberEvaluator(Protocol):
    """Evaluates a member by its predictions for the training rows."""

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> MemberEvaluation:
        """The member's error and vote, and the change of the row weights."""


class Course(Protocol):
    """Fits and evaluates members, and keeps the row weights."""

    weights: np.ndarray

    def fit(self, number: int) -> tuple[Any, MemberEvaluation]:
        """Fit a member and evaluate it."""

    def reweigh(self, change: Any) -> None:
        """Change the row weights by the verdict on the last member."""


class AdaBoostRounds(NamedTuple):
    """The result of `boost`."""

    members: list
    votes: np.ndarray  # (members,)
    errors: np.ndarray  # (members,)
    history: np.ndarray | None  # (members + 1, rows) normalised weights before the first round and after each
    last_error: float  # of the last member tried, kept or not


# --- the loop ---------------------------------------------------------------------------------------------------------


def boost(
    fit_member: FitMember, judge: MemberEvaluator, first: np.ndarray, n_rounds: int, keep_weights: bool = False
) -> AdaBoostRounds:
    """Fit up to `n_rounds` members in turn, or until the judge stops; `first`: weights of the first round."""
    return run(_ByRows(fit_member, judge, first), n_rounds, keep_weights)


def run(course: Course, n_rounds: int, keep_weights: bool = False) -> AdaBoostRounds:
    """The loop."""
    members: list = []
    votes, errors, history = [], [], [course.weights]
    for number in range(n_rounds):
        member, verdict = course.fit(number)
        if verdict.keep or (verdict.keep_alone and not members):
            members.append(member)
            votes.append(verdict.vote)
            errors.append(verdict.error)
            course.reweigh(verdict.change)
            if keep_weights:
                history.append(course.weights)
        if verdict.stop:
            break
    kept = np.array(history) if keep_weights else None
    return AdaBoostRounds(members, np.array(votes), np.array(errors), kept, verdict.error)


class _ByRows:
    """Rounds of members of any kind: every row is evaluated."""

    def __init__(self, fit_member: FitMember, judge: MemberEvaluator, first: np.ndarray) -> None:
        self._fit_member, self._judge = fit_member, judge
        self.weights, self._repeats = first_weights(first)

    def fit(self, number: int) -> tuple[Any, MemberEvaluation]:
        member, answers = self._fit_member(self.weights, number)
        return member, self._judge(self.weights, answers)

    def reweigh(self, change: Any) -> None:
        self.weights = settle(_of_one_row(self.weights, self._repeats) * change, self._repeats)


class ByLeaves:
    """Rounds of small trees: rows of one leaf and class are evaluated together, as one row of their total weight.

    `fit_tree(number)` fits a member and returns it with the weights (leaf, class) of the training rows and the
    prediction of each leaf; `reweigh` applies factors (leaf, class) to the rows.
    """

    def __init__(
        self,
        fit_tree: Callable[[int], tuple[Any, np.ndarray, np.ndarray]],
        reweigh: Callable[[np.ndarray], None],
        judge: _ByLabels | SammeR,
    ) -> None:
        self._fit_tree, self._reweigh, self._judge = fit_tree, reweigh, judge
        self.weights, self._shape = np.empty(0), (0, 0)  # not used: row weights are kept by the caller

    def fit(self, number: int) -> tuple[Any, MemberEvaluation]:
        """Fit a member and evaluate it."""
        member, weights, answers = self._fit_tree(number)
        n_leaves, n_classes = self._shape = weights.shape
        judge = self._judge.of_classes(np.tile(np.arange(n_classes), n_leaves))
        return member, judge(weights.reshape(-1), answers.repeat(n_classes, axis=0))

    def reweigh(self, change: Any) -> None:
        """Change the rows' weights for the next round."""
        self._reweigh(np.broadcast_to(change, self._shape[0] * self._shape[1]).reshape(self._shape))


def first_weights(first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(weights of the first round, number of rows that each row stands for)."""
    repeats = first if _are_repeats(first) else (first > 0).astype(np.float64)
    return settle(np.divide(first, repeats, out=np.zeros(len(first)), where=repeats > 0), repeats), repeats


def _are_repeats(weights: np.ndarray) -> bool:
    return bool((weights == np.floor(weights)).all() and weights.sum() < _MOST_ROWS)


def _of_one_row(weights: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """The weight of each of a row's repetitions."""
    return weights / np.maximum(repeats, 1.0)


def settle(weights: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    """Weights that add up to 1, as integer multiples of a unit; a positive weight stays positive.

    `weights` are those of single rows; the weight of a row that occurs `repeats` times is multiplied by this.

    A weight of 0 stays 0: C5.0 drops rows.

    >>> settle(np.array([1.0, 0.5, 7.0, 0.0]), np.array([1.0, 2.0, 0.0, 1.0])).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    total, _ = exact_sum(weights, Weights(repeats.astype(np.int64), None))
    return np.maximum(np.rint(weights / (total * _UNIT)), weights > 0.0) * (_UNIT * repeats)


# --- formulas ---------------------------------------------------------------------------------------------------------


def weighted_error(weights: np.ndarray, wrong: np.ndarray) -> float:
    """The fraction of the weight that is misclassified."""
    return float((weights * wrong).sum() / weights.sum())


def change_both(wrong: np.ndarray, vote: float) -> np.ndarray:
    """Factors e^vote for misclassified rows, and e^-vote for the others.

    >>> change_both(np.array([True, False]), np.log(2)).round(6).tolist()
    [2.0, 0.5]
    """
    vote = min(max(vote, -_FURTHEST), _FURTHEST)
    return np.array([exp_of(-vote), exp_of(vote)]).take(wrong)


def change_wrong(wrong: np.ndarray, vote: float) -> np.ndarray:
    """Factors e^vote for misclassified rows, and 1 for the others."""
    return np.array([1.0, exp_of(min(max(vote, -_FURTHEST), _FURTHEST))]).take(wrong)


def half_way(right: float, wrong: float) -> float:
    """C5.0: weight moved from right rows to misclassified ones, half of what would make both equal.

    >>> half_way(8.0, 2.0)
    1.5
    """
    return (right - wrong) / 4.0


def change_half_way(weights: np.ndarray, repeats: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """C5.0's factors: right rows lose weight in proportion, misclassified rows gain the same weight each.

    >>> rows, wrong = np.ones(10), np.arange(10) < 2
    >>> (rows * change_half_way(rows, rows, wrong)).tolist()[1:4]
    [1.75, 0.8125, 0.8125]
    """
    below, above = float((weights * wrong).sum()), float((weights * ~wrong).sum())
    moved = half_way(above, below)
    gain = moved / float((repeats * wrong).sum())
    each = _of_one_row(weights, repeats)
    grown = np.divide(each + gain, each, out=np.zeros(len(each)), where=each > 0.0)
    return np.where(wrong, grown, (above - moved) / above)


def are_lost(votes: np.ndarray, codes: np.ndarray, n_left: int) -> np.ndarray:
    """Rows that `n_left` more members with votes of at most 1 cannot correct.

    >>> are_lost(np.array([[2.5, 0.25], [2.5, 1.5]]), np.array([1, 1]), 2).tolist()
    [True, False]
    """
    return votes.max(axis=1) - votes[np.arange(len(codes)), codes] > n_left


def shares_of_votes(votes: np.ndarray) -> np.ndarray:
    """Each class's share of the votes, which are added up one after the other, as exported models do.

    >>> shares_of_votes(np.array([[0.5, 1.5]])).tolist()
    [[0.25, 0.75]]
    """
    return votes / np.cumsum(votes, axis=1)[:, -1:]


# --- judges -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ByLabels:
    """Base of `Discrete` and `Samme`, whose members predict classes."""

    codes: np.ndarray  # (rows,) the true classes
    n_classes: int
    learning_rate: float = 1.0
    flip: bool = False  # whether members worse than guessing are kept, with a negative vote
    goes_on: bool = False  # whether members no better than guessing are left out without ending the rounds
    n_rows: int | None = None  # where `codes` are those of groups of rows

    def of_classes(self, codes: np.ndarray) -> Any:
        """The same judge of groups of rows."""
        return replace(self, codes=codes, n_rows=len(self.codes))

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> MemberEvaluation:
        wrong = answers != self.codes
        error = weighted_error(weights, wrong)
        if error <= 0.0:
            return MemberEvaluation(0.0, self._perfect(), 1.0, stop=True)
        vote = self.learning_rate * self._vote(error)
        guessing = (
            error >= 1.0 - 1.0 / self.n_classes - (self.n_rows or len(weights)) * _UNIT
        )  # allowing for the rounding of weights
        if guessing and not (self.flip and vote < 0.0):
            return MemberEvaluation(error, 0.0, 1.0, keep=False, stop=not self.goes_on)
        return MemberEvaluation(error, vote, self._change(wrong, vote))

    def _vote(self, error: float) -> float:
        raise NotImplementedError

    def _perfect(self) -> float:
        raise NotImplementedError

    def _change(self, wrong: np.ndarray, vote: float) -> np.ndarray:
        raise NotImplementedError


class Discrete(_ByLabels):
    """Discrete AdaBoost, for two classes (Freund and Schapire)."""

    def _vote(self, error: float) -> float:
        return two_class_vote(error)

    def _perfect(self) -> float:
        return self.learning_rate * two_class_vote(0.0)

    def _change(self, wrong: np.ndarray, vote: float) -> np.ndarray:
        return change_both(wrong, vote)


class Samme(_ByLabels):
    """SAMME, for any number of classes; the same numbers as scikit-learn."""

    def _vote(self, error: float) -> float:
        return many_class_vote(error, self.n_classes)

    def _perfect(self) -> float:
        return 1.0

    def _change(self, wrong: np.ndarray, vote: float) -> np.ndarray:
        return change_wrong(wrong, vote)


@dataclass(frozen=True)
class SammeR:
    """SAMME.R, for any number of classes: members vote by their probabilities, and all have the same weight."""

    codes: np.ndarray
    learning_rate: float = 1.0

    def of_classes(self, codes: np.ndarray) -> Any:
        """The same judge of groups of rows."""
        return replace(self, codes=codes)

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> MemberEvaluation:
        """`answers`: probabilities, (rows, classes)."""
        error = weighted_error(weights, answers.argmax(axis=1) != self.codes)
        if error <= 0.0:
            return MemberEvaluation(0.0, 1.0, 1.0, stop=True)
        n_classes = answers.shape[1]
        right = log_votes(answers)[np.arange(len(self.codes)), self.codes] / (n_classes - 1)
        change = np.clip(-self.learning_rate * right, -_FURTHEST, _FURTHEST)
        return MemberEvaluation(error, 1.0, exps_of(np.minimum(change - change[weights > 0].max(), 0.0)))


@dataclass(frozen=True)
class R2:
    """AdaBoost.R2, for regression: a row's loss is its error divided by the largest."""

    target: np.ndarray
    loss: str = "linear"  # or "square", "exponential"
    learning_rate: float = 1.0

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> MemberEvaluation:
        """A mean loss of 1/2 or more ends the rounds; a first member is kept nevertheless."""
        loss = np.where(weights > 0, self._losses(np.abs(answers - self.target), weights > 0), 0.0)
        error = exact_sum(weights * loss, Weights(None, None))[0]
        if error <= 0.0:
            return MemberEvaluation(0.0, 1.0, 1.0, stop=True)
        if error >= 0.5:
            return MemberEvaluation(error, 0.0, 1.0, keep=False, keep_alone=True, stop=True)
        odds = log_odds(error)
        change = np.maximum(-odds * self.learning_rate * (1.0 - loss), -_FURTHEST)
        return MemberEvaluation(error, self.learning_rate * odds, exps_of(change))

    def _losses(self, errors: np.ndarray, takes_part: np.ndarray) -> np.ndarray:
        share = errors / (errors[takes_part].max() or 1.0)
        if self.loss == "square":
            return share**2
        return 1.0 - exps_of(-share) if self.loss == "exponential" else share


@dataclass
class HalfWay:
    """C5.0: weights move half of the way, members predict votes by confidence, and rows given up have weight 0.

    Of one run: it counts the rounds, and adds up the votes.
    """

    codes: np.ndarray
    repeats: np.ndarray  # how many rows each row stands for
    n_rounds: int
    number: int = 0
    votes: Any = 0.0  # of all members so far

    def __call__(self, weights: np.ndarray, answers: np.ndarray) -> MemberEvaluation:
        """`answers`: votes, (rows, classes), which are all equal if a member has no split."""
        wrong = (answers.argmax(axis=1) != self.codes) & (weights > 0.0)
        error, n_rows = weighted_error(weights, wrong), float(self.repeats[weights > 0.0].sum())
        self.number += 1
        self.votes = self.votes + answers
        if self.number == self.n_rounds:
            return MemberEvaluation(error, 1.0, 1.0)
        if error * n_rows < _NONE_WRONG:
            return MemberEvaluation(error, 1.0, 1.0, stop=True)
        asks_nothing = bool((answers == answers[0]).all())
        if error >= _TOO_WRONG or (self.number > 1 and asks_nothing):
            return MemberEvaluation(error, 1.0, 1.0, keep=False, keep_alone=True, stop=True)
        change = change_half_way(weights, self.repeats, wrong)
        if 2 * self.number > self.n_rounds:
            change = np.where(are_lost(self.votes, self.codes, self.n_rounds - self.number), 0.0, change)
        return MemberEvaluation(error, 1.0, self._at_least(weights, change))

    def _at_least(self, weights: np.ndarray, change: np.ndarray) -> np.ndarray:
        """The change, limited so that rows not given up keep a thousandth of the mean weight."""
        each = _of_one_row(weights, self.repeats)
        total, _ = exact_sum(each * change, Weights(self.repeats.astype(np.int64), None))
        n_rows = self.repeats[each * change > 0.0].sum()
        least = np.divide(_LEAST * total / n_rows, each, out=np.zeros(len(each)), where=each > 0.0)
        return np.where(change > 0.0, np.maximum(change, least), 0.0)


def give_up_early(rounds: AdaBoostRounds, n_rounds: int) -> AdaBoostRounds:
    """C5.0: where the rounds ended early with two members, the first one stays alone."""
    if not 1 < len(rounds.members) < min(n_rounds, 3):
        return rounds
    history = None if rounds.history is None else rounds.history[:2]
    return rounds._replace(
        members=rounds.members[:1], votes=rounds.votes[:1], errors=rounds.errors[:1], history=history
    )


# --- combined predictions ---------------------------------------------------------------------------------------------


def staged_sums(says: Iterator[np.ndarray], votes: Sequence[float] | np.ndarray) -> Iterator[np.ndarray]:
    """After each member, the sum of votes times predictions so far: a new array each time."""
    total: Any = 0.0
    for say, vote in zip(says, votes):
        total = total + vote * say
        yield total


def weighted_median(predictions: np.ndarray, votes: np.ndarray) -> np.ndarray:
    """For each row of (rows, members), the smallest prediction at which half of the votes are reached.

    >>> weighted_median(np.array([[1.0, 2.0, 9.0]]), np.array([1.0, 1.0, 3.0])).tolist()
    [9.0]
    """
    order = np.argsort(predictions, axis=1)
    reached = np.cumsum(votes[order], axis=1)
    place = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
    rows = np.arange(len(predictions))
    return predictions[rows, order[rows, place]]

"""The sums of AdaBoost: how much a member says, and how the weights of the rows change after it.

In: the weighted error of a member, or which rows it misclassifies. Out: its weight, and the new weights of the rows.
The formulas are those of `ensemble/adaboost.py`, which runs the rounds; here they are for reading.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spinney.data.weights import read_weights

TINY = 1e-10  # smallest distance of errors from 0 and 1 in the two-class form: a perfect member's weight is 11.5
EPSILON = float(np.finfo(np.float64).eps)  # smallest distance in the form for many classes
_ALGORITHMS = ("discrete", "SAMME")


def log_odds(error: float, least: float = EPSILON) -> float:
    """ln((1 - error) / error), with the error kept a little away from 0 and 1."""
    from spinney.criteria.exp_log import log_of

    error = min(max(error, least), 1.0 - least)
    return log_of((1.0 - error) / error)


def two_class_vote(error: float) -> float:
    """1/2 ln((1 - error) / error), the vote in the two-class form; large, not infinite, for a perfect member.

    >>> round(two_class_vote(0.3), 2)
    0.42
    """
    return 0.5 * log_odds(error, TINY)


def many_class_vote(error: float, n_classes: int) -> float:
    """ln((1 - error) / error) + ln(n_classes - 1): positive for members better than guessing.

    >>> round(many_class_vote(0.3, 2), 2), round(many_class_vote(0.3, 3), 2)
    (0.85, 1.54)
    """
    from spinney.criteria.exp_log import log_of

    return log_odds(error) + log_of(n_classes - 1.0)


def log_votes(probabilities: np.ndarray) -> np.ndarray:
    """(K - 1) (ln p - mean ln p), a member's votes in SAMME.R; rows add up to 0."""
    from spinney.criteria.exp_log import logs_of

    logs = logs_of(np.maximum(probabilities, EPSILON))
    return (logs.shape[1] - 1) * (logs - logs.mean(axis=1, keepdims=True))


def class_votes(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """1 for the predicted class and -1 / (K - 1) for each other."""
    votes = np.full((n_classes, n_classes), -1.0 / max(n_classes - 1, 1))
    np.fill_diagonal(votes, 1.0)
    return votes.take(codes, axis=0)


def votes_by_confidence(shares: np.ndarray, weight: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """C5.0: a vote for the class with the largest fraction p, of (weight p + prior) / (weight + 1).

    In: class fractions (rows, classes), the weight in rows that they come from, and the class fractions at the root of
    the tree.

    >>> votes_by_confidence(np.array([[0.75, 0.25]]), np.array([7.0]), np.array([0.5, 0.5])).tolist()
    [[0.71875, 0.0]]
    """
    rows, named = np.arange(len(shares)), shares.argmax(axis=1)
    votes = np.zeros(shares.shape)
    prior = np.broadcast_to(prior, shares.shape)
    votes[rows, named] = (weight * shares[rows, named] + prior[rows, named]) / (weight + 1.0)
    return votes


def amount_of_say(error: Any, *, algorithm: str = "discrete", n_classes: int = 2) -> Any:
    """Compute the weight that AdaBoost gives to a member, its "amount of say", from its weighted error.

    Parameters
    ----------
    error : float or array-like
        Fraction of the total weight that the member misclassifies, from 0 to 1.
    algorithm : {"discrete", "SAMME"}, default="discrete"
        "discrete": 1/2 ln((1 - error) / error), for two classes. "SAMME": ln((1 - error) / error) + ln(n_classes - 1),
        for any number of classes.
    n_classes : int, default=2
        Number of classes, for "SAMME".

    Returns
    -------
    float or ndarray
        One number, or an array for several errors. It is 0 for guessing and negative beyond. For a perfect member it is
        large but finite, because the error is kept 1e-10 away from 0 and 1 ("SAMME": 2.2e-16).

    Examples
    --------
    >>> from spinney.criteria import amount_of_say
    >>> amount_of_say([0.30, 3 / 14, 3 / 22]).round(2).tolist()
    [0.42, 0.65, 0.92]
    >>> round(amount_of_say(1 / 8), 2), amount_of_say(0.5), round(amount_of_say(7 / 8), 2)
    (0.97, 0.0, -0.97)
    >>> round(amount_of_say(0.3, algorithm="SAMME", n_classes=3), 2)
    1.54
    """
    if algorithm not in _ALGORITHMS:
        raise ValueError(f"algorithm must be 'discrete' or 'SAMME', got {algorithm!r}.")
    if isinstance(n_classes, bool) or not isinstance(n_classes, int | np.integer) or n_classes < 2:
        raise ValueError(f"n_classes must be an integer of at least 2, got {n_classes!r}.")
    if algorithm == "discrete" and n_classes > 2:
        raise ValueError(f"algorithm='discrete' needs n_classes=2, got {n_classes}. Use algorithm='SAMME'.")
    errors = np.asarray(error, np.float64)
    if not ((errors >= 0.0) & (errors <= 1.0)).all():
        raise ValueError(f"error must be a fraction of the weight, from 0 to 1, got {error!r:.80}.")
    votes = [
        two_class_vote(one) if algorithm == "discrete" else many_class_vote(one, int(n_classes))
        for one in errors.ravel().tolist()
    ]
    return votes[0] if errors.ndim == 0 else np.array(votes).reshape(errors.shape)


class Reweighting(NamedTuple):
    """One round of AdaBoost, as returned by `reweight`.

    Attributes
    ----------
    error : float
        Weighted error of the member.
    amount_of_say : float
        Weight of the member.
    unnormalised : ndarray of shape (n_samples,)
        Weights of the rows times e^-amount_of_say where the member is right, and e^amount_of_say where it is wrong.
    z : float
        Their sum, by which they are divided.
    weights : ndarray of shape (n_samples,)
        Weights of the rows in the next round, with a sum of 1.

    Examples
    --------
    >>> from spinney.criteria import reweight
    >>> round(reweight([False, False, False, True]).z, 4)  # 2 sqrt(error (1 - error))
    0.866
    """

    error: float
    amount_of_say: float
    unnormalised: np.ndarray
    z: float
    weights: np.ndarray


def reweight(wrong: Any, sample_weight: Any = None) -> Reweighting:
    """Compute one reweighting step of two-class ("discrete") AdaBoost.

    Parameters
    ----------
    wrong : array-like of bool of shape (n_samples,)
        Which rows the member misclassifies. The member must be wrong on some weight, but not on all of it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows before the round; they are divided by their sum. None: all equal.

    Returns
    -------
    Reweighting
        `error`, `amount_of_say`, `unnormalised`, `z` and `weights`. Afterwards the misclassified rows have half of the
        total weight.

    Examples
    --------
    A constant member on 80 positive and 20 negative rows is wrong on the negative ones. Weights of 1/100 become 1/200
    and 1/50, with a sum of 4/5, and 1/160 and 1/40 after normalising:

    >>> from spinney.criteria import reweight
    >>> step = reweight([False] * 80 + [True] * 20)
    >>> step.error, round(step.amount_of_say, 4)  # 1/2 ln 4
    (0.2, 0.6931)
    >>> step.unnormalised[0], step.unnormalised[-1], round(step.z, 12)
    (np.float64(0.005), np.float64(0.02), 0.8)
    >>> step.weights[[0, -1]].round(12).tolist()
    [0.00625, 0.025]
    """
    missed = np.asarray(wrong)
    if missed.ndim != 1 or missed.dtype != bool:
        raise ValueError("wrong must hold one Boolean per row, such as `model.predict(X) != y`.")
    given = read_weights(sample_weight, len(missed)).total()
    before = np.ones(len(missed)) if given is None else np.asarray(given, np.float64)
    total = float(before.sum())
    error = float(before[missed].sum()) / total if total > 0.0 else 0.0
    if not 0.0 < error < 1.0:
        raise ValueError(
            f"wrong must have some, but not all, of the weight, got an error of {error:g}. AdaBoost ends there."
        )
    factor = float(np.sqrt((1.0 - error) / error))  # e^amount_of_say, which exp would round
    changed = before / total * np.where(missed, factor, 1.0 / factor)
    z = float(changed.sum())
    return Reweighting(error, two_class_vote(error), changed, z, changed / z)

"""How mixed a node is: Gini, entropy, misclassification, squared error, Poisson deviance.

A split is judged by a *score*, the larger the better, from integer sums of its two sides. Scores of one node differ
from the decrease of impurity by a constant and a factor that are the same for all its splits: they are quicker to
compute, and `..._decrease` turns the best one into the decrease itself.

    pairs      sides known by two sums, weight w and amount s: two classes (s = weight of the second one), or a number
               (s = weighted sum)
    classes    sides known by the weight of each class

`logs[c]` is c log2(c) in units of 2**-LOG_BITS, an integer, for whole weights c; where weights are not whole the table
is empty and logarithms are computed. No formula here knows about tables, lists or loops over rows.
"""

from __future__ import annotations

import math

import numpy as np

from spinney._compile import inner_kernel, kernel
from spinney.criteria.exp_log import LN2, exps_of, log, logs_of

GINI, ENTROPY, ERROR, SQUARED, POISSON, ABSOLUTE, OWN = range(7)
NAMES = {
    "gini": GINI,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "gain_ratio": ENTROPY,
    "error": ERROR,
    "squared_error": SQUARED,
    "friedman_mse": SQUARED,
    "poisson": POISSON,
    "absolute_error": ABSOLUTE,
}
OF_CLASSES = (GINI, ENTROPY, ERROR)
OF_NUMBERS = (SQUARED, POISSON, ABSOLUTE)
OF_PAIRS = (*OF_CLASSES, SQUARED, POISSON)  # scored from two sums for each side
OF_TERMS = (GINI, ENTROPY)  # integer terms of classes, updated row by row
LOG_BITS = 24
_LOG_UNIT = 2.0**-LOG_BITS
_NEVER = -math.inf
_NEARLY = 1.0 - 2.0**-40  # far more than rounding takes off


def check_branches(place: str, criteria: tuple[int, ...], *known: int) -> None:
    """Raise unless the branches of `place` are those of these criteria. It runs at import.

    Formulas choose by the criterion's number, and their last branch has no condition. Without this check, a new
    criterion would get the formula of another one.
    """
    if other := set(criteria) ^ set(known):
        raise NotImplementedError(f"{place} has no branch, or one too many, for criterion {sorted(other)}.")


check_branches("The list of criteria", tuple(range(7)), *OF_CLASSES, *OF_NUMBERS, OWN)
check_branches("The list of names", tuple(NAMES.values()), *OF_CLASSES, *OF_NUMBERS)


def log_table(most: int) -> np.ndarray:
    """`logs` for whole weights up to `most`."""
    logs = np.zeros(most + 1, np.int64)
    _fill_logs(logs)
    return logs


@kernel
def _fill_logs(logs):
    for c in range(2, logs.size):
        logs[c] = np.int64(float(c) * (log(float(c)) / LN2) / _LOG_UNIT + 0.5)


@inner_kernel
def x_log_x(weight, logs):
    """weight log2(weight), in whatever units; 0 for 0."""
    if weight <= 0:
        return 0.0
    if logs.size:
        return float(logs[weight]) * _LOG_UNIT
    return float(weight) * (log(float(weight)) / LN2)


# --- pairs ----------------------------------------------------------------------------------------------------------

check_branches("impurity.pair_score and pair_decrease", OF_PAIRS, SQUARED, GINI, ENTROPY, ERROR, POISSON)


@inner_kernel
def pair_score(criterion, w_left, s_left, w_right, s_right, logs):
    """What a split of a node is worth; -inf if the criterion forbids it."""
    if criterion == SQUARED or criterion == GINI:
        return variance_score(w_left, s_left, w_right, s_right)
    if criterion == ENTROPY:
        return _pair_information(w_left, s_left, logs) + _pair_information(w_right, s_right, logs)
    if criterion == ERROR:
        return float(max(s_left, w_left - s_left) + max(s_right, w_right - s_right))
    if s_left <= 0 or s_right <= 0:  # POISSON: a mean of 0 has no logarithm
        return _NEVER
    return _deviance(w_left, s_left) + _deviance(w_right, s_right)


@inner_kernel
def variance_score(w_left, s_left, w_right, s_right):
    """How far apart the sides' means are: (s_left w_right - s_right w_left)^2 / (w_left w_right)."""
    apart = float(s_left) * float(w_right) - float(s_right) * float(w_left)
    return apart * apart / (float(w_left) * float(w_right))


@inner_kernel
def may_exceed(w_left, s_left, w_right, s_right, score):
    """Whether `variance_score` may be as high as another score, found without a division: False if it is lower for
    certain, True if it is higher or so near that rounding could decide."""
    apart = float(s_left) * float(w_right) - float(s_right) * float(w_left)
    return apart * apart >= score * _NEARLY * (float(w_left) * float(w_right))


@inner_kernel
def table_score(w_left, s_left, w_right, s_right, logs):
    """`pair_score` of entropy with a table of logarithms."""
    left = logs[s_left] + logs[w_left - s_left] - logs[w_left]
    right = logs[s_right] + logs[w_right - s_right] - logs[w_right]
    return float(left + right) * _LOG_UNIT


@inner_kernel
def _pair_information(weight, amount, logs):
    """-(entropy in bits times weight)."""
    if logs.size:
        return float(logs[amount] + logs[weight - amount] - logs[weight]) * _LOG_UNIT
    return x_log_x(amount, logs) + x_log_x(weight - amount, logs) - x_log_x(weight, logs)


@inner_kernel
def _deviance(weight, amount):
    return float(amount) * log(float(amount) / float(weight)) if amount > 0 else 0.0


@inner_kernel
def _variance_decrease(score, weight):
    return score / (weight * weight)


@inner_kernel
def pair_decrease(criterion, score, weight, amount, logs):
    """By how much the split with this score lowers the node's impurity, in the sums' units (amount / weight)."""
    w = float(weight)
    if criterion == SQUARED:
        return _variance_decrease(score, w)
    if criterion == GINI:
        return 2.0 * score / (w * w)
    if criterion == ENTROPY:
        return (score - _pair_information(weight, amount, logs)) / w
    if criterion == ERROR:
        return (score - float(max(amount, weight - amount))) / w
    return (score - _deviance(weight, amount)) / w


# --- classes --------------------------------------------------------------------------------------------------------

check_branches("impurity.class_term and term_score", OF_TERMS, GINI, ENTROPY)
check_branches("impurity.side_more, side_end and impurity_of", OF_CLASSES, GINI, ERROR, ENTROPY)


@inner_kernel
def class_term(criterion, weight, logs):
    """What one class adds to a side's integer term: its square, or c log c; whole weights only."""
    return weight * weight if criterion == GINI else logs[weight]


@inner_kernel
def term_score(criterion, left, right, w_left, w_right, n_outputs, logs):
    """The score from both sides' terms, summed over classes and outputs."""
    if criterion == GINI:
        return float(left) / float(w_left) + float(right) / float(w_right)
    return float(left + right - n_outputs * (logs[w_left] + logs[w_right])) * _LOG_UNIT


@inner_kernel
def side_score(criterion, sums, weight, logs):
    """One side's part of the score, from the weights of one output's classes."""
    total = 0.0
    for k in range(sums.size):
        total = side_more(criterion, total, sums[k], logs)
    return side_end(criterion, total, weight, logs)


@inner_kernel
def side_more(criterion, total, weight, logs):
    """What is kept of a side's classes so far, 0 before the first one, with one of this weight more."""
    if criterion == GINI:
        return total + float(weight) * float(weight)
    if criterion == ERROR:
        return max(total, float(weight))
    return total + x_log_x(weight, logs)


@inner_kernel
def side_end(criterion, total, weight, logs):
    """One side's part of the score; `weight` is that of all classes."""
    if criterion == GINI:
        return total / float(weight)
    return total if criterion == ERROR else total - x_log_x(weight, logs)


# --- one node, for reading ------------------------------------------------------------------------------------------


def class_impurity(criterion: int, weights: np.ndarray) -> np.ndarray:
    """Impurity of nodes, the mean over outputs, from the weights (node, output, class) of their classes."""
    impurity = np.empty(len(weights))
    _fill_impurity(criterion, weights, impurity)
    return impurity


@kernel
def _fill_impurity(criterion, weights, impurity):
    for node in range(impurity.size):
        total = 0.0
        for o in range(weights.shape[1]):
            total += impurity_of(criterion, weights[node, o])
        impurity[node] = total / float(weights.shape[1])


@inner_kernel
def impurity_of(criterion, weights):
    """Impurity from the weights of the classes; entropy in bits."""
    total, most = 0.0, 0.0
    for k in range(weights.size):
        total += weights[k]
        most = max(most, weights[k])
    if total <= 0.0 or most == total:
        return 0.0
    if criterion == ERROR:
        return (total - most) / total  # of counts, 40 of 200 is 0.2 and not 1 - 0.8
    result = 1.0 if criterion == GINI else 0.0
    for k in range(weights.size):
        share = weights[k] / total
        if criterion == GINI:
            result -= share * share
        elif share > 0.0:
            result -= share * (log(share) / LN2)
    return result


def tsallis_entropy(weights: np.ndarray, q: float) -> np.ndarray:
    """(1 - sum of p ** q) / (q - 1) along the last axis; Shannon's in nats for q = 1. 0 where there is no weight."""
    total = weights.sum(axis=-1, keepdims=True)
    share = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    logs = logs_of(np.where(share > 0, share, 1.0))
    if q == 1.0:
        return np.abs((share * logs).sum(axis=-1))
    powers = np.where(share > 0, exps_of(q * logs), 0.0).sum(axis=-1)
    return np.where(total[..., 0] > 0, (1.0 - powers) / (q - 1.0), 0.0)


def squared_decreases(left: np.ndarray, total: np.ndarray) -> np.ndarray:
    """By how much splits of one node lower the variance: `left` holds weight and amount, (split, 2), `total` both."""
    found = np.empty(len(left))
    _fill_decreases(left, total, found)
    return found


@kernel
def _fill_decreases(left, total, found):
    for k in range(found.size):
        w, s = left[k, 0], left[k, 1]
        found[k] = _variance_decrease(variance_score(w, s, total[0] - w, total[1] - s), total[0])

"""Selection among several models on held-out rows: the best one, or a weight for each. No model is fitted here.

Ensemble selection. In: each model's predictions for the same held-out rows, and a function that scores predictions.
Out: weights of the models, fractions of a number of votes, which add up to 1.

The best model gets the first vote. Every further vote goes to the model whose predictions, added to those of all votes
so far, make the best mean; a model may be selected repeatedly. The weights are the fractions of the votes at the step
where the mean was best. (Caruana and others, Ensemble selection from libraries of models, 2004.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from spinney.criteria.fixed_point import exact_mean, exact_sum
from spinney.data.weights import Weights

VOTES = 20  # no weight is less than one in so many: small ones cost time and change little
_LEAST_GAIN = 1e-9  # share of the score: less is rounding


def select(
    answers: Sequence[np.ndarray], worth: Callable[[np.ndarray], float], n_votes: int = VOTES
) -> tuple[np.ndarray, float]:
    """Return the models' weights and the score of their weighted mean. Ties go to the first model and to fewer votes.

    `worth` takes predictions like those of one model and returns a score; higher is better, and NaN is the worst.

    >>> truth = np.array([1.0, 2.0, 3.0])
    >>> said = [truth + 1.0, truth - 1.0, truth + 5.0]
    >>> select(said, lambda mean: -float(np.square(mean - truth).mean()))
    (array([0.5, 0.5, 0. ]), -0.0)
    """
    votes, total = np.zeros(len(answers), np.int64), np.zeros(answers[0].shape)
    best, best_votes = -np.inf, votes.copy()
    for step in range(1, n_votes + 1):
        found = [_number(worth((total + one) / step)) for one in answers]
        chosen = int(np.argmax(found))
        votes[chosen] += 1
        total = total + answers[chosen]
        if step == 1 or found[chosen] > best + _LEAST_GAIN * abs(best):
            best, best_votes = found[chosen], votes.copy()
    return best_votes / best_votes.sum(), best


def _number(score: float) -> float:
    return -np.inf if np.isnan(score) else float(score)


# ----------------------------------------------------------------------------------------------------------------------
# The best model, and weights by posterior probability (Bayesian model averaging).
#
# In:  scores or log-likelihoods on held-out rows.
# Out: the best model's name, or weights that add up to 1.
#
#     weight of model m  =  prior(m) * exp(L(m)) / sum over k of prior(k) * exp(L(k))
#
# L(m) is the log-likelihood of the held-out rows under model m.


LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
_FURTHEST = 700.0  # logarithms below the best model's: nothing is left of it


def best_name(scores: Mapping[str, float]) -> str:
    """Return the name with the highest score; ties go to the first. NaN is worse than any number.

    >>> best_name({"tree": 0.8, "knn": 0.9, "svc": 0.9})
    'knn'
    """
    if all(np.isnan(score) for score in scores.values()):
        raise ValueError(f"the score of every member is NaN: {dict(scores)}.")
    return max(scores, key=lambda name: -np.inf if np.isnan(scores[name]) else scores[name])


def class_log_likelihood(
    probabilities: np.ndarray, classes: np.ndarray, sample_weight: np.ndarray | None = None
) -> float:
    """Return the sum over rows of the log probability of the true class.

    Probabilities below 2.2e-16 are raised to it, so that a single row cannot rule a model out.

    >>> round(class_log_likelihood(np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([0, 1])), 4)
    -0.9808
    """
    from spinney.criteria.exp_log import logs_of

    given = probabilities[np.arange(len(classes)), classes]
    return exact_sum(logs_of(np.maximum(given, LEAST_PROBABILITY)), Weights(None, sample_weight))[0]


def residual_variance(residuals: np.ndarray, sample_weight: np.ndarray | None, least: float) -> float:
    """Return the mean square of held-out residuals, at least `least`.

    >>> residual_variance(np.array([1.0, -3.0]), None, 0.0)
    5.0
    """
    return max(exact_mean(residuals * residuals, Weights(None, sample_weight)), least)


def gaussian_log_likelihood(residuals: np.ndarray, variance: float, sample_weight: np.ndarray | None = None) -> float:
    """Return the log-likelihood of residuals under a normal distribution around 0.

    >>> round(gaussian_log_likelihood(np.array([1.0, -1.0]), 1.0), 4)
    -2.8379
    """
    from spinney.criteria.exp_log import log_of

    logs = -0.5 * (log_of(2 * np.pi * variance) + residuals * residuals / variance)
    return exact_sum(logs, Weights(None, sample_weight))[0]


def posterior(log_likelihoods: np.ndarray, prior: np.ndarray | None = None) -> np.ndarray:
    """Return the models' weights from their log-likelihoods, by the formula above, without underflow.

    >>> posterior(np.array([-1000.0, -1000.0 + np.log(3)])).round(6)
    array([0.25, 0.75])
    """
    from spinney.criteria.exp_log import exps_of, logs_of

    logs = np.asarray(log_likelihoods, np.float64)
    if prior is not None:  # of 0, it rules a model out
        logs = np.where(prior > 0, logs + logs_of(np.where(prior > 0, prior, 1.0)), -np.inf)
    below = logs - logs.max()
    parts = np.where(below > -_FURTHEST, exps_of(np.maximum(below, -_FURTHEST)), 0.0)
    return parts / parts.sum()


def mixture_moments(means: np.ndarray, variances: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of a mixture of normal distributions for each row; models are the first axis.

    >>> mixture_moments(np.array([[0.0], [2.0]]), np.array([1.0, 1.0]), np.array([0.5, 0.5]))
    (array([1.]), array([1.41421356]))
    """
    centre = weights @ means
    spread = weights @ (variances[:, None] + (means - centre) ** 2)
    return centre, np.sqrt(spread)

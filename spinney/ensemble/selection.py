"""Ensemble selection: how much each of several models should count, by what they said of rows they had not seen.

In:  each model's answers for the same held-out rows, and a function that says how good answers are.
Out: weights of the models: shares of so many votes, which add up to 1. No model is fitted here.

The best model gets the first vote. Every further vote goes to the model whose answers, added to those of all votes so
far, make the best mean; a model may be chosen again and again. The weights are the shares of the votes at the step
where the mean was best. (Caruana and others, Ensemble selection from libraries of models, 2004.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

VOTES = 20  # no weight is less than one in so many: small ones cost time and change little
_LEAST_GAIN = 1e-9  # share of the score: less is rounding


def select(
    answers: Sequence[np.ndarray], worth: Callable[[np.ndarray], float], n_votes: int = VOTES
) -> tuple[np.ndarray, float]:
    """(the models' weights, what their mean is worth); of equals, models further left are chosen, and fewer votes.

    `worth` takes answers like those of one model and returns a number, higher for better ones; NaN is worse than any.

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

"""Ensemble selection: weights of several models, by their predictions for held-out rows.

In:  each model's predictions for the same held-out rows, and a function that scores predictions.
Out: weights of the models, fractions of a number of votes, which add up to 1. No model is fitted here.

The best model gets the first vote. Every further vote goes to the model whose predictions, added to those of all votes
so far, make the best mean; a model may be selected repeatedly. The weights are the fractions of the votes at the step
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

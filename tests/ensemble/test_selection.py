"""Weights of models by their answers for rows held out: as by hand, and never worse than the best of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.ensemble.selection import select
from tests.oracles.selection import votes_by_hand


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(1, 4), st.integers(1, 12), st.integers(0, 10_000), st.booleans())
def test_votes_are_those_by_hand(n_models, n_rows, seed, classes):
    random = np.random.RandomState(seed)
    truth = random.randint(-2, 3, n_rows).astype(float)
    answers = [random.randint(1, 9, n_rows) / 8.0 for _ in range(n_models)]

    def worth(mean):
        mean = np.asarray(mean)
        return float(np.log(mean).mean()) if classes else -float(np.abs(mean - truth).mean())

    votes = np.array(votes_by_hand(answers, worth, 7))
    weights, score = select(answers, worth, 7)
    np.testing.assert_allclose(weights, votes / votes.sum())
    assert score >= max(worth(one) for one in answers)
    assert score == pytest.approx(worth(sum(w * one for w, one in zip(weights, answers))))


def test_the_best_stays_alone_where_nobody_can_help():
    truth = np.arange(5.0)
    weights, score = select([truth + 1, truth, truth - 3], lambda mean: -float(np.abs(mean - truth).sum()))
    assert (weights.tolist(), score) == ([0.0, 1.0, 0.0], 0.0)


def test_a_score_that_is_no_number_is_the_worst():
    answers = [np.zeros(2), np.ones(2)]
    weights, score = select(answers, lambda mean: float("nan") if mean[0] < 1 else 0.5)
    assert (weights.tolist(), score) == ([0.0, 1.0], 0.5)
    weights, _ = select(answers, lambda mean: float("nan"))
    assert weights.tolist() == [1.0, 0.0]

"""What the lectures say of combining models, held to their own numbers (LECTURES.md, section 3)."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from spinney import VotingClassifier, VotingRegressor

NUMBERS = (5.43, 5.44, 5.38)


def voters(kind, answers):
    return [(f"m{k}", kind(strategy="constant", constant=answer)) for k, answer in enumerate(answers)]


@pytest.mark.parametrize("votes, winner", [([1, 1, 0, 1, 0, 1], 1), (list("ABACCA"), "A")])
def test_the_majority_wins(votes, winner):
    model = VotingClassifier(voters(DummyClassifier, votes))
    X = np.zeros((len(votes), 1))
    assert model.fit(X, votes).predict([[0]])[0] == winner


def test_mean_and_median_of_three_numbers():
    for how, answer in (("mean", 5.42), ("median", 5.43)):
        model = VotingRegressor(voters(DummyRegressor, NUMBERS), how=how).fit([[0]], [0])
        assert round(float(model.predict([[0]])[0]), 2) == answer

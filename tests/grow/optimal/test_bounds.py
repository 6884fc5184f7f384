"""Bounds of neighbouring tests hold: against the solved children."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.impurity import NAMES
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.grow.optimal.bounds import raise_left, raise_right
from spinney.grow.optimal.memory import Candidates
from spinney.grow.optimal.statistics import make_objective
from tests.compiled import few, outer
from tests.oracles.optimal_tree import best_cost

LEFT, RIGHT = outer(raise_left), outer(raise_right)


def candidates_of(column, code, moved):
    n = len(column)
    zeros = [np.zeros(n, np.int64) for _ in range(4)]
    return Candidates(np.array(column, np.int32), np.array(code, np.int32), np.array(moved, np.int64), *zeros)


@pytest.mark.kernels
@pytest.mark.parametrize("criterion", ["error", "gini", "entropy"])
@few(20, plain=3)
@given(seed=st.integers(0, 100_000))
def test_what_one_child_proves_of_its_neighbours(criterion, seed):
    random = np.random.RandomState(seed)
    X, y = random.randint(0, 4, (14, 2)).astype(float), random.randint(0, 3, 14)
    one = np.ones(14, int)
    codes = np.unique(X[:, 0])[:-1]
    target = Target(y[None].astype(np.int32), (3,), None, Weights(None, None))
    objective = make_objective(target, NAMES[criterion], 0.0, 1, 0.0, 3)
    scale = objective.costs.factor
    if objective.costs.logs.size:
        scale = 2.0**24
    sides = [X[:, 0] <= code for code in codes]
    left, right = (
        [float(best_cost(X[side], y[side], one[side], criterion, 1)) * scale for side in found]
        for found in (sides, [~side for side in sides])
    )
    for t in range(len(codes)):
        tests = candidates_of([0] * len(codes) + [1], [*codes, 0], [*(side.sum() for side in sides), 3])
        LEFT(objective.costs, tests, len(codes) + 1, t, int(left[t]))
        RIGHT(objective.costs, tests, len(codes) + 1, t, int(right[t]))
        assert (tests.left[:-1] <= np.array(left) + 2).all()
        assert (tests.right[:-1] <= np.array(right) + 2).all()
        assert tests.left[t] == int(left[t])
        assert tests.left[-1] == tests.right[-1] == 0  # another column

"""The search against every tree there is, and what it promises: bounds, ties, threads, time."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.criteria.impurity import NAMES
from spinney.data.target import Target
from spinney.data.weights import Weights
from spinney.grow.optimal import fit
from spinney.grow.optimal.memory import Candidates
from spinney.grow.optimal.search import raise_bound
from spinney.grow.optimal.statistics import make_objective
from tests.compiled import THREADS, few, outer
from tests.grow.optimal.problems import find, training_objective
from tests.oracles.optimal_tree import best_cost

CRITERIA = ("error", "gini", "entropy", "squared_error")


def draw(seed, most_columns=3, values=4):
    """(X, y, y as numbers, weights) with many ties."""
    random = np.random.RandomState(seed)
    n, n_columns = random.randint(2, 20), random.randint(1, most_columns + 1)
    X = random.randint(0, random.randint(2, values + 1), (n, n_columns)).astype(float)
    if random.rand() < 0.4:
        X[random.rand(n, n_columns) < 0.2] = np.nan
    return X, random.randint(0, random.randint(2, 4), n), random.randint(0, 6, n).astype(float), random.randint(1, 4, n)


def check(X, y, weight, criterion, depth, penalty=0.0, min_leaf=1, n_threads=1):
    found = find(X, y, criterion, depth, weight, penalty, min_leaf, n_threads)
    total = weight.sum()
    counted = np.repeat(np.arange(len(y)), weight) if min_leaf > 1 else np.arange(len(y))
    each = np.ones(len(counted), int) if min_leaf > 1 else weight
    best = float(best_cost(X[counted], y[counted], each, criterion, depth, penalty * total, min_leaf)) / total
    assert found.objective == pytest.approx(best, abs=2e-7)
    assert found.bound == pytest.approx(found.objective, abs=1e-9)
    assert training_objective(found.tree, weight, penalty) == pytest.approx(best, abs=2e-7)
    assert found.tree.max_depth <= depth
    return found


@pytest.mark.kernels
@pytest.mark.parametrize("criterion", CRITERIA)
@few(40, plain=3)
@given(seed=st.integers(0, 100_000))
def test_two_levels(criterion, seed):
    X, labels, numbers, weight = draw(seed)
    check(X, numbers if criterion == "squared_error" else labels, weight, criterion, seed % 3, seed % 5 * 0.02)


@pytest.mark.kernels
@pytest.mark.parametrize("criterion", CRITERIA)
@few(20, plain=2)
@given(seed=st.integers(0, 100_000))
def test_three_levels(criterion, seed):
    X, labels, numbers, weight = draw(seed, 2, 3)
    y = numbers if criterion == "squared_error" else labels
    check(X, y, weight, criterion, 3, seed % 5 * 0.02, n_threads=THREADS[seed % len(THREADS)])


@pytest.mark.parametrize("criterion", CRITERIA)
@few(20)
@given(seed=st.integers(0, 100_000))
def test_leaves_of_some_rows(criterion, seed):
    X, labels, numbers, weight = draw(seed, 2, 4)
    y = numbers if criterion == "squared_error" else labels
    found = check(X, y, weight, criterion, 2 + seed % 2, seed % 3 * 0.02, min_leaf=2 + seed % 3)
    leaves = found.tree.weight[found.tree.is_leaf]
    assert len(leaves) == 1 or leaves.min() >= 2 + seed % 3


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
@few(10)
@given(seed=st.integers(0, 100_000))
def test_four_levels_of_six_columns_of_zeros_and_ones(criterion, seed):
    random = np.random.RandomState(seed)
    X = random.randint(0, 2, (24, 6)).astype(float)
    y = random.randint(0, 4 if criterion == "squared_error" else 2, 24)
    check(X, y.astype(float) if criterion == "squared_error" else y, np.ones(24, int), criterion, 4, 0.01)


@few(20)
@given(seed=st.integers(0, 100_000), criterion=st.sampled_from(CRITERIA), depth=st.integers(2, 4))
def test_threads_make_no_difference(seed, criterion, depth):
    """Of many trees that are equally good, the same one."""
    random = np.random.RandomState(seed)
    X = random.randint(0, 3, (40, 5)).astype(float)
    y = (random.randint(0, 2, 40) + X[:, 0] * X[:, 1] % 2).astype(int)
    prints = {find(X, y, criterion, depth, n_threads=n).tree.fingerprint for n in (*THREADS, 3)}
    assert len(prints) == 1


def test_the_order_of_rows_makes_no_difference():
    random = np.random.RandomState(3)
    X, y = random.randint(0, 4, (60, 4)).astype(float), random.randint(0, 3, 60)
    rows = random.permutation(60)
    assert find(X, y, depth=3).tree.fingerprint == find(X[rows], y[rows], depth=3).tree.fingerprint


@pytest.mark.parametrize("criterion", CRITERIA)
def test_deeper_trees_are_never_worse(criterion):
    random = np.random.RandomState(5)
    X = random.randint(0, 5, (80, 4)).astype(float)
    y = random.randint(0, 3, 80)
    objectives = [find(X, y, criterion, depth).objective for depth in (1, 2, 3, 4)]
    assert objectives == sorted(objectives, reverse=True)


def test_time_is_up_at_once():
    """The tree to begin with, and a bound below it."""
    random = np.random.RandomState(1)
    X = random.rand(3000, 10)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.rand(3000) > 1.2).astype(int)
    found = find(X, y, depth=4, seconds=1e-6)
    assert found.bound < found.objective
    assert training_objective(found.tree, np.ones(3000), 0.0) == pytest.approx(found.objective)


def test_many_cells_are_counted_in_tiles():
    """More cells than a tile has room for."""
    random = np.random.RandomState(2)
    X = random.permutation(600 * 6).reshape(600, 6) % 251.0
    y = ((X[:, 0] > 100) ^ (X[:, 5] > 130)).astype(int)
    found = find(X, y, depth=2)
    assert found.objective == 0.0
    assert sorted(found.tree.feature[~found.tree.is_leaf].tolist()) == [0, 5, 5]


def test_a_single_leaf():
    found = find(np.zeros((5, 2)), [0, 1, 1, 1, 0], depth=3)
    assert (found.objective, found.tree.n_nodes) == (0.4, 1)
    assert find(np.arange(6.0)[:, None], [0, 0, 1, 1, 0, 0], depth=3, penalty=1e300).tree.n_nodes == 1


RAISE = outer(raise_bound)


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
        RAISE(objective.costs, tests, len(codes) + 1, t, 1, int(left[t]))
        RAISE(objective.costs, tests, len(codes) + 1, t, 0, int(right[t]))
        assert (tests.left[:-1] <= np.array(left) + 2).all()
        assert (tests.right[:-1] <= np.array(right) + 2).all()
        assert tests.left[t] == int(left[t])
        assert tests.left[-1] == tests.right[-1] == 0  # another column


@pytest.mark.parametrize("is_all_compiling", [True, False])
def test_time_for_compiling_does_not_count(monkeypatch, is_all_compiling):
    """Every wait takes ten seconds, in which kernels are compiled, or not."""
    now, flag = [0.0], {}
    monkeypatch.setattr(fit, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(fit, "seconds_spent", lambda: now[0] if is_all_compiling else 0.0)

    def wait(seconds):
        now[0] += 10.0
        return now[0] > 1000.0  # then the search has ended

    clock = fit._Clock(SimpleNamespace(state=flag), None)
    clock._is_over = SimpleNamespace(wait=wait)
    clock._wait(25.0)
    assert (flag, now) == (({}, [1010.0]) if is_all_compiling else ({fit.TIME: 1}, [30.0]))

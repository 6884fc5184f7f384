"""Votes of the trees that have not seen a row, and importances by permutation, beside slow loops."""

import numpy as np
import pytest

from spinney._random import SHUFFLES, stream_key
from spinney._team import Team
from spinney.ensemble.forests.bootstrap import Bags
from spinney.ensemble.forests.out_of_bag import _shuffled, count_votes, permutation_importances
from tests.compiled import PLAIN_PYTHON, THREADS
from tests.tree.forests import KINDS, draw_forest, draw_rows, table_of
from tests.tree.test_descend_many import walk

pytestmark = pytest.mark.kernels
N, N_TREES = (30, 4) if PLAIN_PYTHON else (120, 8)


def says(tree, x):
    """What a tree says of a row: numbers, or shares of classes."""
    answer = tree.answers[walk(tree, x)]
    return answer if not tree.is_class else answer / answer.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("kind", KINDS)
def test_votes_are_those_of_trees_that_have_not_seen_the_row(kind):
    forest, X = draw_forest(kind, N_TREES), draw_rows(N, seed=50)
    bags = Bags(np.arange(N), None, N, True, 3)
    sums, n = np.zeros((N, *forest.answers.shape[1:])), np.zeros(N, int)
    for k in range(N_TREES):
        for i in np.flatnonzero(bags.counts(k) == 0):
            sums[i] += says(forest.tree(k), X[i])
            n[i] += 1
    assert (n == 0).any() or N_TREES > 4
    for size in THREADS:
        with Team(size) as team:
            votes = count_votes(forest, table_of(X), bags.counts, team)
        np.testing.assert_array_equal(votes.n, n)
        np.testing.assert_array_equal(votes.sums, sums)


@pytest.mark.parametrize("kind", ["codes", "number", "categories"])
@pytest.mark.parametrize("cut", [None, 2])
def test_importances_are_those_of_a_slow_loop(kind, cut):
    forest, X, seed = draw_forest(kind, 3), draw_rows(N, seed=60), 11
    bags = Bags(np.arange(N), None, N, True, 5)
    y = np.random.RandomState(1).rand(N)

    def error(answers, rows):
        return float(np.mean((answers[:, 0, -1] - y[rows]) ** 2))

    expected = np.zeros((4, 3))
    for k in range(3):
        rows, tree = np.flatnonzero(bags.counts(k) == 0), forest.tree(k)
        before = error(np.array([says(tree, x) for x in X[rows]]), rows)
        for j in range(4):
            values = X[rows].copy()
            values[:, j] = values[_shuffled(len(rows), seed, 4 * k + j), j]
            expected[j, k] = error(np.array([says(tree, x) for x in values]), rows) - before
    with Team(1, inline=True) as team:
        found = permutation_importances(forest, table_of(X, cut), bags.counts, error, seed, team)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    for k in range(3):
        others = sorted(set(range(4)) - forest.tree(k).columns_asked)
        assert (found[others, k] == 0.0).all()


def test_trees_that_have_seen_every_row_have_no_importances():
    forest, X = draw_forest("number", 2), draw_rows(N)
    bags = [np.ones(N, int), np.arange(N) % 2]
    with Team(1, inline=True) as team:
        found = permutation_importances(forest, table_of(X), lambda k: bags[k], lambda a, rows: 0.0, 0, team)
    assert np.isnan(found[:, 0]).all()
    assert not np.isnan(found[:, 1]).any()


def test_a_shuffle_is_a_permutation_of_its_own_seed():
    assert sorted(_shuffled(50, 1, 2).tolist()) == list(range(50))
    drawn = {_shuffled(50, seed, number).tobytes() for seed in range(3) for number in range(3)}
    assert len(drawn) == 9
    assert stream_key(np.uint64(1), SHUFFLES, np.uint64(2)) != stream_key(np.uint64(2), SHUFFLES, np.uint64(1))

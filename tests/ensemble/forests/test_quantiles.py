"""Quantiles of a forest's leaves, beside a slow loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._team import Team
from spinney.ensemble.forests.quantiles import forest_quantiles, note_targets
from tests.compiled import PLAIN_PYTHON, THREADS, few
from tests.tree.forests import draw_forest, draw_rows, table_of
from tests.tree.test_descend_many import walk

pytestmark = pytest.mark.kernels
N, N_NEW = (25, 6) if PLAIN_PYTHON else (90, 70)


def slow_quantile(values, weights, share):
    """The least value at or below which at least that share of the weight lies."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    at = np.flatnonzero(total >= share * total[-1] * (1 - 1e-6))
    return values[order[at[0]]]


def slow(forest, X, y, bag, new, shares):
    trees = [forest.tree(k) for k in range(forest.n_trees)]
    leaf = np.array([[walk(tree, x) for tree in trees] for x in X])
    out = np.empty((len(new), len(y), len(shares)))
    for i, x in enumerate(new):
        weight = np.zeros(len(X))
        for k, tree in enumerate(trees):
            rows, weights = bag(k)
            mine = np.zeros(len(X))
            mine[np.arange(len(X)) if rows is None else rows] = 1.0 if weights is None else weights
            mine[leaf[:, k] != walk(tree, x)] = 0.0
            weight += mine / mine.sum()
        for o in range(len(y)):
            there = weight > 0
            out[i, o] = [slow_quantile(y[o, there], weight[there], share) for share in shares]
    return out


@pytest.mark.parametrize("kind", ["number", "numbers"])
@few(8, plain=3)
@given(seed=st.integers(0, 10**6))
def test_quantiles_are_those_of_a_slow_loop(kind, seed):
    random = np.random.RandomState(seed)
    forest, X, new = draw_forest(kind, 3, seed=seed % 5), draw_rows(N, seed=seed), draw_rows(N_NEW, seed=seed + 1)
    y = np.round(random.randn(2 if kind == "numbers" else 1, N), int(random.choice((0, 9))))
    # every node has rows: those of the training rows that come there, and here these are all
    bags = [(None, None), (None, random.uniform(0.1, 2.0, N)), (np.arange(N), random.randint(1, 4, N).astype(float))]
    shares = np.array([0.0, 0.1, 0.25, 0.5, 0.5, 0.9, 1.0])
    with Team(1, inline=True) as team:
        targets = note_targets(forest, table_of(X), y, lambda k: bags[k], team)
    reached = [{walk(forest.tree(k), x) for x in X} for k in range(3)]
    new = np.array([x for x in new if all(walk(forest.tree(k), x) in reached[k] for k in range(3))]).reshape(-1, 4)
    if len(new) == 0:
        return
    expected = slow(forest, X, y, lambda k: bags[k], new, shares)
    for size in THREADS:
        with Team(size) as team:
            found = forest_quantiles(forest, targets, table_of(new), shares, team)
        np.testing.assert_array_equal(found, expected)


def test_targets_stand_leaf_by_leaf():
    forest, X = draw_forest("number", 2), draw_rows(N)
    with Team(1, inline=True) as team:
        targets = note_targets(forest, table_of(X), np.zeros((1, N)), lambda k: (None, None), team)
    for k in range(2):
        tree = forest.tree(k)
        ends = [walk(tree, x) for x in X]
        for node in range(tree.n_nodes):
            begin, end = targets.start[forest.first[k] + node : forest.first[k] + node + 2]
            assert targets.row[begin:end].tolist() == [i for i, leaf in enumerate(ends) if leaf == node]
            if end > begin:
                assert targets.weight[begin:end].sum() == pytest.approx(1.0, abs=1e-6)

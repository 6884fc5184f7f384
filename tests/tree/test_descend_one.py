"""One row by the short way, against the row among others: the same bits."""

import numpy as np
import pytest

from spinney._team import Team
from spinney.tree.descend import leaf_of_rows, leaves_of_rows, sum_answers
from spinney.tree.predict_boosted import raw_scores
from tests.tree.forests import KINDS, draw_forest, draw_rows, table_of
from tests.tree.test_boosted import boosted_forest
from tests.tree.test_decision import mixed

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_forests(kind, dtype):
    forest, X = draw_forest(kind, n_trees=19), draw_rows(12, seed=5, dtype=dtype)
    with Team(1, inline=True) as team:
        leaves, sums = leaves_of_rows(forest, table_of(X), team), sum_answers(forest, table_of(X), team)
    X.flags.writeable = False
    for i in range(len(X)):
        row = table_of(X[i : i + 1])
        np.testing.assert_array_equal(forest.one_row.leaves(row), leaves[i])
        np.testing.assert_array_equal(forest.one_row.sums(row)[0], sums[i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_boosted_trees(dtype):
    forest = boosted_forest()
    rng, sizes = np.random.RandomState(1), [len(codes) for codes in forest.bins.category_codes[2:]]
    X = np.column_stack([rng.randn(20, 2), *(rng.randint(0, k, 20) for k in sizes)]).astype(dtype)
    X[rng.rand(20, 4) < 0.2] = np.nan
    start = np.array([0.25, -3.0])
    with Team(1, inline=True) as team:
        expected = raw_scores(forest, table_of(X), start, range(forest.n_trees), team)
    for i in range(20):
        found = forest.one_row.scores(table_of(X[i : i + 1]), start)
        np.testing.assert_array_equal(found[:, 0], expected[:, i])
    assert start.tolist() == [0.25, -3.0]


def test_any_number_of_branches_and_missing_values_that_stop():
    tree = mixed()
    X = np.array([[2.0, 0.0, 70.0, 0.0], [3.0, -2.0, 1.0, 1.0], [3.0, 0.0, 1.0, 2.0], [np.nan, 0, 0, 0]])
    with Team(1, inline=True) as team:
        expected = leaf_of_rows(tree, table_of(X), team)
    assert [tree.forest.one_row.leaves(table_of(X[i : i + 1]))[0] for i in range(4)] == expected.tolist()


def test_which_tables_are_one_row():
    X = draw_rows(2)
    assert table_of(X[:1]).is_one_row()
    assert not table_of(X).is_one_row()
    assert not table_of(X[:1], cut=2).is_one_row()

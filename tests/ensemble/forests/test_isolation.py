"""Isolation trees beside their twin in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney._compile import PLAIN_PYTHON
from spinney._team import Team
from spinney.data.schema import learn_and_read
from spinney.ensemble.bagging import Draws, Subspaces
from spinney.ensemble.forests.bootstrap import Bags, FewDraws
from spinney.ensemble.forests.isolation import grow_isolation
from spinney.estimators.params import n_categories
from tests.oracles.isolation import depth_of, grow, preorder, tree_key


def drawn_table(seed, n):
    """Numbers, few numbers, categories (in the third column), all with holes; some infinite; some rows twice."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 4) * 10.0 ** rng.randint(-3, 4, 4)
    X[:, 1] = rng.randint(0, 3, n)
    X[:, 2] = rng.randint(0, rng.choice([2, 5, 90]), n)
    X[rng.rand(n, 4) < rng.choice([0.0, 0.3])] = np.nan
    if seed % 3 == 0:
        X[0, 0] = np.inf
    X[n // 2 :] = X[: n - n // 2] if seed % 2 else X[n // 2 :]
    return X


@pytest.mark.kernels
@settings(max_examples=8 if PLAIN_PYTHON else 40, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(0, 7), st.integers(1, 4))
def test_trees_are_their_twins(seed, n, max_depth, n_columns):
    schema, table = learn_and_read(drawn_table(seed, n), [2])
    categories = n_categories(schema)
    draws = Draws(Bags(np.arange(n), None, max(1, n // 2), seed % 2 == 0, seed), Subspaces(4, n_columns, False, seed))
    with Team(2) as team:
        forest = grow_isolation(table, categories, draws, max_depth, range(3), team)
    values = np.column_stack([table.column(j) for j in range(4)])
    for k in range(3):
        columns = draws.subspaces.of(k)
        rows = [[None if x != x else x for x in row] for row in values[FewDraws(draws.bags).rows(k)][:, columns]]
        twin = list(preorder(grow(rows, categories[columns].tolist(), tree_key(seed, k), max_depth)))
        tree = forest.tree(k)
        assert tree.n_samples.tolist() == [node["n"] for node in twin]
        np.testing.assert_allclose(tree.answers[:, 0, 0], [depth_of(node["n"], node["depth"]) for node in twin], 1e-12)
        for number, node in enumerate(twin):
            if "feature" not in node:
                assert tree.feature[number] < 0
                continue
            assert tree.feature[number] == columns[node["feature"]]
            assert tree.missing[number] == (0 if node["missing_left"] else 1)
            if "set" in node:
                words = tree.sets[tree.set_start[number] : tree.set_start[number + 1]]
                size = categories[columns[node["feature"]]]
                assert {c for c in range(size) if int(words[c // 64]) >> (c % 64) & 1} == node["set"]
            else:
                assert tree.threshold[number] == node["threshold"]


def few(n_draws, n=20, weights=None, replace=False, order=None):
    order = np.arange(n) if order is None else order
    return FewDraws(Bags(order, weights, n_draws, replace, seed=1))


@pytest.mark.kernels
def test_a_few_of_many_rows():
    order = np.random.RandomState(0).permutation(1000)
    rows = few(200, order=order).rows(2)
    assert len(set(rows.tolist())) == 200
    assert rows.tolist() == order[few(200, 1000).rows(2)].tolist()
    assert rows.tolist() != few(200, order=order).rows(3).tolist()
    assert sorted(few(15).rows(0).tolist()) == sorted(set(few(15).rows(0).tolist()))  # more than half
    assert few(20).rows(0).tolist() == list(range(20))


@pytest.mark.skipif(PLAIN_PYTHON, reason="many draws")
@pytest.mark.parametrize("replace", [False, True])
def test_rows_are_as_likely_as_their_weights_say(replace):
    weights = np.repeat([0.0, 0.5, 1.5, 3.25], 5)
    counts = np.zeros(20)
    one = few(1, weights=weights, replace=replace)
    for k in range(6000):
        counts[one.rows(k)] += 1
    expected = 6000 * weights / weights.sum()
    assert (abs(counts - expected) <= 5 * np.sqrt(expected)).all()
    plain = np.concatenate([few(5, replace=replace).rows(k) for k in range(2000)])
    assert abs(np.bincount(plain, minlength=20) - 500).max() < 5 * np.sqrt(500)


@pytest.mark.kernels
def test_a_row_that_has_nearly_all_the_weight_is_drawn_once():
    weights = np.full(20, 1e-9)
    weights[7] = 1.0
    rows = few(6, weights=weights).rows(0)
    assert len(set(rows.tolist())) == 6
    assert 7 in rows
    assert set(few(6, weights=weights, replace=True).rows(0).tolist()) == {7}


@pytest.mark.kernels
def test_whole_weights_are_rows():
    weights = np.array([2.0, 0.0, 1.0, 3.0])
    whole = few(3, 4, weights)
    repeated = np.repeat(np.arange(4), [2, 0, 1, 3])
    for k in range(5):
        assert whole.rows(k).tolist() == repeated[few(3, 6).rows(k)].tolist()

"""Trees by codes: rows reach the leaves that they reach by values."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney._team import Team
from spinney.data.tables import Panel, Table
from spinney.io.imported import Nodes, Sets, make_forest
from spinney.tree import recode as module
from spinney.tree.predict_boosted import leaf_numbers
from spinney.tree.recode import recode, recoded


def grow(rng, n_trees, n_columns, n_categories, thresholds):
    """Random trees; the last column is one of categories."""
    left, right, first = [], [], [0]
    for _ in range(n_trees):
        begin = len(left)
        left.append(-1)
        right.append(-1)
        for _ in range(rng.integers(1, 9)):
            leaf = rng.choice([k for k in range(begin, len(left)) if left[k] < 0])
            left[leaf], right[leaf] = len(left), len(left) + 1
            left += [-1, -1]
            right += [-1, -1]
        first.append(len(left))
    n = len(left)
    feature = rng.integers(0, n_columns, n)
    is_set = (feature == n_columns - 1) & (n_categories > 0)
    set_of = np.where(is_set, np.cumsum(is_set) - 1, -1)
    sets = [np.flatnonzero(rng.random(n_categories) < 0.5) for _ in range(is_set.sum())]
    members = Sets(
        np.repeat(np.arange(len(sets)), [len(one) for one in sets]).astype(int), np.concatenate([[], *sets]).astype(int)
    )
    nodes = Nodes(
        first=np.array(first),
        left=np.array(left),
        right=np.array(right),
        feature=feature,
        threshold=rng.choice(thresholds, n),
        missing_left=rng.random(n) < 0.5,
        answers=np.zeros((n, 1, 1)),
        n_samples=np.ones(n, int),
        weight=np.ones(n),
        set_of=set_of,
    )
    return make_forest(nodes, n_columns, [0] * (n_columns - 1) + [n_categories], members)


def draw_table(rng, n_rows, n_columns, n_categories, thresholds, dtype):
    values = np.concatenate([thresholds, rng.normal(size=20), [np.nan, np.inf]])
    X = rng.choice(values, (n_rows, n_columns)).astype(dtype)
    if n_categories:
        X[:, -1] = np.where(rng.random(n_rows) < 0.2, np.nan, rng.integers(0, n_categories, n_rows))
    return Table(n_rows, n_columns, (Panel(X, tuple(range(n_columns))),))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(
    seed=st.integers(0, 10_000),
    n_categories=st.sampled_from([0, 3, 70, 600]),
    n_thresholds=st.sampled_from([2, 9, 900]),
)
@settings(max_examples=12, deadline=None, derandomize=True)
def test_the_same_leaves(dtype, seed, n_categories, n_thresholds):
    rng = np.random.default_rng(seed)
    thresholds = np.concatenate([rng.normal(size=n_thresholds), [np.inf, -np.inf, 0.0, -0.0]])
    forest = grow(rng, 40 if n_categories < 600 else 4, 3, n_categories, thresholds)
    table = draw_table(rng, 150, 3, n_categories, thresholds, dtype)
    quick = recode(forest)
    assert quick is not None or n_categories == 600
    if quick is None:
        return
    with Team(1, inline=True) as team:
        found = leaf_numbers(quick.forest, quick.table(table), team)
        assert (found == leaf_numbers(forest, table, team)).all()


def test_columns_with_many_thresholds_are_there_several_times(monkeypatch):
    monkeypatch.setattr(module, "_EDGES", 3)
    rng = np.random.default_rng(0)
    thresholds = np.arange(10.0)
    forest = grow(rng, 30, 2, 0, thresholds)
    quick = recode(forest)
    assert sorted(quick.copies) == [0, 0, 0, 1, 1, 1]
    assert max(map(len, quick.forest.bins.edges)) == 3
    table = draw_table(rng, 100, 2, 0, thresholds, np.float64)
    with Team(1, inline=True) as team:
        found = leaf_numbers(quick.forest, quick.table(table), team)
        assert (found == leaf_numbers(forest, table, team)).all()


def test_values_where_they_are_quicker():
    rng = np.random.default_rng(0)
    assert recode(grow(rng, 1, 20, 0, np.arange(3.0))) is None  # a row is asked about less than there is to encode
    assert recode(grow(rng, 30, 2, 5_000, np.arange(3.0))) is None  # more kinds of categories than a byte can tell
    forest = grow(rng, 30, 2, 0, np.arange(3.0))
    assert recode(recode(forest).forest) is None  # has codes
    alone = replace(forest.part(range(1)), first=np.array([0, 1]), size=np.ones(1, np.uint16))
    assert recode(replace(alone, feature=np.empty(0, np.uint16))) is None  # asks nothing


def test_made_once():
    forest = grow(np.random.default_rng(0), 30, 2, 0, np.arange(3.0))
    assert recoded(forest) is recoded(forest)
    assert "recoded" not in forest.__getstate__()

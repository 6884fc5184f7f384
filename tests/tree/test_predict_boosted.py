"""Packed trees against a walk in plain Python, on drawn trees with numbers, categories and missing values."""

from dataclasses import replace

import numpy as np
import pytest

from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney._compile import PLAIN_PYTHON
from spinney._team import Team
from spinney.data.encode import Bins
from spinney.ensemble.boosting.booster import Booster
from spinney.tree.forest import join
from spinney.tree.predict_boosted import add_scores, leaves_of
from tests.boosted import plain_trees
from tests.tree.grown import draw_grown, preorder, to_forest

pytestmark = pytest.mark.kernels
THREADS = (1,) if PLAIN_PYTHON else (1, 3)


def draw_bins(rng, n_columns):
    """Columns of all widths, some of them categories."""
    n_bins = rng.choice([1, 2, 3, 64, 65, 130, 255], n_columns).astype(np.int32)
    is_categorical = rng.rand(n_columns) < 0.4
    edges = tuple(np.empty(0) if c else np.arange(n - 1.0) for n, c in zip(n_bins, is_categorical))
    codes = tuple(np.arange(n, dtype=np.uint8) if c else np.empty(0, np.uint8) for n, c in zip(n_bins, is_categorical))
    return Bins(edges, codes, n_bins, is_categorical)


def leaf_of(tree, row, bins):
    """Where a row of codes ends, step by step; by number in preorder."""
    node = 0
    while tree.left[node] >= 0:
        column = tree.feature[node]
        code = int(row[column])
        if tree.is_set[node]:
            goes_left = int(tree.bits[node][code // 64]) >> code % 64 & 1
        elif code == bins.n_bins[column]:
            goes_left = tree.missing_left[node]
        else:
            goes_left = code <= tree.code[node]
        node = tree.left[node] + (0 if goes_left else 1)
    return preorder(tree).index(node)


def value_of(tree, leaf):
    return tree.value[preorder(tree)[leaf]]


def forest_of(trees, bins):
    return join([Booster.of_no_rounds(np.zeros(1), bins).forest, *(to_forest(tree, bins) for tree in trees)])


def draw(seed, n_rows, n_trees, most_splits=24):
    """Bins, trees and rows of codes; the last tree has as many splits as may be."""
    rng = np.random.RandomState(seed)
    bins = draw_bins(rng, 9)
    sizes = [*rng.randint(0, 25, n_trees - 1), most_splits]
    trees = [draw_grown(rng, n_splits, bins=bins) for n_splits in sizes]
    codes = np.array([[rng.randint(n + 1) for n in bins.n_bins] for _ in range(n_rows)], np.uint8)
    codes[rng.rand(n_rows) < 0.2] = bins.n_bins  # rows without a single value
    return bins, trees, codes


@pytest.mark.parametrize("n_threads", THREADS)
@pytest.mark.parametrize(
    "n_rows, n_trees, most_splits",
    # 64 rows are asked at once, the rest walk; 255 nodes have numbers of a byte, and above 2,047 all rows walk
    [(1, 1, 24), (63, 4, 24), (64, 4, 24), (150, 6, 127), (65, 2, 128), (300, 12, 24), (64, 2, 1023), (64, 2, 1024)],
)
def test_packed_trees_lead_where_a_plain_walk_leads(n_rows, n_trees, most_splits, n_threads):
    bins, trees, codes = draw(n_rows + n_trees, n_rows, n_trees, most_splits)
    expected = np.array([[leaf_of(tree, row, bins) for tree in trees] for row in codes])
    forest = forest_of(trees, bins)
    with Team(n_threads) as team:
        by_column = np.ascontiguousarray(codes.T)
        np.testing.assert_array_equal(leaves_of(forest.words, bins.n_bins, by_column, range(n_trees), team), expected)
        for n_outputs in (1, 2):
            scores = np.ones((n_outputs, n_rows))
            add_scores(forest, by_column, range(n_trees), scores, team)
            plain = np.ones((n_outputs, n_rows))
            for t, tree in enumerate(trees):
                plain[t % n_outputs] += [value_of(tree, leaf) for leaf in expected[:, t]]
            np.testing.assert_array_equal(scores, plain)


def test_some_of_the_trees():
    bins, trees, codes = draw(4, 70, 6)
    with Team(1, inline=True) as team:
        scores = np.zeros((2, 70))
        add_scores(forest_of(trees, bins), np.ascontiguousarray(codes.T), range(2, 4), scores, team)
    for output in (0, 1):
        tree = trees[2 + output]
        np.testing.assert_array_equal(scores[output], [value_of(tree, leaf_of(tree, row, bins)) for row in codes])


def test_a_tree_deeper_than_wide():
    rng = np.random.RandomState(0)
    bins = Bins((np.arange(254.0),), (np.empty(0, np.uint8),), np.array([255], np.int32), np.array([False]))
    tree = draw_grown(rng, 200, bins=bins)
    tree.left[:] = -1
    tree.left[0] = 1
    tree.left[2:400:2] = np.arange(3, 401, 2)  # every right child splits again
    tree.code, tree.feature = np.where(tree.left >= 0, np.arange(401) // 2, 0), np.where(tree.left >= 0, 0, -1)
    tree.is_set[:] = False
    codes = np.arange(256, dtype=np.uint8)[:, None]
    with Team(1, inline=True) as team:
        leaves = leaves_of(to_forest(tree, bins).words, bins.n_bins, np.ascontiguousarray(codes.T), range(1), team)
    np.testing.assert_array_equal(leaves[:, 0], [leaf_of(tree, row, bins) for row in codes])


def test_no_trees():
    bins, _, codes = draw(0, 5, 1)
    scores = np.ones((1, 5))
    with Team(1, inline=True) as team:
        add_scores(forest_of([], bins), np.ascontiguousarray(codes.T), range(0), scores, team)
    assert (scores == 1).all()


def test_a_tree_must_fit_its_numbers_into_a_word():
    bins, trees, _ = draw(0, 1, 1)
    forest = forest_of(trees, bins)
    wide = replace(forest, feature=np.full(len(forest.feature), 1 << 24, np.uint32))
    with pytest.raises(ValueError, match="268,435,455 nodes and 16,777,215 columns at most"):
        wide.words  # noqa: B018


def test_fitted_trees_follow_their_thresholds():
    """The same walk by values instead of codes: `x <= threshold` goes left."""
    rng = np.random.RandomState(0)
    X = rng.randn(60, 3)
    X[rng.rand(60, 3) < 0.2] = np.nan
    model = GradientBoostingRegressor(n_estimators=3, min_samples_leaf=2, random_state=0).fit(
        X, np.nan_to_num(X).sum(1)
    )
    expected = np.full(60, model._booster.start[0])
    for tree in plain_trees(model):
        for i, row in enumerate(X):
            node = 0
            while tree.left[node] >= 0:
                value = row[tree.feature[node]]
                goes_left = tree.missing_left[node] if np.isnan(value) else value <= tree.threshold[node]
                node = (tree.left if goes_left else tree.right)[node]
            expected[i] += tree.value[node]
    np.testing.assert_array_equal(model.predict(X), expected)


def test_long_tables_are_predicted_a_stretch_at_a_time(monkeypatch):
    X = np.random.RandomState(0).randn(50, 2)
    model = GradientBoostingClassifier(n_estimators=2, min_samples_leaf=2).fit(X, np.arange(50) % 3)
    whole = model.predict_proba(X), model.apply(X)
    monkeypatch.setattr("spinney.data.tables.CODED_ROWS", 7)
    np.testing.assert_array_equal(model.predict_proba(X), whole[0])
    np.testing.assert_array_equal(model.apply(X), whole[1])

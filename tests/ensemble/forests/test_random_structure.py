"""Random structures: full trees of drawn questions, leaves filled from the rows that come there."""

import numpy as np
import pytest

from spinney import RandomStructureForestClassifier, RandomStructureForestRegressor
from spinney._team import Team
from spinney.data.encode import learn_bins
from spinney.data.schema import learn_and_read
from spinney.ensemble.forests.random_structure import draw_structure

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(200, 4)
X[RANDOM.rand(200, 4) < 0.1] = np.nan
Y = np.nan_to_num(X[:, 0]) + 0.5 * np.nan_to_num(X[:, 1])


def structure(table, depth, seed):
    schema, read = learn_and_read(table, "from_dtype", "test")
    sizes = np.array([0 if one.categories is None else len(one.categories) for one in schema.columns])
    with Team(1, inline=True) as team:
        return draw_structure(learn_bins(read, schema.is_categorical, None, 255, team), sizes, depth, seed).tree(0)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_structure_is_a_full_binary_tree(depth):
    tree = structure(X, depth, 3)
    assert tree.n_nodes == 2 ** (depth + 1) - 1
    assert tree.n_leaves == 2**depth
    assert (tree.depth[tree.is_leaf] == depth).all()
    assert np.isfinite(tree.threshold[~tree.is_leaf]).all()


def test_structures_do_not_look_at_the_target_and_differ_by_seed():
    assert structure(X, 4, 1).fingerprint == structure(X, 4, 1).fingerprint
    assert structure(X, 4, 1).fingerprint != structure(X, 4, 2).fingerprint
    one = RandomStructureForestClassifier(3, max_depth=4, random_state=0).fit(X, Y > 0)
    other = RandomStructureForestClassifier(3, max_depth=4, random_state=0).fit(X, Y > 1)
    for a, b in zip(one.estimators_, other.estimators_):
        np.testing.assert_array_equal(a.tree_.feature, b.tree_.feature)
        np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)


def test_columns_and_thresholds_are_spread_evenly():
    tree = structure(np.random.RandomState(1).rand(5000, 5), 12, 0)
    inner = ~tree.is_leaf
    shares = np.bincount(tree.feature[inner]) / inner.sum()
    np.testing.assert_allclose(shares, 0.2, atol=0.03)
    np.testing.assert_allclose(np.quantile(tree.threshold[inner], [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.03)


def test_constant_columns_are_not_asked_about():
    table = np.column_stack([np.ones(50), RANDOM.randn(50)])
    assert structure(table, 5, 0).columns_asked == {1}


def test_categories_go_left_by_halves():
    import pandas as pd

    words = pd.DataFrame({"word": pd.Categorical([f"w{k % 70}" for k in range(700)])})
    tree = structure(words, 3, 0)
    sizes = [len(tree.categories_in(node, 70)) for node in np.flatnonzero(~tree.is_leaf)]
    assert 20 < np.mean(sizes) < 50
    model = RandomStructureForestClassifier(50, random_state=0).fit(words, np.arange(700) % 70 < 35)
    assert model.score(words, np.arange(700) % 70 < 35) > 0.95


@pytest.mark.parametrize("bootstrap", [False, True])
def test_leaves_hold_what_comes_there_and_empty_ones_what_their_parents_do(bootstrap):
    y = (Y > 0).astype(int) + (Y > 1)
    model = RandomStructureForestClassifier(4, max_depth=7, bootstrap=bootstrap, random_state=0).fit(X, y)
    for tree, rows in zip(model.estimators_, model.estimators_samples_):
        leaves, grown = tree.apply(X[rows]), tree.tree_
        for leaf in np.flatnonzero(grown.is_leaf):
            here = np.bincount(y[rows][leaves == leaf], minlength=3)
            expected = here if here.any() else grown.answers[grown.parent[leaf], 0]
            np.testing.assert_array_equal(grown.answers[leaf, 0], expected)
        assert (grown.n_samples[grown.is_leaf] == 0).any()


def test_numbers_are_means():
    model = RandomStructureForestRegressor(3, max_depth=4, bootstrap=False, random_state=0).fit(X, Y)
    for tree in model.estimators_:
        leaves = tree.apply(X)
        for leaf in np.unique(leaves):
            here = Y[leaves == leaf]
            assert tree.tree_.answers[leaf, 0, 0] == pytest.approx(here.mean(), rel=1e-12, abs=1e-12)
            assert tree.tree_.impurity[leaf] == pytest.approx(here.var(), rel=1e-9, abs=1e-12)


def test_threads_and_weights_and_order():
    def grow(rows, n_jobs=1, weight=None):
        model = RandomStructureForestRegressor(6, max_depth=5, random_state=0, n_jobs=n_jobs)
        return model.fit(X[rows], Y[rows], sample_weight=weight)

    rows = np.arange(200)
    first = grow(rows)
    for n_jobs in (2, 3, 5):
        assert grow(rows, n_jobs).fingerprint_ == first.fingerprint_
    for order in (rows[::-1], *(np.random.RandomState(k).permutation(200) for k in range(3))):
        other = grow(order)
        assert other.fingerprint_ == first.fingerprint_
        np.testing.assert_array_equal(other.feature_importances_, first.feature_importances_)
    counts = np.random.RandomState(1).randint(0, 3, 200)
    np.testing.assert_allclose(grow(rows, 1, counts).predict(X), grow(np.repeat(rows, counts)).predict(X), rtol=1e-12)


def test_order_does_not_matter_with_importances_and_several_outputs():
    weight, order = np.random.RandomState(4).rand(200), np.random.RandomState(5).permutation(200)
    for model, y in (
        (RandomStructureForestRegressor(5, random_state=0), np.column_stack([Y, np.sin(7 * Y)])),
        (RandomStructureForestClassifier(5, random_state=0), Y > 0),
    ):
        first = model.fit(X, y, sample_weight=weight).fingerprint_
        assert model.fit(X[order], y[order], sample_weight=weight[order]).fingerprint_ == first


def test_more_trees_do_better_out_of_bag():
    y = Y > 0
    few = RandomStructureForestClassifier(40, random_state=0, oob_score=True).fit(X, y).oob_score_
    many = RandomStructureForestClassifier(300, random_state=0, oob_score=True).fit(X, y).oob_score_
    assert many >= few
    assert many > 0.75


def test_depth_has_a_limit():
    with pytest.raises(ValueError, match=r"max_depth.*\[1, 24\]"):
        RandomStructureForestClassifier(max_depth=25).fit(X, Y > 0)


def test_m_columns_of_each_tree():
    """The lecture's algorithm: randomly select m features from the total feature set, for every tree (002)."""
    table = np.random.RandomState(2).randn(300, 8)
    forest = RandomStructureForestClassifier(20, max_features=3, max_depth=6, random_state=0).fit(
        table, table[:, 0] > 0
    )
    for tree, columns in zip(forest.estimators_, forest.estimators_features_):
        assert len(columns) == 3
        assert tree.tree_.columns_asked == set(columns.tolist())
    assert len({tuple(one) for one in forest.estimators_features_}) > 10
    everything = RandomStructureForestClassifier(3, max_depth=3, random_state=0).fit(table, table[:, 0] > 0)
    same = RandomStructureForestClassifier(3, max_features=8, max_depth=3, random_state=0).fit(table, table[:, 0] > 0)
    assert everything.fingerprint_ == same.fingerprint_
    with pytest.raises(ValueError, match="max_features"):
        RandomStructureForestClassifier(max_features=0).fit(table, table[:, 0] > 0)


def test_thresholds_come_from_bins():
    with pytest.raises(ValueError, match=r"'max_bins' parameter of .* must be an int in the range \[2, 255\]\. Got"):
        RandomStructureForestClassifier(2, max_bins=None).fit(X, Y > 0)

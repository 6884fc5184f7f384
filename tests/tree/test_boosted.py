"""The store of boosted trees: every node comes back, in preorder, and parts, joins and cuts are what they say."""

import pickle

import numpy as np
import pytest

from spinney import GradientBoostingClassifier, GradientBoostingRegressor
from spinney.data.encode import Bins
from spinney.ensemble.boosting.booster import Booster
from spinney.tree.decision import NUMBER, SET
from spinney.tree.forest import join
from tests.boosted import plain_trees
from tests.tree.grown import draw_grown, rows, rows_of, to_forest


@pytest.mark.parametrize("seed", range(4))
def test_every_node_comes_back(seed):
    rng = np.random.RandomState(seed)
    trees = [draw_grown(rng, n, 70000 if seed else 9) for n in (5, 0, 40, 1, 12)]
    forest = join([to_forest(tree) for tree in trees])
    assert forest.feature.dtype == (np.uint32 if seed else np.uint16)
    assert forest.n_leaves.tolist() == [6, 1, 41, 2, 13]
    for k, tree in enumerate(trees):
        assert rows_of(forest, k) == rows(tree)
    shape = forest.shape
    for node in np.flatnonzero(~forest.is_leaf):
        left, right = node + 1, node + 1 + forest.size[node + 1]
        assert shape.parent[left] == shape.parent[right] == node
        assert (shape.end[left], shape.end[right]) == (right, shape.end[node])
    middle = forest.part(range(1, 4))
    assert [rows_of(middle, k) for k in range(3)] == [rows(tree) for tree in trees[1:4]]
    both = join([forest.part(range(2)), forest.part(range(2, 5))])
    assert both.fingerprint == forest.fingerprint


def test_nothing():
    nothing = Booster.of_no_rounds(np.zeros(1), Bins((), (), np.empty(0, np.int32), np.empty(0, bool))).forest
    assert (nothing.n_trees, nothing.n_nodes, len(nothing.shape.depth)) == (0, 0, 0)
    tree = to_forest(draw_grown(np.random.RandomState(0), 3))
    assert rows_of(join([nothing, tree]), 0) == rows_of(tree, 0)
    assert tree.part(range(0)).n_trees == 0


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_collapsed_nodes_are_leaves_and_nothing_is_below(share):
    rng = np.random.RandomState(7)
    trees = [draw_grown(rng, n) for n in (9, 0, 30)]
    forest = join([to_forest(tree) for tree in trees])
    at = rng.rand(forest.n_nodes) < share
    cut = forest.collapse(at)

    def expected(k):
        found, stop = [], None
        for i, row in zip(range(forest.first[k], forest.first[k + 1]), rows_of(forest, k)):
            if stop is not None and row[0] > stop:
                continue
            stop = row[0] if at[i] else None
            found.append((*row[:2], -1, *row[3:]) if at[i] else row)
        return found

    for k in range(3):
        assert rows_of(cut, k) == expected(k)


def make_rows(n=300):
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randn(n, 2), rng.randint(0, 300, n), rng.randint(0, 5, n)])
    X[rng.rand(*X.shape) < 0.15] = np.nan
    return X, np.nan_to_num(X[:, 0]) + np.isin(X[:, 3], (1, 3)) + np.nan_to_num(X[:, 2]) % 7 + rng.randn(n)


def boosted_forest():
    X, y = make_rows()
    options = dict(min_samples_leaf=3, categorical_features=[2, 3], random_state=0)
    return GradientBoostingRegressor(n_estimators=4, **options).fit(X, y)._booster.forest


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_a_tree_read_by_its_thresholds_and_sets_says_what_the_model_says(n_classes):
    """A plain walk by values over each tree, with categories, rare and unknown ones, and missing values."""
    X, y = make_rows()
    options = dict(n_estimators=4, min_samples_leaf=3, min_samples_category=1, categorical_features=[2, 3])
    if n_classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
        model = GradientBoostingClassifier(**options).fit(X, y)
    else:
        model = GradientBoostingRegressor(**options).fit(X, y)
    new = make_rows(400)[0]
    new[:5, 2], new[5:9, 3] = 1000.0, -3.0  # never seen
    booster = model._booster
    n_outputs, places = (
        booster.n_outputs,
        [{v: i for i, v in enumerate(c.categories or ())} for c in model._schema.columns],
    )
    raw = np.repeat(booster.start[:, None], len(new), axis=1)
    leaves = model.apply(new).reshape(len(new), -1)
    kinds = set()
    for t in range(booster.forest.n_trees):
        tree = booster.forest.tree(t)
        kinds |= set(tree.kind.tolist())
        for i, row in enumerate(new):
            node = 0
            while not tree.is_leaf[node]:
                x = row[tree.feature[node]]
                branch = int(tree.missing[node])
                if tree.kind[node] == NUMBER and not np.isnan(x):
                    branch = int(x > tree.threshold[node])
                elif tree.kind[node] == SET and x in places[tree.feature[node]]:
                    place = places[tree.feature[node]][x]
                    branch = int(place not in tree.categories_in(node, place + 1))
                node = tree.children_of(node)[branch]
            assert node == leaves[i, t]
            raw[t % n_outputs, i] += tree.answers[node, 0, 0]
    assert {NUMBER, SET} <= kinds
    np.testing.assert_array_equal(raw, model._raw(new))


def test_bytes_per_node():
    rng = np.random.RandomState(0)
    X = rng.randn(4000, 4)
    model = GradientBoostingClassifier(n_estimators=200, early_stopping=False).fit(X, X[:, 0] > rng.randn(4000))
    model.predict(X[:3])  # what is packed to predict is not kept in pickles
    forest = model._booster.forest
    assert forest.n_bytes <= 22.5 * forest.n_nodes
    assert len(pickle.dumps(model)) <= 24 * forest.n_nodes  # with bins and all
    again = pickle.loads(pickle.dumps(model))
    assert again.fingerprint_ == model.fingerprint_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_fewer_rounds_are_the_first_rounds():
    X, y = make_rows()
    options = dict(min_samples_leaf=3, categorical_features=[2, 3], random_state=0)
    long = GradientBoostingRegressor(n_estimators=8, **options).fit(X, y)
    short = GradientBoostingRegressor(n_estimators=5, **options).fit(X, y)
    assert long._booster.cut(5).fingerprint == short.fingerprint_ != long.fingerprint_
    assert short.set_params(n_estimators=8, warm_start=True).fit(X, y).fingerprint_ == long.fingerprint_
    assert len(plain_trees(short)) == 8


def test_importances_are_sums_over_the_trees():
    X, y = make_rows()
    model = GradientBoostingRegressor(n_estimators=5, min_samples_leaf=3, categorical_features=[2, 3]).fit(X, y)
    for kind in ("gain", "split", "cover"):
        total = np.zeros(4)
        for tree in plain_trees(model):
            amount = {"gain": tree.gain, "cover": tree.cover, "split": np.ones(tree.n_nodes)}[kind]
            np.add.at(total, tree.feature[~tree.is_leaf], amount[~tree.is_leaf])
        np.testing.assert_allclose(model.get_feature_importances(kind), total / total.sum(), rtol=1e-12)
    nothing = GradientBoostingRegressor(n_estimators=2).fit(X, np.ones(len(X))).feature_importances_
    assert nothing.dtype == np.float64
    assert not nothing.any()

"""Single extremely randomised trees: those of extra-trees, and as good as scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris

import spinney
from spinney import (
    BaggingClassifier,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
)

X, Y = load_iris(return_X_y=True)
D, T = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("max_bins", [255, 8, None])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_tree_of_extra_trees(seed, max_bins):
    shared = {"random_state": seed, "max_bins": max_bins}
    one, many = ExtraTreeClassifier(**shared).fit(X, Y), ExtraTreesClassifier(1, **shared).fit(X, Y)
    assert one.tree_.fingerprint == many.estimators_[0].tree_.fingerprint
    one, many = ExtraTreeRegressor(**shared).fit(D, T), ExtraTreesRegressor(1, **shared).fit(D, T)
    np.testing.assert_array_equal(one.predict(D), many.predict(D))
    assert type(many.estimators_[0]) is ExtraTreeRegressor


@pytest.mark.parametrize("name, table, y", [("ExtraTreeClassifier", X, Y), ("ExtraTreeRegressor", D, T)])
def test_as_good_as_scikit_learns(name, table, y):
    scores = []
    for home in (spinney, sklearn.tree):
        found = []
        for seed in range(40):
            order = np.random.RandomState(seed).permutation(len(y))
            train, test = order[: len(y) // 2], order[len(y) // 2 :]
            tree = getattr(home, name)(random_state=seed).fit(table[train], y[train])
            found.append(tree.score(table[test], y[test]))
        scores.append(np.mean(found))
    assert scores[0] == pytest.approx(scores[1], abs=0.05)


def test_threads_and_the_order_of_rows_do_not_matter():
    order = np.random.RandomState(0).permutation(len(Y))
    one = ExtraTreeClassifier(random_state=0, n_jobs=1).fit(X, Y)
    assert one.fingerprint_ == ExtraTreeClassifier(random_state=0, n_jobs=3).fit(X[order], Y[order]).fingerprint_


def test_weights_that_are_no_whole_numbers_words_and_holes():
    frame = pd.DataFrame({"a": np.where(np.arange(150) % 9, X[:, 2], np.nan), "b": np.array(list("xyz"))[Y]})
    weight = np.random.RandomState(0).rand(150) + 0.5
    for model in (ExtraTreeClassifier(random_state=0), ExtraTreeClassifier(random_state=0, max_bins=None)):
        assert model.fit(frame, Y, sample_weight=weight).score(frame, Y) == 1.0
        assert model.fit(frame[["a"]], Y, sample_weight=weight).score(frame[["a"]], Y) > 0.8
    held = ExtraTreeClassifier(random_state=0, n_iter_no_change=3).fit(X, Y)
    assert held.get_n_leaves() < ExtraTreeClassifier(random_state=0).fit(X, Y).get_n_leaves()


def test_ensembles_of_them_share_one_table():
    bag = BaggingClassifier(ExtraTreeClassifier(), n_estimators=20, oob_score=True, random_state=0).fit(X, Y)
    assert bag.forest_.n_trees == 20
    assert bag.oob_score_ > 0.9
    boosted = spinney.AdaBoostClassifier(ExtraTreeClassifier(max_depth=2), random_state=0).fit(X, Y)
    assert boosted.score(X, Y) > 0.9
    assert "class" in spinney.export_text(boosted, tree=0)

"""Proximities: how often rows meet in leaves."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN

import spinney
from spinney.explain import nearest_rows, outlier_scores, proximities, proximity
from tests.families import FITS, classes, numbers, target

X, Y = numbers(), target()


@pytest.fixture(scope="module")
def forest():
    return spinney.RandomForestRegressor(15, max_leaf_nodes=8, oob_score=True, random_state=0).fit(X, Y)


def test_the_share_of_trees_in_which_rows_meet(forest, monkeypatch):
    leaves = forest.apply(X)
    expected = (leaves[:, None] == leaves[None]).mean(axis=2)
    np.testing.assert_allclose(proximity(forest, X), expected, atol=1e-12)
    np.testing.assert_allclose(proximity(forest, X[:7], X[7:]), expected[:7, 7:], atol=1e-12)
    sparse = proximity(forest, X, sparse=True)
    assert sparse.nnz == np.count_nonzero(expected)
    monkeypatch.setattr(proximities, "_CELLS", 300)  # some rows at a time
    np.testing.assert_allclose(proximity(forest, X), expected, atol=1e-12)
    np.testing.assert_allclose(sparse.toarray(), expected, atol=1e-12)


def test_out_of_bag_as_its_definition_says(forest):
    leaves, unseen = forest.apply(X), np.stack([forest._in_bag(k) == 0 for k in range(15)], axis=1)
    both = unseen[:, None] & unseen[None]
    meet = (leaves[:, None] == leaves[None]) & both
    expected = meet.sum(axis=2) / np.maximum(both.sum(axis=2), 1)
    np.testing.assert_allclose(proximity(forest, X, kind="out_of_bag"), expected, atol=1e-12)


def test_gap_proximities_predict(forest):
    np.testing.assert_allclose(proximity(forest, X, kind="gap") @ Y, forest.oob_prediction_, rtol=1e-9)
    np.testing.assert_allclose(proximity(forest, X[:9], X, kind="gap") @ Y, forest.predict(X[:9]), rtol=1e-9)


@pytest.mark.parametrize("name", ["tree-numbers", "boosting-classes", "bagging", "adaboost", "isolation"])
def test_any_model_of_trees(name):
    P = proximity(FITS[name](), X)
    assert np.array_equal(P, P.T)
    np.testing.assert_allclose(np.diag(P), 1.0)


def test_nearest_rows(forest):
    P = proximity(forest, X)
    found = nearest_rows(forest, X, n_rows=3)
    np.fill_diagonal(P, -1.0)
    assert np.array_equal(found.proximities, -np.sort(-P, axis=1)[:, :3])
    assert np.array_equal(found.indices, np.argsort(-P, axis=1, kind="stable")[:, :3])
    assert nearest_rows(forest, X[:2], X, n_rows=1).indices.ravel().tolist()[0] == 0


def test_outliers_and_clusters():
    rng = np.random.RandomState(0)
    rows = np.vstack([rng.randn(30, 2), rng.randn(30, 2) + 8.0, [[4.0, 20.0]]])
    groups = np.repeat([0, 1, 0], [30, 30, 1])
    model = spinney.RandomForestClassifier(30, min_samples_leaf=3, random_state=0).fit(rows, groups)
    scores = outlier_scores(model, rows, groups)
    assert scores.shape == (61,)
    assert outlier_scores(spinney.IsolationForest(random_state=0).fit(rows), rows).argmax() == 60
    distance = 1.0 - proximity(model, rows[:60])
    found = DBSCAN(eps=0.5, metric="precomputed").fit_predict(distance)
    assert len(set(found[:30])) == len(set(found[30:])) == 1
    assert found[0] != found[30]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda forest: proximity(forest, X, kind="near"),
            "kind must be one of 'leaves', 'out_of_bag', 'gap', got 'near'",
        ),
        (
            lambda forest: proximity(spinney.ExtraTreesClassifier(2, random_state=0).fit(X, classes()), X, kind="gap"),
            "bootstrap samples, which this ExtraTreesClassifier does not have",
        ),
        (
            lambda forest: proximity(forest, X, X, kind="out_of_bag"),
            "the training rows with each other. Leave Y out",
        ),
        (lambda forest: proximity(forest, X[:9], kind="gap"), "X must be the 80 training rows, got 9"),
        (lambda forest: proximity(forest, X, X[:9], kind="gap"), "Y must be the 80 training rows, got 9"),
        (lambda forest: nearest_rows(forest, X, n_rows=80), "n_rows must be an integer from 1 to 79, got 80"),
        (
            lambda forest: outlier_scores(forest, X, kind="gap"),
            "kind must be 'leaves' or 'out_of_bag' for outlier_scores",
        ),
        (lambda forest: outlier_scores(forest, X, [1, 2]), "y must have one value for each of the 80 rows of X, got 2"),
        (lambda forest: proximity(spinney.KMeans(2).fit(X), X), "this KMeans is not a model of Spinney's trees"),
    ],
)
def test_what_is_wrong_is_said(forest, call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(forest)


def test_models_without_trees_have_no_rows_that_are_alike():
    vote = spinney.VotingClassifier([("a", spinney.RandomForestClassifier(2))]).fit([[0], [1]], [0, 1])
    with pytest.raises(TypeError, match="is not a model of Spinney's trees, which proximities need"):
        proximity(vote, [[0], [1]])

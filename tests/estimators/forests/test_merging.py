"""Merged forests: the pooled mean, whatever the forests were grown on."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import spinney
from spinney import merge_forests

X, Y = load_iris(return_X_y=True)
D, T = load_diabetes(return_X_y=True)
SOME, REST = np.arange(150) % 3 > 0, np.arange(150) % 2 > 0


def classifiers():
    few = {"random_state": 3}
    return {
        "forest": spinney.RandomForestClassifier(**few),
        "exact": spinney.RandomForestClassifier(max_bins=None, **few),
        "extra": spinney.ExtraTreesClassifier(**few),
        "structure": spinney.RandomStructureForestClassifier(max_depth=4, **few),
        "bagging": spinney.BaggingClassifier(max_features=0.6, **few),
    }


@pytest.mark.parametrize("name", classifiers())
def test_probabilities_are_the_pooled_mean(name):
    a = classifiers()[name].set_params(n_estimators=4).fit(X[SOME], Y[SOME])
    b = classifiers()[name].set_params(n_estimators=7).fit(X[REST], Y[REST])
    merged = merge_forests([a, b])
    assert (len(merged), merged.n_estimators, type(merged)) == (11, 11, type(a))
    pooled = (4 * a.predict_proba(X) + 7 * b.predict_proba(X)) / 11
    np.testing.assert_allclose(merged.predict_proba(X), pooled, rtol=1e-12)
    assert (len(a), len(b)) == (4, 7)
    for k, tree in enumerate(merged.estimators_):
        own = a.estimators_[k] if k < 4 else b.estimators_[k - 4]
        columns = merged.estimators_features_[k] if name == "bagging" else slice(None)
        np.testing.assert_array_equal(tree.predict_proba(X[:, columns]), own.predict_proba(X[:, columns]))
        assert tree.random_state == own.random_state
    for mine, own in zip(merged.estimators_samples_, [*a.estimators_samples_, *b.estimators_samples_], strict=True):
        np.testing.assert_array_equal(mine, own)
    merged.voting = "hard"
    votes = np.mean([[tree == label for label in range(3)] for tree in _votes(a) + _votes(b)], axis=0).T
    np.testing.assert_allclose(merged.predict_proba(X), votes)
    assert pickle.loads(pickle.dumps(merged)).fingerprint_ == merged.fingerprint_


def _votes(model):
    features = getattr(model, "estimators_features_", [slice(None)] * len(model))
    return [tree.predict(X[:, columns]) for tree, columns in zip(model.estimators_, features)]


@pytest.mark.parametrize("kind", ["RandomForestRegressor", "BaggingRegressor"])
def test_numbers_and_merges_of_merges(kind):
    models = [getattr(spinney, kind)(n_estimators=n, random_state=n).fit(D[n::2], T[n::2]) for n in (2, 3, 5)]
    flat = merge_forests(models)
    nested = merge_forests([merge_forests(models[:2]), models[2]])
    assert flat.fingerprint_ == nested.fingerprint_
    pooled = sum(len(one) * one.predict(D) for one in models) / 10
    np.testing.assert_allclose(flat.predict(D), pooled, rtol=1e-12)
    for mine, others in zip(flat.estimators_samples_, nested.estimators_samples_, strict=True):
        np.testing.assert_array_equal(mine, others)
    assert [tree.random_state for tree in flat.estimators_] == [tree.random_state for tree in nested.estimators_]
    assert spinney.trees_to_frame(flat)["tree"].nunique() == 10


def test_threads_do_not_matter_and_words_are_known():
    frame = pd.DataFrame({"a": X[:, 0], "b": np.array(list("xyz"))[Y]})
    fits = [
        merge_forests(
            [spinney.RandomForestClassifier(3, random_state=k, n_jobs=n).fit(frame[k:], Y[k:]) for k in range(2)]
        )
        for n in (1, 3)
    ]
    assert fits[0].fingerprint_ == fits[1].fingerprint_
    assert fits[0].score(frame, Y) > 0.9


def test_a_warm_start_after_a_merge_adds_new_trees():
    a, b = (spinney.RandomForestClassifier(5, random_state=k).fit(X, Y) for k in range(2))
    merged = merge_forests([a, b]).set_params(warm_start=True, n_estimators=14, oob_score=True)
    merged.fit(X, Y)
    assert len(merged) == 14
    old = [tree.tree_.fingerprint for tree in [*a.estimators_, *b.estimators_]]
    new = [tree.tree_.fingerprint for tree in merged.estimators_]
    assert new[:10] == old
    assert len(set(new)) == 14
    longer = spinney.RandomForestClassifier(14, random_state=0).fit(X, Y)  # the numbers go on
    assert new[10:] == [tree.tree_.fingerprint for tree in longer.estimators_[10:]]
    for k in (10, 13):
        np.testing.assert_array_equal(merged.estimators_samples_[k], longer.estimators_samples_[k])
        assert merged.estimators_[k].random_state == longer.estimators_[k].random_state
    assert merged.oob_score_ > 0.85
    assert merged.oob_permutation_importances(X, Y).importances.shape == (4, 14)


def test_out_of_bag_needs_common_rows():
    a, b = (spinney.RandomForestClassifier(5, random_state=k).fit(X[k:], Y[k:]) for k in range(2))
    merged = merge_forests([a, b])
    assert not hasattr(merged, "oob_score_")
    with pytest.raises(ValueError, match="out-of-bag importances cannot be computed: the merged forests were sampled"):
        merged.oob_permutation_importances(X, Y)
    with pytest.raises(
        ValueError, match="oob_score_ cannot be computed: the merged forests were sampled from different"
    ):
        merged.set_params(warm_start=True, n_estimators=12, oob_score=True).fit(X, Y)
    assert len(merged) == 10


def small(kind=spinney.RandomForestClassifier, X=X, y=Y, **more):
    return kind(2, random_state=0, **more).fit(X, y)


NOT_MERGED = {
    "nothing": (lambda forest: [], ValueError, "at least one fitted forest, got none"),
    "another library": (
        lambda forest: [forest, LogisticRegression()],
        TypeError,
        r"fitted forests \(random forests, .*\), got LogisticRegression",
    ),
    "not fitted": (lambda forest: [forest, spinney.RandomForestClassifier()], NotFittedError, "not fitted"),
    "bagging of no trees": (
        lambda forest: [spinney.BaggingClassifier(LogisticRegression(max_iter=500), 2).fit(X, Y)],
        TypeError,
        "got BaggingClassifier of LogisticRegression",
    ),
    "another kind": (
        lambda forest: [forest, small(spinney.ExtraTreesClassifier)],
        TypeError,
        "one class: the first is RandomForestClassifier, number 1 is a ExtraTreesC",
    ),
    "other columns": (
        lambda forest: [forest, small(X=X[:, :2])],
        ValueError,
        "same columns, names and categories: those of number 1 are different",
    ),
    "other classes": (
        lambda forest: [forest, forest, small(y=Y + 1)],
        ValueError,
        "same classes: those of number 2 are",
    ),
    "other outputs": (
        lambda forest: [small(spinney.RandomForestRegressor, y=y) for y in (Y, np.column_stack([Y, Y]))],
        ValueError,
        "same number of outputs: number 1 has 2, the first 1",
    ),
    "another criterion": (
        lambda forest: [forest, small(criterion="entropy")],
        ValueError,
        "same criterion: that of number 1 is different",
    ),
}


@pytest.fixture(scope="module")
def forest():
    return small()


@pytest.mark.parametrize("name", NOT_MERGED)
def test_what_cannot_be_merged(forest, name):
    make, error, words = NOT_MERGED[name]
    forests = make(forest)
    with pytest.raises(error, match=words):
        merge_forests(forests)

"""Majority votes of forests and bagging, beside a count by hand."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import spinney

X, Y = make_classification(300, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)
LABELS = np.array(["a", "b", "c"])[Y]
MODELS = [
    spinney.RandomForestClassifier(15, max_depth=3, random_state=0),
    spinney.RandomForestClassifier(15, max_leaf_nodes=6, class_weight="balanced", random_state=0),
    spinney.ExtraTreesClassifier(15, max_depth=4, random_state=0, bootstrap=True),
    spinney.RandomStructureForestClassifier(15, max_depth=4, random_state=0),
    spinney.BaggingClassifier(spinney.DecisionTreeClassifier(max_depth=3), 15, max_features=0.5, random_state=0),
    spinney.BaggingClassifier(LogisticRegression(), 15, max_samples=0.1, random_state=0),
    spinney.BaggingClassifier(LinearSVC(), 15, max_samples=0.1, random_state=0),
]


def count(votes, classes):
    """(rows, classes): shares of the votes, one row of `votes` per member; None: no vote."""
    shares = np.full((votes.shape[1], len(classes)), np.nan)
    for i, column in enumerate(votes.T):
        cast = [vote for vote in column if vote is not None]
        if cast:
            shares[i] = [cast.count(label) / len(cast) for label in classes]
    return shares


def votes_of(model, table):
    features = getattr(model, "estimators_features_", [slice(None)] * len(model))
    return np.array([one.predict(table[:, columns]) for one, columns in zip(model.estimators_, features)], object)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_votes_are_counted(model):
    model = pickle.loads(pickle.dumps(model)).set_params(voting="hard", oob_score=True).fit(X, LABELS)
    votes = votes_of(model, X)
    expected = count(votes, model.classes_)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), expected, rtol=1e-12)
    for k, rows in enumerate(model.estimators_samples_):
        votes[k, rows] = None
    outside = count(votes, model.classes_)
    np.testing.assert_allclose(model.oob_decision_function_, outside, rtol=1e-12)
    known = ~np.isnan(outside[:, 0])
    right = model.classes_[outside[known].argmax(axis=1)] == LABELS[known]
    assert model.oob_score_ == pytest.approx(right.mean())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("model", MODELS[:5], ids=lambda model: type(model).__name__)
def test_soft_votes_are_the_default_and_the_trees_are_the_same(model):
    soft = pickle.loads(pickle.dumps(model)).fit(X, LABELS)
    hard = pickle.loads(pickle.dumps(model)).set_params(voting="hard").fit(X, LABELS)
    assert soft.voting == "soft"
    assert soft.fingerprint_ == hard.fingerprint_
    assert (soft.predict(X) != hard.predict(X)).any()
    before = soft.predict_proba(X)
    np.testing.assert_array_equal(soft.set_params(voting="hard").predict_proba(X), hard.predict_proba(X))
    np.testing.assert_array_equal(soft.set_params(voting="soft").predict_proba(X), before)


def test_several_outputs():
    both = np.column_stack([Y, Y > 0])
    model = spinney.RandomForestClassifier(9, max_depth=3, voting="hard", random_state=0).fit(X, both)
    votes = np.array([tree.predict(X) for tree in model.estimators_])
    for o, shares in enumerate(model.predict_proba(X)):
        np.testing.assert_allclose(shares, count(votes[:, :, o].astype(object), model.classes_[o]), rtol=1e-12)


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="The 'voting' parameter of RandomForestClassifier must be a str among"):
        spinney.RandomForestClassifier(voting="loud").fit(X, Y)
    with pytest.raises(ValueError, match="The 'voting' parameter of BaggingClassifier must be a str among"):
        spinney.BaggingClassifier(voting="loud").fit(X, Y)

"""C5.0: AdaBoost of C4.5 trees, on a table that is read once."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score

from spinney import AdaBoostClassifier, C45Classifier, C50Classifier, export_text, plot_staged_errors, trees_to_frame
from spinney.datasets import load_penguins

X, Y = load_penguins()


@pytest.mark.parametrize(
    "settings", [{}, {"prune": False}, {"max_leaf_nodes": 6, "mdl": False}, {"min_samples_leaf": 9}]
)
def test_it_is_adaboost_of_c45(settings):
    """By hand every tree reads the table anew; here all share what was read once."""
    weight = np.random.RandomState(0).randint(1, 5, len(Y)) / 4  # not whole: of these the mean row weighs one
    weight[::7] = 0
    mine = C50Classifier(trials=6, **settings).fit(X, Y, weight)
    by_hand = AdaBoostClassifier(C45Classifier(**settings), n_estimators=6).fit(X, Y, weight)
    assert len(mine.estimators_) == len(by_hand.estimators_) > 1
    np.testing.assert_array_equal(mine.estimator_weights_, by_hand.estimator_weights_)
    assert mine.fingerprint_ == by_hand.fingerprint_
    np.testing.assert_array_equal(mine.predict_proba(X), by_hand.predict_proba(X))


def test_boosting_is_better_than_one_tree():
    """The lectures' reason for C5.0; trials=10, ten folds."""
    numbers, y = make_classification(600, 20, n_informative=8, random_state=0)
    one, ten = (cross_val_score(kind(), numbers, y, cv=10).mean() for kind in (C45Classifier, C50Classifier))
    assert ten > one + 0.02


def test_one_trial_is_one_tree():
    model = C50Classifier(trials=1).fit(X, Y)
    tree = C45Classifier().fit(X, Y)
    assert model.estimators_[0].fingerprint_ == tree.fingerprint_
    np.testing.assert_array_equal(model.predict(X), tree.predict(X))
    assert model.n_estimators == 1


def test_nothing_to_learn_is_no_error():
    """C4.5 prunes noise to a leaf that is no better than guessing; AdaBoost would refuse it."""
    rng = np.random.RandomState(0)
    noise, y = rng.rand(60, 2), np.arange(60) % 2
    model = C50Classifier().fit(noise, y)
    assert len(model.estimators_) == 1
    assert model.estimator_weights_.tolist() == [1.0]
    assert (model.predict(noise) == model.estimators_[0].predict(noise)).all()
    assert C50Classifier().fit([[0.0], [1.0]], ["a", "a"]).predict([[3.0]]).tolist() == ["a"]


def test_tables_weights_history_and_copies():
    model = C50Classifier(trials=4, keep_weights=True).fit(X, Y)
    assert model.sample_weight_history_.shape == (len(model.estimators_) + 1, len(Y))
    np.testing.assert_allclose(model.sample_weight_history_.sum(axis=1), 1.0)
    other = C50Classifier(trials=4).fit(pl.from_pandas(X), Y.to_numpy())
    assert other.fingerprint_ == model.fingerprint_
    assert (other.predict(X) == model.predict(pl.from_pandas(X))).all()
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(X) == model.predict(X)).all()
    assert clone(model).get_params() == model.get_params()
    assert len(list(model.staged_predict(X))) == len(model.estimators_)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_a_whole_weight_is_a_repetition():
    birds, whole = X.dropna(), np.arange(len(X.dropna())) % 4  # parts of rows are rounded
    species = Y[birds.index]
    repeated = C50Classifier(trials=5).fit(birds.loc[np.repeat(birds.index, whole)], np.repeat(species, whole))
    weighted = C50Classifier(trials=5).fit(birds, species, whole)
    np.testing.assert_allclose(repeated.estimator_weights_, weighted.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(repeated.predict_proba(birds), weighted.predict_proba(birds), rtol=1e-9)


def test_its_trees_can_be_read():
    model = C50Classifier(trials=3).fit(X, Y)
    assert "class: Gentoo" in export_text(model, tree=1)
    assert set(trees_to_frame(model)["tree"]) == {0, 1, 2}
    assert plot_staged_errors(model, X, Y).get_xlabel() == "rounds"


def test_booleans_are_categories():
    frame = pd.DataFrame({"a": [True, False] * 20, "b": [True, True, False, False] * 10})
    y = frame["a"] ^ frame["b"]
    assert C50Classifier().fit(frame, y).score(frame, y) == 1.0


@pytest.mark.parametrize("name, value", [("trials", 0), ("cf", 0.6), ("significance", 2), ("keep_weights", "yes")])
def test_bad_parameters(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of C50Classifier must be"):
        C50Classifier(**{name: value}).fit(X, Y)

"""C5.0: AdaBoost of C4.5 trees, on a table that is read once."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score

from spinney import C45Classifier, C50Classifier, export_text, load, plot_staged_errors, save, trees_to_frame
from spinney.datasets import load_penguins
from tests.oracles.c50 import boost as by_hand
from tests.oracles.c50 import vote

X, Y = load_penguins()


def noisy(seed, n=240):
    """A table with missing values and a fifth of the classes wrong."""
    numbers, y = make_classification(
        n, 6, n_informative=4, n_redundant=0, n_classes=3, n_clusters_per_class=1, flip_y=0.2, random_state=seed
    )
    numbers[np.random.RandomState(seed).rand(n, 6) < 0.05] = np.nan
    return numbers.round(2), y


@pytest.mark.parametrize("settings", [{}, {"prune": False}, {"max_leaf_nodes": 6, "mdl": False}])
@pytest.mark.parametrize("seed", [0, 1])
def test_rounds_are_those_by_hand(settings, seed):
    """Weights, trees and votes, against plain Python."""
    numbers, y = noisy(seed)
    weight = None
    if seed:
        weight = np.random.RandomState(0).randint(1, 5, len(y)) / 4  # not whole: of these the mean row weighs one
        weight[::7] = 0
    model = C50Classifier(trials=8, global_pruning=False, keep_weights=True, **settings).fit(numbers, y, weight)
    trees, history = by_hand(numbers, y, 8, weight, **settings)
    assert len(model.estimators_) == len(trees) > 4
    for one, (tree, known) in enumerate(zip(trees, history)):
        assert model.estimators_[one].get_n_leaves() == tree.n_leaves
        np.testing.assert_allclose(model.sample_weight_history_[one] * np.count_nonzero(known), known, rtol=1e-5)
    some = numbers[:40]
    votes = np.zeros((40, 3))
    for tree in trees:
        for row, values in enumerate(some.tolist()):
            named, confidence = vote(tree, values)
            votes[row, named] += confidence
    np.testing.assert_allclose(model.decision_function(some), votes / len(trees), rtol=1e-5)
    np.testing.assert_allclose(model.predict_proba(some), votes / votes.sum(axis=1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(model.predict(some), votes.argmax(axis=1))


def test_rows_that_are_lost_are_dropped():
    numbers, y = noisy(0)
    model = C50Classifier(trials=8, keep_weights=True).fit(numbers, y)
    dropped = (model.sample_weight_history_ == 0).sum(axis=1)
    assert (dropped[:5] == 0).all()
    assert (np.diff(dropped) >= 0).all()
    assert dropped[-1] > 0
    shuffled = np.random.RandomState(1).permutation(len(y))
    again = C50Classifier(trials=8, n_jobs=2).fit(numbers[shuffled], y[shuffled])
    assert again.fingerprint_ == model.fingerprint_


def test_noise_does_no_harm():
    """Where a fifth of the classes is wrong, plain AdaBoost of C4.5 loses to one tree."""
    scores = []
    for seed in range(6):
        numbers, y = make_classification(300, 10, n_informative=4, flip_y=0.2, random_state=seed)
        kinds = C45Classifier(), C50Classifier()
        scores.append([cross_val_score(kind, numbers, y, cv=5).mean() for kind in kinds])
    one, ten = np.mean(scores, axis=0)
    assert ten >= one, scores


def test_boosting_is_better_than_one_tree():
    """The lectures' reason for C5.0; trials=10, ten folds."""
    numbers, y = make_classification(600, 20, n_informative=8, random_state=0)
    one, ten = (cross_val_score(kind(), numbers, y, cv=10).mean() for kind in (C45Classifier, C50Classifier))
    assert ten > one + 0.02


def test_one_trial_is_one_tree():
    model = C50Classifier(trials=1, global_pruning=False).fit(X, Y)
    tree = C45Classifier().fit(X, Y)
    assert model.estimators_[0].fingerprint_ == tree.fingerprint_
    np.testing.assert_array_equal(model.predict(X), tree.predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), tree.predict_proba(X))
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


def test_files(tmp_path):
    model = C50Classifier(trials=3).fit(X, Y)
    save(model, tmp_path / "model.spinney")
    assert load(tmp_path / "model.spinney").predict_proba(X).tolist() == model.predict_proba(X).tolist()
    model.estimator_weights_ = model.estimator_weights_ * 2
    with pytest.raises(ValueError, match=r"cannot be saved: Trees of C5\.0 have a weight of 1"):
        save(model, tmp_path / "model.spinney")

"""Pruning the library's own estimators, on tables with categories and missing values."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from spinney import C45Classifier, ID3Classifier, prune
from spinney.datasets import load_flights, load_penguins, load_tennis

pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def flights():
    X, y = load_flights()
    return train_test_split(X[:3000], y[:3000], random_state=0)


@pytest.mark.parametrize("cf", [0.5, 0.25, 0.1])
def test_pessimistic_is_what_c45_does_by_itself(flights, cf):
    for X, y in (load_penguins(), load_tennis(), flights[::2]):
        full = C45Classifier(prune=False).fit(X, y)
        by_itself = C45Classifier(cf=cf, subtree_raising=False).fit(X, y)
        assert prune.pessimistic(full, cf).fingerprint_ == by_itself.fingerprint_


def test_c45(flights):
    X_train, X_val, y_train, y_val = flights
    full = C45Classifier(prune=False).fit(X_train, y_train)
    wrong = []
    for order in ("greedy", "bottom_up"):
        pruned = prune.reduced_error(full, X_val, y_val, order=order)
        assert pruned.get_n_leaves() < full.get_n_leaves()
        wrong.append(1 - pruned.score(X_val, y_val))
    assert wrong[1] <= wrong[0] < 1 - full.score(X_val, y_val)
    by_cv = prune.cost_complexity_cv(full, X_train, y_train, cv=3)
    assert by_cv.get_n_leaves() < full.get_n_leaves()
    assert by_cv.score(X_val, y_val) > full.score(X_val, y_val)
    assert prune.significance(full, 0.001).get_n_leaves() < full.get_n_leaves()


def test_id3_on_the_tennis_table():
    X, y = load_tennis()
    full = ID3Classifier().fit(X, y)
    assert full.get_n_leaves() == 5
    assert prune.cost_complexity(full, 0.0).score(X, y) == 1.0
    path = prune.cost_complexity_path(full)
    assert path.impurities[0] == pytest.approx(0.0)
    assert path.impurities[-1] == pytest.approx(0.940, abs=1e-3)  # bits, nine days of fourteen
    assert prune.cost_complexity(full, 1.0).get_n_leaves() == 1
    # under Sunny and under Rainy, five days are told apart by one question each: p = 0.025; Outlook itself: p = 0.17
    assert prune.significance(full, 0.05).get_n_leaves() == 5
    assert prune.significance(full, 0.02).get_n_leaves() == 1
    # sunny days miss their own question, and no other
    sunny = X["Outlook"] == "Sunny"
    pruned = prune.reduced_error(full, X[sunny], y[sunny])
    assert pruned.score(X[sunny], y[sunny]) == 1.0
    assert pruned.get_n_leaves() == 4


def test_pruned_models_are_models_like_others():
    X, y = load_penguins()
    pruned = prune.cost_complexity(C45Classifier(prune=False).fit(X, y), 0.05)
    assert clone(pruned).get_params() == pruned.get_params()
    assert pruned.feature_importances_.sum() == pytest.approx(1.0)
    assert pruned.apply(X).max() < pruned.tree_.n_nodes
    np.testing.assert_allclose(pruned.predict_proba(X).sum(axis=1), 1.0)

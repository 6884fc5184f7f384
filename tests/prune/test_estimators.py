"""Pruning the library's own estimators, on tables with categories and missing values."""

import doctest
import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn.tree
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from spinney import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, ID3Classifier, prune
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


@pytest.mark.parametrize("kind", ["classes", "numbers", "two outputs"])
def test_cart(flights, kind):
    X_train, X_val, y_train, y_val = flights
    if kind == "classes":
        full = DecisionTreeClassifier(random_state=0)
    else:
        full, column = DecisionTreeRegressor(random_state=0), X_train.select_dtypes("number").columns[0]
        y_train, y_val = X_train[column].fillna(0).to_numpy(), X_val[column].fillna(0).to_numpy()
        X_train, X_val = X_train.drop(columns=column), X_val.drop(columns=column)
        if kind == "two outputs":
            y_train, y_val = np.column_stack([y_train, y_train**2]), np.column_stack([y_val, y_val**2])
    full.fit(X_train, y_train)
    path = prune.cost_complexity_path(full)
    np.testing.assert_array_equal(path.ccp_alphas, full.cost_complexity_pruning_path(X_train, y_train).ccp_alphas)
    alpha = path.ccp_alphas[-len(path.ccp_alphas) // 4]
    at_fit = clone(full).set_params(ccp_alpha=alpha).fit(X_train, y_train)
    assert prune.cost_complexity(full, alpha).fingerprint_ == at_fit.fingerprint_
    for pruned in (
        prune.reduced_error(full, X_val, y_val, order="bottom_up"),
        prune.cost_complexity_cv(full, X_train, y_train, cv=3),
    ):
        assert pruned.get_n_leaves() < full.get_n_leaves()
        assert pruned.score(X_val, y_val) > full.score(X_val, y_val)
    if kind != "two outputs":
        assert prune.significance(full, 1e-3).get_n_leaves() < full.get_n_leaves()


def test_cart_is_pruned_as_scikit_learns():
    rng = np.random.RandomState(0)
    X = rng.rand(400, 4).astype(np.float32)
    y = X[:, 0] + 0.3 * rng.randn(400)
    options = dict(min_samples_leaf=5, random_state=0)  # nodes of few rows can be split alike in several ways
    theirs = sklearn.tree.DecisionTreeRegressor(**options)
    ours = DecisionTreeRegressor(**options).fit(X, y)
    alphas = theirs.cost_complexity_pruning_path(X, y).ccp_alphas
    np.testing.assert_allclose(prune.cost_complexity_path(ours).ccp_alphas, alphas, atol=1e-12)
    for alpha in (alphas[:-1] + alphas[1:]) / 2:
        theirs.set_params(ccp_alpha=alpha).fit(X, y)
        np.testing.assert_allclose(prune.cost_complexity(ours, alpha).predict(X), theirs.predict(X), atol=1e-6)


@pytest.mark.parametrize(
    "name", ["cost_complexity", "cost_complexity_cv", "reduced_error", "pessimistic", "significance"]
)
def test_examples_in_docstrings(name):
    result = doctest.testmod(sys.modules[f"spinney.prune.{name}"])
    assert result.attempted
    assert not result.failed


def test_examples_in_the_guide():
    guide = Path(prune.__file__).parents[2] / "docs" / "pruning.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert result.attempted > 5
    assert not result.failed


def test_names_are_functions_not_the_files_of_the_same_name():
    for name in prune.__all__:
        assert callable(getattr(prune, name))

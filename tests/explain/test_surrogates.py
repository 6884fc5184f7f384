"""Surrogates: small trees that imitate models."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import spinney
from spinney.datasets import load_penguins
from spinney.explain import surrogate


@pytest.fixture(scope="module")
def penguins():
    X, y = load_penguins()
    return X, y, spinney.RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)


def test_a_tree_imitates_a_forest(penguins):
    X, _, model = penguins
    found = surrogate(model, X, max_leaf_nodes=5)
    assert found.tree.get_n_leaves() == 5
    assert found.measure == "accuracy"
    assert 0.9 < found.held_out_fidelity <= 1.0
    same = surrogate(model, X, max_leaf_nodes=5, held_out=0.0)
    assert same.fidelity == np.mean(same.tree.predict(X) == model.predict(X))
    assert np.isnan(same.held_out_fidelity)
    assert repr(same).startswith("a tree of 5 leaves; fidelity (accuracy) 0.9")
    assert repr(found).count("held out") == 1
    few, many = (surrogate(model, X, max_leaf_nodes=n, held_out=0.0).fidelity for n in (2, 6))
    assert few < many


def test_numbers_are_imitated_by_their_squared_error(penguins):
    X, _, _ = penguins
    X = X.drop(columns="body_mass_g")
    y = load_penguins()[0]["body_mass_g"].fillna(4000.0)
    model = spinney.GradientBoostingRegressor(n_estimators=10).fit(X, y)
    found = surrogate(model, X, max_leaf_nodes=6, max_depth=2)
    assert found.measure == "R2"
    assert found.tree.get_depth() == 2
    assert 0.5 < found.held_out_fidelity < 1.0


def test_bad_arguments(penguins):
    X, _, model = penguins
    with pytest.raises(NotFittedError):
        surrogate(spinney.RandomForestClassifier(), X)
    with pytest.raises(TypeError, match="model must be a fitted model with a method predict, got 3"):
        surrogate(3, X)
    with pytest.raises(ValueError, match="held_out must be a fraction from 0 to below 1, got 1"):
        surrogate(model, X, held_out=1)
    with pytest.raises(ValueError, match="X must have at least 2 rows to fit a tree on, got 1"):
        surrogate(model, X[:1])


def test_several_outputs_and_tables_in_files():
    X = np.random.RandomState(0).randn(60, 2)
    model = spinney.RandomForestClassifier(3, random_state=0).fit(X, X > 0)
    small = surrogate(model, X, max_leaf_nodes=4)
    assert small.fidelity > 0.9
    assert small.measure == "accuracy"
    with pytest.raises(TypeError, match="surrogate needs the values of X in memory"):
        surrogate(model, spinney.open_table(lambda: iter([X])))

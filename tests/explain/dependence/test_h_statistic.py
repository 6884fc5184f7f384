"""Accumulated local effects and Friedman's H: as their definitions say."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import spinney
from spinney.datasets import load_penguins
from spinney.explain import ale, friedman_h
from tests.oracles.dependence import interaction, interaction_with_all, local_effect


@pytest.fixture(scope="module")
def data():
    X = np.random.RandomState(0).randn(60, 3).round(1)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    return X, spinney.RandomForestRegressor(5, max_leaf_nodes=12, random_state=0).fit(X, y)


def test_h_of_pairs(data):
    X, model = data
    found = friedman_h(model, X)
    assert found.columns[0] == (0, 1)
    assert sorted(found.columns) == [(0, 1), (0, 2), (1, 2)]
    for pair, h in zip(found.columns, found.h[:, 0]):
        assert h == pytest.approx(interaction(model.predict, X, *pair), abs=1e-9)
    assert (np.diff(found.h[:, 0]) <= 0).all()


def test_h_with_all_others(data):
    X, model = data
    found = friedman_h(model, X, kind="overall")
    for column, h in zip(found.columns, found.h[:, 0]):
        assert h == pytest.approx(interaction_with_all(model.predict, X, column), abs=1e-9)


def test_h_of_a_sum_is_nothing():
    X = np.random.RandomState(0).randn(300, 2)
    model = spinney.GradientBoostingRegressor(n_estimators=20, max_depth=1, random_state=0).fit(X, X.sum(axis=1))
    found = friedman_h(model, X, [(0, 1)], n_rows=100)
    assert found.h[0, 0] < 1e-9
    assert found.strength[0, 0] < 1e-9
    assert friedman_h(model, X, n_rows=50, random_state=1).h.shape == (1, 1)


def test_local_effects(data):
    X, model = data
    found = ale(model, X, 0, n_bins=7)
    np.testing.assert_allclose(found.effect[0], local_effect(model.predict, X, 0, found.grid_values[0]), atol=1e-12)
    assert found.counts.sum() == len(X)
    boosted = spinney.GradientBoostingClassifier(n_estimators=3, min_samples_leaf=5).fit(X, X[:, 0] > 0)
    found = ale(boosted, X, [0, 2], n_bins=5, response_method="decision_function")[0]
    expected = local_effect(boosted.decision_function, X, 0, found.grid_values[0])
    np.testing.assert_allclose(found.effect[0], expected, atol=1e-12)


def test_local_effects_of_a_pair_are_what_is_left():
    X = np.random.RandomState(0).rand(4000, 2)
    sums = LinearRegression().fit(X, X @ [1.0, 2.0])
    assert np.abs(ale(sums, X, (0, 1), n_bins=8).effect).max() < 1e-12
    product = LinearRegression().fit(X, X[:, 0])
    product.predict = lambda X: X[:, 0] * X[:, 1] + X[:, 0]
    found = ale(product, X, (0, 1), n_bins=8)
    a, b = (grid - X[:, k].mean() for k, grid in enumerate(found.grid_values))
    np.testing.assert_allclose(found.effect[0], np.outer(a, b), atol=0.02)


def test_local_effects_of_categories():
    X, y = load_penguins()
    model = spinney.RandomForestClassifier(5, random_state=0).fit(X, y)
    found = ale(model, X, "island")
    assert sorted(found.grid_values[0]) == ["Biscoe", "Dream", "Torgersen"]
    assert found.grid_values[0][1] != "Torgersen"  # Adelies live everywhere; on Torgersen nobody else does
    np.testing.assert_allclose((found.effect * found.counts).sum(axis=1), 0.0, atol=1e-9)
    weight = np.ones(len(X))
    weight[X["sex"].isna()] = 0.0
    two = ale(model, X, "sex", sample_weight=weight)
    known = X[X["sex"].notna()]
    other = known.assign(sex=known["sex"].cat.rename_categories({"male": "female", "female": "male"}))
    change = model.predict_proba(other) - model.predict_proba(known)
    change[(known["sex"] == "male").to_numpy()] *= -1
    np.testing.assert_allclose(two.effect[:, 1] - two.effect[:, 0], change.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model, X: friedman_h(model, X, kind="triples"), "kind must be 'pairs' or 'overall', got 'triples'"),
        (lambda model, X: friedman_h(model, X, n_rows=1), "n_rows must be an integer of at least 2, got 1"),
        (
            lambda model, X: friedman_h(spinney.DecisionTreeRegressor().fit(X, np.ones(len(X))), X),
            "the trees of this DecisionTreeRegressor have no splits, so there are no interactions to measure",
        ),
        (
            lambda model, X: friedman_h(spinney.DecisionTreeRegressor(max_depth=1).fit(X, X[:, 0]), X),
            r"split on column 'x\[0\]' only, so there are no interactions",
        ),
        (lambda model, X: friedman_h(model, X, [0]), "features must name at least two columns, or a pair"),
        (lambda model, X: friedman_h(model, X, [(0, 1)], kind="overall"), "kind='overall' measures columns, not pairs"),
        (
            lambda model, X: friedman_h(LinearRegression().fit(X, X[:, 0]), X),
            "friedman_h needs a model that is a sum of Spinney's",
        ),
        (lambda model, X: ale(model, X, 0, n_bins=0), "n_bins must be a positive integer, got 0"),
        (lambda model, X: ale(model, np.ones((3, 3)), 0), r"column 'x\[0\]' has fewer than two distinct numbers"),
    ],
)
def test_what_is_wrong_is_said(data, call, message):
    X, model = data
    with pytest.raises((ValueError, TypeError), match=message):
        call(model, X)


@pytest.fixture(scope="module")
def penguin_forest():
    return spinney.RandomForestClassifier(2, random_state=0).fit(*load_penguins())


def test_an_effect_of_a_category_and_a_number(penguin_forest):
    with pytest.raises(ValueError, match="ale of a pair needs two numeric columns"):
        ale(penguin_forest, load_penguins()[0], ("island", "year"))


def test_an_effect_of_one_category(penguin_forest):
    table, _ = load_penguins()
    with pytest.raises(ValueError, match="column 'island' has fewer than two categories"):
        ale(penguin_forest, table[table["island"] == "Dream"], "island")


def test_interactions_in_probabilities_of_boosting(data):
    X, _ = data
    boosted = spinney.GradientBoostingClassifier(n_estimators=2, min_samples_leaf=5).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match=r"is not a sum over its trees\. Use response_method='raw'"):
        friedman_h(boosted, X, response_method="predict_proba")

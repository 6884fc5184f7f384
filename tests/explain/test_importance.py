"""Importances of every kind."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression

import spinney
from spinney.datasets import load_penguins
from spinney.explain import importances
from tests.families import FITS

N = 400


@pytest.fixture(scope="module")
def data():
    """Two classes that the first column says, and noise: of few values, of many, and an identifier."""
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.randint(0, 2, 2 * N), rng.randint(0, 3, 2 * N), rng.rand(2 * N), rng.permutation(2 * N)])
    return X, X[:, 0] + 0.7 * rng.randn(2 * N)


@pytest.fixture(scope="module")
def models(data):
    X, y = data
    boosted = spinney.GradientBoostingRegressor(n_estimators=60, random_state=0).fit(X[:N], y[:N])
    forest = spinney.RandomForestRegressor(20, random_state=0).fit(X[:N], y[:N])
    return boosted, forest, spinney.RandomForestClassifier(20, random_state=0).fit(X[:N], y[:N] > 0.5)


def quiet(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importances(*args, **options)


@pytest.mark.parametrize(
    "name", ["tree", "random-forest", "boosting", "bagging", "adaboost", "adaboost-numbers", "id3", "c45"]
)
def test_gain_is_the_models_own(name):
    model = FITS[name]()
    found = quiet(model)
    np.testing.assert_allclose(found.importances_mean, model.feature_importances_, atol=1e-12)
    has_interval = name not in ("tree", "boosting", "id3", "c45")
    assert np.isfinite(found.low).all() == has_interval
    if has_interval:
        assert (found.low <= found.importances_mean + 1e-12).all()
        assert (found.importances_mean <= found.high + 1e-12).all()
    if name == "boosting":
        for kind in ("split", "cover"):
            np.testing.assert_allclose(quiet(model, kind=kind).importances_mean, model.get_feature_importances(kind))


def test_held_out_gains_of_a_tree_are_what_its_definition_says(data):
    X, y = data
    model = spinney.DecisionTreeRegressor(max_depth=3).fit(X[:N], y[:N])
    found = importances(model, X[N:], y[N:], "held_out")
    tree, leaf = model.tree_, model.apply(X[N:])
    expected = np.zeros(4)
    for row, target in zip(leaf, y[N:]):
        node = int(row)
        while tree.parent[node] >= 0:
            above = int(tree.parent[node])
            a, b = tree.answers[node, 0, 0], tree.answers[above, 0, 0]
            expected[tree.feature[above]] += (a - b) * (target - b) / N
            node = above
    np.testing.assert_allclose(found.importances_mean, expected, atol=1e-9)
    assert found.importances.shape == (4, 10)


def test_held_out_gains_of_boosting_add_up_to_the_fall_of_the_loss(data):
    """With one round and hessians of 1: to first order and second."""
    X, y = data
    model = spinney.GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, max_leaf_nodes=4, random_state=0)
    model.fit(X[:N], y[:N])
    found = importances(model, X[N:], y[N:], "held_out")
    forest, leaf = model._booster.forest, model.apply(X[N:])[:, 0]
    expected = 0.0
    for row, target in zip(leaf, y[N:]):
        node = int(row)
        while forest.shape.parent[node] >= 0:
            above = forest.shape.parent[node]
            a, b = forest.answers[node, 0, 0], forest.answers[above, 0, 0]
            expected -= (a - b) * (model._booster.start[0] + b - target) / N
            node = above
    assert found.importances_mean.sum() == pytest.approx(expected, rel=1e-6)


def test_noise_of_many_values_is_seen_through(data, models):
    X, y = data
    for model, target in zip(models, (y, y, y > 0.5)):
        flattered = quiet(model).importances_mean
        assert flattered[2:].sum() > 0.3  # of 1, for nothing
        for kind in ("held_out", "permutation"):
            found = importances(model, X[N:], target[N:], kind)
            assert found.importances_mean.argmax() == 0
            assert found.importances_mean[1:].max() < 0.15 * found.importances_mean[0], kind
            assert found.low[0] > 0
        if model is not models[0]:
            found = importances(model, X[:N], target[:N], "held_out", out_of_bag=True)
            assert found.importances_mean[1:].max() < 0.2 * found.importances_mean[0]
            assert found.importances.shape == (4, 20)


def test_columns_of_many_values_are_warned_of(data, models):
    X, _ = data
    with pytest.warns(UserWarning, match=r"kind='gain' is biased towards columns with many distinct.*'x\[3\]' \(400\)"):
        importances(models[1], X[:N])
    with pytest.warns(UserWarning, match="kind='split' is biased towards columns"):
        importances(models[1], kind="split")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importances(models[1], X[:, :][:N], kind="cover")
        importances(spinney.RandomForestRegressor(3, random_state=0).fit(X[:N, 2:], X[:N, 2]))


def test_three_classes_and_strings():
    X, y = load_penguins()
    model = spinney.GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    for kind in ("held_out", "permutation"):
        found = importances(model, X[1::2], y[1::2], kind)
        assert found.names == list(X.columns)
        assert set(np.array(found.names)[np.argsort(-found.importances_mean)[:3]]) >= {"bill_length_mm"}
    with pytest.raises(ValueError, match="y contains 'Emperor', which is not a class of the model"):
        importances(model, X, ["Emperor"] * len(X), "held_out")


def test_permutation_as_scikit_learn_and_in_groups(data, models):
    X, y = data
    ours = importances(models[0], X[N:], y[N:], "permutation", n_repeats=20, scoring="neg_mean_squared_error")
    theirs = permutation_importance(
        models[0], X[N:], y[N:], n_repeats=20, scoring="neg_mean_squared_error", random_state=1
    )
    assert ours.importances_mean[0] == pytest.approx(theirs.importances_mean[0], rel=0.1)
    double = np.column_stack([X[:, 0], X])
    model = spinney.RandomForestRegressor(20, max_features=1, random_state=0).fit(double[:N], y[:N])
    for options in ({}, {"out_of_bag": True}):
        rows = slice(0, N) if options else slice(N, None)
        alone = importances(model, double[rows], y[rows], "permutation", **options)
        groups = {"signal": [0, 1], "noise": [2, 3, 4]}
        both = importances(model, double[rows], y[rows], "permutation", groups=groups, **options)
        assert both.names == ["signal", "noise"]
        assert both.importances_mean[0] > 1.3 * alone.importances_mean[:2].max()  # each hid what the other had
        assert both.importances_mean[1] < 0.2 * both.importances_mean[0]
    gain = quiet(model)
    added = importances(model, groups=[["x[0]", 1], 2])
    assert added.names == ["x[0] + x[1]", "x[2]"]
    assert added.importances_mean[0] == pytest.approx(gain.importances_mean[:2].sum())


def test_permutation_of_any_model_frame_and_sparse_table(data):
    from scipy.sparse import csr_array

    X, y = data
    model = LinearRegression().fit(X, y)
    dense = importances(model, X, y, "permutation")
    assert dense.importances_mean.argmax() == 0
    sparse = importances(model, csr_array(X), y, "permutation", sample_weight=np.ones(len(X)))
    np.testing.assert_allclose(dense.importances, sparse.importances, atol=1e-9)


def test_mean_absolute_shap_values(monkeypatch, data, models):
    X, _ = data

    def stand_in(model, X):
        return SimpleNamespace(values=np.stack([X[:, [0, 1, 2, 3]], -X[:, [0, 1, 2, 3]]], axis=2))

    monkeypatch.setattr("spinney.explain.shapley.shap_values.shap", stand_in)
    found = importances(models[0], X, kind="shap")
    np.testing.assert_allclose(found.importances_mean, 2 * np.abs(X).mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda boosted, forest, X, y: importances(forest, kind="gini"),
            "kind must be one of 'gain', 'split', .* got 'gini'",
        ),
        (
            lambda boosted, forest, X, y: importances(forest, kind="permutation"),
            "kind='permutation' needs rows: X and y",
        ),
        (lambda boosted, forest, X, y: importances(forest, kind="shap"), r"kind='shap' needs rows: X\.$"),
        (
            lambda boosted, forest, X, y: importances(forest, confidence=2),
            "confidence must be a number between 0 and 1, got 2",
        ),
        (lambda boosted, forest, X, y: importances(forest, n_repeats=0), "n_repeats must be a positive integer, got 0"),
        (
            lambda boosted, forest, X, y: importances(forest, out_of_bag=True),
            "out_of_bag=True is supported only with kind='permutation' and kind='held_out', got 'gain'",
        ),
        (
            lambda boosted, forest, X, y: importances(LinearRegression().fit(X, y)),
            "is not a model of Spinney's trees. Use kind='permutation'",
        ),
        (
            lambda boosted, forest, X, y: importances(forest, groups=[["a"]]),
            "groups must name columns, by number from 0 to 3 or by name, got 'a'",
        ),
        (
            lambda boosted, forest, X, y: importances(forest, groups=[]),
            "groups must be lists of at least one column each",
        ),
        (
            lambda boosted, forest, X, y: importances(forest, X, y[1:], "permutation"),
            "y must have one value for each of the 800 rows",
        ),
        (
            lambda boosted, forest, X, y: importances(boosted, X, y, "held_out", out_of_bag=True),
            "this GradientBoostingRegressor does not have",
        ),
        (
            lambda boosted, forest, X, y: importances(boosted, X, y, "permutation", out_of_bag=True),
            "GradientBoostingRegressor does not have",
        ),
        (
            lambda boosted, forest, X, y: importances(forest, X, y, "held_out", out_of_bag=True),
            "X must be the 400 rows that the forest was",
        ),
        (
            lambda boosted, forest, X, y: importances(
                forest, X[:N], y[:N], "permutation", out_of_bag=True, scoring="r2"
            ),
            "are not supported with out_of_bag=True, which uses errors",
        ),
        (
            lambda boosted, forest, X, y: importances(FITS["adaboost"](), X, y > 0, "held_out"),
            "boosting, not AdaBoostClassifier",
        ),
    ],
)
def test_what_is_wrong_is_said(data, models, call, message):
    boosted, forest, _ = models
    with pytest.raises((ValueError, TypeError), match=message):
        call(boosted, forest, *data)


def test_held_out_importances_of_several_outputs(data):
    X, y = data
    two = spinney.RandomForestRegressor(2, random_state=0).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="kind='held_out' supports one output, but y has 2"):
        importances(two, X, np.column_stack([y, y]), "held_out")


def test_members_of_many_branches(data):
    X, y = data
    model = spinney.C50Classifier(trials=3).fit(X, y > 0.5)
    found = importances(model, kind="split")
    splits = np.array([np.bincount(one.tree_.forest.feature, minlength=4) for one in model.estimators_], float)
    np.testing.assert_allclose(found.importances, (splits / splits.sum(axis=1, keepdims=True)).T)


@pytest.mark.parametrize(
    "model",
    [spinney.AdaBoostClassifier(n_estimators=2), spinney.BaggingClassifier(spinney.C45Classifier(), 2, random_state=0)],
    ids=["adaboost", "bagging"],
)
def test_categories_of_members(model):
    """The ensemble itself knows the columns' names only."""
    X, y = load_penguins()
    found = quiet(model.fit(X, y), X, y)
    np.testing.assert_allclose(found.importances_mean.sum(), 1.0)


def test_members_that_do_not_add_up():
    """Shares of columns are no mean over models that are weighted, stacked, or have columns of their own."""
    X, y = load_penguins()
    trees = [("a", spinney.DecisionTreeClassifier(max_depth=2)), ("b", spinney.DecisionTreeClassifier(max_depth=3))]
    for model in (
        spinney.VotingClassifier(trees, voting="soft", weights=[1, 0]),
        spinney.StackingClassifier(trees, cv=2),
        spinney.BaggingClassifier(spinney.C45Classifier(), 2, max_features=3, random_state=0),
    ):
        with pytest.raises(TypeError, match=r"is not a model of Spinney's trees. Use kind='permutation'"):
            importances(model.fit(X, y), X, y)

"""SHAP values against their definition, sums against what models say, threads against one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

import spinney
from spinney._compile import PLAIN_PYTHON
from spinney.explain import shap
from tests.explain.games import trees
from tests.families import FITS, categories, classes, numbers, table, target
from tests.oracles.shapley import by_background, by_cover, interactions, shapley_values

compiled = pytest.mark.skipif(PLAIN_PYTHON, reason="a minute and more in plain Python")
FEW = {"n_estimators": 3, "random_state": 0}
REFUSED = ("kmeans", "mixture", "auto", "bayesian", "adaboost-numbers")
EXPLAINED = [name for name in FITS if not name.startswith(REFUSED)]


def says(model):
    """What is explained of a model, as a function of a table."""
    if isinstance(model, spinney.IsolationForest):
        return lambda X: np.mean([tree.tree_.answers[tree.apply(X), 0, 0] for tree in model.estimators_], axis=0)
    return getattr(model, "decision_function", None) or getattr(model, "predict_proba", None) or model.predict


def rows_for(name):
    if name == "id3":
        return categories()
    return numbers() if name in ("random-structure", "adaboost", "bagging", "c50") else table()


# --- sums ------------------------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("name", EXPLAINED)
def test_contributions_add_up_to_what_the_model_says(name):
    model, X = FITS[name](), rows_for(name)
    want, background = says(model)(X), X[3:9]
    found = shap(model, X)
    np.testing.assert_allclose(found.total(), want, atol=1e-12)
    assert found.values.shape[:2] == X.shape
    np.testing.assert_array_equal(model.shap_values(X), found.values)
    pairs = shap(model, X[:9], interactions=True)
    np.testing.assert_allclose(pairs.values.sum(axis=2), found.values[:9], atol=1e-12)
    np.testing.assert_array_equal(pairs.values, pairs.values.swapaxes(1, 2))
    against = shap(model, X[:9], background)
    np.testing.assert_allclose(against.total(), want[:9], atol=1e-12)
    np.testing.assert_allclose(against.base_values, says(model)(background).mean(axis=0), atol=1e-12)
    if name != "c50":  # a vote for the most common class is no mean, but a sum it is
        np.testing.assert_allclose(shap(model, X[:9], background, interactions=True).total(), want[:9], atol=1e-12)


def test_two_classes_of_adaboost():
    y = classes() > 0
    for algorithm in ("discrete", "SAMME", "SAMME.R"):
        model = spinney.AdaBoostClassifier(algorithm=algorithm, **FEW).fit(numbers(), y)
        np.testing.assert_allclose(shap(model, numbers()).total(), model.decision_function(numbers()), atol=1e-12)


@compiled
@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie", "quantile"])
def test_losses_are_explained_in_raw_scores(loss):
    y = np.abs(target()) + 0.5
    model = spinney.GradientBoostingRegressor(loss=loss, min_samples_leaf=5, **FEW).fit(table(), y)
    told = shap(model, table()).total()
    np.testing.assert_allclose(told if loss == "quantile" else np.exp(told), model.predict(table()), rtol=1e-9)


@compiled
def test_several_outputs_and_majority_votes():
    y = np.column_stack([classes(), classes() > 1])
    model = spinney.RandomForestClassifier(**FEW).fit(table(), y)
    found = shap(model, table())
    assert found.output_names == ["0: 0", "0: 1", "0: 2", "1: 0", "1: 1"]
    np.testing.assert_allclose(found.total(), np.hstack(model.predict_proba(table())), atol=1e-12)
    numbers_two = spinney.DecisionTreeRegressor(max_depth=3).fit(table(), np.column_stack([target(), -target()]))
    found = shap(numbers_two, table())
    assert found.output_names == ["output 0", "output 1"]
    np.testing.assert_allclose(found.total(), numbers_two.predict(table()), atol=1e-12)
    two = spinney.RandomForestClassifier(**FEW).fit(table(), classes() > 1)
    found = shap(two, table())
    np.testing.assert_allclose(found.total(), two.predict_proba(table()), atol=1e-12)
    np.testing.assert_array_equal(found.values[..., 0], -found.values[..., 1])
    votes = spinney.RandomForestClassifier(voting="hard", **FEW).fit(table(), classes())
    np.testing.assert_allclose(shap(votes, table()).total(), votes.predict_proba(table()), atol=1e-12)


@compiled
def test_models_made_of_others(tmp_path):
    """Subspaces, the best of several models, merged forests, and a model from a file."""
    X, y = numbers(), target()
    forest = spinney.RandomForestRegressor(**FEW).fit(X, y)
    tree = ("tree", spinney.DecisionTreeRegressor(max_depth=3))
    made = [
        spinney.BaggingRegressor(max_features=0.5, **FEW).fit(X, y),
        spinney.BucketOfModelsRegressor([tree, ("forest", spinney.RandomForestRegressor(**FEW))]).fit(X, y),
        spinney.merge_forests([forest, spinney.RandomForestRegressor(n_estimators=2, random_state=1).fit(X, y)]),
    ]
    for model in made:
        np.testing.assert_allclose(shap(model, X).total(), model.predict(X), atol=1e-12)
    spinney.save(forest, tmp_path / "forest.spinney")
    again = spinney.load(tmp_path / "forest.spinney", mmap=True)
    np.testing.assert_array_equal(again.shap_values(X), forest.shap_values(X))


def test_a_tree_without_questions():
    model = spinney.DecisionTreeRegressor().fit(numbers()[:5], np.full(5, 2.5))
    found = shap(model, numbers())
    assert found.base_values == 2.5
    assert not found.values.any()
    assert not shap(model, numbers(), interactions=True).values.any()


# --- the definition --------------------------------------------------------------------------------------------------


def drawn(seed, kind, n_columns):
    """A small model of some kind with missing values and categories, and rows to explain."""
    rng = np.random.RandomState(seed)
    X = np.round(rng.randn(60, n_columns), 1)
    X[:, 0] = rng.randint(0, 5, 60)
    y = X[:, 0] % 3 + np.where(X[:, 1] > 0, X[:, -1], 1.0) + X[:, 2] * X[:, 1]
    X[rng.rand(*X.shape) < 0.15] = np.nan
    weight = rng.randint(1, 4, 60)
    grown = {"max_leaf_nodes": 9, "random_state": 0}
    labels = np.digitize(y, [0.5, 1.5])
    cells = {"categorical_features": [0]}
    made = {
        "tree": lambda: spinney.DecisionTreeRegressor(**grown, **cells).fit(X, y, sample_weight=weight),
        "classes": lambda: spinney.DecisionTreeClassifier(**grown, **cells).fit(X, labels),
        "forest": lambda: spinney.RandomForestRegressor(n_estimators=2, **grown, **cells).fit(X, y),
        "boosting": lambda: spinney.GradientBoostingClassifier(
            n_estimators=2, max_leaf_nodes=8, min_samples_leaf=3, **cells
        ).fit(X, labels),
        "linear": lambda: spinney.GradientBoostingClassifier(
            n_estimators=2, max_leaf_nodes=8, min_samples_leaf=3, leaves="linear", **cells
        ).fit(X, labels),
        "c45": lambda: spinney.C45Classifier(max_leaf_nodes=12, **cells).fit(X, labels),
        "id3": lambda: spinney.ID3Classifier(max_depth=3).fit(words, labels),
    }
    words = np.digitize(np.nan_to_num(X - X[:, :1] / 2), [-0.5, 0.5])
    words[:3] = np.arange(3)[:, None]  # all of three categories in every column, so that their numbers are themselves
    model = made[kind]()
    if kind == "id3":
        X = words.astype(float)
        X[rng.rand(*X.shape) < 0.15] = np.nan  # stops where it is asked about
    return model, X


KINDS = ["tree", "classes", "forest", "boosting", "linear", "c45", "id3"]


@compiled
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 999), st.sampled_from(KINDS), st.integers(4, 6))
def test_values_and_interactions_are_those_of_the_definition(seed, kind, n_columns):
    model, X = drawn(seed, kind, n_columns)
    game = by_cover(trees(model))
    rows, outputs = X[:4], (lambda found: found[..., None] if found.ndim == 2 else found)
    found = outputs(shap(model, rows).values)
    for k, row in enumerate(rows):
        np.testing.assert_allclose(found[k], shapley_values(game, row, n_columns), atol=1e-10)
    both = shap(model, rows[:2], interactions=True).values
    both = both[..., None] if both.ndim == 3 else both
    for k, row in enumerate(rows[:2]):
        np.testing.assert_allclose(both[k], interactions(game, row, n_columns), atol=1e-10)


@compiled
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 999), st.sampled_from(KINDS[:-1]), st.integers(4, 5))
def test_background_rows_are_those_of_the_definition(seed, kind, n_columns):
    model, X = drawn(seed, kind, n_columns)
    background, rows = X[10:13], X[:3]
    game = by_background(says(model), background)
    found = shap(model, rows, background).values.reshape(3, n_columns, -1)
    both = shap(model, rows[:1], background, interactions=True).values.reshape(1, n_columns, n_columns, -1)
    for k, row in enumerate(rows):
        np.testing.assert_allclose(found[k], shapley_values(game, row, n_columns), atol=1e-10)
    np.testing.assert_allclose(both[0], interactions(game, rows[0], n_columns), atol=1e-10)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["tree", "c45"])
def test_a_few_rows_are_those_of_the_definition(kind):
    """Also in plain Python: repeated columns, sets, missing values that take a side or spread."""
    model, X = drawn(3, kind, 4)
    game = by_cover(trees(model))
    found = shap(model, X[:2], interactions=True).values.reshape(2, 4, 4, -1)
    against = shap(model, X[:2], X[7:8]).values.reshape(2, 4, -1)
    for k, row in enumerate(X[:2]):
        np.testing.assert_allclose(found[k], interactions(game, row, 4), atol=1e-10)
        one = by_background(says(model), X[7:8])
        np.testing.assert_allclose(against[k], shapley_values(one, row, 4), atol=1e-10)


@compiled
@pytest.mark.parametrize("kind", ["tree", "classes", "boosting"])
def test_many_background_rows_are_counted_by_pattern(kind):
    """Tables of patterns give what a walk against each background row gives."""
    model, X = drawn(5, kind, 5)
    whole = shap(model, X, X)
    each = np.mean([shap(model, X, X[k : k + 1], interactions=True).values.sum(axis=2) for k in range(60)], axis=0)
    np.testing.assert_allclose(whole.values, each, atol=1e-12)
    game = by_background(says(model), X)
    found = whole.values.reshape(60, 5, -1)
    np.testing.assert_allclose(found[8], shapley_values(game, X[8], 5), atol=1e-10)
    np.testing.assert_array_equal(whole.values, shap(model, X, X, n_jobs=3).values)


@compiled
def test_ten_columns():
    rng = np.random.RandomState(1)
    X = rng.randn(200, 10)
    y = (X[:, :5] * X[:, 5:]).sum(axis=1)
    model = spinney.DecisionTreeRegressor(max_leaf_nodes=30).fit(X, y)
    game = by_cover(trees(model))
    np.testing.assert_allclose(shap(model, X[:1]).values[0], shapley_values(game, X[0], 10)[:, 0], atol=1e-10)


@compiled
def test_ways_of_many_columns():
    """A way that asks about forty columns takes twenty points; sums stay exact."""
    X = np.eye(41)[:, :40]
    model = spinney.DecisionTreeRegressor().fit(X, np.arange(41.0) ** 2)
    assert model.get_depth() > 20
    np.testing.assert_allclose(shap(model, X).total(), model.predict(X), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(shap(model, X[:2], interactions=True).total(), model.predict(X[:2]), atol=1e-9)


# --- other libraries, threads, tables --------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("kinds", ["qqqq", "qqqc"])
def test_xgboost_says_the_same(kinds):
    xgboost = pytest.importorskip("xgboost")
    X, y, options = np.nan_to_num(table(), nan=2.0) if kinds == "qqqc" else table(), classes(), {"nthread": 1}
    columns = {"feature_types": list(kinds), "enable_categorical": True, **options}
    data, few = xgboost.DMatrix(X, label=y, **columns), xgboost.DMatrix(X[:20], **columns)
    options |= {"objective": "multi:softprob", "num_class": 3, "max_depth": 3, "max_cat_to_onehot": 1}
    booster = xgboost.train(options, data, 4)
    found = shap(spinney.from_xgboost(booster), X)
    theirs = booster.predict(data, pred_contribs=True)
    np.testing.assert_allclose(found.values, theirs[:, :, :-1].swapaxes(1, 2), atol=1e-5)
    np.testing.assert_allclose(np.broadcast_to(found.base_values, (80, 3)), theirs[:, :, -1], atol=1e-5)
    pairs = shap(spinney.from_xgboost(booster), X[:20], interactions=True).values
    theirs = booster.predict(few, pred_interactions=True)[:, :, :-1, :-1]
    np.testing.assert_allclose(pairs, np.moveaxis(theirs, 1, -1), atol=1e-5)


@compiled
def test_lightgbm_says_the_same():
    lightgbm = pytest.importorskip("lightgbm")
    options = {"min_data_in_leaf": 5, "num_threads": 1, "verbose": -1, "num_leaves": 7}
    booster = lightgbm.train(options, lightgbm.Dataset(table(), label=target()), 4)
    found = shap(spinney.from_lightgbm(booster), table())
    theirs = booster.predict(table(), pred_contrib=True)
    np.testing.assert_allclose(found.values, theirs[:, :-1], atol=1e-10)
    np.testing.assert_allclose(found.base_values, theirs[0, -1], atol=1e-10)


@compiled
def test_the_same_bits_on_any_number_of_threads_and_in_any_company():
    rng = np.random.RandomState(0)
    X = rng.randn(900, 5)
    model = spinney.GradientBoostingRegressor(n_estimators=5).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    one, three = (shap(model, X, n_jobs=n).values for n in (1, 3))
    np.testing.assert_array_equal(one, three)
    np.testing.assert_array_equal(one[501:502], shap(model, X[501:502]).values)
    pairs = [shap(model, X, interactions=True, n_jobs=n).values for n in (1, 3)]
    np.testing.assert_array_equal(*pairs)
    against = [shap(model, X, X[:3], n_jobs=n).values for n in (1, 3)]
    np.testing.assert_array_equal(*against)


@compiled
def test_tables_of_any_kind():
    pandas, scipy = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    X, y = spinney.datasets.load_penguins()
    model = spinney.GradientBoostingClassifier(n_estimators=3).fit(X, y)
    found = shap(model, X)
    assert found.feature_names == list(X.columns)
    assert found.output_names == list(map(str, model.classes_))
    assert found.data[0].tolist() == X.iloc[0].tolist()
    assert pandas.isna(found.data[3, 2])
    np.testing.assert_allclose(found.total(), model.decision_function(X), atol=1e-12)
    cells = scipy.csr_matrix(np.round(np.random.RandomState(0).rand(60, 6) - 0.2).clip(0))
    tree = spinney.DecisionTreeRegressor().fit(cells, np.arange(60.0))
    np.testing.assert_array_equal(shap(tree, cells).values, shap(tree, cells.toarray()).values)
    np.testing.assert_array_equal(shap(tree, cells).data, cells.toarray())


@compiled
def test_repeated_rows_are_weights():
    X, y, weight = table(), target(), np.random.RandomState(0).randint(1, 4, 80)
    few = {"n_estimators": 3, "min_samples_leaf": 5, "random_state": 0}
    weighted = spinney.GradientBoostingRegressor(**few).fit(X, y, sample_weight=weight)
    repeated = spinney.GradientBoostingRegressor(**few).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(shap(weighted, X).values, shap(repeated, X).values, atol=1e-12)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tree():
    return spinney.DecisionTreeRegressor(max_depth=2).fit(numbers(), target())


NOT_EXPLAINED = {
    "a class": (
        lambda X, y: spinney.DecisionTreeRegressor,
        TypeError,
        "model must be a fitted model, got the class DecisionTreeRegressor",
    ),
    "of another library": (
        lambda X, y: LinearRegression().fit(X, y),
        TypeError,
        r"one of Spinney's tree-based models \(.*\), got LinearRegression\. Import models of",
    ),
    "a loss": (
        lambda X, y: spinney.Loss(lambda y, f: y - f, lambda y, f: 1.0),
        TypeError,
        "must be a fitted tree-based model, got Loss",
    ),
    "not fitted": (lambda X, y: spinney.DecisionTreeRegressor(), NotFittedError, "not fitted yet"),
    "k-means": (
        lambda X, y: spinney.KMeans(2, n_init=1).fit(X),
        TypeError,
        "KMeans does not support SHAP values",
    ),
    "AdaBoost of numbers": (
        lambda X, y: spinney.AdaBoostRegressor(**FEW).fit(X, y),
        TypeError,
        "AdaBoostRegressor predicts a weighted median of its trees, which is not a sum",
    ),
    "a vote": (
        lambda X, y: spinney.VotingRegressor([("tree", spinney.DecisionTreeRegressor())]).fit(X, y),
        TypeError,
        "VotingRegressor combines several models",
    ),
    "boosting from an estimator": (
        lambda X, y: spinney.GradientBoostingRegressor(init=LinearRegression(), min_samples_leaf=5, **FEW).fit(X, y),
        ValueError,
        r"starts from an initial estimator \(init=LinearRegression\)",
    ),
}


@pytest.mark.parametrize("name", NOT_EXPLAINED)
def test_models_that_cannot_be_explained(name):
    make, error, words = NOT_EXPLAINED[name]
    model = make(numbers(), target())
    with pytest.raises(error, match=words):
        shap(model, numbers())


def test_the_method_of_a_model_that_is_not_fitted():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        spinney.DecisionTreeRegressor().shap_values(numbers())


def test_missing_values_where_votes_are_no_sum():
    model = spinney.C50Classifier(trials=3).fit(table(), classes())
    with pytest.raises(ValueError, match="X has missing values, which go down several branches of each tree of this C"):
        shap(model, table())
    with pytest.raises(ValueError, match="background has missing values"):
        shap(model, numbers(), table())


def test_tables_that_do_not_fit(tree):
    with pytest.raises(ValueError, match="X has 3 features, but DecisionTreeRegressor is expecting 4"):
        shap(tree, numbers()[:, :3])
    with pytest.raises(ValueError, match=r"background must be a table like X\. X has 3 features"):
        shap(tree, numbers(), numbers()[:, :3])
    with pytest.raises(ValueError, match="background must"):
        shap(tree, numbers(), numbers()[:0])
    with pytest.raises(TypeError, match="interactions must be True or False, got 'all'"):
        shap(tree, numbers(), interactions="all")
    with pytest.raises(ValueError, match="n_jobs must be a positive number of threads"):
        shap(tree, numbers(), n_jobs=0)

"""Partial dependence and individual curves: equal to what predicting says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.inspection import PartialDependenceDisplay as SklearnDisplay
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.linear_model import LinearRegression

import spinney
from spinney.datasets import load_penguins
from spinney.explain import ice, partial_dependence
from tests.families import FITS, categories, numbers, table
from tests.oracles.dependence import average, average_pair, cover_average, individual

WHOLE = ("adaboost", "adaboost-numbers", "bagging", "c50", "random-structure")  # tables without missing values
MODELS = [
    *("boosting", "boosting-classes", "boosting-exact", "tree", "tree-numbers", "random-forest", "extra-trees"),
    *("extra-tree", "isolation", "random-structure", "adaboost", "adaboost-numbers", "bagging", "id3", "c45", "c50"),
]


@pytest.fixture(scope="module")
def fitted():
    known = {}

    def fit(name):
        if name not in known:
            X = categories() if name == "id3" else numbers() if name in WHOLE else table()
            known[name] = FITS[name](), X.astype(float)
        return known[name]

    return fit


def response(model):
    """What the model answers, as the average has it."""
    if hasattr(model, "score_samples"):
        return model.score_samples
    return model.predict_proba if hasattr(model, "predict_proba") else model.predict


@pytest.mark.parametrize("name", MODELS)
def test_as_predicting_says(name, fitted):
    model, X = fitted(name)
    for column in (0, X.shape[1] - 1):
        found = ice(model, X, column, missing=name not in WHOLE and name != "id3", grid_resolution=6)
        expected = individual(response(model), X, column, found.grid_values[0])
        np.testing.assert_allclose(found.individual, expected, rtol=0, atol=1e-12)
        mean = partial_dependence(model, X, column, custom_values={column: found.grid_values[0]})
        np.testing.assert_allclose(mean.average, expected.mean(axis=1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["boosting", "boosting-classes", "random-forest", "id3"])
def test_pairs_as_predicting_says(name, fitted):
    model, X = fitted(name)
    pair = (0, X.shape[1] - 1)
    found = ice(model, X, pair, grid_resolution=4)
    expected = average_pair(response(model), X, pair, found.grid_values)
    np.testing.assert_allclose(found.average, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(partial_dependence(model, X, pair, grid_resolution=4).average, expected, atol=1e-12)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 12), st.booleans())
def test_drawn_trees_and_weights(seed, n, n_leaves, with_missing):
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 4, (n, 3)).astype(float)
    if with_missing:
        X[rng.rand(n, 3) < 0.2] = np.nan
    model = spinney.RandomForestRegressor(
        3, max_leaf_nodes=max(n_leaves, 2), categorical_features=[1], random_state=seed
    )
    model.fit(X, rng.randn(n))
    weight = rng.randint(0, 3, n).astype(float)
    weight[0] = 1.0
    grid = {0: [3.5, np.nan, -1.0, 2.0], 1: [0.0, 3.0, np.nan, 1.0], 2: [0.0, 1.0, 1.0, 2.5]}  # in any order
    for found, values in zip(
        partial_dependence(model, X, None, custom_values=grid, sample_weight=weight), grid.values()
    ):
        expected = average(model.predict, X, found.columns[0], values, weight)
        np.testing.assert_allclose(found.average, expected, rtol=0, atol=1e-12)


def test_strings_frames_and_unknown_categories():
    X, y = load_penguins()
    model = spinney.GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    for feature in ("island", "bill_length_mm", ("island", "sex")):
        walked = ice(model, X, feature, grid_resolution=9)
        asked = ice(model, X, feature, grid_resolution=9, method="brute")
        np.testing.assert_allclose(walked.individual, asked.individual, rtol=0, atol=1e-12)
        assert [list(map(str, one)) for one in walked.grid_values] == [list(map(str, one)) for one in asked.grid_values]
    never, missing = partial_dependence(model, X, "island", custom_values={"island": ["Elsewhere", None]}).average.T
    assert np.array_equal(never, missing)
    with pytest.raises(ValueError, match=r"column 'island' of X has no row with the value 'Elsewhere'"):
        partial_dependence(model, X, "island", custom_values={"island": ["Elsewhere"]}, method="brute")


def test_polars_and_sparse_tables():
    import polars as pl
    from scipy.sparse import csr_array

    X, y = load_penguins()
    model = spinney.RandomForestClassifier(3, random_state=0).fit(X, y)
    frame = pl.from_pandas(X)
    one, other = (partial_dependence(model, table, ["sex", "year"]) for table in (X, frame))
    assert all(np.array_equal(a.average, b.average) for a, b in zip(one, other))
    asked = partial_dependence(model, frame, ["sex", "year"], method="brute")
    assert all(np.allclose(a.average, b.average, rtol=0, atol=1e-12) for a, b in zip(one, asked))
    Z = np.where(numbers() > 0, numbers(), 0.0)
    tree = spinney.DecisionTreeRegressor(max_depth=3).fit(csr_array(Z), Z[:, 0])
    grid = partial_dependence(tree, csr_array(Z), 0, grid_resolution=5)
    assert np.allclose(grid.average, average(tree.predict, Z, 0, grid.grid_values[0]), rtol=0, atol=1e-12)


def test_as_scikit_learn(fitted):
    model, X = fitted("bagging")
    ours, theirs = (
        partial_dependence(model, X, 1, grid_resolution=7),
        sklearn_dependence(model, X, [1], grid_resolution=7),
    )
    assert np.array_equal(ours.grid_values[0], theirs.grid_values[0])
    np.testing.assert_allclose(ours.average, theirs.average, rtol=0, atol=1e-12)
    import matplotlib as mpl

    mpl.use("Agg")
    shown = SklearnDisplay([ours], features=[(1,)], feature_names=["a", "b", "c", "d"], target_idx=0, deciles={1: []})
    assert len(shown.plot().axes_) == 1


def test_recursion_is_by_the_training_rows():
    X = numbers()
    model = spinney.DecisionTreeRegressor(max_depth=4).fit(
        X, X[:, 0] * X[:, 1], sample_weight=np.arange(1.0, len(X) + 1)
    )
    found = partial_dependence(model, X, 0, method="recursion", grid_resolution=5)
    expected = [cover_average(model, 0, value) for value in found.grid_values[0]]
    np.testing.assert_allclose(found.average[0], expected, rtol=0, atol=1e-12)
    pair = partial_dependence(model, X, (0, 1), method="recursion", grid_resolution=5)
    assert pair.average.shape == (1, 5, 5)


def test_raw_scores_and_responses(fitted):
    model, X = fitted("boosting-classes")
    found = partial_dependence(model, X, 0, response_method="decision_function", grid_resolution=5)
    np.testing.assert_allclose(found.average, average(model.decision_function, X, 0, found.grid_values[0]), atol=1e-12)
    assert np.array_equal(
        partial_dependence(model, X, 0, response_method="raw", grid_resolution=5).average, found.average
    )
    asked = partial_dependence(model, X, 0, response_method="raw", grid_resolution=5, method="brute")
    np.testing.assert_allclose(found.average, asked.average, rtol=0, atol=1e-12)
    by_cover = partial_dependence(model, X, 0, method="recursion", grid_resolution=5)
    assert by_cover.average.shape == found.average.shape
    counts = spinney.GradientBoostingRegressor(loss="poisson", n_estimators=3, min_samples_leaf=5).fit(
        X, np.arange(len(X))
    )
    found = partial_dependence(counts, X, 0, grid_resolution=5)
    np.testing.assert_allclose(found.average, average(counts.predict, X, 0, found.grid_values[0]), rtol=1e-12)


@pytest.mark.parametrize("name", ["boosting-classes", "isolation", "adaboost"])
def test_one_walk_or_many(name, fitted, monkeypatch):
    from spinney.explain.dependence import partial_dependence as module

    model, X = fitted(name)
    groups = [0, (0, 1), 1, 0]
    together = partial_dependence(model, X, groups, grid_resolution=5)
    monkeypatch.setattr(module, "_CURVES", 1)
    monkeypatch.setattr(module, "_COUNTS", 1)
    for group, one, again in zip(groups, together, partial_dependence(model, X, groups, grid_resolution=5)):
        np.testing.assert_allclose(one.average, again.average, rtol=1e-12)
        np.testing.assert_allclose(ice(model, X, group, grid_resolution=5).average, one.average, rtol=1e-12)


def test_grids_are_those_of_scipy():
    from scipy.stats.mstats import mquantiles

    from spinney.explain.dependence.grids import GridSpec

    for n in (3, 10, 57):
        values = np.random.RandomState(n).randn(n).round(3)
        for low, high in [(0.0, 1.0), (0.05, 0.95), (0.4, 0.401)]:
            grid = GridSpec((low, high), 2).range_of(np.append(values, np.nan))
            np.testing.assert_array_equal(grid, mquantiles(values, [low, high]))


def test_the_same_bits_on_any_number_of_threads():
    X = np.random.RandomState(0).randn(3000, 4)
    found = []
    for n_jobs in (1, 3):
        model = spinney.GradientBoostingClassifier(n_estimators=10, n_jobs=n_jobs, random_state=0).fit(
            X, X[:, 0] > X[:, 1]
        )
        raw = partial_dependence(model, X, [0, (0, 1)], response_method="raw", grid_resolution=8)
        shares = partial_dependence(model, X, [2, (0, 1)], grid_resolution=8)
        found.append([one.average for one in (*raw, *shares, ice(model, X, 1, grid_resolution=8))])
    assert all(np.array_equal(a, b) for a, b in zip(*found))


@pytest.mark.parametrize("base", [None, spinney.GradientBoostingClassifier(n_estimators=2)], ids=["trees", "boosting"])
def test_members_with_columns_of_their_own(base):
    X, y = load_penguins()
    model = spinney.BaggingClassifier(base, n_estimators=3, max_features=3, random_state=0).fit(X, y)
    for feature in ("island", "body_mass_g"):
        found = partial_dependence(model, X, feature, method="brute", grid_resolution=4)
        for k, value in enumerate(found.grid_values[0]):
            expected = model.predict_proba(X.assign(**{feature: value})).mean(axis=0)
            np.testing.assert_allclose(found.average[:, k], expected, atol=1e-12)


def test_any_other_model_is_asked():
    X = numbers()
    model = LinearRegression().fit(X, X[:, 0])
    found = partial_dependence(model, X, 0, grid_resolution=3)
    np.testing.assert_allclose(found.average[0], found.grid_values[0], atol=1e-12)
    with pytest.raises(
        TypeError, match=r"method='walk' needs a model that is a sum of Spinney's trees, which this Linear"
    ):
        partial_dependence(model, X, 0, method="walk")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "mean"}, "kind must be one of 'average', 'individual', 'both', got 'mean'"),
        ({"method": "fast"}, "method must be one of 'auto', 'walk', 'brute', 'recursion', got 'fast'"),
        ({"response_method": "proba"}, "response_method must be one of"),
        (
            {"response_method": "predict_proba"},
            "response_method='predict_proba': RandomForestRegressor has no predict_proba",
        ),
        ({"features": 9}, "features must be columns of X, numbers from 0 to 3, got 9"),
        ({"features": "a"}, "features must be columns of X, numbers from 0 to 3, got 'a'"),
        ({"features": (0, 1, 2)}, "pairs of two different ones, got"),
        ({"features": []}, "features must name at least one column"),
        ({"percentiles": (0.9, 0.1)}, "percentiles must be two numbers from 0 to 1, the smaller first"),
        ({"grid_resolution": 1}, "grid_resolution must be an integer of at least 2, got 1"),
        ({"custom_values": [1, 2]}, "custom_values must be a dict from column to values, got list"),
        ({"custom_values": {0: []}}, "custom_values of column 0 must not be empty"),
        ({"sample_weight": [1.0]}, "sample_weight must be 80 numbers of at least 0"),
        ({"method": "recursion", "kind": "both"}, "method='recursion' uses no rows"),
        ({"percentiles": (0.3, 0.6), "features": 3, "grid_resolution": 3}, r"of a column are the same number \(0\)"),
    ],
)
def test_what_is_wrong_is_said(wrong, message):
    X = numbers()
    X[:, 3] = np.where(np.arange(80) > 75, np.arange(80), 0.0)
    model = spinney.RandomForestRegressor(2, random_state=0).fit(X, X[:, 0])
    with pytest.raises((ValueError, TypeError), match=message):
        partial_dependence(model, X, **({"features": 0} | wrong))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (spinney.RandomForestRegressor, "model must be a fitted model, got the class RandomForestRegressor"),
        ("forest", "model must be a fitted model, got str"),
    ],
    ids=["class", "string"],
)
def test_models_that_are_none(model, words):
    with pytest.raises(TypeError, match=words):
        partial_dependence(model, numbers(), 0)


def test_models_that_are_not_fitted():
    with pytest.raises(NotFittedError):
        partial_dependence(spinney.RandomForestRegressor(), numbers(), 0)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            {"response_method": "predict"},
            "'predict' needs numeric predictions, but GradientBoostingClassifier predicts classes",
        ),
        (
            {"response_method": "predict_proba", "method": "recursion"},
            "recursion' averages raw scores, and predict_proba of a GradientBoostingClassifier",
        ),
    ],
    ids=["classes", "probabilities by recursion"],
)
def test_responses_that_have_no_mean(how, words):
    X = numbers()
    model = spinney.GradientBoostingClassifier(n_estimators=2, min_samples_leaf=5).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match=words):
        partial_dependence(model, X, 0, **how)


def test_raw_scores_of_another_library():
    X = numbers()
    with pytest.raises(ValueError, match="'raw': LinearRegression has no raw scores"):
        partial_dependence(LinearRegression().fit(X, X[:, 0]), X, 0, response_method="raw")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (4, "columns with at least one finite number"),
        (2, "X has 2 features, but DecisionTreeRegressor is expecting 4"),
    ],
    ids=["nothing but NaN", "too few columns"],
)
def test_tables_that_do_not_fit(columns, words):
    X = numbers()
    tree = spinney.DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0])
    X[:, 1] = np.nan
    with pytest.raises(ValueError, match=words):
        partial_dependence(tree, X[:, :columns], 1)


def test_a_vote_without_probabilities_says_so():
    vote = spinney.VotingClassifier([("a", spinney.DecisionTreeClassifier())], voting="hard").fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="has neither predict_proba nor decision_function"):
        partial_dependence(vote, [[0], [1]], 0)

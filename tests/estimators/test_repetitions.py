"""Integer weights are repetitions, where values are missing and categories unseen, too: every family that promises it.

A table with gaps and categories is fitted twice, with weights and with rows as often as their weights say. Predictions
are compared on a table in which everything may be missing or unseen at a node, and so are the trees themselves.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

import spinney
from spinney import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    C50Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ID3Classifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomStructureForestClassifier,
    RandomStructureForestRegressor,
)
from tests.compiled import few, slow

SETS = {"categorical_features": [2, 3]}
FEW = {"n_estimators": 3, "random_state": 0}
LEAST = {"min_samples_leaf": 3, "n_estimators": 3}  # the one place where boosting counts rows: as repetitions


def table(random, n_rows):
    """Two columns of numbers, two of categories; rare values, and gaps that most nodes do not see."""
    X = np.column_stack([random.randn(n_rows), random.randint(0, 4, n_rows), *random.randint(0, 6, (2, n_rows))])
    X[random.rand(n_rows, 4) < 0.06] = np.nan
    return X


def everywhere(random, X):
    """Rows that ask every node for what it may not have seen."""
    asked = np.repeat(X, 4, axis=0)
    asked[random.rand(*asked.shape) < 0.4] = np.nan
    return asked


def assert_same(one, other, asked, tolerance=0.0):
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(one, method):
            answers = (getattr(model, method)(asked) for model in (one, other))
            np.testing.assert_allclose(*answers, rtol=tolerance, atol=1e-3 * tolerance)


def fit_both(model, X, y, random, least=1):
    """The model fitted with weights, and to repeated rows in another order."""
    weight = random.randint(least, 5, len(y))
    weight[: len(y) // 2 : 7] = 4
    rows = random.permutation(np.repeat(np.arange(len(y)), weight))
    return clone(model).fit(X, y, weight), clone(model).fit(X[rows], y[rows])


CLASSIFIERS = [
    DecisionTreeClassifier(**SETS),
    DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=9, **SETS),
    DecisionTreeClassifier(criterion="gain_ratio", max_depth=4, **SETS),
    DecisionTreeClassifier(ccp_alpha=0.01, **SETS),
    OptimalTreeClassifier(max_depth=2, time_budget=None, min_samples_leaf=3),
    OptimalTreeClassifier(criterion="entropy", max_depth=3, time_budget=None, max_bins=4, **SETS),
    ExtraTreeClassifier(random_state=0, **SETS),
    RandomForestClassifier(**FEW, **SETS),
    RandomForestClassifier(max_bins=None, **FEW, **SETS),
    ExtraTreesClassifier(**FEW, **SETS),
    RandomStructureForestClassifier(**FEW, **SETS),
    AdaBoostClassifier(**FEW),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=3, **SETS), **FEW),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, **SETS), algorithm="SAMME.R", **FEW),
    BaggingClassifier(**FEW),
    BaggingClassifier(bootstrap=False, max_samples=0.7, **FEW),
    ID3Classifier(min_samples_leaf=2),
    C45Classifier(),
    C50Classifier(trials=3),
    GradientBoostingClassifier(**LEAST, **SETS),
    GradientBoostingClassifier(max_bins=None, **LEAST),
]
REGRESSORS = [
    DecisionTreeRegressor(**SETS),
    DecisionTreeRegressor(max_leaf_nodes=9, **SETS),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=4),
    OptimalTreeRegressor(max_depth=2, time_budget=None, **SETS),
    RandomForestRegressor(**FEW, **SETS),
    ExtraTreesRegressor(**FEW),
    ExtraTreesRegressor(max_bins=None, **FEW),
    RandomStructureForestRegressor(**FEW, **SETS),
    AdaBoostRegressor(DecisionTreeRegressor(max_depth=3, **SETS), **FEW),
    BaggingRegressor(**FEW),
    GradientBoostingRegressor(**LEAST, **SETS),
    GradientBoostingRegressor(max_bins=None, **LEAST),
]


@pytest.mark.parametrize("n_classes", [*slow([2]), 3])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@few(6)
@given(seed=st.integers(0, 10_000), n_rows=st.sampled_from([12, 40, 90]))
def test_classes(model, n_classes, seed, n_rows):
    random = np.random.RandomState(seed)
    X = table(random, n_rows)
    if isinstance(model, ID3Classifier):
        X = np.nan_to_num(np.round(X))
    y = (np.nan_to_num(X[:, 0]) > 0) + (np.nan_to_num(X[:, 2]) % n_classes) + random.randint(0, 2, n_rows)
    y = np.minimum(y, n_classes - 1).astype(int)
    y[:n_classes] = np.arange(n_classes)
    one, other = fit_both(model, X, y, random, least=1)
    parts_of_rows = isinstance(model, (C45Classifier, C50Classifier))
    assert_same(one, other, everywhere(random, X), tolerance=1e-5 if parts_of_rows else 0)
    if isinstance(model, GradientBoostingClassifier):
        assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
@few(6)
@given(seed=st.integers(0, 10_000), n_rows=st.sampled_from([12, 40, 90]))
def test_numbers(model, seed, n_rows):
    random = np.random.RandomState(seed)
    X = table(random, n_rows)
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 2]) + random.randint(0, 3, n_rows)
    one, other = fit_both(model, X, y, random)
    assert_same(one, other, everywhere(random, X), tolerance=1e-9)
    if isinstance(model, GradientBoostingRegressor):
        assert one.fingerprint_ == other.fingerprint_


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(), DecisionTreeRegressor(), RandomForestClassifier(**FEW)], ids=str
)
@few(6)
@given(seed=st.integers(0, 10_000))
def test_sparse_tables(model, seed):
    random = np.random.RandomState(seed)
    dense = np.where(random.rand(60, 5) < 0.2, random.randint(-3, 4, (60, 5)), 0.0)
    dense[random.rand(60, 5) < 0.04] = np.nan
    X, y = csr_array(dense), random.randint(0, 2, 60)
    one, other = fit_both(model, X, y, random, least=1)
    assert_same(one, other, csr_array(everywhere(random, dense)), tolerance=1e-9)


def test_stumps_of_large_tables():
    """From 8,192 rows on they look at blocks of the sorted lists."""
    random = np.random.RandomState(0)
    X = random.randint(0, 6, (9000, 3)).astype(float)
    X[:, 1:][random.rand(9000, 2) < 0.05] = np.nan  # the best column has no gap, and more rows on its lighter side
    y = (X[:, 0] < 4) ^ (random.rand(9000) < 0.1)
    weight = np.where(X[:, 0] < 4, 1, 5)
    rows = np.repeat(np.arange(9000), weight)
    asked = np.full((1, 3), np.nan)
    for model in (AdaBoostClassifier(n_estimators=3), AdaBoostClassifier(n_estimators=3, keep_weights=True)):
        one, other = clone(model).fit(X, y, weight), clone(model).fit(X[rows], y[rows])
        assert one.estimators_[0].tree_.feature[0] == 0
        np.testing.assert_array_equal(one.decision_function(asked), other.decision_function(asked))
    one, other = (spinney.DecisionTreeClassifier(max_depth=1) for _ in range(2))
    np.testing.assert_array_equal(
        one.fit(X, y, weight).predict_proba(asked), other.fit(X[rows], y[rows]).predict_proba(asked)
    )


# --- rows of weight 0 -------------------------------------------------------------------------------------------------


def idle_table():
    """Strings and numbered categories, some of which only rows of weight 0 have; the table, the target, weights."""
    random = np.random.RandomState(0)
    X = pd.DataFrame(
        {
            "colour": random.choice(["amber", "blue", "red"], 80),
            "size": random.randn(80).round(1),
            "kind": random.choice(list("pqrs"), 80),
        }
    )
    weight = random.randint(0, 3, 80)
    X.loc[weight == 0, "colour"] = np.where(random.rand((weight == 0).sum()) < 0.5, "black", "white")
    X.loc[random.rand(80) < 0.1, "colour"] = None
    y = (X["size"] + X["kind"].isin(["p", "q"]) + (X["colour"] == "blue") > 0.5).to_numpy().astype(int)
    return X, y, weight


WITH_STRINGS = [
    DecisionTreeClassifier(),
    DecisionTreeRegressor(max_leaf_nodes=6),
    ExtraTreeClassifier(random_state=0),
    RandomForestClassifier(**FEW),
    RandomForestClassifier(bootstrap=False, max_bins=None, **FEW),
    ExtraTreesRegressor(**FEW),
    RandomStructureForestClassifier(**FEW),
    spinney.IsolationForest(**FEW),
    spinney.RandomTreesEmbedding(**FEW),
    AdaBoostClassifier(**FEW),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), **FEW),
    BaggingClassifier(**FEW),
    C45Classifier(),
    C50Classifier(trials=3),
    GradientBoostingClassifier(**LEAST),
    GradientBoostingRegressor(max_bins=None, **LEAST),
]


@pytest.mark.parametrize("model", WITH_STRINGS, ids=str)
@pytest.mark.parametrize("factor", [*slow([1]), 0.3], ids=["whole", "others"])
def test_categories_of_rows_of_weight_zero_are_not_known(model, factor):
    X, y, weight = idle_table()
    there = weight > 0
    one = clone(model).fit(X, y, sample_weight=weight * factor)
    other = clone(model).fit(X[there], y[there], sample_weight=weight[there] * factor)
    assert one.fingerprint_ == other.fingerprint_
    if hasattr(one, "_schema"):
        assert one._schema == other._schema
        assert one._schema.columns[0].categories in (None, ("amber", "blue", "red"))  # None: it knows names only
    if hasattr(one, "predict"):
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize(
    "model", [GradientBoostingClassifier(**LEAST), RandomForestClassifier(**FEW), GradientBoostingRegressor(**LEAST)]
)
def test_categories_of_rows_of_weight_zero_in_batches(model):
    X, y, weight = idle_table()
    expected = clone(model).fit(X, y, sample_weight=weight)
    for n in (80, 30):
        batches = [X[k : k + n].assign(y=y[k : k + n], w=weight[k : k + n]) for k in range(0, 80, n)]
        opened = spinney.open_table(lambda batches=batches: iter(batches), target="y", sample_weight="w")
        fitted = clone(model).fit(opened)
        assert fitted.fingerprint_ == expected.fingerprint_
        assert fitted._schema == expected._schema
        np.testing.assert_array_equal(fitted.predict(opened), expected.predict(X))


def test_a_category_of_rows_of_weight_zero_is_refused_as_unknown():
    X, y, weight = idle_table()
    model = DecisionTreeClassifier(handle_unknown="error").fit(X, y, weight)
    model.predict(X[weight > 0])
    with pytest.raises(ValueError, match="Column 'colour' holds categories that DecisionTreeClassifier has not seen"):
        model.predict(X)

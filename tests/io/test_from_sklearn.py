"""scikit-learn's models: leaves and sums to the last bit, on values that float32 cannot hold, and every refusal."""

import re
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as theirs
import sklearn.tree
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import spinney
from spinney import from_sklearn
from spinney.io.checks import ModelFormatError

ROWS = 200
RNG = np.random.default_rng(0)
X = RNG.normal(size=(ROWS, 4))
HOLES = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
Y = X[:, 0] + X[:, 1] * X[:, 2]
GRADES = np.array(["bad", "fair", "good"])[np.digitize(Y, [-0.5, 0.5])]
ONE = [(sklearn.tree, "DecisionTree"), (sklearn.tree, "ExtraTree")]
MANY = [(theirs, "RandomForest"), (theirs, "ExtraTrees"), (theirs, "Bagging")]


def make(home, name, kind, **params):
    few = {} if home is sklearn.tree else {"n_estimators": 4}
    return getattr(home, f"{name}{kind}")(random_state=0, **few, **params)


def check(model, table, exact=True):
    """The same answers; returns ours."""
    ours = from_sklearn(model)
    assert np.array_equal(ours.predict(table), model.predict(table)) or not exact
    assert np.allclose(ours.predict(table), model.predict(table), rtol=1e-14) if not exact else True
    for name in ("predict_proba", "decision_function"):
        if hasattr(model, name):
            found, given = getattr(ours, name)(table), getattr(model, name)(table)
            same = np.array_equal if name == "decision_function" or not hasattr(model, "loss") else near
            pairs = zip(found, given) if isinstance(given, list) else [(found, given)]
            assert all(same(a, b) for a, b in pairs)
    if hasattr(model, "feature_importances_"):
        np.testing.assert_allclose(ours.feature_importances_, model.feature_importances_, atol=1e-12)
    return ours


def near(a, b):
    return np.allclose(a, b, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize(("home", "name"), [*ONE, *MANY])
def test_trees_and_forests(home, name):
    ours = check(make(home, name, "Classifier").fit(HOLES, GRADES), HOLES)
    assert ours.classes_.tolist() == ["bad", "fair", "good"]
    check(make(home, name, "Regressor").fit(HOLES, Y), HOLES)
    if name != "Bagging":
        check(make(home, name, "Classifier", max_leaf_nodes=9, criterion="entropy").fit(X, Y > 0), X)
        check(make(home, name, "Classifier").fit(X, np.c_[GRADES, np.where(Y > 0, "a", "b")]), X)
        check(make(home, name, "Regressor").fit(X, np.c_[Y, -Y]), X)


def test_weights_that_are_not_whole():
    model = sklearn.tree.DecisionTreeClassifier(max_depth=4).fit(X, GRADES, sample_weight=RNG.random(ROWS))
    np.testing.assert_allclose(from_sklearn(model).predict_proba(X), model.predict_proba(X), rtol=1e-14)


def test_values_within_a_rounding_of_the_thresholds():
    model = sklearn.tree.DecisionTreeRegressor().fit(X.astype(np.float32), Y)
    at = from_sklearn(model).forest_.threshold
    near_by = np.concatenate([at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf), model.tree_.threshold])
    check(model, np.stack([np.roll(near_by, k) for k in range(4)], axis=1))
    check(model, X.astype(np.float32))


def test_bagging_of_some_columns_and_rows():
    check(theirs.BaggingClassifier(max_features=2, max_samples=3, n_estimators=6, random_state=0).fit(X, GRADES), X)
    check(theirs.BaggingRegressor(max_features=0.5, n_estimators=3, random_state=0).fit(X, Y), X)


def test_bagging_whose_members_do_not_know_all_classes():
    """As older versions fit them."""
    model = theirs.BaggingClassifier(n_estimators=3, random_state=0).fit(X, GRADES)
    known = np.flatnonzero(GRADES != "fair")
    codes = np.searchsorted(model.classes_, GRADES[known])
    model.estimators_[1] = sklearn.tree.DecisionTreeClassifier(max_depth=3).fit(X[known], codes)
    check(model, X)


def test_sparse_tables():
    sparse = csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    check(theirs.RandomForestRegressor(3, random_state=0).fit(sparse, Y), sparse)


@pytest.mark.parametrize(
    ("kind", "params", "y"),
    [
        ("Classifier", {}, Y > 0),
        ("Classifier", {"loss": "exponential"}, Y > 0),
        ("Classifier", {"init": "zero"}, GRADES),
        ("Regressor", {}, Y),
        ("Regressor", {"loss": "quantile", "learning_rate": 0.3}, Y),
        ("Regressor", {"loss": "huber", "init": "zero"}, Y),
    ],
)
def test_gradient_boosting(kind, params, y):
    model = getattr(theirs, f"GradientBoosting{kind}")(n_estimators=4, **params).fit(X, y)
    check(model, X)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "gamma", "poisson", "quantile"])
def test_histogram_boosting(loss):
    model = theirs.HistGradientBoostingRegressor(loss=loss, max_iter=4, quantile=0.3 if loss == "quantile" else None)
    check(model.fit(HOLES, np.abs(Y) + 0.1), HOLES, exact=loss not in ("gamma", "poisson"))


@pytest.mark.parametrize("y", [Y > 0, GRADES], ids=["two classes", "three classes"])
def test_histogram_boosting_of_classes(y):
    check(theirs.HistGradientBoostingClassifier(max_iter=4).fit(HOLES, y), HOLES)


def test_histogram_boosting_with_categories():
    frame = pd.DataFrame({"a": HOLES[:, 0], "hue": pd.Categorical(RNG.choice(list("zyxwv"), ROWS), list("vzyxw"))})
    frame["b"], frame["code"] = HOLES[:, 1], pd.Categorical(RNG.choice([9, 5, 7], ROWS))
    frame.loc[::9, "hue"] = np.nan
    y = Y + 2 * (frame["hue"] == "x") - (frame["code"] == 7)
    ours = check(theirs.HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5).fit(frame, y), frame)
    assert {"hue", "code"} <= set(spinney.trees_to_frame(ours)["feature"].dropna())
    table = np.c_[X[:, 0], RNG.integers(0, 30, ROWS) * 2.0]
    model = theirs.HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=5, categorical_features=[1])
    model.fit(table, Y + 3 * np.isin(table[:, 1], [4, 8, 20]))
    table[:20, 1], table[20:40, 1] = 3, np.nan
    assert len(check(model, table).forest_.sets)


def test_what_is_refused():
    kinds = (
        "DecisionTree*, ExtraTree*, RandomForest*, ExtraTrees*, GradientBoosting*, HistGradientBoosting*, and Bagging*"
    )
    for model in (LinearRegression(), spinney.DecisionTreeClassifier(), 3):
        with pytest.raises(
            TypeError, match=re.escape(f"from_sklearn accepts scikit-learn's {kinds} of decision trees; got")
        ):
            from_sklearn(model)
    with pytest.raises(NotFittedError):
        from_sklearn(theirs.RandomForestClassifier())
    other = theirs.BaggingClassifier(KNeighborsClassifier(), 2).fit(X, GRADES)
    with pytest.raises(
        TypeError, match="accepts bagging of decision trees only, got base estimators KNeighborsClassifier"
    ):
        from_sklearn(other)
    several = theirs.BaggingRegressor(n_estimators=2).fit(X, np.c_[Y, Y])
    with pytest.raises(TypeError, match="accepts bagging with one output only"):
        from_sklearn(several)
    start = theirs.GradientBoostingClassifier(n_estimators=2, init=LogisticRegression()).fit(X, Y > 0)
    with pytest.raises(TypeError, match="starts from the predictions of an initial estimator, LogisticRegression"):
        from_sklearn(start)


def test_categories_of_two_kinds_are_refused(monkeypatch):
    table = np.c_[X[:, 0], RNG.integers(0, 3, ROWS)]
    model = theirs.HistGradientBoostingRegressor(max_iter=2, categorical_features=[1]).fit(table, Y)
    encoder = model._preprocessor.named_transformers_["encoder"]
    monkeypatch.setattr(encoder, "categories_", [np.array(["a", 1, 2], object)])
    with pytest.raises(ModelFormatError, match="column 1 has strings and numbers as categories"):
        from_sklearn(model)


@pytest.mark.parametrize(
    ("fields", "model"),
    [
        ("_NODE_FIELDS", sklearn.tree.DecisionTreeRegressor(max_depth=1)),
        ("_HIST_FIELDS", theirs.HistGradientBoostingRegressor(max_iter=1)),
    ],
)
def test_nodes_with_more_fields_are_refused(monkeypatch, fields, model):
    """As a later scikit-learn might write them."""
    model.fit(X, Y)
    known = getattr(import_module("spinney.io.from_sklearn"), fields)
    monkeypatch.setattr(f"spinney.io.from_sklearn.{fields}", known - {"missing_go_to_left"})
    with pytest.raises(TypeError, match="have a field 'missing_go_to_left' that this release of Spinney does not know"):
        from_sklearn(model)

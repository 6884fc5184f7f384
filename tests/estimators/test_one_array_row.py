"""A row alone takes a way of its own: its answers are those of the row among others, to the last bit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import spinney

MODELS = {
    "two classes": spinney.GradientBoostingClassifier(n_estimators=11, random_state=0),
    "exponential": spinney.GradientBoostingClassifier("exponential", n_estimators=5, random_state=0),
    "three classes": spinney.GradientBoostingClassifier(n_estimators=5, random_state=0),
    "numbers": spinney.GradientBoostingRegressor(n_estimators=9, random_state=0),
    "log link": spinney.GradientBoostingRegressor("poisson", n_estimators=3, random_state=0),
    "forest": spinney.RandomForestClassifier(10, random_state=0),
    "votes": spinney.RandomForestClassifier(7, max_depth=3, voting="hard", random_state=0),
    "forest of numbers": spinney.ExtraTreesRegressor(9, random_state=0),
    "tree": spinney.DecisionTreeClassifier(),
    "tree of numbers": spinney.DecisionTreeRegressor(),
}


def table(name):
    rng = np.random.RandomState(3)
    X = rng.randn(300, 4)
    X[rng.rand(300, 4) < 0.1] = np.nan
    signal = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 + 0.5 * rng.randn(300)
    n_classes = 3 if name == "three classes" else 2
    y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    return X, np.exp(signal) if "numbers" in name or name == "log link" else y


@pytest.mark.parametrize("name", MODELS)
def test_a_row_alone_and_among_others(name):
    X, y = table(name)
    model = MODELS[name].fit(X, y)
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        if hasattr(model, method):
            answers = getattr(model, method)(X)
            for i in range(40):
                np.testing.assert_array_equal(getattr(model, method)(X[i : i + 1])[0], answers[i])


@pytest.mark.parametrize("name", ["two classes", "forest", "tree"])
def test_a_row_in_any_memory(name):
    X, y = table(name)
    model = MODELS[name].fit(X.astype(np.float32), y)
    row = X[5:6].astype(np.float32)
    expected = model.predict_proba(row.astype(np.float64))
    backwards = np.asfortranarray(np.repeat(row[:, ::-1], 2, axis=1).astype(np.float64))[:, ::-2]
    fixed = row.astype(np.float64)
    fixed.flags.writeable = False
    for one in (row, backwards, fixed, row.astype(">f8"), row.tolist()):
        np.testing.assert_array_equal(model.predict_proba(one), expected)


@pytest.mark.parametrize("name", ["two classes", "numbers", "forest", "tree"])
def test_a_row_is_checked_as_tables_are(name):
    X, y = table(name)
    model = clone(MODELS[name])
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        model.predict(X[:1])
    model = MODELS[name].fit(X, y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 4 features"):
        model.predict(X[:1, :3])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        model.predict(X[0])

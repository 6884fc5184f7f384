"""Columns that are selected by importances: ours, and scikit-learn's way on our models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import spinney
from spinney.evaluate import cross_validate
from spinney.explain import select_features


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 6)), columns=list("abcdef"))
    X["job"] = rng.choice(["x", "y", "z"], 300)
    y = (X["b"] + 2 * (X["job"] == "y") + 0.3 * rng.normal(size=300) > 0.5).astype(int)
    return X, y


FOREST = spinney.RandomForestClassifier(n_estimators=10, max_depth=4, random_state=0)


def test_the_columns_that_matter_are_found(table):
    X, y = table
    found = select_features(FOREST, X, y, cv=3)
    assert found.columns == ["b", "job"]
    assert found.support.tolist() == [name in ("b", "job") for name in X]
    assert found.sizes == [7, 4, 2, 1]
    assert list(found.transform(X).columns) == found.columns
    assert found.estimator.predict(found.transform(X)).shape == (300,)
    assert found.mean[0] == pytest.approx(cross_validate(FOREST, X, y, cv=3).mean())
    assert "2 of 7 columns: b, job" in repr(found)
    assert "<-" in repr(found)


def test_numbers_of_columns_and_weights(table):
    X, y = table
    plain = X.assign(job=X["job"].map({"x": 0, "y": 1, "z": 2})).to_numpy(float)
    model = spinney.DecisionTreeClassifier(max_depth=3, categorical_features=[6])
    weights = np.where(np.arange(300) % 3 == 0, 2.0, 1.0)
    found = select_features(model, plain, y, cv=3, min_features=2, sample_weight=weights)
    assert found.columns == [1, 6]
    direct = spinney.DecisionTreeClassifier(max_depth=3, categorical_features=[1])
    direct.fit(plain[:, [1, 6]], y, sample_weight=weights)
    assert found.estimator.fingerprint_ == direct.fingerprint_


@pytest.mark.parametrize(
    "model",
    [
        FOREST,
        spinney.DecisionTreeClassifier(max_depth=3),
        spinney.ExtraTreesClassifier(n_estimators=5, random_state=0),
        spinney.GradientBoostingClassifier(n_estimators=5),
        spinney.AdaBoostClassifier(n_estimators=5),
    ],
    ids=lambda one: type(one).__name__,
)
def test_scikit_learns_selection_works_on_our_models(table, model):
    X, y = table
    X = X.drop(columns="job")
    chosen = SelectFromModel(model, threshold="mean").set_output(transform="pandas")
    kept = chosen.fit_transform(X, y)
    shares = chosen.estimator_.feature_importances_
    assert list(kept.columns) == X.columns[shares >= shares.mean()].tolist()
    assert "b" in kept.columns
    assert make_pipeline(chosen, LogisticRegression()).fit(X, y).score(X, y) > 0.6
    given = SelectFromModel(chosen.estimator_, prefit=True, max_features=1, threshold=-np.inf).fit(X, y)
    assert given.transform(X).shape == (300, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"step": 1}, "step must be a fraction between 0 and 1, got 1."),
        ({"min_features": 0}, "min_features must be a positive integer, got 0."),
        ({"min_features": 9}, "min_features must be at most the number of columns, 7, got 9."),
        ({"tolerance": -1}, "tolerance must be a number of at least 0, got -1."),
        ({"scoring": ["accuracy", "f1"]}, "scoring must be one score, got ['accuracy', 'f1']."),
    ],
)
def test_bad_arguments(table, arguments, message):
    with pytest.raises(ValueError) as caught:
        select_features(FOREST, *table, **arguments)
    assert str(caught.value) == message


BAD_CALLS = {
    "rows": (
        lambda X, y: select_features(FOREST, X, y[:3]),
        ValueError,
        r"inconsistent numbers of samples: \[300, 3\]",
    ),
    "no importances": (
        lambda X, y: select_features(LogisticRegression(), X.drop(columns="job"), y, cv=2),
        TypeError,
        "LogisticRegression does not have",
    ),
    "one column": (
        lambda X, y: select_features(FOREST, np.zeros(300), y),
        ValueError,
        "X must be two-dimensional, got shape",
    ),
    "columns that may not go": (
        lambda X, y: select_features(
            spinney.GradientBoostingClassifier(n_estimators=2, interaction_cst=[[0, 1]]), X, y, cv=2
        ),
        ValueError,
        "interaction_cst names columns that may be dropped",
    ),
    "names that may not go": (
        lambda X, y: select_features(spinney.DecisionTreeClassifier(categorical_features=["job"]), X, y, cv=2),
        ValueError,
        "may be dropped. Pass a mask or column numbers",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_models_and_tables_that_are_refused(table, name):
    call, error, words = BAD_CALLS[name]
    with pytest.raises(error, match=words):
        call(*table)


def test_tables_in_files_are_refused():
    X = np.random.RandomState(0).randn(20, 2)
    with pytest.raises(TypeError, match="select_features needs the values of X in memory"):
        select_features(spinney.DecisionTreeRegressor(), spinney.open_table(lambda: iter([X])), X[:, 0])

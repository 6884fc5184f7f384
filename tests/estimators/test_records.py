"""Rows as a list of dicts, as a web service gets them; and the tags that say what inputs are."""

import sys

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils import get_tags

import spinney
from spinney.datasets import load_penguins

X, Y = load_penguins()
BODY = X.pop("body_mass_g")
RECORDS = [{name: None if value != value else value for name, value in row.items()} for row in X.to_dict("records")]
MODELS = [
    (spinney.GradientBoostingClassifier(n_estimators=3, random_state=0), Y),
    (spinney.GradientBoostingRegressor(n_estimators=3, random_state=0), BODY.fillna(0)),
    (spinney.RandomForestClassifier(5, random_state=0), Y),
    (spinney.DecisionTreeClassifier(max_depth=3), Y),
    (spinney.C45Classifier(), Y),
    (spinney.BaggingClassifier(n_estimators=3, random_state=0), Y),
    (spinney.AdaBoostClassifier(n_estimators=3), Y),
    (spinney.VotingClassifier([("a", spinney.DecisionTreeClassifier()), ("b", spinney.C45Classifier())]), Y),
    (spinney.IsolationForest(n_estimators=5, random_state=0), None),
]


@pytest.mark.parametrize("model, y", MODELS, ids=lambda one: type(one).__name__)
def test_a_list_of_dicts_is_a_table(model, y):
    model.fit(X, y)
    names = ("predict", "predict_proba", "decision_function", "apply", "score_samples")
    for name in [name for name in names if hasattr(model, name)]:
        np.testing.assert_array_equal(getattr(model, name)(RECORDS), getattr(model, name)(X))
    assert model.predict(RECORDS[:1])[0] == model.predict_row(RECORDS[0])
    assert model.predict([dict(reversed(RECORDS[7].items())) | {"more": 1}])[0] == model.predict(X[7:8])[0]


def test_numbers_that_no_array_of_floats_holds_take_the_long_way():
    when = {"a": [1, 2**60, 3, 4], "b": ["x", "y", "x", "y"]}
    model = spinney.DecisionTreeClassifier().fit(pandas.DataFrame(when), [0, 1, 0, 1])
    found = model.predict([{"a": np.int64(3), "b": "x"}, {"a": 2**60, "b": "new"}, {"a": pandas.NA, "b": "y"}])
    assert found.tolist() == [0, 1, 1]


def test_models_without_names_know_columns_by_their_numbers():
    model = spinney.GradientBoostingRegressor(n_estimators=2).fit(np.arange(40.0).reshape(20, 2), np.arange(20.0))
    assert (model.predict([{0: 2.0, 1: 3.0}, {1: 39.0, 0: 38.0}]) == model.predict([[2.0, 3.0], [38.0, 39.0]])).all()


@pytest.mark.parametrize("model, y", [*MODELS[:1], MODELS[5], MODELS[7]], ids=lambda one: type(one).__name__)
def test_what_is_missing_or_wrong_is_named_with_its_row(model, y):
    model.fit(X, y)
    short = {name: value for name, value in RECORDS[0].items() if name != "island"}
    with pytest.raises(
        ValueError, match=r"^Row 1 of X: row has no value for column 'island'; it has \['bill.*None or nan"
    ):
        model.predict([RECORDS[0], short])
    with pytest.raises(
        TypeError, match=r"^Row 1 of X: row must be a dict, a Series or a sequence of 6 values, got 'x'"
    ):
        model.predict([RECORDS[0], "x"])


def test_a_fit_needs_a_table():
    with pytest.raises(TypeError, match=r"does not accept a list of dicts here. Pass pandas\.DataFrame\(X\);"):
        spinney.GradientBoostingClassifier().fit(RECORDS, Y)


def test_unknown_categories_and_strings_among_numbers():
    odd = RECORDS[0] | {"island": "Atlantis"}
    model = spinney.GradientBoostingClassifier(n_estimators=3).fit(X, Y)
    assert model.predict([odd, odd])[0] == model.predict(pandas.DataFrame([odd, odd]))[0]
    strict = spinney.GradientBoostingClassifier(n_estimators=3, handle_unknown="error").fit(X, Y)
    with pytest.raises(ValueError, match=r"Column 'island' holds categories that .* has not seen in fit: 'Atlantis'"):
        strict.predict([odd, odd])
    assert strict.predict([odd | {"island": None}] * 2).shape == (2,)  # which is not unknown, but missing
    with pytest.raises((TypeError, ValueError), match=r"bill_length_mm|Column"):
        model.predict([RECORDS[0], RECORDS[1] | {"bill_length_mm": "long"}])


def test_an_initial_estimator_gets_a_frame():
    numbers = X.select_dtypes("number").fillna(0.0)
    model = spinney.GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(numbers, BODY.fillna(0))
    np.testing.assert_array_equal(model.predict(numbers.head(5).to_dict("records")), model.predict(numbers.head(5)))


def test_no_pandas_is_needed(monkeypatch):
    model = spinney.GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, Y)
    expected = model.predict(X[:5])
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert (model.predict(RECORDS[:5]) == expected).all()


@pytest.mark.parametrize(
    "model, takes",
    [
        (spinney.GradientBoostingClassifier(), True),
        (spinney.GradientBoostingClassifier(categorical_features=None), False),
        (spinney.RandomForestRegressor(), True),
        (spinney.C45Classifier(), True),
        (spinney.KMeans(), False),
        (spinney.GaussianMixture(), False),
        (spinney.BaggingClassifier(), True),
        (spinney.BaggingClassifier(LogisticRegression()), False),
        (spinney.AdaBoostClassifier(LogisticRegression()), False),
        (spinney.VotingClassifier([("a", spinney.C45Classifier()), ("b", LogisticRegression())]), False),
        (spinney.StackingClassifier([("a", spinney.C45Classifier()), ("b", spinney.ID3Classifier())]), True),
    ],
    ids=lambda one: type(one).__name__,
)
def test_tags_say_whether_strings_are_taken(model, takes):
    assert get_tags(model).input_tags.string is takes

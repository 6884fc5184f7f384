"""One row, whatever it comes as, is answered as it is among others; bit for bit."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from spinney import (
    AdaBoostClassifier,
    AutoClassifier,
    AutoRegressor,
    BaggingClassifier,
    BayesianModelAveraging,
    BucketOfModels,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ID3Classifier,
    KMeans,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from spinney.data.schema import learn_and_read
from tests.compiled import few

RANDOM = np.random.RandomState(0)
N = 240
FRAME = pd.DataFrame(
    {
        "size": RANDOM.randn(N),
        "count": RANDOM.randint(0, 9, N),
        "colour": RANDOM.choice(["red", "green", "blue"], N),
        "grade": pd.Categorical(RANDOM.choice(list("ABCDEFG"), N)),
        "open": RANDOM.rand(N) < 0.5,
        "short": RANDOM.randn(N).astype(np.float32),
    }
)
FRAME.loc[RANDOM.rand(N) < 0.15, "size"] = np.nan
FRAME.loc[RANDOM.rand(N) < 0.15, "grade"] = np.nan
Y = np.where(FRAME["size"].fillna(0) + FRAME["open"] + (FRAME["colour"] == "red") > 0.7, "yes", "no")
NUMBER = FRAME["size"].fillna(0).to_numpy() + FRAME["count"].to_numpy()
TWO = [("tree", DecisionTreeClassifier(max_depth=2)), ("c45", C45Classifier())]
MODELS = {
    "tree": DecisionTreeClassifier(),
    "numbers": DecisionTreeRegressor(),
    "c45": C45Classifier(),
    "forest": RandomForestClassifier(7, random_state=0),
    "extra": ExtraTreesRegressor(7, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=9, min_samples_leaf=3),
    "three": GradientBoostingClassifier(n_estimators=9, min_samples_leaf=3),
    "boosted numbers": GradientBoostingRegressor(n_estimators=9, min_samples_leaf=3),
    "boosted exactly": GradientBoostingRegressor(n_estimators=9, min_samples_leaf=3, max_bins=None),
    "bagging": BaggingClassifier(n_estimators=3, random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=3),
    "voting": VotingClassifier(TWO, voting="soft"),
    "voted numbers": VotingRegressor([("tree", DecisionTreeRegressor()), ("forest", ExtraTreesRegressor(3))]),
    "stacking": StackingClassifier(TWO, DecisionTreeClassifier(), cv=2),
    "bucket": BucketOfModels(TWO, cv=2),
    "averaging": BayesianModelAveraging(TWO, cv=2),
    "auto": AutoClassifier(["boosting", "extra_trees"], cv=2, random_state=0),
    "auto of numbers": AutoRegressor(["boosting", "random_forest"], cv=2, random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    one = MODELS[request.param]
    y = np.digitize(NUMBER, [2, 5]) if request.param == "three" else Y
    return one.fit(FRAME, NUMBER if "Regressor" in type(one).__name__ else y)


def rows():
    """Some rows, and one with values never seen."""
    strange = FRAME.iloc[[3]].assign(colour="violet", grade="Z", size=1e9)
    return pd.concat([FRAME.iloc[:25], strange.astype({"grade": object})])


def test_a_row_is_answered_as_among_others(model):
    table = rows()
    expected = model.predict(table)
    for i in range(len(table)):
        row = table.iloc[i]
        forms = [row, dict(row), row.tolist(), {**dict(row), "more": 1}]
        assert {model.predict_row(form) for form in forms} == {expected[i]}
        np.testing.assert_array_equal(model.predict(table.iloc[i : i + 1]), expected[i : i + 1])
        np.testing.assert_array_equal(model.predict(pl.from_pandas(table.iloc[[i]])), expected[i : i + 1])
        if hasattr(model, "predict_proba"):
            alone = model.predict_proba(table.iloc[i : i + 1])
            np.testing.assert_array_equal(alone[0], model.predict_proba(table)[i])
        if hasattr(model, "apply") and hasattr(model, "forest_"):
            np.testing.assert_array_equal(model.apply(table.iloc[i : i + 1])[0], model.apply(table)[i])


def test_answers_are_plain():
    model = DecisionTreeClassifier().fit(FRAME, Y)
    assert type(model.predict_row(FRAME.iloc[0])) is str
    numbers = DecisionTreeRegressor().fit(FRAME, NUMBER)
    assert type(numbers.predict_row(FRAME.iloc[0])) is float
    several = DecisionTreeRegressor().fit(FRAME, np.column_stack([NUMBER, NUMBER]))
    assert several.predict_row(FRAME.iloc[0]).shape == (2,)


def test_rows_of_arrays():
    X = RANDOM.randn(60, 3)
    for model in (DecisionTreeRegressor(), ExtraTreesRegressor(3), GradientBoostingRegressor(n_estimators=3)):
        model.fit(X, X[:, 0])
        expected = model.predict(X)
        assert [model.predict_row(row) for row in X] == expected.tolist()
        assert [model.predict_row(tuple(row)) for row in X.tolist()] == expected.tolist()
        assert model.predict_row({0: X[0, 0], 1: X[0, 1], 2: X[0, 2]}) == expected[0]
        assert model.predict(np.asfortranarray(X)[:1]).tolist() == expected[:1].tolist()
    assert KMeans(2, n_init=1, random_state=0).fit(X).predict_row(X[0]) in (0, 1)
    foreign = BaggingClassifier(LogisticRegression(), n_estimators=2, random_state=0).fit(X, X[:, 0] > 0)
    assert foreign.predict_row(X[0]) == (X[0, 0] > 0)


def test_missing_values():
    model = GradientBoostingClassifier(n_estimators=5, min_samples_leaf=3).fit(FRAME, Y)
    row = dict(FRAME.iloc[0])
    for nothing in (None, np.nan, float("nan"), pd.NA):
        table = FRAME.iloc[[0]].assign(grade=np.nan, size=np.nan)
        assert model.predict_row({**row, "grade": nothing, "size": nothing}) == model.predict(table)[0]


KINDS = ["int64", "uint64", "float64", "float32", "bool", "Int64", "UInt64", "Float64", "boolean", "object"]
KINDS += ["int64[pyarrow]", "uint64[pyarrow]", "double[pyarrow]", "float[pyarrow]", "bool[pyarrow]"]


@few(60)
@given(kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=4), data=st.data())
def test_rows_of_any_types_are_read_as_among_others(kinds, data):
    """One row of a frame has one type in pandas, and it may be one that rounds."""
    pytest.importorskip("pyarrow")
    columns = {}
    for j, kind in enumerate(kinds):
        values = [0, 1, 3, 7, 2**53, 2**53 + 1]
        values += [2**63, 2**64 - 1] if kind.lower().startswith("uint") else [2**62, 2**63 - 1]
        if "bool" in kind.lower():
            values = [bool(one % 2) for one in values]
        drawn = [values[k] for k in data.draw(st.lists(st.integers(0, 7), min_size=6, max_size=6))]
        if kind.lower().startswith(("float", "double")):
            drawn = np.array(drawn, np.float32 if "float[" in kind or "32" in kind else np.float64)
        columns[f"c{j}"] = pd.array(drawn, dtype=kind)
    X = pd.DataFrame(columns)
    chosen = [name for name in X if data.draw(st.booleans())]
    schema, _ = learn_and_read(X, chosen)
    together = schema.read(X)
    for i in range(len(X)):
        alone = schema.read(X.iloc[i : i + 1])
        for j in range(len(kinds)):
            assert alone.column(j)[0] == together.column(j)[i]


@pytest.mark.parametrize("kinds", [("int64", "float64"), ("int64[pyarrow]", "double[pyarrow]")])
def test_categories_beyond_the_integers_of_floats(kinds):
    pytest.importorskip("pyarrow")
    ids = pd.array([2**53, 2**53 + 1] * 20, dtype=kinds[0])
    X = pd.DataFrame({"id": ids, "x": pd.array([0.0, 1.0] * 20, dtype=kinds[1])})
    model = DecisionTreeClassifier(categorical_features=["id"]).fit(X, [0, 1] * 20)
    assert [model.predict(X[i : i + 1])[0] for i in range(2)] == model.predict(X[:2]).tolist() == [0, 1]


ROW = dict(FRAME.iloc[0])
BAD_ROWS = {
    "a column less": (
        {key: value for key, value in ROW.items() if key != "size"},
        ValueError,
        "row has no value for column 'size'; it has",
    ),
    "too short": ([1, 2], ValueError, "row has 2 values, but the model is expecting 6"),
    "a string": ("red", TypeError, "row must be a dict, .* got 'red'"),
    "a number": (3, TypeError, "row must be a dict, .* got 3"),
    "a frame": (FRAME, TypeError, "row must be a dict, .* got a table"),
    "an array of rows": (FRAME.to_numpy(), TypeError, "row must be a dict, .* got a table"),
    "a string among numbers": ({**ROW, "size": "big"}, TypeError, "such as 'big'"),
    "a number among strings": ({**ROW, "colour": 3}, TypeError, r"Column .* holds numbers"),
    "a date": ({**ROW, "size": datetime.date(2020, 1, 1)}, TypeError, "date"),
}
BAD_TABLES = {
    "another name": (FRAME.iloc[:1].rename(columns={"size": "weight"}), ValueError, "feature names"),
    "another order": (FRAME.iloc[:1, ::-1], ValueError, "feature names"),
    "numbers for strings": (FRAME.iloc[:1].assign(colour=5), TypeError, "Column 'colour' holds numbers"),
    "strings for numbers": (FRAME.iloc[:1].assign(size="big"), TypeError, "Column 'size' holds strings"),
}


@pytest.fixture(scope="module")
def fitted():
    return DecisionTreeClassifier().fit(FRAME, Y)


@pytest.mark.parametrize("name", BAD_ROWS)
def test_rows_that_do_not_fit(fitted, name):
    row, error, words = BAD_ROWS[name]
    with pytest.raises(error, match=words):
        fitted.predict_row(row)


@pytest.mark.parametrize("name", BAD_TABLES)
def test_tables_of_one_row_that_do_not_fit(fitted, name):
    table, error, words = BAD_TABLES[name]
    with pytest.raises(error, match=words):
        fitted.predict(table)


def test_id3():
    model = ID3Classifier().fit(FRAME[["colour", "open"]], Y)
    table = FRAME[["colour", "open"]]
    assert [model.predict_row(table.iloc[i]) for i in range(9)] == model.predict(table)[:9].tolist()

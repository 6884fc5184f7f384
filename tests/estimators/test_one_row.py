"""One row, whatever it comes as, is answered as it is among others; bit for bit."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
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


def test_errors():
    model = DecisionTreeClassifier().fit(FRAME, Y)
    row = dict(FRAME.iloc[0])
    with pytest.raises(ValueError, match="row has no value for column 'size'; it has"):
        model.predict_row({key: value for key, value in row.items() if key != "size"})
    with pytest.raises(ValueError, match="row has 2 values, but the model is expecting 6"):
        model.predict_row([1, 2])
    for wrong in ("red", 3, FRAME, FRAME.to_numpy()):
        with pytest.raises((TypeError, ValueError), match="row "):
            model.predict_row(wrong)
    with pytest.raises(TypeError, match="such as 'big'"):
        model.predict_row({**row, "size": "big"})
    with pytest.raises(TypeError, match=r"Column .* holds numbers"):
        model.predict_row({**row, "colour": 3})
    with pytest.raises(TypeError, match="date"):
        model.predict_row({**row, "size": datetime.date(2020, 1, 1)})
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME.iloc[:1].rename(columns={"size": "weight"}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME.iloc[:1, ::-1])
    with pytest.raises(TypeError, match="Column 'colour' holds numbers"):
        model.predict(FRAME.iloc[:1].assign(colour=5))
    with pytest.raises(TypeError, match="Column 'size' holds strings"):
        model.predict(FRAME.iloc[:1].assign(size="big"))


def test_id3():
    model = ID3Classifier().fit(FRAME[["colour", "open"]], Y)
    table = FRAME[["colour", "open"]]
    assert [model.predict_row(table.iloc[i]) for i in range(9)] == model.predict(table)[:9].tolist()

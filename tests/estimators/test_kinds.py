"""Columns that come back as another kind: strings at fit, numbers at predict (zip codes from a CSV file), and so on."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import spinney

RANDOM = np.random.RandomState(0)
ZIP = RANDOM.choice(["10001", "10002", "10003", "94110"], 120)
Y = np.isin(ZIP, ["10001", "94110"]).astype(int)
FEW = {"n_estimators": 3, "random_state": 0}
TREES = [("tree", spinney.DecisionTreeClassifier()), ("c45", spinney.C45Classifier())]
MODELS = [
    spinney.DecisionTreeClassifier(),
    spinney.DecisionTreeRegressor(),
    spinney.RandomForestClassifier(**FEW),
    spinney.RandomForestRegressor(**FEW),
    spinney.ExtraTreesClassifier(**FEW),
    spinney.ExtraTreesRegressor(**FEW),
    spinney.ExtraTreeClassifier(),
    spinney.ExtraTreeRegressor(),
    spinney.IsolationForest(**FEW),
    spinney.RandomStructureForestClassifier(**FEW),
    spinney.RandomStructureForestRegressor(**FEW),
    spinney.GradientBoostingClassifier(**FEW),
    spinney.GradientBoostingRegressor(**FEW),
    spinney.AdaBoostClassifier(**FEW),
    spinney.AdaBoostRegressor(**FEW),
    spinney.BaggingClassifier(**FEW),
    spinney.BaggingRegressor(**FEW),
    spinney.BaggingClassifier(spinney.C45Classifier(), **FEW),
    spinney.ID3Classifier(),
    spinney.C45Classifier(),
    spinney.VotingClassifier(TREES),
    spinney.StackingClassifier(TREES, cv=2),
    spinney.BayesianModelAveraging(TREES, cv=2),
    spinney.BucketOfModels(TREES, cv=2),
    spinney.AutoClassifier(["tree", "extra_trees"], cv=2, random_state=0),
    spinney.AutoRegressor(["tree", "extra_trees"], cv=2, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_numbers_where_strings_were_are_an_error(model):
    model.fit(pd.DataFrame({"zip": ZIP}), Y)
    message = (
        r"Column 'zip' holds numbers, such as 10001, but held strings, such as '10001', when \w+ was fitted\. Convert"
    )
    with pytest.raises(TypeError, match=message):
        model.predict(pd.DataFrame({"zip": ZIP.astype(int)}))
    with pytest.raises(TypeError, match=message):
        model.predict(pl.DataFrame({"zip": ZIP.astype(int)}))
    if hasattr(model, "predict_proba"):
        with pytest.raises(TypeError, match=message):
            model.predict_proba(pd.DataFrame({"zip": ZIP.astype(int)}))
    missing = model.predict(pd.DataFrame({"zip": [np.nan, np.nan]}))
    assert (model.predict(pd.DataFrame({"zip": ["nowhere", None]}, dtype=object)) == missing).all()  # never seen


@pytest.mark.parametrize(
    "model",
    [
        spinney.DecisionTreeClassifier(categorical_features=["c"]),
        spinney.RandomForestClassifier(categorical_features=["c"], **FEW),
        spinney.GradientBoostingClassifier(categorical_features=["c"], **FEW),
        spinney.ID3Classifier(),
        spinney.C45Classifier(categorical_features=["c"]),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize(
    ("learnt", "later", "kinds"),
    [([3, 4], ["3", "4"], "strings.*numbers"), ([False, True], ["False", "True"], "strings.*Booleans")],
)
def test_strings_where_other_categories_were_are_an_error(model, learnt, later, kinds):
    y = [0, 1] * 10
    model.fit(pd.DataFrame({"c": learnt * 10}), y)
    with pytest.raises(TypeError, match=f"Column 'c' holds {kinds}"):
        model.predict(pd.DataFrame({"c": later}))
    model.fit(pd.DataFrame({"c": later * 10}), y)
    back = ".*".join(reversed(kinds.split(".*")))
    with pytest.raises(TypeError, match=f"Column 'c' holds {back}"):
        model.predict(pd.DataFrame({"c": learnt}))

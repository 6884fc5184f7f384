"""Categories that were not there in training: missing values, or an error that names them; everywhere alike."""

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import spinney

RANDOM = np.random.RandomState(0)
N = 120
FRAME = pd.DataFrame(
    {
        "size": RANDOM.randn(N),
        "colour": RANDOM.choice(["red", "green", "blue"], N),
        "grade": pd.Categorical(RANDOM.choice([1, 2, 3], N)),
    }
)
WORDS = FRAME[["colour", "grade"]]
CLASSES = np.where((FRAME["colour"] == "red") | (FRAME["grade"] == 2), "yes", "no")
NUMBERS = FRAME["size"] + (FRAME["colour"] == "red")
STRICT = {"handle_unknown": "error"}
FEW = {"n_estimators": 3, "random_state": 0}
MODELS = {
    "tree": spinney.DecisionTreeClassifier(**STRICT),
    "tree of numbers": spinney.DecisionTreeRegressor(**STRICT),
    "optimal": spinney.OptimalTreeClassifier(max_depth=2, time_budget=None, **STRICT),
    "optimal of numbers": spinney.OptimalTreeRegressor(max_depth=2, time_budget=None, **STRICT),
    "id3": spinney.ID3Classifier(**STRICT),
    "c45": spinney.C45Classifier(**STRICT),
    "forest": spinney.RandomForestClassifier(**FEW, **STRICT),
    "forest of numbers": spinney.RandomForestRegressor(**FEW, **STRICT),
    "extra": spinney.ExtraTreesClassifier(**FEW, **STRICT),
    "extra of numbers": spinney.ExtraTreesRegressor(**FEW, **STRICT),
    "structure": spinney.RandomStructureForestClassifier(**FEW, **STRICT),
    "structure of numbers": spinney.RandomStructureForestRegressor(**FEW, **STRICT),
    "boosting": spinney.GradientBoostingClassifier(**FEW, **STRICT),
    "boosting of numbers": spinney.GradientBoostingRegressor(**FEW, **STRICT),
    "bagging": spinney.BaggingClassifier(spinney.DecisionTreeClassifier(**STRICT), **FEW),
    "bagging of others": spinney.BaggingClassifier(spinney.C45Classifier(**STRICT), **FEW),
    "adaboost": spinney.AdaBoostClassifier(spinney.DecisionTreeClassifier(max_depth=1, **STRICT), **FEW),
    "auto": spinney.AutoClassifier(["boosting", "tree"], cv=2, random_state=0, **STRICT),
    "auto of numbers": spinney.AutoRegressor(["boosting", "tree"], cv=2, random_state=0, **STRICT),
    "adaboost of numbers": spinney.AdaBoostRegressor(spinney.DecisionTreeRegressor(max_depth=2, **STRICT), **FEW),
}


def table_of(model):
    return WORDS if isinstance(model, spinney.ID3Classifier) else FRAME


def lenient(model):
    name = "estimator__handle_unknown" if "estimator" in model.get_params(deep=False) else "handle_unknown"
    return clone(model).set_params(**{name: "missing"})


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    one = MODELS[request.param]
    return one.fit(table_of(one), NUMBERS if "numbers" in request.param else CLASSES)


def says(column, *values):
    shown = re.escape(", ".join(map(repr, values)))
    return pytest.raises(ValueError, match=f"Column '{column}' holds categories that .* has not seen in fit: {shown}")


def test_unknown_categories_are_named(model):
    table = table_of(model)
    known = model.predict(table)
    for n_rows in (1, 40):
        some = table.iloc[:n_rows]
        pink = some.assign(colour=["pink", *some["colour"][1:]])
        for X in (pink, pl.from_pandas(pink), pink.astype({"colour": "category"})):
            with says("colour", "pink"):
                model.predict(X)
        with says("grade", 7):
            model.predict(some.assign(grade=pd.Categorical([7] * n_rows)))
    with says("colour", "grey", "pink"):
        model.predict(table.assign(colour=["grey", "pink"] * (N // 2)))
    np.testing.assert_array_equal(model.predict(table), known)


def test_other_predictions_ask_too(model):
    pink = table_of(model).assign(colour="pink")
    for method in ("predict_proba", "apply", "decision_function"):
        if hasattr(model, method):
            with says("colour", "pink"):
                getattr(model, method)(pink)


def test_missing_values_are_never_unknown(model):
    table = table_of(model)
    gone = table.assign(colour=[None, *table["colour"][1:]])
    expected = lenient(model).fit(table, NUMBERS if not hasattr(model, "classes_") else CLASSES).predict(gone)
    np.testing.assert_array_equal(model.predict(gone), expected)
    np.testing.assert_array_equal(model.predict(gone.iloc[:1]), expected[:1])
    assert model.predict_row(gone.iloc[0]) == expected[0]


def test_one_row(model):
    row = dict(table_of(model).iloc[0])
    model.predict_row(row)
    with says("colour", "pink"):
        model.predict_row({**row, "colour": "pink"})
    with says("grade", 7):
        model.predict_row({**row, "grade": 7})


def test_by_default_they_are_missing(model):
    table = table_of(model)
    other = lenient(model).fit(table, NUMBERS if not hasattr(model, "classes_") else CLASSES)
    pink, gone = (table.assign(colour=pd.Series([value] * N, dtype=object)) for value in ("pink", None))
    np.testing.assert_array_equal(other.predict(pink), other.predict(gone))
    assert other.fingerprint_ == model.fingerprint_


def test_the_parameter_may_be_set_after_the_fit_and_is_kept():
    tree = spinney.DecisionTreeClassifier().fit(FRAME, CLASSES)
    pink = FRAME.assign(colour="pink")
    tree.predict(pink)
    tree.set_params(**STRICT)
    for one in (tree, pickle.loads(pickle.dumps(tree))):
        with says("colour", "pink"):
            one.predict(pink)


def test_the_trees_of_a_forest_are_as_strict():
    forest = spinney.RandomForestClassifier(**FEW, **STRICT).fit(FRAME, CLASSES)
    with says("colour", "pink"):
        forest.estimators_[0].predict(FRAME.assign(colour="pink"))


def test_rows_to_watch_are_checked_too():
    with says("colour", "pink"):
        spinney.GradientBoostingClassifier(**FEW, **STRICT).fit(
            FRAME, CLASSES, eval_set=(FRAME.assign(colour="pink"), CLASSES)
        )


def test_many_unknown_ones_are_counted():
    tree = spinney.DecisionTreeClassifier(**STRICT).fit(FRAME, CLASSES)
    strange = FRAME.assign(colour=[f"c{k:03}" for k in range(N)])
    with pytest.raises(ValueError, match=r"'c002', 'c003', 'c004' and 115 others. handle_unknown='missing' treats"):
        tree.predict(strange)


def test_columns_without_names_are_numbered():
    X = np.column_stack([RANDOM.randn(N), RANDOM.randint(0, 3, N)])
    tree = spinney.DecisionTreeClassifier(categorical_features=[1], **STRICT).fit(X, CLASSES)
    with pytest.raises(ValueError, match=r"Column 1 holds categories that .* has not seen in fit: 9.0"):
        tree.predict([[0.5, 9]])
    with pytest.raises(ValueError, match=r"Column 1 holds categories that .* has not seen in fit: 9"):
        tree.predict_row([0.5, 9])


@pytest.mark.parametrize("kind", [spinney.IsolationForest, spinney.RandomTreesEmbedding], ids=lambda one: one.__name__)
def test_models_without_a_target(kind):
    strange = FRAME.assign(colour="violet")
    for model in (kind(**FEW, **STRICT).fit(FRAME), kind(**FEW).fit(FRAME)):
        ask = model.transform if hasattr(model, "transform") else model.score_samples
        if model.handle_unknown == "error":
            with says("colour", "violet"):
                ask(strange)
        else:
            assert ask(strange).shape[0] == N
    with pytest.raises(ValueError, match="'handle_unknown' parameter of"):
        kind(handle_unknown="drop").fit(FRAME)


@pytest.mark.parametrize(
    "kind", [spinney.ExtraTreeClassifier, spinney.ExtraTreeRegressor], ids=lambda one: one.__name__
)
def test_extra_trees(kind):
    model = kind(random_state=0, **STRICT).fit(FRAME, CLASSES if kind is spinney.ExtraTreeClassifier else NUMBERS)
    with says("colour", "violet"):
        model.predict(FRAME.assign(colour="violet"))

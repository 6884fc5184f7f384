"""What every estimator says of a y that it cannot have, and which tables all of them take or refuse alike."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import is_classifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import spinney
from spinney import evaluate, prune

RANDOM = np.random.RandomState(0)
N = 90
FRAME = pd.DataFrame({"a": RANDOM.randn(N), "b": RANDOM.randn(N), "c": RANDOM.choice(["x", "y", "z"], N)})
CLASSES = np.where(FRAME["a"] + (FRAME["c"] == "x") > 0.3, "yes", "no")
NUMBERS = FRAME["a"].to_numpy() + (FRAME["c"] == "x")
ARROW = pa.Table.from_pandas(FRAME, preserve_index=False)
FORMS = {
    "batch": ARROW.to_batches()[0],
    "views": ARROW.set_column(2, "c", ARROW["c"].cast(pa.string_view())),
    "batch of views": ARROW.set_column(2, "c", ARROW["c"].cast(pa.string_view())).to_batches()[0],
}
TREES = [("a", spinney.DecisionTreeClassifier(max_depth=2)), ("b", spinney.DecisionTreeClassifier())]
NUMBER_TREES = [("a", spinney.DecisionTreeRegressor(max_depth=2)), ("b", spinney.DecisionTreeRegressor())]
CLASSIFIERS = {
    "tree": spinney.DecisionTreeClassifier(),
    "c45": spinney.C45Classifier(),
    "forest": spinney.RandomForestClassifier(3, random_state=0),
    "structure": spinney.RandomStructureForestClassifier(3, random_state=0),
    "boosting": spinney.GradientBoostingClassifier(n_estimators=3),
    "adaboost": spinney.AdaBoostClassifier(n_estimators=3),
    "adaboost of others": spinney.AdaBoostClassifier(spinney.C45Classifier(), n_estimators=2, random_state=0),
    "bagging": spinney.BaggingClassifier(n_estimators=3, random_state=0),
    "bagging of others": spinney.BaggingClassifier(spinney.C45Classifier(), n_estimators=3, random_state=0),
    "voting": spinney.VotingClassifier(TREES),
    "stacking": spinney.StackingClassifier(TREES, cv=3),
    "blending": spinney.StackingClassifier(TREES, cv="holdout", random_state=0),
    "passing": spinney.StackingClassifier(TREES, spinney.DecisionTreeClassifier(), cv=3, passthrough=True),
    "bucket": spinney.BucketOfModels(TREES, cv=3),
    "averaging": spinney.BayesianModelAveraging(TREES, cv=3),
    "auto": spinney.AutoClassifier(["tree", "boosting"], cv=3, random_state=0),
}
REGRESSORS = {
    "tree": spinney.DecisionTreeRegressor(),
    "forest": spinney.ExtraTreesRegressor(3),
    "boosting": spinney.GradientBoostingRegressor(n_estimators=3),
    "adaboost": spinney.AdaBoostRegressor(n_estimators=3),
    "bagging": spinney.BaggingRegressor(n_estimators=3),
    "bagging of others": spinney.BaggingRegressor(LinearRegression(), n_estimators=3),
    "voting": spinney.VotingRegressor(NUMBER_TREES),
    "stacking": spinney.StackingRegressor(NUMBER_TREES, cv=3),
    "bucket": spinney.BucketOfModelsRegressor(NUMBER_TREES, cv=3),
    "averaging": spinney.BayesianModelAveragingRegressor(NUMBER_TREES, cv=3),
    "auto": spinney.AutoRegressor(["tree", "boosting"], cv=3, random_state=0),
}
MODELS = {**CLASSIFIERS, **{f"{name} of numbers": model for name, model in REGRESSORS.items()}}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_missing_y_is_named(model):
    name = type(model).__name__
    with pytest.raises(ValueError, match=f"This {name} estimator requires y to be passed, but the target y is None"):
        model.fit(FRAME[["a", "b"]], None)


@pytest.mark.parametrize("model", REGRESSORS.values(), ids=REGRESSORS)
def test_strings_are_for_the_classifier_of_that_name(model):
    name = type(model).__name__
    message = f"y must hold numbers for {name}, got strings such as '(yes|no)'. For class labels, use "
    with pytest.raises(ValueError, match=message + name.replace("Regressor", "Classifier")):
        model.fit(FRAME[["a", "b"]], CLASSES)
    for y in (np.array(CLASSES, object), pd.Series(CLASSES), ["1.5", *CLASSES[1:]]):
        with pytest.raises(ValueError, match=f"y must hold numbers for {name}, got strings such as '(yes|no)'"):
            model.fit(FRAME[["a", "b"]], y)


def test_strings_where_either_kind_is_taken():
    with pytest.raises(ValueError, match=r"for BucketOfModels, got strings .* For class labels, use a classifier"):
        spinney.BucketOfModels(NUMBER_TREES).fit(FRAME, CLASSES)


@pytest.mark.parametrize("first", [0, "a"])
def test_labels_of_several_types(first):
    y = np.array([first, 1, "b", "c"], dtype=object)
    for target in (y, np.column_stack([y, y])):
        with pytest.raises(
            ValueError, match=r"y is a column of objects .* such as [01]\. Convert it to one type first"
        ):
            spinney.DecisionTreeClassifier().fit(np.eye(4), target)


def test_strings_of_several_outputs():
    with pytest.raises(ValueError, match="y must hold numbers for BaggingRegressor, got strings such as 'no'"):
        spinney.BaggingRegressor(LinearRegression()).fit(FRAME[["a"]], np.full((N, 2), "no"))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_masked_targets_are_refused(model):
    y = CLASSES if is_classifier(model) else NUMBERS
    with pytest.raises(ValueError, match=r"masked values\. Drop those rows or fill them in"):
        model.fit(FRAME[["a", "b"]], np.ma.masked_array(y, mask=np.arange(N) == 3))
    model.fit(FRAME[["a", "b"]], np.ma.masked_array(y, mask=False))


def test_numerals_are_numbers():
    model = spinney.DecisionTreeRegressor().fit(FRAME, NUMBERS)
    assert spinney.DecisionTreeRegressor().fit(FRAME, NUMBERS.astype(str)).fingerprint_ == model.fingerprint_


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("form", FORMS)
def test_record_batches_and_views_of_strings(name, form):
    model, X = CLASSIFIERS[name], FORMS[form]
    expected = model.fit(FRAME, CLASSES).predict(FRAME)
    model.fit(X, CLASSES)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(model.predict(FRAME), expected)


@pytest.mark.parametrize("make", [spinney.VotingClassifier, spinney.StackingClassifier, spinney.BucketOfModels])
def test_members_of_other_libraries_get_tables_too(make):
    model = make([("line", LogisticRegression()), ("other", LogisticRegression(C=0.1))])
    X = ARROW.drop_columns("c").to_batches()[0]
    expected = model.fit(FRAME[["a", "b"]], CLASSES).predict(FRAME[["a", "b"]])
    np.testing.assert_array_equal(model.fit(X, CLASSES).predict(X), expected)
    with pytest.raises(TypeError, match=r"^X must be a table in memory, got the lazy LazyFrame. Call .collect\(\)"):
        model.predict(LAZY)


@pytest.mark.parametrize("form", FORMS)
def test_what_splits_the_rows_takes_them_too(form):
    tree, vote, X = spinney.DecisionTreeClassifier(), spinney.VotingClassifier(TREES), FORMS[form]
    pruned = prune.cost_complexity_cv(tree, X, CLASSES, cv=3)
    assert pruned.fingerprint_ == prune.cost_complexity_cv(tree, FRAME, CLASSES, cv=3).fingerprint_
    for model in (tree, vote):
        found, expected = (evaluate.cross_validate(model, table, CLASSES, cv=3) for table in (X, FRAME))
        assert (found.mean(), found.std()) == (expected.mean(), expected.std())


LAZY = pl.from_pandas(FRAME).lazy()
READERS = {
    **{name: partial(model.fit, LAZY, CLASSES) for name, model in CLASSIFIERS.items()},
    "ranking": lambda: spinney.RankVoting(NUMBER_TREES).fit(LAZY, NUMBERS),
    "pruning": lambda: prune.cost_complexity_cv(spinney.DecisionTreeClassifier(), LAZY, CLASSES),
    "validation": lambda: evaluate.cross_validate(spinney.VotingClassifier(TREES), LAZY, CLASSES),
    "search": lambda: evaluate.search(spinney.DecisionTreeClassifier(), {"max_depth": [1, 2]}, LAZY, CLASSES),
    "learning curve": lambda: evaluate.learning_curve(LogisticRegression(), LAZY, CLASSES),
    "rounds": lambda: spinney.boosting_cv(spinney.GradientBoostingClassifier(), LAZY, CLASSES),
    "clusters": lambda: spinney.KMeans(2).fit(LAZY),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_lazy_frames_are_to_be_collected(reader):
    with pytest.raises(TypeError, match=r"X must be a table in memory, got the lazy LazyFrame. Call .collect\(\)"):
        reader()


@pytest.mark.parametrize("name", ["tree", "forest", "boosting", "structure"])
def test_negative_class_weights_are_named(name):
    model = CLASSIFIERS[name]
    weighted = type(model)(class_weight={"yes": -1, "no": 1})
    with pytest.raises(ValueError, match=r"class_weight must not be negative, got {'yes': -1, 'no': 1}"):
        weighted.fit(FRAME, CLASSES)


@pytest.mark.parametrize("model", [spinney.RandomForestClassifier(), LogisticRegression(), "boosting"])
def test_only_boosting_is_cross_validated_by_rounds(model):
    with pytest.raises(TypeError, match="must be a GradientBoostingClassifier or a GradientBoostingRegressor"):
        spinney.boosting_cv(model, FRAME[["a", "b"]], CLASSES)


def test_bins_of_pandas_are_what_id3_asks_for():
    bins = pd.DataFrame({"a": pd.cut(FRAME["a"], 4), "b": pd.qcut(FRAME["b"], 4), "c": FRAME["c"]})
    spelt = bins.astype(str)
    for model in (spinney.ID3Classifier(), spinney.C45Classifier(), spinney.RandomForestClassifier(3, random_state=0)):
        assert is_classifier(model)
        fitted = model.fit(bins, CLASSES)
        expected = fitted.predict(bins)
        assert (expected == CLASSES).mean() > 0.7
        np.testing.assert_array_equal(fitted.predict(spelt), expected)
        assert [fitted.predict_row(row) for _, row in bins.iloc[:9].iterrows()] == expected[:9].tolist()
